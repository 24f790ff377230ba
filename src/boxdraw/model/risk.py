"""Risk: the share of positives in each region of a model, with an interval.

Regions go from the highest risk to the lowest, and a row belongs to the first one that holds it. Those of a scorecard
start at some points; those of boxes are some boxes each: those of a path from tight to loose. Regions whose order the
rows do not bear out are put together, so the risk falls from each to the next.

What is counted must be rows that had no part in drawing the regions: held-out or new ones. The share in a region is
shrunk, by half a row, towards what all regions say of it: a logistic curve of how high it ranks; but none is surer than
half a row at the base rate leaves it. The interval is for the share of positives among as many new rows, which have
their own luck, as for goals: Jeffreys' (Brown, Cai and DasGupta 2001), at a level that allows for twice the variance.
It ends at 0 or 1 where it may well be that no new row is positive, or every one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, betaln, expit, logit, ndtr, ndtri

from boxdraw._core.arrays import FloatArray, IntArray
from boxdraw._core.frames import frame_like
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.html import FORM, html_table
from boxdraw.model.export.markdown import markdown_table
from boxdraw.model.export.text import rule_texts
from boxdraw.model.scorecard import Scorecard
from boxdraw.model.union import union_of

__all__ = ["Region", "RiskTable", "estimate_risk", "percent"]

#: What files and frames call the numbers of a region.
FIELDS = {"rows": "n_rows", "positives": "n_positives", "risk": "risk", "low": "low", "high": "high"}
COVERAGE = 0.95
#: Rows by which a share is shrunk: chosen on every second of the paper's tables, confirmed on the others; between an
#: eighth of a row and a whole one, it hardly matters (docs/howto_risk.rst).
_SHRINKAGE = 0.5
_MOST_ROWS = 1e12  # of which a share is known to all digits that anyone reads


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the space: its rows and positives as counted, and the risk with its interval.

    ``of`` is the least points of its rows, or the numbers of its boxes, from 0; the last region has None or ().
    """

    of: Any
    n_rows: float
    n_positives: float
    risk: float
    low: float
    high: float


class RiskTable(Sequence[Region]):
    """The risk by region, from the highest on; a row belongs to the first region that holds it.

    Parameters
    ----------
    regions : sequence of Region
        The last one holds all rows that no other does.
    boxes : BoxSet, optional
        The boxes that the regions are made of; None if these are points of a scorecard.

    Examples
    --------
    >>> from boxdraw import BoxSet, BoxSetClassifier
    >>> model = BoxSetClassifier(BoxSet([[3]], [[9]], feature_names=["dose"]))
    >>> model.risk_table([[1], [2], [4], [5], [6], [0]], [0, 0, 1, 1, 0, 0])
    3 ≤ dose ≤ 9: 66% (0–100%)
    otherwise: 5% (0–74%)
    """

    boxes: BoxSet | None

    def __init__(self, regions: Sequence[Region], boxes: BoxSet | None = None) -> None:
        self._regions, self.boxes = tuple(regions), boxes

    def __len__(self) -> int:
        return len(self._regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self._regions)

    def __getitem__(self, index: Any) -> Any:
        return self._regions[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RiskTable) and (self._regions, self.boxes) == (other._regions, other.boxes)

    def __hash__(self) -> int:
        return hash((self._regions, self.boxes))

    def places(self, rows: Any, drawing: BoxSet | Scorecard, n_jobs: int | None = None) -> IntArray:
        """Return the number of each row's region, from 0; the drawing is that of the model."""
        last = len(self) - 1
        if self.boxes is None:
            assert isinstance(drawing, Scorecard)  # or the regions would be boxes
            least = np.array([region.of for region in self._regions[:last]], dtype=np.int64)
            return np.asarray(last - np.searchsorted(least[::-1], drawing.score(rows, n_jobs=n_jobs), side="right"))
        member = self.boxes.membership(rows, n_jobs=n_jobs)
        held = [member.T[list(region.of)].any(axis=0) for region in self._regions[:last]]
        return np.asarray(np.argmax([*held, np.ones(len(member), dtype=np.bool_)], axis=0))

    def risks(self, rows: Any, drawing: BoxSet | Scorecard, n_jobs: int | None = None) -> FloatArray:
        """Return the risk of each row."""
        return np.array([region.risk for region in self])[self.places(rows, drawing, n_jobs)]

    def check(self, drawing: BoxSet | Scorecard) -> None:
        """Raise unless the regions are ones of a drawing: points of a card, or boxes on the same features."""
        boxes = drawing.boxes if isinstance(drawing, Scorecard) else drawing
        if self.boxes is None and boxes is drawing:
            raise ValueError("the risk goes by the points of a scorecard, and boxes have none: use the scorecard")
        if self.boxes is not None and _features(self.boxes) != _features(boxes):
            raise ValueError("the boxes of the risk must be on the same features, in the same order, as the model's")

    def labels(self) -> list[str]:
        """Say what each region is."""
        if self.boxes is None:
            return _points_texts([region.of for region in self._regions[:-1]])
        rules = rule_texts(self.boxes)
        held = [" or ".join(rules[k] for k in region.of) for region in self._regions[:-1]]
        return [*held, "otherwise" if held else "every row"]

    def to_frame(self, like: Any = None) -> Any:
        """Return a frame with a row per region; of the same kind as another frame, or else of pandas.

        Parameters
        ----------
        like : frame, optional
            A frame of pandas, polars or pyarrow.

        Returns
        -------
        frame
            ``region``, in words; ``rows`` and ``positives``, as counted; ``risk``, ``low`` and ``high``.
        """
        columns = {name: np.array([getattr(region, field) for region in self]) for name, field in FIELDS.items()}
        return frame_like(like, {"region": self.labels(), **columns})

    def to_text(self) -> str:
        """Write a line per region."""
        return "\n".join(f"{label}: {risk}" for risk, label in self._cells())

    def to_markdown(self) -> str:
        """Write a table in Markdown, with a row per region."""
        return markdown_table(("Risk", "Region"), self._cells())

    def to_html(self) -> str:
        """Write a table in HTML, as notebooks show it."""
        return html_table("Risk by region", ("Risk", "Region"), self._cells(), "", cell=FORM)

    def _cells(self) -> list[tuple[str, str]]:
        return [
            (f"{percent(region.risk)} ({percent(region.low).removesuffix('%')}–{percent(region.high)})", label)
            for label, region in zip(self.labels(), self, strict=True)
        ]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def _features(boxes: BoxSet) -> list[tuple[str, bool]]:
    """Return the names of features, and which have categories."""
    return [(name, known is None) for name, known in zip(boxes.feature_names, boxes.categories, strict=True)]


