"""Rows of a file in the form that trained boxes compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import is_number, printable
from boxdraw.model.rows import default_names
from boxdraw.tables.errors import TableError, check_columns
from boxdraw.tables.kinds import Kind, column_kind
from boxdraw.tables.source import TableFile

Values = Callable[[], Iterable[Any]]


def text_features(boxes: BoxSet) -> list[str]:
    """Return the features whose categories are texts, even those that look like numbers."""
    return [name for name, known in zip(boxes.feature_names, boxes.categories, strict=True) if _are_texts(known)]


def by_place(columns: Sequence[str], boxes: BoxSet) -> bool:
    """Return True if boxes have no names of their own, and so take the columns by position."""
    return boxes.feature_names == default_names(boxes.n_features) and not set(columns) & set(boxes.feature_names)


def needed_columns(file: TableFile, boxes: BoxSet) -> list[str]:
    """Return the columns of a file that the boxes look at."""
    return list(file.schema.names if by_place(file.schema.names, boxes) else boxes.feature_names)


def check_trained(file: TableFile, boxes: BoxSet) -> None:
    """Raise if columns of a file are not of the types that boxes need, and show a value that does not fit."""

    def values(name: str) -> Iterator[Any]:
        for table in file.tables([name]):
            yield from table[name].to_pylist()

    as_trained(file.schema.empty_table(), boxes, file, values)


def as_trained(table: Any, boxes: BoxSet, file: TableFile, values: Callable[[str], Iterable[Any]] | None = None) -> Any:
    """Return rows of a file with the columns of the boxes in the form that these need.

    ``values`` gives all values of a column, to show one that is wrong where the table has not all rows.
    """
    if by_place(file.schema.names, boxes):  # the boxes say themselves what does not fit
        return table
    check_columns(boxes.feature_names, table.column_names, file.name)
    for name, known in zip(boxes.feature_names, boxes.categories, strict=True):
        shown = table[name].to_pylist if values is None else partial(values, name)
        column = _as_trained(table[name], name, known, file.name, shown)
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _as_trained(column: Any, name: str, known: Sequence[Any] | None, source: str, values: Values) -> Any:
    """Return a column in the form that boxes compare; raise if no value of it could ever be inside."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return column.cast(pa.string() if _are_texts(known) else pa.float64())
    if known is None or not any(isinstance(value, str) for value in known):
        flags = known and all(isinstance(value, bool) for value in known)
        return _numbers(column, name, "true or false" if flags else "numbers", source, values)
    kind = column_kind(column.type)
    if kind is Kind.TEXTS or (not _are_texts(known) and kind in (Kind.NUMBERS, Kind.FLAGS)):
        return column
    if _are_texts(known) and all(re.fullmatch(r"0|-?[1-9]\d*", value) for value in known):
        return as_text(column, name)  # numbers that were made categories
    kinds = "text" if _are_texts(known) else "text or numbers"
    raise TableError(
        f'column "{printable(name)}" of {source} must hold {kinds}, as in training; it holds {column.type}'
    )


def _are_texts(known: Sequence[Any] | None) -> bool:
    return known is not None and all(isinstance(value, str) for value in known)


def as_text(column: Any, name: str) -> Any:
    """Turn whole numbers into categories; those with gaps come as floats from other programs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise TableError(f'column "{printable(name)}" has fractions, so its numbers are no categories') from None
    return column.cast(pa.string()) if pa.types.is_integer(column.type) else column


def as_float64(column: Any) -> Any:
    """Turn floats of any width and decimals into float64; the rest stays as it is."""
    import pyarrow as pa

    has_fractions = pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)
    return column.cast(pa.float64()) if has_fractions else column


def _numbers(column: Any, name: str, what: str, source: str, values: Values) -> Any:
    kind = column_kind(column.type)
    if kind in (Kind.NUMBERS, Kind.FLAGS):
        return as_float64(column)
    found = _example(values) if kind is Kind.TEXTS else f"it holds {column.type}"
    text = re.search(r' has "(.*)"$', found)
    advice = "" if text is None else "decimal" if re.fullmatch(r"[-+]?\d+,\d+", text[1]) else "missing"
    message = f'column "{printable(name)}" of {source} must hold {what}, as in training; {found}'
    raise TableError(message, advice, "" if text is None else text[1])


def _example(values: Values) -> str:
    """Show the first text that is not a number."""
    for row, value in enumerate(values(), start=1):
        if value is not None and not is_number(value):
            return f'row {row} below the names has "{printable(value)}"'
    return "it holds text"
