"""HDDT: a decision tree that splits by the Hellinger distance of the classes.

Cieslak and Chawla (2008), "Learning decision trees for unbalanced data", ECML PKDD. The criterion is
the distance between the distributions of positives and negatives over the two sides, so class sizes do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_scalar

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.tables.labels import check_binary
from paper.baselines.classifier import NumbersClassifier
from paper.baselines.trees import BinaryTree, Nodes
from paper.baselines.weighted import check_negative_weight


@dataclass(frozen=True, slots=True)
class Split:
    """Rows with at most ``threshold`` in ``feature`` go left; ``distance`` is the Hellinger distance."""

    feature: int
    threshold: float
    distance: float


def hellinger_distance(true_positive_rate: Any, false_positive_rate: Any) -> Any:
    """Return the Hellinger distance of the classes, given the shares of positives and negatives that go left."""
    left = np.sqrt(true_positive_rate) - np.sqrt(false_positive_rate)
    right = np.sqrt(1 - true_positive_rate) - np.sqrt(1 - false_positive_rate)
    return np.sqrt(left**2 + right**2)


def best_split(X: FloatArray, positive: BoolArray, min_samples_leaf: int = 1) -> Split | None:
    """Return the split with the largest Hellinger distance; ties go to the first feature and the lowest threshold."""
    n_rows, n_positive = len(X), int(positive.sum())
    if n_positive in (0, n_rows) or n_rows < 2 * min_samples_leaf:
        return None
    order = np.argsort(X, axis=0, kind="stable")
    values = np.take_along_axis(X, order, axis=0)
    hits = positive[order].cumsum(axis=0)[:-1]  # positives among the first 1, 2, ... rows of each feature
    alarms = np.arange(1, n_rows)[:, None] - hits
    distance = hellinger_distance(hits / n_positive, alarms / (n_rows - n_positive))
    distance[values[:-1] == values[1:]] = 0.0  # equal values stay together
    distance[: min_samples_leaf - 1] = 0.0
    distance[n_rows - min_samples_leaf :] = 0.0
    feature, place = np.unravel_index(distance.T.argmax(), distance.T.shape)
    best = float(distance[place, feature])
    if best <= 0.0:
        return None
    below, above = float(values[place, feature]), float(values[place + 1, feature])
    middle = below / 2 + above / 2
    return Split(int(feature), middle if below <= middle < above else below, best)


def grow(
    X: FloatArray, positive: BoolArray, min_samples_leaf: int, max_depth: int | None
) -> tuple[BinaryTree, IntArray]:
    """Grow an unpruned tree; return it, and the numbers of negatives and positives in each node."""
    nodes, counts = Nodes(), {}
    waiting = [(nodes.add_leaf(), np.arange(len(X)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        here = positive[rows]
        counts[node] = (int((~here).sum()), int(here.sum()))
        split = best_split(X[rows], here, min_samples_leaf) if max_depth is None or depth < max_depth else None
        if split is not None:
            left, right = nodes.split(node, split.feature, split.threshold)
            goes_left = X[rows, split.feature] <= split.threshold
            waiting += [(left, rows[goes_left], depth + 1), (right, rows[~goes_left], depth + 1)]
    return nodes.tree(), np.array([counts[node] for node in range(len(counts))], dtype=np.intp)


class HellingerTreeClassifier(NumbersClassifier):
    """HDDT: an unpruned tree split by the Hellinger distance; the weight of the negatives only decides leaves."""

    def __init__(
        self,
        negative_weight: float = 1.0,
        *,
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        pos_label: Any = None,
    ) -> None:
        self.negative_weight = negative_weight
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.pos_label = pos_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        check_negative_weight(self.negative_weight)
        check_scalar(self.min_samples_leaf, "min_samples_leaf", Integral, min_val=1)
        if self.max_depth is not None:
            check_scalar(self.max_depth, "max_depth", Integral, min_val=1)
        _, self.pos_label_, positive = check_binary(y, self.pos_label)
        self.tree_, self.counts_ = grow(X, positive, self.min_samples_leaf, self.max_depth)

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        """Return the class of the larger share in each row's leaf."""
        return self.classes_[self._shares(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the smoothed and weighted shares of the classes in each row's leaf."""
        return self._shares(self._rows(X))

    def _shares(self, X: FloatArray) -> FloatArray:
        leaf = self.tree_.apply(X)
        negative, positive = (self.counts_[leaf] + 1.0).T * np.array([[self.negative_weight], [1.0]])
        share = positive / (positive + negative)
        columns = (1 - share, share) if self.pos_label_ == self.classes_[1] else (share, 1 - share)
        return np.column_stack(columns)
