"""The negatives that stop a growing edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix
from boxdraw.learners.scaling import Scaling

LOWER, UPPER = 0, 1


@dataclass(frozen=True, slots=True)
class Stops:
    """Where the negatives are, as sorted spans per feature from -inf to inf: there are none between spans."""

    # Of a small table each value is a span of its own. Of a large one, only the gaps next to the limits that were drawn
    # are known, and what is between them counts as full of negatives.

    first: tuple[FloatArray, ...]
    last: tuple[FloatArray, ...]
    scaled_first: tuple[FloatArray, ...]
    scaled_last: tuple[FloatArray, ...]
    # For the report page, which rounds limits at other costs: the values of the positives, and which columns are whole.
    positives: FloatArray
    whole: BoolArray

    def snap(self, columns: FloatArray, scaled: FloatArray, side: int, outside: BoolArray) -> FloatArray:
        """Replace raw values that are ``outside`` by the first scaled stop that an edge meets on its way to them."""
        snapped = np.full_like(columns, np.inf if side == LOWER else -np.inf)
        for j, (column, chosen) in enumerate(zip(columns, outside, strict=True)):
            value = column[chosen]
            if side == LOWER:
                place = self.last[j].searchsorted(value, side="left")
                within = self.first[j][place] < value
                snapped[j, chosen] = np.where(within, scaled[j, chosen], self.scaled_first[j][place])
            else:
                place = self.first[j].searchsorted(value, side="right") - 1
                within = self.last[j][place] > value
                snapped[j, chosen] = np.where(within, scaled[j, chosen], self.scaled_last[j][place])
        return snapped

    def limits(
        self, lower: FloatArray, upper: FloatArray, within: Callable[[], tuple[FloatArray, FloatArray]]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the widest raw limits that exclude all stops beyond the targets; ``within`` has those inside spans."""
        below, above = np.empty_like(lower), np.empty_like(upper)
        free = np.empty((2, *lower.shape), dtype=np.bool_)
        for j in range(len(self.first)):
            place = self.scaled_first[j].searchsorted(lower[:, j], side="left") - 1
            below[:, j], free[LOWER, :, j] = self.last[j][place], self.scaled_last[j][place] < lower[:, j]
            place = self.scaled_last[j].searchsorted(upper[:, j], side="right")
            above[:, j], free[UPPER, :, j] = self.first[j][place], self.scaled_first[j][place] > upper[:, j]
        limits = just_above(below), just_below(above)
        if free.all():
            return limits
        inner = within()
        return np.where(free[LOWER], limits[LOWER], inner[LOWER]), np.where(free[UPPER], limits[UPPER], inner[UPPER])


@dataclass(frozen=True, slots=True)
class Gaps:
    """The negatives' values next to some numbers: the largest below ``cut``, and the least of the others."""

    cut: FloatArray
    before: FloatArray
    after: FloatArray

    @classmethod
    def none(cls, cut: FloatArray) -> Gaps:
        """Return the gaps without any rows."""
        return cls(cut, np.full_like(cut, -np.inf), np.full_like(cut, np.inf))

    def merge(self, other: Gaps) -> Gaps:
        """Return the gaps between the rows of both."""
        return Gaps(self.cut, np.maximum(self.before, other.before), np.minimum(self.after, other.after))

    def stops(self, scaling: Scaling, positives: FloatArray, whole: BoolArray) -> Stops:
        """Return the spans that are left when the gaps are taken out of the range of the data."""
        order = np.lexsort((self.after, self.before), axis=0)
        before, after = (np.take_along_axis(side, order, axis=0) for side in (self.before, self.after))
        first = _with_infinities(np.maximum.accumulate(np.vstack([scaling.low, after])))
        last = _with_infinities(np.vstack([before, scaling.high]))
        kept = (first <= last).T

        def columns(values: FloatArray) -> tuple[FloatArray, ...]:
            return tuple(column[spans] for column, spans in zip(values.T, kept, strict=True))

        on_scale = columns(_on_scale(first, scaling)), columns(_on_scale(last, scaling))
        return Stops(columns(first), columns(last), *on_scale, positives, whole)


def just_above(value: FloatArray) -> FloatArray:
    """Return the next number up: the paper's epsilon, as small as the number format allows; -inf stays."""
    with np.errstate(over="ignore"):  # above the largest number is infinity
        return np.where(value > -np.inf, np.nextafter(value, np.inf), value)


def just_below(value: FloatArray) -> FloatArray:
    """Return the next number down; inf stays."""
    with np.errstate(over="ignore"):
        return np.where(value < np.inf, np.nextafter(value, -np.inf), value)


def sorted_negatives(X: Matrix, positive: BoolArray) -> list[FloatArray]:
    """Return the known values of the negatives, sorted, feature by feature."""
    columns = X[~positive].T.astype(np.float64)
    columns.sort(axis=1)  # missing values last
    known = columns.shape[1] - np.isnan(columns).sum(axis=1)
    return [column[:n] for column, n in zip(columns, known.tolist(), strict=True)]


def find_stops(
    X: Matrix, positive: BoolArray, negatives: list[FloatArray], scaling: Scaling, within: tuple[FloatArray, ...]
) -> Stops:
    """Return every negative's value as a stop; those within a lower and an upper limit per feature are left out."""
    values, scaled = [], []
    for j, column in enumerate(negatives):
        coordinate = scaling.coordinate(column, j)
        if within:
            kept = (coordinate <= within[0][j]) | (coordinate >= within[1][j])
            column, coordinate = column[kept], coordinate[kept]
        values.append(_between_infinities(column))
        scaled.append(_between_infinities(coordinate))
    first, on_scale = tuple(values), tuple(scaled)
    whole = ((np.rint(X) == X) | np.isnan(X)).all(axis=0)
    return Stops(first, first, on_scale, on_scale, known_values(X[positive], scaling), whole)


def known_values(positives: Matrix, scaling: Scaling) -> FloatArray:
    """Return the values of each feature, with one of the others, or any, for missing ones."""
    result = positives.T.astype(np.float64, copy=False)
    missing = np.isnan(result)
    if not missing.any():
        return result
    least = np.fmin.reduce(result, axis=1)
    return np.where(missing, np.where(np.isnan(least), scaling.low, least)[:, None], result)


def _between_infinities(values: FloatArray) -> FloatArray:
    padded = np.empty(len(values) + 2)
    padded[0], padded[1:-1], padded[-1] = -np.inf, values, np.inf
    return padded


def _with_infinities(columns: FloatArray) -> FloatArray:
    ends = np.full((1, columns.shape[1]), np.inf)
    return np.concatenate([-ends, columns, ends])


def _on_scale(columns: FloatArray, scaling: Scaling) -> FloatArray:
    """Scale what is finite."""
    finite = np.isfinite(columns)
    return np.where(finite, scaling.coordinate(np.where(finite, columns, 0.0), np.s_[:]), columns)
