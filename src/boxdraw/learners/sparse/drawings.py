"""Drawings on levels: from a table to the engine, and back to limits on the learners' matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.quiet import quietly
from boxdraw.learners.engine.climb import Masks, Prices, Rows, allow_together, make_rows
from boxdraw.learners.engine.draw import Drawing, Effort, draw, evaluate
from boxdraw.learners.engine.levels import Axis, LevelTable, add_by
from boxdraw.learners.fast.cluster import cluster_positives
from boxdraw.learners.parameters import NO_CAP
from boxdraw.tables.order import Order

_UNIT = 2.0**-48  # of weights, of which those of the positives add up to 1
_LEAST_PRICE = 1e-6  # of a box, so that one without use is never drawn
_LAST = float(np.finfo(np.float64).max)  # place below that of categories that were not there, which is infinite
_N_CLUSTERS = (3, 5, 8)
_MOST_AXES = 40  # with which a box around a cluster, of two limits each to begin with, gets anywhere
_CLUSTERED = 200  # positives: more do not tell more about where the clusters are


@dataclass(frozen=True, slots=True)
class Costs:
    """The objective: a false alarm relative to the balance, boxes and limits in shares of the positives."""

    ratio: float
    box: float
    limit: float
    max_limits: int = NO_CAP


class Board:
    """Rows on axes, on which drawings are made and evaluated.

    ``votes`` are shares of positives that other drawings give to the rows; the labels count ``1 - trust`` of what they
    would alone. ``masks`` say which boxes may be drawn. ``base_rate`` is the share of positives among the rows that
    ``mass`` stands for, if it is another than here.
    """

    def __init__(
        self,
        table: LevelTable,
        axes: Sequence[Axis],
        votes: FloatArray | None = None,
        trust: float = 0.0,
        masks: Masks | None = None,
        max_limits: int = NO_CAP,
        base_rate: float | None = None,
    ) -> None:
        self.axes, self._table = axes, table
        self._positive_weight, self._negative_weight = float(table.ups.sum()), float(table.downs.sum())
        self.ups, self.downs = table.ups / self._positive_weight, table.downs / self._negative_weight
        self.mass = (table.ups + table.downs) / (self._positive_weight + self._negative_weight)  # of rows of any class
        if base_rate is not None:
            self.mass = base_rate * self.ups + (1 - base_rate) * self.downs
        self._codes = np.ascontiguousarray(np.stack([axis.level[table.codes[axis.of]] for axis in axes]))
        self._n_levels = np.array([axis.n_levels for axis in axes], dtype=np.int64)
        self._ends = np.array([axis.ends for axis in axes], dtype=np.int64)
        self._votes, self._trust = votes, trust
        self._masks, self._max_limits = () if masks is None else (masks,), max_limits
        self._rows: dict[float, Rows] = {}

    def sums(self, rows: BoolArray, weight: FloatArray) -> FloatArray:
        """Add up the weight of some rows by their levels: (axes, levels)."""
        n_levels = int(self._n_levels.max())
        return np.array([add_by(codes, weight[rows], n_levels) for codes in self._codes[:, rows]])

    def tighter(self, lo: IntArray, hi: IntArray, rows: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return where an allowed box that holds some rows may end, and start, instead: (axes, levels) each."""
        level, lower, upper = np.arange(self._n_levels.max()), lo[:, None], hi[:, None]
        own = self._n_limits(lower, upper)
        most = self._max_limits - (own.sum() - own)
        within = (lower <= level) & (level <= upper)
        ends, starts = (within & (self._n_limits(*side) <= most) for side in ((lower, level), (level, upper)))
        for masks in self._masks:
            limited = (own > 0).T | np.eye(len(lo), dtype=np.bool_)
            may = masks.ends * allow_together(masks.together, limited)[:, None]
            ends, starts = ends & (may & 2 > 0), starts & (may & 1 > 0)
            if masks.mass.shape[1]:
                (least, share), parts = masks.mass[:, -1], [self.sums(rows, mass[:-1]) for mass in masks.mass]
                for side, step in ((ends, 1), (starts, -1)):
                    up, down = (running(part, step) for part in parts)
                    side &= (up + down >= least) & (up >= share * (up + down))
        return ends, starts

    def _n_limits(self, lo: IntArray, hi: IntArray) -> IntArray:
        """Count the limits of intervals: (axes, intervals)."""
        below, above = lo > 0, hi < self._n_levels[:, None] - 1
        return np.where(below & above, np.where(lo == hi, self._ends[:, 1:], self._ends[:, :1]), 1 * below + above)

    def rows(self, ratio: float) -> Rows:
        """Return the rows as the engine takes them, weighted for a cost of false alarms."""
        if ratio not in self._rows:
            weight = np.rint(self._weights(ratio) / _UNIT) * _UNIT
            levels = self._codes, self._codes, self._n_levels, self._ends
            self._rows[ratio] = make_rows(*levels, weight, np.flatnonzero(self.ups > 0))
        return self._rows[ratio]

    def _weights(self, ratio: float) -> FloatArray:
        weight = self.ups - ratio * self.downs
        if self._votes is None:
            return weight
        mass = self._table.ups + self._table.downs
        voted = float(mass @ self._votes)
        if voted <= 0:
            return weight
        cost = ratio * self._positive_weight / self._negative_weight
        return (1 - self._trust) * weight + self._trust * mass * (self._votes - (1 - self._votes) * cost) / voted

    def blank(self, n_boxes: int) -> Drawing:
        """Return a drawing without boxes."""
        shape = n_boxes, len(self.axes)
        return Drawing(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(n_boxes, np.bool_))

    def improve(self, drawing: Drawing, costs: Costs, effort: Effort) -> None:
        """Improve a drawing in place."""
        given = np.empty((0, 2, len(self.axes)), dtype=np.int64)
        draw(self.rows(costs.ratio), _prices(costs), drawing, given, effort, *self._masks)

    @cached_property
    def clusters(self) -> list[Drawing]:
        """Boxes around the clusters that Fast Boxes would find among the positives, to start from."""
        if not has_clusters(len(self.axes)):
            return []
        positive = np.flatnonzero(self.ups > 0)[:_CLUSTERED]  # the order of rows is as good as random
        levels = self._codes[:, positive].astype(np.int64)
        points = (levels / self._n_levels[:, None]).T
        drawings = []
        with quietly(UserWarning):
            for n_clusters in _N_CLUSTERS:
                labels = cluster_positives(points, self.ups[positive], n_clusters, None, 0)
                parts = [levels[:, labels == label] for label in range(labels.max() + 1)]
                lo, hi = (np.array([end(part, axis=1) for part in parts]) for end in (np.min, np.max))
                drawings.append(Drawing(lo, hi, np.ones(len(parts), np.bool_)))
        return drawings

    def value(self, drawing: Drawing, costs: Costs) -> float:
        """Return the value of a drawing."""
        return float(evaluate(self.rows(costs.ratio), _prices(costs), drawing)[0])

    def held(self, drawing: Drawing) -> BoolArray:
        """Return a mask of the rows in the drawing."""
        no_sums = np.zeros((1, len(self.axes), 1))  # rows to look at may have levels that no sum has
        rows = Rows(self._codes, self._codes, self._n_levels, self._ends, no_sums, self.ups, np.empty(0, np.intp))
        return np.asarray(evaluate(rows, Prices(0.0, 0.0, 0), drawing)[1] > 0)


