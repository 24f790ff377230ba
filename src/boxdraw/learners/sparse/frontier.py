"""Frontier: how much there is to read, and what it buys on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_scalar

from boxdraw.model.boxes import BoxSet

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


class Frontier(Sequence[FrontierPoint]):
    """The best drawing for each number of limits, from short to long.

    Each but the chosen one scores better than all shorter ones.
    Scores are means over inner folds, of drawings for the same setting; NaN where there were no folds.
    """

    def __init__(self, points: Sequence[FrontierPoint], chosen: int) -> None:
        self._points, self.chosen = tuple(points), chosen

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, index: Any) -> Any:
        return self._points[index]

    def at(self, n_limits: int) -> FrontierPoint:
        """Return the longest drawing of at most so many limits."""
        check_scalar(n_limits, "n_limits", Integral)
        short = [point for point in self._points if point.n_limits <= n_limits]
        if not short:
            known = ", ".join(str(point.n_limits) for point in self._points)
            raise ValueError(
                f"n_limits={n_limits}: no drawing is that short; "
                + (f"the numbers of limits that there are: {known}." if known else "no box was found at all.")
            )
        return short[-1]

    def to_text(self) -> str:
        """Return a line per drawing, and its rules; a star marks the one in use."""
        lines = []
        for point in self._points:
            mark = "*" if point.n_limits == self.chosen else " "
            size = f"{_count(point.n_limits, 'limit', 'limits')} in {_count(point.n_boxes, 'box', 'boxes')}"
            score = "" if math.isnan(point.score) else f": score {point.score:.3f} ± {point.error:.3f}"
            lines.append(f"{mark} {size}{score}")
            lines += [f"    {line}" for line in point.boxes.to_text().splitlines()]
        return "\n".join(lines) or "No drawings: no box was found"

    def __repr__(self) -> str:
        return self.to_text()

    def plot(self, ax: Any = None) -> FrontierDisplay:
        """Plot the held-out score by the number of limits; needs matplotlib, and inner folds in the fit."""
        from boxdraw.plotting.frontier import FrontierDisplay

        return FrontierDisplay(self).plot(ax=ax)


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
