"""Bins: codes, cuts and limits say the same of every row."""

import math
from fractions import Fraction

import numpy as np
import pytest

from boxdraw._core.sums import on_grid
from boxdraw.learners.scored.bins import MISSING, MOST, TOP, make_bins

from . import reference as ref

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


EVEN = np.ones(2)


def bins_of(column, weight=None, positive=None, class_weight=EVEN):
    X = np.asarray(column, dtype=np.float64)[:, None]
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    positive = np.zeros(len(X), dtype=bool) if positive is None else positive
    return make_bins(X, X, positive, weight, class_weight)


def known(numbers):
    return numbers[~np.isnan(numbers)].tolist()


def limits(bins, low, high):
    lower, upper = bins.limits(np.array([[low]]), np.array([[high]]))
    return lower[0, 0], upper[0, 0]


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_limits_hold_exactly_the_rows_of_their_codes(column):
    bins = bins_of(column)
    code = bins.codes[0].astype(int)
    np.testing.assert_array_equal(code == MISSING, np.isnan(column))
    there = ~np.isnan(column)
    used = np.unique(code[there]).tolist()
    assert used == list(range(len(used)))
    assert np.isfinite(bins.cuts[0]).sum() == max(len(used) - 1, 0)
    starts = used if len(used) < 20 else used[:3] + used[100:103] + used[-3:]
    for low in starts:
        for high in [code for code in [*starts, TOP] if low <= code and (code < len(used) - 1 or code == TOP)]:
            lower, upper = limits(bins, low, high)
            held = (column >= lower) & (column <= upper)
            np.testing.assert_array_equal(held[there], ((code >= low) & (code <= high))[there])


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
    """Each ends at the first value up to which there are so many shares; a class weighs as in learning."""
    rng = np.random.default_rng(seed)
    column = np.round(rng.normal(size=1500), 2 + seed % 3)
    positive = rng.random(1500) < 0.1
    weight = rng.integers(1, [2, 9, 400][seed % 3], len(column))
    class_weight = [EVEN, np.array([1.0, 9.0]), np.array([7.0, 2.0])][seed % 3]
    bins = bins_of(column, weight, positive, class_weight)
    values, place = np.unique(column, return_inverse=True)
    assert len(values) > MOST
    mass = [0] * len(values)
    for at, heavy in zip(place, ref.class_mass(positive, weight, class_weight), strict=True):
        mass[at] += Fraction(heavy)
    ends, below, at, share = set(), Fraction(0), -1, sum(mass) / MOST
    for k in range(1, MOST):
        while below < k * share:
            at += 1
            below += mass[at]
        ends.add(min(at, len(values) - 2))
    expected = [values[b] / 2 + values[b + 1] / 2 for b in sorted(ends)]
    assert known(bins.cuts[0]) == expected


def test_there_are_as_many_bins_where_positives_are():
    rng = np.random.default_rng(0)
    positive = np.arange(4000) < 200
    column = rng.random(4000) + positive
    plain, balanced = (bins_of(column, None, positive, np.array([1.0, heavy])) for heavy in (1.0, 19.0))
    n_plain, n_balanced = (len(np.unique(bins.codes[0, positive])) for bins in (plain, balanced))
    assert n_plain == pytest.approx(MOST / 20, abs=2)
    assert n_balanced == pytest.approx(MOST / 2, abs=2)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_values_are_inside_their_bins(column):
    bins = bins_of(column)
    values, cuts = known(bins.values[0]), known(bins.cuts[0])
    assert len(values) == len(np.unique(bins.codes[0, ~np.isnan(column)]))
    assert set(values) <= set(column.tolist())
    assert np.searchsorted(cuts, values, side="right").tolist() == list(range(len(values)))
    if len(np.unique(column[~np.isnan(column)])) <= MOST:
        assert values == known(np.unique(column))


