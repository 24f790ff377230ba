"""From an objective to a drawing and a bound: the full search, the paper's two shortcuts, and its integer program."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.quiet import quietly
from boxdraw.learners.exact.edges import place_edges
from boxdraw.learners.exact.objective import Objective, PointWeights, inside_any
from boxdraw.learners.exact.problem import Problem, half_ranges, presolve, within_reach
from boxdraw.learners.exact.progress import Reporter
from boxdraw.learners.exact.ranks import Box
from boxdraw.learners.exact.size import fast_step, provable, sample_step, too_large
from boxdraw.learners.exact.weights import decimal

Starts = list[tuple[str, BoolArray]]  # drawings to start from: how each was found, and the positives in each box

STRATEGIES = ("full", "neighbourhood", "per_cluster")
_CLUSTERINGS = 3
_SHARE = 0.3  # of the time goes to the neighbourhood
_LARGE = 1e100  # squares of what is larger, times weights, may be no numbers


@dataclass(frozen=True, slots=True)
class Outcome:
    """A drawing, as the positives that each box holds, and a bound on all drawings."""

    held: list[BoolArray]
    bound: Fraction | float
    status: str
    method: str
    bound_method: str
    note: str = ""  # what the user should know
    sampled: bool = False  # whether it was found on a sample of the negatives
    limits: tuple[FloatArray, FloatArray] | None = None  # of each box, before they grow by the margin, if they count


@dataclass(frozen=True, slots=True)
class Budget:
    """What a search may use, and where it reports to."""

    seconds: float  # the time limit
    end: float
    gap: float
    seed: int
    n_jobs: int
    reporter: Reporter


def solve(
    objective: Objective, weights: PointWeights, solver: str, strategy: str, warm: BoolArray | None, budget: Budget
) -> Outcome:
    """Find a drawing by the chosen solver and strategy."""
    try:
        if solver == "mip":
            return _by_mip(objective, warm, budget)
        if strategy == "per_cluster":
            return per_cluster(objective, weights, budget)
        starts = [("given boxes", warm)] if warm is not None else fast_starts(objective, budget.seconds)
        starts += cluster_starts(objective, budget.seed)
        if strategy == "neighbourhood":
            starts.append(("neighbourhood", neighbourhood(objective, starts, budget)))
        return search(objective, weights, starts, budget)
    finally:
        budget.reporter.close()


def fast_starts(objective: Objective, seconds: float) -> Starts:
    """Return the boxes of Fast Boxes, as the positives that each holds; of a sample if the time is short."""
    from boxdraw.learners.fast.fast_boxes import FastBoxesClassifier

    whole, step = objective, fast_step(objective.X.size * objective.max_boxes, seconds)
    if step > 1:
        objective = part_of(objective, _every(objective, step))
    starts = []
    for growth in ("nearest_negative", "free"):
        model = FastBoxesClassifier(
            n_boxes=objective.max_boxes,
            negative_weight=max(float(objective.negative_weight), 1e-9),
            growth=growth,
            pos_label=True,
            round_limits=False,  # only the positives in the boxes are of interest
            random_state=0,
        )
        with quietly(UserWarning):  # fewer distinct positives than boxes is no problem here
            boxes = model.fit(objective.X, objective.positive, objective.weight).boxes_
        starts.append(("Fast Boxes", whole.held(boxes.lower, boxes.upper)))
    return starts


def _every(objective: Objective, step: int) -> BoolArray:
    """Return a mask of every step-th row of each class."""
    chosen = np.zeros(len(objective.X), dtype=np.bool_)
    for rows in (objective.positive, ~objective.positive):
        chosen[np.flatnonzero(rows)[::step]] = True
    return chosen


def cluster_starts(objective: Objective, seed: int) -> Starts:
    """Return clusters of positives, from several random starts of k-means."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    positives = objective.rows(objective.positive)
    scaled = _scaled(positives)
    n_clusters = min(objective.max_boxes, len(np.unique(scaled, axis=0)))
    starts = []
    for k in range(_CLUSTERINGS if n_clusters > 1 else 0):
        # Threads would wait for each other longer than they work where others use the cores, too.
        with quietly(ConvergenceWarning), threadpool_limits(1):  # fewer places than clusters is no problem here
            labels = KMeans(n_clusters, n_init=1, random_state=(seed + k) % 2**32).fit_predict(scaled)
        starts.append(("clusters", labels == np.arange(n_clusters)[:, None]))
    return starts


def _scaled(rows: FloatArray) -> FloatArray:
    """Return rows as distances are measured on them, missing values filled in: in half ranges of the features."""
    from boxdraw.learners.fast.cluster import filled

    scaled = filled(rows / half_ranges(rows))
    return np.where(scaled.min(axis=0) == scaled.max(axis=0), 0.0, scaled)  # a constant may be as large as it likes


def draw_alone(objective: Objective, budget: Budget) -> Outcome:
    """Search for a good drawing, by counted effort and without a proof."""
    positives, weights = np.flatnonzero(objective.positive), objective.in_points()
    starts = cluster_starts(objective, budget.seed)
    budget = replace(budget, end=time.perf_counter() + budget.seconds)
    return search_around(objective, weights, positives, within_reach(objective, positives), starts, budget, alone=True)


