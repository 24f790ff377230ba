"""Features on bins: at most 255 codes a column, and the cuts between them, which are the places where limits can go.

A value is at or above cut b where its code is above b. A missing number has the code `MISSING`, which lies within any
limits, as NaN does in the learners' matrix. Everything here depends on the set of rows and not on their order.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.compiled import entry
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.engine.climb import no_masks

MOST = 255  # bins of a column
TOP = MOST - 1
MISSING = 255
FAR = 1e100  # in widths of a blur: so far out that sums need not tell more
NORMAL_MIDDLE_HALF = 1.349  # in standard deviations: from the lower to the upper quartile

Codes = npt.NDArray[np.uint8]


class Blurred(NamedTuple):
    """Rows on bins, and where bins and cuts are in widths of a blur, for compiled code."""

    codes: Any  # (columns, rows)
    values: Any  # (columns, MOST)
    cuts: Any  # (columns, MOST)
    masks: Any  # which boxes may be drawn


@dataclass(frozen=True, slots=True)
class Bins:
    """Training rows on bins."""

    codes: Codes  # (columns, rows)
    values: FloatArray  # (columns, MOST): one of each bin; NaN beyond the last
    cuts: FloatArray  # (columns, MOST): where the next bin begins; NaN beyond the last
    spread: FloatArray  # per column: how far apart values are; 1 for a constant

    def of(self, X: Matrix) -> Bins:
        """Return other rows, on the same bins."""
        codes = [_codes(np.ascontiguousarray(X[:, j], dtype=np.float64), cuts) for j, cuts in enumerate(self.cuts)]
        return Bins(np.stack(codes), self.values, self.cuts, self.spread)

    def blurred(self, blur: float) -> Blurred:
        """Return the rows for limits that are blurred by ``blur`` spreads to either side."""
        spread = self.spread[:, None]
        part = np.where(spread > 1, 0.25, 1.0)  # so that no difference of values is too large for a float
        # distances count from the cut nearest to 0, where floats are densest: none is less exact than its values
        nearest = np.where(np.isnan(self.cuts), np.inf, np.abs(self.cuts)).argmin(axis=1)
        origin = self.cuts[np.arange(len(nearest)), nearest][:, None]

        def places(values: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):
                far = (part * values - part * origin) / (part * spread) / (2 * blur)
            return np.clip(far, -FAR, FAR)

        return Blurred(self.codes, places(self.values), places(self.cuts), no_masks(len(self.codes), MOST))

    @property
    def n_cuts(self) -> IntArray:
        """How many cuts each column has."""
        return np.count_nonzero(~np.isnan(self.cuts), axis=1)

    def limits(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Turn codes of limits, a row per box, into values: infinite where there is no limit."""
        columns = np.arange(len(self.cuts))
        lower = np.where(low > 0, self.cuts[columns, low - 1], -np.inf)
        upper = np.where(high < TOP, np.nextafter(self.cuts[columns, np.minimum(high, TOP)], -np.inf), np.inf)
        return lower, upper


def make_bins(
    X: Matrix,
    few: Matrix,
    positive: BoolArray,
    weight: FloatArray,
    class_weight: FloatArray,
    n_jobs: int | None = None,
    given: Mapping[int, FloatArray] | None = None,
) -> Bins:
    """Bin each distinct value, or quantiles of equal weight if there are too many; ``few`` rows say where.

    The cuts of some columns may be given.
    """

    def work(j: int) -> tuple[Codes, FloatArray, FloatArray, float]:
        column = np.ascontiguousarray(few[:, j], dtype=np.float64)
        values, cuts, spread = _cuts(column, positive, weight, class_weight)
        if given is not None and j in given:
            values, cuts = _given_cuts(column[~np.isnan(column)], given[j])
        return _codes(np.ascontiguousarray(X[:, j], dtype=np.float64), cuts), values, cuts, spread

    codes, values, cuts, spread = zip(*threaded_map(work, range(X.shape[1]), n_jobs), strict=True)
    return Bins(np.stack(codes), np.stack(values), np.stack(cuts), np.array(spread))


def _given_cuts(column: FloatArray, given: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a value of each bin between given cuts, which come in pairs, and these; evenly some if they are many."""
    pairs = given.reshape(-1, 2)
    pairs = pairs[(pairs[:, 0] >= column.min(initial=np.inf)) & (pairs[:, 0] <= column.max(initial=-np.inf))]
    pairs = pairs[np.unique(np.linspace(0, len(pairs) - 1, min(len(pairs), TOP // 2)).astype(np.intp))]
    some, values, cuts = pairs.ravel(), np.full(MOST, np.nan), np.full(MOST, np.nan)
    cuts[: len(some)] = values[1 : len(some) + 1] = some  # where no row is, any value will do that is not below its cut
    values[0] = some[0] if len(some) else np.nan
    code = np.searchsorted(some, column, side="right")
    for place in np.unique(code).tolist():
        inside = np.sort(column[code == place])
        values[place] = inside[len(inside) // 2]
    return values, cuts


def _cuts(
    column: FloatArray, positive: BoolArray, weight: FloatArray, class_weight: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return a value of each bin of a column, the cuts between them, and the spread."""
    order = np.argsort(column)[: len(column) - np.count_nonzero(np.isnan(column))]  # NaN comes last
    ordered, label, weight = column[order], positive[order], weight[order]
    first = np.append(np.ones(min(len(order), 1), np.bool_), ordered[1:] > ordered[:-1])
    values, number = ordered[first], np.cumsum(first) - 1
    down, up = (np.bincount(number, weight * side, len(values)) for side in (~label, label))
    mass = class_weight[0] * down + class_weight[1] * up
    middles, cuts = np.full(MOST, np.nan), np.full(MOST, np.nan)
    if len(values) < 2:
        middles[: len(values)] = values
        return middles, cuts, 1.0
    below = np.cumsum(mass)
    ends = _ends(below)
    begins, stops = np.append(0, ends + 1), np.append(ends, len(values) - 1)
    middles[: len(begins)] = values[(begins + stops) // 2]
    middle = values[ends] / 2 + values[ends + 1] / 2
    cuts[: len(ends)] = np.where(middle > values[ends], middle, values[ends + 1])
    with np.errstate(invalid="ignore", over="ignore"):  # of infinite values
        return middles, cuts, _spread(values, mass, below[-1])


def _ends(below: FloatArray) -> IntArray:
    """Return which values are the last of their bin, but for the last bin, by the mass of each and those below it."""
    if len(below) <= MOST:
        return np.arange(len(below) - 1)
    places = np.searchsorted(below / below[-1], np.arange(1, MOST) / MOST)
    return np.unique(np.minimum(places, len(below) - 2))


def _spread(values: FloatArray, mass: FloatArray, total: float) -> float:
    """Return the standard deviation, or what the middle half suggests if that is less, as outliers do not move it."""
    largest = np.abs(values[[0, -1]]).max()
    scaled = values / largest  # so that no square overflows
    mean = np.cumsum(scaled * mass / total)[-1]
    below = np.cumsum(mass / total * (1 + 1e-9))  # so that no rounding error decides
    lower, upper = scaled[np.minimum(np.searchsorted(below, [0.25, 0.75]), len(values) - 1)]
    spread = math.sqrt(np.cumsum((scaled - mean) ** 2 * mass / total)[-1]) * largest
    middle_half = (upper - lower) * largest / NORMAL_MIDDLE_HALF
    if 0 < middle_half < spread:
        spread = middle_half
    return float(spread) if 0 < spread < np.inf else 1.0


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
