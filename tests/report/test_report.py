"""The page of a classifier: what is in it, where it goes, and what is refused."""

import html
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.report import closed_form
from boxdraw.report.report import Report, make_report

from .test_payload import held, numbers


def table(n_rows=80, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"amount": rng.integers(1, 400, n_rows), "region": rng.choice(["n", "s", "e"], n_rows)})
    y = np.where((X["amount"] > 250) & (X["region"] == "n"), "yes", "no")
    y[:4] = ["yes", "no", "yes", "no"]
    return X, pd.Series(y, name="fraud")


MODELS = [
    FastBoxesClassifier(n_boxes=2),
    FastBoxesClassifierCV(n_boxes=(1, 2), growth="edge", expansion=0.0, feature_range=(-1, 1)),
    ScoredBoxesClassifier(cv=None, max_boxes=3),
    ScoredBoxesClassifier(cv=None, max_boxes=3, signed_points=True),
    SparseBoxesClassifier(cv=2),
    BoxSetClassifier(),
    BoxSetClassifier(
        BoxSet([[200, -np.inf]], [[np.inf, np.inf]], feature_names=["amount", "region"], categories={"region": "nse"})
    ),
]


def fitted(model):
    return model.fit(*table())


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_classifier_has_one(model):
    X, y = table()
    data = held(fitted(model).report(X, y, X_test=X[:9], y_test=y[:9]).html)
    assert data["learner"] == type(model).__name__
    assert (data["classes"], data["target"], data["title"]) == (["no", "yes"], "fraud", "Rules for fraud = yes")
    assert [feature["name"] for feature in data["features"]] == ["amount", "region"]
    assert (data["data"]["train"]["n"], data["data"]["test"]["n"]) == (80, 9)
    np.testing.assert_array_equal(numbers(data["data"]["train"]["positive"]) == 1, y == "yes")
    card = getattr(model, "scorecard_", None)
    assert (data["scorecard"] is None) == (card is None)
    assert len(data["boxes"]["boxes"]) == len(model.boxes_ if card is None else card.boxes)
    is_fast = isinstance(model, FastBoxesClassifier | FastBoxesClassifierCV)
    critical = data["data"]["test"]["critical"]
    assert (critical is not None) == is_fast
    if is_fast:
        np.testing.assert_array_equal(numbers(critical), model.critical_weight(X[:9]))
    elif isinstance(model, SparseBoxesClassifier):
        assert data["closed_form_absent"] is None  # its path is a slider, too
    else:
        assert data["closed_form_absent"].endswith(f"these come from {type(model).__name__}. Move limits instead.")


def test_the_exact_classifier_has_one_too():
    pytest.importorskip("ortools")
    X, y = table(30)
    data = held(ExactBoxesClassifier(max_boxes=1).fit(X, y).report(X, y).html)
    assert (data["learner"], data["fit"]["status"]) == ("ExactBoxesClassifier", "optimal")


def test_the_closed_form_goes_into_the_page(monkeypatch):
    X, y = table()
    model = fitted(FastBoxesClassifier())
    monkeypatch.setattr(closed_form, "closed_form", lambda estimator: {"negative_weight": estimator.negative_weight_})
    data = held(model.report(X, y).html)
    assert data["closed_form"] == {"negative_weight": model.negative_weight_}
    assert data["closed_form_absent"] is None

    def refuse(estimator):
        raise closed_form.NoClosedForm("The table is gone.")

    monkeypatch.setattr(closed_form, "closed_form", refuse)
    data = held(model.report(X, y).html)
    assert (data["closed_form"], data["closed_form_absent"]) == (None, "The table is gone.")


@pytest.mark.parametrize("model", [FastBoxesClassifier(), ScoredBoxesClassifier(cv=None)], ids=str)
def test_stability_goes_into_the_page(model):
    X, y = table()
    stability = fitted(model).stability(X, y, n=3)
    assert held(model.report(X, y, stability=stability).html)["stability"] == str(stability).splitlines()
    assert held(model.report(X, y).html)["stability"] is None


def test_stability_must_be_that_of_the_model():
    X, y = table()
    other, model = fitted(ScoredBoxesClassifier(cv=None, max_boxes=1)), fitted(FastBoxesClassifier())
    with pytest.raises(ValueError, match="about other boxes"):
        model.report(X, y, stability=other.stability(X, y, n=1))
    with pytest.raises(TypeError, match=r"must be what model\.stability\(X, y\) returns; got 50"):
        model.report(X, y, stability=50)


