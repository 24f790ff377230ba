"""One move is the best of all intervals, and a climb is worth what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw.learners.engine.climb import NO_END, Prices, climb_each, make_rows
from boxdraw.learners.parameters import NO_CAP

from . import reference as ref


@st.composite
def columns(draw):
    """Rows on the levels of a column: low and high level and weight, with or without a margin; a price and a cap."""
    n_levels = draw(st.integers(1, 7))
    rows = draw(st.lists(st.tuples(st.integers(0, n_levels - 1), st.integers(-3, 3)), max_size=15))
    place, weight = (np.array([row[k] for row in rows], dtype=int) for k in (0, 1))
    reach = np.where(weight > 0, 1, -1) * draw(st.integers(0, 2))
    low, high = (np.clip(place + sign * reach, 0, n_levels - 1) for sign in (-1, 1))
    price = draw(st.sampled_from([0.0, 0.25, 1.0, 2.5]))
    return n_levels, low, high, weight.astype(float), price


@given(columns(), st.sampled_from(ref.ENDS), st.sampled_from([0, 1, 2, NO_CAP]))
def test_the_best_of_all_intervals(column, ends, most):
    n_levels, low, high, weight, price = column
    below, above = (np.bincount(code, weights=weight, minlength=n_levels) for code in (low, high))

    def value(lo, hi):
        return weight[(low >= lo) & (high <= hi)].sum() - price * ref.n_ends(lo, hi, n_levels, ends)

    within = [ends_ for ends_ in ref.intervals(n_levels) if ref.n_ends(*ends_, n_levels, ends) <= most]
    found, lo, hi = ref.best_interval(below, above, n_levels, np.array(ends), price, most)
    assert (lo, hi) in within
    assert found == value(lo, hi) == max(value(*interval) for interval in within)


def test_among_equals_no_limit():
    """A limit that gains nothing is not drawn."""
    nothing = np.zeros(4)
    assert ref.best_interval(nothing, nothing, 4, np.array([2, 1]), 0.0, NO_CAP) == (0, 0, 3)


@pytest.mark.parametrize(("ends", "limits"), [((2, 2), 2), ((2, 1), 1), ((1, 1), 1)])
def test_what_a_single_level_costs(ends, limits):
    spike = np.array([-2.0, -2, 5, -2])
    assert ref.best_interval(spike, spike, 4, np.array(ends), 0.5, NO_CAP) == (5 - 0.5 * limits, 2, 2)
    capped = ref.best_interval(spike, spike, 4, np.array(ends), 0.5, 1)
    assert capped == ((4.5, 2, 2) if limits == 1 else (2.5, 2, 3))


@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.parametrize("some", [False, True])
def test_a_climb_only_rises_and_says_what_its_box_is_worth(margin, some):
    rng = np.random.default_rng([margin, some])
    better = 0
    for _ in range(300):
        rows = ref.random_rows(rng, most_levels=6, margin=margin)
        prices = Prices(1.0, float(rng.choice([0.0, 0.25, 1.5])), NO_CAP)
        taken, allowed = (rng.random(30) < 0.2).astype(np.int16), rng.random(3) < 0.5
        lo, hi = ref.random_box(rng, rows)
        before = ref.climb_value(rows, prices, taken, lo, hi)
        value = ref.climb(rows, prices, taken, lo, hi, allowed, some)
        assert value == ref.climb_value(rows, prices, taken, lo, hi) >= before
        assert (lo <= hi).all()
        better += value > before
    assert better > 100


@pytest.mark.parametrize("margin", [0, 1])
def test_a_climb_ends_where_no_interval_of_any_feature_is_better(margin):
    rng = np.random.default_rng(margin)
    for _ in range(100):
        rows = ref.random_rows(rng, most_levels=6, margin=margin)
        prices = Prices(1.0, 0.5, int(rng.choice([1, 2, NO_CAP])))
        taken, lo, hi = np.zeros(30, np.int16), np.zeros(3, np.int64), rows.n_levels - 1
        value = ref.climb(rows, prices, taken, lo, hi, np.ones(3, bool), False)
        assert ref.n_limits(rows, lo, hi) <= prices.max_limits
        for j in range(3):
            for a, b in ref.intervals(rows.n_levels[j]):
                other_lo, other_hi = lo.copy(), hi.copy()
                other_lo[j], other_hi[j] = a, b
                if ref.n_limits(rows, other_lo, other_hi) <= prices.max_limits:
                    assert ref.climb_value(rows, prices, taken, other_lo, other_hi) <= value


def test_a_climb_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = ref.random_rows(rng, most_levels=6)
        order = rng.permutation(30)
        positive = np.flatnonzero(rows.weight[order] > 0)
        shuffled = rows._replace(
            low=rows.low[:, order], high=rows.high[:, order], weight=rows.weight[order], positive=positive
        )
        found = []
        for some_rows in (rows, shuffled):
            lo, hi = np.zeros(3, np.int64), rows.n_levels - 1
            value = ref.climb(
                some_rows, Prices(1.0, 0.25, NO_CAP), np.zeros(30, np.int16), lo, hi, np.ones(3, bool), False
            )
            found.append((value, lo.tolist(), hi.tolist()))
        assert found[0] == found[1]


@pytest.mark.parametrize("margin", [0, 1])
def test_boxes_climb_each_by_itself_with_weights_of_their_own(margin):
    rng = np.random.default_rng(margin)
    for _ in range(30):
        rows, prices = ref.random_rows(rng, most_levels=6, margin=margin), Prices(1.0, 0.25, NO_CAP)
        weights = np.stack([rows.weight, rng.permutation(rows.weight), -rows.weight])
        starts = [ref.random_box(rng, rows) for _ in weights]
        for own in (weights, weights[:1]):
            lo, hi = (np.array(side) for side in zip(*starts, strict=True))
            climb_each(rows._replace(sums=np.full_like(rows.sums, np.nan)), prices, own, lo, hi, NO_END)
            for k, (alone_lo, alone_hi) in enumerate(starts):
                weight = own[min(k, len(own) - 1)]
                alone = make_rows(rows.low, rows.high, rows.n_levels, rows.ends, weight, rows.positive)
                alone_lo, alone_hi = alone_lo.copy(), alone_hi.copy()
                ref.climb(alone, prices, np.zeros(30, np.int16), alone_lo, alone_hi, np.ones(3, bool), False)
                assert (lo[k].tolist(), hi[k].tolist()) == (alone_lo.tolist(), alone_hi.tolist())


def test_no_more_moves_than_allowed():
    """Each move changes one feature, and none makes the box worse."""
    rng = np.random.default_rng(0)
    stopped = 0
    for _ in range(50):
        rows, prices = ref.random_rows(rng, most_levels=6), Prices(1.0, 0.0, NO_CAP)
        start, values = ref.random_box(rng, rows), []
        for moves in range(5):
            lo, hi = start[0][None].copy(), start[1][None].copy()
            climb_each(rows, prices, rows.weight[None], lo, hi, moves)
            assert ((lo[0] != start[0]) | (hi[0] != start[1])).sum() <= moves
            values.append(ref.climb_value(rows, prices, np.zeros(30), lo[0], hi[0]))
        assert values == sorted(values)
        stopped += values[0] < values[-1]
    assert stopped > 10
