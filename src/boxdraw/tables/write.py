"""Tables written batch by batch, in files that are there completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from boxdraw._core.files import replacing

#: What the name of a table to be written may end in.
ENDINGS = (".parquet", ".arrow", ".feather", ".csv")


def check_writable(path: Path, inputs: list[str]) -> None:
    """Refuse a name that says no format, one that no file can have, and that of a file that is read."""
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
    with replacing(path) as file, _told_in_words(path), _writer(path, file, schema) as writer:

        def write(rows: Any) -> None:
            rows = rows.cast(schema)
            if path.suffix.lower() == ".parquet":
                writer.write_table(rows, row_group_size=max(1, rows.num_rows))  # one group, whatever its chunks
            else:
                writer.write_table(rows)

        yield write


@contextmanager
def _told_in_words(path: Path) -> Iterator[None]:
    """Make what a format can't hold an error of the table."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:  # an ArrowException too, and no fault of the rows
        raise
    except pa.ArrowException as error:
        raise ValueError(f"The rows can't be written to {path}: {error}; choose others with columns=[...].") from error


def written_schema(path: Path, schema: Any) -> Any:
    """Return the types that a format has; refuse those that it has not."""
    import pyarrow as pa

    fields = []
    for field in schema:
        kind = field.type
        if pa.types.is_dictionary(kind) and path.suffix.lower() != ".parquet":
            kind = kind.value_type  # every batch has a dictionary of its own, which these formats can't hold
        if path.suffix.lower() == ".csv" and (pa.types.is_nested(kind) or _is_binary(kind)):
            raise ValueError(f"Column {field.name!r} holds {kind}, which CSV has no form for; write a .parquet file.")
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def _is_binary(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _writer(path: Path, file: IO[bytes], schema: Any) -> Any:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix.lower() == ".parquet":
        return pyarrow.parquet.ParquetWriter(file, schema)
    return pyarrow.csv.CSVWriter(file, schema) if path.suffix.lower() == ".csv" else pa.ipc.new_file(file, schema)