def middle_of(column, code, c):
    inside = np.unique(column[code == c])
    return inside[(len(inside) - 1) // 2]


@pytest.mark.parametrize("name", ["many values", "many values, one heavy", "many values, missing", "256 values"])
def test_the_value_of_a_bin_is_in_the_middle(name):
    bins = bins_of(COLUMNS[name])
    for c, value in enumerate(known(bins.values[0])):
        assert value == middle_of(COLUMNS[name], bins.codes[0], c)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("class_weight", [EVEN, np.array([0.5, 4.0])], ids=["even", "uneven"])
def test_the_spread_is_the_standard_deviation_or_that_of_the_middle_half(column, class_weight):
    positive = np.arange(len(column)) % 3 == 0
    spread = bins_of(column, None, positive, class_weight).spread[0]
    there = ~np.isnan(column)
    exact = [Fraction(value) for value in column[there].tolist()]
    if len(set(exact)) < 2:
        assert spread == 1
        return
    mass = ref.class_mass(positive, np.ones(len(column)), class_weight)[there]
    share = [Fraction(heavy) / Fraction(mass.sum()) for heavy in mass]
    mean = sum(value * part for value, part in zip(exact, share, strict=True))
    square = sum((value - mean) ** 2 * part for value, part in zip(exact, share, strict=True))
    scale = Fraction(max(map(abs, exact)))
    expected = float(scale) * math.sqrt(square / scale**2)
    upper, lower = (Fraction(ref.quantile(column[there], mass, q)) for q in (0.75, 0.25))
    if 0 < (upper - lower) / Fraction(1.349) < Fraction(expected):
        expected = float((upper - lower) / Fraction(1.349))
    assert spread == pytest.approx(expected, rel=1e-9, abs=max(2 * TINY, 3e-15 * float(scale)))
    assert spread > 0


def test_a_few_values_far_out_do_not_change_the_spread():
    column = np.random.default_rng(0).normal(size=400)
    plain = bins_of(column).spread[0]
    column[:3] = 1e6, -1e9, 1e300
    assert bins_of(column).spread[0] == pytest.approx(plain, rel=0.05)


def test_quartiles_of_equal_values_leave_the_standard_deviation():
    column = np.append(np.zeros(90), np.arange(10.0))
    assert bins_of(column).spread[0] == pytest.approx(column.std())


def test_quarters_are_exact():
    """Both quartiles are reached exactly, whatever the rounding errors of the shares: 2 of 8 and 6 of 8."""
    for factor in (1.0, 0.1, 1 / 3, 0.7):
        spread = bins_of(np.arange(8.0), None, None, np.full(2, factor)).spread[0]
        assert spread == pytest.approx(min(np.arange(8).std(), (5 - 1) / 1.349))


def test_a_spread_below_all_floats_is_no_spread():
    assert bins_of([0.0, TINY, 0, 0, 0, 0, 0, 0, 0]).spread[0] in (TINY, 1.0)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("blur", [0.01, 1.0])
def test_places_are_in_widths_of_the_blur(column, blur):
    """Near a cut they are those of exact numbers; all of them are finite, in order, and beyond the last is nothing."""
    bins = bins_of(column)
    table = bins.blurred(blur)
    n = len(known(bins.values[0]))
    assert table.codes is bins.codes
    if n < 2:
        return
    values, cuts = table.values[0, :n], table.cuts[0, : n - 1]
    assert np.isfinite(values).all()
    assert np.isfinite(cuts).all()
    assert (values[:-1] <= cuts).all()
    assert (cuts <= values[1:]).all()
    assert np.isnan(table.cuts[0, n - 1 :]).all()
    width = 2 * Fraction(blur) * Fraction(bins.spread[0])
    for c in range(0, n - 1, 1 + n // 20):
        cut = Fraction(bins.cuts[0, c])
        for b in (c, c + 1):
            place = float((Fraction(bins.values[0, b]) - cut) / width)
            assert values[b] - cuts[c] == pytest.approx(place, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("far", [[-1e17], [1e17], [-1e300, -1.7e308, 1.7e308], [1.1e300, 1e300]])
@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_places_of_the_others_where_some_values_are_far_out(far, size):
    n_below = sum(value < 0 for value in far)
    bins = bins_of(np.append(np.arange(100) * size, far))
    table = bins.blurred(0.1)
    assert np.isfinite(table.values[0, : 100 + len(far)]).all()
    assert np.isfinite(table.cuts[0, : 99 + len(far)]).all()
    values, cuts = table.values[0, n_below : n_below + 100], table.cuts[0, n_below : n_below + 99]
    width = 2 * 0.1 * bins.spread[0]
    assert 5 * size < width < 10 * size
    np.testing.assert_allclose(np.diff(values), size / width, rtol=1e-9)
    np.testing.assert_allclose(cuts - values[:-1], size / width / 2, rtol=1e-9)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_whole_weights_are_copies(column):
    weight, positive, sizes = np.random.default_rng(0).integers(1, 6, len(column)), column > 0.3, np.array([0.3, 1.9])
    first = bins_of(column, weight, positive, sizes)
    second = bins_of(np.repeat(column, weight), None, np.repeat(positive, weight), sizes)
    np.testing.assert_array_equal(first.cuts, second.cuts)
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.spread, second.spread)
    np.testing.assert_array_equal(np.repeat(first.codes, weight, axis=1), second.codes)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("kind", ["none", "whole", "any"])
def test_the_order_of_rows_does_not_matter(column, kind):
    rng = np.random.default_rng(0)
    column = np.repeat(column, 2)
    weights = {"none": np.ones(len(column)), "whole": rng.integers(1, 9, len(column)), "any": rng.random(len(column))}
    weight, order = on_grid(weights[kind].astype(float)), rng.permutation(len(column))
    positive, sizes = rng.random(len(column)) < 0.3, np.array([0.3, 1.9])
    first = bins_of(column, weight, positive, sizes)
    second = bins_of(column[order], weight[order], positive[order], sizes)
    np.testing.assert_array_equal(first.cuts, second.cuts)
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.spread, second.spread)
    np.testing.assert_array_equal(first.codes[:, order], second.codes)


def test_columns_by_themselves_in_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=900), np.round(rng.normal(size=900), 1), rng.random(900)]).astype(np.float32)
    X[::5, 1] = NAN
    weight, positive = rng.random(900), rng.random(900) < 0.4
    plain, threads = (make_bins(X, X, positive, weight, EVEN, n_jobs=n_jobs) for n_jobs in (None, 2))
    for j in range(3):
        alone = bins_of(X[:, j], weight, positive)
        for bins in (plain, threads):
            np.testing.assert_array_equal(bins.codes[j], alone.codes[0])
            np.testing.assert_array_equal(bins.values[j], alone.values[0])
            np.testing.assert_array_equal(bins.cuts[j], alone.cuts[0])
            assert bins.spread[j] == alone.spread[0]


