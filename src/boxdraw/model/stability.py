"""How much boxes, limits and points move when a model is learned again on samples of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeVar

import numpy as np

from boxdraw._core.frames import frame_like
from boxdraw._core.shortest import shortest_between
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import format_number, limit_text, printable
from boxdraw.model.matching import parts_of
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import Scorecard, boxes_of

__all__ = ["BoxStability", "LimitStability", "Sample", "Stability", "stability_of"]

OUTSIDE = 20  # one value in so many may be outside an interval at either end

Interval = tuple[float, float]
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class LimitStability:
    """How much one limit of a box moves.

    Parameters
    ----------
    feature : str
        The name of the feature.
    side : str
        ``"lower"`` or ``"upper"`` for a limit of numbers, ``"categories"`` for a set of them, ``"missing"`` for whether
        missing values are inside.
    share : float
        The share of all samples that have the box with a limit on this side, or, for categories and missing values,
        that have the box and treat them alike.
    limit : float or None
        The limit of the model; None for categories and missing values, as is the next.
    interval : pair of float or None
        Where the limit is in nine of ten of the samples that have it; None if none has.

    Examples
    --------
    >>> LimitStability("age", "lower", 0.9, 30, (28.5, 31.5)).interval
    (28.5, 31.5)
    """

    feature: str
    side: str
    share: float
    limit: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class BoxStability:
    """How much one box moves.

    Parameters
    ----------
    found : float
        The share of the samples whose model has a box like it.
    points : pair of int or None
        The points of those boxes, in nine of ten of the samples that have one; None if none has, or without points.
    limits : tuple of LimitStability
        What becomes of each limit.

    Examples
    --------
    >>> BoxStability(0.96, (4, 5)).found
    0.96
    """

    found: float
    points: tuple[int, int] | None = None
    limits: tuple[LimitStability, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Stability:
    """How much the boxes of a model, and the points of a scorecard, move over bootstrap samples.

    Parameters
    ----------
    drawing : BoxSet or Scorecard
        The model's.
    n : int
        How many samples there were.
    boxes : tuple of BoxStability
        One for each box of the model.
    threshold : pair of int or None
        The threshold of the scorecard in nine of ten of the samples in which any box was found; None if there are none.
    agreement : float
        The share of the rows, by weight, on which a sample's model and this one say the same; the mean over samples.

    Notes
    -----
    A sample has as many rows of each class as the training table, drawn with replacement, each with its
    ``sample_weight``. A box of the model is found in it if some box learned from it holds mostly the same training
    rows: the weight of the rows in both is at least half of the weight of the rows in either. No two boxes are found in
    the same one.

    Intervals end at points and limits that samples really have, from the 5% to the 95% quantile or a little beyond.

    Examples
    --------
    >>> from boxdraw import BoxSet
    >>> card = Scorecard(BoxSet([[30]], [[float("inf")]], feature_names=["age"]), [3], 2)
    >>> age = LimitStability("age", "lower", 0.96, 30.0, (28.5, 31.5))
    >>> stability = Stability(card, 50, (BoxStability(0.96, (2, 4), (age,)),), (2, 3), 0.953)
    >>> print(stability)
    3 points (2 to 4): age ≥ 30 (28.5 to 31.5)   [found in 96%]
    Alarm from 2 points (2 to 3).
    50 bootstrap samples; intervals hold 90% of them. Predictions agree with the model's on 95% of the rows.
    >>> stability.boxes[0].limits[0].share
    0.96
    """

    drawing: BoxSet | Scorecard
    n: int
    boxes: tuple[BoxStability, ...]
    threshold: tuple[int, int] | None
    agreement: float

    def to_text(self) -> str:
        """Write the model with intervals.

        Returns
        -------
        str
            The lines of `BoxSet.to_text` or `Scorecard.to_text`, with an interval behind points, limits and threshold.
            Behind a limit that not all samples with the box have, it says how many of all samples do; categories and
            missing values have only that. A last line says on how many rows the predictions agree.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> box = BoxStability(0.9, None, (LimitStability("age", "lower", 0.9, 30.0, (28.5, 31.5)),))
        >>> boxes = BoxSet([[30]], [[float("inf")]], feature_names=["age"])
        >>> print(Stability(boxes, 50, (box,), None, 1.0).to_text())
        Box 1: age ≥ 30 (28.5 to 31.5)   [found in 90%]
        50 bootstrap samples; intervals hold 90% of them. Predictions agree with the model's on 100% of the rows.
        """
        lines, n_boxes = self.drawing.to_text().splitlines(), len(self.boxes)
        rules = boxes_of(self.drawing).rules()
        texts = [
            f"{_behind_points(line.split(': ')[0], box.points)}: {_rule_text(rule, box)}"
            for line, rule, box in zip(lines[:n_boxes], rules, self.boxes, strict=True)
        ]
        alarm = [_behind_points(line, self.threshold) for line in lines[n_boxes:]]
        samples = f"{self.n} bootstrap sample{'s' * (self.n > 1)}"
        any_found = any(box.found for box in self.boxes) or (self.boxes and self.threshold)
        covered = f"; intervals hold {1 - 2 / OUTSIDE:.0%} of them" if any_found else ""
        agree = f"Predictions agree with the model's on {_percent(self.agreement)} of the rows."
        return "\n".join([*texts, *alarm, f"{samples}{covered}. {agree}"])

    def to_frame(self, like: Any = None) -> Any:
        """Return all figures of the limits as a frame.

        Parameters
        ----------
        like : frame, optional
            A frame of pandas, polars or pyarrow; the result is one of the same kind. By default it is one of pandas.

        Returns
        -------
        frame
            A row per limit: ``box``, its number from 1; of a scorecard its ``points``, ``points_low`` to
            ``points_high``; in which share of the samples it was ``found``; ``feature`` and ``side``; the ``limit``,
            ``low`` to ``high`` and in which ``share`` of all samples it is. NaN where there is no such number.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> card = Scorecard(BoxSet([[30]], [[float("inf")]], feature_names=["age"]), [3], 2)
        >>> box = BoxStability(0.5, (2, 4), (LimitStability("age", "lower", 0.5, 30.0, (28.5, 31.5)),))
        >>> Stability(card, 50, (box,), (2, 3), 0.95).to_frame()[["box", "feature", "side", "limit", "low", "high"]]
           box feature   side  limit   low  high
        0    1     age  lower   30.0  28.5  31.5
        """
        points = self.drawing.points if isinstance(self.drawing, Scorecard) else [0] * len(self.boxes)
        boxes = enumerate(zip(points, self.boxes, strict=True), start=1)
        rows = [_cells(number, value, box, limit) for number, (value, box) in boxes for limit in box.limits]
        columns = {name: [row[k] for row in rows] for k, name in enumerate(_COLUMNS)}
        if isinstance(self.drawing, BoxSet):
            columns = {name: cells for name, cells in columns.items() if not name.startswith("points")}
        return frame_like(like, {name: np.array(cells, _COLUMNS[name]) for name, cells in columns.items()})

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.to_text())}</pre>"


_COLUMNS: dict[str, Any] = {"box": np.int64, "points": np.int64}
_COLUMNS |= dict.fromkeys(("points_low", "points_high", "found"), np.float64) | {"feature": np.str_, "side": np.str_}
_COLUMNS |= dict.fromkeys(("limit", "low", "high", "share"), np.float64)


def _cells(number: int, points: int, box: BoxStability, limit: LimitStability) -> tuple[Any, ...]:
    """Return a row of the frame, with NaN for None."""
    none = np.nan, np.nan
    learned = np.nan if limit.limit is None else limit.limit
    of_box = number, points, *(box.points or none), box.found
    return *of_box, limit.feature, limit.side, learned, *(limit.interval or none), limit.share


def _percent(share: float) -> str:
    """Write a share; only exact shares are written as 0% and 100%."""
    if 0.995 <= share < 1:
        return "more than 99%"
    if 0 < share < 0.005:
        return "less than 1%"
    return f"{share:.0%}"


def _behind_points(text: str, interval: tuple[int, int] | None) -> str:
    """Put an interval behind the word points, with true minus signs as there are before it."""
    if interval is None:
        return text
    low, high = (str(value).replace("-", "−") for value in interval)
    return re.sub("points?", lambda found: f"{found[0]} ({low} to {high})", text, count=1)


def _rule_text(rule: Rule, box: BoxStability) -> str:
    """Write the conditions of a box with the intervals of its limits."""
    remarks: dict[str, dict[str, str]] = {limit.feature: {} for limit in rule.limits}
    for limit in box.limits:
        remarks[limit.feature][limit.side] = _remark(limit, box.found)
    text = " and ".join(_condition(limit, remarks[limit.feature]) for limit in rule.limits) or "every row"
    return f"{text}   [found in {_percent(box.found)}]"


def _condition(limit: Limit, remarks: dict[str, str]) -> str:
    """Write what a box asks of one feature, a remark behind each side."""
    if not (np.isfinite(limit.lower) or np.isfinite(limit.upper)):
        return limit_text(limit) + (remarks.get("categories") or remarks.get("missing", ""))
    name = printable(limit.feature)
    lower, upper = (format_number(getattr(limit, side)) + remarks.get(side, "") for side in ("lower", "upper"))
    if limit.lower == limit.upper:
        text = f"{name} = {lower}"
    elif limit.upper == np.inf:
        text = f"{name} ≥ {lower}"
    else:
        text = f"{name} ≤ {upper}" if limit.lower == -np.inf else f"{lower} ≤ {name} ≤ {upper}"
    return f"{text} (or missing)" if limit.missing else text


def _remark(limit: LimitStability, found: float) -> str:
    """Write where a limit is in the samples, and in how many if not in all that have the box."""
    if not found:
        return ""
    if limit.limit is None:
        return f" (same in {_percent(limit.share)})"
    if limit.interval is None:
        return " (in no sample)"
    # Limits that are not round are a rounding error beside a number that a person would write.
    ends = np.array(limit.interval)
    low, high = map(format_number, shortest_between(ends, ends - 1e-12 * abs(ends), ends + 1e-12 * abs(ends)))
    return f" ({low} to {high}{f', in {_percent(limit.share)}' if limit.share < found else ''})"


@dataclass(frozen=True, slots=True)
class Sample:
    """What was learned from a sample."""

    drawing: BoxSet | Scorecard
    partner: dict[int, int]  # which of its boxes is which of the model's
    agreement: float


def stability_of(drawing: BoxSet | Scorecard, samples: Sequence[Sample], missing: tuple[bool, ...]) -> Stability:
    """Sum up what became of a model; ``missing``: the features of which training had missing values.

    Where it had none, nobody decided about them.
    """
    boxes = boxes_of(drawing)
    cards = [sample.drawing for sample in samples if isinstance(sample.drawing, Scorecard)]
    return Stability(
        drawing=drawing,
        n=len(samples),
        boxes=tuple(_box(boxes, k, missing, samples) for k in range(len(boxes))),
        threshold=_interval([card.threshold for card in cards if len(card)]),
        agreement=float(np.mean([sample.agreement for sample in samples])),
    )


def _box(boxes: BoxSet, k: int, missing: tuple[bool, ...], samples: Sequence[Sample]) -> BoxStability:
    """Sum up what became of a box."""
    found = [(sample.drawing, sample.partner[k]) for sample in samples if k in sample.partner]
    theirs = [parts_of(boxes_of(drawing), other, (True,) * boxes.n_features) for drawing, other in found]
    limits = [
        _limit(boxes.feature_names[j], side, own, [parts.get((j, side)) for parts in theirs], len(samples))
        for (j, side), own in parts_of(boxes, k, missing).items()
    ]
    return BoxStability(
        found=len(found) / len(samples),
        points=_interval([drawing.points[other] for drawing, other in found if isinstance(drawing, Scorecard)]),
        limits=tuple(limits),
    )


def _limit(feature: str, side: str, own: Any, theirs: Sequence[Any], n: int) -> LimitStability:
    """Sum up what became of one part of a box, given that of the boxes like it; None where one has no such part."""
    if side in ("categories", "missing"):
        free = (True, False) if side == "missing" else None  # where a box asks nothing of the feature
        return LimitStability(feature, side, sum((free if value is None else value) == own for value in theirs) / n)
    values = [value for value in theirs if value is not None]
    return LimitStability(feature, side, len(values) / n, own, _interval(values))


def _interval(values: Sequence[Number]) -> tuple[Number, Number] | None:
    """Return the values between which most are, as many at either end left out; None without any."""
    if not values:
        return None
    left_out = (len(values) - 1) // OUTSIDE
    return sorted(values)[left_out], sorted(values)[-1 - left_out]
