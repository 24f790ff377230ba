"""How much of labelled rows is in boxes, counted without rounding, so that counts of chunks of rows can be added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from boxdraw.arrays import BoolArray, FloatArray
from boxdraw.sums import exact_total

Weights = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """The weight of some rows, per box where there are several numbers.

    ``alone`` is what no other box holds, ``any`` what some box holds, and ``all`` what there is.
    """

    inside: Weights
    alone: Weights
    any: Fraction
    all: Fraction

    @classmethod
    def of(cls, member: BoolArray, weight: FloatArray | None) -> Counts:
        """Count rows; ``member`` says which boxes hold them, and each counts 1 if there is no weight."""
        n_boxes = member.sum(axis=1)
        alone = member & (n_boxes == 1)[:, None]
        held = n_boxes > 0
        return cls(
            tuple(_total(weight, rows) for rows in member.T),
            tuple(_total(weight, rows) for rows in alone.T),
            _total(weight, held),
            _total(weight, np.ones(len(held), dtype=np.bool_)),
        )

    def merge(self, other: Counts) -> Counts:
        """Return the counts of the rows of both."""
        return Counts(
            _added(self.inside, other.inside),
            _added(self.alone, other.alone),
            self.any + other.any,
            self.all + other.all,
        )


@dataclass(frozen=True, slots=True)
class BoxCounts:
    """Counts of all rows, and of the positives among them."""

    rows: Counts
    positives: Counts

    @classmethod
    def of(cls, member: BoolArray, positive: BoolArray, weight: FloatArray | None) -> BoxCounts:
        """Count labelled rows."""
        own = None if weight is None else weight[positive]
        return cls(Counts.of(member, weight), Counts.of(member[positive], own))

    def merge(self, other: BoxCounts) -> BoxCounts:
        """Return the counts of the rows of both."""
        return BoxCounts(self.rows.merge(other.rows), self.positives.merge(other.positives))


def as_floats(weights: Sequence[Fraction]) -> FloatArray:
    """Return counts as numbers, each rounded once."""
    return np.array([float(weight) for weight in weights], dtype=np.float64)


def _total(weight: FloatArray | None, rows: BoolArray) -> Fraction:
    return Fraction(int(np.count_nonzero(rows))) if weight is None else exact_total(weight[rows])


def _added(first: Weights, second: Weights) -> Weights:
    return tuple(a + b for a, b in zip(first, second, strict=True))
