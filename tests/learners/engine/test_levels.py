"""Tables on levels: what is merged, what the order of rows and columns does not change, and categories that pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from boxdraw.learners.engine.levels import MOST_LEVELS, NUMBERS, UNSEEN, make_axes, put_on_levels
from boxdraw.learners.sample import draw_sample
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.training import Training


def on_levels(X, y, weight=None):
    """Put a matrix of numbers on levels."""
    X = np.asarray(X, dtype=float)
    encoding = Encoding.of_numbers(None, X, complete=not np.isnan(X).any())
    parts = []
    for column, missing in zip(X.T, encoding.missing, strict=True):
        parts += [column, np.isnan(column).astype(float)] if missing else [column]
    return put_on_levels(Training(np.column_stack(parts), np.asarray(y, dtype=bool), weight), encoding)


def of_categories(codes, y, weight=None, most=None):
    """Put a column of categories on levels, or a sample of its rows."""
    n_codes = int(codes.max()) + 1
    encoding = Encoding(("shop",), (tuple(map(str, range(n_codes))),), (False,))
    data = Training(codes[:, None].astype(float), np.asarray(y, dtype=bool), weight, n_codes=(n_codes,))
    table = put_on_levels(data if most is None else draw_sample(data, most), encoding)
    return table, make_axes(table)[0]


@st.composite
def tables(draw):
    """X, y, weights and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(4, 60)), draw(st.integers(1, 4))
    X = rng.normal(size=shape)
    if draw(st.booleans()):
        X = np.round(X)
    if draw(st.booleans()):
        X[rng.random(shape) < 0.2] = np.nan
    y = rng.random(shape[0]) < 0.4
    y[:2] = False, True
    weight = rng.integers(1, 5, shape[0]).astype(float) if draw(st.booleans()) else None
    return X, y, weight, rng


def take(weight, rows):
    return None if weight is None else weight[rows]


def assert_same(first, second):
    for name in ("codes", "ups", "downs", "keys"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@given(tables())
def test_rows_are_distinct_and_their_weights_those_of_all_that_are_equal(table):
    X, y, weight, _ = table
    level = on_levels(X, y, weight)
    weight = np.ones(len(X)) if weight is None else weight
    assert len(np.unique(level.codes, axis=1).T) == level.codes.shape[1]
    for row in range(len(level.ups)):
        of = level.of == row
        np.testing.assert_allclose([level.ups[row], level.downs[row]], [weight[of & y].sum(), weight[of & ~y].sum()])
    by_column = {column.column: code for column, code in zip(level.columns, level.codes[:, level.of], strict=True)}
    for column, cuts, code in ((c.column, c.cuts, by_column[c.column]) for c in level.columns):
        place = sorted(by_column).index(column)
        known = ~np.isnan(X[:, place])
        np.testing.assert_array_equal(code[known], (X[known, place][:, None] >= cuts).sum(axis=1))
        np.testing.assert_array_equal(code[~known], len(cuts) + 1)


def test_rows_that_differ_are_never_merged():
    """Every row of three levels on four columns, in which any exchange of codes and places would show."""
    X = np.stack(np.meshgrid(*[np.arange(3.0)] * 4), axis=-1).reshape(-1, 4)
    assert len(on_levels(X, np.arange(81) % 2).ups) == 81


@given(tables())
def test_the_order_of_rows_does_not_matter(table):
    X, y, weight, rng = table
    order = rng.permutation(len(X))
    first, second = on_levels(X, y, weight), on_levels(X[order], y[order], take(weight, order))
    assert_same(first, second)
    assert [c.column for c in first.columns] == [c.column for c in second.columns]
    np.testing.assert_array_equal(first.of[order], second.of)


@given(tables())
def test_the_order_of_columns_changes_their_labels_only(table):
    X, y, weight, rng = table
    order = rng.permutation(X.shape[1])
    first, second = on_levels(X, y, weight), on_levels(X[:, order], y, weight)
    assert_same(first, second)
    # Where columns mirror each other, equal tables may have their rows in other places: each still has its own codes.
    if not np.isnan(X).any():
        of_column = [
            {column.column: codes[level.of] for column, codes in zip(level.columns, level.codes, strict=True)}
            for level in (first, second)
        ]
        for place, column in enumerate(order):
            np.testing.assert_array_equal(of_column[1][place], of_column[0][column])


def test_the_order_of_columns_that_mirror_each_other_does_not_matter():
    """In tables of few rows, columns often have the same counts, and the rows that would tell them apart are alike."""
    for seed in range(600):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(4 + seed % 3, 4))
        X[rng.random(X.shape) < 0.2] = np.nan
        y = np.arange(len(X)) == 0
        assert_same(on_levels(X, y), on_levels(X[:, rng.permutation(4)], y))


