"""The command that writes a page."""

import hashlib
import json
import sys
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from boxdraw import BoxSet, FastBoxesClassifier, SparseBoxesClassifier
from boxdraw.cli.options import load_model
from boxdraw.cli.relearn import _settings
from boxdraw.model.file import Edit, model_to_json
from boxdraw.report import closed_form

from .conftest import small_table

UNKNOWN = "The model file has no settings of Fast Boxes, whose boxes alone follow the cost of a false alarm."
FAST = ("--method", "fast")


def held(path="report.html"):
    return json.loads(Path(path).read_text("utf-8").split('id="boxdraw-data">')[1].split("</script>")[0])


@pytest.fixture
def form(monkeypatch):
    """Make a closed form that is easy to recognise."""
    monkeypatch.setattr(closed_form, "closed_form", lambda fitted: {"negative_weight": fitted.negative_weight_})


@pytest.fixture
def fitted(run, data):
    """Learn boxes from the table; return the name of the model."""
    assert run("fit", data, "--target", "fraud", *FAST, "--max-boxes", 2, "--quiet").code == 0
    return "model.json"


def new_rows(n_rows=30, **columns):
    table = small_table(n_rows, seed=1)
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    pyarrow.csv.write_csv(table, "new.csv")
    return "new.csv"


def test_a_page(run, model, data):
    result = run("report", model, data, "--test", new_rows(), "--title", "Night <fraud>")
    assert (result.code, result.out) == (0, "")
    assert result.err.splitlines() == [
        f"boxdraw: note: the page has no slider for the cost. {UNKNOWN}",
        "boxdraw: note: written to report.html; it holds the rows, so give it only to people who may see them",
    ]
    page = held()
    assert (page["title"], page["target"], page["classes"]) == ("Night <fraud>", "fraud", ["no", "yes"])
    assert BoxSet.from_json(json.dumps(page["boxes"])) == load_model(model).boxes
    assert [feature["name"] for feature in page["features"]] == ["amount", "hour"]
    assert (page["data"]["train"]["n"], page["data"]["test"]["n"]) == (120, 30)
    fraud = np.asarray(small_table()["fraud"]) == "yes"
    assert page["data"]["train"]["total"] == {"rows": 120, "positives": fraud.sum()}
    assert page["false_alarm_cost"] == pytest.approx(fraud.sum() / (~fraud).sum())
    assert page["data"]["train"]["ids"] is None


def test_boxes_learned_again_from_their_rows_follow_the_cost(run, fitted, data, form):
    result = run("report", fitted, data, "--test", new_rows(), "--json")
    page, model = held(), load_model(fitted)
    assert json.loads(result.out) == {
        "report": "report.html",
        "train": {"shown": 120, **page["data"]["train"]["total"]},
        "test": {"shown": 30, **page["data"]["test"]["total"]},
        "slider": True,
        "slider_absent": None,
    }
    assert page["closed_form"] == {"negative_weight": model.fit["negative_weight"]}
    assert page["learner"] == "FastBoxesClassifierCV"
    assert page["data"]["train"]["critical"] is not None
    assert page["data"]["test"]["critical"] is not None


def test_a_parquet_file_with_weights(run, form):
    table = small_table().append_column("n", pa.array(np.arange(120) % 3))
    pa.parquet.write_table(table, "data.parquet")
    assert (
        run("fit", "data.parquet", "--target", "fraud", "--weight", "n", *FAST, "--max-boxes", 1, "--quiet").code == 0
    )
    assert run("report", "model.json", "data.parquet", "--quiet").err == ""
    page = held()
    assert page["closed_form"] is not None
    assert page["data"]["train"]["weight"]["type"] == "u1"  # as in training
    assert run("report", "model.json", "data.parquet", "--test", new_rows(), "--force").code == 0
    assert held()["data"]["train"]["weight"] is None  # the other table has none
    assert held()["closed_form_absent"].startswith("The slider needs the weights that the boxes were learned with")
    other = new_rows(n=np.ones(30), m=np.ones(30))
    assert run("report", "model.json", other, "--weight", "m", "--force").code == 0
    assert held()["data"]["train"]["weight"]["type"] == "u1"


