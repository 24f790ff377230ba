"""Where a table is: files of Parquet, Arrow and CSV, folders, standard input, pyarrow datasets and tables."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from boxdraw._core.files import read_file
from boxdraw._core.warn import warn
from boxdraw.tables.arrow import arrow_errors, batches_of
from boxdraw.tables.csv import (
    PLAIN,
    CsvForm,
    CsvPlace,
    CsvTable,
    check_last_quote,
    check_text,
    common_schema,
    csv_errors,
    has_leading_zeros,
    in_utf8,
    open_csv,
    with_missing_texts,
)
from boxdraw.tables.errors import TableError, check_names

_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".csv": "csv",
}
_ROWS = 2**16  # of a Parquet file that are read at once


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
    if kind == "csv":
        return open_csv([CsvPlace(name, name) for name in names], PLAIN, texts).dataset()
    schema = common_schema({name: _schema_of(name, kind) for name in names})
    if hidden := _in_folders(source, files) - set(schema.names):
        warn(
            f"Columns that only the names of folders have are not read: {', '.join(map(repr, sorted(hidden)))}. For a "
            "table with them, pass pyarrow.dataset.dataset(folder, partitioning='hive')."
        )
    return ds.dataset(names, format=kind, schema=schema)


def _in_folders(source: Any, files: list[Path]) -> set[str]:
    """Return the columns that folders inside a folder have in their names, as in region=north."""
    if isinstance(source, list | tuple) or not Path(source).is_dir():
        return set()
    folders = {folder for file in files for folder in file.relative_to(source).parts[:-1]}
    return {folder.partition("=")[0] for folder in folders if "=" in folder}


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


def _schema_of(name: str, kind: str) -> Any:
    import pyarrow.dataset as ds

    with arrow_errors(lambda error: ValueError(f"{name} is no {kind} file, or a damaged one: {error}")):
        schema = ds.dataset(name, format=kind).schema
        list(schema.names)  # a name that is not in UTF-8 is an error only when it is looked at
        return schema


@dataclass(frozen=True, slots=True)
class TableFile:
    """A CSV or Parquet file, or its bytes in memory, read in pieces as often as needed."""

    name: str
    schema: Any
    data: Any  # a path or a buffer of Arrow's
    csv: CsvTable | None  # None for Parquet

    @property
    def is_parquet(self) -> bool:
        """Whether the file is Parquet, not CSV."""
        return self.csv is None

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if it is known without reading them."""
        return _parquet(self.data).count_rows() if self.csv is None else None

    @property
    def verbatim_schema(self) -> Any:
        """The names and types of the columns of `verbatim`."""
        return _parquet(self.data).schema if self.csv is None else self.csv.dataset(verbatim=True).schema

    def tables(self, names: Iterable[str] | None = None) -> Iterator[Any]:
        """Yield the rows in their order, as tables of some columns, with nulls where values are missing."""
        wanted = self.schema.names if names is None else list(names)
        if self.csv is None:
            yield from map(decoded, self._parquet_tables(wanted))
            return
        words = ["", *self.csv.form.missing]
        for table in self._csv_tables(self.csv, wanted, verbatim=False):
            yield with_missing_texts(table, words)

    def verbatim(self, names: Iterable[str] | None = None) -> Iterator[Any]:
        """Yield the rows as they are in the file, cut in the same places as in `tables`: of CSV all fields are text."""
        wanted = self.schema.names if names is None else list(names)
        if self.csv is None:
            yield from self._parquet_tables(wanted)
        else:
            yield from self._csv_tables(self.csv, wanted, verbatim=True)

    def leading_zeros(self, names: Sequence[str]) -> list[str]:
        """Find columns that are read as numbers although zeros in front may belong to them."""
        import pyarrow as pa

        whole = [name for name in names if pa.types.is_integer(self.schema.field(name).type)]
        if self.is_parquet or not whole:
            return []
        found = {name for piece in self.verbatim(whole) for name in whole if has_leading_zeros(piece[name])}
        return [name for name in whole if name in found]

    def _parquet_tables(self, names: list[str]) -> Iterator[Any]:
        import pyarrow as pa

        with arrow_errors(partial(_damaged, self.name)):
            for batch in batches_of(_parquet(self.data), names, _ROWS):
                if batch.num_rows:
                    batch.validate(full=True)  # texts that are not in UTF-8, for example
                    yield pa.Table.from_batches([batch])

    def _csv_tables(self, table: CsvTable, names: list[str], verbatim: bool) -> Iterator[Any]:
        import pyarrow as pa

        with csv_errors(table.places[0], table.form):
            for batch in table.dataset(verbatim).scanner(columns=names, batch_readahead=4).to_batches():
                if batch.num_rows:
                    yield pa.Table.from_batches([batch])


