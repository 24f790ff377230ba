"""The side tree against all boxes and drawings on levels; and bounds on the number of limits."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from boxdraw.learners.exact.max_box import MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.problem import presolve
from boxdraw.learners.exact.side_kernels import search_sides
from boxdraw.learners.exact.side_tree import SideTree
from boxdraw.learners.exact.warm import compile_kernels


def random_problem(rng, limits=True):
    """Return few rows with numbers, categories and missing values, in which limits cost something or are few."""
    n, layout, columns = int(rng.integers(3, 14)), [], []
    for kind in rng.integers(0, 3, rng.integers(1, 4)):
        x = rng.integers(0, 4, n).astype(float)
        layout.append((len(columns), 4 * int(kind == 1), bool(kind == 2)))
        if kind == 2:
            missing = rng.random(n) < 0.3
            columns += [np.where(missing, np.nan, x), 9.0 * missing]
        else:
            columns.append(9 * x if kind == 1 else x)
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    weight = None if rng.integers(2) else rng.integers(1, 4, n).astype(float)
    most = None if rng.integers(2) else int(rng.integers(1, 4))
    price = Fraction(int(rng.integers(0 if most else 1, 4)), 2)
    costs = Fraction(int(rng.integers(1, 4)), 2), Fraction(int(rng.integers(0, 3)), 2)
    margin = float(rng.choice([0.0, 0.0, 0.5]))
    if not limits:
        price, most = Fraction(0), None
    objective = Objective(np.column_stack(columns), positive, weight, *costs, margin, 2, price, most, layout)
    return presolve(objective, objective.in_points())


def random_pricing(rng, problem):
    gain, cost = problem.positives.points, problem.negatives.points
    if rng.integers(2):
        return Pricing(gain, cost, no_pairs(), problem.limit_points)
    pairs = np.argwhere(rng.random((len(gain), len(cost))) < 0.4 * rng.integers(2))
    prices = pairs[:, 0], pairs[:, 1], rng.integers(1, 4, len(pairs))
    cost = rng.integers(0, 4, len(cost)) * rng.integers(2)
    return Pricing(rng.integers(0, 6, len(gain)), cost, prices, problem.limit_points)


def worth(problem, pricing, box):
    """Return what a box earns, limits paid; None if it has too many of them."""
    held, covered = problem.positives.inside(box), problem.negatives.inside(box)
    rest = pricing.gain.copy()
    for i, q, price in zip(*pricing.pairs, strict=True):
        rest[i] -= price * covered[q]
    count = problem.limits.count(box)
    earned = int(np.maximum(rest, 0)[held].sum() - pricing.cost[covered].sum())
    return None if count > problem.limits.most else earned - count * pricing.limit


def best_of_all(problem, pricing):
    ranges = [range(n) for n in (*problem.n_low, *problem.n_high)]
    boxes = (np.array(levels, dtype=np.int32) for levels in product(*ranges))
    d = len(problem.n_low)
    values = (worth(problem, pricing, (levels[:d], levels[d:])) for levels in boxes)
    return max(value for value in values if value is not None)


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_best_of_all_boxes(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        problem = random_problem(rng)
        pricing, cutoff = random_pricing(rng, problem), int(rng.integers(-3, 3))
        best = best_of_all(problem, pricing)
        found = SideTree(problem).best(pricing, cutoff, lambda: False)
        assert found.upper == found.value == max(best, cutoff)
        assert (found.box is None) == (best <= cutoff)
        if found.box is not None:
            assert worth(problem, pricing, found.box) == best
        assert MaxBox(problem).best(pricing, cutoff, lambda: False).upper >= best


def test_an_end_before_the_end_leaves_a_bound():
    rng = np.random.default_rng(9)
    for _ in range(40):
        problem = random_problem(rng)
        pricing = random_pricing(rng, problem)
        tree, best = SideTree(problem), best_of_all(problem, pricing)
        for n_nodes in (1, 2, 5):
            found = tree.best(pricing, -1, lambda: False, n_nodes)
            assert found.value <= max(best, -1) <= found.upper
        assert tree.best(pricing, -1, lambda: True).upper >= best


def best_drawings(problem, n_boxes):
    """Return the points of the best drawing of one box, of two, and so on, out of all."""
    d, rows = len(problem.n_low), [problem.positives, problem.negatives]
    bits = [
        1 << np.arange(len(part.points)) << shift for part, shift in zip(rows, (0, len(rows[0].points)), strict=True)
    ]
    cheapest = {}  # the price of each set of rows that a box can hold
    for levels in product(*(range(n) for n in (*problem.n_low, *problem.n_high))):
        box = np.array(levels[:d], dtype=np.int32), np.array(levels[d:], dtype=np.int32)
        price = problem.price(box)
        if price is not None:
            held = sum(int(own[part.inside(box)].sum()) for part, own in zip(rows, bits, strict=True))
            cheapest[held] = min(price, cheapest.get(held, price))
    points = np.concatenate([rows[0].points, -rows[1].points])
    masks, prices = np.array(list(cheapest)), np.array(list(cheapest.values()))
    least, best = np.full(1 << len(points), 2**40), []
    least[masks] = prices
    for n in range(n_boxes):
        if n:
            some = np.flatnonzero(least < 2**40)
            more = np.full(len(least), 2**40)
            np.minimum.at(more, some[:, None] | masks, least[some][:, None] + prices)
            least = more
        some = np.flatnonzero(least < 2**40)
        earned = (some[:, None] >> np.arange(len(points)) & 1) @ points
        best.append(problem.constant + int((earned - least[some]).max()))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_it_finds_the_best_of_all_drawings(seed):
    rng, n_better = np.random.default_rng([1, seed]), 0
    for _ in range(40):
        problem = random_problem(rng, limits=bool(rng.integers(3)))
        best = best_drawings(problem, 3)
        n_better += max(best) > best[0]
        for n_boxes, points in enumerate(best, 1):
            tree, least = SideTree(problem, n_boxes), points + int(rng.integers(-3, 2))
            found = tree.best_drawing(least, lambda: False)
            assert found.upper == found.value == max(points, least)
            assert len(found.boxes) == n_boxes * (points > least)
            assert not found.boxes or problem.value(found.boxes) == points
            for n_nodes in (1, 2, 5):
                found = tree.best_drawing(-1000, lambda: False, n_nodes)
                assert found.upper >= points
                assert not found.boxes or problem.value(found.boxes) == found.value <= points
    assert n_better > 2  # several boxes pay in some


def test_it_is_compiled_for_one_kind_of_arguments():
    compile_kernels(True)
    before = len(search_sides.signatures)
    rng = np.random.default_rng(3)
    for n_boxes in (1, 2, 3, 1, 2):
        problem = random_problem(rng)
        SideTree(problem).best(random_pricing(rng, problem), -1, lambda: False)
        SideTree(problem, n_boxes).best_drawing(0, lambda: False)
    assert len(search_sides.signatures) == before
