"""Boxes as sentences, and the shortest numbers that say the same about the data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxdraw.model.rule import Category, Limit

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

__all__ = [
    "category_text",
    "format_number",
    "limit_text",
    "printable",
    "rule_texts",
    "shortest_between",
    "summary",
    "to_repr",
    "to_text",
]

FloatArray = npt.NDArray[np.float64]

# Literals, because 10.0**i is not correctly rounded everywhere.
_SMALLEST_EXPONENT = -323
_POWERS = np.array([float(f"1e{i}") for i in range(_SMALLEST_EXPONENT, 309)])
# Up to 10**22 a power of ten is a float exactly, and up to 15 digits so is every whole number: one division
# or multiplication of the two is then the correctly rounded decimal.
_MAX_EXACT_SHIFT = 22
_MAX_FAST_DIGITS = 15
_UP = np.maximum(_POWERS[-_SMALLEST_EXPONENT - _MAX_EXACT_SHIFT :][: 2 * _MAX_EXACT_SHIFT + 1], 1)
_DOWN = _UP[::-1].copy()
# A call costs more than a few numbers more, so several digits are tried at once.
_BATCHES = np.arange(1, _MAX_FAST_DIGITS + 1).reshape(-1, 5, 1)
# Scaling rounds, so the two decimals around the true value are among the three around the scaled one.
_NEIGHBOURS = np.array([0.0, -1.0, 1.0]).reshape(3, 1, 1)
# 17 digits tell any two floats apart.
_CONTEXTS = tuple(
    (
        Context(prec=digits, rounding=ROUND_FLOOR, traps=[]),
        Context(prec=digits, rounding=ROUND_CEILING, traps=[]),
    )
    for digits in range(1, 18)
)

#: The most boxes that a repr shows, and the most characters of each.
MAX_REPR_BOXES = 10
_MAX_REPR_LINE = 400
# Categories that need no quotes: words with single spaces and a few harmless signs between.
_PLAIN = re.compile(r"\w+(?:[ ._/:+@#%&*-]\w+)*")
# What would break a line, change the terminal or turn the text around, and what no encoding can print.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def to_text(boxes: BoxSet) -> str:
    """Write one sentence per box."""
    if not len(boxes):
        return "No boxes: no row is flagged"
    return "\n".join(f"Box {i}: {rule}" for i, rule in enumerate(rule_texts(boxes), start=1))


def rule_texts(boxes: BoxSet) -> list[str]:
    """Write the conditions of each box, without its number."""
    # Limits are shortened one by one and may cross when no row lies between them: that reads as nonsense.
    sensible = boxes.shown_lower <= boxes.shown_upper
    lowers = np.where(sensible, boxes.shown_lower, boxes.lower).tolist()
    uppers = np.where(sensible, boxes.shown_upper, boxes.upper).tolist()
    texts = []
    for k, row in enumerate(boxes.limited):
        limits = [limit_text(boxes._limit(k, j), lowers[k][j], uppers[k][j]) for j in np.flatnonzero(row).tolist()]
        texts.append(" and ".join(limits) or "every row")
    return texts


def limit_text(limit: Limit, lower: float | None = None, upper: float | None = None) -> str:
    """Write a limit, perhaps with other numbers to print."""
    name = printable(limit.feature)
    if limit.known:
        return f"{name} is known"
    if limit.lower > limit.upper or limit.categories == frozenset():
        return f"{name} is missing"
    if limit.categories is not None:
        text = _categories_text(name, limit.categories)
    else:
        text = _condition(name, limit.lower if lower is None else lower, limit.upper if upper is None else upper)
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
    plain = value not in ("True", "False", "missing") and _PLAIN.fullmatch(value) and not _is_number(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return value if plain else f'"{printable(escaped)}"' if value else '""'


def _is_number(text: str) -> bool:
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


def shortest_between(value: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> FloatArray:
    """Find the numbers with the fewest significant decimal digits in closed intervals."""
    result = np.array(value, dtype=np.float64, order="C")
    below, above = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if not result.shape == below.shape == above.shape:
        shapes = f"{result.shape}, {below.shape} and {above.shape}"
        raise ValueError(f"value, low and high must have the same shape, got {shapes}")
    if not (np.isinf(result) | ((below <= result) & (result <= above))).all():
        raise ValueError("value must lie between low and high")
    numbers, below, above = result.reshape(-1), below.reshape(-1), above.reshape(-1)
    todo = np.flatnonzero(np.isfinite(numbers) & (below < above) & (numbers != 0))
    exponent = np.searchsorted(_POWERS, np.abs(numbers[todo]), side="right") - 1 + _SMALLEST_EXPONENT
    fast = (exponent >= _MAX_FAST_DIGITS - 1 - _MAX_EXACT_SHIFT) & (exponent <= _MAX_EXACT_SHIFT)
    slow = todo[~fast]
    todo, exponent = todo[fast], exponent[fast]
    for digits in _BATCHES:
        if not todo.size:
            break
        nearest, found = _nearest(numbers[todo], below[todo], above[todo], digits - 1 - exponent)
        numbers[todo[found]] = nearest[found]
        todo, exponent = todo[~found], exponent[~found]
    for i in (*slow, *todo):
        numbers[i] = _shortest_one(float(numbers[i]), float(below[i]), float(above[i]))
    return result


def shown_limits(
    lower: FloatArray, upper: FloatArray, columns: Mapping[int, npt.NDArray[Any]]
) -> tuple[FloatArray, FloatArray]:
    """Find the shortest limits that leave every value, by the number of its feature, on its side."""
    return shortened(lower, upper, *free_intervals(lower, upper, columns))


def free_intervals(
    lower: FloatArray, upper: FloatArray, columns: Mapping[int, npt.NDArray[Any]]
) -> tuple[FloatArray, FloatArray]:
    """Find how far limits may move without passing a value; upper limits as lower ones of the mirror image.

    A limit with values on one side only moves at most as far as to the nearest of them; one without any does not move.
    """
    limits = np.stack([lower, -upper])
    below, above = np.full(limits.shape, -np.inf), np.full(limits.shape, np.inf)
    limited = np.asarray(np.isfinite(limits).any(axis=1))
    for j, column in columns.items():
        values = np.asarray(column, dtype=np.float64)
        values = np.sort(values[np.isfinite(values)])
        for side, mirrored in enumerate((values, -values[::-1])):
            if limited[side, j]:
                below[side, :, j], above[side, :, j] = neighbours(limits[side, :, j], mirrored)
    return free_interval(limits, below, above)


def shortened(lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find the shortest limits in their `free_intervals`; two that are equal, or would meet or cross, are kept."""
    exact = np.stack([lower, upper])
    shown = shortest_between(exact, np.stack([low[0], -high[1]]), np.stack([high[0], -low[1]]))
    shown = np.where((shown[0] < shown[1]) & (lower < upper), shown, exact)
    return shown[0], shown[1]


