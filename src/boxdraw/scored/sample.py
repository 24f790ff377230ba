"""A few rows of a large table for what does not need all of them: inner folds, the places of bins, rounded points."""

from __future__ import annotations

import numpy as np

from boxdraw.fast.folds import fold_numbers
from boxdraw.training import Training

MOST = {True: 5_000, False: 15_000}  # positives, negatives


def draw_sample(data: Training) -> Training:
    """Return at most so many rows of each class, which then weigh more; the order of the rows does not matter."""
    count = {side: int(np.count_nonzero(data.positive == side)) for side in MOST}
    every = {side: -(-count[side] // MOST[side]) for side in MOST}
    if max(every.values()) <= 1:
        return data
    weight = np.ones(len(data.X)) if data.weight is None else data.weight.copy()
    drawn = np.ones(len(data.X), dtype=np.bool_)
    for side in MOST:
        if every[side] > 1:
            number = fold_numbers(data, every[side], None)
            drawn &= (data.positive != side) | (number == 0)
            weight[data.positive == side] *= every[side]
    rows = np.flatnonzero(drawn)
    return Training(data.X[rows], data.positive[rows], weight[rows], n_codes=data.n_codes)
