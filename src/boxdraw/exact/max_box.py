"""One box of most value: hill climbing for boxes, branch and bound for the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import IntArray
from boxdraw.exact import kernels
from boxdraw.exact.objective import Points
from boxdraw.exact.problem import Box, Levels, Problem, Rows

Words = npt.NDArray[np.uint64]

_CHUNK = 500  # nodes between looks at the clock


@dataclass(frozen=True, slots=True)
class Pricing:
    """What a box earns: gains of positives, costs of negatives, and prices of pairs of both; all at least 0.

    A positive earns its gain less the pair prices of the negatives in the same box, or nothing if that is negative.
    """

    gain: Points
    cost: Points
    pairs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Points]  # positive, negative, price; by positive


def no_pairs() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Points]:
    """Return an empty set of pair prices."""
    none = np.zeros(0, dtype=np.int64)
    return none, none, none


@dataclass(frozen=True, slots=True)
class Found:
    """The answer of a search: the best box, if any is above the cutoff, and the most that any other can have."""

    box: Box | None
    value: int
    upper: int  # no box has more; equal to the value, or the cutoff if nothing is above it, when proven
    work: int  # words looked at, about: a clock that always runs the same


class MaxBox:
    """Searches for the box of most value among the rows of a problem, at changing prices."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        positives, negatives = problem.positives, problem.negatives
        self._table = kernels.Table(
            positives.low,
            positives.high,
            negatives.low,
            negatives.high,
            _let_in_order(positives.low, positives.high),
            _let_in_order(negatives.low, negatives.high),
        )

    def climb(self, pricing: Pricing, starts: Iterable[Box]) -> list[tuple[int, Box]]:
        """Improve boxes limit by limit; return each with its value."""
        prices = _prices(pricing, len(pricing.gain))
        by_negative = _by_negative(pricing, len(pricing.cost))
        climbed = []
        for start in starts:
            lo, hi = start[0].copy(), start[1].copy()
            climbed.append((int(kernels.climb(self._table, prices, by_negative, lo, hi)), (lo, hi)))
        return climbed

    def best(self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], node_limit: int = 2**62) -> Found:
        """Find the best box of more value than the cutoff, by branch and bound."""
        return _Search(self._problem, pricing).best(cutoff, out_of_time, node_limit)

    def all_above(
        self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], most: int, node_limit: int
    ) -> list[Box] | None:
        """List the boxes of more value than the cutoff that can't take a positive in for free; None if too many."""
        return _Search(self._problem, pricing, every_negative=True).all_above(cutoff, out_of_time, most, node_limit)


@cache
def compile_kernels() -> None:
    """Compile what a search needs, or load it from disk; only the first call in a process does something."""
    low, points = np.array([[0], [1]], dtype=np.int32), np.ones(2, dtype=np.int64)
    rows, n_levels = Rows(low, low, points), np.array([2], dtype=np.int32)
    problem = Problem(rows, rows, n_levels, n_levels, 0, 1, 2, np.arange(2))
    pricing = Pricing(points, points, no_pairs())
    max_box = MaxBox(problem)
    max_box.climb(pricing, [(low[0], low[0])])
    max_box.best(pricing, 0, lambda: False)


