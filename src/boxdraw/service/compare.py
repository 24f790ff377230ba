"""Two sets of rules beside each other: which rules differ, which rows change sides, and what that is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
from scipy.special import betainc
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.frames import frame_like
from boxdraw.learners.base import BaseBoxClassifier
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import limit_text, printable, rule_texts
from boxdraw.model.matching import match_limits, match_rows
from boxdraw.model.rule import Rule
from boxdraw.model.scorecard import Scorecard, boxes_of
from boxdraw.service.counts import divided
from boxdraw.service.page import page, table
from boxdraw.service.periods import two_labels
from boxdraw.tables.labels import has_label, labels_of, read_labels, weights_of

__all__ = ["Comparison", "Difference", "RuleChange", "compare"]

_NORMAL = 1.959963984540054  # of a 95% interval


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What became of a rule.

    ``kind`` is "same", "changed", "dropped" or "added"; ``old`` and ``new`` are its numbers from 1, None where it is
    not; ``old_rows`` and ``new_rows`` are the weights of the rows that it holds, NaN without rows.

    Examples
    --------
    >>> from boxdraw import BoxSet, compare
    >>> compare(BoxSet([[1]], [[9]]), BoxSet([[2]], [[9]])).rules[0].text
    'Box 1: 1 ≤ x0 ≤ 9 → 2 ≤ x0 ≤ 9'
    """

    kind: str
    old: int | None
    new: int | None
    text: str
    old_rows: float
    new_rows: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of both, on the same rows, and its difference with a 95% interval, paired by rows.

    Examples
    --------
    >>> from boxdraw import BoxSet, compare
    >>> figure = compare(BoxSet([[1]], [[9]]), BoxSet([[2]], [[9]]), [[1], [3], [5], [0]]).figures[0]
    >>> figure.name, figure.old, figure.new, figure.difference
    ('alarm rate', 0.75, 0.5, -0.25)
    """

    name: str
    old: float
    new: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Old and new rules side by side.

    Parameters
    ----------
    rules : list of RuleChange
        The rules, those that stay first.
    figures : list of Difference
        Alarm rate and, with labels, precision and recall; empty without rows.
    flagged, freed : float
        The weight of the rows that only the new rules flag, and of those that only the old ones do; NaN without rows.
    flagged_rows, freed_rows : list of int
        Which rows these are, from 0.
    flagged_positives, freed_positives : float
        How much of these is positive; NaN without labels.
    p_recall, p_false_alarms : float
        McNemar's exact test, among the positives and among the negatives, that both flag as many; NaN without labels.

    Examples
    --------
    >>> from boxdraw import BoxSet, compare
    >>> found = compare(BoxSet([[1]], [[9]]), BoxSet([[2]], [[9]]), [[1], [3], [5], [0]])
    >>> found.flagged, found.freed, found.freed_rows
    (0.0, 1.0, [0])
    """

    rules: list[RuleChange]
    figures: list[Difference]
    flagged: float = math.nan
    freed: float = math.nan
    flagged_positives: float = math.nan
    freed_positives: float = math.nan
    p_recall: float = math.nan
    p_false_alarms: float = math.nan
    flagged_rows: list[int] = field(default_factory=list)
    freed_rows: list[int] = field(default_factory=list)

    def to_frame(self, like: Any = None) -> Any:
        """Return a row per rule as a frame of the kind of ``like``, pandas by default.

        Examples
        --------
        >>> from boxdraw import BoxSet, compare
        >>> compare(BoxSet([[1]], [[9]]), BoxSet([[2]], [[9]])).to_frame()["kind"].tolist()
        ['changed']
        """
        names = "kind", "old", "new", "text", "old_rows", "new_rows"
        columns = {name: [getattr(rule, name) for rule in self.rules] for name in names}
        return frame_like(np.empty(0) if like is None else like, columns)

    def to_text(self) -> str:
        """Return the rules, the figures and the rows that change sides, as sentences."""
        lines = [f"{rule.kind:<8} {rule.text}{_rows_text(rule)}" for rule in self.rules] or ["No rules on either side"]
        if self.figures:
            lines += ["", *map(_figure_text, self.figures), *self._moves()]
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return a page of the same."""
        rules = [[rule.kind, rule.text, _number(rule.old_rows), _number(rule.new_rows)] for rule in self.rules]
        parts = {"Rules": table(["", "Rule", "Rows before", "Rows now"], rules, words=True)}
        if self.figures:
            rows = []
            for one in self.figures:
                change = f"{one.difference:+.1%}", f"{one.low:+.1%} to {one.high:+.1%}"
                rows.append([one.name, _share(one.old), _share(one.new), *change])
            parts["Figures"] = table(["", "Old", "New", "Difference", "95% interval"], rows)
            parts["Rows that change sides"] = "".join(f"<p>{escape(line)}</p>" for line in self._moves())
        return page("Old and new rules", parts)

    def __repr__(self) -> str:
        return self.to_text()

    def _moves(self) -> Iterator[str]:
        """Yield what changes sides."""
        known = not math.isnan(self.flagged_positives)
        for what, rows, positives in (
            ("Only the new rules flag", self.flagged, self.flagged_positives),
            ("Only the old rules flag", self.freed, self.freed_positives),
        ):
            yield f"{what} {_number(rows)} rows{f', {_number(positives)} of them positive' if known else ''}"
        if known:
            yield f"McNemar's test: recall p = {self.p_recall:.2g}, false alarms p = {self.p_false_alarms:.2g}"


def compare(
    old: Any, new: Any, X: Any = None, y: Any = None, *, sample_weight: Any = None, pos_label: Any = None
) -> Comparison:
    """Put old and new rules side by side, on rows if there are some.

    Parameters
    ----------
    old, new : BoxSet, Scorecard or fitted classifier
        The rules. Of a scorecard its boxes are matched, and its threshold decides.
    X : array-like or frame of shape (n_samples, n_features), optional
        Rows, which neither should have been learned from. Each set of rules finds its own features in a frame.
    y : array-like of shape (n_samples,), optional
        Their labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows; 2 counts as two rows.
    pos_label : label, optional
        The positive class; that of a classifier, or else the rarer one.

    Returns
    -------
    Comparison
        Rules that are the same, changed, dropped or added; rows that change sides; differences of alarm rate, precision
        and recall with intervals. Rules are matched by the rows that they hold, then by their limits: one of which
        less than half is left counts as dropped, and what takes its place as added.

    Examples
    --------
    >>> from boxdraw import BoxSet, compare
    >>> old = BoxSet.from_text("amount >= 900 and hour <= 5")
    >>> new = BoxSet.from_text("amount >= 800 and hour <= 5")
    >>> print(compare(old, new))
    changed  Box 1: amount ≥ 900 → amount ≥ 800
    >>> rows, fraud = [[850, 3], [950, 2], [990, 4], [850, 9], [100, 3]], [1, 1, 0, 0, 0]
    >>> print(compare(old, new, rows, fraud))
    changed  Box 1: amount ≥ 900 → amount ≥ 800 (rows: 2 → 3)
    <BLANKLINE>
    alarm rate 40.0% → 60.0% (+20.0%, -23.9% to +52.4%)
    precision 50.0% → 66.7% (+16.7%, -26.9% to +46.9%)
    recall 50.0% → 100.0% (+50.0%, -39.8% to +89.8%)
    Only the new rules flag 1 rows, 1 of them positive
    Only the old rules flag 0 rows, 0 of them positive
    McNemar's test: recall p = 1, false alarms p = 1
    """
    first, second = drawing_of(old, "old"), drawing_of(new, "new")
    ours, theirs = boxes_of(first), boxes_of(second)
    if X is None:
        if y is not None or sample_weight is not None:
            raise ValueError("y and sample_weight are those of X, which is not given.")
        return Comparison(_changes(ours, theirs, _matched(ours, theirs, {}), None), [])
    members = ours.membership(X), theirs.membership(X)
    given = weights_of(sample_weight, len(members[0]))
    weight = np.ones(len(members[0])) if given is None else given
    held = [weight @ member for member in members]
    rules = _changes(ours, theirs, _matched(ours, theirs, match_rows(*members, weight)), held)
    flags = first.contains(X), second.contains(X)
    only = flags[1] & ~flags[0], flags[0] & ~flags[1]
    flagged, freed = (float(weight[rows].sum()) for rows in only)
    everyone = np.ones(len(weight), dtype=np.bool_)
    figures = [_paired("alarm rate", *flags, everyone, weight)]
    flagged_rows, freed_rows = (np.flatnonzero(rows).tolist() for rows in only)
    found = Comparison(rules, figures, flagged, freed, flagged_rows=flagged_rows, freed_rows=freed_rows)
    if y is None:
        return found
    positive = _positive(y, len(weight), pos_label, old, new)
    figures += [_precision(*flags, positive, weight), _paired("recall", *flags, positive, weight)]
    ups = [float(weight[rows & positive].sum()) for rows in only]
    tests = [_mcnemar(*(float(weight[rows & among].sum()) for rows in only)) for among in (positive, ~positive)]
    return replace(found, flagged_positives=ups[0], freed_positives=ups[1], p_recall=tests[0], p_false_alarms=tests[1])


def drawing_of(rules: Any, name: str) -> BoxSet | Scorecard:
    """Return what decides."""
    if isinstance(rules, BoxSet | Scorecard):
        return rules
    if not isinstance(rules, BaseBoxClassifier):
        raise TypeError(f"{name} must be a BoxSet, a Scorecard or a fitted classifier, got {type(rules).__name__}.")
    check_is_fitted(rules)
    return rules._decider()


def _positive(y: Any, n_rows: int, pos_label: Any, *rules: Any) -> BoolArray:
    """Return which labels are positive; raise for one that is of neither class."""
    labels = read_labels(y)
    if len(labels) != n_rows:
        raise ValueError(f"y must have a label for each row of X: {n_rows}, got {len(labels)}.")
    model = next((one for one in rules if isinstance(one, BaseBoxClassifier)), None)
    if model is not None:
        labels_of(labels, n_rows, model.classes_)
        pos_label = model.pos_label_ if pos_label is None else pos_label
    others = {*labels.tolist(), *([] if model is None else model.classes_.tolist())} - {pos_label}
    if pos_label is None:
        pos_label = (two_labels(labels, "y") or (None, None))[1]
    elif len(others) > 1:
        raise ValueError(f"y may have one label besides pos_label={pos_label!r}, got {sorted(others)[:5]}.")
    return has_label(labels, pos_label)


def _matched(ours: BoxSet, theirs: BoxSet, pairs: dict[int, int]) -> dict[int, int]:
    """Match by their limits the boxes that are in no pair yet."""
    left = [k for k in range(len(ours)) if k not in pairs]
    free = [k for k in range(len(theirs)) if k not in pairs.values()]
    return pairs | {left[k]: free[other] for k, other in match_limits(ours[left], theirs[free]).items()}


def _changes(ours: BoxSet, theirs: BoxSet, pairs: dict[int, int], held: list[FloatArray] | None) -> list[RuleChange]:
    """Return what became of each rule: those that stay, the changed, the dropped and the added ones."""
    before, after = ours.rules(), theirs.rules()
    texts = rule_texts(ours), rule_texts(theirs)

    def rows(side: int, k: int) -> float:
        return math.nan if held is None else float(held[side][k])

    changes = []
    for k, other in pairs.items():
        same = set(before[k].limits) == set(after[other].limits)
        text = f"Box {other + 1}: {texts[1][other] if same else _difference(before[k], after[other])}"
        changes.append(RuleChange("same" if same else "changed", k + 1, other + 1, text, rows(0, k), rows(1, other)))
    changes.sort(key=lambda change: (change.kind != "same", change.new))
    for k in sorted(set(range(len(ours))) - set(pairs)):
        changes.append(RuleChange("dropped", k + 1, None, f"Box {k + 1}: {texts[0][k]}", rows(0, k), math.nan))
    for other in sorted(set(range(len(theirs))) - set(pairs.values())):
        text = f"Box {other + 1}: {texts[1][other]}"
        changes.append(RuleChange("added", None, other + 1, text, math.nan, rows(1, other)))
    return changes


def _difference(old: Rule, new: Rule) -> str:
    """Return what differs between two rules."""
    ours, theirs = ({limit.feature: limit for limit in rule.limits} for rule in (old, new))
    words = []
    for name in dict.fromkeys([*ours, *theirs]):
        before, after = ours.get(name), theirs.get(name)
        if before == after:
            continue
        if before is None or after is None:
            limit = before or after
            words.append(f"{'without' if after is None else 'and'} {limit_text(limit) if limit else printable(name)}")
        else:
            words.append(f"{limit_text(before)} → {limit_text(after)}")
    return ", ".join(words)


def _paired(name: str, old: BoolArray, new: BoolArray, among: BoolArray, weight: FloatArray) -> Difference:
    """Return the shares flagged among some rows, with the interval of Agresti and Min (2005) for paired shares."""
    mass = float(weight[among].sum())
    if not mass:
        return Difference(name, math.nan, math.nan, math.nan, math.nan, math.nan)
    gained, lost = (float(weight[among & rows].sum()) for rows in (new & ~old, old & ~new))
    n, b, c = mass + 2, gained + 0.5, lost + 0.5  # half a row is added to each of the four cells
    middle = (b - c) / n
    half = _NORMAL * math.sqrt(max((b + c) - (b - c) ** 2 / n, 0.0)) / n
    before, after = (float(weight[among & rows].sum()) / mass for rows in (old, new))
    return Difference(name, before, after, after - before, max(middle - half, -1.0), min(middle + half, 1.0))


def _precision(old: BoolArray, new: BoolArray, positive: BoolArray, weight: FloatArray) -> Difference:
    """Return the precisions, with an interval from what each flagged row adds to their difference.

    As for shares, half a row is added to each cell: of the positive and of the negative rows those that both flag, and
    those that only one does. So the interval is no point where all rows are positive.
    """
    held = old & new, old & ~new, new & ~old
    cells = np.array([[weight[among & label].sum() for label in (positive, ~positive)] for among in held])
    used = np.array([[1, 1, 0], [1, 0, 1]])  # the cells of the old and of the new rules
    shares = divided(used @ cells[:, 0], (used @ cells).sum(axis=1))
    added = cells + 0.5
    mass = (used @ added).sum(axis=1)
    before, after = (used @ added[:, 0]) / mass
    parts = [used[k][:, None] * (np.array([1, 0]) - share) / mass[k] for k, share in enumerate((before, after))]
    half = _NORMAL * math.sqrt((added * (parts[1] - parts[0]) ** 2).sum())
    low, high = max(after - before - half, -1.0), min(after - before + half, 1.0)
    if np.isnan(shares).any():
        low = high = math.nan
    first, second = map(float, shares)
    return Difference("precision", first, second, second - first, float(low), float(high))


def _mcnemar(gained: float, lost: float) -> float:
    """Return the exact two-sided p-value that as much changes to either side; between counts the beta integral."""
    most, least = max(gained, lost), min(gained, lost)
    return min(1.0, 2 * float(betainc(most, least + 1, 0.5))) if most else 1.0


def _rows_text(rule: RuleChange) -> str:
    rows = [one for one in (rule.old_rows, rule.new_rows) if not math.isnan(one)]
    return f" (rows: {' → '.join(map(_number, rows))})" if rows else ""


def _figure_text(one: Difference) -> str:
    interval = f"{one.difference:+.1%}, {one.low:+.1%} to {one.high:+.1%}"
    return f"{one.name} {_share(one.old)} → {_share(one.new)}{'' if math.isnan(one.difference) else f' ({interval})'}"


def _share(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.1%}"


def _number(rows: float) -> str:
    return "-" if math.isnan(rows) else f"{rows:,.6g}"
