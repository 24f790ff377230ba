"""The threshold of a card that keeps a goal on held-out rows, and the risk of its points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boxdraw._core.sums import on_grid
from boxdraw.learners.folds import n_repeats
from boxdraw.learners.goals import Goal, KeptGoal, OperatingPoints, cuts_within, pick
from boxdraw.learners.risk import FoldRows, held_out_risk, spread
from boxdraw.learners.scored.choose import FoldCards
from boxdraw.learners.scored.learn import Card
from boxdraw.model.risk import RiskTable
from boxdraw.model.union import MAX_SETS, count_sets
from boxdraw.tables.order import Order
from boxdraw.tables.training import Training


def keep(
    card: Card, order: Order, goal: Goal, data: Training, folds: list[FoldCards], number: int, listed: bool
) -> tuple[Card, KeptGoal]:
    """Return the card with the best threshold that keeps a goal, and what held-out rows promise.

    If the union is to be ``listed``, a threshold that makes it too long does not count.

    Cards of the folds have other points. What a threshold has in common with theirs is the share of the training rows
    that it flags.
    """
    weight, sums = on_grid(data.weights), card.sums(order.apply(data.X)).astype(np.float64)
    mass = goal.weigh(weight, data.positive)
    thresholds = cuts_within(sums, mass, goal.shares)
    decides = np.array([_decides(card, int(t), listed) for t in thresholds])

    flags = []
    for fold in folds:
        own, new = (sums.astype(np.float64) for sums in fold.sums(data, number))
        flags.append(new >= cuts_within(own, mass[fold.train], goal.shares)[:, None])
    flagged = np.concatenate(flags, axis=1) & decides[:, None]
    tests = [fold.test for fold in folds]
    rows = np.concatenate(tests)
    each = weight[rows] / n_repeats(tests)
    at, kept = pick(goal, OperatingPoints.of_masks(flagged, data.positive[rows], each, data.stand_for))
    return replace(card, threshold=int(thresholds[at])), kept


def card_risk(
    card: Card, order: Order, data: Training, folds: list[FoldCards], number: int, base_rate: float | None
) -> RiskTable | None:
    """Return the risk of the points of a card, from the cards of the folds of its size; None without folds."""
    if not folds:
        return None
    weight = on_grid(data.weights)
    times = n_repeats([fold.test for fold in folds])
    held_out = []
    for fold in folds:
        own, new = fold.sums(data, number)
        held_out.append(FoldRows(own, weight[fold.train], new, weight[fold.test] / times, data.positive[fold.test]))
    values, place = np.unique(card.sums(order.apply(data.X)), return_inverse=True)
    counts = spread(len(values) - 1 - place.reshape(-1), weight, len(values), held_out)
    of = [*values[:0:-1].tolist(), None]
    return held_out_risk(of, counts, times=times, base_rate=base_rate, each=data.stand_for)


def _decides(card: Card, threshold: int, listed: bool) -> bool:
    """Return True for a threshold that not every row has and, if that is asked for, whose union can be listed."""
    if threshold <= int(card.points.clip(max=0).sum()):
        return False
    return not listed or bool((card.points < 0).any()) or count_sets(tuple(card.points.tolist()), threshold) <= MAX_SETS
