"""Exact Boxes on the engine: rows and boxes are translated faithfully, and values are those of the problem."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boxdraw.learners.engine.climb import climb_each
from boxdraw.learners.engine.draw import draw
from boxdraw.learners.exact import drawings
from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.max_box import Pricing, no_pairs
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.problem import LevelRows, presolve
from boxdraw.learners.exact.repair import Repair
from boxdraw.learners.exact.warm import compile_kernels

from .levels import key, level_problem, random_case, wide_case, worth

COORDINATES = st.integers(-3, 3).map(float)


@st.composite
def problems(draw, max_boxes=2, most_rows=14):
    """Return a problem with ties, missing values and a margin, or without."""
    n, width = draw(st.integers(2, most_rows)), draw(st.integers(1, 3))
    elements = COORDINATES | st.just(math.nan) if draw(st.booleans()) else COORDINATES
    X = draw(hnp.arrays(np.float64, (n, width), elements=elements))
    positive = draw(hnp.arrays(np.bool_, n).filter(lambda some: 0 < some.sum() < len(some)))
    margin = draw(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]))
    objective = Objective(X, positive, None, Fraction(1, 2), Fraction(1, 2), margin, max_boxes)
    return presolve(objective, objective.in_points())


def plain(problem):
    return Pricing(problem.positives.points, problem.negatives.points, no_pairs())


def everyone(problem):
    return np.ones(len(problem.positives.points), dtype=bool)


def all_boxes(problem):
    """Return the bounding boxes of all sets of up to four positives."""
    n_positives = len(problem.positives.points)
    sets = (chosen for size in range(1, 5) for chosen in combinations(range(n_positives), size))
    boxes = [problem.around(np.isin(np.arange(n_positives), chosen)) for chosen in sets]
    return list({key(box): box for box in boxes}.values())


# Rows and boxes on steps


@given(problems())
@settings(max_examples=200, deadline=None)
def test_no_row_is_outside_both_ends_of_an_interval(problem):
    board = Board(problem)
    assert (board.high.astype(int) <= board.low.astype(int) + 1).all()


@given(problems())
@settings(max_examples=100, deadline=None)
def test_a_box_holds_the_same_rows_on_steps_and_on_levels(problem):
    board, counts = Board(problem), [scale.shape[1] for scale in problem.scales]
    intervals = [[(a, b) for a, b in product(range(n), repeat=2) if a <= b] for n in counts]
    rng = np.random.default_rng(0)
    for _ in range(10):
        lo, hi = np.array([some[rng.integers(len(some))] for some in intervals]).T
        (box,) = board._on_levels(lo[None], hi[None])
        on_steps = ((lo[:, None] <= board.low) & (board.high <= hi[:, None])).all(axis=0)
        np.testing.assert_array_equal(board._inside([box])[0], on_steps)
        back = board._on_levels(*board._on_steps([box]))
        np.testing.assert_array_equal(back, [box])


@given(problems())
@settings(max_examples=100, deadline=None)
def test_steps_are_the_places_of_the_known_positives(problem):
    for j, (lower, upper) in enumerate(problem.scales):
        assert (np.diff(lower) >= 0).all()
        assert (np.diff(upper) >= 0).all()
        assert (np.diff(lower) + np.diff(upper) > 0).all()
        assert (lower[-1], upper[-1]) == (problem.n_low[j] - 1, problem.n_high[j] - 1)
        steps = set(zip(lower.tolist(), upper.tolist(), strict=True))
        rows = set(zip(problem.positives.low[:, j].tolist(), problem.positives.high[:, j].tolist(), strict=True))
        assert rows - steps <= {(problem.n_low[j] - 1, 0)}  # no value: inside all limits
        assert steps <= rows | {(0, 0)}


@pytest.mark.parametrize("most", [2, 3, 5])
def test_of_too_many_steps_some_are_left_out(monkeypatch, most):
    """The rows between two steps are held by an interval that has both of them, as they should."""
    monkeypatch.setattr(drawings, "_MOST_STEPS", most)
    rng = np.random.default_rng(most)
    for _ in range(20):
        problem, pricing, _boxes = random_case(rng)
        board = Board(problem)
        assert (board.high.astype(int) <= board.low.astype(int) + 1).all()
        assert max(board._n_steps) <= most
        for value, box in board.climb(pricing, zip(problem.positives.low, problem.positives.high, strict=True)):
            assert value == worth(problem, pricing, box)
        drawing = board.place([], 2)
        assert board.improve(drawing, [], 20, 0) <= problem.value(board.boxes(drawing))


# Climbs


@pytest.mark.parametrize("seed", range(5))
def test_a_climb_says_what_its_box_is_worth(seed):
    rng = np.random.default_rng(200 + seed)
    for _ in range(40):
        problem, pricing, _boxes = random_case(rng)
        starts = [(row, row) for row in problem.positives.low]
        for start, (value, box) in zip(starts, Board(problem).climb(pricing, starts), strict=True):
            assert value == worth(problem, pricing, box) >= worth(problem, pricing, start)


@pytest.mark.parametrize("seed", range(5))
def test_without_pairs_a_climb_ends_where_no_interval_is_better(seed):
    rng = np.random.default_rng(300 + seed)
    for _ in range(20):
        problem, pricing, boxes = random_case(rng)
        pricing = Pricing(pricing.gain, pricing.cost, no_pairs())
        for value, box in Board(problem).climb(pricing, [(row, row) for row in problem.positives.low]):
            assert value >= max(worth(problem, pricing, other) for other in one_interval_moved(box, boxes))


def one_interval_moved(box, boxes):
    """Return the boxes that differ from the given one on one feature at most."""
    differs = [(other[0] != box[0]) | (other[1] != box[1]) for other in boxes]
    return [other for other, where in zip(boxes, differs, strict=True) if where.sum() <= 1]


def test_with_pairs_the_best_box_is_mostly_found_from_one_of_the_positives():
    rng = np.random.default_rng(0)
    reached = []
    for _ in range(100):
        problem, pricing, boxes = random_case(rng)
        if len(pricing.pairs[0]):
            starts = [(row, row) for row in problem.positives.low]
            best = max(worth(problem, pricing, box) for box in boxes)
            reached.append(max(value for value, _ in Board(problem).climb(pricing, starts)) == best)
    assert len(reached) > 30
    assert np.mean(reached) > 0.8


def test_the_weights_are_what_a_row_more_or_less_makes_of_the_value():
    rng = np.random.default_rng(0)
    for _ in range(50):
        _problem, pricing, _boxes = random_case(rng)
        n_positives, n_rows = len(pricing.gain), len(pricing.gain) + len(pricing.cost)
        inside = rng.random((1, n_rows)) < 0.5
        of = drawings._Worth(pricing).of
        value, weights = of(inside)
        for i in range(n_rows):
            other = inside.copy()
            other[0, i] ^= True
            change = of(other)[0] - value
            if i < n_positives or not inside[0, i]:
                least = (-1 if inside[0, i] else 1) * weights[0, i]
                assert change == least if i < n_positives else change >= least
            else:
                assert change >= -weights[0, i]


def test_no_starts_and_rows_without_a_price():
    problem, pricing, boxes = wide_case(np.random.default_rng(0), 20, 30)
    board = Board(problem)
    assert board.climb(pricing, []) == []
    nothing = Pricing(np.zeros_like(pricing.gain), np.zeros_like(pricing.cost), no_pairs())
    assert [value for value, _ in board.climb(nothing, boxes[:2])] == [0, 0]


def test_without_negatives_a_box_holds_everything():
    low = np.array([[0, 1], [1, 0], [1, 1]], np.int32)
    nobody = LevelRows(low[:0], low[:0], np.zeros(0, np.int64))
    problem = level_problem(LevelRows(low, low, np.ones(3, np.int64)), nobody, np.full(2, 2, np.int32), 0)
    pricing = Pricing(np.array([1, 2, 3]), np.zeros(0, np.int64), no_pairs())
    ((value, box),) = Board(problem).climb(pricing, [(low[0], low[0])])
    assert (value, key(box)) == (6, ((0, 0), (1, 1)))


# Drawings


@given(problems())
@settings(max_examples=60, deadline=None)
def test_a_drawing_has_the_points_that_the_engine_says(problem):
    board = Board(problem)
    drawing = board.place([problem.around(everyone(problem))], 2)
    points = board.improve(drawing, [], 30, 0)
    boxes = board.boxes(drawing)
    assert points <= problem.value(boxes)  # a box around its positives may hold fewer negatives
    assert points >= problem.value([])
    for box in boxes:
        assert key(problem.around(problem.positives.inside(box))) == key(box)


@given(problems(most_rows=10))
@settings(max_examples=60, deadline=None)
def test_beside_brute_force_no_drawing_is_better(problem):
    boxes = all_boxes(problem)
    best = max(problem.value(some) for size in range(3) for some in combinations(boxes, size))
    repair = Repair(problem, Board(problem), 0)
    found = max(problem.value(repair.go([], 50)) for _ in range(10))
    assert found == best


def test_the_seed_is_all_that_a_repair_follows_from():
    problem, _, _ = wide_case(np.random.default_rng(0), 40, 60)
    first, second = (Repair(problem, Board(problem), 7) for _ in range(2))
    for _ in range(30):
        np.testing.assert_array_equal(first.go([], 20), second.go([], 20))
    assert list(first.seen) == list(second.seen)


def test_a_repair_starts_from_the_best_drawing_and_from_others(monkeypatch):
    monkeypatch.setattr("boxdraw.learners.exact.repair._PATIENCE", 0)
    problem, _, _ = wide_case(np.random.default_rng(0), 40, 60)
    repair, best = Repair(problem, Board(problem), 0), [problem.around(everyone(problem))]
    starts = [repair._start(best) for _ in range(4)]
    assert [len(start) for start in starts[::3]] == [1, 1]
    for start in starts[1:3]:
        assert problem.positives.inside_any(start).all()


def test_the_engine_is_compiled_for_one_kind_of_arguments():
    compile_kernels(False)
    before = len(climb_each.signatures), len(draw.signatures)
    problem, pricing, boxes = wide_case(np.random.default_rng(0), 20, 30)
    board = Board(problem)
    board.climb(pricing, boxes[:3])
    board.climb(plain(problem), boxes[:3])
    board.improve(board.place(boxes[:1], 2), boxes[:2], 5, 0)
    assert (len(climb_each.signatures), len(draw.signatures)) == before
