"""Scorecards on the command line: learned, saved, read, applied and exported."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from boxdraw import BoxSet, ScoredBoxesClassifier, load
from boxdraw.cli.options import load_model
from boxdraw.model.file import Model, model_from_json, model_to_json
from boxdraw.model.scorecard import Scorecard

from .conftest import INF, small_table

FIT = ("--method", "scored", "--max-boxes", 3, "--max-limits", 1)


def small_card():
    """Return a card of three boxes whose union has two."""
    lower, upper = [[250, -INF], [-INF, -INF], [390, -INF]], [[INF, INF], [INF, 8], [INF, INF]]
    boxes = BoxSet(lower, upper, feature_names=["amount", "hour"])
    return Scorecard(boxes, [2, 2, 3], 4)


def small_model():
    return Model(small_card(), "fraud", ("no", "yes"))


@pytest.fixture
def card(folder):
    """Write a model with a scorecard; return its name."""
    Path("card.json").write_text(model_to_json(small_model()), encoding="utf-8")
    return "card.json"


CARD = """\
2 points: amount ≥ 250
2 points: hour ≤ 8
3 points: amount ≥ 390
Alarm from 4 points."""
UNION = """\
Box 1: amount ≥ 390
Box 2: amount ≥ 250 and hour ≤ 8"""


# fit


def test_a_scorecard_is_learned_and_saved(run, data):
    result = run("fit", data, "--target", "fraud", *FIT)
    assert (result.code, result.err) == (0, "")
    table = small_table()
    estimator = ScoredBoxesClassifier(max_boxes=3, max_limits=1, signed_points=False, pos_label="yes", random_state=0)
    estimator.fit(table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist()))
    model = load_model("model.json")
    assert model.scorecard == estimator.scorecard_
    assert model.boxes == estimator.boxes_
    assert model.scorecard.to_text() == estimator.scorecard_.to_text()
    assert (
        "\nA row with enough points is predicted to have fraud = yes\n"
        f"{estimator.scorecard_.to_text(estimator.risk_table_)}\n\nOn the rows"
    ) in result.out
    figures = result.out.split("On the rows")[1].splitlines()
    table = [line.split() for line in figures if line.startswith(("1 ", "2 ", "3 ", "flagged "))]
    inside = estimator.scorecard_.boxes.membership(small_table())
    assert [int(row[1]) for row in table] == [*inside.sum(axis=0), estimator.scorecard_.contains(small_table()).sum()]


def test_the_file_says_what_was_chosen(run, data):
    run("fit", data, "--target", "fraud", "--method", "scored", "--max-boxes", 2, "--max-union", 1)
    model = load_model("model.json")
    assert model.fit["method"] == "scored"
    assert model.fit["parameters"] == {
        "false_alarm_cost": None,
        "max_boxes": 2,
        "seed": 0,
        "max_limits": None,
        "max_union": 1,
    }
    assert model.fit["chosen"]["max_limits"] in (1, 2, 3)
    assert 0.5 < model.fit["cross_validated_auc"] <= 1


def test_the_union_can_be_kept_small(run, tmp_path):
    rows = [
        f"{amount},{hour},{'yes' if amount > 300 or hour < 4 else 'no'}"
        for amount in range(0, 400, 9)
        for hour in range(24)
    ]
    data = tmp_path / "reasons.csv"
    data.write_text("amount,hour,fraud\n" + "\n".join(rows), encoding="utf-8")
    for most in (8, 1):
        options = ("--method", "scored", "--max-limits", 1, "--max-union", most, "-o", f"{most}.json")
        run("fit", data, "--target", "fraud", *options)
    assert len(load_model("8.json").boxes) > 1
    assert len(load_model("1.json").boxes) == 1


def test_a_dear_false_alarm_makes_fewer(run, data):
    flagged = []
    for cost in ("0.01", "100"):
        run("fit", data, "--target", "fraud", *FIT, "--false-alarm-cost", cost, "--force")
        flagged.append(load_model("model.json").boxes.contains(small_table()).sum())
    assert flagged[0] > flagged[1]


def test_weights_count(run):
    table = small_table().append_column("n", pa.array(np.where(np.arange(120) % 2, 1, 3)))
    pyarrow.csv.write_csv(table, "data.csv")
    run("fit", "data.csv", "--target", "fraud", *FIT, "--weight", "n")
    positive = np.array(table["fraud"].to_pylist()) == "yes"
    estimator = ScoredBoxesClassifier(max_boxes=3, max_limits=1, signed_points=False, random_state=0, pos_label=True)
    estimator.fit(table.select(["amount", "hour"]), positive, table["n"].to_numpy())
    assert load_model("model.json").scorecard == estimator.scorecard_


def test_machines_get_json(run, data):
    summary = json.loads(run("fit", data, "--target", "fraud", *FIT, "--json").out)
    card = load_model("model.json").scorecard
    assert summary["scorecard"]["threshold"] == card.threshold
    assert [box["points"] for box in summary["scorecard"]["boxes"]] == list(card.points)
    assert len(summary["boxes"]) == len(card.union())


def test_nothing_to_learn(run):
    """A card without boxes is a model too."""
    rows = "".join(f"1,{'yes' if i < 3 else 'no'}\n" for i in range(12))
    Path("data.csv").write_text("a,fraud\n" + rows)
    result = run("fit", "data.csv", "--target", "fraud", "--method", "scored")
    assert result.code == 0
    assert "warning: No box was found" in result.err
    assert "No box: nothing is flagged.\n\nOn the rows" in result.out
    rows = list(csv.DictReader(io.StringIO(run("predict", "model.json", "data.csv").out)))
    assert {(row["fraud_predicted"], row["points"], row["reasons"]) for row in rows} == {("no", "0", "")}


# the model file

TEXT = """{
  "format": "boxdraw.model",
  "version": 1,
  "target": "fraud",
  "classes": ["no", "yes"],
  "boxes": {
    "format": "boxdraw.boxes",
    "version": 1,
    "features": [
      {"name": "age", "kind": "numeric"}
    ],
    "boxes": [
      {"limits": [
        {"feature": "age", "lower": 1, "upper": 2}
      ]}
    ]
  },
  "scorecard": {
    "format": "boxdraw.scorecard",
    "version": 1,
    "threshold": 2,
    "points": [3],
    "boxes": {
      "format": "boxdraw.boxes",
      "version": 1,
      "features": [
        {"name": "age", "kind": "numeric"}
      ],
      "boxes": [
        {"limits": [
          {"feature": "age", "lower": 1, "upper": 2}
        ]}
      ]
    }
  },
  "fit": {}
}
"""


def test_the_layout_is_as_documented():
    """The text is a promise: files of today must be readable by every later version."""
    boxes = BoxSet([[1]], [[2]], feature_names=["age"])
    model = Model(Scorecard(boxes, [3], 2), "fraud", ("no", "yes"))
    assert model_to_json(model) == TEXT
    assert model_from_json(TEXT) == model


def test_boxes_follow_from_a_scorecard():
    """Whoever changes points need not know how to write the union."""
    data = json.loads(TEXT)
    del data["boxes"]
    assert model_from_json(json.dumps(data)) == model_from_json(TEXT)
    assert BoxSet.from_json(json.dumps(data)) == model_from_json(TEXT).boxes
    data["scorecard"] |= {"points": []}
    data["scorecard"]["boxes"]["boxes"] = []
    empty = model_from_json(json.dumps(data))
    assert len(empty.boxes) == 0
    assert BoxSet.from_json(json.dumps(data)) == empty.boxes
    data["scorecard"] |= {"threshold": -1}
    with pytest.raises(ValueError, match="cannot read boxes from this JSON: "):
        BoxSet.from_json(json.dumps(data))


def test_a_scorecard_alone_is_a_model(run):
    small_card().to_json("alone.json")
    assert load_model("alone.json") == Model(small_card())
    assert run("rules", "alone.json").out == f"A row with enough points is flagged\n{CARD}\n"


def edited(change):
    data = json.loads(model_to_json(small_model()))
    change(data)
    Path("card.json").write_text(json.dumps(data), encoding="utf-8")
    return "card.json"


def move_limit_of_box(data):
    data["boxes"]["boxes"][0]["limits"][0]["lower"] = 391


def move_limit_of_card(data):
    data["scorecard"]["boxes"]["boxes"][0]["limits"][0]["lower"] = 251


@pytest.mark.parametrize(
    "change",
    [
        move_limit_of_box,
        move_limit_of_card,
        lambda data: data["boxes"]["boxes"].pop(),
        lambda data: data["scorecard"].update(threshold=5),
        lambda data: data["scorecard"].update(points=[1, 2, 3]),
    ],
)
def test_boxes_that_are_not_those_of_the_scorecard_are_refused(run, fails, data, change):
    words = ["card.json is not a model of boxdraw: boxes and scorecard do not agree: take the scorecard out"]
    name = edited(change)
    fails("rules", name, words=words)
    fails("predict", name, data, words=words)
    fails("export", name, "--to", "text", words=words)

    def without(data):
        change(data)
        del data["scorecard"]

    assert run("rules", edited(without)).code == 0


def test_an_edit_in_python_replaces_the_scorecard():
    model = small_model()
    fewer = replace(model, drawing=model.boxes.drop_box(0))
    assert fewer.scorecard is None
    assert fewer.boxes == model.boxes.drop_box(0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(scorecard=None), "in scorecard: expected an object"),
        (lambda data: data["scorecard"].update(version=2), "written by a newer boxdraw"),
        (lambda data: data["scorecard"].update(points=[2, 2, 0]), "points[2] must not be 0"),
        (
            lambda data: data["scorecard"].update(points=[2, 2, -3]),
            "with negative points the flagged rows are",
        ),
    ],
)
def test_one_clear_error(fails, change, words):
    fails("rules", edited(change), words=["card.json is not a model of boxdraw: ", words])


# rules


def test_rules_as_text(run, card):
    text = f"A row with enough points is predicted to have fraud = yes\n{CARD}\n"
    assert run("rules", card) == (0, text, "")
    assert run("rules", card, "--union") == (0, f"{text}\nThe same as a union of boxes:\n{UNION}\n", "")


def test_rules_on_rows(run, card, data):
    lines = run("rules", card, "--data", data).out.splitlines()
    flagged = small_card().contains(small_table())
    assert int(lines[-1].split()[1]) == flagged.sum() > 0
    assert [line.split()[0] for line in lines[-4:]] == ["1", "2", "3", "flagged"]
    inside = small_card().boxes.membership(small_table()).sum(axis=0)
    assert [int(line.split()[1]) for line in lines[-4:-1]] == inside.tolist()


def test_rules_as_markdown(run, card):
    text, union = small_card().to_markdown(), small_card().union().to_markdown()
    assert run("rules", card, "--format", "markdown").out == f"{text}\n"
    both = run("rules", card, "--format", "markdown", "--union").out
    assert both == f"{text}\n\nThe same as a union of boxes:\n\n{union}\n"


def test_rules_as_json(run, card):
    result = json.loads(run("rules", card, "--json").out)
    assert [box["rule"] for box in result["boxes"]] == ["amount ≥ 390", "amount ≥ 250 and hour ≤ 8"]
    assert result["scorecard"]["threshold"] == 4
    assert result["scorecard"]["boxes"][1] == {
        "points": 2,
        "rule": "hour ≤ 8",
        "limits": [{"feature": "hour", "upper": 8.0, "missing": False}],
    }


# predict


def test_predictions_have_points(run, card):
    Path("new.csv").write_text("id,amount,hour\n007,300,3\n008,395,\n009,250,9\n010,,\n")
    assert run("predict", card, "new.csv").out == (
        "id,amount,hour,fraud_predicted,points,reasons\n"
        "007,300,3,yes,4,1 2\n008,395,,yes,5,3 1\n009,250,9,no,2,1\n010,,,no,0,\n"
    )
    told = run("predict", card, "new.csv", "--only-flagged", "--explain").out.splitlines()
    assert told[0].endswith("points,reasons,why")
    assert told[1].endswith('"4 points, alarm from 4: 2 for amount ≥ 250 (has 300); 2 for hour ≤ 8 (has 3)"')
    assert len(told) == 3


def test_a_column_of_points_is_not_replaced(fails, card):
    Path("new.csv").write_text("amount,hour,points\n300,3,1\n")
    fails("predict", card, "new.csv", words='has a column "points" already; rename it')


def mixed_table(n_rows, seed):
    """Return rows with text, truth values and gaps."""
    rng = np.random.default_rng(seed)
    country, amount = rng.choice(["NL", "DE", "US"], n_rows), rng.integers(1, 400, n_rows).astype(float)
    card = rng.random(n_rows) < 0.5
    fraud = (amount > 200).astype(int) + 2 * (country == "US") + ~card + rng.integers(0, 2, n_rows) > 3
    gaps = rng.random((2, n_rows)) < 0.1
    columns = {
        "amount": pa.array(amount, mask=gaps[0]),
        "country": pa.array(country, mask=gaps[1]),
        "card": pa.array(card),
        "fraud": pa.array(np.where(fraud, "yes", "no")),
    }
    return pa.table(columns)


def test_predictions_are_those_of_the_estimator(run):
    pyarrow.csv.write_csv(mixed_table(300, 0), "data.csv")
    new = mixed_table(200, 1)
    pyarrow.csv.write_csv(new, "new.csv")
    assert run("fit", "data.csv", "--target", "fraud", "--method", "scored", "--max-limits", 2).code == 0
    table = mixed_table(300, 0)
    estimator = ScoredBoxesClassifier(max_limits=2, signed_points=False, pos_label="yes", random_state=0)
    estimator.fit(table.drop_columns(["fraud"]), np.array(table["fraud"].to_pylist()))
    rows = list(csv.DictReader(io.StringIO(run("predict", "model.json", "new.csv").out)))
    X = new.drop_columns(["fraud"])
    assert [row["fraud_predicted"] for row in rows] == estimator.predict(X).tolist()
    assert [int(row["points"]) for row in rows] == estimator.scorecard_.score(X).tolist()
    assert len({row["points"] for row in rows}) > 3
    assert len({row["fraud_predicted"] for row in rows}) == 2


# export


@pytest.mark.parametrize("language", ["text", "json", "html", "markdown"])
def test_the_library_and_the_command_write_the_same(run, card, language):
    expected = getattr(small_card(), f"to_{language}")()
    assert run("export", card, "--to", language, "--scorecard") == (0, f"{expected}\n", "")


def test_without_the_option_the_union_is_exported(run, card):
    assert run("export", card, "--to", "text").out == f"{UNION}\n"


def test_sql_runs(run, card):
    query = run("export", card, "--to", "sql", "--scorecard", "--table", "payments").out
    table = small_table()
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE payments (amount REAL, hour REAL)")
        rows = zip(table["amount"].to_pylist(), table["hour"].to_pylist(), strict=True)
        database.executemany("INSERT INTO payments VALUES (?, ?)", rows)
        cursor = database.execute(query)
        assert [column[0] for column in cursor.description[-2:]] == ["points", "fraud_predicted"]
        found = [row[-2:] for row in cursor]
    database.close()
    points, labels = zip(*found, strict=True)
    assert list(points) == small_card().score(table).tolist()
    assert list(labels) == load(model_to_json(small_model())).predict(table.select(["amount", "hour"])).tolist()


def test_sql_of_a_dialect(run, card):
    out = run("export", card, "--to", "sql", "--scorecard", "--dialect", "postgres").out
    assert '"amount" >=' in out
    assert ">= 4" in out


# negative points


@pytest.fixture
def signed(folder):
    """Write a model with negative points; return its name."""
    card = small_card()
    model = Model(Scorecard(card.boxes, [3, -2, 1], 2), "fraud", ("no", "yes"))
    Path("signed.json").write_text(model_to_json(model), encoding="utf-8")
    return "signed.json"


@pytest.mark.parametrize(
    "command",
    [
        "rules {card}",
        "rules {card} --data {data}",
        "rules {card} --data {data} --format markdown",
        "rules {card} --json",
        "rules {card} --format csv",
        "export {card} --to sql --scorecard",
        "export {card} --to python --scorecard --reasons",
        "export {card} --to pmml --scorecard",
        "predict {card} {data} --explain",
        "report {card} {data} -o page.html",
        "monitor {card} --reference {data} {data}",
        "compare {card} {card} {data}",
        "compare {card} {card}",
    ],
)
def test_every_command_takes_negative_points(run, signed, data, command):
    result = run(*command.format(card=signed, data=data).split())
    assert result.code == 0, result.err


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("rules {card} --union", "leave out --union"),
        ("rules {card} --union --format markdown", "leave out --union"),
        ("export {card} --to sql", "add --scorecard"),
        ("revise {card} {data} -o r.json", "learn boxes with --method sparse"),
        ("fit {data} --target fraud --existing {card}", "learn boxes with --method sparse"),
    ],
)
def test_where_only_boxes_will_do(fails, signed, data, command, instead):
    words = ["this scorecard is no set of boxes without points: with negative points the flagged rows", instead]
    fails(*command.format(card=signed, data=data).split(), words=words)


def test_predictions_and_rules_of_negative_points(run, signed, data):
    rows = list(csv.DictReader(io.StringIO(run("predict", signed, data).out)))
    card = load_model(signed).scorecard
    points, flagged = card.score(small_table()), card.contains(small_table())
    assert [int(row["points"]) for row in rows] == points.tolist()
    assert [row["fraud_predicted"] == "yes" for row in rows] == flagged.tolist()
    assert 0 < flagged.sum() < card.boxes.contains(small_table()).sum()
    kept = run("predict", signed, data, "--only-flagged").out.splitlines()
    assert len(kept) == 1 + flagged.sum()
    result = json.loads(run("rules", signed, "--json", "--data", data).out)
    assert "boxes" not in result
    assert [(box["points"], box["support"]) for box in result["scorecard"]["boxes"]] == [
        (points, inside)
        for points, inside in zip(card.points, card.boxes.membership(small_table()).sum(axis=0), strict=True)
    ]
    assert result["any"]["support"] == flagged.sum()
    lines = run("rules", signed, "--format", "csv").out.splitlines()
    assert lines[:3] == ["box,points,rule", "1,3,amount ≥ 250", "2,-2,hour ≤ 8"]


def test_sql_avoids_the_names_of_columns(run):
    boxes = BoxSet([[1, -INF, -INF]], [[INF, 5, 9]], feature_names=["points", "Flagged", "reasons"])
    Scorecard(boxes, [2], 1).to_json("card.json")
    query = run("export", "card.json", "--to", "sql", "--scorecard", "--reasons", "--table", "t").out
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (points REAL, Flagged REAL, reasons REAL)")
        database.execute("INSERT INTO t VALUES (3, 2, 1)")
        cursor = database.execute(query)
        assert [column[0] for column in cursor.description[3:]] == ["points_", "flagged_", "reasons_"]
        assert cursor.fetchall() == [(3.0, 2.0, 1.0, 2, 1, "1")]
    database.close()
