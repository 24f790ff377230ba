"""The best drawing out of a list of boxes, by CP-SAT."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box


def select(
    problem: Problem, boxes: Sequence[Box], above: int, *, seconds: float, effort: float
) -> tuple[list[Box] | None, bool]:
    """Choose boxes worth more than `above`, if any are found; also return if it is proven that none are better.

    The ``effort`` is deterministic.
    """
    from ortools.sat.python import cp_model

    if not boxes:
        return None, True
    end = time.perf_counter() + seconds
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in boxes]
    held = np.array([problem.positives.inside(box) for box in boxes])
    covered = np.array([problem.negatives.inside(box) for box in boxes])
    prices = [problem.price(box) for box in boxes]
    variables, points = list(chosen), [-price for price in prices if price is not None]
    for i in np.flatnonzero(held.any(axis=0)).tolist():
        counted = model.new_bool_var("")
        model.add_bool_or([chosen[k] for k in np.flatnonzero(held[:, i]).tolist()] + [~counted])
        variables.append(counted)
        points.append(int(problem.positives.points[i]))
    for q in np.flatnonzero(covered.any(axis=0)).tolist():
        charged = model.new_bool_var("")
        for k in np.flatnonzero(covered[:, q]).tolist():
            model.add_implication(chosen[k], charged)
        variables.append(charged)
        points.append(-int(problem.negatives.points[q]))
        if time.perf_counter() > end:
            return None, False
    model.add(sum(chosen) <= problem.max_boxes)
    total = cp_model.LinearExpr.weighted_sum(variables, points)
    model.add(total >= above + 1 - problem.constant)
    model.maximize(total)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.catch_sigint_signal = False  # CP-SAT would not give Python its handler back
    solver.parameters.max_time_in_seconds = max(end - time.perf_counter(), 0.0)
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        picked = [box for box, variable in zip(boxes, chosen, strict=True) if solver.boolean_value(variable)]
        return picked, status == cp_model.OPTIMAL
    return None, status == cp_model.INFEASIBLE
