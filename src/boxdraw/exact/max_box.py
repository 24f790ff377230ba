"""One box of most value: hill climbing for boxes, branch and bound for the proof."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import BoolArray, IntArray
from boxdraw.exact import climbing, kernels
from boxdraw.exact.objective import Points
from boxdraw.exact.problem import Box, Levels, Problem, Rows

Words = npt.NDArray[np.uint64]

_CHUNK = 20_000_000  # words looked at between looks at the clock
_SWEPT = 20_000_000  # rows that a limit sweeps over in a second, at least
_SEEDS_BETWEEN = 8  # searched between updates of the bounds of all


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

    def __init__(self, problem: Problem, seconds_left: Callable[[], float] = lambda: math.inf) -> None:
        self._problem = problem
        self._seconds_left = seconds_left
        positives, negatives = problem.positives, problem.negatives
        self._table = climbing.Table(
            positives.low,
            positives.high,
            negatives.low,
            negatives.high,
            _let_in_order(problem, positives),
            _let_in_order(problem, negatives),
            problem.n_low,
            problem.n_high,
        )
        words = len(positives.points) // 64 + len(negatives.points) // 64 + 2
        self.first_work = len(positives.points) * positives.low.size * words  # of branch and bound, before it branches
        plain = Pricing(positives.points, negatives.points, no_pairs())
        self._plain = _prices(plain, len(plain.gain)), _by_negative(plain, len(plain.cost))

    def climb(self, pricing: Pricing, starts: Iterable[Box]) -> list[tuple[int, Box]]:
        """Improve boxes limit by limit; return each with its value."""
        prices = _prices(pricing, len(pricing.gain))
        by_negative = _by_negative(pricing, len(pricing.cost))
        climbed = []
        for start in starts:
            lo, hi = start[0].copy(), start[1].copy()
            value = climbing.climb(self._table, prices, by_negative, lo, hi, self._most_sweeps())
            climbed.append((int(value), (lo, hi)))
        return climbed

    def _most_sweeps(self) -> int:
        """Return how many sweeps there is time for: on large tables a climb may take seconds."""
        n_rows = len(self._problem.positives.points) + len(self._problem.negatives.points)
        return int(np.clip(self._seconds_left() * _SWEPT / n_rows, 1, 2**62))

    def polish(self, lo: Levels, hi: Levels, boxes: IntArray, limits: IntArray) -> tuple[BoolArray, int]:
        """Improve the boxes of a drawing, in place and in the given orders.

        Returns which boxes are worth it, and the points of the drawing that they make.
        """
        orders = lo, hi, boxes, limits, self._most_sweeps()
        kept, value = climbing.polish(self._table, *self._plain, self._problem.box_points, *orders)
        return kept, int(value) + self._problem.constant

    def best(self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], node_limit: int = 2**62) -> Found:
        """Find the best box of more value than the cutoff, by branch and bound."""
        search = _Search(self._problem, pricing)
        run = search.run(cutoff, node_limit, 1, out_of_time, keep_all=False)
        work = (run.nodes + len(pricing.gain)) * search.node_size
        return Found((run.lo[0], run.hi[0]) if run.found else None, run.cutoff, run.upper, work)

    def all_above(
        self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], most: int, node_limit: int
    ) -> list[Box] | None:
        """List the boxes of more value than the cutoff that can't take a positive in for free; None if too many."""
        search = _Search(self._problem, pricing, every_negative=True)
        run = search.run(cutoff, node_limit, most, out_of_time, keep_all=True)
        return [(run.lo[k], run.hi[k]) for k in range(run.found)] if run.found <= most and run.upper == cutoff else None


