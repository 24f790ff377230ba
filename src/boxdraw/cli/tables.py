"""Tables in and out: CSV and Parquet, as pyarrow tables.

What a CSV file means:

- The first line has the names of the columns; a mark at the start of the file (BOM) is skipped.
- An empty field is missing. In columns of numbers and of true and false so are NA, N/A, NaN and null; in columns of
  text these are text like any other, unless they are named as missing.
- A column of digits is numeric, with or without leading zeros. Columns that are asked for as text keep every character.
- ``true`` and ``false`` are truth values. Everything else that is not a number, a date or a time is text.

A file is taken for Parquet, or for CSV packed with gzip, by its first bytes, whatever its name.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from boxdraw.cli.errors import Failure, UsageError, extra, listed, other_delimiter
from boxdraw.cli.output import Output

__all__ = [
    "CsvForm",
    "Source",
    "check_table_name",
    "leading_zeros",
    "read_table",
    "read_verbatim",
    "write_table",
    "write_tables",
]

#: Fields of columns of numbers that are missing values.
MISSING_NUMBERS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NAN", "-nan", "-NaN", "null", "NULL", "Null")


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a CSV file is written.

    Parameters
    ----------
    delimiter, decimal : str
        What is between fields, and before the fraction of a number.
    encoding : str
        Of the characters, as Python names it.
    missing : tuple of str
        Fields that are missing values in every column, beside empty ones.

    Examples
    --------
    >>> CsvForm(";", ",").decimal
    ','
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    r"""The bytes of a table, read once, so that standard input can be looked at twice.

    Parameters
    ----------
    name : str
        The file, as messages name it.
    content : bytes
        CSV in UTF-8, or Parquet.
    form : CsvForm
        How the CSV is written.

    Examples
    --------
    >>> Source("data.csv", b"a,b\n1,2\n").is_parquet
    False
    """

    name: str
    content: bytes
    form: CsvForm = CsvForm()

    @property
    def is_parquet(self) -> bool:
        """Whether this is Parquet, not CSV."""
        return self.content.startswith(b"PAR1")

    @classmethod
    def load(cls, path: str, form: CsvForm) -> Source:
        """Read a file, or standard input for ``-``, and see that it can be a table.

        Parameters
        ----------
        path : str
            The file.
        form : CsvForm
            How it is written if it is CSV.

        Returns
        -------
        Source
            The bytes, unpacked and in UTF-8.
        """
        name = "standard input" if path == "-" else path
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError, zlib.error) as error:
                raise Failure(f"{name} is packed with gzip and damaged: {error}") from None
        if content.startswith(b"PK\x03\x04"):
            raise Failure(f"{name} looks like an Excel workbook: save the sheet as CSV")
        source = cls(name, content, form)
        return source if source.is_parquet else cls(name, _in_utf8(name, content, form.encoding), form)


def _in_utf8(name: str, content: bytes, encoding: str) -> bytes:
    """Check the encoding, and change it to the one that the reader knows."""
    try:
        # What reads the CSV skips a mark at its start; there may be only one.
        text = content.decode("utf-8" if encoding.lower() == "utf-8-sig" else encoding)
        in_utf8 = text.encode("utf-8")
    except UnicodeDecodeError as error:
        raise not_in_encoding(name, encoding, content.count(b"\n", 0, error.start) + 1, content[:4]) from None
    except UnicodeError as error:  # some encodings can say no more, and some read halves of characters
        raise Failure(f"{name} is not written in {encoding}: {error}; name its encoding with --encoding") from None
    except (LookupError, ValueError):
        raise UsageError(f"--encoding {encoding} is not known; write it as Python does, for example cp1252") from None
    if not text.strip("\ufeff \t\r\n"):
        raise Failure(f"{name} is empty: it must have a line with the column names, then the rows")
    return in_utf8


def not_in_encoding(name: str, encoding: str, line: int, start: bytes) -> Failure:
    """Say that a file has another encoding, and guess which; ``start`` are its first bytes."""
    guess = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "cp1252"
    return Failure(
        f"{name} is not written in {encoding}: line {line} has a byte that does not fit; name its encoding, for "
        f"example --encoding {guess}"
    )


def read_table(source: Source, as_text: Iterable[str] = ()) -> Any:
    r"""Read a table, and find out what its columns hold.

    Parameters
    ----------
    source : Source
        The bytes.
    as_text : iterable of str
        Names of columns that are text even if they look like numbers; others than those of the table do not matter.

    Returns
    -------
    pyarrow.Table
        The rows, with nulls where values are missing.

    Examples
    --------
    >>> table = read_table(Source("data.csv", b"zip,age\n007,30\n8,\n"), as_text=["zip"])
    >>> table.to_pydict()
    {'zip': ['007', '8'], 'age': [30, None]}
    """
    if source.is_parquet:
        table = decoded(_read_parquet(source))
    else:
        missing = [*MISSING_NUMBERS, *source.form.missing]
        text = extra("pyarrow").string()
        table = _read_csv(source, null_values=missing, column_types=dict.fromkeys(possible_names(as_text), text))
        _check_last_quote(source, table)
        table = with_missing_text(table, ["", *source.form.missing])
    check_names(table.column_names, source.name)
    return table


def possible_names(names: Iterable[str]) -> list[str]:
    """Return the names that a column can have: those without halves of characters, which UTF-8 can't write."""
    return [name for name in names if not any("\ud800" <= letter <= "\udfff" for letter in name)]


