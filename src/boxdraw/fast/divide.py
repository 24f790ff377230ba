"""Stage 3, divide: which rows pull on which edge of which box, and how hard.

For the lower edge of feature j of box k, with tight box [l, u], overflow d_p = max(x_p - u_p, l_p - x_p, 0) and
D = sum_p d_p, the paper's sums (its slip E1 corrected) are

    R+ = sum over the cluster's rows with x_j in the lower half of the box   of exp(-(x_j - l_j + 1))
    R- = sum over all other rows that lie below l_j, or in the box's lower half of exp((x_j - l_j + 1) - (D - d_j))

A missing value lies within any limit, so its overflow is 0, and it pulls on no edge of its feature.

For a row outside the box the exponent of R- is 1 - D whatever j is: one exp per row and box. Only rows inside the
tight box need one per feature. Upper edges mirror the axis.

Rows come in chunks; a chunk gives `Pulls`, and those of all chunks are merged, in any order, with the same result. In a
table with many features even the nearest row may be so far from a box that exp(-D) is nothing. So rows are added up by
level, D from 0 to 8, from 8 to 16 and so on, in units of their own level; the levels that matter beside the nearest
one are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw.arrays import FloatArray, IntArray, Matrix
from boxdraw.fast.exponential import exp
from boxdraw.fast.scale import EXACT, GRID, Scaling
from boxdraw.sums import FixedPoint, Halves, halves
from boxdraw.tiles import tiles

Labels = npt.NDArray[np.signedinteger[Any]]

LEVEL = 8.0
WINDOW = 6  # levels; a row beyond them weighs less than 5e-18 of the nearest

#: The label of rows that have no part in the sums.
ABSENT = -2

# A pull below this is none: it would stop an edge at absurd costs only, and such small floats have few digits.
_LEAST_PULL = 1e-300

_NO_LEVEL = 2**62


@dataclass(frozen=True, slots=True)
class EdgeSums:
    """R+ and R-, each of shape (2, n_boxes, n_features): lower edges, then upper edges."""

    positive: FloatArray
    negative: FloatArray


@dataclass(frozen=True, slots=True)
class Rows:
    """The training rows as the sums need them; ``label`` is the cluster of a positive and -1 elsewhere."""

    X: Matrix
    weight: FloatArray | None
    label: Labels
    count: FloatArray | None = None  # how many equal rows each of them stands for

    def take(self, rows: Any) -> Rows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Rows(self.X[rows], weight, self.label[rows], None if self.count is None else self.count[rows])


@dataclass(frozen=True, slots=True)
class Pulls:
    """The sums over some rows, as whole numbers.

    ``level`` has the level of the row nearest to each box. ``outer``, of shape (WINDOW, 2, 2, n_boxes, n_features), is
    R- by level from that one on, halves (`boxdraw.sums`), and side; ``own``, without levels, is R+.
    """

    level: npt.NDArray[np.int64]
    outer: npt.NDArray[np.int64]
    own: Halves

    @classmethod
    def none(cls, n_boxes: int, n_features: int) -> Pulls:
        """Return the sums over no rows."""
        shape = 2, 2, n_boxes, n_features
        level = np.full(n_boxes, _NO_LEVEL, dtype=np.int64)
        return cls(level, np.zeros((WINDOW, *shape), dtype=np.int64), np.zeros(shape, dtype=np.int64))

    def merge(self, other: Pulls) -> Pulls:
        """Return the sums over the rows of both."""
        level = np.minimum(self.level, other.level)
        return Pulls(level, self._from(level) + other._from(level), self.own + other.own)

    def _from(self, level: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return ``outer`` with other levels first."""
        if np.array_equal(level, self.level):
            return self.outer
        result = np.zeros_like(self.outer)
        for k, shift in enumerate((self.level - level).tolist()):
            if shift < WINDOW:
                result[shift:, ..., k, :] = self.outer[: WINDOW - shift, ..., k, :]
        return result


