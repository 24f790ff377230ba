"""The formulas of Scored Boxes in plain loops, and data to try them on. Nothing here comes from the library."""

import itertools
import math

import numpy as np
from scipy.optimize import minimize

TOP, MISSING = 254, 255


# Boxes on codes


def inside(code, low, high):
    """Whether one row of codes is within limits; missing numbers are within any."""
    return all(c == MISSING or a <= c <= b for c, a, b in zip(code, low, high, strict=True))


def rows_inside(codes, low, high):
    return [i for i, code in enumerate(codes.T.tolist()) if inside(code, low, high)]


def ramp(value, cut, width):
    """How far above a blurred cut a value is: 0 or 1 from half a width on, 1/2 on the cut."""
    return min(max((value - cut) / width + 0.5, 0.0), 1.0)


def membership(table, low, high, sharp=None, width=1.0):
    """How far each row is inside a box: the product over its limits. The table has codes, values and cuts."""
    codes, values, cuts, *_ = table
    result = []
    for code in codes.T.tolist():
        share = 1.0
        for j, c in enumerate(code):
            if c == MISSING:
                continue
            if low[j] > 0:
                is_sharp = sharp is not None and sharp[j][0]
                share *= c >= low[j] if is_sharp else ramp(values[j][c], cuts[j][low[j] - 1], width)
            if high[j] < TOP:
                is_sharp = sharp is not None and sharp[j][1]
                share *= c <= high[j] if is_sharp else 1 - ramp(values[j][c], cuts[j][high[j]], width)
        result.append(share)
    return np.array(result)


def gain(table, gradient, low, high, penalty, sign=1, width=1.0):
    m = membership(table, low, high, width=width)
    return sign * math.fsum(m * gradient[:, 0]) / math.sqrt(math.fsum(m * gradient[:, 1]) + penalty)


def more_limits(table, low, high, width=1.0):
    """Every box with one limit more, which has to leave rows of the box on either side of it."""
    codes, held = table[0], membership(table, low, high, width=width) > 0
    for j, side in itertools.product(range(len(codes)), (0, 1)):
        if (low[j] > 0) if side == 0 else (high[j] < TOP):
            continue
        known = codes[j][held & (codes[j] != MISSING)].astype(int)
        for cut in range(known.min(initial=TOP), known.max(initial=0)):
            a, b = list(low), list(high)
            if side == 0:
                a[j] = cut + 1
            else:
                b[j] = cut
            if a[j] <= b[j]:
                yield a, b


def best_limit(table, gradient, low, high, penalty, sign=1, width=1.0):
    """The most gain of any box with one limit more, and that box."""
    boxes = more_limits(table, low, high, width)
    found = ((gain(table, gradient, *box, penalty, sign, width), box) for box in boxes)
    return max(found, key=lambda pair: pair[0], default=(-math.inf, None))


def without_each(low, high):
    """The boxes that a box is when one of its limits is left out."""
    for j in range(len(low)):
        if low[j] > 0:
            yield [0 if k == j else a for k, a in enumerate(low)], list(high)
        if high[j] < TOP:
            yield list(low), [TOP if k == j else b for k, b in enumerate(high)]


# Steps


def log_likelihood(negatives, positives):
    """Of the class of each row, for the share of positives that makes it the most."""
    n = negatives + positives
    return sum(k * math.log(k / n) for k in (negatives, positives) if k > 0)


def steps(code, positive, weight, values, cuts, here):
    """The credit of a step at each cut within the blur of a limit at one of them, negative where the share falls."""
    near = [c for c in range(len(values)) if abs(values[c] - cuts[here]) < 0.5 or c in (here, here + 1)]
    result = {}
    for cut in near[:-1]:
        sides = (lambda c, cut=cut: c <= cut), (lambda c, cut=cut: c > cut)
        counts = [
            [
                sum(w for c, y, w in zip(code, positive, weight, strict=True) if c in near and side(c) and y == kind)
                for kind in (False, True)
            ]
            for side in (*sides, lambda c: True)
        ]
        if not all(map(sum, counts)):
            result[cut] = 0.0
            continue
        below, above, all_ = (log_likelihood(*count) for count in counts)
        shares = [count[1] / sum(count) for count in counts[:2]]
        result[cut] = math.copysign(below + above - all_, shares[1] - shares[0]) if shares[0] != shares[1] else 0.0
    return result


