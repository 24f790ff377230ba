"""Stage 1, scale: features on a common width, and on a grid that makes their sums exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix

# Scaled values are whole multiples of GRID. Differences and sums of them up to EXACT are then exact in
# float64, so neither the order of rows nor that of columns can change a model, and exp() of two neighbouring
# multiples differs by 2**8 units in the last place or more, so every function built on it is monotone as computed,
# not only on paper. The price is a resolution of 6e-14 of the scaled width.
GRID = 2.0**-44
EXACT = 2.0**9


@dataclass(frozen=True, slots=True)
class Scaling:
    """The map from raw features to [-width/2, width/2], learned on the training rows."""

    low: FloatArray
    high: FloatArray
    prescale: FloatArray  # a power of two that keeps high - low away from overflow and underflow
    middle: FloatArray  # of the prescaled range
    steps: FloatArray  # grid steps per prescaled unit; 0 for a constant feature

    @property
    def active(self) -> BoolArray:
        """Features that vary; the others can't tell rows apart and stay out of the rules."""
        return self.steps > 0

    def columns(self, X: Matrix) -> FloatArray:
        """Scale rows of X, one feature per row of the result; values out of the training range are clipped."""
        columns = np.ascontiguousarray(X.T, dtype=np.float64)
        return self.coordinate(np.clip(columns, self.low[:, None], self.high[:, None]), np.s_[:, None])

    def coordinate(self, values: FloatArray, at: Any) -> FloatArray:
        """Scale raw values; ``at`` indexes the per-feature arrays so that they broadcast with values."""
        ticks = values * self.prescale[at]
        ticks -= self.middle[at]
        ticks *= self.steps[at]
        np.rint(ticks, out=ticks)
        ticks *= GRID
        return ticks

    def raw(self, scaled: FloatArray, at: Any) -> FloatArray:
        """Undo `coordinate`, but for rounding; a constant feature has one value, and infinity is beyond the largest."""
        steps = np.where(self.steps > 0, self.steps, np.inf)
        with np.errstate(over="ignore"):
            return (scaled / GRID / steps[at] + self.middle[at]) / self.prescale[at]


def fit_scaling(X: Matrix, width: float) -> Scaling:
    """Learn the range of each feature, whatever is missing in it."""
    return make_scaling(*known_ranges(X), width)


def known_ranges(X: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of each feature; inf and -inf where all are missing."""
    low = X.min(axis=0).astype(np.float64)
    high = X.max(axis=0).astype(np.float64)
    for j in np.flatnonzero(np.isnan(low)):
        known = X[~np.isnan(X[:, j]), j]
        low[j], high[j] = known.min(initial=np.inf), known.max(initial=-np.inf)
    return low, high


def make_scaling(low: FloatArray, high: FloatArray, width: float) -> Scaling:
    """Return the map from these ranges to one of the given width; without any value, a feature is constant."""
    low, high = np.where(low > high, 0.0, low), np.where(low > high, 0.0, high)
    prescale = np.ones_like(low)
    size = np.maximum(np.abs(low), np.abs(high))
    extreme = (size > 1e150) | (size < 1e-150)
    if extreme.any():
        exponent = np.frexp(size[extreme])[1]
        prescale[extreme] = np.ldexp(1.0, np.minimum(-exponent, 1000))
    span = high * prescale - low * prescale
    middle = (
        low * prescale / 2 + high * prescale / 2
    )  # of -x it is exactly -middle, so that mirrored data mirror the boxes
    varies = span > 0
    steps = np.zeros_like(low)
    np.divide(width / GRID, span, out=steps, where=varies)
    return Scaling(low=low, high=high, prescale=prescale, middle=middle, steps=steps)
