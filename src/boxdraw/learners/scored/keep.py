"""The threshold of a card that keeps a goal on held-out rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boxdraw._core.sums import on_grid
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.folds import Split
from boxdraw.learners.goals import Goal, KeptGoal, OperatingPoints, cuts_within, pick
from boxdraw.learners.scored.choose import scaled
from boxdraw.learners.scored.learn import Card, learn, make_ready
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.model.union import MAX_SETS, count_sets
from boxdraw.tables.order import Order
from boxdraw.tables.training import Training


def keep(
    card: Card, order: Order, goal: Goal, data: Training, splits: list[Split], setting: Setting, shape: Shape
) -> tuple[Card, KeptGoal]:
    """Return the card with the best threshold that keeps a goal, and what held-out rows promise.

    Cards of the folds have other points. What a threshold has in common with theirs is the share of the training rows
    that it flags.
    """
    weight, sums = on_grid(data.weights), card.sums(order.apply(data.X)).astype(np.float64)
    thresholds = cuts_within(sums, weight, goal.shares)
    decides = np.array([_decides(card, int(t)) for t in thresholds])

    def work(split: Split) -> np.ndarray:
        train, test = (data.take(rows) for rows in split)
        ready = make_ready(train, shape.false_alarm_cost, constraints=shape.constraints)
        free = replace(shape, max_union=None, constraints=scaled(shape, train, data))
        other = learn(ready, setting, free)
        own, new = (other.sums(ready.order.apply(rows.X)).astype(np.float64) for rows in (train, test))
        return new >= cuts_within(own, on_grid(train.weights), goal.shares)[:, None]

    flagged = np.concatenate(list(threaded_map(work, splits, None)), axis=1) & decides[:, None]
    rows = np.concatenate([test for _, test in splits])
    at, kept = pick(goal, OperatingPoints.of_masks(flagged, data.positive[rows], weight[rows], data.stand_for))
    return replace(card, threshold=int(thresholds[at])), kept


def _decides(card: Card, threshold: int) -> bool:
    """Return True for a threshold that not every row has and, if points are positive, whose union can be listed."""
    if (card.points < 0).any():
        return threshold > int(card.points.clip(max=0).sum())
    return threshold > 0 and count_sets(tuple(card.points.tolist()), threshold) <= MAX_SETS
