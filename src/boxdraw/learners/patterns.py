"""Rows counted by which boxes hold them: all that points, thresholds and constraints need of a large table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray

_COUNTED = 2**16  # patterns that are counted by number; more are sorted
_BITS = 60  # boxes whose pattern is one whole number


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
