"""Boxes on the user's own rows, by the margin: what a certificate is checked with."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.learners.exact.objective import Objective, sum_down, sum_up
from boxdraw.model.boxes import BoxSet
from boxdraw.model.membership import admitted
from boxdraw.model.rows import read_columns
from boxdraw.tables.encoding import quiet_sums


def read_table(X: Any, boxes: BoxSet) -> FloatArray:
    """Return the features of the boxes as one matrix: numbers, and places of categories."""
    _, columns = read_columns(X, boxes, range(boxes.n_features))
    table = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()])
    with quiet_sums():
        return np.asarray(check_array(table, dtype=np.float64, ensure_all_finite="allow-nan"))


def held(table: FloatArray, boxes: BoxSet, margin: float) -> BoolArray:
    """Return a mask of the rows in each box by the margin, a row per box; categories have no margin."""
    lower, upper = sum_up(boxes.lower, margin), sum_down(boxes.upper, -margin)
    result = np.ones((len(boxes), len(table)), dtype=np.bool_)
    for k, j in np.argwhere(boxes.limited).tolist():
        result[k] &= _meets(table[:, j], boxes, k, j, lower[k, j], upper[k, j])
    return result


def _meets(values: FloatArray, boxes: BoxSet, k: int, j: int, lower: float, upper: float) -> BoolArray:
    if boxes.categories[j] is not None:
        return admitted(boxes, k, j)[values.astype(np.intp)]
    within = (lower <= values) & (values <= upper)
    return within | np.isnan(values) if boxes.missing[k, j] else within


def counted(objective: Objective, boxes: BoxSet) -> BoolArray:
    """Return a mask of the rows that the boxes get right; the rows are those of `read_table`."""
    inside = np.zeros(len(objective.X), dtype=np.bool_)
    for tile, table, positive in objective.tiles():
        for rows, margin in ((positive, objective.margin), (~positive, -objective.margin)):
            inside[tile][rows] = held(table[rows], boxes, margin).any(axis=0)
    return np.asarray(inside == objective.positive)
