"""The search for one box, against all boxes there are."""

from dataclasses import replace

import numpy as np
import pytest

from boxdraw.learners.exact.kernels import bound, fill_bits, search
from boxdraw.learners.exact.max_box import MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.problem import LevelRows
from boxdraw.learners.exact.warm import compile_kernels

from .levels import key, level_problem, random_case, wide_case, worth


def never():
    return False


@pytest.mark.parametrize("seed", range(10))
def test_the_best_box_is_found_and_no_other_is_better(seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        problem, pricing, boxes = random_case(rng)
        max_box, cutoff = MaxBox(problem), int(rng.integers(0, 5))
        most = max(cutoff, *(worth(problem, pricing, box) for box in boxes))
        found = max_box.best(pricing, cutoff, never)
        assert (found.value, found.upper) == (most, most)
        assert worth(problem, pricing, found.box) == most if most > cutoff else found.box is None
        assert max_box.best(pricing, cutoff, lambda: True).upper >= most
        assert max_box.best(pricing, cutoff, never, node_limit=1).upper >= most
        none, one = max_box.best(pricing, most, never), max_box.best(pricing, most - 1, never)
        assert (none.box, none.value, none.upper) == (None, most, most)
        assert most == cutoff or worth(problem, pricing, one.box) == one.value == one.upper == most


@pytest.mark.parametrize("seed", range(10))
def test_every_full_box_above_the_cutoff_is_listed(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(20):
        problem, pricing, boxes = random_case(rng)
        cutoff, max_box = int(rng.integers(0, 5)), MaxBox(problem)
        wanted = full_above(problem, pricing, boxes, cutoff)
        for most in (10_000, len(wanted)):
            listed = max_box.all_above(pricing, cutoff, never, most, 10**9)
            assert sorted(map(key, listed)) == sorted(wanted)
        assert all(worth(problem, pricing, box) > cutoff for box in listed)
        if listed:
            assert max_box.all_above(pricing, cutoff, never, len(listed) - 1, 10**9) is None
            best = max(worth(problem, pricing, box) for box in boxes)
            optimal = [key(box) for box in listed if worth(problem, pricing, box) == best]
            only = max_box.all_above(pricing, best - 1, never, len(optimal), 10**9)
            assert sorted(map(key, only)) == sorted(optimal)


def full_above(problem, pricing, boxes, cutoff):
    """Return the full boxes of more value than the cutoff."""
    found = set()
    for box in boxes:
        held = problem.positives.inside(box)
        if held.any() and worth(problem, pricing, box) > cutoff and full(problem, held):
            found.add(key(problem.around(held)))
    return found


def full(problem, held):
    """Say whether no further positive fits without a further negative."""
    covered = problem.negatives.inside(problem.around(held)).sum()
    more = [held | (np.arange(len(held)) == i) for i in np.flatnonzero(~held)]
    return all(problem.negatives.inside(problem.around(rows)).sum() > covered for rows in more)


def test_the_kernels_are_compiled_for_one_kind_of_arguments():
    compile_kernels(False)
    problem, pricing, _ = random_case(np.random.default_rng(3))
    max_box = MaxBox(problem)
    max_box.best(pricing, 0, never)
    max_box.best(Pricing(problem.positives.points, problem.negatives.points, no_pairs()), -1, never)
    for kernel in (fill_bits, bound, search):
        assert len(kernel.signatures) == 1


@pytest.mark.parametrize(("n", "m"), [(64, 65), (65, 64), (130, 70), (20, 200)])
def test_sets_of_more_than_one_word(n, m):
    rng = np.random.default_rng(n)
    problem, pricing, boxes = wide_case(rng, n, m)
    max_box, worths = MaxBox(problem), [worth(problem, pricing, box) for box in boxes]
    found = max_box.best(pricing, 0, never)
    assert found.value == found.upper == max(worths)
    assert worth(problem, pricing, found.box) == found.value
    cutoff = max(worths) // 2
    listed = max_box.all_above(pricing, cutoff, never, 10_000, 10**9)
    assert sorted(map(key, listed)) == sorted(full_above(problem, pricing, boxes, cutoff))
    assert all(worth(problem, pricing, box) > cutoff for box in listed)


class Looks:
    """A clock that counts the looks at it."""

    def __init__(self, out_of_time=False):
        self.number, self.out_of_time = 0, out_of_time

    def __call__(self):
        self.number += 1
        return self.out_of_time


def stop_after(n_calls):
    """A clock that has run out after so many looks at it."""
    looks = iter(range(n_calls))
    return lambda: next(looks, None) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_is_stopped_anywhere_says_what_it_knows(seed, monkeypatch):
    """Its bound holds, its value is that of its box, and with enough time it ends with the best."""
    monkeypatch.setattr("boxdraw.learners.exact.max_box._CHUNK", 1)
    problem, pricing, boxes = wide_case(np.random.default_rng(seed), 40, 40)
    most, bounds = max(worth(problem, pricing, box) for box in boxes), []
    max_box = MaxBox(problem)
    for n_calls in (0, 1, 2, 3, 5, 8, 13, 21, 34, 41, 42, 43, 45, 50, 60, 80, 120, 200, 400, 10**6):
        found = max_box.best(pricing, 0, stop_after(n_calls))
        assert found.value <= most <= found.upper
        assert (found.box is None) == (found.value == 0)
        assert found.box is None or worth(problem, pricing, found.box) == found.value
        assert (max_box.all_above(pricing, most - 2, stop_after(n_calls), 99, 10**9) is None) or n_calls > 40
        bounds.append(found.upper)
    assert bounds[0] == pricing.gain.sum()
    assert bounds[-1] == found.value == most
    assert most < bounds[9] < bounds[0]  # all seeds have a bound of their own, and nothing else has been done
    assert len(set(bounds)) > 2


def noise(rng):
    """Return a problem without any structure, which takes a long search for its size."""
    low, near = (rng.integers(0, 10, (30, 5)).astype(np.int32) for _ in range(2))
    counts, points = np.full(5, 10, np.int32), np.ones(30, np.int64)
    problem = level_problem(LevelRows(low, low, points), LevelRows(near, near, points), counts, 1)
    return problem, Pricing(rng.integers(1, 4, 30), rng.integers(1, 3, 30), no_pairs())


@pytest.mark.parametrize("seed", range(3))
def test_the_limit_of_nodes_is_kept_and_looks_at_the_clock_change_nothing(seed, monkeypatch):
    problem, pricing = noise(np.random.default_rng(seed))
    max_box = MaxBox(problem)
    best = max_box.best(pricing, 0, never)
    node = max_box.first_work // 30
    assert best.work > max_box.first_work + 100 * node
    looks, answers = {}, {}
    for chunk in (1, 20_000_000):
        monkeypatch.setattr("boxdraw.learners.exact.max_box._CHUNK", chunk)
        looks[chunk], answers[chunk] = Looks(), []
        for limit in (*range(1, 101, 3), 10**9):
            found = max_box.best(pricing, 0, looks[chunk], node_limit=limit)
            answers[chunk].append((found.value, found.upper, found.work, found.box and key(found.box)))
            assert found.work < max_box.first_work + (limit + 30) * node  # it is looked at after each dive into a box
            assert found.value <= best.value <= found.upper
    assert answers[1] == answers[20_000_000]
    assert answers[1][0][1] > best.value
    assert answers[1][-1] == (best.value, best.upper, best.work, key(best.box))
    assert looks[1].number > looks[20_000_000].number


@pytest.mark.parametrize(("n", "m"), [(40, 40), (63, 40), (40, 63), (129, 40), (40, 129)])
def test_first_work_is_that_of_a_search_that_need_not_branch(n, m):
    problem, pricing, _ = wide_case(np.random.default_rng(0), n, m)
    plain = Pricing(pricing.gain + 1, pricing.cost + 1, no_pairs())
    max_box = MaxBox(problem)
    assert max_box.best(plain, 10**6, never).work == max_box.first_work == n * n * 2 * (n // 64 + m // 64 + 2)


def test_boxes_for_free_are_not_listed():
    """Of boxes that differ in negatives without a price only one is listed: every negative makes a difference."""
    low = np.array([[0], [1], [2]], np.int32)
    counts = np.array([3], np.int32)
    negatives = LevelRows(low[1:2], low[1:2], np.ones(1, np.int64))
    problem = level_problem(LevelRows(low, low, np.ones(3, np.int64)), negatives, counts, 0, 1, 1)
    pricing = Pricing(np.array([2, 0, 2]), np.zeros(1, np.int64), no_pairs())
    listed = MaxBox(problem).all_above(pricing, 1, never, 10, 10**6)
    assert {key(box) for box in listed} == {((0,), (0,)), ((2,), (2,)), ((0,), (2,))}
    assert MaxBox(problem).all_above(pricing, 1, never, 10, 0) is None
    assert MaxBox(problem).best(pricing, 1, never).value == 4


def test_without_negatives_a_box_holds_everything():
    low = np.array([[0, 1], [1, 0], [1, 1]], np.int32)
    counts = np.full(2, 2, np.int32)
    nobody = LevelRows(low[:0], low[:0], np.zeros(0, np.int64))
    problem = level_problem(LevelRows(low, low, np.ones(3, np.int64)), nobody, counts, 0, 1, 0)
    pricing = Pricing(np.array([1, 2, 3]), np.zeros(0, np.int64), no_pairs())
    max_box, whole = MaxBox(problem), ((0, 0), (1, 1))
    found = max_box.best(pricing, 0, never)
    assert (found.value, found.upper, key(found.box)) == (6, 6, whole)
    assert [key(box) for box in max_box.all_above(pricing, 0, never, 1, 10**6)] == [whole]


def test_rows_that_earn_and_cost_nothing_take_no_work():
    """Negatives without a price are left out of the search for one box, and no search starts from idle positives."""
    problem, pricing, boxes = wide_case(np.random.default_rng(1), 60, 130)
    pricing.cost[20:], pricing.gain[::2] = 0, 0
    pricing = Pricing(pricing.gain, pricing.cost, no_pairs())
    priced = pricing.cost > 0
    rows = problem.negatives
    fewer = replace(problem, negatives=LevelRows(rows.low[priced], rows.high[priced], rows.points[priced]))
    found, looks = MaxBox(problem).best(pricing, 0, never), Looks()
    again = MaxBox(fewer).best(Pricing(pricing.gain, pricing.cost[priced], no_pairs()), 0, never)
    assert found.value == max(worth(problem, pricing, box) for box in boxes)
    assert (found.value, found.work, key(found.box)) == (again.value, again.work, key(again.box))
    MaxBox(problem).best(pricing, 10**6, looks)  # one look at the clock before each bound, and none is worth a search
    assert looks.number == (pricing.gain > 0).sum()


def five_apart():
    """Return a problem of five positives with a negative between any two, and their points."""
    low, between = np.arange(0, 9, 2, np.int32)[:, None], np.arange(1, 9, 2, np.int32)[:, None]
    counts, points = np.array([9], np.int32), np.ones(5, np.int64)
    rows = LevelRows(low, low, points), LevelRows(between, between, points[1:])
    return level_problem(*rows, counts, 0, 5, 4), points


def test_bounds_are_updated_after_some_searches(monkeypatch):
    """No box can join the positives: each is searched by itself, after one look at the clock."""
    monkeypatch.setattr("boxdraw.learners.exact.max_box._SEEDS_BETWEEN", 2)
    (problem, points), looks = five_apart(), Looks()
    listed = MaxBox(problem).all_above(Pricing(points, 9 * points[1:], no_pairs()), 0, looks, 5, 10**6)
    assert sorted(map(key, listed)) == [((level,), (level,)) for level in (0, 2, 4, 6, 8)]
    assert looks.number == 5 + (5 + 3 + 1)  # before searches, and before bounds of all that are left


def test_nothing_is_searched_that_cannot_be_above_the_cutoff_or_when_time_is_up():
    problem, points = five_apart()
    pricing, looks, late = Pricing(points, 9 * points[1:], no_pairs()), Looks(), Looks(out_of_time=True)
    none = MaxBox(problem).best(pricing, 1, looks)
    assert (none.box, none.upper, looks.number) == (None, 1, 5)  # before the bounds, which are all 1
    assert MaxBox(problem).best(pricing, 0, late).upper == 5
    assert late.number == 2  # before the first bound, and before the first search
