"""Stored tables read with Arrow, batch by batch: Parquet, Arrow and CSV files, and pyarrow datasets."""

from __future__ import annotations

import math
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from boxdraw._core.progress import RowsProgress
from boxdraw._core.tiles import n_workers
from boxdraw.tables.chunks import Part

P = TypeVar("P", bound=Part)

_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".csv": "csv",
}
_MISSING_NUMBERS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NAN", "-nan", "-NaN", "null", "NULL", "Null")

#: What a fit may take beside the model by default, in bytes.
MEMORY_LIMIT = 2**30

_MOST_ROWS, _LEAST_ROWS = 2**17, 2**10  # of a batch
_BATCHES = 16  # in memory at the same time: read ahead, decoded, and copied for the work on them
_BUFFER = 2**17  # bytes of a column of a Parquet file that are read at once


class ArrowEngine:
    """Reads a table in this process; Arrow's threads read ahead while threads of ours do the work."""

    def __init__(self, dataset: Any, memory_limit: int, n_jobs: int | None, progress: RowsProgress) -> None:
        self._dataset, self._n_jobs, self._progress = dataset, n_jobs, progress
        self._memory_limit = memory_limit

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""
        return self._dataset.schema

    def read(self, columns: list[str]) -> Any:
        """Return the whole table."""
        with told_in_words():
            table = self._dataset.to_table(columns=columns)
            return self._checked(table)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows in their order."""
        rows = self._memory_limit // (_BATCHES * 8 * max(1, len(columns)))
        size = min(max(rows, _LEAST_ROWS), _MOST_ROWS)
        with told_in_words():
            for batch in batches_of(self._dataset, columns, size):
                if batch.num_rows:
                    yield self._checked(batch)

    def _checked(self, rows: Any) -> Any:
        """Refuse what damaged files hold, which Arrow reads as it is, and would follow wrong offsets."""
        if is_csv(self._dataset):
            return _blanks_missing(rows)  # which Arrow made itself
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


@contextmanager
def told_in_words() -> Iterator[None]:
    """Make what Arrow can't read an error of the table."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:  # an ArrowException too, and no fault of the table
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # what is packed and damaged is an OSError
        raise ValueError(f"The table can't be read: {error}") from error


def is_csv(dataset: Any) -> bool:
    """Say whether a dataset is of CSV files."""
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


def open_dataset(source: Any, texts: Sequence[str] = ()) -> Any:
    """Return a pyarrow dataset of a path, a list of paths, a directory, a dataset or an Arrow table.

    ``texts`` are columns of CSV files that are text even if they look like numbers.
    """
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError:
        raise ImportError("Stored tables need pyarrow: pip install 'boxdraw[scale]'") from None
    if isinstance(source, ds.Dataset) or hasattr(source, "scanner"):  # a dataset, or what can be read like one
        return source
    if isinstance(source, pa.Table | pa.RecordBatch):
        return ds.dataset(source)
    files = _files(source)
    kinds = {_format_of(path) for path in files}
    if len(kinds) > 1:
        raise ValueError(f"All files of a table must have the same format; got {', '.join(sorted(kinds))}.")
    kind, names = kinds.pop(), list(map(str, files))
    form = _csv_format() if kind == "csv" else kind
    schema = _common_schema({name: _schema_of(name, form, kind) for name in names}, kind == "csv")
    if kind == "csv":
        schema = pa.schema(field.with_type(pa.string()) if field.name in texts else field for field in schema)
        for name in names:
            schema = _suiting(name, form, schema)
    return ds.dataset(names, format=form, schema=schema)


def _files(source: Any) -> list[Path]:
    given: Sequence[Any] = source if isinstance(source, list | tuple) else [source]
    if not all(isinstance(path, str | os.PathLike) for path in given):
        raise TypeError(
            "source must be a path of a Parquet, Arrow or CSV file, a directory or a list of them, a pyarrow dataset "
            f"or table, ClusterFiles or a Dask DataFrame; got {type(source).__name__}."
        )
    paths = [Path(path) for path in given]
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(inner for inner in path.rglob("*") if inner.is_file() and _is_data(inner))
        elif path.exists():
            files.append(path)
        else:
            raise FileNotFoundError(f"There is no file {path}.")
    if not files:
        raise ValueError(f"There is no Parquet, Arrow or CSV file in {', '.join(map(str, paths)) or 'the empty list'}.")
    return files


