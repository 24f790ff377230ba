"""The whole cost trade-off from one fit: every row's critical weight, and the boxes at any cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix
from boxdraw._core.tiles import threaded_map, tiles
from boxdraw.learners.fast.divide import EdgeSums
from boxdraw.learners.fast.expand import Edges, critical_weight
from boxdraw.learners.fast.exponential import exp
from boxdraw.learners.fast.growth import EDGE, Growth
from boxdraw.learners.fast.stops import LOWER, UPPER
from boxdraw.metrics import auh_from_points, roc_hull
from boxdraw.model.boxes import BoxSet
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.training import Training

if TYPE_CHECKING:
    from boxdraw.plotting.roc_path import PathDisplay

# Up to here NumPy: loading numba doubles the time of a first small fit and its scores (docs/figures/twins.txt).
_MANY_CELLS = 2**17


def critical_weights(
    edges: Edges, X: Matrix, expansions: Sequence[float], growth: Growth, n_jobs: int | None
) -> FloatArray:
    """Return max over boxes of min over edges of the critical weight, a row per expansion. NaN is inside."""
    if not len(X):
        return np.empty((len(expansions), 0))
    if has_many_cells(X):
        from boxdraw.learners.fast.weights import compiled_weights

        return compiled_weights(edges, X, expansions, growth, n_jobs)

    def work(tile: slice) -> FloatArray:
        return _tile_weights(edges, edges.order.apply(X[tile]), expansions, growth)

    return np.concatenate(list(threaded_map(work, tiles(len(X), edges.tight[LOWER].size), n_jobs)), axis=1)


def has_many_cells(X: Matrix) -> bool:
    """Return True where compiled code pays off."""
    return X.size > _MANY_CELLS


def training_weights(edges: Edges, data: Training, expansion: float, growth: Growth, n_jobs: int | None) -> FloatArray:
    """Return the critical weights of the training rows."""
    # A training negative is the first one that an edge meets on its way to it, so there is no need to search for that.
    if not growth.stops_at_negatives or has_many_cells(data.X):
        return critical_weights(edges, data.X, [expansion], growth, n_jobs).ravel()
    critical = np.empty(len(data.X))
    for rows, rule in ((data.positive, growth), (~data.positive, EDGE)):
        critical[rows] = critical_weights(edges, data.X[rows], [expansion], rule, n_jobs).ravel()
    return critical


def _tile_weights(edges: Edges, X: Matrix, expansions: Sequence[float], growth: Growth) -> FloatArray:
    low, high = _mirrored_columns(edges, X, growth)
    above = low - edges.tight[LOWER][:, :, None], high - edges.tight[UPPER][:, :, None]
    if growth.may_shrink:
        return _free_weights(edges.sums, above, expansions)
    return _growing_weights(edges.sums, above, expansions)


def _free_weights(sums: EdgeSums, above: tuple[FloatArray, FloatArray], expansions: Sequence[float]) -> FloatArray:
    t = exp(np.stack(above) + 1)
    positive, negative = sums.positive[..., None], sums.negative[..., None]
    weights = [critical_weight(t, positive, negative, expansion) for expansion in expansions]
    return np.stack([weight.min(axis=(0, 2)).max(axis=0) for weight in weights])


def _growing_weights(sums: EdgeSums, above: tuple[FloatArray, FloatArray], expansions: Sequence[float]) -> FloatArray:
    """Return the critical weights where boxes never shrink: only values beyond a tight box are computed."""
    beyond = [values < 0 for values in above]
    counts = [np.count_nonzero(cells, axis=2).ravel() for cells in beyond]
    t = [exp(above[side][beyond[side]] + 1) for side in (LOWER, UPPER)]
    positive = [np.repeat(sums.positive[side], counts[side]) for side in (LOWER, UPPER)]
    negative = [np.repeat(sums.negative[side], counts[side]) for side in (LOWER, UPPER)]
    unseen = beyond[LOWER][beyond[UPPER]]
    result = np.empty((len(expansions), above[LOWER].shape[2]))
    weight = np.full_like(above[LOWER], np.inf)
    for i, expansion in enumerate(expansions):
        low, high = (critical_weight(t[side], positive[side], negative[side], expansion) for side in (LOWER, UPPER))
        weight[beyond[LOWER]] = low
        if unseen.any():
            high[unseen] = np.minimum(high[unseen], weight[beyond[UPPER]][unseen])
        weight[beyond[UPPER]] = high
        weight.min(axis=1).max(axis=0, out=result[i])
    return result


def _mirrored_columns(edges: Edges, X: Matrix, growth: Growth) -> tuple[FloatArray, FloatArray]:
    """Return the scaled coordinates that decide: the values, or the negatives that an edge meets before them."""
    low = high = X
    if (unseen := np.isinf(X)).any():
        farthest = np.finfo(np.float64).max
        low, high = np.where(unseen, -farthest, X), np.where(unseen, farthest, X)
    scaled_low = edges.scaling.columns(low)
    scaled_high = scaled_low if high is low else edges.scaling.columns(high)
    if not growth.stops_at_negatives:
        return _or_inside(scaled_low), _or_inside(-scaled_high)
    assert edges.stops is not None
    beyond_low = scaled_low < edges.tight[LOWER].max(axis=0)[:, None]
    beyond_high = -scaled_high < edges.tight[UPPER].max(axis=0)[:, None]
    columns_low = np.ascontiguousarray(low.T, dtype=np.float64)
    columns_high = columns_low if high is low else np.ascontiguousarray(high.T, dtype=np.float64)
    snapped_low = edges.stops.snap(columns_low, scaled_low, LOWER, beyond_low)
    return snapped_low, -edges.stops.snap(columns_high, scaled_high, UPPER, beyond_high)


def _or_inside(mirrored: FloatArray) -> FloatArray:
    """Put missing values infinitely far inside."""
    return np.where(np.isnan(mirrored), np.inf, mirrored)


def draw(edges: Edges, c: float, expansion: float, growth: Growth, encoding: Encoding) -> BoxSet:
    """Return the boxes at cost c, with the very limits of the closed form."""
    return encoding.boxes(*edges.limits(c, expansion, growth), edges.order)


@dataclass(frozen=True, slots=True)
class TrainingRoc:
    """Weights of the training rows at or above each critical weight, from the highest one down."""

    critical: FloatArray
    true_positives: FloatArray
    false_positives: FloatArray

    @classmethod
    def of(cls, critical: FloatArray, positive: BoolArray, weight: FloatArray | None) -> TrainingRoc:
        """Count rows by falling critical weight."""
        order = np.argsort(-critical, kind="stable")
        critical, positive = critical[order], positive[order]
        mass = np.ones(len(order)) if weight is None else weight[order]
        last = np.append(np.flatnonzero(critical[1:] != critical[:-1]), len(critical) - 1)
        true, false = np.cumsum(mass * positive)[last], np.cumsum(mass * ~positive)[last]
        return cls(critical=critical[last], true_positives=true, false_positives=false)

    def rates(self, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the false and true positive rate of the boxes at each c."""
        flagged = np.searchsorted(-self.critical, -c, side="right")
        fpr = np.append(0, self.false_positives)[flagged] / self.false_positives[-1]
        tpr = np.append(0, self.true_positives)[flagged] / self.true_positives[-1]
        return fpr, tpr

    def precision(self, c: FloatArray) -> FloatArray:
        """Return the share of positives among the rows that the boxes at each c flag; NaN where they flag none."""
        flagged = np.searchsorted(-self.critical, -c, side="right")
        true, false = (np.append(0, counts)[flagged] for counts in (self.true_positives, self.false_positives))
        with np.errstate(invalid="ignore"):
            return true / (true + false)

    def corners(self) -> FloatArray:
        """Return a cost for each corner of the ROC's hull: the costs at which some trade-off is best."""
        fpr, tpr = self.rates(self.critical)
        hull = set(_points(*roc_hull(fpr, tpr)))
        corner = np.array([point in hull for point in _points(fpr, tpr)])
        finite = self.critical[np.isfinite(self.critical)]
        beyond = min(2 * float(finite.max()), float(np.finfo(np.float64).max)) if finite.any() else 1.0
        costs = np.where(np.isfinite(self.critical), self.critical, beyond)[corner]
        return np.unique(costs[costs > 0])[::-1]


