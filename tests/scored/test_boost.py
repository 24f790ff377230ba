"""Rounds of boosting: cells, gradients, and the boxes of a plain booster."""

import numpy as np
import pytest

from boxdraw.scored import boost as boosting
from boxdraw.scored.bins import MISSING, TOP, make_bins
from boxdraw.scored.boost import RIDGE, Rows, boost
from boxdraw.scored.learn import make_ready
from boxdraw.sums import on_grid
from boxdraw.training import Training

from . import reference as ref

SEEDS = range(12)


def problem(seed, n_rows=70, weights="any"):
    rng = np.random.default_rng(seed)
    X, y = ref.make_table(seed, n_rows, 3, "integers" if seed % 2 else "continuous")
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    weight = {"any": on_grid(rng.random(n_rows) + 0.1), "whole": rng.integers(1, 6, n_rows).astype(np.float64)}
    class_weight = np.array([0.6, 1.7]) if seed % 2 else np.array([1.3, 0.4])
    return Rows(make_bins(X, X, weight[weights]), y == 1, weight[weights], class_weight)


def member_of(rows, drawing):
    """Which boxes hold each row, by plain comparisons of codes."""
    member = np.zeros((len(rows.weight), len(drawing.low)), dtype=bool)
    for k, (low, high) in enumerate(zip(drawing.low.tolist(), drawing.high.tolist(), strict=True)):
        member[ref.rows_inside(rows.bins.codes, low, high), k] = True
    return member


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("signed", [False, True])
def test_cells_are_the_rows_that_the_same_boxes_hold(seed, signed):
    rows = problem(seed)
    drawing = boost(rows, 6, 2, 2.0, signed)
    assert 0 < len(drawing.low) <= 6
    member = member_of(rows, drawing)
    cells = {tuple(cell): number for number, cell in enumerate(drawing.cells.member.tolist())}
    assert len(cells) == len(drawing.cells.member)
    assert set(cells) == set(map(tuple, member.tolist()))
    mass = np.zeros((2, len(cells)))
    for row, positive, weight in zip(member.tolist(), rows.positive, rows.weight, strict=True):
        mass[int(positive), cells[tuple(row)]] += weight
    np.testing.assert_array_equal(drawing.cells.mass, mass)
    assert drawing.cells.mass[1].sum() == rows.weight[rows.positive].sum()
    np.testing.assert_array_equal(drawing.missing, (rows.bins.codes == MISSING).any(axis=1))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("max_limits", [1, 3])
def test_boxes_are_as_asked(seed, max_limits):
    rows = problem(seed)
    for max_boxes in (1, 5):
        drawing = boost(rows, max_boxes, max_limits, 1.0, False)
        assert 0 < len(drawing.low) <= max_boxes
        limits = (drawing.low > 0).sum(axis=1) + (drawing.high < TOP).sum(axis=1)
        assert (limits >= 1).all()
        assert (limits <= max_limits).all()
        assert len({*map(bytes, np.hstack([drawing.low, drawing.high]))}) == len(drawing.low)


def test_the_first_boxes_do_not_depend_on_how_many_follow():
    rows = problem(1)
    few, many = boost(rows, 2, 2, 1.0, False), boost(rows, 6, 2, 1.0, False)
    np.testing.assert_array_equal(few.low, many.low[:2])
    np.testing.assert_array_equal(few.high, many.high[:2])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("signed", [False, True])
def test_coefficients_of_cells_are_those_of_rows(seed, signed):
    rows = problem(seed)
    drawing = boost(rows, 4, 2, 2.0, signed)
    found = drawing.cells.logistic(rows, not signed)
    task = member_of(rows, drawing).astype(float), rows.positive, rows.weight, rows.class_weight, RIDGE * rows.unit
    slope = ref.slope(found, *task)
    assert np.abs(slope[np.append(signed | (found[:-1] > 0), True)]).max() < 1e-6
    assert signed or ((found[:-1] >= 0).all() and (slope[:-1] > -1e-6).all())


