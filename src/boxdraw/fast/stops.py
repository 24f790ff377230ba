"""The negatives that stop a growing edge: the sorted values of each feature outside the tight boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxdraw.arrays import BoolArray, FloatArray, Matrix
from boxdraw.fast.scale import Scaling

LOWER, UPPER = 0, 1


@dataclass(frozen=True, slots=True)
class Stops:
    """Sorted values per feature.

    ``values[j]`` are the negatives' raw values between -inf and inf, ``scaled[j]`` the same on the scaled axis,
    ``positives[j]`` the positives' raw values (only used to round the numbers that people read).
    """

    values: tuple[FloatArray, ...]
    scaled: tuple[FloatArray, ...]
    positives: FloatArray

    def whole(self) -> BoolArray:
        """Tell which features have whole numbers only, as far as rows outside the boxes and positives show."""
        whole = [bool((values == np.rint(values)).all()) for values in self.values]
        return np.array(whole) & (self.positives == np.rint(self.positives)).all(axis=1)

    def snap(self, columns: FloatArray, side: int, outside: BoolArray) -> FloatArray:
        """Replace raw values by the scaled stop that an edge of this side meets first on its way out to them.

        That is the first one at or beyond the value as seen from there; infinitely far inside where there is none, and
        where the value is not ``outside`` on this side of any box.
        """
        snapped = np.full_like(columns, np.inf if side == LOWER else -np.inf)
        for j, (column, chosen) in enumerate(zip(columns, outside, strict=True)):
            if side == LOWER:
                place = self.values[j].searchsorted(column[chosen], side="left")
            else:
                place = self.values[j].searchsorted(column[chosen], side="right") - 1
            snapped[j, chosen] = self.scaled[j][place]
        return snapped

    def limits(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the widest raw limits that keep out every stop beyond the scaled targets; a column per feature."""
        below, above = np.empty_like(lower), np.empty_like(upper)
        for j, (values, scaled) in enumerate(zip(self.values, self.scaled, strict=True)):
            below[:, j] = values[scaled.searchsorted(lower[:, j], side="left") - 1]
            above[:, j] = values[scaled.searchsorted(upper[:, j], side="right")]
        return just_above(below), just_below(above)

    def room(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the intervals in which the raw limits can be moved without changing a training row's side.

        The results have the shape of ``np.stack([lower, upper])``.
        """
        low, high = np.empty((2, *lower.shape)), np.empty((2, *lower.shape))
        for j, values in enumerate(self.values):
            place = np.maximum(values.searchsorted(lower[:, j], side="left"), 1)
            low[LOWER, :, j], high[LOWER, :, j] = values[place - 1], values[place]
            place = np.minimum(values.searchsorted(upper[:, j], side="right"), len(values) - 1)
            low[UPPER, :, j], high[UPPER, :, j] = values[place - 1], values[place]
        for side, limit, inside in ((LOWER, lower, np.greater_equal), (UPPER, upper, np.greater)):
            above = inside(self.positives, limit[:, :, None])
            np.maximum(low[side], np.where(above, -np.inf, self.positives).max(axis=2), out=low[side])
            np.minimum(high[side], np.where(above, self.positives, np.inf).min(axis=2), out=high[side])
        low[LOWER], high[UPPER] = just_above(low[LOWER]), just_below(high[UPPER])
        return low, high


def just_above(value: FloatArray) -> FloatArray:
    """Return the next number up: the paper's epsilon, as small as the number format allows; -inf stays."""
    return np.where(value > -np.inf, np.nextafter(value, np.inf), value)


def just_below(value: FloatArray) -> FloatArray:
    """Return the next number down; inf stays."""
    return np.where(value < np.inf, np.nextafter(value, -np.inf), value)


def find_stops(
    X: Matrix,
    positive: BoolArray,
    scaling: Scaling,
    lower: FloatArray,
    upper: FloatArray,
    keep_all: bool,
) -> Stops:
    """Sort the values of each feature; of the negatives, only those below ``lower[j]`` or above ``upper[j]``.

    Both are scaled. A negative between them is within every tight box and can't stop an edge that never shrinks; for
    those that may, ``keep_all``.
    """
    values, scaled = [], []
    for j in range(X.shape[1]):
        column = X[~positive, j].astype(np.float64)
        column = column[~np.isnan(column)]
        if not keep_all:
            coordinate = scaling.coordinate(column, j)
            column = column[(coordinate < lower[j]) | (coordinate > upper[j])]
        column.sort()
        values.append(_between_infinities(column))
        scaled.append(_between_infinities(scaling.coordinate(column, j)))
    positives = np.sort(X[positive].T.astype(np.float64), axis=1)  # missing values last
    for j in np.flatnonzero(np.isnan(positives[:, -1])).tolist():
        first = positives[j, 0]
        positives[j, np.isnan(positives[j])] = scaling.low[j] if np.isnan(first) else first
    return Stops(tuple(values), tuple(scaled), positives)


def _between_infinities(values: FloatArray) -> FloatArray:
    padded = np.empty(len(values) + 2)
    padded[0], padded[1:-1], padded[-1] = -np.inf, values, np.inf
    return padded
