"""The inner folds of the cross-validation: every cost answered from one set of edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.learners.fast.fast_boxes import BaseFastBoxes
from boxdraw.learners.fast.path import TrainingRoc
from boxdraw.tables.training import Training


@dataclass(frozen=True, slots=True)
class Fold:
    """The rows to learn from and the rows to score on, with the labels that a scorer wants to see."""

    train: Training
    test: Training
    test_labels: npt.NDArray[Any]


class FoldModel(BaseFastBoxes):
    """The model of a fold at one setting, as a scorer sees it: the critical weights of the test rows say it all."""

    def __init__(self, critical: FloatArray, negative_weight: float, classes: npt.NDArray[Any], pos_label: Any) -> None:
        self.critical = critical
        self.negative_weight = self.negative_weight_ = negative_weight
        self.classes = self.classes_ = classes
        self.pos_label = self.pos_label_ = pos_label

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def critical_weight(self, X: Any) -> FloatArray:
        """Return the critical weights of the fold's test rows."""
        if len(X) != len(self.critical):
            raise ValueError(
                f"The scorer asks for {len(X)} rows, but a fold can only answer for its {len(self.critical)} rows. "
                "Use a scorer that scores the rows it is given, or GridSearchCV."
            )
        return self.critical

    def _ceiling(self) -> float:
        return math.e * float(self.critical.max(initial=1, where=np.isfinite(self.critical)))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels of the fold's test rows."""
        return self._labels(self.critical_weight(X) >= self.negative_weight)


def best_cost(
    critical: FloatArray,
    positive: BoolArray,
    weight: FloatArray | None,
    false_alarm_cost: float,
    choices: Sequence[float] | None,
) -> float:
    """Return the c of least misses + false_alarm_cost * false alarms; of equal ones the highest."""
    roc = TrainingRoc.of(critical, positive, weight)
    if choices is not None:
        ordered = np.sort(np.asarray(choices, dtype=np.float64))[::-1]
        flagged = np.searchsorted(-roc.critical, -ordered, side="right")
    else:
        flagged = np.arange(np.count_nonzero(roc.critical) + 1)  # a row of critical weight 0 is flagged at no cost
        if not np.isfinite(roc.critical[0]):
            flagged = flagged[1:]  # no cost is high enough to let go of these rows
    with np.errstate(over="ignore"):  # a loss beyond all numbers is not the least one
        loss = false_alarm_cost * np.append(0, roc.false_positives) - np.append(0, roc.true_positives)
    best = int(loss[flagged].argmin())
    if choices is not None:
        return float(ordered[best])
    above, below = np.append(np.inf, roc.critical)[flagged[best]], np.append(roc.critical, 0.0)[flagged[best]]
    if np.isfinite(above) and below > 0:
        return float(np.sqrt(above) * np.sqrt(below))
    if below > 0:
        return float(min(2 * below, np.finfo(np.float64).max))
    return float(above / 2) if np.isfinite(above) else 1.0
