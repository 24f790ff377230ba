"""Round numbers for limits: as round as the rows allow, or rounder at a cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, TypeVar

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.ranges import Ranges
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import limit_text
from boxdraw.model.gaps import FindGaps, Gaps
from boxdraw.model.rule import Limit
from boxdraw.model.simplify import CachedRows, Change, Score, change_between, with_limits

Boxes = TypeVar("Boxes", bound=BoxSet)


def round_boxes(
    boxes: Boxes,
    X: Any,
    y: Any = None,
    *,
    digits: int | None = None,
    negative_weight: float | None = None,
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
    return with_limits(boxes, drawing.rules), changes


class _RoundedBoxes:
    """Boxes whose limits are rounded one by one."""

    def __init__(self, boxes: BoxSet, rows: CachedRows, score: Score | None) -> None:
        self._given, self._names, self._rows, self._score = boxes, boxes.feature_names, rows, score
        self._find = _gaps_between(boxes, rows)
        self._round = self._find.rounded(self._gaps())
        # Harmless roundings first, all at once: they change no row.
        self.rules = [tuple(self._harmless(limit, k) for limit in rule.limits) for k, rule in enumerate(boxes.rules())]
        self._held = [rows.inside(limits) for limits in self.rules]

    def _gaps(self) -> Gaps:
        """Return the gaps between the rows; categories and missing values keep rows out for good."""
        find, boxes = self._find, self._given
        kept_out = np.zeros((self._rows.n_rows, len(boxes)), dtype=np.bool_)
        for k, j in np.argwhere(boxes.limited).tolist():
            column = self._rows.columns[j]
            if boxes.categories[j] is not None or np.isinf([boxes.lower[k, j], boxes.upper[k, j]]).all():
                kept_out[:, k] |= ~self._rows.meets(boxes._limit(k, j))
            elif not boxes.missing[k, j]:
                kept_out[:, k] |= np.isnan(column)
        return find(_numbers(boxes, self._rows), kept_out=kept_out)

    def _harmless(self, limit: Limit, k: int) -> Limit:
        j = self._names.index(limit.feature)
        if not (np.isfinite(limit.lower) or np.isfinite(limit.upper)):
            return limit
        return replace(limit, lower=float(self._round[0][k, j]), upper=float(self._round[1][k, j]))

    def round(self, k: int, j: int, digits: int | None) -> Change | None:
        """Round the limits of a box on a feature; return the change, if there is one."""
        limits, old = self.rules[k], self._given._limit(k, j)
        place = next(i for i, limit in enumerate(limits) if limit.feature == self._names[j])
        new = limits[place]
        before = after = self._held[k]
        if digits is not None and max(map(_n_digits, _finite(new))) > digits:
            rest = self._rows.inside(limits[:place] + limits[place + 1 :])
            new = self._forced(new, k, j, rest, digits)
            self.rules[k], after = (*limits[:place], new, *limits[place + 1 :]), rest & self._meets(new, j)
        if (new.lower, new.upper) == (old.lower, old.upper):
            return None
        flagged = self._flagged_with(k, before), self._flagged_with(k, after)
        self._held[k] = after
        text = f"box {k + 1}: {limit_text(old)} becomes {limit_text(new)}"
        return change_between("round limit", text, *flagged, self._score)

    def _forced(self, limit: Limit, k: int, j: int, rest: BoolArray, digits: int) -> Limit:
        """Return the limit of few digits that does least harm."""
        candidates = [
            replace(limit, lower=lower, upper=upper)
            for lower in _around(limit.lower, digits)
            for upper in _around(limit.upper, digits)
            if lower <= upper
        ]
        if limit.lower < limit.upper and not self._find.whole[j]:
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


def _gaps_between(boxes: BoxSet, rows: CachedRows) -> FindGaps:
    """Return the limits of boxes, with the ranges of the columns that have some."""
    ranges = Ranges(boxes.n_features)
    numbers = np.array([known is None for known in boxes.categories])
    for j in np.flatnonzero(boxes.limited.any(axis=0) & numbers).tolist():
        ranges.look_at(j, rows.columns[j][np.isfinite(rows.columns[j])])
    return FindGaps(boxes.lower, boxes.upper, ranges.low, ranges.high, ranges.whole, ~numbers)


def _numbers(boxes: BoxSet, rows: CachedRows) -> FloatArray:
    """Return the numbers of the rows as a matrix; NaN in all other columns."""
    table = np.full((rows.n_rows, boxes.n_features), np.nan)
    for j, column in rows.columns.items():
        if boxes.categories[j] is None:
            table[:, j] = column
    return table


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
