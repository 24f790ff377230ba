"""The first pass: what has to be known of a table before any box can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw.scale.keys import Keys
from boxdraw.scale.sample import Sample
from boxdraw.tiles import threaded_map
from boxdraw.training import Training

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


class Ranges:
    """The least and the largest value of each column, and whether all are whole numbers; of chunks, to be merged."""

    def __init__(self, n_columns: int) -> None:
        self.low = np.full(n_columns, np.inf)
        self.high = np.full(n_columns, -np.inf)
        self.missing = np.zeros(n_columns, dtype=np.bool_)
        self.whole = np.ones(n_columns, dtype=np.bool_)

    @classmethod
    def of(cls, X: Matrix) -> Ranges:
        """Look at rows."""
        from boxdraw.fast.kernels import ranges

        result = cls(X.shape[1])
        ranges(X, result.low, result.high, result.missing, result.whole)
        return result

    def look_at(self, j: int, column: npt.NDArray[np.floating[Any]]) -> None:
        """Look at some values of one column."""
        if self.whole[j]:
            self.whole[j] = all(
                bool((some == np.rint(some))[~np.isnan(some)].all()) for some in (column[:100], column[100:])
            )
        low, high = column.min(initial=np.inf), column.max(initial=-np.inf)
        if np.isnan(low):
            self.missing[j] = True
            known = column[~np.isnan(column)]
            low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
        self.low[j], self.high[j] = min(self.low[j], float(low)), max(self.high[j], float(high))

    def merge(self, other: Ranges) -> Ranges:
        """Return the ranges of the rows of both."""
        result = Ranges(len(self.low))
        np.minimum(self.low, other.low, out=result.low)
        np.maximum(self.high, other.high, out=result.high)
        np.logical_or(self.missing, other.missing, out=result.missing)
        np.logical_and(self.whole, other.whole, out=result.whole)
        return result


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
    merged = Ranges(data.X.shape[1])
    for part in threaded_map(lambda rows: Ranges.of(data.X[rows]), chunks, n_jobs):
        merged = merged.merge(part)
    return Survey(
        low=merged.low,
        high=merged.high,
        whole=merged.whole,
        positive_weight=data.positive_weight,
        negative_weight=data.negative_weight,
        weighted=data.weight is not None,
        positives=positives_of(data, keys, chunks, n_jobs),
    )
