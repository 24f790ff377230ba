"""Stored tables read with Arrow, batch by batch: Parquet, Arrow and CSV files, and pyarrow datasets."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from joblib import effective_n_jobs

from boxdraw.progress import RowsProgress
from boxdraw.scale.chunks import Part

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
        return _blanks_missing(self._dataset.to_table(columns=columns), is_csv(self._dataset))

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows in their order."""
        rows = self._memory_limit // (_BATCHES * 8 * max(1, len(columns)))
        how = {
            "columns": columns,
            "batch_size": min(max(rows, _LEAST_ROWS), _MOST_ROWS),
            "batch_readahead": _BATCHES // 4,
            "fragment_readahead": 1,
        }
        for scanner in scanners(self._dataset, how):
            for batch in scanner.to_batches():
                if batch.num_rows:
                    yield _blanks_missing(batch, is_csv(self._dataset))

    def reduce(self, work: Callable[[Any], P], columns: list[str], what: str, n_rows: int | None) -> P | None:
        """Return the merged results of the work on all batches."""
        merged: P | None = None
        with self._progress.over(what, n_rows) as done:
            for batch, result in self._worked(work, self.batches(columns)):
                merged = result if merged is None else merged.merge(result)
                done(batch.num_rows)
        return merged

    def _worked(self, work: Callable[[Any], P], batches: Iterator[Any]) -> Iterator[tuple[Any, P]]:
        workers = effective_n_jobs(self._n_jobs) if self._n_jobs not in (None, 1) else 1
        if workers <= 1:
            for batch in batches:
                yield batch, work(batch)
            return
        waiting: deque[tuple[Any, Future[P]]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            for batch in batches:
                waiting.append((batch, pool.submit(work, batch)))
                if len(waiting) > workers:  # no more in memory than are being worked on, and one to go on with
                    done, future = waiting.popleft()
                    yield done, future.result()
            for done, future in waiting:
                yield done, future.result()


def is_csv(dataset: Any) -> bool:
    """Say whether a dataset is of CSV files."""
    return _format(dataset) == "csv"


def _format(dataset: Any) -> str:
    return str(getattr(getattr(dataset, "format", None), "default_extname", ""))


def scanners(dataset: Any, how: dict[str, Any]) -> Iterator[Any]:
    """Yield what reads a dataset: of Parquet files one row group after the other.

    Arrow reads ahead of slow work by up to a gigabyte, and keeps the bytes of a Parquet file until its end.
    """
    import pyarrow.dataset as ds

    if _format(dataset) != "parquet":
        yield dataset.scanner(**how)
        return
    how = how | {"fragment_scan_options": ds.ParquetFragmentScanOptions(pre_buffer=False)}
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # with a filter
        yield dataset.scanner(**how)
        return
    for fragment in fragments:
        for group in fragment.split_by_row_group():
            yield group.scanner(schema=dataset.schema, **how)


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
    try:
        return _csv_dataset(names, texts) if kind == "csv" else ds.dataset(names, format=kind)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{files[0]} is no {kind} file, or a damaged one: {error}") from None


def _files(source: Any) -> list[Path]:
    given: Sequence[Any] = [source] if isinstance(source, str | Path) else source
    try:
        paths = [Path(path) for path in given]
    except TypeError:
        raise TypeError(
            "source must be a path of a Parquet, Arrow or CSV file, a directory or a list of them, a pyarrow dataset "
            f"or table, or a Dask DataFrame; got {type(source).__name__}."
        ) from None
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


def _csv_dataset(files: list[str], texts: Sequence[str]) -> Any:
    """Open CSV files with types that suit every row; Arrow looks at the first ones only, so they are all read once."""
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.dataset as ds

    form = ds.CsvFileFormat(
        convert_options=csv.ConvertOptions(null_values=list(_MISSING_NUMBERS), strings_can_be_null=False)
    )
    schema = pa.schema(
        field.with_type(pa.string()) if field.name in texts else field
        for field in ds.dataset(files, format=form).schema
    )
    while True:
        dataset = ds.dataset(files, format=form, schema=schema)
        try:
            for _ in dataset.to_batches():
                pass
            return dataset
        except pa.ArrowInvalid as error:
            place = re.search(r"CSV column #(\d+)", str(error))
            if place is None or schema.field(int(place[1])).type == pa.string():
                raise
            field = schema.field(int(place[1]))
            schema = schema.set(int(place[1]), field.with_type(wider_type(field.type)))


def wider_type(kind: Any) -> Any:
    """Return the type that Arrow tries next where a column of a CSV file, read as a whole, does not have one."""
    import pyarrow as pa

    times = [pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in ("s", "ns")]
    chain = [pa.null(), pa.int64(), pa.bool_(), pa.date32(), pa.time32("s"), *times, pa.float64(), pa.string()]
    return chain[chain.index(kind) + 1] if kind in chain else pa.string()


def _blanks_missing(rows: Any, are_csv: bool) -> Any:
    """Make empty texts of a CSV missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not are_csv:
        return rows
    for place, field in enumerate(rows.schema):
        if pa.types.is_string(field.type):
            column = rows.column(place)
            rows = rows.set_column(place, field, pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column))
    return rows


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
    if isinstance(limit, bool) or not value >= 2**20:
        raise ValueError(
            f'memory_limit must be at least a megabyte, as a number of bytes or like "500 MB"; got {limit!r}.'
        )
    return int(value)
