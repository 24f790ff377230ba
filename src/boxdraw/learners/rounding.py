"""Limits moved to the roundest numbers that change no training row, wherever the rows are."""

from __future__ import annotations

from dataclasses import dataclass

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix
from boxdraw._core.ranges import Ranges
from boxdraw.model.gaps import FindGaps, Gaps
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


def round_on_table(table: Table, lower: FloatArray, upper: FloatArray, steps: BoolArray) -> Limits:
    """Round limits in a pass over a table; the same, to the last bit, as in memory."""
    survey = table.survey
    find = FindGaps(lower, upper, survey.low, survey.high, survey.whole, steps)
    if not len(find.used):
        return lower, upper
    return find.rounded(table.reduce(_ChunkGaps(find), "round limits"))


@dataclass(frozen=True, slots=True)
class _ChunkGaps:
    """The gaps between the rows of a chunk."""

    find: FindGaps

    def __call__(self, chunk: Chunk) -> Gaps:
        return self.find(chunk.X, compiled=True)
