"""The paper's program against a brute force over all drawings that can be best."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from boxdraw.learners.exact.mip import FLOATING, _Program, solve_mip
from boxdraw.learners.exact.objective import Objective

from .fitted import HANG

pytest.importorskip("ortools")


def solve(objective, *, time_limit=HANG, gap=0.0, start=None, on_progress=None):
    return solve_mip(objective, time_limit=time_limit, gap=gap, n_jobs=1, seed=0, start=start, on_progress=on_progress)


def brute_force(objective):
    """Return the best value over unions of bounding boxes of positives, grown by the margin; all exact integers."""
    X, v = objective.X.tolist(), objective.margin
    weight = [1] * len(X) if objective.weight is None else objective.weight.tolist()
    held = [x for x, positive in zip(X, objective.positive, strict=True) if positive]
    corners = {
        (tuple(map(min, *some)), tuple(map(max, *some))) if len(some) > 1 else (tuple(some[0]), tuple(some[0]))
        for size in range(1, len(held) + 1)
        for some in combinations(held, size)
    }
    boxes = [([a - v for a in low], [b + v for b in high]) for low, high in corners]

    def inside(x, box, by):
        return all(a + by <= value <= b - by for value, a, b in zip(x, *box, strict=True))

    best = None
    for count in range(objective.max_boxes + 1):
        for drawing in combinations(boxes, count):
            value = -objective.box_cost * count
            for x, positive, size in zip(X, objective.positive, weight, strict=True):
                if positive:
                    value += Fraction(size) * any(inside(x, box, v) for box in drawing)
                else:
                    value += (
                        objective.negative_weight * Fraction(size) * (not any(inside(x, box, -v) for box in drawing))
                    )
            best = value if best is None else max(best, value)
    return best


def instance(seed):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(5, 10), rng.integers(1, 3)
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    # Quarters within a power of two, so that rows tie with each other and with the margin, and nothing is rounded.
    return Objective(
        X=rng.integers(0, 9, (n, p)) / 4 + rng.choice([72, -80]),
        positive=positive,
        weight=rng.integers(1, 4, n).astype(float) if seed % 3 else None,
        negative_weight=Fraction(int(rng.integers(1, 5)), 4),
        box_cost=Fraction(int(rng.integers(0, 5)), 4),
        margin=float(rng.choice([0, 0, 0.125, 0.25, 0.375])),
        max_boxes=1 + seed % 2,
    )


def solve_all(instances, gap=0.0):
    with ThreadPoolExecutor(2) as pool:  # each solve is a process of its own
        return list(pool.map(lambda objective: solve(objective, gap=gap), instances))


@pytest.mark.thorough
def test_it_is_as_good_as_brute_force():
    instances = [instance(seed) for seed in range(32)]
    for seed, (objective, result) in enumerate(zip(instances, solve_all(instances), strict=True)):
        best = brute_force(objective)
        assert objective.value(result.lower, result.upper) == best, seed
        assert result.bound == best, seed
        assert len(result.lower) <= objective.max_boxes, seed
        assert result.optimal, seed
        assert not result.interrupted, seed


def test_a_gap_leaves_the_bound_valid():
    instances = [instance(seed) for seed in range(100, 108)]
    for objective, result in zip(instances, solve_all(instances, gap=0.3), strict=True):
        value, best = objective.value(result.lower, result.upper), brute_force(objective)
        assert result.bound >= best
        assert result.bound - value <= 0.3 * value + 1e-6


def row_of_points(**changes):
    parts = {
        "X": np.array([[1.0], [2], [3], [7], [8], [5], [9]]),
        "positive": np.array([True] * 5 + [False] * 2),
        "weight": np.array([1.0, 1, 1, 1, 2, 1, 1]),
        "negative_weight": Fraction(1),
        "box_cost": Fraction(1, 2),
        "margin": 0.0,
        "max_boxes": 2,
    }
    return Objective(**{**parts, **changes})


def test_by_hand(capfd):
    # Two boxes around 1, 2, 3 and 7, 8: positives 6, negatives 2, boxes -1. One box has 6 + 1 - 1/2.
    result = solve(row_of_points())
    np.testing.assert_array_equal(result.lower, [[1], [7]])
    np.testing.assert_array_equal(result.upper, [[3], [8]])
    assert (result.bound, result.optimal) == (7, True)
    assert capfd.readouterr() == ("", "")


def test_by_hand_with_a_margin():
    # The box around 7 and 8 ends at 8.5 and the negative at 9 is outside by no more than the margin: one less.
    result = solve(row_of_points(margin=0.5))
    np.testing.assert_allclose(result.lower, [[0.5], [6.5]])
    np.testing.assert_allclose(result.upper, [[3.5], [8.5]])
    assert (result.bound, result.optimal) == (6, True)


def test_no_box_may_be_best():
    result = solve(row_of_points(box_cost=Fraction(10)))
    assert result.lower.shape == result.upper.shape == (0, 1)
    assert (result.bound, result.optimal) == (2, True)


def test_one_class_only():
    everything = solve(row_of_points(positive=np.ones(7, dtype=bool)))
    assert (everything.bound, everything.lower.tolist(), everything.upper.tolist()) == (7.5, [[1]], [[9]])
    nothing = solve(row_of_points(positive=np.zeros(7, dtype=bool)))
    assert (nothing.bound, len(nothing.lower)) == (8, 0)


def test_rows_closer_than_the_solver_can_tell():
    objective = row_of_points(X=np.array([[1.0], [2], [3], [7], [8], [3 + 1e-9], [9]]))
    with pytest.warns(UserWarning, match=r"In features \[0\] .* differ by only 1e-10 of the range"):
        result = solve(objective)
    assert result.bound >= 7


def counting(objective):
    """Return what one box is worth that gets every row of weight 1 right."""
    return np.sum(objective.positive) + objective.negative_weight * np.sum(~objective.positive) - objective.box_cost


def test_weights_below_the_tolerances_of_the_solver():
    """HiGHS called 2e-06 optimal when it saw 1e-12 beside 1e-06."""
    three = {"X": np.array([[1.0], [2], [3]]), "weight": np.full(3, 1e-12), "max_boxes": 1}
    three |= {"negative_weight": Fraction(10**6), "box_cost": Fraction(0)}
    for positive in ([True, False, False], [False, True, False]):
        result = solve(row_of_points(positive=np.array(positive), **three))
        assert result.lower.tolist() == result.upper.tolist() == [[1 + positive.index(True)]]
        assert (result.bound, result.optimal) == (Fraction("2.000001e-06"), True)


def uneven(seed):
    """Return rows whose weights are of sizes up to 1e-30 and 1e30, with all digits or a few."""
    rng, size = np.random.default_rng(seed), [0, 3, 12, 30][seed % 4]
    of_rows = instance(seed)
    digits = rng.random(len(of_rows.X)) if seed % 8 < 4 else rng.integers(1, 4, len(of_rows.X))
    weight = digits * 10.0 ** rng.integers(-size, size + 1, len(of_rows.X))
    costs = Fraction(10) ** int(rng.integers(-8, 9)), rng.choice([Fraction(0), Fraction(1, 10**9), Fraction(10**6)])
    return replace(of_rows, weight=weight, negative_weight=costs[0], box_cost=costs[1])


@pytest.mark.parametrize("first", [0, pytest.param(8, marks=pytest.mark.thorough)])
def test_weights_of_all_sizes(first):
    instances = [uneven(seed) for seed in range(first, 8 * first + 8)]
    for seed, (objective, result) in enumerate(zip(instances, solve_all(instances), strict=True), first):
        as_printed = np.array([Fraction(repr(weight)) for weight in objective.weight.tolist()])
        best, error = brute_force(replace(objective, weight=as_printed)), objective.in_points().error
        value = objective.value(result.lower, result.upper)
        assert value <= best <= result.bound, seed
        assert result.optimal == (result.bound - value <= 2 * error), seed
        assert result.finished, seed


@pytest.mark.parametrize(
    ("dual", "bound", "method"), [(7.4, 7, FLOATING), (6.9, 7.5, "counting"), (8.1, 7.5, "counting")]
)
def test_a_bound_is_claimed_only_if_nothing_speaks_against_it(monkeypatch, dual, bound, method):
    """The best drawing has 7; by counting, no drawing has more than 6 + 2 - 1/2."""
    read = _Program.read
    in_points = 2 * dual  # of half a unit
    monkeypatch.setattr(_Program, "read", lambda *about: (in_points, *read(*about)[1:]))
    result = solve(row_of_points())
    assert (result.bound, result.bound_method, result.optimal) == (bound, method, bound == 7)
    assert (result.finished, result.close) == (True, bound == 7)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300, 1.7e308])
def test_numbers_of_any_size(size):
    near = np.array([[-1.0], [-0.75], [-0.5], [0.5], [1], [0], [-0.25]])
    X = np.rint(near * 8) * 5e-324 if size == 5e-324 else near * size
    result = solve(row_of_points(X=X))
    assert (result.lower.tolist(), result.upper.tolist()) == (X[[0, 3]].tolist(), X[[2, 4]].tolist())
    assert (result.bound, result.optimal) == (7, True)


def test_a_margin_beyond_all_numbers():
    everywhere = row_of_points(margin=1.7e308)
    result = solve(everywhere)  # a box holds every positive and is too close to every negative
    assert everywhere.value(result.lower, result.upper) == 5.5 <= result.bound


def test_a_large_program_is_refused():
    large = row_of_points(X=np.zeros((20_000, 30)), positive=np.arange(20_000) < 9, weight=None)
    with pytest.raises(ValueError, match=r'nonzeros; at most 5000000 are allowed. Use fewer rows .* solver="auto"'):
        solve(large)


@pytest.fixture
def hard():
    rng = np.random.default_rng(0)
    positive = rng.random(300) < 0.4
    X = rng.integers(0, 1000, (300, 5)).astype(float)
    return Objective(X, positive, None, Fraction(1, 2), Fraction(1), 0.0, 3)


@pytest.fixture
def start(hard):
    return np.full((1, 5), 300.0), np.full((1, 5), np.inf)


def test_the_time_limit_is_kept(hard, start):
    result = solve(hard, time_limit=1.0, start=start)
    assert not result.optimal
    assert not result.interrupted
    assert hard.value(result.lower, result.upper) >= hard.value(*start)
    assert result.bound >= hard.value(result.lower, result.upper)


def test_the_caller_can_stop_it(hard, start):
    told = []
    result = solve(hard, start=start, on_progress=lambda *now: told.append(now) or len(told) == 3)
    assert result.interrupted
    value = hard.value(result.lower, result.upper)
    assert value >= hard.value(*start)
    assert told == [(value, counting(hard))] * 3


def test_ctrl_c_ends_it(hard):
    def press(value, bound):
        raise KeyboardInterrupt

    result = solve(hard, on_progress=press)
    assert result.interrupted
    assert (len(result.lower), result.bound, result.optimal) == (0, counting(hard), False)


def test_a_solver_that_dies_is_an_error(monkeypatch):
    monkeypatch.setattr("boxdraw.learners.exact.mip._CHILD", "raise SystemExit('out of luck')")
    with pytest.raises(RuntimeError, match="HiGHS ended with code 1: out of luck"):
        solve(row_of_points())
