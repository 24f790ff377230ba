"""Revise: rules in use, changed as little as pays on new rows.

From the old boxes on, one change after the other is made: a limit is moved, added or dropped, a set of categories is
chosen anew, a box is dropped or a new one drawn, which counts as many changes as it has limits. It is always the change
of the most gain for each limit that a person has to look at; but as long as boxes break constraints, one that mends
them, even at a loss. What so many changes gain is told by inner folds, which make their own changes to the same old
boxes: each row is judged by boxes that have not seen it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_scalar

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.shortest import shortest_between
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import limit_text, rule_texts
from boxdraw.model.membership import inside, meets
from boxdraw.model.rows import MISSING, Columns
from boxdraw.model.rule import Limit, Rule, as_intervals
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.training import Training

if TYPE_CHECKING:
    from boxdraw.learners.sparse.drawings import Costs

_NORMAL = 1.96  # of a 95% interval
_NEAR = 0.5  # standard errors that may be given up for fewer changes


@dataclass(frozen=True, slots=True)
class Step:
    """A change of boxes: in words, how many limits it is about, and what it gains on the rows less what is read."""

    boxes: BoxSet
    text: str
    n_changes: int
    gain: float


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows to revise on: their features, and what each is worth if it is flagged."""

    columns: Columns
    worth: FloatArray  # above 0 for positives, below 0 for negatives
    whole: frozenset[int]  # columns of whole numbers, which a limit may equal
    cuts: Mapping[int, tuple[float, ...]] = field(default_factory=dict)  # by column: the only numbers for limits

    @classmethod
    def of(
        cls,
        columns: Columns,
        data: Training,
        ratio: float,
        part: IntArray | None = None,
        cuts: Mapping[int, tuple[float, ...]] | None = None,
    ) -> Rows:
        """Weigh rows, all or a part, so that their positives are worth 1 in all and the negatives ``-ratio``."""
        positive, weight = data.positive, data.weights
        if part is not None:
            columns = {j: column[part] for j, column in columns.items()}
            positive, weight = positive[part], weight[part]
        numbers = {j: column for j, column in columns.items() if column.dtype.kind == "f"}
        whole = frozenset(j for j, column in numbers.items() if (np.isnan(column) | (column == np.rint(column))).all())
        up, down = weight[positive].sum(), weight[~positive].sum()
        return cls(columns, np.where(positive, weight / up, -ratio * weight / down), whole, cuts or {})

    def held(self, boxes: BoxSet) -> BoolArray:
        """Return which rows are in each box: (boxes, rows)."""
        held = [np.broadcast_to(inside(self.columns, boxes, k), len(self.worth)) for k in range(len(boxes))]
        return np.array(held, dtype=np.bool_).reshape(len(boxes), len(self.worth))


NewBox = Callable[[BoolArray, int], BoxSet]  # the best one on the rows of a mask, of at most so many limits
Faults = Callable[[BoxSet], Counter[str]]  # how many constraints each box breaks, by its text


def check_revise(rules: Any, max_changes: Any) -> None:
    """Raise unless rules to revise are boxes or None, and the number of changes is one."""
    if rules is not None and not isinstance(rules, BoxSet):
        raise TypeError(f"revise must be a BoxSet or None, got {type(rules).__name__}: give boxes_ of the old model.")
    check_scalar(max_changes, "max_changes", Integral, min_val=0)


def aligned(boxes: BoxSet, encoding: Encoding, whole: frozenset[int]) -> BoxSet:
    """Return boxes on the features of a table, whose categories come first; sets of its numbers become intervals."""
    table = encoding.no_boxes()
    names, rules = table.feature_names, boxes.rules()
    if lacking := sorted({name for rule in rules for name in rule.features}.difference(names)):
        raise ValueError(f"The rules to revise limit {lacking}, which are no features of X: {list(names)}.")
    known = {name: list(values) for name, values in zip(names, table.categories, strict=True) if values is not None}
    for name, values in zip(boxes.feature_names, boxes.categories, strict=True):
        if name in names and values is not None:
            if name in known:
                known[name] += [value for value in values if value not in known[name]]
            elif any(isinstance(value, str) for value in values):
                raise ValueError(
                    f"The rules to revise have categories of {name!r}, which has numbers in X: name it in "
                    "categorical_features, or write intervals in the rules."
                )

    def numbers(limit: Limit) -> list[Limit]:
        if limit.feature in known or limit.categories is None:
            return [limit]
        return as_intervals(limit, names.index(limit.feature) in whole)

    boxes_of_each = (product(*map(numbers, rule.limits)) for rule in rules)
    return BoxSet.from_rules([Rule(limits) for each in boxes_of_each for limits in each], names, known)


