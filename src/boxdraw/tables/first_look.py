"""The passes over a stored table that come before any box: its labels, then its ranges, categories and positives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.ranges import Ranges
from boxdraw._core.sums import exact_total
from boxdraw.tables.columns import LearningColumns, distinct, is_rounded, numbers
from boxdraw.tables.encoding import category_key
from boxdraw.tables.kinds import category_error
from boxdraw.tables.sample import Sample

_MANY_LABELS = 100
_MANY_CATEGORIES = 100_000

Totals = dict[Any, Fraction]


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many rows with weight have each label, and their weight; ``n_rows`` are all."""

    n_rows: int
    n_missing: int
    count: Counter[Any]
    weight: Totals

    def merge(self, other: LabelCounts) -> LabelCounts:
        """Return the labels of the rows of both."""
        n_missing = self.n_missing + other.n_missing
        count = self.count + other.count
        return LabelCounts(self.n_rows + other.n_rows, n_missing, count, _added(self.weight, other.weight))


@dataclass(frozen=True, slots=True)
class FindLabels:
    """Count the labels of a batch."""

    columns: LearningColumns

    def __call__(self, batch: Any) -> LabelCounts:
        """Return the labels of a batch."""
        n_rows = len(batch)
        batch, weight = self.columns.with_weight(batch)
        values, place = distinct(batch.column(self.columns.target))
        if len(values) > _MANY_LABELS:
            raise ValueError(
                f"Only binary classification is supported. Column {self.columns.target!r} has more than "
                f"{_MANY_LABELS} different labels."
            )
        totals = _totals(values, place, weight, np.ones(len(place), dtype=np.bool_))
        n_missing = int(sum(np.count_nonzero(place == k) for k, value in enumerate(values) if value is None))
        totals.pop(None, None)
        counted = np.bincount(place, minlength=len(values)).tolist()
        count = Counter({value: n for value, n in zip(values, counted, strict=True) if value is not None and n})
        return LabelCounts(n_rows, n_missing, count, totals)


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What a pass finds in the features: all that `boxdraw.tables.survey.Survey` needs.

    ``categories`` has, per feature of categories, the weight of negatives and of positives in each; None if missing.
    ``known`` is how many rows have one, and ``rounded`` says where whole numbers are not exact in float64.
    """

    ranges: Ranges
    missing: BoolArray
    known: IntArray
    rounded: BoolArray
    categories: tuple[tuple[Totals, Totals] | None, ...]
    positives: Sample

    def merge(self, other: FirstLook) -> FirstLook:
        """Return what both find."""
        categories = tuple(
            None if mine is None or yours is None else (_added(mine[0], yours[0]), _added(mine[1], yours[1]))
            for mine, yours in zip(self.categories, other.categories, strict=True)
        )
        return FirstLook(
            self.ranges.merge(other.ranges),
            self.missing | other.missing,
            self.known + other.known,
            self.rounded | other.rounded,
            categories,
            self.positives.merge(other.positives),
        )


@dataclass(frozen=True, slots=True)
class LookAtFeatures:
    """Find out what the features of a batch hold."""

    columns: LearningColumns
    pos_label: Any
    limit: int  # of positives

    def __call__(self, batch: Any) -> FirstLook:
        """Return what is in a batch."""
        columns = self.columns
        batch, weight = columns.with_weight(batch)
        positive = columns.is_label(batch, self.pos_label)
        chosen = np.flatnonzero(positive)
        keys = np.empty((len(chosen), len(columns.features)))
        missing, rounded = np.zeros((2, len(columns.features)), dtype=np.bool_)
        known = np.zeros(len(columns.features), dtype=np.intp)
        categories: list[tuple[Totals, Totals] | None] = []
        ranges = Ranges(len(columns.features))
        for j, (name, is_category) in enumerate(zip(columns.features, columns.categorical, strict=True)):
            if is_category:
                values, place = distinct(batch.column(name))
                codes = _keys_of(values, name)
                keys[:, j] = codes[place[chosen]]
                negative, own = (_totals(values, place, weight, rows) for rows in (~positive, positive))
                present = {values[k] for k in np.unique(place)}
                _check_few(present)
                categories.append(({value: negative.get(value, Fraction(0)) for value in present}, own))
                missing[j] = None in present
                known[j] = np.count_nonzero(np.array([value is not None for value in values])[place])
            else:
                column = numbers(batch.column(name))
                keys[:, j] = column[chosen]
                categories.append(None)
                missing[j], rounded[j] = bool(np.isnan(column).any()), is_rounded(batch.column(name))
                ranges.look_at(j, column)
        sample = Sample.of(keys, None if weight is None else weight[chosen], self.limit)
        return FirstLook(ranges, missing, known, rounded, tuple(categories), sample)


def _keys_of(values: list[Any], name: str) -> FloatArray:
    """Return the keys of categories, NaN for missing ones."""
    try:
        return np.array([np.nan if value is None else category_key(value) for value in values])
    except TypeError as error:
        raise category_error(error, f"column {name!r}") from None


def _totals(values: list[Any], place: Any, weight: FloatArray | None, rows: BoolArray) -> Totals:
    """Add up the weight of some rows by their value."""
    count = np.bincount(place[rows], minlength=len(values))
    found = np.flatnonzero(count)
    if weight is None or not len(found):
        masses = [Fraction(number) for number in count[found].tolist()]
    else:
        grouped = weight[rows][np.argsort(place[rows], kind="stable")]
        masses = [exact_total(group) for group in np.split(grouped, np.cumsum(count[found])[:-1])]
    result: Totals = {}
    for k, mass in zip(found.tolist(), masses, strict=True):
        result[values[k]] = result.get(values[k], Fraction(0)) + mass
    return result


def _added(first: Totals, second: Totals) -> Totals:
    both = {**first, **second}
    _check_few(both)
    return {value: first.get(value, Fraction(0)) + second.get(value, Fraction(0)) for value in both}


def _check_few(categories: Collection[Any]) -> None:
    if len(categories) > _MANY_CATEGORIES:
        example = repr(next(value for value in categories if value is not None))
        raise ValueError(
            f"A column has more than {_MANY_CATEGORIES} different categories, such as {example}: it seems to hold "
            "identifiers. Leave it out of the features."
        )