def cost(model, **options):
    X, y = table()
    return held(fitted(model).report(X, y, **options).html)["false_alarm_cost"]


def test_the_cost_is_that_of_the_model():
    y = table()[1]
    balance = (y == "yes").sum() / (y == "no").sum()
    assert cost(FastBoxesClassifier()) == pytest.approx(balance)
    assert cost(FastBoxesClassifier(negative_weight=0.3)) == 0.3
    assert cost(ScoredBoxesClassifier(cv=None)) == pytest.approx(balance)
    assert cost(ScoredBoxesClassifier(cv=None, false_alarm_cost=0.7)) == 0.7
    assert cost(SparseBoxesClassifier(cv=None)) == pytest.approx(balance)
    assert cost(SparseBoxesClassifier(cv=None, false_alarm_cost=0.7)) == pytest.approx(0.7)
    assert cost(BoxSetClassifier()) == pytest.approx(balance)
    weight = np.where(y == "yes", 2.0, 1.0)
    assert cost(BoxSetClassifier(), sample_weight=weight) == pytest.approx(2 * balance)
    assert cost(FastBoxesClassifier(), false_alarm_cost=5) == 5
    grid = {"n_boxes": 1, "growth": "edge", "expansion": 0.0, "feature_range": (-1, 1)}
    chosen = FastBoxesClassifierCV(**grid)
    assert cost(chosen) == pytest.approx(balance)  # negative_weight_ suits it, but is another number
    assert cost(FastBoxesClassifierCV(**grid, false_alarm_cost=0.02)) == 0.02


def test_tables_of_all_kinds_give_the_same_rows():
    X, y = table()
    model = fitted(FastBoxesClassifier())
    wanted = held(model.report(X, y).html)["data"]
    for same in (X[["region", "amount"]], pl.DataFrame(X.to_dict("list")), pl.DataFrame(X.to_dict("list")).to_arrow()):
        assert held(model.report(same, y).html)["data"] == wanted
    assert held(model.report(X, y.to_list()).html)["target"] == "fraud"  # as the fit knew it


def test_the_index_names_the_rows():
    X, y = table(4)
    model = fitted(BoxSetClassifier())
    for index, ids in (
        (range(4), None),
        ([0, 1, 2, 3], None),
        ([3, 2, 1, 0], list("3210")),
        (list("abcd"), list("abcd")),
        (pd.MultiIndex.from_product([["a", "b"], ["x", "y"]]), [f"('{one}', '{two}')" for one in "ab" for two in "xy"]),
        (pd.period_range("2026-01", periods=4, freq="M"), ["2026-01", "2026-02", "2026-03", "2026-04"]),
        (pd.interval_range(0, 4), ["(0, 1]", "(1, 2]", "(2, 3]", "(3, 4]"]),
    ):
        assert held(model.report(X.set_axis(index), y).html)["data"]["train"]["ids"] == ids
    assert held(model.report(X, y, max_rows=2).html)["data"]["train"]["ids"] is not None


def test_weights_and_samples():
    X, y = table()
    weight = np.arange(80.0)
    rows = held(fitted(BoxSetClassifier()).report(X, y, sample_weight=weight, X_test=X, y_test=y, max_rows=20).html)[
        "data"
    ]
    assert (rows["train"]["n"], rows["train"]["total"]["rows"]) == (20, 80)
    assert numbers(rows["train"]["weight"]).sum() == pytest.approx(weight.sum())
    assert numbers(rows["test"]["weight"]).sum() == pytest.approx(80)
    rows = held(fitted(BoxSetClassifier()).report(X, y, X_test=X, y_test=y, sample_weight_test=weight).html)["data"]
    assert rows["train"]["weight"] is None
    assert numbers(rows["test"]["weight"]).tolist() == weight.tolist()


