"""The first pass: what has to be known of a table before any box can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.ranges import find_ranges
from boxdraw._core.tiles import threaded_map
from boxdraw.tables.keys import Keys
from boxdraw.tables.sample import Sample
from boxdraw.tables.training import Training

#: Beyond so many different positives, a sample of them is clustered.
LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Positives:
    """The positive rows, or a sample of them if there are very many.

    ``count`` says how many equal rows each stands for; None if each is one row.
    """

    X: Matrix
    weight: FloatArray | None
    count: FloatArray | None
    complete: bool


@dataclass(frozen=True, slots=True)
class Survey:
    """The ranges of the matrix, the weights of the classes and the positive rows."""

    low: FloatArray
    high: FloatArray
    whole: BoolArray  # whether a column has whole numbers only
    positive_weight: float
    negative_weight: float
    weighted: bool
    positives: Positives


def positives_of(data: Training, keys: Keys, chunks: Sequence[slice], n_jobs: int | None) -> Positives:
    """Return the positives of a table in memory."""
    members = np.flatnonzero(data.positive)
    if len(members) <= LIMIT:
        return Positives(data.X[members], _of(data.weight, members), None, True)

    def sample(rows: slice) -> Sample:
        mine = members[slice(*members.searchsorted([rows.start, rows.stop]))]
        return Sample.of(keys.of(data.X[mine]), _of(data.weight, mine), LIMIT)

    merged = reduce(Sample.merge, threaded_map(sample, chunks, n_jobs))
    return Positives(keys.rows(merged.keys), merged.weight, merged.count, merged.complete)


def _of(weight: FloatArray | None, rows: IntArray) -> FloatArray | None:
    return None if weight is None else weight[rows]


def survey_of(data: Training, keys: Keys, chunks: Sequence[slice], n_jobs: int | None) -> Survey:
    """Look at all rows of a table in memory."""
    ranges = find_ranges(data.X, n_jobs) if data.ranges is None else data.ranges
    return Survey(
        low=ranges.low,
        high=ranges.high,
        whole=ranges.whole,
        positive_weight=data.positive_weight,
        negative_weight=data.negative_weight,
        weighted=data.weight is not None,
        positives=positives_of(data, keys, chunks, n_jobs),
    )
