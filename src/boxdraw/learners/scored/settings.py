"""What a scorecard is learned with: the parameters of the estimator, checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from sklearn.utils import check_scalar

from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.goals import goal_of
from boxdraw.learners.parameters import check_bool, check_cost
from boxdraw.model.risk import check_base_rate

SIZES = (*range(1, 9), 10, 12, 14, 16)  # the most boxes, of "auto"
_LIMITS, _LAMS = (1, 2, 3), (4.0, 12.0)  # what "auto" tries
_EVENNESS = 0.75  # see `Shape`; ranks the top of the list better than balance does (docs/experiments.rst)
_MOST = 2**31 - 1  # limits or boxes, more than there can be: compiled code knows no larger numbers
_UNION = 8  # boxes, where there must be a union


@dataclass(frozen=True, slots=True)
class Setting:
    """What the inner folds choose between; each is one run of boosting."""

    max_limits: int
    lam: float
    signed: bool = False


PLAIN = Setting(2, 4.0)  # does well nearly everywhere


@dataclass(frozen=True, slots=True)
class Shape:
    """What the user asks of a card."""

    max_boxes: int
    max_union: int | None  # of cards with positive points only
    false_alarm_cost: float | None
    constraints: ColumnConstraints | None = None
    max_total_limits: int = _MOST
    evenness: float = 1.0  # of the classes, for drawing: 1 balances them, 0 leaves them as they are


def usual(settings: list[Setting]) -> int:
    """Return the place of the plain setting, or of what is as near to it as there is."""
    differs = [(s.max_limits != PLAIN.max_limits, s.lam != PLAIN.lam, s.signed) for s in settings]
    return min(range(len(settings)), key=lambda i: (*differs[i], i))


def settings_of(model: Any) -> list[Setting]:
    """Check the parameters of an estimator; return the settings to try."""
    if model.max_boxes != "auto":
        check_scalar(model.max_boxes, "max_boxes", Integral, min_val=1)
    for name, known in (("max_total_limits", None), ("max_union", "auto")):
        if (most := getattr(model, name)) is not None and most != known:
            check_scalar(most, name, Integral, min_val=1)
    n = model.max_limits
    if n != "auto" and (isinstance(n, bool) or not isinstance(n, Integral) or n < 1):
        raise ValueError(f"max_limits must be 'auto' or a whole number of at least 1; got {n!r}.")
    check_cost(model.lam, "lam", "auto")
    check_cost(model.false_alarm_cost, "false_alarm_cost", None)
    goal_of(model)
    check_base_rate(model.base_rate)
    any_signs = model.signed_points == "auto"
    if not any_signs:
        check_bool(model.signed_points, "signed_points")
    check_bool(model.round_limits, "round_limits")
    signed = not any_signs and bool(model.signed_points)
    if signed and model.min_box_precision is not None:
        raise ValueError(
            "min_box_precision does not go with signed_points=True: boxes of negative points are not to hold "
            "positives. Leave one of them out."
        )
    if signed and model.max_union not in ("auto", None):
        raise ValueError(
            f"max_union={model.max_union!r} does not go with signed_points=True: what a card with negative points "
            "flags is no union of boxes. Leave one of them out."
        )
    alone = model.cv is None
    limits = _LIMITS if not alone else (PLAIN.max_limits,)
    if n != "auto":
        limits = (min(int(n), _MOST),)
    lams = _LAMS if not alone and not any_signs and model.max_boxes != "auto" else (PLAIN.lam,)
    if model.lam != "auto":
        lams = (float(model.lam),)
    settings = [Setting(n, lam, signed) for n in limits for lam in lams]
    if any_signs and not alone and model.min_box_precision is None and model.max_union in ("auto", None):
        settings.append(replace(settings[usual(settings)], signed=True))
    return settings


def shape_of(model: Any, balance: float) -> Shape:
    """Return what an estimator asks of its card, once the columns of its table and its balance are known."""
    cost, goal = None if model.false_alarm_cost is None else float(model.false_alarm_cost), goal_of(model)
    if goal is not None and goal.name == "min_precision":  # where an alarm of just this precision pays
        cost = goal.value / (1 - goal.value) * goal.negatives_each(balance)
    union = model.max_union
    if union == "auto":
        union = None if model.signed_points else _UNION
    constraints = ColumnConstraints.of(model._encoding, model)
    any_size, cap = model.max_boxes == "auto", model.max_total_limits
    return Shape(
        max_boxes=SIZES[-1] if any_size else int(model.max_boxes),
        max_union=None if union is None else min(int(union), _MOST),
        false_alarm_cost=cost,
        constraints=constraints if constraints.asked.any else None,
        max_total_limits=_MOST if cap is None else min(int(cap), _MOST),
        evenness=getattr(model, "_evenness", _EVENNESS if any_size else 1.0),
    )
