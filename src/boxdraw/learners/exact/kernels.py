"""Compiled loops of the search for one box: sets as bits, the bound of a node, branching.

The value of a box is what it earns: the gains of the positives that it holds, each less its pair prices for the
negatives that the box holds too but never below 0, less the costs of those negatives. Everything is in whole numbers.
Sets of rows are arrays of 64-bit words; ``bits[j, l]`` is the set of rows that a limit at level l of feature j lets in.
"""

# mypy: disable-error-code="call-arg, no-untyped-def"
# (numba finds the types of the compiled functions, and supplies the first argument of an intrinsic)

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from boxdraw._core.compiled import entry, inner

MINUS_INFINITY = -(2**62)


@intrinsic
def _lowest(typingctx: Any, word: Any) -> Any:
    """Return the position of the lowest set bit of a word, by the processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


# Loops are written out below where NumPy has one word for them: numba compiles loops in a fraction of the time.
@inner
def copy(source, target):
    """Copy an array."""
    for k in range(target.shape[0]):
        target[k] = source[k]


@inner
def fill(value, target):
    """Fill an array."""
    for k in range(target.shape[0]):
        target[k] = value


@entry
def fill_bits(low, high, n_low, n_high, widest):
    """Return, for each level of each limit, the set of rows that it lets in."""
    n_rows, n_features = low.shape
    words = max(1, (n_rows + 63) // 64)
    by_low = np.zeros((n_features, widest[0], words), np.uint64)
    by_high = np.zeros((n_features, widest[1], words), np.uint64)
    for i in range(n_rows):
        word, bit = i >> 6, np.uint64(1) << np.uint64(i & 63)
        for j in range(n_features):
            by_low[j, low[i, j], word] |= bit
            by_high[j, high[i, j], word] |= bit
    for j in range(n_features):
        for w in range(words):
            for level in range(n_low[j] - 1, 0, -1):
                by_low[j, level - 1, w] |= by_low[j, level, w]
            for level in range(1, n_high[j]):
                by_high[j, level, w] |= by_high[j, level - 1, w]
    return by_low, by_high


@inner
def _settle(sets, prices, lo, hi, work):
    """Return the value of the inner box; find its rows and what other negatives would cost beyond it."""
    value = 0
    copy(prices.cost, work.capacity)
    for w in range(work.inner.shape[0]):
        word = ~np.uint64(0)
        for j in range(lo.shape[0]):
            word &= sets.negative_low[j, lo[j], w] & sets.negative_high[j, hi[j], w]
        work.inner[w] = word
        while word:
            q = w * 64 + _lowest(word)
            word &= word - np.uint64(1)
            value -= prices.cost[q]
    for w in range(work.held.shape[0]):
        word = ~np.uint64(0)
        for j in range(lo.shape[0]):
            word &= sets.positive_low[j, lo[j], w] & sets.positive_high[j, hi[j], w]
        work.held[w] = word
        while word:
            i = w * 64 + _lowest(word)
            word &= word - np.uint64(1)
            rest = prices.gain[i]
            for t in range(prices.start[i], prices.start[i + 1]):
                q = prices.negative[t]
                if work.inner[q >> 6] >> np.uint64(q & 63) & np.uint64(1):
                    rest -= prices.price[t]
            if rest > 0:
                value += rest
                # Each further negative of its pairs takes a part of the rest, as long as there is some.
                for t in range(prices.start[i], prices.start[i + 1]):
                    q = prices.negative[t]
                    if not work.inner[q >> 6] >> np.uint64(q & 63) & np.uint64(1):
                        part = min(rest, prices.price[t])
                        work.capacity[q] += part
                        rest -= part
    return value


@inner
def _let_in(by_low, by_high, sets, lo, hi, i, w):
    """Return a word of the set of rows that the inner box lets in once it has grown by a positive."""
    word = ~np.uint64(0)
    for j in range(lo.shape[0]):
        word &= by_low[j, min(lo[j], sets.low[i, j]), w] & by_high[j, max(hi[j], sets.high[i, j]), w]
    return word


@inner
def _reach_out(sets, prices, lo, hi, open_, n_open, dead, work, keep_idle):
    """Find what taking each open positive brings with it; drop those that can't or need not be taken."""
    kept = 0
    for t in range(n_open):
        i = open_[t]
        if work.held[i >> 6] >> np.uint64(i & 63) & np.uint64(1):
            continue
        blocked = False
        for w in range(work.held.shape[0]):
            word = _let_in(sets.positive_low, sets.positive_high, sets, lo, hi, i, w)
            if word & dead[w]:
                blocked = True
                break
            work.closure[kept, w] = word
        if blocked:
            dead[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
            continue
        for w in range(work.inner.shape[0]):
            work.reach[kept, w] = _let_in(sets.negative_low, sets.negative_high, sets, lo, hi, i, w) & ~work.inner[w]
        worth = prices.gain[i]
        for s in range(prices.start[i], prices.start[i + 1]):
            q = prices.negative[s]
            if (work.inner[q >> 6] | work.reach[kept, q >> 6]) >> np.uint64(q & 63) & np.uint64(1):
                worth -= prices.price[s]
        if worth <= 0 and not keep_idle:
            continue
        work.worth[kept] = max(worth, 0)
        open_[kept] = i
        kept += 1
    return kept


@inner
def _order_by_size(n_open, work):
    """Order the open positives by the size of their reach, by counting."""
    fill(0, work.bucket)
    for t in range(n_open):
        work.bucket[work.size[t] + 1] += 1
    for size in range(1, work.bucket.shape[0]):
        work.bucket[size] += work.bucket[size - 1]
    for t in range(n_open):
        work.order[work.bucket[work.size[t]]] = t
        work.bucket[work.size[t]] += 1


@inner
def _charge(n_open, work):
    """Charge open positives to the negatives in their reach; return what could not be charged."""
    # Taking positives means paying for the union of their reaches, so any flow from positives to negatives within the
    # capacities leaves a valid bound. Positives with few negatives go first, and use those that few others need.
    n_negatives = work.capacity.shape[0]
    fill(0, work.degree)
    copy(work.capacity, work.residual)
    for t in range(n_open):
        size = 0
        for w in range(work.reach.shape[1]):
            word = work.reach[t, w]
            while word:
                work.degree[w * 64 + _lowest(word)] += 1
                word &= word - np.uint64(1)
                size += 1
        work.size[t] = size
    unpaid_in_all = 0
    _order_by_size(n_open, work)
    for t in work.order[:n_open]:
        left = work.worth[t]
        shared = 0
        for w in range(work.reach.shape[1]):
            word = work.reach[t, w]
            while word:
                q = w * 64 + _lowest(word)
                word &= word - np.uint64(1)
                shared += work.degree[q]
        for round_ in range(3):
            if left == 0 or work.size[t] == 0:
                break
            most = n_negatives * n_open if round_ == 2 else shared * (round_ + 1) // (2 * work.size[t])
            for w in range(work.reach.shape[1]):
                word = work.reach[t, w]
                while word and left > 0:
                    q = w * 64 + _lowest(word)
                    word &= word - np.uint64(1)
                    if work.degree[q] <= most and work.residual[q] > 0:
                        part = min(left, work.residual[q])
                        work.residual[q] -= part
                        left -= part
        for w in range(work.reach.shape[1]):
            word = work.reach[t, w]
            while word:
                work.degree[w * 64 + _lowest(word)] -= 1
                word &= word - np.uint64(1)
        work.unpaid[t] = left
        unpaid_in_all += left
    return unpaid_in_all


@inner
def _kill(upper, cutoff, open_, n_open, dead, work):
    """Mark positives dead that no box above the cutoff holds; return how many stay open and the unpaid lost."""
    killed = False
    for t in range(n_open):
        fall = 0
        for w in range(work.reach.shape[1]):
            word = work.reach[t, w]
            while word:
                fall += work.residual[w * 64 + _lowest(word)]
                word &= word - np.uint64(1)
        work.drop[t] = fall
        if upper - fall <= cutoff:
            dead[open_[t] >> 6] |= np.uint64(1) << np.uint64(open_[t] & 63)
            work.drop[t] = -1
            killed = True
    if not killed:
        return n_open, 0
    lost = 0
    kept = 0
    for t in range(n_open):
        if work.drop[t] >= 0:
            for w in range(dead.shape[0]):
                if work.closure[t, w] & dead[w]:
                    work.drop[t] = -1
                    dead[open_[t] >> 6] |= np.uint64(1) << np.uint64(open_[t] & 63)
                    break
        if work.drop[t] < 0:
            lost += work.unpaid[t]
            continue
        if kept != t:
            open_[kept] = open_[t]
            copy(work.reach[t], work.reach[kept])
            copy(work.closure[t], work.closure[kept])
            work.worth[kept] = work.worth[t]
        kept += 1
    return kept, lost


@inner
def _share_limits(ends, lo, hi, work):
    """Let negatives beyond the inner box pay for limits that keep them out; return the sum, which any box pays."""
    # Nobody pays more than the capacity, which falls by that, and those beyond a limit no more than its price.
    fill(ends.price, ends.left)
    copy(work.capacity, work.residual)
    for q in range(ends.low.shape[0]):
        work.degree[q] = 0
        for j in range(lo.shape[0] if work.residual[q] else 0):
            work.degree[q] += int(ends.low[q, j] < lo[j]) + int(ends.high[q, j] > hi[j])
    total = 0
    for most in (1, 2, 3, 2 * lo.shape[0]):  # those who have few limits to pay for come first
        for q in range(ends.low.shape[0]):
            if work.degree[q] == 0 or work.degree[q] > most:
                continue
            work.degree[q], part = 0, work.residual[q]
            for sign in (0, 1):  # look what is left of prices, then pay
                for j in range(lo.shape[0] if part > 0 else 0):
                    for side in range(2):
                        if ends.high[q, j] > hi[j] if side else ends.low[q, j] < lo[j]:
                            item = ends.item[j, side if lo[j] - hi[j] != ends.equal[j] else 0]
                            part = min(part, ends.left[item]) if sign == 0 else part
                            ends.left[item] -= sign * part
            if part > 0:
                work.residual[q] -= part
                total += part
    copy(work.residual, work.capacity)
    return total


@entry
def bound(sets, prices, ends, lo, hi, open_, n_open, dead, cutoff, work, keep_idle):
    """Bound all boxes that hold the inner box and no dead positive; updates `open_` and `dead`."""
    # Returns (value of the inner box, upper bound, number of positives still open), both less what limits cost at
    # least: the value is then that of a box with as few limits, which there need not be.
    value = _settle(sets, prices, lo, hi, work)
    paid = _share_limits(ends, lo, hi, work) if ends.price > 0 else 0
    value, upper, n_open = _bound(sets, prices, value, lo, hi, open_, n_open, dead, cutoff + paid, work, keep_idle)
    return value - paid, upper - paid if upper > MINUS_INFINITY else upper, n_open


@inner
def _bound(sets, prices, value, lo, hi, open_, n_open, dead, cutoff, work, keep_idle):
    for w in range(dead.shape[0]):
        if work.held[w] & dead[w]:
            return value, MINUS_INFINITY, 0
    n_open = _reach_out(sets, prices, lo, hi, open_, n_open, dead, work, keep_idle)
    while True:
        most = value
        for t in range(n_open):
            most += work.worth[t]
        if most <= cutoff:
            return value, most, n_open
        upper = value + _charge(n_open, work)
        if upper <= cutoff:
            return value, upper, n_open
        kept, lost = _kill(upper, cutoff, open_, n_open, dead, work)
        if upper - lost <= cutoff:
            return value, upper - lost, kept
        if kept == n_open:
            return value, upper, n_open
        n_open = kept


@inner
def _branch(upper, cutoff, open_, n_open, work):
    """Return the positive to branch on, and True if it has to be taken."""
    fill(-1, work.slot)
    for t in range(n_open):
        work.slot[open_[t]] = t
        work.need[t] = 0
    for t in range(n_open):
        if work.unpaid[t] > 0:
            for w in range(work.closure.shape[1]):
                word = work.closure[t, w]
                while word:
                    s = work.slot[w * 64 + _lowest(word)]
                    word &= word - np.uint64(1)
                    if s >= 0:
                        work.need[s] += work.unpaid[t]
    best, chosen = -1.0, 0
    for t in range(n_open):
        if upper - work.need[t] <= cutoff:
            return t, True
        a, b = work.drop[t], work.need[t]
        score = 8.0 * min(a, b) + max(a, b)
        if score > best:
            best, chosen = score, t
    return chosen, False


@inner
def _members(words, members):
    """Write the members of a set to an array; return their number."""
    count = 0
    for w in range(words.shape[0]):
        word = words[w]
        while word:
            members[count] = w * 64 + _lowest(word)
            word &= word - np.uint64(1)
            count += 1
    return count


@inner
def _can_grow(sets, lo, hi, work):
    """Return True if the inner box can take in another positive without another negative."""
    for i in range(sets.low.shape[0]):
        if work.held[i >> 6] >> np.uint64(i & 63) & np.uint64(1):
            continue
        free = True
        for w in range(work.inner.shape[0]):
            if _let_in(sets.negative_low, sets.negative_high, sets, lo, hi, i, w) & ~work.inner[w]:
                free = False
                break
        if free:
            return True
    return False


@entry
def search(sets, prices, ends, stack, depth, cutoff, n_nodes, best_lo, best_hi, work, found, keep_all):
    """Search nodes of the stack, depth first, for boxes of more value than the cutoff."""
    # Returns (nodes left on the stack, cutoff, nodes used, number of boxes found). The cutoff rises to the best value;
    # with keep_all it stays, and every box above it is written to best_lo and best_hi, as long as there is room.
    n_positives, n_features = sets.low.shape
    lo, hi = np.empty(n_features, np.int32), np.empty(n_features, np.int32)
    open_ = np.empty(n_positives, np.int64)
    dead = np.empty(work.held.shape[0], np.uint64)
    used = 0
    while depth > 0 and used < n_nodes and not (keep_all and found > best_lo.shape[0]):
        depth -= 1
        if stack.upper[depth] <= cutoff:
            continue
        copy(stack.lo[depth], lo)
        copy(stack.hi[depth], hi)
        copy(stack.dead[depth], dead)
        n_open = _members(stack.open[depth], open_)
        grown = stack.grown[depth]
        while True:
            used += 1
            value, upper, n_open = bound(sets, prices, ends, lo, hi, open_, n_open, dead, cutoff, work, keep_all)
            if upper > MINUS_INFINITY and value > cutoff and grown:
                if keep_all:
                    if _can_grow(sets, lo, hi, work):
                        found -= 1
                    elif found < best_lo.shape[0]:
                        copy(lo, best_lo[found])
                        copy(hi, best_hi[found])
                    found += 1
                else:
                    cutoff = value
                    copy(lo, best_lo[0])
                    copy(hi, best_hi[0])
                    found = 1
            if upper <= cutoff or n_open == 0:
                break
            t, forced = _branch(upper, cutoff, open_, n_open, work)
            i = open_[t]
            if not forced:
                copy(lo, stack.lo[depth])
                copy(hi, stack.hi[depth])
                copy(dead, stack.dead[depth])
                stack.dead[depth, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
                fill(np.uint64(0), stack.open[depth])
                for s in range(n_open):
                    if s != t:
                        stack.open[depth, open_[s] >> 6] |= np.uint64(1) << np.uint64(open_[s] & 63)
                stack.upper[depth] = upper - work.need[t]
                stack.grown[depth] = False
                depth += 1
            for j in range(n_features):
                lo[j], hi[j] = min(lo[j], sets.low[i, j]), max(hi[j], sets.high[i, j])
            grown = True
    return depth, cutoff, used, found
