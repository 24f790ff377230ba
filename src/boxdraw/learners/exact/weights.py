"""Weights as they are printed, in exact arithmetic that takes a million of them in a second or two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray

Counts = npt.NDArray[np.int64]


def decimal(value: float) -> Fraction:
    """Return a number as it is printed: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(repr(float(value)))


@dataclass(frozen=True, slots=True)
class Kinds:
    """The different weights of some rows: whole numbers over one power of ten, and how many rows have each."""

    sizes: FloatArray  # sorted
    counts: Counts
    whole: list[int]
    power: int  # the weights are the whole numbers over 10**power

    @classmethod
    def of(cls, weight: FloatArray | None, n_rows: int) -> Kinds:
        """Count the weights of rows; without weights each row weighs 1."""
        if weight is None:
            return cls(np.ones(1), np.array([n_rows]), [1], 0)
        sizes, counts = np.unique(weight, return_counts=True)
        return cls(sizes, counts, *_whole_numbers(sizes))

    def total(self) -> Fraction:
        """Return the weight of all rows together."""
        return Fraction(sum(map(int.__mul__, self.whole, self.counts.tolist())), 10**self.power)

    def unit(self, factor: Fraction) -> Fraction:
        """Return the largest number 1 / n of which the weights times the factor are whole multiples."""
        most = 10**self.power * factor.denominator
        return Fraction(math.gcd(most, factor.numerator * math.gcd(*self.whole)), most)

    def in_units(self, factor: Fraction, unit: Fraction) -> tuple[Counts, Fraction]:
        """Round the weights times the factor to units, halves to even; also return what that changes in all rows."""
        share = factor / unit / 10**self.power
        whole, parts = [number * share.numerator for number in self.whole], share.denominator
        points = [(2 * number + parts) // (2 * parts) for number in whole]
        ties = [t for t, number in enumerate(whole) if points[t] % 2 and 2 * number + parts == 2 * parts * points[t]]
        for t in ties:
            points[t] -= 1
        off = sum(abs(w - parts * p) * n for w, p, n in zip(whole, points, self.counts.tolist(), strict=True))
        return np.array(points, dtype=np.int64), unit * Fraction(off, parts)


def _whole_numbers(sizes: FloatArray) -> tuple[list[int], int]:
    """Return numbers, as they are printed, as whole numbers over a power of ten; and the power."""
    digits, powers = [], []
    for text in map(repr, sizes.tolist()):
        mantissa, _, exponent = text.partition("e")
        before, _, after = mantissa.partition(".")
        after = after.rstrip("0")
        digits.append(int(before + after))
        powers.append(len(after) - int(exponent or 0))
    power = max([0, *powers])
    factors = {p: 10 ** (power - p) for p in set(powers)}
    return [number * factors[p] for number, p in zip(digits, powers, strict=True)], power
