"""Regions of risk, and the held-out rows in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.risk import Region, RiskTable, estimate_risk
from boxdraw.model.scorecard import Scorecard

# How many variances of a share regions of folds add, as they are not quite those of the model. Chosen on six of the
# paper's tables, confirmed on the others (docs/howto_risk.rst).
_OF_FOLDS = 0.5
Regions = list[Any]
Ranks = IntArray | FloatArray


def regions_of(drawing: BoxSet | Scorecard, points: IntArray | None = None) -> RiskTable:
    """Return regions without rows: the points that rows have, from the most on, or inside all boxes and outside."""
    if isinstance(drawing, Scorecard):
        of: Regions = [*np.unique(np.asarray(points))[:0:-1].tolist(), None]
        return _uncounted(of, None)
    boxes, of_boxes, _ = ladder([drawing])
    return _uncounted(of_boxes, boxes)


def ladder(levels: Sequence[BoxSet]) -> tuple[BoxSet, Regions, IntArray]:
    """Return regions of drawings from tight to loose: their boxes, the numbers of each, and which one each drawing is.

    A box counts where it is first. A drawing that adds none is the region before it, and one that holds every row is
    the last region, as the rows left over are.
    """
    numbers: dict[BoxSet, int] = {}
    of: list[Any] = []
    region: list[int] = []
    for level in levels:
        if not level.limited.any(axis=1).all():
            break
        new = tuple(dict.fromkeys(box for box in level if box not in numbers))
        numbers |= {box: len(numbers) + k for k, box in enumerate(new)}
        of += [tuple(numbers[box] for box in new)] if new else []
        region.append(max(len(of) - 1, 0))
    boxes = levels[0][[]]
    for box in numbers:
        boxes += box
    return boxes, [*of, ()], np.array(region + [len(of)] * (len(levels) + 1 - len(region)))


def count(places: IntArray, n_regions: int, positive: BoolArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weight of all rows and of the positives in each region."""
    rows, positives = (np.bincount(places, part, n_regions).astype(np.float64) for part in (weight, weight * positive))
    return rows, positives


@dataclass(frozen=True, slots=True)
class FoldRows:
    """How high rows of a fold rank by its own model: those it was learned from, and those it held out."""

    own: Ranks
    weight: FloatArray
    new: Ranks
    new_weight: FloatArray
    positive: BoolArray  # of the new ones


def spread(places: IntArray, weight: FloatArray, n_regions: int, folds: Sequence[FoldRows]) -> FloatArray:
    """Return the held-out rows and positives in each region, given the places of the training rows.

    Models of the folds have other regions. What they have in common is the share of the training rows that rank as
    high: held-out rows of a rank are spread over the regions of the same shares, from the highest on.
    """
    ends = np.append(0.0, np.cumsum(np.bincount(places, weights=weight, minlength=n_regions))) / weight.sum()
    counts = np.zeros((2, n_regions))
    for fold in folds:
        ranks, place = np.unique(fold.own, return_inverse=True)
        mass = np.bincount(place.reshape(-1), weights=fold.weight)[::-1]
        own = np.append(0.0, np.cumsum(mass)) / mass.sum()
        parts = np.minimum(own[1:, None], ends[1:]) - np.maximum(own[:-1, None], ends[:-1])
        parts = np.clip(parts, 0, None)
        whole = parts.sum(axis=1, keepdims=True)  # 0 of weights that are lost beside others
        parts = np.divide(parts, whole, out=np.zeros_like(parts), where=whole > 0)
        # A rank that no training row of the fold has is the next lower one, or else the lowest.
        at = np.minimum(np.searchsorted(-ranks[::-1], -fold.new), len(ranks) - 1)
        counts += np.array(count(at, len(ranks), fold.positive, fold.new_weight)) @ parts
    return counts


def held_out_risk(
    of: Regions, counts: FloatArray, boxes: BoxSet | None = None, *, times: float = 1.0, **known: Any
) -> RiskTable:
    """Return the risk from the counts of the folds, in which a row that is held out several times counts once.

    Rows that are held out again are the same rows, but each time by other regions, whose variance is shared.
    """
    return estimate_risk(of, counts[0], counts[1], boxes, variances=2 + _OF_FOLDS / times, **known)


def _uncounted(of: Regions, boxes: BoxSet | None) -> RiskTable:
    return RiskTable([Region(one, 0.0, 0.0, 0.5, 0.0, 1.0) for one in of], boxes)


def counted_anew(
    regions: RiskTable, places: IntArray, positive: BoolArray, weight: FloatArray | None, base_rate: float | None
) -> RiskTable:
    """Return regions with the risk of given rows."""
    mass = np.ones(len(places)) if weight is None else weight
    if not mass.sum() > 0:
        raise ValueError("There are no rows of any weight to count.")
    if base_rate is not None and not 0 < mass[positive].sum() < mass.sum():
        raise ValueError(
            "base_rate moves the odds, but the rows are all of one class: give rows of both or leave it out."
        )
    of = [region.of for region in regions]
    return estimate_risk(of, *count(places, len(regions), positive, mass), regions.boxes, base_rate=base_rate)
