"""The protocol: the splits, the ten weights, and the outcome of one split.

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
    """The result of a method on one split."""

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    trivial: int | None  # models with one label for all rows of the data set; None if not counted
    seconds: float  # of fitting and predicting, for all weights
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
        """Number of models."""
        return len(self.fpr)


def split_rows(y: IntArray, protocol: str, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return the training and test rows of all ten splits, as indices."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; got {protocol!r}.")
    splitter: Any = (
        StratifiedShuffleSplit(N_SPLITS, test_size=0.5, random_state=seed)
        if protocol == "splits"
        else StratifiedKFold(N_SPLITS, shuffle=True, random_state=seed)
    )
    return list(splitter.split(np.zeros(len(y)), y))


def measure(learn: Callable[[Split], Callable[[FloatArray], BoolArray]], split: Split) -> Outcome:
    """Fit on the training rows; return the ROC points on the test rows."""
    start = time.perf_counter()
    flag = learn(split)
    train, test = flag(split.X_train), flag(split.X_test)
    seconds = time.perf_counter() - start
    share = (train.sum(axis=1) + test.sum(axis=1)) / (train.shape[1] + test.shape[1])
    fpr, tpr = (tuple(test[:, split.y_test == label].mean(axis=1).tolist()) for label in (0, 1))
    return Outcome(fpr, tpr, int(((share == 0) | (share == 1)).sum()), seconds)
