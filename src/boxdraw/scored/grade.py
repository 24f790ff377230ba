"""Graded membership: how well inside a box a row is, so that rows of equal points can be ranked."""

from __future__ import annotations

import numpy as np

from boxdraw.arrays import FloatArray, Matrix
from boxdraw.tiles import threaded_map, tiles

SOFTNESS = (0.1, 0.4, 1.2)  # in standard deviations


def depths(
    X: Matrix, lower: FloatArray, upper: FloatArray, spread: FloatArray, n_jobs: int | None = None
) -> FloatArray:
    """Return how far each row is inside each box, in standard deviations of the feature that decides: (rows, boxes).

    Below 0 outside the box. As in the learners' matrix, NaN is within any limits and infinity outside of them.
    """
    result = np.full((len(X), len(lower)), np.inf)

    def work(tile: slice) -> None:
        rows = X[tile]
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(len(lower)):
                for j in np.flatnonzero((lower[k] > -np.inf) | (upper[k] < np.inf)):
                    values = rows[:, j].astype(np.float64, copy=False)
                    margin = np.minimum(values - lower[k, j], upper[k, j] - values) / spread[j]
                    margin[values == np.inf] = -np.inf
                    np.fmin(result[tile, k], margin, out=result[tile, k])

    for _ in threaded_map(work, tiles(len(X), 8), n_jobs):
        pass
    return result


def grades(depth: FloatArray) -> FloatArray:
    """Return between 0 and 1 how well inside: 1/2 on the edge of the box, nearly 1 far inside.

    The mean over `SOFTNESS` of logistic functions, so that both near misses and distant rows are told apart.
    """
    result = np.zeros_like(depth)
    for softness in SOFTNESS:
        result += 1 / (1 + np.exp(np.clip(-depth / softness, -700, 700)))
    result /= len(SOFTNESS)
    return result
