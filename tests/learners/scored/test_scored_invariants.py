"""What must not change a scorecard, and what must change it in a known way."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from boxdraw import ScoredBoxesClassifier

from ..fast.test_invariants import with_ghosts
from . import reference as ref

KINDS = ("continuous", "integers", "duplicates", "missing")
FEW = settings(max_examples=25, deadline=None)


@st.composite
def problems(draw, kinds=KINDS, weights=("none", "whole", "any"), cv=(None,)):
    """Parameters, X, y, weights and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(kinds))
    n_rows, n_columns = draw(st.integers(6, 40)), draw(st.integers(1, 4))
    X = rng.normal(size=(n_rows, n_columns))
    if kind == "integers":
        X = np.round(2 * X)
    if kind == "duplicates":
        X = X[rng.integers(0, max(3, n_rows // 3), n_rows)]
    if kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.normal(scale=0.7, size=n_rows) > 0.5).astype(int)
    y[:4] = 0, 1, 0, 1
    signed = draw(st.sampled_from([False, True, "auto"]))
    parameters = {
        "max_boxes": draw(st.sampled_from([*range(1, 7), "auto"])),
        "max_limits": draw(st.integers(1, 3)),
        "lam": draw(st.sampled_from([0.2, 1.0, 4.0])),
        "max_total_limits": draw(st.sampled_from([None, 3, 30])),
        "max_union": draw(st.sampled_from([None, "auto"] if signed is True else [None, 1, 3, 8, "auto"])),
        "signed_points": signed,
        "false_alarm_cost": draw(st.sampled_from([None, 0.1, 1.0, 3.0])),
        "cv": draw(st.sampled_from(cv)),
        "pos_label": 1,
    }
    weight = {"none": None, "whole": rng.integers(1, 5, n_rows).astype(float), "any": rng.exponential(size=n_rows)}
    return parameters, X, y, weight[draw(st.sampled_from(weights))], rng


def fit(parameters, X, y, weight=None, **others):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No box was found|Rows of the smaller class|Held-out rows")
        return ScoredBoxesClassifier(**(parameters | others)).fit(X, y, sample_weight=weight)


def take(weight, rows):
    return None if weight is None else weight[rows]


def rows_like(X, rng):
    known = np.nan_to_num(X)
    return np.concatenate([X, known + rng.normal(scale=0.3, size=X.shape), rng.normal(scale=3, size=(20, X.shape[1]))])


def assert_identical(first, second, X):
    assert first.scorecard_ == second.scorecard_
    for one, other in zip(first.frontier_, second.frontier_, strict=True):
        assert one.scorecard == other.scorecard
        np.testing.assert_array_equal([one.auc, one.average_precision], [other.auc, other.average_precision])
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


@given(problems())
@FEW
def test_order_of_rows(problem):
    parameters, X, y, weight, rng = problem
    order = rng.permutation(len(X))
    first, second = fit(parameters, X, y, weight), fit(parameters, X[order], y[order], take(weight, order))
    assert_identical(first, second, rows_like(X, rng))


@given(problems(cv=(2, 3)))
@settings(max_examples=10, deadline=None)
def test_order_of_rows_with_inner_folds(problem):
    parameters, X, y, weight, rng = problem
    order = rng.permutation(len(X))
    parameters["max_limits"] = "auto"
    first, second = fit(parameters, X, y, weight), fit(parameters, X[order], y[order], take(weight, order))
    assert_identical(first, second, rows_like(X, rng))
    np.testing.assert_array_equal(*(model.cv_results_["mean_test_score"] for model in (first, second)))


def test_order_of_rows_of_flags():
    """Rows with as many ones are different rows."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 5)) < 0.5).astype(float)
    y = ((X[:, 0] + X[:, 1] == 2) ^ (rng.random(60) < 0.2)).astype(int)
    first = fit({}, X, y)
    for _ in range(3):
        order = rng.permutation(60)
        second = fit({}, X[order], y[order])
        np.testing.assert_array_equal(*(model.cv_results_["mean_test_score"] for model in (first, second)))
        assert_identical(first, second, X)


def test_order_of_rows_of_a_sample(monkeypatch):
    monkeypatch.setattr("boxdraw.learners.sample.MOST", {True: 40, False: 60})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = (X[:, 0] + rng.normal(size=900) > 1).astype(int)
    order = rng.permutation(900)
    for cv in (None, 3):
        first, second = fit({"cv": cv}, X, y), fit({"cv": cv}, X[order], y[order])
        assert_identical(first, second, X)


@given(st.integers(0, 2**32 - 1), st.booleans())
@FEW
def test_order_of_columns(seed, signed):
    """With many rows of any weights no two features are equally good, so it is the same card on other places."""
    rng = np.random.default_rng(seed)
    X, order = rng.normal(size=(150, 4)), rng.permutation(4)
    y = (X @ rng.normal(size=4) + rng.logistic(size=150) > 1).astype(int)
    parameters = {"cv": None, "max_boxes": 3, "max_limits": 1, "lam": 12, "signed_points": signed, "pos_label": 1}
    weight, rows = rng.exponential(size=150), rows_like(X, rng)
    first, second = fit(parameters, X, y, weight), fit(parameters, X[:, order], y, weight)
    assert first.scorecard_.points == second.scorecard_.points
    np.testing.assert_array_equal(first.scorecard_.boxes.lower[:, order], second.scorecard_.boxes.lower)
    np.testing.assert_array_equal(first.decision_function(rows), second.decision_function(rows[:, order]))


@given(problems(kinds=["continuous", "integers"]), st.lists(st.integers(-40, 40), min_size=4, max_size=4))
@FEW
def test_units_that_are_powers_of_two(problem, exponents):
    parameters, X, y, weight, rng = problem
    unit = 2.0 ** np.array(exponents[: X.shape[1]])
    first, second = (fit(parameters, rows, y, weight, round_limits=False) for rows in (X, X * unit))
    one, other = first.scorecard_, second.scorecard_
    assert (one.points, one.threshold) == (other.points, other.threshold)
    np.testing.assert_array_equal(one.boxes.lower * unit, other.boxes.lower)
    np.testing.assert_allclose(one.boxes.upper * unit, other.boxes.upper, rtol=1e-15, atol=1e-300)
    rows = rows_like(X, rng)
    np.testing.assert_array_equal(first.predict(rows), second.predict(rows * unit))
    np.testing.assert_allclose(first.decision_function(rows), second.decision_function(rows * unit), rtol=1e-9)


@given(problems(kinds=["integers"]), st.lists(st.integers(-50, 50), min_size=4, max_size=4))
@FEW
def test_other_zeros(problem, shifts):
    parameters, X, y, weight, rng = problem
    shift = np.array(shifts[: X.shape[1]], dtype=float)
    first, second = (fit(parameters, rows, y, weight, round_limits=False) for rows in (X, X + shift))
    one, other = first.scorecard_, second.scorecard_
    assert (one.points, one.threshold) == (other.points, other.threshold)
    np.testing.assert_array_equal(one.boxes.lower + shift, other.boxes.lower)
    rows = np.round(np.concatenate([X, rng.normal(scale=3, size=(20, X.shape[1]))]))
    np.testing.assert_array_equal(first.predict(rows), second.predict(rows + shift))
    np.testing.assert_allclose(first.decision_function(rows), second.decision_function(rows + shift), rtol=1e-9)


@given(problems(weights=("none",)))
@FEW
def test_whole_weights_are_copies(problem):
    parameters, X, y, _, rng = problem
    weight = rng.integers(0, 5, len(X))
    assume(weight[y == 1].any() and weight[y == 0].any())
    copies = rng.permutation(np.repeat(np.arange(len(X)), weight))
    first, second = fit(parameters, X, y, weight), fit(parameters, X[copies], y[copies])
    # without weight, a row can't tell that its feature has missing values
    assume(first._encoding == second._encoding)
    assert_identical(first, second, rows_like(X, rng))


@given(problems(weights=("any",)))
@FEW
def test_whole_weights_are_copies_among_others(problem):
    parameters, X, y, weight, rng = problem
    whole = rng.random(len(X)) < 0.5
    weight = np.where(whole, rng.integers(1, 9, len(X)), np.round(weight * 64) / 64 + 1 / 64)
    times = np.where(whole, weight, 1).astype(int)
    copies = rng.permutation(np.repeat(np.arange(len(X)), times))
    first = fit(parameters, X, y, weight)
    second = fit(parameters, X[copies], y[copies], (weight / times)[copies])
    assert_identical(first, second, rows_like(X, rng))


@given(problems(kinds=["continuous", "integers", "missing"], weights=("none",)))
@settings(max_examples=15, deadline=None)
def test_whole_weights_are_copies_with_given_folds(problem):
    parameters, X, y, _, rng = problem
    weight, fold = rng.integers(1, 4, len(X)), np.arange(len(X)) // 2 % 2
    copies = rng.permutation(np.repeat(np.arange(len(X)), weight))
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in (0, 1)]
    moved = [(np.flatnonzero(fold[copies] != k), np.flatnonzero(fold[copies] == k)) for k in (0, 1)]
    assume(all(0 < y[rows].sum() < len(rows) for pair in folds for rows in pair))
    tried = {"max_limits": "auto", "lam": "auto"}
    first = fit(parameters, X, y, weight, cv=folds, **tried)
    second = fit(parameters, X[copies], y[copies], cv=moved, **tried)
    assert_identical(first, second, rows_like(X, rng))
    np.testing.assert_array_equal(*(model.cv_results_["mean_test_score"] for model in (first, second)))


@given(problems())
@FEW
def test_rows_without_weight(problem):
    parameters, X, y, weight, rng = problem
    padded = with_ghosts(X, y, weight, rng)
    assert_identical(fit(parameters, X, y, weight), fit(parameters, *padded), rows_like(X, rng))


@given(problems())
@FEW
def test_the_sides_of_every_model_agree(problem):
    parameters, X, y, weight, rng = problem
    model, rows = fit(parameters, X, y, weight), rows_like(X, rng)
    card = model.scorecard_
    flagged = model.predict(rows) == 1
    assert len(card) <= (8 if parameters["max_boxes"] == "auto" else parameters["max_boxes"])
    assert card.n_limits <= (parameters["max_total_limits"] or np.inf)
    np.testing.assert_array_equal(card.contains(rows), flagged)
    for score in ("graded", "points"):
        np.testing.assert_array_equal(model.decision_function(rows, score) >= 0, flagged)
    if parameters["signed_points"] is not True:  # without inner folds, "auto" has positive points
        np.testing.assert_array_equal(model.boxes_.contains(rows), flagged)
        usual = np.inf if parameters["signed_points"] else 8
        most = usual if parameters["max_union"] == "auto" else parameters["max_union"] or np.inf
        assert len(model.boxes_) <= most


@pytest.mark.parametrize("cv", [None, 3])
def test_threads(cv):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(150, 5)), 1)
    y, weight = (X[:, 0] + X[:, 1] + rng.normal(size=150) > 1).astype(int), rng.random(150)
    first, second = (fit({"cv": cv, "n_jobs": n_jobs}, X, y, weight) for n_jobs in (None, 2))
    assert_identical(first, second, X)


# Weights


@pytest.mark.parametrize("cv", [None, 3])
def test_rows_without_weight_are_left_out_of_folds(cv):
    X, y = ref.make_table(1)
    weight = (np.arange(len(X)) % 4 > 0).astype(float)
    kept = weight > 0
    first, second = fit({"cv": cv}, X, y, weight), fit({"cv": cv}, X[kept], y[kept], np.ones(kept.sum()))
    assert first.scorecard_ == second.scorecard_
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


def test_given_folds_count_rows_without_weight():
    X, y = ref.make_table(1)
    folds = list(StratifiedKFold(3).split(X, y))
    weight = (np.arange(len(X)) % 4 > 0).astype(float)
    kept = np.flatnonzero(weight)
    place = {row: i for i, row in enumerate(kept.tolist())}
    moved = [tuple([place[i] for i in side.tolist() if i in place] for side in fold) for fold in folds]
    first, second = fit({}, X, y, weight, cv=folds), fit({}, X[kept], y[kept], cv=moved)
    assert first.scorecard_ == second.scorecard_
    np.testing.assert_array_equal(first.cv_results_["mean_test_score"], second.cv_results_["mean_test_score"])


def test_weights_of_nothing():
    with pytest.raises(ValueError, match=r"(?i)sample weights"):
        fit({}, [[0.0], [1.0]], [0, 1], [0, 0])


@pytest.mark.parametrize("size", [1e10, 1e12, 1e100])
def test_large_weights_are_much_evidence(size):
    """From some number of copies on, penalties and the blur of limits matter no more."""
    X, y = ref.make_table(0)
    heavy, many = (fit({"cv": None}, X, y, np.full(len(X), weight)) for weight in (size, 1e9))
    np.testing.assert_array_equal(heavy.predict(X), many.predict(X))


def test_the_weight_of_one_row_matters():
    X = np.arange(20.0)[:, None]
    y = X[:, 0] >= 15
    y[3] = True
    weight = np.ones(20)
    assert not fit({"cv": None, "max_boxes": 1}, X, y, weight).predict(X)[3]
    weight[3] = 1000
    assert fit({"cv": None, "max_boxes": 1, "pos_label": True}, X, y, weight).predict(X)[3]
