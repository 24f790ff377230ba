"""The negatives that stop a growing edge: the sorted values of each feature beyond the tight boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxdraw.fast.scale import Scaling

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stops:
    """Sorted values per side and feature, on mirrored axes: a lower edge of ``-x`` is an upper edge of ``x``.

    ``values[side][j]`` are the negatives' raw values, ``scaled[side][j]`` the same on the scaled axis,
    ``positives[side][j]`` the positives' raw values (only used to round the numbers that people read). Each
    begins with -inf and ends with inf.
    """

    values: tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]
    scaled: tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]
    positives: tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]

    def snap(self, columns: FloatArray, side: int) -> FloatArray:
        """Replace each (mirrored, raw) value by the first stop at or above it, scaled; inf where there is none."""
        snapped = np.empty_like(columns)
        for j, column in enumerate(columns):
            snapped[j] = self.scaled[side][j][self.values[side][j].searchsorted(column)]
        return snapped

    def limit_above(self, target: FloatArray, side: int, j: int) -> FloatArray:
        """Return the least raw limits that keep out every stop below the scaled targets; -inf for none."""
        below = self.scaled[side][j].searchsorted(target) - 1
        # just above the stop: the paper's epsilon, as small as the number format allows
        return np.where(below > 0, np.nextafter(self.values[side][j][below], np.inf), -np.inf)

    def room(self, limit: FloatArray, side: int, j: int) -> tuple[FloatArray, FloatArray]:
        """Return the interval in which each raw limit can be moved without changing a training row's side."""
        below, above = np.full_like(limit, -np.inf), np.full_like(limit, np.inf)
        for seen in (self.values[side][j], self.positives[side][j]):
            place = np.maximum(seen.searchsorted(limit), 1)
            np.maximum(below, seen[place - 1], out=below)
            np.minimum(above, seen[place], out=above)
        return np.where(below > -np.inf, np.nextafter(below, np.inf), below), above


def find_stops(
    X: npt.NDArray[np.floating],
    positive: npt.NDArray[np.bool_],
    scaling: Scaling,
    bounds: FloatArray,
) -> Stops:
    """Sort the values of each feature; only those below ``bounds[side, j]`` (mirrored, raw) can stop an edge."""
    negatives, positives = np.flatnonzero(~positive), np.flatnonzero(positive)
    values: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    scaled: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    seen: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for j in range(X.shape[1]):
        column = X[:, j].astype(np.float64)
        of_negatives, of_positives = column[negatives], np.sort(column[positives])
        for side, sign in enumerate((1.0, -1.0)):
            mirrored = of_negatives * sign
            stops = np.sort(mirrored[mirrored < bounds[side, j]])
            values[side].append(_between_infinities(stops))
            scaled[side].append(_between_infinities(sign * scaling.coordinate(sign * stops, j)))
            seen[side].append(_between_infinities(of_positives if side == 0 else -of_positives[::-1]))
    return Stops(
        values=(tuple(values[0]), tuple(values[1])),
        scaled=(tuple(scaled[0]), tuple(scaled[1])),
        positives=(tuple(seen[0]), tuple(seen[1])),
    )


def _between_infinities(values: FloatArray) -> FloatArray:
    padded = np.empty(len(values) + 2)
    padded[0], padded[1:-1], padded[-1] = -np.inf, values, np.inf
    return padded
