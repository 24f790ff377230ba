"""Compiled loops of the side tree: the best box where limits cost something, or a box may only have so many.

A box has two sides per column. A row lies some steps out on each side, and the box reaches some steps out: it keeps the
row out if that lies farther out on any side. A node of the tree has a range of reaches, least to most, for each side;
the last step of a side means no limit. Let x_s be 1 if side s keeps a row out. For any shares a_s that add up to 1, and
any r from 0 to 1,

    max_s x_s ≥ Σ_s a_s x_s   (a positive is lost),     max_s x_s ≤ r + (1 − r) Σ_s x_s   (a negative is spared),

at every 0-1 point, so the value of a box is at most a sum over sides of a function of its own reach: the best reach of
each side, and a bound, follow from one sweep per side. Shares and r go where the sides that the sweep chose want them.

Sides come in groups: the lower and the upper side of a feature's values, and the upper and the lower side of the column
that says which are missing. A side that a group has not got is one more side that nobody is beyond.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry, inner
from boxdraw.learners.exact.limits import ANY, EACH, EQUAL, KIND, KNOWN, LOWER, MISSING, SUM, UPPER

_NONE = -1e300  # the value of a choice that there is not
_LEAST = 1e-3  # share that every side of a row keeps
_STEP = 0.35  # by which shares move
_HALVES = 200  # depth beyond which ranges are cut in halves, so that the depth stays small


def most_depth(n_sides: int) -> int:
    """Return the most nodes that can be open at once: halves of a range of 32 bits, per side."""
    return _HALVES + 32 * n_sides + 2


# Plain arrays are passed, and few of them: numba compiles records of many arrays in many times the time.
@inner
def _classify(out, least, most, rows, n_rows, state):
    """Find which rows are in (2), open (1) or out (0); those that are not out come first, and are counted."""
    kept = 0
    for k in range(n_rows):
        i = rows[k]
        now = 2
        for s in range(len(least)):
            step = out[i, s]
            if step > least[s]:
                now = 1
                if step > most[s]:
                    now = 0
                    break
        state[i] = now
        if now:
            rows[k], rows[kept] = rows[kept], i
            kept += 1
    return kept


@inner
def _comes_along(out, least, i, q):
    """Return True if every box of the node that holds one row holds another."""
    for s in range(len(least)):  # noqa: SIM110 - compiled code has no generators
        if out[q, s] > max(least[s], out[i, s]):
            return False
    return True


@inner
def _charge_pairs(out, least, rows, n_rows, state, start, pairs, worth):
    """Take off what positives are worth the pair prices that are certain."""
    n_positives = len(start) - 1
    for k in range(n_rows):
        i = rows[k]
        for t in range(start[i], start[i + 1]) if i < n_positives else range(0):
            q = pairs[0, t]
            if state[q] == 2 or (state[q] == 1 and _comes_along(out, least, i, q)):
                worth[i] = max(worth[i] - pairs[1, t], 0)
    for k in range(n_rows):
        i = rows[k]
        if i < n_positives and state[i] == 2:
            # It pays for each further negative of its pairs, as long as there is something left.
            rest = worth[i]
            for t in range(start[i], start[i + 1]):
                q = pairs[0, t]
                if state[q] == 1 and rest > 0:
                    part = min(rest, pairs[1, t])
                    worth[q] -= part
                    rest -= part


@inner
def _gather(out, least, most, rows, n_rows, state, worth, share, rest, sums):
    """Spread rows over the sides; return what does not depend on them."""
    for s in range(len(least)):
        for t in range(least[s], most[s] + 1):
            sums[0, s, t] = sums[1, s, t] = 0.0
    total = 0.0
    for k in range(n_rows):
        i = rows[k]
        size = float(worth[i])
        total += size
        if state[i] == 2 or size == 0:
            continue
        n_open, shares = 0, 0.0
        for s in range(len(least)):
            if out[i, s] > least[s]:
                n_open += 1
                shares += share[i, s] + _LEAST
        spared = 0.0
        if size < 0 and n_open > 1:
            spared = rest[i]
            total -= size * spared
        for s in range(len(least)):
            step = out[i, s]
            if step > least[s]:
                part = size * (share[i, s] + _LEAST) / shares if size > 0 else size * (1 - spared)
                sums[0, s, step] -= part
                sums[1, s, step] += abs(part - size * spared / n_open)
    return total


@inner
def _sweep(least, most, last, sums, best):
    """Find the value of each reach; and of each side that of no limit, of the best limited reach, and this reach."""
    for s in range(len(least)):
        value = 0.0
        best[0, s] = best[1, s] = _NONE
        for t in range(most[s], least[s] - 1, -1):
            sums[2, s, t] = value
            if t == last[s]:
                best[0, s] = value
            elif value > best[1, s]:
                best[1, s], best[2, s] = value, t
            value += sums[0, s, t]


@inner
def _equality(group, least, most, last, sums):
    """Return the value of the best equality of a group, and its lower reach."""
    best, reach = _NONE, 0
    if group[KIND] == EQUAL:
        low, high = group[LOWER], group[UPPER]
        for t in range(least[low], min(most[low], last[low] - 1) + 1):
            other = group[SUM] - t
            if least[high] <= other <= min(most[high], last[high] - 1):
                value = sums[2, low, t] + sums[2, high, other]
                if value > best:
                    best, reach = value, t
    return best, reach


@inner
def _choose(group, price, equal, at, best, last, by_count, reach):
    """Choose the best reaches of a group; write its best values by number of limits; return the best less prices."""
    low, high, flag, only = group[LOWER], group[UPPER], group[KNOWN], group[MISSING]
    known, no_flag = max(best[0, flag], best[1, flag]), best[0, only]
    none, both = best[0, low] + best[0, high], best[1, low] + best[1, high]
    one = max(best[0, low] + best[1, high], best[1, low] + best[0, high])
    two = both
    if group[KIND] == ANY:
        equal, two = both, _NONE
    once = max(one, equal)
    alone = none + best[1, flag] + no_flag  # "is known"
    absent = max(none, once, two) + known + best[1, only]  # "is missing"
    by_count[0] = none + best[0, flag] + no_flag
    by_count[1] = max(once + known + no_flag, alone, absent)
    by_count[2] = two + known + no_flag
    value, n = by_count[0], 0
    for count in range(1, 3):
        if by_count[count] - count * price > value:
            value, n = by_count[count] - count * price, count
    for place in range(4):
        s = group[place]
        reach[s] = last[s] if best[0, s] > _NONE else int(best[2, s])
    if n == 2 or (n == 1 and once + known + no_flag >= max(alone, absent)):
        if n == 2 or (equal > one and group[KIND] == ANY):
            reach[low], reach[high] = int(best[2, low]), int(best[2, high])
        elif equal > one:
            reach[low], reach[high] = at, group[SUM] - at
        elif best[0, low] + best[1, high] >= one:
            reach[high] = int(best[2, high])
        else:
            reach[low] = int(best[2, low])
        if best[1, flag] > best[0, flag]:
            reach[flag] = int(best[2, flag])
    elif n == 1:
        s = flag if alone >= absent else only
        reach[s] = int(best[2, s])
    return value


@inner
def _with_cap(by_count, price, most, table):
    """Return the best sum over groups with at most so many limits in all."""
    for count in range(most + 1):
        table[count] = 0.0
    for g in range(len(by_count)):
        for count in range(most, -1, -1):
            best = _NONE
            for own in range(min(count, 2) + 1):
                best = max(best, table[count - own] + by_count[g, own] - own * price)
            table[count] = best
    return table[most]


@inner
def _n_limits(groups, last, reach):
    """Count the limits of a box."""
    count = 0
    for g in range(len(groups)):
        low, high, flag, only = groups[g, LOWER], groups[g, UPPER], groups[g, KNOWN], groups[g, MISSING]
        ends = int(reach[low] < last[low]) + int(reach[high] < last[high])
        if ends == 2 and groups[g, KIND] != EACH:
            ends -= int(groups[g, KIND] == ANY or reach[low] + reach[high] == groups[g, SUM])
        if reach[only] < last[only]:
            ends = 1
        count += max(ends, int(reach[flag] < last[flag]))
    return count


@inner
def _earned(out, points, start, pairs, rows, n_rows, reach, state):
    """Return what a box earns among the rows that it can hold; ``state`` is scratch space."""
    value, n_positives = 0, len(start) - 1
    for k in range(n_rows):
        i = rows[k]
        state[i] = 2
        for s in range(out.shape[1]):
            if out[i, s] > reach[s]:
                state[i] = 1
                break
        if state[i] == 2:
            value += points[i]
    for k in range(n_rows if pairs.shape[1] else 0):
        i = rows[k]
        if i < n_positives and state[i] == 2:
            paid = 0
            for t in range(start[i], start[i + 1]):
                if state[pairs[0, t]] == 2:
                    paid += pairs[1, t]
            value -= min(paid, points[i])
    return value


@inner
def _move_shares(out, least, rows, n_rows, worth, reach, step, share, rest):
    """Move shares to the sides that keep a positive out, and r to where the bound of a negative is lower."""
    for k in range(n_rows):
        i = rows[k]
        n_open, n_out, shares = 0, 0, 0.0
        for s in range(len(least)):
            if out[i, s] > least[s]:
                n_open += 1
                shares += share[i, s] + _LEAST
                n_out += out[i, s] > reach[s]
        if n_open < 2:
            continue
        if worth[i] > 0:
            for s in range(len(least) if n_out else 0):
                if out[i, s] > least[s]:
                    more = step / n_out if out[i, s] > reach[s] else 0.0
                    share[i, s] = (1 - step) * (share[i, s] + _LEAST) / shares + more
                else:
                    share[i, s] *= 0.9
        elif n_out == 0:
            rest[i] *= 1 - step
        elif n_out > 1:
            rest[i] += step * (1 - rest[i])


@inner
def _given(group, place, t, price, least, most, last, sums, best):
    """Return the most that a group can be worth, less prices, if one of the sides of its values has a given reach."""
    s, other, flag, only = group[place], group[1 - place], group[KNOWN], group[MISSING]
    known, no_flag = max(best[0, flag], best[1, flag]), best[0, only]
    free, kept = best[0, other], best[1, other]
    absent = max(free, kept) + known + best[1, only] - price
    if t == last[s]:
        alone = free + no_flag + max(best[0, flag], best[1, flag] - price)
        return sums[2, s, t] + max(alone, kept + known + no_flag - price, absent)
    second = kept - (0.0 if group[KIND] == ANY else price)
    if group[KIND] == EQUAL:
        same = group[SUM] - t
        if least[other] <= same <= min(most[other], last[other] - 1):
            second = max(second, sums[2, other, same])
    return sums[2, s, t] + max(max(free, second) + known + no_flag - price, absent)


@inner
def _fix(groups, price, room, bests, least, most, last, sums, best):
    """Drop reaches at the ends of ranges by which a bound falls below the room; return False if none are left."""
    for g in range(len(groups)):
        for place in range(2):
            s = groups[g, place]
            if s == len(least):
                continue
            while least[s] <= most[s]:
                at_end = _given(groups[g], place, least[s], price, least, most, last, sums, best)
                if bests[g] - at_end <= room:
                    break
                least[s] += 1
            while least[s] <= most[s]:
                at_end = _given(groups[g], place, most[s], price, least, most, last, sums, best)
                if bests[g] - at_end <= room:
                    break
                most[s] -= 1
            if least[s] > most[s]:
                return False
    return True


@inner
def _split(price, d, least, most, last, mass, reach):
    """Return the side to branch on, and the last reach of the first branch; -1 if nothing is open."""
    side, largest = -1, -1.0
    for s in range(len(least)):
        if least[s] < most[s]:
            pull = price if most[s] == last[s] else 0.0
            for t in range(least[s] + 1, most[s] + 1):
                pull += mass[s, t]
            if pull > largest:
                side, largest = s, pull
    if side < 0:
        return side, 0
    low, high = least[side], most[side]
    if d > _HALVES:
        return side, (low + high) // 2
    if high == last[side] and reach[side] == high:
        return side, high - 1
    cut, pull = low, 0.0
    while cut < high - 1:
        pull += mass[side, cut + 1]
        if pull >= largest / 2:
            break
        cut += 1
    return side, cut


@entry
def search_sides(
    out, last, groups, points, start, pairs, prices, error, nodes, upper, depth, memory, real, cutoff, n_nodes, n_rounds
):
    """Search nodes, depth first, for a box of more value than the cutoff.

    ``pairs`` are negatives and prices; ``prices`` that of a limit, and the most limits of a box. ``nodes`` are the
    least and the most reaches and, after those, the number of rows of each node that is open; ``memory`` and ``real``
    are what lasts from node to node. Returns (number of nodes left, cutoff, nodes used); the cutoff rises to the value
    of the best box, the reaches of which are written to the last node.
    """
    n_sides, n_groups, used = out.shape[1], len(groups), 0
    rows, state, worth = memory[0], memory[1], memory[2]
    share, rest = real[:, :n_sides], real[:, n_sides]
    sums, best = np.zeros((3, n_sides, last.max() + 1)), np.zeros((3, n_sides + 1))
    best[1, n_sides] = _NONE
    bests, by_count, reach = np.empty(n_groups), np.empty((n_groups, 3)), np.zeros(n_sides + 1, np.int64)
    price, capped = float(prices[0]), prices[1] < 2 * n_groups
    table = np.empty(min(prices[1], 2 * n_groups) + 1)
    while depth > 0 and used < n_nodes:
        d = depth - 1
        used += 1
        least, most, n_rows = nodes[0, d, :n_sides], nodes[1, d, :n_sides], nodes[0, d, n_sides]
        going_on = upper[d] + error - cutoff >= 1
        number = 0
        while going_on and number < n_rounds:
            n_rows = _classify(out, least, most, rows, n_rows, state)
            for k in range(n_rows):
                worth[rows[k]] = points[rows[k]]
            if pairs.shape[1]:
                _charge_pairs(out, least, rows, n_rows, state, start, pairs, worth)
            total = _gather(out, least, most, rows, n_rows, state, worth, share, rest, sums)
            _sweep(least, most, last, sums, best)
            bound = total
            for g in range(n_groups):
                equal, at = _equality(groups[g], least, most, last, sums)
                bests[g] = _choose(groups[g], price, equal, at, best, last, by_count[g], reach)
                bound += bests[g]
            lowest = bound
            if capped:
                lowest = total + _with_cap(by_count, price, prices[1], table)
            upper[d] = min(upper[d], lowest)
            _move_shares(out, least, rows, n_rows, worth, reach, _STEP / (1 + number), share, rest)
            n_limits = _n_limits(groups, last, reach)
            if n_limits <= prices[1]:
                value = _earned(out, points, start, pairs, rows, n_rows, reach, state) - n_limits * prices[0]
                if value > cutoff:
                    cutoff = value
                    for s in range(n_sides):
                        nodes[0, -1, s] = reach[s]
            number += 1
            going_on = upper[d] + error - cutoff >= 1 and _fix(
                groups, price, bound + error - cutoff - 1, bests, least, most, last, sums, best
            )
        side, cut = -1, 0
        if going_on:
            side, cut = _split(price, d, least, most, last, sums[1], reach)
        if side < 0:
            depth -= 1
            continue
        nodes[0, d, n_sides] = n_rows
        for s in range(n_sides + 1):
            nodes[0, d + 1, s], nodes[1, d + 1, s] = nodes[0, d, s], nodes[1, d, s]
        upper[d + 1] = upper[d]
        if reach[side] <= cut:  # the branch in which the best reach is comes first
            nodes[1, d + 1, side], least[side] = cut, cut + 1
        else:
            nodes[0, d + 1, side], most[side] = cut + 1, cut
        depth += 1
    return depth, cutoff, used
