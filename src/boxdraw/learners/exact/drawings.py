"""Drawings on levels: from a problem to the engine, and back.

A problem counts the levels of lower and of upper limits apart; the engine has one scale per feature. Its steps are the
places of the positives, each of which has a level of both kinds. A negative is at a step or between two that follow
each other, so it is never outside both ends of an interval, which is what the engine relies on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from boxdraw._core.arrays import BoolArray, IntArray
from boxdraw.learners.engine.climb import NO_END, Prices, Rows, climb_each, make_rows
from boxdraw.learners.engine.draw import Drawing, Effort, draw
from boxdraw.learners.exact.max_box import Pricing
from boxdraw.learners.exact.objective import Points
from boxdraw.learners.exact.problem import NOT_ALLOWED, Problem
from boxdraw.learners.exact.ranks import Box, Levels
from boxdraw.learners.parameters import NO_CAP

_MOST_STEPS = 2**16  # of a feature, in the engine's codes
_CELLS = 50_000_000  # rows x features that a climb gets through in a second, at least
_MOST_CLIMBS = 20  # from where the one before ended
_SHAKE = 0.6  # share of the rounds that move limits and drop no box


class Board:
    """The rows of a problem as the engine takes them, on which boxes and drawings are improved."""

    def __init__(self, problem: Problem, seconds_left: Callable[[], float] = lambda: math.inf) -> None:
        self._problem = problem
        self._seconds_left = seconds_left
        self._scales = [_thinned(scale) for scale in problem.scales]
        self._n_steps = np.array([scale.shape[1] for scale in self._scales], dtype=np.int64)
        rows = problem.positives, problem.negatives
        self.low = self._steps(np.concatenate([side.low for side in rows]), 0, "right").astype(np.uint16)
        self.high = self._steps(np.concatenate([side.high for side in rows]), 1, "left").astype(np.uint16)
        self._slack = float(np.median(problem.positives.points))
        limits = problem.limits
        self._ends = np.full((len(self.low), 2), 2) if limits is None else limits.ends
        price, most = (0, NO_CAP) if limits is None else (limits.points, limits.most)
        self._prices = Prices(float(problem.box_points), float(price), most)
        self._masks = () if problem.masks is None else (problem.masks,)  # compiled without what is for them, if none
        points = problem.positives.points, problem.negatives.points
        self._rows = self._make_rows(np.concatenate([points[0], -self._dear(*points)]))

    def _dear(self, gain: Points, cost: Points) -> Points:
        """Return costs at which boxes are found that are precise enough: at least what their precision implies."""
        masks, total = self._problem.masks, int(gain.sum())
        if masks is None or not masks.mass[1, -1:].any() or not total:
            return cost
        (up, down), share = masks.mass[:, :-1], masks.mass[1, -1]
        least = down[len(gain) :] * share / (1 - share) * total / up[: len(gain)][gain > 0].sum()
        return np.maximum(cost, np.minimum(least, total + 1).astype(np.int64))

    def _steps(self, levels: Levels, kind: int, side: Literal["left", "right"]) -> IntArray:
        """Return the last steps at or below given levels (right), or the first at or above them (left), by feature."""
        columns = zip(self._scales, levels.T, strict=True)
        return np.array([np.searchsorted(scale[kind], column, side) for scale, column in columns]) - (side == "right")

    def _make_rows(self, weight: Points, some: IntArray | slice = np.s_[:]) -> Rows:
        low, high = np.ascontiguousarray(self.low[:, some]), np.ascontiguousarray(self.high[:, some])
        weight = weight[some].astype(np.float64)
        return make_rows(low, high, self._n_steps, self._ends, weight, np.flatnonzero(weight > 0))

    def climb(self, pricing: Pricing, starts: Iterable[Box]) -> list[tuple[int, Box]]:
        """Improve boxes at given prices; return each with its value."""
        boxes, wanted, worth = [self._capped(box) for box in starts], pricing.gain > 0, _Worth(pricing)
        dear = self._dear(pricing.gain, pricing.cost)
        if dear is not pricing.cost and boxes:
            moved = self._climbed(boxes, np.concatenate([pricing.gain, -dear])[None], pricing.limit, self._moves())
            boxes = [self._around(box, wanted) or box for box in moved]
        values, weights = worth.of(self._inside(boxes))
        values -= self._limit_prices(boxes, pricing.limit)
        active = np.arange(len(boxes))
        # A box around its positives may be improved again. With pair prices the weights of rows depend on the box: they
        # are set anew after each move.
        for _ in range(_MOST_CLIMBS if boxes else 0):
            moves = 1 if worth.has_pairs else self._moves() // max(1, len(active))
            moved = self._climbed([boxes[k] for k in active], weights, pricing.limit, max(1, moves))
            climbed = [self._around(box, wanted) or box for box in moved]
            found, weights = worth.of(self._inside(climbed))
            found -= self._limit_prices(climbed, pricing.limit)
            better = found > values[active]
            for t in np.flatnonzero(better).tolist():
                values[active[t]], boxes[active[t]] = found[t], climbed[t]
            active = active[better]
            weights = weights[better] if worth.has_pairs else weights
            if not len(active) or self._seconds_left() <= 0:
                break
        return list(zip(values.tolist(), boxes, strict=True))

    def _limit_prices(self, boxes: Sequence[Box], price: int) -> Points:
        limits = self._problem.limits
        if limits is None or not boxes:
            return np.zeros(len(boxes), dtype=np.int64)
        counts = np.array([limits.count(box) for box in boxes])
        allowed = [self._problem.price(box) is not None for box in boxes]
        return np.where(allowed, price * counts, -NOT_ALLOWED // 2)

    def _capped(self, box: Box) -> Box:
        """Return a box without the limits of its widest intervals, as far as it has too many."""
        limits = self._problem.limits
        if limits is None or limits.count(box) <= limits.most:
            return box
        lo, hi = box[0].copy(), box[1].copy()
        tops = self._problem.n_high - 1
        for j in np.argsort((hi - lo) / (tops + 1), kind="stable")[::-1]:
            lo[j], hi[j] = 0, tops[j]
            if limits.count((lo, hi)) <= limits.most:
                break
        return lo, hi

    def _climbed(self, boxes: Sequence[Box], weights: Points, price: int, moves: int) -> list[Box]:
        lo, hi = self._on_steps(boxes)
        some = np.flatnonzero(weights.any(axis=0))  # of many prices most are 0
        rows = self._make_rows(weights[0], some)
        prices = self._prices._replace(limit=float(price))
        climb_each(rows, prices, weights.take(some, axis=1).astype(np.float64), lo, hi, moves, *self._masks)
        return self._on_levels(lo, hi)

    def _moves(self) -> int:
        """Return how many moves there is time for, at least one: on large tables a climb may take seconds."""
        return int(max(1, min(self._seconds_left() * _CELLS / self.low.size, NO_END)))

    def _inside(self, boxes: Sequence[Box]) -> BoolArray:
        """Return which rows, positives first, are in each box."""
        inside = [self._problem.inside(box) for box in boxes]
        return np.array(inside, dtype=np.bool_).reshape(len(boxes), self.low.shape[1])

    def _around(self, box: Box, wanted: BoolArray) -> Box | None:
        """Return the box around the wanted positives in a box; None if there are none."""
        return self._problem.fitted(box, self._problem.positives.inside(box) & wanted)

    def _on_steps(self, boxes: Sequence[Box]) -> tuple[IntArray, IntArray]:
        lower, upper = (np.array([box[kind] for box in boxes]).reshape(-1, len(self._scales)) for kind in (0, 1))
        lo, hi = np.empty((2, *lower.shape), dtype=np.int64)
        # The widest of equal intervals; a box of rows that all lack a value may end before it starts.
        first, last = self._steps(lower - 1, 0, "right").T + 1, self._steps(upper + 1, 1, "left").T - 1
        np.minimum(first, last, out=lo)
        np.maximum(first, last, out=hi)
        return lo, hi

    def _on_levels(self, lo: IntArray, hi: IntArray) -> list[Box]:
        boxes = np.empty((2, *lo.shape), dtype=np.int32)
        for j, scale in enumerate(self._scales):
            boxes[0, :, j], boxes[1, :, j] = scale[0][lo[:, j]], scale[1][hi[:, j]]
        return list(zip(*boxes, strict=True))

    def place(self, boxes: Sequence[Box], n_boxes: int) -> Drawing:
        """Return a drawing of some boxes, with room for others."""
        lo, hi = np.zeros((2, n_boxes, len(self._scales)), dtype=np.int64)
        lo[: len(boxes)], hi[: len(boxes)] = self._on_steps(boxes)
        return Drawing(lo, hi, np.arange(n_boxes) < len(boxes))

    def improve(self, drawing: Drawing, given: Sequence[Box], rounds: int, seed: int) -> int:
        """Improve a drawing in place by rounds of destroying and repairing; return its points."""
        starts = np.stack(self._on_steps(given), axis=1)
        effort = Effort(rounds, rounds + 1, seed, self._moves(), _SHAKE, self._slack)
        return int(draw(self._rows, self._prices, drawing, starts, effort, *self._masks)) + self._problem.constant

    def boxes(self, drawing: Drawing) -> list[Box]:
        """Return the boxes of a drawing, each around its positives."""
        everyone = np.ones(len(self._problem.positives.points), dtype=np.bool_)
        boxes = self._on_levels(drawing.lo[drawing.used], drawing.hi[drawing.used])
        return [around for box in boxes if (around := self._around(box, everyone)) is not None]


class _Worth:
    """What boxes are worth at given prices."""

    def __init__(self, pricing: Pricing) -> None:
        self._gain, self._cost = pricing.gain, pricing.cost
        positive, negative, price = pricing.pairs
        self._pairs = csr_array((price, (positive, negative)), shape=(len(self._gain), len(self._cost)))
        self.has_pairs = len(price) > 0

    def of(self, inside: BoolArray) -> tuple[Points, Points]:
        """Return the value of each box, and what a row more or less makes of it; without pairs that is one for all."""
        held, covered = inside[:, : len(self._gain)], inside[:, len(self._gain) :]
        if not self.has_pairs:
            return held @ self._gain - covered @ self._cost, np.concatenate([self._gain, -self._cost])[None]
        rest = np.maximum(self._gain - (self._pairs @ covered.T).T, 0)
        paid = self._cost + (self._pairs.T @ (held & (rest > 0)).T).T
        return (rest * held).sum(axis=1) - covered @ self._cost, np.hstack([rest, -paid])


def _thinned(scale: Levels) -> Levels:
    """Leave steps out if there are too many for the engine, but neither the first nor the last."""
    n_steps = scale.shape[1]
    return scale[:, np.linspace(0, n_steps - 1, min(n_steps, _MOST_STEPS)).astype(np.intp)]
