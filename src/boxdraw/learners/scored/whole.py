"""Whole points and a threshold: the scorecard nearest to fitted coefficients whose union of boxes is small enough."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray
from boxdraw._core.compiled import entry, inner
from boxdraw.learners.scored.bins import TOP
from boxdraw.learners.scored.boost import BoostedBoxes

MOST_POINTS = 5
# A count of a union that takes more steps or more boxes at a time ends as too many boxes.
_MOST_STEPS, _MOST_FOUND = 2_000, 4096


@dataclass(frozen=True, slots=True)
class Ideal:
    """What a card should come near to."""

    coefficients: FloatArray  # of the boxes, by graded membership
    curvature: FloatArray  # of the log-loss there
    odds: FloatArray  # log-odds of each cell
    mass: FloatArray  # what each cell weighs
    costs: Callable[[IntArray], FloatArray]  # of the thresholds of a card with these points, from its lowest sum on


def whole_points(boosted: BoostedBoxes, ideal: Ideal, max_union: int | None, signed: bool) -> tuple[IntArray, int]:
    """Return points of each box, 0 to 5 or, if signed, -5 to 5, and a threshold."""
    # The coefficients, rounded to at most 5 points, and the threshold of least cost say which cells to flag. A card is
    # judged by its regret, the weight of the cells that it takes otherwise times how sure their side is, and by
    # how much the log-loss rises. Candidates are the coefficients rounded to at most 1, 2, ..., 5 points. If
    # ``max_union`` rules out the best, boxes are left out one by one, then points are changed one box at a time.
    limit = -1 if max_union is None or signed else max_union
    share = ideal.coefficients / np.abs(ideal.coefficients).max()
    starts = np.rint(share * np.arange(MOST_POINTS, 0, -1)[:, None]).astype(np.int64)
    costs = ideal.costs(starts[0])
    task = _task(boosted, ideal, starts[0], costs)
    points = _best_points(starts, task, limit)
    if not np.array_equal(points, starts[0]):
        costs = ideal.costs(points)
    threshold = _cheapest(points, costs, task, limit)
    unit = max(int(np.gcd.reduce(points)), 1)  # 4 and 2 points with an alarm from 3 are 2 and 1 with one from 2
    points = points // unit
    return points, _reached(points, -(-threshold // unit))


def _reached(points: IntArray, threshold: int) -> int:
    """Return the threshold that boxes add up to and that flags the same: with 4 and 5 points, 4 instead of 1."""
    sums = {0}
    for value in points.tolist():
        sums |= {total + value for total in sums}
    return min((total for total in sums if total >= threshold), default=threshold)


def _task(boosted: BoostedBoxes, ideal: Ideal, points: IntArray, costs: FloatArray) -> Task:
    """Return what cards are judged by, given the points that they should come near to."""
    member = boosted.cells.member.astype(np.int64)
    sums = member @ points
    flagged = sums >= _lowest(points) + int(costs.argmin())
    # the log-odds at which cells change sides, as nearly as these go with the points
    starts = np.append(np.sort(ideal.odds), np.inf)
    wrong = ((ideal.odds >= starts[:, None]) != flagged) @ ideal.mass
    start = starts[int(np.argmin(wrong))]
    sure = np.abs(np.tanh((ideal.odds - (start if np.isfinite(start) else ideal.odds.max() + 1)) / 2)) + 1e-3
    pull = ideal.curvature @ ideal.coefficients
    return Task(
        member=member,
        regret=np.where(flagged, sure, -sure) * ideal.mass,
        curvature=ideal.curvature,
        pull=pull,
        most=ideal.coefficients @ pull,
        low=boosted.low,
        high=boosted.high,
        missing=boosted.missing,
    )


def _lowest(points: IntArray) -> int:
    return int(np.minimum(points, 0).sum())


def _cheapest(points: IntArray, costs: FloatArray, task: Task, limit: int) -> int:
    """Return the threshold of least cost among those whose union has few enough boxes."""
    lowest = _lowest(points)
    thresholds = (np.argsort(costs, kind="stable") + lowest).tolist()
    if limit < 0:
        return next(t for t in thresholds if lowest < 0 or t > 0)
    return next(t for t in thresholds if t > 0 and count_union(points, t, *task[-3:], limit) <= limit)


class Task(NamedTuple):
    """What a card is judged by."""

    member: Any  # (cells, boxes)
    regret: Any  # per cell: of leaving it alone; below 0, with other sign, of flagging it
    curvature: Any
    pull: Any  # curvature x coefficients
    most: Any  # coefficients x pull: twice the rise of the loss without points
    low: Any
    high: Any
    missing: Any


@inner
def _rise(points, task):
    """Return how much the log-loss rises, to second order, by points instead of coefficients."""
    along, size = 0.0, 0.0
    for k in range(len(points)):
        along += points[k] * task.pull[k]
        for q in range(len(points)):
            size += points[k] * points[q] * task.curvature[k, q]
    return max(task.most - along * along / size, 0.0) / 2 if size > 0 and along > 0 else task.most / 2


@inner
def _regrets(points, task, first, last):
    """Return the regret at each threshold from first to last."""
    result = np.zeros(last - first + 1)
    for c in range(len(task.regret)):
        total = 0
        for k in range(len(points)):
            total += points[k] * task.member[c, k]
        flagged = total - first + 1  # up to the threshold that equals its points
        if task.regret[c] >= 0:
            for t in range(flagged, len(result)):
                result[t] += task.regret[c]
        else:
            for t in range(flagged):
                result[t] -= task.regret[c]
    return result


def _best_points(starts: IntArray, task: Task, limit: int) -> IntArray:
    """Return the best of the cards to start from, or, where the limit rules that out, what is found from them."""
    loss, points = _best_of(starts, task, limit, math.inf, starts[0])
    if limit < 0 or loss <= _best_of(starts, task, -1, math.inf, starts[0])[0]:
        return points
    for start in starts:
        loss, points = _best_of(_fewer_boxes(start, task), task, limit, loss, points)
    return _climb(points, task, limit)


def _best_of(cards: IntArray, task: Task, limit: int, least: float, best: IntArray) -> tuple[float, IntArray]:
    """Return the card of least loss, and that, if any is below the least so far."""
    for points in cards:
        loss = _least_loss(points, task, limit, least)  # infinite unless it is less
        if loss < least:
            least, best = loss, points
    return least, best


@entry
def _least_loss(points, task, limit, bound):
    """Return the loss of the points at their best threshold; infinity if it is not below bound."""
    rise = _rise(points, task)
    if rise >= bound:
        return np.inf
    lowest, highest = 0, 0
    for k in range(len(points)):
        if points[k] < 0:
            lowest += points[k]
        else:
            highest += points[k]
    first = lowest if lowest < 0 else 1
    losses = _regrets(points, task, first, highest + 1)
    for t in range(len(losses)):
        losses[t] += rise
    while True:
        t = 0
        for other in range(1, len(losses)):
            if losses[other] < losses[t]:
                t = other
        loss = losses[t]
        if loss >= bound:
            return np.inf
        if limit < 0 or count_union(points, first + t, task.low, task.high, task.missing, limit) <= limit:
            return loss
        losses[t] = np.inf


def _fewer_boxes(points: IntArray, task: Task) -> IntArray:
    """Return cards that leave out one box after the other, each time the one that is missed least."""
    points, cards = points.copy(), []
    for _ in range(np.count_nonzero(points) - 1):
        least, missed = math.inf, -1
        for k in np.flatnonzero(points > 0).tolist():
            value, points[k] = points[k], 0
            loss = _least_loss(points, task, -1, least)
            points[k] = value
            if missed < 0 or loss < least:
                least, missed = loss, k
        points[missed] = 0
        cards.append(points.copy())
    return np.array(cards, dtype=np.int64).reshape(-1, len(points))


def _climb(points: IntArray, task: Task, limit: int) -> IntArray:
    """Change the points of one box at a time, to the best card of all thresholds, until none is better."""
    points, better = points.copy(), True
    best = _least_loss(points, task, limit, math.inf)
    while better:
        better = False
        for k, old in enumerate(points.tolist()):
            choice = old
            for value in range(MOST_POINTS + 1):
                if value == old:
                    continue
                points[k] = value
                loss = _least_loss(points, task, limit, best * (1 - 1e-9))
                if loss < math.inf:
                    best, choice, better = loss, value, True
            points[k] = choice
    return points


@entry
def count_union(points, threshold, low, high, missing, limit):
    """Count the boxes of the union; any number above the limit means too many."""
    # Minimal sets of boxes that reach the threshold, in falling order of points; without the sets whose boxes have no
    # code in common and those within another one. A column with ``missing`` values may have one of these in common.
    n_boxes, n_columns = low.shape
    order = _by_points(points)
    rest = np.zeros(n_boxes + 1, np.int64)
    for i in range(n_boxes - 1, -1, -1):
        rest[i] = rest[i + 1] + points[order[i]]
    too_many = limit + 1
    limit = min(limit, _MOST_FOUND - 1)
    room = min(8 * limit + 8, _MOST_FOUND)
    found_low, found_high = np.empty((room, n_columns), np.int64), np.empty((room, n_columns), np.int64)
    n_found, steps = np.int64(0), 0  # not a literal, for which another function would be compiled
    place = np.zeros(n_boxes + 1, np.int64)  # the boxes of the set, by their place in the order
    sums = np.zeros(n_boxes + 1, np.int64)
    a, b = np.empty((n_boxes + 1, n_columns), np.int64), np.empty((n_boxes + 1, n_columns), np.int64)
    for j in range(n_columns):
        a[0, j], b[0, j] = 0, TOP
    depth = 1
    place[1] = -1
    while depth > 0:
        steps += 1
        if steps > _MOST_STEPS:
            return too_many
        place[depth] += 1
        i = place[depth]
        if i >= n_boxes or sums[depth - 1] + rest[i] < threshold:
            depth -= 1
            continue
        k, empty = order[i], False
        for j in range(n_columns):
            a[depth, j] = max(a[depth - 1, j], low[k, j])
            b[depth, j] = min(b[depth - 1, j], high[k, j])
            empty = empty or (a[depth, j] > b[depth, j] and not missing[j])
        if empty:
            continue
        sums[depth] = sums[depth - 1] + points[k]
        if sums[depth] >= threshold:
            if n_found == len(found_low):
                n_found = _outermost(found_low, found_high, n_found)
                if n_found > limit:
                    return too_many
            for j in range(n_columns):
                found_low[n_found, j], found_high[n_found, j] = a[depth, j], b[depth, j]
            n_found += 1
        elif depth < n_boxes:
            place[depth + 1] = i
            depth += 1
    return _outermost(found_low, found_high, n_found)


@inner
def _by_points(points):
    """Return the places of the boxes in falling order of points, of equal ones the first first."""
    order = np.zeros(len(points), np.int64)
    for i in range(1, len(points)):
        order[i] = i
        k, place = order[i], i
        while place > 0 and points[order[place - 1]] < points[k]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = k
    return order


@inner
def _outermost(low, high, n):
    """Move the boxes that are within no other one to the front; return their number."""
    kept = 0
    for i in range(n):
        inside = False
        for q in range(n):
            # of two equal boxes the first
            if q != i and _within(low, high, i, q) and (q < i or not _within(low, high, q, i)):
                inside = True
                break
        if not inside:
            for j in range(low.shape[1]):
                low[kept, j], high[kept, j] = low[i, j], high[i, j]
            kept += 1
    return kept


@inner
def _within(low, high, i, q):
    j = 0
    while j < low.shape[1] and low[i, j] >= low[q, j] and high[i, j] <= high[q, j]:
        j += 1
    return j == low.shape[1]
