"""What Exact Boxes maximises, counted on raw rows in exact arithmetic. Knows nothing of how boxes are found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import BoolArray, FloatArray

Points = npt.NDArray[np.int64]

# Totals of points stay below this, so that sums of them, and prices a thousand times finer, are exact in float64.
_MOST_POINTS = 2**40


@dataclass(frozen=True, slots=True)
class Objective:
    """Positives inside + negative_weight · negatives outside − box_cost · boxes, each row times its weight.

    The rows are a learner's matrix (`boxdraw.encoding`), in which NaN is within any limits.

    A positive counts when some box holds it by at least the margin; a negative when every box misses it by more than
    the margin.
    """

    X: FloatArray
    positive: BoolArray
    weight: FloatArray | None
    negative_weight: Fraction
    box_cost: Fraction
    margin: float
    max_boxes: int

    def counted(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Say which rows the drawing gets right."""
        inside = np.zeros(len(self.X), dtype=np.bool_)
        for rows, margin in ((self.positive, self.margin), (~self.positive, -self.margin)):
            inside[rows] = inside_any(self.X[rows], sum_up(lower, margin), sum_down(upper, -margin))
        return inside == self.positive

    def held(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Say which positives each box holds by the margin; a row per box."""
        rows = self.X[self.positive]
        limits = sum_up(lower, self.margin), sum_down(upper, -self.margin)
        return np.array([inside_any(rows, low[None], high[None]) for low, high in zip(*limits, strict=True)]).reshape(
            len(lower), len(rows)
        )

    def value(self, lower: FloatArray, upper: FloatArray) -> Fraction:
        """Return the objective of a drawing, exactly."""
        return self.value_of(self.counted(lower, upper), len(lower))

    def value_of(self, counted: BoolArray, n_boxes: int) -> Fraction:
        """Return the objective of a drawing that gets the given rows right."""
        right = _total(self.weight, counted & self.positive)
        return right + self.negative_weight * _total(self.weight, counted & ~self.positive) - self.box_cost * n_boxes

    def balanced(self) -> Fraction:
        """Return the negative weight at which both classes weigh the same."""
        return _total(self.weight, self.positive) / _total(self.weight, ~self.positive)

    def in_points(self) -> Scale:
        """Express the weights in whole points."""
        weight = np.ones(len(self.X)) if self.weight is None else self.weight
        kinds, row, counts = np.unique(
            np.stack([self.positive, weight]), axis=1, return_inverse=True, return_counts=True
        )
        worth = [decimal(w) * (1 if positive else self.negative_weight) for positive, w in kinds.T.tolist()]
        most = sum((w * n for w, n in zip(worth, counts.tolist(), strict=True)), self.box_cost * self.max_boxes)
        unit = Fraction(1, math.lcm(*(w.denominator for w in [*worth, self.box_cost])))
        if most / unit > _MOST_POINTS:
            # A power of two just large enough: the points are then rounded, and the error is accounted for.
            unit = Fraction(2) ** (math.ceil(math.log2(most / _MOST_POINTS)) + 1)
        whole = [round(w / unit) for w in worth]
        box_points = round(self.box_cost / unit)
        error = abs(self.box_cost - box_points * unit) * self.max_boxes
        for w, points, n in zip(worth, whole, counts.tolist(), strict=True):
            error += abs(w - points * unit) * n
        return Scale(np.array(whole, dtype=np.int64)[row.reshape(-1)], box_points, unit, error)


@dataclass(frozen=True, slots=True)
class Scale:
    """The weights of the objective as whole points of a unit."""

    points: Points  # one per row
    box_points: int
    unit: Fraction
    error: Fraction  # the most by which any drawing's objective differs from its points times the unit


def inside_any(rows: FloatArray, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Say which rows are in any of the boxes; NaN is within any limits."""
    inside = np.zeros(len(rows), dtype=np.bool_)
    for low, high in zip(lower, upper, strict=True):
        inside |= ~((rows < low) | (rows > high)).any(axis=1)
    return inside


def sum_up(values: FloatArray, shift: float) -> FloatArray:
    """Return the smallest floats that are not below the exact sums, so that comparisons with them are exact too."""
    total = values + shift
    with np.errstate(invalid="ignore"):  # limits may be infinite
        part = total - values
        lost = (values - (total - part)) + (shift - part)
    return np.asarray(np.where(lost > 0, np.nextafter(total, np.inf), total))


def sum_down(values: FloatArray, shift: float) -> FloatArray:
    """Return the largest floats that are not above the exact sums."""
    return -sum_up(-values, -shift)


def decimal(value: float) -> Fraction:
    """Return a number as it is printed: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(repr(float(value)))


def _total(weight: FloatArray | None, rows: BoolArray) -> Fraction:
    if weight is None:
        return Fraction(int(np.count_nonzero(rows)))
    sizes, counts = np.unique(weight[rows], return_counts=True)
    return sum((decimal(s) * c for s, c in zip(sizes.tolist(), counts.tolist(), strict=True)), Fraction(0))
