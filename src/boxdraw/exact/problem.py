"""Presolve: the search for boxes as a problem on levels, whole numbers that keep only what can matter.

A box may as well be the bounding box of the positives that it holds, grown by the margin, so a limit is one of the
positives' values. Moving a limit outwards from one value to the next matters only if a negative lies between, so
values with no negative between them are one *level*. Levels of lower and of upper limits are counted apart, from small
to large. Every row, positive or negative, is then a pair of level vectors (low, high), and a box [lo, hi] of levels
holds it iff lo ≤ low and high ≤ hi in every feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import BoolArray, FloatArray, IntArray
from boxdraw.exact.objective import Objective, Points, Scale, sum_down, sum_up

Levels = npt.NDArray[np.int32]
Box = tuple[Levels, Levels]  # lo and hi, a level per feature


@dataclass(frozen=True, slots=True)
class Rows:
    """Distinct rows of one class on levels, with the points of each."""

    low: Levels
    high: Levels
    points: Points

    def inside(self, box: Box) -> BoolArray:
        """Say which rows a box holds."""
        return np.asarray(((box[0] <= self.low) & (self.high <= box[1])).all(axis=1))

    def inside_any(self, boxes: Sequence[Box]) -> BoolArray:
        """Say which rows any of the boxes holds."""
        held = np.zeros(len(self.points), dtype=np.bool_)
        for box in boxes:
            held |= self.inside(box)
        return held


@dataclass(frozen=True, slots=True)
class Problem:
    """Maximise points of covered positives − points of covered negatives − box_points · boxes, plus a constant."""

    positives: Rows
    negatives: Rows  # only those that some box can cover
    n_low: Levels  # number of levels of lower and of upper limits, per feature that matters
    n_high: Levels
    box_points: int
    max_boxes: int
    constant: int  # points of the empty drawing: all negatives counted
    of_positive: IntArray  # which distinct row each positive of the table is

    def value(self, boxes: Sequence[Box]) -> int:
        """Return the points of a drawing."""
        gained = self.positives.points[self.positives.inside_any(boxes)].sum()
        lost = self.negatives.points[self.negatives.inside_any(boxes)].sum()
        return int(gained) - int(lost) - self.box_points * len(boxes) + self.constant

    def most(self) -> int:
        """Return the points of one box that gets every row right, or of none if that is more: no drawing has more."""
        return self.constant + max(0, int(self.positives.points.sum()) - self.box_points)

    def around(self, chosen: BoolArray) -> Box | None:
        """Return the bounding box of chosen distinct positives; None if there are none."""
        if not chosen.any():
            return None
        return self.positives.low[chosen].min(axis=0), self.positives.high[chosen].max(axis=0)

    def around_rows(self, chosen: BoolArray) -> Box | None:
        """Return the bounding box of chosen positives of the table."""
        distinct = np.zeros(len(self.positives.points), dtype=np.bool_)
        distinct[self.of_positive[chosen]] = True
        return self.around(distinct)

    def held_rows(self, box: Box) -> BoolArray:
        """Say which positives of the table a box holds."""
        return np.asarray(self.positives.inside(box)[self.of_positive])


def presolve(objective: Objective, scale: Scale) -> Problem:
    """Reduce the rows to levels; see the top of this file."""
    positives, negatives = objective.X[objective.positive], objective.X[~objective.positive]
    places = [_ranks(positives[:, j], negatives[:, j], objective.margin) for j in range(positives.shape[1])]
    reachable = np.ones(len(negatives), dtype=np.bool_)
    for place in places:
        reachable &= place.reachable
    low_p, low_n, n_low = _levels([(p.lowest, p.first[reachable], p.n_ranks) for p in places], 1)
    high_p, high_n, n_high = _levels([(p.highest, p.last[reachable], p.n_ranks) for p in places], 0)
    matters = (n_low > 1) | (n_high > 1)
    matters[0] |= not matters.any()  # a problem without features would need care everywhere
    points = scale.points[objective.positive], scale.points[~objective.positive]
    rows, of_positive = _distinct(low_p[:, matters], high_p[:, matters], points[0])
    return Problem(
        positives=rows,
        negatives=_distinct(low_n[:, matters], high_n[:, matters], points[1][reachable])[0],
        n_low=n_low[matters],
        n_high=n_high[matters],
        box_points=scale.box_points,
        max_boxes=objective.max_boxes,
        constant=int(points[1].sum()),
        of_positive=of_positive,
    )


@dataclass(frozen=True, slots=True)
class _Ranks:
    """One feature: which ranks of limits take a row in.

    A positive's value has one rank; a missing value is taken in by the innermost limits already.
    """

    n_ranks: int
    lowest: IntArray  # per positive, the last lower limit that takes it in
    highest: IntArray  # the first upper limit that does
    first: IntArray  # the last lower limit that takes the negative in; -1 if none does
    last: IntArray  # the first upper limit that does; n_ranks if none does

    @property
    def reachable(self) -> BoolArray:
        return np.asarray((self.first >= 0) & (self.last < self.n_ranks))


def _ranks(positives: FloatArray, negatives: FloatArray, margin: float) -> _Ranks:
    known = ~np.isnan(positives)
    if not known.any():  # then no box can limit the feature
        nothing = np.zeros(len(positives), dtype=np.intp), np.zeros(len(negatives), dtype=np.intp)
        return _Ranks(1, nothing[0], nothing[0], nothing[1], nothing[1])
    values, rank = np.unique(positives[known], return_inverse=True)
    lowest, highest = np.full(len(positives), len(values) - 1), np.zeros(len(positives), dtype=np.intp)
    lowest[known] = highest[known] = rank.reshape(-1)
    first = np.searchsorted(sum_up(tight_lower(values, margin), -margin), negatives, "right") - 1
    last = np.searchsorted(sum_down(tight_upper(values, margin), margin), negatives, "left")
    first[np.isnan(negatives)], last[np.isnan(negatives)] = len(values) - 1, 0
    return _Ranks(len(values), lowest, highest, first, last)


def half_ranges(X: FloatArray) -> FloatArray:
    """Return half the range of each feature, which cannot overflow; 1 for constant ones."""
    spread = np.fmax.reduce(X) / 2 - np.fmin.reduce(X) / 2
    return np.asarray(np.where(spread > 0, spread, 1.0))


def tight_lower(values: FloatArray, margin: float) -> FloatArray:
    """Return the largest lower limits that hold the values by the margin."""
    return sum_down(values, -margin)


def tight_upper(values: FloatArray, margin: float) -> FloatArray:
    """Return the smallest upper limits that hold the values by the margin."""
    return sum_up(values, margin)


def _levels(columns: list[tuple[IntArray, IntArray, int]], shift: int) -> tuple[Levels, Levels, Levels]:
    """Merge ranks between which no negative makes a difference.

    A negative at rank r keeps the ranks r - 1 + shift and r + shift apart: as the last lower limit that takes it in
    (shift 1) it is lost from r + 1 on; as the first upper limit (shift 0) it comes in at r.
    """
    of_positives, of_negatives, counts = [], [], []
    for rank, place, n_ranks in columns:
        starts = np.zeros(n_ranks + 1, dtype=np.int32)
        starts[place + shift] = 1
        starts[0] = 0
        level = np.cumsum(starts, dtype=np.int32)[:n_ranks]
        of_positives.append(level[rank])
        of_negatives.append(level[place])
        counts.append(int(level[-1]) + 1)
    return np.stack(of_positives, axis=1), np.stack(of_negatives, axis=1), np.array(counts, dtype=np.int32)


def _distinct(low: Levels, high: Levels, points: Points) -> tuple[Rows, IntArray]:
    """Merge equal rows and add up their points."""
    both, index = np.unique(np.concatenate([low, high], axis=1), axis=0, return_inverse=True)
    index = index.reshape(-1)
    merged = np.zeros(len(both), dtype=np.int64)
    np.add.at(merged, index, points)
    width = low.shape[1]
    return Rows(np.ascontiguousarray(both[:, :width]), np.ascontiguousarray(both[:, width:]), merged), index
