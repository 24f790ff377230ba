"""The passes over a large table, compiled: the edges' sums, the values next to a limit.

Each does what a plain function elsewhere does, with the same bits, on rows in tiles that stay in the cache. In a tile
there is a row per feature, so that the inner loops run along the rows of the table.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry, inner
from boxdraw._core.extremes import less, more, turn
from boxdraw._core.sums import HALF_BITS, TERM_BITS
from boxdraw.learners.fast.divide import ABSENT, LEVEL, WINDOW
from boxdraw.learners.fast.exponential import LOG_2_HIGH, LOG_2_LOW, PER_LOG_2, SERIES
from boxdraw.learners.scaling import GRID

TILE = 384  # rows: as many whole numbers of TERM_BITS digits can be added up exactly
assert 2**TERM_BITS * TILE < 2**63

_BLOCK = 32  # rows that are looked at one by one if any of them may be next to a limit

_LEAST_POWER = -1100
_POWERS = np.ldexp(1.0, np.arange(_LEAST_POWER, 1024))
_LOW_DIGITS = 2**HALF_BITS - 1
_ROUNDER = 1.5 * 2.0**52


@inner
def exp(x):
    """Return what `boxdraw.learners.fast.exponential.exp` does, for numbers between -700 and 700."""
    power = np.rint(x * PER_LOG_2)
    rest = x - power * LOG_2_HIGH
    rest -= power * LOG_2_LOW
    return _series(rest) * _POWERS[np.uint32(np.int32(power) - np.int32(_LEAST_POWER))]


@inner
def _series(rest):
    result = SERIES[13]
    result = result * rest + SERIES[12]
    result = result * rest + SERIES[11]
    result = result * rest + SERIES[10]
    result = result * rest + SERIES[9]
    result = result * rest + SERIES[8]
    result = result * rest + SERIES[7]
    result = result * rest + SERIES[6]
    result = result * rest + SERIES[5]
    result = result * rest + SERIES[4]
    result = result * rest + SERIES[3]
    result = result * rest + SERIES[2]
    result = result * rest + SERIES[1]
    result = result * rest + SERIES[0]
    return result


@entry
def pulls(X, label, weight, prescale, middle, steps, lower, upper, wide, share, per_unit, level, outer, own):
    """Add the pulls of rows to the arrays of ``divide.Pulls``; limits are in steps of the grid."""
    # ``weight`` is empty where all are 1; ``wide`` says that distances may add up to more than `scaling.EXACT`.
    scaled, values = np.empty((TILE, X.shape[1])), np.empty((X.shape[1], TILE))
    overflow, place, skipped = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    pull, power = np.empty(TILE), np.empty(TILE)
    terms = np.empty((1 + (len(weight) > 0), TILE), np.int64)
    for start in range(0, len(X), TILE):
        n_rows = min(TILE, len(X) - start)
        rows = slice(start, start + n_rows)
        _scale(X[rows], prescale, middle, steps, scaled, values)
        labels, weights = label[rows], weight[rows]
        members = 0
        for i in range(n_rows):
            skipped[i] = np.inf if labels[i] == ABSENT else 0.0
            members += labels[i] >= 0
        for k in range(len(lower)):
            _overflow(values, n_rows, lower[k], upper[k], wide, overflow)
            for i in range(n_rows):
                overflow[i] = overflow[i] * share + skipped[i]
            if members:
                _own_rows(values, labels, weights, k, lower[k], upper[k], per_unit, overflow, own)
            if level[k] > 0:
                _find_level(overflow[:n_rows], k, level, outer)
            left, inside = 0, 0
            for i in range(n_rows):
                place[i] = np.floor(overflow[i] * (1 / LEVEL))
                left += overflow[i] < np.inf
                inside += overflow[i] == 0
            if inside:
                _inside_rows(values, overflow[:n_rows], weights, lower[k], upper[k], per_unit, outer[0, :, :, k])
            for slot in range(WINDOW):
                if left == 0:
                    break
                wanted = np.float64(level[k] + slot)
                found = _terms(overflow[:n_rows], place, wanted, weights, per_unit, pull, power, terms)
                if found:
                    _add(values, n_rows, terms, lower[k], upper[k], outer[slot, :, :, k])
                left -= found


@inner
def _scale(X, prescale, middle, steps, scaled, values):
    for i in range(len(X)):
        for j in range(X.shape[1]):
            scaled[i, j] = np.rint((X[i, j] * prescale[j] - middle[j]) * steps[j])
    turn(scaled, len(X), values)


@inner
def _overflow(values, n_rows, lower, upper, wide, overflow):
    """Add up max(x, upper) - min(x, lower) less the width of the box: how far outside a row is, if not missing."""
    if wide:
        overflow[:n_rows] = 0
        _wide_overflow(values, n_rows, lower, upper, overflow)
        return
    width = 0.0
    for j in range(len(lower)):
        width += upper[j] - lower[j]
    overflow[:n_rows] = -width
    fours = len(lower) // 4 * 4
    for j in range(0, fours, 4):  # four features at a time, for fewer loads and stores of the sum
        a, b, c, d = values[j], values[j + 1], values[j + 2], values[j + 3]
        la, lb, lc, ld = lower[j], lower[j + 1], lower[j + 2], lower[j + 3]
        ua, ub, uc, ud = upper[j], upper[j + 1], upper[j + 2], upper[j + 3]
        for i in range(n_rows):
            first = (more(a[i], ua) - less(a[i], la)) + (more(b[i], ub) - less(b[i], lb))
            second = (more(c[i], uc) - less(c[i], lc)) + (more(d[i], ud) - less(d[i], ld))
            overflow[i] += first + second
    for j in range(fours, len(lower)):
        for i in range(n_rows):
            overflow[i] += more(values[j, i], upper[j]) - less(values[j, i], lower[j])
    for i in range(n_rows):
        overflow[i] *= GRID


@inner
def _wide_overflow(values, n_rows, lower, upper, overflow):
    """Do the same for so many features that the sum may not be exact: whole numbers and fractions apart."""
    fraction = np.zeros(n_rows)
    for j in range(len(lower)):
        low, high = lower[j], upper[j]
        for i in range(n_rows):
            beyond = more(low - values[j, i], values[j, i] - high)
            beyond = GRID * beyond if beyond > 0 else 0.0
            overflow[i] += np.rint(beyond)
            fraction[i] += beyond - np.rint(beyond)
    for i in range(n_rows):
        overflow[i] += fraction[i]


@inner
def _own_rows(values, label, weight, k, lower, upper, per_unit, overflow, own):
    """Add the rows of the box's own cluster to R+, and keep them out of R-."""
    for i in range(len(label)):
        if label[i] == k:
            overflow[i] = np.inf
            _half_box(values[:, i], weight[i : i + 1], lower, upper, -1.0, per_unit, own[:, :, k])


