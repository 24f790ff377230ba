"""Sums that do not depend on the order of their terms, and in which a weight of 3 is three rows.

Each term is split into two whole numbers, a high and a low part, small enough that no partial sum of either
leaves the range in which float64 holds whole numbers exactly. The parts can then be added in any order, by
any library and in any number of chunks, with the same result to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from boxdraw.arrays import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits terms of known size and total weight into parts that add up exactly."""

    high_scale: float
    low_scale: float

    @classmethod
    def for_terms(cls, largest: float, total_weight: float, n_rows: int) -> Splitter:
        """Choose the units for n_rows terms of at most ``largest``, of the given weight in all."""
        high_bits = 52 - math.ceil(math.log2(largest) + math.log2(total_weight))
        # A row of fractional weight is rounded as a row of its own, so the rows may outnumber the weight.
        low_bits = 52 - math.ceil(math.log2(max(total_weight, n_rows)))
        return cls(high_scale=2.0 ** min(high_bits, 1000), low_scale=2.0**low_bits)

    def split(self, terms: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the weighted parts of the terms, in a new first axis of length 2."""
        if weight is None:
            return self._parts(terms)
        whole = np.floor(weight)
        parts = self._parts(terms)
        parts *= whole
        if (whole != weight).any():
            parts += self._parts(terms * (weight - whole))
        return parts

    def value(self, parts: FloatArray) -> FloatArray:
        """Turn summed parts back into the sum of the terms."""
        total: FloatArray = (parts[0] + parts[1] / self.low_scale) / self.high_scale
        return total

    def _parts(self, terms: FloatArray) -> FloatArray:
        scaled = terms * self.high_scale
        parts = np.empty((2, *terms.shape))
        np.rint(scaled, out=parts[0])
        scaled -= parts[0]
        scaled *= self.low_scale
        np.rint(scaled, out=parts[1])
        return parts


def total(weight: FloatArray | None, where: BoolArray) -> float:
    """Return the weight of the rows in ``where``, rounded once whatever their order."""
    if weight is None:
        return float(np.count_nonzero(where))
    return math.fsum(weight[where])


def on_grid(weight: FloatArray) -> FloatArray:
    """Round weights to whole multiples of a unit so small that any sums of them are exact, in whatever order.

    Whole weights stay as they are.
    """
    unit = 2.0 ** (math.ceil(math.log2(math.fsum(weight))) - 51)
    return weight if unit <= 1 and (np.floor(weight) == weight).all() else np.rint(weight / unit) * unit
