"""Limits moved to the roundest numbers that change no training row, wherever the rows are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.ranges import Ranges
from boxdraw.model.gaps import FindChunkGaps, FindGaps, Gaps
from boxdraw.tables.chunks import Chunk, Table

Limits = tuple[FloatArray, FloatArray]


def round_on_rows(
    X: Matrix,
    lower: FloatArray,
    upper: FloatArray,
    steps: BoolArray,
    n_jobs: int | None = None,
    kept_out: BoolArray | None = None,
    ranges: Ranges | None = None,
    two_sided: BoolArray | bool = True,
) -> Limits:
    """Round limits on a learner's matrix in memory, categories in their places; those of ``steps`` columns stay.

    ``kept_out``, of shape (n_rows, n_boxes), says which rows these exclude, if their limits do not; ``ranges`` are
    those of the columns, where they are known already; ``two_sided`` columns may have equalities.
    """
    if ranges is None:
        find = FindGaps.of(X, lower, upper, steps, n_jobs)
    else:
        find = FindGaps(lower, upper, ranges.low, ranges.high, ranges.whole, steps)
    return find.rounded(find.in_memory(X, n_jobs, kept_out), two_sided)


def round_on_table(
    table: Table,
    lower: FloatArray,
    upper: FloatArray,
    steps: BoolArray,
    columns: IntArray | None = None,
    kept_out: Callable[[Matrix], BoolArray] | None = None,
    two_sided: BoolArray | bool = True,
) -> Limits:
    """Round limits in a pass over a table; the same, to the last bit, as in memory.

    Only ``columns`` are read, if they are given: all that have limits, or that ``kept_out`` needs.
    """
    survey, some = table.survey, slice(None) if columns is None else columns
    ranges = survey.low[some], survey.high[some], survey.whole[some]
    find = FindGaps(lower[:, some], upper[:, some], *ranges, steps[some])
    if not len(find.used):
        return lower, upper
    gaps = table.reduce(_ChunkGaps(find, kept_out=kept_out), "round limits", columns=columns)
    lower, upper = lower.copy(), upper.copy()
    two_sided = np.broadcast_to(two_sided, len(survey.low))[some]
    lower[:, some], upper[:, some] = find.rounded(gaps, two_sided)
    return lower, upper


@dataclass(slots=True)
class _ChunkGaps(FindChunkGaps):
    """The gaps between the rows of a chunk."""

    kept_out: Callable[[Matrix], BoolArray] | None = None

    def __call__(self, chunk: Chunk) -> Gaps:
        return self.of(chunk.X, None if self.kept_out is None else self.kept_out(chunk.X))
