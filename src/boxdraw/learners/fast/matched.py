"""The chosen setting on the inner folds, on the scale of the fit to all rows: which cost to take, and which limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.folds import Fold, FoldFits
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.needed import needed_edges
from boxdraw.learners.fast.path import critical_weights, has_many_cells, training_weights
from boxdraw.learners.fast.stages import Plan, Stages
from boxdraw.learners.folds import n_repeats
from boxdraw.learners.goals import Goal, cuts_within
from boxdraw.learners.risk import FoldRows
from boxdraw.tables.training import Training

_SLACK = 3.0  # standard errors


class MatchedFits:
    """The fits to the folds at one setting. ``weights`` has the critical weights of the test rows, per fold.

    With fewer rows, clusters are others and edges are held by other sums, so a cost that suits a fold's boxes need not
    suit those of all rows. The fold's training rows have weights in both fits: their median ratio tells the scales.
    """

    def __init__(
        self,
        plan: Plan,
        growth: Growth,
        push: Callable[[float], float],
        rows: Training,
        folds: list[Fold],
        fitted: list[FoldFits],
    ) -> None:
        self._growth, self._folds, self._rows = growth, folds, rows
        final = Stages(rows, has_many_cells(rows.X)).edges(plan, growth if growth.stops_at_negatives else None)
        self._all, self._push = final, push(rows.negative_weight)
        self._pushes = [push(fold.train.negative_weight) for fold in folds]
        self._edges: list[Edges] = []
        self._ratios, self.weights = [], []
        self._own: list[tuple[FloatArray, FloatArray]] = []  # per fold, its weights of its training and test rows
        self._final = training_weights(final, rows, self._push, growth, None)
        self._simpler = cache(self._without_needless)  # asked for the same cost twice
        for fold, fits, own_push in zip(folds, fitted, self._pushes, strict=True):
            edges = fits.edges(plan, [growth])
            own = training_weights(edges, fold.train, own_push, growth, None)
            self._edges.append(edges)
            self._ratios.append(middle_ratio(self._final[fold.train_rows], own, fold.train.weights))
            critical = fits.weights(edges, plan.width, [growth], [own_push])[0][0]
            self.weights.append(scaled_weights(critical, self._ratios[-1]))
            self._own.append((own, critical))

    def within(self, goal: Goal) -> tuple[FloatArray, BoolArray]:
        """Return the cost at which each share of the training rows is flagged, and which test rows are then flagged.

        The share is that of the fold's own training rows at a cost of its own.
        """

        def cuts(own: FloatArray, rows: Training) -> FloatArray:
            return cuts_within(own, goal.weigh(rows.weights, rows.positive), goal.shares)

        flagged = [
            critical >= cuts(own, fold.train)[:, None]
            for fold, (own, critical) in zip(self._folds, self._own, strict=True)
        ]
        return cuts(self._final, self._rows), np.concatenate(flagged, axis=1)

    def simpler_flags_more(self, c: float, price: float, goal: Goal, share: float) -> bool:
        """Return True if, of all rows, boxes without needless limits flag more than before, and than a share."""
        edges = needed_edges(self._all, self._rows, c, self._push, self._growth, price)
        critical = critical_weights(edges, self._rows.X, [self._push], self._growth, None)[0]
        mass = goal.weigh(self._rows.weights, self._rows.positive)
        before, after = (mass[weights >= c].sum() for weights in (self._final, critical))
        return bool(after > max(before, share * mass.sum()))

    def simpler_flags(self, c: float, price: float) -> BoolArray:
        """Return which test rows boxes without needless limits flag."""
        return np.concatenate([self._simpler_flags(number, c, price) for number in range(len(self._folds))])

    def _simpler_flags(self, number: int, c: float, price: float) -> BoolArray:
        return np.asarray(scaled_weights(self._simpler(number, c, price)[1], self._ratios[number]) >= c)

    def _without_needless(self, number: int, c: float, price: float) -> tuple[FloatArray, FloatArray]:
        """Return the weights of a fold's training and test rows by boxes without needless limits."""
        fold, push = self._folds[number], self._pushes[number]
        edges = needed_edges(self._edges[number], fold.train, c / self._ratios[number], push, self._growth, price)
        weights = (critical_weights(edges, rows.X, [push], self._growth, None)[0] for rows in (fold.train, fold.test))
        own, critical = weights
        return own, critical

    def held_out(self, c: float, price: float | None) -> list[FoldRows]:
        """Return how rows rank by the fold that holds them out; with a price, by boxes without needless limits."""
        pairs, times = self._own, n_repeats([fold.rows for fold in self._folds])
        if price is not None:
            pairs = [self._simpler(number, c, price) for number in range(len(self._folds))]
        return [
            FoldRows(own, fold.train.weights, critical, fold.test.weights / times, fold.test.positive)
            for fold, (own, critical) in zip(self._folds, pairs, strict=True)
        ]

    def simpler_is_as_good(self, c: float, price: float) -> bool:
        """Return True if boxes without needless limits lose no more on held-out rows than chance explains."""
        changes = []
        for number, (fold, weights) in enumerate(zip(self._folds, self.weights, strict=True)):
            before, after = weights >= c, self._simpler_flags(number, c, price)
            worth = fold.test.weights * np.where(fold.test.positive, 1.0, -price)
            changes.append(worth * (before.astype(np.float64) - after))
        change = np.concatenate(changes)
        change /= np.abs(change).max(initial=0) or 1.0  # squares of any weights are numbers
        return math.fsum(change) <= _SLACK * math.sqrt(math.fsum(change**2))


def middle_ratio(weights: FloatArray, others: FloatArray, mass: FloatArray) -> float:
    """Return the median ratio of two fits' critical weights of the same rows; 1 where no row tells it."""
    told = (weights > 0) & (others > 0) & np.isfinite(weights) & np.isfinite(others)
    with np.errstate(over="ignore", under="ignore"):
        ratio = weights[told] / others[told]
    order = np.lexsort([mass[told], ratio])
    below = np.cumsum(mass[told][order])
    return float(ratio[order][np.searchsorted(below, below[-1] / 2)]) if len(ratio) else 1.0


def scaled_weights(critical: FloatArray, ratio: float) -> FloatArray:
    """Return critical weights times a ratio; those of rows that every cost flags, or none, stay as they are."""
    number = np.finfo(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.clip(critical * ratio, number.tiny, number.max)
    return np.where((critical > 0) & np.isfinite(critical), scaled, critical)
