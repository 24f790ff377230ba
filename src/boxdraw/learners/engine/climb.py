"""Climb: give one box its best interval on one feature, then on the next, until nothing gets better.

Rows are on levels. A row has two of them per feature, ``low`` and ``high``: an interval [a, b] of levels holds it if
a ≤ low and high ≤ b. They are the same unless there is a margin. A move looks at all intervals of a feature at once:
what an interval holds is all rows less those below it and less those above it, so one pass over two sums per level
finds the best one. Weights are multiples of a unit so that sums are exact, and any order of rows gives the same box.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boxdraw._core.compiled import entry, inner

LEAST_GAIN = 1e-9  # of a move, in positives: less is rounding
NOTHING = -1e300  # the value of a box that must not be
NO_END = 2**62  # of moves


class Masks(NamedTuple):
    """Which boxes may be drawn. Without any, the search takes None, and is compiled without what is for them."""

    ends: Any  # (features, levels): 1 where an interval may start, 2 where it may end, 3 for both
    together: Any  # (1 + sets, features + 1): see `find_open`
    mass: (
        Any  # (2, rows + 1): weight of positives and negatives, last the least weight and share of positives; or empty
    )


def no_masks(n_features: int, n_levels: int) -> Masks:
    """Return masks that allow any box."""
    twins = np.append(np.arange(n_features), 0)[None]
    return Masks(np.full((n_features, n_levels), 3, np.uint8), twins, np.zeros((2, 0)))


def allow_together(together: Any, limited: Any) -> Any:
    """Return which sets of limited features, (sets, features), may stand in one box; see `find_open`."""
    twins, n_groups, sets = together[0, :-1], together[0, -1], together[1:, :-1]
    own = limited & ~(limited[:, twins] & (twins < np.arange(len(twins))))  # a column of two features counts once
    inside = own @ sets.T
    grouped = n_groups == 0 or (inside[:, :n_groups] == own.sum(axis=1, keepdims=True)).any(axis=1)
    return grouped & (inside[:, n_groups:] <= together[1 + n_groups :, -1]).all(axis=1)


class Rows(NamedTuple):
    """Distinct rows on levels."""

    low: Any  # (features, rows), uint16
    high: Any  # the same array unless there is a margin
    n_levels: Any  # per feature
    ends: Any  # (features, 2): what an interval with two ends counts, and one of a single level
    sums: Any  # (1 or 2, features, levels): weight of all rows by low level and, with a margin, by high level
    weight: Any  # per row: above 0 for what is to be found
    positive: Any  # numbers of the rows with positives


def make_rows(low: Any, high: Any, n_levels: Any, ends: Any, weight: Any, positive: Any) -> Rows:
    """Add up the weights by level, of both kinds of levels if they are not the same array."""
    sides = (low,) if high is low else (low, high)
    sums = [[np.bincount(code, weight, int(n_levels.max())) for code in side] for side in sides]
    return Rows(low, high, n_levels, ends, np.array(sums), weight, positive)


class Prices(NamedTuple):
    """What a drawing pays, and what it may not exceed."""

    box: float
    limit: float
    max_limits: int  # of a box


class Scratch(NamedTuple):
    """Memory for one climb."""

    inside: Any  # rows in the box
    near: Any  # rows that exactly one feature keeps out
    by: Any  # which one
    others: Any  # rows outside
    n_out: Any  # features that keep a row out
    out_by: Any  # the sum of their numbers
    sums: Any  # as those of `Rows`, of the rows inside
    near_sums: Any  # of the rows near, by the feature that keeps them out
    both: Any  # (1 or 2, levels): the two together, of one feature
    moves: Any  # that are left, an array of one
    may: Any  # which features may be limited


@inner
def make_scratch(rows, moves):
    """Return memory for climbs of so many moves in all."""
    n_features, n_rows = rows.low.shape
    n_sides, _, n_levels = rows.sums.shape
    return Scratch(
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.empty((n_sides, n_features, n_levels)),
        np.empty((n_sides, n_features, n_levels)),
        np.empty((n_sides, n_levels)),
        np.full(1, moves),
        np.ones(n_features, np.bool_),
    )


@inner
def _clear(rows, sums, j):
    for side in range(len(sums)):
        for a in range(rows.n_levels[j]):
            sums[side, j, a] = 0.0


@inner
def n_ends(lo, hi, n_levels, ends):
    """Count the limits of an interval."""
    if lo > 0 and hi < n_levels - 1:
        return ends[1] if lo == hi else ends[0]
    return int(lo > 0) + int(hi < n_levels - 1)


@inner
def n_limits(rows, lo, hi):
    """Count the limits of a box."""
    count = 0
    for j in range(len(lo)):
        count += n_ends(lo[j], hi[j], rows.n_levels[j], rows.ends[j])
    return count


@inner
def _is_limited(lo, hi, n_levels, j):
    return lo[j] > 0 or hi[j] < n_levels[j] - 1


@inner
def find_open(together, lo, hi, n_levels, may):
    """Write which features may be limited beside those that are; these may stay.

    The first row of ``together`` has the twin of each feature, which stands for the same column, or itself, and behind
    them the number of groups. These follow: all features of a box must be in one. The other rows are sets of features,
    and behind them how many of these a box has at most.
    """
    n_features, n_groups = len(lo), together[0, len(lo)]
    for j in range(n_features):
        may[j] = n_groups == 0
    for s in range(1, len(together)):
        inside = outside = 0
        for j in range(n_features):
            twin = together[0, j]
            if _is_limited(lo, hi, n_levels, j) and not (twin < j and _is_limited(lo, hi, n_levels, twin)):
                inside += together[s, j]
                outside += 1 - together[s, j]
        for j in range(n_features):
            if s <= n_groups:
                may[j] = may[j] or (outside == 0 and together[s, j] == 1)
            elif inside >= together[s, n_features] and together[s, j] == 1:
                may[j] = False
    for j in range(n_features):
        if _is_limited(lo, hi, n_levels, j):
            may[j] = may[together[0, j]] = True


@inner
def conform(masks, lo, hi, n_levels, may):
    """Widen a box in place until it is allowed: its limits to where they may be, then without some of its features."""
    for j in range(len(lo)):
        while masks.ends[j, lo[j]] & 1 == 0:
            lo[j] -= 1
        while masks.ends[j, hi[j]] & 2 == 0:
            hi[j] += 1
    for j in range(len(lo)):
        if _is_limited(lo, hi, n_levels, j):
            twin = masks.together[0, j]
            old = lo[j], hi[j], lo[twin], hi[twin]
            lo[j] = lo[twin] = 0
            hi[j], hi[twin] = n_levels[j] - 1, n_levels[twin] - 1
            find_open(masks.together, lo, hi, n_levels, may)
            if may[j]:
                lo[j], hi[j], lo[twin], hi[twin] = old


@inner
def best_interval(below, above, n_levels, ends, price, most, may=None):
    """Return the best interval, by sums per low and per high level, of at most so many limits: value, lo, hi."""
    total = 0.0
    for a in range(n_levels):
        total += below[a]
    two, single = ends[0] * price, ends[1] * price
    one = price if most >= 1 else np.inf
    two, single = (two if most >= ends[0] else np.inf), (single if most >= ends[1] else np.inf)
    best, lo, hi = total + LEAST_GAIN, 0, n_levels - 1
    up_to = above[0]  # weight up to this upper end
    if n_levels > 1 and up_to - one > best and (may is None or may[0] & 2):
        best, lo, hi = up_to - one, 0, 0
    left = 0.0  # weight below this lower end
    least, start = np.inf, 0  # the best lower end so far
    for a in range(1, n_levels):
        left += below[a - 1]
        up_to += above[a]
        if left < least and (may is None or may[a] & 1):
            least, start = left, a
        if total - left - one > best and (may is None or may[a] & 1):
            best, lo, hi = total - left - one, a, n_levels - 1
        if a == n_levels - 1:
            break
        if may is not None and may[a] & 2 == 0:
            continue
        if up_to - one > best:
            best, lo, hi = up_to - one, 0, a
        if up_to - least - two > best:
            best, lo, hi = up_to - least - two, start, a
        if up_to - left - single > best and (may is None or may[a] & 1):
            best, lo, hi = up_to - left - single, a, a
    if lo == 0 and hi == n_levels - 1:
        best = total
    return best, lo, hi


@inner
def add_up(rows, chosen, n_chosen, sums, sign):
    """Add the weight of chosen rows to the sums per level, or take it away."""
    for side in range(len(sums)):
        for j in range(len(rows.low)):
            code, target = (rows.low[j] if side == 0 else rows.high[j]), sums[side, j]
            for t in range(n_chosen):
                i = chosen[t]
                target[code[i]] += sign * rows.weight[i]


@inner
def count_out(rows, lo, hi, n_out, out_by):
    """Count the features that keep each row out, on top of what is there: feature by feature, without a branch."""
    for j in range(len(lo)):
        if lo[j] > 0 or hi[j] < rows.n_levels[j] - 1:
            low, high, least, most = rows.low[j], rows.high[j], np.uint16(lo[j]), np.uint16(hi[j])
            for i in range(len(n_out)):
                out = np.int32((low[i] < least) | (high[i] > most))
                n_out[i] += out
                out_by[i] += out * np.int32(j)


@inner
def _scan(rows, taken, lo, hi, scratch):
    """List the rows that other boxes leave: those inside, and those that one feature keeps out."""
    n_out, out_by = scratch.n_out, scratch.out_by
    for i in range(len(n_out)):
        n_out[i], out_by[i] = 2 * np.int32(taken[i] > 0), 0
    count_out(rows, lo, hi, n_out, out_by)
    n_inside = n_near = n_others = 0
    for i in range(len(n_out)):  # every row goes to every list, and the next takes its place where it does not belong
        scratch.inside[n_inside] = scratch.others[n_others] = scratch.near[n_near] = i
        scratch.by[n_near] = out_by[i]
        n_inside += n_out[i] == 0
        n_others += n_out[i] > 0
        n_near += n_out[i] == 1
    return n_inside, n_near, n_others


@inner
def _fill(rows, scratch, n_inside, n_others):
    """Sum up the rows inside: directly, or all rows less the others, whichever are fewer."""
    if n_others < n_inside:
        for side in range(len(scratch.sums)):
            for j in range(len(rows.n_levels)):
                for a in range(rows.n_levels[j]):
                    scratch.sums[side, j, a] = rows.sums[side, j, a]
        add_up(rows, scratch.others, n_others, scratch.sums, -1.0)
    else:
        for j in range(len(rows.n_levels)):
            _clear(rows, scratch.sums, j)
        add_up(rows, scratch.inside, n_inside, scratch.sums, 1.0)


@inner
def _add_near(rows, scratch, n_near):
    sums = scratch.near_sums
    for t in range(n_near):
        i, j = scratch.near[t], scratch.by[t]
        sums[0, j, rows.low[j, i]] += rows.weight[i]
        if len(sums) > 1:
            sums[1, j, rows.high[j, i]] += rows.weight[i]


@inner
def _tighten(rows, scratch, n_inside, n_near, j, lo, hi):
    """Move the rows that a tighter interval keeps out from inside to near; return how many are inside, near, moved."""
    low, high, least, most = rows.low[j], rows.high[j], np.uint16(lo), np.uint16(hi)
    kept = 0
    for t in range(n_near):
        i, by = scratch.near[t], scratch.by[t]
        scratch.near[kept], scratch.by[kept] = i, by
        kept += (by == j) | ((low[i] >= least) & (high[i] <= most))
    n_near, kept, n_moved = kept, 0, 0
    for t in range(n_inside):
        i = scratch.inside[t]
        scratch.inside[kept] = scratch.others[n_moved] = i
        held = (low[i] >= least) & (high[i] <= most)
        kept += held
        n_moved += not held
    for t in range(n_moved):
        scratch.near[n_near + t], scratch.by[n_near + t] = scratch.others[t], j
    n_near += n_moved
    return kept, n_near, n_moved


@inner
def _best_move(rows, prices, lo, hi, scratch, allowed, some, count, value, masks):
    """Return the best interval of any feature: its value, the feature (-1 if none is better), lo, hi."""
    best, feature, best_lo, best_hi = value + LEAST_GAIN, -1, 0, 0
    last = len(scratch.sums) - 1
    for j in range(len(lo)):
        n_levels = rows.n_levels[j]
        if n_levels < 2 or (some and not allowed[j]) or not scratch.may[j]:
            continue
        own = n_ends(lo[j], hi[j], n_levels, rows.ends[j])
        below, above = scratch.sums[0, j], scratch.sums[last, j]
        if own:
            for side in range(len(scratch.both)):
                for a in range(n_levels):
                    scratch.both[side, a] = scratch.sums[side, j, a] + scratch.near_sums[side, j, a]
            below, above = scratch.both[0], scratch.both[last]
        most = prices.max_limits - count + own
        levels = below, above, n_levels, rows.ends[j]
        if masks is None:
            found, a, b = best_interval(*levels, prices.limit, most)
        else:
            found, a, b = best_interval(*levels, prices.limit, most, masks.ends[j])
        found -= prices.limit * (count - own)
        if found > best:
            best, feature, best_lo, best_hi = found, j, a, b
    return best, feature, best_lo, best_hi


@inner
def climb(rows, prices, taken, lo, hi, allowed, some, scratch, masks=None):
    """Improve a box in place, move by move, among the rows that no other box has taken; return its value.

    If only ``some`` features are allowed, it starts with those and goes on with all of them.
    """
    if masks is not None:
        conform(masks, lo, hi, rows.n_levels, scratch.may)
    n_inside, n_near, n_others = _scan(rows, taken, lo, hi, scratch)
    _fill(rows, scratch, n_inside, n_others)
    for j in range(len(lo)):
        _clear(rows, scratch.near_sums, j)
    _add_near(rows, scratch, n_near)
    count = n_limits(rows, lo, hi)
    value = -prices.limit * count
    for t in range(n_inside):
        value += rows.weight[scratch.inside[t]]
    while True:
        if masks is not None:
            find_open(masks.together, lo, hi, rows.n_levels, scratch.may)
        best, j, new_lo, new_hi = _best_move(rows, prices, lo, hi, scratch, allowed, some, count, value, masks)
        if j < 0 and some:
            some = False
            continue
        if j < 0 or scratch.moves[0] <= 0:
            return value
        scratch.moves[0] -= 1
        wider = new_lo < lo[j] or new_hi > hi[j]
        count -= n_ends(lo[j], hi[j], rows.n_levels[j], rows.ends[j])
        lo[j], hi[j], value = new_lo, new_hi, best
        count += n_ends(new_lo, new_hi, rows.n_levels[j], rows.ends[j])
        if wider:  # rows come back that the lists do not have
            n_inside, n_near, n_others = _scan(rows, taken, lo, hi, scratch)
            _fill(rows, scratch, n_inside, n_others)
        else:
            n_inside, n_near, n_moved = _tighten(rows, scratch, n_inside, n_near, j, new_lo, new_hi)
            if n_moved < n_inside:
                add_up(rows, scratch.others, n_moved, scratch.sums, -1.0)
            else:
                for f in range(len(lo)):
                    _clear(rows, scratch.sums, f)
                add_up(rows, scratch.inside, n_inside, scratch.sums, 1.0)
        for f in range(len(lo)):
            if f == j or lo[f] > 0 or hi[f] < rows.n_levels[f] - 1:
                _clear(rows, scratch.near_sums, f)
        _add_near(rows, scratch, n_near)


@entry
def climb_each(rows, prices, weights, lo, hi, moves, masks=None):
    """Improve boxes in place, each by itself and by so many moves; ``weights`` are one for all or one for each."""
    scratch, taken = make_scratch(rows, moves), np.zeros(rows.low.shape[1], np.int16)
    allowed, some = np.ones(lo.shape[1], np.bool_), np.bool_(False)  # not a literal: else all is compiled once more
    for k in range(len(lo)):
        weight = weights[min(k, len(weights) - 1)]
        own = Rows(rows.low, rows.high, rows.n_levels, rows.ends, rows.sums, weight, rows.positive)
        if k < len(weights):
            for j in range(len(rows.low)):
                _clear(rows, rows.sums, j)
            for i in range(len(weight)):
                scratch.others[i] = i
            add_up(own, scratch.others, len(weight), rows.sums, 1.0)
        scratch.moves[0] = moves
        climb(own, prices, taken, lo[k], hi[k], allowed, some, scratch, masks)
