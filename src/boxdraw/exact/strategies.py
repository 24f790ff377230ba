"""From an objective to a drawing and a bound: the full search, the paper's two shortcuts, and its integer program."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from boxdraw.arrays import BoolArray
from boxdraw.exact.objective import Objective
from boxdraw.exact.problem import Box, Problem, half_ranges, presolve
from boxdraw.exact.progress import Reporter

STRATEGIES = ("full", "neighbourhood", "per_cluster")
_MOST_BYTES = 4 * 2**30
_CLUSTERINGS = 3
_SHARE = 0.3  # of the time goes to the neighbourhood


@dataclass(frozen=True, slots=True)
class Outcome:
    """A drawing, as the positives that each box holds, and a bound on all drawings."""

    held: list[BoolArray]
    bound: Fraction | float
    status: str
    method: str
    bound_method: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may use, and where it reports to."""

    end: float
    gap: float
    seed: int
    n_jobs: int
    reporter: Callable[[float, float, str], bool]


def solve(
    objective: Objective,
    *,
    solver: str,
    strategy: str,
    warm: BoolArray | None,
    end: float,
    gap: float,
    seed: int,
    n_jobs: int,
    reporter: Reporter,
) -> Outcome:
    """Find a drawing by the chosen solver and strategy."""
    limits = Limits(end, gap, seed, n_jobs, reporter)
    try:
        if solver == "mip":
            return _by_mip(objective, warm, limits)
        starts = [("given boxes", warm)] if warm is not None else fast_starts(objective)
        starts += cluster_starts(objective, seed)
        if strategy == "per_cluster":
            return per_cluster(objective, limits)
        if strategy == "neighbourhood":
            starts.append(("neighbourhood", neighbourhood(objective, starts, limits)))
        return search(objective, starts, limits)
    finally:
        reporter.close()


