"""Exact Boxes with prices for limits, by brute force from the definition; nothing here comes from the library.

A limit is what a person reads: each end of an interval, an equality, a set of categories, "is missing" or "is known".
An equality in a column that is not of whole numbers counts as an interval.
Missing numbers are inside or outside a box as a whole, whatever its interval is ("or missing" costs nothing beside it).
Sets of categories are intervals in the order of their shares of positives.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd

INF = float("inf")


@dataclass(frozen=True)
class Table:
    """A small table and what counts in it."""

    frame: pd.DataFrame
    y: np.ndarray
    weight: np.ndarray | None
    params: dict  # of the estimator; costs may be "auto"

    def worth(self):
        """What each row adds when it counts."""
        weight = [Fraction(1)] * len(self.y) if self.weight is None else [printed(w) for w in self.weight]
        sums = [sum(w for w, label in zip(weight, self.y, strict=True) if label == which) for which in (0, 1)]
        c = self.params["negative_weight"]
        c = sums[1] / sums[0] if c == "balanced" else printed(c)
        return [w if label else c * w for w, label in zip(weight, self.y, strict=True)], sums[1]

    def costs(self):
        """What a box and a limit cost."""
        positives = self.worth()[1]
        given = (self.params["box_cost"], Fraction(2, 100)), (self.params["limit_cost"], Fraction(1, 100))
        return [share * positives if cost == "auto" else printed(cost) for cost, share in given]


def printed(number):
    return Fraction(repr(float(number)))


def value(table, inside, n_limits):
    """The objective of a drawing that holds the given rows, positives by the margin and negatives up to it."""
    worth, _ = table.worth()
    box, limit = table.costs()
    right = sum((w for w, label, held in zip(worth, table.y, inside, strict=True) if held == bool(label)), Fraction(0))
    return right - sum(box + limit * n for n in n_limits)


def options(table, name):
    """All that a box can ask of a feature: the rows that it admits, and the number of limits."""
    column, margin = table.frame[name], table.params["margin"]
    if isinstance(column.dtype, pd.CategoricalDtype):
        yield from category_options(table, column)
        return
    x, missing = column.to_numpy(dtype=float), column.isna().to_numpy()
    values = sorted(set(x[(table.y == 1) & ~missing].tolist()))
    v = np.where(table.y == 1, margin, -margin)
    singles = margin == 0 and is_whole(column)
    for lower, upper in product([-INF, *values], [*values, INF]):
        if lower > upper:
            continue
        with np.errstate(invalid="ignore"):
            within = (x >= lower - margin + v) & (x <= upper + margin - v)
        ends = int(lower > -INF) + int(upper < INF) - int(lower == upper and singles)
        yield within | missing, ends
        if missing.any():
            yield within & ~missing, max(ends, 1)
    if missing.any():
        yield missing, 1


def is_whole(column):
    return all(float(value).is_integer() for value in column.dropna())


def n_limits(table, box):
    """What the limits of a box that was found count."""
    fractions = [
        not isinstance(table.frame[name].dtype, pd.CategoricalDtype) and not is_whole(table.frame[name])
        for name in table.frame
    ]
    return box.n_limits + int(((box.lower == box.upper)[0] & fractions).sum())


def category_options(table, column):
    codes = column.cat.codes.to_numpy()  # -1 for missing, which is one more category
    weight = np.ones(len(codes)) if table.weight is None else table.weight
    kinds = [
        *(k for k in range(len(column.cat.categories)) if (codes == k).any()),
        *([-1] if (codes < 0).any() else []),
    ]
    total = {k: weight[codes == k].sum() for k in kinds}
    share = {k: weight[(codes == k) & (table.y == 1)].sum() / total[k] for k in kinds}
    base = weight[table.y == 1].sum() / weight.sum()
    last = len(column.cat.categories)
    order = sorted(kinds, key=lambda k: (share[k], (base - share[k]) / total[k], k if k >= 0 else last))
    for first in range(len(order)):
        for end in range(first, len(order)):
            chosen = order[first : end + 1]
            yield np.isin(codes, chosen), int(len(chosen) < len(order))


def boxes(table):
    """Return the sets of rows that boxes of few enough limits can hold, each with the least number of limits."""
    sets = {(True,) * len(table.y): 0}
    for name in table.frame:
        asked = {}
        for admitted, n in options(table, name):
            asked[tuple(admitted)] = min(n, asked.get(tuple(admitted), n))
        new = {}
        for (held, n), (admitted, more) in product(sets.items(), asked.items()):
            both = tuple(a and b for a, b in zip(held, admitted, strict=True))
            new[both] = min(n + more, new.get(both, n + more))
        sets = new
    most = table.params["max_limits"]
    return {held: n for held, n in sets.items() if most is None or n <= most}


def optimum(table):
    """The largest objective of any drawing."""
    (worth, _), (box, limit) = table.worth(), table.costs()
    gain = [w if label else -w for w, label in zip(worth, table.y, strict=True)]
    unit = np.lcm.reduce([g.denominator for g in [*gain, box, limit]])
    gains = np.array([int(g * unit) for g in gain])
    found = boxes(table)
    held, price = np.array(list(found)), np.array([int((box + limit * n) * unit) for n in found.values()])
    base = sum((w for w, label in zip(worth, table.y, strict=True) if not label), Fraction(0))
    best = max(0, int((held @ gains - price).max()))
    # A box whose positives do not pay for it is in no best drawing.
    some = np.flatnonzero(held[:, table.y == 1] @ gains[table.y == 1] > price)
    for size in range(2, table.params["max_boxes"] + 1):
        for chosen in combinations(some, size - 1):
            covered = held[list(chosen)].any(axis=0)
            rest = (held[some] | covered) @ gains - price[some] - price[list(chosen)].sum()
            best = max(best, int(rest.max(initial=0)))
    return base + Fraction(best, int(unit))


def random_table(rng, max_boxes):
    """Return few rows with ties, weights, categories, missing values and a margin, or without."""
    n = int(rng.integers(3, 12 if max_boxes == 1 else 9))
    columns = {}
    for j in range(rng.integers(1, 4 if max_boxes < 3 else 3)):
        x = rng.integers(0, 5, n).astype(float)
        if rng.integers(2):
            x[rng.random(n) < 0.25] = np.nan
        if rng.integers(3) == 0:
            names = np.where(np.isnan(x), None, np.array(list("abcde"))[np.nan_to_num(x).astype(int)])
            columns[f"x{j}"] = pd.Categorical(names)
        else:
            columns[f"x{j}"] = x / (1 + rng.integers(2))
    y = (rng.random(n) < 0.5).astype(int)
    y[:2] = 1, 0
    params = {
        "negative_weight": [0.5, 1.0, 2.0, "balanced"][rng.integers(4)],
        "box_cost": ["auto", 0.0, 0.5, 1.0][rng.integers(4)],
        "limit_cost": ["auto", 0.25, 0.5, 0.1, 1.0, 0.0][rng.integers(6)],
        "max_limits": [None, None, 1, 2, 3][rng.integers(5)],
        "margin": float(rng.choice([0.0, 0.0, 0.25, 0.5])),
        "max_boxes": max_boxes,
    }
    weight = None if rng.integers(2) else rng.integers(1, 4, n).astype(float)
    return Table(pd.DataFrame(columns), y, weight, params)
