"""CSV files: how they are written, which fields are missing, and the types that suit every row.

- The first line has the names of the columns; a mark at the start of the file (BOM) is skipped.
- An empty field is missing. In columns of numbers and of true and false so are NA, N/A, NaN and null; in columns of
  text these are text like any other, unless they are named as missing.
- A column of digits is numeric, with or without leading zeros. Columns that are asked for as text keep every character.
- ``true`` and ``false`` are truth values. Everything else that is not a number, a date or a time is text.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import math
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from boxdraw.tables.errors import TableError, check_names, other_delimiter

#: Fields of columns of numbers that are missing values.
MISSING_NUMBERS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NAN", "-nan", "-NaN", "null", "NULL", "Null")

_BLOCK = 2**20  # bytes that are read at once
_LARGEST_BLOCK = 2**30
_SPACE = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a CSV file is written; ``missing`` are fields that mean a missing value in every column."""

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()


#: As most CSV files are written.
PLAIN = CsvForm()


class CsvPlace(NamedTuple):
    """A CSV file: its path, or its bytes in memory of Arrow's."""

    name: str
    data: Any

    @property
    def size(self) -> float:
        """The number of bytes; infinite where they are packed."""
        if not isinstance(self.data, str | os.PathLike):
            return float(self.data.size)
        return math.inf if str(self.data).endswith(".gz") else os.path.getsize(self.data)

    def open(self) -> Any:
        """Open the file, unpacked."""
        if not isinstance(self.data, str | os.PathLike):
            return io.BytesIO(self.data)
        return gzip.open(self.data) if str(self.data).endswith(".gz") else open(self.data, "rb")


@dataclass(frozen=True, slots=True)
class CsvTable:
    """CSV files with the same columns, as a dataset of the types that suit every row."""

    places: tuple[CsvPlace, ...]
    form: CsvForm
    schema: Any
    block: int

    def dataset(self, verbatim: bool = False) -> Any:
        """Return the dataset; ``verbatim`` reads every field as text, as it stands in the file."""
        import pyarrow as pa

        texts = pa.schema([pa.field(name, pa.string()) for name in self.schema.names])
        how = _format(self.form, self.block, verbatim)
        return _dataset(self.places, how, texts if verbatim else self.schema)


def open_csv(places: Sequence[CsvPlace], form: CsvForm, texts: Iterable[str] = ()) -> CsvTable:
    """Find the types that suit every row of some files; ``texts`` name columns of text, whatever they look like."""
    block = _BLOCK
    while True:
        try:
            return CsvTable(tuple(places), form, _schema(places, form, block, set(texts)), block)
        except _RowTooLong as error:
            if block >= min(max(place.size for place in places), _LARGEST_BLOCK):
                raise TableError(str(error)) from None
            block *= 8


class _RowTooLong(Exception):
    """A row is perhaps longer than what is read at once."""


def _schema(places: Sequence[CsvPlace], form: CsvForm, block: int, texts: set[str]) -> Any:
    """Return the common columns of files, each of the narrowest type that suits all its fields."""
    import pyarrow as pa

    how = _format(form, block)
    schemas = {}
    for place in places:
        with csv_errors(place, form):
            schemas[place.name] = _dataset([place], how).schema
    schema = common_schema(schemas, pa.string())
    schema = pa.schema([field.with_type(pa.string()) if field.name in texts else field for field in schema])
    for place in places:
        with csv_errors(place, form):
            schema = _suiting(place, how, schema, schemas[place.name].names)
    return schema


def _suiting(place: CsvPlace, how: Any, schema: Any, names: Sequence[str]) -> Any:
    """Widen the types until they suit every row of a file, of which Arrow has looked at the first block only."""
    import pyarrow as pa

    while True:
        try:
            for _ in _dataset([place], how, schema).to_batches():
                pass
            return schema
        except pa.ArrowInvalid as error:
            found = re.search(r"CSV column #(\d+)", str(error))
            index = -1 if found is None else schema.get_field_index(names[int(found[1])])
            if index < 0 or schema.field(index).type == pa.string():
                raise
            field = schema.field(index)
            schema = schema.set(index, field.with_type(_wider_type(field.type)))


def _wider_type(kind: Any) -> Any:
    """Return the type that Arrow tries next where a column of a CSV file, read as a whole, does not have one."""
    import pyarrow as pa

    times = [pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in ("s", "ns")]
    chain = [pa.null(), pa.int64(), pa.bool_(), pa.date32(), pa.time32("s"), *times, pa.float64(), pa.string()]
    return chain[chain.index(kind) + 1] if kind in chain else pa.string()


def common_schema(schemas: dict[str, Any], if_none: Any = None) -> Any:
    """Return the columns of all files, of types that suit all of them, or ``if_none`` where no other does."""
    (first, result), *others = schemas.items()
    for name, schema in others:
        for field in schema if not schema.equals(result) else ():
            place = result.get_field_index(field.name)
            if place < 0:
                result = result.append(field)
                continue
            common = _common_type(result.field(place).type, field.type, if_none)
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


def _format(form: CsvForm, block: int, verbatim: bool = False) -> Any:
    import pyarrow.csv as pc
    import pyarrow.dataset as ds

    missing = [] if verbatim else [*MISSING_NUMBERS, *form.missing]
    return ds.CsvFileFormat(
        read_options=pc.ReadOptions(block_size=block),
        parse_options=pc.ParseOptions(delimiter=form.delimiter, newlines_in_values=True),
        convert_options=pc.ConvertOptions(decimal_point=form.decimal, null_values=missing, strings_can_be_null=False),
    )


