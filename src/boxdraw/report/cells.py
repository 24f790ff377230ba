"""Rows as counts: those that lie between the same limits become one, with made-up values in place of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.boxes import BoxSet

__all__ = ["count_cells"]

_MISSING = -2


def count_cells(
    boxes: BoxSet, columns: list[Any], positive: BoolArray, weight: FloatArray | None
) -> tuple[list[FloatArray], BoolArray, FloatArray]:
    """Return a row for each class and cell between limits, with the weight of the rows there.

    The boxes hold such a row exactly if they hold those that it stands for. Features without limits are missing.
    """
    coded = [_cells_of(boxes, j, np.asarray(column)) for j, column in enumerate(columns)]
    table = np.column_stack([positive.astype(np.int64), *(codes for codes, _ in coded)])
    kinds, place = np.unique(table, axis=0, return_inverse=True)
    mass = np.bincount(place.ravel(), weights=weight, minlength=len(kinds)).astype(np.float64)
    values = [stand_ins[kinds[:, j + 1]] for j, (_, stand_ins) in enumerate(coded)]
    return values, kinds[:, 0].astype(np.bool_), mass


def _cells_of(boxes: BoxSet, j: int, column: Any) -> tuple[IntArray, FloatArray]:
    """Return the cell of each value, and a value for each cell; the last one is that of missing values."""
    known = boxes.categories[j]
    if known is not None:
        return _category_cells(boxes, j, column, len(known))
    values = column.astype(np.float64)
    lower, upper = (np.unique(ends[np.isfinite(ends)]) for ends in (boxes.lower[:, j], boxes.upper[:, j]))
    limited = bool(boxes.limited[:, j].any())
    points = np.unique(np.concatenate([lower, upper]))
    if not len(points):
        stand_ins = np.array([0.0, np.nan])
        cells = np.where(np.isnan(values), 1, 0) if limited else np.ones(len(values), dtype=np.int64)
        return cells.astype(np.int64), stand_ins
    step = max(float(points[-1] - points[0]), abs(float(points[0])), 1.0) / 4
    between = points[:-1] / 2 + points[1:] / 2
    tried = np.concatenate([points, between, [points[0] - step, points[-1] + step]])
    n_cells = len(lower) + len(upper) + 1
    stand_ins = np.full(n_cells + 1, np.nan)
    stand_ins[_cell(lower, upper, tried)] = tried  # where there is room, what lies between limits and not on them
    return np.where(np.isnan(values), n_cells, _cell(lower, upper, values)), stand_ins


def _cell(lower: FloatArray, upper: FloatArray, values: FloatArray) -> IntArray:
    """Count the lower limits that values reach, and the upper ones that they exceed: both grow with the value."""
    return lower.searchsorted(values, side="right") + upper.searchsorted(values, side="left")


def _category_cells(boxes: BoxSet, j: int, codes: Any, n: int) -> tuple[IntArray, FloatArray]:
    """Put categories together that the same boxes admit; unseen ones stay what they are."""
    named = boxes.categories[j]
    assert named is not None
    admitted = [sets for sets in (boxes.allowed[k][j] for k in range(len(boxes))) if sets is not None]
    if not boxes.limited[:, j].any():
        return np.zeros(len(codes), dtype=np.int64), np.array([float(_MISSING)])
    first: dict[tuple[bool, ...], int] = {}
    cell = [first.setdefault(tuple(value in some for some in admitted), code) for code, value in enumerate(named)]
    stand_ins = np.array([*map(float, cell), -1.0, float(_MISSING)])
    places = np.array([*cell, n, n + 1])  # a code of -1 or -2 counts from the end
    return places[np.where(codes == -1, n, np.where(codes == _MISSING, n + 1, codes)).astype(np.int64)], stand_ins