# Bins


def class_mass(positive, weight, class_weight):
    return np.where(positive, class_weight[1], class_weight[0]) * weight


def quantile(column, mass, share):
    """The least value that, with those below it, has at least such a share of the mass."""
    order = np.argsort(column)
    enough = np.cumsum(mass[order]) >= share * mass.sum() * (1 - 1e-9)
    return float(column[order][enough][0])


# Logistic regression


def log_loss(b, F, positive, weight, class_weight, ridge):
    """The ridge logistic loss, the intercept last in b."""
    z = F @ b[:-1] + b[-1]
    size = np.where(positive, class_weight[1], class_weight[0]) * weight
    return float(size @ np.logaddexp(0, np.where(positive, -z, z)) + ridge / 2 * b[:-1] @ b[:-1])


def slope(b, F, positive, weight, class_weight, ridge):
    """The gradient of the loss."""
    p = sigmoid(F @ b[:-1] + b[-1])
    rest = np.where(positive, class_weight[1], class_weight[0]) * weight * (p - positive)
    return np.append(F.T @ rest + ridge * b[:-1], rest.sum())


def sigmoid(z):
    return np.exp(-np.logaddexp(0, -np.asarray(z, dtype=np.float64)))


def least_loss(task, nonnegative):
    """The least loss that a general solver finds, and where."""
    n = task[0].shape[1]
    bounds = [(0 if nonnegative else None, None)] * n + [(None, None)]
    options = {"maxiter": 1000, "ftol": 1e-15, "gtol": 1e-10}
    found = minimize(log_loss, np.zeros(n + 1), task, "L-BFGS-B", jac=slope, bounds=bounds, options=options)
    return found.fun, found.x


# Scorecards


def expected_costs(chance, points, positive, weight, cost):
    """The expected cost of each threshold, over all sets of boxes that may hold a row."""
    lowest = sum(p for p in points if p < 0)
    costs = [0.0] * (sum(map(abs, points)) + 2)
    for row, y, w in zip(chance, positive, weight, strict=True):
        for held in itertools.product((False, True), repeat=len(points)):
            likely = math.prod(p if h else 1 - p for p, h in zip(row, held, strict=True))
            total = sum(p for p, h in zip(points, held, strict=True) if h)
            for t in range(len(costs)):
                flagged = total >= lowest + t
                costs[t] += likely * w * ((not flagged) if y else cost * flagged)
    return costs


def thresholds(points):
    """All that make a difference: from 1 on if no points are negative, else from the lowest sum on."""
    lowest = sum(p for p in points if p < 0)
    return range(lowest or 1, sum(p for p in points if p > 0) + 2)


def flagged(points, threshold, member):
    return [sum(p for p, held in zip(points, row, strict=True) if held) >= threshold for row in member]


def sureness(wanted, odds, mass):
    """How sure the wanted sides of cells are: by their distance from the log-odds that part them best."""
    starts = [*sorted(odds), math.inf]
    wrong = [sum(m for z, m, side in zip(odds, mass, wanted, strict=True) if (z >= s) != side) for s in starts]
    start = starts[wrong.index(min(wrong))]
    if start == math.inf:
        start = max(odds) + 1
    return [abs(math.tanh((z - start) / 2)) + 1e-3 for z in odds]


def regret(sides, wanted, sure, mass):
    """The weight of the cells on the wrong side, times how sure that is."""
    return sum(m * s for side, want, s, m in zip(sides, wanted, sure, mass, strict=True) if side != want)


def rise(points, coefficients, curvature):
    """How much a quadratic loss rises when the coefficients are the points times the best unit from 0 on."""
    points = np.asarray(points, dtype=np.float64)
    size = points @ curvature @ points
    unit = max(points @ curvature @ coefficients / size, 0) if size > 0 else 0.0
    off = unit * points - coefficients
    return float(off @ curvature @ off) / 2


# Data


def make_table(seed, n_rows=120, n_columns=3, kind="continuous", noise=0.1):
    """A table whose positives are mostly in one corner, or in another one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    if kind == "integers":
        X = np.round(2 * X)
    z = (X[:, 0] > 0.5) & (X[:, -1] < 0.5) | (X[:, -1] > 1)
    y = (z ^ (rng.random(n_rows) < noise)).astype(int)
    y[:4] = 0, 0, 1, 1
    return X, y
