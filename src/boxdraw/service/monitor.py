"""Rules watched over periods: what they flag and catch, and whether rows still look as they did.

Counts of a period, and of all so far, which finds slow drift, are compared with those of the reference by exact tails
of the hypergeometric distribution: they hold for any sizes, with the luck of the reference in them. Each test gets the
same part of the false alarms allowed in a year, and the union bound keeps these however the tests depend on each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

import numpy as np

from boxdraw._core.frames import frame_like
from boxdraw.learners.base import BaseBoxClassifier
from boxdraw.model.export.text import printable
from boxdraw.model.file import Model
from boxdraw.model.scorecard import boxes_of
from boxdraw.service.compare import drawing_of
from boxdraw.service.counts import Counter, Piece, Tally, divided, stability_index, tails
from boxdraw.service.page import page, picture, table
from boxdraw.service.periods import Labelled, Reader, as_piece, sorted_periods, two_labels

__all__ = ["Alarm", "Monitoring", "Reading", "monitor", "watch"]

_SHIFTED = 0.1  # the least stability index that counts as out of bounds
_RATES = ("alarm rate", "precision", "recall")


@dataclass(frozen=True, slots=True)
class Reading:
    """A figure in a period.

    ``what`` is a box, "all" or a feature; ``value`` is of the period alone, ``so_far`` of all periods up to it.
    Each has a p-value where it is tested. ``expected`` is the precision by the risk table. What is not known is NaN.

    Examples
    --------
    >>> from boxdraw import BoxSet, monitor
    >>> found = monitor(BoxSet([[3]], [[9]]), [[1], [3], [5], [0]], {"May": [[4], [2]]})
    >>> reading = found.readings[0]
    >>> reading.what, reading.measure, reading.reference, reading.value, reading.p
    ('all', 'alarm rate', 0.5, 0.5, 1.0)
    """

    period: Any
    what: str
    measure: str
    reference: float
    value: float
    so_far: float = math.nan
    expected: float = math.nan
    p: float = math.nan
    p_so_far: float = math.nan
    out_of_bounds: bool = False


@dataclass(frozen=True, slots=True)
class Alarm:
    """A figure out of bounds: that of the period, or else that of all periods so far if the period is off as well.

    Examples
    --------
    >>> from boxdraw import BoxSet, monitor
    >>> calm, busy = [[1]] * 900 + [[5]] * 100, [[1]] * 700 + [[5]] * 300
    >>> print(monitor(BoxSet([[3]], [[9]]), calm, {"May": busy}).alarms[0].text)
    all: alarm rate 10% → 30% (p = 9e-30)
    """

    period: Any
    what: str
    measure: str
    reference: float
    value: float
    p: float
    text: str


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Rules watched over periods.

    Parameters
    ----------
    readings : list of Reading
        All figures, period by period.
    alarms : list of Alarm
        Those out of bounds.
    level : float
        What a p-value has to fall to.

    Examples
    --------
    >>> from boxdraw import BoxSet, monitor
    >>> monitor(BoxSet([[3]], [[9]]), [[1], [3], [5], [0]], {"May": [[4], [2]]})
    Within bounds
    May: alarm rate 50%
    """

    readings: list[Reading]
    alarms: list[Alarm]
    level: float

    @property
    def ok(self) -> bool:
        """Whether nothing is out of bounds in any period."""
        return not self.alarms

    @property
    def ok_now(self) -> bool:
        """Whether nothing is out of bounds in the newest period, the last one: what ``boxdraw monitor`` exits by."""
        return all(alarm.period != self.readings[-1].period for alarm in self.alarms)

    def to_frame(self, like: Any = None) -> Any:
        """Return a row per figure and period as a frame of the kind of ``like``, pandas by default.

        Examples
        --------
        >>> from boxdraw import BoxSet, monitor
        >>> frame = monitor(BoxSet([[3]], [[9]]), [[1], [3], [5], [0]], {"May": [[4], [2]]}).to_frame()
        >>> frame["measure"].tolist()
        ['alarm rate', 'stability index', 'missing']
        """
        columns = {field.name: [getattr(one, field.name) for one in self.readings] for field in fields(Reading)}
        return frame_like(np.empty(0) if like is None else like, columns)

    def to_text(self) -> str:
        """Return what is out of bounds, and the figures of all boxes in each period."""
        lines = [f"{alarm.period}: {alarm.text}" for alarm in self.alarms]
        if self.alarms and self.ok_now:
            lines.append(f"{self.readings[-1].period}: within bounds")
        together = [one for one in self.readings if one.what == "all" and one.measure in _RATES]
        for period, group in itertools.groupby(together, key=lambda one: one.period):
            lines.append(f"{period}: {', '.join(text for one in group if (text := _rate_text(one))) or 'no rows'}")
        return "\n".join(lines if self.alarms else ["Within bounds", *lines])

    def to_html(self) -> str:
        """Return a page with a small picture of each series over the periods."""
        series: dict[tuple[str, str], list[Reading]] = {}
        for reading in self.readings:
            series.setdefault((reading.what, reading.measure), []).append(reading)
        pictures = "".join(_picture(*names, those) for names, those in series.items())
        key = "Dashed: reference, or bound of an index. Dotted: expected. Red: out of bounds. Below: the last period."
        rows = [[str(alarm.period), alarm.text] for alarm in self.alarms]
        found = table(["Period", "What"], rows, words=True) if rows else "<p>Nothing</p>"
        series_part = f'<p>{key}</p><div class="series">{pictures}</div>'
        return page("Rules over time", {"Out of bounds": found, "Figures by period": series_part})

    def __repr__(self) -> str:
        return self.to_text()