def _points(fpr: FloatArray, tpr: FloatArray) -> list[tuple[float, ...]]:
    return list(map(tuple, np.column_stack([fpr, tpr]).tolist()))


@dataclass(frozen=True, slots=True)
class PathPoint:
    """The boxes at one cost.

    Attributes
    ----------
    negative_weight : float
        The cost of a false alarm relative to a miss, c.
    boxes : BoxSet
        The boxes drawn for that cost, with the limits of the closed form to the last bit: they are not rounded.
    fpr, tpr : float
        False and true positive rate on the training rows.
    """

    negative_weight: float
    boxes: BoxSet
    fpr: float
    tpr: float

    @property
    def text(self) -> str:
        """The rules in words."""
        return self.boxes.to_text()


class CostCurve:
    """Rates and precision on given rows at a series of costs, and the full ROC over all costs."""

    def __init__(self, roc: TrainingRoc, negative_weights: FloatArray, current: float | None = None) -> None:
        self.negative_weights = negative_weights
        self.current_negative_weight = current
        self.fpr, self.tpr = roc.rates(negative_weights)
        self.precision = roc.precision(negative_weights)
        self.roc_fpr, self.roc_tpr = (np.append(0, rate) for rate in roc.rates(roc.critical))
        self.roc_precision = np.append(np.nan, roc.precision(roc.critical))
        self._roc = roc

    @property
    def auh(self) -> float:
        """Area under the hull of the full ROC."""
        return auh_from_points(self.roc_fpr, self.roc_tpr)

    def hull(self) -> tuple[FloatArray, FloatArray]:
        """Return the convex hull of the full ROC, as (fpr, tpr)."""
        return roc_hull(self.roc_fpr, self.roc_tpr)

    def rates_at(self, negative_weight: float) -> tuple[float, float]:
        """Return the (fpr, tpr) of the boxes at any cost."""
        fpr, tpr = self._roc.rates(np.array([negative_weight], dtype=np.float64))
        return fpr.item(), tpr.item()

    def precision_at(self, negative_weight: float) -> float:
        """Return the precision of the boxes at any cost; NaN if they flag no row."""
        return self._roc.precision(np.array([negative_weight], dtype=np.float64)).item()


