"""The ranges of the columns of a matrix, in one pass."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import Matrix
from boxdraw._core.tiles import threaded_map

#: Tables of more cells than this are learned from in passes, by compiled code, without sorting their values.
LARGE = 2**20

_ROWS = 2**18  # of a chunk in memory: a thread's turn
_LEAST_ROWS = 2**16


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
        from boxdraw._core.extremes import ranges

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

    def are_finite(self) -> bool:
        """Return True if all values are finite numbers."""
        return bool(np.isfinite([self.low, self.high]).all() and not self.missing.any())

    def merge(self, other: Ranges) -> Ranges:
        """Return the ranges of the rows of both."""
        result = Ranges(len(self.low))
        np.minimum(self.low, other.low, out=result.low)
        np.maximum(self.high, other.high, out=result.high)
        np.logical_or(self.missing, other.missing, out=result.missing)
        np.logical_and(self.whole, other.whole, out=result.whole)
        return result


def row_chunks(n_rows: int) -> list[slice]:
    """Cut the rows of a table in memory into chunks, the last of them smaller, so that threads end together."""
    ends = [0]
    while ends[-1] < n_rows:
        left = n_rows - ends[-1]
        ends.append(ends[-1] + min(max(left // 4, _LEAST_ROWS), _ROWS, left))
    return [slice(start, stop) for start, stop in pairwise(ends)]


def find_ranges(X: Matrix, n_jobs: int | None) -> Ranges:
    """Look at all rows of a matrix."""
    merged = Ranges(X.shape[1])
    for part in threaded_map(lambda rows: Ranges.of(X[rows]), row_chunks(len(X)), n_jobs):
        merged = merged.merge(part)
    return merged
