"""The best box or drawing by ranges for the sides of its boxes, where limits count or dimensions are few."""

from __future__ import annotations

import heapq
import math
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray
from boxdraw.learners.exact import side_kernels as kernels
from boxdraw.learners.exact.limits import EACH
from boxdraw.learners.exact.max_box import Found, Pricing, no_pairs, starts_of
from boxdraw.learners.exact.objective import Points
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box
from boxdraw.learners.parameters import NO_CAP

_CHUNK = 20_000_000  # rows x sides looked at between looks at the clock
_DIVE = 200  # nodes searched depth first, before the open node of the best bound is next
_ROUNDS = 2  # of moving shares at a node
_FIRST_ROUNDS = 30  # and at the first


class SideTree:
    """Searches for the box of most value among the rows of a problem, at changing prices; or for several boxes."""

    def __init__(self, problem: Problem, n_boxes: int = 1) -> None:
        self._problem, self._n_boxes = problem, n_boxes
        rows = problem.positives, problem.negatives
        steps = np.concatenate([np.hstack([problem.n_low - 1 - side.low, side.high]) for side in rows])
        last = np.concatenate([problem.n_low, problem.n_high]) - 1
        self._used = np.flatnonzero(last > 0)
        self._out = np.ascontiguousarray(steps[:, self._used], dtype=np.int32)
        self._last = np.append(np.tile(last[self._used], n_boxes), 0).astype(np.int64)
        self._groups = np.concatenate([self._groups_of(k) for k in range(n_boxes)])
        self._masks = self._make_masks()
        self.node_size = self._out.size * n_boxes * _ROUNDS + 1
        self.first_work = self._out.size * _FIRST_ROUNDS

    def _groups_of(self, k: int) -> IntArray:
        """Return the groups of the sides of a box; if limits do not count, any will do."""
        n_low, limits, n_used = self._problem.n_low, self._problem.limits, len(self._used)
        d, missing = len(n_low), n_used * self._n_boxes  # the side that a group has not got comes last
        place = np.full(2 * d + 1, missing)
        place[self._used] = k * n_used + np.arange(n_used)
        if limits is not None:
            return limits.groups(n_low, place)
        return np.array([[place[j], place[d + j], missing, missing, EACH, 0] for j in range(d)], dtype=np.int64)

    def _make_masks(self) -> tuple[IntArray, FloatArray]:
        """Return which groups may be limited together, and what a box must hold; arrays of nothing if that is free."""
        masks, limits, n_low = self._problem.masks, self._problem.limits, self._problem.n_low
        if masks is None or limits is None:
            return np.zeros((0, 0), dtype=np.int64), np.zeros((2, 0))
        column = limits.groups(n_low, np.arange(2 * len(n_low) + 1))[:, 0]
        together = np.ascontiguousarray(masks.together[:, [*column, -1]])
        together[0, :-1] = np.arange(len(column))  # a feature is one group
        return together, masks.mass

    def best_drawing(self, least: int, out_of_time: Callable[[], bool], node_limit: int = sys.maxsize) -> Found:
        """Find the best drawing of just so many boxes that has more than the least points."""
        problem = self._problem
        pricing = Pricing(problem.positives.points, problem.negatives.points, no_pairs(), problem.limit_points)
        shift = problem.constant - self._n_boxes * problem.box_points
        found = self.best(pricing, least - shift, out_of_time, node_limit)
        return replace(found, value=found.value + shift, upper=found.upper + shift)

    def best(
        self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], node_limit: int = sys.maxsize
    ) -> Found:
        """Find the boxes, as many as the tree is for, that have most value together, above the cutoff."""
        limits = self._problem.limits
        prices = np.array([pricing.limit, NO_CAP if limits is None else limits.most, int(self._last.argmax())])
        points, start, pairs, error = self._values(pricing)
        nodes, upper, memory, real = self._start(points, pairs)
        n_rows, used, found, rounds, chunk = int(nodes[0, 0, -1]), 0, cutoff, _FIRST_ROUNDS, 1
        open_ = [(-math.inf, 0, nodes[:, 0].copy())]  # a heap: less the bound, a number, ranges
        while open_ and used < node_limit and not (used and out_of_time()):
            bound, _, nodes[:, 0] = heapq.heappop(open_)
            upper[0], nodes[0, 0, -1] = -bound, n_rows
            n_nodes = min(chunk, node_limit - used)
            task = prices, error, nodes, upper, memory, real, found, n_nodes, rounds, self._masks
            depth, found, more = kernels.search_sides(self._out, self._last, self._groups, points, start, pairs, *task)
            used, rounds, chunk = used + more, _ROUNDS, min(_DIVE, math.ceil(_CHUNK / self.node_size))
            for k in range(depth):
                heapq.heappush(open_, (-upper[k], used * len(upper) + k, nodes[:, k].copy()))
            if open_ and -open_[0][0] + error - found < 1:
                open_ = []
        most = max(int(found), math.floor(-open_[0][0] + error) if open_ else cutoff)
        work = (used * _ROUNDS + _FIRST_ROUNDS) * self._out.size * self._n_boxes
        reaches = nodes[0, -1, :-1].reshape(self._n_boxes, -1)
        boxes = [self._box(reach) for reach in reaches] if found > cutoff else []
        return Found(boxes, int(found), most, work)

    def _values(self, pricing: Pricing) -> tuple[Points, Points, Points, float]:
        """Return the points of the rows, the pairs and by how much bounds may be off."""
        positive, negative, price = pricing.pairs
        points = np.concatenate([pricing.gain, -pricing.cost])
        # Sums of n terms are off by at most n halves of the last bit of what their sizes add up to.
        n_sides, size = len(self._last) - 1, self._n_boxes * float(np.abs(points).sum() + price.sum())
        n_terms = len(points) * self._n_boxes + int(self._last.max()) + n_sides + 10
        error = (n_sides + 1) * (size + float(pricing.limit) * n_sides) * n_terms * 2.0**-53
        pairs = np.stack([negative + len(pricing.gain), price])
        return points, starts_of(positive, len(pricing.gain)), pairs, error

    def _start(self, points: Points, pairs: Points) -> tuple[Points, FloatArray, Points, FloatArray]:
        """Return the first node, with room for others, and what lasts from node to node."""
        n_rows, n_sides, n_boxes = len(self._out), len(self._last) - 1, self._n_boxes
        depth = kernels.most_depth(n_sides)
        counts = points != 0
        counts[pairs[0]] = True
        rows = np.flatnonzero(counts)
        nodes, upper = np.zeros((2, depth + 1, n_sides + 1), dtype=np.int64), np.full(depth, math.inf)
        nodes[1, 0], nodes[0, 0, -1] = self._last, len(rows)
        memory, real = np.zeros((3 + n_boxes, n_rows), dtype=np.int64), np.empty((n_rows, n_sides + 2 * n_boxes + 1))
        memory[0, : len(rows)] = rows
        shares = [1 / max(n_sides, 1), 0.5 if n_boxes == 1 else 0.95, 1 / n_boxes, 0.3]
        real[:] = np.repeat(shares, [n_sides, n_boxes, n_boxes, 1])
        return nodes, upper, memory, real

    def _box(self, reach: IntArray) -> Box:
        n_low, n_high = self._problem.n_low, self._problem.n_high
        steps = np.concatenate([n_low, n_high]) - 1
        steps[self._used] = reach
        d = len(n_low)
        return (n_low - 1 - steps[:d]).astype(np.int32), steps[d:].astype(np.int32)
