"""The risk on the command line."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from boxdraw import Scorecard
from boxdraw.model.file import model_to_json
from boxdraw.model.risk import Region, RiskTable

from .conftest import small_model, small_table

FIGURES = (40.0, 17.0, 0.42, 0.31, 0.54), (900.0, 9.0, 0.01, 0.004, 0.02)
BOXES = small_model().boxes


def saved(model):
    Path("risk.json").write_text(model_to_json(model), encoding="utf-8")
    return model


@pytest.fixture
def boxes(folder):
    risk = RiskTable([Region((1,), *FIGURES[0]), Region((), *FIGURES[1])], BOXES)
    return saved(replace(small_model(), risk=risk))


@pytest.fixture
def card(folder):
    risk = RiskTable([Region(3, *FIGURES[0]), Region(None, *FIGURES[1])])
    return saved(replace(small_model(), drawing=Scorecard(BOXES, [3, 2], 2), risk=risk))


def test_rules_show_the_risk(run, boxes):
    assert "Risk" not in run("rules", "risk.json").out
    out = run("rules", "risk.json", "--risk").out
    assert out.endswith("\n\nRisk:\namount ≤ 10 and hour ≥ 20: 42% (31–54%)\notherwise: 1% (0.4–2%)\n")
    assert (
        "| 42% (31–54%) | amount ≤ 10 and hour ≥ 20 |"
        in run("rules", "risk.json", "--risk", "--format", "markdown").out
    )
    first = json.loads(run("rules", "risk.json", "--json").out)["risk"][0]
    assert first == {
        "region": "amount ≤ 10 and hour ≥ 20",
        **dict(zip(("rows", "positives", "risk", "low", "high"), FIGURES[0], strict=True)),
    }


def test_rules_of_a_card_show_the_risk(run, card):
    assert "Risk" not in run("rules", "risk.json").out
    out = run("rules", "risk.json", "--risk").out
    assert "Alarm from 2 points.\n3 or more points: 42% (31–54%)\nfewer than 3 points: 1% (0.4–2%)\n" in out
    assert "| 42% (31–54%) | 3 or more points |" in run("rules", "risk.json", "--format", "markdown").out


@pytest.mark.parametrize("fixture", ["boxes", "card"])
def test_predictions_with_the_risk(run, request, data, fixture):
    model = request.getfixturevalue(fixture)
    table = list(csv.DictReader(io.StringIO(run("predict", "risk.json", data, "--risk", "--explain").out)))
    assert list(table[0])[-3:] == ["box" if fixture == "boxes" else "reasons", "risk", "why"]
    rows = small_table().select(["amount", "hour"])
    assert [float(row["risk"]) for row in table] == model.risk.risks(rows, model.drawing).tolist()
    assert "risk" not in run("predict", "risk.json", data).out


@pytest.mark.parametrize(("fixture", "options"), [("boxes", []), ("card", ["--scorecard"])])
def test_sql_with_the_risk(run, request, fixture, options):
    model = request.getfixturevalue(fixture)
    query = run("export", "risk.json", "--to", "sql", "--table", "t", "--risk", *options).out
    table = small_table().select(["amount", "hour"])
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (amount REAL, hour REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?)", zip(*table.to_pydict().values(), strict=True))
        found = [row[-1] for row in database.execute(query)]
    database.close()
    assert found == model.risk.risks(table, model.drawing).tolist()


@pytest.mark.parametrize(("fixture", "options"), [("boxes", []), ("card", ["--scorecard"])])
def test_sql_of_the_risk_alone(run, request, fixture, options):
    model = request.getfixturevalue(fixture)
    expression = run("export", "risk.json", "--to", "sql", "--risk", *options).out
    rows, values = small_table().select(["amount", "hour"]), "SELECT ? AS amount, ? AS hour"
    with closing(sqlite3.connect(":memory:")) as database:
        found = [
            database.execute(f"SELECT {expression} FROM ({values})", row).fetchone()[0]
            for row in zip(*rows.to_pydict().values(), strict=True)
        ]
    database.close()
    assert found == model.risk.risks(rows, model.drawing).tolist()


@pytest.mark.parametrize(("fixture", "options"), [("boxes", []), ("card", ["--scorecard"])])
def test_python_and_onnx_with_the_risk(run, request, fixture, options):
    model, names, table = request.getfixturevalue(fixture), {}, small_table().select(["amount", "hour"])
    exec(run("export", "risk.json", "--to", "python", "--name", "fraud", "--risk", *options).out, names)
    find = (lambda row: names["fraud"](row)["risk"]) if options else names["fraud_risk"]
    found = [find(row) for row in table.to_pylist()]
    assert found == model.risk.risks(table, model.drawing).tolist()
    onnx = pytest.importorskip("onnx")
    assert run("export", "risk.json", "--to", "onnx", "-o", "risk.onnx", "--risk", *options).code == 0
    outputs = [output.name for output in onnx.load("risk.onnx").graph.output]
    assert outputs == ["label", "boxes", *["points", "reasons"] * bool(options), "risk"]


def test_a_card_with_its_risk_to_read(run, card):
    read = {"html": "Risk by region", "text": "or more points: ", "markdown": "| Risk | Region |"}
    for language, words in read.items():
        assert words in run("export", "risk.json", "--to", language, "--scorecard", "--risk").out


def test_wrong_commands(fails, model, data, card):
    for command in (["export", model, "--to", "sql"], ["predict", model, data]):
        fails(*command, "--risk", words="this model has no risk table")
    fails("export", "risk.json", "--to", "sql", "--risk", words="add --scorecard")
    fails("export", "risk.json", "--to", "text", "--risk", code=2, words="--risk goes with --to sql, python, onnx")
    fails("rules", "risk.json", "--risk", "--format", "csv", code=2, words="--risk goes with --format text, markdown")
    fit = "fit", data, "--target", "fraud", "-o", "m.json"
    fails(*fit, "--method", "exact", "--base-rate", "1%", code=2, words="--base-rate goes with --method sparse or")
    fails(*fit, "--base-rate", "2", code=2, words="expected a share between 0 and 1")


def test_a_page_is_made_of_a_model_with_a_risk(run, data, boxes):
    assert run("report", "risk.json", data, "-o", "page.html", "--quiet").code == 0
    assert Path("page.html").stat().st_size > 1000
