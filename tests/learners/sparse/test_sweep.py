"""Limits placed on all rows of a large table, pass by pass: against the plain objective, whatever the chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.learners.patterns import placed_at
from boxdraw.learners.sparse.sweep import Sweep, first_places
from boxdraw.tables.chunks import InMemory
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.keys import Keys
from boxdraw.tables.order import Order
from boxdraw.tables.training import Training

N_CODES = 4


def problem(seed, n_rows, weighted):
    """Two columns of numbers, some missing, and one of categories; boxes near where the positives are."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n_rows, 2)).round(int(rng.integers(0, 3))), rng.integers(0, N_CODES, n_rows)])
    chance = np.where((X[:, 0] > 0.3) & (X[:, 2] > 1), 0.7, 0.1)
    positive = rng.uniform(size=n_rows) < chance
    X[rng.uniform(size=n_rows) < 0.1, 0] = np.nan
    weight = rng.integers(1, 64, n_rows) / 16 if weighted else None
    lower, upper = np.full((2, 3), -np.inf), np.full((2, 3), np.inf)
    lower[0, 0], lower[0, 2] = rng.normal(), 1.0
    lower[1, 1], upper[1, 1] = np.sort(rng.normal(size=2)) + np.array([0, 0.5])
    return Training(X, positive, weight, n_codes=(0, 0, N_CODES)), (lower, upper)


def held(data, limits, sets):
    """Which rows are in some box, with the plain formula."""
    inside = np.zeros(len(data.X), dtype=bool)
    for k, (low, high) in enumerate(zip(*limits, strict=True)):
        own = np.ones(len(data.X), dtype=bool)
        for j, column in enumerate(data.X.T):
            if (k, j) in sets:
                own &= np.isin(column, sets[k, j])
            else:
                own &= ~((column < low[j]) | (column > high[j]))
        inside |= own
    return inside


def value(data, limits, sets, cost):
    worth = np.where(data.positive, data.weights, -cost * data.weights)
    return worth[held(data, limits, sets)].sum()


def swept(data, limits, cost, rows):
    encoding = Encoding(("a", "b", "c"), (None, None, tuple(range(N_CODES))), (False, False, False))
    order = Order({2: np.arange(float(N_CODES))})
    limits = limits[0].copy(), limits[1].copy()
    cuts = {j: np.quantile(data.X[:, j], np.linspace(0, 1, 17)[1:-1]) for j in (1,)} | {0: np.linspace(-2, 2, 17)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boxdraw._core.ranges._ROWS", rows)
        patch.setattr("boxdraw._core.ranges._LEAST_ROWS", rows)
        sweep = Sweep(InMemory(data, Keys(encoding, Order({})), 1), placed_at(limits, order, {}), cost, 0.5)
        sweep.move(first_places(sweep.placed, data.X, cuts, 4))
    sweep.write(limits, [])
    return limits, sweep.sets(limits, order), sweep


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), n_rows=st.sampled_from([30, 400]), weighted=st.booleans())
def test_limits_get_better_and_are_the_same_in_any_chunks(seed, n_rows, weighted):
    data, limits = problem(seed, n_rows, weighted)
    if not 0 < data.positive.sum() < n_rows:
        return
    cost = data.balance
    whole, sets, sweep = swept(data, limits, cost, 2**18)
    assert value(data, whole, sets, cost) >= value(data, limits, {}, cost) - 1e-9
    assert sweep.seen.value(cost) == pytest.approx(value(data, whole, sets, cost))
    np.testing.assert_array_equal(
        sweep.seen.patterns.member.any(axis=1) @ sweep.seen.patterns.mass.T,
        [data.weights[held(data, whole, sets) & side].sum() for side in (~data.positive, data.positive)],
    )
    order = np.random.default_rng(seed).permutation(n_rows)
    shuffled = Training(
        data.X[order], data.positive[order], None if data.weight is None else data.weight[order], n_codes=data.n_codes
    )
    for rows in (7, 100):
        again, again_sets, _ = swept(shuffled, limits, cost, rows)
        np.testing.assert_array_equal(whole, again)
        assert {at: codes.tolist() for at, codes in sets.items()} == {
            at: codes.tolist() for at, codes in again_sets.items()
        }


def test_a_single_limit_finds_the_best_border():
    """Of one limit with all rows of its window to see, no border of the rows is better."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=5000)
    data = Training(
        np.column_stack([x, x * 0, x * 0]),
        rng.uniform(size=5000) < np.where(x > 0.21, 0.6, 0.1),
        None,
        n_codes=(0, 0, N_CODES),
    )
    limits = np.full((1, 3), -np.inf), np.full((1, 3), np.inf)
    limits[0][0, 0] = 0.0
    found, sets, _ = swept(data, limits, 0.4, 1000)
    best = max(
        value(data, (np.array([[border, -np.inf, -np.inf]]), limits[1]), {}, 0.4) for border in x[np.abs(x) < 0.6]
    )
    assert not sets
    assert value(data, found, {}, 0.4) == pytest.approx(best)


def test_limits_that_pass_each_other_by():
    """Two boxes that both want the same rows: what they gain together is measured, and never less than before."""
    x = np.repeat(np.arange(40.0), 5)
    data = Training(np.column_stack([x, x, x * 0]), (x >= 10) & (x < 30), None, n_codes=(0, 0, N_CODES))
    limits = np.full((2, 3), -np.inf), np.full((2, 3), np.inf)
    limits[0][0, 0], limits[1][0, 0] = 12, 17.0
    limits[0][1, 1], limits[1][1, 1] = 22, 27.0
    found, sets, sweep = swept(data, limits, 1.0, 64)
    assert value(data, found, sets, 1.0) > value(data, limits, {}, 1.0)
    assert sweep.seen.value(1.0) == value(data, found, sets, 1.0)
