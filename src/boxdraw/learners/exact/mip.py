"""The paper's program, constraints (5) to (21) with its slips corrected, solved by HiGHS through OR-tools MathOpt.

It is here to compare with: the library's own search is faster. A box may be unused: it holds no row and costs nothing,
but by (21) has limits, so limits may lie beyond the data by more than the margin, clear of every row. Each feature is
scaled so that the data, grown by the margin, have width 1. ε comes from the data: up to half of the least distance,
beyond twice the margin, at which a limit can keep a positive and a negative apart, it costs no drawing; well above the
solver's tolerances, it admits no false one. Weights are whole points, as in the library's own search.

HiGHS computes in floating point, so its bound is its word and no proof: `claimed` adds what its tolerances may hide,
and the exact bound by counting takes its place where that is as good, or where a drawing shows that HiGHS is wrong.

HiGHS looks at its clock only now and then, and MathOpt passes it neither callbacks nor interrupts. So it runs in a
process of its own, which is ended when it is late, on Ctrl-C, or when the caller says so. It ends itself when its
standard input does: whatever ended this process, SIGKILL too, has closed that pipe.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.warn import warn
from boxdraw.learners.exact.edges import place_edges
from boxdraw.learners.exact.mip_limits import LimitTerms
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.ranks import tight_lower, tight_upper

Limits = tuple[FloatArray, FloatArray]

_MOST_NONZEROS = 5_000_000
_TOLERANCE = 1e-9  # by which HiGHS may break a constraint or miss a whole number
_LEAST_EPSILON = 1e-7  # well above what such errors, times M, add up to
_MOST_EPSILON = 1e-6  # no limit may be within ε of what a row asks for: keep that zone small
_MOST_WORTH = 2.0**20  # of all rows, as HiGHS sees them: it has tolerances for numbers of about such a size
FLOATING = "HiGHS in floating point"  # what the certificate calls it

_CHILD = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches this process too; the other one decides
message = sys.stdin.buffer.read(int(sys.argv[2]))
def end_with_parent():
    os.read(0, 1)  # nothing more is sent
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
from ortools.math_opt import callback_pb2, rpc_pb2
from ortools.math_opt.core.python import solver
request = rpc_pb2.SolveRequest.FromString(message)
left = float(sys.argv[1]) - time.time()
if left < float("inf"):
    request.parameters.time_limit.FromMilliseconds(max(1, int(1000 * left)))
inputs = request.model, request.solver_type, request.initializer, request.parameters, request.model_parameters
result = solver.solve(*inputs, None, callback_pb2.CallbackRegistrationProto(), None, None)
sys.stdout.buffer.write(result.SerializeToString())
"""


@dataclass(frozen=True, slots=True)
class MipResult:
    """The best drawing found, and a bound on all drawings."""

    lower: FloatArray  # a row per box used: tight around the positives that it holds, grown by the margin
    upper: FloatArray
    bound: Fraction  # no drawing has a larger objective
    bound_method: str  # exact counting, or the word of HiGHS
    optimal: bool  # the drawing reaches the bound, but for the rounding of weights to points
    finished: bool  # the solver came to an end
    close: bool  # and the drawing is as close to the bound as its tolerances can tell
    interrupted: bool  # by Ctrl-C or by the caller


def solve_mip(
    objective: Objective,
    *,
    time_limit: float,
    gap: float,
    n_jobs: int,
    seed: int,
    start: tuple[FloatArray, FloatArray] | None,
    on_progress: Callable[[float | None, float], bool] | None,
) -> MipResult:
    """Solve the paper's program; a solver later than a tenth of the limit and half a second is ended."""
    deadline = time.time() + time_limit
    m, n, k = *objective.X.shape, objective.max_boxes
    if (nonzeros := m * k * (8 * n + 6) + 2 * m + 2 * k * n) > _MOST_NONZEROS:
        raise ValueError(
            f"The paper's program for {m} rows, {n} features and {k} boxes has {nonzeros} nonzeros; at most "
            f'{_MOST_NONZEROS} are allowed. Use fewer rows or boxes, or solver="auto".'
        )
    program = _Program(objective)
    given = start or (np.empty((0, n)), np.empty((0, n)))
    held = objective.held(*given)
    drawings = [_tight(objective, held, given)]
    known = float(objective.value(*drawings[0]))
    request = program.request(held, gap, n_jobs, seed)
    most = max(objective.value_of(np.ones(m, dtype=np.bool_), 1), objective.value_of(~objective.positive, 0))
    stop = None if on_progress is None else partial(on_progress, known, float(most))
    answer, interrupted = _run(request, deadline, deadline + 0.1 * time_limit + 0.5, stop)
    dual, finished, found = (math.inf, False, None) if answer is None else program.read(answer)
    drawings += [] if found is None else [_tight(objective, *found)]
    lower, upper = max(drawings, key=lambda drawing: objective.value(*drawing))
    value, claimed = objective.value(lower, upper), program.claimed(dual)
    bound, method = (most, "counting") if claimed is None or not value <= claimed < most else (claimed, FLOATING)
    lost = 2 * program.weights.error  # in the drawing and in the bound
    optimal, close = bound - value <= lost, bound - value <= lost + 2 * program.allowance
    return MipResult(lower, upper, bound, method, optimal, finished, finished and close, interrupted)


