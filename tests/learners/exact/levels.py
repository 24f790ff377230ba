"""Small problems on levels, made directly."""

from itertools import product

import numpy as np

from boxdraw.learners.exact.max_box import Pricing
from boxdraw.learners.exact.problem import LevelRows, Problem


def level_problem(positives, negatives, counts, box_points, max_boxes=3, constant=5):
    """Return a problem in which lower and upper limits have the same levels."""
    scales = [np.tile(np.arange(count, dtype=np.int32), (2, 1)) for count in counts]
    places = np.arange(len(positives.points))
    return Problem(positives, negatives, counts, counts, box_points, max_boxes, constant, places, scales)


def random_case(rng):
    """Return a problem on few levels, prices with and without pairs, and all its boxes."""
    n, m, d, levels = rng.integers(1, 12), rng.integers(0, 14), rng.integers(1, 4), rng.integers(1, 5)
    low = rng.integers(0, levels, (n, d)).astype(np.int32)
    low_n = rng.integers(0, levels, (m, d)).astype(np.int32)
    high_n = np.clip(low_n + rng.integers(0, 2, (m, d)), 0, levels - 1).astype(np.int32)
    positives = LevelRows(low, low.copy(), rng.integers(1, 4, n))
    negatives = LevelRows(low_n, high_n, rng.integers(1, 4, m))
    counts = np.full(d, levels, np.int32)
    problem = level_problem(positives, negatives, counts, int(rng.integers(3)))
    pairs = np.argwhere(rng.random((n, m)) < 0.4 * rng.integers(2))
    pricing = Pricing(
        rng.integers(0, 6, n),
        rng.integers(0, 4, m) * rng.integers(2),
        (pairs[:, 0], pairs[:, 1], rng.integers(1, 4, len(pairs))),
    )
    lower = [np.array(lo, np.int32) for lo in product(range(levels), repeat=int(d))]
    boxes = [(lo, hi) for lo, hi in product(lower, lower) if (lo <= hi).all()]
    return problem, pricing, boxes


def wide_case(rng, n, m):
    """Return a problem of more rows than fit in a word of a set, plain prices, and all its boxes."""
    low = rng.integers(0, 6, (n, 2)).astype(np.int32)
    near = np.clip(rng.integers(0, 6, (m, 2)) + 1, 0, 5).astype(np.int32)
    counts = np.full(2, 6, np.int32)
    rows = LevelRows(low, low.copy(), np.ones(n, np.int64)), LevelRows(near, near, np.ones(m, np.int64))
    problem = level_problem(*rows, counts, 1)
    some = np.sort(rng.choice(n, 5, replace=False))
    pairs = some, rng.integers(0, m, 5), rng.integers(1, 4, 5)
    pricing = Pricing(rng.integers(0, 4, n), rng.integers(0, 3, m), pairs)
    lower = [np.array(lo, np.int32) for lo in product(range(6), repeat=2)]
    return problem, pricing, [(lo, hi) for lo, hi in product(lower, lower) if (lo <= hi).all()]


def worth(problem, pricing, box):
    """Return what a box earns."""
    held, covered = problem.positives.inside(box), problem.negatives.inside(box)
    rest = pricing.gain.copy()
    for i, q, price in zip(*pricing.pairs, strict=True):
        rest[i] -= price * covered[q]
    return int(np.maximum(rest, 0)[held].sum() - pricing.cost[covered].sum())


def key(box):
    """Return a box as what can be compared."""
    return tuple(box[0]), tuple(box[1])
