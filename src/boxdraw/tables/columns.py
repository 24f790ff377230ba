"""What the columns of a stored table mean to the learner: numbers, categories, missing values, labels, weights.

Tables come as Arrow record batches, whatever they are stored in. The functions here see one batch; they can be sent to
other processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix
from boxdraw.model.rule import Category, is_missing
from boxdraw.tables import suspects
from boxdraw.tables.chunks import Chunk
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.errors import TableError, check_names
from boxdraw.tables.kinds import Kind, check_kind, column_kind
from boxdraw.tables.order import Order
from boxdraw.tables.schema import forced_places


@dataclass(frozen=True, slots=True)
class LearningColumns:
    """The names of the columns to learn from, which of them hold categories, and those of labels and weights."""

    features: tuple[str, ...]
    categorical: tuple[bool, ...]
    target: str
    weight: str | None
    forced: frozenset[int] = frozenset()  # places of the features that the user calls categories

    @property
    def needed(self) -> list[str]:
        """All columns that have to be read."""
        return [*self.features, *self.labelling]

    @property
    def labelling(self) -> list[str]:
        """The columns of labels and weights."""
        return [self.target] if self.weight is None else [self.target, self.weight]

    def some(self, features: Sequence[int]) -> LearningColumns:
        """Return the columns of some features."""
        names, categorical = tuple(self.features[j] for j in features), tuple(self.categorical[j] for j in features)
        return replace(self, features=names, categorical=categorical, forced=frozenset())

    def weights(self, batch: Any) -> FloatArray | None:
        """Return the weights of a batch of rows after checking them."""
        return None if self.weight is None else row_weights(batch.column(self.weight), self.weight)

    def with_weight(self, rows: Any) -> tuple[Any, FloatArray | None]:
        """Return the rows of a batch that have some weight, and their weights: the others are as if not there."""
        weight = self.weights(rows)
        if weight is None or weight.all():
            return rows, weight
        kept = weight > 0
        return rows.filter(kept), weight[kept]

    def is_label(self, batch: Any, label: Any) -> BoolArray:
        """Return a mask of the rows of a batch with a label."""
        values, place = distinct(batch.column(self.target))
        return np.array([value == label for value in values], dtype=np.bool_)[place]

    def matrix(self, batch: Any, encoding: Encoding, order: Order) -> Matrix:
        """Return the learner's matrix of a batch; its columns are contiguous. Codes without an order stay codes."""
        columns: list[npt.NDArray[Any]] = []
        for name, values, had_missing in zip(self.features, encoding.categories, encoding.missing, strict=True):
            column = batch.column(name)
            if values is None:
                columns.append(numbers(column))
                if had_missing:
                    columns.append(np.isnan(columns[-1]).astype(columns[-1].dtype))
            else:
                codes = np.arange(len(values) + had_missing, dtype=np.float64)
                columns.append(_places(column, values, had_missing, order.places.get(len(columns), codes)))
        dtype = np.result_type(np.float32, *{column.dtype for column in columns})
        X = np.empty((len(columns), len(batch)), dtype=np.float64 if dtype != np.float32 else dtype).T
        for j, column in enumerate(columns):
            X[:, j] = column
        return X

    def chunk(self, batch: Any, encoding: Encoding, order: Order, pos_label: Any) -> Chunk:
        """Return the rows of a batch that have some weight."""
        batch, weight = self.with_weight(batch)
        return Chunk(self.matrix(batch, encoding, order), self.is_label(batch, pos_label), weight)


def find_columns(schema: Any, target: str, weight: str | None, features: Any, categorical: Any) -> LearningColumns:
    """Find out from the types of the columns what they hold."""
    names = list(schema.names)
    check_names(names, "The table")
    used = [name for name in names if name not in (target, weight)] if features is None else list(features)
    for name in [*used, target, *([] if weight is None else [weight])]:
        if name not in names:
            raise ValueError(f"The table has no column {name!r}; it has {', '.join(map(repr, names))}.")
    if not used:
        raise ValueError("The table has no column to learn from besides the target and the weight.")
    if target in used or weight in used:
        raise ValueError("The columns of the target and of the weight can't be features.")
    if weight is not None:
        check_weight_type(schema.field(weight).type, weight)
    forced = forced_places(categorical, used, len(used))
    kinds = [check_kind(schema.field(name).type, f"Column {name!r}") for name in used]
    are_categories = tuple(j in forced or kind is not Kind.NUMBERS for j, kind in enumerate(kinds))
    return LearningColumns(tuple(used), are_categories, target, weight, frozenset(forced))


def check_weight_type(kind: Any, name: str) -> None:
    """Raise if a column of weights does not hold numbers."""
    if column_kind(kind) is not Kind.NUMBERS:
        raise TableError(f"The weights in column {name!r} must be numbers, one in each row; got {kind}.")


def row_weights(column: Any, name: str) -> FloatArray:
    """Return the weights of rows; raise if some are missing, infinite or negative."""
    values = numbers(column).astype(np.float64)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        raise TableError(f"The weights in column {name!r} must be finite and at least 0; got {values[wrong][0]}.")
    return values


def labels_in(table: Any, name: str) -> npt.NDArray[Any]:
    """Return the labels in a column of a table."""
    labels = table.column(name).combine_chunks()
    labels = labels.dictionary_decode() if hasattr(labels, "dictionary_decode") else labels
    return np.asarray(labels.to_numpy(zero_copy_only=False))


def numbers(column: Any) -> npt.NDArray[np.floating[Any]]:
    """Return a column of numbers, NaN where they are missing."""
    from pyarrow import types

    column = _values(column)
    if types.is_decimal(column.type) or types.is_null(column.type):
        column = column.cast("float64")
    values = column.to_numpy(zero_copy_only=False)
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def _values(column: Any) -> Any:
    """Take a column out of its dictionary or its runs."""
    import pyarrow.compute as pc

    if hasattr(column, "dictionary"):
        return column.dictionary_decode()
    return pc.run_end_decode(column) if hasattr(column.type, "run_end_type") else column


def is_rounded(column: Any) -> bool:
    """Return True if a column has whole numbers that float64 does not have."""
    from pyarrow import types

    column = _values(column)
    return types.is_integer(column.type) and suspects.is_rounded(column.drop_null().to_numpy(zero_copy_only=False))


def distinct(column: Any) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Return the different values of a column, None for missing ones, and the place of each row's among them."""
    if not hasattr(column, "dictionary"):
        column = _values(column).dictionary_encode()
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
