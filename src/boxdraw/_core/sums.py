"""Sums that do not depend on the order of their terms, and in which a weight of 3 is three rows.

Each term is rounded to a whole number of a unit that is fixed beforehand, and those are added without rounding: high
and low digits apart, so that no sum leaves the range in which the number format is exact. So terms can be added in any
order, by any library and in any number of chunks, with the same result to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray

TERM_BITS = 53  # binary digits of a term
HALF_BITS = 27
_THIRD_BITS = 18
# Weights are to add up to no more, and to no less, than these powers of two.
WEIGHT_BITS = 30
_LEAST_WEIGHT_BITS = 20

Halves = npt.NDArray[np.int64]  # the first axis: high digits, and the HALF_BITS low ones


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Terms of known size as whole numbers of a unit."""

    per_unit: float  # a power of two

    @classmethod
    def for_terms(cls, most: float) -> FixedPoint:
        """Choose the unit for terms of at most exp(most)."""
        return cls(2.0 ** (TERM_BITS - math.ceil(most / math.log(2))))

    def thirds(self, terms: FloatArray, weight: FloatArray | None, count: FloatArray | None = None) -> FloatArray:
        """Return the terms of ``count`` equal weighted rows in three parts, whole floats for fast matrix products."""
        thirds = self._thirds(terms)
        if weight is not None:
            whole = np.floor(weight)
            thirds *= whole
            if (whole != weight).any():
                thirds += self._thirds(terms * (weight - whole))
        if count is not None:
            thirds *= count
        return thirds

    def _thirds(self, terms: FloatArray) -> FloatArray:
        rest = np.rint(terms * self.per_unit)
        thirds = np.empty((3, *terms.shape))
        for part, bits in zip(thirds, (2 * _THIRD_BITS, _THIRD_BITS), strict=False):
            np.floor(rest * 2.0**-bits, out=part)
            rest -= part * 2.0**bits
        thirds[2] = rest
        return thirds

    def value(self, halves: Halves) -> FloatArray:
        """Turn sums of halves into the sum of the terms."""
        high, low = halves
        high, low = high + (low >> HALF_BITS), low & (2**HALF_BITS - 1)  # one way to write a number, whatever the sums
        total: FloatArray = (high * 2.0**HALF_BITS + low) / self.per_unit
        return total


def halves(thirds: FloatArray) -> Halves:
    """Turn sums of thirds into sums of halves."""
    high, middle, low = thirds.astype(np.int64)
    bits = HALF_BITS - _THIRD_BITS
    return np.stack([(high << bits) + (middle >> bits), ((middle & (2**bits - 1)) << _THIRD_BITS) + low])


def moderate_unit(total_weight: float) -> float:
    """Return the power of two to divide weights by, so that sums are exact and small weights are not lost."""
    bits = math.ceil(math.log2(total_weight))
    return math.ldexp(1.0, bits - min(max(bits, _LEAST_WEIGHT_BITS), WEIGHT_BITS))


def total(weight: FloatArray | None, where: BoolArray) -> float:
    """Return the weight of the rows in ``where``, rounded once whatever their order."""
    if weight is None:
        return float(np.count_nonzero(where))
    return math.fsum(weight[where])


def exact_total(weight: FloatArray) -> Fraction:
    """Return the sum of weights without any rounding, so that sums of chunks can be added."""
    mantissa, exponent = np.frexp(weight)
    whole = (mantissa * 2.0**53).astype(np.int64)
    result = Fraction(0)
    for power in np.unique(exponent).tolist():
        part = whole[exponent == power]
        high, low = int((part >> 26).sum()), int((part & (2**26 - 1)).sum())
        result += ((high << 26) + low) * Fraction(2) ** (power - 53)
    return result


def on_grid(weight: FloatArray, count: FloatArray | None = None) -> FloatArray:
    """Round weights, unless whole, to multiples of a unit so small that sums are exact; ``count`` rows of each."""
    if count is None and (weight == weight[0]).all():
        in_all = len(weight) * float(weight[0])  # rounded once, as the sum below is
    else:
        in_all = math.fsum(weight if count is None else weight * count)
    return on_grid_of(weight, in_all)


def on_grid_of(weight: FloatArray, in_all: float) -> FloatArray:
    """Round weights of some rows as `on_grid` does those of all, which add up to ``in_all``."""
    unit = 2.0 ** (math.ceil(math.log2(in_all)) - 51)
    return weight if unit <= 1 and (np.floor(weight) == weight).all() else np.rint(weight / unit) * unit