def revise(
    boxes: BoxSet, rows: Rows, prices: Costs, most: int, new_box: NewBox, faults: Faults = lambda boxes: Counter()
) -> list[list[Step]]:
    """Return the steps for each number of changes from 0 to ``most``."""
    order = {j: np.argsort(column, kind="stable") for j, column in rows.columns.items() if column.dtype.kind == "f"}
    paths: list[list[Step]] = [[]]
    steps: list[Step] = []
    while (left := most - sum(step.n_changes for step in steps)) > 0:
        here = steps[-1].boxes if steps else boxes
        found = [*_Edits(here, rows, order, prices).steps(), *_added_box(here, rows, prices, left, new_box)]
        found.sort(key=lambda step: (-step.gain / step.n_changes, step.n_changes, step.text))
        step = _first_allowed(found, faults, faults(here))
        if step is None:
            break
        steps.append(step)
        paths += [paths[-1]] * (step.n_changes - 1) + [list(steps)]
    return paths + [paths[-1]] * (most + 1 - len(paths))


def _first_allowed(found: list[Step], faults: Faults, now: Counter[str]) -> Step | None:
    """Return the first step that mends something or, if nothing can be mended, that pays and breaks nothing new."""
    if now:
        mending = (step for step in found if faults(step.boxes).total() < now.total())
        if (step := next(mending, None)) is not None:
            return step
    return next((step for step in found if step.gain > 1e-9 and faults(step.boxes) <= now), None)


def _added_box(boxes: BoxSet, rows: Rows, prices: Costs, most: int, new_box: NewBox) -> list[Step]:
    """Return the step that adds the best box on the rows that no box holds, if any pays."""
    free = np.asarray(~rows.held(boxes).any(axis=0))
    if not ((rows.worth[free] > 0).any() and (rows.worth[free] < 0).any()):
        return []
    found = new_box(free, most)
    if not found.n_limits:  # no box, or one that flags every row, which is no rule
        return []
    gain = float(rows.worth[free & rows.held(found)[0]].sum()) - prices.box - prices.limit * found.n_limits
    text = f"add box {len(boxes) + 1}: {rule_texts(found)[0]}"
    return [Step(boxes + found, text, found.n_limits, gain)] if gain > 1e-9 else []


