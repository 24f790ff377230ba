"""Statistics of boxes on labelled rows, from counts without rounding, so that counts of chunks can be added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.sums import exact_total
from boxdraw.model.export.text import rule_texts

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

Weights = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """The weight of some rows: in each box, in each box alone, in any box, and of all rows."""

    inside: Weights
    alone: Weights
    any: Fraction
    all: Fraction

    @classmethod
    def of(cls, member: BoolArray, weight: FloatArray | None) -> Counts:
        """Add up the weights of rows, 1 each without weights; ``member`` has a column per box."""
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

    def together(self) -> BoxCounts:
        """Return the counts of the union, as if it were one box."""
        return BoxCounts(*(replace(c, inside=(c.any,), alone=(c.any,)) for c in (self.rows, self.positives)))


def as_floats(weights: Sequence[Fraction]) -> FloatArray:
    """Return counts as numbers, each rounded once."""
    return np.array([float(weight) for weight in weights], dtype=np.float64)


def _total(weight: FloatArray | None, rows: BoolArray) -> Fraction:
    return Fraction(int(np.count_nonzero(rows))) if weight is None else exact_total(weight[rows])


def _added(first: Weights, second: Weights) -> Weights:
    return tuple(a + b for a, b in zip(first, second, strict=True))


def wilson_interval(hits: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the Wilson 95% interval of hits / total; NaN where the total is 0."""
    z2 = 1.959963984540054**2
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / total
        centre = (share + z2 / (2 * total)) / (1 + z2 / total)
        half = np.sqrt(z2 * (share * (1 - share) / total + z2 / (4 * total**2))) / (1 + z2 / total)
    return np.maximum(centre - half, 0), np.minimum(centre + half, 1)


def box_statistics(boxes: BoxSet, member: BoolArray, positive: BoolArray, weight: FloatArray | None) -> dict[str, Any]:
    """Return the columns of ``box_table``."""
    return counted_statistics(rule_texts(boxes), BoxCounts.of(member, positive, weight))


def counted_statistics(rules: list[str], counts: BoxCounts) -> dict[str, Any]:
    """Return the columns of ``box_table`` from counts of the rows."""
    rows, positives = counts.rows, counts.positives
    support, true_positives = as_floats(rows.inside), as_floats(positives.inside)
    n_positive, n_rows = np.float64(positives.all), np.float64(rows.all)
    low, high = wilson_interval(true_positives, support)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = true_positives / support
        return {
            "rule": rules,
            "support": support,
            "true_positives": true_positives,
            "false_positives": support - true_positives,
            "precision": precision,
            "precision_low": low,
            "precision_high": high,
            "recall": true_positives / n_positive,
            "unique_recall": as_floats(positives.alone) / n_positive,
            "lift": precision / (n_positive / n_rows),
            "overlap": 1 - as_floats(rows.alone) / support,
        }