def absent(run, model, data):
    assert run("report", model, data, "--force", "--quiet").code == 0
    page = held()
    assert page["closed_form"] is None
    assert page["data"]["train"]["critical"] is None
    return page["closed_form_absent"]


def test_limits_that_were_not_rounded(run, fitted, data, form):
    """Files of version 0.1 have such limits."""
    model, rows = load_model(fitted), pd.read_csv(data)
    exact = FastBoxesClassifier(pos_label=True, round_limits=False, **_settings(model)).fit(
        rows[list(model.boxes.feature_names)], rows["fraud"] == "yes"
    )
    assert exact.boxes_ != model.boxes
    Path(fitted).write_text(model_to_json(replace(model, drawing=exact.boxes_)), encoding="utf-8")
    assert run("report", fitted, data, "--force", "--quiet").code == 0
    assert held()["closed_form"] is not None


def test_why_boxes_do_not_follow_the_cost(run, fitted, data, form):
    model = load_model(fitted)

    def save(changed):
        Path(fitted).write_text(model_to_json(changed), encoding="utf-8")

    assert absent(run, fitted, new_rows()).startswith(
        f"The slider needs the rows that the boxes were learned from, 120 with {model.fit['positives']} positive ones, "
        "but new.csv has 30 with "
    )
    save(replace(model, edits=(Edit("2026-11-16", "The same rules"),)))
    assert run("report", fitted, data, "--force", "--quiet").code == 0
    assert held()["closed_form"] is not None
    assert held()["digest"] == hashlib.sha256(Path(fitted).read_bytes()).hexdigest()[:16]
    assert held()["edits"] == [{"time": "2026-11-16", "what": "The same rules", "reason": ""}]
    save(replace(model, drawing=model.boxes.replace(0, "amount", lower=7.5)))
    assert absent(run, fitted, data) == (
        "Learned again from data.csv, the boxes differ from those of the model: if these come from other rows, "
        "give those rows as DATA, and other rows as --test."
    )
    moved = model.boxes.replace(0, "amount", lower=7.5)
    save(replace(model, drawing=moved, edits=(Edit("2026-11-16", "Box 1 moved"),)))
    assert absent(run, fitted, data).startswith("The boxes were edited after they were learned")
    save(replace(model, fit=model.fit | {"method": "exact"}))
    assert absent(run, fitted, data).endswith("these come from --method exact.")
    for broken in ({"settings": 5}, {"settings": {}}, {"parameters": {}}):
        save(replace(model, fit=model.fit | broken))
        assert absent(run, fitted, data) == UNKNOWN
    save(replace(model, fit=model.fit | {"settings": model.fit["settings"] | {"n_boxes": "many"}}))
    assert absent(run, fitted, data).startswith("Learned again from data.csv, the boxes differ")
    save(replace(model, fit={}))
    assert absent(run, fitted, data) == UNKNOWN


def test_a_model_without_a_search_is_learned_again_too(run, form):
    """With one positive row there are no folds to choose by."""
    rows = "".join(f"{i},{'yes' if i == 7 else 'no'}\n" for i in range(20))
    Path("one.csv").write_text("a,fraud\n" + rows)
    assert run("fit", "one.csv", "--target", "fraud", *FAST, "--quiet").code == 0
    assert run("report", "model.json", "one.csv", "--quiet").code == 0
    assert held()["closed_form"] is not None


def test_a_scorecard(run, data):
    assert run("fit", data, "--target", "fraud", "--method", "scored", "--max-limits", 1, "--quiet").code == 0
    assert run("report", "model.json", data).code == 0
    card, page = load_model("model.json").scorecard, held()
    assert page["scorecard"] == {"threshold": card.threshold, "points": list(card.points)}
    assert len(page["boxes"]["boxes"]) == len(card.points)
    assert page["closed_form_absent"].endswith("these come from --method scored.")


