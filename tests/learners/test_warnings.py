"""Warnings point at the user's call, however deep in the package they are raised."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners.fast import fast_boxes

LEARNERS = [
    FastBoxesClassifier(n_boxes=1),
    FastBoxesClassifierCV(n_boxes=1, expansion=0, feature_range=(-1, 1), growth="edge", cv=2),
    ScoredBoxesClassifier(max_limits=1, lam=4),
    SparseBoxesClassifier(cv=2),
    ExactBoxesClassifier(max_boxes=1, time_limit=60),
]


def frame(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": np.arange(n, dtype=float), "c": rng.choice(["x", "y"], n)})
    return X, (X["a"] > 45).to_numpy()


def places(call, text):
    """Return the files that the warnings of a call point at, of those that begin with a text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return {warning.filename for warning in caught if str(warning.message).startswith(text)}


@pytest.mark.parametrize("model", LEARNERS, ids=lambda model: type(model).__name__)
def test_warnings_of_fit_and_predict_point_at_the_caller(model):
    X, y = frame()
    named = X.assign(c=[f"row {i}" for i in range(len(X))])
    assert places(lambda: model.fit(named, y), "X seems to hold an identifier") == {__file__}
    X = X.assign(a=np.random.default_rng(1).random(60), c=np.repeat(["x", "y"], [20, 40]))
    model.fit(X, X["c"] == "x")  # new categories matter only where a box limits them
    other = X.assign(c="z")
    for method in (model.predict, model.transform, model.decision_function):
        assert places(lambda method=method: method(other), "Categories that were not seen") == {__file__}


def test_warnings_of_given_boxes_point_at_the_caller():
    boxes = BoxSet([[-np.inf]], [[np.inf]], feature_names=["c"], categories={"c": ["x", "y"]}, allowed={"c": [["x"]]})
    model = BoxSetClassifier(boxes)
    for call in (model.predict, model.fit(pd.DataFrame({"c": ["x", "y"]}), [0, 1]).transform):
        assert places(lambda call=call: call(pd.DataFrame({"c": ["z"]})), "Categories that were not seen") == {__file__}


@pytest.mark.parametrize("model", LEARNERS[:2], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("large", [False, True])
def test_warnings_of_fit_table_point_at_the_caller(model, large, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    stored = pytest.importorskip("boxdraw.tables.stored")
    if large:
        monkeypatch.setattr(stored, "LARGE", 0)
        monkeypatch.setattr(fast_boxes, "LARGE", 0)
    X, y = frame()
    table = pa.table({"a": X["a"], "c": [f"row {i}" for i in range(len(X))], "y": y})
    assert places(lambda: model.fit_table(table, target="y"), "X seems to hold an identifier") == {__file__}


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_warnings_of_the_learners_themselves_point_at_the_caller(n_jobs):
    X, y = np.arange(8.0)[:, None], np.arange(8) == 3
    fast = FastBoxesClassifier(n_boxes=3, n_jobs=n_jobs)
    assert places(lambda: fast.fit(X, y), "Boxes: 1 instead of 3") == {__file__}
    assert places(lambda: FastBoxesClassifierCV(n_jobs=n_jobs).fit(X, y), "Rows of the smaller class") == {__file__}
    assert places(lambda: ScoredBoxesClassifier(cv=None).fit(X, y), "Rows of the smaller class") == {__file__}
    sparse = SparseBoxesClassifier(n_jobs=n_jobs)
    assert places(lambda: sparse.fit(X, y), "Distinct rows of the smaller class") == {__file__}
    assert places(lambda: sparse.fit(X, y), "Rows of the smaller class") == {__file__}
    costly = ExactBoxesClassifier(box_cost=100.0, max_boxes=1)
    assert places(lambda: costly.fit(X, y), "No box was found") == {__file__}


def test_warnings_below_scikit_learn_point_at_the_caller():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 4 == 3
    pipe = make_pipeline(FastBoxesClassifier(n_boxes=5))
    assert places(lambda: pipe.fit(X, y), "Boxes: 3 instead of 5") == {__file__}
    grid = GridSearchCV(FastBoxesClassifier(), {"n_boxes": [9]}, cv=2, refit=True)
    assert __file__ in places(lambda: grid.fit(X, y), "Boxes: ")


@pytest.mark.parametrize("model", [*LEARNERS, BoxSetClassifier()], ids=lambda model: type(model).__name__)
def test_a_fit_that_fails_leaves_the_model_as_it_was(model):
    X, y = frame()
    before = model.fit(X, y).predict(X).tolist()
    other = pd.DataFrame({"row": np.arange(120), "text": [f"t{i}" for i in range(120)], "x": 1.0})
    # Each fails once it has read the table: at a warning, or at a third class.
    labels = np.arange(120) % 3 if isinstance(model, BoxSetClassifier) else np.arange(120) > 80
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((UserWarning, ValueError), match=r"identifier|classes"):
            model.fit(other, labels)
    assert model.predict(X).tolist() == before
