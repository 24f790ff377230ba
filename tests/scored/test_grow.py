"""Growing one box, against plain loops over all limits."""

import numpy as np
import pytest

from boxdraw.scored.bins import MISSING, TOP
from boxdraw.scored.grow import grow

from . import reference as ref

SEEDS = [*range(30), 419, 550]
RISE = 0.02


def problem(seed):
    """Codes, cuts, gradients and a penalty; sums of these gradients are exact in any order."""
    rng = np.random.default_rng(seed)
    n_columns, n_rows = int(rng.integers(1, 4)), int(rng.integers(2, 60))
    codes = rng.integers(0, rng.integers(1, 15), (n_columns, n_rows))
    codes[rng.random(codes.shape) < rng.choice([0, 0.2])] = MISSING
    cuts = np.sort(rng.normal(size=(n_columns, TOP + 1)), axis=1)
    positive = rng.random(n_rows) < 1 / (1 + np.exp(-rng.normal(codes[0] % 5 - 3)))
    p = rng.integers(1, 128, n_rows) / 128
    gradient = np.stack([positive - p, p * (1 - p)], axis=1)
    return codes.astype(np.uint8), cuts, gradient, float(rng.choice([0.25, 1.0, 3.0]))


def n_limits(low, high):
    return int((low > 0).sum() + (high < TOP).sum())


def parts(codes, outer, box):
    """Whether a box has some of the rows of another one, but not all."""
    return 0 < len(ref.rows_inside(codes, *box)) < len(ref.rows_inside(codes, *outer))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("max_limits", [1, 2, 4])
def test_the_gain_is_that_of_the_box(seed, sign, max_limits):
    codes, cuts, gradient, penalty = problem(seed)
    low, high, gain = grow(codes, cuts, gradient, penalty, max_limits, RISE, sign)
    if not n_limits(low, high):
        assert gain <= 0
        return
    assert n_limits(low, high) <= max_limits
    assert gain == pytest.approx(ref.gain(codes, gradient, low, high, penalty, sign), rel=1e-14)
    assert gain > 0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_limit_is_the_best_of_all(seed, sign):
    codes, cuts, gradient, penalty = problem(seed)
    low, high, gain = grow(codes, cuts, gradient, penalty, 1, RISE, sign)
    best, _ = ref.best_single_limit(codes, gradient, penalty, sign)
    if best <= 0:
        assert gain <= 0
        assert n_limits(low, high) == 0
    else:
        assert gain == pytest.approx(best, rel=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("max_limits", [2, 3, 4])
def test_more_limits_are_never_worse_than_one(seed, max_limits):
    codes, cuts, gradient, penalty = problem(seed)
    one = grow(codes, cuts, gradient, penalty, 1, RISE, 1.0)[2]
    assert grow(codes, cuts, gradient, penalty, max_limits, RISE, 1.0)[2] >= one


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("max_limits", [2, 3])
def test_no_limit_could_be_placed_better(seed, max_limits):
    codes, cuts, gradient, penalty = problem(seed)
    low, high, gain = grow(codes, cuts, gradient, penalty, max_limits, RISE, 1.0)
    for j in range(len(codes)):
        for side in (0, 1):
            if (low[j] == 0) if side == 0 else (high[j] == TOP):
                continue
            free_low, free_high = low.copy(), high.copy()
            (free_low if side == 0 else free_high)[j] = 0 if side == 0 else TOP
            for column in range(len(codes)):
                for other in (0, 1):
                    for box in ref.other_limits(free_low, free_high, column, other, codes[column]):
                        if parts(codes, (free_low, free_high), box):
                            assert ref.gain(codes, gradient, *box, penalty) <= gain * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_limit_would_raise_the_gain_enough(seed):
    codes, cuts, gradient, penalty = problem(seed)
    low, high, gain = grow(codes, cuts, gradient, penalty, 4, RISE, 1.0)
    if not n_limits(low, high) or n_limits(low, high) == 4:
        return
    for column in range(len(codes)):
        for side in (0, 1):
            for box in ref.other_limits(low, high, column, side, codes[column]):
                if parts(codes, (low, high), box):
                    assert ref.gain(codes, gradient, *box, penalty) <= gain * (1 + RISE + 1e-9)


@pytest.mark.parametrize("rise", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_limit_has_to_raise_the_gain_enough(seed, rise):
    codes, cuts, gradient, penalty = problem(seed)
    low, high, one = grow(codes, cuts, gradient, penalty, 1, rise, 1.0)
    if not n_limits(low, high):
        return
    more = max(
        (
            ref.gain(codes, gradient, *box, penalty)
            for column in range(len(codes))
            for side in (0, 1)
            for box in ref.other_limits(low, high, column, side, codes[column])
            if parts(codes, (low, high), box)
        ),
        default=0.0,
    )
    found = grow(codes, cuts, gradient, penalty, 2, rise, 1.0)
    if more <= one * (1 + rise) * (1 - 1e-12):
        np.testing.assert_array_equal(found[0], low)
        np.testing.assert_array_equal(found[1], high)
    elif more > one * (1 + rise) * (1 + 1e-12):
        assert found[2] >= more * (1 - 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_box_for_negative_points_is_that_of_opposite_gradients(seed):
    codes, cuts, gradient, penalty = problem(seed)
    first = grow(codes, cuts, gradient, penalty, 3, RISE, -1.0)
    second = grow(codes, cuts, gradient * [-1, 1], penalty, 3, RISE, 1.0)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_does_not_matter(seed):
    codes, cuts, gradient, penalty = problem(seed)
    order = np.random.default_rng(seed).permutation(len(gradient))
    first = grow(codes, cuts, gradient, penalty, 3, RISE, 1.0)
    second = grow(np.ascontiguousarray(codes[:, order]), cuts, gradient[order], penalty, 3, RISE, 1.0)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


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
    codes = np.array([[0, 0, 0, 5, 5, 5]], dtype=np.uint8)
    positions = np.full((1, TOP + 1), np.nan)
    positions[0, :5] = cuts
    rising = np.column_stack([[-0.5] * 3 + [0.5] * 3, [0.25] * 6])
    low, high, _ = grow(codes, positions, rising, 1.0, 1, RISE, 1.0)
    assert (low[0], high[0]) == (expected + 1, TOP)
    low, high, _ = grow(codes, positions, rising[::-1].copy(), 1.0, 1, RISE, 1.0)
    assert (low[0], high[0]) == (0, expected)


def test_missing_numbers_are_within_any_limits():
    codes = np.array([[0, 0, 3, 3, MISSING, MISSING]], dtype=np.uint8)
    cuts = np.arange(TOP + 1.0)[None]
    gradient = np.column_stack([[-0.5, -0.5, 0.5, 0.5, -0.25, -0.25], [0.25] * 6])
    low, high, gain = grow(codes, cuts, gradient, 1.0, 1, RISE, 1.0)
    assert (low[0] > 0, high[0]) == (True, TOP)
    assert gain == pytest.approx((0.5 + 0.5 - 0.25 - 0.25) / np.sqrt(4 * 0.25 + 1))


def test_nothing_to_cut():
    gradient = np.array([[0.5, 0.25], [0.5, 0.25]])
    for codes in ([[0, 0]], [[MISSING, MISSING]], [[2, MISSING]]):
        low, high, gain = grow(np.array(codes, np.uint8), np.zeros((1, TOP + 1)), gradient, 1.0, 2, RISE, 1.0)
        assert n_limits(low, high) == 0
        assert gain <= 0
