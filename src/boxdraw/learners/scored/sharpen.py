"""Limits without a blur, where the rows at hand say clearly that there is an edge.

To place limits as if rows were a little off their place (grow.py) is better than to believe every row, but misses the
edge of a rule that has few exceptions. Within the blur of a limit, the share of positives is compared on both sides
of each cut: a step there, as against one share for all, has some log-likelihood to its credit. The blur becomes
narrower with the number of rows just so fast that a smooth rise of the share has about the same small credit for any
number of them, while that of a step grows. Where it is above `CLEAR`, the limit goes to the step and is sharp.

An interval that is narrower than the blur, such as one hour of the day, has both its edges within that of either
limit, and they were drawn too far out. So between two limits that are close, the clearest such interval comes first.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.compiled import entry, inner
from boxdraw.learners.scored.bins import TOP, Blurred
from boxdraw.learners.scored.grow import EQUAL, place_limit, rows_inside

CLEAR = 8.0  # in log-likelihood
CLOSE = (
    2.0  # limits, in widths of a blur: that of an interval of next to no width, at either end, and half a width more
)


@entry
def _counts_by_code(table, positive, weight, low, high, sharp, column):
    """Count negatives and positives that are more inside a box than not, by the codes of a column."""
    counts = np.zeros((TOP + 2, 2))
    rows, inside = rows_inside(table, low, high, sharp)
    for place in range(len(rows)):
        if inside[place] >= 0.5:
            i = rows[place]
            counts[table.codes[column, i], 1 if positive[i] else 0] += weight[i]
    return counts


@inner
def _likelihood(n, k):
    """Return the log-likelihood of n and k of two kinds, for the best share."""
    return (n * math.log(n / (n + k)) if n > 0 else 0.0) + (k * math.log(k / (n + k)) if k > 0 else 0.0)


@entry
def _step(counts, values, cuts, here, up, ends, side):
    """Return the most credit of a step within the blur of a limit, up or down, and the first and last cut of it."""
    first, last = here, here + 1
    while first > 0 and values[first - 1] > cuts[here] - 0.5:
        first -= 1
    while last < TOP and values[last + 1] < cuts[here] + 0.5:  # beyond the last code, NaN
        last += 1
    n, k = 0.0, 0.0
    for code in range(first, last + 1):
        n += counts[code, 0]
        k += counts[code, 1]
    best, left, right = 0.0, here, here
    if n == 0 or k == 0:
        return best, left, right
    below_n, below_k, none = 0.0, 0.0, _likelihood(n, k)
    for cut in range(first, last):
        below_n += counts[cut, 0]
        below_k += counts[cut, 1]
        rise = below_n / n - below_k / k  # its sign is that of the step
        may = ends[cut + 1] & 1 if side == 0 else ends[cut] & 2
        if (rise <= 0 if up else rise >= 0) or may == 0:
            continue
        credit = _likelihood(below_n, below_k) + _likelihood(n - below_n, k - below_k) - none
        if credit > best * (1 + EQUAL):
            best, left, right = credit, cut, cut
        elif cut == right + 1 and credit >= best * (1 - EQUAL):
            right = cut
    return best, left, right


@entry
def _spike(counts, values, cuts, low, high, up, ends):
    """Return the most credit of an interval about as wide as the blur, near two limits, and its codes."""
    first, last = low, high
    while first > 0 and values[first - 1] > cuts[low - 1] - 0.5:
        first -= 1
    while last < TOP and values[last + 1] < cuts[high] + 0.5:  # beyond the last code, NaN
        last += 1
    n, k = 0.0, 0.0
    for code in range(first, last + 1):
        n += counts[code, 0]
        k += counts[code, 1]
    best, left, right = 0.0, low, high
    if n == 0 or k == 0:
        return best, left, right
    none = _likelihood(n, k)
    for a in range(max(first, 1), last):
        in_n, in_k = 0.0, 0.0
        if ends[a] & 1 == 0:
            continue
        for b in range(a, last):
            if b > a and cuts[b] - cuts[a - 1] > 1:
                break
            in_n += counts[b, 0]
            in_k += counts[b, 1]
            rise = in_k / k - in_n / n
            if ends[b] & 2 == 0 or (rise <= 0 if up else rise >= 0):
                continue
            credit = _likelihood(in_n, in_k) + _likelihood(n - in_n, k - in_k) - none
            if credit > best * (1 + EQUAL):
                best, left, right = credit, a, b
    return best, left, right


def sharpen(
    table: Blurred, positive: BoolArray, weight: FloatArray, sign: float, low: IntArray, high: IntArray
) -> BoolArray:
    """Move limits to clear steps, in place, and return which these are: (columns, 2)."""
    sharp = np.zeros((len(low), 2), np.bool_)
    for j in np.flatnonzero((low > 0) | (high < TOP)).tolist():
        task, at = (table, positive, weight, low, high, sharp, j), (table.values[j], table.cuts[j])
        ends, a, b = table.masks.ends[j], int(low[j]), int(high[j])
        if a > 0 and b < TOP and table.cuts[j, b] - table.cuts[j, a - 1] <= CLOSE:
            low[j], high[j] = 0, TOP
            credit, left, right = _spike(_counts_by_code(*task), *at, a, b, sign > 0, ends)
            sharp[j] = credit > CLEAR
            low[j], high[j] = (left, right) if sharp[j, 0] else (a, b)
        for side in range(2):
            if sharp[j, side]:
                continue
            here = int(low[j] - 1 if side == 0 else high[j])
            if here < 0 or here == TOP:
                continue
            lowest, highest = (0, high[j] - 1) if side == 0 else (low[j], TOP - 1)
            if side == 0:
                low[j] = 0
            else:
                high[j] = TOP
            up = (sign > 0) == (side == 0)
            credit, left, right = _step(_counts_by_code(*task), *at, here, up, ends, side)
            sharp[j, side] = credit > CLEAR and lowest <= left and right <= highest
            if not sharp[j, side]:
                left = right = here
            place_limit(low, high, j, side, left, right, table.cuts)
    return sharp
