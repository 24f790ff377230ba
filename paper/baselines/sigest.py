"""An SVM whose kernel width comes from the data, by the rule of kernlab's ``sigest``.

The rule of Caputo, Sim, Furesjo and Smola (2002), as documented by the R package kernlab: draw half as many pairs of
rows as there are rows, with replacement; take the .9 quantile, the median and the .1 quantile of the non-zero squared
distances; their inverses bound the good widths. kernlab's ``ksvm`` uses the mean of the two outer ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from boxdraw._core.arrays import FloatArray
from paper.baselines.classifier import NumbersClassifier

__all__ = ["SigestSVC", "sigest"]


def sigest(X: FloatArray, *, share: float = 0.5, random_state: Any = None) -> FloatArray:
    """Return a low, a middle and a high inverse width for the Gaussian kernel exp(-width |x - x'|²)."""
    rng = check_random_state(random_state)
    n_pairs = max(1, int(share * len(X)))
    first, second = rng.randint(len(X), size=(2, n_pairs))
    distances = ((X[first] - X[second]) ** 2).sum(axis=1)
    distances = distances[distances > 0]
    if not len(distances):
        return np.full(3, 1.0 / X.shape[1])
    widths: FloatArray = 1.0 / np.quantile(distances, [0.9, 0.5, 0.1])
    return widths


class SigestSVC(NumbersClassifier):
    """An SVM whose Gaussian kernel has the mean of the extreme widths of `sigest`; scale the features first."""

    def __init__(self, C: float = 1.0, *, class_weight: Any = None, random_state: Any = None) -> None:
        self.C = C
        self.class_weight = class_weight
        self.random_state = random_state

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        low, _, high = sigest(X, random_state=self.random_state)
        self.gamma_ = float((low + high) / 2)
        self.svc_ = SVC(C=self.C, gamma=self.gamma_, class_weight=self.class_weight, random_state=0).fit(X, y)

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        return self.svc_.predict(X)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the signed distance of each row, positive on the side of the second class."""
        rows = self._rows(X)
        return self.svc_.decision_function(rows)