def test_sparse_boxes(run, data):
    assert run("fit", data, "--target", "fraud", "--quiet").code == 0
    assert run("report", "model.json", data).code == 0
    model, page = load_model("model.json"), held()
    assert page["learner"] == "SparseBoxesClassifier"
    assert page["fit"] == model.fit
    assert page["false_alarm_cost"] == model.fit["false_alarm_cost"]  # as the fit chose it
    assert page["closed_form_absent"] is None
    assert len(page["choices"]["path"]) == len(model.choices.path) > 1
    assert len(page["choices"]["frontier"]) == len(model.choices.frontier) > 0
    assert BoxSet.from_json(json.dumps(page["boxes"])) == model.boxes


def test_sparse_boxes_from_python(run, data):
    table = small_table()
    learned = SparseBoxesClassifier().fit(table.select(["amount", "hour"]), np.asarray(table["fraud"]))
    learned.save("model.json", target="fraud")
    assert run("report", "model.json", data).code == 0
    assert held()["false_alarm_cost"] == learned.false_alarm_cost_
    assert held()["learner"] == "SparseBoxesClassifier"
    assert len(held()["choices"]["path"]) == len(learned.path_)


def test_what_rows_are_and_how_many_days_they_cover(run, fitted, data):
    assert run("report", fitted, data, "--quiet").code == 0
    assert not {"noun", "days"} & set(held())
    assert run("report", fitted, data, "--noun", "payments", "--days", 14.5, "--force", "--quiet").code == 0
    assert (held()["noun"], held()["days"]) == ("payments", 14.5)


def test_costs(run, fitted, data):
    run("report", fitted, data, "--false-alarm-cost", 3)
    assert held()["false_alarm_cost"] == 3
    assert run("fit", data, "--target", "fraud", "--max-boxes", 1, "--false-alarm-cost", 0.4, "--force").code == 0
    run("report", "model.json", data, "--force")
    assert held()["false_alarm_cost"] == 0.4


def test_samples_and_names_of_rows(run, model):
    other = new_rows(account=[f"a{i}" for i in range(30)])
    result = run("report", model, other, "--id", "account", "--max-rows", 10)
    assert "boxdraw: note: the page has a sample of 10 of 30 rows of new.csv" in result.err
    ids = held()["data"]["train"]["ids"]
    assert len(ids) == 10
    assert set(ids) <= {f"a{i}" for i in range(30)}


def test_another_target_and_rows_without_a_label(run, model):
    table = small_table(12).rename_columns(["amount", "hour", "was fraud"])
    labels = pa.array([None, *table["was fraud"].to_pylist()[1:]])
    pyarrow.csv.write_csv(table.set_column(2, "was fraud", labels), "other.csv")
    assert run("report", model, "other.csv", "--target", "was fraud", "--skip-unlabelled").code == 0
    assert held()["target"] == "was fraud"
    assert held()["data"]["train"]["n"] == 11


def test_standard_input_and_output(run, model, data, monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(Path(data).read_bytes())))
    result = run("report", model, "-", "-o", "-", "--quiet")
    assert result.out.startswith("<!doctype html>")


def test_refused(fails, model, data):
    Path("report.html").write_text("before")
    fails("report", model, data, words="report.html exists; add --force")
    fails("report", model, data, "-o", "folder/x.html", words="the folder")
    fails("report", model, data, "-o", data, "--force", words="is one of the files that are read")
    fails("report", model, data, "--test", "absent.csv", "--force", words="absent.csv")
    fails("report", model, data, "--id", "account", "--force", words="account")
    fails("report", model, data, "--weight", "fraud", "--force", words="The weights in column 'fraud' must be numbers")
    fails("report", model, data, "--target", "hour", "--force", words="labels that the model does not know")
    fails("report", model, data, "--max-rows", 1, code=2, words="--max-rows must be at least 2")
    fails("report", model, data, "--test", "-", code=2, words="--test cannot come from standard input")
    fails("report", "-", "-", code=2, words="cannot both come from standard input")
    fails("report", model, data, "-o", "-", "--json", code=2, words="cannot share standard output")
    Path("empty.csv").write_text("amount,hour,fraud\n")
    fails("report", model, data, "--test", "empty.csv", "--force", words="no rows")
    assert Path("report.html").read_text() == "before"
    load_model(model).boxes.to_json("boxes.json")
    fails("report", "boxes.json", data, "--force", code=2, words="--target COLUMN")
