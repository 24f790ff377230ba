"""Tables on a cluster: Dask frames, each partition worked on where it is.

Only the results of the work on partitions come to the client: counts, sums, and the positive rows (a sample of them if
there are very many). A table so small that it is learned from in memory comes as a whole.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from boxdraw.progress import RowsProgress
from boxdraw.scale.chunks import Part

P = TypeVar("P", bound=Part)


class DaskEngine:
    """Reads a Dask frame: on the cluster of the current ``distributed.Client``, or else in this process.

    A partition whose worker is lost is worked on again by another one. Work that fails on every attempt ends the fit
    with one error.
    """

    def __init__(self, frame: Any, progress: RowsProgress) -> None:
        self._frame, self._progress = frame, progress
        self._schema = _schema_of(frame)

    @property
    def schema(self) -> Any:
        """The names and Arrow types of the columns."""
        return self._schema

    def read(self, columns: list[str]) -> Any:
        """Return the whole table."""
        with _told_in_words("reading"):
            return _as_arrow(self._frame[columns].compute(), self._only(columns))

    def reduce(self, work: Callable[[Any], P], columns: list[str], what: str, n_rows: int | None) -> P | None:
        """Return the merged results of the work on all partitions."""
        # A function of the frame, so that Dask reads a partition and works on it in one task.
        options = {"meta": (None, object), "enforce_metadata": False}
        results = self._frame[columns].map_partitions(_on_partition, work, self._only(columns), **options)
        tasks = results.to_delayed()
        merged: P | None = None
        with self._progress.over(what, n_rows) as done:
            for row in _results(tasks, what):
                rows, result = row.iloc[0]
                if result is not None:
                    merged = result if merged is None else merged.merge(result)
                done(rows)
        return merged

    def _only(self, columns: list[str]) -> Any:
        import pyarrow as pa

        return pa.schema([self._schema.field(name) for name in columns])


def _on_partition(part: Any, work: Callable[[Any], Any], schema: Any) -> Any:
    """Do the work on a partition; return the number of rows and the result, in a column of one row."""
    import pandas as pd

    batch = _as_arrow(part, schema).combine_chunks()
    rows = batch.num_rows
    return pd.Series([(rows, work(batch.to_batches()[0]) if rows else None)], dtype=object)


def _results(tasks: list[Any], what: str) -> Iterator[Any]:
    """Yield the results of tasks as they come."""
    client = _current_client()
    if client is None:
        with _told_in_words(what):
            results = _module("dask").compute(*tasks)
        yield from results
        return
    futures = client.compute(tasks)
    try:
        for future in _module("distributed").as_completed(futures):
            with _told_in_words(what):
                result = future.result()
            yield result
    finally:
        client.cancel(futures)


@contextmanager
def _told_in_words(what: str) -> Iterator[None]:
    """Make whatever fails in a partition one error."""
    try:
        yield
    except (ValueError, TypeError):
        raise  # what is wrong with the table is said in so many words already
    except Exception as error:
        raise RuntimeError(
            f"A partition of the table could not be worked on ({what}): {type(error).__name__}: {error}"
        ) from error


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _current_client() -> Any:
    try:
        return _module("distributed").get_client()
    except (ImportError, ValueError):
        return None


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
