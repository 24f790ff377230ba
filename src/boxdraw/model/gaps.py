"""Round limits: the roundest number between the rows that a limit holds and those that it keeps out.

A row outside a box is charged to one of the limits that exclude it, to the one it is farthest beyond. If every limit
stays above the rows that it is charged with and at or below the rows in the box, no row changes sides, however many
limits move at once. So one pass over the rows, in any chunks, finds the gaps of all limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.ranges import LARGE, Ranges, find_ranges, row_chunks
from boxdraw._core.shortest import shortest_between
from boxdraw._core.tiles import threaded_map, tiles

# Where a column has no more values, a limit on the last one may move by this share of the column's range.
_BEYOND = 0.01

Pair = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True)
class Gaps:
    """What rows say about limits, upper ones as lower ones of the mirror image, and about the columns of these."""

    inner: FloatArray  # (2, n_boxes, n_columns): the least value in the box; inf for none
    outer: FloatArray  # the largest value that is charged to the limit; -inf for none
    two_valued: BoolArray  # columns with no value but the least and the largest

    def merge(self, other: Gaps) -> Gaps:
        """Return what the rows of both say."""
        inner, outer = np.minimum(self.inner, other.inner), np.maximum(self.outer, other.outer)
        return Gaps(inner, outer, self.two_valued & other.two_valued)


@dataclass(frozen=True, slots=True)
class FindGaps:
    """The limits of boxes on a matrix in which NaN is within any limits, and the work on some rows of it."""

    lower: FloatArray  # (n_boxes, n_columns)
    upper: FloatArray
    low: FloatArray  # the least value of each column
    high: FloatArray
    whole: BoolArray  # columns of whole numbers
    fixed: BoolArray  # columns whose limits stay, as those of categories

    @classmethod
    def of(
        cls, X: Matrix, lower: FloatArray, upper: FloatArray, fixed: BoolArray | None = None, n_jobs: int | None = None
    ) -> FindGaps:
        """Find the ranges of the columns in all rows."""
        fixed = np.zeros(lower.shape[1], dtype=np.bool_) if fixed is None else fixed
        if X.size > LARGE:
            ranges = find_ranges(X, n_jobs)
        else:
            ranges = Ranges(X.shape[1])
            for j in np.flatnonzero(~fixed).tolist():
                ranges.look_at(j, np.asarray(X[:, j], dtype=np.float64))
        return cls(lower, upper, ranges.low, ranges.high, ranges.whole, fixed)

    @property
    def used(self) -> IntArray:
        """The columns with limits to round."""
        return np.flatnonzero((np.isfinite(self.lower) | np.isfinite(self.upper)).any(axis=0) & ~self.fixed)

    def __call__(
        self,
        X: Matrix,
        positions: tuple[Matrix, Matrix] | None = None,
        kept_out: BoolArray | None = None,
        compiled: bool = False,
        known: Gaps | None = None,
    ) -> Gaps:
        """Return the gaps between some rows, and those of which ``known`` has the gaps.

        ``positions`` are compared with lower and upper limits instead of ``X``; ``kept_out``, of shape (n_rows,
        n_boxes), says which rows a box excludes for another reason.
        """
        used = self.used
        shape = (2, len(self.lower), len(used))
        inner, outer = np.full(shape, np.inf), np.full(shape, -np.inf)
        if known is not None:
            inner[:], outer[:] = known.inner, known.outer
        limits = self.lower.take(used, axis=1), self.upper.take(used, axis=1)
        out = self._kept_out(X) if kept_out is None else kept_out
        if compiled:
            from boxdraw.model.gap_kernel import charge

            charge(X, used, *limits, self._middle(), self._unit(), out, inner, outer)
        else:
            for tile in tiles(len(X), len(used) * len(self.lower)):
                below, above = (_numbers(P[tile], used) for P in (positions or (X, X)))
                _charge(below, above, *limits, self._unit(), out[tile], inner, outer)
        two_valued = [bool(self.whole[j]) and self._has_only_ends(X[:, j], j) for j in used]
        return Gaps(inner, outer, np.array(two_valued, dtype=np.bool_))

    def _has_only_ends(self, values: Matrix, j: int) -> bool:
        """Return True if some values of a column are nothing but the least and the largest."""
        parts = (values[tile] for tile in tiles(len(values), 1))
        return all(((part == self.low[j]) | (part == self.high[j]) | np.isnan(part)).all() for part in parts)

    def _middle(self) -> FloatArray:
        """Return the middle of the range of each used column."""
        with np.errstate(invalid="ignore"):
            return self.low[self.used] / 2 + self.high[self.used] / 2

    def _unit(self) -> FloatArray:
        """Return what makes distances in the used columns comparable."""
        low, high = self.low[self.used], self.high[self.used]
        with np.errstate(over="ignore", invalid="ignore"):  # of the least numbers; rows are then charged to all limits
            width = high / 2 - low / 2
            return 1 / np.where((width > 0) & np.isfinite(width), width, 1.0)

    def _kept_out(self, X: Matrix) -> BoolArray:
        """Return which rows the limits that stay exclude."""
        limited = np.isfinite(self.lower).any(axis=0) | np.isfinite(self.upper).any(axis=0)
        out = np.zeros((len(X), len(self.lower)), dtype=np.bool_)
        for j in np.flatnonzero(self.fixed & limited).tolist():
            out |= (X[:, j, None] < self.lower[:, j]) | (X[:, j, None] > self.upper[:, j])
        return out

    def in_memory(self, X: Matrix, n_jobs: int | None = None, kept_out: BoolArray | None = None) -> Gaps:
        """Return the gaps between all rows, in chunks by threads if there are many."""
        if X.size <= LARGE:
            return self(X, kept_out=kept_out)

        find = FindChunkGaps(self)
        parts = [(X[rows], None if kept_out is None else kept_out[rows]) for rows in row_chunks(len(X))]
        return reduce(Gaps.merge, threaded_map(lambda part: find.of(*part), parts, n_jobs))

    def rounded(self, gaps: Gaps, equalities: BoolArray | bool = True) -> Pair:
        """Return the roundest limits; with ``equalities``, the one value of two that a box admits is both limits.

        These may be allowed column by column.
        """
        used, result = self.used, (self.lower.copy(), self.upper.copy())
        lower, upper, first, last = self.lower[:, used], self.upper[:, used], self.low[used], self.high[used]
        whole, apart = np.broadcast_to(self.whole[used], lower.shape), lower < upper
        low, high = np.where(apart, lower, -np.inf), np.where(apart, upper, np.inf)
        # Two limits of fractions do not meet: a single number would be another rule.
        cap = np.where(whole, high, np.nextafter(high, -np.inf))
        low = _roundest(low, (gaps.inner[0], gaps.outer[0]), (first, last), cap, whole)
        cap = np.where(whole, -low, np.nextafter(-low, -np.inf))
        high = -_roundest(-high, (gaps.inner[1], gaps.outer[1]), (-last, -first), cap, whole)
        low, high = np.where(apart, low, lower), np.where(apart, high, upper)
        none = whole & apart & (np.ceil(lower) > np.floor(upper))  # between whole numbers, and no room for one
        low, high = np.where(none, _outwards(lower), low), np.where(none, -_outwards(-upper), high)
        if np.any(equalities):
            two = gaps.two_valued & (first < last) & np.broadcast_to(equalities, len(self.whole))[used]
            only_last = two & (lower > first) & (lower <= last) & (upper >= last)
            only_first = two & (upper < last) & (upper >= first) & (lower <= first)
            low, high = (np.where(only_last, last, np.where(only_first, first, side)) for side in (low, high))
        result[0][:, used], result[1][:, used] = low + 0.0, high + 0.0  # no -0.0
        return result


@dataclass(slots=True)
class FindChunkGaps:
    """The work on one chunk after the other."""

    find: FindGaps
    # With the gaps of earlier rows, more rows are seen not to matter. That they are merged twice changes nothing, nor
    # does which of two threads has the last word.
    known: Gaps | None = None

    def of(self, X: Matrix, kept_out: BoolArray | None = None) -> Gaps:
        """Return the gaps between the rows of a chunk and some earlier ones."""
        self.known = gaps = self.find(X, kept_out=kept_out, compiled=True, known=self.known)
        return gaps


def _outwards(limit: FloatArray) -> FloatArray:
    """Return a round number between each lower limit and the whole number below it."""
    return shortest_between(limit, np.minimum(np.nextafter(np.floor(limit), np.inf), limit), limit)


def _roundest(limit: FloatArray, gap: Pair, ends: Pair, cap: FloatArray, whole: BoolArray) -> FloatArray:
    """Return the roundest lower limits in their gaps; ``ends`` are those of the columns."""
    (inner, outer), (first, last) = gap, ends
    with np.errstate(over="ignore", invalid="ignore"):
        # With nothing to keep out, a limit stays among the values of its column; with nothing on one side, it moves at
        # most as far there as to the other, or a little; without any row it stays.
        inside, out = inner < np.inf, np.where(outer > -np.inf, outer, np.where(first < limit, first, -np.inf))
        high = np.where(inside, inner, np.where(out > -np.inf, limit + (limit - out), limit))
        high = np.minimum(np.where(whole & ~inside & (first < np.inf), np.maximum(high, np.ceil(limit)), high), cap)
        reach = np.where(first < np.inf, _BEYOND * (last - first), 0.0)
        low = np.where(out > -np.inf, np.nextafter(out, np.inf), limit - np.maximum(high - limit, reach))
        whole = whole & (np.ceil(low) <= np.floor(high))
        low, high = np.where(whole, np.ceil(low), low), np.where(whole, np.floor(high), high)
        start = np.where(whole, np.clip(np.ceil(limit), low, high), limit)
        # Just above 0 comes 5e-324. A limit that is tiny beside its gap first takes a step into it.
        step = 1e-3 * (high - start)
        start = np.where(np.isfinite(step) & (step > 1e6 * np.abs(start)) & ~whole, start + step, start)
        start = np.where((low <= 0) & (high >= 0) & (np.abs(start) < 1e-3 * (high - low)), 0.0, start)
    finite = np.isfinite(limit)
    return shortest_between(*(np.where(finite, values, limit) for values in (start, low, high)))


def _numbers(X: Matrix, used: IntArray) -> FloatArray:
    return np.ascontiguousarray(X.take(used, axis=1), dtype=np.float64)


def _charge(
    below: FloatArray,
    above: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    unit: FloatArray,
    kept_out: BoolArray,
    inner: FloatArray,
    outer: FloatArray,
) -> None:
    """Write into ``inner`` and ``outer`` what rows say; `boxdraw.model.gap_kernel` does the same, compiled."""
    for k in range(len(lower)):
        own, out = np.flatnonzero((lower[k] > -np.inf) | (upper[k] < np.inf)), kept_out[:, k]
        sides = np.stack([below.T[own], -above.T[own]])  # on mirrored axes both limits are lower ones
        sides = sides[:, :, ~out] if out.any() else sides
        limits = np.stack([lower[k, own], -upper[k, own]])[:, :, None]
        with np.errstate(over="ignore", invalid="ignore"):
            excess = np.where(sides < limits, (limits - sides) * unit[own, None], -1.0)
        worst = excess.max(axis=(0, 1), initial=-1.0)
        inside = worst < 0
        inner[:, k, own] = np.fmin(inner[:, k, own], np.fmin.reduce(sides[:, :, inside], axis=2, initial=np.inf))
        charged = np.where((excess == worst) & ~inside, sides, -np.inf)
        outer[:, k, own] = np.maximum(outer[:, k, own], charged.max(axis=2, initial=-np.inf))