@inner
def _find_level(overflow, k, level, outer):
    """Let the first slot of a box be the level of its nearest row, if that is nearer than those before."""
    nearest = np.inf
    for i in range(len(overflow)):
        nearest = less(overflow[i], nearest)
    if nearest == np.inf or np.int64(nearest / LEVEL) >= level[k]:
        return
    found = np.int64(nearest / LEVEL)
    for slot in range(WINDOW - 1, -1, -1):
        before = slot - (level[k] - found)
        for half in range(2):
            for side in range(2):
                for j in range(outer.shape[4]):
                    outer[slot, half, side, k, j] = outer[before, half, side, k, j] if before >= 0 else 0
    level[k] = found


@inner
def _inside_rows(values, overflow, weight, lower, upper, per_unit, sums):
    """Add the other rows inside a box."""
    for i in range(len(overflow)):
        if overflow[i] == 0:
            _half_box(values[:, i], weight[i : i + 1], lower, upper, 1.0, per_unit, sums)


@inner
def _terms(overflow, place, wanted, weight, per_unit, pull, power, terms):
    """Find the terms of the rows at one level that are outside the box; return how many rows are at this level."""
    found = 0
    for i in range(len(overflow)):
        found += place[i] == wanted
    if found == 0:
        return found
    for i in range(len(overflow)):
        chosen = (place[i] == wanted) & (overflow[i] > 0)
        pull[i] = wanted * LEVEL - overflow[i] if chosen else -np.inf
    _exps(pull, len(overflow), power)
    for i in range(len(overflow)):
        if len(weight):
            terms[0, i], terms[1, i] = _weighted(pull[i], weight[i], per_unit)
        else:
            terms[0, i] = np.int64(np.rint(pull[i] * per_unit))
    return found


@inner
def _exps(values, n, power):
    """Replace numbers from -LEVEL to 0 by their `exp`, and -inf by 0, in loops that can be vectorised."""
    # Adding _ROUNDER leaves no fraction, so it rounds k; its last bits are those of the whole number k, which are moved
    # to where the exponent of a float is.
    bits = power.view(np.int64)
    for i in range(n):
        x = values[i] if values[i] >= -LEVEL else 0.0
        power[i] = x * PER_LOG_2 + _ROUNDER
        rounded = power[i] - _ROUNDER
        rest = x - rounded * LOG_2_HIGH
        rest -= rounded * LOG_2_LOW
        values[i] = _series(rest) if values[i] >= -LEVEL else 0.0
    for i in range(n):
        bits[i] = (bits[i] + 1023) << 52
    for i in range(n):
        values[i] *= power[i]


@inner
def _weighted(term, weight, per_unit):
    """Return the halves of a weighted term."""
    whole = np.floor(weight)
    some, more = np.int64(np.rint(term * per_unit)), np.int64(np.rint(term * (weight - whole) * per_unit))
    times = np.int64(whole)
    high = (some >> HALF_BITS) * times + (more >> HALF_BITS)
    return high, (some & _LOW_DIGITS) * times + (more & _LOW_DIGITS)


