"""One box by its gain: limits added one at a time, each at the best cut of any feature, and placed anew after each.

The gain of a box is the sum of the gradients inside over the root of the sum of their curvatures: how much the log-loss
falls, to second order, when the rows inside get a common number of points. It is positive for boxes that deserve
points; ``sign=-1`` looks for the best box for negative ones.

Limits are blurred while they are looked for: a row counts as inside by 0 to 1, in proportion to its distance from
the limit within half a width to either side. The best cut for the very rows at hand is exact to about n^(-1/3) of
their spread (Kim and Pollard 1990), so that what lies nearer is on its side by chance; counting it in part is
what averaging over bootstrap samples would do (Buhlmann and Yu 2002), at no cost.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.compiled import entry, inner
from boxdraw.learners.engine.climb import find_open
from boxdraw.learners.scored.bins import TOP, Blurred
from boxdraw.learners.scored.logistic import copies, rounded

NO_GAIN = -1e300
EQUAL = 1e-9  # gains that differ by less are equal but for rounding


@inner
def _inside_by_code(values, cuts, low, high, sharp):
    """Return how far each code of a column is within its limits, between 0 and 1; 0 or 1 for those that are sharp."""
    result = np.empty(TOP + 2)
    result[TOP + 1] = 1.0  # a missing number is within any
    for code in range(TOP + 1):
        result[code] = 1.0
        if low > 0:
            result[code] *= code >= low if sharp[0] else min(max(values[code] - cuts[low - 1] + 0.5, 0.0), 1.0)
        if high < TOP:
            result[code] *= code <= high if sharp[1] else min(max(cuts[high] - values[code] + 0.5, 0.0), 1.0)
    return result


@entry
def rows_inside(table, low, high, sharp):
    """Return the rows that are inside a box at all, and how far."""
    n_columns, n_rows = table.codes.shape
    rows, inside, n = np.empty(n_rows, np.int64), np.empty(n_rows), n_rows
    for i in range(n_rows):
        rows[i], inside[i] = i, 1.0
    for j in range(n_columns):
        if low[j] == 0 and high[j] == TOP:
            continue
        by_code, column = _inside_by_code(table.values[j], table.cuts[j], low[j], high[j], sharp[j]), table.codes[j]
        kept = 0
        for place in range(n):
            i = rows[place]
            share = inside[place] * by_code[column[i]]
            if share > 0:
                rows[kept], inside[kept] = i, share
                kept += 1
        n = kept
    return rows[:n], inside[:n]


def membership(table: Blurred, low: IntArray, high: IntArray, sharp: BoolArray) -> FloatArray:
    """Return how far each row is inside a box, between 0 and 1."""
    rows, inside = rows_inside(table, low, high, sharp)
    result = np.zeros(table.codes.shape[1])
    result[rows] = inside
    return result


@inner
def _sums_by_code(column, rows, gradient, sums):
    """Add up gradients and curvatures by code; return the lowest and the highest code that there is."""
    for code in range(len(sums)):
        sums[code, 0] = sums[code, 1] = 0.0
    for place in range(len(rows)):
        code = column[rows[place]]
        sums[code, 0] += gradient[place, 0]
        sums[code, 1] += gradient[place, 1]
    first, last = 0, TOP
    while first < last and sums[first, 1] == 0.0:
        first += 1
    while last > first and sums[last, 1] == 0.0:
        last -= 1
    return first, last


@inner
def _best_cut(sums, first, last, values, cuts, penalty, sign, lowest, highest, ends):
    """Return the most gain of a column, its side (-1 if none is positive), and the first and last cut that have it."""
    # Above a cut are the sums of the codes beyond its blur, and of those within it ("near") in proportion to their
    # distance. A lower limit can be up to cut ``highest`` - 1, an upper one from cut ``lowest`` on.
    total_g, total_h = 0.0, 0.0
    for code in range(first, last + 1):
        total_g += sums[code, 0]
        total_h += sums[code, 1]
    missing_g, missing_h = sums[TOP + 1, 0], sums[TOP + 1, 1]
    far_g, far_h, near_g, near_h, slope_g, slope_h = total_g, total_h, 0.0, 0.0, 0.0, 0.0
    begin, end, origin = first, first, 0.0  # the codes within the blur, and where distances count from
    # gains are compared as fractions of squares, which takes neither a root nor a division
    unit = 1 / (total_h + missing_h + penalty)  # so that no square overflows
    over, under, side, left, right = 0.0, 1.0, -1, 0, 0
    for b in range(first, last):
        if begin == end:  # anew, so that no rounding error of values far out is left
            near_g, near_h, slope_g, slope_h, origin = 0.0, 0.0, 0.0, 0.0, cuts[b]
        while end <= last and values[end] < cuts[b] + 0.5:
            g, h = sums[end, 0], sums[end, 1]
            far_g, far_h, near_g, near_h = far_g - g, far_h - h, near_g + g, near_h + h
            slope_g, slope_h = slope_g + g * (values[end] - origin), slope_h + h * (values[end] - origin)
            end += 1
        while begin < end and values[begin] <= cuts[b] - 0.5:
            g, h = sums[begin, 0], sums[begin, 1]
            near_g, near_h = near_g - g, near_h - h
            slope_g, slope_h = slope_g - g * (values[begin] - origin), slope_h - h * (values[begin] - origin)
            begin += 1
        above_g, above_h = far_g, far_h
        if begin < end:
            above_g += slope_g + (0.5 - (cuts[b] - origin)) * near_g
            above_h += slope_h + (0.5 - (cuts[b] - origin)) * near_h
        for s in range(2):
            g, h = (above_g, above_h) if s == 0 else (total_g - above_g, total_h - above_h)
            g, h = sign * (g + missing_g) * unit, (h + missing_h + penalty) * unit
            if g <= 0 or (b >= highest or ends[b + 1] & 1 == 0 if s == 0 else b < lowest or ends[b] & 2 == 0):
                continue
            if g * g * under > over * h * (1 + 2 * EQUAL):
                over, under, side, left, right = g * g, h, s, b, b
            elif s == side and b == right + 1 and g * g * under > over * h * (1 - 2 * EQUAL):
                right = b
    return math.sqrt(over / under) / math.sqrt(unit) if side >= 0 else NO_GAIN, side, left, right


@inner
def _best_limit(table, rows, gradient, penalty, luck, sign, low, high):
    """Return gain, column, side and cuts of the best new limit; a column's ``luck`` is taken off the squared gain."""
    best, column, side, left, right = NO_GAIN, -1, -1, 0, 0
    sums, may, n_levels = np.empty((TOP + 2, 2)), np.empty(len(low), np.bool_), np.empty(len(low), np.int64)
    lucky = 0.0
    for j in range(len(low)):
        n_levels[j] = TOP + 1
        lucky += luck[j] if low[j] > 0 or high[j] < TOP else 0.0
    find_open(table.masks.together, low, high, n_levels, may)
    for j in range(len(low)):
        if not may[j]:
            continue
        first, last = _sums_by_code(table.codes[j], rows, gradient, sums)
        # limits that are there already cannot be set, and the others must leave something between the two
        lowest, highest = (TOP + 1 if high[j] < TOP else low[j]), (0 if low[j] > 0 else high[j])
        at = table.values[j], table.cuts[j]
        gain, s, a, b = _best_cut(sums, first, last, *at, penalty, sign, lowest, highest, table.masks.ends[j])
        square = gain**2 - lucky - (luck[j] if low[j] == 0 and high[j] == TOP else 0.0)
        if s < 0 or square <= 0:
            continue
        gain = math.sqrt(square)
        if column < 0 or gain > best * (1 + EQUAL):
            best, column, side, left, right = gain, j, s, a, b
    return best, column, side, left, right