def test_whole_numbers_of_any_type():
    X = np.random.default_rng(0).integers(-9, 9, (50, 2))
    task = np.zeros(50, dtype=bool), np.ones(50), EVEN
    expected = make_bins(X.astype(float), X.astype(float), *task)
    for dtype in (np.int64, np.int8, np.float32):
        found = make_bins(X.astype(dtype), X.astype(dtype), *task)
        np.testing.assert_array_equal(found.codes, expected.codes)
        np.testing.assert_array_equal(found.cuts, expected.cuts)
        assert found.values.dtype == found.cuts.dtype == np.float64


def test_a_sample_decides_where_the_bins_are():
    few = np.array([[1.0], [2.0], [3.0]])
    X = np.array([[-5.0], [1.4], [1.5], [2.2], [9.0], [NAN]])
    bins = make_bins(X, few, np.array([False, True, False]), np.array([1.0, 1, 2]), np.array([1.0, 3.0]))
    assert bins.codes.tolist() == [[0, 0, 1, 1, 2, MISSING]]
    np.testing.assert_array_equal(bins.cuts[0, :3], [1.5, 2.5, NAN])
    np.testing.assert_array_equal(bins.values[0, :4], [1, 2, 3, NAN])
    assert bins.spread[0] == pytest.approx(np.std([1, 2, 2, 2, 3, 3]))


@pytest.mark.parametrize("name", ["few values", "missing", "many values", "only missing", "denormals"])
def test_other_rows_on_the_same_bins(name):
    column = COLUMNS[name]
    bins = bins_of(column)
    others = np.append(column[::-2], [-1e300, 1e300, 0.1, NAN])
    again = bins.of(others[:, None])
    cuts = known(bins.cuts[0])
    expected = np.where(np.isnan(others), MISSING, np.searchsorted(cuts, others, side="right"))
    np.testing.assert_array_equal(again.codes[0], expected)
    np.testing.assert_array_equal(bins.of(column[:, None]).codes, bins.codes)
    assert again.values is bins.values
    assert again.cuts is bins.cuts
    assert again.spread is bins.spread
