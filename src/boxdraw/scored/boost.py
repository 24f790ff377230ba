"""Rounds of boosting: each adds the box of most gain and fits the points of all boxes anew.

What a box classifier knows of a row is which boxes hold it. Rows that the same boxes hold form a cell, so points are
fitted on cells, of which there are few, and gradients are looked up by cell and class.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxdraw.arrays import BoolArray, FloatArray, IntArray
from boxdraw.compiled import entry
from boxdraw.scored.bins import MISSING, TOP, Bins
from boxdraw.scored.grow import grow
from boxdraw.scored.logistic import chance_of, copies, fit_logistic, rounded, rounder_of

LEAST_RISE = 0.1  # of the gain by another limit
RIDGE = 2.0  # on points, in positives at even odds


@dataclass(frozen=True, slots=True)
class Rows:
    """Training rows on bins, what they weigh, and what the classes do."""

    bins: Bins
    positive: BoolArray
    weight: FloatArray
    class_weight: FloatArray  # of a negative and of a positive

    @property
    def unit(self) -> float:
        """The curvature of one positive at even odds: what penalties are counted in."""
        return float(self.class_weight[1]) / 4


@dataclass(frozen=True, slots=True)
class Cells:
    """The rows that the same boxes hold, counted."""

    member: BoolArray  # (cells, boxes)
    mass: FloatArray  # (2, cells): weight of the negatives and of the positives

    def logistic(self, rows: Rows, nonnegative: bool) -> FloatArray:
        """Fit coefficients of the boxes, the intercept last."""
        F = self.member.astype(np.float64).repeat(2, axis=0)
        positive = np.arange(len(F)) % 2 == 1
        start = np.zeros(F.shape[1] + 1)
        return fit_logistic(F, positive, self.mass.T.ravel(), rows.class_weight, RIDGE * rows.unit, nonnegative, start)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes on codes, a row each, and the cells that they cut the training rows into."""

    low: IntArray
    high: IntArray
    missing: BoolArray  # which columns have missing numbers
    cells: Cells


def boost(rows: Rows, max_boxes: int, max_limits: int, lam: float, signed: bool) -> Drawing:
    """Draw boxes until there are enough of them or none has any gain.

    ``lam`` is how many positives at even odds a box's gain is taxed with: boxes of few rows need more purity.
    """
    bins = rows.bins
    n_rows, n_columns = len(rows.weight), len(bins.codes)
    low, high = np.zeros((0, n_columns), dtype=np.int64), np.zeros((0, n_columns), dtype=np.int64)
    cell = np.zeros(n_rows, dtype=np.int64)
    cells = Cells(np.zeros((1, 0), dtype=np.bool_), _masses(cell, 1, rows.positive, rows.weight))
    rounder = rounder_of(rows.weight.sum() * rows.class_weight.max())
    gradient = np.empty((n_rows, 2))
    while len(low) < max_boxes:
        odds = cells.logistic(rows, not signed)
        per_cell = _per_cell(cells.member, odds, rows.class_weight)
        _write_gradients(gradient, cell, rows.positive, rows.weight, per_cell, rounder)
        box = _new_box(rows, gradient, max_limits, lam, signed, low, high)
        if box is None:
            break
        low, high = np.vstack([low, box[0]]), np.vstack([high, box[1]])
        cell, old, inside = _split(cell, len(cells.member), bins.codes, *box)
        member = np.column_stack([cells.member[old], inside])
        cells = Cells(member, _masses(cell, len(member), rows.positive, rows.weight))
    return Drawing(low, high, (bins.codes == MISSING).any(axis=1), cells)


def _new_box(
    rows: Rows, gradient: FloatArray, max_limits: int, lam: float, signed: bool, low: IntArray, high: IntArray
) -> tuple[IntArray, IntArray] | None:
    """Return the best box that is not there yet, if need be one of fewer limits."""
    n_limits = max_limits
    while n_limits > 0:
        box = _best_box(rows, gradient, n_limits, lam, signed)
        if box is None or not ((box[0] == low) & (box[1] == high)).all(axis=1).any():
            return box
        n_limits = int((box[0] > 0).sum() + (box[1] < TOP).sum()) - 1
    return None


def _best_box(
    rows: Rows, gradient: FloatArray, max_limits: int, lam: float, signed: bool
) -> tuple[IntArray, IntArray] | None:
    found = [
        grow(rows.bins.codes, rows.bins.cuts, gradient, lam * rows.unit, max_limits, LEAST_RISE, sign)
        for sign in ((1.0, -1.0) if signed else (1.0,))
    ]
    low, high, gain = max(found, key=lambda box: box[2])
    return (low, high) if gain > 0 else None


@entry
def _per_cell(member, odds, class_weight):
    """Return gradient and curvature of one row of each cell and class: (cells, classes, 2)."""
    n_cells, n_boxes = member.shape
    result = np.empty((n_cells, 2, 2))
    for c in range(n_cells):
        z = odds[n_boxes]
        for k in range(n_boxes):
            z += odds[k] if member[c, k] else 0.0
        p = chance_of(z)
        for y in range(2):
            result[c, y, 0] = class_weight[y] * (y - p)
            result[c, y, 1] = class_weight[y] * p * (1 - p)
    return result


@entry
def _write_gradients(gradient, cell, positive, weight, per_cell, rounder):
    for i in range(len(cell)):
        y = 1 if positive[i] else 0
        whole, part = copies(weight[i])
        for q in range(2):
            gradient[i, q] = rounded(per_cell[cell[i], y, q], whole, part, rounder)


@entry
def _masses(cell, n_cells, positive, weight):
    mass = np.zeros((2, n_cells))
    for i in range(len(cell)):
        mass[1 if positive[i] else 0, cell[i]] += weight[i]
    return mass


@entry
def _split(cell, n_cells, codes, low, high):
    """Cut each cell by a box; return the rows' new cells and, for each of these, its old cell and whether inside."""
    n_rows = len(cell)
    new = np.empty(n_rows, np.int64)
    for i in range(n_rows):
        new[i] = 2 * cell[i] + 1
    for j in range(len(low)):
        if low[j] > 0 or high[j] < TOP:
            column = codes[j]
            for i in range(n_rows):
                if column[i] <= TOP and not low[j] <= column[i] <= high[j]:
                    new[i] = 2 * cell[i]
    number = np.full(2 * n_cells, -1)
    for i in range(n_rows):
        number[new[i]] = 0
    old = np.flatnonzero(number == 0)
    number[old] = np.arange(len(old))
    for i in range(n_rows):
        new[i] = number[new[i]]
    return new, old // 2, old % 2 == 1
