"""Whole points and thresholds, against plain loops over all cards."""

import itertools

import numpy as np
import pytest

from boxdraw import BoxSet
from boxdraw.learners.scored.bins import TOP
from boxdraw.learners.scored.boost import BoostedBoxes, Cells
from boxdraw.learners.scored.threshold import expected_costs
from boxdraw.learners.scored.whole import MOST_POINTS, Ideal, count_union, whole_points
from boxdraw.model.union import union_of
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.order import Order

from . import reference as ref

SEEDS = range(40)


def random_boxes(rng, n_boxes, n_columns, most_limits=2):
    """Limits on codes 0 to 6, a few of them for each box."""
    low, high = np.zeros((n_boxes, n_columns), dtype=np.int64), np.full((n_boxes, n_columns), TOP)
    for k in range(n_boxes):
        for j in rng.choice(n_columns, rng.integers(1, most_limits + 1)):
            if rng.random() < 0.5:
                low[k, j] = rng.integers(1, min(5, high[k, j]) + 1)
            else:
                high[k, j] = rng.integers(max(low[k, j], 1), 6)
    return low, high


def limits_of(low, high):
    """Values for codes: no number is in a box up to code 3 and in one from code 4 on."""
    return np.where(low > 0, low - 0.4, -np.inf), np.where(high < TOP, high + 0.4, np.inf)


def as_box_set(low, high):
    return BoxSet(*limits_of(low, high))


@pytest.mark.parametrize("seed", range(80))
def test_boxes_of_the_union_are_counted(seed):
    rng = np.random.default_rng(seed)
    n_boxes, n_columns = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    low, high = random_boxes(rng, n_boxes, n_columns)
    points = rng.integers(1, MOST_POINTS + 1, n_boxes)
    none = np.zeros(n_columns, dtype=np.bool_)
    for threshold in range(1, points.sum() + 2):
        union = len(union_of(as_box_set(low, high), points.tolist(), threshold))
        for limit in (1, 3, 20):
            count = count_union(points, threshold, low, high, none, limit)
            assert count == union if union <= limit else count > limit


@pytest.mark.parametrize("seed", range(60))
def test_with_missing_values_the_count_is_never_less(seed):
    """Two columns each for two features: the numbers, and whether they are missing, which boxes may limit too."""
    rng = np.random.default_rng(seed)
    n_boxes, flags = int(rng.integers(1, 6)), [1, 3]
    low, high = random_boxes(rng, n_boxes, 4)
    low[:, flags], high[:, flags] = rng.integers(0, 5, (n_boxes, 2)) == 4, TOP
    high[:, flags] = np.where(rng.integers(0, 3, (n_boxes, 2)) + low[:, flags] == 0, 0, TOP)
    points = rng.integers(1, MOST_POINTS + 1, n_boxes)
    boxes = Encoding(None, (None, None), (True, True)).boxes(*limits_of(low, high), Order({}))
    assert len(boxes) == n_boxes
    for threshold in range(1, points.sum() + 2):
        count = count_union(points, threshold, low, high, np.array([True, False, True, False]), 200)
        assert count >= len(union_of(boxes, points.tolist(), threshold))


def test_boxes_without_points_are_in_no_union():
    low, high = np.array([[1], [3]]), np.array([[2], [4]])
    assert count_union(np.array([0, 2]), 1, low, high, np.array([False]), 5) == 1
    assert count_union(np.array([0, 0]), 1, low, high, np.array([False]), 5) == 0


def test_any_limit_can_be_counted_to():
    rng = np.random.default_rng(0)
    low, high = random_boxes(rng, 5, 3)
    points = rng.integers(1, 6, 5)
    few = count_union(points, 3, low, high, np.zeros(3, dtype=np.bool_), 30)
    assert few == count_union(points, 3, low, high, np.zeros(3, dtype=np.bool_), 10**12) > 1


def test_a_count_that_would_take_too_long_is_too_many():
    rng = np.random.default_rng(0)
    low, high = np.zeros((24, 24), dtype=np.int64), np.full((24, 24), TOP)
    low[np.arange(24), np.arange(24)] = 1
    order = rng.permutation(24)
    assert count_union(np.ones(24, dtype=np.int64), 12, low[order], high[order], np.zeros(24, dtype=np.bool_), 8) > 8


