"""Features on bins: at most 255 codes a column, and the cuts between them, which are the places where limits can go.

A value is at or above cut b where its code is above b. A missing number has the code `MISSING`, which lies within any
limits, as NaN does in the learners' matrix. Everything here depends on the set of rows and not on their order.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import FloatArray, IntArray, Matrix
from boxdraw.compiled import entry, inner
from boxdraw.fast.tiles import threaded_map

MOST = 255  # bins of a column
TOP = MOST - 1
MISSING = 255

Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Bins:
    """Training rows on bins."""

    codes: Codes  # (columns, rows)
    cuts: FloatArray  # (columns, MOST): where the next bin begins; NaN beyond the last
    spread: FloatArray  # per column: the standard deviation; 1 for a constant

    def take(self, rows: IntArray) -> Bins:
        """Return some of the rows, on the same bins."""
        return Bins(np.ascontiguousarray(self.codes[:, rows]), self.cuts, self.spread)

    def limits(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Turn codes of limits, a row per box, into values: infinite where there is no limit."""
        columns = np.arange(len(self.cuts))
        lower = np.where(low > 0, self.cuts[columns, low - 1], -np.inf)
        upper = np.where(high < TOP, np.nextafter(self.cuts[columns, np.minimum(high, TOP)], -np.inf), np.inf)
        return lower, upper


def make_bins(X: Matrix, few: Matrix, weight: FloatArray, n_jobs: int | None = None) -> Bins:
    """Bin a matrix: a bin for each distinct value, or quantiles of about equal weight where there are too many.

    ``few`` are the rows that decide where the bins are, and what they weigh: X itself, or a sample.
    """

    def work(j: int) -> tuple[Codes, FloatArray, float]:
        column = np.ascontiguousarray(few[:, j], dtype=np.float64)
        cuts, spread = _cuts(column, np.argsort(column), weight)
        return _codes(np.ascontiguousarray(X[:, j], dtype=np.float64), cuts), cuts, spread

    codes, cuts, spread = zip(*threaded_map(work, range(X.shape[1]), n_jobs), strict=True)
    return Bins(np.stack(codes), np.stack(cuts), np.array(spread))


@entry
def _cuts(column, order, weight):
    """Return the cuts of a column, which ``order`` sorts, and its standard deviation."""
    values, mass, n, total = np.empty(len(column)), np.empty(len(column)), 0, 0.0
    for i in order:
        if math.isnan(column[i]):  # these come last
            break
        if n == 0 or column[i] > values[n - 1]:
            values[n], mass[n] = column[i], 0.0
            n += 1
        mass[n - 1] += weight[i]
        total += weight[i]
    cuts = np.full(MOST, np.nan)
    if n < 2:
        return cuts, 1.0
    for place, b in enumerate(_ends(mass, n, total)):
        middle = values[b] / 2 + values[b + 1] / 2
        cuts[place] = middle if middle > values[b] else values[b + 1]
    return cuts, _spread(values, mass, n, total)


@inner
def _ends(mass, n, total):
    """Return which values are the last of their bin, but for the last bin."""
    if n <= MOST:
        return np.arange(n - 1)
    ends, count = np.empty(MOST - 1, np.int64), 0
    b, below = 0, mass[0]
    for k in range(1, MOST):
        while b < n - 2 and below / total < k / MOST:
            b += 1
            below += mass[b]
        if count == 0 or b > ends[count - 1]:
            ends[count] = b
            count += 1
    return ends[:count]


@inner
def _spread(values, mass, n, total):
    """Return the standard deviation of sorted values, as if the largest were 1, so that no square overflows."""
    scale = max(abs(values[0]), abs(values[n - 1]))
    mean, square = 0.0, 0.0
    for b in range(n):
        mean += values[b] / scale * mass[b] / total
    for b in range(n):
        square += (values[b] / scale - mean) ** 2 * mass[b] / total
    spread = math.sqrt(square) * scale
    return spread if 0 < spread < np.inf else 1.0


@entry
def _codes(column, cuts):
    """Return the number of cuts at or below each value, by halving; the last cuts are NaN, below no value."""
    codes = np.empty(len(column), np.uint8)
    for i in range(len(column)):
        value, code, step = column[i], 0, 128
        while step > 0:
            code += step if value >= cuts[code + step - 1] else 0
            step //= 2
        codes[i] = MISSING if np.isnan(value) else code
    return codes