class CostPath(CostCurve, Sequence[PathPoint]):
    """The boxes and the training ROC at a series of costs; what ``FastBoxesClassifier.path`` returns.

    Attributes
    ----------
    negative_weights : ndarray of shape (n_points,)
        The costs, in the order given; falling by default, so that the boxes grow from one to the next.
    fpr, tpr, precision : ndarray of shape (n_points,)
        Rates on the training rows at those costs; the precision is NaN where no row is flagged.
    roc_fpr, roc_tpr, roc_precision : ndarray
        The full training ROC, over all costs, and the precision at each of its points.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from boxdraw import FastBoxesClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=False)
    >>> path = FastBoxesClassifier(n_boxes=2).fit(X[:, :2], y).path([1.0, 0.3])
    >>> [point.negative_weight for point in path]
    [1.0, 0.3]
    >>> bool(path[0].tpr <= path[1].tpr)
    True
    """

    def __init__(
        self,
        edges: Edges,
        roc: TrainingRoc,
        negative_weights: FloatArray,
        expansion: float,
        growth: Growth,
        encoding: Encoding,
        current: float,
    ) -> None:
        super().__init__(roc, negative_weights, current)
        self._edges, self._expansion, self._growth, self._encoding = edges, expansion, growth, encoding

    def __len__(self) -> int:
        return len(self.negative_weights)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        c = float(self.negative_weights[index])
        boxes = draw(self._edges, c, self._expansion, self._growth, self._encoding)
        return PathPoint(c, boxes, float(self.fpr[index]), float(self.tpr[index]))

    def __repr__(self) -> str:
        costs = "cost" if len(self) == 1 else "costs"
        lines = [f"CostPath with {len(self)} {costs}, training AUH {self.auh:.4f} over all costs"]
        lines += [
            f"  c = {c:.4g}: flags {tpr:.1%} of positives and {fpr:.1%} of negatives"
            for c, fpr, tpr in zip(self.negative_weights[:10], self.fpr, self.tpr, strict=False)
        ]
        if len(self) > 10:
            lines.append(f"  ... and {len(self) - 10} more")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> PathDisplay:
        """Draw the training ROC, its hull and the points of this path, and precision and recall beside it.

        It needs ``boxdraw[plot]``; `boxdraw.plotting.PathDisplay.plot` says what ``ax`` can be.
        """
        from boxdraw.plotting.roc_path import PathDisplay

        return PathDisplay(self).plot(ax=ax)
