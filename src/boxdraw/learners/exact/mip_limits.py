"""What limits add to the paper's program: which sides of a box are limited, and what that costs.

A side that is not limited lies beyond all rows. Both sides of a column of categories are limited by one variable, as
they are one limit; and an equality, which is one limit too, gets a variable for each value at which it may pay. A box
that is not used pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.exact.limits import CATEGORIES, SINGLES, kinds_of_columns
from boxdraw.learners.exact.objective import Objective

Add = Callable[..., None]
Ends = tuple[FloatArray, FloatArray, FloatArray]  # the least and the largest limits, and ε, per feature


class LimitTerms:
    """The variables of limits, after all others, and their terms."""

    def __init__(self, objective: Objective, x: FloatArray, n_columns: int, cost: float) -> None:
        self._objective, self._cost = objective, cost
        n, k = x.shape[1], objective.max_boxes
        kinds = kinds_of_columns(objective)
        categories = kinds == CATEGORIES
        self.low = n_columns + np.arange(k * n).reshape(k, n)
        self.high = np.where(categories, self.low, self.low + k * n)
        values = [(j, v) for j in np.flatnonzero(kinds == SINGLES) for v in self._paying(x[:, j])]
        self._equal = np.array([j for j, _ in values], dtype=np.intp), np.array([v for _, v in values])
        self._same = n_columns + 2 * k * n + np.arange(k * len(values)).reshape(k, len(values))
        self.columns = np.arange(n_columns, n_columns + 2 * k * n + k * len(values))

    def _paying(self, column: FloatArray) -> FloatArray:
        """Return the values of which the positives alone are worth a box and a limit."""
        objective = self._objective
        weight = np.ones(len(column)) if objective.weight is None else objective.weight
        values, place = np.unique(column[objective.positive], return_inverse=True)
        worth = np.bincount(place.reshape(-1), weight[objective.positive], len(values))
        return np.asarray(values[worth >= 0.999 * float(objective.box_cost + objective.limit_cost)])

    def costs(self) -> tuple[IntArray, FloatArray]:
        """Return the variables of the objective and their coefficients."""
        sides = np.unique([self.low, self.high])
        ids = np.concatenate([sides, self._same.reshape(-1)])
        return ids, np.where(np.isin(ids, sides), -self._cost, self._cost)

    def put(self, add: Add, lower: IntArray, upper: IntArray, used: IntArray, ends: Ends) -> None:
        """Write the constraints."""
        bottom, top, epsilon = ends
        room, use = top - bottom, np.broadcast_to(used[:, None], lower.shape)
        # At the ends unless limited or not used.
        add([lower, use, self.low], [1, room, -room], -np.inf, bottom + room)
        add([upper, use, self.high], [1, -room, room], top - room, np.inf)
        j, value = self._equal
        same = self._same
        add([lower[:, j], same], [1, -room[j]], value - epsilon[j] - room[j], np.inf)
        add([upper[:, j], same], [1, room[j]], -np.inf, value + epsilon[j] + room[j])
        for side in (self.low, self.high):
            add([side[:, j], same], [-1, 1], -np.inf, 0)
        most = self._objective.max_limits
        for k in range(len(used) if most is not None else 0):
            sides = np.unique([self.low[k], self.high[k]])
            add([*sides, *same[k]], [1] * len(sides) + [-1] * same.shape[1], -np.inf, most)

    def start(self, values: FloatArray, lower: FloatArray, upper: FloatArray, used: BoolArray, ends: Ends) -> None:
        """Set the variables of limits for given boxes."""
        bottom, top, epsilon = ends
        for side, is_limited in ((self.low, lower > bottom), (self.high, upper < top)):
            values[side] = np.maximum(values[side], is_limited & used[:, None])
        j, value = self._equal
        inside = (lower[:, j] >= value - epsilon[j]) & (upper[:, j] <= value + epsilon[j])
        values[self._same] = inside & (values[self.low[:, j]] > 0) & (values[self.high[:, j]] > 0)

    def limits(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return limits that are infinite where a box has none."""
        return np.where(values[self.low] > 0.5, 0.0, -np.inf), np.where(values[self.high] > 0.5, 0.0, np.inf)
