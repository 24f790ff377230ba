"""Stage 3, divide: which rows pull on which edge of which box, and how hard.

For the lower edge of feature j of box k, with tight box [l, u], overflow d_p = max(x_p - u_p, l_p - x_p, 0) and
D = sum_p d_p, the paper's sums (its slip E1 corrected) are

    R+ = sum over the cluster's rows with x_j in the lower half of the box   of exp(-(x_j - l_j + 1))
    R- = sum over all other rows that lie below l_j, or in the box's lower half of exp((x_j - l_j + 1) - (D - d_j))

A missing value lies within any limit, so its overflow is 0, and it pulls on no edge of its feature.

For a row outside the box the exponent of R- is 1 - D whatever j is: one exp per row and box. Only rows inside the
tight box need one per feature. Upper edges mirror the axis.

The more features, the larger D, and in many of them no row is near any box. `share_of_sum` is the part of D that is
taken in its place, so that what counts is the mean overflow of a feature.

Rows come in chunks; a chunk gives `Pulls`, and those of all chunks are merged, in any order, with the same result. In a
table with many features even the nearest row may be so far from a box that exp(-D) is nothing. So rows are added up by
level, D from 0 to 8, from 8 to 16 and so on, in units of their own level; the levels that matter beside the nearest
one are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw._core.sums import FixedPoint, Halves, halves
from boxdraw._core.tiles import tiles
from boxdraw.learners.fast.exponential import exp
from boxdraw.learners.scaling import EXACT, GRID, Scaling

Labels = npt.NDArray[np.signedinteger[Any]]

LEVEL = 8.0
WINDOW = 6  # levels; a row beyond them weighs less than 5e-18 of the nearest

#: The label of rows that have no part in the sums.
ABSENT = -2

# A pull below this is none: it would stop an edge at absurd costs only, and such small floats have few digits.
_LEAST_PULL = 1e-300

_NO_LEVEL = 2**62
_EXP_OF_MINUS_1 = float(exp(-1))


#: How many times the mean overflow of a feature stands for the sum: up to so many features, it is the sum.
MEANS = 6


def share_of_sum(distance: str, scaling: Scaling) -> float:
    """Return the part of the summed overflow that counts."""
    return min(1.0, MEANS / max(1, int(scaling.active.sum()))) if distance == "mean" else 1.0


@dataclass(frozen=True, slots=True)
class EdgeSums:
    """R+ and R-, each of shape (2, n_boxes, n_features): lower edges, then upper edges."""

    positive: FloatArray
    negative: FloatArray


@dataclass(frozen=True, slots=True)
class ClusteredRows:
    """The training rows as the sums need them; ``label`` is the cluster of a positive and -1 elsewhere."""

    X: Matrix
    weight: FloatArray | None
    label: Labels
    count: FloatArray | None = None  # how many equal rows each of them stands for

    def take(self, rows: Any) -> ClusteredRows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return ClusteredRows(self.X[rows], weight, self.label[rows], None if self.count is None else self.count[rows])


@dataclass(frozen=True, slots=True)
class Pulls:
    """The sums over some rows, as whole numbers, which can be merged in any order."""

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
    """The work on a chunk of rows; ``lower`` and ``upper`` are the tight boxes on the scaled axes."""

    scaling: Scaling
    lower: FloatArray
    upper: FloatArray
    weight_unit: float  # weights are divided by it
    compiled: bool
    share: float = 1.0  # of the overflow that counts

    @property
    def fixed(self) -> FixedPoint:
        """The unit of the terms, the largest of which are those in the middle of a box."""
        return FixedPoint.for_terms(float((self.upper - self.lower).max(initial=0)) / 2)

    def __call__(self, rows: ClusteredRows) -> Pulls:
        """Return the sums over the rows."""
        if rows.weight is not None:
            rows = replace(rows, weight=rows.weight / self.weight_unit)
        if self.compiled and rows.count is None:
            return self._compiled(rows)
        parts = [self._plain(rows.take(tile)) for tile in tiles(len(rows.X), self.lower.size)]
        return reduce(Pulls.merge, parts) if parts else Pulls.none(*self.lower.shape)

    def edge_sums(self, pulls: Pulls) -> EdgeSums:
        """Turn the sums over all rows into R+ and R-."""
        level = pulls.level + np.arange(WINDOW)[:, None].astype(np.float64)
        unit = exp(1 - LEVEL * level) * self.weight_unit
        negative = np.zeros(pulls.own.shape[1:])
        for sums, level_unit in zip(self.fixed.value(pulls.outer.swapaxes(0, 1)), unit, strict=True):
            negative += sums * level_unit[:, None]
        negative[(negative < _LEAST_PULL) | ~self.scaling.active] = 0  # a constant feature tells no rows apart
        positive = self.fixed.value(pulls.own) * _EXP_OF_MINUS_1 * self.weight_unit
        # rows of next to no weight may vanish beside the others, but never altogether
        return EdgeSums(positive=np.maximum(positive, _LEAST_PULL), negative=negative)

    def _compiled(self, rows: ClusteredRows) -> Pulls:
        from boxdraw.learners.fast.kernels import pulls

        result = Pulls.none(*self.lower.shape)
        scaling = self.scaling
        farthest = scaling.coordinate(scaling.high, np.s_[:]) - scaling.coordinate(scaling.low, np.s_[:])
        pulls(
            rows.X,
            rows.label.astype(np.int32, copy=False),  # of one type, so that numba compiles once
            np.empty(0) if rows.weight is None else rows.weight,
            scaling.prescale,
            scaling.middle,
            scaling.steps,
            self.lower / GRID,
            self.upper / GRID,
            bool(farthest.sum() >= EXACT),
            self.share,
            self.fixed.per_unit,
            result.level,
            result.outer,
            result.own,
        )
        return result

    def _plain(self, rows: ClusteredRows) -> Pulls:
        """Do the work of the compiled code in NumPy, for a tile: a first small fit takes 2.6 times as long compiled."""
        columns, label = self.scaling.columns(rows.X), rows.label
        beyond = np.empty((2, *self.lower.shape, len(label)))
        below = np.subtract(self.lower[:, :, None], columns, out=beyond[0])
        above = np.subtract(columns, self.upper[:, :, None], out=beyond[1])
        over = np.maximum(below, above)
        np.maximum(over, 0, out=over)
        if (missing := np.isnan(columns)).any():
            over[:, missing] = 0
        overflow = _exact_sum(over) * self.share
        foreign = (label != np.arange(len(self.lower))[:, None]) & (label != ABSENT)
        overflow[~foreign] = np.inf
        with np.errstate(invalid="ignore"):
            place = np.floor(overflow / LEVEL)
            pull = exp(np.where(foreign, place * LEVEL - overflow, 0))
            nearest = place.min(axis=1)
            slots = np.where(foreign & (overflow > 0), place - nearest[:, None], WINDOW)
        result = Pulls.none(*self.lower.shape)
        result.level[:] = np.where(np.isfinite(nearest), nearest, _NO_LEVEL)
        np.greater_equal(beyond, 0, out=beyond)
        for slot in range(WINDOW):
            here = slots == slot
            if here.any():
                thirds = self.fixed.thirds(np.where(here, pull, 0), rows.weight, rows.count)
                thirds = np.ascontiguousarray(thirds.transpose(1, 2, 0))  # for the fast product
                result.outer[slot] = halves(np.matmul(beyond, thirds).transpose(3, 0, 1, 2))
        inside, own = self._half_boxes(columns, rows, overflow)
        result.outer[0] += inside
        result.own[...] = own
        return result

    def _half_boxes(self, columns: FloatArray, rows: ClusteredRows, overflow: FloatArray) -> tuple[Halves, Halves]:
        """Sum exp(depth) of foreign rows inside a box, and exp(-depth) of its own, over the half next to each edge."""
        box, row = np.nonzero(overflow == 0)
        own = np.flatnonzero(rows.label >= 0)
        n_foreign = len(row)
        row, box = np.append(row, own), np.append(box, rows.label[own])
        low, high = self.lower[box].T, self.upper[box].T
        place = columns[:, row]
        # A sample may have been clustered: rows of the cluster that are beyond its box count as on the edge.
        np.clip(place, low, high, out=place)
        depth = np.stack([place - low, high - place])
        near = depth - depth[::-1] <= 2 * GRID  # a row in the very middle may be a step of the grid off it
        depth[..., n_foreign:] *= -1
        terms = np.zeros_like(depth)
        terms[near] = exp(depth[near])  # what is missing is near no edge
        weight, count = (None if values is None else values[row] for values in (rows.weight, rows.count))
        thirds = self.fixed.thirds(terms, weight, count)
        box[n_foreign:] += len(self.lower)
        one_hot = (box[:, None] == np.arange(2 * len(self.lower))).astype(np.float64)
        sums = halves((thirds @ one_hot).transpose(0, 1, 3, 2))
        return sums[:, :, : len(self.lower)], sums[:, :, len(self.lower) :]


def _exact_sum(over: FloatArray) -> FloatArray:
    """Add up multiples of GRID over the second axis, the same in any order."""
    plain: FloatArray = over.sum(axis=1)
    if plain.max(initial=0) < EXACT:
        return plain
    whole = np.rint(over)
    exact: FloatArray = whole.sum(axis=1) + (over - whole).sum(axis=1)
    return exact
