"""Counts of rows by box, label and value, which add up, and the chance that two differ so much."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.stats import hypergeom

from boxdraw._core.arrays import FloatArray, IntArray
from boxdraw.model.export.text import category_text, format_number
from boxdraw.model.file import Model
from boxdraw.model.rows import MISSING, read_columns
from boxdraw.model.scorecard import boxes_of

Piece = tuple[Any, npt.NDArray[np.int8]]  # rows, and 1 for a positive label, 0 for a negative one, -1 for none

_BINS = 10  # of numbers
_ENOUGH = 100_000  # rows to make them from


class Tally(NamedTuple):
    """Counts of rows: by box if there are several, and of those that are flagged last."""

    rows: IntArray
    held: IntArray
    labelled: IntArray  # of those held
    hits: IntArray  # of those labelled
    positives: IntArray  # held or not
    regions: IntArray  # of those held, by region of the risk table
    values: IntArray  # bins of one feature after the other

    def merge(self, other: Tally) -> Tally:
        """Return the counts of the rows of both."""
        return Tally(*map(np.add, self, other))

    def shares(self) -> tuple[IntArray, IntArray]:
        """Return the parts and wholes of alarm rates, precisions and recalls, those of boxes before those of all."""
        rows, positives = (np.repeat(count, len(self.held)) for count in (self.rows, self.positives))
        return np.concatenate([self.held, self.hits, self.hits]), np.concatenate([rows, self.labelled, positives])


@dataclass(frozen=True, slots=True)
class Counter:
    """How rows are counted: by the drawing and the risk table of a model, and by bins of its limited features."""

    model: Model
    edges: dict[int, FloatArray]  # the upper ends, inside, of all bins of numbers but the last

    @classmethod
    def of(cls, model: Model, pieces: Iterable[Piece]) -> tuple[Self, Tally]:
        """Make bins from the first rows of the reference, and count all of them."""
        boxes, rest = boxes_of(model.drawing), iter(pieces)
        limited = np.flatnonzero(boxes.limited.any(axis=0)).tolist()
        numbers = [j for j in limited if boxes.categories[j] is None]
        first: list[Piece] = []
        while sum(len(labels) for _, labels in first) < _ENOUGH and (piece := next(rest, None)) is not None:
            first.append(piece)
        columns = [read_columns(rows, boxes, numbers)[1] for rows, labels in first if len(labels)]
        if not columns:
            raise ValueError("The reference has no rows: periods are compared with it, so it needs some.")
        edges = {j: _edges(np.concatenate([column[j] for column in columns])[:_ENOUGH]) for j in numbers}
        counter = cls(model, {j: edges.get(j, np.empty(0)) for j in limited})
        tally = counter.count(*first[0])
        for piece in itertools.chain(first[1:], rest):
            tally = tally.merge(counter.count(*piece))
        return counter, tally

    def count(self, rows: Any, labels: npt.NDArray[np.int8]) -> Tally:
        """Count some rows."""
        drawing, risk = self.model.drawing, self.model.risk
        boxes = boxes_of(drawing)
        member = boxes.membership(rows)
        flagged = np.asarray(member.any(axis=1) if drawing is boxes else drawing.contains(rows))[:, None]
        member = np.hstack([member, flagged]) if len(boxes) > 1 else flagged
        regions = np.zeros(len(labels), dtype=np.intp) if risk is None else risk.places(rows, drawing)
        n_regions = 1 if risk is None else len(risk)
        columns = read_columns(rows, boxes, list(self.edges))[1]
        values = [np.bincount(self._bins(j, columns[j]), minlength=self.n_bins(j)) for j in self.edges]
        return Tally(
            np.array([len(labels)]),
            member.sum(axis=0),
            member[labels >= 0].sum(axis=0),
            member[labels == 1].sum(axis=0),
            np.array([np.count_nonzero(labels == 1)]),
            np.array([np.bincount(regions[held], minlength=n_regions) for held in member.T]),
            np.concatenate([np.empty(0, dtype=np.intp), *values]),
        )

    def expected(self, tally: Tally) -> FloatArray:
        """Return the mean risk of the rows in each box, and of those that are flagged."""
        risk = self.model.risk
        risks = np.full(tally.regions.shape[1], np.nan) if risk is None else np.array([one.risk for one in risk])
        return divided(tally.regions @ risks, tally.regions.sum(axis=1))

    def n_bins(self, j: int) -> int:
        """Return the number of bins of a feature; the last two are for missing and for unseen values."""
        known = boxes_of(self.model.drawing).categories[j]
        return (len(self.edges[j]) + 1 if known is None else len(known)) + 2

    def bin_text(self, j: int, place: int) -> str:
        """Say what a bin holds."""
        known, edges = boxes_of(self.model.drawing).categories[j], [format_number(end) for end in self.edges[j]]
        if place >= self.n_bins(j) - 2:
            return ("missing", "unseen")[place - self.n_bins(j) + 2]
        if known is not None:
            return category_text(known[place])
        if place == len(edges):
            return f"above {edges[-1]}" if edges else "known"
        return f"above {edges[place - 1]} to {edges[place]}" if place else f"up to {edges[0]}"

    def _bins(self, j: int, column: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        places = column
        if boxes_of(self.model.drawing).categories[j] is None:
            numbers = np.asarray(column, dtype=np.float64)
            places = np.where(np.isnan(numbers), MISSING, np.searchsorted(self.edges[j], numbers))
        return np.asarray(places % self.n_bins(j))  # the places of missing and unseen values are -2 and -1


def _edges(values: npt.NDArray[Any]) -> FloatArray:
    """Return the deciles of numbers, or all of them if there are so few.

    They are values of rows, not means of two: the tails of counts then hold though these rows chose the bins.
    """
    numbers = np.sort(np.asarray(values, dtype=np.float64))
    numbers = numbers[~np.isnan(numbers)]
    different = np.unique(numbers)
    if len(different) <= _BINS:
        return different
    return np.unique(numbers[len(numbers) * np.arange(1, _BINS) // _BINS])


def divided(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """Return shares, NaN of nothing."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)


def tails(part: IntArray, whole: IntArray, other: IntArray, other_whole: IntArray) -> FloatArray:
    """Return the two-sided p-values that parts of two wholes differ by chance, given what both are together."""
    law = whole + other_whole, part + other, whole
    return np.asarray(np.minimum(1.0, 2 * np.minimum(hypergeom.cdf(part, *law), hypergeom.sf(part - 1, *law))))


def stability_index(found: IntArray, expected: IntArray) -> float:
    """Return the population stability index of counts by bin; half a row is added to each bin with rows."""
    used = found + expected > 0
    p, q = ((counts[used] + 0.5) / (counts[used] + 0.5).sum() for counts in (expected, found))
    return float(((q - p) * np.log(q / p)).sum())
