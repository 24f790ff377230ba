"""Growing one box, against plain loops over all limits."""

import numpy as np
import pytest

from boxdraw.learners.engine.climb import no_masks
from boxdraw.learners.scored.bins import MISSING, TOP, Blurred, make_bins
from boxdraw.learners.scored.grow import grow, membership
from boxdraw.learners.scored.logistic import rounder_of

from . import reference as ref

SEEDS = range(20)
RISE = 0.02
EXACT = 1.5 * 2.0**10  # rounds no gradient of these problems by more than their sums do anyway


def table_of(codes, values, cuts):
    """Return rows on bins; values and cuts are in widths of the blur."""
    full = [np.full((len(codes), TOP + 1), np.nan) for _ in range(2)]
    for j in range(len(codes)):
        full[0][j, : len(values[j])], full[1][j, : len(cuts[j])] = values[j], cuts[j]
    return Blurred(np.array(codes, dtype=np.uint8), *full, no_masks(len(codes), full[0].shape[1]))


def problem(seed, gap=40):
    """Rows on bins up to ``gap`` / 64 widths apart, gradients and a penalty; sums of these numbers are exact."""
    rng = np.random.default_rng(seed)
    n_columns, n_rows = int(rng.integers(1, 4)), int(rng.integers(2, 60))
    n_codes = int(rng.integers(1, 15))
    codes = rng.integers(0, n_codes, (n_columns, n_rows))
    codes[rng.random(codes.shape) < rng.choice([0, 0.2])] = MISSING
    values = np.cumsum(2 * rng.integers(1, max(gap // 2, 2), (n_columns, n_codes)), axis=1) / 64 - 2
    cuts = (values[:, 1:] + values[:, :-1]) / 2
    positive = rng.random(n_rows) < 1 / (1 + np.exp(-rng.normal(codes[0] % 5 - 3)))
    p = rng.integers(1, 128, n_rows) / 128
    gradient = np.stack([positive - p, p * (1 - p)], axis=1)
    return table_of(codes, values, cuts), gradient, float(rng.choice([0.25, 1.0, 3.0]))


def grown(table, gradient, penalty, max_limits, sign=1.0, rise=RISE, weight=None, rounder=EXACT):
    weight = np.ones(len(gradient)) if weight is None else weight
    luck = np.zeros(len(table.codes))
    return grow(table, gradient, weight, rounder, penalty, luck, max_limits, rise, sign)


def assert_same(first, second):
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def n_limits(low, high):
    return int((low > 0).sum() + (high < TOP).sum())


def no_limits(table):
    return [0] * len(table.codes), [TOP] * len(table.codes)


@pytest.mark.parametrize("seed", SEEDS)
def test_membership_is_the_product_over_limits(seed):
    table, _, _ = problem(seed)
    rng = np.random.default_rng(seed)
    n_cuts = int(np.isfinite(table.cuts[0]).sum())
    for _ in range(5):
        low, high = np.zeros(len(table.codes), np.int64), np.full(len(table.codes), TOP)
        for j in range(len(low)):
            a, b = np.sort(rng.integers(0, n_cuts + 1, 2))
            low[j], high[j] = a * (rng.random() < 0.7), b if b < n_cuts and rng.random() < 0.7 else TOP
        sharp = rng.random((len(low), 2)) < 0.3
        found = membership(table, low, high, sharp)
        np.testing.assert_allclose(found, ref.membership(table, low, high, sharp), rtol=1e-12)
        plain = np.zeros(len(found))
        plain[ref.rows_inside(table.codes, low, high)] = 1
        np.testing.assert_array_equal(membership(table, low, high, np.ones_like(sharp)), plain)


def test_membership_of_rows_on_and_around_a_limit():
    table = table_of([[0, 1, 2, 3, 4, MISSING]], [[-1.0, -0.25, 0.25, 0.5, 3.0]], [[-0.5, 0.0, 0.375, 2.0]])
    blurred, sharp = np.zeros((1, 2), np.bool_), np.ones((1, 2), np.bool_)
    above = np.array([2]), np.array([TOP])
    assert membership(table, *above, blurred).tolist() == [0, 0.25, 0.75, 1, 1, 1]
    assert membership(table, *above, sharp).tolist() == [0, 0, 1, 1, 1, 1]
    below = np.array([0]), np.array([1])
    assert membership(table, *below, blurred).tolist() == [1, 0.75, 0.25, 0, 0, 1]
    between = np.array([1]), np.array([2])
    assert membership(table, *between, blurred).tolist() == [0, 0.75, 0.625, 0.375, 0, 1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("max_limits", [2, 4])
def test_the_gain_is_that_of_the_box(seed, sign, max_limits):
    table, gradient, penalty = problem(seed)
    low, high, gain = grown(table, gradient, penalty, max_limits, sign)
    if not n_limits(low, high):
        assert gain <= 0
        return
    assert n_limits(low, high) <= max_limits
    assert (low <= high).all()
    assert gain == pytest.approx(ref.gain(table, gradient, low, high, penalty, sign), rel=1e-9)
    assert gain > 0


@pytest.mark.parametrize("gap", [2, 12, 40, 300])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_limit_is_the_best_of_all(seed, gap):
    """Whether nearly all bins are within the blur of a cut, or few, or none."""
    table, gradient, penalty = problem(seed, gap)
    for sign in (1.0, -1.0):
        low, high, gain = grown(table, gradient, penalty, 1, sign)
        best, _ = ref.best_limit(table, gradient, *no_limits(table), penalty, sign)
        if best <= 0:
            assert gain <= 0
            assert n_limits(low, high) == 0
        else:
            assert n_limits(low, high) == 1
            assert gain == pytest.approx(best, rel=1e-9)
            assert ref.gain(table, gradient, low, high, penalty, sign) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_more_limits_are_never_worse_than_one(seed):
    table, gradient, penalty = problem(seed)
    one = grown(table, gradient, penalty, 1)[2]
    assert grown(table, gradient, penalty, 2)[2] >= one
    assert grown(table, gradient, penalty, 4)[2] >= one


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("max_limits", [2, 3])
def test_no_limit_could_be_placed_better(seed, max_limits):
    table, gradient, penalty = problem(seed)
    low, high, gain = grown(table, gradient, penalty, max_limits)
    for box in ref.without_each(low, high):
        assert ref.best_limit(table, gradient, *box, penalty)[0] <= gain * (1 + 2e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_limit_would_raise_the_gain_enough(seed):
    table, gradient, penalty = problem(seed)
    low, high, gain = grown(table, gradient, penalty, 4)
    if 0 < n_limits(low, high) < 4:
        assert ref.best_limit(table, gradient, low, high, penalty)[0] <= gain * (1 + RISE) * (1 + 1e-9)


@pytest.mark.parametrize("rise", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_limit_has_to_raise_the_gain_enough(seed, rise):
    table, gradient, penalty = problem(seed)
    low, high, one = grown(table, gradient, penalty, 1, rise=rise)
    if not n_limits(low, high):
        return
    more, _ = ref.best_limit(table, gradient, low, high, penalty)
    found = grown(table, gradient, penalty, 2, rise=rise)
    if more <= one * (1 + rise) * (1 - 1e-9):
        assert_same(found, (low, high, one))
    elif more > one * (1 + rise) * (1 + 1e-9):
        assert n_limits(*found[:2]) == 2
        assert found[2] >= more * (1 - 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_box_for_negative_points_is_that_of_opposite_gradients(seed):
    table, gradient, penalty = problem(seed)
    assert_same(grown(table, gradient, penalty, 3, -1.0), grown(table, gradient * [-1, 1], penalty, 3))


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_rows_does_not_matter(seed):
    table, gradient, penalty = problem(seed)
    rng = np.random.default_rng(seed)
    gradient = gradient * rng.random((len(gradient), 1))  # no longer exact, but for the rounder
    order = rng.permutation(len(gradient))
    weight = rng.integers(1, 5, len(gradient)) + rng.integers(0, 8, len(gradient)) / 8
    task = penalty, 3, 1.0, RISE
    rounder = rounder_of(weight.sum())
    shuffled = table._replace(codes=np.ascontiguousarray(table.codes[:, order]))
    first = grown(table, gradient, *task, weight, rounder)
    assert_same(first, grown(shuffled, gradient[order], *task, weight[order], rounder))


@pytest.mark.parametrize("seed", range(10))
def test_whole_weights_are_copies(seed):
    table, gradient, penalty = problem(seed)
    rng = np.random.default_rng(seed)
    gradient = gradient * rng.random((len(gradient), 1))
    weight = rng.integers(1, 6, len(gradient))
    rows = rng.permutation(np.repeat(np.arange(len(weight)), weight))
    copies = table._replace(codes=np.ascontiguousarray(table.codes[:, rows]))
    rounder = rounder_of(float(weight.sum()))
    first = grown(table, gradient, penalty, 3, weight=weight.astype(float), rounder=rounder)
    assert_same(first, grown(copies, gradient[rows], penalty, 3, rounder=rounder))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrow_blur_compares_plainly(seed):
    table, gradient, penalty = problem(seed)
    narrow = table._replace(values=table.values * 1e6, cuts=table.cuts * 1e6)
    low, high, gain = grown(narrow, gradient, penalty, 2)
    if not n_limits(low, high):
        return
    rows = ref.rows_inside(table.codes, low, high)
    plain = gradient[rows].sum(axis=0)
    assert gain == pytest.approx(plain[0] / np.sqrt(plain[1] + penalty), rel=1e-9)
    sharp = np.zeros((len(low), 2), np.bool_)
    assert np.flatnonzero(membership(narrow, low, high, sharp)).tolist() == rows


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [
        ([0, 1, 2, 3, 10], 3),
        ([0, 7, 8, 9, 10], 1),
        ([0, 1, 5, 9, 10], 2),
        ([0, 4, 6, 7, 10], 1),
        ([3, 3.5, 4, 4.5, 5], 2),
    ],
)
def test_limits_are_in_the_middle_of_the_gap(cuts, expected):
    """Codes 0 and 5 have rows, so any of five cuts parts them: the one nearest to the middle of the cuts is taken."""
    values = [cuts[0] - 1, *(cut + 0.1 for cut in cuts)]
    table = table_of([[0, 0, 0, 5, 5, 5]], [[*values[:-1], cuts[-1] + 1]], [cuts])
    rising = np.column_stack([[-0.5] * 3 + [0.5] * 3, [0.25] * 6])
    low, high, _ = grown(table, rising, 1.0, 1)
    assert (low[0], high[0]) == (expected + 1, TOP)
    low, high, _ = grown(table, rising[::-1].copy(), 1.0, 1)
    assert (low[0], high[0]) == (0, expected)


def test_cuts_of_equal_gain_with_worse_ones_between_are_no_gap():
    """Above the first cut the gain is 2 / sqrt(4), above the last 1 / sqrt(1), and between them less."""
    table = table_of([[0, 1, 2, 3]], [[-5.0, 5, 15, 25]], [[0.0, 10, 20]])
    gradient = np.array([[-2.0, 0.25], [1.5, 1.5], [-0.5, 1.5], [1, 0.75]])
    low, high, gain = grown(table, gradient, 0.25, 1)
    assert (low[0], high[0], gain) == (1, TOP, 1)


def test_missing_numbers_are_within_any_limits():
    table = table_of([[0, 0, 3, 3, MISSING, MISSING]], [np.arange(4) - 0.5], [np.arange(3.0)])
    gradient = np.column_stack([[-0.5, -0.5, 0.5, 0.5, -0.25, -0.25], [0.25] * 6])
    low, high, gain = grown(table, gradient, 1.0, 1)
    assert (low[0] > 0, high[0]) == (True, TOP)
    assert gain == pytest.approx((0.5 + 0.5 - 0.25 - 0.25) / np.sqrt(4 * 0.25 + 1))


@pytest.mark.parametrize("codes", [[0, 0], [MISSING, MISSING], [2, MISSING]])
def test_nothing_to_cut(codes):
    gradient = np.array([[0.5, 0.25], [0.5, 0.25]])
    for values, cuts in (([], []), ([0.0, 1, 2], [0.5, 1.5])):
        low, high, gain = grown(table_of([codes], [values], [cuts]), gradient, 1.0, 2)
        assert n_limits(low, high) == 0
        assert gain <= 0


@pytest.mark.parametrize("seed", range(10))
def test_next_to_no_penalty(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    y = rng.random(80) < 1 / (1 + np.exp(-3 * X[:, 0]))
    p = rng.uniform(0.02, 0.98, 80)
    bins = make_bins(X, X, y, np.ones(80), np.ones(2))
    table, gradient = bins.blurred(0.3), np.column_stack([y - p, p * (1 - p)])
    for sign in (1.0, -1.0):
        low, high, gain = grown(table, gradient, 1e-300, 4, sign, rounder=rounder_of(80.0))
        assert np.isfinite(gain)
        assert gain == pytest.approx(ref.gain(table, gradient, low, high, 1e-300, sign), rel=1e-9)


@pytest.mark.parametrize(
    "far",
    [
        pytest.param([-1e16], id="one"),
        pytest.param([-1e300], id="very far"),
        pytest.param([1e300], id="very far above"),
        pytest.param([-1e15, -1e15 + 0.125, -1e15 + 0.25], id="some near each other"),
        pytest.param([-1e14, 1e14], id="to both sides"),
        pytest.param([-1e9 - 0.02, -1e9 - 0.01, -1e9], id="not so far"),
    ],
)
def test_values_far_out_do_not_blur_the_others(far):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1))
    y = (X[:, 0] > 0.3) ^ (rng.random(200) < 0.1)
    gradient = np.column_stack([y - 0.5, np.full(200, 0.25)])
    X[: len(far), 0] = far
    bins = make_bins(X, X, y, np.ones(200), np.ones(2))
    low, high, gain = grown(bins.blurred(0.2), gradient, 1.0, 1, rounder=rounder_of(200.0))
    table = bins.codes, bins.values, bins.cuts
    best, box = ref.best_limit(table, gradient, [0], [TOP], 1.0, width=2 * 0.2 * bins.spread[0])
    assert gain == pytest.approx(best, rel=1e-6)
    assert (low, high) == box
