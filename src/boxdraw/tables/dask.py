"""Tables on a cluster: files that its workers read, and Dask frames, each partition worked on where it is.

Only the results of the work on pieces of a table come to the client: counts, sums, and the positive rows (a sample of
them if there are very many). A table so small that it is learned from in memory comes as a whole.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from boxdraw._core.progress import RowsProgress
from boxdraw.tables.arrow import ArrowReader
from boxdraw.tables.chunks import Part
from boxdraw.tables.source import open_dataset

P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """Files that the workers of a Dask cluster read, as the source of ``fit_table``.

    The workers of the current ``distributed.Client`` read them with Arrow, as ``fit_table`` does in one process. That
    takes less time than a Dask frame of the same files, which is read by way of pandas. The model is the same.

    Parameters
    ----------
    source : path, list of paths or pyarrow.dataset.Dataset
        Parquet, Arrow or CSV files, or a directory of them. The client and all workers must see them in the same place.
    rows_per_task : int, default=1048576
        About how many rows of Parquet files a task reads, in whole row groups. Other files are read by a task each.

    Examples
    --------
    >>> from boxdraw.tables.dask import ClusterFiles
    >>> ClusterFiles("payments/", rows_per_task=10_000_000)
    ClusterFiles(source='payments/', rows_per_task=10000000)

    With a cluster at hand:

    >>> from boxdraw import FastBoxesClassifier
    >>> from distributed import Client  # doctest: +SKIP
    >>> with Client("scheduler:8786"):  # doctest: +SKIP
    ...     FastBoxesClassifier().fit_table(ClusterFiles("payments/"), target="fraud")
    """

    source: Any
    rows_per_task: int = 2**20

    def __post_init__(self) -> None:
        if isinstance(self.rows_per_task, bool) or not isinstance(self.rows_per_task, int) or self.rows_per_task < 1:
            raise ValueError(f"rows_per_task must be a whole number of at least 1; got {self.rows_per_task!r}.")


def is_dask(source: Any) -> bool:
    """Return True for a frame of any version of Dask, which need not be installed."""
    return type(source).__module__.partition(".")[0] in ("dask", "dask_expr")


class ClusterReader:
    """Reads files in the workers of the current ``distributed.Client``, each of its tasks some row groups or a file.

    A task whose worker is lost is done again by another one. One that fails on every attempt ends the fit with one
    error.
    """

    cost = 0.0

    def __init__(self, files: ClusterFiles, memory_limit: int, progress: RowsProgress) -> None:
        self._memory_limit, self._progress = memory_limit, progress
        dataset = open_dataset(_absolute(files.source))
        self.schema = dataset.schema
        self._pieces = _pieces_of(dataset, files.rows_per_task)

    def read(self, columns: list[str]) -> Any:
        """Return the whole table."""
        import pyarrow as pa

        client = _needed_client()
        futures = client.map(_read_piece, self._pieces, columns=columns, pure=False)
        with _as_one_error("reading"):
            return pa.concat_tables(client.gather(futures))

    def reduce(self, work: Callable[[Any], P], columns: list[str], what: str, n_rows: int | None) -> P | None:
        """Return the merged results of the work on all pieces."""
        client = _needed_client()
        options = {"work": work, "columns": columns, "memory_limit": self._memory_limit}
        futures = client.map(_on_piece, self._pieces, **options, pure=False)
        with self._progress.over(what, n_rows) as done:
            return _merged(_completed(client, futures, what), done)


@dataclass(frozen=True, slots=True)
class _Piece:
    """What a task reads: files and, of Parquet files, some of their row groups.

    Files go to the workers whole, for Arrow has to open a part of a file to send it.
    """

    parts: tuple[tuple[Any, list[int] | None], ...]
    schema: Any

    def dataset(self) -> Any:
        """Open the files; the work of a worker."""
        import pyarrow.dataset as ds

        files = [file if groups is None else file.subset(row_group_ids=groups) for file, groups in self.parts]
        return ds.FileSystemDataset(files, self.schema, files[0].format, files[0].filesystem)


def _absolute(source: Any) -> Any:
    """Make paths of files the same for processes in other folders."""
    if isinstance(source, list | tuple):
        return [_absolute(path) for path in source]
    return os.path.abspath(source) if isinstance(source, str | os.PathLike) else source


def _pieces_of(dataset: Any, rows: int) -> list[_Piece]:
    """Cut a dataset of files into pieces of about so many rows; the workers find out how many a file has."""
    files = _files_of(dataset)
    if files is None:
        raise ValueError(
            f"ClusterFiles needs files, or a pyarrow dataset of files without a filter; got {type(dataset).__name__}. "
            "Give anything else to fit_table as it is."
        )
    client = _needed_client()
    with _as_one_error("finding row groups"):
        found = client.gather(client.map(_cut, files, rows=rows, pure=False))
    cut = (((file, groups), size) for file, cuts in zip(files, found, strict=True) for groups, size in cuts)
    return [_Piece(tuple(parts), dataset.schema) for parts in _packed(cut, rows)]


def _files_of(dataset: Any) -> list[Any] | None:
    import pyarrow.dataset as ds

    if not isinstance(dataset, ds.FileSystemDataset):
        return None
    try:
        return list(dataset.get_fragments())
    except ValueError:  # with a filter
        return None


def _cut(file: Any, rows: int) -> list[tuple[list[int] | None, int]]:
    """Cut a file into row groups of at most so many rows together, or single ones; return them with their rows."""
    import pyarrow.dataset as ds

    if not isinstance(file, ds.ParquetFileFragment):
        return [(None, rows)]  # a task by itself
    sizes = {group.id: group.num_rows for group in file.row_groups if group.num_rows}
    packs = _packed(sizes.items(), rows)
    return [(groups, sum(sizes[group] for group in groups)) for groups in packs]


def _packed(parts: Iterable[tuple[Any, int]], rows: int) -> list[list[Any]]:
    """Put parts with numbers of rows together, in their order, up to so many rows."""
    packs: list[list[Any]] = []
    room = 0
    for part, size in parts:
        if not packs or size > room:
            packs.append([])
            room = rows
        packs[-1].append(part)
        room -= size
    return packs


def _read_piece(piece: _Piece, columns: list[str]) -> Any:
    """Read a piece of a small table, in a worker."""
    return ArrowReader(piece.dataset(), 0, 1, RowsProgress("", False)).read(columns)


def _on_piece(piece: _Piece, work: Callable[[Any], P], columns: list[str], memory_limit: int) -> tuple[int, P | None]:
    """Do the work on a piece, in a worker; return the number of rows and the result."""
    done = [0]
    progress = RowsProgress("", False, lambda what, rows, of: done.append(rows))
    result = ArrowReader(piece.dataset(), memory_limit, 1, progress).reduce(work, columns, "", None)
    return done[-1], result


class DaskReader:
    """Reads a Dask frame: on the cluster of the current ``distributed.Client``, or else in this process.

    A partition whose worker is lost is worked on again by another one. Work that fails on every attempt ends the fit
    with one error.
    """

    cost = 0.0

    def __init__(self, frame: Any, progress: RowsProgress) -> None:
        self._frame, self._progress = frame, progress
        self.schema = _schema_of(frame)

    def read(self, columns: list[str]) -> Any:
        """Return the whole table."""
        with _as_one_error("reading"):
            return _as_arrow(self._frame[columns].compute(), self._only(columns))

    def reduce(self, work: Callable[[Any], P], columns: list[str], what: str, n_rows: int | None) -> P | None:
        """Return the merged results of the work on all partitions."""
        # A function of the frame, so that Dask reads a partition and works on it in one task.
        options = {"meta": (None, object), "enforce_metadata": False}
        results = self._frame[columns].map_partitions(_on_partition, work, self._only(columns), **options)
        tasks = results.to_delayed()
        with self._progress.over(what, n_rows) as done:
            return _merged((row.iloc[0] for row in _results(tasks, what)), done)

    def _only(self, columns: list[str]) -> Any:
        import pyarrow as pa

        return pa.schema([self.schema.field(name) for name in columns])


def _on_partition(part: Any, work: Callable[[Any], Any], schema: Any) -> Any:
    """Do the work on a partition; return the number of rows and the result, in a column of one row."""
    import pandas as pd

    batch = _as_arrow(part, schema).combine_chunks()
    rows = batch.num_rows
    return pd.Series([(rows, work(batch.to_batches()[0]) if rows else None)], dtype=object)


def _merged(results: Iterable[tuple[int, P | None]], done: Callable[[int], None]) -> P | None:
    """Merge the results of pieces; tell of the rows of each."""
    merged: P | None = None
    for rows, result in results:
        if result is not None:
            merged = result if merged is None else merged.merge(result)
        done(rows)
    return merged


def _results(tasks: list[Any], what: str) -> Iterator[Any]:
    """Yield the results of tasks as they come."""
    client = _current_client()
    if client is not None:
        yield from _completed(client, client.compute(tasks), what)
        return
    with _as_one_error(what):
        results = importlib.import_module("dask").compute(*tasks)
    yield from results


def _completed(client: Any, futures: list[Any], what: str) -> Iterator[Any]:
    """Yield the results of futures as they come."""
    try:
        for future in importlib.import_module("distributed").as_completed(futures):
            with _as_one_error(what):
                result = future.result()
            yield result
    finally:
        client.cancel(futures)


@contextmanager
def _as_one_error(what: str) -> Iterator[None]:
    """Make whatever fails in a partition one error."""
    try:
        yield
    except (ValueError, TypeError):
        raise  # errors of the table, which say what is wrong
    except Exception as error:
        hint = " All workers must see the files in the same place." if isinstance(error, FileNotFoundError) else ""
        raise RuntimeError(
            f"A partition of the table could not be worked on ({what}): {type(error).__name__}: {error}{hint}"
        ) from error


def _current_client() -> Any:
    try:
        return importlib.import_module("distributed").get_client()
    except (ImportError, ValueError):
        return None


def _needed_client() -> Any:
    client = _current_client()
    if client is None:
        raise RuntimeError(
            "ClusterFiles needs a cluster: make a distributed.Client first (pip install 'boxdraw[dask]'), or give the "
            "files themselves to fit_table, to read them in this process."
        )
    return client


def _schema_of(frame: Any) -> Any:
    """Find the Arrow types of the columns from those of the empty frame that Dask keeps."""
    import pyarrow as pa

    fields = []
    for name, column in frame._meta.items():
        if not isinstance(name, str):
            raise TypeError(f"The columns of the table must have names of text; got {name!r}.")
        fields.append(pa.field(name, _type_of(column)))
    return pa.schema(fields)


def _type_of(column: Any) -> Any:
    import pyarrow as pa

    dtype = column.dtype
    if hasattr(dtype, "categories"):
        known = [] if dtype.categories is None else [value for value in dtype.categories if not isinstance(value, str)]
        return pa.array(known).type if known and "UNKNOWN" not in str(known) else pa.string()
    if dtype.kind == "O" or str(dtype).startswith(("string", "str")):
        return pa.string()
    return pa.array(column).type


def _as_arrow(frame: Any, schema: Any) -> Any:
    """Turn a partition into an Arrow table of the types that all partitions have."""
    import pyarrow as pa

    columns = []
    for field in schema:
        column = frame[field.name]
        if hasattr(column.dtype, "categories"):
            column = column.astype(object)
        try:
            values = pa.array(column, type=field.type, from_pandas=True)
        except pa.ArrowException as error:
            raise ValueError(f"A partition has something else than {field.type} in {field.name!r}: {error}") from None
        columns.append(values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values)
    return pa.table(columns, schema=schema)
