"""Which box of one drawing is which of another: by the rows that they hold, or by their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.boxes import BoxSet

ALIKE = 0.5  # the least likeness of two boxes that count as one that has changed, not as one dropped and one added

Part = tuple[int, str]  # a feature, and "lower", "upper", "categories" or "missing"


def match_rows(ours: BoolArray, theirs: BoolArray, weight: FloatArray) -> dict[int, int]:
    """Match boxes by the rows that each holds: the weight of the rows in both, over that of the rows in either."""
    both = (ours * weight[:, None]).T @ theirs
    either = (weight @ ours)[:, None] + weight @ theirs - both
    return _pairs(np.divide(both, either, out=np.zeros_like(both), where=either > 0))


def match_limits(ours: BoxSet, theirs: BoxSet) -> dict[int, int]:
    """Match boxes by what they ask, where there are no rows: the parts in both, over those in either.

    Of numbers and sets that differ, half a part is in both.
    """
    likeness = np.zeros((len(ours), len(theirs)))
    for k, own in enumerate(_by_name(ours)):
        likeness[k] = [_shared(own, other) for other in _by_name(theirs)]
    return _pairs(likeness)


def parts_of(boxes: BoxSet, k: int, missing: tuple[bool, ...] = ()) -> dict[Part, Any]:
    """Return what a box asks, part by part.

    Whether missing values are inside is a part if the box asks nothing else of a feature, or where ``missing`` is True.
    """
    parts: dict[Part, Any] = {}
    for j in np.flatnonzero(boxes.limited[k]).tolist():
        low, high = float(boxes.lower[k, j]), float(boxes.upper[k, j])
        asked: dict[str, Any] = {side: end for side, end in (("lower", low), ("upper", high)) if np.isfinite(end)}
        if boxes.allowed[k][j] is not None:
            asked["categories"] = boxes.allowed[k][j]
        if not asked or (missing and missing[j]):
            asked["missing"] = bool(boxes.missing[k, j]), low > high
        parts |= {(j, side): value for side, value in asked.items()}
    return parts


def _by_name(boxes: BoxSet) -> list[dict[tuple[str, str], Any]]:
    """Return the parts of each box by the names of features, which may have other places in another drawing."""
    names = boxes.feature_names
    return [{(names[j], side): value for (j, side), value in parts_of(boxes, k).items()} for k in range(len(boxes))]


def _shared(ours: dict[Any, Any], theirs: dict[Any, Any]) -> float:
    """Return the share of the parts of two boxes that are in both; 1 for two boxes that ask nothing."""
    equal = [ours[part] == theirs[part] for part in ours.keys() & theirs.keys()]
    either = len(ours.keys() | theirs.keys())
    return (sum(equal) + len(equal)) / (2 * either) if either else 1.0


def _pairs(likeness: FloatArray) -> dict[int, int]:
    """Pair rows with columns, each with one at most, so that the likeness of all pairs adds up to the most."""
    likeness = np.where(likeness < ALIKE, 0.0, likeness)
    pairs = zip(*linear_sum_assignment(likeness, maximize=True), strict=True)
    return {int(k): int(other) for k, other in pairs if likeness[k, other] > 0}
