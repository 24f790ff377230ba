"""Sharp limits: the credit of steps against plain counts, and where limits go for it."""

import math

import numpy as np
import pytest

from boxdraw.learners.engine.climb import no_masks
from boxdraw.learners.scored.bins import MISSING, TOP, Blurred, make_bins
from boxdraw.learners.scored.grow import grow, membership
from boxdraw.learners.scored.logistic import rounder_of
from boxdraw.learners.scored.sharpen import CLEAR, CLOSE, sharpen

from . import reference as ref

SEEDS = range(20)


def table_of(codes, values):
    """Return rows on bins with a cut midway between values, which are in widths of the blur."""
    full = np.full((2, len(codes), TOP + 1), np.nan)
    for j, column in enumerate(values):
        full[0, j, : len(column)] = column
        full[1, j, : len(column) - 1] = (np.array(column[1:]) + column[:-1]) / 2
    return Blurred(np.array(codes, dtype=np.uint8), full[0], full[1], no_masks(len(codes), TOP + 1))


def sharpened(table, positive, low, high, sign=1.0, weight=None):
    weight = np.ones(len(positive)) if weight is None else weight
    low, high = np.array(low), np.array(high)
    return sharpen(table, np.asarray(positive, dtype=bool), weight, sign, low, high), low, high


def problem(seed, n_columns=1):
    """Rows on 15 bins, some with more positives from a bin on, or fewer, and a limit on each column."""
    rng = np.random.default_rng(seed)
    n_rows, n_codes = int(rng.integers(30, 300)), 15
    codes = rng.integers(0, n_codes, (n_columns, n_rows))
    edge = rng.integers(4, 12, n_columns)
    chance = np.where((codes >= edge[:, None]).all(axis=0) ^ (seed % 2), 0.9, rng.choice([0.01, 0.2, 0.5]))
    codes[rng.random(codes.shape) < 0.05] = MISSING
    values = np.cumsum(rng.integers(1, 24, (n_columns, n_codes)), axis=1) / 64
    weight = rng.integers(1, 4, n_rows).astype(float)
    return table_of(codes, values), rng.random(n_rows) < chance, weight, rng.integers(2, 13, n_columns)


def expected_step(table, positive, weight, column, here, held, up):
    """The most credit that a step of the right direction has, and the cuts that have it."""
    there = held & (table.codes[column] != MISSING)
    n = int(np.isfinite(table.values[column]).sum())
    rows = table.codes[column][there].tolist(), positive[there].tolist(), weight[there].tolist()
    credits = ref.steps(*rows, table.values[column][:n].tolist(), table.cuts[column][: n - 1].tolist(), here)
    credits = {cut: credit if up else -credit for cut, credit in credits.items()}
    best = max(credits.values())
    return best, [cut for cut, credit in credits.items() if credit > best * (1 - 1e-9)]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_limit_goes_to_the_step_of_most_credit_if_that_is_clear(seed, sign, side):
    table, positive, weight, here = problem(seed)
    here = int(here[0])
    box = ([here + 1], [TOP]) if side == 0 else ([0], [here])
    sharp, low, high = sharpened(table, positive, *box, sign, weight)
    best, cuts = expected_step(table, positive, weight, 0, here, np.ones(len(weight), bool), (sign > 0) == (side == 0))
    assert abs(best - CLEAR) > 1e-6
    assert sharp[0].tolist() == [side == s and best > CLEAR for s in (0, 1)]
    if best > CLEAR:
        assert (low[0] - 1 if side == 0 else high[0]) in cuts
    else:
        assert ([low[0]], [high[0]]) == box
    assert (low[0] == 0) if side == 1 else (high[0] == TOP)


def test_there_are_both_clear_and_unclear_steps_to_test():
    clear = 0
    for seed in SEEDS:
        table, positive, weight, here = problem(seed)
        clear += sharpened(table, positive, here + 1, [TOP], 1.0 - 2 * (seed % 2), weight)[0].any()
    assert 3 <= clear <= len(SEEDS) - 3


