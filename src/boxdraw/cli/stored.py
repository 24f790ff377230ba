"""Tables that are read piece by piece, as often as they are asked for: Parquet files, and large CSV files.

Their pieces are what `boxdraw.cli.tables` reads as a whole: the same names, types and missing values.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boxdraw.cli.errors import Failure, extra
from boxdraw.cli.features import as_trained
from boxdraw.cli.tables import (
    MISSING_NUMBERS,
    CsvForm,
    check_names,
    decoded,
    not_in_encoding,
    possible_names,
    ragged,
    with_missing_text,
    zeros_in_front,
)
from boxdraw.model.boxes import BoxSet
from boxdraw.tables.arrow import batches_of, wider_type

__all__ = ["LARGE_CSV", "Stored", "check_trained", "open_stored"]

#: CSV files of more bytes than this are read piece by piece.
LARGE_CSV = 100_000_000

_BLOCK = 2**20  # bytes of a CSV file that are read at once
_ROWS = 2**16  # of a Parquet file
_UTF8 = ("utf-8", "utf-8-sig")


@dataclass(frozen=True, slots=True)
class Stored:
    """A table in a file.

    Parameters
    ----------
    name : str
        The path.
    is_parquet : bool
        Whether it is Parquet, not CSV.
    schema : pyarrow.Schema
        The names of its columns, and their types.
    form : CsvForm
        How it is written if it is CSV.

    Examples
    --------
    >>> schema = extra("pyarrow").schema({"age": "int64"})
    >>> Stored("data.csv", False, schema).verbatim_schema.types
    [DataType(string)]
    """

    name: str
    is_parquet: bool
    schema: Any
    form: CsvForm = field(default_factory=CsvForm)

    def tables(self, names: Iterable[str] | None = None) -> Iterator[Any]:
        """Yield the rows in their order, as `boxdraw.cli.tables.read_table` reads them.

        Parameters
        ----------
        names : iterable of str, optional
            The columns; all by default.

        Yields
        ------
        pyarrow.Table
            Some rows.
        """
        wanted = self.schema.names if names is None else list(names)
        if self.is_parquet:
            yield from map(decoded, self._parquet(wanted))
            return
        types = {name: self.schema.field(name).type for name in wanted}
        words = ["", *self.form.missing]
        for piece in self._csv(types, [*MISSING_NUMBERS, *self.form.missing]):
            yield with_missing_text(piece, words)

    def verbatim(self, names: Iterable[str] | None = None) -> Iterator[Any]:
        """Yield the rows as `boxdraw.cli.tables.read_verbatim` reads them, cut in the same places.

        Parameters
        ----------
        names : iterable of str, optional
            The columns; all by default.

        Yields
        ------
        pyarrow.Table
            Some rows.
        """
        wanted = self.schema.names if names is None else list(names)
        if self.is_parquet:
            yield from self._parquet(wanted)
        else:
            yield from self._csv(dict.fromkeys(wanted, extra("pyarrow").string()), [])

    @property
    def verbatim_schema(self) -> Any:
        """The names and types of the columns of `verbatim`."""
        if self.is_parquet:
            return extra("pyarrow.parquet").read_schema(self.name)
        pa = extra("pyarrow")
        return pa.schema([pa.field(name, pa.string()) for name in self.schema.names])

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, if that is known without reading them."""
        return self._dataset().count_rows() if self.is_parquet else None

    def leading_zeros(self, names: Sequence[str]) -> list[str]:
        """Find columns that are read as numbers although zeros in front may belong to them.

        Parameters
        ----------
        names : sequence of str
            The columns to look at.

        Returns
        -------
        list of str
            Those columns.
        """
        whole = [name for name in names if extra("pyarrow").types.is_integer(self.schema.field(name).type)]
        if self.is_parquet or not whole:
            return []
        found = {name for piece in self.verbatim(whole) for name in whole if zeros_in_front(piece[name])}
        return [name for name in whole if name in found]

    def _dataset(self) -> Any:
        return extra("pyarrow.dataset").dataset(self.name, format="parquet")

    def _parquet(self, names: list[str]) -> Iterator[Any]:
        pa = extra("pyarrow")
        try:
            for batch in batches_of(self._dataset(), names, _ROWS):
                if batch.num_rows:
                    batch.validate(full=True)
                    yield pa.Table.from_batches([batch])
        except MemoryError:  # an ArrowException too, and no fault of the file
            raise
        except (pa.ArrowException, OSError) as error:
            raise Failure(f"{self.name} is a damaged Parquet file: {error}") from None

    def _csv(self, types: dict[str, Any], missing: list[str]) -> Iterator[Any]:
        pa = extra("pyarrow")
        try:
            for batch in _open_csv(self.name, self.form, column_types=types, null_values=missing, only=list(types)):
                yield pa.Table.from_batches([batch])
        except pa.ArrowInvalid as error:
            raise _damaged(self.name, self.form, error) from None


