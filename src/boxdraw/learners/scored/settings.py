"""What a scorecard is learned with."""

from __future__ import annotations

from dataclasses import dataclass

from boxdraw.learners.constraints import ColumnConstraints


@dataclass(frozen=True, slots=True)
class Setting:
    """What the inner folds choose between; each is one run of boosting."""

    max_limits: int
    lam: float
    signed: bool = False


PLAIN = Setting(2, 4.0)  # does well nearly everywhere


def usual(settings: list[Setting]) -> int:
    """Return the place of the plain setting, or of what is as near to it as there is."""
    differs = [(s.max_limits != PLAIN.max_limits, s.lam != PLAIN.lam, s.signed) for s in settings]
    return min(range(len(settings)), key=lambda i: (*differs[i], i))


@dataclass(frozen=True, slots=True)
class Shape:
    """What the user asks of a card."""

    max_boxes: int
    max_union: int | None  # of cards with positive points only
    false_alarm_cost: float | None
    constraints: ColumnConstraints | None = None
    max_total_limits: int = 2**31 - 1
    evenness: float = 1.0  # of the classes, for drawing: 1 balances them, 0 leaves them as they are
