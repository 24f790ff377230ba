"""HDDT: a decision tree that splits by the Hellinger distance of the classes.

Cieslak and Chawla (2008), "Learning decision trees for unbalanced data", ECML PKDD. A split is worth the distance
between how the positives and how the negatives fall to its two sides, so how many there are of either says nothing.
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
    """Return the Hellinger distance of the classes from the shares of the positives and negatives that go left.

    Parameters
    ----------
    true_positive_rate, false_positive_rate : float or ndarray
        The share of the positives, and that of the negatives, on the left side.

    Returns
    -------
    float or ndarray
        Between 0, where both classes fall alike, and the root of 2, where the split parts them.

    Examples
    --------
    >>> from paper.baselines.hddt import hellinger_distance
    >>> round(float(hellinger_distance(1.0, 0.0)), 4)
    1.4142
    >>> float(hellinger_distance(0.3, 0.3))
    0.0
    """
    left = np.sqrt(true_positive_rate) - np.sqrt(false_positive_rate)
    right = np.sqrt(1 - true_positive_rate) - np.sqrt(1 - false_positive_rate)
    return np.sqrt(left**2 + right**2)


def best_split(X: FloatArray, positive: BoolArray, min_samples_leaf: int = 1) -> Split | None:
    """Return the split of the largest Hellinger distance; of equal ones the first feature's, lowest threshold's.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    positive : ndarray of bool of shape (n_samples,)
    min_samples_leaf : int, default=1
        The fewest rows of a side.

    Returns
    -------
    Split or None
        None where nothing tells the classes apart.

    Examples
    --------
    >>> import numpy as np
    >>> best_split(np.array([[1.0], [2.0], [4.0]]), np.array([False, False, True]))
    Split(feature=0, threshold=3.0, distance=1.41...)
    """
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
    """Grow a tree, without pruning; return it, and how many negatives and positives each node holds."""
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
    """HDDT: an unpruned decision tree that splits by the Hellinger distance, for numbers and two classes.

    The weight of the negatives cannot change a split, since the distance does not see how much the classes weigh. It
    enters where a leaf decides: with p positives and n negatives in it, smoothed as by Laplace, a leaf is positive if
    p + 1 exceeds ``negative_weight`` times n + 1.

    Parameters
    ----------
    negative_weight : float, default=1.0
        What a negative weighs, a positive being 1.
    min_samples_leaf : int, default=1
        The fewest training rows of a leaf.
    max_depth : int or None, default=None
        The most splits to a leaf.
    pos_label : label, default=None
        The positive class; the one with fewer rows if None.

    Attributes
    ----------
    tree_ : BinaryTree
        The tree, as arrays.
    counts_ : ndarray of int of shape (n_nodes, 2)
        How many negatives and positives of the training rows each node holds.
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    pos_label_ : label
        The positive class.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from paper.baselines import HellingerTreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [7.0], [8.0]], [0, 0, 0, 1, 1]
    >>> model = HellingerTreeClassifier().fit(X, y)
    >>> model.predict([[2.5], [6.0]]).tolist()
    [0, 1]
    >>> model.tree_.n_leaves
    2
    """

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
        """Return the smoothed and weighted shares of the classes in each row's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            A column per class of ``classes_``.
        """
        return self._shares(self._rows(X))

    def _shares(self, X: FloatArray) -> FloatArray:
        leaf = self.tree_.apply(X)
        negative, positive = (self.counts_[leaf] + 1.0).T * np.array([[self.negative_weight], [1.0]])
        share = positive / (positive + negative)
        columns = (1 - share, share) if self.pos_label_ == self.classes_[1] else (share, 1 - share)
        return np.column_stack(columns)
