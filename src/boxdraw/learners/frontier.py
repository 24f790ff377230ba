"""Frontier: how much there is to read, and what it buys on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_scalar

from boxdraw.model.boxes import BoxSet
from boxdraw.model.risk import RiskTable
from boxdraw.model.scorecard import Scorecard

if TYPE_CHECKING:
    from boxdraw.plotting.frontier import FrontierDisplay


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The drawing for a number of limits, and how such drawings do on held-out rows."""

    n_limits: int
    n_boxes: int
    score: float  # recall less false-alarm rate times its cost, relative to the balance of the classes
    error: float  # standard error of the score
    recall: float
    false_alarm_rate: float
    boxes: BoxSet


@dataclass(frozen=True, slots=True)
class CardPoint:
    """The scorecard of at most so many boxes, and how such cards rank held-out rows."""

    max_boxes: int
    n_boxes: int
    n_limits: int
    auc: float
    error: float  # standard error of the AUC
    average_precision: float
    scorecard: Scorecard
    risk: RiskTable | None = field(default=None, repr=False)  # of its points; None without inner folds

    @property
    def score(self) -> float:
        """The AUC."""
        return self.auc


class Frontier(Sequence[Any]):
    """The best drawing for each number of limits, from short to long.

    Each but the chosen one scores better than all shorter ones.
    Scores are means over inner folds, of drawings for the same setting; NaN where there were no folds.
    """

    size: str = "n_limits"
    labels: tuple[str, str] = "Limits to read", "Held-out score"
    chosen: int

    def __init__(self, points: Sequence[Any], chosen: int) -> None:
        self._points, self.chosen = tuple(points), chosen

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, index: Any) -> Any:
        return self._points[index]

    @property
    def sizes(self) -> list[int]:
        """What each drawing is found by."""
        return [getattr(point, self.size) for point in self]

    def at(self, n_limits: int) -> FrontierPoint:
        """Return the longest drawing of at most so many limits."""
        point: FrontierPoint = self._longest(n_limits, "n_limits")
        return point

    def _longest(self, most: int, name: str) -> Any:
        check_scalar(most, name, Integral)
        n_short = sum(size <= most for size in self.sizes)
        if not n_short:
            known = ", ".join(map(str, self.sizes))
            raise ValueError(
                f"{name}={most}: no drawing is that short; "
                + (f"the numbers of {name[2:]} that there are: {known}." if known else "no box was found at all.")
            )
        return self[n_short - 1]

    def to_text(self) -> str:
        """Return a line per drawing, and its rules; a star marks the one in use."""
        lines = []
        for size, point in zip(self.sizes, self, strict=True):
            lines.append(f"{'*' if size == self.chosen else ' '} {self._line(point)}")
            lines += self._rules(point)
        return "\n".join(lines) or "No drawings: no box was found"

    def _line(self, point: Any) -> str:
        size = f"{_count(point.n_limits, 'limit', 'limits')} in {_count(point.n_boxes, 'box', 'boxes')}"
        return size + ("" if math.isnan(point.score) else f": score {point.score:.3f} ± {point.error:.3f}")

    def _rules(self, point: Any) -> list[str]:
        return [f"    {line}" for line in point.boxes.to_text().splitlines()]

    def __repr__(self) -> str:
        return self.to_text()

    def plot(self, ax: Any = None) -> FrontierDisplay:
        """Plot the held-out score by the number of limits; needs matplotlib, and inner folds in the fit."""
        from boxdraw.plotting.frontier import FrontierDisplay

        return FrontierDisplay(self).plot(ax=ax)


class CardFrontier(Frontier):
    """The scorecards of one run of boosting by their number of boxes: the first of a run, with points of their own.

    AUC and average precision are means over inner folds; NaN where there were none. A size whose card has no
    more boxes than a smaller one's is left out.
    """

    size: str = "n_boxes"
    labels: tuple[str, str] = "Boxes on the card", "On held-out rows"

    def at(self, n_boxes: int) -> CardPoint:  # type: ignore[override]  # cards are found by their boxes
        """Return the longest card of at most so many boxes."""
        point: CardPoint = self._longest(n_boxes, "n_boxes")
        return point

    def _line(self, point: CardPoint) -> str:
        size = f"{_count(point.n_boxes, 'box', 'boxes')}, {_count(point.n_limits, 'limit', 'limits')}"
        if math.isnan(point.auc):
            return size
        return f"{size}: AUC {point.auc:.3f} ± {point.error:.3f}, average precision {point.average_precision:.3f}"

    def _rules(self, point: CardPoint) -> list[str]:
        return []  # cards share their boxes: a list of all of them would say little


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def make_frontier(points: Sequence[FrontierPoint], chosen: FrontierPoint) -> Frontier:
    """Keep, of points, the best of each size that beats all shorter ones, and always the chosen one."""
    best: list[FrontierPoint] = []
    for point in sorted([*points, chosen], key=lambda point: (point.n_limits, -point.score, point.n_boxes)):
        if point.n_limits == chosen.n_limits:
            point = chosen
        longer = not best or point.n_limits > best[-1].n_limits
        if longer and (point is chosen or not any(point.score <= other.score for other in best)):
            best.append(point)
    return Frontier(best, chosen.n_limits)