def running(sums: FloatArray, step: int) -> FloatArray:
    """Add up sums per level from the first level on, or from the last with a step of -1."""
    return np.cumsum(sums[:, ::step], axis=1)[:, ::step]


def has_clusters(n_axes: int, n_boxes: int = NO_CAP) -> bool:
    """Return True if drawings of so many boxes start from clusters, too."""
    return n_axes <= _MOST_AXES and n_boxes >= _N_CLUSTERS[0]


def _prices(costs: Costs) -> Prices:
    return Prices(max(costs.box, _LEAST_PRICE), float(costs.limit), costs.max_limits)


def resized(drawing: Drawing, n_boxes: int) -> Drawing:
    """Return a copy with room for so many boxes, no fewer than are used."""
    used = np.flatnonzero(drawing.used)
    size = max(n_boxes, len(used))
    lo, hi = (np.zeros((size, drawing.lo.shape[1]), np.int64) for _ in range(2))
    lo[: len(used)], hi[: len(used)] = drawing.lo[used], drawing.hi[used]
    return Drawing(lo, hi, np.arange(size) < len(used))


def limits_of(
    drawing: Drawing, table: LevelTable, axes: Sequence[Axis], n_columns: int
) -> tuple[FloatArray, FloatArray]:
    """Return the limits of a drawing on the learners' matrix, with places for categories."""
    boxes = np.flatnonzero(drawing.used)
    lower, upper = np.full((len(boxes), n_columns), -np.inf), np.full((len(boxes), n_columns), np.inf)
    for row, k in enumerate(boxes):
        for axis, lo, hi in zip(axes, drawing.lo[k].tolist(), drawing.hi[k].tolist(), strict=True):
            _set_limit(lower[row], upper[row], table, axis, lo, hi)
    return lower, upper


def _set_limit(lower: FloatArray, upper: FloatArray, table: LevelTable, axis: Axis, lo: int, hi: int) -> None:
    """Set the limits of one box from an interval of levels; the column after the values says which are missing."""
    column, top = table.columns[axis.of], axis.n_levels - 1
    at = column.column
    if column.n_codes:
        lower[at], upper[at] = (lo if lo > 0 else -np.inf), (hi if hi < top else _LAST if lo > 0 else np.inf)
        return
    if column.has_missing:
        missing = 0 if axis.missing_first else top
        if lo > missing or hi < missing:
            upper[at + 1] = 0.0
        elif lo == hi:
            lower[at + 1] = 1.0
            return
        lo, hi = (lo - 1, hi - 1) if axis.missing_first else (lo, hi)
    if lo > 0:
        lower[at] = max(lower[at], column.cuts[lo - 1])
    if hi < len(column.cuts):
        upper[at] = min(upper[at], np.nextafter(column.cuts[hi], -np.inf))


def order_of(table: LevelTable, axes: Sequence[Axis]) -> Order:
    """Return the places of the categories."""
    return Order({table.columns[axis.of].column: axis.places for axis in axes if table.columns[axis.of].n_codes})
