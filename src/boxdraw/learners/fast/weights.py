"""Critical weights of many rows, compiled: what `boxdraw.learners.fast.path` does in NumPy, with the same bits.

A box's critical weight is the least of its edges', and a row's is the largest of its boxes'. With t = exp(y), the
weight of an edge is a polynomial in t, R+ exp(1 - s)^2 / R- t^2 + expansion exp(1 - s) / R- t, which is found fast for
many rows at a time, but with other roundings. It says which edge decides; only that one's weight is then computed to
the last bit.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw._core.compiled import entry, inner
from boxdraw._core.extremes import less, more
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.kernels import exp
from boxdraw.learners.fast.stops import LOWER, UPPER, Stops
from boxdraw.learners.scaling import GRID, Scaling

_CELLS = 2**18  # of a thread's turn
_FARTHEST = float(np.finfo(np.float64).max)
_CLEAR = 1 + 1e-9  # far more than how far two equal weights may be apart
_TINY = 1e-250  # of a term of a fast weight: with what is scaled to be far in, less might vanish
_WIDEST = 20.0  # no scaled value is larger
_TILE = 384  # rows


def compiled_weights(
    edges: Edges, X: Matrix, expansions: Sequence[float], growth: Growth, n_jobs: int | None
) -> FloatArray:
    """Return the critical weights of rows, a row per expansion."""
    result = np.empty((len(expansions), len(X)))
    weigh = Weigh(edges, expansions, growth)
    stops = edges.stops if growth.stops_at_negatives else None

    def work(start: int) -> None:
        rows = np.s_[start : start + step]
        ends = stopped(edges.order.apply(X[rows]), stops)
        weigh(place(edges.scaling, ends), result[:, rows])

    step = max(1, _CELLS // X.shape[1])
    for _ in threaded_map(work, range(0, len(X), step), n_jobs):
        pass
    return result


def stopped(X: Matrix, stops: Stops | None) -> FloatArray:
    """Return the values at which lower edges and upper ones stop on their way out to those of the rows."""
    columns = np.ascontiguousarray(X.T, dtype=np.float64)
    ends, unseen = np.stack([columns, columns]), np.isinf(columns)
    if unseen.any():
        ends[LOWER][unseen], ends[UPPER][unseen] = -_FARTHEST, _FARTHEST
    if stops is not None:
        start = np.cumsum([0, *map(len, stops.first)])
        _stop(start, np.concatenate(stops.first), np.concatenate(stops.last), np.argsort(ends, axis=2), ends)
    return ends


def place(scaling: Scaling, ends: FloatArray) -> FloatArray:
    """Return the scaled, mirrored values, a row per edge of a box, lower ones first; what is missing is far inside."""
    scale = np.stack([scaling.low, scaling.high, scaling.prescale, scaling.middle, scaling.steps])
    result = np.empty((2 * ends.shape[1], ends.shape[2]))
    _place(ends, scale, result)
    return result


class Weigh:
    """The critical weights of placed rows for some edges, expansions and a growth rule."""

    def __init__(self, edges: Edges, expansions: Sequence[float], growth: Growth) -> None:
        tight, positive, negative = map(_flat, (edges.tight, edges.sums.positive, edges.sums.negative))
        pushes = np.array(expansions, dtype=np.float64)
        most = np.inf if growth.may_shrink else 0.0  # within its tight limit, a growing edge has any value inside
        self._exact = tight, positive, negative, pushes, most
        known, outwards = negative > 0, np.append(positive, pushes)
        # Weights in units in which neither large nor small forces are lost; if that can't be, none is found fast.
        out, back = (
            np.sqrt(forces[forces > 0].min(initial=1.0)) * np.sqrt(forces.max()) for forces in (outwards, negative)
        )
        with np.errstate(all="ignore"):
            far, pushes = np.exp(1 - tight), pushes / out
            square, slope = positive / negative * far * far * (back / out), np.where(known, far / negative * back, 0.0)
            terms = [square[known], *(push * slope[known] for push in pushes[pushes > 0])]
        tame = all(((term > _TINY) & (term < 1 / _TINY)).all() for term in terms)
        self._fast = square, slope, pushes, tame

    def __call__(self, placed: FloatArray, result: FloatArray) -> None:
        """Fill in the weights, a row per expansion."""
        _weigh(placed, np.exp(np.minimum(placed, _WIDEST)), self._fast, self._exact, result)


def _flat(edges: FloatArray) -> FloatArray:
    return np.concatenate([edges[0], edges[1]], axis=1)


@entry
def _weigh(placed, grown, fast, exact, result):
    """Fill in the critical weights of rows; those of values ``most`` or more above a tight limit are infinite."""
    square, slope, pushes, tame = fast
    tight, most = exact[0], exact[4]
    n_edges, n_rows = placed.shape
    values, t = np.zeros((n_edges, _TILE)), np.zeros((n_edges, _TILE))
    twice, once = np.empty(_TILE), np.empty(_TILE)
    shape = len(pushes), _TILE
    least, second, edge = np.empty(shape), np.empty(shape), np.empty(shape)
    largest, runner_up, beside, whose = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    for begin in range(0, n_rows, _TILE):
        n = min(_TILE, n_rows - begin)
        for j in range(n_edges):
            for i in range(n):
                values[j, i], t[j, i] = placed[j, begin + i], grown[j, begin + i]
        largest[:], runner_up[:] = -1.0, -1.0
        for k in range(len(tight)):
            least[:], second[:] = np.inf, np.inf
            for j in range(n_edges):
                _powers(values[j], t[j], tight[k, j], square[k, j], slope[k, j], most, twice, once)
                for e in range(len(pushes)):
                    _two_least(twice, once, pushes[e], np.float64(k * n_edges + j), least[e], second[e], edge[e])
            for e in range(len(pushes)):
                _two_largest(least[e], second[e], edge[e], largest[e], runner_up[e], beside[e], whose[e])
        for e in range(len(pushes)):
            for i in range(n):
                found = largest[e, i]
                clear = (found > runner_up[e, i] * _CLEAR) & (beside[e, i] > found * _CLEAR)
                if found == np.inf and tame:
                    weight = np.inf
                elif clear & tame:
                    k, j = divmod(np.int64(whose[e, i]), n_edges)
                    weight = _edge_weight(values[j, i], k, j, e, exact)
                else:
                    weight = _row_weight(values[:, i], e, exact)
                result[e, begin + i] = weight


@inner
def _powers(values, t, tight, square, slope, most, twice, once):
    """Find both terms of an edge's weights; infinite where any cost leaves a value inside."""
    for i in range(_TILE):
        power = t[i] if values[i] - tight < most else np.inf
        twice[i] = square * power * power
        once[i] = slope * t[i]