def _is_data(path: Path) -> bool:
    return not path.name.startswith((".", "_")) and path.suffix.lower() in _FORMATS


def _format_of(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else (suffixes[-1] if suffixes else "")
    if suffix not in _FORMATS:
        raise ValueError(f"The format of {path} is not known: its name must end in {', '.join(_FORMATS)} or .csv.gz.")
    return _FORMATS[suffix]


def _schema_of(name: str, form: Any, kind: str) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    try:
        schema = ds.dataset(name, format=form).schema
        list(schema.names)  # a name that is not in UTF-8 is an error only when it is looked at
        return schema
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is no {kind} file, or a damaged one: {error}") from None


def _common_schema(schemas: dict[str, Any], of_text: bool) -> Any:
    """Return the columns of all files, of types that suit all of them; in files of text, text suits any."""
    import pyarrow as pa

    (first, result), *others = schemas.items()
    for name, schema in others:
        for field in schema if not schema.equals(result) else ():
            place = result.get_field_index(field.name)
            if place < 0:
                result = result.append(field)
                continue
            common = _common_type(result.field(place).type, field.type, pa.string() if of_text else None)
            if common is None:
                raise ValueError(
                    f"Column {field.name!r} holds {result.field(place).type} in {first} and {field.type} in {name}."
                )
            result = result.set(place, field.with_type(common))
    return result


def _common_type(one: Any, other: Any, if_none: Any) -> Any:
    import pyarrow as pa

    columns = [pa.schema([("x", kind)]) for kind in (one, other)]
    try:
        return pa.unify_schemas(columns, promote_options="permissive").field(0).type
    except pa.ArrowTypeError:
        return if_none


def _csv_format() -> Any:
    import pyarrow.csv as csv
    import pyarrow.dataset as ds

    convert = csv.ConvertOptions(null_values=list(_MISSING_NUMBERS), strings_can_be_null=False)
    return ds.CsvFileFormat(convert_options=convert)


def _suiting(name: str, form: Any, schema: Any) -> Any:
    """Widen the types until they suit every row of a CSV file, of which Arrow has looked at the first ones only."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    names = ds.dataset(name, format=form).schema.names
    while True:
        try:
            for _ in ds.dataset(name, format=form, schema=schema).to_batches():
                pass
            return schema
        except pa.ArrowInvalid as error:
            found = re.search(r"CSV column #(\d+)", str(error))
            place = -1 if found is None else schema.get_field_index(names[int(found[1])])
            if place < 0 or schema.field(place).type == pa.string():
                raise ValueError(f"{name} is no csv file, or a damaged one: {error}") from None
            field = schema.field(place)
            schema = schema.set(place, field.with_type(wider_type(field.type)))


def wider_type(kind: Any) -> Any:
    """Return the type that Arrow tries next where a column of a CSV file, read as a whole, does not have one."""
    import pyarrow as pa

    times = [pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in ("s", "ns")]
    chain = [pa.null(), pa.int64(), pa.bool_(), pa.date32(), pa.time32("s"), *times, pa.float64(), pa.string()]
    return chain[chain.index(kind) + 1] if kind in chain else pa.string()


def _blanks_missing(rows: Any) -> Any:
    """Make empty texts of a CSV missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not rows.num_columns:  # without columns the number of rows would be lost
        return rows
    nulls = pa.nulls(rows.num_rows, pa.string())  # no scalar: with that Arrow 15 gets parts of arrays wrong
    columns = [
        pc.if_else(pc.equal(column, ""), nulls, column) if pa.types.is_string(kind) else column
        for kind, column in zip(rows.schema.types, rows.columns, strict=True)
    ]
    return type(rows).from_arrays(columns, schema=rows.schema)


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
    if isinstance(limit, bool) or not 2**20 <= value < math.inf:
        raise ValueError(
            f'memory_limit must be at least a megabyte, as a number of bytes or like "500 MB"; got {limit!r}.'
        )
    return int(value)
