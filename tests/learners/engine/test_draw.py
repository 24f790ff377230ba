"""Drawings are worth what the search says, and beside brute force on tiny tables there are none better."""

import numpy as np
import pytest

from boxdraw.learners.engine.climb import NO_END, Prices
from boxdraw.learners.engine.draw import Effort, draw, evaluate
from boxdraw.learners.parameters import NO_CAP

from . import reference as ref

PRICES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 100.0)
ENOUGH = Effort(500, 500, 0)


def drawn(rows, prices, n_boxes, effort=ENOUGH):
    """Return the value that the search states, and its drawing."""
    drawing = ref.blank(rows, n_boxes)
    return draw(rows, prices, drawing, ref.no_boxes(rows), effort), drawing


def random_prices(rng):
    box, limit = rng.choice([0.01, 1.0, 2.0]), rng.choice([0.0, 0.25, 1.0])
    return Prices(float(box), float(limit), int(rng.choice([1, 2, 3, NO_CAP])))


@pytest.mark.parametrize("margin", [0, 1])
def test_a_drawing_is_worth_what_the_search_says(margin):
    rng = np.random.default_rng(margin)
    for seed in range(60):
        rows, prices = ref.random_rows(rng, most_levels=6, margin=margin), random_prices(rng)
        value, drawing = drawn(rows, prices, int(rng.integers(1, 5)), Effort(int(rng.integers(0, 20)), 10, seed))
        assert value == pytest.approx(ref.drawing_value(rows, prices, drawing), abs=1e-9)
        stated, taken = evaluate(rows, prices, drawing)
        assert stated == pytest.approx(value, abs=1e-9)
        boxes = np.flatnonzero(drawing.used)
        counts = sum((ref.held(rows, drawing.lo[k], drawing.hi[k]).astype(int) for k in boxes), np.zeros(30, int))
        np.testing.assert_array_equal(taken, counts)
        assert all(ref.n_limits(rows, drawing.lo[k], drawing.hi[k]) <= prices.max_limits for k in boxes)


def test_a_search_never_ends_below_where_it_starts():
    """Given a drawing, it is improved; with more rounds it is improved further."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        rows, prices = ref.random_rows(rng, most_levels=6), random_prices(rng)
        _, drawing = drawn(rows, prices, 3, Effort(3, 3, 0))
        values = [ref.drawing_value(rows, prices, drawing)]
        for seed in range(4):
            draw(rows, prices, drawing, ref.no_boxes(rows), Effort(4, 4, seed))
            values.append(ref.drawing_value(rows, prices, drawing))
        assert (np.diff(values) >= -1e-9).all()


def test_every_box_pays_for_itself():
    rng = np.random.default_rng(1)
    for _ in range(40):
        rows, prices = ref.random_rows(rng), random_prices(rng)
        value, drawing = drawn(rows, prices, 3)
        for k in np.flatnonzero(drawing.used):
            drawing.used[k] = False
            assert ref.drawing_value(rows, prices, drawing) <= value + 1e-9
            drawing.used[k] = True


@pytest.mark.parametrize(("shake", "slack"), [(0.6, 0.0), (0.0, 2.0), (0.6, 2.0), (1.0, 100.0)])
def test_with_shakes_and_slack_the_best_drawing_on_the_way_is_kept(shake, slack):
    rng = np.random.default_rng(2)
    for seed in range(40):
        rows, prices, n_boxes = ref.random_rows(rng, most_levels=6), random_prices(rng), 1 + seed % 3
        values = []
        for rounds in (0, 3, 30):  # the longer search goes the same way at first
            value, drawing = drawn(rows, prices, n_boxes, Effort(rounds, 100, seed, NO_END, shake, slack))
            assert value == pytest.approx(ref.drawing_value(rows, prices, drawing), abs=1e-9)
            values.append(value)
        assert (np.diff(values) >= -1e-9).all()


def test_moves_end_a_search():
    rows, prices = ref.random_rows(np.random.default_rng(0), most_levels=6), Prices(0.01, 0.0, NO_CAP)
    value, drawing = drawn(rows, prices, 3, Effort(10**9, 10**9, 0, 5))
    assert value == pytest.approx(ref.drawing_value(rows, prices, drawing), abs=1e-9)


def test_the_seed_is_all_that_a_search_follows_from():
    rows = ref.random_rows(np.random.default_rng(0), n_rows=60, most_levels=8)
    first, second = (drawn(rows, Prices(1.0, 0.25, NO_CAP), 4, Effort(30, 30, 7)) for _ in range(2))
    assert first[0] == second[0]
    for one, other in zip(first[1], second[1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_given_box_is_a_start():
    """A box of one level on each of eight features, which few rows are near to."""
    rng = np.random.default_rng(0)
    rows = ref.random_rows(rng, n_rows=200, n_features=8, most_levels=6)
    row = rows.positive[0]
    box = np.array([rows.low[:, row], rows.low[:, row]], dtype=np.int64)
    prices = Prices(0.01, 0.0, NO_CAP)
    value = draw(rows, prices, ref.blank(rows, 1), box[None], Effort(100, 100, 0))
    assert value >= rows.weight[row] - prices.box


# Beside brute force


@pytest.mark.parametrize("n_boxes", [1, 2])
@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.parametrize("n_features", [2, 3])
def test_with_enough_rounds_the_optimum(n_boxes, margin, n_features):
    rng = np.random.default_rng([n_boxes, margin, n_features])
    for _ in range(30 // n_features):
        rows = ref.random_rows(rng, n_rows=int(rng.integers(5, 40)), n_features=n_features, margin=margin)
        everything, prices = ref.AllBoxes(rows), random_prices(rng)
        best, _ = everything.optimum(prices, n_boxes)
        value, _drawing = drawn(rows, prices, n_boxes)
        assert value == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("n_boxes", [1, 2])
def test_with_the_rounds_of_a_fold_nearly_always_the_optimum(n_boxes):
    """On classes as Sparse Boxes weighs them."""
    rng = np.random.default_rng(n_boxes)
    reached = []
    for seed in range(60):
        rows = ref.random_rows(rng, most_levels=3 + seed % 2, ratio=(1, 2, 4)[seed % 3])
        prices = random_prices(rng)
        best, _ = ref.AllBoxes(rows).optimum(prices, n_boxes)
        value, _drawing = drawn(rows, prices, n_boxes, Effort(30, 12, seed))
        assert value <= best + 1e-9
        reached.append(value >= best - 1e-9)
    assert np.mean(reached) >= 0.9


@pytest.mark.parametrize("n_boxes", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_the_number_of_limits_does_not_grow_with_their_price(n_boxes, seed):
    rows = ref.random_rows(np.random.default_rng([n_boxes, seed]), n_rows=40, ratio=1)
    everything, least, shown = ref.AllBoxes(rows), np.inf, []
    for price in PRICES:
        prices = Prices(0.5, price, NO_CAP)
        best, limits = everything.optimum(prices, n_boxes)
        value, drawing = drawn(rows, prices, n_boxes)
        assert value == pytest.approx(best, abs=1e-9)
        assert ref.drawing_limits(rows, drawing) in limits
        assert max(limits) <= least  # any of the best drawings for a price has no more than any for a lower one
        least = min(limits)
        shown.append(ref.drawing_limits(rows, drawing))
    assert shown == sorted(shown, reverse=True)
    assert shown[0] > shown[-1] == 0
