"""Rows charged to the limits that exclude them: the compiled twin of `boxdraw.model.gaps`, for large tables.

A row matters only if it is nearer to a limit than those before: than rows in the box if it is in it, or else than those
charged to the limit that it is farthest beyond. That is rare after some thousand rows: most are seen not to matter from
their distances in few digits, many rows at a time.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry
from boxdraw._core.compiled import inner as compiled_inner
from boxdraw._core.extremes import more, turn

_TILE = 512  # rows
_FEW = 16  # rows of a tile in a box, which are looked at one by one
# Distances in float32 are off by less than half of this where values are from -1 to 1 and limits from -2 to 2.
_MARGIN = np.float32(2.0**-20)
_FARTHEST_LIMIT = 2.0


@entry
def charge(X, used, lower, upper, middle, unit, kept_out, inner, outer):
    """Write into ``inner`` and ``outer`` what rows say; ``kept_out`` are rows that something else keeps out."""
    n_boxes, n_used = lower.shape
    values = np.zeros((n_used, _TILE), np.float32)
    rows = np.empty((_TILE, n_used), np.float32)
    far, near, nearer = np.empty(_TILE, np.float32), np.empty(_TILE, np.float32), np.empty(_TILE, np.bool_)
    row = np.empty(n_used)
    ends, reach, comparable = _in_few_digits(lower, upper, middle, unit)
    for k in range(n_boxes):
        _find_reach(k, lower, upper, unit, outer, reach)
    for start in range(0, len(X), _TILE):
        n_rows = min(_TILE, len(X) - start)
        _place(X[start : start + n_rows], used, middle, unit, rows, values)
        for k in range(n_boxes):
            far[:], near[:], nearer[:] = -1.0, -1.0, True
            if comparable:
                _distances(values, ends[:, k], reach[:, k], far, near)
                inside = 0
                for i in range(_TILE):
                    inside += near[i] < -_MARGIN and far[i] < 0
                if inside > _FEW:
                    _compare_inside(values, ends[:, k], inner[:, k], middle, unit, nearer)
            for i in range(n_rows):
                if far[i] > near[i] + _MARGIN or kept_out[start + i, k]:
                    continue
                if far[i] < 0 and near[i] < -_MARGIN and not nearer[i]:
                    continue
                for j in range(n_used):
                    row[j] = X[start + i, used[j]]
                if _charge_row(row, lower[k], upper[k], unit, inner[:, k], outer[:, k]):
                    _find_reach(k, lower, upper, unit, outer, reach)
    for k in range(n_boxes):
        for j in range(n_used):
            if lower[k, j] == -np.inf and upper[k, j] == np.inf:
                inner[:, k, j] = np.inf


@compiled_inner
def _in_few_digits(lower, upper, middle, unit):
    """Return the limits on the columns' ranges, room for what is charged to them, and whether float32 can tell them."""
    ends, reach = np.empty((2, *lower.shape), np.float32), np.empty((2, *lower.shape), np.float32)
    comparable = True
    for j in range(lower.shape[1]):
        comparable &= np.isfinite(middle[j]) and unit[j] > 0
        for k in range(len(lower)):
            for side, limit in enumerate((lower[k, j], upper[k, j])):
                place = (limit - middle[j]) * unit[j]
                comparable &= np.isinf(limit) or np.abs(place) <= _FARTHEST_LIMIT
                ends[side, k, j] = place
    return ends, reach, comparable


@compiled_inner
def _find_reach(k, lower, upper, unit, outer, reach):
    """Find how far beyond each limit of a box a row may be to have a value nearer than those charged so far."""
    for j in range(lower.shape[1]):
        reach[0, k, j] = np.float32((lower[k, j] - outer[0, k, j]) * unit[j]) + _MARGIN
        reach[1, k, j] = np.float32((-upper[k, j] - outer[1, k, j]) * unit[j]) + _MARGIN


@compiled_inner
def _place(X, used, middle, unit, rows, values):
    """Copy rows to a tile, on the columns' ranges: rows first, for wide loads, then column by column."""
    if len(used) == X.shape[1]:
        for i in range(len(X)):
            for j in range(len(used)):
                rows[i, j] = np.float32((X[i, j] - middle[j]) * unit[j])
    else:
        for i in range(len(X)):
            for j in range(len(used)):
                rows[i, j] = np.float32((X[i, used[j]] - middle[j]) * unit[j])
    turn(rows, len(X), values)


@compiled_inner
def _distances(values, ends, reach, far, near):
    """Find how far beyond limits rows are: ``near`` enough to matter if they were charged to one of these, or too far.

    A row whose largest distance is too far for its limit is one that does not matter.
    """
    none = np.float32(-1)
    for j in range(len(values)):
        low, high, below, above = ends[0, j], ends[1, j], reach[0, j], reach[1, j]
        if low == -np.inf and high == np.inf:
            continue
        x = values[j]
        for i in range(_TILE):
            left, right = low - x[i], x[i] - high
            far[i] = more(more(left if left >= below else none, right if right >= above else none), far[i])
            near[i] = more(more(none if left >= below else left, none if right >= above else right), near[i])


@compiled_inner
def _compare_inside(values, ends, inner, middle, unit, nearer):
    """Find the rows that, if they are in the box, may be nearer to a limit than those before."""
    nearer[:] = False
    for j in range(len(values)):
        if ends[0, j] == -np.inf and ends[1, j] == np.inf:
            continue
        x = values[j]
        low = np.float32((inner[0, j] - middle[j]) * unit[j]) + _MARGIN
        high = np.float32((-inner[1, j] - middle[j]) * unit[j]) - _MARGIN
        for i in range(_TILE):
            nearer[i] |= (x[i] < low) | (x[i] > high)


@compiled_inner
def _charge_row(row, lower, upper, unit, inner, outer):
    """Let one row count; return True if that changed what is charged."""
    worst, side, place, tied = -1.0, 0, 0, False
    for j in range(len(row)):
        if row[j] < lower[j]:
            excess = (lower[j] - row[j]) * unit[j]
            tied = excess == worst or (tied and excess < worst)
            if excess > worst:
                worst, side, place = excess, 0, j
        if row[j] > upper[j]:
            excess = (row[j] - upper[j]) * unit[j]
            tied = excess == worst or (tied and excess < worst)
            if excess > worst:
                worst, side, place = excess, 1, j
    if worst < 0:
        for j in range(len(row)):
            inner[0, j] = row[j] if row[j] < inner[0, j] else inner[0, j]
            inner[1, j] = -row[j] if -row[j] < inner[1, j] else inner[1, j]
        return False
    if tied:
        _charge_all(row, lower, upper, unit, worst, outer)
        return True
    value = row[place] if side == 0 else -row[place]
    nearer = value > outer[side, place]
    outer[side, place] = max(outer[side, place], value)
    return nearer


@compiled_inner
def _charge_all(row, lower, upper, unit, worst, outer):
    """Charge a row to all limits that it is equally far beyond."""
    for j in range(len(row)):
        if row[j] < lower[j] and (lower[j] - row[j]) * unit[j] == worst:
            outer[0, j] = max(outer[0, j], row[j])
        if row[j] > upper[j] and (row[j] - upper[j]) * unit[j] == worst:
            outer[1, j] = max(outer[1, j], -row[j])
