"""Class-balanced samples of large tables, for what does not need all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boxdraw._core.arrays import BoolArray, IntArray
from boxdraw.learners.folds import hash_ranks
from boxdraw.tables.training import Training

MOST = {True: 2_500, False: 7_500}  # positives, negatives


def draw_sample(data: Training, most: dict[bool, int] | None = None) -> Training:
    """Return up to ``most`` rows of each class, weighted up, chosen by their values whatever their order."""
    most = MOST if most is None else most
    count = {side: int(np.count_nonzero(data.positive == side)) for side in most}
    each = {side: -(-count[side] // most[side]) for side in most}
    if max(each.values()) <= 1:
        return data
    every = np.where(data.positive, each[True], each[False])
    drawn = hash_ranks(data, None) % every == 0
    rows, kept = np.flatnonzero(drawn), drawn
    if data.kept is not None:
        kept = data.kept.copy()
        kept[data.kept] = drawn
    weight, stand_for = data.weights[rows] * every[rows], (float(each[True]), float(each[False]))
    return replace(data.take(rows), weight=weight, kept=kept, stand_for=stand_for)


def balanced_rows(positive: BoolArray, most: int) -> IntArray:
    """Return up to ``most`` row numbers, drawn with a fixed seed: positives up to half, so that few do not vanish."""
    positives, negatives = np.flatnonzero(positive), np.flatnonzero(~positive)
    if len(positive) > most:
        rng = np.random.default_rng(0)
        positives = rng.permutation(positives)[: max(most // 2, most - len(negatives))]
        negatives = rng.permutation(negatives)[: most - len(positives)]
    return np.sort(np.concatenate([positives, negatives]))
