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


def gain(codes, gradient, low, high, penalty, sign=1):
    rows = rows_inside(codes, low, high)
    return sign * sum(gradient[i][0] for i in rows) / math.sqrt(sum(gradient[i][1] for i in rows) + penalty)


def other_limits(low, high, column, side, codes):
    """Every box that has another limit on one side of a column."""
    for cut in range(int(codes[codes <= TOP].max(initial=0))):
        a, b = list(low), list(high)
        if side == 0:
            a[column] = cut + 1
        else:
            b[column] = cut
        if a[column] <= b[column]:
            yield a, b


def best_single_limit(codes, gradient, penalty, sign=1):
    """The most gain of any box with one limit that parts the rows."""
    n_columns = len(codes)
    best = -math.inf, None
    for j, side in itertools.product(range(n_columns), (0, 1)):
        for low, high in other_limits([0] * n_columns, [TOP] * n_columns, j, side, codes[j]):
            known = codes[j] <= TOP
            within = (codes[j] >= low[j]) & (codes[j] <= high[j])
            if within[known].any() and not within[known].all():
                best = max(best, (gain(codes, gradient, low, high, penalty, sign), (low, high)), key=lambda box: box[0])
    return best


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
