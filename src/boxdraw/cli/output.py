"""Output files: written completely or not at all, and never over a file by accident."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from boxdraw._core.files import replacing
from boxdraw.cli.errors import Failure, UsageError
from boxdraw.tables.write import check_csv_type, write_csv, write_parquet


@dataclass(frozen=True, slots=True)
class Output:
    """Where a result goes: a path or ``-``; checked before the work begins. ``inputs`` are never overwritten."""

    name: str
    force: bool = False
    inputs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check()

    @property
    def is_stdout(self) -> bool:
        """Whether the result goes to standard output."""
        return self.name == "-"

    def write(self, content: str | bytes) -> None:
        """Write the whole content, text as UTF-8."""
        with self.open() as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open for writing; the file appears when the block ends without an error."""
        if self.is_stdout:
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        with replacing(self.name, self._check) as file:  # another run may have been faster
            yield file

    def _check(self) -> None:
        """Raise if the place cannot, or must not, be written to."""
        if self.is_stdout:
            return
        path = Path(os.path.realpath(self.name))
        if not path.parent.is_dir():
            raise Failure(f"cannot write {self.name}: the folder {path.parent} does not exist; make it first")
        if path.is_dir():
            raise Failure(f"cannot write {self.name}: it is a folder; give the path of a file")
        if path.exists() and not path.is_file():
            raise Failure(f"cannot write {self.name}: it is not a regular file; use - for standard output")
        if any(name != "-" and os.path.realpath(name) == str(path) for name in self.inputs):
            raise Failure(f"cannot write {self.name}: it is one of the files that are read")
        if path.exists() and not self.force:
            raise Failure(f"{self.name} exists; add --force to replace it, or choose another name with -o")
        if not os.access(path.parent, os.W_OK):
            raise Failure(f"cannot write {self.name}: no permission to write in the folder {path.parent}")


def check_table_name(name: str) -> None:
    """Reject a name for a table that does not say its format."""
    if name != "-" and not name.lower().endswith((".csv", ".parquet")):
        raise UsageError(f"cannot write a table to {name}: the name must end in .csv or .parquet")


def write_tables(schema: Any, tables: Iterable[Any], output: Output, delimiter: str = ",") -> None:
    """Write a table that comes in pieces, in the format that the name says; to standard output as CSV."""
    if output.name.lower().endswith(".parquet"):
        with output.open() as file:
            write_parquet(file, schema, tables)
        return
    for field in schema:
        check_csv_type(field.name, field.type)
    with output.open() as file:
        write_csv(file, schema, tables, delimiter)
