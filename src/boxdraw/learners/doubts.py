"""What a learner warns of in the model that it has learned; ``cost`` names the parameters to change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray
from boxdraw._core.warn import CautionWarning, warn
from boxdraw.learners.goals import GOALS
from boxdraw.model.boxes import BoxSet
from boxdraw.model.membership import inside
from boxdraw.model.scorecard import Scorecard
from boxdraw.tables.suspects import warn_of_suspects
from boxdraw.tables.training import Training

_MANY = 0.2  # of the rows flagged; more are too many unless every second one may be positive
_RARE = 0.01  # of the flagged rows positive: fewer are too few, however few rows are flagged
_FEW = 10  # positives in a box
_GUESSES = 2  # rows of a class, from which no limit can be learned


def everything_is_flagged(model: Any) -> str:
    """Return the warning of boxes that hold all training rows."""
    change = "" if _asks_for_less(model) else f" {_fewer_alarms(model).capitalize()}."
    return f"The boxes hold all training rows: everything is flagged.{change}"


def _asks_for_less(model: Any) -> bool:
    """Return True if few alarms were asked for and are out of reach: the warning of that says what to change."""
    goal = getattr(model, "goal_", None)
    return goal is not None and not goal.kept and goal.name != "min_recall"


def _fewer_alarms(model: Any) -> str:
    """Say what to change for fewer alarms: the goal that is stated or, without one, the cost."""
    for name, change in (("min_recall", "lower"), ("min_precision", "raise"), ("max_alarm_rate", "lower")):
        if getattr(model, name, None) is not None:
            return f"{change} {name}"
    return f"raise {'negative_weight' if _has_own_weight(model) else 'false_alarm_cost'}"


def _has_own_weight(model: Any) -> bool:
    costs = (getattr(model, name, None) for name in ("false_alarm_cost", "negative_weight"))
    return [cost is not None for cost in costs] == [False, True]


def nothing_is_flagged(why: str, cost: str) -> str:
    """Return the warning of boxes that hold no training row."""
    return f"{why}: nothing is flagged. Lower {cost}, or check whether the features say anything about the classes."


def ranks_by_chance(reached: float, by_chance: float, model: str) -> str:
    """Return the warning of held-out rows whose AUC is no better than chance alone may give, if it is."""
    if reached > by_chance:
        return ""
    return (
        f"Held-out rows are ranked no better than by chance: the AUC of the inner folds is {reached:.2f}, and chance "
        f"alone gives up to {by_chance:.2f}. Do not rely on the {model}; more rows or other features may help."
    )


def guesses(data: Training, model: str) -> str:
    """Return the warning of a class of one or two rows, if there is one."""
    fewest = int(min(data.positive.sum(), (~data.positive).sum()))
    if fewest > _GUESSES:
        return ""
    return (
        f"Rows of the smaller class: {fewest}. Limits learned from so few are guesses: do not rely on the {model} "
        "before you have more."
    )


def caution(model: Any, data: Training, doubt: str = "") -> None:
    """Warn of a doubt about a fitted model or, if there is none, of its boxes; of alarms, and of what it rests on."""
    drawing, encoding = model._decider(), model._encoding
    boxes: BoxSet = drawing.boxes if isinstance(drawing, Scorecard) else drawing
    if doubt:
        warn(doubt, CautionWarning)
    if not len(boxes):
        return
    columns = encoding.columns(data.X, np.flatnonzero(boxes.limited.any(axis=0)).tolist())
    held = np.array([np.broadcast_to(inside(columns, boxes, k), len(data.X)) for k in range(len(boxes))])
    is_card = isinstance(drawing, Scorecard)
    points = np.array(drawing.points if is_card else [1] * len(boxes))
    flagged = points @ held >= (drawing.threshold if is_card else 1)
    few = [] if doubt else _few_positives(held, points, data)
    for text in (*_many_alarms(model, data, flagged, doubt), *few):
        warn(text, CautionWarning)
    warn_of_suspects(columns, encoding.categories, boxes.feature_names, data.positive)


def _many_alarms(model: Any, data: Training, flagged: BoolArray, doubt: str) -> Iterator[str]:
    """Yield a warning if so many rows are flagged that most can't be positive; beside a doubt, if hardly any is."""
    has_goals = hasattr(model, GOALS[0])
    if has_goals and (_has_own_weight(model) or model.max_alarm_rate is not None or _asks_for_less(model)):
        return  # it is what was asked for, or has been said
    mass = data.weights / data.weights.sum()
    share, base_rate = float(mass[flagged].sum()), float(mass[data.positive].sum())
    caught = float(mass[flagged & data.positive].sum())
    rare = 0 < caught < _RARE * share
    if flagged.all():
        if "flagged" not in doubt:  # or it says so itself
            yield everything_is_flagged(model)
    elif rare or (share > max(_MANY, 2 * base_rate) and not doubt):
        precision = f"1 in {share / caught:,.0f}" if rare else f"{caught / share:.0%}"
        no_goal = has_goals and all(getattr(model, name) is None for name in GOALS)
        change = _fewer_alarms(model) + " or state max_alarm_rate" * no_goal
        yield (
            f"Flagged are {_percent(share)} of the training rows, {precision} of them positive. If these are too many "
            f"alarms, {change}."
        )


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= _RARE else f"{100 * share:.1g}%"


def _few_positives(held: BoolArray, points: Any, data: Training) -> Iterator[str]:
    """Yield a warning of boxes for positives that hold few of them."""
    n_held = (held & data.positive).sum(axis=1) * data.stand_for[0]
    few = np.flatnonzero((n_held < _FEW) & (points > 0))
    if len(few):
        numbers = ", ".join(str(k + 1) for k in few)
        which = f"Box {numbers} rests" if len(few) == 1 else f"Boxes {numbers} rest"
        most = int(n_held[few].max())
        yield (
            f"{which} on few positives, {most}{' at most' * (len(few) > 1)}: such limits may be chance. Check them on "
            "rows that were not learned from, or allow fewer boxes."
        )
