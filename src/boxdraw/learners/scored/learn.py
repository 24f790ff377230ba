"""From training rows to a card: bins, boosting, points, threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.sums import on_grid
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.grade import depths, grades
from boxdraw.learners.patterns import CountPatterns, KeptOut, placed_at
from boxdraw.learners.rounding import round_on_rows, round_on_table
from boxdraw.learners.scored.bins import make_bins
from boxdraw.learners.scored.boost import EXACT, RIDGE, BinnedRows, BoostedBoxes, Cells, boost, fit_signed
from boxdraw.learners.scored.logistic import curvature_of
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.learners.scored.threshold import expected_costs
from boxdraw.learners.scored.whole import Ideal, whole_points
from boxdraw.tables.chunks import Table
from boxdraw.tables.order import Order, fit_order
from boxdraw.tables.training import Training


@dataclass(frozen=True, slots=True)
class Ready:
    """Training rows made ready once for any number of settings."""

    order: Order
    rows: BinnedRows
    few: BinnedRows  # all rows or a sample of them
    X: Matrix  # of these few, with places for codes
    cost: float  # of a false alarm relative to a miss


@dataclass(frozen=True, slots=True)
class Card:
    """A scorecard on the learners' matrix."""

    lower: FloatArray
    upper: FloatArray
    spread: FloatArray
    points: IntArray
    threshold: int
    numbers: IntArray  # of its boxes among those of the run

    def graded(self, X: Matrix, n_jobs: int | None = None) -> FloatArray:
        """Return the points of rows, graded by how well inside the boxes they are."""
        grade = grades(depths(X, self.lower, self.upper, self.spread, n_jobs))
        grade *= self.points
        return grade.sum(axis=1)  # a product of matrices would round equal rows unequally, by where they are

    def sums(self, X: Matrix, n_jobs: int | None = None) -> IntArray:
        """Return the whole points of rows."""
        return np.asarray((depths(X, self.lower, self.upper, self.spread, n_jobs) >= 0) @ self.points)


def make_ready(
    data: Training, shape: Shape, few: Training | None = None, n_jobs: int | None = None, order: Order | None = None
) -> Ready:
    """Order categories, weigh the classes and bin the columns; ``few`` is a sample of many rows."""
    constraints, false_alarm_cost = shape.constraints, shape.false_alarm_cost
    cuts = None if constraints is None else constraints.cuts
    order = fit_order(data) if order is None else order
    few = data if few is None else few
    X, weight = order.apply(few.X), _weights(few)
    # Boxes drawn for the cost itself would look at one class only where it is far from the balance; boxes drawn for the
    # balance would be too coarse for it. Halfway is better than either (docs/experiments.rst).
    cost, drawn_for = data.balance, data.balance**shape.evenness
    if false_alarm_cost is not None:
        cost, drawn_for = false_alarm_cost, math.sqrt(false_alarm_cost * data.balance)
    if constraints is not None:
        drawn_for = max(drawn_for, constraints.least_ratio(data) * data.balance)
    factor = (data.positive_weight + data.negative_weight) / (data.positive_weight + drawn_for * data.negative_weight)
    class_weight = np.array([drawn_for, 1.0]) * factor
    # how well the best place of a limit is known from so many rows, see grow.py
    blur = max(min(data.positive_weight, data.negative_weight), 1.0) ** (-1 / 3)
    if few is data:
        bins = make_bins(X, X, few.positive, weight, class_weight, n_jobs, cuts)
        rows = BinnedRows(bins, few.positive, weight, class_weight, blur, data.n_codes)
        return Ready(order, rows, rows, X, cost)
    bins = make_bins(order.apply(data.X), X, few.positive, weight, class_weight, n_jobs, cuts)
    rows = BinnedRows(bins, data.positive, _weights(data), class_weight, blur, data.n_codes)
    return Ready(order, rows, BinnedRows(bins.of(X), few.positive, weight, class_weight, blur), X, cost)


def make_sample_ready(
    data: Training, few: Training, shape: Shape, table: Table, n_jobs: int | None = None
) -> tuple[Ready, Shape]:
    """Make a sample of a large table ready; it tells no more than it has rows, whatever these stand for."""
    unit = min(data.stand_for)
    own = replace(data, weight=data.weights / unit)
    own_few = own if few is data else replace(few, weight=few.weights / unit)
    if shape.constraints is not None:
        shape = replace(shape, constraints=shape.constraints.scaled(1 / unit))
    return make_ready(own, shape, own_few, n_jobs, table.shares), shape