@pytest.mark.parametrize("seed", SEEDS)
def test_each_limit_in_turn_for_the_rows_within_the_others(seed):
    """Limits before it are where they have gone to, sharp or not, those after it where they were."""
    table, positive, weight, here = problem(seed, 2)
    table = table._replace(values=2 * table.values, cuts=2 * table.cuts)  # so that the two are far apart
    here = np.minimum(here, 4)
    box = here + 1, np.array([TOP, 13])
    sharp, low, high = sharpened(table, positive, *box, 1.0, weight)
    now, edges = [box[0].tolist(), box[1].tolist()], np.zeros((2, 2), dtype=bool)
    assert table.cuts[1, box[1][1]] - table.cuts[1, box[0][1] - 1] > CLOSE
    for j, side in ((0, 0), (1, 0), (1, 1)):
        at = now[0][j] - 1 if side == 0 else now[1][j]
        now[side][j] = 0 if side == 0 else TOP
        held = ref.membership(table, *now, edges) >= 0.5
        best, cuts = expected_step(table, positive, weight, j, at, held, side == 0)
        found = int(low[j] - 1 if side == 0 else high[j])
        assert sharp[j, side] == (best > CLEAR)
        assert found in cuts if sharp[j, side] else found == at
        now[side][j] = found + 1 if side == 0 else found
        edges[j, side] = sharp[j, side]
    assert (low <= high).all()


def plain_credit(inside, positive, weight):
    """The log-likelihood that two shares have more than one."""

    def best(rows):
        n, k = weight[rows & ~positive].sum(), weight[rows & positive].sum()
        return sum(x * math.log(x / (n + k)) for x in (n, k) if x > 0)

    return best(inside) + best(~inside) - best(np.ones(len(inside), bool))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("seed", range(12))
def test_an_interval_narrower_than_the_blur_is_found_as_it_is(seed, sign):
    """Of all intervals of whole numbers around the limits drawn, none has more credit."""
    rng = np.random.default_rng(seed)
    codes, spike = rng.integers(0, 24, 1000), int(rng.integers(6, 18))
    share = np.where(codes == spike, 0.9, 0.05)
    positive = rng.random(1000) < (share if sign > 0 else 1 - share)
    weight = rng.integers(1, 4, 1000).astype(float)
    blur = float(rng.choice([3.0, 4.0, 5.0]))
    table = table_of([codes], [np.arange(24) / blur])
    sharp, low, high = sharpened(table, positive, [spike - 2], [spike + 2], sign, weight)
    assert 5 / blur <= CLOSE
    assert sharp.all()
    assert (low[0], high[0]) == (spike, spike)
    first, last = spike - 2, spike + 2
    while (first - 1) / blur > (spike - 2.5) / blur - 0.5:
        first -= 1
    while (last + 1) / blur < (spike + 2.5) / blur + 0.5:
        last += 1
    near = (codes >= first) & (codes <= last)
    credits = {
        (a, b): plain_credit(((codes >= a) & (codes <= b))[near], positive[near], weight[near])
        for a in range(first, last)
        for b in range(a, last)
        if a == b or b - a + 1 <= blur
    }
    assert max(credits, key=credits.get) == (spike, spike)
    assert credits[spike, spike] > CLEAR


def test_an_unclear_interval_stays_as_it_was_drawn():
    codes = np.repeat(np.arange(24), 4)
    positive = np.arange(96) % 4 == 0
    sharp, low, high = sharpened(table_of([codes], [np.arange(24) / 4]), positive, [9], [13])
    assert not sharp.any()
    assert (low[0], high[0]) == (9, 13)


def test_credit_is_that_of_two_shares_as_against_one():
    """8 rows on either side of a step without exceptions have 16 log 2 = 11.1 to their credit, 5 rows 6.9."""
    values = np.arange(20) / 25
    for n, is_clear in ((8, True), (5, False)):
        y = np.arange(20) >= 10
        rows = np.arange(10 - n, 10 + n)
        sharp, low, _ = sharpened(table_of([rows], [values]), y[rows], [9], [TOP])
        assert sharp[0, 0] == is_clear
        assert low[0] == (10 if is_clear else 9)
        assert (2 * n * math.log(2) > CLEAR) == is_clear


