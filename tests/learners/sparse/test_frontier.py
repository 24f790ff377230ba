"""SparseBoxesClassifier: the frontier, and the path that ranks rows."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from boxdraw import SparseBoxesClassifier

from .tables import corner, fit


@pytest.fixture(scope="module")
def ladder():
    """A table in which each further limit helps a little less, and its model."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 4))
    y = ((X @ [1.5, 1.0, 0.7, 0.4] + rng.logistic(scale=0.3, size=1200)) > 2).astype(int)
    return X, y, SparseBoxesClassifier().fit(X, y)


def test_the_frontier_goes_from_short_to_long_and_up(ladder):
    _, y, model = ladder
    frontier = model.frontier_
    assert len(frontier) > 2
    sizes = [point.n_limits for point in frontier]
    assert sizes == sorted(set(sizes))
    scores = [point.score for point in frontier if point.n_limits != frontier.chosen]
    assert (np.diff(scores) > 0).all()
    for point in frontier:
        assert (point.n_limits, point.n_boxes) == (point.boxes.n_limits, len(point.boxes))
        assert point.error > 0
        ratio = model.false_alarm_cost_ * (y == 0).sum() / (y == 1).sum()
        assert point.score == pytest.approx(point.recall - ratio * point.false_alarm_rate)
    (chosen,) = (point for point in frontier if point.n_limits == frontier.chosen)
    assert chosen.boxes == model.boxes_
    assert frontier[0] is next(iter(frontier))


def test_the_frontier_in_text(ladder):
    _, _, model = ladder
    lines = model.frontier_.to_text().splitlines()
    heads = [line for line in lines if not line.startswith("    ")]
    assert len(heads) == len(model.frontier_)
    for line, point in zip(heads, model.frontier_, strict=True):
        assert line.startswith("*") == (point.n_limits == model.frontier_.chosen)
        assert f" {point.n_limits} limit" in line
        assert f"score {point.score:.3f} ± {point.error:.3f}" in line
    for point in model.frontier_:
        assert all(f"    {line}" in lines for line in point.boxes.to_text().splitlines())
    assert repr(model.frontier_) == model.frontier_.to_text()


def test_at_a_number_of_limits(ladder):
    X, _, model = ladder
    before = model.boxes_
    for point in model.frontier_:
        short = model.at(n_limits=point.n_limits)
        assert short.boxes_ == point.boxes
        assert short.frontier_.chosen == point.n_limits
        np.testing.assert_array_equal(short.predict(X) == 1, point.boxes.contains(X))
        np.testing.assert_array_equal(short.decision_function(X) >= 0, short.predict(X) == 1)
        assert short.at(model.frontier_.chosen).boxes_ == model.boxes_
    longest = model.frontier_[-1]
    assert model.at(1000).boxes_ == longest.boxes
    assert model.boxes_ is before
    shortest = model.frontier_[0].n_limits
    with pytest.raises(ValueError, match=f"n_limits={shortest - 1}: no drawing is that short"):
        model.at(shortest - 1)


def test_without_folds_there_are_no_scores():
    model = fit(*corner())
    assert [point.boxes for point in model.frontier_] == [model.boxes_]
    assert np.isnan([model.frontier_[0].score, model.frontier_[0].error]).all()
    assert model.frontier_.to_text().startswith("* 2 limits in 1 box\n")


@pytest.mark.parametrize("n_limits", ["2", None, 1.5])
def test_a_number_of_limits_is_a_whole_number(ladder, n_limits):
    with pytest.raises(TypeError, match="n_limits must be an instance of int"):
        ladder[2].at(n_limits)


@pytest.mark.parametrize("cv", [None, 2])
def test_the_path_has_nine_costs(cv):
    X, y = corner(4, 400)
    model = fit(X, y, cv=cv)
    costs = np.array([cost for cost, _ in model.path_])
    balance = (y == 1).sum() / (y == 0).sum()
    np.testing.assert_allclose(costs / balance, 10.0 ** np.linspace(-1, 1, 9))
    flagged = [boxes.contains(X).sum() for _, boxes in model.path_]
    assert flagged[0] > flagged[-1]


def test_the_path_is_rounded_as_the_boxes_are():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 24, 600), rng.normal(size=600)])
    y = (np.isin(X[:, 0], [5, 6]) & (X[:, 1] > 0)) ^ (rng.random(600) < 0.02)
    rounded, exact = fit(X, y), fit(X, y, round_limits=False)
    for (_, boxes), (_, others) in zip(rounded.path_, exact.path_, strict=True):
        limits = np.concatenate([boxes.lower, boxes.upper])
        assert (np.isinf(limits) | (limits == limits.round(4))).all()
        assert (np.isinf(limits) | (limits == limits.round()))[:, 0].all()
        np.testing.assert_array_equal(boxes.membership(X), others.membership(X))
    order = np.argsort(exact.decision_function(X), kind="stable")
    assert (np.diff(rounded.decision_function(X)[order]) >= 0).all()


def test_the_path_ranks_better_than_the_boxes(ladder):
    _, _, model = ladder
    fresh = np.random.default_rng(1).normal(size=(2000, 4))
    truth = fresh @ [1.5, 1.0, 0.7, 0.4] > 2
    assert roc_auc_score(truth, model.decision_function(fresh)) > roc_auc_score(truth, model.predict(fresh)) + 0.02


def test_flagged_rows_come_first(ladder):
    X, _, model = ladder
    decision, flagged = model.decision_function(X), model.predict(X) == 1
    assert decision[flagged].min() >= 0 > decision[~flagged].max()


def test_a_row_scores_the_same_alone(frauds):
    X, _, model = frauds
    alone = [model.decision_function(X.iloc[[i]])[0] for i in range(20)]
    np.testing.assert_array_equal(alone, model.decision_function(X)[:20])
