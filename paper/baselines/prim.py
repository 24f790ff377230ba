"""PRIM, the patient rule induction method: boxes with a high share of positives, found by peeling.

Friedman and Fisher (1999), "Bump hunting in high-dimensional data", Statistics and Computing 9. From all rows, slices
of a few per cent are peeled off, each the one that leaves the highest share of positives; then slices are pasted back
as long as the share grows; the rows of the box are removed, and the next box is searched in the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_scalar
from sklearn.utils.validation import assert_all_finite, validate_data

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.base import BaseBoxClassifier
from boxdraw.model.boxes import BoxSet
from boxdraw.tables.labels import check_binary
from paper.baselines.weighted import check_negative_weight

LOWER, UPPER = 0, 1


@dataclass(frozen=True, slots=True)
class Box:
    """Closed limits, and the numbers of positives and negatives inside."""

    limits: FloatArray  # two rows: lower and upper
    positives: int
    negatives: int

    @property
    def size(self) -> int:
        """Number of rows inside."""
        return self.positives + self.negatives

    @property
    def mean(self) -> float:
        """Share of positives inside."""
        return self.positives / self.size

    def holds(self, X: FloatArray) -> BoolArray:
        """Return a mask of the rows inside."""
        inside: BoolArray = ((self.limits[LOWER] <= X) & (self.limits[UPPER] >= X)).all(axis=1)
        return inside


def whole_space(positive: BoolArray, n_features: int) -> Box:
    """Return the box without limits."""
    limits = np.array([[-np.inf], [np.inf]]).repeat(n_features, axis=1)
    return Box(limits, int(positive.sum()), int((~positive).sum()))


def slice_size(alpha: float, n_rows: int) -> int:
    """Return the number of rows in a slice: all up to the quantile alpha, rounded down."""
    return int(alpha * (n_rows - 1)) + 1


def best_peel(X: FloatArray, positive: BoolArray, box: Box, alpha: float, min_rows: int) -> Box | None:
    """Return the box without the slice whose removal leaves the highest share of positives, the smallest if tied."""
    ordered, k = np.sort(X, axis=0), slice_size(alpha, len(X))
    cuts = np.stack([ordered[k - 1], ordered[-k]])
    gone = np.stack([cuts[LOWER] >= X, cuts[UPPER] <= X])  # sides, rows, features
    left = len(X) - gone.sum(axis=1)
    hits = box.positives - np.einsum("r,srf->sf", positive.astype(np.intp), gone.astype(np.intp))
    mean = np.where(left >= min_rows, hits / np.maximum(left, 1), -1.0)
    if mean.max() < 0:
        return None
    side, j = _first_best(mean, left)
    kept = X[~gone[side, :, j], j]
    limits = box.limits.copy()
    limits[side, j] = _limit(float(kept.min() if side == LOWER else kept.max()), float(cuts[side, j]))
    positives = int(hits[side, j])
    return Box(limits, positives, int(left[side, j]) - positives)


def best_paste(X: FloatArray, positive: BoolArray, box: Box, alpha: float) -> Box | None:
    """Return the box extended by the slice with the highest share of positives, if that exceeds the old share."""
    outside = np.stack([box.limits[LOWER] > X, box.limits[UPPER] < X])
    alone = outside & (outside.sum(axis=(0, 2)) == 1)[None, :, None]  # excluded by this limit only
    best, k = box, slice_size(alpha, box.size)
    for side, j in np.argwhere(alone.any(axis=1)):
        rows = np.flatnonzero(alone[side, :, j])
        sign = -1.0 if side == LOWER else 1.0
        away = sign * X[rows, j]
        reach = np.sort(away)[min(k, len(away)) - 1]
        added = away <= reach
        hits = int(positive[rows[added]].sum())
        candidate = Box(box.limits, box.positives + hits, box.negatives + int(added.sum()) - hits)
        if (candidate.mean, candidate.size) > (best.mean, best.size) and candidate.mean > box.mean:
            limits = box.limits.copy()
            limits[side, j] = sign * (np.inf if added.all() else _limit(float(reach), float(away[~added].min())))
            best = replace(candidate, limits=limits)
    return None if best is box else best


def _first_best(mean: FloatArray, left: IntArray) -> tuple[int, int]:
    """Return the side and the feature of the highest mean; ties go to most rows left, then to the first feature."""
    ties = np.where(mean.max() == mean.T, left.T, -1)
    j, side = np.unravel_index(ties.argmax(), ties.shape)
    return int(side), int(j)


def _limit(inside: float, outside: float) -> float:
    """Return a limit halfway between the last row inside and the first one outside, which rounding must not admit."""
    middle = inside / 2 + outside / 2
    return middle if min(inside, outside) < middle < max(inside, outside) else inside


def peel_trajectory(X: FloatArray, positive: BoolArray, alpha: float, min_rows: int) -> list[Box]:
    """Peel until too few rows, or only positives, are left; return all boxes on the way, the whole space first."""
    boxes = [whole_space(positive, X.shape[1])]
    rows = np.arange(len(X))
    while boxes[-1].negatives:
        box = best_peel(X[rows], positive[rows], boxes[-1], alpha, min_rows)
        if box is None:
            break
        boxes.append(box)
        rows = rows[box.holds(X[rows])]
    return boxes


class PRIMClassifier(BaseBoxClassifier):
    """PRIM, the patient rule induction method, as a classifier: rows in a box are positive."""

    def __init__(
        self,
        negative_weight: float = 1.0,
        *,
        peel_alpha: float = 0.05,
        paste_alpha: float = 0.01,
        mass_min: float = 0.05,
        threshold: float = 0.5,
        max_boxes: int | None = None,
        pos_label: Any = None,
    ) -> None:
        self.negative_weight = negative_weight
        self.peel_alpha = peel_alpha
        self.paste_alpha = paste_alpha
        self.mass_min = mass_min
        self.threshold = threshold
        self.max_boxes = max_boxes
        self.pos_label = pos_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    def fit(self, X: Any, y: Any) -> PRIMClassifier:
        """Find the boxes."""
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, self.pos_label_, positive = check_binary(y, self.pos_label)
        limits = [box.limits for box in self._cover(X, positive)]
        lower, upper = np.array(limits).reshape(-1, 2, X.shape[1]).swapaxes(0, 1)
        self.boxes_ = BoxSet(lower, upper, feature_names=getattr(self, "feature_names_in_", None))
        return self

    def _cover(self, X: FloatArray, positive: BoolArray) -> Iterator[Box]:
        """Yield boxes, each found in the rows that no earlier box holds."""
        min_rows = max(1, int(np.ceil(self.mass_min * len(X))))
        found = 0
        while positive.any() and (self.max_boxes is None or found < self.max_boxes):
            box = max(peel_trajectory(X, positive, self.peel_alpha, min_rows), key=self._gain)
            if self._gain(box) <= 0:
                return
            while self.paste_alpha and (larger := best_paste(X, positive, box, self.paste_alpha)):
                box = larger
            yield box
            found += 1
            left = ~box.holds(X)
            X, positive = X[left], positive[left]

    def _gain(self, box: Box) -> float:
        """Return the total excess of a box over the threshold; on ties, ``max`` takes the first and largest box."""
        return (1 - self.threshold) * box.positives - self.threshold * self.negative_weight * box.negatives

    def _check_parameters(self) -> None:
        check_negative_weight(self.negative_weight)
        for name in ("peel_alpha", "threshold"):
            check_scalar(getattr(self, name), name, Real, min_val=0, max_val=1, include_boundaries="neither")
        for name in ("paste_alpha", "mass_min"):
            check_scalar(getattr(self, name), name, Real, min_val=0, max_val=1, include_boundaries="left")
        if self.max_boxes is not None:
            check_scalar(self.max_boxes, "max_boxes", Integral, min_val=1)

    def _knows_table(self) -> bool:
        return False  # predict calls `_validated`, which rejects missing values, too

    def _validated(self, X: Any) -> Any:
        rows = super()._validated(X)
        assert_all_finite(rows, estimator_name=type(self).__name__, input_name="X")
        return rows