def _weights(data: Training) -> FloatArray:
    return data.weights if data.weight is None else on_grid(data.weight)  # those of 1 are on any grid


Boxes = TypeVar("Boxes", "Card", "Drawn")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The boxes of a run of boosting: the first few of them are what a shorter run draws."""

    setting: Setting
    boosted: BoostedBoxes
    lower: FloatArray
    upper: FloatArray
    graded: FloatArray  # (few rows, boxes)

    def __len__(self) -> int:
        return len(self.lower)


def draw(ready: Ready, setting: Setting, shape: Shape, n_jobs: int | None = None) -> Drawn:
    """Draw boxes, none if none has any gain."""
    boosted = boost(ready.rows, ready.few, setting, shape)
    lower, upper = ready.rows.bins.limits(boosted.low, boosted.high)
    graded = grades(depths(ready.X, lower, upper, ready.rows.bins.spread, n_jobs))
    return Drawn(setting, boosted, lower, upper, graded)


def card_of(ready: Ready, drawn: Drawn, n_boxes: int, max_union: int | None = None) -> Card:
    """Give points to the first boxes."""
    rows, few, signed = ready.rows, ready.few, drawn.setting.signed
    boosted, graded = drawn.boosted.first(n_boxes), np.ascontiguousarray(drawn.graded[:, :n_boxes])
    lower, upper, spread = drawn.lower[:n_boxes], drawn.upper[:n_boxes], rows.bins.spread
    task = graded, few.positive, few.weight, rows.class_weight, RIDGE * rows.unit
    odds = boosted.cells.logistic(rows, not signed, boosted.signs)
    fitted = fit_signed(*task, not signed, odds, EXACT, boosted.signs)
    if not np.abs(fitted[:-1]).max(initial=0) > 0:
        return Card(lower[:0], upper[:0], spread, np.zeros(0, dtype=np.int64), 1, np.arange(0))
    ideal = Ideal(
        coefficients=fitted[:-1],
        curvature=curvature_of(*task, fitted),
        odds=boosted.cells.member @ odds[:-1] + odds[-1],
        mass=rows.class_weight[1] * (np.array([ready.cost, 1.0]) @ boosted.cells.mass),
        costs=partial(_costs, boosted.inside, few, ready.cost),
    )
    points, threshold = whole_points(boosted, ideal, max_union, signed)
    kept = points != 0
    return Card(lower[kept], upper[kept], spread, points[kept], threshold, np.flatnonzero(kept))


def count_everywhere(drawn: Drawn, data: Training, order: Order, shape: Shape, table: Table) -> Drawn:
    """Count the rows of a large table, of which the data are a sample; leave out boxes that do not hold enough."""
    unit, survey, limits = min(data.stand_for), table.survey, (drawn.lower, drawn.upper)
    placed = placed_at(limits, order, {})
    work = CountPatterns(placed, survey.positive_weight + survey.negative_weight)
    found = table.reduce(work, "count", columns=placed.columns)
    kept = list(range(len(drawn)))
    if shape.constraints is not None:
        weight, ups = found.held().T / unit
        kept = np.flatnonzero(shape.constraints.asked.holds(weight, ups)).tolist()
        found = found.take(kept)
    boosted = drawn.boosted.take(kept, Cells(found.member, found.mass / unit))
    return Drawn(
        drawn.setting, boosted, drawn.lower[kept], drawn.upper[kept], np.ascontiguousarray(drawn.graded[:, kept])
    )


def round_card(
    card: Boxes,
    data: Training,
    order: Order,
    steps: BoolArray,
    n_jobs: int | None = None,
    constraints: ColumnConstraints | None = None,
    table: Table | None = None,
) -> Boxes:
    """Move the limits of a card or a run to the roundest numbers that change no row, of a large ``table`` if given."""
    fixed, two_sided = (steps, True) if constraints is None else (constraints.fixed, constraints.two_sided)
    limits = card.lower, card.upper
    if table is None:
        limits = round_on_rows(order.apply(data.X), *limits, fixed, n_jobs, two_sided=two_sided)
    else:
        placed = placed_at(limits, order, {})
        kept_out = KeptOut(placed, fixed[placed.columns])
        limits = round_on_table(table, *limits, fixed, placed.columns, kept_out, two_sided)
    return replace(card, lower=limits[0], upper=limits[1])


def _costs(inside: FloatArray, few: BinnedRows, cost: float, points: IntArray) -> FloatArray:
    return expected_costs(inside, points, few.positive, few.weight, cost)
