"""Random boxes and rows that try to break an exporter: odd names, values on limits, missing and unseen ones."""

import math

import numpy as np
import pandas as pd

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Limit, Rule

NAMES = (
    "age",
    "amount due",
    'say "hi"',
    "it's",
    "select",
    "a\nb",
    "",
    "größe",
    "x); DROP TABLE t; --",
    "a = 1 or",
    "名前",
    "back\\slash",
    "`tick`",
    "[bracket]",
    "percent %s",
    "{brace}",
    "class",
    "_",
    "0",
    "row",
)
TEXTS = ("north", "south", "", "it's", 'a "b"', "x, y", "NULL", "a\nb", "größe", "1", "True", "\\", "%", "' OR 1=1 --")
NUMBERS = (0.0, -0.0, 1.0, -1.5, 0.1, 0.1 + 0.2, 1e300, -1e-300, 5e-324, 2.0**53, 123456.789, 1 / 3)


def random_boxes(rng, n_features=None):
    """Return boxes on numbers, texts, whole-number and true/false categories, with every kind of limit."""
    n_features = n_features or int(rng.integers(1, 6))
    names = rng.permutation(NAMES)[:n_features].tolist()
    kinds = rng.choice(["number", "number", "text", "whole", "bool"], n_features)
    categories = {name: known(kind, rng) for name, kind in zip(names, kinds, strict=True) if kind != "number"}
    rules = []
    for _ in range(int(rng.integers(0, 5))):
        chosen = [name for name in names if rng.random() < 0.7]
        rules.append(Rule(tuple(random_limit(rng, name, categories.get(name)) for name in chosen)))
    return BoxSet.from_rules(rules, names, categories)


def known(kind, rng):
    if kind == "text":
        return rng.permutation(TEXTS)[: rng.integers(1, 7)].tolist()
    return [0, 1, 2, 10, 2**40] if kind == "whole" else [False, True]


def random_limit(rng, name, categories):
    missing, kind = bool(rng.random() < 0.4), rng.random()
    if kind < 0.1:
        return Limit(name, missing=False)
    if kind < 0.2:
        only = {"categories": frozenset()} if categories else {"lower": math.inf, "upper": -math.inf}
        return Limit(name, missing=True, **only)
    if categories:
        inside = [value for value in categories if rng.random() < 0.5] or [categories[0]]
        return Limit(name, categories=frozenset(inside), missing=missing)
    low, high = sorted(random_number(rng) for _ in range(2))
    side = rng.random()
    return Limit(name, low if side < 0.7 else -math.inf, high if side > 0.3 else math.inf, missing=missing)


def random_number(rng):
    return float(rng.choice(NUMBERS)) if rng.random() < 0.5 else float(rng.normal(scale=10))


def random_rows(rng, boxes, n_rows):
    """Return a pandas frame of rows: on limits, one float off, missing, infinite, unseen."""
    columns = {}
    for j, name in enumerate(boxes.feature_names):
        values = number_values(rng, boxes, j) if boxes.categories[j] is None else category_values(boxes.categories[j])
        chosen = rng.integers(len(values), size=n_rows)
        kind = np.float64 if boxes.categories[j] is None else object
        columns[name] = pd.Series([values[i] for i in chosen], dtype=kind)
    return pd.DataFrame(columns)


def number_values(rng, boxes, j):
    limits = np.concatenate([boxes.lower[:, j], boxes.upper[:, j]])
    limits = limits[np.isfinite(limits)]
    near = np.concatenate([limits, np.nextafter(limits, np.inf), np.nextafter(limits, -np.inf)])
    return [*near.tolist(), *rng.normal(scale=10, size=5).tolist(), 0.0, -0.0, math.inf, -math.inf, math.nan, 1e308]


def category_values(categories):
    """Return the known categories, missing ones, and one more of the same type."""
    if isinstance(categories[0], bool):
        return [*categories, None]
    return [*categories, None, "unseen" if isinstance(categories[0], str) else 77]