def problem(seed, n_boxes=3, signed=False):
    """Boxes, their cells and what a card should come near to."""
    rng = np.random.default_rng(seed)
    low, high = random_boxes(rng, n_boxes, 3)
    rows = rng.integers(0, 7, (3, 80))
    member = np.zeros((80, n_boxes), dtype=np.bool_)
    for k in range(n_boxes):
        member[ref.rows_inside(rows, low[k], high[k]), k] = True
    cells = np.unique(member, axis=0)
    A = rng.normal(size=(n_boxes + 2, n_boxes))
    coefficients = rng.normal(size=n_boxes) if signed else rng.exponential(size=n_boxes) * (rng.random(n_boxes) < 0.9)
    coefficients[0] = coefficients[0] or 1.0
    base = rng.exponential(1.5)
    positive = rng.random(80) < ref.sigmoid(member @ coefficients - base)
    chance, cost = np.where(member, 0.95, 0.1), float(rng.choice([0.2, 1.0]))
    ideal = Ideal(
        coefficients=coefficients,
        curvature=A.T @ A * rng.choice([0.1, 1, 10]),
        odds=cells @ coefficients - base + rng.normal(scale=0.3, size=len(cells)),
        mass=rng.random(len(cells)) * 10,
        costs=lambda points: expected_costs(chance, points, positive, np.ones(80), cost),
    )
    return BoostedBoxes(
        low, high, np.zeros(3, dtype=np.bool_), Cells(cells, np.zeros((2, len(cells)))), np.zeros((0, len(low)))
    ), ideal


def union_size(points, threshold, drawing):
    kept = np.flatnonzero(points)
    boxes = as_box_set(drawing.low[kept], drawing.high[kept])
    return len(union_of(boxes, np.asarray(points)[kept].tolist(), threshold))


def plain_roundings(ideal):
    share = ideal.coefficients / np.abs(ideal.coefficients).max()
    return [np.rint(most * share).astype(int) for most in range(1, MOST_POINTS + 1)]


