"""Fast Boxes as the paper prints it, with its slips E1 to E7 corrected, in plain loops; and data to try it on.

Nothing here comes from the library. A row is a list of numbers, which may be fractions: then order and ties are
exact, and only the exponentials are rounded. Lower edges have side 0, upper edges side 1.
"""

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn.base import BaseEstimator

LOWER, UPPER = 0, 1
GROWTHS = ("nearest_negative", "edge", "free")


# The paper


def scaled(X, width=2):
    """Every feature on [-width/2, width/2], in fractions; a constant one at 0."""
    rows = [[Fraction(float(value)) for value in row] for row in X]
    result = [[Fraction(0)] * len(row) for row in rows]
    for j in range(len(rows[0])):
        low, high = min(row[j] for row in rows), max(row[j] for row in rows)
        if low == high:
            continue
        for i, row in enumerate(rows):
            result[i][j] = ((row[j] - low) / (high - low) - Fraction(1, 2)) * Fraction(float(width))
    return result


def tight_box(rows):
    """The starting limits l_s and u_s of one cluster."""
    n_features = len(rows[0])
    lower = [min(row[j] for row in rows) for j in range(n_features)]
    upper = [max(row[j] for row in rows) for j in range(n_features)]
    return lower, upper


def overflow(x, lower, upper, p):
    return max(x[p] - upper[p], 0) + max(lower[p] - x[p], 0)


def in_region(x, lower, upper, j, side):
    """Whether x is in X_l (X_u) of feature j."""
    if side == LOWER and x[j] <= lower[j]:
        return True
    if side == UPPER and x[j] >= upper[j]:
        return True
    for p in range(len(x)):
        if p != j and not lower[p] <= x[p] <= upper[p]:
            return False
    middle = (lower[j] + upper[j]) / 2
    if side == LOWER:
        return lower[j] <= x[j] <= middle
    return middle <= x[j] <= upper[j]


def force(x, member, lower, upper, j, side):
    """The exponent of x in R+ for a member of the cluster, in R- for any other row (E1: minus the diagonal)."""
    depth = x[j] - lower[j] if side == LOWER else upper[j] - x[j]
    if member:
        return -(depth + 1)
    diagonal = 0
    for p in range(len(x)):
        if p != j:
            diagonal += overflow(x, lower, upper, p)
    return depth + 1 - diagonal


def log_sum(terms):
    """The log of a sum of w * exp(e), from pairs (w, e)."""
    if not terms:
        return -math.inf
    top = max(exponent for _, exponent in terms)
    return float(top) + math.log(math.fsum(w * math.exp(exponent - top) for w, exponent in terms))


def log_sums(rows, weight, label, k, j, side):
    """Log R+ and log R- of one edge of box k; label holds each row's cluster, and something else elsewhere."""
    lower, upper = tight_box([x for x, cluster in zip(rows, label, strict=True) if cluster == k])
    positive, negative = [], []
    for x, w, cluster in zip(rows, weight, label, strict=True):
        if in_region(x, lower, upper, j, side):
            terms = positive if cluster == k else negative
            terms.append((float(w), force(x, cluster == k, lower, upper, j, side)))
    return log_sum(positive), log_sum(negative)


def loss(rows, weight, label, k, j, side, c, beta):
    """The loss of one edge as a function of its place, row by row (E1; E2: -beta * u above)."""
    lower, upper = tight_box([x for x, cluster in zip(rows, label, strict=True) if cluster == k])

    def at(edge):
        terms = [beta * edge if side == LOWER else -beta * edge]
        for x, w, cluster in zip(rows, weight, label, strict=True):
            if not in_region(x, lower, upper, j, side):
                continue
            depth = float(x[j]) - edge if side == LOWER else edge - float(x[j])
            if cluster == k:
                terms.append(w * math.exp(-depth))
            else:
                diagonal = sum(float(overflow(x, lower, upper, p)) for p in range(len(x)) if p != j)
                terms.append(c * w * math.exp(depth - diagonal))
        return math.fsum(terms)

    return at


def revised_limit(tight, log_positive, log_negative, c, beta, side):
    """The root of the derivative of the loss, in logs: l_r, or u_r. Without R- nothing stops the edge (E4)."""
    if log_negative == -math.inf:
        return -math.inf if side == LOWER else math.inf
    log_beta = math.log(beta) if beta > 0 else -math.inf
    sign = 1 if side == LOWER else -1

    def slope(edge):  # rises with a lower edge, falls with an upper one
        outward = sign * (edge - tight) + 1
        return np.logaddexp(log_positive + outward, log_beta) - (math.log(c) + log_negative - outward)

    return brentq(slope, tight - 3000, tight + 3000, xtol=1e-13, rtol=1e-15)


