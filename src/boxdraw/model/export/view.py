"""What every language writes of a drawing: its boxes with their points, in the order of reasons, and its risk.

Boxes and scorecards are one thing here: boxes are worth 1 point each, and rows are flagged from 1 point on. The
conditions of a box are those of `BoxSet.rules`. The reasons for a row are the numbers, from 1, of the boxes that hold
it, in the order of their points: those with most come first, and those with negative points last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import rule_texts
from boxdraw.model.scorecard import Scorecard

if TYPE_CHECKING:
    from boxdraw.model.risk import RiskTable

__all__ = ["View", "points_text", "view_of"]


@dataclass(frozen=True)
class View:
    """A drawing as a scorecard, whether it was one, and its risk."""

    card: Scorecard
    has_points: bool
    risk: RiskTable | None

    @property
    def boxes(self) -> BoxSet:
        """The boxes."""
        return self.card.boxes

    @cached_property
    def read(self) -> BoxSet:
        """All boxes that a row is compared with: those of the drawing, then those of its risk."""
        return self.boxes if self.risk is None or self.risk.boxes is None else self.boxes + self.risk.boxes

    @property
    def used(self) -> list[int]:
        """The features that are looked at."""
        return np.flatnonzero(self.read.limited.any(axis=0)).tolist()

    @property
    def order(self) -> list[int]:
        """The boxes, from 0, in the order of reasons."""
        return sorted(range(len(self.card)), key=lambda k: -self.card.points[k])

    @property
    def texts(self) -> list[str]:
        """A line per box, with its number."""
        worth = [f", {points_text(value)}" if self.has_points else "" for value in self.card.points]
        lines = zip(worth, rule_texts(self.boxes), strict=True)
        return [f"Box {k}{words}: {rule}" for k, (words, rule) in enumerate(lines, start=1)]

    @property
    def by_points(self) -> bool:
        """Whether the regions of the risk are points."""
        return self.risk is not None and self.risk.boxes is None

    @property
    def steps(self) -> list[tuple[int, float]]:
        """The risk where it goes by points: from so many points on, so much; but for the last region."""
        regions = self.risk[:-1] if self.risk is not None and self.by_points else ()
        return [(int(region.of), float(region.risk)) for region in regions]

    @property
    def regions(self) -> list[tuple[int, float]]:
        """The risk where it goes by boxes: in each of them, from 0, in the order in which they are tried."""
        regions = self.risk[:-1] if self.risk is not None and not self.by_points else ()
        return [(k, float(region.risk)) for region in regions for k in region.of]

    @property
    def base(self) -> float:
        """The risk of all other rows."""
        return float("nan") if self.risk is None else float(self.risk[-1].risk)

    def reasons(self, member: BoolArray) -> list[list[int]]:
        """Return the reasons for each row, from the boxes that hold it."""
        order = np.array(self.order, dtype=np.intp)
        return [(order[held] + 1).tolist() for held in member[:, order]]

    def reason_texts(self, member: BoolArray) -> npt.NDArray[np.str_]:
        """Return the reasons for each row as a text such as ``2 1``."""
        if not member.size:
            return np.full(len(member), "")
        # Many rows are in the same boxes.
        _, first, place = np.unique(np.packbits(member, axis=1), axis=0, return_index=True, return_inverse=True)
        texts = [" ".join(map(str, numbers)) for numbers in self.reasons(member[first])]
        return np.array(texts, dtype=np.str_)[place.reshape(-1)]  # numpy 2.0 gives it another shape


def view_of(drawing: BoxSet | Scorecard, risk: RiskTable | None = None) -> View:
    """Return what languages write of a drawing; raise if the risk is not one of it."""
    if risk is not None:
        risk.check(drawing)
    if isinstance(drawing, Scorecard):
        return View(drawing, True, risk)
    return View(Scorecard(drawing, [1] * len(drawing), 1), False, risk)


def points_text(value: int) -> str:
    """Write some points, with a true minus sign."""
    return f"{value} {'point' if abs(value) == 1 else 'points'}".replace("-", "−")
