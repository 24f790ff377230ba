"""The weight of the negatives, for classifiers that take it by other ways than a ``class_weight``."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.metrics import roc_curve

from boxdraw._core.arrays import FloatArray
from paper.baselines.classifier import NumbersClassifier

INSTALL = "pip install 'boxdraw[baselines]'"


def imported(module: str, title: str) -> Any:
    """Import a package that only a baseline needs."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"{title} needs {error.name}: {INSTALL}") from None


def check_negative_weight(value: Any) -> None:
    """Refuse a weight of the negatives that is not a finite number above 0.

    Examples
    --------
    >>> from paper.baselines.weighted import check_negative_weight
    >>> check_negative_weight(-1)
    Traceback (most recent call last):
    ValueError: negative_weight must be a finite number above 0; got -1.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise ValueError(f"negative_weight must be a finite number above 0; got {value!r}.")


def class_weight(negative_weight: float) -> dict[int, float]:
    """Return the weights of the labels 0 and 1.

    Examples
    --------
    >>> from paper.baselines.weighted import class_weight
    >>> class_weight(0.3)
    {0: 0.3, 1: 1.0}
    """
    return {0: negative_weight, 1: 1.0}


def row_weights(y: Any, negative_weight: float) -> FloatArray:
    """Return the weight of each row by its label, 0 or 1."""
    return np.where(np.asarray(y) == 1, 1.0, negative_weight)


def best_threshold(y: Any, score: Any, sample_weight: Any) -> float:
    """Return from which score on to predict 1, so that most of the weight is predicted right.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, 0 or 1.
    score : array-like of shape (n_samples,)
        What the rows are ranked by.
    sample_weight : array-like of shape (n_samples,)
        Weights of the rows.

    Returns
    -------
    float
        The threshold, which belongs to the rows predicted 1; infinite if none is to be.

    Examples
    --------
    >>> from paper.baselines.weighted import best_threshold
    >>> float(best_threshold([0, 0, 0, 1], [1, 2, 5, 4], [1, 1, 1, 1]))
    inf
    >>> float(best_threshold([0, 0, 0, 1], [1, 2, 5, 4], [0.3, 0.3, 0.3, 1]))
    4.0
    """
    false_alarms, hits, thresholds = roc_curve(y, score, sample_weight=sample_weight)
    positive = np.asarray(y) == 1
    negatives_to_positives = np.sum(sample_weight, where=~positive) / np.sum(sample_weight, where=positive)
    best: float = thresholds[np.argmax(hits - negatives_to_positives * false_alarms)]
    return best


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed NumPy's global generator for a while, for packages that draw from it, and put it back as it was."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


class WeightedClassifier(MetaEstimatorMixin, NumbersClassifier):
    """A classifier that is fitted with the weight of the negatives as weights of the rows.

    Parameters
    ----------
    estimator : classifier
        Its ``fit`` takes ``sample_weight``.
    negative_weight : float, default=1.0
        What a row of label 0 weighs, one of label 1 being 1.
    random_state : int, default=0
        For estimators that draw from NumPy's global generator.

    Attributes
    ----------
    estimator_ : classifier
        The fitted one.
    classes_ : ndarray
        The labels.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from paper.baselines.weighted import WeightedClassifier
    >>> X, y = [[0], [0], [0], [1]], [0, 0, 1, 0]
    >>> [WeightedClassifier(DecisionTreeClassifier(), c).fit(X, y).predict([[0]]).item() for c in (1.0, 0.4)]
    [0, 1]
    """

    def __init__(self, estimator: Any, negative_weight: float = 1.0, random_state: int = 0) -> None:
        self.estimator = estimator
        self.negative_weight = negative_weight
        self.random_state = random_state

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        check_negative_weight(self.negative_weight)
        with seeded(self.random_state):
            weights = row_weights(y, self.negative_weight)
            self.estimator_ = clone(self.estimator).fit(X, y, sample_weight=weights)

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        return np.asarray(self.estimator_.predict(X))
