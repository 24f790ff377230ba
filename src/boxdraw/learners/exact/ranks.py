"""One feature of the table on levels: the values that limits can have, as far as they make a difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.exact.objective import sum_down, sum_up

Levels = npt.NDArray[np.int32]
Box = tuple[Levels, Levels]  # lo and hi, a level per feature


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which ranks of limits take a row in; the innermost limits already take missing values in."""

    values: FloatArray  # of the positives, in order; or given ones
    known: BoolArray  # per positive
    lowest: IntArray  # per positive, the last lower limit that takes it in; -1 if none does
    highest: IntArray  # the first upper limit that does
    first: IntArray  # per negative, the last lower limit that takes it in; -1 if none does
    last: IntArray  # the first upper limit that does
    given: bool = False  # whether limits are at given values


@dataclass(frozen=True, slots=True)
class Scale:
    """The levels of lower and of upper limits on one feature, and those of the rows."""

    positives: tuple[Levels, Levels]
    negatives: tuple[Levels, Levels]
    counts: tuple[int, int]  # of levels
    places: Levels  # the lower and the upper level of each place where positives are, in order
    base: int  # by how much the level of the least value as a lower limit is above that as an upper one
    values: tuple[FloatArray, FloatArray]  # the outermost value of each level; infinite for no limit


def find_ranks(positives: FloatArray, negatives: FloatArray, margin: float) -> Ranks:
    """Rank the values of the positives as limits."""
    known = ~np.isnan(positives)
    if not known.any():  # then no box can limit the feature
        nothing = np.zeros(len(positives), dtype=np.intp), np.zeros(len(negatives), dtype=np.intp)
        return Ranks(np.zeros(1), known, nothing[0], nothing[0], nothing[1], nothing[1])
    values, rank = np.unique(positives[known], return_inverse=True)
    lowest, highest = np.full(len(positives), len(values) - 1), np.zeros(len(positives), dtype=np.intp)
    lowest[known] = highest[known] = rank.reshape(-1)
    first = np.searchsorted(sum_up(tight_lower(values, margin), -margin), negatives, "right") - 1
    last = np.searchsorted(sum_down(tight_upper(values, margin), margin), negatives, "left")
    first[np.isnan(negatives)], last[np.isnan(negatives)] = len(values) - 1, 0
    return Ranks(values, known, lowest, highest, first, last)


def ranks_at(values: FloatArray, positives: FloatArray, negatives: FloatArray, margin: float) -> Ranks:
    """Rank given values, in order, as limits."""
    ranks = []
    for rows, v in ((positives, margin), (negatives, -margin)):
        first = np.searchsorted(sum_up(values, v), rows, "right") - 1
        last = np.searchsorted(sum_down(values, -v), rows, "left")
        first[np.isnan(rows)], last[np.isnan(rows)] = len(values) - 1, 0
        ranks.append((first, last))
    (lowest, highest), (first, last) = ranks
    return Ranks(values, ~np.isnan(positives), lowest, highest, first, last, given=True)


def tight_lower(values: FloatArray, margin: float) -> FloatArray:
    """Return the largest lower limits that hold the values by the margin."""
    return sum_down(values, -margin)


def tight_upper(values: FloatArray, margin: float) -> FloatArray:
    """Return the smallest upper limits that hold the values by the margin."""
    return sum_up(values, margin)


def tight_scale(ranks: Ranks) -> Scale:
    """Return the levels of boxes that are limited on every side; all negatives are in the reach of such boxes."""
    n = len(ranks.values)
    lower, upper = _levels(ranks.first, n, 1), _levels(ranks.last, n, 0)
    return _scale(ranks, lower, upper, 0)


def open_scale(ranks: Ranks, merge: bool, sides: tuple[bool, bool] = (True, True)) -> Scale:
    """Return the levels of boxes that may have no limit: the lowest level of lower ones, the highest of upper ones.

    ``sides`` are those that may have one at all.
    """
    n, first, last = len(ranks.values), ranks.first + 1, ranks.last
    if not merge and ranks.given:
        first = last = np.arange(n + 1)
    elif not merge:  # all values stay apart, but a limit that keeps no negative out is none
        first, last = (np.arange(1 - (side == 0).any(), n) for side in (first, n - last))
        last = n - last
    return _scale(ranks, _levels(first, n + 1, 1) * sides[0], _levels(last, n + 1, 0) * sides[1], 1)


def _scale(ranks: Ranks, lower: Levels, upper: Levels, shift: int) -> Scale:
    """Put rows on levels; with a shift of 1 there is a rank for no limit on either side."""
    n = len(ranks.values)
    of_values = lower[shift:], upper[:n]
    ends = list(zip(lower, upper, strict=True)) if ranks.given else [(lower[0], upper[0]), (lower[-1], upper[-1])]
    places = np.unique(np.concatenate([of_values, np.array(ends).T], axis=1), axis=1)
    values = np.full(lower[-1] + 1, np.inf), np.full(upper[-1] + 1, -np.inf)
    np.minimum.at(values[0], of_values[0], ranks.values)
    np.maximum.at(values[1], of_values[1], ranks.values)
    values[0][0], values[1][-1] = -np.inf, np.inf
    return Scale(
        (lower[ranks.lowest + shift], upper[ranks.highest]),
        (lower[ranks.first + shift], upper[ranks.last]),
        (int(lower[-1]) + 1, int(upper[-1]) + 1),
        places.astype(np.int32),
        int(lower[shift:][:1].sum()),
        values,
    )


def _levels(place: IntArray, n_ranks: int, shift: int) -> Levels:
    """Return the level of each rank: ranks between which no negative makes a difference are merged."""
    # A negative at rank r keeps the ranks r - 1 + shift and r + shift apart: as the last lower limit that takes it in
    # (shift 1) it is lost from r + 1 on; as the first upper limit (shift 0) it comes in at r.
    starts = np.zeros(n_ranks + 1, dtype=np.int32)
    starts[place + shift] = 1
    starts[0] = 0
    return np.cumsum(starts, dtype=np.int32)[:n_ranks]
