"""Rows counted by which boxes hold them: all that points, thresholds and constraints need of a large table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.sums import on_grid_of
from boxdraw.learners.rounding import Limits
from boxdraw.tables.chunks import Chunk
from boxdraw.tables.order import Order

_COUNTED = 2**16  # patterns that are counted by number; more are sorted
_BITS = 60  # boxes whose pattern is one whole number

Sets = dict[tuple[int, int], BoolArray]  # by box and column: which codes are inside


@dataclass(frozen=True, slots=True)
class Patterns:
    """The weight of the rows that the same boxes hold, by class; patterns are in order, those of the first box last."""

    member: BoolArray  # (patterns, boxes)
    mass: FloatArray  # (2, patterns): of negatives and of positives

    @classmethod
    def of(cls, member: BoolArray, positive: BoolArray, weight: FloatArray | None) -> Patterns:
        """Count rows, given which boxes hold each; of weights on a grid, sums are exact."""
        first, number, n = _numbered(member)
        mass = np.stack([np.bincount(number, _masked(weight, side), n) for side in (~positive, positive)])
        found = np.flatnonzero(mass.any(axis=0))
        return cls(member[first[found]], mass[:, found].astype(np.float64))

    def merge(self, other: Patterns) -> Patterns:
        """Count the rows of both."""
        member = np.concatenate([self.member, other.member])
        first, number, n = _numbered(member)
        mass = np.concatenate([self.mass, other.mass], axis=1)
        return Patterns(member[first], np.stack([np.bincount(number, side, n) for side in mass]))

    def take(self, boxes: list[int]) -> Patterns:
        """Count the same rows by some of the boxes."""
        none = np.zeros((0, len(boxes)), dtype=np.bool_)
        return Patterns(self.member[:, boxes], self.mass).merge(Patterns(none, self.mass[:, :0]))

    def held(self) -> FloatArray:
        """Return the weight of all rows and of the positives in each box: (boxes, 2)."""
        return np.column_stack([self.mass.sum(axis=0) @ self.member, self.mass[1] @ self.member])

    def needed(self, kept: list[int]) -> list[int]:
        """Return the kept boxes, what holds most positives first; without those that hold none that others do not."""
        ups = self.mass[1]
        order = sorted(kept, key=lambda k: -ups[self.member[:, k]].sum())
        times = self.member[:, kept].sum(axis=1)
        for k in order[::-1]:
            if not ups[self.member[:, k] & (times == 1)].any():
                times = times - self.member[:, k]
                order.remove(k)
        return order


@dataclass(frozen=True, slots=True)
class Placed:
    """Boxes on some columns of the learners' matrix, with sets of codes where there are categories."""

    columns: IntArray
    lower: FloatArray  # (boxes, these columns)
    upper: FloatArray
    sets: Sets  # by place among these columns

    def inside(self, X: Matrix) -> BoolArray:
        """Return which rows each box holds: (rows, boxes)."""
        inside = np.ones((len(X), len(self.lower)), dtype=np.bool_)
        for k, _, mask in self.masks(X):
            inside[:, k] &= mask
        return inside

    def masks(self, X: Matrix) -> Iterator[tuple[int, int, BoolArray]]:
        """Yield box, column and which rows are within: all those whose number is missing."""
        for j in range(len(self.columns)):
            column = np.ascontiguousarray(X[:, j], dtype=np.float64)  # float32 would round the limits
            for k in range(len(self.lower)):
                if (k, j) in self.sets:
                    yield k, j, self.sets[k, j][column.astype(np.intp)]
                elif self.lower[k, j] > -np.inf or self.upper[k, j] < np.inf:
                    yield k, j, ~((column < self.lower[k, j]) | (column > self.upper[k, j]))


@dataclass(frozen=True, slots=True)
class KeptOut:
    """Which rows of a chunk the limits and sets on some columns exclude."""

    placed: Placed
    fixed: BoolArray

    def __call__(self, X: Matrix) -> BoolArray:
        """Return a mask: (rows, boxes)."""
        out = np.zeros((len(X), len(self.placed.lower)), dtype=np.bool_)
        for k, j, mask in self.placed.masks(X):
            if self.fixed[j]:
                out[:, k] |= ~mask
        return out


@dataclass(frozen=True, slots=True)
class CountPatterns:
    """Count the rows of a chunk by which boxes hold them; weights are on the grid of all rows."""

    placed: Placed
    in_all: float  # weight of all rows

    def __call__(self, chunk: Chunk) -> Patterns:
        """Return the patterns of a chunk."""
        weight = None if chunk.weight is None else on_grid_of(chunk.weight, self.in_all)
        return Patterns.of(self.placed.inside(chunk.X), chunk.positive, weight)


def placed_at(limits: Limits, order: Order, sets: dict[tuple[int, int], IntArray]) -> Placed:
    """Return the boxes of limits on the learners' matrix, with sets of codes for places in an order."""
    columns = np.flatnonzero(((limits[0] > -np.inf) | (limits[1] < np.inf)).any(axis=0))
    codes: Sets = {}
    for k, (j, column) in itertools.product(range(len(limits[0])), enumerate(columns.tolist())):
        if column in order.places and (limits[0][k, column] > -np.inf or limits[1][k, column] < np.inf):
            codes[k, j] = codes_between(limits, order, k, column)
            if (k, column) in sets:
                codes[k, j] = np.isin(np.arange(len(codes[k, j])), sets[k, column])
    return Placed(columns, limits[0][:, columns], limits[1][:, columns], codes)


def codes_between(limits: Limits, order: Order, k: int, column: int) -> BoolArray:
    """Return which codes are between the limits of a box."""
    place = order.places[column]
    return np.asarray((limits[0][k, column] <= place) & (place <= limits[1][k, column]))


def _masked(weight: FloatArray | None, side: BoolArray) -> FloatArray:
    return side.astype(np.float64) if weight is None else weight * side


def _numbered(member: BoolArray) -> tuple[IntArray, IntArray, int]:
    """Return a row of each pattern, the number of the pattern of each row, in lexical order, and how many there are."""
    n_rows, n_boxes = member.shape
    number, n = np.zeros(n_rows, dtype=np.int64), 1
    for k in range(n_boxes):
        if n > 2**_BITS:
            number, n = np.unique(number, return_inverse=True)[1].reshape(-1), n_rows
        number, n = 2 * number + member[:, k], 2 * n
    if n > _COUNTED:
        first, number = np.unique(number, return_index=True, return_inverse=True)[1:]
        return first, number.reshape(-1), len(first)
    first = np.zeros(n, dtype=np.intp)
    first[number] = np.arange(n_rows)
    there = np.bincount(number, minlength=n) > 0
    rank = np.cumsum(there) - 1
    return first[there], rank[number], int(np.count_nonzero(there))
