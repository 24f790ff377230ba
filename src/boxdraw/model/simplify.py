"""Fewer limits and fewer boxes, at a cost that the user sets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import limit_text
from boxdraw.model.rows import MISSING, read_columns
from boxdraw.model.rule import Limit, Rule
from boxdraw.tables.labels import as_labels, check_binary, has_label, weights_of

__all__ = ["Change", "simplify"]

Boxes = TypeVar("Boxes", bound=BoxSet)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of boxes and what it cost.

    Parameters
    ----------
    kind : str
        ``"drop box"``, ``"drop limit"``, ``"merge boxes"`` or ``"round limit"``.
    text : str
        The change in words. Boxes have their numbers in the boxes that were given, from 1 as in `BoxSet.to_text`; what
        was merged from boxes 1 and 3 is box 1+3.
    loss : float or None
        By how much the objective fell with this change; below 0 if it rose. None if rows changed and their labels
        are not known.
    flagged, freed : int
        How many rows the change flags, and how many it no longer does.
    flagged_positives, freed_positives : int or None
        How many of them are positive; None without labels.

    Examples
    --------
    >>> from boxdraw import Change
    >>> Change("drop box", "drop box 2: age ≥ 30", loss=1.0, flagged=0, freed=1).loss
    1.0
    """

    kind: str
    text: str
    loss: float | None
    flagged: int
    freed: int
    flagged_positives: int | None = None
    freed_positives: int | None = None


