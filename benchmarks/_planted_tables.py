"""Tables with a planted rule, for `planted.py`: a seed gives a table, noisy labels, and the rule behind them.

A table has 6 to 30 columns of the kinds that people have: numbers, skewed amounts, whole numbers, hours, a few
categories, flags; some with missing values, some correlated, sometimes one of many categories that mean nothing. The
rule is a union of 1 to 3 boxes of 2 or 3 limits each and holds 1% to 10% of the rows. Of the 1 500 to 20 000 labels,
5% to 15% of the positive ones are lost and up to 0.4% of the others are wrong.

No limit is idle, which is checked on 40 000 rows apart: without any one limit the rule's precision is at most
`PRECISION`, and without any one box its recall at most `RECALL`; so nothing shorter than the rule counts as found. Each
box holds at least `LABELLED` rows with a positive label, and any two boxes share at most one column.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from boxdraw import BoxSet, Limit, Rule

LABELLED = 25
PRECISION = RECALL = 0.85
ADDED = 0.5  # rows that a limit keeps out, at least, per row of its box
LEVEL = 0.1  # share of a box that each category of a set holds, at least
REFERENCE = 40_000
TRIES = 60

NAMES = {
    "number": ("temperature", "pressure", "score", "ratio", "speed", "height", "voltage", "humidity", "yield_rate"),
    "skewed": ("amount", "income", "balance", "duration", "distance", "price", "dose", "latency"),
    "whole": ("age", "visits", "items", "days_open", "month", "children", "retries", "tenure"),
    "hour": ("hour",),
    "category": ("region", "channel", "product", "device", "plan", "colour", "reason"),
    "flag": ("weekend", "online", "insured", "new_customer", "urgent", "returned", "verified"),
    "many": ("merchant",),
}
SHARES = {"number": 0.3, "skewed": 0.2, "whole": 0.14, "hour": 0.06, "category": 0.16, "flag": 0.14}


@dataclass(frozen=True)
class Column:
    """How a column is made."""

    name: str
    kind: str
    values: Callable[[np.ndarray], np.ndarray]  # of places between 0 and 1, evenly spread
    dtype: str
    missing: float = 0.0
    parent: int = -1  # the column it follows; -1: the factor that all share
    loading: float = 0.0
    lean: float = 0.0  # how far the place decides whether the value is missing


@dataclass(frozen=True)
class Planted:
    """A table with noisy labels, and what is behind them."""

    seed: int
    X: pd.DataFrame
    y: np.ndarray  # noisy, 0 and 1
    clean: np.ndarray  # whether the rule holds a row
    boxes: BoxSet  # the rule
    columns: tuple[Column, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What there is in the rule and in the table, to group results by."""
        limits = [limit for rule in self.boxes.rules() for limit in rule.limits]
        kind = {column.name: column.kind for column in self.columns}
        used = {kind[limit.feature] for limit in limits if not (limit.known or is_absent(limit))}
        there = {
            f"{len(self.boxes)} box{'es' if len(self.boxes) > 1 else ''}": True,
            "interval with both ends": any(-np.inf < limit.lower < limit.upper < np.inf for limit in limits),
            "single value": any(limit.lower == limit.upper for limit in limits),
            "set of categories": "category" in used,
            "flag": "flag" in used,
            "is missing": any(map(is_absent, limits)),
            "is known": any(limit.known for limit in limits),
            "skewed number": "skewed" in used,
            "whole number": bool(used & {"whole", "hour"}),
            "numbers only": used <= {"number", "skewed", "whole", "hour"} and len(used) > 0,
            "table: missing values": bool(self.X.isna().any(axis=None)),
            "table: many categories": "many" in kind.values(),
            "table: at most 4000 rows": len(self.y) <= 4000,
            "table: at most 100 positives": self.y.sum() <= 100,
            "table: at most 2% positives": self.y.mean() <= 0.02,
        }
        return tuple(name for name, holds in there.items() if holds)

    def fresh(self, n_rows: int = 20_000) -> tuple[pd.DataFrame, np.ndarray]:
        """Return other rows of the same kind, and whether the rule holds them."""
        X = draw_rows(self.columns, n_rows, np.random.default_rng([self.seed, 1]))
        return X, held(self.boxes.rules(), X)


