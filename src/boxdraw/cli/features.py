"""The columns that boxes are drawn on, in forms that estimators and boxes take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from boxdraw.cli.errors import Failure, extra, no_such_column
from boxdraw.cli.show import note
from boxdraw.cli.tables import Source, read_table
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import printable
from boxdraw.model.rows import default_names

__all__ = ["feature_rows", "learning_features"]

Values = Callable[[], Iterable[Any]]


def learning_features(table: Any, names: Sequence[str], categorical: Sequence[str], source: str, quiet: bool) -> Any:
    """Return the features in forms that estimators take; columns without any value are left out.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    names : sequence of str
        The features.
    categorical : sequence of str
        Those of them whose numbers are names of categories.
    source : str
        The file, as messages name it.
    quiet : bool
        Whether to say nothing of columns that are left out.

    Returns
    -------
    pyarrow.Table
        The features alone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, None], "zip": [7, 8], "empty": [None, None]})
    >>> learning_features(table, table.column_names, ["zip"], "data.csv", quiet=True).to_pydict()
    {'age': [30, None], 'zip': ['7', '8']}
    """
    chosen = {}
    for name in names:
        column = table[name]
        if not has_values(column):
            note(no_values(name, source), quiet)
            continue
        chosen[name] = learning_column(column, name, name in categorical, source)
        if has_infinite(chosen[name]):
            raise infinite(name, source)
    if not chosen:
        raise nothing_to_learn(source)
    return extra("pyarrow").table(chosen)


def has_values(column: Any) -> bool:
    """Say whether any value of a column is not missing."""
    return not extra("pyarrow.compute").all(column.is_null(nan_is_null=True)).as_py()


def no_values(name: str, source: str) -> str:
    """Say that a column is left out."""
    return f'column "{printable(name)}" of {source} has no values and is left out'


def nothing_to_learn(source: str) -> Failure:
    """Say that all columns are left out."""
    return Failure(f"no column of {source} beside the target has any values")


def has_infinite(column: Any) -> bool:
    """Say whether any number of a column is infinite."""
    compute = extra("pyarrow.compute")
    return bool(extra("pyarrow").types.is_floating(column.type) and compute.any(compute.is_inf(column)).as_py())


def infinite(name: str, source: str) -> Failure:
    """Say that a column can't be learned from."""
    return Failure(
        f'column "{printable(name)}" of {source} holds infinite values, which boxes do not learn from: write a '
        "large number instead, or leave the field empty"
    )


def learning_column(column: Any, name: str, categorical: bool, source: str) -> Any:
    """Return a feature in a form that estimators take; refuse what boxes can't be drawn on."""
    return _checked(_as_text(column, name) if categorical else column, name, source)


def _as_text(column: Any, name: str) -> Any:
    """Turn whole numbers into categories; those with gaps come as floats from other programs."""
    pa, compute = extra("pyarrow"), extra("pyarrow.compute")
    if pa.types.is_floating(column.type):
        known = compute.if_else(compute.is_nan(column), pa.scalar(None, column.type), column)
        try:
            column = known.cast(pa.int64())
        except pa.ArrowInvalid:
            raise Failure(f'column "{printable(name)}" has fractions, so its numbers are no categories') from None
    return column.cast(pa.string()) if pa.types.is_integer(column.type) else column


def _checked(column: Any, name: str, source: str) -> Any:
    pa = extra("pyarrow")
    kind, types = column.type, pa.types
    if is_text(column) or types.is_boolean(kind) or types.is_integer(kind):
        return column
    if types.is_decimal(kind) or types.is_floating(kind):
        return column.cast(pa.float64())
    what = "dates or times" if types.is_temporal(kind) else f"values of the type {kind}"
    raise Failure(
        f'column "{printable(name)}" of {source} holds {what}, which boxes do not take: leave it out with --drop, or '
        "turn it into numbers, for example days since a fixed date"
    )


