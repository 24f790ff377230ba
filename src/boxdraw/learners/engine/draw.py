"""Draw: search for the drawing of several boxes by destroying and repairing one or two of them at a time.

A round drops a box or two, draws others from random starts on the rows that the rest leave, and climbs with every box
in turn. The new drawing stays unless it is worse. Where limits cost nothing, boxes have many of them and little room to
move: there it helps to move a few limits of a box instead, and to put up with a slightly worse drawing now and then.
Everything follows from the seed.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boxdraw._core.compiled import entry, inner, merged
from boxdraw.learners.engine.climb import (
    LEAST_GAIN,
    NO_END,
    NOTHING,
    Prices,
    climb,
    count_out,
    make_rows,
    make_scratch,
    n_limits,
    no_masks,
)

# Chances of a start, added up: half the limits of the old box, limits around a positive, the neighbours of a positive,
# a given box, no limits.
_HALF, _AROUND, _NEAR, _GIVEN = 0.35, 0.75, 0.85, 0.95
_TWO = 0.3  # the chance that two boxes are dropped
_ROUGH = 0.3  # the chance that the first new box is not climbed with before the others are
_SLACK = 0.1  # the chance that a drawing may be worse by the slack
_OPEN = 0.7  # the chance that a feature is open from the first move on


class Drawing(NamedTuple):
    """Boxes on levels, as many as there may be; those that are not used are anything."""

    lo: Any  # (boxes, features)
    hi: Any
    used: Any  # per box


class Effort(NamedTuple):
    """How long to search."""

    rounds: int
    patience: int  # rounds without a better drawing that end the search
    seed: int
    moves: int = NO_END  # of all climbs together, which end it too
    shake: float = 0.0  # the chance that a few limits of a box are moved, and none is dropped
    slack: float = 0.0  # by how much a drawing may be worse than the one before, in some of the rounds


@inner
def _random(state):
    """Return a number from [0, 1): SplitMix64 (Steele, Lea and Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@inner
def _below(state, n):
    """Return a whole number from 0 to n - 1."""
    return int(_random(state) * n)


@inner
def _count_out(rows, lo, hi, scratch):
    """Return how many features keep each row out of a box."""
    n_out = scratch.n_out
    for i in range(len(n_out)):
        n_out[i] = 0
    count_out(rows, lo, hi, n_out, scratch.out_by)
    return n_out


@inner
def _cover(rows, lo, hi, taken, number, scratch):
    """Add a number to the count of each row that a box holds."""
    if number == 0:
        return
    n_out = _count_out(rows, lo, hi, scratch)
    for i in range(len(n_out)):
        taken[i] += number * (n_out[i] == 0)


@inner
def _value(rows, prices, drawing, taken):
    value = 0.0
    for i in range(len(taken)):
        if taken[i] > 0:
            value += rows.weight[i]
    for k in range(len(drawing.used)):
        if drawing.used[k]:
            value -= prices.box + prices.limit * n_limits(rows, drawing.lo[k], drawing.hi[k])
    return value


@entry
def evaluate(rows, prices, drawing):
    """Return the value of a drawing, and how many of its boxes hold each row."""
    taken, scratch = np.zeros(rows.low.shape[1], np.int16), make_scratch(rows, 0)
    for k in range(len(drawing.used)):
        _cover(rows, drawing.lo[k], drawing.hi[k], taken, int(drawing.used[k]), scratch)
    return _value(rows, prices, drawing, taken), taken


@inner
def _copy(lo, hi, to_lo, to_hi):
    for j in range(len(lo)):
        to_lo[j], to_hi[j] = lo[j], hi[j]


@inner
def _no_limits(rows, lo, hi):
    for j in range(len(lo)):
        lo[j], hi[j] = 0, rows.n_levels[j] - 1


@inner
def _apart(rows, i, centre):
    """Return how far two rows are apart: the sum over features of the levels between them, as shares."""
    distance = 0.0
    for j in range(len(rows.n_levels)):
        distance += abs(int(rows.low[j, i]) - int(rows.low[j, centre])) / rows.n_levels[j]
    return distance


@inner
def _near_box(rows, centre, taken, lo, hi, state):
    """Draw the box around the positives near one of them, as near as the nearest of a few others, among the free."""
    radius = np.inf
    for _ in range(1 + _below(state, 24)):
        i = rows.positive[_below(state, len(rows.positive))]
        if taken[i] == 0 and i != centre:
            radius = min(radius, _apart(rows, i, centre))
    for j in range(len(lo)):
        lo[j], hi[j] = rows.low[j, centre], rows.high[j, centre]
    for i in rows.positive:
        if taken[i] == 0 and _apart(rows, i, centre) <= radius:
            for j in range(len(lo)):
                lo[j], hi[j] = min(lo[j], rows.low[j, i]), max(hi[j], rows.high[j, i])


@inner
def _free_positive(rows, taken, state):
    """Choose a positive, if possible one that no box has."""
    i = rows.positive[_below(state, len(rows.positive))]
    for _ in range(10):
        if taken[i] == 0:
            break
        i = rows.positive[_below(state, len(rows.positive))]
    return i


@inner
def _start(rows, given, old, k, taken, lo, hi, allowed, state):
    """Choose at random where the climb of a new box starts; return True if it is to start with some features."""
    _no_limits(rows, lo, hi)
    kind, centre = _random(state), _free_positive(rows, taken, state)
    if kind < _HALF and old.used[k]:
        for j in range(len(lo)):
            if _random(state) < 0.5:
                lo[j], hi[j] = old.lo[k, j], old.hi[k, j]
    elif kind < _AROUND:
        for _ in range(1 + _below(state, 2)):
            j = _below(state, len(lo))
            if rows.n_levels[j] > 1:
                reach = _below(state, 2 + _below(state, rows.n_levels[j] - 1))
                side = _below(state, 3)
                if side != 1:
                    lo[j] = max(0, int(rows.low[j, centre]) - reach)
                if side != 0:
                    hi[j] = min(rows.n_levels[j] - 1, int(rows.high[j, centre]) + reach)
    elif kind < _NEAR:
        _near_box(rows, centre, taken, lo, hi, state)
        return False
    elif kind < _GIVEN and len(given):
        box = _below(state, len(given))
        _copy(given[box, 0], given[box, 1], lo, hi)
        return False
    for j in range(len(lo)):
        allowed[j] = _random(state) < _OPEN
    return True


@inner
def _drop(rows, drawing, k, taken, scratch):
    _cover(rows, drawing.lo[k], drawing.hi[k], taken, -int(drawing.used[k]), scratch)
    drawing.used[k] = False


@inner
def _pays(rows, prices, lo, hi, value, scratch, masks):
    """Return True if a box is worth its price, and the rows in it, also those of other boxes, are what they must be."""
    if n_limits(rows, lo, hi) > prices.max_limits or value - prices.box <= LEAST_GAIN:
        return False
    if masks is None:
        return True
    mass = masks.mass
    if mass.shape[1] == 0:
        return True
    n_out = _count_out(rows, lo, hi, scratch)
    up = down = 0.0
    for i in range(len(n_out)):
        if n_out[i] == 0:
            up += mass[0, i]
            down += mass[1, i]
    return up + down >= mass[0, -1] and up >= mass[1, -1] * (up + down)


@inner
def _copy_drawing(drawing, taken, to, to_taken):
    for k in range(len(drawing.used)):
        to.used[k] = drawing.used[k]
        _copy(drawing.lo[k], drawing.hi[k], to.lo[k], to.hi[k])
    for i in range(len(taken)):
        to_taken[i] = taken[i]


@inner
def _shake(rows, lo, hi, state):
    """Move one to three limits of a box to where a random positive is."""
    for _ in range(1 + _below(state, 3)):
        j, i = _below(state, len(lo)), rows.positive[_below(state, len(rows.positive))]
        if _random(state) < 0.5:
            lo[j] = min(int(rows.low[j, i]), hi[j])
        else:
            hi[j] = max(int(rows.high[j, i]), lo[j])


@merged
def _round(rows, prices, drawing, old, given, taken, allowed, scratch, state, first, shake, masks):
    """Drop a box or two and draw new ones, or shake one, and climb with all of them in turn."""
    n_boxes = len(drawing.used)
    rough = not first and n_boxes > 1 and _random(state) < _ROUGH
    k = 0 if first else _below(state, n_boxes)
    shaken = not first and shake > 0 and drawing.used[k] and _random(state) < shake
    if not first:
        _drop(rows, drawing, k, taken, scratch)
    if shaken:
        _shake(rows, drawing.lo[k], drawing.hi[k], state)
        drawing.used[k] = True
        _cover(rows, drawing.lo[k], drawing.hi[k], taken, int(drawing.used[k]), scratch)
    elif not first and _random(state) < _TWO:
        _drop(rows, drawing, _below(state, n_boxes), taken, scratch)
    for step in range(2 * n_boxes if n_boxes > 1 or first or shaken else 1):
        k, again = step % n_boxes, step >= n_boxes
        if drawing.used[k] != again:
            continue
        some = as_it_is = False
        if again:
            _drop(rows, drawing, k, taken, scratch)
        elif first or not len(rows.positive):
            _no_limits(rows, drawing.lo[k], drawing.hi[k])
        else:
            some = _start(rows, given, old, k, taken, drawing.lo[k], drawing.hi[k], allowed, state)
            as_it_is, rough = rough, False  # climbing alone, it might take in what is for two
        drawing.used[k] = as_it_is
        if not as_it_is:
            value = climb(rows, prices, taken, drawing.lo[k], drawing.hi[k], allowed, some, scratch, masks)
            drawing.used[k] = _pays(rows, prices, drawing.lo[k], drawing.hi[k], value, scratch, masks)
        _cover(rows, drawing.lo[k], drawing.hi[k], taken, int(drawing.used[k]), scratch)


@entry
def draw(rows, prices, drawing, given, effort, masks=None):
    """Improve a drawing in place, of allowed boxes; ``given`` are boxes to start from. Returns its value."""
    n_boxes, n_features = drawing.lo.shape
    n_rows = rows.low.shape[1]
    state = np.empty(1, np.uint64)
    state[0] = effort.seed
    scratch, allowed = make_scratch(rows, effort.moves), np.empty(n_features, np.bool_)
    taken, old_taken = np.zeros(n_rows, np.int16), np.empty(n_rows, np.int16)
    shape = n_boxes, n_features
    old = Drawing(np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(n_boxes, np.bool_))
    for k in range(n_boxes):
        _cover(rows, drawing.lo[k], drawing.hi[k], taken, int(drawing.used[k]), scratch)
    best, here, idle = NOTHING, NOTHING, 0
    top = Drawing(drawing.lo.copy(), drawing.hi.copy(), drawing.used.copy())
    for number in range(effort.rounds + 1):
        _round(rows, prices, drawing, old, given, taken, allowed, scratch, state, number == 0, effort.shake, masks)
        value = _value(rows, prices, drawing, taken)
        idle += 1
        if value > best + LEAST_GAIN:
            best, idle = value, 0
            _copy_drawing(drawing, taken, top, old_taken)
        slack = effort.slack if effort.slack > 0 and _random(state) < _SLACK else 0.0
        if value >= here - slack - LEAST_GAIN:
            here = value if effort.slack > 0 else best
            _copy_drawing(drawing, taken, old, old_taken)
        else:
            _copy_drawing(old, old_taken, drawing, taken)
        if idle >= effort.patience or scratch.moves[0] <= 0:
            break
    if effort.slack > 0:
        _copy_drawing(top, taken, drawing, old_taken)
    return best


def warm_up(masks: bool = False) -> None:
    """Compile the search on two rows, with masks or without, so that it takes nothing of the time of the first fold."""
    codes = np.array([[0, 1]], dtype=np.uint16)
    weight, n_levels, ends = np.array([-1.0, 1.0]), np.array([2]), np.array([[2, 2]])
    rows = make_rows(codes, codes, n_levels, ends, weight, np.array([1]))
    drawing = Drawing(np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64), np.zeros(1, np.bool_))
    task = rows, Prices(0.1, 0.1, 1), drawing, np.empty((0, 2, 1), np.int64), Effort(1, 1, 0)
    draw(*task, no_masks(1, 2)) if masks else draw(*task)
    evaluate(rows, Prices(0.1, 0.1, 1), drawing)
