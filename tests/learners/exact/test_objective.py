"""The objective against plain loops in fractions, and the points against the objective."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.weights import decimal

INF = np.inf
QUARTERS = st.integers(-6, 6).map(lambda k: k / 4)  # sums of them are exact, and rows often lie right on a limit
DECIMALS = st.integers(1, 500).map(lambda k: k / 100)
COSTS = st.fractions(0, 5, max_denominator=60)
WEIGHTS_OF_NEGATIVES = st.fractions(Fraction(1, 60), 5, max_denominator=60)
MARGINS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def literal(X, positive, weight, negative_weight, box_cost, margin, lower, upper):
    """Row by row, box by box, feature by feature; weights mean what they print."""
    total, v = Fraction(0), Fraction(margin)
    for i, row in enumerate(X.tolist()):
        held = touched = False
        for low, high in zip(lower.tolist(), upper.tolist(), strict=True):
            limits = list(zip(row, low, high, strict=True))
            held |= all(at_least(x, low, v) and at_least(-x, -high, v) for x, low, high in limits)
            touched |= all(at_least(x, low, -v) and at_least(-x, -high, -v) for x, low, high in limits)
        worth = Fraction(1) if weight is None else Fraction(str(weight[i]))
        if positive[i] and held:
            total += worth
        if not positive[i] and not touched:
            total += negative_weight * worth
    return total - box_cost * len(lower)


def at_least(x, limit, distance):
    """Whether x is above a limit by at least a distance, without rounding."""
    return limit == -INF or Fraction(x) - Fraction(limit) >= distance


@st.composite
def problems(draw, weights=DECIMALS):
    n, width, k = draw(st.integers(1, 12)), draw(st.integers(1, 3)), draw(st.integers(0, 3))
    X = draw(hnp.arrays(np.float64, (n, width), elements=QUARTERS))
    positive = draw(hnp.arrays(np.bool_, n))
    weight = draw(st.none() | hnp.arrays(np.float64, n, elements=weights))
    objective = Objective(X, positive, weight, draw(WEIGHTS_OF_NEGATIVES), draw(COSTS), draw(MARGINS), max_boxes=3)
    ends = draw(hnp.arrays(np.float64, (2, k, width), elements=QUARTERS | st.sampled_from([-INF, INF])))
    lower, upper = np.sort(ends, axis=0)
    lower[lower == INF], upper[upper == -INF] = -INF, INF
    return objective, lower, upper


def fields(o):
    return o.X, o.positive, o.weight, o.negative_weight, o.box_cost, o.margin


def in_whole_points(objective, scale, lower, upper):
    return int(scale.points[objective.counted(lower, upper)].sum()) - scale.box_points * len(lower)


@given(problems())
@settings(deadline=None)
def test_value_is_the_literal_sum(problem):
    objective, lower, upper = problem
    value = objective.value(lower, upper)
    assert isinstance(value, Fraction)
    assert value == literal(*fields(objective), lower, upper)


@given(problems())
@settings(deadline=None)
def test_weights_with_few_decimals_make_exact_points(problem):
    objective, lower, upper = problem
    scale = objective.in_points()
    assert scale.error == 0
    weight = np.ones(len(objective.X)) if objective.weight is None else objective.weight
    for points, size, is_positive in zip(scale.points.tolist(), weight, objective.positive, strict=True):
        assert points * scale.unit == decimal(size) * (1 if is_positive else objective.negative_weight)
    assert scale.box_points * scale.unit == objective.box_cost
    assert in_whole_points(objective, scale, lower, upper) * scale.unit == objective.value(lower, upper)


@given(problems(weights=st.floats(1e-9, 1e9)), st.sampled_from([1.0, 1e-150, 1e150]))
@settings(deadline=None)
def test_real_weights_make_points_within_the_error(problem, size):
    objective, lower, upper = problem
    weight = np.ones(len(objective.X)) / 3 if objective.weight is None else objective.weight
    objective = Objective(*fields(objective)[:2], weight * size, *fields(objective)[3:], objective.max_boxes)
    scale = objective.in_points()
    points = in_whole_points(objective, scale, lower, upper)
    assert abs(objective.value(lower, upper) - points * scale.unit) <= scale.error
    assert int(scale.points.sum()) + scale.box_points * objective.max_boxes <= 2**40


def test_points_are_those_of_the_rows_that_there_are():
    """No positive weighs 1e10, and no negative 1: neither a huge number of points nor a fine unit is needed."""
    positive, weight = np.array([True, False]), np.array([1.0, 1e10])
    objective = Objective(np.zeros((2, 1)), positive, weight, Fraction(1, 10**9), Fraction(1), 0.0, 1)
    scale = objective.in_points()
    assert (scale.unit, scale.points.tolist(), scale.error) == (1, [1, 10], 0)


def test_the_error_of_rounding_is_reached_and_small():
    """Thirds have too many digits for whole points: the error is there, and of the order of the unit."""
    weight = np.full(9, 1 / 3)
    objective = Objective(np.zeros((9, 1)), np.ones(9, dtype=bool), weight, Fraction(1), Fraction(0), 0.0, 1)
    scale = objective.in_points()
    lower = upper = np.zeros((1, 1))
    off = abs(objective.value(lower, upper) - in_whole_points(objective, scale, lower, upper) * scale.unit)
    assert 0 < off == scale.error <= 9 * scale.unit / 2
    assert scale.unit < Fraction(1, 10**10)


@given(problems(weights=st.integers(1, 4).map(float)))
@settings(deadline=None)
def test_a_whole_weight_is_as_many_rows(problem):
    objective, lower, upper = problem
    counts = np.ones(len(objective.X), dtype=int) if objective.weight is None else objective.weight.astype(int)
    X, positive = np.repeat(objective.X, counts, axis=0), np.repeat(objective.positive, counts)
    repeated = Objective(X, positive, None, *fields(objective)[3:], objective.max_boxes)
    assert repeated.value(lower, upper) == objective.value(lower, upper)
    one, many = objective.in_points(), repeated.in_points()
    assert one.points.sum() * one.unit == many.points.sum() * many.unit
    assert one.error == many.error == 0


@given(problems(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_and_boxes_does_not_matter(problem, random):
    objective, lower, upper = problem
    rows, boxes = list(range(len(objective.X))), list(range(len(lower)))
    random.shuffle(rows)
    random.shuffle(boxes)
    weight = None if objective.weight is None else objective.weight[rows]
    other = Objective(objective.X[rows], objective.positive[rows], weight, *fields(objective)[3:], objective.max_boxes)
    assert other.value(lower[boxes], upper[boxes]) == objective.value(lower, upper)


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_rows_at_the_margin(margin):
    """A positive at the margin inside counts; a negative at the margin outside does not, one beyond it does."""
    tiny = 2.0**-20
    X = np.array([[1 + margin], [3 - margin], [1 + margin - tiny], [3 - margin + tiny]])
    X = np.concatenate([X, [[1 - margin], [3 + margin], [1 - margin - tiny], [3 + margin + tiny]]])
    positive = np.arange(8) < 4
    objective = Objective(X, positive, None, Fraction(1), Fraction(0), margin, 1)
    expected = [True, True, False, False, False, False, True, True]
    assert objective.counted(np.array([[1.0]]), np.array([[3.0]])).tolist() == expected


def test_a_positive_must_be_inside_one_box_by_the_margin():
    """Two boxes that meet do not add up to one: the seam is an edge of both."""
    X, both = np.array([[1.0], [0.5]]), (np.array([[0.0], [1.0]]), np.array([[1.0], [2.0]]))
    objective = Objective(X, np.array([True, True]), None, Fraction(1), Fraction(0), 0.25, 2)
    assert objective.counted(*both).tolist() == [False, True]
    assert objective.counted(np.array([[0.0]]), np.array([[2.0]])).tolist() == [True, True]


def test_the_empty_drawing_has_all_negatives():
    X, none = np.zeros((5, 2)), np.empty((0, 2))
    weight = np.array([0.1, 0.2, 0.3, 5.0, 7.0])
    objective = Objective(X, np.array([0, 0, 0, 1, 1]) == 1, weight, Fraction(1, 2), Fraction(9), 0.0, 2)
    assert objective.value(none, none) == Fraction(3, 10)


@pytest.mark.parametrize(("number", "exact"), [(0.1, Fraction(1, 10)), (3.0, Fraction(3)), (1e-7, Fraction(1, 10**7))])
def test_decimal_is_the_number_as_printed(number, exact):
    assert decimal(number) == decimal(np.float64(number)) == exact