def feature_rows(source: Source, boxes: BoxSet) -> Any:
    r"""Read the rows that boxes are to be applied to.

    Parameters
    ----------
    source : Source
        The bytes of the table.
    boxes : BoxSet
        The boxes.

    Returns
    -------
    pyarrow.Table
        All columns; those of the boxes in the form that the boxes need.

    Examples
    --------
    >>> inf = float("inf")
    >>> boxes = BoxSet([[1, -inf]], [[2, inf]], feature_names=["age", "zip"], allowed={"zip": [{"007"}]})
    >>> feature_rows(Source("new.csv", b"zip,age\n007,1\n"), boxes).to_pydict()
    {'zip': ['007'], 'age': [1]}
    """
    table = read_table(source, as_text=text_features(boxes))
    return table if by_place(table.column_names, boxes) else as_trained(table, boxes, source.name)


def text_features(boxes: BoxSet) -> list[str]:
    """Return the features whose categories are texts, even those that look like numbers."""
    return [name for name, known in zip(boxes.feature_names, boxes.categories, strict=True) if _are_texts(known)]


def by_place(columns: Sequence[str], boxes: BoxSet) -> bool:
    """Say whether boxes have no names: they go by position, and say themselves what does not fit."""
    return boxes.feature_names == default_names(boxes.n_features) and not set(columns) & set(boxes.feature_names)


def as_trained(table: Any, boxes: BoxSet, source: str, values: Callable[[str], Iterable[Any]] | None = None) -> Any:
    """Return rows with the columns of the boxes in the form that the boxes need.

    ``values`` gives all values of a column, where the table has not all rows, to show one that is wrong.
    """
    columns = table.column_names
    for name, known in zip(boxes.feature_names, boxes.categories, strict=True):
        if name not in columns:
            raise no_such_column(name, columns, source)
        shown = table[name].to_pylist if values is None else partial(values, name)
        table = table.set_column(columns.index(name), name, _as_trained(table[name], name, known, source, shown))
    return table


def _are_texts(known: Sequence[Any] | None) -> bool:
    return known is not None and all(isinstance(value, str) for value in known)


def _as_trained(column: Any, name: str, known: Sequence[Any] | None, source: str, values: Values) -> Any:
    """Return a column in the form that boxes compare; refuse one that could never be inside."""
    pa = extra("pyarrow")
    if pa.types.is_null(column.type):
        return column.cast(pa.string() if _are_texts(known) else pa.float64())
    if known is None or not any(isinstance(value, str) for value in known):
        return _numbers(column, name, "true or false" if known and _are_bools(known) else "numbers", source, values)
    if is_text(column) or (not _are_texts(known) and _can_be_category(column)):
        return column
    if not _are_texts(known):
        raise Failure(
            f'column "{printable(name)}" of {source} must hold text or numbers, as in training; it holds {column.type}'
        )
    if all(re.fullmatch(r"0|-?[1-9]\d*", value) for value in known):  # numbers that were made categories
        return _as_text(column, name)
    raise Failure(f'column "{printable(name)}" of {source} must hold text, as in training; it holds {column.type}')


def _can_be_category(column: Any) -> bool:
    kind, types = column.type, extra("pyarrow").types
    return any(test(kind) for test in (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal))


def is_text(column: Any) -> bool:
    """Say whether a column holds text."""
    types = extra("pyarrow").types
    return bool(types.is_string(column.type) or types.is_large_string(column.type))


def _numbers(column: Any, name: str, what: str, source: str, values: Values) -> Any:
    pa = extra("pyarrow")
    kind, types = column.type, pa.types
    if types.is_boolean(kind) or types.is_integer(kind):
        return column
    if types.is_floating(kind) or types.is_decimal(kind):
        return column.cast(pa.float64())
    raise Failure(
        f'column "{printable(name)}" of {source} must hold {what}, as in training; {_example(column, values)}'
    )


def _are_bools(known: Sequence[Any]) -> bool:
    return all(isinstance(value, bool) for value in known)


def _example(column: Any, values: Values) -> str:
    """Show the first value that is not a number."""
    if not is_text(column):
        return f"it holds {column.type}"
    for row, value in enumerate(values(), start=1):
        if value is not None:
            try:
                float(value)
            except ValueError:
                return f'row {row} below the names has "{printable(value)}"'
    return "it holds text"