Judged = tuple[Reading, Alarm | None]


def monitor(
    model: Any,
    reference: Any,
    periods: Any,
    *,
    target: str | None = None,
    time: str | None = None,
    periods_per_year: int = 12,
    false_alarms: float = 0.05,
    tolerance: float = 0.1,
) -> Monitoring:
    """Watch rules over periods: what is no longer as in the reference, and more than by chance.

    Parameters
    ----------
    model : fitted classifier, BoxSet or Scorecard
        The rules.
    reference : frame, array-like, pair (X, y) or stored table, which may be a list of files
        Rows of a time when all was well, best ones that the rules were not learned from: on their own training rows
        rules look better than they are.
    periods : mapping of names to such, list of such, or one frame or stored table with ``time``
        The periods, in their order. Labels may be absent, from whole periods or from single rows: alarms count all
        rows, precision and recall those with a label.
    target : str, optional
        The column of frames with the labels; by default the one that the model was learned from, if it is there.
    time : str, optional
        The column whose values, in order, are the periods, such as the month.
    periods_per_year : int, default=12
        How many periods a year has.
    false_alarms : float, default=0.05
        The most chance that a year in which nothing changes raises any alarm.
    tolerance : float, default=0.1
        By what part of itself a rate has to change, however sure it is, to be out of bounds. Of a feature the
        stability index has to be at least 0.1.

    Returns
    -------
    Monitoring
        ``ok``, ``ok_now``, ``alarms`` and ``readings``: alarm rate, precision and recall of all boxes together and, of
        several, of each; the precision that the risk table expects; and of each limited feature the population
        stability index and the share missing and, of categories, unseen. The recall of one box is told but not tested,
        for what lowers it changes one of the others.

    Notes
    -----
    The tests take rows as drawn one by one; several of one customer shift together, and raise more alarms. Rows have no
    weights here. The positive class is that of a classifier, or the rarer label of the reference.

    Examples
    --------
    >>> from boxdraw import BoxSet, monitor
    >>> october = [[1]] * 900 + [[5]] * 100, [0] * 900 + [0] * 30 + [1] * 70
    >>> november = [[1]] * 900 + [[5]] * 100, [0] * 900 + [0] * 60 + [1] * 40
    >>> print(monitor(BoxSet([[3]], [[9]]), october, {"November": november, "December": november[0]}))
    November: all: precision 70% → 40% (p = 3e-05)
    December: within bounds
    November: alarm rate 10%, precision 40%, recall 100%
    December: alarm rate 10%
    """
    drawing = drawing_of(model, "model")
    known = model._as_model() if isinstance(model, BaseBoxClassifier) else Model(drawing)
    column = known.target if target is None else target
    reader = Reader(boxes_of(drawing), column, time)
    classes: tuple[Any, Any] | None = None
    if isinstance(model, BaseBoxClassifier):
        classes = known.classes
    elif found := [labels for _, labels in reader.parts(reference) if labels is not None]:
        classes = two_labels(np.concatenate(found))
    labelled = []

    def piece(part: Labelled) -> Piece:
        labelled.append(part[1] is not None)
        return as_piece(part, classes)

    base, named = map(piece, reader.parts(reference)), ((name, piece(part)) for name, part in reader.named(periods))
    watched = watch(known, base, named, periods_per_year, false_alarms, tolerance, time is not None)
    if target is not None and not any(labelled):
        raise ValueError(f"target={target!r} is a column of neither the reference nor any period.")
    return watched


