"""K boxes on levels as a model for CP-SAT, which proves bounds from conflicts instead of from a relaxation.

A relaxation says little here: half of each of two boxes covers everything for free. CP-SAT is told to look for
*cores*, sets of rows that no drawing gets all right, and to add up what they cost. Clauses that name such conflicts
help it most: two positives in one box take in the negatives between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from boxdraw.arrays import BoolArray, IntArray
from boxdraw.exact.problem import Box, Levels, Problem, Rows

OnBound = Callable[[int], None]
OnBoxes = Callable[[list[Box], int], None]

_FEW = 3  # negatives between two positives for which clauses say so; clauses on more of them only slow the search down
_MOST_PAIRS = 100_000  # of positives in a box with such clauses
_MOST_WORK = 10**9  # words compared to find them, about two seconds

# What several workers do: the first proves, the second looks for drawings, the others do something of both.
_STRATEGIES = ("core", "quick_restart_no_lp", "core_or_no_lp", "no_lp", "core_default_lp", "default_lp", "pseudo_costs")


def model_size(problem: Problem) -> int:
    """Return the number of literals in the clauses of the model; the few million on pairs of positives come on top."""
    model = _Model(problem)
    sizes = [len(needed) + 1 for needed in [*model.needed(problem.positives), *model.needed(problem.negatives)]]
    return problem.max_boxes * (sum(sizes) + 2 * model.width) + len(problem.positives.points)


class CpSat:
    """The problem as a model, and the search for its optimum.

    Parameters
    ----------
    problem : Problem
        The problem on levels.
    hint : sequence of Box
        A drawing of at most ``max_boxes`` boxes to start from.
    workers : int
        Number of threads.
    seed : int
        Seed of the search. The same seed gives the same drawings, unless the clock or `stop` ends the search.
    """

    def __init__(self, problem: Problem, hint: Sequence[Box], *, workers: int, seed: int) -> None:
        from ortools.sat.python import cp_model

        self._problem = problem
        self._layout = _Model(problem)
        self._model = cp_model.CpModel()
        self._variables = [self._model.new_bool_var("") for _ in range(self._layout.n_variables)]
        self._layout.write(self._model.proto, hint)
        self._solver = cp_model.CpSolver()
        _set_parameters(self._solver.parameters, workers, seed)
        self._value = problem.value(hint)
        self._bound = math.inf
        self._stopped = False
        # Bounds and solutions go through a queue to the thread that called `solve`, which alone calls back. None only
        # wakes it up.
        self._reports: SimpleQueue[int | BoolArray | None] = SimpleQueue()

    def solve(self, time_limit: float, on_bound: OnBound, on_boxes: OnBoxes) -> bool:
        """Search until the optimum is proved, time is up or `stop` is called.

        Parameters
        ----------
        time_limit : float
            Seconds; may be infinite.
        on_bound : callable
            Called with each better bound on the points of all drawings.
        on_boxes : callable
            Called with each drawing that is better than the hint and those before it, and its points.

        Returns
        -------
        bool
            Whether the best drawing, or else the hint, is proved to be optimal.
        """
        from ortools.sat.python import cp_model

        self._solver.parameters.max_time_in_seconds = max(0.0, time_limit)
        # A bound is a whole number, computed from others in floating point.
        self._solver.best_bound_callback = lambda bound: self._reports.put(math.floor(bound + 1e-3))
        with ThreadPoolExecutor(1) as pool:
            search = pool.submit(self._solver.solve, self._model, self._listener())
            search.add_done_callback(lambda _: self._reports.put(None))
            try:
                self._take_reports(search, on_bound, on_boxes)
            finally:  # of the search, too, if a callback failed
                self._stopped |= not search.done()
                self._take_reports(search, lambda _: None, lambda *_: None)
        status = search.result()
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
            raise RuntimeError(f"CP-SAT says of a sound model: {self._solver.status_name(status)}.")
        if optimal := bool(status == cp_model.OPTIMAL):
            self._take_bound(self._value, on_bound)
        return optimal

    def stop(self) -> None:
        """End `solve` soon, or as soon as it begins; may be called from any thread."""
        self._stopped = True
        self._reports.put(None)

    def _listener(self) -> Any:
        """Return the object that CP-SAT tells of its solutions."""
        from ortools.sat.python import cp_model

        variables, reports = self._variables[: self._layout.covered], self._reports

        class Listener(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                reports.put(np.array([self.Value(variable) for variable in variables], dtype=np.bool_))

        return Listener()

    def _take_reports(self, search: Future[Any], on_bound: OnBound, on_boxes: OnBoxes) -> None:
        """Pass on what CP-SAT reports until it has ended."""
        while not (search.done() and self._reports.empty()):
            if self._stopped:  # time and again: CP-SAT takes no notice until it has begun
                self._solver.stop_search()
            try:
                report = self._reports.get(timeout=0.02 if self._stopped else None)
            except Empty:
                continue
            if isinstance(report, int):
                self._take_bound(report, on_bound)
            elif report is not None:
                self._take_boxes(self._layout.boxes(report), on_boxes)

    def _take_bound(self, bound: int, on_bound: OnBound) -> None:
        if bound < self._bound:
            self._bound = bound
            on_bound(bound)

    def _take_boxes(self, boxes: list[Box], on_boxes: OnBoxes) -> None:
        tight = [self._problem.around(self._problem.positives.inside(box)) for box in boxes]
        drawing = [box for box in tight if box is not None]
        if (value := self._problem.value(drawing)) > self._value:
            self._value = value
            on_boxes(drawing, value)


def _set_parameters(parameters: Any, workers: int, seed: int) -> None:
    parameters.random_seed = seed % 2**31
    parameters.num_workers = max(1, workers)
    parameters.catch_sigint_signal = False  # Python's own handler is to see Ctrl-C
    parameters.linearization_level = 0
    # All rows at once, not the heavy ones first: what makes a core is mostly positives and negatives together.
    parameters.max_sat_stratification = parameters.STRATIFICATION_NONE
    if workers <= 1:
        parameters.optimize_with_core = True
    else:
        parameters.interleave_search = True  # makes the threads' exchange deterministic
        parameters.subsolvers.extend(_STRATEGIES[:workers])
        parameters.use_lns = False
        parameters.use_feasibility_jump = False


class _Model:
    """The variables and what holds between them.

    A box has two sides per feature and reaches outwards by some steps, from the innermost level, on each. It holds a row
    that lies no farther out on any side. Each box has a block of variables: "reaches step t ≥ 1 on side s"; whether it
    is used; and which positives it is credited with. Behind the blocks are the positives covered and the negatives
    charged.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        n_steps = np.concatenate([problem.n_low, problem.n_high]).astype(np.intp) - 1
        self._before = np.cumsum(n_steps) - n_steps - 1  # the variable of step t is t places on
        self._side = np.repeat(np.arange(len(n_steps)), n_steps)
        self._longest = int(n_steps.argmax())
        self._used = len(self._side)
        self._held = self._used + 1
        self.width = self._held + len(problem.positives.points)
        self.covered = problem.max_boxes * self.width
        self._charged = self.covered + len(problem.positives.points)
        self.n_variables = self._charged + len(problem.negatives.points)

    def _steps(self, low: Levels, high: Levels) -> IntArray:
        """Return how far out a row lies, or a box reaches, on each side."""
        return np.concatenate([self._problem.n_low - 1 - low, high], axis=-1).astype(np.intp)

    def needed(self, rows: Rows) -> list[IntArray]:
        """Return, for each row, the variables of the first box that are all true iff the box holds the row."""
        return [(self._before + steps)[steps > 0] for steps in self._steps(rows.low, rows.high)]

    def boxes(self, values: BoolArray) -> list[Box]:
        """Return the boxes used, from the values of their blocks."""
        d, boxes = len(self._problem.n_low), []
        for block in values.reshape(-1, self.width):
            if block[self._used]:
                reach = np.bincount(self._side[block[: self._used]], minlength=2 * d).astype(np.int32)
                boxes.append((self._problem.n_low - 1 - reach[:d], reach[d:]))
        return boxes

    def write(self, message: Any, hint: Sequence[Box]) -> None:
        """Write the model's message itself, which is many times faster than an object per literal."""
        positives, negatives = self._problem.positives, self._problem.negatives
        rows = self.needed(positives), self.needed(negatives)
        for start in range(0, self.covered, self.width):
            self._write_box(message, start, *rows)
        held = np.arange(self._held, self.covered, self.width)
        for i in range(len(positives.points)):
            _either(message, [~(self.covered + i), *(held + i).tolist()])
        for i, other, between in islice(
            _pairs(self._steps(positives.low, positives.high), self._steps(negatives.low, negatives.high)),
            _MOST_PAIRS // self._problem.max_boxes,
        ):
            charged = (self._charged + between).tolist()
            if i == other:
                _imply(message, [self.covered + i], charged)
            else:
                for box in held.tolist():
                    _imply(message, [box + i, box + other], charged)
        # The solver minimises; the scaling factor turns its bounds round.
        used = np.arange(self._used, self.covered, self.width)
        message.objective.vars.extend([*range(self.covered, self.n_variables), *used.tolist()])
        costs = np.concatenate([-positives.points, negatives.points, np.full(len(used), self._problem.box_points)])
        message.objective.coeffs.extend(costs.tolist())
        message.objective.scaling_factor, message.objective.offset = -1.0, -float(self._problem.constant)
        message.solution_hint.vars.extend(range(self.n_variables))
        message.solution_hint.values.extend(self._values(hint).astype(int).tolist())

    def _write_box(self, message: Any, start: int, positives: list[IntArray], negatives: list[IntArray]) -> None:
        for inner in (start + np.flatnonzero(self._side[1:] == self._side[:-1])).tolist():
            _imply(message, [inner + 1], [inner])
        for i, needed in enumerate(positives):
            _imply(message, [start + self._held + i], (start + np.append(needed, self._used)).tolist())
        for q, needed in enumerate(negatives):
            # A negative at the innermost level on every side is in all boxes that hold anything.
            reached = needed if len(needed) else np.array([self._used])
            _either(message, [*(~(start + reached)).tolist(), self._charged + q])
        if start > 0:  # Boxes come in the order of their reach on one side, those not used last.
            for variable in [*np.flatnonzero(self._side == self._longest).tolist(), self._used]:
                _imply(message, [start + variable], [start + variable - self.width])

    def _values(self, hint: Sequence[Box]) -> BoolArray:
        """Return the values of all variables for a drawing."""
        values = np.zeros(self.n_variables, dtype=np.bool_)
        step = np.arange(self._used) - self._before[self._side]
        boxes = sorted(hint, key=lambda box: -self._steps(*box)[self._longest])
        for block, box in zip(values[: self.covered].reshape(-1, self.width), boxes, strict=False):
            block[: self._used] = self._steps(*box)[self._side] >= step
            block[self._used] = True
            block[self._held :] = self._problem.positives.inside(box)
        values[self.covered : self._charged] = self._problem.positives.inside_any(boxes)
        values[self._charged :] = self._problem.negatives.inside_any(boxes)
        return values


