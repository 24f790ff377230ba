"""Sweep: place the limits of a drawing on all rows of a large table, one pass a sweep.

A pass adds up the weight of both classes by where rows are beside a limit, as far as only this limit decides about
them, and by category in sets. Then all limits move to their best places at once. The next pass tells whether that was
an improvement: limits that move together may pass each other by, and then only the one that gains most moves. Places
are looked for among the values of the sample first, and then ever closer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.sums import on_grid_of
from boxdraw.learners.patterns import Patterns, Placed, codes_between
from boxdraw.learners.rounding import Limits
from boxdraw.tables.chunks import Chunk, Table
from boxdraw.tables.order import Order

SWEEPS = 4  # passes, at most
PLACES = 256  # for a limit in a sweep, at most

Places = dict[tuple[int, int, int], FloatArray]  # by box, column and side: cuts; what is below a cut is on one side
Moves = dict[tuple[int, int, int], tuple[float, Any]]  # what each gains, and where a limit or what a set goes to


@dataclass(frozen=True, slots=True)
class Seen:
    """What a pass finds: rows by the boxes that hold them, by their places, and boxes with missing numbers."""

    patterns: Patterns
    mass: dict[tuple[int, int], FloatArray]  # by box and column: (2, bins), of negatives and of positives
    missing: BoolArray  # (boxes, columns): whether a number is missing in some row of the box

    def merge(self, other: Seen) -> Seen:
        """Return what is found in the rows of both."""
        mass = {at: own + other.mass[at] for at, own in self.mass.items()}
        return Seen(self.patterns.merge(other.patterns), mass, self.missing | other.missing)

    def value(self, cost: float) -> float:
        """Return the weight of the positives in boxes, less that of the negatives at their cost."""
        held = self.patterns.member.any(axis=1)
        down, up = self.patterns.mass[:, held].sum(axis=1)
        return float(up - cost * down)


@dataclass(frozen=True, slots=True)
class Look:
    """The work of a sweep on a chunk."""

    placed: Placed
    cuts: dict[tuple[int, int], FloatArray]  # by box and column of numbers
    in_all: float  # weight of all rows

    def __call__(self, chunk: Chunk) -> Seen:
        """Add up the rows of a chunk."""
        placed, weight = self.placed, None if chunk.weight is None else on_grid_of(chunk.weight, self.in_all)
        masks = {(k, j): mask for k, j, mask in placed.masks(chunk.X)}
        out = np.zeros((len(placed.lower), len(chunk.X)), dtype=np.uint8 if len(placed.columns) < 256 else np.intp)
        for (k, _), mask in masks.items():
            out[k] += ~mask
        inside = out == 0
        near = (out <= 1) & (inside.sum(axis=0, dtype=out.dtype) == inside)  # at most one limit keeps these out
        free, held = ([np.flatnonzero(rows) for rows in some] for some in (near, inside))
        missing, mass = np.zeros(placed.lower.shape, dtype=np.bool_), {}
        for (k, j), mask in masks.items():
            missing[k, j] = bool(np.isnan(chunk.X[held[k], j]).any())
            if (k, j) not in self.cuts and (k, j) not in placed.sets:
                continue
            rows = free[k][out[k, free[k]] == ~mask[free[k]]]  # that only this limit decides about
            column = np.asarray(chunk.X[rows, j], dtype=np.float64)
            if (k, j) in placed.sets:
                place, n = column.astype(np.intp), len(placed.sets[k, j])
            else:
                known = ~np.isnan(column)
                rows, n = rows[known], len(self.cuts[k, j]) + 1
                place = np.searchsorted(self.cuts[k, j], column[known], side="right")
            own = np.ones(len(rows)) if weight is None else weight[rows]
            sides = ~chunk.positive[rows], chunk.positive[rows]
            mass[k, j] = np.array([np.bincount(place, own * side, n) for side in sides], dtype=np.float64)
        return Seen(Patterns.of(inside.T, chunk.positive, weight), mass, missing)


class Sweep:
    """A drawing whose limits are moved on all rows, pass by pass."""

    def __init__(self, table: Table, placed: Placed, cost: float, price: float) -> None:
        self._table, self.placed, self._cost, self._price = table, placed, cost, price
        self._in_all = table.survey.positive_weight + table.survey.negative_weight
        self.seen: Seen

    def look(self, places: Places | None = None) -> Seen:
        """Make a pass."""
        look = Look(self.placed, _joined(places or {}), self._in_all)
        self.seen = self._table.reduce(look, "place limits", columns=self.placed.columns)
        return self.seen

    def move(self, places: Places) -> None:
        """Move limits and sets to the best that is found; ``places`` are where limits may go at first."""
        best, closer = (self.placed, self.look(places), places), False
        moves: Moves = {}
        for _ in range(SWEEPS - 1):
            moves = moves or self._moves(*best)
            if not moves and closer:
                break
            self.placed = _moved(best[0], moves)
            next_places = {at: _closer(cuts, self.placed, at) for at, cuts in best[2].items()}
            seen = self.look(next_places)
            if not moves or seen.value(self._cost) > best[1].value(self._cost):
                best, closer, moves = (self.placed, seen, next_places), True, {}
            elif len(moves) > 1:  # what they gain together is not what they gain one by one
                first = max(moves, key=lambda at: moves[at][0])
                moves = {first: moves[first]}
            else:
                break
        self.placed, self.seen = best[:2]

    def write(self, limits: Limits, with_missing: list[int]) -> None:
        """Write the limits into those of the whole matrix.

        Numbers with limits may be missing only where rows of the box are: the column after them says which are.
        """
        lower, upper = limits
        columns = self.placed.columns.tolist()
        lower[:, columns], upper[:, columns] = self.placed.lower, self.placed.upper
        for j, column in enumerate(columns):
            if column in with_missing:
                free = (lower[:, column + 1] == -np.inf) & (upper[:, column + 1] == np.inf)
                limited = (lower[:, column] > -np.inf) | (upper[:, column] < np.inf)
                upper[free & limited & ~self.seen.missing[:, j], column + 1] = 0.0

    def sets(self, limits: Limits, order: Order) -> dict[tuple[int, int], IntArray]:
        """Return the codes in each set that is no interval of places, by box and column of the matrix."""
        columns = self.placed.columns.tolist()
        chosen = {(k, columns[j]): inside for (k, j), inside in self.placed.sets.items()}
        between = {at: codes_between(limits, order, *at) for at in chosen}
        return {at: np.flatnonzero(codes) for at, codes in chosen.items() if (codes != between[at]).any()}

    def _moves(self, placed: Placed, seen: Seen, places: Places) -> Moves:
        """Return what can be gained by moving each limit and each set, and where it goes."""
        moves: Moves = {}
        joined = _joined(places)
        for (k, j), (down, up) in seen.mass.items():
            gain = up - self._cost * down
            if (k, j) in placed.sets:
                inside = placed.sets[k, j]
                new = np.where(inside, gain > -self._price, gain > self._price)
                if new.any() and (new != inside).any():
                    moves[k, j, 0] = float(np.abs(gain[new != inside]).sum()), new
                continue
            cuts, below = joined[k, j], np.cumsum(gain)[:-1]  # what is below each cut
            low, high = placed.lower[k, j], np.nextafter(placed.upper[k, j], np.inf)
            for side in (0, 1):
                if (k, j, side) not in places:
                    continue
                own, worth = places[k, j, side], below if side else -below
                own = own[own > low] if side else own[own < high]
                found = worth[np.searchsorted(cuts, own)]
                more = float(found.max(initial=-np.inf) - worth[np.searchsorted(cuts, high if side else low)])
                if more > 0:
                    cut = float(own[found.argmax()])
                    moves[k, j, side] = more, cut
                    low = low if side else cut
        return moves


def _joined(places: Places) -> dict[tuple[int, int], FloatArray]:
    """Return the cuts for both limits of each box on a column."""
    joined: dict[tuple[int, int], FloatArray] = {}
    for (k, j, _), cuts in places.items():
        joined[k, j] = np.union1d(joined.get((k, j), cuts), cuts)
    return joined


def _moved(placed: Placed, moves: Moves) -> Placed:
    """Return boxes with some limits and sets moved."""
    lower, upper, sets = placed.lower.copy(), placed.upper.copy(), dict(placed.sets)
    for (k, j, side), (_, where) in moves.items():
        if (k, j) in sets:
            sets[k, j] = where
        elif side:
            upper[k, j] = np.nextafter(where, -np.inf)
        else:
            lower[k, j] = where
    return replace(placed, lower=lower, upper=upper, sets=sets)


def _cut(placed: Placed, at: tuple[int, int, int]) -> float:
    """Return the cut of a limit: an upper one is just below."""
    k, j, side = at
    return float(np.nextafter(placed.upper[k, j], np.inf) if side else placed.lower[k, j])


def _closer(cuts: FloatArray, placed: Placed, at: tuple[int, int, int]) -> FloatArray:
    """Return cuts close by a limit, among those that were looked at."""
    here = _cut(placed, at)
    place = int(np.searchsorted(cuts, here))
    ends = cuts[max(place - 2, 0)] / 2, cuts[min(place + 2, len(cuts) - 1)] / 2
    return np.unique(np.append(2 * np.linspace(*ends, PLACES), here))


def first_places(placed: Placed, values: Matrix, cuts: dict[int, FloatArray], window: int) -> Places:
    """Return where limits may go at first: between the values of a sample, so many cuts of the levels to either side.

    ``cuts`` are those of the columns of the sample whose limits may move.
    """
    places: Places = {}
    for j, column in enumerate(placed.columns.tolist()):
        if column not in cuts:
            continue
        known = np.unique(values[:, column].astype(np.float64))
        known = known[~np.isnan(known)]
        for k, side in np.ndindex(len(placed.lower), 2):
            limit = placed.upper[k, j] if side else placed.lower[k, j]
            if not np.isfinite(limit):
                continue
            ends = np.searchsorted(cuts[column], limit, side="right") + np.array([-window, window])
            low, high = np.append(np.insert(cuts[column], 0, -np.inf), np.inf)[np.clip(ends, 0, len(cuts[column]) + 1)]
            near = known[(known >= low) & (known <= high)]
            some = np.unique(np.linspace(1, max(len(near) - 1, 1), PLACES).astype(np.intp))
            here = _cut(placed, (k, j, side))
            places[k, j, side] = np.unique(np.append(near[some[some < len(near)]], here))
    return places