def make_table(seed: int) -> Planted:
    """Return the table of a seed."""
    rng = np.random.default_rng([seed, 0])
    while True:
        n_rows = int(np.exp(rng.uniform(np.log(1500), np.log(20_000))))
        n_boxes = int(rng.integers(1, 4))
        least = max(0.011, n_boxes * 1.3 * LABELLED / n_rows)
        prevalence = np.exp(rng.uniform(np.log(least), np.log(0.095))) if least < 0.095 else 0.095
        columns = draw_columns(rng)
        rules = plant(columns, n_boxes, prevalence, rng)
        if not rules:
            continue
        X = draw_rows(columns, n_rows, rng)
        clean = held(rules, X)
        y = spoiled(clean, prevalence, rng)
        if min(np.sum(y & held([rule], X)) for rule in rules) >= LABELLED:
            known = {
                c.name: sorted(X[c.name].dropna().unique()) for c in columns if c.kind in ("category", "many", "flag")
            }
            return Planted(seed, X, y.astype(int), clean, BoxSet.from_rules(rules, X.columns, known), columns)


def spoiled(clean: np.ndarray, prevalence: float, rng: np.random.Generator) -> np.ndarray:
    """Return labels as they are recorded: some positives are missed, and a few others are taken for positive."""
    lost, false = rng.uniform(0.05, 0.15), min(rng.uniform(0.0005, 0.004), prevalence / 5)
    chance = rng.random(len(clean))
    return np.where(clean, chance >= lost, chance < false)


# Columns


def draw_columns(rng: np.random.Generator) -> tuple[Column, ...]:
    """Draw 6 to 30 columns."""
    kinds = rng.choice(list(SHARES), size=int(np.exp(rng.uniform(np.log(6), np.log(30)))), p=list(SHARES.values()))
    seen: dict[str, int] = {}
    columns: list[Column] = []
    missing = rng.choice([0.0, 0.2, 0.4])  # share of columns with missing values
    for place, kind in enumerate(kinds.tolist()):
        seen[kind] = seen.get(kind, -1) + 1
        repeat, name = divmod(seen[kind], len(NAMES[kind]))
        values, dtype = draw_values(kind, rng)
        column = Column(NAMES[kind][name] + (f"_{repeat + 1}" if repeat else ""), kind, values, dtype)
        column = replace(column, loading=rng.uniform(-0.5, 0.5))
        if place and rng.random() < 0.25:  # follows another column closely
            column = replace(
                column, parent=int(rng.integers(place)), loading=rng.choice([-1, 1]) * rng.uniform(0.5, 0.9)
            )
        if rng.random() < missing:
            column = with_missing(column, rng)
        columns.append(column)
    if rng.random() < 0.3:
        columns.append(Column(NAMES["many"][0], "many", *draw_values("many", rng)))
    return tuple(columns)


def with_missing(column: Column, rng: np.random.Generator) -> Column:
    """Return a column with missing values, in a type that has them."""
    types = {"int64": ("Int64", "float64"), "bool": ("boolean", "object")}.get(column.dtype, (column.dtype,))
    share = np.exp(rng.uniform(np.log(0.02), np.log(0.6)))
    return replace(column, missing=share, dtype=str(rng.choice(types)), lean=float(rng.choice([0.0, 0.5])))


def draw_values(kind: str, rng: np.random.Generator) -> tuple[Callable[[np.ndarray], np.ndarray], str]:
    """Draw a distribution, as a function of places between 0 and 1, and a type for its values."""
    if kind == "number":
        centre, spread, digits = rng.uniform(-50, 100), np.exp(rng.uniform(-1, 3)), int(rng.integers(1, 6))
        return lambda u: np.round(centre + spread * ndtri(u), digits), "float64"
    if kind == "skewed":
        scale, sigma = np.exp(rng.uniform(0, 7)), rng.uniform(0.6, 1.6)
        if rng.random() < 0.3:
            return lambda u: np.round(-scale * np.log1p(-u), 2), "float64"
        return lambda u: np.round(scale * np.exp(sigma * ndtri(u)), 2), "float64"
    if kind == "whole":
        if rng.random() < 0.5:  # counts, most of them small
            mean = np.exp(rng.uniform(0, 3))
            return lambda u: np.floor(-mean * np.log1p(-u)), "int64"
        low, size = int(rng.integers(0, 20)), int(rng.integers(10, 80))
        return lambda u: low + np.floor(size * u), "int64"
    if kind == "flag":
        share = rng.uniform(0.1, 0.5)
        return lambda u: u > 1 - share, "bool"
    if kind == "hour":
        levels, weights = np.arange(24), rng.uniform(0.4, 1.6, 24)
        dtype = "int64"
    else:
        size = int(rng.integers(100, 600)) if kind == "many" else int(rng.integers(3, 10))
        prefix = str(rng.choice(["", "type ", "no-"])) if kind == "category" else "M"
        levels = np.array([f"{prefix}{chr(65 + i) if kind == 'category' else i}" for i in range(size)], dtype=object)
        weights = rng.permutation(1 / np.arange(1, size + 1)) if kind == "many" else rng.uniform(0.4, 2, size)
        dtype = "str" if kind == "many" else str(rng.choice(["str", "category", "object"]))
    ends = np.cumsum(weights)[:-1] / np.sum(weights)
    return lambda u: levels[np.searchsorted(ends, u)], dtype


