"""Compiled hill climbing: move one limit of a box to its best level, then the next, until none gets better.

`climb` does it for one box at given prices, `polish` for a whole drawing, box by box. A sweep over the levels of one
limit is a pass over the rows in the order in which it lets them in; what makes it fast is that each row carries the
number of limits that keep it out.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boxdraw._core.compiled import entry, inner
from boxdraw.learners.exact.kernels import MINUS_INFINITY, Prices, fill


class LevelTable(NamedTuple):
    """All rows on levels, and their order along each limit."""

    low_p: Any  # (rows, features)
    high_p: Any
    low_n: Any
    high_n: Any
    order_p: Any  # (2, features, positives): the order in which a lower, an upper limit lets rows in
    order_n: Any
    n_low: Any  # levels, per feature
    n_high: Any


class Scratch(NamedTuple):
    """Space for one box."""

    out_p: Any  # how many limits keep a row out
    out_n: Any
    rest: Any  # of positives inside: gain less pair prices; below any of that for those outside
    inside: Any  # negatives


@entry
def let_in_order(key, n_levels, side):
    """Return, per feature, the order in which a lower limit going down, or an upper one going up, lets rows in."""
    n_rows, n_features = key.shape
    order = np.empty((n_features, n_rows), np.int32)
    for j in range(n_features):
        start = np.zeros(n_levels[j] + 1, np.int64)
        for i in range(n_rows):
            level = n_levels[j] - 1 - key[i, j] if side == 0 else key[i, j]
            start[level + 1] += 1
        for level in range(n_levels[j]):
            start[level + 1] += start[level]
        for i in range(n_rows):
            level = n_levels[j] - 1 - key[i, j] if side == 0 else key[i, j]
            order[j, start[level]] = i
            start[level] += 1
    return order


@inner
def _scratch(table):
    n_positives, n_negatives = table.low_p.shape[0], table.low_n.shape[0]
    return Scratch(
        np.empty(n_positives, np.int64),
        np.empty(n_negatives, np.int64),
        np.empty(n_positives, np.int64),
        np.empty(n_negatives, np.bool_),
    )


@inner
def _count_out(low, high, lo, hi, out):
    """Count the limits that keep each row out."""
    for i in range(low.shape[0]):
        count = 0
        for j in range(lo.shape[0]):
            if low[i, j] < lo[j]:
                count += 1
            if high[i, j] > hi[j]:
                count += 1
        out[i] = count


@inner
def _recount(key, j, step, old, new, out):
    """Bring the counts up to date after a limit has moved."""
    for i in range(key.shape[0]):
        out[i] += int((key[i, j] - new) * step > 0) - int((key[i, j] - old) * step > 0)


@inner
def _keys(table, side):
    return (table.low_p, table.low_n) if side == 0 else (table.high_p, table.high_n)


@inner
def _sweep(table, prices, by_negative, j, side, limit, scratch):
    """Move one limit from the innermost level to the outermost; return the best value and its level."""
    key_p, key_n = _keys(table, side)
    order_p, order_n = table.order_p[side, j], table.order_n[side, j]
    first, last, step = (table.n_low[j] - 1, -1, -1) if side == 0 else (0, table.n_high[j], 1)
    start, positive, price = by_negative
    rest, inside = scratch.rest, scratch.inside
    if positive.shape[0]:
        fill(MINUS_INFINITY, rest)
        fill(False, inside)
    value, best, chosen = 0, MINUS_INFINITY, -1
    a = b = 0
    for level in range(first, last, step):
        while b < order_n.shape[0] and (key_n[order_n[b], j] - level) * step <= 0:
            q = order_n[b]
            b += 1
            if scratch.out_n[q] > int((key_n[q, j] - limit) * step > 0):
                continue
            value -= prices.cost[q]
            if positive.shape[0]:
                inside[q] = True
                for t in range(start[q], start[q + 1]):
                    i = positive[t]
                    if rest[i] > MINUS_INFINITY:
                        value += max(rest[i] - price[t], 0) - max(rest[i], 0)
                        rest[i] -= price[t]
        taken = False
        while a < order_p.shape[0] and (key_p[order_p[a], j] - level) * step <= 0:
            i = order_p[a]
            a += 1
            if scratch.out_p[i] > int((key_p[i, j] - limit) * step > 0):
                continue
            rest[i] = prices.gain[i]
            for t in range(prices.start[i], prices.start[i + 1]):
                if inside[prices.negative[t]]:
                    rest[i] -= prices.price[t]
            value += max(rest[i], 0)
            taken = True
        if taken and value > best:
            best, chosen = value, level
    return best, chosen


@inner
def _climb(table, prices, by_negative, lo, hi, value, order, scratch, most):
    """Improve a box limit by limit, in the given order, in at most ``most`` sweeps; return its value and the sweeps."""
    _count_out(table.low_p, table.high_p, lo, hi, scratch.out_p)
    _count_out(table.low_n, table.high_n, lo, hi, scratch.out_n)
    stale = sweeps = 0
    while stale < order.shape[0] and sweeps < most:
        j, side = order[sweeps % order.shape[0]] >> 1, order[sweeps % order.shape[0]] & 1
        limits = lo if side == 0 else hi
        best, chosen = _sweep(table, prices, by_negative, j, side, limits[j], scratch)
        sweeps += 1
        stale += 1
        if best > value:
            value, stale = best, 1
            key_p, key_n = _keys(table, side)
            _recount(key_p, j, 2 * side - 1, limits[j], chosen, scratch.out_p)
            _recount(key_n, j, 2 * side - 1, limits[j], chosen, scratch.out_n)
            limits[j] = chosen
    return value, sweeps


@entry
def climb(table, prices, by_negative, lo, hi, most):
    """Improve a box at given prices by at most ``most`` sweeps, at least one; return its value."""
    order = np.arange(2 * lo.shape[0])
    return _climb(table, prices, by_negative, lo, hi, MINUS_INFINITY, order, _scratch(table), most)[0]


@inner
def _add(low, high, lo, hi, number, count, points):
    """Add a number to the count of the rows that a box holds; return the points of those that no other holds."""
    value = 0
    for i in range(low.shape[0]):
        held = True
        for j in range(lo.shape[0]):
            if low[i, j] < lo[j] or high[i, j] > hi[j]:
                held = False
                break
        if held:
            value += points[i] if count[i] == max(-number, 0) else 0
            count[i] += number
    return value


@inner
def _free(points, count, worth):
    """Let rows that no box holds be worth their points."""
    for i in range(points.shape[0]):
        worth[i] = points[i] if count[i] == 0 else 0


@inner
def _count(table, prices, lo, hi, number, count_p, count_n):
    """Add a number to the counts of the rows that a box holds; return what they are worth where no other has them."""
    gained = _add(table.low_p, table.high_p, lo, hi, number, count_p, prices.gain)
    return gained - _add(table.low_n, table.high_n, lo, hi, number, count_n, prices.cost)


@inner
def _drop(table, prices, lo, hi, box_points, count_p, count_n, kept):
    """Drop the boxes that are not worth it, the worst first; return what the others are worth."""
    while True:
        worst, least = -1, box_points + 1
        for k in range(kept.shape[0]):
            if kept[k]:
                value = _count(table, prices, lo[k], hi[k], -1, count_p, count_n)
                _count(table, prices, lo[k], hi[k], 1, count_p, count_n)
                if value < least:
                    worst, least = k, value
        if worst < 0:
            break
        _count(table, prices, lo[worst], hi[worst], -1, count_p, count_n)
        kept[worst] = False
    value = -box_points * kept.sum()
    for i in range(count_p.shape[0]):
        value += prices.gain[i] if count_p[i] else 0
    for q in range(count_n.shape[0]):
        value -= prices.cost[q] if count_n[q] else 0
    return value


@entry
def polish(table, prices, by_negative, box_points, lo, hi, boxes, limits, most):
    """Climb box after box while the others stand; return which are worth their cost, and their value together."""
    # The prices are the points of all rows, without pairs; `boxes` and `limits` are orders.
    n_boxes = lo.shape[0]
    count_p, count_n = np.zeros(prices.gain.shape[0], np.int64), np.zeros(prices.cost.shape[0], np.int64)
    for k in range(n_boxes):
        _count(table, prices, lo[k], hi[k], 1, count_p, count_n)
    free = Prices(np.empty_like(prices.gain), np.empty_like(prices.cost), prices.start, prices.negative, prices.price)
    scratch = _scratch(table)
    stale = t = 0
    while stale < n_boxes and most > 0:
        k = boxes[t % n_boxes]
        before = _count(table, prices, lo[k], hi[k], -1, count_p, count_n)
        _free(prices.gain, count_p, free.gain)
        _free(prices.cost, count_n, free.cost)
        after, sweeps = _climb(table, free, by_negative, lo[k], hi[k], before, limits, scratch, most)
        most -= sweeps
        _count(table, prices, lo[k], hi[k], 1, count_p, count_n)
        t += 1
        stale = 1 if after > before else stale + 1
    kept = np.ones(n_boxes, np.bool_)
    return kept, _drop(table, prices, lo, hi, box_points, count_p, count_n, kept)
