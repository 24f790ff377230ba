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

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.tiles import tiles
from boxdraw.learners.exact.objective import Objective, Points, PointWeights, inside_any, sum_down, sum_up
from boxdraw.learners.exact.sorting import row_order

Levels = npt.NDArray[np.int32]
Box = tuple[Levels, Levels]  # lo and hi, a level per feature


@dataclass(frozen=True, slots=True)
class LevelRows:
    """Distinct rows of one class on levels, with the points of each."""

    low: Levels
    high: Levels
    points: Points

    def inside(self, box: Box) -> BoolArray:
        """Return a mask of the rows in a box."""
        return np.asarray(((box[0] <= self.low) & (self.high <= box[1])).all(axis=1))

    def inside_any(self, boxes: Sequence[Box]) -> BoolArray:
        """Return a mask of the rows in any of the boxes."""
        held = np.zeros(len(self.points), dtype=np.bool_)
        for box in boxes:
            held |= self.inside(box)
        return held


@dataclass(frozen=True, slots=True)
class Problem:
    """Maximise points of covered positives − points of covered negatives − box_points · boxes, plus a constant."""

    positives: LevelRows
    negatives: LevelRows  # only those that some box can cover
    n_low: Levels  # number of levels of lower and of upper limits, per feature that matters
    n_high: Levels
    box_points: int
    max_boxes: int
    constant: int  # points of the empty drawing: all negatives counted
    of_positive: IntArray  # which distinct row each positive of the table is
    scales: Sequence[Levels]  # per feature, the lower and the upper level of each place where positives are, in order

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
        """Return a mask of the table's positives in a box."""
        return np.asarray(self.positives.inside(box)[self.of_positive])


def presolve(
    objective: Objective,
    weights: PointWeights,
    positives: IntArray | None = None,
    negatives: IntArray | None = None,
    times: int = 1,
) -> Problem:
    """Reduce rows to levels; each of the given negatives, which must be within reach, stands for ``times`` rows."""
    positives = np.flatnonzero(objective.positive) if positives is None else positives
    negatives = within_reach(objective, positives) if negatives is None else negatives
    n_low, n_high = np.empty((2, objective.X.shape[1]), dtype=np.int32)
    low_p, high_p = np.empty((2, len(n_low), len(positives)), dtype=np.int32)
    low_n, high_n = np.empty((2, len(n_low), len(negatives)), dtype=np.int32)
    scales = []
    for j in range(len(n_low)):
        values, others = (np.asarray(objective.X[rows, j], dtype=np.float64) for rows in (positives, negatives))
        place = _ranks(values, others, objective.margin)
        lower, upper = _levels(place.first, place.n_ranks, 1), _levels(place.last, place.n_ranks, 0)
        low_p[j], low_n[j], n_low[j] = lower[place.lowest], lower[place.first], lower[-1] + 1
        high_p[j], high_n[j], n_high[j] = upper[place.highest], upper[place.last], upper[-1] + 1
        scales.append(np.unique([lower, upper], axis=1))
    matters = (n_low > 1) | (n_high > 1)
    matters[0] |= not matters.any()  # a problem without features would need care everywhere
    distinct, of_positive = _distinct(low_p, high_p, matters, weights.points[positives])
    return Problem(
        positives=distinct,
        negatives=_distinct(low_n, high_n, matters, times * weights.points[negatives])[0],
        n_low=n_low[matters],
        n_high=n_high[matters],
        box_points=weights.box_points,
        max_boxes=objective.max_boxes,
        constant=int(weights.points.sum(where=~objective.positive)),
        of_positive=of_positive,
        scales=[scales[j] for j in np.flatnonzero(matters)],
    )


def within_reach(objective: Objective, positives: IntArray, among: IntArray | None = None) -> IntArray:
    """Return the negatives that some box can hold: those in the box around the positives, grown by twice the margin."""
    rows = objective.rows(positives)
    lower = tight_lower(np.fmin.reduce(rows), objective.margin)
    upper = tight_upper(np.fmax.reduce(rows), objective.margin)
    reach = sum_up(lower, -objective.margin)[None], sum_down(upper, objective.margin)[None]
    found = [np.zeros(0, dtype=np.intp)]
    for tile in tiles(len(objective.X) if among is None else len(among), rows.shape[1]):
        chosen = np.arange(tile.start, tile.stop) if among is None else among[tile]
        chosen = chosen[~objective.positive[chosen]]
        # A feature of which no positive has a value has NaN for limits, and every row is within those.
        found.append(chosen[inside_any(objective.rows(chosen), *reach)])
    return np.concatenate(found)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """One feature: which ranks of limits take a row in; the innermost limits already take missing values in."""

    n_ranks: int
    lowest: IntArray  # per positive, the last lower limit that takes it in
    highest: IntArray  # the first upper limit that does
    first: IntArray  # the last lower limit that takes the negative in
    last: IntArray  # the first upper limit that does


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


def half_ranges(X: Matrix, unit: FloatArray | None = None) -> FloatArray:
    """Return half the range of each feature, which cannot overflow; 1 for constant ones. In given units, if any."""
    ends = [np.asarray(end, dtype=np.float64) for end in (np.fmin.reduce(X), np.fmax.reduce(X))]
    low, high = ends if unit is None else [end / unit for end in ends]
    spread = high / 2 - low / 2
    return np.asarray(np.where(spread > 0, spread, 1.0))


def tight_lower(values: FloatArray, margin: float) -> FloatArray:
    """Return the largest lower limits that hold the values by the margin."""
    return sum_down(values, -margin)


def tight_upper(values: FloatArray, margin: float) -> FloatArray:
    """Return the smallest upper limits that hold the values by the margin."""
    return sum_up(values, margin)


def _levels(place: IntArray, n_ranks: int, shift: int) -> Levels:
    """Return the level of each rank: ranks between which no negative makes a difference are merged."""
    # A negative at rank r keeps the ranks r - 1 + shift and r + shift apart: as the last lower limit that takes it in
    # (shift 1) it is lost from r + 1 on; as the first upper limit (shift 0) it comes in at r.
    starts = np.zeros(n_ranks + 1, dtype=np.int32)
    starts[place + shift] = 1
    starts[0] = 0
    return np.cumsum(starts, dtype=np.int32)[:n_ranks]


def _distinct(low: Levels, high: Levels, matters: BoolArray, points: Points) -> tuple[LevelRows, IntArray]:
    """Merge rows that are equal in the features that matter, sorted, and add up their points."""
    features = np.flatnonzero(matters)
    order, is_new = row_order([*(low[j] for j in features), *(high[j] for j in features)], len(points))
    first, place = order[is_new], np.cumsum(is_new) - 1
    merged = np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, place, points[order])
    index = np.empty(len(order), dtype=np.intp)
    index[order] = place
    low, high = (np.ascontiguousarray(side[np.ix_(features, first)].T) for side in (low, high))
    return LevelRows(low, high, merged), index
