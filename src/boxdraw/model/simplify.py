"""Fewer limits and fewer boxes, at a cost that the user sets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.sums import on_grid
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import limit_text
from boxdraw.model.rows import MISSING, read_columns
from boxdraw.model.rule import Limit, Rule
from boxdraw.tables.labels import as_labels, check_binary, has_label, weights_of

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
    merge: bool = True,
) -> tuple[Boxes, list[Change]]:
    """Drop limits and boxes and merge boxes greedily, as `BoxSet.simplify` documents."""
    max_loss = float(max_loss)
    if not max_loss >= 0:
        raise ValueError(f"max_loss must be at least 0, got {max_loss!r}")
    rows = CachedRows(boxes, X)
    score = Score.of(y, rows.n_rows, negative_weight, sample_weight, pos_label)
    drawing = _SimplerBoxes(boxes, rows, score, merge)
    changes = []
    while (step := drawing.best_step(max_loss)) is not None:
        changes.append(drawing.take(step))
    return drawing.boxes() if changes else boxes, changes


def needed_limits(
    lower: FloatArray,
    upper: FloatArray,
    X: Matrix,
    positive: BoolArray,
    weight: FloatArray | None,
    negative_weight: float,
) -> tuple[list[int], BoolArray]:
    """Return the boxes that are needed and which of their limits are, of shape (2, n_boxes, n_features).

    The boxes are intervals on a learner's matrix, where a missing value is inside any of them. Nothing is merged, so
    that each limit is still that of its box.
    """
    boxes = BoxSet(lower, upper, missing=np.ones(lower.shape, dtype=np.bool_))
    score = Score(positive, weight, Fraction(negative_weight))
    drawing = _SimplerBoxes(boxes, CachedRows(boxes, X), score, merge=False)
    while (step := drawing.best_step(0.0)) is not None:
        drawing.take(step)
    simpler = drawing.boxes()
    return drawing.places(), np.isfinite(np.stack([simpler.lower, simpler.upper]))


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

    def excluded(self, limit: Limit) -> list[BoolArray]:
        """Return masks of the rows below, above and otherwise outside a limit; those of one number are otherwise."""
        if _size(limit) == 1:
            return [~self.meets(limit)]
        j = self._place[limit.feature]
        missing = self._missing(j)
        beyond = [~self._above(j, limit.lower) & ~missing, ~self._below(j, limit.upper) & ~missing]
        return beyond if limit.missing else [*beyond, missing]

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
    """Something to try: drop a box, drop a limit or a side of it, or put a new box in the place of two."""

    kind: str
    places: tuple[int, ...]
    limit: int = 0
    side: int = 0
    merged: tuple[Limit, ...] | None = None


_BELOW, _ABOVE, _ANYHOW = 0, 1, 3  # how a limit excludes a row; 2 is otherwise: what is missing


class _Box:
    """A box, what people call it, and for each row how many limits exclude it, and which one if it is only one."""

    def __init__(self, limits: tuple[Limit, ...], name: str, rows: CachedRows) -> None:
        self.limits, self.name, self._rows = limits, name, rows
        self._code = {limit.feature: _ANYHOW * place for place, limit in enumerate(limits)}
        self._codes = np.zeros(rows.n_rows, dtype=np.int32)  # of all limits that exclude a row, added up
        self._outside = np.zeros(rows.n_rows, dtype=np.int32)
        for limit in limits:
            self._count(limit, 1)
        self._list_drops()

    def without(self, place: int, side: int) -> _Box:
        """Return the box with a limit less, or one side of it; the other limits need not be looked at again."""
        box, limit = copy(self), self.limits[place]
        rest = () if side == _ANYHOW else (_other_side(limit, side),)
        box.limits = self.limits[:place] + rest + self.limits[place + 1 :]
        box._outside, box._codes = self._outside.copy(), self._codes.copy()
        box._count(limit, -1)
        for kept in rest:
            box._count(kept, 1)
        box._list_drops()
        return box

    def _count(self, limit: Limit, sign: int) -> None:
        for side, mask in enumerate(self._rows.excluded(limit)):
            self._outside += sign * mask
            self._codes += sign * (self._code[limit.feature] + side) * mask

    def _list_drops(self) -> None:
        """List the limits, and the sides of intervals, that can be dropped, and what each saves."""
        sizes = [_size(limit) for limit in self.limits]
        self.held, self.size = self._outside == 0, sum(sizes)
        pairs = [
            (place, side) for place, size in enumerate(sizes) for side in (_ANYHOW, _BELOW, _ABOVE)[: 2 * size - 1]
        ]
        self.drops = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        self.saved = np.where(self.drops[:, 1] == _ANYHOW, np.array(sizes, dtype=np.intp)[self.drops[:, 0]], 1)

    def gains(self, free: BoolArray, values: Sequence[FloatArray | None]) -> FloatArray:
        """Return the sums of values of the free rows that each drop lets in, a row per drop; None counts."""
        rows = np.flatnonzero((self._outside == 1) & free)
        codes, size = self._codes[rows], _ANYHOW * len(self._code)
        sums = [np.bincount(codes, None if value is None else value[rows], size) for value in values]
        table = np.array(sums, dtype=np.float64).reshape(len(values), -1, _ANYHOW)
        table = np.concatenate([table, table.sum(axis=2, keepdims=True)], axis=2)
        number = np.array([self._code[limit.feature] // _ANYHOW for limit in self.limits], dtype=np.intp)
        return table[:, number[self.drops[:, 0]], self.drops[:, 1]].T


def _other_side(limit: Limit, dropped: int) -> Limit:
    """Return an interval without one of its sides."""
    lower, upper = (-math.inf, limit.upper) if dropped == _BELOW else (limit.lower, math.inf)
    return Limit(limit.feature, lower, upper, missing=limit.missing)


class _SimplerBoxes:
    """Boxes that become simpler. All sums are of multiples of a small unit, and so exact in any order."""

    def __init__(self, boxes: Any, rows: CachedRows, score: Score, merge: bool) -> None:
        self._given, self._rows, self._score, self._merge = boxes, rows, score, merge
        self._boxes = [_Box(rule.limits, str(k), rows) for k, rule in enumerate(boxes.rules(), start=1)]
        mass = np.ones(rows.n_rows) if score.weight is None else score.weight
        mass = on_grid(mass) if mass.any() else mass
        self._values = (None, mass * score.positive, mass * ~score.positive)
        self._cover = np.zeros(rows.n_rows, dtype=np.int32)  # how many boxes hold each row
        for box in self._boxes:
            self._cover += box.held
        self._loss = Fraction(0)
        self._merged: dict[tuple[_Box, _Box], tuple[tuple[Limit, ...], BoolArray]] = {}

    def boxes(self) -> Any:
        return with_limits(self._given, [box.limits for box in self._boxes])

    def places(self) -> list[int]:
        """Return the places of the boxes among those given, if nothing was merged."""
        return [int(box.name) - 1 for box in self._boxes]

    def best_step(self, max_loss: float) -> _Step | None:
        """Return the step that costs least for what it saves; of those the one that changes fewest rows."""
        alone, free = self._cover == 1, self._cover == 0
        only = [box.held & alone for box in self._boxes]
        # Boxes that add nothing go first: with hundreds of boxes, trying all pairs of them takes long.
        if needless := [k for k, rows in enumerate(only) if not rows.any()]:
            return _Step("drop box", (max(needless, key=lambda k: self._boxes[k].size),))
        steps = [_Step("drop box", (k,)) for k in range(len(self._boxes))]
        saved = [np.array([1 + box.size for box in self._boxes])]
        won = [-np.array([self._sums(rows) for rows in only]).reshape(-1, 3)]
        for k, box in enumerate(self._boxes):
            steps += [_Step("drop limit", (k,), place, side) for place, side in box.drops.tolist()]
            saved.append(box.saved)
            won.append(box.gains(free, self._values))
        for pair, limits, held in self._merges():
            steps.append(_Step("merge boxes", pair, merged=limits))
            saved.append(np.array([1 + sum(self._boxes[k].size for k in pair) - sum(map(_size, limits))]))
            won.append(self._sums(held & free)[None])
        best = self._cheapest(np.concatenate(won), np.concatenate(saved), max_loss)
        return None if best is None else steps[best]

    def _cheapest(self, won: FloatArray, saved: IntArray, max_loss: float) -> int | None:
        """Return the place of the best step, given how many rows each flags more and their weights by class."""
        price = float(self._score.negative_weight)
        loss = price * won[:, 2] - won[:, 1]
        # Floats first, as exact fractions are slow; what floats can't tell apart is compared exactly.
        margin = 1e-12 * (np.abs(won[:, 1]) + price * np.abs(won[:, 2]))
        room, exact = Fraction(max_loss) - self._loss if math.isfinite(max_loss) else math.inf, cache(self._exact)
        doubt = np.abs(loss - float(room)) <= margin + 1e-12 * abs(float(self._loss))
        allowed = np.asarray(loss <= float(room))
        for i in np.flatnonzero(doubt).tolist():
            allowed[i] = exact(*won[i, 1:].tolist()) <= room
        if not allowed.any():
            return None
        rate, margin = loss / saved, margin / saved
        near = np.flatnonzero(allowed & (rate - margin <= (rate + margin)[allowed].min()))

        def cost(i: int) -> tuple[Fraction, float, int]:
            return exact(*won[i, 1:].tolist()) / int(saved[i]), abs(won[i, 0]), -saved[i]

        return min(near.tolist(), key=cost)

    def _exact(self, positive: float, negative: float) -> Fraction:
        """Return the loss of flagging rows of these weights more."""
        return self._score.negative_weight * Fraction(negative) - Fraction(positive)

    def _sums(self, rows: BoolArray) -> FloatArray:
        """Return how many rows are in a mask, and their weights by class."""
        place = np.flatnonzero(rows)
        return np.array([len(place) if value is None else value[place].sum() for value in self._values])

    def _merges(self) -> list[tuple[tuple[int, int], tuple[Limit, ...], BoolArray]]:
        """List all pairs of boxes with the smallest box around both and its rows; most are known from before."""
        if not self._merge:
            return []
        known, self._merged, merges = self._merged, {}, []
        for (k, one), (other, two) in combinations(enumerate(self._boxes), 2):
            if (one, two) not in known:
                limits = _around(one.limits, two.limits)
                known[one, two] = limits, self._rows.inside(limits)
            self._merged[one, two] = known[one, two]
            merges.append(((k, other), *known[one, two]))
        return merges

    def take(self, step: _Step) -> Change:
        """Apply a step; return what it cost."""
        before, words = self._cover > 0, self._words(step)
        old, new = [self._boxes[k] for k in step.places], []
        if step.kind == "drop limit":
            new = [old[0].without(step.limit, step.side)]
        elif step.merged is not None:
            new = [_Box(step.merged, "+".join(box.name for box in old), self._rows)]
        for sign, boxes in ((-1, old), (1, new)):
            for box in boxes:
                self._cover += sign * box.held
        first, others = step.places[0], [box for k, box in enumerate(self._boxes) if k not in step.places]
        self._boxes = others[:first] + new + others[first:]
        after = self._cover > 0
        flagged = self._sums(after & ~before) - self._sums(before & ~after)
        self._loss += self._exact(*flagged[1:].tolist())
        return change_between(step.kind, words, before, after, self._score)

    def _words(self, step: _Step) -> str:
        boxes = [self._boxes[k] for k in step.places]
        if step.merged is not None:
            return f"merge boxes {boxes[0].name} and {boxes[1].name} into: {_rule_text(step.merged)}"
        if step.kind == "drop box":
            return f"drop box {boxes[0].name}: {_rule_text(boxes[0].limits)}"
        limit = boxes[0].limits[step.limit]
        if step.side != _ANYHOW:
            limit = dataclasses.replace(_other_side(limit, _BELOW + _ABOVE - step.side), missing=False)
        return f"drop {limit_text(limit)} from box {boxes[0].name}"


def _rule_text(limits: tuple[Limit, ...]) -> str:
    return " and ".join(map(limit_text, limits)) or "every row"


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
