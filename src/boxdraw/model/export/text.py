"""Boxes as sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from boxdraw.model.rule import Category, Limit

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

__all__ = [
    "category_text",
    "format_number",
    "is_number",
    "limit_text",
    "printable",
    "rule_texts",
    "summary",
    "to_repr",
    "to_text",
]

#: The most boxes that a repr shows, and the most characters of each.
MAX_REPR_BOXES = 10
_MAX_REPR_LINE = 400
# Categories that need no quotes: words with single spaces and a few harmless signs between.
PLAIN = re.compile(r"\w+(?:[ ._/:+@#%&*-]\w+)*")
# What would break a line, change the terminal or turn the text around, and what no encoding can print.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def to_text(boxes: BoxSet) -> str:
    """Write one sentence per box."""
    if not len(boxes):
        return "No boxes: no row is flagged"
    return "\n".join(f"Box {i}: {rule}" for i, rule in enumerate(rule_texts(boxes), start=1))


def rule_texts(boxes: BoxSet) -> list[str]:
    """Write the conditions of each box, without its number."""
    texts = []
    for k, row in enumerate(boxes.limited):
        limits = [limit_text(boxes._limit(k, j)) for j in np.flatnonzero(row).tolist()]
        texts.append(" and ".join(limits) or "every row")
    return texts


def limit_text(limit: Limit) -> str:
    """Write a limit."""
    name = printable(limit.feature)
    if limit.known:
        return f"{name} is known"
    if limit.lower > limit.upper or limit.categories == frozenset():
        return f"{name} is missing"
    if limit.categories is not None:
        text = _categories_text(name, limit.categories)
    else:
        text = _condition(name, limit.lower, limit.upper)
    return f"{text} (or missing)" if limit.missing else text


def _categories_text(name: str, categories: frozenset[Category]) -> str:
    texts = sorted(category_text(value) for value in categories)
    return f"{name} = {texts[0]}" if len(texts) == 1 else f"{name} in {{{', '.join(texts)}}}"


def category_text(value: Category) -> str:
    """Write a category; text that could be misread comes in quotes."""
    if isinstance(value, bool | int):
        return str(value)
    if not isinstance(value, str):
        return format_number(value)
    plain = value not in ("True", "False", "missing") and PLAIN.fullmatch(value) and not is_number(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return value if plain else f'"{printable(escaped)}"' if value else '""'


def is_number(text: str) -> bool:
    """Return True if a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _condition(name: str, lower: float, upper: float) -> str:
    """Write the limits of one feature, at least one of which is finite."""
    if lower == upper:
        return f"{name} = {format_number(lower)}"
    if lower == -np.inf:
        return f"{name} ≤ {format_number(upper)}"
    if upper == np.inf:
        return f"{name} ≥ {format_number(lower)}"
    return f"{format_number(lower)} ≤ {name} ≤ {format_number(upper)}"


def to_repr(boxes: BoxSet) -> str:
    """Write a title and the first boxes."""
    lines = [summary(boxes)]
    for line in to_text(boxes[:MAX_REPR_BOXES]).splitlines():
        lines.append(line if len(line) <= _MAX_REPR_LINE else f"{line[: _MAX_REPR_LINE - 4]} ...")
    if len(boxes) > MAX_REPR_BOXES:
        lines.append(f"... and {len(boxes) - MAX_REPR_BOXES} more")
    return "\n".join(lines)


def summary(boxes: BoxSet, title: str = "BoxSet") -> str:
    """Return the title of a repr: the number of boxes and of features."""
    box = "box" if boxes.n_boxes == 1 else "boxes"
    feature = "feature" if boxes.n_features == 1 else "features"
    return f"{title} with {boxes.n_boxes} {box} on {boxes.n_features} {feature}"


def format_number(number: float) -> str:
    """Write a number in the shortest form that reads back to the same float."""
    return repr(float(number)).removesuffix(".0")


def printable(name: str) -> str:
    """Make a feature name safe to print within a line."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), name) or "''"