def test_saving(tmp_path, monkeypatch):
    X, y = table()
    monkeypatch.chdir(tmp_path)
    report = fitted(BoxSetClassifier()).report(X, y, "report.html", title="<b>")
    assert (tmp_path / "report.html").read_text("utf-8") == report.html + "\n"
    assert repr(report) == "Report '<b>', saved in 'report.html'"
    assert report._repr_html_() == "<p>Report “&lt;b&gt;”, saved in <code>report.html</code></p>"
    again = report.save(tmp_path / "copy.html")
    assert (again.path, again.html, report.path.name) == (tmp_path / "copy.html", report.html, "report.html")
    report.save("report.html")  # replaces what is there
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.html", "report.html"]


def test_inline():
    report = fitted(BoxSetClassifier()).report(*table(), title='"quoted"')
    assert report.path is None
    assert repr(report) == "Report '\"quoted\"', not saved: save(path) writes the page"
    frame = re.fullmatch(
        r'<iframe title="([^"]*)" sandbox="([^"]*)"[^>]* srcdoc="([^"]*)"></iframe>', report._repr_html_()
    )
    assert html.unescape(frame[1]) == '"quoted"'
    assert frame[2] == "allow-scripts allow-downloads"
    assert html.unescape(frame[3]) == report.html


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y": ["yes"]}, ValueError, "y has 1 labels, but X has 80 rows"),
        ({"y": ["maybe"] * 80}, ValueError, r"labels \['maybe'\] that the model does not know; it knows"),
        ({"y": ["yes"] * 79 + [None]}, ValueError, r"labels \[None\] that the model does not know"),
        ({"X": table()[0][["amount"]]}, ValueError, "region"),
        ({"X_test": table()[0]}, ValueError, "X_test is given without y_test: give both, or neither"),
        ({"y_test": table()[1]}, ValueError, "y_test is given without X_test: give both, or neither"),
        ({"X_test": table()[0], "y_test": ["no"]}, ValueError, "X_test, y_test: y has 1 labels, but X has 80 rows"),
        ({"X_test": table()[0][:0], "y_test": []}, ValueError, "X_test has no rows"),
        ({"X": table()[0][:0], "y": []}, ValueError, "X has no rows"),
        ({"sample_weight": [1.0]}, ValueError, r"sample_weight has shape \(1,\); expected \(80,\)"),
        ({"sample_weight": np.full(80, -1.0)}, ValueError, "sample_weight must be finite and not negative"),
        ({"sample_weight": np.full(80, np.nan)}, ValueError, "sample_weight must be finite and not negative"),
        ({"sample_weight_test": np.ones(80)}, ValueError, "sample_weight_test is given without X_test and y_test"),
        ({"false_alarm_cost": 0}, ValueError, "false_alarm_cost must be a positive number; got 0"),
        ({"false_alarm_cost": np.nan}, ValueError, "false_alarm_cost must be a positive number"),
        ({"max_rows": 1}, ValueError, "max_rows == 1, must be >= 2"),
        ({"max_rows": 2.5}, TypeError, "max_rows must be an instance of int"),
        ({"counts_only": "no"}, TypeError, "counts_only must be True or False; got 'no'"),
        ({"title": 5}, TypeError, "title must be a string; got 5"),
        ({"noun": 5}, TypeError, "noun must be a string; got 5"),
        ({"days": 0}, ValueError, "days must be a positive number; got 0"),
    ],
)
def test_refused(tmp_path, change, error, message):
    X, y = table()
    place = tmp_path / "report.html"
    place.write_text("before")
    with pytest.raises(error, match=message):
        fitted(BoxSetClassifier()).report(**({"X": X, "y": y, "path": place} | change))
    assert place.read_text() == "before"


def test_places_that_cannot_be_written(tmp_path):
    model = fitted(BoxSetClassifier())
    with pytest.raises(IsADirectoryError, match="is a folder: give the path of a file"):
        model.report(*table(), tmp_path)
    with pytest.raises(FileNotFoundError, match=r"the folder '.*absent' does not exist"):
        model.report(*table(), tmp_path / "absent" / "report.html")
    with pytest.raises(IsADirectoryError):
        Report("", "t").save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_not_fitted():
    with pytest.raises(NotFittedError):
        FastBoxesClassifier().report(*table())


def test_no_boxes():
    boxes = BoxSet.from_rules([], ["amount", "region"], {"region": "nse"})
    data = held(make_report(BoxSetClassifier(boxes, classes=("no", "yes")), *table()).html)
    assert data["boxes"]["boxes"] == []
