"""Round numbers for limits: as round as the rows allow, or rounder at a cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, TypeVar

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import free_interval, limit_text, neighbours, shortest_between
from boxdraw.model.rule import Limit
from boxdraw.model.simplify import CachedRows, Change, Score, change_between, with_limits

__all__ = ["round_boxes"]

Boxes = TypeVar("Boxes", bound=BoxSet)


def round_boxes(
    boxes: Boxes,
    X: Any,
    y: Any = None,
    *,
    digits: int | None = None,
    negative_weight: float = 1.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> tuple[Boxes, list[Change]]:
    """Move limits to round numbers, as `BoxSet.round` documents."""
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int | np.integer) or digits < 1):
        raise ValueError(f"digits must be a whole number of at least 1, got {digits!r}")
    rows = CachedRows(boxes, X)
    score = None if y is None else Score.of(y, rows.n_rows, negative_weight, sample_weight, pos_label)
    drawing = _RoundedBoxes(boxes, rows, score)
    places = np.argwhere(np.isfinite(boxes.lower) | np.isfinite(boxes.upper)).tolist()
    changes = [change for k, j in places if (change := drawing.round(k, j, digits)) is not None]
    # The numbers are made to be read, so they are the ones to print.
    return with_limits(boxes, drawing.rules), changes


class _RoundedBoxes:
    """Boxes whose limits are rounded one by one."""

    def __init__(self, boxes: BoxSet, rows: CachedRows, score: Score | None) -> None:
        self.rules = [rule.limits for rule in boxes.rules()]
        self._names, self._rows, self._score = boxes.feature_names, rows, score
        self._held = [rows.inside(limits) for limits in self.rules]
        self._sorted = {
            j: np.sort(column[np.isfinite(column)]) for j, column in rows.columns.items() if boxes.categories[j] is None
        }
        self._whole = {j: bool(values.size and (values == np.rint(values)).all()) for j, values in self._sorted.items()}

    def round(self, k: int, j: int, digits: int | None) -> Change | None:
        """Round the limits of a box on a feature; return the change, if there is one."""
        limits = self.rules[k]
        place = next(i for i, limit in enumerate(limits) if limit.feature == self._names[j])
        old, rest = limits[place], self._rows.inside(limits[:place] + limits[place + 1 :])
        new = self._harmless(old, j, rest)
        if digits is not None and max(map(_n_digits, _finite(new))) > digits:
            new = self._forced(new, k, j, rest, digits)
        if (new.lower, new.upper) == (old.lower, old.upper):
            return None
        before, after = self._flagged_with(k, self._held[k]), self._flagged_with(k, rest & self._meets(new, j))
        self.rules[k], self._held[k] = (*limits[:place], new, *limits[place + 1 :]), rest & self._meets(new, j)
        text = f"box {k + 1}: {limit_text(old)} becomes {limit_text(new)}"
        return change_between("round limit", text, before, after, self._score)

    def _harmless(self, limit: Limit, j: int, rest: BoolArray) -> Limit:
        """Return the roundest limit for which no row changes, among rows that the rest of the box holds."""
        start = _as_whole(limit) if self._whole[j] else limit
        if start.lower == start.upper:
            return start
        values = self._rows.columns[j][rest]
        values = np.sort(values[np.isfinite(values)])
        lower = _roundest(start.lower, limit.lower, start.upper, (values, self._sorted[j]))
        # An upper limit is a lower limit of the mirror image.
        mirrored = -values[::-1], -self._sorted[j][::-1]
        upper = -_roundest(-start.upper, -limit.upper, -lower, mirrored)
        # Adding zero turns -0.0 into 0.0.
        return replace(limit, lower=lower + 0.0, upper=upper + 0.0)

    def _forced(self, limit: Limit, k: int, j: int, rest: BoolArray, digits: int) -> Limit:
        """Return the limit of few digits that does least harm."""
        candidates = [
            replace(limit, lower=lower, upper=upper)
            for lower in _around(limit.lower, digits)
            for upper in _around(limit.upper, digits)
            if lower <= upper
        ]
        if limit.lower < limit.upper and not self._whole[j]:
            # An interval that shrinks to a number is another rule, whatever these rows say.
            candidates = [new for new in candidates if new.lower < new.upper] or candidates
        held, now = rest & self._meets(limit, j), self._flagged_with(k, rest & self._meets(limit, j))

        def harm(new: Limit) -> tuple[Any, ...]:
            inside = rest & self._meets(new, j)
            after = self._flagged_with(k, inside)
            loss = 0 if self._score is None else self._score.loss(now, after)
            changed = int(np.count_nonzero(now != after)), int(np.count_nonzero(held != inside))
            return loss, *changed, _moved(limit.lower, new.lower) + _moved(limit.upper, new.upper)

        return min(candidates, key=harm)

    def _meets(self, limit: Limit, j: int) -> BoolArray:
        # Not asked of the rows, which would keep the answer for every number that is tried.
        column = self._rows.columns[j]
        inside = (column >= limit.lower) & (column <= limit.upper)
        return inside | np.isnan(column) if limit.missing else inside

    def _flagged_with(self, k: int, held: BoolArray) -> BoolArray:
        """Return the mask of flagged rows if a box holds the given ones."""
        others = (rows for other, rows in enumerate(self._held) if other != k)
        return np.logical_or.reduce([held, *others])


def _as_whole(limit: Limit) -> Limit:
    """Return the limit that says the same of whole numbers, if there are any inside."""
    lower, upper = float(np.ceil(limit.lower)) + 0.0, float(np.floor(limit.upper))
    return replace(limit, lower=lower, upper=upper) if lower <= upper else limit


def _roundest(lower: float, given: float, upper: float, columns: tuple[FloatArray, ...]) -> float:
    """Return the roundest lower limit, below the upper one, that keeps the sides of sorted values.

    There is no value between the two lower limits, and any of the columns will do: most room counts.
    """
    limits = np.array([lower, given])
    low, high = np.stack([free_interval(limits, *neighbours(limits, values)) for values in columns], axis=1)
    highest = np.minimum(high.max(), np.nextafter(upper, -np.inf))
    return float(shortest_between([lower], [low.min()], [highest])[0])


def _around(number: float, digits: int) -> list[float]:
    """Return the numbers of so many digits around one: the lower and the upper, which may be the number itself."""
    if not np.isfinite(number):
        return [number]
    contexts = (Context(prec=int(digits), rounding=rounding, traps=[]) for rounding in (ROUND_FLOOR, ROUND_CEILING))
    around = [float(context.create_decimal(repr(number))) for context in contexts]
    return [value for value in dict.fromkeys(around) if np.isfinite(value)]


def _moved(number: float, to: float) -> float:
    return abs(to - number) if np.isfinite(number) else 0.0


def _n_digits(number: float) -> int:
    """Count the significant digits of a number as it is printed."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


def _finite(limit: Limit) -> Iterator[float]:
    return (number for number in (limit.lower, limit.upper) if np.isfinite(number))
