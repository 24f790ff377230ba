"""Which rows are inside a box, and how far; the rows come in tiles of columns, as `boxdraw.rows` reads them."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import BoolArray
from boxdraw.rows import Columns

if TYPE_CHECKING:
    from boxdraw.boxes import BoxSet


def inside(tile: Columns, boxes: BoxSet, k: int) -> Any:
    """Say which rows a box holds."""
    met = (_meets(tile[j], boxes, k, j) for j in np.flatnonzero(boxes.limited[k]).tolist())
    return reduce(np.logical_and, met, True)


def _meets(values: npt.NDArray[Any], boxes: BoxSet, k: int, j: int) -> Any:
    """Say which values of one feature a box admits."""
    if boxes.categories[j] is not None:
        return admitted(boxes, k, j)[values]
    lower, upper = boxes.lower[k, j], boxes.upper[k, j]
    inside = values <= upper if lower == -np.inf else values >= lower
    if lower > -np.inf and upper < np.inf:
        inside &= values <= upper
    return inside | np.isnan(values) if boxes.missing[k, j] else inside


def admitted(boxes: BoxSet, k: int, j: int) -> BoolArray:
    """Say which places of categories a box admits: the known ones, then, at -2 and -1, missing and unseen ones."""
    known, allowed = boxes.categories[j] or (), boxes.allowed[k][j]
    inside = [allowed is None or value in allowed for value in known]
    return np.array([*inside, boxes.missing[k, j], allowed is None], dtype=np.bool_)


def depth(tile: Columns, boxes: BoxSet, k: int) -> Any:
    """Return how far inside a box rows are: the least over its limits."""
    # Gradual underflow keeps the sign of a difference, and an overflow has the right one.
    with np.errstate(over="ignore"):
        depths = (_depth_in(tile[j], boxes, k, j) for j in np.flatnonzero(boxes.limited[k]).tolist())
        return reduce(np.minimum, depths, np.inf)


def _depth_in(values: npt.NDArray[Any], boxes: BoxSet, k: int, j: int) -> Any:
    """Return how far inside the limits of one feature values are; infinitely where there is no distance."""
    if boxes.categories[j] is not None:
        return np.where(admitted(boxes, k, j)[values], np.inf, -np.inf)
    lower, upper = boxes.lower[k, j], boxes.upper[k, j]
    absent = np.inf if boxes.missing[k, j] else -np.inf
    if lower > upper:  # no number is inside
        return np.where(np.isnan(values), absent, -np.inf)
    sides = ([values - lower] if lower > -np.inf else []) + ([upper - values] if upper < np.inf else [])
    inwards = reduce(np.minimum, sides, np.where(np.isnan(values), absent, np.inf))
    return np.where(np.isnan(values), absent, inwards)
