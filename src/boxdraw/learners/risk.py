"""Regions of risk, and the held-out rows in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.risk import RiskTable, estimate_risk
from boxdraw.model.scorecard import Scorecard


def regions_of(drawing: BoxSet | Scorecard, points: IntArray | None = None) -> RiskTable:
    """Return regions without rows: the points that rows have, from the most on, or inside all boxes and outside."""
    if isinstance(drawing, Scorecard):
        of: list[int | tuple[int, ...] | None] = [*np.unique(points)[:0:-1].tolist(), None]
        return _uncounted(of, None)
    boxes, of_boxes, _ = ladder([drawing])
    return _uncounted(of_boxes, boxes)


def ladder(levels: Sequence[BoxSet]) -> tuple[BoxSet, list[int | tuple[int, ...] | None], IntArray]:
    """Return regions of drawings from tight to loose: their boxes, the numbers of each, and which one each drawing is.

    A box counts where it is first. A drawing that adds none is the region before it, as the rows left over are the last.
    """
    numbers: dict[BoxSet, int] = {}
    of: list[int | tuple[int, ...] | None] = []
    region = []
    for level in levels:
        new = [box for box in level if box not in numbers]
        if new:
            numbers |= {box: len(numbers) + k for k, box in enumerate(dict.fromkeys(new))}
            of.append(tuple(dict.fromkeys(numbers[box] for box in new)))
        region.append(max(len(of) - 1, 0))
    boxes = levels[0][[]]
    for box in numbers:
        boxes += box
    return boxes, [*of, ()], np.array([*region, len(of)])


def count(places: IntArray, n_regions: int, positive: BoolArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weight of all rows and of the positives in each region."""
    return tuple(np.bincount(places, weights=part, minlength=n_regions) for part in (weight, weight * positive))  # type: ignore[return-value]


def spread_points(
    sums: IntArray, weight: FloatArray, folds: Sequence[tuple[IntArray, FloatArray, IntArray, FloatArray, BoolArray]]
) -> tuple[list[int | tuple[int, ...] | None], FloatArray, FloatArray]:
    """Return the regions of a card by the points of its training rows, and the held-out rows in them.

    Cards of the folds, of which the points and weights of training and held-out rows are given, have other points. What
    they have in common is the share of the training rows that have as many: the rows of some points are spread over
    those of the same shares, from the most points on.
    """
    values, ends = _shares(sums, weight)
    n_rows, n_positives = np.zeros(len(values)), np.zeros(len(values))
    for own, own_weight, new, new_weight, positive in folds:
        fold_values, fold_ends = _shares(own, own_weight)
        # Points that no training row of the fold has are those of the next lower ones, or else of the lowest.
        place = np.minimum(np.searchsorted(-fold_values, -new), len(fold_values) - 1)
        overlap = np.minimum(fold_ends[1:, None], ends[1:]) - np.maximum(fold_ends[:-1, None], ends[:-1])
        parts = np.clip(overlap, 0, None)
        parts /= parts.sum(axis=1, keepdims=True)
        rows, positives = count(place, len(fold_values), positive, new_weight)
        n_rows += rows @ parts
        n_positives += positives @ parts
    return [*values[:-1].tolist(), None], n_rows, n_positives


def _shares(sums: IntArray, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return distinct points, falling, and the shares of the rows with more than each and with as many."""
    values, place = np.unique(sums, return_inverse=True)
    mass = np.bincount(place.reshape(-1), weights=weight)[::-1]
    return values[::-1], np.append(0.0, np.cumsum(mass)) / mass.sum()


def _uncounted(of: list[int | tuple[int, ...] | None], boxes: BoxSet | None) -> RiskTable:
    from boxdraw.model.risk import Region

    return RiskTable([Region(one, 0.0, 0.0, 0.5, 0.0, 1.0) for one in of], boxes)


def counted_anew(
    regions: RiskTable, places: IntArray, positive: BoolArray, weight: FloatArray | None, base_rate: float | None
) -> RiskTable:
    """Return regions with the risk of given rows."""
    mass = np.ones(len(places)) if weight is None else weight
    if not mass.sum() > 0:
        raise ValueError("There are no rows of any weight to count.")
    of = [region.of for region in regions]
    return estimate_risk(of, *count(places, len(regions), positive, mass), regions.boxes, base_rate=base_rate)
