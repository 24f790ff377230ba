"""Directions, columns that are in no rule or not in one with others, and what a box must hold."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

from boxdraw.cli.options import load_model

from .conftest import small_table

METHODS = ["sparse", "scored", "exact"]


def model_of(run, data, *options):
    result = run("fit", data, "--target", "fraud", "--max-boxes", 2, *options, "--force", "--quiet")
    assert result.code == 0, result
    model = load_model("model.json")
    return model.boxes if model.scorecard is None else model.scorecard.boxes


@pytest.mark.parametrize("method", METHODS)
def test_boxes_keep_to_the_options(run, data, method):
    asked = ("--method", method, "--monotone", "amount=+", "--monotone", "hour=-")
    assert model_of(run, data, *asked).check(monotonic_cst={"amount": 1, "hour": -1}) == []
    boxes = model_of(run, data, "--method", method, "--never", "hour")
    assert boxes.check(allowed_values={"hour": []}) == []
    assert boxes.limited[:, boxes.feature_names.index("amount")].any()
    boxes = model_of(run, data, "--method", method, "--not-together", "amount,hour")
    assert boxes.check(interaction_cst="no_interactions") == []
    table = small_table()
    rows = {"X": table, "y": table["fraud"].to_pylist(), "pos_label": "yes"}
    asked = {"min_box_rows": 10, "min_box_precision": 0.3}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    assert model_of(run, data, "--method", method, *options).check(**asked, **rows) == []


@pytest.mark.parametrize("method", METHODS)
def test_boxes_can_be_asked_to_hold_no_false_alarm(run, method):
    table = small_table(300)
    pa.csv.write_csv(table, "data.csv")
    boxes = model_of(run, "data.csv", "--method", method, "--min-box-precision", "100%")
    assert len(boxes)
    assert boxes.check(min_box_precision=1, X=table, y=table["fraud"].to_pylist(), pos_label="yes") == []


def test_the_file_has_the_constraints(run, data):
    model_of(run, data, "--monotone", "amount=+,hour=-", "--never", "hour", "--min-box-rows", 5)
    parameters = json.loads(Path("model.json").read_text(encoding="utf-8"))["fit"]["parameters"]
    assert parameters["monotone"] == {"amount": 1, "hour": -1}
    assert (parameters["never"], parameters["min_box_rows"]) == (["hour"], 5)
    assert "not_together" not in parameters


def test_names_with_commas_are_given_alone(run):
    table = small_table().rename_columns(["a,b" if name == "amount" else name for name in small_table().column_names])
    pa.csv.write_csv(table, "data.csv")
    boxes = model_of(run, "data.csv", "--monotone", "a,b=+", "--never", "hour")
    assert boxes.check(monotonic_cst={"a,b": 1}, allowed_values={"hour": []}) == []


def test_what_is_wrong_is_named(fails, data):
    fit = ("fit", data, "--target", "fraud")
    fails(*fit, "--monotone", "amount", code=2, words="--monotone takes columns with = and + or -, as in amount=+")
    fails(*fit, "--monotone", "amont=+", words="amont")
    fails(*fit, "--never", "amont", words="amont")
    fails(*fit, "--min-box-precision", 50, code=2, words="expected a share up to 1 such as 0.5 or 50%, got '50'")
    words = "--monotone goes with --method sparse or scored or exact; fast has none"
    fails(*fit, "--method", "fast", "--monotone", "amount=+", code=2, words=words)


def test_evaluate_keeps_to_them(run, data):
    models = ("--models", "sparse,scored,exact", "--folds", 2, "--json")
    result = run("evaluate", data, "--target", "fraud", *models, "--never", "amount,hour")
    assert result.code == 0
    figures = json.loads(result.out)["models"]
    assert all(figures[name]["limits"] == 0 for name in METHODS)
