"""Graded membership: how well inside a box a row is, so that rows of equal points can be ranked."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math

import numpy as np

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw._core.compiled import entry
from boxdraw._core.tiles import threaded_map, tiles

SOFTNESS = (0.1, 0.4, 1.2)  # in standard deviations
_FAR = 30.0  # beyond, a logistic function has lost its last digit


def depths(
    X: Matrix, lower: FloatArray, upper: FloatArray, spread: FloatArray, n_jobs: int | None = None
) -> FloatArray:
    """Return how far each row is inside each box, in standard deviations of the feature that decides: (rows, boxes)."""
    result = np.full((len(X), len(lower)), np.inf)
    used = np.flatnonzero(((lower > -np.inf) | (upper < np.inf)).any(axis=0))
    limits = *(np.ascontiguousarray(side[:, used]) for side in (lower, upper)), spread[used]

    def work(tile: slice) -> None:
        _write_depths(np.array(X[tile, used].T, dtype=np.float64, order="C"), *limits, result[tile])

    for _ in threaded_map(work, tiles(len(X), 8), n_jobs):
        pass
    return result


@entry
def _write_depths(columns, lower, upper, spread, result):
    for k in range(len(lower)):
        for j in range(len(columns)):
            low, high = lower[k, j], upper[k, j]
            if low == -np.inf and high == np.inf:
                continue
            for i in range(len(result)):
                value = columns[j, i]
                if not math.isnan(value):
                    margin = min(value - low, high - value) / spread[j] if value < np.inf else -np.inf
                    result[i, k] = min(result[i, k], margin)


def soft_inside(X: Matrix, lower: FloatArray, upper: FloatArray, spread: FloatArray) -> FloatArray:
    """Return the sum over `SOFTNESS` of how well inside a union rows are, where each limit is a logistic function."""
    outside = np.ones((len(SOFTNESS), len(X)))
    for low, high in zip(lower, upper, strict=True):
        inside = np.ones((len(SOFTNESS), len(X)))
        for j in np.flatnonzero((low > -np.inf) | (high < np.inf)):
            column = np.asarray(X[:, j], dtype=np.float64)
            for limit, sign in ((low[j], -1.0), (high[j], 1.0)):
                if np.isfinite(limit):
                    with np.errstate(over="ignore"):  # far is far
                        beyond = sign * (column - limit) / spread[j]
                    beyond[np.isnan(column)] = -np.inf  # missing: well inside
                    beyond[column == np.inf] = np.inf  # unseen: well outside
                    for part, softness in zip(inside, SOFTNESS, strict=True):
                        part /= 1 + np.exp(np.clip(beyond, -_FAR * softness, _FAR * softness) / softness)
        outside *= 1 - inside
    return np.asarray((1 - outside).sum(axis=0))


def grades(depth: FloatArray) -> FloatArray:
    """Return how well inside rows are, from 0 to 1: the mean over `SOFTNESS` of logistic functions of the depth."""
    result = np.zeros_like(depth)
    part = np.empty_like(depth)
    for softness in SOFTNESS:
        np.clip(depth, -700 * softness, 700 * softness, out=part)  # first, so that no quotient overflows
        part /= -softness
        np.exp(part, out=part)  # of NumPy, whose last digits are not those of compiled code
        part += 1
        result += np.divide(1, part, out=part)
    result /= len(SOFTNESS)
    return result
