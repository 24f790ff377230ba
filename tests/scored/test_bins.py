"""Bins: codes, cuts and limits say the same of every row."""

import math
from fractions import Fraction

import numpy as np
import pytest

from boxdraw.scored.bins import MISSING, MOST, TOP, make_bins
from boxdraw.sums import on_grid

NAN = math.nan
TINY = 5e-324


def adjacent(start, n):
    values = [start]
    while len(values) < n:
        values.append(np.nextafter(values[-1], np.inf))
    return np.array(values)


COLUMNS = {
    "few values": np.array([3.0, 1, 2, 2, 3, 3, 7]),
    "negative zero": np.array([-0.0, 0.0, -1, 1, 0]),
    "missing": np.array([NAN, 1, 5, NAN, 2, 2]),
    "only missing": np.array([NAN, NAN, NAN]),
    "constant": np.array([4.0, 4, 4]),
    "constant or missing": np.array([4.0, NAN, 4]),
    "adjacent floats": adjacent(1.0, 9),
    "adjacent floats around 0": np.array([-TINY, 0, TINY, 2 * TINY, 3 * TINY]),
    "denormals": np.arange(-40, 41) * TINY,
    "huge": np.array([-1.7e308, -1e308, 0, 1e-300, 1e308, 1.7e308]),
    "next to the largest": np.array([np.finfo(float).max, np.nextafter(np.finfo(float).max, 0), 1.0]),
    "255 values": np.arange(255.0),
    "256 values": np.arange(256.0),
    "many values": np.random.default_rng(0).normal(size=2000),
    "many values, one heavy": np.append(np.random.default_rng(1).normal(size=700), np.zeros(900)),
    "many values, missing": np.where(np.arange(900) % 7 == 0, NAN, np.random.default_rng(2).exponential(size=900)),
    "many adjacent floats": adjacent(-1.0, 700),
    "many denormals": np.arange(-300, 300) * TINY,
}


def bins_of(column, weight=None):
    X = np.asarray(column, dtype=np.float64)[:, None]
    return make_bins(X, X, np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64))


def limits(bins, low, high):
    lower, upper = bins.limits(np.array([[low]]), np.array([[high]]))
    return lower[0, 0], upper[0, 0]


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_limits_hold_exactly_the_rows_of_their_codes(column):
    bins = bins_of(column)
    code = bins.codes[0].astype(int)
    np.testing.assert_array_equal(code == MISSING, np.isnan(column))
    known = ~np.isnan(column)
    used = np.unique(code[known]).tolist()
    assert used == list(range(len(used)))
    assert np.isfinite(bins.cuts[0]).sum() == max(len(used) - 1, 0)
    starts = used if len(used) < 20 else used[:3] + used[100:103] + used[-3:]
    for low in starts:
        for high in [code for code in [*starts, TOP] if low <= code and (code < len(used) - 1 or code == TOP)]:
            lower, upper = limits(bins, low, high)
            held = (column >= lower) & (column <= upper)
            np.testing.assert_array_equal(held[known], ((code >= low) & (code <= high))[known])


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_codes_are_the_number_of_cuts_at_or_below(column):
    bins = bins_of(column)
    cuts = [cut for cut in bins.cuts[0].tolist() if not math.isnan(cut)]
    assert cuts == sorted(set(cuts))
    for value, code in zip(column.tolist(), bins.codes[0].tolist(), strict=True):
        assert code == (MISSING if math.isnan(value) else sum(cut <= value for cut in cuts))


def test_no_limits_are_infinite():
    bins = bins_of(np.arange(300.0))
    assert limits(bins, 0, TOP) == (-np.inf, np.inf)
    assert bins.codes.max() == TOP


@pytest.mark.parametrize("n", [2, 40, 255])
def test_each_of_few_values_has_its_bin(n):
    values = np.random.default_rng(n).permutation(np.arange(n) ** 2.0)
    bins = bins_of(np.append(values, values[:1]))
    np.testing.assert_array_equal(bins.codes[0, :n], np.argsort(np.argsort(values)))
    in_order = np.sort(values)
    np.testing.assert_array_equal(bins.cuts[0, : n - 1], (in_order[1:] + in_order[:-1]) / 2)