@dataclass(slots=True)
class _Run:
    """What a search has come to."""

    lo: Levels  # the boxes found, with room for more
    hi: Levels
    cutoff: int
    upper: int  # no box has more; equal to the cutoff if the search was completed
    found: int = 0
    nodes: int = 0


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
        self.chunk = max(1, _CHUNK // self.node_size)

    def run(self, cutoff: int, node_limit: int, most: int, out_of_time: Callable[[], bool], keep_all: bool) -> _Run:
        """Search the boxes of one positive after the other, without those of the positives before.

        The cutoff rises to the best value found; with keep_all it stays, and all boxes above it are kept.
        """
        shape = most, self.low.shape[1]
        run = _Run(np.zeros(shape, np.int32), np.zeros(shape, np.int32), cutoff, int(self.prices.gain.sum()))
        dead = np.zeros(self.words, dtype=np.uint64)
        open_ = np.arange(len(self.low)) if keep_all else np.flatnonzero(self.prices.gain > 0)
        bounds, age = np.full(len(open_), run.upper), _SEEDS_BETWEEN
        while True:
            if age == _SEEDS_BETWEEN and len(open_):
                bounds, age = self._seed_bounds(open_, bounds, dead, run.cutoff, out_of_time, keep_all), 0
            alive = bounds > run.cutoff
            _add(dead, open_[~alive])
            open_, bounds = open_[alive], bounds[alive]
            if not len(open_):
                run.upper = run.cutoff
                return run
            k = int(np.argmin(bounds))
            depth = self._push(int(open_[k]), np.delete(open_, k), dead, int(bounds[k]))
            while depth:
                if run.found > most or run.nodes >= node_limit or out_of_time():
                    run.upper = max(int(self.stack.upper[:depth].max()), int(bounds.max()), run.cutoff)
                    return run
                depth = self._search(run, depth, min(self.chunk, node_limit - run.nodes), keep_all)
            _add(dead, open_[k : k + 1])
            open_, bounds, age = np.delete(open_, k), np.delete(bounds, k), age + 1

    def _search(self, run: _Run, depth: int, n_nodes: int, keep_all: bool) -> int:
        found = run.lo, run.hi, self.work, run.found, keep_all
        state = kernels.search(self.sets, self.prices, self.stack, depth, run.cutoff, n_nodes, *found)
        run.cutoff, run.nodes, run.found = int(state[1]), run.nodes + state[2], state[3]
        return int(state[0])

    def _seed_bounds(
        self, seeds: IntArray, old: Points, dead: Words, cutoff: int, out_of_time: Callable[[], bool], keep_idle: bool
    ) -> Points:
        """Bound, for each seed, the boxes that hold it and no dead positive; keep the old bound when out of time."""
        uppers = old.copy()
        for k, seed in enumerate(seeds):
            if out_of_time():
                break
            open_ = np.delete(seeds, k)
            limits = self.low[seed].copy(), self.high[seed].copy()
            _, uppers[k], _ = kernels.bound(
                self.sets, self.prices, *limits, open_, len(open_), dead.copy(), cutoff, self.work, keep_idle
            )
        return uppers

    def _push(self, seed: int, open_: IntArray, dead: Words, upper: int) -> int:
        self.stack.lo[0], self.stack.hi[0] = self.low[seed], self.high[seed]
        self.stack.open[0], self.stack.dead[0] = 0, dead
        _add(self.stack.open[0], open_)
        self.stack.upper[0], self.stack.grown[0] = upper, True
        return 1


def _add(words: Words, rows: IntArray) -> None:
    """Add rows to a set."""
    np.bitwise_or.at(words, rows >> 6, np.uint64(1) << (rows & 63).astype(np.uint64))


def _let_in_order(problem: Problem, rows: Rows) -> Levels:
    """Return, per feature, the order in which a lower limit going down and an upper limit going up let rows in."""
    down, up = (rows.low, problem.n_low, 0), (rows.high, problem.n_high, 1)
    return np.stack([climbing.let_in_order(*down), climbing.let_in_order(*up)])


def _prices(pricing: Pricing, n_positives: int) -> kernels.Prices:
    positive, negative, price = pricing.pairs
    start = np.searchsorted(positive, np.arange(n_positives + 1))
    # One memory layout, so that numba compiles for one only.
    return kernels.Prices(pricing.gain, pricing.cost, start.astype(np.int64), np.ascontiguousarray(negative), price)


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