def open_stored(path: str, form: CsvForm, as_text: Iterable[str] = ()) -> Stored | None:
    """Open a file that is to be read piece by piece.

    Parameters
    ----------
    path : str
        The file, or ``-`` for standard input.
    form : CsvForm
        How it is written if it is CSV.
    as_text : iterable of str
        Names of columns of a CSV that are text even if they look like numbers.

    Returns
    -------
    Stored or None
        The table; None if it is small, or can only be read as a whole.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pyarrow.parquet.write_table(pa.table({"age": [30, 40]}), f"{folder}/data.parquet")
    ...     stored = open_stored(f"{folder}/data.parquet", CsvForm())
    ...     [table.to_pydict() for table in stored.tables()]
    [{'age': [30, 40]}]
    >>> open_stored("-", CsvForm()) is None
    True
    """
    if path == "-" or not Path(path).is_file():
        return None
    with open(path, "rb") as file:
        start = file.read(4)
    if start == b"PAR1":
        return _open_parquet(path)
    packed = start.startswith((b"\x1f\x8b", b"PK\x03\x04"))
    if packed or form.encoding.lower() not in _UTF8 or Path(path).stat().st_size <= LARGE_CSV:
        return None
    schema = _check_text(path) and _csv_schema(path, form, as_text)
    return Stored(path, False, schema, form) if schema else None


def check_trained(stored: Stored, boxes: BoxSet) -> None:
    """Refuse a table whose columns are not of the types that boxes need, and show a value that does not fit.

    Parameters
    ----------
    stored : Stored
        The table.
    boxes : BoxSet
        The boxes.
    """

    def values(name: str) -> Iterator[Any]:
        for table in stored.tables([name]):
            yield from table[name].to_pylist()

    as_trained(stored.schema.empty_table(), boxes, stored.name, values)


def _open_parquet(path: str) -> Stored:
    pa = extra("pyarrow")
    try:
        schema = extra("pyarrow.parquet").read_schema(path)
        check_names(schema.names, path)
    except MemoryError:  # an ArrowException too, and no fault of the file
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path} is a damaged Parquet file: {error}") from None
    return Stored(path, True, decoded(schema.empty_table()).schema)


def _check_text(path: str) -> bool:
    """Check the encoding of a file; say whether its quotes come in pairs."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, quotes = 1, 0
    with open(path, "rb") as file:
        start = file.read(4)
        file.seek(0)
        while True:
            block = file.read(_BLOCK)
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                inside = block[: max(0, error.start - waiting)]
                raise not_in_encoding(path, "utf-8", line + inside.count(b"\n"), start) from None
            line, quotes = line + block.count(b"\n"), quotes + block.count(b'"')
            if not block:
                return quotes % 2 == 0


def _csv_schema(path: str, form: CsvForm, as_text: Iterable[str]) -> Any:
    """Find the types that suit every row, as Arrow finds them in a table that it reads as a whole.

    None if a row is longer than what is read at once, or if there is nothing but blanks.
    """
    pa = extra("pyarrow")
    types = dict.fromkeys(possible_names(as_text), pa.string())
    missing = [*MISSING_NUMBERS, *form.missing]
    schema = None
    while True:
        try:
            reader = _open_csv(path, form, column_types=types, null_values=missing)
            schema = reader.schema
            check_names(schema.names, path)
            for _ in reader:
                pass
            return schema
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) or "Empty CSV" in str(error):
                return None
            place = re.search(r"CSV column #(\d+)", str(error))
            if place is None or schema is None:
                raise _damaged(path, form, error) from None
            column = schema.field(int(place[1]))
            kind = types.get(column.name, column.type)
            if kind == pa.string():
                raise _damaged(path, form, error) from None
            types[column.name] = wider_type(kind)


def _open_csv(path: str, form: CsvForm, *, only: list[str] | None = None, **convert: Any) -> Any:
    reader = extra("pyarrow.csv")
    return reader.open_csv(
        path,
        read_options=reader.ReadOptions(block_size=_BLOCK),
        parse_options=reader.ParseOptions(delimiter=form.delimiter, newlines_in_values=True),
        convert_options=reader.ConvertOptions(decimal_point=form.decimal, include_columns=only, **convert),
    )


def _damaged(path: str, form: CsvForm, error: Exception) -> Failure:
    with open(path, encoding="utf-8-sig", newline="") as text:
        return Failure(ragged(path, text, form.delimiter) or f"cannot read {path}: {error}")
