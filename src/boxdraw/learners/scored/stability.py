"""How much a scorecard moves when it is learned again on bootstrap samples of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_random_state, check_scalar

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.frames import frame_like
from boxdraw._core.progress import Progress
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.sample import draw_sample
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import format_number, limit_text, printable
from boxdraw.model.membership import inside
from boxdraw.model.rows import Columns, read_columns
from boxdraw.model.rule import Limit
from boxdraw.model.scorecard import Scorecard
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.labels import labels_of
from boxdraw.tables.training import Training, read_training_rows

if TYPE_CHECKING:
    from boxdraw.learners.scored.scored_boxes import ScoredBoxesClassifier

__all__ = ["BoxStability", "LimitStability", "Stability", "measure_stability"]

ALIKE = 0.5  # the least Jaccard index at which two boxes count as the same
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
        The limit of the scorecard; None for categories and missing values, as is the next.
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
    """How much one box of a scorecard moves.

    Parameters
    ----------
    found : float
        The share of the samples whose scorecard has a box like it.
    points : pair of int or None
        The points of those boxes, in nine of ten of the samples that have one; None if none has.
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
    """How much the boxes, points and threshold of a scorecard move over bootstrap samples.

    Parameters
    ----------
    scorecard : Scorecard
        The model's.
    n : int
        How many samples there were.
    boxes : tuple of BoxStability
        One for each box of the scorecard.
    threshold : pair of int or None
        The threshold in nine of ten of the samples in which any box was found; None if there are none.
    agreement : float
        The share of the rows, by weight, on which a sample's scorecard and the model's say the same; the mean over
        samples.

    Notes
    -----
    A sample has as many rows of each class as the training table, drawn with replacement, each with its
    ``sample_weight``. A scorecard is learned from it with the setting that the model uses, but without inner folds: its
    threshold is at even odds of its own. A box of the model is found in it if some box of it holds mostly the same
    training rows: the weight of the rows in both is at least half of the weight of the rows in either. No two boxes
    are found in the same one.

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

    scorecard: Scorecard
    n: int
    boxes: tuple[BoxStability, ...]
    threshold: tuple[int, int] | None
    agreement: float

    def to_text(self) -> str:
        """Write the scorecard with intervals.

        Returns
        -------
        str
            The lines of `Scorecard.to_text`, with an interval behind points, limits and threshold. Behind a limit
            that not all samples with the box have, it says how many of all samples do; categories and missing values
            have only that. A last line says on how many rows the predictions agree.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> print(Stability(Scorecard(BoxSet([[1]], [[2]])[:0], [], 1), 50, (), None, 1.0).to_text())
        No box: nothing is flagged.
        50 bootstrap samples. Predictions agree with the model's on 100% of the rows.
        """
        *lines, alarm = self.scorecard.to_text().splitlines()
        rules = _rules_with_intervals(self.scorecard.boxes, self.boxes)
        texts = [
            f"{_behind_points(line.split(': ')[0], box.points)}: {rule}   [found in {_percent(box.found)}]"
            for line, rule, box in zip(lines, rules, self.boxes, strict=True)
        ]
        samples = f"{self.n} bootstrap sample{'s' * (self.n > 1)}"
        covered = f"; intervals hold {1 - 2 / OUTSIDE:.0%} of them" if self.threshold and self.boxes else ""
        agree = f"Predictions agree with the model's on {_percent(self.agreement)} of the rows."
        return "\n".join([*texts, _behind_points(alarm, self.threshold), f"{samples}{covered}. {agree}"])

    def to_frame(self, like: Any = None) -> Any:
        """Return all figures of the limits as a frame.

        Parameters
        ----------
        like : frame, optional
            A frame of pandas, polars or pyarrow; the result is one of the same kind. By default it is one of pandas.

        Returns
        -------
        frame
            A row per limit: ``box``, its number from 1; its ``points``, ``points_low`` to ``points_high`` and in which
            share of the samples it was ``found``; ``feature`` and ``side``; the ``limit``, ``low`` to ``high`` and in
            which ``share`` of all samples it is. NaN where there is no such number.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> card = Scorecard(BoxSet([[30]], [[float("inf")]], feature_names=["age"]), [3], 2)
        >>> box = BoxStability(0.5, (2, 4), (LimitStability("age", "lower", 0.5, 30.0, (28.5, 31.5)),))
        >>> Stability(card, 50, (box,), (2, 3), 0.95).to_frame()[["box", "feature", "side", "limit", "low", "high"]]
           box feature   side  limit   low  high
        0    1     age  lower   30.0  28.5  31.5
        """
        cells = [
            _cells(number, points, box, limit)
            for number, (points, box) in enumerate(zip(self.scorecard.points, self.boxes, strict=True), start=1)
            for limit in box.limits
        ]
        columns = zip(*cells, strict=True) if cells else [()] * len(_COLUMNS)
        named = dict(zip(_COLUMNS, columns, strict=True))
        return frame_like(like, {x: np.array(cell, _TYPES.get(x, np.float64)) for x, cell in named.items()})

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.to_text())}</pre>"


_COLUMNS = ["box", "points", "points_low", "points_high", "found", "feature", "side", "limit", "low", "high", "share"]
_TYPES: dict[str, Any] = {"box": np.int64, "points": np.int64, "feature": np.str_, "side": np.str_}  # else numbers


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


def _rules_with_intervals(boxes: BoxSet, moves: Sequence[BoxStability]) -> list[str]:
    """Write the conditions of each box with the intervals of their limits."""
    texts = []
    for rule, box in zip(boxes.rules(), moves, strict=True):
        conditions = []
        for limit in rule.limits:
            remarks = {x.side: _remark(x, box.found) for x in box.limits if x.feature == limit.feature}
            conditions.append(_condition(limit, remarks))
        texts.append(" and ".join(conditions) or "every row")
    return texts


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
    low, high = map(format_number, limit.interval)
    return f" ({low} to {high}{f', in {_percent(limit.share)}' if limit.share < found else ''})"


@dataclass(frozen=True, slots=True)
class _Task:
    """The training rows with weight, and the model's predictions for them."""

    card: Scorecard
    data: Training
    encoding: Encoding
    columns: Columns  # as boxes read them
    weight: FloatArray
    member: BoolArray  # (rows, boxes of the card)
    flagged: BoolArray


