"""Critical weights of many rows, compiled: what `boxdraw.learners.fast.path` does in NumPy, with the same bits.

A box's critical weight is the least of its edges', and a row's is the largest of its boxes'. Most edges are seen
not to be the least one without an exponential: with u = y - s + 1,

    log((R+ exp(u) + expansion) exp(u) / R-) >= max(2 u + log(R+ / R-), u + log(expansion / R-)).

The negative that stops an edge on its way to a value is no farther out than the value, so it can only raise the weight.
Where the bound for the value itself is not below the least weight so far, that negative need not be looked up either.
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
from boxdraw.learners.scaling import GRID

_CELLS = 2**18  # of a thread's turn
_FARTHEST = float(np.finfo(np.float64).max)
_NOTHING = np.empty(0)
_LEAST = -1e300  # stands for the log of 0, so that no sum with it is NaN
_MARGIN = 1e-3  # far more than what a bound or a weight may be off by
_TINY = 1e-300  # numbers below have few digits, and no bound is drawn from them


def compiled_weights(
    edges: Edges, X: Matrix, expansions: Sequence[float], growth: Growth, n_jobs: int | None
) -> FloatArray:
    """Return the critical weights of rows, a row per expansion."""
    scaling = edges.scaling
    scale = np.stack([scaling.low, scaling.high, scaling.prescale, scaling.middle, scaling.steps])
    unseen = edges.scaled_range()[0].reshape(-1)
    forces = _forces(edges, np.array(expansions, dtype=np.float64))
    stops = _flat_stops(edges.stops if growth.stops_at_negatives else None)
    most = np.inf if growth.may_shrink else 0.0  # within its tight limit, a growing edge has any value inside
    result = np.empty((len(expansions), len(X)))

    def work(start: int) -> None:
        rows = np.s_[start : start + step]
        chunk = np.ascontiguousarray(edges.order.apply(X[rows]))
        _weigh(chunk, scale, unseen, *forces, most, *stops, result[:, rows])

    step = max(1, _CELLS // X.shape[1])
    for _ in threaded_map(work, range(0, len(X), step), n_jobs):
        pass
    return result


def _forces(edges: Edges, expansions: FloatArray) -> tuple[FloatArray, ...]:
    """Return the tight limits, R+, R-, the expansions and both parts of the bound; lower edges first."""
    tight, positive, negative = map(_flat, (edges.tight, edges.sums.positive, edges.sums.negative))
    with np.errstate(divide="ignore"):
        log_negative = np.log(negative)
        log_expansion = np.maximum(np.log(expansions), _LEAST)
    quadratic, linear = np.log(positive) - log_negative, log_expansion[:, None, None] - log_negative
    return tight, positive, negative, expansions, 2 + quadratic, 1 + linear


def _flat(edges: FloatArray) -> FloatArray:
    return np.concatenate([edges[0], edges[1]], axis=1)


def _flat_stops(stops: Stops | None) -> tuple[Any, ...]:
    """Return the spans of all features in a row, those of feature j from the j-th to the next of the starts."""
    if stops is None:
        return np.zeros(1, dtype=np.intp), _NOTHING, _NOTHING, _NOTHING, _NOTHING
    start = np.cumsum([0, *map(len, stops.first)])
    return start, *map(np.concatenate, (stops.first, stops.last, stops.scaled_first, stops.scaled_last))


@entry
def _weigh(
    X,
    scale,
    unseen,
    tight,
    positive,
    negative,
    expansions,
    quadratic,
    linear,
    most,
    start,
    first,
    last,
    scaled_first,
    scaled_last,
    result,
):
    """Fill in the critical weights of rows; those of values ``most`` or more above a tight limit are infinite."""
    n_edges = tight.shape[1]
    values, mirrored = np.empty(n_edges), np.empty(n_edges)
    for i in range(len(X)):
        _place(X, i, scale, unseen, values, mirrored)
        for e in range(len(expansions)):
            best = -1.0
            for k in range(len(tight)):
                least = enough = np.inf
                for m in range(n_edges):
                    above = mirrored[m] - tight[k, m]
                    bound = more(2 * above + quadratic[k, m], above + linear[e, k, m])
                    if (bound >= enough) | (above >= most):
                        continue
                    if len(first):
                        stop = _first_stop(values[m], mirrored[m], m, start, first, last, scaled_first, scaled_last)
                        above = stop - tight[k, m]
                    weight = (
                        _edge_weight(above, positive[k, m], negative[k, m], expansions[e]) if above < most else np.inf
                    )
                    if weight < least:
                        least, enough = weight, _log_above(weight)
                    if least <= best:
                        break
                best = more(least, best)
            result[e, i] = best


@inner
def _edge_weight(above, positive, negative, expansion):
    t = exp(above + 1)
    return (positive * t + expansion) * t / negative


@inner
def _log_above(weight):
    """Return what a bound has to reach to be sure that no weight is less."""
    return np.log(weight) + _MARGIN if weight > _TINY else np.inf


@inner
def _place(X, i, scale, unseen, values, mirrored):
    """Find where a row is on the scaled, mirrored axes: what is missing infinitely far inside."""
    n_features = X.shape[1]
    for j in range(n_features):
        x = np.float64(X[i, j])
        within = less(more(x, scale[0, j]), scale[1, j])
        scaled = np.rint((within * scale[2, j] - scale[3, j]) * scale[4, j]) * GRID
        values[j] = values[n_features + j] = x
        mirrored[j] = np.inf if np.isnan(x) else scaled
        mirrored[n_features + j] = np.inf if np.isnan(x) else -scaled
    for j in range(n_features):
        if np.isinf(values[j]):
            values[j], values[n_features + j] = -_FARTHEST, _FARTHEST
            mirrored[j], mirrored[n_features + j] = unseen[j], unseen[n_features + j]


@inner
def _first_stop(value, mirrored, m, start, first, last, scaled_first, scaled_last):
    """Return, on the scaled, mirrored axis, the first stop that an edge meets on its way out to a value."""
    n_features = len(start) - 1
    if m < n_features:
        begin, end = start[m], start[m + 1]
        place = begin + np.searchsorted(last[begin:end], value)
        return mirrored if first[place] < value else scaled_first[place]
    begin, end = start[m - n_features], start[m - n_features + 1]
    place = begin + np.searchsorted(first[begin:end], value, side="right") - 1
    return mirrored if last[place] > value else -scaled_last[place]
