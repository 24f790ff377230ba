"""Validation of numeric tables, shared by our own baselines."""

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
    """A classifier of numeric rows; subclasses implement ``_learn`` and ``_predict_rows`` for validated rows."""

    classes_: npt.NDArray[Any]
    n_features_in_: int

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier."""
        self._learn(*self._labelled_rows(X, y))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row."""
        return self._predict_rows(self._rows(X))

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        raise NotImplementedError

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        raise NotImplementedError

    def _labelled_rows(self, X: Any, y: Any) -> tuple[FloatArray, npt.NDArray[Any]]:
        """Validate the training rows, and set the classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) < 2:
            only = classes.tolist()[0]
            raise ValueError(f"Classifier can't train when only one class is present: every label is {only!r}.")
        self.classes_ = classes
        return X, y

    def _rows(self, X: Any) -> FloatArray:
        """Validate rows against the training rows."""
        check_is_fitted(self)
        rows: FloatArray = validate_data(self, X, reset=False, dtype=np.float64)
        return rows
