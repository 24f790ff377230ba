"""What a scorecard is learned with."""

from __future__ import annotations

from dataclasses import dataclass

from boxdraw.learners.constraints import ColumnConstraints


@dataclass(frozen=True, slots=True)
class Setting:
    """What the inner folds choose between."""

    max_limits: int
    lam: float


@dataclass(frozen=True, slots=True)
class Shape:
    """What the user asks of a card."""

    max_boxes: int
    max_union: int | None
    signed: bool
    false_alarm_cost: float | None
    constraints: ColumnConstraints | None = None
