"""Rows of any table as the columns that boxes look at: numbers with NaN, or places in a list of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxdraw.model.rule import Category, is_missing

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

Columns = dict[int, npt.NDArray[Any]]

#: Places of what is in no list of categories.
UNSEEN, MISSING = -1, -2


def read_columns(X: Any, boxes: BoxSet, features: Sequence[int] | None = None) -> tuple[int, Columns]:
    """Return the number of rows of X and the columns of some features, by default of those that any box limits.

    The columns of a frame are found by name. Columns of numbers come with NaN for missing values, those of categories
    as places in ``boxes.categories``.
    """
    wanted = np.flatnonzero(boxes.limited.any(axis=0)).tolist() if features is None else features
    # On the type, because pandas offers the user's own columns as attributes.
    labels = getattr(X, "column_names" if hasattr(type(X), "column_names") else "columns", None)
    if labels is not None:
        names = _frame_labels(list(labels), boxes)
        return len(X), {
            j: _column(decoded(X[names[j]]), f"column {names[j]!r} of X", boxes.categories[j]) for j in wanted
        }
    table = _table(X, any(known is not None for known in boxes.categories))
    if table.ndim != 2:
        raise ValueError(f"X must be (n_samples, n_features), got {table.shape}: write one row as [[...]]")
    _check_count(table.shape[1], boxes)
    return len(table), {j: _column(table[:, j], "X", boxes.categories[j]) for j in wanted}


def _table(X: Any, categories: bool) -> npt.NDArray[Any]:
    """Make an array of rows; of objects if there are categories among them, so that each keeps its type."""
    if categories and not isinstance(X, np.ndarray):
        return np.array(X, dtype=object)
    return np.asarray(X) if categories else numeric(X, "X")


def _column(column: Any, what: str, categories: tuple[Category, ...] | None) -> npt.NDArray[Any]:
    if categories is not None:
        return places_of(column, categories)
    if hasattr(column, "iloc") and not isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        # The missing value of pandas' own types is not a number, and has to be made one.
        column = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numeric(column, what)


def decoded(column: Any) -> Any:
    """Take the dictionary out of an Arrow column, which would lose its missing values on the way to an array."""
    kind: Any = getattr(column, "type", None)
    return column.cast(kind.value_type) if hasattr(kind, "index_type") else column


def numeric(values: Any, what: str) -> npt.NDArray[Any]:
    """Make an array of numbers of any type; raise for text even where NumPy would parse it."""
    array = np.asarray(values)
    if array.dtype.kind == "O" and not any(isinstance(value, str | bytes) for value in array.flat):
        with suppress(TypeError, ValueError, OverflowError):
            array = np.array(list(map(_as_float, array.flat)), np.float64).reshape(array.shape)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} must hold numbers only, got {type(values).__name__} of dtype {array.dtype}")
    return array


def _as_float(value: Any) -> Any:
    """Return what NumPy can make a float64 of: a whole number of more than 308 digits is beyond all of them."""
    if not isinstance(value, int):
        return np.nan if is_missing(value) else value
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def places_of(column: Any, categories: tuple[Category, ...]) -> npt.NDArray[np.intp]:
    """Return the place of each value among the categories, or `UNSEEN`, or `MISSING`."""
    place = {category: k for k, category in enumerate(categories)}
    if hasattr(column, "cat") and hasattr(column.cat, "codes"):  # of pandas: a lookup per category, not per row
        table = np.array([_place(value, place) for value in column.cat.categories] + [MISSING], dtype=np.intp)
        return table[np.asarray(column.cat.codes)]
    if hasattr(column, "unify_dictionaries") and not column.type.num_fields:  # of pyarrow, and not nested
        return np.concatenate([np.empty(0, np.intp), *(_chunk_places(chunk, place) for chunk in column.chunks)])
    values = _objects(column)
    if values.dtype.kind == "O":
        return np.array([_place(value, place) for value in values], dtype=np.intp)
    distinct, index = np.unique(values, return_inverse=True)
    return np.array([_place(value, place) for value in distinct.tolist()], dtype=np.intp)[index.reshape(-1)]


def _chunk_places(chunk: Any, place: dict[Category, int]) -> npt.NDArray[np.intp]:
    """Return the place of each value of an Arrow array, with a lookup per different one."""
    coded = chunk if hasattr(chunk, "dictionary") else chunk.dictionary_encode()
    known = [UNSEEN] * len(coded.dictionary)
    if not _is_moment(coded.dictionary.type):  # which is no category, and may be none that Python has
        known = [_place(value, place) for value in coded.dictionary.to_pylist()]
    codes = coded.indices.cast("int64").fill_null(len(known)).to_numpy(zero_copy_only=False)
    return np.array([*known, MISSING], dtype=np.intp)[codes]


def _is_moment(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_temporal(kind))


def _objects(column: Any) -> npt.NDArray[Any]:
    """Make an array of a column; of objects where another type would lose missing whole numbers or NULs of texts."""
    values = np.asarray(column)
    if isinstance(column, np.ndarray) or values.dtype.kind not in "fOU":
        return values
    listed = getattr(column, "to_pylist", None) or getattr(column, "to_list", None)
    return values if listed is None else np.array([*listed(), None], dtype=object)[:-1]


def _place(value: Any, place: dict[Category, int]) -> int:
    if is_missing(value):
        return MISSING
    try:
        return place.get(value, UNSEEN)
    except TypeError:  # not hashable, so no category
        return UNSEEN


def _check_count(n_features: int, boxes: BoxSet) -> None:
    if n_features != boxes.n_features:
        raise ValueError(f"X has {n_features} features, but this BoxSet has {boxes.n_features}")


def _frame_labels(labels: list[Any], boxes: BoxSet) -> Sequence[Any]:
    names, present = boxes.feature_names, Counter(labels)
    if names == default_names(len(names)) and present.keys().isdisjoint(names):
        _check_count(len(labels), boxes)
        names = tuple(labels)
    missing, repeated = [n for n in names if n not in present], [n for n in names if present[n] > 1]
    if missing or repeated:
        problem = f"lacks the columns {missing}" if missing else f"has several columns named {repeated}"
        raise ValueError(f"X {problem}: each feature of the boxes must be one column")
    return names


def default_names(n_features: int) -> tuple[str, ...]:
    """Return x0, x1, ..."""
    return tuple(f"x{j}" for j in range(n_features))