def read_verbatim(source: Source, names: Sequence[str]) -> Any:
    r"""Read a table to be handed on: of a CSV every column is text, as it stands in the file.

    Parameters
    ----------
    source : Source
        The bytes.
    names : sequence of str
        All its columns.

    Returns
    -------
    pyarrow.Table
        The rows.

    Examples
    --------
    >>> read_verbatim(Source("data.csv", b"a,b\n007,1.50\n"), ["a", "b"]).to_pydict()
    {'a': ['007'], 'b': ['1.50']}
    """
    if source.is_parquet:
        return _read_parquet(source)
    return _read_csv(source, null_values=[], column_types=dict.fromkeys(names, extra("pyarrow").string()))


def _arrow_file(content: bytes) -> Any:
    """Return the bytes as a file in memory that belongs to Arrow.

    Its threads may let go of what they read when Python is ending already, and to free an object of Python's then would
    abort the process.
    """
    pa = extra("pyarrow")
    stream = pa.BufferOutputStream()
    stream.write(content)
    return pa.BufferReader(stream.getvalue())


def _read_parquet(source: Source) -> Any:
    pa = extra("pyarrow")
    try:
        table = extra("pyarrow.parquet").ParquetFile(_arrow_file(source.content)).read()
        table.validate(full=True)  # texts that are not in UTF-8, for example
        check_names(table.column_names, source.name)
        return table
    except MemoryError:  # an ArrowException too, and no fault of the file
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Failure(f"{source.name} is a damaged Parquet file: {error}") from None


def decoded(table: Any) -> Any:
    """Return the values themselves where a column is stored as numbers of categories."""
    types = extra("pyarrow").types
    for place, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    return table


def _read_csv(source: Source, block: int = 2**20, **convert: Any) -> Any:
    pa, reader = extra("pyarrow"), extra("pyarrow.csv")
    form = source.form
    try:
        return reader.read_csv(
            _arrow_file(source.content),
            read_options=reader.ReadOptions(block_size=block),
            parse_options=reader.ParseOptions(delimiter=form.delimiter, newlines_in_values=True),
            convert_options=reader.ConvertOptions(decimal_point=form.decimal, **convert),
        )
    except pa.ArrowInvalid as error:
        if "straddl" in str(error) and block < len(source.content) < 2**31:  # a row that is longer than a block
            return _read_csv(source, len(source.content), **convert)
        text = io.StringIO(source.content.decode("utf-8").removeprefix("\ufeff"), newline="")
        raise Failure(ragged(source.name, text, form.delimiter) or f"cannot read {source.name}: {error}") from None


def ragged(name: str, text: TextIO, delimiter: str) -> str:
    """Find the first row that has not as many fields as there are names; empty if there is none."""
    rows = csv.reader(text, delimiter=delimiter)
    try:
        names = next(rows)
        n_names, line = len(names), 1
        for row in rows:
            if row and len(row) != n_names:
                quote = "; is a quote not closed?" if rows.line_num > line + 1 else ""
                return (
                    f"{name}, line {line + 1}: {len(row)} fields, but {n_names} column names in the first line"
                    f"{quote or other_delimiter(names) or '; correct the line, or name the delimiter with --delimiter'}"
                )
            line = rows.line_num
    except (csv.Error, StopIteration):  # pyarrow's own words have to do
        return ""
    return ""


def _check_last_quote(source: Source, table: Any) -> None:
    """Refuse a table whose last field has swallowed the lines below it, because a quote is not closed."""
    if source.content.count(b'"') % 2 == 0 or not table.num_rows:
        return
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py()
    if isinstance(last, str) and "\n" in last:
        line = source.content.rstrip().count(b"\n") - last.rstrip().count("\n") + 1
        raise Failure(f"{source.name}, line {line}: a quote is opened there and never closed")


