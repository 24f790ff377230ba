"""Where the limits of the final boxes go, once it is settled which training rows they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.learners.exact.objective import Objective, sum_down, sum_up
from boxdraw.learners.exact.ranks import tight_lower, tight_upper
from boxdraw.model.gaps import FindGaps

EDGES = ("midway", "tight")


def place_edges(
    objective: Objective, held: Sequence[BoolArray], edges: str, limits: tuple[FloatArray, FloatArray] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the limits of boxes, each given by the positives that it holds and, if limits count, by its limits."""
    constraints, fixed = objective.constraints, np.zeros(objective.X.shape[1], dtype=np.bool_)
    if constraints is not None:  # limits at allowed values stay there; they are not before they grow
        fixed[list(constraints.cuts)] = True
    positives = objective.rows(objective.positive)
    n_features = objective.X.shape[1]
    lower, upper = np.empty((len(held), n_features)), np.empty((len(held), n_features))
    for k, rows in enumerate(held):
        lower[k] = tight_lower(np.fmin.reduce(positives[rows]), objective.margin)
        upper[k] = tight_upper(np.fmax.reduce(positives[rows]), objective.margin)
    if limits is None:
        limits = np.full(lower.shape, -np.inf), np.full(upper.shape, np.inf)  # for all values missing
        free = np.isnan(lower), np.isnan(upper)
    else:
        grown = tight_lower(limits[0], objective.margin), tight_upper(limits[1], objective.margin)
        limits = np.where(fixed, limits[0], grown[0]), np.where(fixed, limits[1], grown[1])
        # Where no value is known, limits stay where they are; where there are none, none come. A box that needs rows
        # may be larger than the one around its positives.
        stay = fixed | bool(constraints is not None and constraints.asked.min_box_rows)
        free = stay | np.isnan(lower) | np.isinf(limits[0]), stay | np.isnan(upper) | np.isinf(limits[1])
    lower, upper = np.where(free[0], limits[0], lower), np.where(free[1], limits[1], upper)
    if edges == "tight":
        return lower, upper
    wide = lower.copy(), upper.copy()
    for k in range(len(held)):
        _widen(objective, wide[0][k], wide[1][k], fixed)
    if objective.counts_limits:  # an equality of whole numbers is one limit, the interval around it would be two
        single = (lower == upper) & [objective.is_whole(j) for j in range(n_features)]
        wide[0][single], wide[1][single] = lower[single], upper[single]
    # Limits are moved so that no row changes sides; should rounding ever make a difference, the tight ones stand.
    same = np.array_equal(objective.counted(lower, upper), objective.counted(*wide))
    return wide if same else (lower, upper)


def round_edges(
    objective: Objective, lower: FloatArray, upper: FloatArray, steps: BoolArray, n_jobs: int | None
) -> tuple[FloatArray, FloatArray]:
    """Return the roundest limits for which no row changes sides, by the margin or at all."""
    constraints, two_sided = objective.constraints, np.ones(len(steps), dtype=np.bool_)
    if constraints is not None:
        steps, two_sided = constraints.fixed, constraints.two_sided
    find, margin = FindGaps.of(objective.X, lower, upper, steps, n_jobs), objective.margin
    gaps = find.in_memory(objective.X, n_jobs)
    if margin:
        for _, rows, positive in objective.tiles():
            gaps = gaps.merge(find(rows, _by_margin(rows, positive, margin)))
    # Between two values there is no room for the margin.
    rounded = find.rounded(gaps, equalities=two_sided & (not margin))
    same = np.array_equal(objective.counted(lower, upper), objective.counted(*rounded))
    return rounded if same else (lower, upper)


def _by_margin(rows: FloatArray, positive: BoolArray, margin: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper limit up to which each value counts as inside: positives by the margin."""
    inwards = np.where(positive, -margin, margin)[:, None]
    return sum_down(rows, inwards), sum_up(rows, -inwards)


def _widen(objective: Objective, lower: FloatArray, upper: FloatArray, fixed: BoolArray) -> None:
    """Move limits that are not fixed halfway to the nearest row that they alone exclude; drop idle ones."""
    beyond = _beyond(objective, lower, upper)
    times = beyond.sum(axis=(0, 1), dtype=np.int32)  # by how many limits each row is kept out
    order = np.argsort(np.count_nonzero(beyond, axis=2).reshape(-1), kind="stable")
    for side, j in zip(*np.unravel_index(order, beyond.shape[:2]), strict=True):
        out = np.flatnonzero(beyond[side, j])
        values, alone = np.asarray(objective.X[out, j], dtype=np.float64), times[out] == 1
        sides = np.where(objective.positive[out], objective.margin, -objective.margin)
        limits, sign = (lower, 1.0) if side == 0 else (upper, -1.0)
        if not alone.any():
            limits[j] = -sign * np.inf
        elif not fixed[j]:
            limits[j] = sign * _halfway(sign * limits[j], sign * values[alone], sides[alone], objective.margin)
        # Nothing looks at this limit again, so only the counts are brought up to date.
        times[out[~(sign * values < sign * limits[j] + sides)]] -= 1


def _beyond(objective: Objective, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Return a mask of the rows that each limit excludes, of shape (2, n_features, n_rows)."""
    n_rows, n_features = objective.X.shape
    beyond = np.empty((2, n_features, n_rows), dtype=np.bool_)
    for tile, rows, positive in objective.tiles():
        sides = np.where(positive, objective.margin, -objective.margin)[:, None]
        beyond[0, :, tile] = ((lower + sides) > rows).T
        beyond[1, :, tile] = ((upper - sides) < rows).T
    return beyond


def _halfway(limit: float, out: FloatArray, sides: FloatArray, margin: float) -> float:
    """Return a lower limit halfway between the last row inside and the nearest rows out."""
    inside = limit + margin
    mid = inside / 2 + out / 2  # of the box's last positive and each row that has to stay out
    moved = float(np.where(sides >= margin, mid - margin, mid).max()) if margin else float(mid.max())
    return moved if moved < limit and (out < moved + sides).all() else limit
