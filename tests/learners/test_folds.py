"""Hashes of rows: many are hashed as few are."""

import itertools

import numpy as np
import pytest
from scipy import stats

from boxdraw._core.ranges import find_ranges
from boxdraw.learners import folds
from boxdraw.learners.folds import _auc_by_chance, chance_level, hash_ranks
from boxdraw.tables.training import Training


def rows(rng, n_rows, huge=1e300):
    """Columns of many kinds: of fractions, whole numbers, a constant, with gaps, of nothing but gaps, tiny, huge."""
    X = rng.normal(size=(n_rows, 7)) * [1, 50, 0, 1, 1, 1 / huge, huge]
    X[:, 1] = np.rint(X[:, 1])
    X[rng.random(n_rows) < 0.3, 3] = np.nan
    X[:, 4] = np.nan
    return X


@pytest.mark.parametrize(
    ("order", "dtype", "huge"), [("C", float, 1e300), ("F", float, 1e300), ("C", np.float32, 1e30)]
)
def test_compiled_hashes_have_the_same_bits(order, dtype, huge, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.array(rows(rng, 1000, huge), dtype=dtype, order=order)
    keys = rng.integers(2**63, size=7, dtype=np.uint64)
    plain = folds._Hasher(X, None).of_rows(keys)
    monkeypatch.setattr(folds, "LARGE", 0)
    np.testing.assert_array_equal(folds._Hasher(X, None).of_rows(keys), plain)


def test_known_ranges_change_no_rank():
    rng = np.random.default_rng(1)
    X, positive = rows(rng, 500), rng.random(500) < 0.2
    known = Training(X, positive, None, ranges=find_ranges(X, None))
    np.testing.assert_array_equal(hash_ranks(known, None), hash_ranks(Training(X, positive, None), None))


def test_weights_decide_among_equal_rows_only():
    X = np.array([[1.0], [1.0], [1.0], [2.0], [3.0]])
    weight = np.array([3.0, 1.0, 2.0, 9.0, 1.0])
    positive = np.ones(5, dtype=bool)
    ranks = hash_ranks(Training(X, positive, weight), None)
    assert sorted(ranks) == list(range(5))
    np.testing.assert_array_equal(np.argsort(ranks[:3]), np.argsort(weight[:3]))
    order = np.array([4, 2, 0, 3, 1])
    np.testing.assert_array_equal(hash_ranks(Training(X[order], positive, weight[order]), None), ranks[order])


@pytest.mark.parametrize(("ups", "downs"), [(1, 5), (3, 4), (6, 2), (4, 4)])
def test_chance_is_counted_exactly_for_few_rows(ups, downs):
    """By all orders of the rows, and by scipy's exact test."""
    n = ups + downs
    pairs = [
        sum(down < up for up in places for down in set(range(n)) - set(places))
        for places in itertools.combinations(range(n), ups)
    ]
    found = _auc_by_chance(ups, downs)
    for auc in sorted({pair / (ups * downs) for pair in pairs}):
        right = np.mean([pair / (ups * downs) >= auc - 1e-9 for pair in pairs])
        assert found[int(np.ceil(auc * 1000 - 1e-9)) :].sum() == pytest.approx(right)
    best = stats.mannwhitneyu(np.arange(ups) + downs, np.arange(downs), alternative="greater", method="exact")
    assert found[-1] == pytest.approx(best.pvalue)


def test_three_positives_ranked_first_are_not_chance():
    """Each is the first of its fold: once in 15³ by chance."""
    positive, tests = np.arange(45) < 3, [np.arange(k, 45, 3) for k in range(3)]
    assert chance_level(positive, tests, 3) < 1
    assert chance_level(positive, [np.arange(k, 12, 3) for k in range(3)], 3) == 1  # once in 4³ is not rare
