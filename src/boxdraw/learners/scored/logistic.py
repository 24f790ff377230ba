"""Ridge logistic regression whose answer does not depend on the order of the rows, and in which weight 3 is three rows.

Every term of a sum is rounded to a whole multiple of one unit, small but so large that all partial sums are exact.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import math

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.compiled import entry, inner


def rounder_of(total: float) -> float:
    """Return a number that rounds terms to the unit of sums of at most ``total`` when added and taken away again."""
    return 1.5 * 2.0 ** (math.ceil(math.log2(total)) + 2)


@inner
def copies(weight):
    """Return as how many equal terms a weight counts, unless it is huge, and the factor of one more term."""
    whole = math.floor(weight) if weight <= 2**16 else 0.0
    return whole, weight - whole


@inner
def rounded(term, whole, part, rounder):
    """Return weight x term for the copies that the weight counts as."""
    copied = whole * ((term + rounder) - rounder)
    return copied + ((part * term + rounder) - rounder) if part > 0 else copied


@inner
def chance_of(z):
    """Return the probability of log-odds z."""
    e = math.exp(-abs(z))
    return 1 / (1 + e) if z > 0 else e / (1 + e)


@inner
def _chance_and_cost(z):
    """Return the probability of log-odds z, and the log-loss of the likelier class."""
    e = math.exp(-abs(z))
    return 1 / (1 + e) if z > 0 else e / (1 + e), math.log1p(e)


@entry
def _derivatives(F, positive, weight, class_weight, b, rounder, gradient, curvature):
    """Write the derivatives of the log-loss at b, the second ones below the diagonal; return the loss."""
    n_rows, n = F.shape
    for k in range(n + 1):
        gradient[k] = 0.0
        for q in range(n + 1):
            curvature[k, q] = 0.0
    loss = 0.0
    inside, n_inside = np.empty(n, np.int64), 0
    outside = _chance_and_cost(b[n])  # once for all the rows that no box holds
    for i in range(n_rows):
        z, n_inside = b[n], 0
        for k in range(n):
            z += b[k] * F[i, k]
            if F[i, k] != 0.0:  # the boxes that hold a row are few
                inside[n_inside] = k
                n_inside += 1
        p, cost = outside if z == b[n] else _chance_and_cost(z)
        size = class_weight[1] if positive[i] else class_weight[0]
        cost += max(-z if positive[i] else z, 0.0)
        pull = size * ((1.0 if positive[i] else 0.0) - p)
        bend = size * p * (1 - p)
        whole, part = copies(weight[i])
        loss += rounded(size * cost, whole, part, rounder)
        gradient[n] += rounded(pull, whole, part, rounder)
        curvature[n, n] += rounded(bend, whole, part, rounder)
        for place in range(n_inside):
            k = inside[place]
            f = F[i, k]
            gradient[k] += rounded(pull * f, whole, part, rounder)
            curvature[n, k] += rounded(bend * f, whole, part, rounder)
            if n_inside == n:
                for q in range(k + 1):
                    curvature[k, q] += rounded(bend * f * F[i, q], whole, part, rounder)
            else:
                for other in range(place + 1):
                    q = inside[other]
                    curvature[k, q] += rounded(bend * f * F[i, q], whole, part, rounder)
    return loss


def fit_logistic(
    F: FloatArray,
    positive: BoolArray,
    weight: FloatArray,
    class_weight: FloatArray,
    ridge: float,
    nonnegative: bool,
    start: FloatArray,
    exact: float,
) -> FloatArray:
    """Return ridge coefficients of the columns of F, the intercept, without ridge, last."""
    rounder = rounder_of(weight.sum() * class_weight.max())
    return np.asarray(_fit(F, positive, weight, class_weight, ridge, nonnegative, start, exact, rounder))


@entry
def _fit(F, positive, weight, class_weight, ridge, nonnegative, start, exact, rounder):
    """Return the coefficients by damped Newton steps."""
    n = F.shape[1]
    gradient, curvature = np.empty(n + 1), np.empty((n + 1, n + 1))
    b, step, before = start.copy(), np.zeros(n + 1), np.inf
    for _ in range(200):
        loss, square, longest = (
            _derivatives(F, positive, weight, class_weight, b, rounder, gradient, curvature),
            0.0,
            0.0,
        )
        for k in range(n):
            square += b[k] * b[k]
        loss += ridge / 2 * square
        back = loss > before * (1 + 1e-13)
        if back:
            for k in range(n + 1):
                step[k] /= 2
        else:
            before = loss
            _newton_step(b, gradient, curvature, ridge, nonnegative, step)
        for k in range(n + 1):
            b[k] += -step[k] if back else step[k]
            longest = max(longest, abs(step[k]))
        if longest < (1e-10 if back else exact):
            break
    if nonnegative:
        for k in range(n):
            b[k] = max(b[k], 0.0)
    return b


@inner
def _newton_step(b, slope, curvature, ridge, nonnegative, step):
    """Write the step to the least of the quadratic model, one coefficient at a time, at most 4 long."""
    n = len(b) - 1
    for k in range(n):
        slope[k] -= ridge * b[k]
        curvature[k, k] += ridge
    for k in range(n + 1):
        for q in range(k):
            curvature[q, k] = curvature[k, q]
    curvature[n, n] = max(curvature[n, n], 1e-300)
    for k in range(n + 1):
        step[k] = 0.0
    for _ in range(10_000):
        moved = 0.0
        for k in range(n + 1):
            move = slope[k] / curvature[k, k]
            if nonnegative and k < n:
                move = max(move, -b[k] - step[k])
            step[k] += move
            for q in range(n + 1):
                slope[q] -= move * curvature[k, q]
            moved = max(moved, abs(move))
        if moved < 1e-10:
            break
    size = 0.0
    for k in range(n + 1):
        size = max(size, abs(step[k]))
    if size > 4:
        for k in range(n + 1):
            step[k] *= 4 / size


def curvature_of(
    F: FloatArray, positive: BoolArray, weight: FloatArray, class_weight: FloatArray, ridge: float, b: FloatArray
) -> FloatArray:
    """Return the second derivatives of the loss at b, at the best intercept for any coefficients."""
    n = F.shape[1]
    rounder = rounder_of(weight.sum() * class_weight.max())
    gradient, curvature = np.empty(n + 1), np.empty((n + 1, n + 1))
    _derivatives(F, positive, weight, class_weight, b, rounder, gradient, curvature)
    with np.errstate(all="ignore"):
        unit = 2.0 ** -np.floor(np.log2(curvature[n, n]))  # so that squares of the largest weights are numbers, too
        last = curvature[n] * unit
        lower = np.tril(curvature[:n, :n] - np.outer(last[:n], last[:n]) / last[n] / unit)
    return np.asarray(lower + np.tril(lower, -1).T + ridge * np.eye(n))
