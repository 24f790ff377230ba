"""Stage 3, divide: which rows pull on which edge of which box, and how hard.

For the lower edge of feature j of box k, with tight box [l, u], overflow d_p = max(x_p - u_p, l_p - x_p, 0) and
D = sum_p d_p, the paper's sums (its slip E1 corrected) are

    R+ = sum over the cluster's rows with x_j in the lower half of the box   of exp(-(x_j - l_j + 1))
    R- = sum over all other rows that lie below l_j, or in the box's lower half of exp((x_j - l_j + 1) - (D - d_j))

A missing value lies within any limit, so its overflow is 0, and it pulls on no edge of its feature.

For a row outside the box the exponent of R- is 1 - D whatever j is: one exp per row and box. Only rows inside the
tight box need one per feature. Upper edges mirror the axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from boxdraw.arrays import FloatArray, IntArray, Matrix
from boxdraw.fast.scale import EXACT, GRID, Scaling
from boxdraw.sums import Splitter
from boxdraw.tiles import threaded_map, tiles

# Rows farther than this from a box weigh less than 4e-4 of one beside it. Where all rows are, the sums are taken
# relative to the nearest one, so that many features can't underflow them. (An edge that only sees rows very much
# farther than that one still gets R- = 0: beside the edges that see the nearest row, it never decides.)
_NEAR = 8.0

# A pull below this is none: it would stop an edge at absurd costs only, and such small floats have few digits.
_LEAST_PULL = 1e-300

# Up to this total weight, terms are split to 2e-13 (on a range of width 2; 1e-9 on the widest, 20); heavier weights are
# scaled down first.
_MOST_WEIGHT_BITS = 30


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
    label: IntArray
    total_weight: float


def edge_sums(rows: Rows, scaling: Scaling, lower: FloatArray, upper: FloatArray, n_jobs: int | None) -> EdgeSums:
    """Compute R+ and R- of every edge; lower and upper are the tight boxes on the scaled axes."""
    rows, unit = _moderate_weights(rows)
    largest = float(np.exp((upper - lower).max(initial=0) / 2 + 1))
    splitter = Splitter.for_terms(largest, rows.total_weight, len(rows.X))
    reference = np.zeros(len(lower))
    parts, nearest = _negative_parts(rows, scaling, lower, upper, reference, splitter, n_jobs)
    far = np.isfinite(nearest) & (nearest > _NEAR)
    if far.any():
        reference[far] = nearest[far]
        parts, _ = _negative_parts(rows, scaling, lower, upper, reference, splitter, n_jobs)
    negative = splitter.value(parts) * np.exp(1 - reference)[:, None] * unit
    negative[(negative < _LEAST_PULL) | ~scaling.active] = 0  # a constant feature tells no rows apart
    positive = _positive_sums(rows, scaling, lower, upper, splitter) * unit
    # rows of next to no weight may vanish beside the others, but never altogether
    return EdgeSums(positive=np.maximum(positive, _LEAST_PULL), negative=negative)


def _moderate_weights(rows: Rows) -> tuple[Rows, float]:
    """Scale very large weights down by a power of two; also return that power."""
    excess = math.ceil(math.log2(rows.total_weight)) - _MOST_WEIGHT_BITS
    if rows.weight is None or excess <= 0:
        return rows, 1.0
    unit = math.ldexp(1.0, excess)
    return Rows(rows.X, rows.weight / unit, rows.label, rows.total_weight / unit), unit


def _negative_parts(
    rows: Rows,
    scaling: Scaling,
    lower: FloatArray,
    upper: FloatArray,
    reference: FloatArray,
    splitter: Splitter,
    n_jobs: int | None,
) -> tuple[FloatArray, FloatArray]:
    """Sum the parts of R- * exp(reference - 1) over all tiles; also the nearest overflow per box."""

    def work(tile: slice) -> tuple[FloatArray, FloatArray]:
        weight = None if rows.weight is None else rows.weight[tile]
        columns = scaling.columns(rows.X[tile])
        return _tile_parts(columns, weight, rows.label[tile], lower, upper, reference, splitter)

    n_boxes, n_features = lower.shape
    parts = np.zeros((2, 2, n_boxes, n_features))
    nearest = np.full(n_boxes, np.inf)
    for tile_parts, tile_nearest in threaded_map(work, tiles(len(rows.X), lower.size), n_jobs):
        parts += tile_parts
        np.minimum(nearest, tile_nearest, out=nearest)
    return parts, nearest


def _tile_parts(
    columns: FloatArray,
    weight: FloatArray | None,
    label: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    reference: FloatArray,
    splitter: Splitter,
) -> tuple[FloatArray, FloatArray]:
    """Return the parts of one tile, of shape (2 parts, 2 sides, n_boxes, n_features), and its nearest overflow."""
    n_boxes, n_features = lower.shape
    below = lower[:, :, None] - columns
    above = columns - upper[:, :, None]
    over = np.maximum(below, above)
    np.maximum(over, 0, out=over)
    if (missing := np.isnan(columns)).any():
        over[:, missing] = 0
    overflow = _exact_sum(over)
    foreign = label != np.arange(n_boxes)[:, None]
    nearest = np.where(foreign, overflow, np.inf).min(axis=1)

    inside = foreign & (overflow == 0)
    pull = np.exp(np.minimum(reference[:, None] - overflow, 0))  # positive only for the cluster's own rows
    pull[~foreign | inside] = 0
    pulls = np.ascontiguousarray(splitter.split(pull, weight).transpose(1, 2, 0))
    parts = np.empty((2, 2, n_boxes, n_features))
    for side, beyond in enumerate((below, above)):
        parts[:, side] = np.matmul((beyond >= 0).astype(np.float64), pulls).transpose(2, 0, 1)

    box, row = np.nonzero(inside)
    if len(box):
        row_weight = None if weight is None else weight[row]
        parts += _half_box_parts(columns[:, row], row_weight, box, lower, upper, 1.0, splitter)
    return parts, nearest


def _exact_sum(over: FloatArray) -> FloatArray:
    """Add up multiples of GRID over the second axis, the same in any order."""
    plain: FloatArray = over.sum(axis=1)
    if plain.max(initial=0) < EXACT:
        return plain
    whole = np.rint(over)
    exact: FloatArray = whole.sum(axis=1) + (over - whole).sum(axis=1)
    return exact


def _half_box_parts(
    columns: FloatArray,
    weight: FloatArray | None,
    box: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    sign: float,
    splitter: Splitter,
) -> FloatArray:
    """Sum exp(sign * depth) of rows inside their boxes, for each edge over the half of the box next to it."""
    low, high = lower[box].T, upper[box].T
    depth = np.stack([columns - low, high - columns])
    terms = np.exp(sign * depth)
    terms[depth - depth[::-1] > 2 * GRID] = 0  # a row in the very middle may be a step of the grid off it
    terms[np.isnan(depth)] = 0
    one_hot = (box[:, None] == np.arange(len(lower))).astype(np.float64)
    parts: FloatArray = (splitter.split(terms, weight) @ one_hot).transpose(0, 1, 3, 2)
    return parts


def _positive_sums(
    rows: Rows, scaling: Scaling, lower: FloatArray, upper: FloatArray, splitter: Splitter
) -> FloatArray:
    members = np.flatnonzero(rows.label >= 0)
    weight = None if rows.weight is None else rows.weight[members]
    columns = scaling.columns(rows.X[members])
    parts = _half_box_parts(columns, weight, rows.label[members], lower, upper, -1.0, splitter)
    return splitter.value(parts) * np.exp(-1)
