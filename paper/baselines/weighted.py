"""The weight of the negatives, for classifiers without ``class_weight``."""

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
    """Raise if the weight of the negatives is not a finite positive number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise ValueError(f"negative_weight must be a finite number above 0; got {value!r}.")


def class_weight(negative_weight: float) -> dict[int, float]:
    """Return the weights of the labels 0 and 1."""
    return {0: negative_weight, 1: 1.0}


def row_weights(y: Any, negative_weight: float) -> FloatArray:
    """Return the weight of each row by its label, 0 or 1."""
    return np.where(np.asarray(y) == 1, 1.0, negative_weight)


def best_threshold(y: Any, score: Any, sample_weight: Any) -> float:
    """Return the score from which to predict 1, so that the most weight is predicted correctly."""
    false_alarms, hits, thresholds = roc_curve(y, score, sample_weight=sample_weight)
    positive = np.asarray(y) == 1
    negatives_to_positives = np.sum(sample_weight, where=~positive) / np.sum(sample_weight, where=positive)
    best: float = thresholds[np.argmax(hits - negatives_to_positives * false_alarms)]
    return best


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed NumPy's global generator, for packages that use it, and restore it afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


class WeightedClassifier(MetaEstimatorMixin, NumbersClassifier):
    """A classifier fitted with the weight of the negatives as sample weights."""

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
