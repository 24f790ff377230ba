"""K boxes on levels as a model for CP-SAT, which proves bounds from conflicts instead of from a relaxation.

A relaxation says little here: half of each of two boxes covers everything for free. CP-SAT is set to look for
*cores*, sets of rows that no drawing gets all right, and to add up what they cost. Clauses that name such conflicts
help it most: two positives in one box take in the negatives between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, IntArray
from boxdraw.learners.exact.limits import ANY, EQUAL, KIND, SUM
from boxdraw.learners.exact.problem import LevelRows, Problem
from boxdraw.learners.exact.ranks import Box, Levels

OnBound = Callable[[int], None]
OnBoxes = Callable[[list[Box], int], None]

_FEW = 3  # negatives between two positives for which clauses say so; clauses on more only slow the search down
_FEW_WEIGHTS = 20  # different ones; with 8, bounds were better if heavy rows did not come first, with 75 worse
_MOST_PAIRS = 100_000  # of positives in a box with such clauses
_PAUSE = 1000  # negatives written between looks at the clock
_MOST_WORK = 10**9  # words compared to find them, about two seconds


def model_size(problem: Problem) -> int:
    """Return the number of literals in the clauses of the model, but for at most 500 000 on pairs of positives."""
    rows = problem.positives, problem.negatives
    literals = sum(int((part.low < problem.n_low - 1).sum() + (part.high > 0).sum()) + len(part.low) for part in rows)
    layout = _Layout(problem)
    literals += 2 * layout.width + 8 * layout.n_limits
    return problem.max_boxes * literals + len(problem.positives.points)


class CpSat:
    """The search for the optimum of a problem; the same seed gives the same drawings unless a clock ends it."""

    def __init__(
        self, problem: Problem, hint: Sequence[Box], seed: int, out_of_time: Callable[[], bool] = lambda: False
    ) -> None:
        from ortools.sat.python import cp_model

        layout = _Layout(problem)
        self._model = cp_model.CpModel()
        variables = [self._model.new_bool_var("") for _ in range(layout.n_variables)][: layout.covered]
        self._written = all(not out_of_time() for _ in layout.write(self._model.proto, hint))
        take = self._take_values

        class Listener(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                take(np.array([self.Value(variable) for variable in variables], dtype=np.bool_))

        self._problem, self._layout, self._listener = problem, layout, Listener()
        self._solver = cp_model.CpSolver()
        # A bound is a whole number, but computed in floating point.
        self._solver.best_bound_callback = lambda bound: self._take_bound(math.floor(bound + 1e-3))
        _set_parameters(self._solver.parameters, problem, seed)
        self._value, self._bound, self._stopped = problem.value(hint), math.inf, False

    def solve(self, time_limit: float, on_bound: OnBound, on_boxes: OnBoxes, effort: float = math.inf) -> bool:
        """Search until time or the deterministic ``effort`` is used up; return True if the optimum is proved."""
        if not self._written or self._stopped:
            return False
        self._on_bound, self._on_boxes = on_bound, on_boxes
        self._solver.parameters.max_time_in_seconds = max(0.0, time_limit)
        self._solver.parameters.max_deterministic_time = effort
        status = self._solver.status_name(self._solver.solve(self._model, self._listener))
        if status not in ("OPTIMAL", "FEASIBLE", "UNKNOWN"):
            raise RuntimeError(f"CP-SAT calls a sound model {status}.")
        if status == "OPTIMAL":
            self._take_bound(self._value)
        return bool(status == "OPTIMAL")

    def stop(self) -> None:
        """End `solve`; may be called from any thread, again and again: CP-SAT takes no notice until it has begun."""
        self._stopped = True
        self._solver.stop_search()

    def _take_bound(self, bound: float) -> None:
        if bound < self._bound:
            self._bound = bound
            self._on_bound(int(bound))

    def _take_values(self, values: BoolArray) -> None:
        boxes, inside = self._layout.boxes(values), self._problem.positives.inside
        drawing = [fitted for box in boxes if (fitted := self._problem.fitted(box, inside(box))) is not None]
        if (value := self._problem.value(drawing)) > self._value:
            self._value = value
            self._on_boxes(drawing, value)


def _set_parameters(parameters: Any, problem: Problem, seed: int) -> None:
    parameters.random_seed = seed % 2**31
    # On two threads, the deterministic search of OR-tools 9.15 gave no better bounds, and now and then it aborted the
    # whole process when it was stopped early.
    parameters.num_workers = 1
    parameters.catch_sigint_signal = False  # Ctrl-C is for Python
    parameters.linearization_level = 0
    parameters.optimize_with_core = True
    # By default heavy rows come first. But a core is made of positives and negatives, whatever each class weighs.
    if len(np.unique(np.concatenate([problem.positives.points, problem.negatives.points]))) <= _FEW_WEIGHTS:
        parameters.max_sat_stratification = parameters.STRATIFICATION_NONE


class _Layout:
    """The variables of the model and their constraints."""

    # A box has two sides per feature, and reaches out by a number of steps, from the innermost level, on each. It holds
    # the rows that lie no farther out on any side. Each box has a block of variables: "reaches step t ≥ 1 on side s";
    # whether it is used; which positives it is credited with; and, if limits count, two per feature for its first and
    # second limit, and one for each equality that may pay. Then come positives covered and negatives charged.

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        n_steps = np.concatenate([problem.n_low, problem.n_high]).astype(np.intp) - 1
        self._before = np.cumsum(n_steps) - n_steps - 1  # the variable of step t is t places on
        self._side = np.repeat(np.arange(len(n_steps)), n_steps)
        self._longest = int(n_steps.argmax())
        self._used, self._held = len(self._side), len(self._side) + 1
        self._first_limit = self._held + len(problem.positives.points)
        self._groups, self._equalities = _limits(problem, n_steps)
        self.n_limits = 2 * len(self._groups) + len(self._equalities)
        self.width = self._first_limit + self.n_limits
        self.covered = problem.max_boxes * self.width
        self._charged = self.covered + len(problem.positives.points)
        self.n_variables = self._charged + len(problem.negatives.points)

    def _steps(self, low: Levels, high: Levels) -> IntArray:
        """Return how far out rows lie, or a box reaches, on each side."""
        return np.concatenate([self._problem.n_low - 1 - low, high], axis=-1).astype(np.intp)

    def needed(self, rows: LevelRows) -> list[IntArray]:
        """Return, for each row, the variables of the first box that are all true iff the box holds the row."""
        return [(self._before + steps)[steps > 0] for steps in self._steps(rows.low, rows.high)]

    def boxes(self, values: BoolArray) -> list[Box]:
        """Return the boxes used, from the values of their blocks."""
        d, blocks = len(self._problem.n_low), values.reshape(-1, self.width)
        reached = [self._side[block[: self._used]] for block in blocks[blocks[:, self._used]]]
        reaches = [np.bincount(sides, minlength=2 * d).astype(np.int32) for sides in reached]
        return [(self._problem.n_low - 1 - reach[:d], reach[d:]) for reach in reaches]

    def write(self, message: Any, hint: Sequence[Box]) -> Iterator[None]:
        """Write the model's message itself, much faster than an object per literal; pauses let the caller give up."""
        positives, negatives = self._problem.positives, self._problem.negatives
        needed = self.needed(positives), self.needed(negatives)
        for start in range(0, self.covered, self.width):
            yield from self._write_box(message, start, *needed)
        held = np.arange(self._held, self.covered, self.width)
        for i in range(len(positives.points)):
            message.constraints.add().bool_or.literals.extend([~(self.covered + i), *(held + i).tolist()])
        steps = (self._steps(rows.low, rows.high) for rows in (positives, negatives))
        for i, other, between in islice(_pairs(*steps), _MOST_PAIRS // self._problem.max_boxes):
            for box in held.tolist():
                _imply(message, [box + i, box + other], (self._charged + between).tolist())
            yield
        objective = message.objective  # to be minimised; the scaling factor turns its values round
        objective.vars.extend([*range(self.covered, self.n_variables), *(held - 1).tolist()])
        objective.coeffs.extend(np.concatenate([-positives.points, negatives.points]).tolist())
        objective.coeffs.extend([self._problem.box_points] * len(held))
        for start in (held - self._held).tolist() if self._problem.limit_points else []:
            objective.vars.extend(range(start + self._first_limit, start + self._first_limit + 2 * len(self._groups)))
            objective.coeffs.extend([self._problem.limit_points] * (2 * len(self._groups)))
        objective.scaling_factor, objective.offset = -1.0, -float(self._problem.constant)
        known = np.arange(self.n_variables)  # those of limits follow from the others
        known = known[(known >= self.covered) | (known % self.width < self._first_limit)]
        message.solution_hint.vars.extend(known.tolist())
        message.solution_hint.values.extend(self._values(hint)[known].astype(int).tolist())

    def _write_box(
        self, message: Any, start: int, positives: list[IntArray], negatives: list[IntArray]
    ) -> Iterator[None]:
        for inner in (start + np.flatnonzero(self._side[1:] == self._side[:-1])).tolist():
            _imply(message, [inner + 1], [inner])
        for i, needed in enumerate(positives):
            _imply(message, [start + self._held + i], (start + np.append(needed, self._used)).tolist())
        for q, needed in enumerate(negatives):
            # A negative at the innermost level on every side is in each box that is used.
            _imply(message, [start + v for v in needed.tolist() or [self._used]], [self._charged + q])
            if q % _PAUSE == 0:
                yield
        self._write_limits(message, start)
        if start > 0:  # boxes may as well come in the order of their reach on one side, those not used last
            for variable in [*np.flatnonzero(self._side == self._longest).tolist(), self._used]:
                _imply(message, [start + variable], [start + variable - self.width])

    def _write_limits(self, message: Any, start: int) -> None:
        """Write which limits a box has to pay for."""
        limits, first, ends = self._problem.limits, start + self._first_limit, {}
        for g, group in enumerate(self._groups.tolist()):
            sides = [None if s < 0 else start + self._end(s) for s in group[:4]]
            for side in sides:
                if side is not None:  # a side that does not reach its last step is limited
                    _imply(message, [start + self._used, ~side], [first + 2 * g])
            low, high, _, only = sides
            if low is not None and high is not None and group[KIND] != ANY:
                where = [] if only is None else [only]
                ends[g] = message.constraints.add()
                ends[g].enforcement_literal.extend([start + self._used, ~low, ~high, *where])
                ends[g].bool_or.literals.append(first + 2 * g + 1)
        for k, (g, reach) in enumerate(self._equalities):
            literal = first + 2 * len(self._groups) + k
            beyond = zip(self._groups[g, :2].tolist(), (reach, int(self._groups[g, SUM]) - reach), strict=True)
            _imply(message, [literal], [~(start + int(self._before[s]) + t + 1) for s, t in beyond])
            ends[g].bool_or.literals.append(literal)
        if limits is not None and limits.most < 2 * len(self._groups):
            cap = message.constraints.add().linear
            cap.vars.extend(range(first, first + 2 * len(self._groups)))
            cap.coeffs.extend([1] * (2 * len(self._groups)))
            cap.domain.extend([0, limits.most])

    def _end(self, side: int) -> int:
        """Return the variable of the last step of a side."""
        return int(np.flatnonzero(self._side == side)[-1])

    def _values(self, hint: Sequence[Box]) -> BoolArray:
        """Return the values of all variables for a drawing, but for those of limits."""
        blocks = np.zeros((self._problem.max_boxes, self.width), dtype=np.bool_)
        boxes = sorted(hint, key=lambda box: -self._steps(*box)[self._longest])
        for k, box in enumerate(boxes):
            reached = np.arange(self._used) <= (self._before + self._steps(*box))[self._side]
            blocks[k, : self._first_limit] = [*reached, True, *self._problem.positives.inside(box)]
        rows = self._problem.positives, self._problem.negatives
        return np.concatenate([blocks.reshape(-1), *(part.inside_any(boxes) for part in rows)])


def _limits(problem: Problem, n_steps: IntArray) -> tuple[IntArray, list[tuple[int, int]]]:
    """Return the groups of sides, if limits count, and equalities that may pay: the group and the lower reach."""
    limits = problem.limits
    if limits is None:
        return np.zeros((0, 6), dtype=np.int64), []
    sides = np.where(n_steps > 0, np.arange(len(n_steps)), -1)
    groups, d = limits.groups(problem.n_low, np.append(sides, -1)), len(problem.n_low)
    equalities = []
    for g in np.flatnonzero((groups[:, KIND] == EQUAL) & (groups[:, :2] >= 0).all(axis=1)).tolist():
        j, total = int(groups[g, 0]), int(groups[g, SUM])
        low, high = problem.n_low[j] - 1 - problem.positives.low[:, j], problem.positives.high[:, j]
        known = low + high == total
        points = np.bincount(low[known], problem.positives.points[known], total + 1)
        pays = points + problem.positives.points[~known].sum() > problem.box_points + limits.points
        inner = (np.arange(total + 1) < n_steps[j]) & (total - np.arange(total + 1) < n_steps[d + j])
        equalities += [(g, t) for t in np.flatnonzero(pays & inner).tolist()]
    return groups, equalities


def _imply(message: Any, conditions: list[int], literals: list[int]) -> None:
    """Add that all literals are true if all conditions are."""
    constraint = message.constraints.add()
    constraint.enforcement_literal.extend(conditions)
    constraint.bool_and.literals.extend(literals)


def _pairs(positives: IntArray, negatives: IntArray) -> Iterator[tuple[int, int, IntArray]]:
    """Yield pairs of positives, also of one with itself, between which there are one to `_FEW` negatives, and these."""
    n, m, words = len(positives), len(negatives), -(-positives.shape[1] // 64)
    if n * n * m * words > _MOST_WORK:
        return
    # A bit for each side on which the negative lies farther out; the box around two misses it where both do.
    missed = np.zeros((words, n, m), dtype=np.uint64)
    for side in range(positives.shape[1]):
        farther = positives[:, side, None] < negatives[:, side]
        missed[side // 64] |= farther.astype(np.uint64) << np.uint64(side % 64)
    for i in range(n):
        between = np.logical_not(np.bitwise_and(missed[:, i:], missed[:, i, None]).any(axis=0))
        count = between.sum(axis=1)
        for other in np.flatnonzero((count > 0) & (count <= _FEW)).tolist():
            yield i, i + other, np.flatnonzero(between[other])
