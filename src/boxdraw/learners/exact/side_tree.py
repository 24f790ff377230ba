"""One box of most value where limits cost something, or a box may only have so many."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray
from boxdraw.learners.exact import side_kernels as kernels
from boxdraw.learners.exact.limits import Limits
from boxdraw.learners.exact.max_box import Found, Pricing, starts_of
from boxdraw.learners.exact.objective import Points
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box

_CHUNK = 20_000_000  # rows x sides looked at between looks at the clock
_ROUNDS = 2  # of moving shares at a node
_FIRST_ROUNDS = 30  # and at the first


class SideTree:
    """Searches for the box of most value among the rows of a problem in which limits count, at changing prices."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self._problem = problem
        self._most = limits.most
        rows = problem.positives, problem.negatives
        steps = np.concatenate([np.hstack([problem.n_low - 1 - side.low, side.high]) for side in rows])
        last = np.concatenate([problem.n_low, problem.n_high]) - 1
        self._used = np.flatnonzero(last > 0)
        place = np.full(len(last) + 1, len(self._used))  # the side that a group has not got comes last
        place[self._used] = np.arange(len(self._used))
        self._out = np.ascontiguousarray(steps[:, self._used], dtype=np.int32)
        self._last = np.append(last[self._used], 0).astype(np.int64)
        self._groups = limits.groups(problem.n_low, place)
        self.node_size = self._out.size * _ROUNDS + 1
        self.first_work = self._out.size * _FIRST_ROUNDS

    def best(
        self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], node_limit: int = sys.maxsize
    ) -> Found:
        """Find the best box of more value than the cutoff."""
        prices = np.array([pricing.limit, self._most])
        points, start, pairs, error = self._values(pricing)
        nodes, upper, memory, real = self._start(points, pairs)
        depth, used, found, rounds, chunk = 1, 0, cutoff, _FIRST_ROUNDS, 1
        while depth and used < node_limit and not (used and out_of_time()):
            task = prices, error, nodes, upper, depth, memory, real, found, min(chunk, node_limit - used), rounds
            depth, found, more = kernels.search_sides(self._out, self._last, self._groups, points, start, pairs, *task)
            used, rounds, chunk = used + more, _ROUNDS, math.ceil(_CHUNK / (2 * self._out.size + 1))
        open_ = upper[:depth].max(initial=-math.inf)
        most = max(int(found), math.floor(open_ + error) if depth else cutoff)
        work = (used * _ROUNDS + _FIRST_ROUNDS) * self._out.size
        return Found(self._box(nodes[0, -1, :-1]) if found > cutoff else None, int(found), most, work)

    def _values(self, pricing: Pricing) -> tuple[Points, Points, Points, float]:
        """Return the points of the rows, the pairs and by how much bounds may be off."""
        positive, negative, price = pricing.pairs
        points = np.concatenate([pricing.gain, -pricing.cost])
        # Sums of n terms are off by at most n halves of the last bit of what their sizes add up to.
        (n_rows, n_sides), size = self._out.shape, float(np.abs(points).sum() + price.sum())
        n_terms = n_rows + int(self._last.max()) + n_sides + 10
        error = (n_sides + 1) * (size + float(pricing.limit) * n_sides) * n_terms * 2.0**-53
        pairs = np.stack([negative + len(pricing.gain), price])
        return points, starts_of(positive, len(pricing.gain)), pairs, error

    def _start(self, points: Points, pairs: Points) -> tuple[Points, FloatArray, Points, FloatArray]:
        """Return the first node, with room for others, and what lasts from node to node."""
        (n_rows, n_sides), depth = self._out.shape, kernels.most_depth(self._out.shape[1])
        counts = points != 0
        counts[pairs[0]] = True
        rows = np.flatnonzero(counts)
        nodes, upper = np.zeros((2, depth + 1, n_sides + 1), dtype=np.int64), np.full(depth, math.inf)
        nodes[1, 0], nodes[0, 0, -1] = self._last, len(rows)
        memory, real = np.zeros((3, n_rows), dtype=np.int64), np.empty((n_rows, n_sides + 1))
        memory[0, : len(rows)] = rows
        real[:, :-1], real[:, -1] = 1 / max(n_sides, 1), 0.5
        return nodes, upper, memory, real

    def _box(self, reach: IntArray) -> Box:
        n_low, n_high = self._problem.n_low, self._problem.n_high
        steps = np.concatenate([n_low, n_high]) - 1
        steps[self._used] = reach
        d = len(n_low)
        return (n_low - 1 - steps[:d]).astype(np.int32), steps[d:].astype(np.int32)