def final_limit(X, positive, low, high, tight, revised, j, side, growth, width):
    """A raw limit from a raw tight limit and a scaled revised one; infinite where there is no limit.

    A limit at or beyond the range of the data is none (the library's own rule), and one at the other end of the
    range leaves no room.
    """
    none, full = (-math.inf, math.inf) if side == LOWER else (math.inf, -math.inf)
    if low == high:
        return none
    if math.isfinite(revised):
        moved = low + (Fraction(revised) / Fraction(float(width)) + Fraction(1, 2)) * (high - low)
    elif side == LOWER:
        moved = low
    else:
        moved = high
    beyond, short = (moved <= low, moved > high) if side == LOWER else (moved >= high, moved < low)
    if growth == "free":
        return none if beyond else full if short else float(moved)
    place = min(moved, tight) if side == LOWER else max(moved, tight)
    if growth == "edge":
        at_end = place <= low if side == LOWER else place >= high
        return none if at_end else float(place)
    negatives = [float(row[j]) for row, is_positive in zip(X, positive, strict=True) if not is_positive]
    if side == LOWER:
        stops = [value for value in negatives if value < place]
        return math.nextafter(max(stops), math.inf) if stops else none
    stops = [value for value in negatives if value > place]
    return math.nextafter(min(stops), -math.inf) if stops else none


def boxes(X, positive, weight, label, c, beta, growth, width=2):
    """The limits of every box in raw units, as (lower, upper) pairs of lists."""
    rows, result = scaled(X, width), []
    raw = [[Fraction(float(value)) for value in row] for row in X]
    low, high = tight_box(raw)
    for k in range(max(label) + 1):
        members = [i for i, cluster in enumerate(label) if cluster == k]
        raw_tight = tight_box([raw[i] for i in members])
        tight = tight_box([rows[i] for i in members])
        limits = ([], [])
        for side in (LOWER, UPPER):
            for j in range(len(low)):
                sums = log_sums(rows, weight, label, k, j, side)
                moved = revised_limit(float(tight[side][j]), *sums, c, beta, side)
                raw_limit = raw_tight[side][j]
                limits[side].append(final_limit(X, positive, low[j], high[j], raw_limit, moved, j, side, growth, width))
        result.append(limits)
    return result


def dealt_labels(X, positive, weight, n_clusters, noise):
    """Labels as `Dealer` gives them, the heaviest cluster first; -1 for noise and for negatives."""
    points = sorted({tuple(row) for row, is_positive in zip(X, positive, strict=True) if is_positive})
    deal = [i % (n_clusters + noise) - noise for i in range(len(points))]
    mass, first = {}, {}
    for row, is_positive, w in zip(X, positive, weight, strict=True):
        if is_positive:
            mass.setdefault(deal[points.index(tuple(row))], []).append(w)
    for i, cluster in enumerate(deal):
        first.setdefault(cluster, i)
    order = sorted(set(deal) - {-1}, key=lambda cluster: (-math.fsum(mass[cluster]), first[cluster]))
    rank = {cluster: k for k, cluster in enumerate(order)} | {-1: -1}
    return [
        rank[deal[points.index(tuple(row))]] if is_positive else -1
        for row, is_positive in zip(X, positive, strict=True)
    ]


class Dealer(BaseEstimator):
    """A clusterer that deals the points it gets like cards, the first of each round to noise if it is told to."""

    def __init__(self, hands=2, noise=0):
        self.hands = hands
        self.noise = noise

    def fit_predict(self, X):
        return np.arange(len(X)) % (self.hands + self.noise) - self.noise


# Data


def make_table(seed, kind, n_rows, n_features, n_positives):
    """Rows and 0/1 labels: "continuous", "integers" (many ties), "duplicates" (rows of both classes)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    if kind == "integers":
        X = np.rint(2 * X)
    elif kind == "duplicates":
        X = X[rng.integers(0, max(2, n_rows // 2), n_rows)]
    y = np.zeros(n_rows, dtype=int)
    y[rng.choice(n_rows, n_positives, replace=False)] = 1
    return X, y


@st.composite
def tables(draw, kinds=("continuous", "integers", "duplicates"), max_rows=30, max_features=4):
    """X and y, with at least one row of each class."""
    n_rows = draw(st.integers(2, max_rows))
    n_positives = draw(st.integers(1, max(1, n_rows // 2)))
    return make_table(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.sampled_from(kinds)),
        n_rows,
        draw(st.integers(1, max_features)),
        n_positives,
    )


def make_weight(kind, n_rows, seed):
    """Weights of the rows: None, whole numbers, or any."""
    rng = np.random.default_rng(seed)
    if kind == "whole":
        return rng.integers(1, 5, n_rows).astype(float)
    if kind == "any":
        return rng.exponential(size=n_rows) + 1e-3
    return None


costs = st.floats(-9, 9).map(lambda exponent: 10.0**exponent)
expansions = st.sampled_from([0.0, 1e-6, 0.3, 5.0, 1e6, 1e12])
growths = st.sampled_from(GROWTHS)
weight_kinds = st.sampled_from([None, "whole", "any"])
