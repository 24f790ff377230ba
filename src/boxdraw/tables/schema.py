"""The user's tables: which columns are numbers and which categories, labels in, frames out."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import assert_all_finite, check_consistent_length, validate_data

from boxdraw._core.arrays import Matrix
from boxdraw._core.warn import warn
from boxdraw.model.boxes import BoxSet
from boxdraw.model.membership import is_large_matrix
from boxdraw.model.rows import UNSEEN, decoded, numeric, read_columns
from boxdraw.model.rule import Category, is_missing, unique_categories
from boxdraw.tables.encoding import Encoding, in_order, is_finite, quiet_sums
from boxdraw.tables.errors import check_names
from boxdraw.tables.few import read_few
from boxdraw.tables.kinds import Kind, category_error, check_kind, column_kind, dates_error
from boxdraw.tables.labels import read_labels
from boxdraw.tables.suspects import is_rounded, warn_of_identifiers, warn_of_rounding

_NAMED = 5  # categories in a warning
_WITH_NAN: dict[str, Any] = {"ensure_all_finite": "allow-nan"}


def read_training(
    estimator: Any,
    X: Any,
    y: Any,
    categorical_features: Any = None,
    learns: bool = True,
    all_finite: Callable[[Matrix], bool] = is_finite,
) -> tuple[Matrix, npt.NDArray[Any], Encoding]:
    """Check a training table, as scikit-learn does; return the learners' matrix, the labels and the encoding.

    Columns that look like identifiers give a warning if something ``learns`` from them. ``all_finite`` looks at a
    matrix of numbers, for callers that want to see more of it on the way.
    """
    check_table(X)
    name = getattr(y, "name", None)
    estimator._target = name if isinstance(name, str) else None
    y = None if y is None else read_labels(y)
    if learns:
        warn_of_rounding(_rounded_columns(X, categorical_features))
    if categorical_features is None and not has_categories(X):
        X, y = _validated(estimator, X, y, ensure_all_finite=False)
        complete = all_finite(X)
        if not complete:
            with quiet_sums():
                assert_all_finite(X, allow_nan=True, estimator_name=type(estimator).__name__, input_name="X")
        encoding = Encoding.of_numbers(getattr(estimator, "feature_names_in_", None), X, complete)
        return X if complete else encoding.encode(X), y, encoding
    table = as_table(X)
    validate_data(estimator, table, skip_check_array=True)
    check_consistent_length(table, y)
    if not len(y):
        raise ValueError("X has 0 rows, while a minimum of 1 is required.")
    encoding = find_encoding(table, getattr(estimator, "feature_names_in_", None), categorical_features, learns)
    return encoding.encode(table), y, encoding


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """Rows that have been checked, for several methods of an estimator: each would check them again."""

    table: Any  # that the boxes can read

    def __len__(self) -> int:
        return len(self.table)


def checked_rows(estimator: Any, X: Any, boxes: BoxSet) -> CheckedRows:
    """Check an Arrow table of the features in the order of fit, whose names mean nothing if there were none in fit."""
    if hasattr(estimator, "feature_names_in_") or "n_features_in_" not in vars(estimator):
        return CheckedRows(estimator._validated(X))
    check_table(X)
    if all(values is None for values in boxes.categories) and not has_categories(X):
        return CheckedRows(_validated(estimator, nw.from_native(X).to_numpy(), reset=False, **_WITH_NAN))
    warn_of_unseen(X, boxes)
    return CheckedRows(X)


def read_rows(estimator: Any, X: Any, boxes: BoxSet, leave: bool = False) -> Any:
    """Check rows against what fit saw; return a table that the boxes can read.

    The columns of a frame may come in another order. Categories that the boxes do not know give a warning.
    To look for infinite values in a large matrix may be what is to ``leave`` to who reads it next.
    """
    if isinstance(X, CheckedRows):
        return X.table
    names = getattr(estimator, "feature_names_in_", None)
    few = None if names is None else read_few(X, names.tolist(), boxes)
    if few is not None:
        return few
    check_table(X)
    X = _in_order(X, names)
    if all(values is None for values in boxes.categories) and not has_categories(X):
        X = _validated(estimator, X, reset=False, ensure_all_finite=False)
        if not (leave and is_large_matrix(X, boxes)):
            with quiet_sums():
                assert_all_finite(X, allow_nan=True, estimator_name=type(estimator).__name__, input_name="X")
        return X
    table = as_table(X)
    validate_data(estimator, table, reset=False, skip_check_array=True)
    warn_of_unseen(table, boxes)
    return table


def _validated(estimator: Any, *data: Any, **options: Any) -> Any:
    """Check numbers as scikit-learn does."""
    try:
        with quiet_sums():
            return validate_data(estimator, *data, dtype=[np.float64, np.float32], **options)
    except TypeError as error:
        raise TypeError(f"X must hold numbers or categories: {error}") from None
    except OverflowError:  # of a whole number with more than 308 digits
        raise ValueError("Input X has a whole number too large for dtype('float64').") from None
    except ValueError as error:
        if "setting an array element" not in str(error):
            raise
        raise ValueError(f"X must have a number or a category in each cell, and rows of one length: {error}") from None


def as_table(X: Any) -> Any:
    """Return frames as they are, and everything else as an array of objects with two axes."""
    if is_frame(X):
        return X
    array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead: X must be (n_samples, n_features).")
    return array


def is_frame(X: Any) -> bool:
    """Return True if X is a frame of pandas, polars or pyarrow."""
    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)


def _in_order(X: Any, names: Any) -> Any:
    """Return the columns of a frame in the order of fit, if they are the same ones."""
    if names is None or not is_frame(X):
        return X
    table = nw.from_native(X)
    if table.columns == list(names) or set(table.columns) != set(names):
        return X
    return table.select(*names).to_native()


def has_categories(X: Any) -> bool:
    """Return True if any column holds something else than numbers."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "SU" or (X.dtype.kind == "O" and any(isinstance(value, str) for value in X.flat))
    if isinstance(X, list | tuple):
        return any(isinstance(value, str) for row in X if isinstance(row, list | tuple) for value in row)
    table = nw.from_native(X, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return False
    return any(not _is_numeric(table.get_column(name), dtype) for name, dtype in table.schema.items())


def _is_numeric(column: Any, dtype: Any) -> bool:
    return column_kind(dtype) is Kind.NUMBERS or (dtype == nw.Object and _are_numbers(column))


def _has_dates(column: Any) -> bool:
    dates = datetime.date | datetime.time | datetime.timedelta
    return any(isinstance(value, dates) for value in column.to_numpy().tolist())


def _are_numbers(column: Any) -> bool:
    try:
        values = numeric(column.to_numpy(), "")
    except (TypeError, ValueError):
        return False
    return values.dtype.kind != "b"


def _rounded_columns(X: Any, categorical_features: Any) -> list[str]:
    """Return labels of the columns of whole numbers that change when they become float64."""
    names, columns = _suspect_columns(X)
    rounded = [j for j, column in columns.items() if is_rounded(column)]
    if rounded:
        rounded = sorted(set(rounded) - forced_places(categorical_features, names, X.shape[1]))
    return [f"column {j if names is None else names[j]!r}" for j in rounded]


def _suspect_columns(X: Any) -> tuple[list[str] | None, dict[int, npt.NDArray[Any]]]:
    """Return the names of the columns, if they have any, and by their places those whose numbers may be rounded."""
    if isinstance(X, np.ndarray):
        # All at once first: column by column, rows that lie one after the other are read over and over.
        some = X.ndim == 2 and is_rounded(X)
        return None, {j: X[:, j] for j in range(X.shape[1])} if some else {}
    table = nw.from_native(X, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return None, {}
    whole_kinds = [(j, name) for j, (name, kind) in enumerate(table.schema.items()) if kind in (nw.Int64, nw.UInt64)]
    return table.columns, {j: table.get_column(name).drop_nulls().to_numpy() for j, name in whole_kinds}


def find_encoding(X: Any, names: Any, categorical_features: Any, learns: bool = True) -> Encoding:
    """Find out what the columns of a training table hold."""
    if isinstance(X, np.ndarray):
        columns = [np.asarray(X[:, j]) for j in range(X.shape[1])]
    else:
        frame = nw.from_native(X)
        columns = [_array_of(frame.get_column(name)) for name in frame.columns]
    labels = [f"column {j}" for j in range(len(columns))] if names is None else [f"column {name!r}" for name in names]
    forced = forced_places(categorical_features, names, len(columns))
    categories: list[tuple[Category, ...] | None] = []
    missing: list[bool] = []
    for j, column in enumerate(columns):
        numbers = None if j in forced else _as_numbers(column)
        absent = [is_missing(value) for value in column.tolist()] if numbers is None else np.isnan(numbers)
        if numbers is not None and (infinite := np.isinf(numbers)).any():
            is_whole = all(isinstance(value, int) for value in column[infinite].tolist())
            what = "has a whole number" if is_whole else "contains infinity or a value"
            raise ValueError(f"Input X {what} too large for dtype('float64') in {labels[j]}.")
        missing.append(bool(np.any(absent)))
        found = _categories_of(column, absent, labels[j]) if numbers is None else None
        categories.append(found)
        if learns and found is not None:
            warn_of_identifiers(labels[j], found, len(column) - int(np.sum(absent)))
    return Encoding(None if names is None else tuple(map(str, names)), tuple(categories), tuple(missing))


def _array_of(column: Any) -> npt.NDArray[Any]:
    native = column.to_native()
    arrow = decoded(native)
    array = np.asarray(column.to_numpy() if arrow is native else arrow.to_numpy())
    # An array of texts of one length has lost the NULs at their ends.
    return array if array.dtype.kind != "U" else np.array([*column.to_list(), None], dtype=object)[:-1]


def _as_numbers(column: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Return a column of numbers as such; None if it is one of categories, as text and true and false are."""
    values = column.tolist() if column.dtype.kind == "O" else ()
    if column.dtype.kind == "b" or any(isinstance(value, bool | np.bool_) for value in values):
        return None
    try:
        return numeric(column, "").astype(np.float64)
    except (TypeError, ValueError):
        return None


def _categories_of(column: npt.NDArray[Any], absent: Any, label: str) -> tuple[Category, ...]:
    if column.dtype.kind == "b":  # without a look at each row
        return (False, True)
    values = [value for value, gone in zip(column.tolist(), absent, strict=True) if not gone]
    try:
        return in_order(unique_categories(values))
    except TypeError as error:
        raise category_error(error, f"{label} of X") from None


def forced_places(categorical_features: Any, names: Any, n_features: int) -> set[int]:
    """Return the places of the columns that the user calls categories, by name or by place."""
    if categorical_features is None:
        return set()
    if isinstance(categorical_features, str) or not isinstance(categorical_features, Iterable):
        kind = "the text " if isinstance(categorical_features, str) else ""
        raise TypeError(f"categorical_features must be a list of columns; got {kind}{categorical_features!r}.")
    known = [] if names is None else list(names)
    forced = set()
    for feature in categorical_features:
        if isinstance(feature, str) and feature in known:
            forced.add(known.index(feature))
        elif not isinstance(feature, str | bool) and 0 <= feature < n_features:
            forced.add(int(feature))
        else:
            columns = known or f"0 to {n_features - 1}"
            raise ValueError(f"categorical_features names {feature!r}, which is not a feature: {columns}.")
    return forced


def warn_of_unseen(X: Any, boxes: BoxSet) -> None:
    """Name the categories that the boxes do not know."""
    warn_of(unseen_categories(X, boxes))


def unseen_categories(X: Any, boxes: BoxSet) -> dict[str, list[str]]:
    """Return the categories that the boxes do not know as texts, by feature, in the order of the rows."""
    limited = np.flatnonzero(boxes.limited.any(axis=0)).tolist()  # of other columns no category matters
    categorical = [j for j in limited if boxes.categories[j] is not None]
    if not categorical:
        return {}
    new = {}
    for j, places in read_columns(X, boxes, categorical)[1].items():
        if (rows := np.flatnonzero(places == UNSEEN)).size:
            name = boxes.feature_names[j]
            column = X[:, j] if isinstance(X, np.ndarray) else _frame_column(nw.from_native(X), name, j)
            new[name] = list(dict.fromkeys(map(repr, np.asarray(column)[rows].tolist())))
    return new


def merged_unseen(first: dict[str, list[str]], second: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the unseen categories of both, of each feature as many as a warning needs."""
    merged = dict(first)
    for name, values in second.items():
        merged[name] = list(dict.fromkeys([*merged.get(name, []), *values]))[: _NAMED + 1]
    return merged


def warn_of(unseen: dict[str, list[str]]) -> None:
    """Name categories that were not seen in training, if there are any."""
    if unseen:
        new = [
            f"{name!r}: {', '.join(found[:_NAMED])}{', ...' if len(found) > _NAMED else ''}"
            for name, found in unseen.items()
        ]
        warn(
            f"Categories that were not seen in training are outside every box that limits them. {'; '.join(new)}.",
        )


def _frame_column(table: Any, name: str, j: int) -> Any:
    """Return a column by its name, or by its place where the columns have no names of text."""
    return table.get_column(name if name in table.columns else table.columns[j]).to_numpy()


def check_table(X: Any) -> None:
    """Reject a table with columns that are neither numbers nor categories, and name them.

    What is not a frame is left to scikit-learn's checks, but for arrays of dates, which it would take for numbers.
    """
    if isinstance(X, np.ndarray | list | tuple):
        if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
            raise dates_error(X.dtype, "X")
        return
    names = [*getattr(X, "columns", ())] if hasattr(X, "iloc") else list(getattr(X, "column_names", ()))
    check_names(names, "X")
    table = nw.from_native(X, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        raise TypeError("X is a lazy frame, which holds no rows yet; pass X.collect().")
    if not isinstance(table, nw.DataFrame):
        return
    # narwhals does not know all types of Arrow.
    is_arrow = hasattr(type(X), "column_names")
    types = dict(zip(X.schema.names, X.schema.types, strict=True)) if is_arrow else table.schema
    for name, dtype in types.items():
        kind = check_kind(dtype, f"Column {name!r} of X")
        if kind is Kind.OPEN and dtype == nw.Object and _has_dates(table.get_column(name)):
            raise dates_error(dtype, f"Column {name!r} of X")