@dataclass(frozen=True, slots=True)
class _Sample:
    """The card of a sample beside that of the model."""

    card: Scorecard
    partner: dict[int, int]  # which of its boxes is which of the model's
    agreement: float


def measure_stability(
    model: ScoredBoxesClassifier, X: Any, y: Any, n: int, sample_weight: Any = None, random_state: Any = None
) -> Stability:
    """Learn the scorecard of a fitted model again on bootstrap samples of its rows, and compare."""
    from boxdraw.learners.scored.learn import learn, make_ready, round_card  # compiles on first use

    check_scalar(n, "n", Integral, min_val=1)
    task, (setting, shape) = _read(model, X, y, sample_weight), model._chosen()
    seeds = check_random_state(0 if random_state is None else random_state).randint(2**31, size=n).tolist()

    def work(seed: int) -> _Sample:
        data = _drawn(task, seed)
        ready = make_ready(data, shape, draw_sample(data))
        card = learn(ready, setting, shape)
        if model.round_limits:
            card = round_card(card, data, ready.order, task.encoding.steps, constraints=shape.constraints)
        boxes = task.encoding.boxes(card.lower, card.upper, ready.order)
        return _compared(task, Scorecard(boxes, card.points.tolist(), card.threshold))

    progress = Progress("Stability", model.verbose)
    samples = []
    for done, sample in enumerate(threaded_map(work, seeds, model.n_jobs), start=1):
        samples.append(sample)
        progress.share(done, len(seeds))
    return _report(task, samples)


def _read(model: ScoredBoxesClassifier, X: Any, y: Any, sample_weight: Any) -> _Task:
    """Check the rows as fit and predict do, and ask the model about them."""
    rows, card = model._validated(X), model.scorecard_
    labels = labels_of(y, len(rows), model.classes_)
    reader = type(model)(categorical_features=model.categorical_features, pos_label=model.pos_label_)
    data = read_training_rows(reader, rows, labels, sample_weight)
    kept = np.s_[:] if data.kept is None else data.kept
    _, columns = read_columns(rows, reader._encoding.no_boxes(), range(card.boxes.n_features))
    return _Task(
        card=card,
        data=data,
        encoding=reader._encoding,
        columns={j: values[kept] for j, values in columns.items()},
        weight=data.weights,
        member=card.boxes.membership(rows)[kept],
        flagged=card.contains(rows)[kept],
    )