def test_limits_move_only_within_their_blur():
    """The step is at 10: from far away it is out of sight."""
    y = np.arange(40) // 2 >= 10
    table = table_of([np.arange(40) // 2], [np.arange(20) / 10])
    found = {here: sharpened(table, y, [here], [TOP]) for here in range(1, 20)}
    weight = np.full(40, 20.0)
    heavy = {here: sharpened(table, y, [here], [TOP], 1.0, weight) for here in range(1, 20)}
    for here in range(1, 20):
        in_sight = 6 <= here <= 14  # of a blur of five bins to either side, with some beyond the step
        assert heavy[here][0][0, 0] == in_sight
        assert heavy[here][1][0] == (10 if in_sight else here)
        assert not found[here][0].any() or found[here][1][0] == 10


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_only_steps_in_the_right_direction(sign):
    y = np.arange(60) // 3 >= 10
    table = table_of([np.arange(60) // 3], [np.arange(20) / 30])
    for kinds, up in ((y, True), (~y, False)):
        sharp, low, _ = sharpened(table, kinds, [8], [TOP], sign)
        assert sharp.tolist() == [[(sign > 0) == up, False]]
        assert low[0] == (10 if (sign > 0) == up else 8)
        sharp, _, high = sharpened(table, kinds, [0], [12], sign)
        assert sharp.tolist() == [[False, (sign > 0) != up]]
        assert high[0] == (9 if (sign > 0) != up else 12)


def test_in_the_middle_of_a_gap():
    """No rows have the codes 8 to 12, so that the step may be at any cut from 7 to 12."""
    codes = np.repeat([*range(8), *range(13, 20)], 4)
    table = table_of([codes], [np.arange(20) / 30])
    for here in (6, 10, 14):
        sharp, low, _ = sharpened(table, codes > 10, [here], [TOP])
        assert sharp[0, 0]
        assert low[0] - 1 in (9, 10)


def test_no_limits_stay_none():
    table, positive, weight, _ = problem(0)
    sharp, low, high = sharpened(table, positive, [0], [TOP], 1.0, weight)
    assert not sharp.any()
    assert (low[0], high[0]) == (0, TOP)


def test_limits_of_a_column_do_not_cross():
    """The step down from 5 on is below a lower limit at 8, which stays below the upper one."""
    codes = np.repeat(np.arange(16), 9)
    table = table_of([codes], [np.arange(16) / 40])
    for low in range(1, 16):
        for high in range(low, 15):
            for y in (codes >= 5, codes < 5, (codes >= 5) & (codes < 9)):
                for sign in (1.0, -1.0):
                    _, a, b = sharpened(table, y, [low], [high], sign)
                    assert a[0] <= b[0]


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_the_order_of_rows_and_copies(seed):
    table, positive, weight, here = problem(seed, 2)
    box = here + 1, [TOP, TOP]
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(weight)), weight.astype(int)))
    copies = table._replace(codes=np.ascontiguousarray(table.codes[:, rows]))
    first, second = sharpened(table, positive, *box, 1.0, weight), sharpened(copies, positive[rows], *box)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def learned(X, y, blur, signed=False):
    """The best box of two limits at even odds, for positives or for negatives, before and after."""
    n = len(y)
    bins = make_bins(X, X, y, np.ones(n), np.ones(2))
    table = bins.blurred(blur)
    gradient = np.column_stack([y - y.mean(), np.full(n, y.mean() * (1 - y.mean()))])
    sign = -1.0 if signed else 1.0
    low, high, _ = grow(
        table, gradient, np.ones(n), rounder_of(float(n)), 1.0, np.zeros(len(table.codes)), 2, 0.02, sign
    )
    before = low.copy(), high.copy()
    sharp = sharpen(table, y, np.ones(n), sign, low, high)
    return bins, table, before, low, high, sharp


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rules_without_exceptions_are_found_exactly(seed, signed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(240, 3))
    rule = (X[:, 0] > 0.2) & (X[:, 2] < 0.4)
    y = ~rule if signed else rule
    bins, table, _, low, high, sharp = learned(X, y, 60.0 ** (-1 / 3), signed)
    held = np.zeros(240, dtype=bool)
    held[ref.rows_inside(bins.codes, low, high)] = True
    np.testing.assert_array_equal(held, rule)
    np.testing.assert_array_equal(membership(table, low, high, sharp), rule)
    assert sharp.tolist() == [[True, False], [False, False], [False, True]]


@pytest.mark.parametrize("n", [200, 2000])
def test_limits_amid_a_smooth_rise_stay_blurred(n):
    """For any number of rows, as the blur narrows with it."""
    stay = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 1))
        y = rng.random(n) < ref.sigmoid(2 * X[:, 0])
        _, _, before, low, high, sharp = learned(X, y, (n / 2) ** (-1 / 3))
        assert (low > 0).any() or (high < TOP).any()
        if not sharp.any():
            stay += 1
            np.testing.assert_array_equal(before, (low, high))
    assert stay >= 11


@pytest.mark.parametrize("size", [1e-150, 1e90, 1e180])
def test_weights_of_any_size(size):
    """Next to no weight makes no step clear, much weight the true one, in the right direction only."""
    y = np.arange(60) // 3 >= 10
    y[[1, 20, 37, 58]] ^= True
    table = table_of([np.arange(60) // 3], [np.arange(20) / 30])
    sharp, low, _ = sharpened(table, y, [8], [TOP], 1.0, np.full(60, size))
    assert (sharp[0, 0], low[0]) == ((True, 10) if size > 1 else (False, 8))
    sharp, low, _ = sharpened(table, ~y, [8], [TOP], 1.0, np.full(60, size))
    assert (sharp[0, 0], low[0]) == (False, 8)