@dataclass(frozen=True, slots=True)
class Divide:
    """The work on a chunk of rows; ``lower`` and ``upper`` are the tight boxes on the scaled axes.

    ``compiled`` chooses between NumPy, which small tables do with, and compiled code; the results are the same.
    """

    scaling: Scaling
    lower: FloatArray
    upper: FloatArray
    weight_unit: float  # weights are divided by it
    compiled: bool

    @property
    def fixed(self) -> FixedPoint:
        """The unit of the terms, the largest of which are those in the middle of a box."""
        return FixedPoint.for_terms(float((self.upper - self.lower).max(initial=0)) / 2)

    def __call__(self, rows: Rows) -> Pulls:
        """Return the sums over the rows."""
        if rows.weight is not None:
            rows = replace(rows, weight=rows.weight / self.weight_unit)
        result = Pulls.none(*self.lower.shape)
        if self.compiled and rows.count is None:
            self._compiled(rows, result)
        else:
            for tile in tiles(len(rows.X), self.lower.size):
                result = result.merge(self._plain(rows.take(tile)))
        return result

    def edge_sums(self, pulls: Pulls) -> EdgeSums:
        """Turn the sums over all rows into R+ and R-."""
        level = pulls.level + np.arange(WINDOW)[:, None].astype(np.float64)
        unit = exp(1 - LEVEL * level) * self.weight_unit
        negative = np.zeros(pulls.own.shape[1:])
        for slot, level_sums in enumerate(pulls.outer):
            if not level_sums.any():
                continue
            negative += self.fixed.value(level_sums) * unit[slot][:, None]
        negative[(negative < _LEAST_PULL) | ~self.scaling.active] = 0  # a constant feature tells no rows apart
        positive = self.fixed.value(pulls.own) * float(exp(-1)) * self.weight_unit
        # rows of next to no weight may vanish beside the others, but never altogether
        return EdgeSums(positive=np.maximum(positive, _LEAST_PULL), negative=negative)

    def _compiled(self, rows: Rows, result: Pulls) -> None:
        from boxdraw.fast.kernels import pulls

        scaling = self.scaling
        farthest = scaling.coordinate(scaling.high, np.s_[:]) - scaling.coordinate(scaling.low, np.s_[:])
        pulls(
            rows.X,
            rows.label,
            np.empty(0) if rows.weight is None else rows.weight,
            scaling.prescale,
            scaling.middle,
            scaling.steps,
            self.lower / GRID,
            self.upper / GRID,
            bool(farthest.sum() >= EXACT),
            self.fixed.per_unit,
            result.level,
            result.outer,
            result.own,
        )

    def _plain(self, rows: Rows) -> Pulls:
        """Do the work of the compiled code, for a tile."""
        columns, label = self.scaling.columns(rows.X), rows.label
        below = self.lower[:, :, None] - columns
        above = columns - self.upper[:, :, None]
        over = np.maximum(below, above)
        np.maximum(over, 0, out=over)
        if (missing := np.isnan(columns)).any():
            over[:, missing] = 0
        overflow = _exact_sum(over)
        foreign = (label != np.arange(len(self.lower))[:, None]) & (label != ABSENT)
        overflow[~foreign] = np.inf
        with np.errstate(invalid="ignore"):
            place = np.floor(overflow / LEVEL)
            pull = exp(place * LEVEL - overflow)
        nearest = place.min(axis=1)
        result = Pulls.none(*self.lower.shape)
        result.level[:] = np.where(np.isfinite(nearest), nearest, _NO_LEVEL)
        beyond = (below >= 0).astype(np.float64), (above >= 0).astype(np.float64)
        for slot in range(WINDOW):
            here = place == nearest[:, None] + slot
            here &= foreign & (overflow > 0)
            if here.any():
                thirds = self.fixed.thirds(np.where(here, pull, 0), rows.weight, rows.count).transpose(1, 2, 0)
                for side in (0, 1):
                    result.outer[slot, :, side] = halves(np.matmul(beyond[side], thirds).transpose(2, 0, 1))
        box, row = np.nonzero(overflow == 0)
        if len(box):
            result.outer[0] += self._half_boxes(columns[:, row], rows.take(row), box, 1.0)
        own = np.flatnonzero(label >= 0)
        if len(own):
            box = label[own].astype(np.intp)
            # A sample may have been clustered: rows of the cluster that are beyond its box count as on the edge.
            inside = np.clip(columns[:, own], self.lower[box].T, self.upper[box].T)
            result.own[...] = self._half_boxes(inside, rows.take(own), box, -1.0)
        return result

    def _half_boxes(self, columns: FloatArray, rows: Rows, box: IntArray, sign: float) -> Halves:
        """Sum exp(sign * depth) of rows inside their boxes, for each edge over the half of the box next to it."""
        low, high = self.lower[box].T, self.upper[box].T
        depth = np.stack([columns - low, high - columns])
        near = depth - depth[::-1] <= 2 * GRID  # a row in the very middle may be a step of the grid off it
        terms = np.zeros_like(depth)
        terms[near] = exp(sign * depth[near])  # what is missing is near no edge
        one_hot = (box[:, None] == np.arange(len(self.lower))).astype(np.float64)
        return halves((self.fixed.thirds(terms, rows.weight, rows.count) @ one_hot).transpose(0, 1, 3, 2))


def _exact_sum(over: FloatArray) -> FloatArray:
    """Add up multiples of GRID over the second axis, the same in any order."""
    plain: FloatArray = over.sum(axis=1)
    if plain.max(initial=0) < EXACT:
        return plain
    whole = np.rint(over)
    exact: FloatArray = whole.sum(axis=1) + (over - whole).sum(axis=1)
    return exact
