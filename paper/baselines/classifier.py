"""What the baselines that are written here share: how they take tables of numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from boxdraw._core.arrays import FloatArray

__all__ = ["NumbersClassifier"]


class NumbersClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of rows of numbers. Subclasses have ``_learn`` and ``_predict_rows``, for rows that are checked.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    n_features_in_ : int
        Number of features.
    """

    classes_: npt.NDArray[Any]
    n_features_in_: int

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows: numbers, none of them missing.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        NumbersClassifier
            The fitted estimator.
        """
        self._learn(*self._labelled_rows(X, y))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of ``classes_``.
        """
        return self._predict_rows(self._rows(X))

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        raise NotImplementedError

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        raise NotImplementedError

    def _labelled_rows(self, X: Any, y: Any) -> tuple[FloatArray, npt.NDArray[Any]]:
        """Check what is to be learned from, and note the classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) < 2:
            only = classes.tolist()[0]
            raise ValueError(f"Classifier can't train when only one class is present: every label is {only!r}.")
        self.classes_ = classes
        return X, y

    def _rows(self, X: Any) -> FloatArray:
        """Check rows against those that fit saw."""
        check_is_fitted(self)
        rows: FloatArray = validate_data(self, X, reset=False, dtype=np.float64)
        return rows
