"""Exact Boxes with prices for limits, by brute force from the definition; nothing here comes from the library.

A limit is what a person reads: each end of an interval, an equality, a set of categories, "is missing" or "is known".
An equality in a column that is not of whole numbers counts as an interval.
Missing numbers are inside or outside a box as a whole, whatever its interval is ("or missing" costs nothing beside it).
Sets of categories are intervals in the order of their shares of positives.
Constraints, if there are any, are those of the estimator, features by name.
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
    cuts = (table.params.get("allowed_values") or {}).get(name)
    if cuts == []:
        yield np.ones(len(column), dtype=bool), 0
        return
    if isinstance(column.dtype, pd.CategoricalDtype):
        yield from category_options(table, column)
        return
    x, missing = column.to_numpy(dtype=float), column.isna().to_numpy()
    lowers, uppers = limits_to_try(table, x[~missing], table.y[~missing], cuts)
    direction = (table.params.get("monotonic_cst") or {}).get(name, 0)
    lowers, uppers = lowers if direction >= 0 else [], uppers if direction <= 0 else []
    v = np.where(table.y == 1, margin, -margin)
    for lower, upper in product([-INF, *lowers], [*uppers, INF]):
        if lower > upper:
            continue
        with np.errstate(invalid="ignore"):
            within = (x >= lower + v) & (x <= upper - v)
        ends = int(lower > -INF) + int(upper < INF) - int(lower == upper and is_whole(column))
        yield within | missing, ends
        if missing.any():
            yield within & ~missing, max(ends, 1)
    if missing.any():
        yield missing, 1


def limits_to_try(table, x, y, cuts):
    """The lower and upper limits that make a difference: of one value of a positive, but a box may need more rows."""
    if cuts is not None:
        return cuts, cuts
    margin = table.params["margin"]
    values = sorted(set(x[(y == 1) | bool(table.params.get("min_box_rows"))].tolist()))
    return [value - margin for value in values], [value + margin for value in values]


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
    sets = {((True,) * len(table.y), frozenset()): 0}
    for name in table.frame:
        asked = {}
        for admitted, n in options(table, name):
            key = tuple(admitted.tolist()), frozenset([name] if n else [])
            asked[key] = min(n, asked.get(key, n))
        new = {}
        for ((held, used), n), ((admitted, more), own) in product(sets.items(), asked.items()):
            both = tuple(a and b for a, b in zip(held, admitted, strict=True)), used | more
            new[both] = min(n + own, new.get(both, n + own))
        sets = new
    most, result = table.params["max_limits"], {}
    for (held, used), n in sets.items():
        if (most is None or n <= most) and may_stand(table, used) and holds_enough(table, held):
            result[held] = min(n, result.get(held, n))
    return result


def may_stand(table, features):
    """Whether a box may limit all these features."""
    asked = table.params.get("interaction_cst")
    if asked is None or isinstance(asked, str):
        return len(features) <= {None: len(features), "pairwise": 2, "no_interactions": 1}[asked]
    if isinstance(asked, dict):
        return all(len(features & set(apart)) <= 1 for apart in asked["not_together"])
    rest = set(table.frame) - {name for group in asked for name in group}
    return any(features <= set(group) for group in [*asked, rest])


def holds_enough(table, held):
    """Whether a box with these rows holds enough of them, and of positives."""
    weight = [Fraction(1)] * len(table.y) if table.weight is None else [printed(w) for w in table.weight]
    inside = [(w, label) for w, label, is_in in zip(weight, table.y, held, strict=True) if is_in]
    rows, positives = sum(w for w, _ in inside), sum(w for w, label in inside if label)
    least, share = table.params.get("min_box_rows") or 0, table.params.get("min_box_precision") or 0
    return rows >= least and positives >= printed(share) * rows


def optimum(table):
    """The largest objective of any drawing."""
    (worth, _), (box, limit) = table.worth(), table.costs()
    gain = [w if label else -w for w, label in zip(worth, table.y, strict=True)]
    unit = np.lcm.reduce([g.denominator for g in [*gain, box, limit]])
    gains = np.array([int(g * unit) for g in gain])
    found = boxes(table)
    held, price = np.array(list(found)), np.array([int((box + limit * n) * unit) for n in found.values()])
    base = sum((w for w, label in zip(worth, table.y, strict=True) if not label), Fraction(0))
    if not found:
        return base
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


def random_constraints(rng, table):
    """Return the table with some constraints; floors go without a margin."""
    names = list(table.frame)
    numbers = [name for name in names if not isinstance(table.frame[name].dtype, pd.CategoricalDtype)]
    cuts = {name: sorted({float(x) for x in rng.integers(-1, 11, 3) / 2}) for name in numbers if rng.random() < 0.5}
    cuts |= {name: [] for name in names if rng.random() < 0.15}
    groups = [[name for name in names if rng.random() < 0.6] for _ in range(rng.integers(1, 3))]
    together = ["pairwise", "no_interactions", groups, {"not_together": groups}][rng.integers(4)]
    asked = {
        "monotonic_cst": {name: int(rng.integers(-1, 2)) for name in numbers},
        "allowed_values": cuts,
        "interaction_cst": together,
    }
    if not table.params["margin"]:
        asked["min_box_rows"] = float(rng.integers(1, 8))
        asked["min_box_precision"] = float(rng.choice([0.4, 0.5, 0.75, 1.0]))
    asked = {name: value for name, value in asked.items() if rng.random() < 0.5}
    return Table(table.frame, table.y, table.weight, table.params | asked)
