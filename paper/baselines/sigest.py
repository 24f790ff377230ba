"""An SVM whose kernel width comes from the data, by the rule of kernlab's ``sigest``.

The rule, of Caputo, Sim, Furesjo and Smola (2002) and as the R package kernlab documents it: draw as many pairs of rows
as half of the rows, with replacement; of the squared distances that are not 0 take the .9 quantile, the median and
the .1 quantile; the inverses bound the widths that do well. kernlab's ``ksvm`` takes the mean of the two outer ones.
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
    """Return a low, a middle and a high inverse width for the Gaussian kernel exp(-width |x - x'|²).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows, scaled as the kernel will see them.
    share : float, default=0.5
        How many pairs to draw, as a share of the number of rows.
    random_state : int, RandomState instance or None
        For the pairs.

    Returns
    -------
    ndarray of shape (3,)
        The inverses of the .9 quantile, the median and the .1 quantile of the squared distances; where all rows are
        equal, so that no width can be told from another, the inverse of the number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from paper.baselines.sigest import sigest
    >>> sigest(np.array([[0.0], [2.0]]), share=50.0, random_state=0)  # 0 and 4 are the only squared distances
    array([0.25, 0.25, 0.25])
    """
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
    """A support vector machine with a Gaussian kernel whose width comes from the data.

    The width is the mean of the lowest and the highest one of `sigest`. Scale the features first.

    Parameters
    ----------
    C : float, default=1.0
        The cost of rows on the wrong side, as in scikit-learn's SVC.
    class_weight : dict or "balanced" or None, default=None
        By what C is multiplied for each class.
    random_state : int, RandomState instance or None, default=None
        For the pairs of rows.

    Attributes
    ----------
    gamma_ : float
        The inverse width.
    svc_ : SVC
        The fitted machine.
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from paper.baselines import SigestSVC
    >>> X, y = [[-1.0], [-0.9], [0.9], [1.0]], [0, 0, 1, 1]
    >>> SigestSVC(random_state=0).fit(X, y).predict([[-2.0], [2.0]]).tolist()
    [0, 1]
    """

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
        """Return how far each row is on the side of the second class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray
            As scikit-learn's SVC gives it.
        """
        rows = self._rows(X)
        return self.svc_.decision_function(rows)