def draw_rows(columns: tuple[Column, ...], n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows: places of a Gaussian copula, then the values at these places."""
    factor = rng.normal(size=n_rows)
    places: list[np.ndarray] = []
    data = {}
    for column in columns:
        parent = factor if column.parent < 0 else places[column.parent]
        place = column.loading * parent + np.sqrt(1 - column.loading**2) * rng.normal(size=n_rows)
        places.append(place)
        values = pd.Series(column.values(np.clip(ndtr(place), 1e-9, 1 - 1e-9)))
        if column.missing:
            threshold = column.lean * place + np.sqrt(1 - column.lean**2) * rng.normal(size=n_rows)
            values = values.astype(object).mask(ndtr(threshold) < column.missing, None)
        data[column.name] = values.astype(column.dtype)
    return pd.DataFrame(data)


# Rules


def is_absent(limit: Limit) -> bool:
    """Return True for a limit that only missing values meet."""
    return limit.missing and (limit.lower > limit.upper or limit.categories == frozenset())


def met(limit: Limit, values: pd.Series) -> np.ndarray:
    """Return which values meet a limit."""
    missing = values.isna().to_numpy()
    if limit.known or is_absent(limit):
        return missing == limit.missing
    if limit.categories is not None:
        return np.where(missing, limit.missing, values.isin(list(limit.categories)).to_numpy(dtype=bool))
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    return np.where(missing, limit.missing, (numbers >= limit.lower) & (numbers <= limit.upper))


def held(rules: list[Rule], X: pd.DataFrame) -> np.ndarray:
    """Return which rows are in a box of the rule."""
    boxes = (np.logical_and.reduce([met(limit, X[limit.feature]) for limit in rule.limits]) for rule in rules)
    return reduce(np.logical_or, boxes, np.zeros(len(X), dtype=bool))


def count_limits(limit: Limit) -> int:
    """Count what a person reads: an end of an interval, one value, a set, "is missing", "is known" are one each."""
    if limit.categories is not None or limit.known or is_absent(limit) or limit.lower == limit.upper:
        return 1
    return int(limit.lower > -np.inf) + int(limit.upper < np.inf)


def shorter(rule: Rule) -> Iterator[Rule]:
    """Return the box without one limit, for each of them."""
    for place, limit in enumerate(rule.limits):
        before, after = rule.limits[:place], rule.limits[place + 1 :]
        if count_limits(limit) == 2:
            yield Rule((*before, replace(limit, lower=-np.inf), *after))
            yield Rule((*before, replace(limit, upper=np.inf), *after))
        else:
            yield Rule((*before, *after))


def plant(columns: tuple[Column, ...], n_boxes: int, prevalence: float, rng: np.random.Generator) -> list[Rule]:
    """Return a rule in which every limit matters, or nothing if these columns have none."""
    X = draw_rows(columns, REFERENCE, rng)
    shares = prevalence * rng.dirichlet(np.full(n_boxes, 12.0))
    for _ in range(TRIES):
        rules = [draw_box(columns, X, share, rng) for share in shares]
        used = [set(rule.features) for rule in rules]
        apart = all(len(a & b) <= 1 for i, a in enumerate(used) for b in used[:i])
        if all(used) and apart and all_matter(rules, X):
            return rules
    return []


def all_matter(rules: list[Rule], X: pd.DataFrame) -> bool:
    """Return whether the rule is rare and nothing can be left out of it."""
    whole = held(rules, X)
    if not 0.01 <= whole.mean() <= 0.1:
        return False
    for k, rule in enumerate(rules):
        others, box = rules[:k] + rules[k + 1 :], held([rule], X)
        if (whole & held(others, X)).sum() > RECALL * whole.sum():
            return False
        for limit in rule.limits:
            levels = limit.categories or ()
            if any(
                (box & met(replace(limit, categories={level}), X[limit.feature])).sum() < LEVEL * box.sum()
                for level in levels
            ):
                return False
        for fewer in shorter(rule):
            added = (held([fewer], X) & ~whole).sum()
            if added < ADDED * box.sum() or whole.sum() > PRECISION * (whole.sum() + added):
                return False
    return True


def draw_box(columns: tuple[Column, ...], X: pd.DataFrame, share: float, rng: np.random.Generator) -> Rule:
    """Draw 2 or 3 limits that hold about a given share of the rows; an empty rule if that fails."""
    n_limits, both_ends = int(rng.integers(2, 4)), rng.random() < 0.4
    n_columns = n_limits - (n_limits == 3 and both_ends)
    useful = [column for column in columns if column.kind != "many"]
    chosen = [useful[i] for i in rng.choice(len(useful), n_columns, replace=False)]
    fixed = [limit for column in chosen if (limit := draw_fixed(column, rng))]
    free = [column for column in chosen if column.name not in {limit.feature for limit in fixed}]
    if not free or (n_columns < n_limits and free[0].kind == "category"):
        return Rule()
    inside = held([Rule(tuple(fixed))], X)
    limits = fixed
    for place, column in enumerate(free):
        if not inside.any():
            return Rule()
        rest = (share / inside.mean()) ** (rng.uniform(0.7, 1.3) / (len(free) - place) if place + 1 < len(free) else 1)
        interval = n_columns < n_limits and place == 0
        limit = draw_limit(column, X.loc[inside, column.name].dropna(), rest, interval, rng)
        if limit is None or count_limits(limit) != 1 + interval:
            return Rule()
        limits = [*limits, limit]
        inside &= met(limit, X[column.name])
    return Rule(tuple(limits)) if 0.6 * share <= inside.mean() <= 1.5 * share else Rule()


def draw_fixed(column: Column, rng: np.random.Generator) -> Limit | None:
    """Return a limit that leaves no choice of a share: a flag, and whether a value is known."""
    if column.missing > 0.08 and rng.random() < 0.5:
        if column.missing > 0.35 and rng.random() < 0.6:
            return Limit(column.name)
        if column.kind in ("category", "flag"):
            return Limit(column.name, categories=frozenset(), missing=True)
        return Limit(column.name, np.inf, -np.inf, missing=True)
    return Limit(column.name, categories=frozenset([True])) if column.kind == "flag" else None


def draw_limit(
    column: Column, values: pd.Series, share: float, interval: bool, rng: np.random.Generator
) -> Limit | None:
    """Return a limit that about this share of the values meets."""
    if not 0.02 < share < 0.7 or len(values) < 50:
        return None
    if column.kind == "category":
        counts = values.value_counts(normalize=True)
        counts = counts[counts > 0].sample(frac=1, random_state=int(rng.integers(2**31)))
        inside = counts.index[: int(np.abs(counts.cumsum().to_numpy() - share).argmin()) + 1]
        return Limit(column.name, categories=frozenset(inside)) if len(inside) <= len(counts) / 2 else None
    numbers = np.sort(values.to_numpy(dtype=float))
    whole = column.kind in ("whole", "hour")
    if whole and not interval and rng.random() < (0.8 if column.kind == "hour" else 0.4):
        level, count = np.unique(numbers, return_counts=True)
        near = level[np.argsort(np.abs(np.log(count / len(numbers) / share)), kind="stable")[:5]]
        spike = float(rng.choice(near))
        return Limit(column.name, spike, spike)
    start = rng.uniform(0.1, 0.9 - share) if interval else rng.choice([0.0, 1 - share])
    ends = [round_place(numbers, place, whole) if 0 < place < 1 else None for place in (start, start + share)]
    lower, upper = (limit if limit is not None else far for limit, far in zip(ends, (-np.inf, np.inf), strict=True))
    return Limit(column.name, lower, upper) if lower < upper else None


def round_place(numbers: np.ndarray, place: float, whole: bool) -> float:
    """Return a round number near a quantile."""
    below, value, above = np.quantile(numbers, [max(place - 0.02, 0), place, min(place + 0.02, 1)])
    digits = 0 if whole or above <= below else int(np.ceil(-np.log10(above - below)))
    return float(np.round(value, digits))
