"""The ROC of all costs, counted by hand, and the path as a sequence."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import FastBoxesClassifier
from boxdraw.learners.fast import path as path_module
from boxdraw.learners.fast import weights
from boxdraw.learners.fast.growth import GROWTHS
from boxdraw.learners.fast.path import CostCurve, TrainingRoc, critical_weights, training_weights
from boxdraw.tables.training import read_training_rows

MOST = float(np.finfo(np.float64).max)
TEN_COSTS = [2.0 ** (1 - k) for k in range(10)]


@st.composite
def scored_rows(draw):
    """Critical weights with ties, both classes among them, and weights that add up exactly."""
    n = draw(st.integers(2, 12))
    values = st.sampled_from([0.0, 0.25, 1.0, 1.5, 7.0, 1e300, math.inf])
    critical = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    positive = np.array([*draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2)), True, False])
    weight = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n).map(np.array))
    return critical, positive, weight


def counted(critical, positive, weight, c):
    """Weight of positives and of negatives that are flagged at cost c."""
    mass = np.ones(len(critical)) if weight is None else weight
    flagged = critical >= c
    return mass[flagged & positive].sum(), mass[flagged & ~positive].sum()


@given(scored_rows())
@settings(max_examples=100)
def test_rates_and_precision_are_counts_of_rows(rows):
    critical, positive, weight = rows
    roc = TrainingRoc.of(critical, positive, weight)
    assert roc.critical.tolist() == sorted(set(critical.tolist()), reverse=True)
    every = counted(critical, positive, weight, -1.0)
    finite = critical[critical < math.inf]
    costs = np.unique([*finite, *np.nextafter(finite, math.inf), 0.1, 1.2, MOST])
    curve = CostCurve(roc, costs, current=1.2)
    assert curve.current_negative_weight == 1.2
    for k, c in enumerate(costs.tolist()):
        true, false = counted(critical, positive, weight, c)
        assert (curve.fpr[k], curve.tpr[k]) == curve.rates_at(c) == (false / every[1], true / every[0])
        precision = true / (true + false) if true + false else math.nan
        np.testing.assert_array_equal([curve.precision[k], curve.precision_at(c)], precision)
    assert curve.roc_fpr[0] == curve.roc_tpr[0] == 0
    assert curve.roc_fpr[-1] == curve.roc_tpr[-1] == 1
    assert math.isnan(curve.roc_precision[0])
    for k, c in enumerate(roc.critical.tolist(), 1):
        true, false = counted(critical, positive, weight, c)
        assert curve.roc_precision[k] == true / (true + false)


@given(scored_rows())
@settings(max_examples=100)
def test_corners_are_costs_that_reach_the_corners_of_the_hull(rows):
    critical, positive, weight = rows
    roc = TrainingRoc.of(critical, positive, weight)
    costs = roc.corners()
    assert ((costs > 0) & np.isfinite(costs)).all()
    assert (np.diff(costs) < 0).all()
    curve = CostCurve(roc, costs)
    reached = set(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    assert len(reached) == len(costs)
    corners = {(float(fpr), float(tpr)) for fpr, tpr in zip(*curve.hull(), strict=True)}
    assert reached <= corners
    # (0, 0) may need no cost, and what only costs of 0 reach has none
    positive_costs = critical[critical > 0]
    at_zero = {(1.0, 1.0)} if len(positive_costs) < len(critical) else set()
    assert corners - reached <= {(0.0, 0.0)} | at_zero


def test_the_cost_for_rows_that_are_flagged_at_any():
    positive = np.array([True, False])
    assert TrainingRoc.of(np.array([math.inf, 3.0]), positive, None).corners().tolist() == [6.0, 3.0]
    assert TrainingRoc.of(np.array([math.inf, MOST]), positive, None).corners().tolist() == [MOST]
    assert TrainingRoc.of(np.array([math.inf, math.inf]), positive, None).corners().tolist() == [1.0]
    assert TrainingRoc.of(np.array([math.inf, 0.0]), positive, None).corners().tolist() == [1.0]


def small_model(**parameters):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (rng.random(60) < 0.3).astype(int)
    return FastBoxesClassifier(n_boxes=2, pos_label=1, **parameters).fit(X, y), X, y


def test_a_path_is_a_sequence():
    model, _, _ = small_model()
    path = model.path(TEN_COSTS)
    assert [point.negative_weight for point in path] == TEN_COSTS
    assert path[-1] == path[9]
    assert path[2:7:2] == [path[2], path[4], path[6]]
    assert path[::-1][0] == path[9]
    assert (path[3].fpr, path[3].tpr) == (path.fpr[3], path.tpr[3])
    assert path.current_negative_weight == model.negative_weight_
    for index in (10, -11):
        with pytest.raises(IndexError):
            path[index]
    with pytest.raises(AttributeError):
        path[0].fpr = 0.5


@pytest.mark.parametrize(
    ("n_costs", "first", "last"),
    [(1, "1 cost,", None), (10, "10 costs,", None), (11, "11 costs,", "1"), (12, "12 costs,", "2")],
)
def test_a_path_shows_ten_points(n_costs, first, last):
    path = small_model()[0].path([*TEN_COSTS, 3.0, 4.0][:n_costs])
    lines = repr(path).splitlines()
    assert lines[0].startswith(f"CostPath with {first} training AUH {path.auh:.4f}")
    shown = lines[1 : min(n_costs, 10) + 1]
    assert [line.split(":")[0] for line in shown] == [f"  c = {c:.4g}" for c in TEN_COSTS[:n_costs]]
    assert f"flags {path.tpr[0]:.1%} of positives and {path.fpr[0]:.1%} of negatives" in shown[0]
    assert lines[len(shown) + 1 :] == ([f"  ... and {last} more"] if last else [])


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_a_row_of_weights_per_expansion(growth):
    model, X, _ = small_model(growth=growth)
    both = critical_weights(model._edges, X, [0.0, 5.0], GROWTHS[growth], None)
    for row, expansion in zip(both, [0.0, 5.0], strict=True):
        np.testing.assert_array_equal(row, critical_weights(model._edges, X, [expansion], GROWTHS[growth], None)[0])
    assert (both[0] <= both[1]).all()
    assert (both[0] < both[1]).any()
    assert critical_weights(model._edges, X[:0], [0.0, 5.0], GROWTHS[growth], None).shape == (2, 0)
    for n_jobs in (None, 2):  # 12,000 rows take more than one tile
        many = critical_weights(model._edges, np.tile(X, (200, 1)), [0.0, 5.0], GROWTHS[growth], n_jobs)
        np.testing.assert_array_equal(many, np.tile(both, 200))


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_missing_values_are_inside_and_unseen_ones_outside(growth):
    model, X, _ = small_model(growth=growth)

    def weight_of(rows):
        return critical_weights(model._edges, rows, [0.5], GROWTHS[growth], None)[0]

    plain = weight_of(X)
    for j in range(X.shape[1]):
        changed = X.copy()
        changed[:, j] = np.nan
        assert (weight_of(changed) >= plain).all()
        ends = [np.where(np.arange(3) == j, value, X) for value in (-MOST, MOST)]
        for value in (-math.inf, math.inf):
            changed[:, j] = value
            assert (weight_of(changed) <= np.minimum(*map(weight_of, ends))).all()
            assert weight_of(changed).max() < math.inf
    assert np.isposinf(weight_of(np.full((1, 3), np.nan))).all()


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_compiled_code_is_for_tables_of_many_cells(growth, monkeypatch):
    """Where it starts decides nothing but the time: each side gives the same bits."""
    model, X, y = small_model(growth=growth)
    data = read_training_rows(model, X, y, None)
    calls, compiled = [], weights.compiled_weights
    monkeypatch.setattr(weights, "compiled_weights", lambda *given: calls.append(1) or compiled(*given))
    results = []
    for cells in (X.size, X.size - 1):
        monkeypatch.setattr(path_module, "_MANY_CELLS", cells)
        results.append(critical_weights(model._edges, X, [0.5], GROWTHS[growth], None)[0])
        assert len(calls) == X.size - cells
    np.testing.assert_array_equal(*results)
    np.testing.assert_array_equal(training_weights(model._edges, data, 0.5, GROWTHS[growth], None), results[0])
    assert len(calls) == 2


def test_compiled_code_is_for_more_than_131072_cells(monkeypatch):
    """Up to there nobody waits for a compiler."""
    model, X, _ = small_model()
    calls = []
    monkeypatch.setattr(weights, "compiled_weights", lambda *given: calls.append(len(given[1])))
    for n_rows in (43690, 43691):  # of 3 cells each
        critical_weights(model._edges, np.resize(X, (n_rows, 3)), [0.5], GROWTHS["nearest_negative"], None)
    assert calls == [43691]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("limit", "positive", "rounded"),
    [
        (5e-324, 3.25, 0.003),
        (5e-324, 325.5, 0.3),
        (1.0, 1e9, 1.0),
        (1.0, 1e9 + 1, 1.0),
        (1.0, 1e9 + 1.5, 1e6),
        (-1.0, 1e9 - 1, 0.0),
        (-1.0, 999.5, 0.0),
        (-1.0, 9.5, -1.0),
    ],
)
def test_a_limit_that_is_tiny_beside_its_gap(limit, positive, rounded, sign):
    """A number such as 5e-324, just above a negative at 0, tells people nothing; 0 is rounder than any other."""
    X = sign * np.array([[math.nextafter(limit, -math.inf)], [positive]])
    exact, round_ = (
        FastBoxesClassifier(n_boxes=1, negative_weight=1e9, pos_label=1, round_limits=rounds).fit(X, [0, 1]).boxes_
        for rounds in (False, True)
    )
    limits = [(boxes.lower if sign == 1 else boxes.upper).item() for boxes in (exact, round_)]
    assert limits == [sign * limit, sign * rounded]
