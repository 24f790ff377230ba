"""Rounds of boosting: cells, gradients, and the boxes of a plain booster."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from boxdraw._core.sums import on_grid
from boxdraw.learners.scored import boost as boosting
from boxdraw.learners.scored.bins import MISSING, TOP, make_bins
from boxdraw.learners.scored.boost import RIDGE, BinnedRows, boost
from boxdraw.learners.scored.learn import make_ready
from boxdraw.learners.scored.logistic import fit_logistic, rounder_of
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.tables.training import Training

from . import reference as ref

SEEDS = range(12)


def table_and_weights(seed, n_rows, weights):
    rng = np.random.default_rng(seed)
    X, y = ref.make_table(seed, n_rows, 3, "integers" if seed % 2 else "continuous")
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    if weights == "any":
        return X, y == 1, on_grid(rng.random(n_rows) + 0.1)
    return X, y == 1, rng.integers(1, 6, n_rows).astype(np.float64)


def problem(seed, n_rows=70, weights="any"):
    X, positive, weight = table_and_weights(seed, n_rows, weights)
    class_weight = np.array([0.6, 1.7]) if seed % 2 else np.array([1.3, 0.4])
    bins = make_bins(X, X, positive, weight, class_weight)
    return BinnedRows(bins, positive, weight, class_weight, [0.1, 0.3, 0.8][seed % 3])


def some_of(rows, kept):
    """Return rows as a table of their own, on the same bins."""
    bins = rows.bins.of(rows.bins.values[np.arange(3)[:, None], np.minimum(rows.bins.codes, TOP)].T)
    codes = np.where(rows.bins.codes == MISSING, MISSING, bins.codes).astype(np.uint8)[:, kept]
    bins = type(bins)(np.ascontiguousarray(codes), bins.values, bins.cuts, bins.spread)
    return BinnedRows(bins, rows.positive[kept], rows.weight[kept], rows.class_weight, rows.blur)


def drawn(rows, max_boxes, max_limits, lam, signed=False, few=None):
    shape = Shape(max_boxes, None, None)
    return boost(rows, rows if few is None else few, Setting(max_limits, lam, signed), shape)


def assert_same(first, second):
    for field in ("low", "high", "missing"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field))
    np.testing.assert_array_equal(first.cells.member, second.cells.member)
    np.testing.assert_array_equal(first.cells.mass, second.cells.mass)


def member_of(rows, drawing):
    """Which boxes hold each row, by plain comparisons of codes."""
    member = np.zeros((len(rows.weight), len(drawing.low)), dtype=bool)
    for k, (low, high) in enumerate(zip(drawing.low.tolist(), drawing.high.tolist(), strict=True)):
        member[ref.rows_inside(rows.bins.codes, low, high), k] = True
    return member


def table_of(rows):
    """Rows on bins with places in widths of the blur."""
    width = 2 * rows.blur * rows.bins.spread[:, None]
    return rows.bins.codes, rows.bins.values / width, rows.bins.cuts / width


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("signed", [False, True])
def test_cells_are_the_rows_that_the_same_boxes_hold(seed, signed):
    rows = problem(seed)
    drawing = drawn(rows, 6, 2, 2.0, signed)
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


@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_how_far_inside_is_the_product_over_limits(seed, sample):
    """Some of which may be sharp: no blurred limit nor sharp one would be anything else."""
    rows = problem(seed, 120)
    few = some_of(rows, np.arange(0, 120, 2)) if sample else rows
    drawing = drawn(rows, 5, 2, 2.0, few=few)
    assert drawing.inside.shape == (len(few.weight), len(drawing.low))
    for low, high, inside in zip(drawing.low, drawing.high, drawing.inside.T, strict=True):
        limits = [*zip(*np.nonzero(np.column_stack([low > 0, high < TOP])), strict=True)]
        found = 0
        for kinds in itertools.product((False, True), repeat=len(limits)):
            sharp = np.zeros((len(low), 2), dtype=bool)
            for limit, kind in zip(limits, kinds, strict=True):
                sharp[limit] = kind
            found += np.allclose(ref.membership(table_of(few), low, high, sharp), inside, rtol=1e-9)
        assert found >= 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("max_limits", [1, 3])
def test_boxes_are_as_asked(seed, max_limits):
    rows = problem(seed)
    for max_boxes in (1, 5):
        drawing = drawn(rows, max_boxes, max_limits, 1.0)
        assert 0 < len(drawing.low) <= max_boxes
        limits = (drawing.low > 0).sum(axis=1) + (drawing.high < TOP).sum(axis=1)
        assert (limits >= 1).all()
        assert (limits <= max_limits).all()
        assert (drawing.low <= drawing.high).all()
        assert len({*map(bytes, np.hstack([drawing.low, drawing.high]))}) == len(drawing.low)


def test_the_first_boxes_do_not_depend_on_how_many_follow():
    rows = problem(1)
    few, many = drawn(rows, 2, 2, 1.0), drawn(rows, 6, 2, 1.0)
    np.testing.assert_array_equal(few.low, many.low[:2])
    np.testing.assert_array_equal(few.high, many.high[:2])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("signed", [False, True])
def test_coefficients_of_cells_are_those_of_rows(seed, signed):
    rows = problem(seed)
    drawing = drawn(rows, 4, 2, 2.0, signed)
    found = drawing.cells.logistic(rows, not signed)
    task = member_of(rows, drawing).astype(float), rows.positive, rows.weight, rows.class_weight, RIDGE * rows.unit
    slope = ref.slope(found, *task)
    assert np.abs(slope[np.append(signed | (found[:-1] > 0), True)]).max() < 1e-6
    assert signed or ((found[:-1] >= 0).all() and (slope[:-1] > -1e-6).all())


def test_penalties_are_counted_in_positives_at_even_odds():
    assert problem(1).unit == pytest.approx(1.7 * 0.5 * 0.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_are_derivatives_of_the_log_loss(seed):
    """Those of a row are the slope and bend of its loss when it gets some more log-odds."""
    rng = np.random.default_rng(seed)
    rows = problem(seed)
    inside = rng.random((len(rows.weight), seed % 4))
    odds = rng.normal(size=inside.shape[1] + 1)
    gradient = boosting._gradients(inside, odds, rows.positive, rows.class_weight)
    z, step = inside @ odds[:-1] + odds[-1], 1e-4
    for i in range(len(z)):
        row = rows.positive[[i]], np.ones(1), rows.class_weight, 0.0
        ahead, here, behind = (
            ref.log_loss(np.array([z[i] + more]), np.empty((1, 0)), *row) for more in (step, 0.0, -step)
        )
        assert gradient[i, 0] == pytest.approx((behind - ahead) / (2 * step), rel=1e-6)
        assert gradient[i, 1] == pytest.approx((ahead - 2 * here + behind) / step**2, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_each_box_of_one_limit_is_the_best_after_those_before(seed, sample, monkeypatch):
    """Of all rows, with points fitted on few; and while limits are not made sharp."""
    monkeypatch.setattr(boosting, "sharpen", lambda table, *_: np.zeros((len(table.codes), 2), dtype=bool))
    monkeypatch.setattr(boosting, "ROUGH", 1e-8)
    rows, lam = problem(seed, 60), 1.5
    few = some_of(rows, np.arange(35)) if sample else rows
    drawing = drawn(rows, 3, 1, lam, few=few)
    boxes = list(zip(drawing.low.tolist(), drawing.high.tolist(), strict=True))
    assert boxes
    inside, few_inside = (
        np.column_stack([np.empty((len(part.weight), 0)), *(ref.membership(table_of(part), *box) for box in boxes)])
        for part in (rows, few)
    )
    np.testing.assert_allclose(few_inside, drawing.inside, rtol=1e-9, atol=1e-12)
    size = ref.class_mass(rows.positive, rows.weight, rows.class_weight)
    everything = [0] * 3, [TOP] * 3
    for k in range(len(boxes) + 1):
        _, b = ref.least_loss((few_inside[:, :k], few.positive, few.weight, few.class_weight, RIDGE * few.unit), True)
        p = ref.sigmoid(inside[:, :k] @ b[:-1] + b[-1])
        gradient = np.stack([size * (rows.positive - p), size * p * (1 - p)], axis=1)
        most, best = ref.best_limit(table_of(rows), gradient, *everything, lam * rows.unit)
        if k < len(boxes):
            gain = ref.gain(table_of(rows), gradient, *boxes[k], lam * rows.unit)
            assert gain == pytest.approx(most, rel=1e-4)
        elif k < 3:
            assert most <= 0 or best in boxes  # why it ended


def test_a_box_that_is_there_already_gives_way_to_one_of_fewer_limits():
    """Ten rows of one column: there are more boxes of two limits asked for than differ."""
    X = np.repeat([[0.0], [1], [2]], 10, axis=0)
    positive = np.arange(30) % 10 < np.repeat([1, 8, 3], 10)
    rows = BinnedRows(make_bins(X, X, positive, np.ones(30), np.ones(2)), positive, np.ones(30), np.ones(2), 0.1)
    drawing = drawn(rows, 9, 2, 0.1, True)
    boxes = [*zip(drawing.low[:, 0].tolist(), drawing.high[:, 0].tolist(), strict=True)]
    assert boxes[0] == (1, 1)
    assert len(boxes) == len(set(boxes)) < 9
    assert any(low == 0 or high == TOP for low, high in boxes)


@pytest.mark.parametrize("seed", range(6))
def test_order_of_rows_and_copies(seed):
    rows = problem(seed, weights="whole")
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.repeat(np.arange(len(rows.weight)), rows.weight.astype(int)))
    copied = some_of(rows, order)
    copied = BinnedRows(copied.bins, copied.positive, np.ones(len(order)), rows.class_weight, rows.blur)
    for signed in (False, True):
        first, second = drawn(rows, 5, 2, 2.0, signed), drawn(copied, 5, 2, 2.0, signed)
        assert_same(first, second)
        np.testing.assert_array_equal(first.inside[order], second.inside)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_of_any_weight(seed):
    rows = problem(seed)
    order = np.random.default_rng(seed).permutation(len(rows.weight))
    first, second = drawn(rows, 5, 3, 1.0), drawn(some_of(rows, order), 5, 3, 1.0)
    assert_same(first, second)
    np.testing.assert_array_equal(first.inside[order], second.inside)


@pytest.mark.parametrize("seed", range(6))
def test_few_rows_that_are_all_rows_change_nothing(seed):
    rows = problem(seed)
    order = np.random.default_rng(seed).permutation(len(rows.weight))
    first, second = drawn(rows, 5, 2, 1.0), drawn(rows, 5, 2, 1.0, few=some_of(rows, order))
    assert_same(first, second)
    np.testing.assert_array_equal(first.inside[order], second.inside)


@pytest.mark.parametrize(("n", "n_positive"), [(48, 18), (48, 9), (80, 25), (96, 18)])
def test_copies_where_the_weight_of_all_rows_is_a_power_of_two(n, n_positive):
    """The unit of exact sums is one power of two or the next, but the same for rows and for copies."""
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(n, 2)), np.arange(n) < n_positive
    class_weight = np.array([n_positive / (n - n_positive), 1.0]) * n / n_positive / 2
    F = ref.sigmoid(X)
    for copies in (2, 3, 5):
        task = class_weight, 1.0, False, np.zeros(3), 1e-8
        first = fit_logistic(F, positive, np.full(n, float(copies)), *task)
        second = fit_logistic(F.repeat(copies, axis=0), positive.repeat(copies), np.ones(copies * n), *task)
        np.testing.assert_array_equal(first, second)


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
    same = np.full(999, 0.1 * size)  # the unit of equal weights is that of their sum, too
    np.testing.assert_array_equal(on_grid(same), on_grid(np.append(same, 1e-9 * size))[:-1])


def test_rows_to_learn_from_have_weights_on_a_grid():
    X, y = ref.make_table(0)
    weight = np.random.default_rng(0).exponential(size=len(X))
    rows = make_ready(Training(X, y == 1, weight), Shape(8, None, None)).rows
    np.testing.assert_array_equal(rows.weight, on_grid(weight))
    assert (rows.weight != weight).any()


@pytest.mark.parametrize("cost", [None, 0.01, 4.0])
def test_classes_weigh_halfway_between_the_balance_and_the_cost(cost):
    X, y = ref.make_table(0)
    weight = np.random.default_rng(0).exponential(size=len(X))
    ready = make_ready(Training(X, y == 1, weight), Shape(8, None, cost))
    balance = weight[y == 1].sum() / weight[y == 0].sum()
    assert ready.cost == pytest.approx(balance if cost is None else cost)
    negative, positive = ready.rows.class_weight
    assert negative / positive == pytest.approx(balance if cost is None else np.sqrt(cost * balance))
    size = np.where(y == 1, positive, negative)
    assert size @ weight == pytest.approx(weight.sum())


@pytest.mark.parametrize("weight", [0.001, 1.0, 30.0])
def test_the_blur_narrows_with_the_rows_of_the_smaller_class(weight):
    X, y = ref.make_table(0)
    rows = make_ready(Training(X, y == 1, np.full(len(y), weight)), Shape(8, None, None)).rows
    assert rows.blur == pytest.approx(max(weight * min(y.sum(), (1 - y).sum()), 1) ** (-1 / 3))


def test_nothing_to_draw():
    X = np.column_stack([np.zeros(6), np.full(6, np.nan)])
    positive = np.arange(6) < 2
    rows = BinnedRows(make_bins(X, X, positive, np.ones(6), np.ones(2)), positive, np.ones(6), np.ones(2), 0.5)
    drawing = drawn(rows, 3, 2, 1.0)
    assert drawing.low.shape == (0, 2)
    assert drawing.inside.shape == (6, 0)
    assert drawing.cells.mass.tolist() == [[4], [2]]
    assert drawing.cells.logistic(rows, True) == pytest.approx([np.log(2 / 4)])


@pytest.mark.parametrize("column", ["constant", "missing"])
def test_columns_that_say_nothing_change_nothing(column):
    X, positive, weight = table_and_weights(1, 80, "whole")
    more = np.column_stack([X, np.full(80, 3.0 if column == "constant" else np.nan)])
    first, second = (
        drawn(BinnedRows(make_bins(Z, Z, positive, weight, np.ones(2)), positive, weight, np.ones(2), 0.3), 4, 3, 1.0)
        for Z in (X, more)
    )
    np.testing.assert_array_equal(first.low, second.low[:, :3])
    np.testing.assert_array_equal(first.high, second.high[:, :3])
    np.testing.assert_array_equal(first.inside, second.inside)
    assert (second.low[:, 3] == 0).all()
    assert (second.high[:, 3] == TOP).all()


@pytest.mark.parametrize("size", [1e-300, 1e-100, 1e150, 1e300])
def test_the_scale_of_columns_does_not_matter(size):
    X, positive, weight = table_and_weights(2, 80, "whole")
    first, second = (
        drawn(BinnedRows(make_bins(Z, Z, positive, weight, np.ones(2)), positive, weight, np.ones(2), 0.3), 4, 2, 1.0)
        for Z in (X, X * size)
    )
    np.testing.assert_array_equal(first.low, second.low)
    np.testing.assert_array_equal(first.high, second.high)
    np.testing.assert_allclose(first.inside, second.inside, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n_codes", "share"), [(30, 0.5), (30, 0.1), (100, 0.1)])
def test_the_luck_of_categories_is_the_gain_that_labels_drawn_by_lot_give(n_codes, share):
    rng = np.random.default_rng(n_codes)
    squares, n = [], 20_000
    for _ in range(40):
        code, positive = rng.integers(0, n_codes, n), rng.random(n) < share
        class_weight = np.array([0.5 / (1 - positive.mean()), 0.5 / positive.mean()])
        order = np.argsort(np.bincount(code, weights=positive) / np.bincount(code))
        X = np.argsort(order)[code][:, None].astype(float)
        bins = make_bins(X, X, positive, np.ones(n), class_weight)
        rows = BinnedRows(bins, positive, np.ones(n), class_weight, 1e-6, (n_codes,))
        gradient = boosting._gradients(np.zeros((n, 0)), np.zeros(1), positive, class_weight)
        task = bins.blurred(1e-6), gradient, np.ones(n), rounder_of(float(n)), 1e-6
        squares.append(boosting.grow(*task, np.zeros(1), 1, 0.1, 1.0)[2] ** 2)
    a = np.linspace(0, 2, 2001)
    most = (norm.pdf(a) ** 2 / norm.sf(a)).max()
    assert rows.luck == pytest.approx((n_codes - 1) * most * class_weight.mean(), rel=1e-3)
    assert np.mean(squares) == pytest.approx(rows.luck[0], rel=0.15)


def test_luck_is_taken_off_the_square_of_the_gain_once_a_column():
    rows = problem(1)
    gradient = boosting._gradients(np.zeros((len(rows.weight), 0)), np.zeros(1), rows.positive, rows.class_weight)
    task = rows.bins.blurred(rows.blur), gradient, rows.weight, rounder_of(1e3), rows.unit
    none = np.zeros(3)
    for max_limits in (1, 3):
        low, high, gain = boosting.grow(*task, none, max_limits, 0.0, 1.0)
        limited = (low > 0) | (high < TOP)
        luck = np.where(limited, 1e-3 * gain**2, gain**2)
        same = boosting.grow(*task, luck, max_limits, 0.0, 1.0)
        np.testing.assert_array_equal(same[0], low)
        np.testing.assert_array_equal(same[1], high)
        assert same[2] ** 2 == pytest.approx(gain**2 - luck[limited].sum(), rel=1e-9)
    assert boosting.grow(*task, none + gain**2, 3, 0.0, 1.0)[2] <= 0