class _Search:
    """Branch and bound over the rows that matter at the given prices."""

    def __init__(self, problem: Problem, pricing: Pricing, every_negative: bool = False) -> None:
        positives, negatives = problem.positives, problem.negatives
        priced = (pricing.cost > 0) | every_negative
        priced[pricing.pairs[1]] = True
        rows = np.arange(len(pricing.gain))
        self.negative_rows = np.flatnonzero(priced)
        low, high = positives.low[rows], positives.high[rows]
        self.low, self.high = low, high
        levels = problem.n_low, problem.n_high, (int(problem.n_low.max()), int(problem.n_high.max()))
        bits = kernels.fill_bits(low, high, *levels)
        chosen = self.negative_rows
        negative_bits = kernels.fill_bits(negatives.low[chosen], negatives.high[chosen], *levels)
        self.sets = kernels.Sets(low, high, *bits, *negative_bits)
        index = np.full(len(pricing.cost), -1, dtype=np.int64)
        index[chosen] = np.arange(len(chosen))
        pairs = pricing.pairs[0], index[pricing.pairs[1]], pricing.pairs[2]
        self.prices = _prices(Pricing(pricing.gain, pricing.cost[chosen], pairs), len(pricing.gain))
        self.words = bits[0].shape[2]
        self.work = _work(len(low), self.words, len(chosen), negative_bits[0].shape[2])
        self.stack = _stack(len(low), low.shape[1], self.words)
        self.node_size = low.size * (self.words + negative_bits[0].shape[2])

    def best(self, cutoff: int, out_of_time: Callable[[], bool], node_limit: int) -> Found:
        box_lo, box_hi = np.zeros((1, self.low.shape[1]), np.int32), np.zeros((1, self.low.shape[1]), np.int32)
        dead = np.zeros(self.words, dtype=np.uint64)
        found, upper = 0, cutoff
        open_ = np.flatnonzero(self.prices.gain > 0)
        nodes = 0
        bounds = self._seed_bounds(open_, dead, cutoff, False)
        since = 0
        while len(open_):
            alive = bounds > cutoff
            for i in open_[~alive]:
                _add(dead, i)
            open_, bounds = open_[alive], bounds[alive]
            if not len(open_):
                break
            if since >= 8:
                bounds, since = self._seed_bounds(open_, dead, cutoff, False), 0
                continue
            since += 1
            k = int(np.argmin(bounds))
            seed, open_bits = int(open_[k]), np.zeros(self.words, dtype=np.uint64)
            rest = np.delete(open_, k)
            np.bitwise_or.at(open_bits, rest >> 6, np.uint64(1) << (rest & 63).astype(np.uint64))
            depth = self._push(seed, open_bits, dead, int(bounds[k]))
            while depth:
                depth, cutoff, used, found = kernels.search(
                    self.sets, self.prices, self.stack, depth, cutoff, _CHUNK, box_lo, box_hi, self.work, found, False
                )
                nodes += used
                if depth and (nodes >= node_limit or out_of_time()):
                    upper = max(int(self.stack.upper[:depth].max()), int(bounds.max()), cutoff)
                    return self._found(found, cutoff, upper, box_lo, box_hi, nodes)
            _add(dead, seed)
            open_, bounds = rest, np.delete(bounds, k)
            if len(open_) and (nodes >= node_limit or out_of_time()):
                upper = max(int(bounds.max()), cutoff)
                return self._found(found, cutoff, upper, box_lo, box_hi, nodes)
        return self._found(found, cutoff, cutoff, box_lo, box_hi, nodes)

    def all_above(self, cutoff: int, out_of_time: Callable[[], bool], most: int, node_limit: int) -> list[Box] | None:
        width = self.low.shape[1]
        box_lo, box_hi = np.zeros((most, width), np.int32), np.zeros((most, width), np.int32)
        dead = np.zeros(self.words, dtype=np.uint64)
        found = nodes = 0
        open_ = np.arange(len(self.low))
        while len(open_):
            bounds = self._seed_bounds(open_, dead, cutoff, True)
            alive = bounds > cutoff
            for i in open_[~alive]:
                _add(dead, i)
            open_, bounds = open_[alive], bounds[alive]
            if not len(open_):
                break
            k = int(np.argmin(bounds))
            rest, open_bits = np.delete(open_, k), np.zeros(self.words, dtype=np.uint64)
            np.bitwise_or.at(open_bits, rest >> 6, np.uint64(1) << (rest & 63).astype(np.uint64))
            depth = self._push(int(open_[k]), open_bits, dead, int(bounds[k]))
            while depth:
                depth, _, used, found = kernels.search(
                    self.sets, self.prices, self.stack, depth, cutoff, _CHUNK, box_lo, box_hi, self.work, found, True
                )
                nodes += used
                if found > most or nodes > node_limit or out_of_time():
                    return None
            _add(dead, int(open_[k]))
            open_ = rest
        return [(box_lo[k], box_hi[k]) for k in range(found)]

    def _found(self, found: int, value: int, upper: int, lo: Levels, hi: Levels, nodes: int) -> Found:
        return Found((lo[0], hi[0]) if found else None, value, upper, (nodes + len(self.low)) * self.node_size)

    def _seed_bounds(self, seeds: IntArray, dead: Words, cutoff: int, keep_idle: bool) -> Points:
        """Bound, for each seed, the boxes that hold it and no dead positive."""
        uppers = np.empty(len(seeds), dtype=np.int64)
        for k, seed in enumerate(seeds):
            open_ = np.delete(seeds, k)
            limits = self.low[seed].copy(), self.high[seed].copy()
            _, uppers[k], _ = kernels.bound(
                self.sets, self.prices, *limits, open_, len(open_), dead.copy(), cutoff, self.work, keep_idle
            )
        return uppers

    def _push(self, seed: int, open_bits: Words, dead: Words, upper: int) -> int:
        self.stack.lo[0], self.stack.hi[0] = self.low[seed], self.high[seed]
        self.stack.open[0], self.stack.dead[0] = open_bits, dead
        self.stack.upper[0], self.stack.grown[0] = upper, True
        return 1