@inner
def _add(values, n_rows, terms, lower, upper, sums):
    """Add terms to the edges that their rows are beyond; sums has axes halves, sides, features."""
    for j in range(len(lower)):
        for half in range(len(terms)):
            below, above = _sum_beyond(values[j], terms[half], n_rows, lower[j], upper[j])
            if len(terms) == 1:
                _add_whole(below, sums[:, 0], j)
                _add_whole(above, sums[:, 1], j)
            else:
                sums[half, 0, j] += below
                sums[half, 1, j] += above


@inner
def _sum_beyond(values, terms, n_rows, lower, upper):
    below = above = np.int64(0)
    for i in range(n_rows):
        below += terms[i] if values[i] <= lower else np.int64(0)
        above += terms[i] if values[i] >= upper else np.int64(0)
    return below, above


@inner
def _add_whole(number, sums, j):
    sums[0, j] += number >> HALF_BITS
    sums[1, j] += number & _LOW_DIGITS


@inner
def _half_box(values, weight, lower, upper, sign, per_unit, sums):
    """Add the terms of a row inside a box, or moved to its edge, for each edge that it is in the half next to."""
    for j in range(len(lower)):
        value = more(less(values[j], upper[j]), lower[j]) if values[j] == values[j] else np.nan
        depth = (value - lower[j]) * GRID, (upper[j] - value) * GRID
        for side in range(2):
            if depth[side] - depth[1 - side] <= 2 * GRID:
                term = exp(sign * depth[side])
                if len(weight):
                    high, low = _weighted(term, weight[0], per_unit)
                    sums[0, side, j] += high
                    sums[1, side, j] += low
                else:
                    _add_whole(np.int64(np.rint(term * per_unit)), sums[:, side], j)


@entry
def neighbours(X, skipped, cut, before, after):
    """Raise ``before`` to the largest value below each ``cut``, lower ``after`` to the least of the others."""
    n_features = X.shape[1]
    same, places, number = _distinct(cut)
    rows, values = np.empty((TILE, n_features), np.float32), np.empty((n_features, TILE), np.float32)
    for start in range(0, len(X), TILE):
        n_rows = min(TILE, len(X) - start)
        _in_few_digits(X[start : start + n_rows], rows, values)
        for j in range(n_features):
            for at in range(0, number[j], 2):
                k, other = places[at, j], places[at + 1, j]
                first = np.float32(before[k, j]), np.float32(after[k, j])
                second = np.float32(before[other, j]), np.float32(after[other, j])
                if _some_within(values[j], n_rows, first, second):
                    column = X[start : start + n_rows, j]
                    _narrow(column, values[j], skipped[start:], cut[k, j], before[k], after[k], j)
                    _narrow(column, values[j], skipped[start:], cut[other, j], before[other], after[other], j)
    for j in range(n_features):
        for k in range(len(cut)):
            before[k, j], after[k, j] = before[same[k, j], j], after[same[k, j], j]


@inner
def _distinct(cut):
    """Return the first place of each equal number, the distinct places in pairs, and how many: most are infinite."""
    same, number = np.empty(cut.shape, np.int64), np.zeros(cut.shape[1], np.int64)
    places = np.empty((len(cut) + 1, cut.shape[1]), np.int64)
    for j in range(cut.shape[1]):
        for k in range(len(cut)):
            same[k, j] = k
            for earlier in range(k):
                if cut[earlier, j] == cut[k, j]:
                    same[k, j] = earlier
                    break
            if same[k, j] == k:
                places[number[j] : number[j] + 2, j] = k
                number[j] += 1
    return same, places, number


@inner
def _in_few_digits(X, rows, values):
    """Copy rows to a tile. Rounding keeps their order, so no value between two others is lost by it, and saves time."""
    for i in range(len(X)):
        for j in range(X.shape[1]):
            rows[i, j] = np.float32(X[i, j])
    turn(rows, len(X), values)


@inner
def _some_within(values, n_rows, first, second):
    """Return True if any value is within one of two closed intervals."""
    found = False
    for i in range(n_rows):
        x = values[i]
        found |= ((x >= first[0]) & (x <= first[1])) | ((x >= second[0]) & (x <= second[1]))
    return found


@inner
def _narrow(column, values, skipped, cut, before, after, j):
    """Look for nearer values in blocks of the tile: most have none, which is seen in few steps."""
    for start in range(0, len(column), _BLOCK):
        stop = min(start + _BLOCK, len(column))
        low, high = np.float32(before[j]), np.float32(after[j])
        if _any_within(values[start:stop], low, high):
            for i in range(start, stop):
                if values[i] < low or values[i] > high:
                    continue
                x = np.float64(column[i])
                if before[j] < x < after[j] and not skipped[i]:
                    if x < cut:
                        before[j] = x
                    else:
                        after[j] = x


@inner
def _any_within(values, low, high):
    found = False
    for x in values:
        found |= (x >= low) & (x <= high)
    return found
