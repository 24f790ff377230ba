"""How many boxes: chosen on inner folds by the search alone, without proofs."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

from boxdraw._core.arrays import BoolArray
from boxdraw.learners.engine.levels import FEW_CATEGORIES, UNSEEN, category_levels
from boxdraw.learners.exact.edges import place_edges
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.strategies import Budget, Outcome, draw_alone, part_of
from boxdraw.learners.folds import inner_splits
from boxdraw.tables.order import Order, fit_order
from boxdraw.tables.training import Training

N_BOXES = (1, 2, 3, 5)
_FOLDS = 3
_SHARE = 0.25  # of the time goes to the folds
_CLOSE = 0.5  # standard errors within which fewer boxes are as good


def choose_max_boxes(rows: Training, objective: Objective, budget: Budget, random_state: object) -> tuple[int, bool]:
    """Return the number of boxes that does best on held-out rows, of equal ones the least; True if asked to end."""
    n_folds = int(min(_FOLDS, rows.positive.sum(), (~rows.positive).sum()))
    if n_folds < 2:  # nothing to choose by
        return N_BOXES[0], False
    tests = [
        np.bincount(test, minlength=len(rows.X)) > 0
        for _, test in inner_splits(rows, rows.positive, n_folds, random_state)
    ]
    n_folds = len(tests)
    seconds = _SHARE * max(budget.end - time.perf_counter(), 0.0) / (n_folds * len(N_BOXES))
    scores = np.zeros((len(N_BOXES), n_folds))
    for k, n_boxes in enumerate(N_BOXES):
        for number, held_out in enumerate(tests):
            part = replace(_scaled(objective, ~held_out), max_boxes=n_boxes)
            outcome = draw_alone(part, replace(budget, seconds=seconds, gap=0.0))
            if outcome.status == "interrupted":
                return N_BOXES[max(k - 1, 0)], True
            scores[k, number] = _score(objective, part, outcome, held_out)
    means, error = scores.mean(axis=1), scores.std(axis=1, ddof=min(n_folds - 1, 1)) / n_folds**0.5
    best = int(means.argmax())
    return N_BOXES[int(np.argmax(means >= means[best] - _CLOSE * error[best]))], False


def _scaled(objective: Objective, chosen: BoolArray) -> Objective:
    """Return the objective on some rows, with costs in proportion to the weight of their positives."""
    part = part_of(objective, chosen)
    share = Fraction(float(part.positive_weight() / objective.positive_weight())).limit_denominator(1000)
    constraints = None if part.constraints is None else part.constraints.scaled(len(part.X) / len(objective.X))
    box, limit = share * part.box_cost, share * part.limit_cost
    return replace(part, box_cost=box, limit_cost=limit, constraints=constraints)


def _score(objective: Objective, part: Objective, outcome: Outcome, chosen: BoolArray) -> float:
    """Return the share of the weight of held-out rows that a drawing gets right."""
    test = part_of(objective, chosen)
    right = test.counted(*place_edges(part, outcome.held, "midway", outcome.limits))
    return float(test.value_of(right, 0) / test.value_of(np.ones(len(right), dtype=np.bool_), 0))


def order_categories(rows: Training) -> Order:
    """Order categories by their share of positives; of many, those that chance explains share a place."""
    order = fit_order(rows)
    weight = rows.weights
    for j, place in order.places.items():
        if np.isfinite(place).sum() > FEW_CATEGORIES:
            code = np.asarray(rows.X[:, j], dtype=np.int32)
            level = category_levels(code, len(place), weight * rows.positive, weight * ~rows.positive)
            order.places[j] = np.where(level == UNSEEN, np.inf, level.astype(np.float64))
    return order