def neighbours(limits: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find the nearest of sorted, finite values below lower limits, and from them on; infinite if there are none."""
    padded = np.concatenate([[-np.inf], values, [np.inf]])
    place = np.searchsorted(padded, limits, side="left")
    # An absent limit is found in front of everything; it does not move, so any neighbour will do.
    return padded[np.maximum(place - 1, 0)], padded[place]


def free_interval(limits: FloatArray, below: FloatArray, above: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find how far lower limits may move between their neighbours: above the one below, up to the next."""
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.where(below > -np.inf, np.nextafter(below, np.inf), limits - (above - limits))
        high = np.where(above < np.inf, above, limits + (limits - below))
    alone = ~np.isfinite(limits) | ((below == -np.inf) & (above == np.inf))
    return np.where(alone, limits, low), np.where(alone, limits, high)


def _nearest(
    value: FloatArray, low: FloatArray, high: FloatArray, shifts: npt.NDArray[np.intp]
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Find in each interval the multiple of ``10**-shift`` nearest to the value, and say where there is one.

    ``shifts`` has a row per attempt, of which the first that succeeds counts. Only the two multiples around
    the value can be the nearest, so nothing else is tried.
    """
    up, down = _UP[shifts + _MAX_EXACT_SHIFT], _DOWN[shifts + _MAX_EXACT_SHIFT]
    # One of the two powers is 1, so each line below rounds once.
    candidates = (np.rint(value * up / down) + _NEIGHBOURS) * down / up
    distance = np.abs(candidates - value)
    distance[(candidates < low) | (candidates > high)] = np.inf
    columns = np.arange(len(value))
    first = (distance.min(axis=0) < np.inf).argmax(axis=0)
    distance = distance[:, first, columns]
    best = distance.argmin(axis=0)
    return candidates[best, first, columns], distance[best, columns] < np.inf


def _shortest_one(value: float, low: float, high: float) -> float:
    """Find one such number in exact decimals, where floats do not hold the powers of ten."""
    exact = Decimal(value)
    for contexts in _CONTEXTS:
        candidates = [float(context.create_decimal(exact)) for context in contexts]
        inside = [number for number in candidates if low <= number <= high and np.isfinite(number)]
        if inside:
            return min(inside, key=lambda number: abs(number - value))
    return value
