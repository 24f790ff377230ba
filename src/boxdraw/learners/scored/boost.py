"""Rounds of boosting: each adds the box of most gain and fits the points of all boxes anew.

In here a row can be inside a box in part, as its limits are blurred. What the boxes are in the end used for knows no
parts: rows that the same boxes hold form a cell, of which there are few.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.compiled import entry
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.scored.bins import MISSING, TOP, Bins, Blurred, Codes
from boxdraw.learners.scored.grow import grow, membership
from boxdraw.learners.scored.logistic import chance_of, fit_logistic, rounder_of
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.learners.scored.sharpen import sharpen

LEAST_RISE = 0.1  # of the gain by another limit
LUCK = 0.405  # the most of density(a)**2 / upper_tail(a) of the normal distribution, at a = 0.61
RIDGE = 2.0  # on points, in positives at even odds
ROUGH, EXACT = 1e-2, 1e-8  # how exact log-odds are, between rounds and in the end


class Box(NamedTuple):
    """A box on codes."""

    low: IntArray
    high: IntArray
    sharp: BoolArray  # (columns, 2): which limits are not blurred
    sign: int = 1  # of the points that it is drawn for

    @property
    def key(self) -> bytes:
        """What boxes with the same limits have in common."""
        return self.low.tobytes() + self.high.tobytes()

    @property
    def n_limits(self) -> int:
        """How many limits it has; no more are read on the card, where two may be one equality or set."""
        return int((self.low > 0).sum() + (self.high < TOP).sum())


@dataclass(frozen=True, slots=True)
class BinnedRows:
    """Training rows on bins, what they weigh, and what the classes do."""

    bins: Bins
    positive: BoolArray
    weight: FloatArray
    class_weight: FloatArray  # of a negative and of a positive
    blur: float  # of limits, to either side, in spreads
    n_codes: tuple[int, ...] = ()  # of columns of categories; 0, or nothing at all, for numbers

    @property
    def luck(self) -> FloatArray:
        """The square of the gain that a set of categories has by chance, per column."""
        # The categories have their order by the labels. Were these drawn by lot, the sum of the gradients of each of k
        # categories would be normal, with variance V and curvature H; V / H is the mean of the class weights at even
        # odds. The best upper part of so many normal numbers has the gain sqrt(LUCK k V / H).
        n_codes = np.array(self.n_codes or [0] * len(self.bins.codes))
        luck: FloatArray = LUCK * np.maximum(n_codes - 1, 0) * self.class_weight.mean()
        return luck

    @property
    def unit(self) -> float:
        """The curvature of one positive at even odds: what penalties are counted in."""
        return float(self.class_weight[1]) / 4


@dataclass(frozen=True, slots=True)
class Cells:
    """The rows that the same boxes hold, counted."""

    member: BoolArray  # (cells, boxes)
    mass: FloatArray  # (2, cells): weight of the negatives and of the positives

    def first(self, n_boxes: int) -> Cells:
        """Return the cells of the first boxes, which are neighbours here; weights on a grid add up in any order."""
        member = self.member[:, :n_boxes]
        begins = np.flatnonzero(np.append(True, (member[1:] != member[:-1]).any(axis=1)))
        return Cells(np.ascontiguousarray(member[begins]), np.add.reduceat(self.mass, begins, axis=1))

    def logistic(self, rows: BinnedRows, nonnegative: bool, signs: FloatArray | None = None) -> FloatArray:
        """Fit coefficients of the boxes, the intercept last."""
        F = self.member.astype(np.float64).repeat(2, axis=0)
        positive = np.arange(len(F)) % 2 == 1
        start = np.zeros(F.shape[1] + 1)
        mass = self.mass.T.ravel()
        task = positive, mass, rows.class_weight, RIDGE * rows.unit, nonnegative
        return fit_signed(F, *task, start, EXACT, signs)


@dataclass(frozen=True, slots=True)
class BoostedBoxes:
    """Boxes on codes, a row each, and what they hold."""

    low: IntArray
    high: IntArray
    missing: BoolArray  # which columns have missing numbers
    cells: Cells  # of all rows
    inside: FloatArray  # (few rows, boxes): how far inside
    signs: FloatArray | None = None  # that the points must have; None for any

    def first(self, n_boxes: int) -> BoostedBoxes:
        """Return what boosting has after so many rounds."""
        return self if n_boxes == len(self.low) else self.take(range(n_boxes), self.cells.first(n_boxes))

    def take(self, boxes: Sequence[int], cells: Cells) -> BoostedBoxes:
        """Return some of the boxes, and their cells."""
        some = list(boxes)
        inside = np.ascontiguousarray(self.inside[:, some])
        signs = None if self.signs is None else self.signs[some]
        return BoostedBoxes(self.low[some], self.high[some], self.missing, cells, inside, signs)


def boost(rows: BinnedRows, few: BinnedRows, setting: Setting, shape: Shape) -> BoostedBoxes:
    """Draw boxes until there are enough or none has any gain; points are fitted on ``few``, all rows or a sample."""
    table = rows.bins.blurred(rows.blur)
    few_table = table if few is rows else few.bins.blurred(few.blur)
    inside, few_inside = np.zeros((len(rows.weight), 0)), np.zeros((len(few.weight), 0))
    task = few.positive, few.weight, few.class_weight, RIDGE * few.unit, not setting.signed
    rounder = rounder_of(rows.weight.sum() * rows.class_weight.max())
    fixed = rows.weight, rounder, setting.lam * rows.unit, rows.luck
    tables = {sign: table for sign in ((1, -1) if setting.signed else (1,))}
    if shape.constraints is not None:
        for sign in tables:
            tables[sign] = table._replace(masks=shape.constraints.of_columns(rows.bins.n_cuts, TOP, sign))
    boxes: dict[bytes, Box] = {}
    odds, directed = np.zeros(1), shape.constraints is not None and any(shape.constraints.asked.directions)
    # each box is read with at least one limit, so what the last ones may have is what the ones before leave
    left = shape.max_total_limits
    while len(boxes) < shape.max_boxes and left > 0:
        odds = fit_signed(few_inside, *task, odds, ROUGH, _signs(boxes, setting, directed))
        gradient = _gradients(inside, odds, rows.positive, rows.class_weight)
        box = _new_box(tables, (gradient, *fixed), rows, min(setting.max_limits, left), shape.constraints, boxes)
        if box is None:
            break
        boxes[box.key], left = box, left - box.n_limits
        limits = box.low, box.high, box.sharp
        inside = np.concatenate([inside, membership(table, *limits)[:, None]], axis=1)
        few_inside = (
            inside if few is rows else np.concatenate([few_inside, membership(few_table, *limits)[:, None]], axis=1)
        )
        odds = np.concatenate([odds[:-1], [0.0], odds[-1:]])
    none = np.zeros((0, len(table.codes)), dtype=np.int64)
    low = np.vstack([none, *(box.low for box in boxes.values())])
    high = np.vstack([none, *(box.high for box in boxes.values())])
    cells = Cells(*_count_cells(table.codes, rows.positive, rows.weight, low, high))
    missing = (table.codes == MISSING).any(axis=1)
    return BoostedBoxes(low, high, missing, cells, few_inside, _signs(boxes, setting, directed))


def fit_signed(
    F: FloatArray,
    positive: BoolArray,
    weight: FloatArray,
    class_weight: FloatArray,
    ridge: float,
    nonnegative: bool,
    start: FloatArray,
    exact: float,
    signs: FloatArray | None,
) -> FloatArray:
    """Fit coefficients, of given signs unless these are None, and the intercept."""
    task = positive, weight, class_weight, ridge
    if signs is None:
        return np.asarray(fit_logistic(F, *task, nonnegative, start, exact))
    turn = np.append(signs, 1.0)
    return np.asarray(fit_logistic(F * signs, *task, True, start * turn, exact) * turn)


def _signs(boxes: dict[bytes, Box], setting: Setting, directed: bool) -> FloatArray | None:
    """Return which sign the points of each box must keep; None for any: only those with directions must."""
    return np.array([float(box.sign) for box in boxes.values()]) if setting.signed and directed else None


def _new_box(
    tables: dict[int, Blurred],
    task: tuple[Any, ...],
    rows: BinnedRows,
    max_limits: int,
    constraints: ColumnConstraints | None,
    boxes: dict[bytes, Box],
) -> Box | None:
    """Return the best box that is not there yet and holds what it must, if need be one of fewer limits."""
    n_limits = max_limits
    while n_limits > 0:
        found = [(*grow(table, *task, n_limits, LEAST_RISE, float(sign)), sign) for sign, table in tables.items()]
        low, high, gain, sign = max(found, key=lambda box: box[2])
        if gain <= 0:
            return None
        box = Box(low, high, sharpen(tables[sign], rows.positive, rows.weight, float(sign), low, high), sign)
        if box.key not in boxes and (constraints is None or _holds_enough(box, rows, constraints)):
            return box
        n_limits = box.n_limits - 1
    return None


def _holds_enough(box: Box, rows: BinnedRows, constraints: ColumnConstraints) -> bool:
    """Return True if a box holds enough rows, of which enough are positive."""
    member, mass = _count_cells(rows.bins.codes, rows.positive, rows.weight, box.low[None], box.high[None])
    down, up = mass[:, member[:, 0]].sum(axis=1)
    return bool(constraints.asked.holds(up + down, up))


@entry
def _gradients(inside, odds, positive, class_weight):
    """Return gradient and curvature of the log-loss of one row of each kind: (rows, 2)."""
    n_rows, n_boxes = inside.shape
    result = np.empty((n_rows, 2))
    outside = chance_of(odds[n_boxes])  # once for all the rows that no box holds
    for i in range(n_rows):
        z = odds[n_boxes]
        for k in range(n_boxes):
            z += odds[k] * inside[i, k]
        p = outside if z == odds[n_boxes] else chance_of(z)
        size = class_weight[1] if positive[i] else class_weight[0]
        result[i, 0] = size * ((1.0 if positive[i] else 0.0) - p)
        result[i, 1] = size * p * (1 - p)
    return result


def _count_cells(
    codes: Codes, positive: BoolArray, weight: FloatArray, low: IntArray, high: IntArray
) -> tuple[BoolArray, FloatArray]:
    """Return which boxes hold each cell, and the weight of its negatives and positives."""
    cell, member = np.zeros(len(weight), np.int64), np.zeros((1, len(low)), np.bool_)
    for k, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        inside = np.ones(len(weight), np.bool_)
        for j, column in enumerate(codes):
            if a[j] > 0 or b[j] < TOP:
                inside &= ((column >= a[j]) & (column <= b[j])) | (column == MISSING)
        cell = 2 * cell + inside  # each cell is cut by the box
        there = np.bincount(cell, minlength=2 * len(member)) > 0
        cell, old = (np.cumsum(there) - 1)[cell], np.flatnonzero(there)
        member = member[old // 2]
        member[:, k] = old % 2 == 1
    mass = [np.bincount(cell, weight * side, len(member)) for side in (~positive, positive)]
    return member, np.array(mass)
