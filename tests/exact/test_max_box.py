"""The search for one box, and the polishing of several, against all boxes there are."""

from itertools import product

import numpy as np
import pytest

from boxdraw.exact.climbing import climb, polish
from boxdraw.exact.kernels import bound, fill_bits, search
from boxdraw.exact.max_box import MaxBox, Pricing, compile_kernels, no_pairs
from boxdraw.exact.problem import Problem, Rows


def random_case(rng):
    """Return a problem on few levels, prices with and without pairs, and all its boxes."""
    n, m, d, levels = rng.integers(1, 12), rng.integers(0, 14), rng.integers(1, 4), rng.integers(1, 5)
    low = rng.integers(0, levels, (n, d)).astype(np.int32)
    low_n = rng.integers(0, levels, (m, d)).astype(np.int32)
    high_n = np.clip(low_n + rng.integers(0, 2, (m, d)), 0, levels - 1).astype(np.int32)
    positives = Rows(low, low.copy(), rng.integers(1, 4, n))
    negatives = Rows(low_n, high_n, rng.integers(1, 4, m))
    counts = np.full(d, levels, np.int32)
    problem = Problem(positives, negatives, counts, counts, int(rng.integers(3)), 3, 5, np.arange(n))
    pairs = np.argwhere(rng.random((n, m)) < 0.4 * rng.integers(2))
    pricing = Pricing(
        rng.integers(0, 6, n),
        rng.integers(0, 4, m) * rng.integers(2),
        (pairs[:, 0], pairs[:, 1], rng.integers(1, 4, len(pairs))),
    )
    lower = [np.array(lo, np.int32) for lo in product(range(levels), repeat=int(d))]
    boxes = [(lo, hi) for lo, hi in product(lower, lower) if (lo <= hi).all()]
    return problem, pricing, boxes


def worth(problem, pricing, box):
    held, covered = problem.positives.inside(box), problem.negatives.inside(box)
    rest = pricing.gain.copy()
    for i, q, price in zip(*pricing.pairs, strict=True):
        rest[i] -= price * covered[q]
    return int(np.maximum(rest, 0)[held].sum() - pricing.cost[covered].sum())


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


@pytest.mark.parametrize("seed", range(10))
def test_every_full_box_above_the_cutoff_is_listed(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(20):
        problem, pricing, boxes = random_case(rng)
        cutoff, wanted = int(rng.integers(0, 5)), set()
        for box in boxes:
            held = problem.positives.inside(box)
            if held.any() and worth(problem, pricing, box) > cutoff and full(problem, held):
                wanted.add(key(problem.around(held)))
        listed = MaxBox(problem).all_above(pricing, cutoff, never, 10_000, 10**9)
        assert wanted <= {key(box) for box in listed}
        assert all(worth(problem, pricing, box) > cutoff for box in listed)
        if len(listed) > 1:
            assert MaxBox(problem).all_above(pricing, cutoff, never, len(listed) - 1, 10**9) is None


def full(problem, held):
    """Say whether no further positive fits without a further negative."""
    covered = problem.negatives.inside(problem.around(held)).sum()
    more = [held | (np.arange(len(held)) == i) for i in np.flatnonzero(~held)]
    return all(problem.negatives.inside(problem.around(rows)).sum() > covered for rows in more)


def key(box):
    return tuple(box[0]), tuple(box[1])


@pytest.mark.parametrize("seed", range(5))
def test_climbing_and_polishing_say_what_their_boxes_are_worth(seed):
    rng = np.random.default_rng(200 + seed)
    for _ in range(40):
        problem, pricing, boxes = random_case(rng)
        max_box, low = MaxBox(problem), problem.positives.low
        for value, box in max_box.climb(pricing, [(row, row) for row in low]):
            assert value == worth(problem, pricing, box)
            assert value >= max(worth(problem, pricing, other) for other in one_limit_moved(box, boxes, problem))
        lo, hi = low[rng.integers(len(low), size=3)], low[rng.integers(len(low), size=3)]
        kept, value = max_box.polish(lo, hi, rng.permutation(3), rng.permutation(2 * low.shape[1]))
        drawing = [(lo[k], hi[k]) for k in np.flatnonzero(kept)]
        assert value == problem.value(drawing)
        for k in range(len(drawing)):
            assert problem.value(drawing[:k] + drawing[k + 1 :]) < value


def one_limit_moved(box, boxes, problem):
    """Return the boxes that hold a positive and differ from the given one in one limit at most."""
    limits = np.concatenate(box)
    same = [other for other in boxes if (np.concatenate(other) != limits).sum() <= 1]
    return [other for other in same if problem.positives.inside(other).any()]


def test_the_kernels_are_compiled_for_one_kind_of_arguments():
    compile_kernels()
    problem, pricing, _ = random_case(np.random.default_rng(3))
    max_box = MaxBox(problem)
    max_box.climb(pricing, [(row, row) for row in problem.positives.low])
    max_box.best(pricing, 0, never)
    max_box.best(Pricing(problem.positives.points, problem.negatives.points, no_pairs()), -1, never)
    max_box.polish(problem.positives.low[:2], problem.positives.low[:2], np.arange(2), np.arange(2))
    for kernel in (fill_bits, bound, search, climb, polish):
        assert len(kernel.signatures) == 1