def simplify(
    boxes: Boxes,
    X: Any,
    y: Any,
    *,
    max_loss: float = 0.0,
    negative_weight: float | None = None,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> tuple[Boxes, list[Change]]:
    """Drop limits and boxes and merge boxes greedily, as `BoxSet.simplify` documents."""
    max_loss = float(max_loss)
    if not max_loss >= 0:
        raise ValueError(f"max_loss must be at least 0, got {max_loss!r}")
    rows = CachedRows(boxes, X)
    score = Score.of(y, rows.n_rows, negative_weight, sample_weight, pos_label)
    drawing = _SimplerBoxes(boxes, rows, score)
    changes = []
    while (step := drawing.best_step(max_loss)) is not None:
        changes.append(drawing.take(step))
    return drawing.boxes() if changes else boxes, changes


class CachedRows:
    """The rows that every change is tried on; which of them meet a limit is computed once."""

    def __init__(self, boxes: BoxSet, X: Any) -> None:
        self.n_rows, columns = read_columns(X, boxes)
        self._categories, self._place = boxes.categories, {name: j for j, name in enumerate(boxes.feature_names)}
        self.columns = {j: c if boxes.categories[j] is not None else c.astype(np.float64) for j, c in columns.items()}
        # A limit of any box made by dropping and merging is one of those given, so the sides that are kept are few.
        self._below, self._above, self._missing = cache(self._at_most), cache(self._at_least), cache(self._is_missing)

    def inside(self, limits: Sequence[Limit]) -> BoolArray:
        """Return the mask of rows that meet all limits."""
        return reduce(np.logical_and, map(self.meets, limits), np.ones(self.n_rows, dtype=np.bool_))

    def meets(self, limit: Limit) -> BoolArray:
        """Return the mask of rows that meet a limit."""
        j = self._place[limit.feature]
        if limit.known:
            return ~self._missing(j)
        if (known := self._categories[j]) is not None:
            assert limit.categories is not None
            admitted = [value in limit.categories for value in known]
            return np.array([*admitted, limit.missing, False], dtype=np.bool_)[self.columns[j]]
        inside = self._above(j, limit.lower) & self._below(j, limit.upper)
        return inside | self._missing(j) if limit.missing else inside

    def _at_most(self, j: int, upper: float) -> BoolArray:
        return np.asarray(self.columns[j] <= upper)

    def _at_least(self, j: int, lower: float) -> BoolArray:
        return np.asarray(self.columns[j] >= lower)

    def _is_missing(self, j: int) -> BoolArray:
        column = self.columns[j]
        return column == MISSING if self._categories[j] is not None else np.isnan(column)


@dataclass(frozen=True, slots=True)
class Score:
    """The objective: the weight of the flagged positives less negative_weight times that of the flagged negatives."""

    positive: BoolArray
    weight: FloatArray | None
    negative_weight: Fraction

    @classmethod
    def of(cls, y: Any, n_rows: int, negative_weight: float | None, sample_weight: Any, pos_label: Any) -> Score:
        """Check labels and weights; without a negative weight, both classes weigh the same in sum."""
        labels = as_labels(y).reshape(-1)
        if len(labels) != n_rows:
            raise ValueError(f"y has {len(labels)} labels, but X has {n_rows} rows")
        if not n_rows:
            raise ValueError("there are no rows to measure the cost of a change on")
        if negative_weight is not None and not 0 <= negative_weight < math.inf:
            raise ValueError(f"negative_weight must be a finite number of at least 0, got {negative_weight!r}")
        weight = weights_of(sample_weight, n_rows)
        positive = _positives(labels, pos_label, weight)
        price = _balance(positive, weight) if negative_weight is None else Fraction(float(negative_weight))
        return cls(positive, weight, price)

    def loss(self, before: BoolArray, after: BoolArray) -> Fraction:
        """Return by how much the objective falls; the weights of each class are summed with a single rounding."""
        lost, won = before & ~after, after & ~before
        positives = self._total(lost & self.positive, won & self.positive)
        negatives = self._total(lost & ~self.positive, won & ~self.positive)
        return positives - self.negative_weight * negatives

    def _total(self, lost: BoolArray, won: BoolArray) -> Fraction:
        if self.weight is None:
            return Fraction(int(np.count_nonzero(lost)) - int(np.count_nonzero(won)))
        return Fraction(math.fsum(self.weight[lost].tolist() + (-self.weight[won]).tolist()))


def _positives(labels: npt.NDArray[Any], pos_label: Any, weight: FloatArray | None) -> BoolArray:
    """Return the mask of positive rows; one class is enough if the user names the positive one."""
    if has_label(labels, labels[0]).all():
        if pos_label is None:
            raise ValueError(f"every label is {labels[0]!r}: say with pos_label which class is positive")
        return has_label(labels, pos_label)
    return check_binary(labels, pos_label, weight)[2]


def _balance(positive: BoolArray, weight: FloatArray | None) -> Fraction:
    """Return the price at which flagging all rows is worth as much as flagging none, exactly; 1 with one class only."""
    weights = np.ones(len(positive)) if weight is None else weight
    positives, negatives = (Fraction(math.fsum(weights[rows])) for rows in (positive, ~positive))
    return positives / negatives if positives and negatives else Fraction(1)


def with_limits(boxes: Boxes, limits: list[tuple[Limit, ...]]) -> Boxes:
    """Make boxes on the same features, each from its limits."""
    pairs = zip(boxes.feature_names, boxes.categories, strict=True)
    categories = {name: values for name, values in pairs if values is not None}
    return boxes.from_rules(map(Rule, limits), boxes.feature_names, categories)


def change_between(kind: str, text: str, before: BoolArray, after: BoolArray, score: Score | None) -> Change:
    """Count what a change did."""
    won, lost = after & ~before, before & ~after
    counts = int(won.sum()), int(lost.sum())
    if score is None:
        return Change(kind, text, None if any(counts) else 0.0, *counts)
    of_positives = int((won & score.positive).sum()), int((lost & score.positive).sum())
    return Change(kind, text, float(score.loss(before, after)), *counts, *of_positives)


@dataclass(frozen=True, slots=True)
class _Step:
    """Something to try: boxes, by their place, are replaced by a new one or by none."""

    kind: str
    places: tuple[int, ...]
    limits: tuple[Limit, ...] | None
    saved: int
    dropped: Limit | None = None


@dataclass(frozen=True, slots=True)
class _Box:
    """A box, what people call it, and the rows that it holds."""

    limits: tuple[Limit, ...]
    name: str
    held: BoolArray


class _SimplerBoxes:
    """Boxes that become simpler."""

    def __init__(self, boxes: Any, rows: CachedRows, score: Score) -> None:
        self._given, self._rows, self._score = boxes, rows, score
        rules = enumerate(boxes.rules(), start=1)
        self._boxes = [_Box(rule.limits, str(k), rows.inside(rule.limits)) for k, rule in rules]
        self._flagged = self._original = self._cover() > 0
        self._loss = Fraction(0)

    def boxes(self) -> Any:
        return with_limits(self._given, [box.limits for box in self._boxes])

    def best_step(self, max_loss: float) -> _Step | None:
        """Return the step that costs least for what it saves; of those the one that changes fewest rows."""
        best, best_cost, cover = None, None, self._cover()
        # Boxes that add nothing go first: with hundreds of boxes, trying all pairs of them takes long.
        if needless := [k for k, box in enumerate(self._boxes) if (cover[box.held] > 1).all()]:
            k = max(needless, key=lambda k: _total_size(self._boxes[k].limits))
            return _Step("drop box", (k,), None, 1 + _total_size(self._boxes[k].limits))
        for step in _steps([box.limits for box in self._boxes]):
            flagged = self._flagged_after(step, cover)
            loss = self._score.loss(self._original, flagged)
            if loss > max_loss:
                continue
            cost = (loss - self._loss) / step.saved, int(np.count_nonzero(flagged != self._flagged)), -step.saved
            if best_cost is None or cost < best_cost:
                best, best_cost = step, cost
        return best

    def take(self, step: _Step) -> Change:
        """Apply a step; return what it cost."""
        flagged = self._flagged_after(step, self._cover())
        change = change_between(step.kind, self._words(step), self._flagged, flagged, self._score)
        new = []
        if step.limits is not None:
            name = "+".join(self._boxes[k].name for k in step.places)
            new = [_Box(step.limits, name, self._rows.inside(step.limits))]
        first, others = step.places[0], [box for k, box in enumerate(self._boxes) if k not in step.places]
        self._boxes = others[:first] + new + others[first:]
        self._flagged, self._loss = flagged, self._score.loss(self._original, flagged)
        return change

    def _cover(self) -> npt.NDArray[np.int32]:
        """Count the boxes that hold each row."""
        cover = np.zeros(self._rows.n_rows, dtype=np.int32)
        for box in self._boxes:
            cover += box.held
        return cover

    def _flagged_after(self, step: _Step, cover: npt.NDArray[np.int32]) -> BoolArray:
        others = cover.copy()
        for k in step.places:
            others -= self._boxes[k].held
        return others > 0 if step.limits is None else (others > 0) | self._rows.inside(step.limits)

    def _words(self, step: _Step) -> str:
        names = [self._boxes[k].name for k in step.places]
        if step.dropped is not None:
            return f"drop {limit_text(step.dropped)} from box {names[0]}"
        if step.limits is None:
            return f"drop box {names[0]}: {_rule_text(self._boxes[step.places[0]].limits)}"
        return f"merge boxes {names[0]} and {names[1]} into: {_rule_text(step.limits)}"


def _rule_text(limits: tuple[Limit, ...]) -> str:
    return " and ".join(map(limit_text, limits)) or "every row"


def _steps(rules: list[tuple[Limit, ...]]) -> Iterator[_Step]:
    """List everything that makes boxes simpler by one step."""
    sizes = [_total_size(limits) for limits in rules]
    for k, size in enumerate(sizes):
        yield _Step("drop box", (k,), None, 1 + size)
    for k, limits in enumerate(rules):
        for place, limit in enumerate(limits):
            before, after = limits[:place], limits[place + 1 :]
            yield _Step("drop limit", (k,), before + after, _size(limit), limit)
            if _size(limit) == 2:
                for kept, dropped in (("upper", "lower"), ("lower", "upper")):
                    rest = Limit(limit.feature, missing=limit.missing, **{kept: getattr(limit, kept)})
                    side = Limit(limit.feature, **{dropped: getattr(limit, dropped)})
                    yield _Step("drop limit", (k,), (*before, rest, *after), 1, side)
    for k, other in combinations(range(len(rules)), 2):
        merged = _around(rules[k], rules[other])
        yield _Step("merge boxes", (k, other), merged, 1 + sizes[k] + sizes[other] - _total_size(merged))


def _total_size(limits: tuple[Limit, ...]) -> int:
    return sum(map(_size, limits))


def _size(limit: Limit) -> int:
    """Count the limits that people read, as `BoxSet.n_limits` does: an interval has two."""
    return 2 if -math.inf < limit.lower < limit.upper < math.inf else 1


def _around(one: tuple[Limit, ...], other: tuple[Limit, ...]) -> tuple[Limit, ...]:
    """Return the limits of the smallest box around two."""
    theirs = {limit.feature: limit for limit in other}
    limits = [_hull(limit, theirs[limit.feature]) for limit in one if limit.feature in theirs]
    return tuple(limit for limit in limits if not (limit.known and limit.missing))


def _hull(one: Limit, other: Limit) -> Limit:
    # That only missing values are inside is written as inf to -inf, which is also the hull of nothing.
    lower, upper = min(one.lower, other.lower), max(one.upper, other.upper)
    both = None if one.categories is None or other.categories is None else one.categories | other.categories
    return dataclasses.replace(one, lower=lower, upper=upper, categories=both, missing=one.missing or other.missing)
