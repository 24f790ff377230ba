"""One box by its gain: limits added one at a time, each at the best cut of any feature, and placed anew after each.

The gain of a box is the sum of the gradients inside over the root of the sum of their curvatures: how much the log-loss
falls, to second order, when the rows inside get a common number of points. It is positive for boxes that deserve
points; ``sign=-1`` looks for the best box for negative ones.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math

import numpy as np

from boxdraw.compiled import entry, inner
from boxdraw.scored.bins import TOP

NO_GAIN = -1e300


@inner
def _rows_inside(codes, low, high, skip_column, skip_side):
    """Return the rows within all limits but one."""
    n_columns, n_rows = codes.shape
    rows = np.arange(n_rows)
    for j in range(n_columns):
        bottom = 0 if j == skip_column and skip_side == 0 else low[j]
        top = TOP if j == skip_column and skip_side == 1 else high[j]
        if bottom == 0 and top == TOP:
            continue
        kept = 0
        column = codes[j]
        for i in rows:
            code = column[i]
            if code > TOP or bottom <= code <= top:
                rows[kept] = i
                kept += 1
        rows = rows[:kept]
    return rows


@inner
def _best_cut(sums, penalty, sign):
    """Return the gain, the side, -1 if no gain is positive, and the codes to cut between, by sums per code."""
    total_g, total_h = 0.0, 0.0
    for code in range(TOP + 2):
        total_g += sums[code, 0]
        total_h += sums[code, 1]
    best, side, left, right = NO_GAIN, -1, 0, 0
    g, h, previous = 0.0, 0.0, -1
    for code in range(TOP + 1):
        if sums[code, 1] == 0.0:
            continue
        if previous >= 0:
            above, below = sign * (total_g - g), sign * (g + sums[TOP + 1, 0])
            if above > 0:
                gain = above / math.sqrt(total_h - h + penalty)
                if gain > best:
                    best, side, left, right = gain, 0, previous, code
            if below > 0:
                gain = below / math.sqrt(h + sums[TOP + 1, 1] + penalty)
                if gain > best:
                    best, side, left, right = gain, 1, previous, code
        g += sums[code, 0]
        h += sums[code, 1]
        previous = code
    return best, side, left, right


@inner
def _best_limit(codes, rows, gradient, penalty, sign, low, high, may_add):
    """Return the gain, column, side and codes of the best limit on the rows."""
    best, column, side, left, right = NO_GAIN, -1, -1, 0, 0
    sums = np.empty((TOP + 2, 2))
    for j in range(codes.shape[0]):
        sums[:] = 0.0
        code = codes[j]
        for i in rows:
            c = code[i]
            sums[c, 0] += gradient[i, 0]
            sums[c, 1] += gradient[i, 1]
        gain, s, a, b = _best_cut(sums, penalty, sign)
        if s < 0 or gain <= best:
            continue
        if not may_add and (low[j] == 0 if s == 0 else high[j] == TOP):
            continue
        best, column, side, left, right = gain, j, s, a, b
    return best, column, side, left, right


@inner
def _place(low, high, column, side, left, right, positions):
    """Set a limit at the cut nearest to the middle of the gap."""
    middle = (positions[column, left] + positions[column, right - 1]) / 2
    cut = left
    while cut + 1 < right and abs(positions[column, cut + 1] - middle) < abs(positions[column, cut] - middle):
        cut += 1
    if side == 0:
        low[column] = cut + 1
    else:
        high[column] = cut


@inner
def _n_limits(low, high):
    count = 0
    for j in range(low.shape[0]):
        count += (low[j] > 0) + (high[j] < TOP)
    return count


@entry
def grow(codes, positions, gradient, penalty, max_limits, least_rise, sign):
    """Return the codes of the lower and upper limits of a box, and its gain.

    ``positions`` has the cuts of each column, ``gradient`` the gradient and curvature of each row.
    """
    n_columns = codes.shape[0]
    low, high = np.zeros(n_columns, np.int64), np.full(n_columns, TOP)
    rows = np.arange(codes.shape[1])
    gain = NO_GAIN
    for _ in range(3 * max_limits):
        may_add = _n_limits(low, high) < max_limits
        new, column, side, left, right = _best_limit(codes, rows, gradient, penalty, sign, low, high, may_add)
        if column < 0 or new <= 0 or new <= gain * (1 + least_rise):
            break
        _place(low, high, column, side, left, right, positions)
        gain = _place_anew(codes, positions, gradient, penalty, sign, low, high, new)
        rows = _rows_inside(codes, low, high, -1, 0)
    return low, high, gain


@inner
def _place_anew(codes, positions, gradient, penalty, sign, low, high, gain):
    """Free each limit in turn and set the best one instead, until none changes; return the gain."""
    changed = _n_limits(low, high) > 1
    while changed:
        changed = False
        for j in range(low.shape[0]):
            for s in range(2):
                if low[j] == 0 if s == 0 else high[j] == TOP:
                    continue
                rows = _rows_inside(codes, low, high, j, s)
                new, column, side, left, right = _best_limit(codes, rows, gradient, penalty, sign, low, high, True)
                if new > gain * (1 + 1e-12):
                    if s == 0:
                        low[j] = 0
                    else:
                        high[j] = TOP
                    _place(low, high, column, side, left, right, positions)
                    gain, changed = new, True
    return gain