def _dataset(places: Sequence[CsvPlace], how: Any, schema: Any = None) -> Any:
    import pyarrow.dataset as ds

    if all(isinstance(place.data, str | os.PathLike) for place in places):
        return ds.dataset([os.fspath(place.data) for place in places], format=how, schema=schema)
    parts = [how.make_fragment(place.data) for place in places]
    return ds.FileSystemDataset(parts, parts[0].physical_schema if schema is None else schema, how)


def with_missing_texts(rows: Any, words: Sequence[str] = ("",)) -> Any:
    """Return rows of a table or batch with nulls for the texts that stand for a missing value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not rows.num_columns:  # without columns the number of rows would be lost
        return rows
    nulls = pa.nulls(rows.num_rows, pa.string())  # no scalar: with that Arrow 15 gets parts of arrays wrong
    columns = [
        pc.if_else(pc.is_in(column, value_set=pa.array(words)), nulls, column) if pa.types.is_string(kind) else column
        for kind, column in zip(rows.schema.types, rows.columns, strict=True)
    ]
    return type(rows).from_arrays(columns, schema=rows.schema)


def has_leading_zeros(texts: Any) -> bool:
    """Return True if any text of a column is a number with zeros in front."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, r"^\s*[-+]?0[0-9]")).as_py())


class TextFacts(NamedTuple):
    """What a look at the bytes of a CSV file finds."""

    quotes: int
    last_line: int  # with anything but space, from 1


def check_text(place: CsvPlace) -> TextFacts:
    """Raise if a file is not in UTF-8 or has nothing but space; count its quotes and lines."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, last, quotes, start, blank = 1, 1, 0, b"", True
    with place.open() as file:
        while True:
            block = file.read(_BLOCK)
            start = start or block[:4]
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                inside = block[: max(0, error.start - waiting)]
                raise not_in_encoding(place.name, "utf-8", line + inside.count(b"\n"), start) from None
            if not block:
                break
            if inked := block.rstrip():
                last, blank = line + inked.count(b"\n"), blank and not block.strip(_SPACE)
            line, quotes = line + block.count(b"\n"), quotes + block.count(b'"')
    if blank:
        raise TableError(f"{place.name} is empty: it must have a line with the column names, then the rows")
    return TextFacts(quotes, last)


def check_last_quote(name: str, facts: TextFacts, last: Any) -> None:
    """Raise if the last field of a table has swallowed the lines below it, because a quote is not closed."""
    if facts.quotes % 2 and isinstance(last, str) and "\n" in last:
        line = facts.last_line - last.rstrip().count("\n")
        raise TableError(f"{name}, line {line}: a quote is opened there and never closed")


def in_utf8(name: str, content: bytes, encoding: str) -> bytes:
    """Return the content in the encoding that Arrow knows."""
    if encoding.lower() in ("utf-8", "utf-8-sig"):  # the reader skips a mark at the start; there may be only one
        return content
    try:
        return content.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as error:
        raise not_in_encoding(name, encoding, content.count(b"\n", 0, error.start) + 1, content[:4]) from None
    except (LookupError, ValueError) as error:  # unknown, or one that can say no more, or reads halves of characters
        raise TableError(f"{name} is not written in {encoding}: {error}", "any encoding") from None


def not_in_encoding(name: str, encoding: str, line: int, start: bytes) -> TableError:
    """Return the error for a file in another encoding, with a guess at it from the first bytes."""
    guess = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "cp1252"
    text = f"{name} is not written in {encoding}: line {line} has a byte that does not fit"
    return TableError(text, "encoding", guess)


@contextmanager
def csv_errors(place: CsvPlace, form: CsvForm) -> Iterator[None]:
    """Turn what Arrow can't read into an error that names the line."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:  # an ArrowException too, and no fault of the file
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        text = f"{place.name} is no csv file, or a damaged one: {error}"
        if "straddl" in text or "Empty CSV file or block" in text:
            raise _RowTooLong(text) from None
        found = _wrong_line(place, form.delimiter) if isinstance(error, pa.ArrowInvalid) else None
        raise found or TableError(text) from None


def _wrong_line(place: CsvPlace, delimiter: str) -> TableError | None:
    """Find repeated names, or the first row that has not as many fields as there are names."""
    with place.open() as file:
        rows = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=delimiter)
        try:
            names = next(rows)
            check_names(names, place.name)
            line = 1
            for row in rows:
                if row and len(row) != len(names):
                    return _ragged(f"{place.name}, line {line + 1}: {len(row)}", names, rows.line_num > line + 1)
                line = rows.line_num
        except TableError as error:
            return error
        except (csv.Error, StopIteration, UnicodeDecodeError, OSError, EOFError, zlib.error):
            return None  # Arrow's own words have to do
    return None


def _ragged(start: str, names: Sequence[str], over_lines: bool) -> TableError:
    text = f"{start} fields, but {len(names)} column names in the first line"
    if over_lines:
        return TableError(f"{text}; is a quote not closed?")
    delimiter = other_delimiter(names)
    return TableError(text, "delimiter" if delimiter else "line", delimiter)
