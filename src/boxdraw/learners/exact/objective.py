"""What Exact Boxes maximises, counted on raw rows in exact arithmetic. Knows nothing of how boxes are found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.tiles import tiles
from boxdraw.learners.exact.weights import Kinds

if TYPE_CHECKING:
    from boxdraw.learners.constraints import ColumnConstraints

Points = npt.NDArray[np.int64]
Layout = list[tuple[int, int, bool]]  # `Encoding.layout`: column, number of categories, a column for missing values

# Totals of points stay below this, so that sums of them, and prices a thousand times finer, are exact in float64.
_MOST_POINTS = 2**40
_MOST_TOTAL = 1e300


@dataclass(frozen=True, slots=True)
class Objective:
    """Positives inside + negative_weight · negatives outside − box_cost · boxes − limit_cost · limits."""

    # Rows count by their weights, limits as `BoxSet.n_limits` counts them. A positive counts when some box holds it by
    # at least the margin; a negative when every box misses it by more than the margin. The rows are a learner's matrix
    # (`boxdraw.tables.encoding`), in which NaN is within any limits.

    X: Matrix  # as the user gave it: of a large table there is no copy, and what is needed of it is read by `rows`
    positive: BoolArray
    weight: FloatArray | None
    negative_weight: Fraction
    box_cost: Fraction
    margin: float
    max_boxes: int
    limit_cost: Fraction = Fraction(0)
    max_limits: int | None = None  # of a box
    layout: Layout | None = None  # of the matrix; None for a column of numbers per feature
    constraints: ColumnConstraints | None = None  # on the boxes, if there are any but the numbers above

    @property
    def counts_limits(self) -> bool:
        """Whether limits cost anything or are restricted: if not, a box may as well be tight around its positives."""
        return self.limit_cost > 0 or self.max_limits is not None or self.constraints is not None

    @property
    def most_limits(self) -> int:
        """How many limits a box can have at most."""
        most = 2 * (self.X.shape[1] if self.layout is None else len(self.layout))
        return most if self.max_limits is None else min(most, self.max_limits)

    def rows(self, chosen: slice | BoolArray | IntArray) -> FloatArray:
        """Return some of the rows."""
        return np.asarray(self.X[chosen], dtype=np.float64)

    def tiles(self) -> Iterator[tuple[slice, FloatArray, BoolArray]]:
        """Go through the table in small parts: their place, their rows and which of these are positive."""
        for tile in tiles(*self.X.shape):
            yield tile, self.rows(tile), self.positive[tile]

    def counted(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Return a mask of the rows that the drawing gets right."""
        inside = np.zeros(len(self.X), dtype=np.bool_)
        held, touched = (sum_up(lower, v) for v in (self.margin, -self.margin))
        held_to, touched_to = (sum_down(upper, v) for v in (-self.margin, self.margin))
        for tile, rows, positive in self.tiles():
            part = inside[tile]
            part[positive] = inside_any(rows[positive], held, held_to)
            part[~positive] = inside_any(rows[~positive], touched, touched_to)
        return inside == self.positive

    def held(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Return a mask of the positives in each box by the margin; a row per box."""
        rows = self.rows(self.positive)
        limits = sum_up(lower, self.margin), sum_down(upper, -self.margin)
        return np.array([inside_any(rows, low[None], high[None]) for low, high in zip(*limits, strict=True)]).reshape(
            len(lower), len(rows)
        )

    def value(self, lower: FloatArray, upper: FloatArray) -> Fraction:
        """Return the objective of a drawing, exactly."""
        n_limits = sum(self.n_limits(*limits) for limits in zip(lower, upper, strict=True)) if self.limit_cost else 0
        return self.value_of(self.counted(lower, upper), len(lower), n_limits)

    def value_of(self, counted: BoolArray, n_boxes: int, n_limits: int = 0) -> Fraction:
        """Return the objective of a drawing that gets the given rows right."""
        right = self._kinds(counted & self.positive).total()
        right += self.negative_weight * self._kinds(counted & ~self.positive).total()
        return right - self.box_cost * n_boxes - self.limit_cost * n_limits

    def n_limits(self, lower: FloatArray, upper: FloatArray) -> int:
        """Count the limits of one box on the matrix; an equality is one in columns of whole numbers alone."""
        ends = np.isfinite(lower).astype(np.intp) + np.isfinite(upper)
        equal = np.array([bool(one) and self.is_whole(j) for j, one in enumerate(lower == upper)])
        layout = [(j, 0, False) for j in range(len(lower))] if self.layout is None else self.layout
        count = 0
        for column, n_codes, has_flag in layout:
            if n_codes or (has_flag and np.isfinite(lower[column + 1])):  # a set of categories; only missing values
                count += int(bool(n_codes == 0 or ends[column]))
            else:
                count += max(int(ends[column] - equal[column]), int(has_flag and ends[column + 1] > 0))
        return count

    def is_whole(self, column: int) -> bool:
        """Return True if all values of a column are whole numbers."""
        some = slice(100), slice(100, None)  # as a rule the first tell already that not all are whole
        parts = (np.asarray(self.X[rows, column], dtype=np.float64) for rows in some)
        return all(bool((np.isnan(part) | (part == np.rint(part))).all()) for part in parts)

    def positive_weight(self) -> Fraction:
        """Return the weight of the positives."""
        return self._kinds(self.positive).total()

    def balanced(self) -> Fraction:
        """Return the negative weight at which both classes weigh the same."""
        return self._kinds(self.positive).total() / self._kinds(~self.positive).total()

    def _kinds(self, rows: BoolArray) -> Kinds:
        return Kinds.of(None if self.weight is None else self.weight[rows], int(np.count_nonzero(rows)))

    def in_points(self, among: BoolArray | None = None) -> PointWeights:
        """Express the weights in whole points; if some rows are given, as if there were no others."""
        points = np.zeros(len(self.X), dtype=np.int64)
        sides = [(self.positive, Fraction(1)), (~self.positive, self.negative_weight)]
        parts = [(rows if among is None else rows & among, factor) for rows, factor in sides]
        kinds = [(self._kinds(rows), rows, factor) for rows, factor in parts if rows.any()]
        costs = self.max_boxes * (self.box_cost + self.limit_cost * self.most_limits)
        most = sum((kind.total() * factor for kind, _, factor in kinds), costs)
        _check_total(most)
        units = [kind.unit(factor) for kind, _, factor in kinds]
        fixed = self.box_cost.denominator, self.limit_cost.denominator
        unit = Fraction(1, math.lcm(*fixed, *(u.denominator for u in units)))
        if most / unit > _MOST_POINTS:
            # A power of two just large enough: the points are then rounded, and the error is accounted for.
            unit = Fraction(2) ** (math.ceil(math.log2(most / _MOST_POINTS)) + 1)
        box_points = round(self.box_cost / unit)
        limit_points = round(self.limit_cost / unit)
        lost = abs(self.box_cost - box_points * unit)
        lost += abs(self.limit_cost - limit_points * unit) * self.most_limits
        error = lost * self.max_boxes
        for kind, rows, factor in kinds:
            whole, lost = kind.in_units(factor, unit)
            points[rows] = whole if self.weight is None else whole[np.searchsorted(kind.sizes, self.weight[rows])]
            error += lost
        return PointWeights(points, box_points, unit, error, limit_points)


def _check_total(most: Fraction) -> None:
    """Reject costs and weights with which an objective may be too large for a float."""
    if most > _MOST_TOTAL:
        raise ValueError(
            "The weight of the positives, negative_weight times that of the negatives and what boxes and limits "
            f"cost add up to 1e{math.log10(int(most)):.0f}; expected at most {_MOST_TOTAL:.0e}. Use smaller costs or "
            "weights."
        )


@dataclass(frozen=True, slots=True)
class PointWeights:
    """The weights of the objective as whole points of a unit."""

    points: Points  # one per row; 0 for rows that were left out
    box_points: int
    unit: Fraction
    error: Fraction  # the most by which any drawing's objective differs from its points times the unit
    limit_points: int = 0


def inside_any(rows: FloatArray, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Return a mask of the rows in any of the boxes; NaN is within any limits."""
    inside = np.zeros(len(rows), dtype=np.bool_)
    for low, high in zip(lower, upper, strict=True):
        inside |= ~((rows < low) | (rows > high)).any(axis=1)
    return inside


def sum_up(values: FloatArray, shift: float | FloatArray) -> FloatArray:
    """Return the smallest floats that are not below the exact sums, so that comparisons with them are exact too."""
    with np.errstate(invalid="ignore", over="ignore"):  # limits may be infinite, and a sum is beyond the largest number
        total = values + shift
        part = total - values
        lost = (values - (total - part)) + (shift - part)
        return np.asarray(np.where(lost > 0, np.nextafter(total, np.inf), total))


def sum_down(values: FloatArray, shift: float | FloatArray) -> FloatArray:
    """Return the largest floats that are not above the exact sums."""
    return -sum_up(-values, -shift)