class Judge:
    """The losses of cards, in plain loops."""

    def __init__(self, drawing, ideal, max_union=None):
        self.drawing, self.ideal, self.max_union = drawing, ideal, max_union
        member, full = drawing.cells.member.tolist(), plain_roundings(ideal)[-1]
        cheapest = int(np.minimum(full, 0).sum()) + int(np.argmin(ideal.costs(full)))
        self.wanted = ref.flagged(full.tolist(), cheapest, member)
        self.sure = ref.sureness(self.wanted, ideal.odds.tolist(), ideal.mass.tolist())

    def feasible(self, points, threshold):
        return self.max_union is None or union_size(points, threshold, self.drawing) <= self.max_union

    def loss(self, points, below=np.inf):
        """The loss at the best threshold that is allowed; infinite if it is not less than a bound."""
        rise = ref.rise(points, self.ideal.coefficients, self.ideal.curvature)
        sums, best = self.drawing.cells.member @ np.asarray(points), below
        for t in ref.thresholds(np.asarray(points).tolist()):
            loss = rise + ref.regret(sums >= t, self.wanted, self.sure, self.ideal.mass)
            if loss < best and self.feasible(points, t):
                best = loss
        return best if best < below else np.inf

    def check_threshold(self, points, threshold):
        """It is the cheapest of those that are allowed."""
        costs, lowest = self.ideal.costs(points), int(np.minimum(points, 0).sum())
        for t in ref.thresholds(points.tolist()):
            assert costs[threshold - lowest] <= costs[t - lowest] + 1e-9 or not self.feasible(points, t)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_without_max_union_it_is_the_best_plain_rounding(seed, signed):
    drawing, ideal = problem(seed, signed=signed)
    points, threshold = whole_points(drawing, ideal, None, signed)
    judge, starts = Judge(drawing, ideal), plain_roundings(ideal)
    assert judge.loss(points) == pytest.approx(min(map(judge.loss, starts)), rel=1e-9, abs=1e-9)
    assert any((points == start // max(np.gcd.reduce(start), 1)).all() for start in starts)
    judge.check_threshold(points, threshold)
    assert threshold in ref.thresholds(points.tolist())


@pytest.mark.parametrize("seed", range(12))
def test_it_is_near_the_best_of_all_cards(seed):
    """All points from 0 to 5 and all thresholds: none is better by more than rounding can cost here."""
    drawing, ideal = problem(seed)
    judge = Judge(drawing, ideal)
    found = judge.loss(whole_points(drawing, ideal, None, False)[0])
    best = min(map(judge.loss, itertools.product(range(MOST_POINTS + 1), repeat=3)))
    assert best - 1e-9 <= found <= best + 0.2 * (judge.loss([0, 0, 0]) - best) + 1e-9


@pytest.mark.parametrize("max_union", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_with_max_union_it_is_no_worse_than_cards_with_boxes_left_out(seed, max_union):
    """Each time the box that is missed least, until one box is left, which is always allowed."""
    drawing, ideal = problem(seed, 5)
    judge, free = Judge(drawing, ideal, max_union), Judge(drawing, ideal)
    found = judge.loss(whole_points(drawing, ideal, max_union, False)[0])
    if found <= min(map(free.loss, plain_roundings(ideal))) + 1e-9:
        return
    for card in plain_roundings(ideal):
        while np.count_nonzero(card) > 1:
            without = [np.where(np.arange(5) == k, 0, card) for k in np.flatnonzero(card)]
            card = min(without, key=free.loss)
            assert judge.loss(card, found * (1 - 1e-9) - 1e-9) == np.inf


@pytest.mark.parametrize("max_union", [1, 2])
@pytest.mark.parametrize(("seed", "n_boxes"), [*((seed, 3) for seed in SEEDS), *((seed, 5) for seed in range(10))])
def test_max_union_holds_and_no_change_of_one_box_is_better(seed, n_boxes, max_union):
    drawing, ideal = problem(seed, n_boxes)
    points, threshold = whole_points(drawing, ideal, max_union, False)
    assert ((points >= 0) & (points <= MOST_POINTS)).all()
    judge, free = Judge(drawing, ideal, max_union), Judge(drawing, ideal)
    assert judge.feasible(points, threshold)
    judge.check_threshold(points, threshold)
    found = judge.loss(points)
    assert all(judge.loss(start, found - 1e-9) == np.inf for start in plain_roundings(ideal))
    if found <= min(map(free.loss, plain_roundings(ideal))) + 1e-9:
        return  # there was no need to look any further
    for k, value in itertools.product(range(n_boxes), range(MOST_POINTS + 1)):
        other = points.copy()
        other[k] = value
        assert judge.loss(other, found * (1 - 1e-8) - 1e-9) == np.inf


def test_max_union_matters_in_these_problems():
    sizes = [union_size(*whole_points(*problem(seed), None, False), problem(seed)[0]) for seed in SEEDS]
    assert sum(size > 1 for size in sizes) > 5


def test_missing_values_count_towards_max_union():
    """Two boxes that no number is in are still in common where it is missing."""
    low, high = np.array([[3], [0]]), np.array([[TOP], [1]])
    points = np.array([1, 1])
    assert count_union(points, 2, low, high, np.array([False]), 8) == 0
    assert count_union(points, 2, low, high, np.array([True]), 8) == 1


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_points_have_no_common_divisor(seed, signed):
    points, threshold = whole_points(*problem(seed, signed=signed), 2, signed)
    assert np.gcd.reduce(points) == 1
    assert threshold in ref.thresholds(points.tolist())
    sums = {sum(some) for n in range(len(points) + 1) for some in itertools.combinations(points.tolist(), n)}
    assert threshold in sums or threshold > max(sums)  # a number that boxes add up to, which reads best


def test_negative_points_and_thresholds():
    """Rows outside all boxes are the positives."""
    drawing, _ = problem(0, signed=True)
    member = drawing.cells.member
    outside, ones = ~member.any(axis=1), np.ones(len(member))
    ideal = Ideal(
        coefficients=-np.ones(3),
        curvature=np.eye(3),
        odds=1 - 2.0 * member.sum(axis=1),
        mass=ones,
        costs=lambda points: expected_costs(member.astype(float), points, outside, ones, 1.0),
    )
    points, threshold = whole_points(drawing, ideal, 8, True)
    assert points.tolist() == [-1, -1, -1]
    assert threshold == 0
    np.testing.assert_array_equal(member @ points >= threshold, outside)


# The threshold


def costs_problem(seed, signed):
    rng = np.random.default_rng(seed)
    n_rows, n_boxes = 30, int(rng.integers(1, 5))
    points = rng.integers(-5 if signed else 1, 6, n_boxes)
    weight = rng.integers(1, 5, n_rows).astype(float) if seed % 2 else rng.random(n_rows)
    return rng.random((n_rows, n_boxes)), points, rng.random(n_rows) < 0.3, weight, float(rng.choice([0.1, 1.0, 7.0]))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_expected_costs_are_over_all_sets_of_boxes(seed, signed):
    task = costs_problem(seed, signed)
    expected = ref.expected_costs(task[0].tolist(), task[1].tolist(), *task[2:])
    np.testing.assert_allclose(expected_costs(*task), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_costs_without_doubt_are_counts(seed):
    chance, points, positive, weight, cost = costs_problem(seed, True)
    member = chance > 0.5
    sums, lowest = member @ points, int(np.minimum(points, 0).sum())
    found = expected_costs(member.astype(float), points, positive, weight, cost)
    for t, value in enumerate(found):
        flagged = sums >= lowest + t
        assert value == pytest.approx(weight[positive & ~flagged].sum() + cost * weight[~positive & flagged].sum())
    assert found[0] == pytest.approx(cost * weight[~positive].sum())
    assert found[-1] == pytest.approx(weight[positive].sum())


@pytest.mark.parametrize("seed", range(1, 8, 2))
def test_costs_of_rows_in_any_order_and_of_copies(seed):
    chance, points, positive, weight, cost = costs_problem(seed, False)
    copies = np.random.default_rng(seed).permutation(np.repeat(np.arange(30), weight.astype(int)))
    first = expected_costs(chance, points, positive, weight, cost)
    second = expected_costs(chance[copies], points, positive[copies], np.ones(len(copies)), cost)
    np.testing.assert_array_equal(first, second)
