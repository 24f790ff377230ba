"""What the columns of a stored table mean to the learner: numbers, categories, missing values, labels, weights.

Tables come as Arrow record batches, whatever they are stored in. The functions here see one batch; they can be sent to
other processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix
from boxdraw.model.rule import Category, is_missing
from boxdraw.tables import suspects
from boxdraw.tables.chunks import Chunk
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.errors import check_names
from boxdraw.tables.order import Order
from boxdraw.tables.schema import DATES, forced_places


@dataclass(frozen=True, slots=True)
class LearningColumns:
    """The names of the columns to learn from, which of them hold categories, and those of labels and weights."""

    features: tuple[str, ...]
    categorical: tuple[bool, ...]
    target: str
    weight: str | None

    @property
    def needed(self) -> list[str]:
        """All columns that have to be read."""
        return [*self.features, *self.labelling]

    @property
    def labelling(self) -> list[str]:
        """The columns of labels and weights."""
        return [self.target] if self.weight is None else [self.target, self.weight]

    def weights(self, batch: Any) -> FloatArray | None:
        """Return the weights of a batch of rows after checking them."""
        if self.weight is None:
            return None
        values = numbers(batch.column(self.weight)).astype(np.float64)
        if not (np.isfinite(values) & (values >= 0)).all():
            bad = values[~(np.isfinite(values) & (values >= 0))][0]
            raise ValueError(f"The weights in column {self.weight!r} must be finite and at least 0; got {bad}.")
        return values

    def is_label(self, batch: Any, label: Any) -> BoolArray:
        """Say which rows of a batch have a label."""
        values, place = distinct(batch.column(self.target))
        return np.array([value == label for value in values], dtype=np.bool_)[place]

    def matrix(self, batch: Any, encoding: Encoding, order: Order) -> Matrix:
        """Return the learner's matrix of a batch, with places for codes; its columns are contiguous."""
        columns: list[npt.NDArray[Any]] = []
        for name, values, had_missing in zip(self.features, encoding.categories, encoding.missing, strict=True):
            column = batch.column(name)
            if values is None:
                columns.append(numbers(column))
                if had_missing:
                    columns.append(np.isnan(columns[-1]).astype(columns[-1].dtype))
            else:
                columns.append(_places(column, values, had_missing, order.places[len(columns)]))
        dtype = np.result_type(np.float32, *{column.dtype for column in columns})
        X = np.empty((len(columns), len(batch)), dtype=np.float64 if dtype != np.float32 else dtype).T
        for j, column in enumerate(columns):
            X[:, j] = column
        return X

    def chunk(self, batch: Any, encoding: Encoding, order: Order, pos_label: Any) -> Chunk:
        """Return the rows of a batch that have some weight."""
        X, positive = self.matrix(batch, encoding, order), self.is_label(batch, pos_label)
        weight = self.weights(batch)
        if weight is None or weight.all():
            return Chunk(X, positive, weight)
        kept = weight > 0
        return Chunk(X[kept], positive[kept], weight[kept])


def find_columns(schema: Any, target: str, weight: str | None, features: Any, categorical: Any) -> LearningColumns:
    """Find out from the types of the columns what they hold."""
    names = list(schema.names)
    check_names(names, "The table")
    used = [name for name in names if name not in (target, weight)] if features is None else list(features)
    for name in [*used, target, *([] if weight is None else [weight])]:
        if name not in names:
            raise ValueError(f"The table has no column {name!r}; it has {', '.join(map(repr, names))}.")
    if not used:
        raise ValueError("The table has no column to learn from beside the target and the weight.")
    if target in used or weight in used:
        raise ValueError("The columns of the target and of the weight can't be features.")
    if weight is not None and not _holds_numbers(schema.field(weight)):
        raise ValueError(f"The weights in column {weight!r} must be numbers; got {schema.field(weight).type}.")
    forced = forced_places(categorical, used, len(used))
    kinds = tuple(j in forced or _holds_categories(schema.field(name)) for j, name in enumerate(used))
    return LearningColumns(tuple(used), kinds, target, weight)


def _kind_of(field: Any) -> Any:
    from pyarrow import types

    return field.type.value_type if types.is_dictionary(field.type) else field.type


def _holds_numbers(field: Any) -> bool:
    from pyarrow import types

    kind = _kind_of(field)
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
    return any(test(kind) for test in tests)


def _holds_categories(field: Any) -> bool:
    from pyarrow import types

    kind = _kind_of(field)
    if _holds_numbers(field):
        return False
    if types.is_boolean(kind) or types.is_string(kind) or types.is_large_string(kind):
        return True
    if types.is_temporal(kind):
        raise ValueError(f"Column {field.name!r} holds dates or times ({kind}). {DATES}")
    raise ValueError(f"Column {field.name!r} holds {kind}; boxes need a number or a category in each cell.")


def numbers(column: Any) -> npt.NDArray[np.floating[Any]]:
    """Return a column of numbers, NaN where they are missing."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_decimal(column.type) or types.is_null(column.type):
        column = column.cast("float64")
    values = column.to_numpy(zero_copy_only=False)
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def is_rounded(column: Any) -> bool:
    """Say whether a column has whole numbers that float64 does not have."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary
    return types.is_integer(column.type) and suspects.is_rounded(column.drop_null().to_numpy(zero_copy_only=False))


def distinct(column: Any) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Return the different values of a column, None for missing ones, and the place of each row's among them."""
    from pyarrow import types

    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = [None if is_missing(value) else value for value in column.dictionary.to_pylist()]
    place = column.indices.cast("int64").fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.intp)
    return [*values, None], place


def _places(
    column: Any, categories: tuple[Category, ...], had_missing: bool, places: FloatArray
) -> npt.NDArray[np.float64]:
    values, place = distinct(column)
    where: dict[Any, float] = dict(zip(categories, places.tolist(), strict=False))
    where[None] = float(places[-1]) if had_missing else np.inf
    return np.array([where.get(value, np.inf) for value in values])[place]
