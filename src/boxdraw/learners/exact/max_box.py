"""One box of most value, by branch and bound."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, IntArray
from boxdraw.learners.exact import kernels
from boxdraw.learners.exact.limits import ANY, EQUAL, KIND
from boxdraw.learners.exact.objective import Points
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box, Levels

Words = npt.NDArray[np.uint64]

_CHUNK = 20_000_000  # words looked at between looks at the clock
_SEEDS_BETWEEN = 8  # searched between updates of the bounds of all


@dataclass(frozen=True, slots=True)
class Pricing:
    """What a box earns: gains of positives less pair prices (never below 0), costs of negatives and of limits."""

    gain: Points
    cost: Points
    pairs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Points]  # positive, negative, price; by positive
    limit: int = 0  # the price of a limit


def no_pairs() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Points]:
    """Return an empty set of pair prices."""
    none = np.zeros(0, dtype=np.int64)
    return none, none, none


@dataclass(frozen=True, slots=True)
class Found:
    """The answer of a search: the best boxes, if any are above the cutoff, and the most that any others can have."""

    boxes: list[Box]
    value: int  # where limits count, branch and bound may charge for fewer than a box has
    upper: int  # none have more; equal to the value, or the cutoff if nothing is above it, when proven
    work: int  # words looked at, about: a clock that always runs the same

    @property
    def box(self) -> Box | None:
        """The only box, if there is one."""
        return self.boxes[0] if self.boxes else None


class MaxBox:
    """Searches for the box of most value among the rows of a problem, at changing prices."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        positives, negatives = problem.positives, problem.negatives
        words = len(positives.points) // 64 + len(negatives.points) // 64 + 2
        self.first_work = len(positives.points) * positives.low.size * words  # before it branches

    def best(
        self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], node_limit: int = sys.maxsize
    ) -> Found:
        """Find the best box of more value than the cutoff, by branch and bound."""
        search = _Search(self._problem, pricing, every_negative=False)
        run = search.run(cutoff, node_limit, 1, out_of_time, keep_all=False)
        work = (run.nodes + len(pricing.gain)) * search.node_size
        return Found(list(run.boxes()), run.cutoff, run.upper, work)

    def all_above(
        self, pricing: Pricing, cutoff: int, out_of_time: Callable[[], bool], most: int, node_limit: int
    ) -> list[Box] | None:
        """List the boxes of more value than the cutoff that can't take a positive in for free; None if too many."""
        search = _Search(self._problem, pricing, every_negative=True)
        run = search.run(cutoff, node_limit, most, out_of_time, keep_all=True)
        return list(run.boxes()) if run.found <= most and run.upper == cutoff else None


@dataclass(slots=True)
class _Run:
    """What a search has come to."""

    lo: Levels  # the boxes found, with room for more
    hi: Levels
    cutoff: int
    upper: int  # no box has more; equal to the cutoff if the search was completed
    found: int = 0
    nodes: int = 0

    def boxes(self) -> Iterator[Box]:
        """Yield the boxes found."""
        return ((self.lo[k], self.hi[k]) for k in range(self.found))


class Sets(NamedTuple):
    """Rows on levels, and for each level of each limit the set of rows that it lets in."""

    low: Any  # (rows, features) of the positives; the negatives are needed as sets only
    high: Any
    positive_low: Any  # (features, levels, words)
    positive_high: Any
    negative_low: Any
    negative_high: Any


class Prices(NamedTuple):
    """What rows are worth to one box."""

    gain: Any  # of each positive
    cost: Any  # of each negative
    start: Any  # pairs of positive i are at start[i]:start[i + 1]
    negative: Any
    price: Any


class Ends(NamedTuple):
    """What limits cost at least: a box that leaves negatives out pays for the limits that it needs for that."""

    price: int
    low: Any  # (negatives, features): levels
    high: Any
    item: Any  # (features, 2): what a limit on either side counts as; limits that are one together are one item
    equal: Any  # per feature: lower level less upper level of an equality; below 0 if there is none
    left: Any  # per item: what is left of its price


