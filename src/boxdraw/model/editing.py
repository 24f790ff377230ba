"""Changing boxes by hand: every function returns new boxes."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Category, Limit, Rule, unique_categories

Boxes = TypeVar("Boxes", bound=BoxSet)


def from_rules(
    kind: type[Boxes],
    rules: Iterable[Rule],
    feature_names: Iterable[str],
    categories: Mapping[str, Iterable[Category]] | None = None,
) -> Boxes:
    """Make boxes from rules."""
    if isinstance(feature_names, str):
        raise TypeError(f"feature_names must be a sequence of strings, got {feature_names!r}")
    rules, names = list(rules), list(feature_names)
    for rule in rules:
        if not isinstance(rule, Rule) or not all(isinstance(limit, Limit) for limit in rule.limits):
            raise TypeError(f"expected a Rule of Limits, got {rule!r}")
    index = {name: j for j, name in enumerate(names)}
    lower = np.full((len(rules), len(names)), -np.inf)
    upper, missing = -lower, np.ones(lower.shape, dtype=np.bool_)
    allowed: dict[str, list[frozenset[Category] | None]] = {name: [None] * len(rules) for name in categories or {}}
    for k, rule in enumerate(rules):
        seen: set[str] = set()
        for limit in rule.limits:
            if limit.feature not in index:
                raise ValueError(f"rule {k} limits {limit.feature!r}, which is not among the features {names}")
            if limit.feature in seen:
                raise ValueError(f"rule {k} has two limits for {limit.feature!r}; write one")
            seen.add(limit.feature)
            j = index[limit.feature]
            lower[k, j], upper[k, j], missing[k, j] = limit.lower, limit.upper, limit.missing
            if limit.categories is not None:
                allowed.setdefault(limit.feature, [None] * len(rules))[k] = limit.categories
    return kind(lower, upper, feature_names=names, categories=categories, allowed=allowed, missing=missing)


def replace(boxes: Boxes, box: int, feature: str, limits: Mapping[str, Any]) -> Boxes:
    """Change some of what a box asks of a feature."""
    k, j = _place(boxes, box, feature)
    if unknown := sorted(set(limits) - {"lower", "upper", "categories", "missing"}):
        raise TypeError(f"unknown limits {unknown}; known are lower, upper, categories and missing")
    if boxes.categories[j] is None and limits.get("categories") is not None:
        raise ValueError(f"{feature!r} has numbers, so it cannot be limited to categories")
    rules = boxes.rules()
    others = {limit.feature: limit for limit in rules[k].limits}
    old = others.get(feature, Limit(feature))
    others[feature] = dataclasses.replace(old, **limits)
    rules[k] = Rule(tuple(others[name] for name in boxes.feature_names if name in others))
    return from_rules(type(boxes), rules, boxes.feature_names, _known(boxes))


def drop_limit(boxes: Boxes, box: int, feature: str) -> Boxes:
    """Let a box no longer look at a feature."""
    k, j = _place(boxes, box, feature)
    if not boxes.limited[k, j]:
        raise ValueError(f"box {k} has no limit on {feature!r}; it has some on {list(boxes.rules()[k].features)}")
    rules = boxes.rules()
    rules[k] = Rule(tuple(limit for limit in rules[k].limits if limit.feature != feature))
    return from_rules(type(boxes), rules, boxes.feature_names, _known(boxes))


def drop_box(boxes: Boxes, box: int) -> Boxes:
    """Leave a box out."""
    kept = np.delete(np.arange(boxes.n_boxes), _number(boxes, box))
    return boxes._with(kept)


def add_box(boxes: Boxes, limits: Rule | Iterable[Limit] | Mapping[str, Any]) -> Boxes:
    """Add a box at the end."""
    rule = _as_rule(limits)
    added = from_rules(type(boxes), [rule], boxes.feature_names, _known(boxes))
    return union(boxes, added)


def union(first: Boxes, second: BoxSet) -> Boxes:
    """Put the boxes of two sets together; the features of the second may come in another order."""
    if set(first.feature_names) != set(second.feature_names):
        raise ValueError(
            f"cannot add boxes on {list(second.feature_names)} to boxes on {list(first.feature_names)}: "
            "the features must be the same"
        )
    order = [second.feature_names.index(name) for name in first.feature_names]
    for j, other in enumerate(order):
        if (first.categories[j] is None) != (second.categories[other] is None):
            raise ValueError(
                f"{first.feature_names[j]!r} has categories in one of the sets and numbers in the other: make both "
                "with the same categories={...}"
            )
    known, also = _known(first), _known(second)
    return type(first)(
        np.concatenate([first.lower, second.lower[:, order]]),
        np.concatenate([first.upper, second.upper[:, order]]),
        feature_names=first.feature_names,
        categories={name: unique_categories([*known[name], *also[name]]) for name in known},
        allowed={
            name: [sets[j] for sets in first.allowed] + [sets[order[j]] for sets in second.allowed]
            for j, name in enumerate(first.feature_names)
            if name in known
        },
        missing=np.concatenate([first.missing, second.missing[:, order]]),
    )


def _as_rule(limits: Rule | Iterable[Limit] | Mapping[str, Any]) -> Rule:
    """Read a box as people write it: a mapping of names to (lower, upper) or to a set of categories."""
    if isinstance(limits, Rule):
        return limits
    if not isinstance(limits, Mapping):
        return Rule(tuple(limits))
    return Rule(tuple(_as_limit(feature, limit) for feature, limit in limits.items()))


def _as_limit(feature: str, limit: Any) -> Limit:
    if isinstance(limit, Limit):
        if limit.feature != feature:
            raise ValueError(f"the limit of {feature!r} is one of {limit.feature!r}")
        return limit
    if isinstance(limit, set | frozenset):
        return Limit(feature, categories=frozenset(limit))
    if isinstance(limit, tuple | list) and len(limit) == 2 and not any(isinstance(side, str) for side in limit):
        return Limit(feature, float(limit[0]), float(limit[1]))
    raise TypeError(f"the limit of {feature!r} must be (lower, upper), a set of categories or a Limit; got {limit!r}")


def _known(boxes: BoxSet) -> dict[str, tuple[Category, ...]]:
    pairs = zip(boxes.feature_names, boxes.categories, strict=True)
    return {name: values for name, values in pairs if values is not None}


def _number(boxes: BoxSet, box: int) -> int:
    box = operator.index(box)
    if not -boxes.n_boxes <= box < boxes.n_boxes:
        raise IndexError(f"there is no box {box}: boxes are numbered from 0 to {boxes.n_boxes - 1}")
    return box % boxes.n_boxes


def _place(boxes: BoxSet, box: int, feature: str) -> tuple[int, int]:
    if feature not in boxes.feature_names:
        raise ValueError(f"there is no feature {feature!r}; the features are {list(boxes.feature_names)}")
    return _number(boxes, box), boxes.feature_names.index(feature)
