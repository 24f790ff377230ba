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
# Beyond, the width of an axis overflows in matplotlib.
_LARGEST = 1e305


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """A numeric feature, at its own values."""

    boxes: BoxSet
    j: int
    column: FloatArray

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
        low, high = self.view()
        room = 0.01 * (high - low)
        lower, upper = self.boxes.lower[k, self.j], self.boxes.upper[k, self.j]
        return [(max(float(lower), float(values.min()) - room), min(float(upper), float(values.max()) + room))]

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
        room = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
        return low - room, high + room

    def ticks(self) -> list[tuple[float, str]] | None:
        """Return None: matplotlib chooses the ticks."""
        return None


@dataclass(frozen=True, slots=True)
class CategoryAxis:
    """A categorical feature: a strip with jittered rows per category, then unseen and missing values."""

    boxes: BoxSet
    j: int
    column: npt.NDArray[Any]  # indices of the categories

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
        return NumberAxis(boxes, j, np.asarray(column, dtype=np.float64))
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
