"""A feature along an axis: positions of rows, and intervals of boxes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import category_text
from boxdraw.model.membership import admitted
from boxdraw.model.rows import MISSING, UNSEEN
from boxdraw.plotting._matplotlib import literal

#: An interval of an axis; an infinite end has no limit.
Span = tuple[float, float]
# Half the width of the strip of a category.
_STRIP = 0.45
_JITTER = 0.36
# Beyond, the width of an axis overflows in matplotlib; and so many decades overflow as a ratio.
_LARGEST, _DECADES = 1e305, 250
# Skewed: the middle half of the values has so small a part of their range, and at least twice as much on a log axis,
# if the largest is so many times what the axis is linear up to; and fewer values say little.
_MIDDLE, _GAIN, _TIMES, _FEWEST = 0.06, 2.0, 30.0, 20
_LINEAR = 0.5  # decades that a log axis gives to the values around zero


@dataclass(frozen=True, slots=True)
class Scale:
    """How numbers lie along an axis: evenly or, if skewed, by their logarithm beyond ``threshold`` on either side."""

    threshold: float | None = None

    @classmethod
    def suited_to(cls, values: FloatArray) -> Scale:
        """Return a log scale for skewed values."""
        some = np.sort(values[np.isfinite(values) & (values != 0)])
        if len(some) < _FEWEST or max(-some[0], some[-1]) > _LARGEST:
            return cls()
        small = float(np.quantile(np.abs(some), 0.1))
        threshold = max(float(10.0 ** np.floor(np.log10(small))), 1e-300)
        if np.log10(max(-some[0], some[-1])) - np.log10(threshold) > _DECADES:
            return cls()
        logarithmic = cls(threshold)
        even, other = _middle(some), _middle(logarithmic.along(some))
        reaches = max(-some[0], some[-1]) >= _TIMES * threshold
        return logarithmic if reaches and even < _MIDDLE and other >= _GAIN * even else cls()

    def along(self, values: Any) -> Any:
        """Return where values lie, in decades on a log scale."""
        if self.threshold is None:
            return values
        sizes = np.abs(np.asarray(values, dtype=np.float64)) / self.threshold
        beyond = _LINEAR + np.log10(np.maximum(sizes, 1))
        return np.sign(values) * np.where(sizes < 1, _LINEAR * sizes, beyond)

    def at(self, place: float) -> float:
        """Return the value at a place: the inverse of `along`."""
        if self.threshold is None:
            return place
        size = abs(place)
        value = size / _LINEAR if size < _LINEAR else 10 ** (size - _LINEAR)
        return float(np.copysign(value * self.threshold, place))

    def decades(self, low: float, high: float) -> list[tuple[float, str]]:
        """Return powers of ten in a range, at most about six, and zero, with their texts; none on an even scale."""
        if self.threshold is None:
            return []
        last = np.log10(max(abs(low), abs(high)) / self.threshold)
        powers = self.threshold * 10.0 ** np.arange(0, last + 1e-9, max(1, np.ceil(last / 6)))
        found = [0.0, *powers.tolist(), *(-powers).tolist()]
        return [(value, literal(f"{value:g}".replace("e+0", "e"))) for value in sorted(found) if low <= value <= high]

    def of_matplotlib(self) -> tuple[str, dict[str, float]]:
        """Return the scale as matplotlib names it."""
        if self.threshold is None:
            return "linear", {}
        return "symlog", {"linthresh": self.threshold, "linscale": 0.9 * _LINEAR}


def _middle(values: FloatArray) -> float:
    """Return the part of the range that the middle half of sorted values has."""
    first, third = np.quantile(values, [0.25, 0.75])
    return float((third - first) / (values[-1] - values[0])) if values[-1] > values[0] else 1.0


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """A numeric feature, at its own values."""

    boxes: BoxSet
    j: int
    column: FloatArray
    scale: Scale

    def places(self) -> FloatArray:
        """Return the position of each row; NaN if the value is missing."""
        return self.column

    def spans(self, k: int) -> list[Span]:
        """Return the intervals of a box."""
        lower, upper = float(self.boxes.lower[k, self.j]), float(self.boxes.upper[k, self.j])
        return [(lower, upper)] if lower <= upper else []

    def occupied(self, k: int, inside: npt.NDArray[Any]) -> list[Span]:
        """Return the part of a box that the values of its rows span."""
        values = inside[np.isfinite(inside.astype(np.float64, copy=False))]
        if not len(values):
            return []
        low, high = self._widened(float(values.min()), float(values.max()), 0.01, self.view())
        lower, upper = self.boxes.lower[k, self.j], self.boxes.upper[k, self.j]
        return [(max(float(lower), low), min(float(upper), high))]

    def _widened(self, low: float, high: float, share: float, whole: Span) -> Span:
        """Move the ends of an interval outwards by a share of a whole one, as it is seen."""
        start, end = (float(self.scale.along(value)) for value in whole)
        room = share * (end - start)
        return self.scale.at(self.scale.along(low) - room), self.scale.at(self.scale.along(high) + room)

    def _known(self) -> FloatArray:
        """Return the values of the rows and the limits."""
        values = np.concatenate([self.column, self.boxes.lower[:, self.j], self.boxes.upper[:, self.j]])
        return values[np.isfinite(values)]

    def largest(self) -> float:
        """Return the largest absolute value."""
        return float(np.abs(self._known()).max(initial=0))

    def view(self) -> Span:
        """Return the ends of the axis: the range of rows and limits, with a margin."""
        values = self._known()
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        if low < high:
            return self._widened(low, high, 0.04, (low, high))
        room = 0.04 * abs(high) or 1.0
        return low - room, high + room

    def ticks(self) -> list[tuple[float, str]] | None:
        """Return the decades of a log axis; None where matplotlib chooses the ticks."""
        return self.scale.decades(*self.view()) or None


@dataclass(frozen=True, slots=True)
class CategoryAxis:
    """A categorical feature: a strip with jittered rows per category, then unseen and missing values."""

    boxes: BoxSet
    j: int
    column: npt.NDArray[Any]  # indices of the categories
    scale: Scale = Scale()

    @property
    def known(self) -> tuple[Any, ...]:
        """The categories of the boxes."""
        return self.boxes.categories[self.j] or ()

    def strips(self) -> list[tuple[int, str]]:
        """Return the code and the name of each strip."""
        extra = [(UNSEEN, "(unseen)"), (MISSING, "(missing)")]
        named = [(place, category_text(value)) for place, value in enumerate(self.known)]
        return named + [(place, text) for place, text in extra if (self.column == place).any()]

    def places(self) -> FloatArray:
        """Return the position of each row, jittered with a fixed seed."""
        strip_of = {place: strip for strip, (place, _) in enumerate(self.strips())}
        centre = np.array([strip_of.get(place, np.nan) for place in range(-2, len(self.known))])
        return centre[self.column + 2] + np.random.default_rng(self.j).uniform(-_JITTER, _JITTER, len(self.column))

    def spans(self, k: int) -> list[Span]:
        """Return the intervals of a box; infinite if it does not limit the feature."""
        if not self.boxes.limited[k, self.j]:
            return [(-np.inf, np.inf)]
        inside = admitted(self.boxes, k, self.j)
        return list(_runs([bool(inside[place]) for place, _ in self.strips()]))

    def occupied(self, k: int, inside: npt.NDArray[Any]) -> list[Span]:
        """Return the strips of some rows."""
        found = set(inside.tolist())
        return list(_runs([place in found for place, _ in self.strips()]))

    def view(self) -> Span:
        """Return the ends of the axis."""
        return -0.6, max(len(self.strips()), 1) - 0.4

    def ticks(self) -> list[tuple[float, str]]:
        """Return the centre and the name of each strip, at most 12 of them."""
        strips = self.strips()
        step = -(-len(strips) // 12)
        return [(float(i), literal(text, 14)) for i, (_, text) in enumerate(strips) if i % step == 0]


def _runs(inside: list[bool]) -> Iterator[Span]:
    """Return the intervals of consecutive strips that are inside."""
    edges = np.flatnonzero(np.diff([False, *inside, False]))
    for first, end in edges.reshape(-1, 2).tolist():
        yield first - _STRIP, end - 1 + _STRIP


FeatureAxis = NumberAxis | CategoryAxis


def feature_axis(boxes: BoxSet, j: int, column: npt.NDArray[Any]) -> FeatureAxis:
    """Return the axis of a feature."""
    if boxes.categories[j] is None:
        values = np.asarray(column, dtype=np.float64)
        return NumberAxis(boxes, j, values, Scale.suited_to(values))
    return CategoryAxis(boxes, j, np.asarray(column, dtype=np.intp))


def panel_axis(boxes: BoxSet, j: int, column: npt.NDArray[Any]) -> FeatureAxis:
    """Return the axis of a feature; raise if its numbers are too large for matplotlib."""
    axis = feature_axis(boxes, j, column)
    if isinstance(axis, NumberAxis) and axis.largest() > _LARGEST:
        raise ValueError(
            f"Feature {boxes.feature_names[j]!r} has numbers of up to {axis.largest():.3g}, and an axis can be drawn "
            f"up to {_LARGEST:g}: divide it by a constant before the fit, or plot other features."
        )
    return axis