class _Edits:
    """The changes of one limit or box, each with its gain."""

    def __init__(self, boxes: BoxSet, rows: Rows, order: dict[int, IntArray], prices: Costs) -> None:
        self._boxes, self._rows, self._order, self._prices = boxes, rows, order, prices

    def steps(self) -> Iterator[Step]:
        """Yield the best change of each kind, for each box and feature."""
        held = self._rows.held(self._boxes)
        times = held.sum(axis=0)
        for k in range(len(self._boxes)):
            free = np.asarray(times == held[k])  # rows that no other box holds
            own = float(self._rows.worth[free & held[k]].sum())
            yield self._dropped(k, own)
            features = np.flatnonzero(self._boxes.limited[k]).tolist()
            out = {j: np.asarray(~meets(self._rows.columns[j], self._boxes, k, j)) for j in features}
            n_out = np.asarray(np.sum([*out.values(), np.zeros(len(free), dtype=np.bool_)], axis=0))
            for j in range(self._boxes.n_features):
                rest = np.flatnonzero(free & (n_out == out.get(j, 0)))  # the rows that all other limits hold
                yield from self._of_feature(k, j, rest, own)

    def _dropped(self, k: int, own: float) -> Step:
        boxes = self._boxes.drop_box(k)
        saved = self._prices.box + self._prices.limit * (self._boxes.n_limits - boxes.n_limits)
        return Step(boxes, f"drop box {k + 1}: {rule_texts(self._boxes)[k]}", 1, saved - own)

    def _of_feature(self, k: int, j: int, rest: IntArray, own: float) -> Iterator[Step]:
        """Yield changes on a feature, given the rows that meet all else, of which the box holds some of a worth."""
        edit = partial(self._step, k, j, own)
        if self._boxes.limited[k, j]:
            yield edit(None, float(self._rows.worth[rest].sum()))
        for limit, worth in self._moved(k, j, rest) if j in self._order else self._other_sets(k, j, rest):
            yield edit(limit, worth)

    def _step(self, k: int, j: int, own: float, limit: Limit | None, worth: float) -> Step:
        name = self._boxes.feature_names[j]
        old = limit_text(self._boxes._limit(k, j)) if self._boxes.limited[k, j] else ""
        if limit is None:
            boxes, text = self._boxes.drop_limit(k, name), f"box {k + 1}: drop {old}"
        else:
            values = {"lower": limit.lower, "upper": limit.upper} if limit.categories is None else {}
            sets = {} if limit.categories is None else {"categories": limit.categories}
            boxes = self._boxes.replace(k, name, missing=limit.missing, **values, **sets)
            new = limit_text(limit)
            text = f"box {k + 1}: {old} → {new}" if old else f"box {k + 1}: add {new}"
        more = self._prices.limit * (boxes.n_limits - self._boxes.n_limits)
        return Step(boxes, text, 1, worth - own - more)

    def _moved(self, k: int, j: int, rest: IntArray) -> Iterator[tuple[Limit, float]]:
        """Yield the best lower and the best upper limit on numbers, the box without either, and other missing ones."""
        old, values, worth = self._boxes._limit(k, j), self._rows.columns[j], self._rows.worth
        if old.lower > old.upper:
            return  # "is missing" can be dropped only
        chosen = np.zeros(len(values), dtype=np.bool_)
        chosen[rest] = True
        by_value = self._order[j][chosen[self._order[j]]]
        absent = float(worth[rest[np.isnan(values[rest])]].sum())
        limited = bool(self._boxes.limited[k, j])
        missing = old.missing if limited else absent > 0
        extra = absent if missing else 0.0
        known = by_value[: len(by_value) - int(np.isnan(values[by_value]).sum())]
        within = known[(values[known] >= old.lower) & (values[known] <= old.upper)]
        if limited and absent:
            turned = 0.0 if old.missing else absent
            yield Limit(old.feature, old.lower, old.upper, missing=not old.missing), worth[within].sum() + turned
        if absent > 0:
            yield Limit(old.feature, math.inf, -math.inf, missing=True), absent
        for sign in (1.0, -1.0):  # an upper limit is a lower one of the mirror image
            end = old.upper if sign > 0 else old.lower
            side = known[values[known] * sign <= end * sign][:: int(sign)]
            ends = (-math.inf, end) if sign > 0 else (end, math.inf)
            if limited and math.isfinite(end) and math.isfinite(old.lower if sign > 0 else old.upper):
                yield Limit(old.feature, *ends, missing=missing), float(worth[side].sum()) + extra
            if math.isfinite(end) and j in self._rows.whole:
                yield (
                    Limit(old.feature, end, end, missing=missing),
                    float(worth[side[values[side] == end]].sum()) + extra,
                )
            cuts = np.array(self._rows.cuts[j]) * sign if j in self._rows.cuts else None
            if (best := _best_border(values[side] * sign, worth[side], cuts)) is not None:
                cut, gain = best[0] * sign, best[1]
                ends = (cut, end) if sign > 0 else (end, cut)
                yield Limit(old.feature, *ends, missing=missing), gain + extra

    def _other_sets(self, k: int, j: int, rest: IntArray) -> Iterator[tuple[Limit, float]]:
        """Yield the best set of categories."""
        known, codes = self._boxes.categories[j] or (), self._rows.columns[j][rest]
        worth = self._rows.worth[rest]
        each = np.bincount(np.where(codes == MISSING, len(known), codes), worth, len(known) + 1)
        old = self._boxes.allowed[k][j]
        now = [old is None or value in old for value in known] + [bool(self._boxes.missing[k, j])]
        price = self._prices.limit / 2
        new = np.where(now, each > -price, each > price)
        if (new != now).any() and new[:-1].any():
            inside = frozenset(value for value, held in zip(known, new, strict=False) if held)
            name = self._boxes.feature_names[j]
            yield Limit(name, categories=inside, missing=bool(new[-1])), float(each[new].sum())


def _best_border(values: FloatArray, worth: FloatArray, cuts: FloatArray | None) -> tuple[float, float] | None:
    """Return the best lower limit on rising values, and the worth of what is from there on.

    It is one of the cuts or, if there are none to keep to, a round number.
    """
    places = np.flatnonzero(values[1:] > values[:-1]) + 1 if cuts is None else np.searchsorted(values, cuts)
    border = places[(places > 0) & (places < len(values))]
    if not len(border):
        return None
    kept = (worth.sum() - np.cumsum(worth))[border - 1]
    at = border[int(kept.argmax())]
    if cuts is not None:
        return float(cuts[places == at][0]), float(kept.max())
    below, above = float(values[at - 1]), float(values[at])
    middle = below / 2 + above / 2
    low = float(np.nextafter(below, np.inf))
    cut = shortest_between([middle if low <= middle <= above else above], [low], [above])
    return float(cut[0]), float(kept.max())


