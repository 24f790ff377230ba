"""A few rows of a pandas frame, read at once: the answers are those of the checks that all other tables go through."""

import warnings

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet, BoxSetClassifier, FastBoxesClassifier, Scorecard, ScoredBoxesClassifier
from boxdraw.tables.few import read_few

from ..model.export.cases import random_boxes, random_rows

NAMES = ["age", "dose", "city"]


def table(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    city = rng.choice(np.array(["north", "south", None], dtype=object), n_rows)
    age = rng.integers(0, 9, n_rows).astype(float)
    return pd.DataFrame({"age": age, "dose": rng.normal(size=n_rows), "city": city})


def models(with_city):
    """Return fitted classifiers, a loaded one, and one of a card."""
    X = table(200) if with_city else table(200).drop(columns="city")
    y = (X["age"] > 5).to_numpy().astype(int)
    fast = FastBoxesClassifier(n_boxes=2).fit(X, y)
    scored = ScoredBoxesClassifier(max_limits=2, lam=1.0).fit(X, y)
    boxes = fast.boxes_
    card = BoxSetClassifier(Scorecard(boxes, range(1, len(boxes) + 1), 2))
    return [fast, scored, BoxSetClassifier(boxes), card, BoxSetClassifier(boxes).fit(X, y)]


def outcome(model, X):
    """Return the answers with all warnings, or what the error says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = [model.predict(X).tolist(), model.decision_function(X).tolist(), model.transform(X).tolist()]
            result += [model.predict_proba(X).tolist()] if "risk_table_" in vars(model) else []
        except Exception as error:
            result = [type(error), str(error)]
    return result, [str(each.message) for each in caught]


def odd_frames(X):
    """Return frames of all kinds, some of which no model takes."""
    yield X
    for dtype in (np.float32, np.int64, "Int64", "Float64", bool, complex, "category", "datetime64[ns]", object):
        yield X.assign(age=X["age"].round().astype("int64").astype(dtype))
    for value in (np.nan, np.inf, -np.inf, None, pd.NA, 2**60 + 1, 10**400, True, "text", 1 + 2j, [1], np.float32(0.1)):
        column = pd.Series([value] * len(X), dtype=object)
        yield X.assign(age=column)
        if "city" in X:
            yield X.assign(city=column)
            yield X.assign(city=pd.Categorical(["east"] * len(X)))
    yield X[X.columns[::-1]]
    yield X.rename(columns={"age": "years"})
    yield X.assign(more=1.0)
    yield X.drop(columns="age")
    yield X.set_axis(["age"] * X.shape[1], axis=1)
    yield X.iloc[:0]


@pytest.mark.parametrize("with_city", [False, True])
def test_the_answers_are_those_of_the_checks(monkeypatch, with_city):
    taken = []

    def counted(*arguments):
        found = read_few(*arguments)
        taken.append(found is not None)
        return found

    for model in models(with_city):
        for n_rows in (1,) if with_city else (3,):
            X = table(n_rows, seed=7) if with_city else table(n_rows, seed=7).drop(columns="city")
            for frame in odd_frames(X):
                for place in ("boxdraw.tables.schema", "boxdraw.learners.classifier"):
                    monkeypatch.setattr(f"{place}.read_few", counted)
                fast = outcome(model, frame)
                for place in ("boxdraw.tables.schema", "boxdraw.learners.classifier"):
                    monkeypatch.setattr(f"{place}.read_few", lambda *_: None)
                assert fast == outcome(model, frame), frame
    assert taken.count(True) > 30
    assert taken.count(False) > 30


@pytest.mark.parametrize("n_rows", [1, 2, 16])
def test_random_rows(n_rows):
    different = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        boxes = random_boxes(rng)
        many = random_rows(rng, boxes, 5000)
        inside = boxes.membership(many)
        for start in range(0, 160, n_rows):
            rows = slice(start, start + n_rows)
            np.testing.assert_array_equal(boxes.membership(many[rows]), inside[rows])
            np.testing.assert_array_equal(boxes.contains(many[rows]), inside[rows].any(axis=1))
        different += 0 < inside[:160].sum() < inside[:160].size
    assert different > 20


def test_threads_are_checked_for_few_rows_too():
    with pytest.raises(ValueError, match="n_jobs"):
        BoxSet([[1]], [[2]]).membership([[1]], n_jobs=0)
