"""What a column holds by its type, the same for frames, Arrow schemas and files: numbers, categories, or neither."""

from __future__ import annotations

from enum import Enum
from typing import Any

import narwhals as nw


class Kind(Enum):
    """What is in a column: numbers, categories (flags or texts), or what boxes do not take (dates, other)."""

    NUMBERS = 1
    FLAGS = 2
    TEXTS = 3
    DATES = 4
    OTHER = 5
    OPEN = 6  # only the values tell


def column_kind(dtype: Any) -> Kind:
    """Return what columns of a type hold, be it a type of narwhals or one of Arrow."""
    return _kind_in_frame(dtype) if isinstance(dtype, nw.dtypes.DType) else _kind_in_arrow(value_type(dtype))


def _kind_in_frame(dtype: Any) -> Kind:
    if dtype in (nw.Object, nw.Categorical, nw.Enum, nw.Unknown):
        return Kind.OPEN
    if dtype.is_numeric():
        return Kind.NUMBERS
    if dtype.is_temporal():
        return Kind.DATES
    if dtype == nw.Boolean:
        return Kind.FLAGS
    return Kind.TEXTS if dtype == nw.String else Kind.OTHER


def _kind_in_arrow(dtype: Any) -> Kind:
    from pyarrow import types

    if any(test(dtype) for test in (types.is_integer, types.is_floating, types.is_decimal, types.is_null)):
        return Kind.NUMBERS
    if types.is_temporal(dtype):
        return Kind.DATES
    by_name = {"bool": Kind.FLAGS, "string": Kind.TEXTS, "large_string": Kind.TEXTS, "string_view": Kind.TEXTS}
    return by_name.get(str(dtype), Kind.OTHER)  # by name, since Arrow 15 has no test for views


def value_type(dtype: Any) -> Any:
    """Return the Arrow type of the values themselves where they are in a dictionary or in runs."""
    return dtype.value_type if hasattr(dtype, "index_type") or hasattr(dtype, "run_end_type") else dtype


def check_kind(dtype: Any, column: str) -> Kind:
    """Return what a column holds by its type; raise if boxes can't be drawn on it."""
    kind = column_kind(dtype)
    if kind is Kind.DATES:
        raise dates_error(value_type(dtype), column)
    if kind is Kind.OTHER:
        raise ValueError(f"{column} holds {value_type(dtype)}; boxes need a number or a category in each cell.")
    return kind


def dates_error(dtype: Any, column: str) -> ValueError:
    """Return what to raise for a column of dates, and say what to do with it."""
    advice = "Convert them to numbers first, for example to days since a fixed date."
    return ValueError(f"{column} holds dates or times ({dtype}). {advice}")


def category_error(error: TypeError, column: str) -> TypeError:
    """Return what to raise for a column with a value that can't be a category."""
    return TypeError(
        f"{column} can't be a feature: argument must be a string or a real number; {error}. "
        "Turn the column into text or numbers first, for example with astype(str)."
    )