def percent(share: float) -> str:
    """Write a share in whole percent, a small or large one with as many digits as tell it from 0 or 100%."""
    rest = 100 * min(share, 1 - share)
    return f"{100 * share:.{0 if rest >= 0.995 or rest < 1e-9 else min(8, 1 - math.floor(math.log10(rest)) - 1)}f}%"


def _points_texts(least: Sequence[Any]) -> list[str]:
    """Write regions that start at some points, from the highest on."""

    def text(value: int, word: str = "") -> str:
        return f"{value}{word} {'point' if abs(value) == 1 and not word else 'points'}".replace("-", "−")

    if not least:
        return ["any points"]
    first = text(least[0], " or more")
    between = [
        text(low) if low == above - 1 else f"{low} to {above - 1} points".replace("-", "−")
        for above, low in itertools.pairwise(least)
    ]
    return [first, *between, f"fewer than {text(least[-1])}"]


def estimate_risk(
    of: Sequence[int | tuple[int, ...] | None],
    n_rows: FloatArray,
    n_positives: FloatArray,
    boxes: BoxSet | None = None,
    *,
    base_rate: float | None = None,
    each: tuple[float, float] = (1.0, 1.0),
    variances: float = 2.0,
) -> RiskTable:
    """Estimate the risk of regions, from the one that should be highest on, by weights of rows.

    ``base_rate`` is the share of positives where the model is used, if another than here; ``each`` is what a positive
    and a negative row weigh in a sample; ``variances`` is how many variances of a share the interval allows for: that
    of the rows counted and that of as many new ones, at least.
    """
    check_base_rate(base_rate)
    rate = float(n_positives.sum() / max(n_rows.sum(), np.finfo(np.float64).tiny))
    blocks: list[_Block] = []
    for one, n, k, usual in zip(of, n_rows, n_positives, _curve(n_rows, n_positives, rate), strict=True):
        block = _Block([one], float(n), float(k), float(usual))
        while blocks and not blocks[-1].is_above(block, rate):
            block = blocks.pop().joined(block)
        blocks.append(block)
    regions = []
    for block in blocks:
        figures = (block.risk(rate), *_interval(block.n, block.k, each, variances))
        risk, low, high = (_moved(figure, rate, base_rate) for figure in figures)
        region = Region(_joined(block.parts, boxes), block.n, block.k, risk, min(low, risk), max(high, risk))
        regions.append(region)
    return RiskTable(regions, boxes)


def check_base_rate(base_rate: Any) -> None:
    """Raise unless a base rate is None or a share."""
    if base_rate is None:
        return
    if isinstance(base_rate, bool) or not isinstance(base_rate, Real) or not 0 < float(base_rate) < 1:
        raise ValueError(f"base_rate must be None or a number between 0 and 1; got {base_rate!r}.")


