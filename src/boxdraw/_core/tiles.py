"""Rows in tiles: small enough for the cache, spread over threads when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import TypeVar

from joblib import effective_n_jobs

S = TypeVar("S")
T = TypeVar("T")

_CELLS = 2**16  # boxes x features x rows of a tile; the work arrays of a tile then stay in the cache


def tiles(n_rows: int, cells_per_row: int) -> list[slice]:
    """Cut the rows into slices of about ``_CELLS`` cells."""
    step = max(64, _CELLS // max(1, cells_per_row))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def n_workers(n_jobs: int | None) -> int:
    """Return how many threads are asked for, as in scikit-learn."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or a whole number other than 0; got {n_jobs!r}")
    return 1 if n_jobs in (None, 1) else int(effective_n_jobs(n_jobs))


def threaded_map(work: Callable[[S], T], items: Sequence[S], n_jobs: int | None) -> Iterator[T]:
    """Yield ``work(item)`` in order; NumPy lets go of the interpreter, so threads are enough."""
    workers = min(n_workers(n_jobs), len(items))
    if workers <= 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, items)