@pytest.mark.parametrize("seed", range(8))
def test_bins_of_many_values_are_of_about_equal_weight(seed):
    rng = np.random.default_rng(seed)
    column = np.round(rng.normal(size=1500), 2 + seed % 3)
    weight = rng.integers(1, [2, 9, 400][seed % 3], len(column))
    code = bins_of(column, weight).codes[0]
    assert len(np.unique(column)) > MOST >= len(np.unique(code)) > MOST / 3
    share = Fraction(int(weight.sum()), MOST)
    for bin_ in np.unique(code):
        rows = code == bin_
        # but for its last value, which may be a heavy one, a bin has at most its share
        assert weight[rows & (column < column[rows].max())].sum() <= share


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_the_spread_is_the_standard_deviation(column):
    spread = bins_of(column).spread[0]
    known = [Fraction(value) for value in column.tolist() if not math.isnan(value)]
    if len(set(known)) < 2:
        assert spread == 1
        return
    mean = sum(known) / len(known)
    square = sum((value - mean) ** 2 for value in known) / len(known)
    scale = Fraction(max(map(abs, known)))
    expected = float(scale) * math.sqrt(square / scale**2)
    assert spread == pytest.approx(expected, rel=1e-9, abs=max(2 * TINY, 1e-15 * float(scale)))
    assert spread > 0


def test_a_spread_below_all_floats_is_no_spread():
    assert bins_of([0.0, TINY, 0, 0, 0, 0, 0, 0, 0]).spread[0] in (TINY, 1.0)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_whole_weights_are_copies(column):
    weight = np.random.default_rng(0).integers(1, 6, len(column))
    first, second = bins_of(column, weight), bins_of(np.repeat(column, weight))
    np.testing.assert_array_equal(first.cuts, second.cuts)
    np.testing.assert_array_equal(first.spread, second.spread)
    np.testing.assert_array_equal(np.repeat(first.codes, weight, axis=1), second.codes)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("kind", ["none", "whole", "any"])
def test_the_order_of_rows_does_not_matter(column, kind):
    rng = np.random.default_rng(0)
    column = np.repeat(column, 2)
    weights = {"none": np.ones(len(column)), "whole": rng.integers(1, 9, len(column)), "any": rng.random(len(column))}
    weight, order = on_grid(weights[kind]), rng.permutation(len(column))
    first, second = bins_of(column, weight), bins_of(column[order], weight[order])
    np.testing.assert_array_equal(first.cuts, second.cuts)
    np.testing.assert_array_equal(first.spread, second.spread)
    np.testing.assert_array_equal(first.codes[:, order], second.codes)


def test_columns_by_themselves_in_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=900), np.round(rng.normal(size=900), 1), rng.random(900)]).astype(np.float32)
    X[::5, 1] = NAN
    weight = rng.random(900)
    plain, threads = make_bins(X, X, weight), make_bins(X, X, weight, n_jobs=2)
    for j in range(3):
        alone = bins_of(X[:, j], weight)
        for bins in (plain, threads):
            np.testing.assert_array_equal(bins.codes[j], alone.codes[0])
            np.testing.assert_array_equal(bins.cuts[j], alone.cuts[0])
            assert bins.spread[j] == alone.spread[0]


def test_a_sample_decides_where_the_bins_are():
    few = np.array([[1.0], [2.0], [3.0]])
    X = np.array([[-5.0], [1.4], [1.5], [2.2], [9.0], [NAN]])
    bins = make_bins(X, few, np.array([1.0, 1, 2]))
    assert bins.codes.tolist() == [[0, 0, 1, 1, 2, MISSING]]
    np.testing.assert_array_equal(bins.cuts[0, :3], [1.5, 2.5, NAN])
    assert bins.spread[0] == pytest.approx(np.std([1, 2, 3, 3]))


def test_take_keeps_the_bins():
    bins = bins_of([5.0, 1, 3, NAN])
    some = bins.take(np.array([3, 0, 0]))
    assert some.codes.tolist() == [[MISSING, 2, 2]]
    assert some.cuts is bins.cuts
    assert some.spread is bins.spread
