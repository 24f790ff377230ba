"""Compiled loops of the side tree: the best box, or the best drawing of few boxes, by ranges for each side.

A box has two sides per column. A row lies some steps out on each side, and the box reaches some steps out: it keeps the
row out if that lies farther out on any side. A node of the tree has a range of reaches, least to most, for each side;
the last step of a side means no limit. Whether a row is kept out is bounded by a sum over sides, with shares that move
to the sides that matter. So one sweep per side finds the best reach of each, and a bound; docs/exact.rst has the proof.

Several boxes have the sides of the first, then those of the second, and so on, in the order of their reach on one side.

Sides come in groups: the lower and the upper side of a feature's values, and the upper and the lower side of the column
that says which are missing. A side that a group has not got is one more side that nobody is beyond.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry, inner
from boxdraw.learners.exact.limits import ANY, EACH, EQUAL, KIND, KNOWN, LOWER, MISSING, SUM, UPPER
from boxdraw.learners.exact.mask_kernels import can_keep, keeps, open_others

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
    """Find which rows are in (2), open (1) or out (0), of any box and of each; those not out of all come first."""
    kept, n_sides = 0, out.shape[1]
    for k in range(n_rows):
        i = rows[k]
        state[0, i] = 0
        for b in range(1, len(state)):
            now, first = 2, (b - 1) * n_sides
            for s in range(n_sides):
                step = out[i, s]
                if step > least[first + s]:
                    now = 1
                    if step > most[first + s]:
                        now = 0
                        break
            state[b, i] = now
            state[0, i] = max(state[0, i], now)
        if state[0, i]:
            rows[k], rows[kept] = rows[kept], i
            kept += 1
    return kept


@inner
def _put_in_order(least, most, side, n_boxes):
    """Let the reach on one side rise from box to box; return False if it cannot."""
    n_sides = len(least) // n_boxes
    first = side if n_boxes > 1 and n_sides else len(least)
    for s in range(first + n_sides, len(least)):
        if s % n_sides == side:
            least[s] = max(least[s], least[s - n_sides])
    for s in range(len(least) - 1, first + n_sides - 1, -1):
        if s % n_sides == side:
            most[s - n_sides] = min(most[s - n_sides], most[s])
    for s in range(first, len(least)):  # noqa: SIM110 - compiled code has no generators
        if least[s] > most[s]:
            return False
    return True


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
            if state[0, q] == 2 or (state[0, q] == 1 and _comes_along(out, least, i, q)):
                worth[i] = max(worth[i] - pairs[1, t], 0)
    for k in range(n_rows):
        i = rows[k]
        if i < n_positives and state[0, i] == 2:
            # It pays for each further negative of its pairs, as long as there is something left.
            rest = worth[i]
            for t in range(start[i], start[i + 1]):
                q = pairs[0, t]
                if state[0, q] == 1 and rest > 0:
                    part = min(rest, pairs[1, t])
                    worth[q] -= part
                    rest -= part


@inner
def _spread(out, i, first, least, size, pull, share, rest, sums):
    """Spread what a row is worth over the sides of a box; return what does not depend on them."""
    n_open, shares = 0, 0.0
    for s in range(out.shape[1]):
        if out[i, s] > least[first + s]:
            n_open += 1
            shares += share[i, first + s] + _LEAST
    spared = rest if size < 0 and n_open > 1 else 0.0
    for s in range(out.shape[1]):
        step = out[i, s]
        if step > least[first + s]:
            part = (share[i, first + s] + _LEAST) / shares if size > 0 else 1 - spared
            sums[0, first + s, step] -= size * part
            sums[1, first + s, step] += pull * (part + spared / n_open)
    return -size * spared


@inner
def _gather(out, least, most, rows, n_rows, state, worth, share, mix, sums):
    """Spread rows over the sides of the boxes that are open to them; return what does not depend on the sides."""
    n_boxes, n_sides, total = len(state) - 1, out.shape[1], 0.0
    for s in range(len(least)):
        for t in range(least[s], most[s] + 1):
            sums[0, s, t] = sums[1, s, t] = 0.0
    for k in range(n_rows):
        i = rows[k]
        size = float(worth[i])
        total += size
        if state[0, i] == 2 or size == 0:
            continue
        n_open, parts = 0, 0.0
        for b in range(n_boxes):
            if state[b + 1, i] == 1:
                n_open += 1
                parts += mix[i, n_boxes + b] + _LEAST
        factor = mix[i, 2 * n_boxes] if n_open > 1 else 1.0
        if size > 0:
            total += size * factor * (n_open - 1)
        for b in range(n_boxes):
            if state[b + 1, i] == 1:
                if size < 0:
                    factor = (mix[i, n_boxes + b] + _LEAST) / parts
                pull = abs(size) / n_open
                total += _spread(out, i, b * n_sides, least, size * factor, pull, share, mix[i, b], sums)
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
    """Return what boxes earn among the rows that they can hold; ``state`` is scratch space."""
    value, n_positives, n_sides = 0, len(start) - 1, out.shape[1]
    for k in range(n_rows):
        i = rows[k]
        state[0, i] = 1
        for b in range(len(state) - 1):
            held = True
            for s in range(n_sides):
                if out[i, s] > reach[b * n_sides + s]:
                    held = False
                    break
            if held:
                state[0, i] = 2
                value += points[i]
                break
    for k in range(n_rows if pairs.shape[1] else 0):
        i = rows[k]
        if i < n_positives and state[0, i] == 2:
            paid = 0
            for t in range(start[i], start[i + 1]):
                if state[0, pairs[0, t]] == 2:
                    paid += pairs[1, t]
            value -= min(paid, points[i])
    return value


@inner
def _move_at(out, i, first, least, reach, size, step, share, rest):
    """Move shares to the sides that keep a positive out, and r to where the bound of a negative is lower."""
    # What comes back is what the sides that keep the row out had, and where r is.
    n_open, n_out, shares, away = 0, 0, 0.0, 0.0
    for s in range(out.shape[1]):
        if out[i, s] > least[first + s]:
            part = share[i, first + s] + _LEAST
            n_open += 1
            shares += part
            if out[i, s] > reach[first + s]:
                n_out += 1
                away += part
    if n_open > 1 and size > 0:
        for s in range(out.shape[1] if n_out else 0):
            if out[i, s] > least[first + s]:
                more = step / n_out if out[i, s] > reach[first + s] else 0.0
                share[i, first + s] = (1 - step) * (share[i, first + s] + _LEAST) / shares + more
            else:
                share[i, first + s] *= 0.9
    elif n_open > 1 and n_out == 0:
        rest *= 1 - step
    elif n_open > 1 and n_out > 1:
        rest += step * (1 - rest)
    return away / shares, rest


@inner
def _move_shares(out, least, rows, n_rows, state, worth, reach, step, share, mix):
    """Move shares, r, λ and b to where the bound is lower at the reaches that the sweep chose."""
    n_boxes, n_sides, away = len(state) - 1, out.shape[1], np.zeros(len(state) - 1)
    for k in range(n_rows):
        i = rows[k]
        if state[0, i] != 1:
            continue
        n_open, n_out, total = 0, 0, 0.0
        for b in range(n_boxes):
            if state[b + 1, i] == 1:
                away[b], mix[i, b] = _move_at(out, i, b * n_sides, least, reach, worth[i], step, share, mix[i, b])
                n_open += 1
                n_out += away[b] > 0
                total += away[b]
        if n_open > 1 and worth[i] > 0:
            mix[i, 2 * n_boxes] = min(max(mix[i, 2 * n_boxes] - step * (n_open - 1 - total), 0.0), 1.0)
        elif n_open > 1 and 0 < n_out < n_open:  # a negative pays at the boxes that hold it
            for b in range(n_boxes):
                if state[b + 1, i] == 1:
                    more = 0.0 if away[b] > 0 else step / (n_open - n_out)
                    mix[i, n_boxes + b] = (1 - step) * mix[i, n_boxes + b] + more


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


@inner
def _bound(groups, price, most_limits, n_boxes, least, most, last, sums, best, bests, by_count, reach, table):
    """Choose the best reaches; return the sum of their values, and the most with the cap on limits."""
    n_groups, total, capped = len(groups) // n_boxes, 0.0, 0.0
    for g in range(len(groups)):
        equal, at = _equality(groups[g], least, most, last, sums)
        bests[g] = _choose(groups[g], price, equal, at, best, last, by_count[g], reach)
        total += bests[g]
    if most_limits >= 2 * n_groups:
        return total, total
    for g in range(0, len(groups), n_groups):
        capped += _with_cap(by_count[g : g + n_groups], price, most_limits, table)
    return total, capped


@inner
def _count_limits(groups, most_limits, n_boxes, last, reach):
    """Return the number of limits of all boxes; -1 if a box has too many."""
    count, n_groups = 0, len(groups) // n_boxes
    for g in range(0, len(groups), n_groups):
        own = _n_limits(groups[g : g + n_groups], last, reach)
        if own > most_limits:
            return -1
        count += own
    return count


@entry
def search_sides(
    out, last, groups, points, start, pairs, prices, error, nodes, upper, memory, real, cutoff, n_nodes, n_rounds, masks
):
    """Search nodes, depth first, for boxes of more value than the cutoff.

    ``pairs`` are negatives and prices, for one box only; ``prices`` that of a limit, the most limits of a box and the
    side in the order of which boxes come. ``nodes`` are the least and the most reaches and, after those, the number of
    rows of each node that is open; ``memory`` and ``real`` are what lasts from node to node. ``masks`` are together
    and mass of the engine's `Masks`, by group and by row, or empty. Returns (number of nodes left, cutoff, nodes used);
    the cutoff rises to the value of the best boxes, whose reaches go to the last node.
    """
    n_sides, n_groups, n_boxes, depth, used = len(last) - 1, len(groups), len(memory) - 3, 1, 0
    rows, worth, state = memory[0], memory[1], memory[2:]
    share, mix = real[:, :n_sides], real[:, n_sides:]
    sums, best = np.zeros((3, n_sides, last.max() + 1)), np.zeros((3, n_sides + 1))
    best[1, n_sides] = _NONE
    bests, by_count, reach = np.empty(n_groups), np.empty((n_groups, 3)), np.zeros(n_sides + 1, np.int64)
    price, table, may = float(prices[0]), np.empty(min(prices[1], 2 * n_groups) + 1), np.ones(n_groups, np.bool_)
    while depth > 0 and used < n_nodes:
        d = depth - 1
        used += 1
        least, most, n_rows = nodes[0, d, :n_sides], nodes[1, d, :n_sides], nodes[0, d, n_sides]
        going_on = upper[d] + error - cutoff >= 1
        number = 0
        while going_on and number < n_rounds and _put_in_order(least, most, prices[2], n_boxes):
            if not open_others(masks[0], groups, n_boxes, least, most, last, may):
                break
            if not can_keep(masks[1], out, n_boxes, least, most):
                break
            n_rows = _classify(out, least, most, rows, n_rows, state)
            for k in range(n_rows):
                worth[rows[k]] = points[rows[k]]
            if pairs.shape[1]:
                _charge_pairs(out, least, rows, n_rows, state, start, pairs, worth)
            total = _gather(out, least, most, rows, n_rows, state, worth, share, mix, sums)
            _sweep(least, most, last, sums, best)
            bound, capped = _bound(
                groups, price, prices[1], n_boxes, least, most, last, sums, best, bests, by_count, reach, table
            )
            upper[d] = min(upper[d], total + capped)
            _move_shares(out, least, rows, n_rows, state, worth, reach, _STEP / (1 + number), share, mix)
            n_limits = _count_limits(groups, prices[1], n_boxes, last, reach)
            if n_limits >= 0:
                value = _earned(out, points, start, pairs, rows, n_rows, reach, state) - n_limits * prices[0]
                if value > cutoff and keeps(*masks, out, groups, n_boxes, last, reach, may):
                    cutoff = value
                    for s in range(n_sides):
                        nodes[0, -1, s] = reach[s]
            number += 1
            going_on = upper[d] + error - cutoff >= 1 and _fix(
                groups, price, total + bound + error - cutoff - 1, bests, least, most, last, sums, best
            )
        side, cut = -1, 0
        if going_on and number == n_rounds:
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
