"""What must not change a rule, and what must change it in a known way."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from .tables import corner, fit, payments, rules_of

KINDS = ("continuous", "integers", "flags", "duplicates", "missing")
FEW = settings(max_examples=25, deadline=None)
FOLDS = settings(max_examples=6, deadline=None)  # fits with inner folds take ten times as long


@st.composite
def problems(draw, kinds=KINDS, weights=("none", "whole", "any"), cv=(None,)):
    """Parameters, X, y, weights and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind, shape = draw(st.sampled_from(kinds)), (draw(st.integers(8, 50)), draw(st.integers(1, 4)))
    X = rng.normal(size=shape)
    if kind == "integers":
        X = np.round(2 * X)
    if kind == "flags":
        X = (X > 0).astype(float)
    if kind == "duplicates":
        X = X[rng.integers(0, max(3, shape[0] // 3), shape[0])]
    if kind == "missing":
        X[rng.random(shape) < 0.2] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.normal(scale=0.7, size=shape[0]) > 0.5).astype(int)
    y[:4] = 0, 1, 0, 1
    parameters = {
        "max_boxes": draw(st.sampled_from(["auto", 1, 2])),
        "limit_cost": draw(st.sampled_from(["auto", 0.2])),
        "max_limits": draw(st.sampled_from([None, 1, 3])),
        "false_alarm_cost": draw(st.sampled_from([None, "balanced", 0.3, 2.0])),
        "cv": draw(st.sampled_from(cv)),
        "pos_label": 1,
    }
    weight = {"none": None, "whole": rng.integers(1, 5, shape[0]).astype(float), "any": rng.exponential(size=shape[0])}
    return parameters, X, y, weight[draw(st.sampled_from(weights))], rng


def take(weight, rows):
    return None if weight is None else weight[rows]


def rows_like(X, rng):
    known = np.nan_to_num(X)
    return np.concatenate([X, known + rng.normal(scale=0.3, size=X.shape), rng.normal(scale=3, size=(20, X.shape[1]))])


def assert_identical(first, second, X):
    assert first.boxes_ == second.boxes_
    assert first.path_ == second.path_
    assert [point.boxes for point in first.frontier_] == [point.boxes for point in second.frontier_]
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


def check_order_of_rows(problem):
    parameters, X, y, weight, rng = problem
    order = rng.permutation(len(X))
    first, second = fit(X, y, weight, **parameters), fit(X[order], y[order], take(weight, order), **parameters)
    assert_identical(first, second, rows_like(X, rng))


def check_order_of_columns(problem):
    parameters, X, y, weight, rng = problem
    X = pd.DataFrame(X, columns=list("abcd")[: X.shape[1]])
    other = X[rng.permutation(X.columns)]
    first, second = fit(X, y, weight, **parameters), fit(other, y, weight, **parameters)
    if not X.rank(method="dense").T.duplicated().any():  # of two columns in the same order, either
        np.testing.assert_allclose(first.decision_function(X), second.decision_function(other), rtol=1e-9)
        assert rules_of(first.boxes_) == rules_of(second.boxes_)
        assert [rules_of(boxes) for _, boxes in first.path_] == [rules_of(boxes) for _, boxes in second.path_]
    np.testing.assert_array_equal(first.predict(X), second.predict(other))


def check_weight_is_repetition(problem):
    parameters, X, y, weight, rng = problem
    count = weight.astype(int)
    first = fit(X, y, weight, **parameters)
    second = fit(np.repeat(X, count, axis=0), np.repeat(y, count), **parameters)
    assert_identical(first, second, rows_like(X, rng))


def check_rows_without_weight(problem):
    parameters, X, y, weight, rng = problem
    ghosts = rng.permutation(len(X))[:5]
    more = np.concatenate([X, rng.normal(scale=9, size=(5, X.shape[1]))])
    weight = np.ones(len(X)) if weight is None else weight
    order = rng.permutation(len(more))
    labels, weights = np.concatenate([y, y[ghosts]])[order], np.concatenate([weight, np.zeros(5)])[order]
    first, second = fit(X, y, weight, **parameters), fit(more[order], labels, weights, **parameters)
    assert_identical(first, second, rows_like(X, rng))


@FEW
@given(problems())
def test_order_of_rows(problem):
    check_order_of_rows(problem)


@FEW
@given(problems())
def test_order_of_columns(problem):
    check_order_of_columns(problem)


@FEW
@given(problems(weights=("whole",)))
def test_a_weight_is_so_many_rows(problem):
    check_weight_is_repetition(problem)


@FEW
@given(problems())
def test_rows_of_no_weight_are_not_there(problem):
    check_rows_without_weight(problem)


@pytest.mark.parametrize(
    ("check", "weights"),
    [
        (check_order_of_rows, ("none", "any")),
        (check_order_of_columns, ("none", "any")),
        (check_weight_is_repetition, ("whole",)),
        (check_rows_without_weight, ("none", "any")),
    ],
)
def test_the_same_with_inner_folds(check, weights):
    @FOLDS
    @given(problems(weights=weights, cv=(2, 3)))
    def test(problem):
        check(problem)

    test()


@FEW
@given(problems(kinds=("continuous", "missing")), st.sampled_from([0.25, 3.7, 1e6, 2.0**-300]))
def test_units(problem, factor):
    parameters, X, y, weight, rng = problem
    column = rng.integers(X.shape[1])
    scale = np.where(np.arange(X.shape[1]) == column, factor, 1.0)
    first, second = (fit(rows, y, weight, **parameters, round_limits=False) for rows in (X, X * scale))
    np.testing.assert_array_equal(first.predict(X), second.predict(X * scale))
    np.testing.assert_allclose(first.boxes_.lower * scale, second.boxes_.lower, rtol=1e-12)
    np.testing.assert_allclose(first.boxes_.upper * scale, second.boxes_.upper, rtol=1e-12)
    rounded = fit(X * scale, y, weight, **parameters)
    np.testing.assert_array_equal(rounded.predict(X * scale), first.predict(X))


@FEW
@given(problems())
def test_round_limits_flag_the_same_training_rows(problem):
    parameters, X, y, weight, _ = problem
    first, second = (fit(X, y, weight, **parameters, round_limits=rounds) for rounds in (True, False))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    assert first.boxes_.n_limits <= second.boxes_.n_limits  # "= 0" is one limit, from -0.5 to 0.5 are two


@FEW
@given(problems())
def test_one_model_many_readings(problem):
    parameters, X, y, weight, rng = problem
    rows = rows_like(X, rng)
    for positive in (0, 1):
        model = fit(X, y, weight, **(parameters | {"pos_label": positive}))
        assert model.pos_label_ == positive
        flagged = model.boxes_.contains(rows)
        np.testing.assert_array_equal(model.predict(rows) == positive, flagged)
        np.testing.assert_array_equal(model.decision_function(rows) >= 0, model.predict(rows) == 1)
        np.testing.assert_array_equal(model.transform(rows).any(axis=1), flagged)
        assert np.abs(model.decision_function(rows)).max() <= 1


@pytest.mark.parametrize("cv", [None, 3])
def test_threads(cv):
    X, y = corner()
    one, two = (fit(X, y, cv=cv, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert_identical(one, two, X)


def test_pickled_and_cloned():
    X, y = corner()
    model = fit(X, y, max_boxes=2, cv=2)
    assert_identical(pickle.loads(pickle.dumps(model)), model, X)
    again = clone(model)
    assert not hasattr(again, "boxes_")
    assert_identical(again.fit(X, y), model, X)
    short = pickle.loads(pickle.dumps(model.at(model.boxes_.n_limits)))
    assert short.boxes_ == model.boxes_


@pytest.mark.parametrize("cv", [None, 2])
def test_kinds_of_frames(cv):
    X, y = payments()
    model = fit(X, y, cv=cv)
    assert len(model.boxes_)
    for frame in (pl.from_pandas(X), pa.Table.from_pandas(X)):
        other = fit(frame, y, cv=cv)
        assert other.boxes_ == model.boxes_
        np.testing.assert_array_equal(other.predict(frame), model.predict(X))
        np.testing.assert_array_equal(other.decision_function(frame), model.decision_function(X))


def test_frames_and_arrays_of_numbers():
    X, y = corner()
    frame = pd.DataFrame(X, columns=list("abc"))
    plain, named = fit(X, y), fit(frame, y)
    np.testing.assert_array_equal(plain.boxes_.lower, named.boxes_.lower)
    np.testing.assert_array_equal(plain.decision_function(X), named.decision_function(frame))
    assert named.boxes_.feature_names == ("a", "b", "c")
    for other in (X.tolist(), np.asfortranarray(X)):
        assert fit(other, y).boxes_ == plain.boxes_


def test_a_sample_does_not_depend_on_the_order_of_rows(monkeypatch):
    monkeypatch.setattr("boxdraw.learners.sample.MOST", {True: 40, False: 60})
    X, y = corner(n_rows=900)
    order = np.random.default_rng(0).permutation(900)
    for cv in (None, 2):
        first, second = fit(X, y, cv=cv), fit(X[order], y[order], cv=cv)
        assert len(first.boxes_)
        assert_identical(first, second, X)


def test_twice_is_the_same_and_another_seed_deals_other_folds():
    X, y = corner(3)
    first, second, other = (fit(X, y, cv=3, random_state=seed) for seed in (None, None, 5))
    assert_identical(first, second, X)
    assert [p.score for p in first.frontier_] == [p.score for p in second.frontier_]
    assert [p.score for p in first.frontier_] != [p.score for p in other.frontier_]
