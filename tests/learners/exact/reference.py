"""Exact Boxes by brute force from its definition, in exact arithmetic, and small random problems to try it on.

Nothing here comes from the library. A drawing is worth the weight of the positives that some box holds by at least the
margin, plus `negative_weight` times the weight of the negatives that all boxes miss by more than the margin, less
`box_cost` for each of at most `max_boxes` closed boxes. Weights and costs mean what they print: 0.1 is a tenth.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

INF = math.inf


@dataclass(frozen=True)
class Problem:
    """Rows as lists of floats, labels 0 and 1, and what counts; no weights are weights of 1."""

    X: list
    y: list
    weight: list | None = None
    negative_weight: float | str = 1.0
    box_cost: float = 1.0
    margin: float = 0.0
    max_boxes: int = 1

    def costs(self):
        """What each row adds when it counts, and the cost of a box."""
        weights = [Fraction(1)] * len(self.y) if self.weight is None else [printed(w) for w in self.weight]
        sums = [sum(w for w, label in zip(weights, self.y, strict=True) if label == which) for which in (0, 1)]
        c = sums[1] / sums[0] if self.negative_weight == "balanced" else printed(self.negative_weight)
        return [w if label else c * w for w, label in zip(weights, self.y, strict=True)], printed(self.box_cost)


def printed(number):
    return Fraction(repr(float(number)))


# The objective of given boxes


def value(problem, lower, upper):
    """The objective of a drawing, row by row, box by box, feature by feature."""
    worth, box_cost = problem.costs()
    total = -box_cost * len(lower)
    for i, (row, label) in enumerate(zip(problem.X, problem.y, strict=True)):
        v = problem.margin if label else -problem.margin
        inside = False
        for low, high in zip(lower, upper, strict=True):
            inside |= all(above(x, a, v) and above(-x, -b, v) for x, a, b in zip(row, low, high, strict=True))
        total += worth[i] if inside == bool(label) else 0
    return total


def above(x, limit, distance):
    """Whether x is above a limit by at least a distance, without rounding."""
    return limit < x if abs(limit) == INF else Fraction(x) - Fraction(limit) >= Fraction(distance)


# The best drawing


def optimum(problem):
    """The largest objective of any drawing.

    It is enough to look at bounding boxes of positives, grown by the margin: the one around the positives that a box
    holds lies within that box, so it holds the same positives and touches no other negatives. A box that holds no
    positive at all can go, since it earns nothing and costs at least nothing.
    """
    worth, box_cost = problem.costs()
    unit = math.lcm(box_cost.denominator, *(w.denominator for w in worth))
    # Counted from the empty drawing: a positive inside is gained, a negative inside is lost.
    base = sum(w for w, label in zip(worth, problem.y, strict=True) if not label)
    gains = [int(w * unit) * (1 if label else -1) for w, label in zip(worth, problem.y, strict=True)]
    gain_of = np.zeros(1, dtype=object)  # of each set of rows; bit i of its index is row i
    for gain in gains:
        gain_of = np.concatenate([gain_of, gain_of + gain])
    boxes = boxes_around_positives(problem)
    unions, best = np.zeros(1, dtype=np.int64), 0  # of k boxes each
    for k in range(1, problem.max_boxes + 1):
        is_union = np.zeros(len(gain_of), dtype=bool)
        for box in boxes:
            is_union[unions | box] = True
        unions = np.flatnonzero(is_union)
        best = max(best, gain_of[unions].max() - k * int(box_cost * unit))
    return base + Fraction(best, unit)


def optimum_of_two(problem):
    """The largest objective of at most two boxes, for more rows than there are bits in a small table.

    Two boxes gain what each gains, less what their common rows gain: one product of matrices has that of all pairs.
    """
    worth, box_cost = problem.costs()
    unit = math.lcm(box_cost.denominator, *(w.denominator for w in worth))
    base = sum(w for w, label in zip(worth, problem.y, strict=True) if not label)
    gains = np.array([int(w * unit) * (1 if label else -1) for w, label in zip(worth, problem.y, strict=True)])
    assert np.abs(gains).sum() < 2**50  # so that floats, which multiply faster, are exact
    boxes = boxes_around_positives(problem)
    inside = np.array([[box >> i & 1 for i in range(len(gains))] for box in boxes], dtype=float)
    alone = inside @ gains - int(box_cost * unit)
    pairs = alone[:, None] + alone - (inside * gains) @ inside.T
    return base + Fraction(int(max(0, alone.max(), pairs.max())), unit)


def boxes_around_positives(problem):
    """All bounding boxes of positives, as bitmasks of the positives they hold and the negatives they touch."""
    positives = [i for i, label in enumerate(problem.y) if label]
    above_lower, below_upper = masks(problem, 1), masks(problem, -1)
    ranges = {tuple((x, x) for x in problem.X[i]) for i in positives}
    found, new = set(), ranges
    while new:
        found |= new
        new = {
            tuple((min(a, x), max(b, x)) for (a, b), x in zip(box, problem.X[i], strict=True))
            for box in new
            for i in positives
        } - found
    result = set()
    for box in found:
        mask = -1
        for j, (a, b) in enumerate(box):
            mask &= above_lower[j][a] & below_upper[j][b]
        result.add(mask)
    return sorted(result)


def masks(problem, sign):
    """For each feature and each value of a positive, the rows that the limit of a box ending there keeps in."""
    result = []
    for column in zip(*problem.X, strict=True):
        result.append({})
        for end in {x for x, label in zip(column, problem.y, strict=True) if label}:
            limit = grown(sign * end, problem.margin)
            mask = 0
            for i, (x, label) in enumerate(zip(column, problem.y, strict=True)):
                v = problem.margin if label else -problem.margin
                mask |= above(sign * x, limit, v) << i
            result[-1][end] = mask
    return result


def grown(end, margin):
    """The highest lower limit that holds a value by the margin; limits are floats."""
    exact = Fraction(end) - Fraction(margin)
    limit = float(exact)
    return limit if limit <= exact else math.nextafter(limit, -INF)


# Problems to try


def random_problem(rng, max_boxes, *, weights="any", most_rows=14, most_positives=8):
    """A small problem with many ties or with none, in which sums and differences of coordinates are exact."""
    n, d = int(rng.integers(2, most_rows + 1)), int(rng.integers(1, 4))
    n_positive = int(rng.integers(1, min(n - 1, most_positives) + 1))
    if rng.random() < 0.5:
        X = rng.integers(0, rng.integers(2, 7), size=(n, d)).astype(float)
        margins = [0.25, 0.5, 1.0, 1.5]
    else:
        X = rng.integers(-(2**19), 2**19, size=(n, d)) / 2**16
        margins = [2.0**-12, 0.25, 1.0]
    margin = float(rng.choice(margins)) if rng.random() < 0.4 else 0.0
    if not margin:
        X = X * 2.0 ** rng.integers(-20, 21, size=d)
    y = rng.permutation(n) < n_positive
    if rng.random() < 0.3:  # some rows of both classes at the same place
        some = rng.integers(0, n, size=n // 2)
        X[some] = X[rng.permutation(some)]
    weight, negative_weight = random_weights(rng, weights, y)
    return Problem(
        X=X.tolist(),
        y=y.astype(int).tolist(),
        weight=weight,
        negative_weight=negative_weight,
        box_cost=float(rng.choice([0.0, 0.5, 1.0])),
        margin=margin,
        max_boxes=max_boxes,
    )


def larger_problem(rng, n_rows=40, n_positives=13):
    """A problem of two boxes with two features, or with three of a few values."""
    n, p = int(rng.integers(n_rows // 2, n_rows)), int(rng.integers(n_positives // 2, n_positives))
    if rng.random() < 0.5:
        X = rng.integers(0, 4, size=(n, 3)).astype(float)
    else:
        X = rng.integers(0, rng.choice([8, 2**10]), size=(n, 2)) / 4
    weight, negative_weight = random_weights(rng, "any", np.arange(n) < p)
    return Problem(
        X=X.tolist(),
        y=(np.arange(n) < p).astype(int).tolist(),
        weight=weight,
        negative_weight=negative_weight,
        box_cost=float(rng.choice([0.0, 0.5, 1.0])),
        margin=float(rng.choice([0.0, 0.0, 0.25])),
        max_boxes=2,
    )


def random_weights(rng, kind, y):
    """Weights of rows, some of them 0 but never all of a class, and the weight of negatives."""
    kind = str(rng.choice(["one", "whole", "decimal"])) if kind == "any" else kind
    negative_weight = [0.1, 0.5, 1.0, 2.0, "balanced"][rng.integers(5)]
    if kind == "real":
        return rng.lognormal(size=len(y)).tolist(), negative_weight
    weight = {
        "one": None,
        "whole": rng.integers(0, 5, size=len(y)).astype(float),
        "decimal": rng.integers(1, 300, size=len(y)) / 100,
    }[kind]
    if weight is None:
        return None, negative_weight
    for label in (False, True):
        if not weight[y == label].any():
            weight[y == label] = 1.0
    return weight.tolist(), negative_weight


def in_tenths(problem, rng):
    """The same labels with rows and a margin on a grid of tenths, whose sums floats round."""
    X = np.round(rng.integers(0, 9, size=np.shape(problem.X)) * 0.1 + rng.choice([0.0, 0.7, 100.0]), 1)
    return replace(problem, X=X.tolist(), margin=float(rng.choice([0.1, 0.2, 0.3, 0.7])))