class _Program:
    """The program of an objective: where its variables are, and its constraints."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.x, self.margin, self.epsilon = _scale(objective)
        self.top = self.x.max(axis=0) + self.margin + self.epsilon  # a box with all limits here is clear of every row
        m, n, k = *self.x.shape, objective.max_boxes
        shapes = {"l": (k, n), "u": (k, n), "l~": (m, k, n), "u~": (m, k, n), "w": (m, k), "z": (m,), "used": (k,)}
        ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
        parts = np.split(np.arange(ends[-1]), ends[:-1])
        self.at = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
        self.n_columns = int(ends[-1])
        self.weights = objective.in_points()
        costs = self.weights.box_points + self.weights.limit_points * objective.most_limits
        worth = int(self.weights.points.sum()) + costs * k
        self.point = 2.0 ** -max(math.ceil(math.log2(max(worth, 1) / _MOST_WORTH)), 0)  # to HiGHS
        self.limits = None
        if objective.counts_limits:
            self.limits = LimitTerms(objective, self.x, self.n_columns, self.point * self.weights.limit_points)
            self.n_columns += len(self.limits.columns)
        self.slack = 1e-6 + _TOLERANCE * (worth * self.point + self.n_columns)  # of what HiGHS says, by its tolerances

    @property
    def allowance(self) -> Fraction:
        """The slack in the units of the objective."""
        return Fraction(self.slack / self.point) * self.weights.unit

    def claimed(self, dual: float) -> Fraction | None:
        """Return the bound that follows from that of HiGHS, allowing for its tolerances and the rounding of weights."""
        if not math.isfinite(dual):
            return None
        return math.floor((dual + self.slack) / self.point) * self.weights.unit + self.weights.error

    def request(self, held: BoolArray, gap: float, n_jobs: int, seed: int) -> Any:
        """Return the message that asks MathOpt to solve it."""
        from ortools.math_opt import parameters_pb2, rpc_pb2

        request = rpc_pb2.SolveRequest(solver_type=parameters_pb2.SOLVER_TYPE_HIGHS)
        self._put_columns(request.model)
        self._put_rows(request.model)
        request.parameters.relative_gap_tolerance = gap
        request.parameters.absolute_gap_tolerance = 0.0
        request.parameters.random_seed = seed % 2**31
        options = request.parameters.highs
        options.string_options["parallel"] = "off" if n_jobs == 1 else "on"
        options.int_options["threads"] = max(n_jobs, 0)
        options.double_options["mip_feasibility_tolerance"] = _TOLERANCE
        options.double_options["primal_feasibility_tolerance"] = _TOLERANCE
        options.double_options["dual_feasibility_tolerance"] = _TOLERANCE
        hint = request.model_parameters.solution_hints.add().variable_values
        _fill(hint, ids=range(self.n_columns), values=self._start(held))
        return request

    def read(self, answer: bytes) -> tuple[float, bool, tuple[BoolArray, Limits | None] | None]:
        """Return the solver's bound, whether it finished, and which positives its boxes hold, a row per box."""
        from ortools.math_opt import result_pb2, solution_pb2

        result = result_pb2.SolveResultProto.FromString(answer)
        finished = result.termination.reason == result_pb2.TERMINATION_REASON_OPTIMAL
        bound = result.termination.objective_bounds.dual_bound
        primal = result.solutions[0].primal_solution if result.solutions else solution_pb2.PrimalSolutionProto()
        if primal.feasibility_status != solution_pb2.SOLUTION_STATUS_FEASIBLE:
            return bound, finished, None
        values = np.zeros(self.n_columns)
        values[primal.variable_values.ids] = primal.variable_values.values
        held = values[self.at["w"][self.objective.positive]].T > 0.5
        return bound, finished, (held, None if self.limits is None else self.limits.limits(values))

    def _put_columns(self, model: Any) -> None:
        objective, at, n = self.objective, self.at, self.n_columns
        lower, upper, whole = np.zeros(n), np.ones(n), np.arange(n) >= at["l~"].min()
        for limit in (at["l"], at["u"]):
            lower[limit], upper[limit] = -self.margin - self.epsilon, self.top
        _fill(model.variables, ids=range(n), lower_bounds=lower, upper_bounds=upper, integers=whole)
        model.objective.maximize = True
        worth = self.point * self.weights.points
        cost = np.full(objective.max_boxes, -self.point * self.weights.box_points)
        _fill(model.objective.linear_coefficients, ids=[*at["z"], *at["used"]], values=[*worth, *cost])
        if self.limits is not None:
            ids, costs = self.limits.costs()
            _fill(model.objective.linear_coefficients, ids=ids, values=costs)

    def _put_rows(self, model: Any) -> None:
        """Write the constraints, under the paper's numbers. (5) and (6) are one row, as they have the same terms."""
        at, n, k, inf = self.at, self.x.shape[1], self.objective.max_boxes, math.inf
        big = self.top + self.margin + self.epsilon  # M: just enough for a limit at the far end of its range
        low, high, epsilon = self.x[:, None] - self.margin, self.x[:, None] + self.margin, self.epsilon
        pos, neg = np.flatnonzero(self.objective.positive), np.flatnonzero(~self.objective.positive)
        sides = [*np.moveaxis(at["l~"], 2, 0), *np.moveaxis(at["u~"], 2, 0), at["w"]]
        boxes = [*at["w"].T, at["z"]]
        add = partial(_add_rows, model)
        add([at["l"], at["l~"][pos]], [1, big], low[pos], low[pos] + big - epsilon)  # (5), (6)
        add([at["u"], at["u~"][pos]], [1, -big], high[pos] - big + epsilon, high[pos])  # (7), (8)
        add([c[pos] for c in sides], [1] * 2 * n + [-1], -inf, 2 * n - 1)  # (9)
        add([c[pos] for c in sides], [1] * 2 * n + [-2 * n], 0, inf)  # (10)
        add([c[pos] for c in boxes], [1] * k + [-k], -inf, 0)  # (11)
        add([c[pos] for c in boxes], [1] * k + [-1], 0, inf)  # (12)
        add([at["l"], at["l~"][neg]], [1, -big], high[neg] - big + epsilon, high[neg])  # (13), (14)
        add([at["u"], at["u~"][neg]], [1, big], low[neg], low[neg] + big - epsilon)  # (15), (16)
        add([c[neg] for c in sides], [1] * 2 * n + [2 * n], -inf, 2 * n)  # (17), corrected
        add([c[neg] for c in sides], [1] * 2 * n + [1], 1, inf)  # (18)
        add([c[neg] for c in boxes], [1] * k + [k], -inf, k)  # (19)
        add([c[neg] for c in boxes], [1] * k + [1], 1, inf)  # (20)
        add([at["l"], at["u"]], [1, -1], -inf, 0)  # (21)
        add([at["w"], at["used"]], [1, -1], -inf, 0)  # an unused box holds no row
        if self.limits is not None:
            self.limits.put(add, at["l"], at["u"], at["used"], self._ends())

    def _ends(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return -self.margin - self.epsilon, self.top, self.epsilon

    def _start(self, held: BoolArray) -> FloatArray:
        """Return values of all variables for tight boxes. HiGHS drops them if one is infeasible: too close to a row."""
        at, values, sign = self.at, np.zeros(self.n_columns), np.where(self.objective.positive, 1, -1)[:, None, None]
        values[at["l"]] = values[at["u"]] = self.top
        for k, one in enumerate(one for one in held if one.any()):
            x = self.x[self.objective.positive][one]
            values[at["l"][k]] = x.min(axis=0) - self.margin - self.epsilon
            values[at["u"][k]] = x.max(axis=0) + self.margin + self.epsilon
        room = self.epsilon / 2 - _TOLERANCE  # between the two values that (5) and (6) leave to choose from
        values[at["l~"]] = sign * (self.x[:, None] - values[at["l"]]) - self.margin > room
        values[at["u~"]] = sign * (values[at["u"]] - self.x[:, None]) - self.margin > room
        sides = (values[at["l~"]] + values[at["u~"]]).sum(axis=2)
        inside = sides == np.where(self.objective.positive, 2 * self.x.shape[1], 0)[:, None]
        values[at["w"]], values[at["used"]] = inside, inside.any(axis=0)
        values[at["z"]] = inside.any(axis=1) == self.objective.positive
        if self.limits is not None:
            self.limits.start(values, values[at["l"]], values[at["u"]], inside.any(axis=0), self._ends())
        return values


def _add_rows(model: Any, columns: list[IntArray], factors: list[Any], lower: Any, upper: Any) -> None:
    """Add lower ≤ Σ factor · column ≤ upper for each element of the columns' common shape."""
    terms = np.stack(np.broadcast_arrays(*columns), axis=-1)
    shape, width = terms.shape[:-1], terms.shape[-1]
    factor = np.stack([np.broadcast_to(np.float64(f), shape) for f in factors], axis=-1)
    low, high = (np.broadcast_to(np.float64(limit), shape) for limit in (lower, upper))
    ids = len(model.linear_constraints.ids) + np.arange(low.size)
    _fill(model.linear_constraints, ids=ids, lower_bounds=low, upper_bounds=high)
    _fill(model.linear_constraint_matrix, row_ids=np.repeat(ids, width), column_ids=terms, coefficients=factor)


def _fill(message: Any, **fields: Any) -> None:
    for name, values in fields.items():
        getattr(message, name).extend(np.ravel(values).tolist())


def _scale(objective: Objective) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the scaled rows and, per feature, the scaled margin and ε."""
    with np.errstate(over="ignore", invalid="ignore"):  # infinity is as good as any large gap, and NaN is none
        gap = np.array([_gap(column, objective.positive, objective.margin) for column in objective.X.T])
    # In units of a power of two, in which the largest numbers have a range, too.
    unit = np.ldexp(1.0, np.minimum(-np.frexp(np.maximum(np.abs(objective.X).max(axis=0), objective.margin))[1], 1000))
    X, margin = objective.X * unit, objective.margin * unit
    width = np.ptp(X, axis=0) + 2 * margin
    width[width == 0] = 1
    gap = np.nan_to_num(gap * unit / width, nan=0.0)
    epsilon = np.minimum(gap / 4, _MOST_EPSILON)  # half of the gap would leave no room for rounding
    small = epsilon < _LEAST_EPSILON
    if small.any():
        warn(
            f"In features {np.flatnonzero(small).tolist()} (counted from 0) a positive and a negative differ by only "
            f"{max(gap.min(), 0):.1g} of the range, beyond twice the margin; HiGHS needs {4 * _LEAST_EPSILON:.0e}. The "
            'bound holds, but the boxes may not reach it. Use solver="auto", which compares exactly.'
        )
    # With ε = 0 the program allows more than it should, never less, so the bound is still one.
    return (X - X.min(axis=0)) / width, margin / width, np.where(small, 0, epsilon)


def _gap(values: FloatArray, positive: BoolArray, margin: float) -> float:
    """Return the least distance beyond twice the margin of a negative that is outside the tight box of a positive."""
    least = math.inf
    for side in (values, -values):
        held, missed = np.unique(side[positive]), np.unique(side[~positive])
        last = np.searchsorted(missed, tight_lower(held, margin) - margin, "left") - 1  # outside as Objective has it
        gaps = held[last >= 0] - missed[last[last >= 0]] - 2 * margin
        least = gaps.min(initial=least)
    return least


def _tight(objective: Objective, held: BoolArray, limits: Limits | None) -> tuple[FloatArray, FloatArray]:
    """Return the distinct tight boxes around the positives that each box holds, so that no tolerance matters."""
    if objective.counts_limits and limits is not None:
        some = held.any(axis=1)
        return place_edges(objective, list(held[some]), "tight", (limits[0][some], limits[1][some]))
    X, margin = objective.X[objective.positive], objective.margin
    ends = [[X[one].min(axis=0), X[one].max(axis=0)] for one in held if one.any()]
    distinct = np.unique(np.array(ends).reshape(-1, 2, X.shape[1]), axis=0)
    return tight_lower(distinct[:, 0], margin), tight_upper(distinct[:, 1], margin)


def _run(request: Any, deadline: float, end: float, stop: Callable[[], bool] | None) -> tuple[bytes | None, bool]:
    """Return the solver's answer, None if it was ended, and whether it was interrupted."""
    message = request.SerializeToString()
    command = [sys.executable, "-P", "-c", _CHILD, str(deadline), str(len(message))]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=paths) as process:
        to_child, process.stdin = process.stdin, None  # else it would be closed as soon as the message is written
        assert to_child is not None
        try:
            with suppress(BrokenPipeError):  # a solver that dies says why below
                to_child.write(message)
                to_child.flush()
            while True:
                try:
                    answer, errors = process.communicate(timeout=0.25)
                    break
                except TimeoutExpired:
                    if time.time() > end:
                        return None, False
                    if stop is not None and stop():
                        return None, True
        except KeyboardInterrupt:
            return None, True
        finally:
            process.kill()
            with suppress(BrokenPipeError):
                to_child.close()
    if process.returncode:
        raise RuntimeError(f"HiGHS ended with code {process.returncode}: {errors.decode(errors='replace')}")
    return answer, False