def _imply(message: Any, conditions: list[int], literals: list[int]) -> None:
    constraint = message.constraints.add()
    constraint.enforcement_literal.extend(conditions)
    constraint.bool_and.literals.extend(literals)


def _either(message: Any, literals: list[int]) -> None:
    message.constraints.add().bool_or.literals.extend(literals)


def _pairs(positives: IntArray, negatives: IntArray) -> Iterator[tuple[int, int, IntArray]]:
    """Yield pairs of positives with the negatives that a box takes in if it holds both; pairs of a row with itself first.

    Only those with one to `_FEW` such negatives, which neither of the two takes in alone.
    """
    n, m, words = len(positives), len(negatives), -(-positives.shape[1] // 64)
    if n * n * m * words > _MOST_WORK:
        return
    # A bit for each side on which the negative lies farther out. The box of both misses it where both do.
    missed = np.zeros((words, n, m), dtype=np.uint64)
    for side in range(positives.shape[1]):
        outside = positives[:, side, None] < negatives[:, side]
        missed[side // 64] |= outside.astype(np.uint64) << np.uint64(side % 64)
    alone = ~missed.any(axis=0)
    for i in np.flatnonzero(alone.any(axis=1)).tolist():
        yield i, i, np.flatnonzero(alone[i])
    for i in range(n):
        between = ~(missed[:, i + 1 :] & missed[:, i, None]).any(axis=0) & ~alone[i + 1 :] & ~alone[i]
        count = between.sum(axis=1)
        for other in np.flatnonzero((count > 0) & (count <= _FEW)).tolist():
            yield i, i + 1 + other, np.flatnonzero(between[other])