class Work(NamedTuple):
    """Scratch space of one search, allocated once."""

    inner: Any  # the set of negatives in the inner box
    held: Any  # the set of positives in the inner box
    reach: Any  # per open positive, the set of negatives that taking it brings in
    closure: Any  # per open positive, the set of positives that come with it
    worth: Any  # per open positive, its gain less the pair prices that are certain
    unpaid: Any  # the part of it that the bound could not charge to negatives
    size: Any  # of its reach
    drop: Any  # by how much the bound falls when it is taken; -1: it can't be
    need: Any  # by how much the bound falls when it is left out
    slot: Any  # of each positive among the open ones, or -1
    capacity: Any  # per negative, the least that a box beyond the inner one pays for it
    residual: Any
    degree: Any  # number of open positives whose reach holds it
    order: Any  # of the open positives
    bucket: Any  # sizes counted


class Stack(NamedTuple):
    """Nodes still to be searched."""

    lo: Any
    hi: Any
    open: Any  # sets of positives
    dead: Any
    upper: Any
    grown: Any  # whether its inner box is new


class _Search:
    """Branch and bound over the rows that matter at the given prices."""

    def __init__(self, problem: Problem, pricing: Pricing, every_negative: bool) -> None:
        positives, negatives = problem.positives, problem.negatives
        self.low, self.high = positives.low, positives.high
        priced = (pricing.cost > 0) | every_negative
        priced[pricing.pairs[1]] = True
        levels = problem.n_low, problem.n_high, (int(problem.n_low.max()), int(problem.n_high.max()))
        bits = kernels.fill_bits(self.low, self.high, *levels)
        negative_bits = kernels.fill_bits(negatives.low[priced], negatives.high[priced], *levels)
        self.sets = Sets(self.low, self.high, *bits, *negative_bits)
        place = np.cumsum(priced) - 1  # of a negative among those with a price
        pairs = pricing.pairs[0], place[pricing.pairs[1]], pricing.pairs[2]
        self.prices = _prices(Pricing(pricing.gain, pricing.cost[priced], pairs))
        (n_positives, n_features), n_negatives = self.low.shape, len(self.prices.cost)
        self.words, negative_words = (sets.shape[-1] for sets in (self.sets.positive_low, self.sets.negative_low))
        self.ends = _ends(problem, pricing, priced)
        self.work = _work(n_positives, self.words, n_negatives, negative_words)
        self.stack = _stack(n_positives, n_features, self.words)
        self.node_size = self.low.size * (self.words + negative_words)
        self.chunk = math.ceil(_CHUNK / self.node_size)

    def run(self, cutoff: int, node_limit: int, most: int, out_of_time: Callable[[], bool], keep_all: bool) -> _Run:
        """Search the boxes of one positive after the other, without earlier ones; keep_all keeps every box."""
        shape = most, self.low.shape[1]
        run = _Run(np.zeros(shape, np.int32), np.zeros(shape, np.int32), cutoff, int(self.prices.gain.sum()))
        dead = np.zeros(self.words, dtype=np.uint64)
        open_ = np.arange(len(self.low)) if keep_all else np.flatnonzero(self.prices.gain > 0)
        bounds = np.full(len(open_), run.upper)
        for n_searched in count():
            if n_searched % _SEEDS_BETWEEN == 0:
                bounds = self._seed_bounds(open_, bounds, dead, run.cutoff, out_of_time, keep_all)
            alive = bounds > run.cutoff
            dead |= _set_of(open_[~alive], self.words)
            open_, bounds = open_[alive], bounds[alive]
            if not len(open_):
                run.upper = run.cutoff
                break
            k = int(np.argmin(bounds))
            depth = self._push(int(open_[k]), np.delete(open_, k), dead, int(bounds[k]))
            while depth:
                if run.found > most or run.nodes >= node_limit or out_of_time():
                    run.upper = max(int(self.stack.upper[:depth].max()), int(bounds.max()), run.cutoff)
                    return run
                depth = self._search(run, depth, min(self.chunk, node_limit - run.nodes), keep_all)
            dead |= _set_of(open_[[k]], self.words)
            open_, bounds = np.delete(open_, k), np.delete(bounds, k)
        return run

    def _search(self, run: _Run, depth: int, n_nodes: int, keep_all: bool) -> int:
        found = run.lo, run.hi, self.work, run.found, keep_all
        depth, cutoff, used, run.found = kernels.search(
            self.sets, self.prices, self.ends, self.stack, depth, run.cutoff, n_nodes, *found
        )
        run.cutoff, run.nodes = int(cutoff), run.nodes + used
        return int(depth)

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
                self.sets, self.prices, self.ends, *limits, open_, len(open_), dead.copy(), cutoff, self.work, keep_idle
            )
        return uppers

    def _push(self, seed: int, open_: IntArray, dead: Words, upper: int) -> int:
        self.stack.lo[0], self.stack.hi[0] = self.low[seed], self.high[seed]
        self.stack.open[0], self.stack.dead[0] = _set_of(open_, self.words), dead
        self.stack.upper[0], self.stack.grown[0] = upper, True
        return 1


