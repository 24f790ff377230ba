"""Where the limits of the final boxes go, once it is settled which training rows they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw.arrays import BoolArray, FloatArray
from boxdraw.exact.objective import Objective
from boxdraw.exact.problem import tight_lower, tight_upper

EDGES = ("midway", "tight")


def place_edges(objective: Objective, held: Sequence[BoolArray], edges: str) -> tuple[FloatArray, FloatArray]:
    """Return the limits of boxes, each given by the positives that it holds."""
    positives = objective.X[objective.positive]
    n_features = objective.X.shape[1]
    lower, upper = np.empty((len(held), n_features)), np.empty((len(held), n_features))
    for k, rows in enumerate(held):
        lower[k] = tight_lower(np.fmin.reduce(positives[rows]), objective.margin)
        upper[k] = tight_upper(np.fmax.reduce(positives[rows]), objective.margin)
    lower[np.isnan(lower)], upper[np.isnan(upper)] = -np.inf, np.inf  # all values missing: no limit
    if edges == "tight":
        return lower, upper
    wide = lower.copy(), upper.copy()
    for k in range(len(held)):
        _widen(objective, wide[0][k], wide[1][k])
    # Limits are moved so that no row changes sides; should rounding ever make a difference, the tight ones stand.
    same = np.array_equal(objective.counted(lower, upper), objective.counted(*wide))
    return wide if same else (lower, upper)


def _widen(objective: Objective, lower: FloatArray, upper: FloatArray) -> None:
    """Move each limit of a box halfway to the nearest row that it keeps out; drop it if it keeps none out.

    A limit that keeps few rows out goes first, so that those stay that say most. Rows that another limit keeps out
    do not stand in the way.
    """
    sides = np.where(objective.positive, objective.margin, -objective.margin)
    beyond = np.stack([(lower + sides[:, None]) > objective.X, (upper - sides[:, None]) < objective.X])
    times = beyond.sum(axis=(0, 2))  # by how many limits each row is kept out
    order = np.argsort(beyond.sum(axis=1).reshape(-1), kind="stable")
    for side, j in zip(*np.unravel_index(order, (2, objective.X.shape[1])), strict=True):
        here = beyond[side, :, j]
        alone = here & (times == 1)
        limits, sign = (lower, 1.0) if side == 0 else (upper, -1.0)
        if not alone.any():
            limits[j] = -sign * np.inf
        else:
            limits[j] = sign * _halfway(sign * limits[j], sign * objective.X[alone, j], sides[alone], objective.margin)
        now = here & (sign * objective.X[:, j] < sign * limits[j] + sides)
        times -= here & ~now
        beyond[side, :, j] = now


def _halfway(limit: float, out: FloatArray, sides: FloatArray, margin: float) -> float:
    """Return a lower limit halfway between the last row inside and the nearest rows out."""
    inside = limit + margin
    mid = inside / 2 + out / 2  # of the box's last positive and each row that has to stay out
    moved = float(np.where(sides >= margin, mid - margin, mid).max()) if margin else float(mid.max())
    return moved if moved < limit and (out < moved + sides).all() else limit