class _Block(NamedTuple):
    """Neighbouring regions as one: their rows and positives, and what all regions say of the share."""

    parts: list[Any]
    n: float
    k: float
    usual: float

    def risk(self, rate: float) -> float:
        """Return the share, shrunk; ``rate`` is the base rate."""
        bounded = min(max(self.k + _SHRINKAGE * self.usual, _SHRINKAGE * rate), self.n + _SHRINKAGE * rate)
        return bounded / (self.n + _SHRINKAGE)

    def is_above(self, other: _Block, rate: float) -> bool:
        """Return True if there are rows in both, and more risk in this one."""
        return min(self.n, other.n) > 0 and self.risk(rate) > other.risk(rate)

    def joined(self, other: _Block) -> _Block:
        """Put the next regions to these."""
        n = self.n + other.n
        usual = self.usual + (other.usual - self.usual) * (other.n / n if n > 0 else 0.5)
        return _Block(self.parts + other.parts, n, self.k + other.k, usual)


def _curve(n_rows: FloatArray, n_positives: FloatArray, rate: float) -> FloatArray:
    """Return the risk of regions by a logistic curve of the log-odds of the share of rows that rank higher."""
    if not 0 < rate < 1:
        return np.full(len(n_rows), rate)
    n, k = n_rows + _SHRINKAGE, n_positives + _SHRINKAGE * rate  # so that no curve is infinitely steep
    n, k = np.ldexp([n, k], -np.frexp(n.sum())[1])  # the same curve, and no sum overflows
    x = -logit(np.clip((np.cumsum(n_rows) - n_rows / 2) / n_rows.sum(), 1e-12, 1 - 1e-12))
    x -= np.average(x, weights=n)
    x /= np.sqrt(np.average(x**2, weights=n)) or 1.0
    height, slope = float(logit(rate)), 0.0
    for _ in range(100):  # Newton's steps, at most 1 long
        p = expit(height + slope * x)
        pull, bend = k - n * p, n * p * (1 - p)
        a, b, c = bend.sum(), (bend * x).sum(), max((bend * x**2).sum(), 1e-300)
        up, along = pull.sum(), (pull * x).sum()
        turn = (along - up * b / a) / max(c - b * b / a, c * 1e-12)
        step = (up - b * turn) / a, turn
        length = max(1.0, *map(abs, step))
        height, slope = height + step[0] / length, slope + step[1] / length
        if max(map(abs, step)) < 1e-10:
            break
    return expit(height + slope * x).round(9)  # no rounding error shows


def _interval(n: float, k: float, each: tuple[float, float], variances: float) -> tuple[float, float]:
    """Return where the share of positives among as many new rows lies."""
    if n <= 0:
        return 0.0, 1.0
    # As many rows of weight 1 as tell as much: the variance of a share of weighted counts, as in `goals`.
    size = min(n / ((1 - k / n) * each[0] + k / n * each[1]), _MOST_ROWS)
    hits = size * k / n
    tail = float(ndtr(math.sqrt(variances) * ndtri((1 - COVERAGE) / 2)))
    low, high = betaincinv(hits + 0.5, size - hits + 0.5, [tail, 1 - tail]).tolist()
    # New rows come in whole numbers: where none of them, or all, may well be positive, the interval ends there.
    a, b = (part / (variances - 1) + 0.5 for part in (hits, size - hits))
    none, all_of_them = np.exp(betaln([a, a + size], [b + size, b]) - betaln(a, b)).tolist()
    rare = (1 - COVERAGE) / 2
    return 0.0 if none > rare else low, 1.0 if all_of_them > rare else high


def _moved(share: float, rate: float, base_rate: float | None) -> float:
    """Return a share where the odds of all rows are those of another base rate."""
    if base_rate is None or not 0 < share < 1 or not 0 < rate < 1:
        return share
    odds = share / (1 - share) * (base_rate / (1 - base_rate)) / (rate / (1 - rate))
    return odds / (1 + odds)


def _joined(parts: list[Any], boxes: BoxSet | None) -> Any:
    """Return what regions together are: the fewest points, or the boxes of all; the last one holds all that is left."""
    last = parts[-1]
    if boxes is None or not last:
        return last
    numbers = list(dict.fromkeys(k for part in parts for k in part))
    outermost = set(union_of(boxes[numbers], [1] * len(numbers), 1))  # a box within another says nothing more
    kept = tuple(k for k in numbers if boxes[k] in outermost)
    return kept if len(kept) == len(outermost) else tuple(numbers)