def fast_starts(objective: Objective) -> list[tuple[str, BoolArray]]:
    """Return the boxes of Fast Boxes, as the positives that each holds."""
    from boxdraw.fast.estimator import FastBoxesClassifier

    starts = []
    for growth in ("nearest_negative", "free"):
        model = FastBoxesClassifier(
            n_boxes=objective.max_boxes,
            negative_weight=max(float(objective.negative_weight), 1e-9),
            growth=growth,
            pos_label=True,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fewer distinct positives than boxes is no problem here
            boxes = model.fit(objective.X, objective.positive, objective.weight).boxes_
        starts.append(("Fast Boxes", objective.held(boxes.lower, boxes.upper)))
    return starts


def cluster_starts(objective: Objective, seed: int) -> list[tuple[str, BoolArray]]:
    """Return clusters of positives, from several random starts of k-means."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    from boxdraw.fast.cluster import filled

    positives = objective.X[objective.positive]
    scaled = filled(positives / half_ranges(positives))
    n_clusters = min(objective.max_boxes, len(np.unique(scaled, axis=0)))
    starts = []
    for k in range(_CLUSTERINGS if n_clusters > 1 else 0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer places than clusters is no problem here
            labels = KMeans(n_clusters, n_init=1, random_state=(seed + k) % 2**32).fit_predict(scaled)
        starts.append(("clusters", labels == np.arange(n_clusters)[:, None]))
    return starts


def search(objective: Objective, starts: Sequence[tuple[str, BoolArray]], limits: Limits) -> Outcome:
    """Search for the best drawing with a proof."""
    scale = objective.in_points()
    problem = presolve(objective, scale)
    check_size(problem, objective)
    from boxdraw.exact.search import Control, Search  # compiles on first use

    unit, error = float(scale.unit), float(scale.error)

    def report(value: int, bound: int, phase: str) -> bool:
        return limits.reporter(value * unit, bound * unit + error, phase)

    control = Control(limits.end - time.perf_counter(), limits.gap, report, problem)
    on_levels = [(name, boxes_around(problem, held)) for name, held in starts]
    state = Search(problem, control, seed=limits.seed, n_jobs=limits.n_jobs).run(on_levels)
    held = [problem.held_rows(box) for box in state.boxes]
    return Outcome(
        held, state.bound * scale.unit + scale.error, control.status(state), state.method, state.bound_method
    )


def boxes_around(problem: Problem, held: Sequence[BoolArray] | BoolArray) -> list[Box]:
    """Return the bounding boxes of sets of positives, on levels; no more than allowed."""
    boxes = [problem.around_rows(rows) for rows in held]
    return [box for box in boxes if box is not None][: problem.max_boxes]


def check_size(problem: Problem, objective: Objective) -> None:
    """Refuse what would not fit in memory."""
    n_positives, n_features = problem.positives.low.shape
    words = (n_positives + 127) // 64 + (len(problem.negatives.points) + 127) // 64
    levels = int(problem.n_low.max()) + int(problem.n_high.max())
    size = 8 * words * (n_features * levels + 4 * n_positives)
    if size > _MOST_BYTES:
        raise ValueError(
            f"The exact search would need about {size / 2**30:.0f} GiB for {n_positives} distinct positives, "
            f"{len(problem.negatives.points)} negatives near them and {n_features} features; at most "
            f"{_MOST_BYTES / 2**30:.0f} GiB are allowed. Use strategy='per_cluster', a sample of the rows, or "
            "FastBoxesClassifier."
        )


def neighbourhood(objective: Objective, starts: Sequence[tuple[str, BoolArray]], limits: Limits) -> BoolArray:
    """Solve the problem with the negatives near a positive alone; return the positives that each box holds."""
    part = part_of(objective, _near(objective))
    now = time.perf_counter()
    outcome = search(part, starts, replace(limits, end=now + _SHARE * (limits.end - now)))
    return np.array(outcome.held, dtype=np.bool_).reshape(len(outcome.held), int(objective.positive.sum()))


def _near(objective: Objective) -> BoolArray:
    """Choose all positives, and the half of the negatives that is closest to one of them."""
    from sklearn.neighbors import NearestNeighbors

    from boxdraw.fast.cluster import filled

    X = filled(objective.X / half_ranges(objective.X))
    nearest = NearestNeighbors(n_neighbors=1).fit(X[objective.positive])
    distance = nearest.kneighbors(X[~objective.positive])[0][:, 0]
    near = objective.positive.copy()
    near[~objective.positive] = distance <= np.median(distance)
    return near


def per_cluster(objective: Objective, limits: Limits) -> Outcome:
    """Cluster the positives, draw the best box of each cluster, and keep the boxes that are worth it together.

    The presolve leaves a cluster only the negatives within its bounding box, so each problem is small.
    """
    from boxdraw.fast.cluster import cluster_positives, filled

    weight = None if objective.weight is None else objective.weight[objective.positive]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        positives = filled(objective.X[objective.positive])
        labels = cluster_positives(positives, weight, objective.max_boxes, None, limits.seed)
    held, status = [], "heuristic"
    for k in range(labels.max() + 1):
        chosen = ~objective.positive
        chosen[objective.positive] = labels == k
        now = time.perf_counter()
        share = (limits.end - now) / (labels.max() + 1 - k)
        outcome = search(replace(part_of(objective, chosen), max_boxes=1), [], replace(limits, end=now + share))
        for rows in outcome.held:
            held.append(np.zeros(len(labels), dtype=np.bool_))
            held[-1][labels == k] = rows
        if outcome.status in ("time_limit", "interrupted"):
            status = outcome.status
        if outcome.status == "interrupted":
            break
    return _worthwhile(objective, held, status)


def _worthwhile(objective: Objective, held: list[BoolArray], status: str) -> Outcome:
    """Drop boxes as long as that pays; bound the drawing by counting."""
    scale = objective.in_points()
    problem = presolve(objective, scale)
    boxes = boxes_around(problem, held)
    while boxes:
        fewer = [boxes[:k] + boxes[k + 1 :] for k in range(len(boxes))]
        best = max(fewer, key=problem.value)
        if problem.value(best) < problem.value(boxes):
            break
        boxes = best
    bound = problem.most()
    if problem.value(boxes) == bound:
        status = "optimal"
    held = [problem.held_rows(box) for box in boxes]
    return Outcome(held, bound * scale.unit + scale.error, status, "branch and bound per cluster", "counting")


def part_of(objective: Objective, chosen: BoolArray) -> Objective:
    """Return the objective on some of the rows."""
    weight = None if objective.weight is None else objective.weight[chosen]
    return replace(objective, X=objective.X[chosen], positive=objective.positive[chosen], weight=weight)


def _by_mip(objective: Objective, warm: BoolArray | None, limits: Limits) -> Outcome:
    """Solve the paper's program."""
    from boxdraw.exact.edges import place_edges
    from boxdraw.exact.mip import solve_mip

    start = None if warm is None else place_edges(objective, [rows for rows in warm if rows.any()], "tight")
    result = solve_mip(
        objective,
        time_limit=max(limits.end - time.perf_counter(), 0.1),
        gap=limits.gap,
        n_jobs=limits.n_jobs,
        seed=limits.seed,
        start=start,
        on_progress=lambda value, bound: limits.reporter(
            0.0 if value is None else value, bound, "mixed-integer program"
        ),
    )
    value = objective.value(result.lower, result.upper)
    bound: Fraction | float = value if result.optimal else result.bound
    status = "optimal" if result.optimal else "interrupted" if result.interrupted else "time_limit"
    if status == "time_limit" and bound - value <= limits.gap * abs(value):
        status = "gap_reached"
    return Outcome(list(objective.held(result.lower, result.upper)), bound, status, "HiGHS", "HiGHS")