@entry
def place_limit(low, high, column, side, left, right, positions):
    """Set a limit at the cut nearest to the middle of equally good ones, the lower of two."""
    middle = (positions[column, left] + positions[column, right]) / 2
    least = (positions[column, right] - positions[column, left]) * EQUAL  # so that no rounding error decides
    cut = left
    while cut < right and abs(positions[column, cut + 1] - middle) < abs(positions[column, cut] - middle) - least:
        cut += 1
    if side == 0:
        low[column] = cut + 1
    else:
        high[column] = cut


@inner
def _gradients_inside(table, gradient, weight, rounder, low, high, sharp):
    """Return the rows inside a box and their gradients, weighted, as far as they are inside."""
    rows, inside = rows_inside(table, low, high, sharp)
    result = np.empty((len(rows), 2))
    for place in range(len(rows)):
        i = rows[place]
        whole, part = copies(weight[i])
        for q in range(2):
            result[place, q] = rounded(inside[place] * gradient[i, q], whole, part, rounder)
    return rows, result


@entry
def grow(table, gradient, weight, rounder, penalty, luck, max_limits, least_rise, sign):
    """Return the codes of the lower and upper limits of a box, and its gain."""
    n_columns = len(table.codes)
    low, high = np.zeros(n_columns, np.int64), np.empty(n_columns, np.int64)
    for j in range(n_columns):
        high[j] = TOP
    sharp = np.zeros((n_columns, 2), np.bool_)
    gain, n_limits, n_sides = NO_GAIN, 0, 2 * n_columns
    # Each limit, column x 2 + side, is replaced by the best one until none changes, which ends, as the gain rises with
    # every change; ``newest`` is the last that did. Then one is added.
    at = newest = 0
    while True:
        adds = at == newest
        if adds and n_limits >= min(max_limits, n_sides):
            return low, high, gain
        j = at // 2
        old_low, old_high = low[j], high[j]
        if not adds and at % 2 == 0:
            low[j] = 0
        elif not adds:
            high[j] = TOP
        if adds or low[j] != old_low or high[j] != old_high:
            rows, inside = _gradients_inside(table, gradient, weight, rounder, low, high, sharp)
            new, column, side, left, right = _best_limit(table, rows, inside, penalty, luck, sign, low, high)
            if adds and (column < 0 or new <= gain * (1 + least_rise)):
                return low, high, gain
            if adds or new > gain * (1 + EQUAL):
                place_limit(low, high, column, side, left, right, table.cuts)
                gain, n_limits = new, n_limits + int(adds)
                at = newest = 2 * column + side
            else:
                low[j], high[j] = old_low, old_high
        at = (at + 1) % n_sides