def search(objective: Objective, weights: PointWeights, starts: Starts, budget: Budget) -> Outcome:
    """Search for the best drawing with a proof."""
    positives = np.flatnonzero(objective.positive)
    outcome = search_around(objective, weights, positives, within_reach(objective, positives), starts, budget)
    return on_all_rows(objective, outcome, budget.gap) if outcome.sampled else outcome


def search_around(
    objective: Objective,
    weights: PointWeights,
    positives: IntArray,
    reached: IntArray,
    starts: Starts,
    budget: Budget,
    alone: bool = False,
) -> Outcome:
    """Search for the best drawing of boxes around given positives, of which the negatives within reach are known."""
    step = sample_step(len(reached) * objective.X.shape[1], budget.seconds)
    problem = presolve(objective, weights, positives, reached[::step], step)
    prove = step == 1 and provable(problem, budget.seconds)
    from boxdraw.learners.exact.search import Control, Search  # compiles on first use

    unit, error = float(weights.unit), float(weights.error)

    def report(value: int, bound: int, phase: str) -> bool:
        return budget.reporter(value * unit, bound * unit + error, phase)

    control = Control(budget.end - time.perf_counter(), budget.gap, report, problem)
    on_levels = [(name, boxes_around(problem, held)) for name, held in starts]
    state = Search(problem, control, seed=budget.seed, n_jobs=budget.n_jobs, prove=prove).run(on_levels, alone)
    status, held = control.status(state), [problem.held_rows(box) for box in state.boxes]
    note = "" if prove or status == "optimal" else too_large(problem, len(reached), step, budget.seconds)
    bound = state.bound * weights.unit + weights.error
    limits = limits_of(objective, problem, state.boxes)
    return Outcome(held, bound, status, state.method, state.bound_method, note, step > 1, limits)


def limits_of(objective: Objective, problem: Problem, boxes: Sequence[Box]) -> tuple[FloatArray, FloatArray] | None:
    """Return the limits of boxes on the matrix, before they grow by the margin, if limits count."""
    if problem.limits is None:
        return None
    n_columns = objective.X.shape[1]
    limits = np.array([problem.limits.on_matrix(box, n_columns) for box in boxes]).reshape(-1, 2, n_columns)
    return limits[:, 0], limits[:, 1]


def boxes_around(problem: Problem, held: Sequence[BoolArray] | BoolArray) -> list[Box]:
    """Return the bounding boxes of sets of positives, on levels; no more than allowed."""
    boxes = [problem.around_rows(rows) for rows in held]
    return [box for box in boxes if box is not None][: problem.max_boxes]


def on_all_rows(objective: Objective, outcome: Outcome, gap: float) -> Outcome:
    """Judge by all rows what was found on a sample of them."""
    held, limits = _holding_enough(objective, outcome)
    value = objective.value(*place_edges(objective, held, "tight", limits))
    nothing = objective.value_of(~objective.positive, 0)
    if value <= nothing:
        held, value, limits = [], nothing, None
    status = "interrupted" if outcome.status == "interrupted" else "time_limit"
    if outcome.bound - value <= gap * abs(value):
        status = "optimal" if value >= outcome.bound else "gap_reached"
    return replace(outcome, held=held, status=status, limits=limits)


def _holding_enough(
    objective: Objective, outcome: Outcome
) -> tuple[list[BoolArray], tuple[FloatArray, FloatArray] | None]:
    """Return the boxes of a drawing that hold the rows that they must."""
    held, limits = outcome.held, outcome.limits
    if objective.constraints is None or limits is None or not objective.constraints.asked.of_rows:
        return held, limits
    boxes = zip(*place_edges(objective, held, "tight", limits), strict=True)
    inside = np.array([inside_any(objective.rows(np.s_[:]), low[None], high[None]) for low, high in boxes])
    weight = np.ones(len(objective.X)) if objective.weight is None else objective.weight
    inside = inside.reshape(len(held), len(weight))
    enough = objective.constraints.asked.holds(inside @ weight, inside @ (weight * objective.positive))
    return [held[k] for k in np.flatnonzero(enough)], (limits[0][enough], limits[1][enough])


def neighbourhood(objective: Objective, starts: Starts, budget: Budget) -> BoolArray:
    """Solve the problem with the negatives near a positive alone; return the positives that each box holds."""
    part = part_of(objective, _near(objective))
    now = time.perf_counter()
    budget = replace(budget, end=now + _SHARE * (budget.end - now))
    outcome = search(part, part.in_points(), starts, budget)
    return np.array(outcome.held, dtype=np.bool_).reshape(len(outcome.held), int(objective.positive.sum()))


def _near(objective: Objective) -> BoolArray:
    """Choose all positives, and the half of the negatives that is closest to one of them."""
    from sklearn.neighbors import NearestNeighbors

    X = _scaled(objective.rows(np.s_[:]))
    nearest = NearestNeighbors(n_neighbors=1).fit(X[objective.positive])
    distance = nearest.kneighbors(X[~objective.positive])[0][:, 0]
    near = objective.positive.copy()
    near[~objective.positive] = distance <= np.median(distance)
    return near


