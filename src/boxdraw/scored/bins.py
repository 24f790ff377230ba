"""Features on bins: at most 255 codes a column, and the cuts between them, which are the places where limits can go.

A value is at or above cut b where its code is above b. A missing number has the code `MISSING`, which lies within any
limits, as NaN does in the learners' matrix. Everything here depends on the set of rows and not on their order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import FloatArray, IntArray, Matrix
from boxdraw.compiled import entry
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
        cuts, spread = _cuts(np.ascontiguousarray(few[:, j], dtype=np.float64), weight)
        padded = np.full(MOST, np.nan)
        padded[: len(cuts)] = cuts
        return _codes(np.ascontiguousarray(X[:, j], dtype=np.float64), padded), padded, spread

    codes, cuts, spread = zip(*threaded_map(work, range(X.shape[1]), n_jobs), strict=True)
    return Bins(np.stack(codes), np.stack(cuts), np.array(spread))


def _cuts(column: FloatArray, weight: FloatArray) -> tuple[FloatArray, float]:
    """Return the cuts of a column and its standard deviation."""
    known = ~np.isnan(column)
    if not known.all():
        column, weight = column[known], weight[known]
    values, place = np.unique(column, return_inverse=True)
    if len(values) < 2:
        return np.empty(0), 1.0
    mass = np.bincount(place, weights=weight).astype(np.float64)
    share = np.cumsum(mass) / mass.sum()
    last = np.arange(len(values) - 1)
    if len(values) > MOST:
        last = np.unique(np.searchsorted(share[:-1], np.arange(1, MOST) / MOST).clip(max=len(values) - 2))
    middle = values[last] / 2 + values[last + 1] / 2
    cuts = np.where(middle > values[last], middle, values[last + 1])
    scaled = values / (np.abs(values).max() or 1.0)  # so that no square overflows
    mean = (scaled @ mass) / mass.sum()
    spread = np.sqrt(((scaled - mean) ** 2 @ mass) / mass.sum()) * np.abs(values).max()
    return cuts, float(spread) if 0 < spread < np.inf else 1.0


@entry
def _codes(column, cuts):  # type: ignore[no-untyped-def]  # numba finds the types
    """Return the number of cuts at or below each value, by halving; the last cuts are NaN, below no value."""
    codes = np.empty(len(column), np.uint8)
    for i in range(len(column)):
        value, code, step = column[i], 0, 128
        while step > 0:
            code += step if value >= cuts[code + step - 1] else 0
            step //= 2
        codes[i] = MISSING if np.isnan(value) else code
    return codes
