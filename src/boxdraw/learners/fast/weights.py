"""Critical weights of many rows, compiled: what `boxdraw.learners.fast.path` does in NumPy, with the same bits.

A box's critical weight is the least of its edges', and a row's is the largest of its boxes'. With u = y - s + 1, the
log of an edge's weight, log((R+ exp(u) + expansion) exp(u) / R-), is at most log 5/4 above

    max(a, b, (a + b) / 2 + log 2),   a = 2 u + log(R+ / R-),   b = u + log(expansion / R-).

The two least of these bounds are found first, for many rows at a time. Boxes that are seen not to be the best one, and
edges that are seen not to be the least one, then need no exponential.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw._core.compiled import entry, inner
from boxdraw._core.extremes import less, more
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.kernels import exp
from boxdraw.learners.fast.stops import Stops
from boxdraw.learners.scaling import GRID, Scaling
from boxdraw.tables.order import Order

_CELLS = 2**18  # of a thread's turn
_FARTHEST = float(np.finfo(np.float64).max)
_NOTHING = np.empty(0)
_LEAST = -1e300  # stands for the log of 0, so that no sum with it is NaN
_MARGIN = 1e-3  # far more than what a bound or a weight may be off by
_ABOVE_BOUND = float(np.log(1.25)) + _MARGIN
_LOG_2 = float(np.log(2))
_TINY = 1e-300  # numbers below have few digits, and no bound is drawn from them
_TILE = 256  # rows


def compiled_weights(
    edges: Edges, X: Matrix, expansions: Sequence[float], growth: Growth, n_jobs: int | None
) -> FloatArray:
    """Return the critical weights of rows, a row per expansion."""
    result = np.empty((len(expansions), len(X)))
    weigh = Weigh(edges, expansions, growth)
    stops = edges.stops if growth.stops_at_negatives else None
    # A growing edge has any value within its tight limit inside, and no negative need be looked for.
    innermost = edges.tight.max(axis=1).reshape(-1)

    def work(start: int) -> None:
        rows = np.s_[start : start + step]
        weigh(place(edges.scaling, edges.order, stops, X[rows], innermost), result[:, rows])

    step = max(1, _CELLS // X.shape[1])
    for _ in threaded_map(work, range(0, len(X), step), n_jobs):
        pass
    return result


def place(
    scaling: Scaling, order: Order, stops: Stops | None, X: Matrix, innermost: FloatArray | None = None
) -> FloatArray:
    """Return the scaled, mirrored values that decide, a row per edge of a box: lower edges, then upper ones.

    Those that are not beyond the innermost edges may be left where they are.
    """
    scale = np.stack([scaling.low, scaling.high, scaling.prescale, scaling.middle, scaling.steps])
    ends = scaling.coordinate(scaling.low, np.s_[:]), -scaling.coordinate(scaling.high, np.s_[:])
    result = np.empty((2 * X.shape[1], len(X)))
    innermost = np.full(len(result), np.inf) if innermost is None else innermost
    _place(np.ascontiguousarray(order.apply(X)), scale, np.concatenate(ends), innermost, *_flat_stops(stops), result)
    return result


class Weigh:
    """The critical weights of placed rows for some edges, expansions and a growth rule."""

    def __init__(self, edges: Edges, expansions: Sequence[float], growth: Growth) -> None:
        tight, positive, negative = map(_flat, (edges.tight, edges.sums.positive, edges.sums.negative))
        pushes = np.array(expansions, dtype=np.float64)
        with np.errstate(divide="ignore"):
            log_negative = np.log(negative)
            log_pushes = np.maximum(np.log(pushes), _LEAST)
        bounds = 2 + np.log(positive) - log_negative, 1 - log_negative
        most = np.inf if growth.may_shrink else 0.0  # within its tight limit, a growing edge has any value inside
        self._forces = tight, positive, negative, pushes, *bounds, log_pushes, most

    def __call__(self, placed: FloatArray, result: FloatArray) -> None:
        """Fill in the weights, a row per expansion."""
        _weigh(placed, *self._forces, result)


def _flat(edges: FloatArray) -> FloatArray:
    return np.concatenate([edges[0], edges[1]], axis=1)


def _flat_stops(stops: Stops | None) -> tuple[Any, ...]:
    """Return the spans of all features in a row, those of feature j from the j-th to the next of the starts."""
    if stops is None:
        return np.zeros(1, dtype=np.intp), _NOTHING, _NOTHING, _NOTHING, _NOTHING
    start = np.cumsum([0, *map(len, stops.first)])
    return start, *map(np.concatenate, (stops.first, stops.last, stops.scaled_first, stops.scaled_last))


@entry
def _weigh(placed, tight, positive, negative, expansions, quadratic, linear, log_expansions, most, result):
    """Fill in the critical weights of rows; those of values ``most`` or more above a tight limit are infinite."""
    n_edges, n_rows = placed.shape
    n_pushes = len(expansions)
    values, twice, once = np.zeros((n_edges, _TILE)), np.empty(_TILE), np.empty(_TILE)
    least, second, edge = np.empty((n_pushes, _TILE)), np.empty((n_pushes, _TILE)), np.empty((n_pushes, _TILE))
    best, log_best = np.empty((n_pushes, _TILE)), np.empty((n_pushes, _TILE))
    for begin in range(0, n_rows, _TILE):
        n = min(_TILE, n_rows - begin)
        values[:, :n] = placed[:, begin : begin + n]
        best[:], log_best[:] = -1.0, -np.inf
        for k in range(len(tight)):
            least[:], second[:], edge[:] = np.inf, np.inf, 0.0
            for j in range(n_edges):
                _twice_and_once(values[j], tight[k, j], quadratic[k, j], linear[k, j], most, twice, once)
                for e in range(n_pushes):
                    _two_least(twice, once, log_expansions[e], np.float64(j), least[e], second[e], edge[e])
            for e in range(n_pushes):
                for i in range(n):
                    if least[e, i] + _ABOVE_BOUND < log_best[e, i]:
                        continue
                    m = np.int64(edge[e, i])
                    weight = np.inf
                    if least[e, i] < np.inf:
                        above = values[m, i] - tight[k, m]
                        weight = _edge_weight(above, positive[k, m], negative[k, m], expansions[e])
                    log_weight = np.log(weight) if weight > _TINY else -np.inf
                    if (log_weight + _MARGIN > second[e, i]) | (weight <= _TINY):
                        pushes = expansions[e], log_expansions[e]
                        weight = _of_all(
                            values[:, i], tight[k], positive[k], negative[k], pushes, quadratic[k], linear[k], most
                        )
                        log_weight = np.log(weight) if weight > _TINY else -np.inf
                    if weight > best[e, i]:
                        best[e, i], log_best[e, i] = weight, log_weight
        result[:, begin : begin + n] = best[:, :n]


@inner
def _twice_and_once(values, tight, quadratic, linear, most, twice, once):
    """Find both parts of the bounds of an edge."""
    for i in range(_TILE):
        above = values[i] - tight
        above = np.inf if above >= most else above
        twice[i] = 2 * above + quadratic
        once[i] = above + linear


@inner
def _bound(a, b):
    return more(more(a, b), (a + b) * 0.5 + _LOG_2)


@inner
def _two_least(twice, once, log_expansion, m, least, second, edge):
    """Keep the two least bounds so far, and whose the first is."""
    for i in range(_TILE):
        bound = _bound(twice[i], once[i] + log_expansion)
        edge[i] = m if bound < least[i] else edge[i]
        second[i] = less(more(bound, least[i]), second[i])
        least[i] = less(bound, least[i])


@inner
def _of_all(values, tight, positive, negative, pushes, quadratic, linear, most):
    """Return the weight of a box for a row where more than one edge may have the least."""
    weight, enough = np.inf, np.inf
    for m in range(len(values)):
        above = values[m] - tight[m]
        if (_bound(2 * above + quadratic[m], above + linear[m] + pushes[1]) < enough) & (above < most):
            weight = less(_edge_weight(above, positive[m], negative[m], pushes[0]), weight)
            enough = np.log(weight) + _MARGIN if weight > _TINY else np.inf
    return weight


@inner
def _edge_weight(above, positive, negative, expansion):
    t = exp(above + 1)
    return (positive * t + expansion) * t / negative


@entry
def _place(X, scale, unseen, innermost, start, first, last, scaled_first, scaled_last, result):
    """Find where rows are on the scaled, mirrored axes: what is missing infinitely far inside."""
    n_features = X.shape[1]
    for j in range(n_features):
        upper = n_features + j
        for i in range(len(X)):
            x = np.float64(X[i, j])
            within = less(more(x, scale[0, j]), scale[1, j])
            scaled = np.rint((within * scale[2, j] - scale[3, j]) * scale[4, j]) * GRID
            result[j, i] = np.inf if np.isnan(x) else scaled
            result[upper, i] = np.inf if np.isnan(x) else -scaled
            if np.isinf(x):
                result[j, i], result[upper, i] = unseen[j], unseen[upper]
        if len(first):
            for i in range(len(X)):
                x = np.float64(X[i, j])
                if result[j, i] < innermost[j]:
                    low = -_FARTHEST if np.isinf(x) else x
                    result[j, i] = _stop_below(low, result[j, i], j, start, first, last, scaled_first)
                if result[upper, i] < innermost[upper]:
                    high = _FARTHEST if np.isinf(x) else x
                    result[upper, i] = _stop_above(high, result[upper, i], j, start, first, last, scaled_last)


@inner
def _stop_below(value, mirrored, j, start, first, last, scaled_first):
    """Return, on the scaled axis, the first stop that a lower edge meets on its way out to a value."""
    begin, end = start[j], start[j + 1]
    place = begin + np.searchsorted(last[begin:end], value)
    return mirrored if first[place] < value else scaled_first[place]


@inner
def _stop_above(value, mirrored, j, start, first, last, scaled_last):
    begin, end = start[j], start[j + 1]
    place = begin + np.searchsorted(first[begin:end], value, side="right") - 1
    return mirrored if last[place] > value else -scaled_last[place]
