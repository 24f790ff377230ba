"""The risk of rows: held-out counts of the learners, and counts on rows that are given."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners.goals import Goal
from boxdraw.learners.risk import FoldRows, ladder, spread

LEARNERS = [SparseBoxesClassifier(), ScoredBoxesClassifier(max_limits=2, lam=4), FastBoxesClassifierCV(n_boxes=(1, 2))]
BOXES = BoxSet([[3]], [[9]], feature_names=["dose"])


def table(n, seed):
    """Return rows, labels and the true risk."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    risk = 0.05 + 0.5 * (X[:, 0] > 0.8) + 0.15 * (X[:, 1] > 0)
    return X, (rng.random(n) < risk).astype(int), risk


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_risks_are_near_the_true_ones(learner):
    X, y, _ = table(2000, 0)
    model = learner.fit(X, y)
    new, _, risk = table(20_000, 1)
    said = model.predict_proba(new)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    assert abs(said[:, 1].mean() - risk.mean()) < 0.03
    for value in np.unique(said[:, 1]):
        own = said[:, 1] == value
        if own.mean() > 0.05:
            assert abs(risk[own].mean() - value) < 0.12
    assert [region.risk for region in model.risk_table_] == sorted(
        (region.risk for region in model.risk_table_), reverse=True
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_order_of_rows_and_the_base_rate(learner):
    X, y, _ = table(400, 2)
    order = np.random.default_rng(0).permutation(len(X))
    plain, moved = learner.fit(X, y).risk_table_, learner.fit(X[order], y[order]).risk_table_
    assert plain == moved
    rare = type(learner)(**{**learner.get_params(), "base_rate": 0.01}).fit(X, y)
    assert rare.predict_proba(X)[:, 1].mean() < 0.05
    np.testing.assert_array_equal(rare.predict(X), learner.predict(X))
    with pytest.raises(ValueError, match="base_rate must be"):
        type(learner)(base_rate=2).fit(X, y)


@pytest.mark.parametrize(
    "learner",
    [
        FastBoxesClassifier(n_boxes=1),
        ExactBoxesClassifier(max_boxes=1),
        SparseBoxesClassifier(cv=None),
        ScoredBoxesClassifier(cv=None),
        BoxSetClassifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_there_is_no_risk_without_held_out_rows(learner):
    assert not hasattr(learner, "predict_proba")
    X, y, _ = table(60, 3)
    model = learner.fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(X)
    assert "BoxSetClassifier(model.boxes_).fit(X, y)" in str(caught.value.__cause__ or caught.value)
    assert model.risk_table(X, y)[0].n_rows > 0


def test_a_refit_without_folds_and_other_boxes_forget_the_risk():
    X, y, _ = table(300, 4)
    model = SparseBoxesClassifier().fit(X, y)
    assert not hasattr(model.at(1), "predict_proba")
    assert hasattr(model, "predict_proba")
    assert not hasattr(model.set_params(cv=None).fit(X, y), "predict_proba")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_given_boxes_count_the_rows_of_fit(frame):
    X, y = frame({"dose": [1, 2, 4, 5, 6, 0]}), ["no", "no", "yes", "yes", "no", "no"]
    model = BoxSetClassifier(BOXES, classes=("no", "yes")).fit(X, y)
    assert [(region.n_rows, region.n_positives) for region in model.risk_table_] == [(3, 2), (3, 0)]
    # A curve goes through the shares of both, with half a row more at the base rate, and counts as half a row.
    expected = [(2 + (2 + 1 / 6) / 3.5 / 2) / 3.5, (0 + 1 / 3 / 2) / 3.5]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], np.array(expected)[[1, 1, 0, 0, 0, 1]])
    turned = BoxSetClassifier(BOXES, pos_label="no").fit(X, y)
    assert turned.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(turned.predict_proba(X).sum(axis=1), 1)


def test_a_weight_of_two_is_the_row_twice():
    X, y, weight = [[1], [2], [4], [5], [6], [0]], [0, 0, 1, 1, 0, 0], [1, 2, 2, 1, 0, 1]
    model, twice = BoxSetClassifier(BOXES), np.repeat(np.arange(6), weight)
    assert model.risk_table(X, y, weight) == model.risk_table(np.array(X)[twice], np.array(y)[twice])


def test_rows_of_one_class_have_no_odds_to_move():
    model = BoxSetClassifier(BOXES)
    assert model.risk_table([[1], [4]], [0, 0])[0].n_positives == 0
    for labels, weight in (([0, 0], None), ([1, 1], None), ([0, 1], [1, 0])):
        with pytest.raises(ValueError, match=r"base_rate moves the odds, but the rows are all of one class"):
            model.risk_table([[1], [4]], labels, weight, base_rate=0.3)


@pytest.mark.filterwarnings("ignore::boxdraw.CautionWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("folds", ["splitter", "groups", "overlapping", "distinct"])
def test_all_rows_that_given_folds_hold_out_are_counted(learner, folds):
    X, y, _ = table(600, 2)
    if folds != "distinct":
        X = X.round()  # hardly any row is alone
    given, groups = {
        "splitter": (StratifiedKFold(4), None),
        "groups": (3, np.arange(600) % 20),
        "overlapping": ([(np.arange(600), np.arange(0, 300)), (np.arange(600), np.arange(100, 400))], None),
        "distinct": (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), None),
    }[folds]
    regions = clone(learner).set_params(cv=given).fit(X, y, groups=groups).risk_table_
    n = 400 if folds == "overlapping" else 600
    assert sum(region.n_rows for region in regions) == pytest.approx(n)
    if folds != "overlapping":
        assert sum(region.n_positives for region in regions) == pytest.approx(y.sum())


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_goal_is_tested_on_the_rows_that_are_held_out(learner):
    """Rows that equal one of them are others."""
    X, y, _ = table(900, 3)
    X = X.round()
    test = np.arange(300)
    model = clone(learner).set_params(cv=[(np.arange(300, 900), test)], min_recall=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        goal = model.fit(X, y).goal_
    n, level = y[test].sum(), Goal("min_recall", 0.05, 0.9).level
    assert goal.bound == pytest.approx(stats.beta.ppf(level, goal.recall * n, n - goal.recall * n + 1))


def test_levels_are_regions_in_which_each_box_is_once():
    tight, loose = BoxSet([[4]], [[5]]), BoxSet([[3], [4]], [[9], [5]])
    every = BoxSet([[-np.inf]], [[np.inf]])
    boxes, of, region = ladder([tight[[]], tight, tight, loose, every])
    assert (len(boxes), of, region.tolist()) == (2, [(0,), (1,), ()], [0, 0, 0, 1, 2, 2])


def test_held_out_rows_are_spread_by_shares_of_the_training_rows():
    # A tenth of the training rows is in the first region; in the fold, a fifth shares the highest rank.
    places, own = np.array([0] + [1] * 9), np.array([7, 7] + [1] * 8)
    fold = FoldRows(own, np.ones(10), np.array([9, 7, 1]), np.ones(3), np.array([True, True, False]))
    rows, positives = spread(places, np.ones(10), 2, [fold])
    np.testing.assert_allclose((rows, positives), ([1, 2], [1, 1]))
