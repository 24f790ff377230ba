"""The engine's objective in NumPy: plain, slow, and without any of its code."""

from itertools import combinations_with_replacement, product

import numpy as np
from numba import njit

from boxdraw.learners.engine import climb as engine
from boxdraw.learners.engine.draw import Drawing

#: What a column counts for an interval with two ends, and for a single level: numbers, whole numbers, categories.
ENDS = [(2, 2), (2, 1), (1, 1)]


@njit
def best_interval(below, above, n_levels, ends, price, most):
    """Call the engine's function, which only compiled ones can."""
    return engine.best_interval(below, above, n_levels, ends, price, most)


@njit
def climb(rows, prices, taken, lo, hi, allowed, some):
    """Climb with memory of its own."""
    return engine.climb(rows, prices, taken, lo, hi, allowed, some, engine.make_scratch(rows, engine.NO_END))


def n_ends(lo, hi, n_levels, ends):
    """Count the limits of an interval."""
    sides = int(lo > 0) + int(hi < n_levels - 1)
    return sides if sides < 2 else ends[1 if lo == hi else 0]


def intervals(n_levels):
    """Return all intervals of levels."""
    return list(combinations_with_replacement(range(n_levels), 2))


def n_limits(rows, lo, hi):
    """Count the limits of a box."""
    parts = zip(lo, hi, rows.n_levels, rows.ends, strict=True)
    return sum(n_ends(*part) for part in parts)


def held(rows, lo, hi):
    """Return a mask of the rows in a box."""
    inside = (rows.low >= np.asarray(lo)[:, None]) & (rows.high <= np.asarray(hi)[:, None])
    return inside.all(axis=0)


def climb_value(rows, prices, taken, lo, hi):
    """Return what a box adds to others, less the price of its limits."""
    return rows.weight[held(rows, lo, hi) & (taken == 0)].sum() - prices.limit * n_limits(rows, lo, hi)


def drawing_value(rows, prices, drawing):
    """Return the value of a drawing."""
    union, value = np.zeros(rows.low.shape[1], dtype=bool), 0.0
    for k in np.flatnonzero(drawing.used):
        union |= held(rows, drawing.lo[k], drawing.hi[k])
        value -= prices.box + prices.limit * n_limits(rows, drawing.lo[k], drawing.hi[k])
    return value + rows.weight[union].sum()


def drawing_limits(rows, drawing):
    """Count the limits of a drawing."""
    return sum(n_limits(rows, drawing.lo[k], drawing.hi[k]) for k in np.flatnonzero(drawing.used))


def blank(rows, n_boxes):
    """Return a drawing without boxes."""
    shape = n_boxes, len(rows.low)
    return Drawing(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(n_boxes, np.bool_))


def no_boxes(rows):
    """Return no boxes to start from."""
    return np.empty((0, 2, len(rows.low)), dtype=np.int64)


def random_rows(rng, n_rows=30, n_features=3, most_levels=4, margin=0, ratio=None):
    """Return rows on levels, with small weights: any, or those of classes at a cost relative to their balance.

    With a margin, in levels, positives are held with it all around, and negatives unless they are so far outside.
    """
    n_levels = rng.integers(2, most_levels + 1, n_features)
    place = np.stack([rng.integers(0, count, n_rows) for count in n_levels])
    weight = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], n_rows)
    if ratio is not None:
        positive = weight > 0
        weight = np.where(positive, 1, -np.ceil(4 * ratio * positive.sum() / (~positive).sum()) / 4)
    low = high = place.astype(np.uint16)
    if margin:
        reach, top = np.where(weight > 0, margin, -margin), (n_levels - 1)[:, None]
        low, high = (np.clip(place + sign * reach, 0, top).astype(np.uint16) for sign in (-1, 1))
    ends = np.array([ENDS[k] for k in rng.integers(0, len(ENDS), n_features)])
    sums = np.zeros((1 + bool(margin), n_features, n_levels.max()))
    for side, codes in zip(sums, (low, high), strict=False):
        for j, code in enumerate(codes):
            np.add.at(side[j], code, weight)
    return engine.Rows(low, high, n_levels, ends, sums, weight, np.flatnonzero(weight > 0))


def random_box(rng, rows):
    """Return a box, with limits on about half of the features."""
    lo, hi = np.zeros(len(rows.low), np.int64), rows.n_levels - 1
    for j in np.flatnonzero(rng.random(len(lo)) < 0.5):
        lo[j], hi[j] = sorted(rng.integers(0, rows.n_levels[j], 2))
    return lo, hi


class AllBoxes:
    """Every box on the levels: what it holds, its limits, and the best drawings of one or two."""

    def __init__(self, rows):
        boxes = product(*(intervals(count) for count in rows.n_levels))
        self.lo, self.hi = np.moveaxis(np.array(list(boxes)), 2, 0)
        inside = np.array([held(rows, lo, hi) for lo, hi in zip(self.lo, self.hi, strict=True)], dtype=float)
        self.limits = np.array([n_limits(rows, lo, hi) for lo, hi in zip(self.lo, self.hi, strict=True)])
        self._one, self._both = inside @ rows.weight, (inside * rows.weight) @ inside.T

    def optimum(self, prices, n_boxes):
        """Return the most that a drawing of up to one or two boxes is worth, and the numbers of limits of such."""
        one = self._one - prices.box - prices.limit * self.limits
        one[self.limits > prices.max_limits] = -np.inf
        best, limits = max(0.0, one.max()), self.limits
        found = set(limits[one == best]) | ({0} if best == 0 else set())
        if n_boxes == 2:
            two = one[:, None] + one - self._both
            if two.max() > best:
                best, found = two.max(), set()
            found |= set((limits[:, None] + limits)[two == best])
        return best, found