def _add(words: Words, i: int) -> None:
    words[i >> 6] |= np.uint64(1) << np.uint64(i & 63)


def _let_in_order(low: Levels, high: Levels) -> npt.NDArray[np.int64]:
    """Return, per feature, the order in which a lower limit going down and an upper limit going up let rows in."""
    return np.stack([np.argsort(-low, axis=0, kind="stable").T, np.argsort(high, axis=0, kind="stable").T])


def _prices(pricing: Pricing, n_positives: int) -> kernels.Prices:
    positive, negative, price = pricing.pairs
    start = np.searchsorted(positive, np.arange(n_positives + 1))
    return kernels.Prices(pricing.gain, pricing.cost, start.astype(np.int64), negative, price)


def _by_negative(pricing: Pricing, n_negatives: int) -> tuple[Points, Points, Points]:
    positive, negative, price = pricing.pairs
    order = np.argsort(negative, kind="stable")
    start = np.searchsorted(negative[order], np.arange(n_negatives + 1))
    return start.astype(np.int64), positive[order], price[order]


def _work(n_positives: int, words: int, n_negatives: int, negative_words: int) -> kernels.Work:
    def whole(size: int) -> Points:
        return np.zeros(size, dtype=np.int64)

    def bits(*shape: int) -> Words:
        return np.zeros(shape, dtype=np.uint64)

    return kernels.Work(
        inner=bits(negative_words),
        held=bits(words),
        reach=bits(n_positives, negative_words),
        closure=bits(n_positives, words),
        worth=whole(n_positives),
        unpaid=whole(n_positives),
        size=whole(n_positives),
        drop=whole(n_positives),
        need=whole(n_positives),
        slot=whole(n_positives),
        capacity=whole(n_negatives),
        residual=whole(n_negatives),
        degree=whole(n_negatives),
        order=whole(n_positives),
        bucket=whole(n_negatives + 2),
    )


def _stack(n_positives: int, n_features: int, words: int) -> kernels.Stack:
    depth = n_positives + 1
    return kernels.Stack(
        lo=np.zeros((depth, n_features), dtype=np.int32),
        hi=np.zeros((depth, n_features), dtype=np.int32),
        open=np.zeros((depth, words), dtype=np.uint64),
        dead=np.zeros((depth, words), dtype=np.uint64),
        upper=np.zeros(depth, dtype=np.int64),
        grown=np.zeros(depth, dtype=np.bool_),
    )