def _set_of(rows: IntArray, n_words: int) -> Words:
    """Return rows as a set."""
    words = np.zeros(n_words, dtype=np.uint64)
    np.bitwise_or.at(words, rows >> 6, np.uint64(1) << (rows & 63).astype(np.uint64))
    return words


def _prices(pricing: Pricing) -> Prices:
    positive, negative, price = pricing.pairs
    # One memory layout, so that numba compiles for one only.
    start, negative = starts_of(positive, len(pricing.gain)), np.ascontiguousarray(negative)
    return Prices(pricing.gain, pricing.cost, start, negative, price)


def starts_of(rows: npt.NDArray[np.int64], n_rows: int) -> Points:
    """Return where each row starts in a sorted list of rows, and where the last one ends."""
    return np.append(0, np.cumsum(np.bincount(rows, minlength=n_rows)))


def _ends(problem: Problem, pricing: Pricing, priced: BoolArray) -> Ends:
    """Return how limits are counted; a price of 0 if they do not count."""
    limits, d, negatives = problem.limits, len(problem.n_low), problem.negatives
    item, equal = np.zeros((d, 2), dtype=np.int64), np.full(d, -(2**30))
    if limits is not None and pricing.limit:
        places = np.append(np.arange(2 * d), -1)
        for g, group in enumerate(limits.groups(problem.n_low, places).tolist()):
            sides = [side for side in group[:4] if side >= 0]
            together = group[KIND] == ANY or len(sides) > 2
            for t, side in enumerate(sides):
                item[side % d, side // d] = 2 * g + (0 if together else t)
            if group[KIND] == EQUAL and not together:
                equal[sides[0]] = limits.base[sides[0]]
    price = 0 if limits is None else pricing.limit
    levels = negatives.low[priced], negatives.high[priced]
    return Ends(price, *levels, item, equal, np.zeros(int(item.max()) + 1, dtype=np.int64))


def _work(n_positives: int, words: int, n_negatives: int, negative_words: int) -> Work:
    shapes = (negative_words,), (words,), (n_positives, negative_words), (n_positives, words)
    sizes = [n_positives] * 6 + [n_negatives] * 3 + [n_positives, n_negatives + 2]
    return Work(*(np.zeros(shape, np.uint64) for shape in shapes), *(np.zeros(size, np.int64) for size in sizes))


def _stack(n_positives: int, n_features: int, words: int) -> Stack:
    # Every branch leaves one positive less open, so there are never more nodes on the stack than positives.
    lo, hi = np.zeros((2, n_positives, n_features), np.int32)
    open_, dead = np.zeros((2, n_positives, words), np.uint64)
    return Stack(lo, hi, open_, dead, np.zeros(n_positives, np.int64), np.zeros(n_positives, np.bool_))