def watch(
    model: Model,
    reference: Iterable[Piece],
    periods: Iterable[tuple[Any, Piece]],
    periods_per_year: int,
    false_alarms: float,
    tolerance: float,
    in_order: bool = False,
) -> Monitoring:
    """Watch rules over periods whose rows come in pieces, each of which is counted and forgotten.

    Periods are in the order of their names if so asked, or else in that in which they come.
    """
    for name, value, what, fits in (
        ("false_alarms", false_alarms, "a share between 0 and 1", lambda share: 0 < share < 1),
        ("tolerance", tolerance, "a number of at least 0", lambda part: part >= 0),
        ("periods_per_year", periods_per_year, "a whole number of at least 1", lambda n: n >= 1 and n % 1 == 0),
    ):
        if not isinstance(value, Real) or not fits(value):
            raise ValueError(f"{name} must be {what}, got {value!r}.")
    counter, base = Counter.of(model, reference)
    tallies: dict[Any, Tally] = {}
    for name, piece in periods:
        tally = counter.count(*piece)
        tallies[name] = tallies[name].merge(tally) if name in tallies else tally
    if not tallies:
        raise ValueError("There are no periods: expected at least one to compare with the reference.")
    if in_order:
        tallies = sorted_periods(tallies)
    n_rates = len(base.held) * (2 if base.labelled.any() else 1) + int(base.positives[0] > 0)
    level = false_alarms / (2 * (n_rates + len(counter.edges)) * periods_per_year)
    judge, so_far, judged = _Judge(counter, base, level, tolerance), None, []
    for name, tally in tallies.items():
        so_far = tally if so_far is None else so_far.merge(tally)
        judged += [*judge.rates(name, tally, so_far), *judge.features(name, tally, so_far)]
    return Monitoring([reading for reading, _ in judged], [alarm for _, alarm in judged if alarm is not None], level)


