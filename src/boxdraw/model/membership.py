"""Which rows boxes hold, and how far inside they are.

Rows come in tiles of columns, as `boxdraw.model.rows` reads them. For large matrices of numbers, the compiled code of
`boxdraw.model.inside` is faster and gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.tiles import n_workers, threaded_map
from boxdraw.model.rows import MISSING, Columns, read_columns

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

# Rows are read in tiles whose columns stay in the processor's cache while all boxes are tried.
_TILE_ROWS = 8192

# With so few rows x boxes x features all are compared at once: what costs time is then the number of operations.
_FEW = 2**12

# From here on compiled code pays; loading numba doubles the time of a first small prediction (docs/figures/twins.txt).
_LARGE = 2**20


def find_any(X: Any, boxes: BoxSet, n_jobs: int | None, finite: bool = False) -> BoolArray:
    """Return the mask of rows in any box. With ``finite``, infinite values in a large matrix are an error."""
    if is_large_matrix(X, boxes):
        from boxdraw.model.inside import contains

        return contains(X, boxes, n_jobs, finite)

    def write(tile: Columns, rows: slice) -> None:
        result[rows] = reduce(np.logical_or, (inside(tile, boxes, k) for k in range(len(boxes))), False)

    n_rows, columns = read_columns(X, boxes)
    if n_rows * len(boxes) * len(columns) <= _FEW:
        return np.asarray(_find_few(n_rows, columns, boxes, n_jobs).any(axis=1))
    result = np.empty(n_rows, dtype=np.bool_)
    _for_tiles(write, n_rows, columns, boxes, n_jobs)
    return result


def find_each(X: Any, boxes: BoxSet, n_jobs: int | None) -> BoolArray:
    """Return which boxes hold each row."""
    if is_large_matrix(X, boxes):
        from boxdraw.model.inside import membership

        return membership(X, boxes, n_jobs)

    def write(tile: Columns, rows: slice) -> None:
        for k in range(len(boxes)):
            result[rows, k] = inside(tile, boxes, k)

    n_rows, columns = read_columns(X, boxes)
    if n_rows * len(boxes) * len(columns) <= _FEW:
        return _find_few(n_rows, columns, boxes, n_jobs)
    result = np.empty((n_rows, len(boxes)), dtype=np.bool_)
    _for_tiles(write, n_rows, columns, boxes, n_jobs)
    return result


def _find_few(n_rows: int, columns: Columns, boxes: BoxSet, n_jobs: int | None) -> BoolArray:
    """Return which boxes hold each of a few rows: each row against the limits of all boxes."""
    n_workers(n_jobs)  # raises as for many rows
    numbers = [j for j in columns if boxes.categories[j] is None]
    values = np.array([columns[j] for j in numbers], dtype=np.float64).reshape(len(numbers), n_rows).T[:, None]
    inside = (values >= boxes.lower[:, numbers]) & (values <= boxes.upper[:, numbers])
    result = np.asarray((inside | (np.isnan(values) & boxes.missing[:, numbers])).all(axis=2))
    for j in columns.keys() - numbers:
        known, sets = boxes.categories[j] or (), [allowed[j] for allowed in boxes.allowed]
        for row, place in enumerate(columns[j].tolist()):
            value = known[place] if place >= 0 else None  # None is in no set
            met = boxes.missing[:, j] if place == MISSING else [each is None or value in each for each in sets]
            result[row] &= met
    return result


def first_box(member: BoolArray) -> npt.NDArray[np.int64]:
    """Return the number, from 1, of the first box that holds each row; 0 if none does."""
    if not member.shape[1]:
        return np.zeros(len(member), dtype=np.int64)
    return np.where(member.any(axis=1), member.argmax(axis=1) + 1, 0)


def find_depth(X: Any, boxes: BoxSet) -> FloatArray:
    """Return how far inside the boxes rows are: the most over boxes."""

    def write(tile: Columns, rows: slice) -> None:
        result[rows] = reduce(np.maximum, (depth(tile, boxes, k) for k in range(len(boxes))), -np.inf)

    n_rows, columns = read_columns(X, boxes)
    result = np.empty(n_rows)
    _for_tiles(write, n_rows, columns, boxes, None)
    return result


def is_large_matrix(X: Any, boxes: BoxSet) -> bool:
    """Return True if X is for the compiled code; `read_columns` checks everything else."""
    return (
        isinstance(X, np.ndarray)
        and X.size >= _LARGE
        and X.dtype in (np.float64, np.float32)
        and X.flags.aligned
        and X.shape[1:] == (boxes.n_features,)
        and all(known is None for known in boxes.categories)
    )


def _for_tiles(
    write: Callable[[Columns, slice], None], n_rows: int, columns: Columns, boxes: BoxSet, n_jobs: int | None
) -> None:
    """Call a function on the rows tile by tile, numbers as float64."""

    def work(start: int) -> None:
        rows = slice(start, start + _TILE_ROWS)
        tile = {
            j: column[rows] if boxes.categories[j] is not None else np.ascontiguousarray(column[rows], np.float64)
            for j, column in columns.items()
        }
        write(tile, rows)

    for _ in threaded_map(work, range(0, n_rows, _TILE_ROWS), n_jobs):
        pass


def inside(tile: Columns, boxes: BoxSet, k: int) -> Any:
    """Return the mask of rows that a box holds."""
    met = (meets(tile[j], boxes, k, j) for j in np.flatnonzero(boxes.limited[k]).tolist())
    return reduce(np.logical_and, met, True)


def meets(values: npt.NDArray[Any], boxes: BoxSet, k: int, j: int) -> Any:
    """Return the mask of values of one feature that a box admits."""
    if boxes.categories[j] is not None:
        return admitted(boxes, k, j)[values]
    lower, upper = boxes.lower[k, j], boxes.upper[k, j]
    inside = values <= upper if lower == -np.inf else values >= lower
    if lower > -np.inf and upper < np.inf:
        inside &= values <= upper
    return inside | np.isnan(values) if boxes.missing[k, j] else inside


def admitted(boxes: BoxSet, k: int, j: int) -> BoolArray:
    """Return which categories a box admits, by place: known ones, then, at -2 and -1, missing and unseen ones."""
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
    if lower == upper:  # met like a category: a distance of 0 would tie all rows of the box
        return np.where(values == lower, np.inf, np.where(np.isnan(values), absent, -np.abs(values - lower)))
    sides = ([values - lower] if lower > -np.inf else []) + ([upper - values] if upper < np.inf else [])
    inwards = reduce(np.minimum, sides, np.where(np.isnan(values), absent, np.inf))
    return np.where(np.isnan(values), absent, inwards)
