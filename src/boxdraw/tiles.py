"""Rows in tiles: small enough for the cache, spread over threads when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from joblib import effective_n_jobs

S = TypeVar("S")
T = TypeVar("T")

_CELLS = 2**16  # boxes x features x rows of a tile; the work arrays of a tile then stay in the cache


def tiles(n_rows: int, cells_per_row: int) -> list[slice]:
    """Cut the rows into slices of about ``_CELLS`` cells."""
    step = max(64, _CELLS // max(1, cells_per_row))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def threaded_map(work: Callable[[S], T], items: Sequence[S], n_jobs: int | None) -> Iterator[T]:
    """Yield ``work(item)`` in order; NumPy lets go of the interpreter, so threads are enough."""
    workers = min(effective_n_jobs(n_jobs), len(items)) if n_jobs not in (None, 1) else 1
    if workers <= 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, items)