def open_file(path: str, form: CsvForm = PLAIN, texts: Iterable[str] = ()) -> TableFile:
    """Open a file, or standard input for ``-``; its first bytes say whether it is Parquet, CSV or CSV in gzip."""
    name = "standard input" if path == "-" else path
    if path != "-" and os.path.isfile(path) and _is_unicode(path):
        place = os.path.abspath(path)  # which Arrow never takes for a URL
        with open(path, "rb") as file:
            start = file.read(4)
        if start == b"PAR1":
            return _parquet_file(name, place)
        if not start.startswith((b"\x1f\x8b", b"PK\x03\x04")) and form.encoding.lower() in ("utf-8", "utf-8-sig"):
            return _csv_file(CsvPlace(name, place), form, texts)
    return file_of(name, sys.stdin.buffer.read() if path == "-" else read_file(path), form, texts)


def _is_unicode(path: str) -> bool:
    """Return True if Arrow can open a path; Python can open others too."""
    return not any("\ud800" <= letter <= "\udfff" for letter in path)


def file_of(name: str, content: bytes, form: CsvForm = PLAIN, texts: Iterable[str] = ()) -> TableFile:
    """Return the table of a file's bytes."""
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise TableError(f"{name} is packed with gzip and damaged: {error}") from None
    if content.startswith(b"PK\x03\x04"):
        raise TableError(f"{name} looks like an Excel workbook or a zip archive: save the sheet as CSV, or unpack it")
    if content.startswith(b"PAR1"):
        return _parquet_file(name, _arrow_buffer(content))
    return _csv_file(CsvPlace(name, _arrow_buffer(in_utf8(name, content, form.encoding))), form, texts)


def _arrow_buffer(content: bytes) -> Any:
    """Return the bytes in memory that belongs to Arrow.

    Its threads may let go of what they read when Python is ending already, and to free an object of Python's then would
    abort the process.
    """
    import pyarrow as pa

    stream = pa.BufferOutputStream()
    stream.write(content)
    return stream.getvalue()


def _csv_file(place: CsvPlace, form: CsvForm, texts: Iterable[str]) -> TableFile:
    facts = check_text(place)
    table = open_csv([place], form, texts)
    file = TableFile(place.name, table.schema, place.data, table)
    if facts.quotes % 2 and table.schema.names:
        last = None
        for piece in file.verbatim(table.schema.names[-1:]):
            last = piece.column(0)[piece.num_rows - 1].as_py()
        check_last_quote(place.name, facts, last)
    return file


def _parquet_file(name: str, data: Any) -> TableFile:
    with arrow_errors(partial(_damaged, name)):
        schema = _parquet(data).schema
        check_names(schema.names, name)
    return TableFile(name, decoded(schema.empty_table()).schema, data, None)


def _damaged(name: str, error: Exception) -> TableError:
    return TableError(f"{name} is a damaged Parquet file: {error}")


def _parquet(data: Any) -> Any:
    """Return the dataset of a Parquet file, given by its path or its bytes."""
    import pyarrow.dataset as ds

    if isinstance(data, str):
        return ds.dataset(data, format="parquet")
    how = ds.ParquetFileFormat()
    part = how.make_fragment(data)
    return ds.FileSystemDataset([part], part.physical_schema, how)


def decoded(table: Any) -> Any:
    """Return the values themselves where a column is stored as numbers of categories, and texts for views of them."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        plain = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if str(plain) == "string_view":  # which pyarrow has few functions for
            plain = pa.string()
        if plain != field.type:
            table = table.set_column(place, field.name, table.column(place).cast(plain))
    return table