def _drawn(task: _Task, seed: int) -> Training:
    """Draw rows with replacement within each class; a row drawn three times weighs three times as much."""
    rng = np.random.default_rng(seed)
    count = np.zeros(len(task.weight))
    for side in (False, True):
        rows = np.flatnonzero(task.data.positive == side)
        count[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
    drawn = np.flatnonzero(count)
    return replace(task.data.take(drawn), weight=(count * task.weight)[drawn])


def _compared(task: _Task, card: Scorecard) -> _Sample:
    """Find the model's boxes on another card, and the rows on which both cards agree."""
    member = np.empty((len(task.weight), len(card)), dtype=np.bool_)
    for k in range(len(card)):
        member[:, k] = inside(task.columns, card.boxes, k)
    flagged = member @ np.array(card.points, dtype=np.int64) >= card.threshold
    agreement = float(task.weight[flagged == task.flagged].sum() / task.weight.sum())
    return _Sample(card, _partners(task.member, member, task.weight), agreement)


def _partners(ours: BoolArray, theirs: BoolArray, weight: FloatArray) -> dict[int, int]:
    """Match boxes that hold mostly the same rows, so that the Jaccard indices of all pairs add up to the most."""
    both = (ours * weight[:, None]).T @ theirs
    either = (weight @ ours)[:, None] + weight @ theirs - both
    jaccard = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    jaccard[jaccard < ALIKE] = 0
    pairs = zip(*linear_sum_assignment(jaccard, maximize=True), strict=True)
    return {int(k): int(other) for k, other in pairs if jaccard[k, other] > 0}


def _report(task: _Task, samples: list[_Sample]) -> Stability:
    return Stability(
        scorecard=task.card,
        n=len(samples),
        boxes=tuple(_box(task, samples, k) for k in range(len(task.card))),
        threshold=_interval([sample.card.threshold for sample in samples if len(sample.card)]),
        agreement=float(np.mean([sample.agreement for sample in samples])),
    )


def _box(task: _Task, samples: list[_Sample], k: int) -> BoxStability:
    """Sum up what became of a box."""
    found = [(sample.card, sample.partner[k]) for sample in samples if k in sample.partner]
    like = [(card.boxes, other) for card, other in found]
    return BoxStability(
        found=len(found) / len(samples),
        points=_interval([card.points[other] for card, other in found]),
        limits=tuple(_limit(task, like, len(samples), k, j, side) for j, side in _sides(task, k)),
    )


def _sides(task: _Task, k: int) -> list[tuple[int, str]]:
    """List all that a box asks, by feature and side."""
    boxes, sides = task.card.boxes, []
    for j in np.flatnonzero(boxes.limited[k]).tolist():
        parts = [side for side in ("lower", "upper", "categories") if _part(boxes, k, j, side) is not None]
        # Where training had no missing value, nobody decided about them.
        sides += [(j, side) for side in (*parts, *["missing"] * (task.encoding.missing[j] or not parts))]
    return sides


def _part(boxes: BoxSet, k: int, j: int, side: str) -> Any:
    """Return one part of what a box asks of a feature; None for a limit or a set that it does not have."""
    if side == "categories":
        return boxes.allowed[k][j]
    if side == "missing":
        return bool(boxes.missing[k, j]), bool(boxes.lower[k, j] > boxes.upper[k, j])
    limit = float((boxes.lower if side == "lower" else boxes.upper)[k, j])
    return limit if np.isfinite(limit) else None


def _limit(task: _Task, like: list[tuple[BoxSet, int]], n: int, k: int, j: int, side: str) -> LimitStability:
    """Sum up what became of one part of a box, given the boxes like it."""
    name, own = task.card.boxes.feature_names[j], _part(task.card.boxes, k, j, side)
    values = [_part(boxes, other, j, side) for boxes, other in like]
    if side in ("categories", "missing"):
        return LimitStability(name, side, values.count(own) / n)
    values = [value for value in values if value is not None]
    return LimitStability(name, side, len(values) / n, own, _interval(values))


def _interval(values: Sequence[Number]) -> tuple[Number, Number] | None:
    """Return the values between which most are, as many at either end left out; None without any."""
    if not values:
        return None
    left_out = (len(values) - 1) // OUTSIDE
    return sorted(values)[left_out], sorted(values)[-1 - left_out]
