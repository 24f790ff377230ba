"""Presolve: the search for boxes as a problem on levels, whole numbers that keep only what can matter.

A box may as well be the bounding box of the positives that it holds, grown by the margin, so a limit is one of the
positives' values. Moving a limit outwards from one value to the next matters only if a negative lies between, so
values with no negative between them are one *level*. Levels of lower and of upper limits are counted apart, from small
to large. Every row, positive or negative, is then a pair of level vectors (low, high), and a box [lo, hi] of levels
holds it iff lo ≤ low and high ≤ hi in every feature. If limits cost something, or are few, only the limited sides of a
box are those of the bounding box: see `boxdraw.learners.exact.limits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.tiles import tiles
from boxdraw.learners.exact.limits import Limits, kinds_of_columns, scale_of
from boxdraw.learners.exact.objective import Objective, Points, PointWeights, inside_any, sum_down, sum_up
from boxdraw.learners.exact.ranks import (
    Box,
    Levels,
    tight_lower,
    tight_upper,
)
from boxdraw.learners.exact.sorting import row_order
from boxdraw.learners.parameters import NO_CAP
from boxdraw.model.constraints import ROUNDING

if TYPE_CHECKING:
    from boxdraw.learners.engine.climb import Masks

NOT_ALLOWED = -(2**62)  # points of a drawing with too many limits


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
    """Maximise points of covered positives − those of covered negatives, of boxes and of limits, plus a constant."""

    positives: LevelRows
    negatives: LevelRows  # only those that some box can cover
    n_low: Levels  # number of levels of lower and of upper limits, per feature that matters
    n_high: Levels
    box_points: int
    max_boxes: int
    constant: int  # points of the empty drawing: all negatives counted
    of_positive: IntArray  # which distinct row each positive of the table is
    scales: Sequence[Levels]  # per feature, the lower and the upper level of each place where positives are, in order
    limits: Limits | None = None  # if they cost something, or a box may only have some
    masks: Masks | None = None  # which features a box may limit together, and what it must hold: by column and row

    def value(self, boxes: Sequence[Box]) -> int:
        """Return the points of a drawing."""
        gained = self.positives.points[self.positives.inside_any(boxes)].sum()
        lost = self.negatives.points[self.negatives.inside_any(boxes)].sum()
        prices = [self.price(box) for box in boxes]
        if None in prices:
            return NOT_ALLOWED
        return int(gained) - int(lost) - sum(price or 0 for price in prices) + self.constant

    def price(self, box: Box) -> int | None:
        """Return the points that a box and its limits cost; None if it is not allowed."""
        if self.limits is None:
            return self.box_points
        n_limits = self.limits.count(box)
        if n_limits > self.limits.most or not self._keeps_masks(box):
            return None
        return self.box_points + self.limits.points * n_limits

    def _keeps_masks(self, box: Box) -> bool:
        """Return True if a box limits no features that may not stand together, and holds what it must."""
        if self.masks is None or self.limits is None:
            return True
        from boxdraw.learners.engine.climb import allow_together

        (low, high), mass = self.limits.limited(box), self.masks.mass
        if not allow_together(self.masks.together, (low | high)[None]).all():
            return False
        if not mass.size:
            return True
        up, down = (mass[k, :-1][self.inside(box)].sum() for k in range(2))
        return bool(up + down >= mass[0, -1] and up >= mass[1, -1] * (up + down))

    def inside(self, box: Box) -> BoolArray:
        """Return a mask of the rows in a box, positives first."""
        return np.concatenate([self.positives.inside(box), self.negatives.inside(box)])

    @property
    def limit_points(self) -> int:
        """What a limit costs."""
        return 0 if self.limits is None else self.limits.points

    def most(self) -> int:
        """Return what a box that gets every row right would earn, or no box: no drawing has more points."""
        earned = int(self.positives.points.sum()) - self.box_points
        if self.limits is not None and len(self.negatives.points):  # a box without limits holds all negatives
            earned -= min(self.limits.points, int(self.negatives.points.sum()))
        return self.constant + max(0, earned)

    def fitted(self, box: Box, chosen: BoolArray) -> Box | None:
        """Return a box with its limits moved to chosen distinct positives; None if there are none."""
        around = self.around(chosen)
        if around is None or self.limits is None:
            return around
        low, high = self.limits.limited(box)
        lower, upper = np.where(low, np.maximum(around[0], box[0]), 0), np.where(high, around[1], box[1])
        moved = lower.astype(np.int32), np.minimum(upper, box[1]).astype(np.int32)
        return moved if self._keeps_masks(moved) else box

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
    points = weights.points[positives]
    kinds = kinds_of_columns(objective)
    scales = []
    for j in range(objective.X.shape[1]):
        values, others = (np.asarray(objective.X[rows, j], dtype=np.float64) for rows in (positives, negatives))
        kinds[j], scale = scale_of(objective, weights, j, kinds[j], values, others, points)
        scales.append(scale)
    counts = np.array([scale.counts for scale in scales], dtype=np.int32)
    matters = counts.max(axis=1) > 1
    matters[0] |= not matters.any()  # a problem without features would need care everywhere
    columns = np.flatnonzero(matters)
    scales = [scales[j] for j in columns]
    distinct, of_positive = _distinct(*_columns([scale.positives for scale in scales]), points)
    missed, of_negative = _distinct(*_columns([scale.negatives for scale in scales]), times * weights.points[negatives])
    limits = masks = None
    if objective.counts_limits:
        base = np.array([scale.base for scale in scales])
        most = NO_CAP if objective.max_limits is None else min(int(objective.max_limits), NO_CAP)
        ends = [scale.values for scale in scales]
        limits = Limits(weights.limit_points, most, columns, kinds[columns], base, ends)
        n_levels = max(int(counts.max()), *(scale.places.shape[1] for scale in scales))
        sides = (positives, of_positive), (negatives, of_negative)
        masks = _masks(objective, columns, n_levels, sides, times)
    return Problem(
        positives=distinct,
        negatives=missed,
        n_low=np.ascontiguousarray(counts[columns, 0]),
        n_high=np.ascontiguousarray(counts[columns, 1]),
        box_points=weights.box_points,
        max_boxes=objective.max_boxes,
        constant=int(weights.points.sum(where=~objective.positive)),
        of_positive=of_positive,
        scales=[scale.places for scale in scales],
        limits=limits,
        masks=masks,
    )


def _masks(
    objective: Objective, columns: IntArray, n_levels: int, sides: Sequence[tuple[IntArray, IntArray]], times: int
) -> Masks | None:
    """Return what constraints ask of boxes beside where their limits are; ``sides``: rows, and which distinct ones."""
    constraints = objective.constraints
    if constraints is None or not (constraints.asked.of_features or constraints.asked.of_rows):
        return None
    from boxdraw.learners.engine.climb import no_masks

    asked, together = constraints.asked, constraints.together(constraints.feature[columns].tolist())
    masks = no_masks(len(columns), n_levels)._replace(together=together)
    if not asked.of_rows:
        return masks
    n_distinct = [int(place.max(initial=-1)) + 1 for _, place in sides]
    mass, start = np.zeros((2, sum(n_distinct) + 1)), 0
    for k, ((rows, place), n) in enumerate(zip(sides, n_distinct, strict=True)):
        weight = np.ones(len(rows)) if objective.weight is None else objective.weight[rows]
        mass[k, start : start + n] = np.bincount(place, weight * (times if k else 1), n)
        start += n
    mass[:, -1] = (asked.min_box_rows or 0.0) * (1 - ROUNDING), (asked.min_box_precision or 0.0) * (1 - ROUNDING)
    return masks._replace(mass=mass)


def _columns(rows: Sequence[tuple[Levels, Levels]]) -> tuple[Levels, Levels]:
    return np.array([low for low, _ in rows]), np.array([high for _, high in rows])


def within_reach(objective: Objective, positives: IntArray, among: IntArray | None = None) -> IntArray:
    """Return the negatives that some box can hold: those in the box around the positives, grown by twice the margin."""
    if objective.counts_limits:  # then a box may have no limits at all
        return np.flatnonzero(~objective.positive) if among is None else among[~objective.positive[among]]
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


def half_ranges(X: Matrix, unit: FloatArray | None = None) -> FloatArray:
    """Return half the range of each feature, which cannot overflow; 1 for constant ones. In given units, if any."""
    ends = [np.asarray(end, dtype=np.float64) for end in (np.fmin.reduce(X), np.fmax.reduce(X))]
    low, high = ends if unit is None else [end / unit for end in ends]
    spread = high / 2 - low / 2
    return np.asarray(np.where(spread > 0, spread, 1.0))


def _distinct(low: Levels, high: Levels, points: Points) -> tuple[LevelRows, IntArray]:
    """Merge rows that are equal, sorted, and add up their points."""
    order, is_new = row_order([*low, *high], len(points))
    first, place = order[is_new], np.cumsum(is_new) - 1
    merged = np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, place, points[order])
    index = np.empty(len(order), dtype=np.intp)
    index[order] = place
    low, high = (np.ascontiguousarray(side[:, first].T) for side in (low, high))
    return LevelRows(low, high, merged), index