def with_missing_text(table: Any, words: list[str]) -> Any:
    """Make fields of text that stand for a missing value null."""
    pa, compute = extra("pyarrow"), extra("pyarrow.compute")
    nulls = pa.nulls(table.num_rows, pa.string())  # no scalar: with that Arrow 15 gets parts of arrays wrong
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            column = table.column(place)
            empty = compute.is_in(column, value_set=pa.array(words))
            table = table.set_column(place, field, compute.if_else(empty, nulls, column))
    return table


def check_names(names: Sequence[str], source: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise Failure(
            f"{source} has several columns named {listed(repeated)}; the first line must have a different name for each"
        )


def leading_zeros(source: Source, table: Any) -> list[str]:
    r"""Find columns that are read as numbers although zeros in front may belong to them.

    Parameters
    ----------
    source : Source
        The bytes of the table.
    table : pyarrow.Table
        What was read from them.

    Returns
    -------
    list of str
        The names of the columns.

    Examples
    --------
    >>> source = Source("data.csv", b"zip,age\n007,30\n8,0\n")
    >>> leading_zeros(source, read_table(source))
    ['zip']
    """
    if source.is_parquet:
        return []
    pa = extra("pyarrow")
    numbers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    if not numbers:
        return []
    texts = _read_csv(source, null_values=[], include_columns=numbers, column_types=dict.fromkeys(numbers, pa.string()))
    return [name for name in numbers if zeros_in_front(texts[name])]


def zeros_in_front(texts: Any) -> bool:
    """Say whether any text of a column is a number with zeros in front."""
    compute = extra("pyarrow.compute")
    return bool(compute.any(compute.match_substring_regex(texts, r"^\s*[-+]?0[0-9]")).as_py())


def check_table_name(name: str) -> None:
    """Refuse a name for a table that does not say what it will be.

    Parameters
    ----------
    name : str
        The path, or ``-``.

    Examples
    --------
    >>> check_table_name("out.xlsx")
    Traceback (most recent call last):
    boxdraw.cli.errors.UsageError: cannot write a table to out.xlsx: the name must end in .csv or .parquet
    """
    if name != "-" and not name.lower().endswith((".csv", ".parquet")):
        raise UsageError(f"cannot write a table to {name}: the name must end in .csv or .parquet")


def write_table(table: Any, output: Output, delimiter: str = ",") -> None:
    r"""Write a table in the format that the name of the file says; to standard output as CSV.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    output : Output
        Where to.
    delimiter : str
        What goes between the fields of a CSV.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(read_table(Source("", b"a,b\n1,\n2,x\n")), Output(f"{folder}/out.csv"))
    ...     Path(folder, "out.csv").read_text()
    'a,b\n1,\n2,x\n'
    """
    write_tables(table.schema, [table], output, delimiter)


def write_tables(schema: Any, tables: Iterable[Any], output: Output, delimiter: str = ",") -> None:
    r"""Write a table that comes in pieces.

    Parameters
    ----------
    schema : pyarrow.Schema
        The names and types of its columns.
    tables : iterable of pyarrow.Table
        The rows.
    output : Output
        Where to.
    delimiter : str
        What goes between the fields of a CSV.

    Examples
    --------
    >>> import tempfile
    >>> pieces = [read_table(Source("", text)) for text in (b"a\n1\n", b"a\n2\n")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tables(pieces[0].schema, pieces, Output(f"{folder}/out.csv"))
    ...     Path(folder, "out.csv").read_text().split()
    ['a', '1', '2']
    """
    if output.name.lower().endswith(".parquet"):
        with output.open() as file, extra("pyarrow.parquet").ParquetWriter(file, schema) as writer:
            for table in tables:
                writer.write_table(table)
        return
    types = extra("pyarrow").types
    for field in schema:
        if types.is_nested(field.type) or types.is_binary(field.type) or types.is_large_binary(field.type):
            raise Failure(f"column {field.name} holds {field.type}, which CSV has no form for; write a .parquet file")
    with output.open() as file:
        file.write(_lines([schema.names], delimiter))
        for table in tables:
            for batch in table.to_batches(max_chunksize=10_000):
                rows = zip(*(_fields(column) for column in batch.columns), strict=True)
                file.write(_lines(rows, delimiter))


def _lines(rows: Iterable[Sequence[Any]], delimiter: str) -> bytes:
    """Write rows as lines of CSV."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def _fields(column: Any) -> list[Any]:
    """Return values as the CSV writer takes them; true and false as the reader has them."""
    if extra("pyarrow").types.is_boolean(column.type):
        return [None if value is None else str(value).lower() for value in column.to_pylist()]
    values: list[Any] = column.to_pylist()
    return values