@dataclass(frozen=True, slots=True)
class _Judge:
    """What decides whether counts are out of bounds."""

    counter: Counter
    base: Tally
    level: float
    tolerance: float

    def rates(self, period: Any, *tallies: Tally) -> Iterator[Judged]:
        """Judge what is flagged and caught."""
        counts = [tally.shares() for tally in (self.base, *tallies)]
        shares, ps = [divided(*one) for one in counts], [tails(*one, *counts[0]) for one in counts[1:]]
        expected = self.counter.expected(tallies[0])
        names = [*(f"box {k}" for k in range(1, len(self.base.held))), "all"]
        for k, (measure, what) in enumerate(itertools.product(_RATES, names)):
            before, *after = (float(share[k]) for share in shares)
            guess = float(expected[k - len(names)]) if measure == "precision" else math.nan
            if all(map(math.isnan, (before, *after, guess))):
                continue
            tested = counts[0][1][k] > 0 and counts[1][1][k] > 0 and (measure != "recall" or what == "all")
            p, p_so_far = (float(p[k]) if tested else math.nan for p in ps)
            far = [abs(value - before) > self.tolerance * before for value in after]
            texts = [f"{measure} {_percent(before)} → {_percent(value)}" for value in after]
            reading = Reading(period, what, measure, before, after[0], after[1], guess, p, p_so_far)
            yield self._judged(reading, far, texts)

    def features(self, period: Any, *tallies: Tally) -> Iterator[Judged]:
        """Judge the values of the features."""
        if not tallies[0].rows[0]:
            return
        boxes = boxes_of(self.counter.model.drawing)
        shares = [divided(tally.values, tally.rows) for tally in (self.base, *tallies)]
        ps = [tails(tally.values, tally.rows, self.base.values, self.base.rows) for tally in tallies]
        start = 0
        for j in self.counter.edges:
            name = boxes.feature_names[j]
            bins = slice(start, start + self.counter.n_bins(j))
            start = bins.stop
            indices, own, texts = [], [], []
            for tally, share, p in zip(tallies, shares[1:], ps, strict=True):
                found, base, worst = tally.values[bins], self.base.values[bins], int(np.argmin(p[bins]))
                indices.append(stability_index(found, base))
                own.append(min(1.0, float(np.count_nonzero(found + base) * p[bins][worst])))
                change = f"{_percent(shares[0][bins][worst])} → {_percent(share[bins][worst])}"
                texts.append(f"stability index {indices[-1]:.2g}, {self.counter.bin_text(j, worst)}: {change}")
            reading = Reading(
                period, name, "stability index", math.nan, indices[0], indices[1], math.nan, own[0], own[1]
            )
            yield self._judged(reading, [index >= _SHIFTED for index in indices], texts)
            known = boxes.categories[j]  # None of numbers, which are never unseen
            for place, measure in [(-2, "missing")] + ([] if known is None else [(-1, "unseen")]):
                before, value, so_far = (float(share[bins][place]) for share in shares)
                yield Reading(period, name, measure, before, value, so_far), None

    def _judged(self, reading: Reading, far: list[bool], texts: list[str]) -> Judged:
        """Decide on a figure of the period and on that of all periods so far: each has to be far off, and surely so.

        That of all only counts where the period is off to the same side, so that a bad one is not told for ever.
        """
        ps, before = (reading.p, reading.p_so_far), reading.reference
        back = (reading.value - before) * (reading.so_far - before) < 0
        far = [far[0], all(far) and not back]
        out = [is_far and p <= self.level for is_far, p in zip(far, ps, strict=True)]
        if not any(out):
            return reading, None
        which = out.index(True)
        chance = f"p = {ps[which]:.1g}" if ps[which] >= 1e-300 else "p < 1e-300"
        text = f"{printable(reading.what)}: {texts[which]}{' so far' * which} ({chance})"
        value = (reading.value, reading.so_far)[which]
        alarm = Alarm(reading.period, reading.what, reading.measure, reading.reference, value, ps[which], text)
        return replace(reading, out_of_bounds=True), alarm


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.3g}%"


def _rate_text(reading: Reading) -> str:
    """Say a rate in a period, and what was expected; nothing where neither is known."""
    expected = "" if math.isnan(reading.expected) else f"expected {_percent(reading.expected)}"
    if math.isnan(reading.value):
        return expected and f"{reading.measure} {expected}"
    return f"{reading.measure} {_percent(reading.value)}{expected and f' ({expected})'}"


def _picture(what: str, measure: str, readings: list[Reading]) -> str:
    """Draw a series."""
    is_index, last = measure == "stability index", readings[-1].value
    lines = {
        "reference": [_SHIFTED if is_index else one.reference for one in readings],
        "expected": [one.expected for one in readings],
        "now": [one.value for one in readings],
    }
    caption = f"{printable(what)}: {measure} {f'{last:.2g}' if is_index else _percent(last)}"
    return picture(caption, lines, [one.out_of_bounds for one in readings], [str(one.period) for one in readings])
