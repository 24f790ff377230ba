"""Between the features of a table and the columns of the learners' matrix: categories and missing values.

A learner sees a matrix of numbers and draws intervals. A feature of numbers is one column of it; if some of them are
missing in training, NaN stands for those and lies within any interval, and a second column, 1 where the value is
missing, lets a box keep them out. A feature of categories is one column of codes, the missing value being one more
category; `boxdraw.tables.order` gives the codes their places. Categories and missing values that training never saw are
infinite, which is outside any interval.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw.model.boxes import BoxSet
from boxdraw.model.rows import MISSING, UNSEEN, Columns, default_names, read_columns
from boxdraw.model.rule import Category, as_category

if TYPE_CHECKING:
    from boxdraw.tables.order import Order

_KEY_BITS = 52  # whole numbers of so many bits are exact in float64


@dataclass(frozen=True, slots=True)
class Encoding:
    """The features of a training table, and where they are in the matrix."""

    names: tuple[str, ...] | None  # None where the columns had none
    categories: tuple[tuple[Category, ...] | None, ...]  # per feature; None for numbers
    missing: tuple[bool, ...]  # per feature: whether training had missing values

    @classmethod
    def of_numbers(cls, names: Sequence[str] | None, X: Matrix, complete: bool) -> Encoding:
        """Describe a matrix of numbers, of which none is missing if it is ``complete``."""
        given = None if names is None else tuple(map(str, names))
        missing = tuple(not complete and bool(np.isnan(column).any()) for column in X.T)
        return cls(given, (None,) * X.shape[1], missing)

    @property
    def plain(self) -> bool:
        """Whether the matrix is the table itself."""
        return not any(self.missing) and all(values is None for values in self.categories)

    @property
    def n_codes(self) -> tuple[int, ...]:
        """How many codes each column of the matrix has; 0 for numbers."""
        counts: list[int] = []
        for values, missing in self._features():
            counts += [0] * (1 + missing) if values is None else [len(values) + missing]
        return tuple(counts)

    @property
    def steps(self) -> BoolArray:
        """Which columns of the matrix hold codes, or 0 and 1, instead of numbers."""
        column = self._columns()
        result = np.ones(len(self.n_codes), dtype=np.bool_)
        result[[column[j] for j, values in enumerate(self.categories) if values is None]] = False
        return result

    def layout(self) -> list[tuple[int, int, bool]]:
        """Return, per feature, its column, how many codes it has (0: numbers), and if one for missing ones follows."""
        return [
            (column, 0 if values is None else len(values) + missing, values is None and missing)
            for column, (values, missing) in zip(self._columns(), self._features(), strict=True)
        ]

    def _features(self) -> list[tuple[tuple[Category, ...] | None, bool]]:
        return list(zip(self.categories, self.missing, strict=True))

    def _columns(self) -> list[int]:
        """Return the column of the matrix that holds the values of each feature."""
        widths = (1 + (values is None and missing) for values, missing in self._features())
        return list(accumulate(widths, initial=0))[:-1]

    def holding(self, columns: IntArray) -> tuple[list[int], list[int]]:
        """Return the features that some columns of the matrix are of, and all columns of these."""
        begins = [*self._columns(), len(self.n_codes)]
        features = np.unique(np.searchsorted(begins, columns, side="right") - 1).tolist()
        return features, [column for j in features for column in range(begins[j], begins[j + 1])]

    def some(self, features: Sequence[int]) -> Encoding:
        """Return the encoding of some features."""
        names = None if self.names is None else tuple(self.names[j] for j in features)
        return Encoding(names, tuple(self.categories[j] for j in features), tuple(self.missing[j] for j in features))

    def encode(self, X: Any) -> Matrix:
        """Return the matrix of a table that has the features by name, or in order."""
        if self.plain and isinstance(X, np.ndarray) and X.dtype.kind == "f" and is_finite(X):
            return X
        _, columns = read_columns(X, self.no_boxes(), range(len(self.categories)))
        coded = [np.array(columns[j], dtype=np.float64) for j in range(len(self.categories))]
        for j, values in enumerate(self.categories):
            if values is not None:
                coded[j][columns[j] == UNSEEN] = np.inf
                coded[j][columns[j] == MISSING] = np.nan
        return self._matrix(coded)

    def _matrix(self, coded: Iterable[FloatArray]) -> Matrix:
        """Return the matrix of numbers and codes, one feature each, with NaN for missing and inf for unseen ones."""
        parts: list[FloatArray] = []
        for column, (values, had_missing) in zip(coded, self._features(), strict=True):
            absent = np.isnan(column)
            if values is not None:
                column[absent] = len(values) if had_missing else np.inf
            elif not had_missing:
                column[absent] = np.inf
            parts.append(column)
            if values is None and had_missing:
                parts.append(absent.astype(np.float64))
        return np.column_stack(parts)

    def columns(self, X: Matrix, features: Iterable[int]) -> Columns:
        """Return some features of rows of the matrix of a training table, as `boxdraw.model.rows` reads them."""
        at, result = self._columns(), {}
        for j in features:
            values, column = self.categories[j], X[:, at[j]]
            if values is not None:
                codes = column.astype(np.intp)
                column = np.where(codes < len(values), codes, MISSING)
            result[j] = column
        return result

    def keys(self, X: Matrix) -> FloatArray:
        """Return the keys (`boxdraw.tables.sample`) of rows of the matrix of a training table, a column per feature."""
        result = np.empty((len(X), len(self.categories)))
        for j, (values, column) in enumerate(zip(self.categories, self._columns(), strict=True)):
            if values is None:
                result[:, j] = X[:, column] + 0.0  # -0.0 + 0.0 is 0.0
            else:
                result[:, j] = np.array([*map(category_key, values), np.nan])[X[:, column].astype(np.intp)]
        return result

    def from_keys(self, keys: FloatArray) -> Matrix:
        """Return the matrix of rows that are given by their keys."""
        return self._matrix(_coded(column, values) for column, values in zip(keys.T, self.categories, strict=True))

    def no_boxes(self) -> BoxSet:
        """Return no boxes on these features."""
        nothing = np.empty((0, len(self.categories)))
        return BoxSet(nothing, nothing, feature_names=self.names, categories=self._known())

    def _known(self) -> dict[str, tuple[Category, ...]]:
        names = self.names or default_names(len(self.categories))
        return {name: values for name, values in zip(names, self.categories, strict=True) if values is not None}

    def boxes(self, lower: FloatArray, upper: FloatArray, order: Order) -> BoxSet:
        """Translate intervals on the matrix to limits on the table; boxes that nothing can be in are left out.

        `order` has the places of the categories.
        """
        admits_missing = self._admits_missing(lower, upper, order)
        column = self._columns()
        room = (lower <= upper) & (lower < np.inf) & (upper > -np.inf)
        for j, (values, had_missing) in enumerate(self._features()):
            if values is not None:
                inside = [bool(order.inside(column[j], low, high)[0]) for low, high in _pairs(lower, upper, column[j])]
                room[:, column[j]] = inside
            elif had_missing:
                flag = column[j] + 1
                known_inside = room[:, column[j]] & (lower[:, flag] <= 0)
                room[:, column[j]] = known_inside | admits_missing[:, j]
                lower, upper = _only_missing(lower, upper, column[j], ~known_inside)
        kept = room.all(axis=1)
        lower, upper, admits_missing = lower[kept], upper[kept], admits_missing[kept]
        low, high = lower[:, column].copy(), upper[:, column].copy()
        categorical = [values is not None for values in self.categories]
        low[:, categorical], high[:, categorical] = -np.inf, np.inf
        return BoxSet(
            low,
            high,
            feature_names=self.names,
            categories=self._known(),
            allowed=self._allowed(lower, upper, order),
            missing=admits_missing,
        )

    def _admits_missing(self, lower: FloatArray, upper: FloatArray, order: Order) -> BoolArray:
        """Return a mask of the boxes that admit missing values, by feature."""
        if self.plain:
            return np.asarray((lower == -np.inf) & (upper == np.inf))
        admits = np.empty((len(lower), len(self.categories)), dtype=np.bool_)
        for (j, (values, had_missing)), column in zip(enumerate(self._features()), self._columns(), strict=True):
            if values is not None:
                inside = (order.inside(column, low, high) for low, high in _pairs(lower, upper, column))
                admits[:, j] = [not cuts or len(values) in codes for codes, cuts in inside]
            elif had_missing:
                admits[:, j] = upper[:, column + 1] >= 1
            else:
                admits[:, j] = (lower[:, column] == -np.inf) & (upper[:, column] == np.inf)
        return admits

    def _allowed(
        self, lower: FloatArray, upper: FloatArray, order: Order
    ) -> dict[str, list[frozenset[Category] | None]]:
        allowed: dict[str, list[frozenset[Category] | None]] = {}
        names = self.names or default_names(len(self.categories))
        for name, values, column in zip(names, self.categories, self._columns(), strict=True):
            if values is not None:
                inside = [order.inside(column, low, high) for low, high in _pairs(lower, upper, column)]
                allowed[name] = [
                    frozenset(values[code] for code in codes if code < len(values)) if cuts else None
                    for codes, cuts in inside
                ]
        return allowed


def in_order(categories: Sequence[Category]) -> tuple[Category, ...]:
    """Return categories as they are listed: numbers, then texts; one truth value stands for both."""
    if categories and all(isinstance(value, bool) for value in categories):
        return (False, True)
    return tuple(sorted(categories, key=lambda value: (isinstance(value, str), value)))


def category_key(value: Any) -> float:
    """Return a whole number that stands for a category, in any table and any run; equal categories have the same."""
    category = as_category(value)
    if isinstance(category, str):
        text = b"text " + category.encode("utf-8", "surrogatepass")
    elif category == int(category):
        text = f"whole {int(category):x}".encode()  # without a limit on the digits, unlike decimal ones
    else:
        text = f"float {category!r}".encode()
    digest = hashlib.blake2b(text, digest_size=8).digest()
    return float(int.from_bytes(digest, "big") >> (64 - _KEY_BITS))


def is_finite(X: Matrix) -> bool:
    """Return True if all numbers are finite; where the sum overflows, each is looked at."""
    with quiet_sums():
        total = X.sum()
    return bool(np.isfinite(total) or np.isfinite(X).all())


def quiet_sums() -> np.errstate:
    """Let sums overflow to infinity or NaN where, as in scikit-learn, they only show whether all numbers are finite."""
    return np.errstate(over="ignore", invalid="ignore")


def _coded(keys: FloatArray, categories: tuple[Category, ...] | None) -> FloatArray:
    """Return numbers as they are, and the codes of categories; NaN for missing and inf for unseen ones."""
    if categories is None:
        return keys.copy()
    known = np.array([*map(category_key, categories), np.nan])
    order = np.argsort(known)  # NaN last
    code = order[known[order[:-1]].searchsorted(keys)]
    result = np.where(known[code] == keys, code.astype(np.float64), np.inf)
    result[np.isnan(keys)] = np.nan
    return result


def _pairs(lower: FloatArray, upper: FloatArray, column: int) -> list[tuple[float, float]]:
    return list(zip(lower[:, column].tolist(), upper[:, column].tolist(), strict=True))


def _only_missing(lower: FloatArray, upper: FloatArray, column: int, where: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Write boxes that no number is inside in the one way that `BoxSet` has for them."""
    lower, upper = lower.copy(), upper.copy()
    lower[where, column], upper[where, column] = np.inf, -np.inf
    return lower, upper
