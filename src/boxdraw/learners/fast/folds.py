"""The inner folds of the cross-validation: every cost answered from one set of edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.fast.cluster import distinct_rows
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.fast_boxes import BaseFastBoxes
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.needed import MOST_PRICE
from boxdraw.learners.fast.path import TrainingRoc, critical_weights, has_many_cells
from boxdraw.learners.fast.stages import Plan, Stages
from boxdraw.tables.training import Training

NEAR = 0.25  # the best of .25, .5, .8 and 1.2 on half of the paper's tables, by little
PRECISION = 0.05  # of 0, .05, .1 and .2, the most that costs the same tables no balanced accuracy


@dataclass(frozen=True, slots=True)
class Fold:
    """The rows to learn from and to score on, the places of both, and the labels that a scorer wants to see."""

    train: Training
    test: Training
    train_rows: IntArray
    rows: IntArray
    test_labels: npt.NDArray[Any]


class FoldFits:
    """The fits to one fold: what settings have in common is done once."""

    def __init__(self, fold: Fold) -> None:
        self._fold, self._many = fold, has_many_cells(fold.test.X)
        self._stages = Stages(fold.train, self._many)
        self._placed, self._stopped = cache(self._place), cache(self._stop)
        self.n_active = int(self._stages.scaling(2.0).active.sum())  # features that vary

    def most_boxes(self) -> int:
        """Return the number of distinct positives."""
        train = self._fold.train
        return len(distinct_rows(np.nan_to_num(train.X[train.positive], nan=np.inf))[0])

    def edges(self, plan: Plan, growths: Sequence[Growth]) -> Edges:
        """Return what the training rows say about every edge."""
        stopping = next((growth for growth in growths if growth.stops_at_negatives), None)
        return self._stages.edges(plan, stopping, shared=True)

    def weights(
        self, edges: Edges, width: float, growths: Sequence[Growth], expansions: Sequence[float]
    ) -> list[FloatArray]:
        """Return the critical weights of the fold's test rows, per growth and expansion."""
        test = self._fold.test.X
        if not self._many:
            return [critical_weights(edges, test, expansions, growth, None) for growth in growths]
        from boxdraw.learners.fast.weights import Weigh

        results = [np.empty((len(expansions), len(test))) for _ in growths]
        for growth, result in zip(growths, results, strict=True):
            Weigh(edges, expansions, growth)(self._placed(width, growth.stops_at_negatives), result)
        return results

    def _place(self, width: float, stops_at_negatives: bool) -> FloatArray:
        from boxdraw.learners.fast.weights import place

        return place(self._stages.scaling(width), self._stopped(stops_at_negatives))

    def _stop(self, at_negatives: bool) -> FloatArray:
        """Return where edges stop, which no width changes."""
        from boxdraw.learners.fast.weights import stopped

        stops = self._stages.stops(2.0) if at_negatives else None
        return stopped(self._stages.order.apply(self._fold.test.X), stops)


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


def suitable_price(critical: FloatArray, positive: BoolArray, weight: FloatArray | None, balance: float) -> float:
    """Return a price of a false alarm, from the balance up to 1 by doubling, where nobody says what it is.

    It is the one of the best held-out balanced accuracy plus `PRECISION` times the precision: where classes are far
    apart, a few misses spare most false alarms.
    """
    mass = np.ones(len(critical)) if weight is None else weight
    totals = mass[positive].sum(), mass[~positive].sum()
    scores, prices = [], [balance]
    while 2 * prices[-1] <= 1:
        prices.append(2 * prices[-1])
    for price in prices:
        flagged = critical >= best_cost(critical, positive, weight, price, None)
        true, false = mass[flagged & positive].sum(), mass[flagged & ~positive].sum()
        precision = true / (true + false) if true else 0.0
        scores.append((true / totals[0] + 1 - false / totals[1]) / 2 + PRECISION * precision)
    return prices[int(np.argmax(scores))]


def best_cost(
    critical: FloatArray,
    positive: BoolArray,
    weight: FloatArray | None,
    false_alarm_cost: float,
    choices: Sequence[float] | None,
) -> float:
    """Return the c of least misses + false_alarm_cost * false alarms; of equal ones the highest.

    Unless there are choices, the loss is averaged over the costs from c / e**NEAR to c * e**NEAR: what a single row
    says is noise.
    """
    roc = TrainingRoc.of(critical, positive, weight)
    price = min(false_alarm_cost, MOST_PRICE)
    loss = price * np.append(0, roc.false_positives) - np.append(0, roc.true_positives)
    if choices is not None:
        ordered = np.sort(np.asarray(choices, dtype=np.float64))[::-1]
        return float(ordered[loss[np.searchsorted(-roc.critical, -ordered, side="right")].argmin()])
    told = (roc.critical > 0) & np.isfinite(roc.critical)  # others are flagged at any cost, or at none
    if not told.any():
        return 1.0
    turns, first = np.log(roc.critical[told])[::-1], int(told.argmax())
    return math.exp(_lowest(turns, loss[first : first + len(turns) + 1][::-1]))


def _lowest(turns: FloatArray, values: FloatArray) -> float:
    """Return the middle of the last place where the mean over a window of a step function is least."""
    # The mean is linear between places where an end of the window meets a turn, so it is least at one of these.
    places = np.sort(np.concatenate([turns - NEAR, turns + NEAR]))
    area = np.append(0, np.cumsum(values[1:-1] * np.diff(turns)))  # from the first turn to each

    def integral(x: FloatArray) -> FloatArray:
        place = np.searchsorted(turns, x)
        return np.where(
            place == 0, values[0] * (x - turns[0]), area[place - 1] + values[place] * (x - turns[place - 1])
        )

    means = integral(places + NEAR) - integral(places - NEAR)
    size = np.abs(values).max() * (turns[-1] - turns[0] + NEAR)
    least = np.flatnonzero(means <= means.min() + 1e-12 * size)
    start = least[np.append(True, np.diff(least) > 1)][-1]
    return float(places[start] + places[least[-1]]) / 2
