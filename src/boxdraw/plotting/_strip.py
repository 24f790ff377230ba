"""One row of a LimitsDisplay: a feature scaled to [0, 1], its class distributions, and the boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import format_number
from boxdraw.plotting._axis import CategoryAxis, NumberAxis, feature_axis
from boxdraw.plotting._matplotlib import literal

#: The start and end of a bar, infinite without a limit, and the texts at its ends.
Bar = tuple[float, float, tuple[str, str]]
_BINS = 50
_TAIL = 0.005


@dataclass(frozen=True, slots=True)
class Strip:
    """A feature: a histogram per class, the positive one first, and a bar per box."""

    j: int
    edges: FloatArray
    hills: tuple[FloatArray, ...]
    ends: tuple[str, ...]  # the numbers at 0 and 1
    names: tuple[tuple[float, str], ...]  # of the categories, or the decades of a log scale
    bars: dict[int, list[Bar]]  # of the boxes that limit the feature; none if only missing values are inside


def strip_of(boxes: BoxSet, j: int, column: npt.NDArray[Any], positive: BoolArray) -> Strip:
    """Compute the histograms of a feature, and put its boxes on the same scale."""
    limited_by = np.flatnonzero(boxes.limited[:, j]).tolist()
    axis = feature_axis(boxes, j, column)
    if isinstance(axis, CategoryAxis):
        return _categories(axis, positive, limited_by)
    return _numbers(axis, positive, limited_by)


def _categories(axis: CategoryAxis, positive: BoolArray, limited_by: Sequence[int]) -> Strip:
    strips = axis.strips()
    n = max(len(strips), 1)
    sides = np.array([0.14, 0.86])
    edges = ((np.arange(n)[:, None] + sides) / n).reshape(-1)  # a free bin between two categories
    strip_at = {place: i for i, (place, _) in enumerate(strips)}
    at = np.array([strip_at[place] for place in axis.column.tolist()], dtype=np.intp)
    hills = _shares(2 * at, positive, 2 * n - 1)
    width = 56 // n
    names = tuple(((i + 0.5) / n, literal(text, max(width, 3))) for i, (_, text) in enumerate(strips))
    bars = {k: [((low + 0.5) / n, (high + 0.5) / n, ("", "")) for low, high in axis.spans(k)] for k in limited_by}
    return Strip(axis.j, edges, hills, (), names if width >= 3 else (), bars)


def _numbers(axis: NumberAxis, positive: BoolArray, limited_by: Sequence[int]) -> Strip:
    (low, high), scale = _ends(axis, positive), axis.scale
    known = np.isfinite(axis.column)
    n_bins = _BINS
    if whole := scale.threshold is None and _is_whole(axis.column[known]):
        # The same number of integers in each bin; otherwise the histogram looks like a comb.
        first, n_whole = np.floor(low), int(np.ceil(high) - np.floor(low)) + 1
        per_bin = -(-n_whole // _BINS)
        n_bins = -(-n_whole // per_bin)
        low, high = first - 0.5, first - 0.5 + n_bins * per_bin
    start, stop = float(scale.along(low)), float(scale.along(high))
    at = np.clip(_along(scale.along(axis.column[known]), start, stop), 0, 1)
    hills = _shares(np.minimum((at * n_bins).astype(np.intp), n_bins - 1), positive[known], n_bins)
    boxes, j = axis.boxes, axis.j
    bars = {}
    for k in limited_by:
        texts = format_number(float(boxes.lower[k, j])), format_number(float(boxes.upper[k, j]))
        bars[k] = [(*_along(scale.along(np.array(span)), start, stop).tolist(), texts) for span in axis.spans(k)]
    ends = tuple(f"{float(f'{x:.3g}'):.6g}" for x in ((low + 0.5, high - 0.5) if whole else (low, high)))
    marks = [(float(_along(scale.along(value), start, stop)), text) for value, text in scale.decades(low, high)]
    return Strip(j, np.linspace(0, 1, n_bins + 1), hills, ends, tuple(marks), bars)


def _along(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return the relative position of values in a range; halved, because the range may overflow."""
    return (values / 2 - low / 2) / (high / 2 - low / 2)


def _is_whole(values: FloatArray) -> bool:
    """Return True if all values are integers that bins can separate."""
    return bool(values.size) and bool((np.abs(values) < 2**31).all()) and bool((values == np.rint(values)).all())


def _shares(at: npt.NDArray[np.intp], positive: BoolArray, n_bins: int) -> tuple[FloatArray, ...]:
    """Return the share of each class in each bin."""
    counts = [np.bincount(at[rows], minlength=n_bins).astype(np.float64) for rows in (positive, ~positive)]
    return tuple(count / max(count.sum(), 1) for count in counts)


def _ends(axis: NumberAxis, positive: BoolArray) -> tuple[float, float]:
    """Return the ends of the scale, which covers nearly all rows of each class and all limits."""
    finite = np.isfinite(axis.column)
    of_classes = [axis.column[finite & rows] for rows in (positive, ~positive)]
    quantiles = [np.quantile(values, [_TAIL, 1 - _TAIL]) for values in of_classes if values.size]
    limits = np.concatenate([axis.boxes.lower[:, axis.j], axis.boxes.upper[:, axis.j]])
    values = np.concatenate([*quantiles, limits[np.isfinite(limits)]])
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)