def per_cluster(objective: Objective, weights: PointWeights, budget: Budget) -> Outcome:
    """Draw the best box of each cluster among the negatives in its reach; keep the boxes worth it together."""
    from boxdraw.learners.fast.cluster import cluster_positives, filled, masses

    positives = np.flatnonzero(objective.positive)
    weight = None if objective.weight is None else objective.weight[positives]
    with quietly(UserWarning):
        known = objective.rows(positives)
        size = np.fmax.reduce(np.abs(known), axis=None)
        known = filled(known / size if size > _LARGE else known, masses(weight, None))  # so that distances are numbers
        labels = cluster_positives(known, weight, objective.max_boxes, None, budget.seed)
    reached = within_reach(objective, positives)
    held, limits, status, note, n_clusters = [], [], "heuristic", "", int(labels.max()) + 1
    for k in range(n_clusters):
        now = time.perf_counter()
        share = replace(budget, seconds=budget.seconds / n_clusters, end=now + (budget.end - now) / (n_clusters - k))
        outcome = _one_box(objective, positives[labels == k], reached, share)
        for rows in outcome.held:
            held.append(np.zeros(len(labels), dtype=np.bool_))
            held[-1][labels == k] = rows
        limits += [] if outcome.limits is None else list(zip(*outcome.limits, strict=True))
        note = note or outcome.note
        if outcome.status in ("time_limit", "interrupted"):
            status = outcome.status
        if outcome.status == "interrupted":
            break
    found = _worthwhile(objective, weights, reached, (held, limits), budget)
    return replace(found, status=status if found.status == "time_limit" else found.status, note=note)


def _one_box(objective: Objective, positives: IntArray, among: IntArray, budget: Budget) -> Outcome:
    """Draw the best box around some of the positives, as if there were no others."""
    objective = replace(objective, max_boxes=1)
    chosen = ~objective.positive
    chosen[positives] = True
    reached = within_reach(objective, positives, among)
    return search_around(objective, objective.in_points(chosen), positives, reached, [], budget)


def _worthwhile(
    objective: Objective,
    weights: PointWeights,
    reached: IntArray,
    drawn: tuple[list[BoolArray], list[tuple[FloatArray, FloatArray]]],
    budget: Budget,
) -> Outcome:
    """Drop boxes, given by what they hold and by their limits, as long as that pays; bound the drawing by counting."""
    step = sample_step(len(reached) * objective.X.shape[1], budget.seconds)
    problem = presolve(objective, weights, negatives=reached[::step], times=step)
    boxes = boxes_around(problem, drawn[0])
    if problem.limits is not None:
        boxes = [problem.limits.on_levels(*limits) for limits in drawn[1]]
        boxes = [box for box in boxes if problem.price(box) is not None]
    while boxes:
        fewer = [boxes[:k] + boxes[k + 1 :] for k in range(len(boxes))]
        best = max(fewer, key=problem.value)
        if problem.value(best) < problem.value(boxes):
            break
        boxes = best
    status = "optimal" if problem.value(boxes) == problem.most() else "time_limit"
    held, bound = [problem.held_rows(box) for box in boxes], problem.most() * weights.unit + weights.error
    limits = limits_of(objective, problem, boxes)
    outcome = Outcome(held, bound, status, "branch and bound per cluster", "counting", "", step > 1, limits)
    return on_all_rows(objective, outcome, 0.0) if outcome.sampled else outcome


def part_of(objective: Objective, chosen: BoolArray) -> Objective:
    """Return the objective on some of the rows."""
    weight = None if objective.weight is None else objective.weight[chosen]
    return replace(objective, X=objective.X[chosen], positive=objective.positive[chosen], weight=weight)


def _by_mip(objective: Objective, warm: BoolArray | None, budget: Budget) -> Outcome:
    """Solve the paper's program."""
    from boxdraw.learners.exact.mip import solve_mip

    objective = replace(objective, X=objective.X.astype(np.float64, copy=False))
    start = None if warm is None else place_edges(objective, [rows for rows in warm if rows.any()], "tight")
    result = solve_mip(
        objective,
        time_limit=max(budget.end - time.perf_counter(), 0.1),
        gap=budget.gap,
        n_jobs=budget.n_jobs,
        seed=budget.seed,
        start=start,
        on_progress=lambda value, bound: budget.reporter(
            0.0 if value is None else value, bound, "mixed-integer program"
        ),
    )
    value, bound = objective.value(result.lower, result.upper), result.bound
    if result.optimal or result.interrupted:
        status = "optimal" if result.optimal else "interrupted"
    elif result.close or bound - value <= decimal(budget.gap) * abs(value):
        status = "gap_reached"
    else:
        status = "heuristic" if result.finished else "time_limit"
    held, limits = list(objective.held(result.lower, result.upper)), (result.lower, result.upper)
    limits_given = limits if objective.counts_limits else None
    return Outcome(held, bound, status, "HiGHS", result.bound_method, limits=limits_given)
