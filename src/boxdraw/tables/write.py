"""Tables written batch by batch, in files that are there completely or not at all."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from boxdraw._core.files import replacing

#: What the name of a table to be written may end in.
ENDINGS = (".parquet", ".arrow", ".feather", ".csv")


def check_writable(path: Path, inputs: list[str]) -> None:
    """Reject a name that says no format, one that no file can have, and that of a file that is read."""
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"The format of {path} is not known: the name of the output must end in {', '.join(ENDINGS)}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the path of a file.")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"There is no directory {path.parent}; make it first.")
    if os.path.realpath(path) in map(os.path.realpath, inputs):
        raise ValueError(f"{path} is part of the table that is read; write to another file.")


@contextmanager
def open_writer(path: Path, schema: Any) -> Iterator[Callable[[Any], None]]:
    """Open a table in the format that its name says; yields a function that writes rows to it."""
    schema = written_schema(path, schema)
    with replacing(path) as file, _write_errors(path), _writer(path, file, schema) as writer:

        def write(rows: Any) -> None:
            rows = rows.cast(schema)
            if path.suffix.lower() == ".parquet":
                writer.write_table(rows, row_group_size=max(1, rows.num_rows))  # one group, whatever its chunks
            else:
                writer.write_table(rows)

        yield write


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Make what a format can't hold an error of the table."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:  # an ArrowException too, and no fault of the rows
        raise
    except pa.ArrowException as error:
        raise ValueError(f"The rows can't be written to {path}: {error}; choose others with columns=[...].") from error


def written_schema(path: Path, schema: Any) -> Any:
    """Return the types that a format has; raise for those that it has not."""
    import pyarrow as pa

    fields = []
    for field in schema:
        kind = field.type
        if pa.types.is_dictionary(kind) and path.suffix.lower() != ".parquet":
            kind = kind.value_type  # every batch has a dictionary of its own, which these formats can't hold
        if path.suffix.lower() == ".csv":
            check_csv_type(field.name, kind)
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def check_csv_type(name: str, kind: Any) -> None:
    """Raise if CSV has no form for a type."""
    from pyarrow import types

    binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    if binary or types.is_nested(kind):
        raise ValueError(f"Column {name!r} holds {kind}, which CSV has no form for; write a .parquet file.")


def write_parquet(file: IO[bytes], schema: Any, tables: Iterable[Any]) -> None:
    """Write a table that comes in pieces as Parquet."""
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(file, schema) as writer:
        for table in tables:
            writer.write_table(table)


def write_csv(file: IO[bytes], schema: Any, tables: Iterable[Any], delimiter: str) -> None:
    """Write a table that comes in pieces as CSV, with quotes only where they are needed, which Arrow can't do."""
    file.write(csv_lines([schema.names], delimiter))
    for table in tables:
        for batch in table.to_batches(max_chunksize=10_000):
            rows = zip(*(_fields(column) for column in batch.columns), strict=True)
            file.write(csv_lines(rows, delimiter))


def csv_lines(rows: Iterable[Sequence[Any]], delimiter: str = ",") -> bytes:
    """Return rows as lines of CSV."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def _fields(column: Any) -> list[Any]:
    """Return values as the CSV writer takes them; true and false as the reader has them."""
    from pyarrow import types

    values: list[Any] = column.to_pylist()
    if types.is_boolean(column.type):
        return [None if value is None else str(value).lower() for value in values]
    return values


def _writer(path: Path, file: IO[bytes], schema: Any) -> Any:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix.lower() == ".parquet":
        return pyarrow.parquet.ParquetWriter(file, schema)
    return pyarrow.csv.CSVWriter(file, schema) if path.suffix.lower() == ".csv" else pa.ipc.new_file(file, schema)