def test_penalties_are_counted_in_positives_at_even_odds():
    assert problem(1).unit == pytest.approx(1.7 * 0.5 * 0.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_are_derivatives_of_the_log_loss(seed):
    """The sums over the rows of a box are the slope and bend of the loss when they all get some more log-odds."""
    rows = problem(seed)
    drawing = boost(rows, 3, 2, 1.0, False)
    member = member_of(rows, drawing)
    odds = np.random.default_rng(seed).normal(size=len(drawing.low) + 1)
    numbers = {tuple(cell): number for number, cell in enumerate(drawing.cells.member.tolist())}
    cell = np.array([numbers[tuple(row)] for row in member.tolist()])
    gradient = np.empty((len(cell), 2))
    per_cell = boosting._per_cell(drawing.cells, odds, rows)
    rounder = boosting.rounder_of(rows.weight.sum() * rows.class_weight.max())
    boosting._write_gradients(gradient, cell, rows.positive, rows.weight, per_cell, rounder)
    z = member @ odds[:-1] + odds[-1]

    def loss(more, box):
        task = (z + more * box)[:, None], rows.positive, rows.weight, rows.class_weight, 0.0
        return ref.log_loss(np.array([1.0, 0.0]), *task)

    for box in (*member.T, np.ones(len(z), dtype=bool)):
        step = 1e-4
        ahead, here, behind = (loss(more, box) for more in (step, 0.0, -step))
        assert gradient[box, 0].sum() == pytest.approx((behind - ahead) / (2 * step), rel=1e-5, abs=1e-6)
        assert gradient[box, 1].sum() == pytest.approx((ahead - 2 * here + behind) / step**2, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_each_box_of_one_limit_is_the_best_after_those_before(seed):
    rows, lam = problem(seed, 40), 1.5
    drawing = boost(rows, 3, 1, lam, False)
    boxes = list(zip(drawing.low.tolist(), drawing.high.tolist(), strict=True))
    task = rows.positive, rows.weight, rows.class_weight, RIDGE * rows.unit
    member = member_of(rows, drawing).astype(float)
    size = rows.weight * np.where(rows.positive, rows.class_weight[1], rows.class_weight[0])
    for k in range(len(boxes) + 1):
        _, b = ref.least_loss((member[:, :k], *task), True)
        p = ref.sigmoid(member[:, :k] @ b[:-1] + b[-1])
        gradient = np.stack([size * (rows.positive - p), size * p * (1 - p)], axis=1)
        most, best = ref.best_single_limit(rows.bins.codes, gradient, lam * rows.unit)
        if k < len(boxes):
            gain = ref.gain(rows.bins.codes, gradient, *boxes[k], lam * rows.unit)
            assert gain == pytest.approx(most, rel=1e-4)
        elif k < 3:
            assert most <= 0 or best in boxes  # why it ended


@pytest.mark.parametrize("seed", range(6))
def test_order_of_rows_and_copies(seed):
    rows = problem(seed, weights="whole")
    rng = np.random.default_rng(seed)
    copies = rng.permutation(np.repeat(np.arange(len(rows.weight)), rows.weight.astype(int)))
    again = Rows(rows.bins.take(copies), rows.positive[copies], np.ones(len(copies)), rows.class_weight)
    first, second = boost(rows, 5, 2, 2.0, False), boost(again, 5, 2, 2.0, False)
    np.testing.assert_array_equal(first.low, second.low)
    np.testing.assert_array_equal(first.high, second.high)
    np.testing.assert_array_equal(first.cells.member, second.cells.member)
    np.testing.assert_array_equal(first.cells.mass, second.cells.mass)


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_weights_on_a_grid_add_up_exactly_in_any_order(size):
    rng = np.random.default_rng(0)
    weight = rng.exponential(size=999) * size
    grid = on_grid(weight)
    assert len({float(np.cumsum(grid[rng.permutation(999)])[-1]) for _ in range(20)}) == 1
    assert len({float(np.cumsum(weight[rng.permutation(999)])[-1]) for _ in range(20)}) > 1
    assert np.abs(grid - weight).max() <= weight.sum() * 2.0**-50
    whole = rng.integers(1, 1000, 999).astype(float)
    np.testing.assert_array_equal(on_grid(whole), whole)


def test_rows_to_learn_from_have_weights_on_a_grid():
    X, y = ref.make_table(0)
    weight = np.random.default_rng(0).exponential(size=len(X))
    rows = make_ready(Training(X, y == 1, weight), None).rows
    np.testing.assert_array_equal(rows.weight, on_grid(weight))
    assert (rows.weight != weight).any()


@pytest.mark.parametrize("cost", [None, 0.01, 4.0])
def test_classes_weigh_halfway_between_the_balance_and_the_cost(cost):
    X, y = ref.make_table(0)
    weight = np.random.default_rng(0).exponential(size=len(X))
    ready = make_ready(Training(X, y == 1, weight), cost)
    balance = weight[y == 1].sum() / weight[y == 0].sum()
    assert ready.cost == pytest.approx(balance if cost is None else cost)
    negative, positive = ready.rows.class_weight
    assert negative / positive == pytest.approx(balance if cost is None else np.sqrt(cost * balance))
    size = np.where(y == 1, positive, negative)
    assert size @ weight == pytest.approx(weight.sum())


def test_nothing_to_draw():
    X = np.zeros((6, 2))
    rows = Rows(make_bins(X, X, np.ones(6)), np.arange(6) < 2, np.ones(6), np.ones(2))
    drawing = boost(rows, 3, 2, 1.0, False)
    assert drawing.low.shape == (0, 2)
    assert drawing.cells.mass.tolist() == [[4], [2]]
    assert drawing.cells.logistic(rows, True) == pytest.approx([np.log(2 / 4)])
