"""boxdraw rules."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from boxdraw import BoxSet, load
from boxdraw.model.file import Model, model_to_json

from .conftest import small_model, small_table


def test_text(run, model):
    assert run("rules", model) == (
        0,
        "A row in any of these boxes is predicted to have fraud = yes\n"
        "Box 1: amount ≥ 250 and hour ≤ 8\n"
        "Box 2: amount ≤ 10 and hour ≥ 20\n",
        "",
    )


def test_markdown(run, model):
    assert "| 1 | amount ≥ 250 and hour ≤ 8 |" in run("rules", model, "--format", "markdown").out


def test_csv(run, model):
    rows = list(csv.DictReader(io.StringIO(run("rules", model, "--format", "csv").out)))
    assert rows[1] == {"box": "2", "rule": "amount ≤ 10 and hour ≥ 20"}


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"], ["--json", "--format", "json"]])
def test_json(run, model, option):
    assert json.loads(run("rules", model, *option).out) == {
        "target": "fraud",
        "classes": ["no", "yes"],
        "boxes": [
            {
                "box": 1,
                "rule": "amount ≥ 250 and hour ≤ 8",
                "limits": [
                    {"feature": "amount", "lower": 250.0, "missing": False},
                    {"feature": "hour", "upper": 8.0, "missing": False},
                ],
            },
            {
                "box": 2,
                "rule": "amount ≤ 10 and hour ≥ 20",
                "limits": [
                    {"feature": "amount", "upper": 10.0, "missing": False},
                    {"feature": "hour", "lower": 20.0, "missing": False},
                ],
            },
        ],
    }


def test_json_of_categories_and_missing_values(run):
    boxes = BoxSet.from_rules([], ["a", "b", "c"], {"a": ["x", "y"], "b": [1, 2]}).add_box({"a": {"y", "x"}})
    boxes = boxes.replace(0, "b", categories=set(), missing=True).replace(
        0, "c", lower=np.inf, upper=-np.inf, missing=True
    )
    Path("model.json").write_text(model_to_json(Model(boxes)), encoding="utf-8")
    limits = json.loads(run("rules", "model.json", "--json").out)["boxes"][0]["limits"]
    assert limits == [
        {"feature": "a", "categories": ["x", "y"], "missing": False},
        {"feature": "b", "categories": [], "missing": True},
        {"feature": "c", "only_missing": True},
    ]


def test_figures_on_new_rows(run, model, data):
    out = run("rules", model, "--data", data).out
    assert "On the rows of data.csv:\nbox  rows  caught  false alarms" in out
    table = small_table()
    yes = np.array(table["fraud"].to_pylist()) == "yes"
    member = small_model().boxes.membership(table)
    expected = [*member.T, member.any(axis=1)]
    lines = [line.split() for line in out.splitlines()[-3:]]
    assert [line[0] for line in lines] == ["1", "2", "any"]
    for line, inside in zip(lines, expected, strict=True):
        assert [int(count) for count in line[1:4]] == [inside.sum(), (inside & yes).sum(), (inside & ~yes).sum()]


def test_rows_from_standard_input(run, model, data, monkeypatch):
    expected = run("rules", model, "--data", data).out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(data).read_bytes())))
    assert run("rules", model, "--data", "-").out == expected.replace("data.csv", "standard input")


def test_figures_for_machines(run, model, data):
    as_json = json.loads(run("rules", model, "--data", data, "--json").out)
    as_csv = list(csv.DictReader(io.StringIO(run("rules", model, "--data", data, "--format", "csv").out)))
    assert [row["box"] for row in as_csv] == ["1", "2", "any"]
    for row, box in zip(as_csv, [*as_json["boxes"], as_json["any"]], strict=True):
        for name in ("support", "precision", "precision_low", "recall", "lift"):
            assert float(row[name]) == box[name]
    together = as_json["any"]
    assert together["precision"] == together["true_positives"] / together["support"]
    assert together["lift"] == pytest.approx(together["precision"] / (17 / 120))
    assert together["recall"] == together["true_positives"] / 17
    assert together["precision_low"] < together["precision"] < together["precision_high"]
    table = small_table()
    frame = load(model).box_table(table, table["fraud"].to_pylist()).to_pylist()
    assert [box["unique_recall"] for box in as_json["boxes"]] == [row["unique_recall"] for row in frame]


def test_figures_in_markdown(run, model, data):
    out = run("rules", model, "--data", data, "--format", "markdown").out
    assert "| box | rows | caught | false alarms |" in out
    assert "\n| any | " in out


def test_a_box_that_holds_nothing_has_no_figures(run, model):
    Path("new.csv").write_text("amount,hour,fraud\n300,3,no\n100,12,no\n")
    lines = run("rules", model, "--data", "new.csv").out.splitlines()
    assert lines[-2].split() == ["2", "0", "0", "0", "-", "-", "-", "-", "-"]
    figures = json.loads(run("rules", model, "--data", "new.csv", "--json").out)
    assert figures["boxes"][1]["precision"] is None


def test_no_boxes(run, data):
    Path("model.json").write_text(model_to_json(Model(small_model().boxes[:0], "fraud", ("no", "yes"))))
    assert "No boxes: no row is flagged" in run("rules", "model.json", "--data", data).out
    assert run("rules", "model.json", "--format", "csv").out == "box,rule\n"
    assert json.loads(run("rules", "model.json", "--json").out)["boxes"] == []


def test_weights(run, model):
    Path("new.csv").write_text("amount,hour,fraud,n\n300,3,no,1\n300,3,yes,3\n1,1,yes,4\n")
    assert run("rules", model, "--data", "new.csv", "--weight", "n").out.splitlines()[-3].split()[:5] == [
        *("1", "4", "3", "1", "75%")
    ]


def test_labels_are_found_by_their_text(run):
    boxes = small_model().boxes
    boxes.to_json("boxes.json")
    Path("new.csv").write_text("amount,hour,bad\n300,3,1.0\n1,1,0.0\n")
    assert run("rules", "boxes.json", "--data", "new.csv", "--target", "bad").out.splitlines()[-1].split()[2] == "1"


def test_to_a_file(run, model, fails):
    assert run("rules", model, "--format", "markdown", "-o", "rules.md") == (0, "", "")
    assert Path("rules.md").read_text(encoding="utf-8") == run("rules", model, "--format", "markdown").out
    fails("rules", model, "-o", "rules.md", words="rules.md exists")
    fails("rules", model, "-o", model, "--force", words="one of the files that are read")


def test_one_clear_error(fails, model, data):
    small_model().boxes.to_json("boxes.json")
    fails("rules", "boxes.json", "--data", data, code=2, words="--target COLUMN")
    fails("rules", model, "--target", "fraud", code=2, words="--data, which is not given")
    fails("rules", model, "--json", "--format", "csv", code=2, words="contradict")
    fails("rules", "-", "--data", "-", code=2, words="cannot both come from standard input")
    fails("rules", model, "--data", data, "--target", "frod", words='did you mean "fraud"?')
    fails("rules", model, "--data", data, "--weight", "wait", words='has no column "wait"')
    Path("new.csv").write_text("amount,hour,fraud\n300,3,maybe\n")
    fails("rules", model, "--data", "new.csv", words="labels that the model does not know: maybe; it knows no, yes")
    Path("new.csv").write_text("amount,hour,fraud\n300,3,\n300,3,yes\n")
    fails("rules", model, "--data", "new.csv", words="fill them in, or add --skip-unlabelled")


def test_rows_without_a_label_can_be_left_out(run, model):
    Path("new.csv").write_text("amount,hour,fraud\n300,3,\n300,3,yes\n")
    out = run("rules", model, "--data", "new.csv", "--skip-unlabelled").out
    assert out.splitlines()[-1].split()[:3] == ["any", "1", "1"]
