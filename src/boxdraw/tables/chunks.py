"""Chunks of rows, the work on each, and the merged result.

Every pass of a learner over a table has this shape: a function makes a small result of a chunk of rows, and two such
results can be merged into one. Neither how rows are cut into chunks nor the order of merging changes a bit of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial, reduce
from typing import NamedTuple, Protocol, Self, TypeVar

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.ranges import row_chunks
from boxdraw._core.tiles import threaded_map
from boxdraw.tables.keys import Keys
from boxdraw.tables.order import Order, fit_order
from boxdraw.tables.survey import Survey, survey_of
from boxdraw.tables.training import Training


class Part(Protocol):
    """What a pass finds in some rows."""

    def merge(self, other: Self) -> Self:
        """Return what it finds in both."""
        ...


P = TypeVar("P", bound=Part)


class Chunk(NamedTuple):
    """Some rows, as the learner's matrix (`boxdraw.tables.encoding`)."""

    X: Matrix
    positive: BoolArray
    weight: FloatArray | None


class Table(Protocol):
    """Rows that come in chunks, as often as they are asked for."""

    @property
    def survey(self) -> Survey:
        """What the first pass found."""
        ...

    @property
    def shares(self) -> Order:
        """The order of categories by their share of positives."""
        ...

    def reduce(
        self,
        work: Callable[[Chunk], P],
        what: str,
        beside: Callable[[], P] | None = None,
        columns: IntArray | None = None,
    ) -> P:
        """Make a pass: return the merged results of the work on all chunks, and of the work ``beside`` it.

        ``what`` is shown as progress. Chunks have only some of the matrix's columns if these are given.
        """
        ...


class InMemory:
    """A table in memory, worked on by threads."""

    def __init__(self, data: Training, keys: Keys, n_jobs: int | None) -> None:
        self._data, self._keys, self._n_jobs = data, keys, n_jobs

    @cached_property
    def survey(self) -> Survey:
        """What the first pass found."""
        return survey_of(self._data, self._keys, self._chunks(), self._n_jobs)

    @cached_property
    def shares(self) -> Order:
        """The order of categories by their share of positives, of rows in codes."""
        return fit_order(self._data)

    def _chunks(self) -> list[slice]:
        return row_chunks(len(self._data.X))

    def reduce(
        self,
        work: Callable[[Chunk], P],
        what: str,
        beside: Callable[[], P] | None = None,
        columns: IntArray | None = None,
    ) -> P:
        """Make a pass over the rows."""
        data = self._data

        def at(rows: slice) -> P:
            weight = None if data.weight is None else data.weight[rows]
            X = data.X[rows] if columns is None else data.X[rows][:, columns]
            return work(Chunk(X, data.positive[rows], weight))

        jobs: list[Callable[[], P]] = [] if beside is None else [beside]
        jobs += [partial(at, rows) for rows in self._chunks()]
        return reduce(lambda merged, part: merged.merge(part), threaded_map(lambda job: job(), jobs, self._n_jobs))