@inner
def _two_least(twice, once, push, number, least, second, edge):
    """Keep the two least weights of a box so far, and whose the first is."""
    for i in range(_TILE):
        weight = twice[i] + push * once[i]
        edge[i] = number if weight < least[i] else edge[i]
        second[i] = less(more(weight, least[i]), second[i])
        least[i] = less(weight, least[i])


@inner
def _two_largest(least, second, edge, largest, runner_up, beside, whose):
    """Keep the two largest weights of boxes so far; of the first also the weight next to it, and whose it is."""
    for i in range(_TILE):
        better = least[i] > largest[i]
        runner_up[i] = more(less(least[i], largest[i]), runner_up[i])
        beside[i] = second[i] if better else beside[i]
        whose[i] = edge[i] if better else whose[i]
        largest[i] = more(least[i], largest[i])


@inner
def _row_weight(values, e, exact):
    """Return the weight of a row from all edges of all boxes."""
    tight, _, negative, _, most = exact
    largest = 0.0
    for k in range(len(tight)):
        least = np.inf
        for j in range(len(values)):
            if (values[j] - tight[k, j] < most) & (negative[k, j] > 0):
                least = less(_edge_weight(values[j], k, j, e, exact), least)
        largest = more(least, largest)
    return largest


@inner
def _edge_weight(value, k, j, e, exact):
    tight, positive, negative, expansions, _ = exact
    t = exp(value - tight[k, j] + 1)
    return (positive[k, j] * t + expansions[e]) * t / negative[k, j]


@entry
def _place(ends, scale, result):
    """Scale and mirror values."""
    n_features = ends.shape[1]
    for j in range(n_features):
        low, high, prescale, middle, steps = scale[0, j], scale[1, j], scale[2, j], scale[3, j], scale[4, j]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for i in range(ends.shape[2]):
                x = ends[side, j, i]
                within = less(more(x, low), high)
                scaled = sign * np.rint((within * prescale - middle) * steps) * GRID
                result[side * n_features + j, i] = np.inf if np.isnan(x) else scaled


@entry
def _stop(start, first, last, order, ends):
    """Replace values by the first stop that an edge meets on its way out to them."""
    for j in range(ends.shape[1]):
        below, above = start[j], start[j]
        for i in order[0, j]:  # sorted values: the next stop is not far from the one before
            if ends[0, j, i] == ends[0, j, i]:
                below = _leap(last, below, start[j + 1], ends[0, j, i], False)
                ends[0, j, i] = ends[0, j, i] if first[below] < ends[0, j, i] else first[below]
        for i in order[1, j]:
            if ends[1, j, i] == ends[1, j, i]:
                above = _leap(first, above, start[j + 1], ends[1, j, i], True)
                ends[1, j, i] = ends[1, j, i] if last[above - 1] > ends[1, j, i] else last[above - 1]


@inner
def _leap(values, place, end, x, past):
    """Return the first place from ``place`` on of a sorted value that is at least x, or ``past`` x."""
    step = 1
    while place + step <= end and (values[place + step - 1] < x or (past and values[place + step - 1] == x)):
        place += step
        step *= 2
    while step > 1:
        step //= 2
        if place + step <= end and (values[place + step - 1] < x or (past and values[place + step - 1] == x)):
            place += step
    return place
