"""Rank: how well inside the drawings for many costs a row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw.learners.engine.draw import Drawing, Effort
from boxdraw.learners.grade import SOFTNESS, soft_inside
from boxdraw.learners.sparse.drawings import Board, Costs, resized

RATIOS = tuple(float(10.0**power) for power in np.linspace(-1, 1, 9))  # a tenth to ten times the balance
MOST_BOXES = 4
LOW_PRICE = 0.005  # of a limit, for more drawings at each cost
PARTS = 3  # of the rows, each of which is left out of one of these: they differ more than each is wrong
_NORMAL_MIDDLE_HALF = 1.349  # standard deviations between the quartiles of a normal distribution
_NORMAL_NINE_TENTHS = 3.29  # and between the quantiles .05 and .95


def draw_costs(board: Board, start: Drawing, chosen: Costs, effort: Effort, least_ratio: float = 0.0) -> list[Drawing]:
    """Draw for each of the `RATIOS`, or the least one if that is more, outwards from the chosen drawing."""
    drawings: dict[int, Drawing] = {}
    middle = int(np.argmin([abs(np.log(ratio / chosen.ratio)) for ratio in RATIOS]))
    for steps in (range(middle, len(RATIOS)), range(middle - 1, -1, -1)):
        drawing = start
        for number in steps:
            drawing = resized(drawing, MOST_BOXES)
            costs = replace(chosen, ratio=max(RATIOS[number], least_ratio))
            board.improve(drawing, costs, effort._replace(seed=number))
            drawings[number] = drawing
    return [drawings[number] for number in range(len(RATIOS))]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Limits of drawings on the learners' matrix, and the spread of its columns."""

    limits: Sequence[tuple[FloatArray, FloatArray]]
    spread: FloatArray

    def shares(self, X: Matrix) -> FloatArray:
        """Return how well inside the drawings each row is on average, from 0 to 1."""
        total = np.zeros(len(X))
        for lower, upper in self.limits:
            total += soft_inside(X, lower, upper, self.spread)
        return total / (len(SOFTNESS) * max(len(self.limits), 1))


def spreads(X: Matrix, weight: FloatArray) -> FloatArray:
    """Return the spread of each column by its quartiles, or by wider quantiles where these are equal."""
    result = np.ones(X.shape[1])
    for j in range(X.shape[1]):
        column = np.asarray(X[:, j], dtype=np.float64)
        known = np.flatnonzero(np.isfinite(column))
        order = known[np.argsort(column[known], kind="stable")]
        below = np.cumsum(weight[order])
        for tail, normal in ((0.25, _NORMAL_MIDDLE_HALF), (0.05, _NORMAL_NINE_TENTHS), (0.0, _NORMAL_NINE_TENTHS)):
            ends = np.searchsorted(below, [tail * below[-1], (1 - tail) * below[-1]]) if len(order) else [0, 0]
            low, high = column[order[np.minimum(ends, len(order) - 1)]] if len(order) else (0.0, 0.0)
            with np.errstate(over="ignore"):
                width = min(high / normal - low / normal, np.finfo(np.float64).max)
            if width > 0:
                result[j] = width
                break
    return result
