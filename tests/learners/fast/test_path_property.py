"""One fit holds the boxes of every cost: critical weights, paths and refits say the same, to the last bit."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from boxdraw import FastBoxesClassifier

from . import reference as ref


@st.composite
def cases(draw, growths=ref.growths, max_rows=30):
    """A model, its training table and weights, and a generator to draw more from."""
    X, y = draw(ref.tables(max_rows=max_rows, max_features=3))
    n_distinct = len(np.unique(X[y == 1], axis=0))
    model = FastBoxesClassifier(
        n_boxes=draw(st.integers(1, min(3, n_distinct))),
        expansion=draw(ref.expansions),
        growth=draw(growths),
        feature_range=draw(st.sampled_from([(-1, 1), (-3, 3), (0, 0.5)])),
        negative_weight=draw(ref.costs),
        pos_label=1,
        round_limits=False,
    )
    weight = ref.make_weight(draw(ref.weight_kinds), len(X), len(X))
    model.fit(X, y, sample_weight=weight)
    return model, X, y, weight, np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def refit(model, X, y, weight, c):
    return clone(model).set_params(negative_weight=float(c)).fit(X, y, sample_weight=weight)


def rows_on_limits(boxes, X, rng):
    """Rows on each limit of each box and one unit in the last place off, with other values from training rows."""
    rows = []
    for limits in (boxes.lower, boxes.upper):
        for k, j in np.argwhere(np.isfinite(limits)).tolist():
            value = limits[k, j]
            row = np.clip(X[rng.integers(len(X))], boxes.lower[k], boxes.upper[k])
            for moved in (value, np.nextafter(value, np.inf), np.nextafter(value, -np.inf)):
                row[j] = moved
                rows.append(row.copy())
    return np.array(rows).reshape(-1, X.shape[1])


def probes(model, X, rng):
    """Rows to score: seen ones, new ones, ones on limits, and ones far outside the training range."""
    spread = rng.normal(scale=3, size=(20, X.shape[1]))
    ends = rng.choice([-1e300, -1e6, -50.0, 0, 50, 1e6, 1e300], size=(20, X.shape[1]))
    mixed = np.where(rng.random((20, X.shape[1])) < 0.5, ends, X[rng.integers(len(X), size=20)])
    return np.concatenate(
        [X, X + rng.normal(scale=0.1, size=X.shape), spread, mixed, rows_on_limits(model.boxes_, X, rng)]
    )


def telling_costs(critical, rng, n):
    """Costs at which some row turns, and the floats beside them."""
    turns = np.unique(critical[np.isfinite(critical) & (critical > 0)])
    chosen = rng.choice(turns, min(n, len(turns)), replace=False) if len(turns) else turns
    beside = np.concatenate([chosen, np.nextafter(chosen, np.inf), np.nextafter(chosen, 0)])
    return beside[np.isfinite(beside) & (beside > 0)]


def assert_same_decisions(model, refitted, X):
    c = refitted.negative_weight_
    flagged = refitted.predict(X) == 1
    np.testing.assert_array_equal(model.critical_weight(X) >= c, flagged)
    np.testing.assert_array_equal(refitted.critical_weight(X), model.critical_weight(X))
    decision = refitted.decision_function(X)
    assert np.isfinite(decision).all()
    np.testing.assert_array_equal(np.sign(decision), np.where(flagged, 1, -1))


@given(cases())
@settings(max_examples=40, deadline=None)
def test_critical_weight_is_what_refits_say(case):
    model, X, y, weight, rng = case
    seen = probes(model, X, rng)
    costs = telling_costs(model.critical_weight(seen), rng, 3)
    for c in (*costs, *10 ** rng.uniform(-9, 9, 3)):
        refitted = refit(model, X, y, weight, c)
        assert_same_decisions(model, refitted, np.concatenate([seen, rows_on_limits(refitted.boxes_, X, rng)]))


@given(cases())
@settings(max_examples=40, deadline=None)
def test_boxes_are_nested(case):
    model, X, _, _, rng = case
    seen = probes(model, X, rng)
    costs = np.unique([*telling_costs(model.critical_weight(seen), rng, 3), *10 ** rng.uniform(-9, 9, 3)])
    path = model.path(costs[::-1])
    rows = np.concatenate([seen, *(rows_on_limits(point.boxes, X, rng) for point in path)])
    flagged = np.array([point.boxes.contains(rows) for point in path])  # by falling cost
    assert (flagged[:-1] <= flagged[1:]).all()
    assert (np.diff(path.fpr) >= 0).all()
    assert (np.diff(path.tpr) >= 0).all()
    sizes = [len(point.boxes) for point in path]
    assert sizes == sorted(sizes)
    for tighter, wider in pairwise(path):
        if len(tighter.boxes) == len(wider.boxes):
            assert (tighter.boxes.lower >= wider.boxes.lower).all()
            assert (tighter.boxes.upper <= wider.boxes.upper).all()


@given(cases())
@settings(max_examples=40, deadline=None)
def test_path_is_what_refits_give(case):
    model, X, y, weight, rng = case
    costs = np.unique([*telling_costs(model.critical_weight(X), rng, 2), *10 ** rng.uniform(-3, 3, 3)])
    costs = rng.permutation(costs)
    path = model.path(costs)
    np.testing.assert_array_equal(path.negative_weights, costs)
    mass = np.ones(len(X)) if weight is None else weight
    for i, point in enumerate(path):
        refitted = refit(model, X, y, weight, point.negative_weight)
        assert point.boxes == refitted.boxes_
        assert point.text == refitted.boxes_.to_text()
        flagged = refitted.predict(X) == 1
        rates = [math.fsum(mass[flagged & (y == label)]) / math.fsum(mass[y == label]) for label in (0, 1)]
        assert [point.fpr, point.tpr] == (rates if weight is None else pytest.approx(rates, rel=1e-13))
        assert (path.fpr[i], path.tpr[i]) == path.rates_at(point.negative_weight) == (point.fpr, point.tpr)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_default_path_has_the_corners_of_the_training_hull(case):
    model, X, y, weight, _ = case
    path = model.path()
    assert (np.diff(path.negative_weights) < 0).all()
    assert np.isfinite(path.negative_weights).all()
    points = set(zip(path.fpr, path.tpr, strict=True))
    corners = set(zip(*path.hull(), strict=True)) - {(0.0, 0.0), (1.0, 1.0)}
    assert corners <= points
    critical = model.critical_weight(X)
    # no cost does better than the corners: every threshold of the score is on or below the hull
    mass = np.ones(len(X)) if weight is None else weight
    for c in np.unique(critical):
        fpr, tpr = (mass[(critical >= c) & (y == label)].sum() / mass[y == label].sum() for label in (0, 1))
        assert tpr <= np.interp(fpr, *path.hull()) + 1e-9


@given(cases(growths=st.just("nearest_negative")))
@settings(max_examples=40, deadline=None)
def test_nothing_but_a_negative_stops_a_limit(case):
    model, X, y, weight, rng = case
    refitted = refit(model, X, y, weight, 10 ** rng.uniform(-2, 2))
    negatives = X[y == 0]
    for j in range(X.shape[1]):
        lower, upper = refitted.boxes_.lower[:, j], refitted.boxes_.upper[:, j]
        assert set(np.nextafter(lower[np.isfinite(lower)], -np.inf)) <= set(negatives[:, j])
        assert set(np.nextafter(upper[np.isfinite(upper)], np.inf)) <= set(negatives[:, j])


@given(cases())
@settings(max_examples=40, deadline=None)
def test_critical_weight_follows_the_formula(case):
    """c* = max_k min_j t(R+ t + beta) / R-, with t = exp(y - s + 1), read literally from R+ and R-."""
    model, X, y, _, _ = case
    edges, beta, growth = model._edges, model.expansion, model.growth
    scaled = edges.scaling.columns(X).T
    found = model.critical_weight(X)
    for i, x in enumerate(scaled):
        weights = []
        for k in range(edges.tight.shape[1]):
            weights.append([])
            for side, sign in enumerate((1, -1)):
                for j in range(len(x)):
                    value = sign * x[j]
                    tight = edges.tight[side, k, j]
                    if growth == "nearest_negative":  # the first negative on the way from the box to x decides
                        stops = sign * scaled[y == 0, j]
                        value = min(stops[stops >= value], default=math.inf)
                    minus = edges.sums.negative[side, k, j]
                    if minus == 0 or (growth != "free" and value >= tight):
                        weights[-1].append(math.inf)
                        continue
                    t = math.exp(value - tight + 1)
                    weights[-1].append(t * (edges.sums.positive[side, k, j] * t + beta) / minus)
        assert found[i] == pytest.approx(max(map(min, weights)), rel=1e-11)


@given(cases())
@settings(max_examples=20, deadline=None)
def test_decision_function_ranks_towards_the_second_class(case):
    model, X, y, weight, rng = case
    other = clone(model).set_params(pos_label="a").fit(X, np.where(y == 1, "a", "b"), sample_weight=weight)
    assert other.boxes_ == model.boxes_
    rows = probes(model, X, rng)
    np.testing.assert_array_equal(other.decision_function(rows), -model.decision_function(rows))
    np.testing.assert_array_equal(other.critical_weight(rows), model.critical_weight(rows))
    np.testing.assert_array_equal(other.predict(rows) == "a", model.predict(rows) == 1)


def test_costs_out_of_range_are_refused():
    model = FastBoxesClassifier(n_boxes=1).fit([[0.0], [1], [2]], [0, 1, 0])
    for costs in ([0.0], [-1.0], [np.inf], [1, np.nan]):
        with pytest.raises(ValueError, match="finite and positive"):
            model.path(costs)
    assert len(model.path([])) == 0