@dataclass(frozen=True, slots=True)
class Revision:
    """Rules after a number of changes, and what they gain on held-out rows.

    ``gain`` is the rise of recall less the false-alarm rate times its cost, relative to the balance of the classes,
    against the old rules; ``low`` to ``high`` is its 95% interval, paired by rows, also held-out. ``flagged`` and
    ``freed`` are the weights of all rows of `fit` that these boxes flag and the old rules do not, and the reverse; of
    a stored table they are estimated from a sample. `compare` of the old rules and ``boxes`` lists these rows.

    Examples
    --------
    >>> from boxdraw import BoxSet, SparseBoxesClassifier
    >>> from boxdraw.datasets import load_dataset
    >>> data = load_dataset("hypothyroid")
    >>> old = BoxSet.from_text("TSH >= 20 and FTI <= 64", data.data.columns)
    >>> model = SparseBoxesClassifier(revise=old, max_changes=1, false_alarm_cost=0.1).fit(data.data, data.target)
    >>> model.revisions_[-1].changes
    ('box 1: TSH ≥ 20 → TSH ≥ 6',)
    """

    n_changes: int
    boxes: BoxSet
    changes: tuple[str, ...]
    gain: float
    low: float
    high: float
    flagged: float
    freed: float

    def __str__(self) -> str:
        interval = f"{self.gain:+.3f} ({self.low:+.3f} to {self.high:+.3f})"
        gain = "" if math.isnan(self.gain) else f": held-out gain {interval}"
        number = f"{self.n_changes} change{'s' if self.n_changes != 1 else ''}"
        sides = f"; of all rows {self.flagged:,.6g} more flagged, {self.freed:,.6g} no longer"
        return "\n".join([f"{number}{gain}{sides if self.n_changes else ''}", *(f"  {text}" for text in self.changes)])


def held_out_gains(
    old: BoxSet, rows: Rows, folds: Sequence[tuple[IntArray, IntArray]], path: Callable[[IntArray], list[list[Step]]]
) -> FloatArray:
    """Return what each number of changes gains on each held-out row: (changes, rows)."""
    gains, times = [], np.zeros(len(rows.worth))
    before = rows.held(old).any(axis=0)
    for train, test in folds:
        held = np.zeros(len(times), dtype=np.bool_)
        held[test] = True
        drawn = [steps[-1].boxes if steps else old for steps in path(train)]
        gains.append([held * rows.worth * (1.0 * rows.held(boxes).any(axis=0) - before) for boxes in drawn])
        times += held
    return np.asarray(np.sum(gains, axis=0) / np.maximum(times, 1))


def revisions(
    old: BoxSet, rows: Rows, weight: FloatArray, paths: list[list[Step]], gains: FloatArray | None, faults: Faults
) -> tuple[list[Revision], int]:
    """Return the revisions, without those that change nothing more, and the place of the one to take.

    None is taken that breaks more constraints than another.
    """
    before = rows.held(old).any(axis=0)
    result, kept = [], []
    for number, steps in enumerate(paths):
        boxes = steps[-1].boxes if steps else old
        if sum(step.n_changes for step in steps) != number:
            continue  # a new box takes several changes at once
        now = rows.held(boxes).any(axis=0)
        gain, low, high = _interval(None if gains is None else gains[number])
        changes = tuple(step.text for step in steps)
        moved = float(weight[now & ~before].sum()), float(weight[before & ~now].sum())
        result.append(Revision(number, boxes, changes, gain, low, high, *moved))
        kept.append(number)
    if gains is None:
        return result, len(result) - 1
    broken = np.array([faults(revision.boxes).total() for revision in result])
    mean = np.where(broken == broken.min(), gains[kept].sum(axis=1), -np.inf)
    best = int(mean.argmax())
    errors = np.sqrt(((gains[kept] - gains[kept[best]]) ** 2).sum(axis=1))
    return result, int(np.flatnonzero(mean >= mean[best] - _NEAR * errors)[0])


def counted(revisions: Sequence[Revision], rows: Any, weight: FloatArray, kept: BoolArray | None) -> list[Revision]:
    """Count the rows that change sides on all rows of a fit, not on a sample of them."""
    flags = (one.boxes.contains(rows) for one in revisions)
    held = [flag if kept is None else flag[kept] for flag in flags]
    sides = ((now & ~held[0], held[0] & ~now) for now in held)
    return [
        replace(one, flagged=float(weight[more].sum()), freed=float(weight[less].sum()))
        for one, (more, less) in zip(revisions, sides, strict=True)
    ]


def _interval(gains: FloatArray | None) -> tuple[float, float, float]:
    if gains is None:
        return math.nan, math.nan, math.nan
    mean, error = float(gains.sum()), _NORMAL * math.sqrt(float((gains**2).sum()))
    return mean, mean - error, mean + error
