"""Datasets read with Arrow, batch by batch."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from boxdraw._core.progress import RowsProgress
from boxdraw._core.tiles import n_workers
from boxdraw.tables.chunks import Part
from boxdraw.tables.csv import with_missing_texts

P = TypeVar("P", bound=Part)

#: The memory that a fit may take by default, without the model, in bytes.
MEMORY_LIMIT = 2**30

_MOST_ROWS, _LEAST_ROWS = 2**17, 2**10  # of a batch
_BATCHES = 16  # in memory at the same time: read ahead, decoded, and copied for the work on them
_BUFFER = 2**17  # bytes of a column of a Parquet file that are read at once


class ArrowReader:
    """Reads a table in this process; Arrow's threads read ahead while threads of ours do the work."""

    def __init__(self, dataset: Any, memory_limit: int, n_jobs: int | None, progress: RowsProgress) -> None:
        self._dataset, self._n_jobs, self._progress = dataset, n_jobs, progress
        self._memory_limit, self.schema = memory_limit, dataset.schema
        self.cost = 65.0 if getattr(dataset, "is_text", is_csv(dataset)) else 0.0

    def read(self, columns: list[str]) -> Any:
        """Return the whole table."""
        with arrow_errors():
            table = self._dataset.to_table(columns=columns)
            return self._checked(table)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows in their order."""
        rows = self._memory_limit // (_BATCHES * 8 * max(1, len(columns)))
        size = min(max(rows, _LEAST_ROWS), _MOST_ROWS)
        with arrow_errors():
            for batch in batches_of(self._dataset, columns, size):
                if batch.num_rows:
                    yield self._checked(batch)

    def tables(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows in their order as tables, which more libraries read than batches."""
        import pyarrow as pa

        for batch in self.batches(columns):
            yield pa.Table.from_batches([batch])

    def _checked(self, rows: Any) -> Any:
        """Reject what damaged files hold: Arrow reads it as it is, and would follow wrong offsets."""
        if is_csv(self._dataset):
            return with_missing_texts(rows)  # which Arrow made itself
        rows.validate(full=True)
        return rows

    def reduce(self, work: Callable[[Any], P], columns: list[str], what: str, n_rows: int | None) -> P | None:
        """Return the merged results of the work on all batches."""
        merged: P | None = None
        with self._progress.over(what, n_rows) as done:
            for batch, result in self._worked(work, self.batches(columns)):
                merged = result if merged is None else merged.merge(result)
                done(batch.num_rows)
        return merged

    def _worked(self, work: Callable[[Any], P], batches: Iterator[Any]) -> Iterator[tuple[Any, P]]:
        """Yield batches with what the work on them gives. Even a single job has a thread, while this one reads on."""
        workers = n_workers(self._n_jobs)
        waiting: deque[tuple[Any, Future[P]]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            for batch in batches:
                waiting.append((batch, pool.submit(work, batch)))
                if len(waiting) > workers:  # no more in memory than are being worked on, and one to go on with
                    done, future = waiting.popleft()
                    yield done, future.result()
            for done, future in waiting:
                yield done, future.result()


def _unreadable(error: Exception) -> ValueError:
    return ValueError(f"The table can't be read: {error}")


@contextmanager
def arrow_errors(named: Callable[[Exception], ValueError] = _unreadable) -> Iterator[None]:
    """Make what Arrow can't read an error of the table, which ``named`` puts in words."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:  # an ArrowException too, and no fault of the table
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # what is packed and damaged is an OSError
        raise named(error) from error


def is_csv(dataset: Any) -> bool:
    """Return True if a dataset is of CSV files."""
    return _format(dataset) == "csv"


def _format(dataset: Any) -> str:
    return str(getattr(getattr(dataset, "format", None), "default_extname", ""))


def batches_of(dataset: Any, columns: list[str], size: int) -> Iterator[Any]:
    """Yield the rows of a dataset in batches of this size or less, with few of them in memory.

    Arrow reads Parquet files ahead of slow work by up to a gigabyte, and a row group, often of a million rows, as a
    whole. So they are read here, one after the other, in pieces of a row group.
    """
    import pyarrow.dataset as ds

    how = {"columns": columns, "batch_size": size, "batch_readahead": _BATCHES // 4, "fragment_readahead": 1}
    if _format(dataset) != "parquet":
        yield from dataset.scanner(**how).to_batches()
        return
    how |= {"fragment_scan_options": ds.ParquetFragmentScanOptions(pre_buffer=False)}
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # with a filter
        yield from dataset.scanner(**how).to_batches()
        return
    for fragment in fragments:
        if fragment.partition_expression.equals(ds.scalar(True)):
            yield from _parquet_batches(fragment, dataset.schema, columns, size)
        else:  # its path holds some of the columns
            yield from fragment.scanner(schema=dataset.schema, **how).to_batches()


def _parquet_batches(fragment: Any, schema: Any, columns: list[str], size: int) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = pa.schema([schema.field(name) for name in columns])
    with fragment.open() as opened, pq.ParquetFile(opened, pre_buffer=False, buffer_size=_BUFFER) as file:
        present = [name for name in columns if name in file.schema_arrow.names]
        groups = [group.id for group in fragment.row_groups]
        for batch in file.iter_batches(size, row_groups=groups, columns=present):
            arrays = [
                batch.column(field.name).cast(field.type)
                if field.name in present
                else pa.nulls(batch.num_rows, field.type)
                for field in wanted
            ]
            yield pa.record_batch(arrays, schema=wanted)


def bytes_of(limit: Any) -> int:
    """Read a memory limit: a number of bytes, or text like "500 MB"."""
    units = {"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
    if limit is None:
        return MEMORY_LIMIT
    text = str(limit).strip().lower()
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz").strip()
    unit = text[len(number) :].strip()
    try:
        value = float(number) * units[unit]
    except (ValueError, KeyError):
        value = 0
    if isinstance(limit, bool) or not 1e6 <= value < math.inf:
        raise ValueError(
            f'memory_limit must be at least a megabyte, as a number of bytes or like "500 MB"; got {limit!r}.'
        )
    return int(value)
