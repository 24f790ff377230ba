"""BoxSetClassifier: a classifier made from a drawing, wherever it came from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import FloatArray
from boxdraw.learners.base import BaseBoxClassifier
from boxdraw.model.boxes import BoxSet
from boxdraw.tables.labels import check_binary
from boxdraw.tables.order import fit_order
from boxdraw.tables.schema import as_table, check_table, is_frame, read_training, warn_of_unseen
from boxdraw.tables.training import Training


class BoxSetClassifier(BaseBoxClassifier):
    """A classifier that flags the rows inside the boxes of a `BoxSet`: loaded from a file, written by hand or edited.

    It is fitted as soon as it has boxes. `fit` is there for scikit-learn's tools: it checks that the boxes go with
    the table, takes the labels from y, and never changes the given boxes. Without boxes it draws the tightest
    box around the positive class, the simplest drawing there is.

    Parameters
    ----------
    boxes : BoxSet or None
        The model.
    classes : pair of labels, default=(0, 1)
        The negative and the positive label, in this order; `fit` replaces them by those of y.
    pos_label : label, default=None
        The positive class in `fit`; the one with fewer rows if None.

    Attributes
    ----------
    boxes_ : BoxSet
        The model.
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    pos_label_ : label
        The positive class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when the boxes or the table of `fit` have them.

    Examples
    --------
    >>> from boxdraw import BoxSet, BoxSetClassifier
    >>> boxes = BoxSet([[200.0, 0.0]], [[float("inf"), 6.0]], feature_names=["amount", "hour"])
    >>> model = BoxSetClassifier(boxes, classes=("ok", "fraud"))
    >>> model.predict([[250.0, 3.0], [250.0, 12.0]]).tolist()
    ['fraud', 'ok']
    """

    def __init__(self, boxes: BoxSet | None = None, *, classes: Any = (0, 1), pos_label: Any = None) -> None:
        self.boxes = boxes
        self.classes = classes
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any) -> BoxSetClassifier:
        """Check the boxes against a table and take over its labels; draw the tightest box if there are none.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.

        Returns
        -------
        BoxSetClassifier
            The fitted estimator.
        """
        boxes = self.boxes
        if boxes is not None:
            check_table(X)
            _check_boxes(boxes).contains(X)  # a table that does not go with the boxes ends here
        matrix, y, encoding = read_training(self, X, y, learns=boxes is None)
        self.classes_, self.pos_label_, positive = check_binary(y, self.pos_label)
        if boxes is None:
            data = Training(matrix, positive, None, n_codes=encoding.n_codes)
            order = fit_order(data)
            rows = order.apply(matrix[positive]).astype(np.float64)
            lower, upper = np.fmin.reduce(rows), np.fmax.reduce(rows)
            boxes = encoding.boxes(
                np.where(np.isnan(lower), -np.inf, lower)[None], np.where(np.isnan(upper), np.inf, upper)[None], order
            )
        self.boxes_ = boxes
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return how far inside the boxes each row is, in the features' own units.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            `BoxSet.margin`, finite, its sign that of ``predict``; it ranks towards ``classes_[1]``.
        """
        check_is_fitted(self)
        margin = self.boxes_.margin(self._validated(X))
        return self._towards_second_class(margin, margin >= 0)

    def _validated(self, X: Any) -> Any:
        """Check X against the table of fit; without one, the boxes find their columns by themselves."""
        if "boxes_" in self.__dict__:
            return super()._validated(X)
        check_table(X)
        table = X if is_frame(X) or all(values is None for values in self.boxes_.categories) else as_table(X)
        warn_of_unseen(table, self.boxes_)
        return table

    def __sklearn_is_fitted__(self) -> bool:
        return "boxes_" in self.__dict__ or self.boxes is not None

    def __getattr__(self, name: str) -> Any:
        """Answer from the parameters what `fit` would have set: with boxes, the classifier is fitted from the start."""
        if name not in _FITTED or self.__dict__.get("boxes") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        boxes = _check_boxes(self.boxes)
        if name == "boxes_":
            return boxes
        if name == "n_features_in_":
            return boxes.n_features
        classes = np.unique(np.asarray(self.classes))
        if classes.shape != (2,) or set(classes.tolist()) != set(self.classes):
            raise ValueError(
                f"classes must be two different labels of one type, (negative, positive); got {self.classes!r}."
            )
        if self.pos_label is not None and self.pos_label != self.classes[1]:
            raise ValueError(
                f"pos_label={self.pos_label!r}, but classes={self.classes!r} has the positive label second."
            )
        return classes if name == "classes_" else classes[classes == self.classes[1]][0]


_FITTED = ("boxes_", "classes_", "n_features_in_", "pos_label_")


def _check_boxes(boxes: Any) -> BoxSet:
    if not isinstance(boxes, BoxSet):
        raise TypeError(f"boxes must be a BoxSet; got {type(boxes).__name__}. BoxSet.from_json reads one from a file.")
    return boxes
