"""How a method is tried on a data set: the splits, the ten weights, and what one split gives.

The paper's text says ten folds; its deviations fit ten random halves much better (see "Reproducing the paper" in the
documentation). Both are here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.metrics import auh_from_points

#: The weights of the negatives, .1, .2, ..., 1.
COSTS = np.arange(1, 11) / 10
N_SPLITS = 10
PROTOCOLS = {"splits": "ten stratified random halves", "folds": "ten stratified folds"}


@dataclass(frozen=True, slots=True)
class Split:
    """Rows to learn from and rows to test on; 1 in y is the rare class."""

    X_train: FloatArray
    y_train: IntArray
    X_test: FloatArray
    y_test: IntArray


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method did on one split.

    Parameters
    ----------
    fpr, tpr : tuple of float
        The ROC points on the test rows, one per weight; one in all for a method without weights.
    trivial : int or None
        How many of these models are trivial: they give one label to all rows of the data set, of the training and of
        the test part. (The paper says "always predict a single class"; what a model would say of other rows is not
        looked at.) None if they were not counted.
    seconds : float
        Time for learning and predicting, of all weights together.
    facts : dict
        What else the method says of itself.

    Examples
    --------
    >>> Outcome((0.25, 1.0), (0.75, 1.0), trivial=1, seconds=0.1).auh
    0.75
    """

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    trivial: int | None
    seconds: float
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def auh(self) -> float:
        """Area under the hull of the points."""
        return auh_from_points(self.fpr, self.tpr)

    @property
    def auh_of_last(self) -> float:
        """Area under the hull of the last point alone, that of weight 1."""
        return auh_from_points(self.fpr[-1:], self.tpr[-1:])

    @property
    def n_models(self) -> int:
        """How many models were learned."""
        return len(self.fpr)


def split_rows(y: IntArray, protocol: str, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return the numbers of the training and test rows of all ten splits.

    Parameters
    ----------
    y : ndarray
        The labels.
    protocol : {"splits", "folds"}
        Ten stratified random halves, or ten stratified folds.
    seed : int
        Other splits for another seed.

    Returns
    -------
    list of pairs of ndarray
        Training rows and test rows.

    Examples
    --------
    >>> y = np.repeat([0, 1], [80, 20])
    >>> train, test = split_rows(y, "splits", seed=0)[0]
    >>> len(train), len(test), int(y[test].sum())
    (50, 50, 10)
    >>> train, test = split_rows(y, "folds", seed=0)[0]
    >>> len(train), len(test), int(y[test].sum())
    (90, 10, 2)
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; got {protocol!r}.")
    splitter: Any = (
        StratifiedShuffleSplit(N_SPLITS, test_size=0.5, random_state=seed)
        if protocol == "splits"
        else StratifiedKFold(N_SPLITS, shuffle=True, random_state=seed)
    )
    return list(splitter.split(np.zeros(len(y)), y))


def measure(learn: Callable[[Split], Callable[[FloatArray], BoolArray]], split: Split) -> Outcome:
    """Learn on the training rows, and see what the models flag.

    Parameters
    ----------
    learn : callable
        Takes a split and returns a function from rows to flags, a row of flags per model.
    split : Split
        The rows.

    Returns
    -------
    Outcome
        The points and the number of trivial models.

    Examples
    --------
    >>> X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    >>> outcome = measure(lambda split: lambda rows: rows.T >= [[1], [9]], Split(X, y, X, y))
    >>> outcome.fpr, outcome.tpr, outcome.trivial
    ((0.5, 0.0), (1.0, 0.0), 1)
    """
    start = time.perf_counter()
    flag = learn(split)
    train, test = flag(split.X_train), flag(split.X_test)
    seconds = time.perf_counter() - start
    share = (train.sum(axis=1) + test.sum(axis=1)) / (train.shape[1] + test.shape[1])
    fpr, tpr = (tuple(test[:, split.y_test == label].mean(axis=1).tolist()) for label in (0, 1))
    return Outcome(fpr, tpr, int(((share == 0) | (share == 1)).sum()), seconds)
