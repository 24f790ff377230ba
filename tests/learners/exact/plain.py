"""What goes through a large table in tiles, written for a small one: on whole matrices, in fractions."""

import hashlib
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from boxdraw.learners.exact import strategies
from boxdraw.learners.exact.objective import sum_down, sum_up
from boxdraw.learners.exact.ranks import tight_lower, tight_upper
from boxdraw.learners.exact.weights import decimal
from boxdraw.learners.fast.cluster import cluster_positives, filled, masses


def points(objective):
    """Return the points of each row, those of a box, the unit and the error."""
    weight = np.ones(len(objective.X)) if objective.weight is None else objective.weight
    sides = [1 if positive else objective.negative_weight for positive in objective.positive]
    worth = [decimal(w) * side for w, side in zip(weight.tolist(), sides, strict=True)]
    most = sum(worth) + objective.box_cost * objective.max_boxes
    unit = Fraction(1, math.lcm(*(w.denominator for w in [*worth, objective.box_cost])))
    if most / unit > 2**40:
        unit = Fraction(2) ** (math.ceil(math.log2(most / 2**40)) + 1)
    whole, box = [round(w / unit) for w in worth], round(objective.box_cost / unit)
    error = abs(objective.box_cost - box * unit) * objective.max_boxes
    return whole, box, unit, error + sum(abs(w - p * unit) for w, p in zip(worth, whole, strict=True))


def reached(objective):
    """Return the negatives within reach: those that the box around all positives, grown by 2 margins, holds."""
    X, margin = objective.X.astype(float), objective.margin
    inside = np.ones(len(X), dtype=bool)
    for column in X.T:
        known = column[objective.positive & ~np.isnan(column)]
        if len(known):
            low, high = sum_up(tight_lower(known, margin), -margin), sum_down(tight_upper(known, margin), margin)
            inside &= np.isnan(column) | ((low.min() <= column) & (column <= high.max()))
    return np.flatnonzero(inside & ~objective.positive)


def presolve(objective, scale):
    """Return the rows of both classes on levels, merged, with their points, and the number of levels."""
    X, margin, positive = objective.X.astype(float), objective.margin, objective.positive
    near = reached(objective)
    sides = []
    for column in X.T:
        known = np.unique(column[positive & ~np.isnan(column)])
        values = known if len(known) else np.zeros(1)
        lows, highs = sum_up(tight_lower(values, margin), -margin), sum_down(tight_upper(values, margin), margin)
        for limits, sign in ((lows, 1), (highs, -1)):
            sides.append(_levels(column, positive, near, values, limits, sign, bool(len(known))))
    n_levels = np.array([side[2] for side in sides]).reshape(-1, 2)
    matters = (n_levels > 1).any(axis=1)
    matters[0] |= not matters.any()
    rows = []
    for k, chosen in ((0, np.flatnonzero(positive)), (1, near)):
        low, high = (np.array([side[k] for side in sides[t::2]])[matters].T for t in (0, 1))
        merged, index = np.unique(np.hstack([low, high]), axis=0, return_inverse=True)
        total = np.zeros(len(merged), dtype=np.int64)
        np.add.at(total, index.reshape(-1), scale.points[chosen])
        rows.append((merged, total, index.reshape(-1)))
    return rows, n_levels[matters]


def _levels(column, positive, near, values, limits, sign, is_known):
    """Return the levels of a side of a feature: of the positives, of the negatives within reach, and their number."""
    taken = []  # for each value as the limit, which negatives it takes in
    for limit in limits:
        beyond = column[near] < limit if sign == 1 else column[near] > limit
        taken.append(~beyond if is_known else np.ones(len(near), dtype=bool))
    # From the innermost limit outwards; a level begins where a negative comes in.
    order = range(len(values) - 1, -1, -1) if sign == 1 else range(len(values))
    level, levels, before = 0, {}, None
    for k in order:
        level += before is not None and not np.array_equal(before, taken[k])
        levels[k], before = level, taken[k]
    number = level + 1
    from_inside = []
    for x in column[positive]:
        from_inside.append(0 if np.isnan(x) else levels[int(np.searchsorted(values, x))])
    of_near = [min(levels[k] for k in order if taken[k][t]) for t in range(len(near))]
    flip = (number - 1) if sign == 1 else 0
    return [abs(flip - x) for x in from_inside], [abs(flip - x) for x in of_near], number


def checksum(objective):
    weight = np.ones(len(objective.X)) if objective.weight is None else objective.weight
    rows = np.column_stack([objective.X, objective.positive, weight]).astype(np.float64) + 0.0
    rows[np.isnan(rows)] = np.nan
    text = repr(rows.shape).encode() + rows[np.lexsort(rows.T)].astype("<f8").tobytes()
    return hashlib.sha256(text).hexdigest()


def widen(objective, lower, upper):
    """Move the limits of a box as `boxdraw.learners.exact.edges` does, with a matrix for each side."""
    X = objective.X.astype(float)
    sides = np.where(objective.positive, objective.margin, -objective.margin)
    beyond = np.stack([(lower + sides[:, None]) > X, (upper - sides[:, None]) < X])
    times = beyond.sum(axis=(0, 2))
    order = np.argsort(beyond.sum(axis=1).reshape(-1), kind="stable")
    for side, j in zip(*np.unravel_index(order, (2, X.shape[1])), strict=True):
        here = beyond[side, :, j]
        alone = here & (times == 1)
        limits, sign = (lower, 1.0) if side == 0 else (upper, -1.0)
        limits[j] = sign * _halfway(sign * limits[j], sign * X[alone, j], sides[alone], objective.margin)
        now = here & (sign * X[:, j] < sign * limits[j] + sides)
        times -= here & ~now
        beyond[side, :, j] = now


def _halfway(limit, out, sides, margin):
    if not len(out):
        return -np.inf
    mid = (limit + margin) / 2 + out / 2
    moved = float(np.where(sides >= margin, mid - margin, mid).max()) if margin else float(mid.max())
    return moved if moved < limit and (out < moved + sides).all() else limit


def per_cluster(objective, limits):
    """Draw the best box of each cluster on a table of its own, with all negatives; return what the boxes hold."""
    weight = None if objective.weight is None else objective.weight[objective.positive]
    rows = filled(objective.X[objective.positive].astype(float), masses(weight, None))
    labels = cluster_positives(rows, weight, objective.max_boxes, None, limits.seed)
    held = []
    for k in range(labels.max() + 1):
        chosen = ~objective.positive
        chosen[objective.positive] = labels == k
        part = replace(strategies.part_of(objective, chosen), max_boxes=1)
        for inside in strategies.search(part, part.in_points(), [], limits).held:
            held.append(np.zeros(len(labels), dtype=bool))
            held[-1][labels == k] = inside
    return held