@given(tables())
def test_a_weight_is_so_many_rows(table):
    X, y, weight, _ = table
    if weight is not None:
        count = weight.astype(int)
        first, second = on_levels(X, y, weight), on_levels(np.repeat(X, count, axis=0), np.repeat(y, count))
        np.testing.assert_array_equal(first.codes, second.codes)
        np.testing.assert_array_equal(first.ups * 2.0 ** round(np.log2(second.ups.sum() / first.ups.sum())), second.ups)


def test_columns_of_equal_counts_are_told_apart():
    """Eight columns of as many ones among the positives and among the others."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2 == 0
    X = np.zeros((80, 8))
    for column in X.T:
        for side in (y, ~y):
            column[rng.permutation(np.flatnonzero(side))[:20]] = 1
    for _ in range(5):
        order = rng.permutation(8)
        first, second = on_levels(X, y), on_levels(X[:, order], y)
        assert_same(first, second)
        assert [c.column for c in first.columns] == [order[c.column] for c in second.columns]


@pytest.mark.parametrize(("values", "most"), [(np.arange(1000.0), MOST_LEVELS), (np.arange(1000) / 7, NUMBERS)])
def test_so_many_levels_in_which_both_classes_weigh_the_same(values, most):
    y = (np.arange(1000) % 3 == 0) & (np.arange(1000) > 100)
    table = on_levels(values[:, None], y)
    (column,) = table.columns
    assert most - 2 <= column.n_levels <= most
    mass = table.ups / table.ups.sum() + table.downs / table.downs.sum()
    assert mass.sum() == pytest.approx(2)
    assert mass.max() < 2.5 * 2 / most


def test_few_values_have_a_level_each():
    table = on_levels(np.array([[3.0], [1], [1], [10]]), [0, 1, 0, 1])
    (column,) = table.columns
    assert column.cuts.tolist() == [2, 6.5]
    assert column.whole
    assert not on_levels([[0.5], [1], [2]], [0, 1, 0]).columns[0].whole


def test_values_that_are_neighbours_as_floats():
    values = np.array([1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)])
    cuts = on_levels(values[:, None], [0, 1, 0]).columns[0].cuts
    np.testing.assert_array_equal(np.searchsorted(cuts, values, side="right"), [0, 1, 2])


def test_missing_numbers_are_a_level_above_and_on_a_second_axis_below():
    table = on_levels([[1.0], [2], [np.nan], [3]], [0, 0, 1, 1])
    above, below = make_axes(table)
    assert (above.n_levels, below.n_levels) == (4, 4)
    assert above.level.tolist() == [0, 1, 2, 3]
    assert below.level.tolist() == [1, 2, 3, 0]
    assert (above.missing_first, below.missing_first) == (False, True)
    assert above.ends == below.ends == (2, 1)
    assert make_axes(on_levels([[0.5], [np.nan], [1]], [0, 1, 1]))[0].ends == (2, 2)


def test_folds_have_their_share_of_both_classes_and_follow_from_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), np.arange(300) < 60
    order = rng.permutation(300)
    table, other = on_levels(X, y), on_levels(X[order], y[order])
    number = table.folds(3, 0)
    for side in (table.ups > 0, table.ups == 0):
        counts = np.bincount(number[side])
        assert counts.max() - counts.min() <= 1
    np.testing.assert_array_equal(number[table.of][order], other.folds(3, 0)[other.of])
    assert (number != table.folds(3, 1)).any()


# Categories


def test_categories_are_in_the_order_of_their_shares_shrunk_to_the_mean():
    codes, y = np.repeat([0, 1, 2, 3], [40, 40, 1, 40]), np.zeros(121)
    y[:4], y[40:60], y[80] = 1, 1, 1
    _, axis = of_categories(codes, y)
    assert axis.ends == (1, 1)
    # One row that is positive says less than 20 of 40.
    assert np.argsort(axis.level).tolist() == [3, 0, 2, 1]


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_shops_without_meaning_share_a_level(seed):
    rng = np.random.default_rng(seed)
    shop, y = rng.integers(0, 5000, 20_000), rng.random(20_000) < 0.05
    _, axis = of_categories(shop, y)
    assert axis.n_levels <= 2


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_shops_without_meaning_share_a_level_in_a_sample(seed, weighted):
    """A row of a sample is one row, whatever it stands for."""
    rng = np.random.default_rng(seed)
    shop, y = rng.integers(0, 200, 20_000), rng.random(20_000) < 0.3
    weight = np.ones(20_000) if weighted else None
    table, axis = of_categories(shop, y, weight, {True: 300, False: 600})
    assert table.stand_for == (-(-y.sum() // 300), -(-(~y).sum() // 600))
    assert axis.n_levels <= 2
    parts = [make_axes(part)[0].n_levels for part in table.parts(3)]
    assert max(parts) <= 2


@pytest.mark.parametrize("sampled", [False, True])
def test_shops_that_chance_does_not_explain_have_a_level_of_their_own(sampled):
    """The two-sided binomial test, on the rows that are looked at, with a bound for all shops together."""
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 60, 6000)
    y = rng.random(6000) < np.where(shop < 20, 0.05 + 0.04 * shop, 0.2)
    table, axis = of_categories(shop, y, most={True: 500, False: 700} if sampled else None)
    assert table.stand_for == ((4, 7) if sampled else (1, 1))
    ups, downs = ((mass / each).round() for mass, each in zip((table.ups, table.downs), table.stand_for, strict=True))
    up, down = (np.bincount(table.codes[0], mass, minlength=60) for mass in (ups, downs))
    rate = up.sum() / (up + down).sum()
    counts = list(zip(up.astype(int).tolist(), (up + down).astype(int).tolist(), strict=True))
    tails = [[binomtest(k, n, rate, side).pvalue for side in ("less", "greater")] for k, n in counts]
    own = 2 * np.min(tails, axis=1) < 0.05 / 60
    assert 1 < own.sum() < 20
    assert len(set(axis.level[own])) == own.sum()
    assert len(set(axis.level[~own])) == 1
    assert set(axis.level[own]).isdisjoint(axis.level[~own])


def test_a_weight_of_the_user_is_so_many_rows_to_chance_too():
    rng = np.random.default_rng(0)
    shop, y = rng.integers(0, 40, 1000), rng.random(1000) < 0.3
    weight = rng.integers(1, 9, 1000)
    _, first = of_categories(shop, y, weight.astype(float))
    _, second = of_categories(np.repeat(shop, weight), np.repeat(y, weight))
    np.testing.assert_array_equal(first.level, second.level)
    assert first.n_levels > of_categories(shop, y)[1].n_levels


def test_three_bad_shops_among_many_are_at_the_end():
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 500, 10_000)
    bad = np.isin(shop, [7, 70, 300])
    _, axis = of_categories(shop, bad & (rng.random(10_000) < 0.8) | (rng.random(10_000) < 0.02))
    top = axis.level[[7, 70, 300]]
    assert (np.delete(axis.level, [7, 70, 300]) < top.min()).all()


def test_categories_that_are_not_in_some_rows_are_unseen():
    codes = np.array([0, 1, 2, 0, 1, 2])
    table, _ = of_categories(codes, [0, 1, 0, 0, 1, 1])
    part = table.take(np.flatnonzero(table.codes[0] != 2))
    (axis,) = make_axes(part)
    assert axis.level[2] == UNSEEN
    assert axis.places.tolist() == [0, 1, np.inf]


def test_a_spike_among_many_numbers_has_a_level_of_its_own():
    rng = np.random.default_rng(0)
    spike = rng.random(2000) < 0.2
    table = on_levels(np.where(spike, 0.0, rng.normal(size=2000))[:, None], spike)
    assert np.count_nonzero(table.codes[0][table.ups > 0] == table.codes[0]) == 1


@given(tables())
def test_each_row_is_left_out_of_one_part(table):
    level = on_levels(*table[:3])
    parts = level.parts(3)
    assert all(part.ups.any() and part.downs.any() for part in parts)
    if len(parts) == 3:
        assert sorted(np.concatenate([part.keys for part in parts])) == sorted(np.repeat(level.keys, 2))
