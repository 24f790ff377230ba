"""Which rows of a large matrix of numbers boxes hold: compiled, a block of rows at a time.

A block is so small that its columns that boxes limit, copied one after another, stay in the nearest cache, where one
instruction compares a limit with several rows. Only the result is as long as the table. The limits of a box that
exclude most of a sample of rows come first: often they leave no row of a block, and the others are skipped.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import assert_all_finite

from boxdraw._core.arrays import BoolArray, IntArray, Matrix
from boxdraw._core.compiled import entry, inner
from boxdraw._core.tiles import threaded_map

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

_BLOCK = 64  # rows: few enough for the cache, and that limits often leave none; enough for loops of vectors
_GROUP = 4  # limits that are compared at once, so that what they say together is written once
_SAMPLE = 500  # rows by which limits are put in order
_TILE_CELLS = 2**20  # of the table, per task of a thread: much longer than it takes to hand a task out


class Limits(NamedTuple):
    """The limits of all boxes in groups of four, all of which admit missing values or none."""

    features: Any  # those that any box limits
    start: Any  # groups of box k are at start[k]:start[k + 1]
    column: Any  # of shape (groups, 4): places among ``features``
    lower: Any
    upper: Any
    missing: Any  # of each group


def contains(X: Matrix, boxes: BoxSet, n_jobs: int | None, finite: bool = False) -> BoolArray:
    """Return the mask of rows of an array of float64 or float32 that are in any box.

    With ``finite``, infinite values are an error. Looking for them apart would read the table once more.
    """
    result = np.empty(len(X), dtype=np.bool_)
    beside = X.flags.c_contiguous or X.flags.f_contiguous
    values = X.view(np.ndarray).ravel(order="K")[: X.size if finite else 0] if beside else np.empty(0, X.dtype)
    values.flags.writeable = False
    if _fill(partial(_contain, values), X, boxes, result, n_jobs) or (finite and not beside):
        assert_all_finite(X, allow_nan=True, input_name="X")
    return result


def membership(X: Matrix, boxes: BoxSet, n_jobs: int | None) -> BoolArray:
    """Return which boxes hold each row of an array of float64 or float32."""
    result = np.empty((len(X), len(boxes)), dtype=np.bool_)
    _fill(_belong, X, boxes, result, n_jobs)
    return result


def _fill(kernel: Any, X: Matrix, boxes: BoxSet, result: npt.NDArray[Any], n_jobs: int | None) -> bool:
    """Call a kernel on all rows; return True if it says so for any."""
    limits = limits_of(boxes, _admitted(X, boxes))
    rows = X.view(np.ndarray)
    rows.flags.writeable = False  # numba compiles anew for arrays that can't be written, as maps of files; so all are
    step = max(_BLOCK, _TILE_CELLS // X.shape[1])
    parts = threaded_map(
        lambda start: kernel(rows, start, min(start + step, len(X)), limits, result), range(0, len(X), step), n_jobs
    )
    return any(list(parts))


def _admitted(X: Matrix, boxes: BoxSet) -> IntArray:
    """Count the rows of a sample that each limit admits."""
    sample = X[:: max(1, len(X) // _SAMPLE)]
    admitted = np.zeros(boxes.lower.shape, dtype=np.intp)
    for k, limited in enumerate(boxes.limited):
        values = sample[:, limited]  # of many features a box often limits few
        admitted[k, limited] = ((values >= boxes.lower[k, limited]) & (values <= boxes.upper[k, limited])).sum(axis=0)
    return admitted


def limits_of(boxes: BoxSet, admitted: IntArray) -> Limits:
    """List the limits of boxes without categories; of each box those that admit the fewest rows come first."""
    groups = [_groups(boxes, k, admitted[k]) for k in range(len(boxes))]
    box = np.repeat(np.arange(len(boxes)), [len(of_box) for of_box in groups])[:, None]
    feature = np.concatenate([np.empty((0, _GROUP), dtype=np.intp), *groups])
    features = np.flatnonzero(boxes.limited.any(axis=0))
    return Limits(
        features,
        np.searchsorted(box[:, 0], np.arange(len(boxes) + 1)),
        np.searchsorted(features, feature),
        boxes.lower[box, feature],
        boxes.upper[box, feature],
        boxes.missing[box[:, 0], feature[:, 0]],
    )


def _groups(boxes: BoxSet, k: int, admitted: IntArray) -> IntArray:
    """Return the features that a box limits, four in a row; the last of a row may come again, which changes nothing."""
    rows: list[IntArray] = []
    for admits in (False, True):
        features = np.flatnonzero(boxes.limited[k] & (boxes.missing[k] == admits))
        features = features[np.argsort(admitted[features], kind="stable")]
        rows += [
            features[np.minimum(np.arange(at, at + _GROUP), len(features) - 1)]
            for at in range(0, len(features), _GROUP)
        ]
    rows.sort(key=lambda group: int(admitted[group[0]]))
    return np.array(rows, dtype=np.intp).reshape(-1, _GROUP)


@entry
def _contain(values, rows, start, stop, limits, result):
    """Find the rows in any box; return True if any of the ``values`` is infinite, all of the rows or none."""
    infinite = False
    block = np.zeros((len(limits.features), _BLOCK))
    inside, flagged = np.empty(_BLOCK, np.int64), np.empty(_BLOCK, np.int64)
    for first in range(start, stop, _BLOCK):
        n = min(_BLOCK, stop - first)
        if len(values):
            infinite |= _any_infinite(values, rows, first, n)
        _load(rows, first, n, limits.features, block)
        flagged[:] = 0
        for k in range(len(limits.start) - 1):
            for i in range(_BLOCK):
                inside[i] = 1 - flagged[i]  # no other row is of interest
            if _meet(block, limits, k, inside):
                for i in range(_BLOCK):
                    flagged[i] |= inside[i]
        for i in range(n):
            result[first + i] = flagged[i]
    return infinite


@entry
def _belong(rows, start, stop, limits, result):
    block, inside = np.zeros((len(limits.features), _BLOCK)), np.empty(_BLOCK, np.int64)
    for first in range(start, stop, _BLOCK):
        n = min(_BLOCK, stop - first)
        _load(rows, first, n, limits.features, block)
        for k in range(len(limits.start) - 1):
            inside[:] = 1
            _meet(block, limits, k, inside)
            for i in range(n):
                result[first + i, k] = inside[i]


@inner
def _load(rows, first, n, features, block):
    """Copy the features of n rows to columns, as float64, along what is beside each other in memory."""
    if abs(rows.strides[0]) < abs(rows.strides[1]):
        for c in range(len(features)):
            for i in range(n):
                block[c, i] = rows[first + i, features[c]]
    else:
        for i in range(n):
            for c in range(len(features)):
                block[c, i] = rows[first + i, features[c]]


@inner
def _any_infinite(values, rows, first, n):
    """Look for infinite values in n rows; ``values`` are those of all rows, in the order of memory."""
    found, (n_rows, n_features) = np.int64(0), rows.shape
    by_column = abs(rows.strides[0]) < abs(rows.strides[1])
    length = n if by_column else n * n_features
    for j in range(n_features if by_column else 1):
        begin = j * n_rows + first if by_column else first * n_features
        part = values[begin : begin + length]
        for i in range(len(part)):
            found |= np.int64(np.abs(part[i]) == np.inf)
    return found > 0


@inner
def _meet(block, limits, k, inside):
    """Set ``inside`` to 0 for the rows of the block outside box k; return True if any is left."""
    for group in range(limits.start[k], limits.start[k + 1]):
        a, b, c, d = _four(limits.column, group)
        lower, upper = _four(limits.lower, group), _four(limits.upper, group)
        left = 0
        if limits.missing[group]:
            for i in range(_BLOCK):  # NaN is neither below nor above
                out = _off(block[a, i], lower[0], upper[0]) | _off(block[b, i], lower[1], upper[1])
                out |= _off(block[c, i], lower[2], upper[2]) | _off(block[d, i], lower[3], upper[3])
                inside[i] &= np.int64(not out)
                left |= inside[i]
        else:
            for i in range(_BLOCK):
                met = _on(block[a, i], lower[0], upper[0]) & _on(block[b, i], lower[1], upper[1])
                met &= _on(block[c, i], lower[2], upper[2]) & _on(block[d, i], lower[3], upper[3])
                inside[i] &= np.int64(met)
                left |= inside[i]
        if left == 0:
            return False
    return True


@inner
def _four(values, group):
    return values[group, 0], values[group, 1], values[group, 2], values[group, 3]


@inner
def _on(x, lower, upper):
    return (x >= lower) & (x <= upper)


@inner
def _off(x, lower, upper):
    return (x < lower) | (x > upper)
