"""Goals: the operating point that keeps to what is asked for, chosen on held-out rows with a bound.

Every goal is about a share: of all rows that are flagged, of the flagged ones that are positive, of the positives that
are flagged. That an operating point misses the goal is a hypothesis, which held-out rows reject or not; only points for
which they do are taken ("learn then test", Angelopoulos et al. 2021). As many points are looked at, they are tested one
after the other, from the safest on, until the first that is not rejected; or, of the precision, for which no point is
the safest, by Holm's procedure (1979). What is kept to is the share of a new table of as many rows, which has its own
luck: the level of the tests allows for twice the variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, ndtr, ndtri

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.warn import warn
from boxdraw.model.risk import check_base_rate
from boxdraw.model.settings import as_plain

GOALS = ("max_alarm_rate", "min_precision", "min_recall")
_PARTS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.35, 0.2)  # of a budget of alarms, of which new rows keep some
_SHARES = {
    "max_alarm_rate": ("alarm_rate", "Flagged", "at most"),
    "min_precision": ("precision", "Precision", "at least"),
    "min_recall": ("recall", "Recall", "at least"),
}


@dataclass(frozen=True, slots=True)
class Goal:
    """What a user asks for."""

    name: str
    value: float
    confidence: float
    base_rate: float | None = None  # of positives where the model is used, if another than among the rows

    @property
    def is_most(self) -> bool:
        """Whether the share may not be higher, rather than lower."""
        return self.name == "max_alarm_rate"

    @property
    def shares(self) -> list[float]:
        """Shares of the training rows to flag, from large to small: operating points that have no cost of their own."""
        return [self.value * part for part in _PARTS] if self.is_most else np.geomspace(0.8, 0.002, 24).tolist()

    @property
    def level(self) -> float:
        """The level of a single test: what is tested is a share, what is asked for is that of a new table."""
        return float(ndtr(math.sqrt(2) * ndtri(1 - self.confidence)))

    def negatives_each(self, balance: float) -> float:
        """Return for how many negatives, per positive, one stands where the model is used."""
        return 1.0 if self.base_rate is None else balance * (1 - self.base_rate) / self.base_rate

    def weigh(self, weight: FloatArray, positive: BoolArray) -> FloatArray:
        """Return weights of rows that make the positives as rare as where the model is used."""
        if self.base_rate is None:
            return weight
        balance = float(weight[positive].sum() / weight[~positive].sum())
        return np.where(positive, weight, weight * self.negatives_each(balance))

    def missed(self) -> KeptGoal:
        """Return what a model without boxes makes of the goal: it flags nothing, and that is not what is asked for."""
        return KeptGoal(self.name, self.value, self.confidence, False, *[0.0] * 4)

    def untested(self) -> KeptGoal:
        """Return what is known of the goal where no rows could be held out."""
        return KeptGoal(self.name, self.value, self.confidence, False, *[math.nan] * 4)

    def chance(self, share: FloatArray, n: FloatArray) -> FloatArray:
        """Return how likely so good a share of n rows is where the goal is just missed: a binomial tail."""
        hits = share * n
        if self.is_most:
            return np.where(hits < n, betainc(np.maximum(n - hits, 1e-300), hits + 1, 1 - self.value), 1.0)
        return np.where(hits > 0, betainc(np.maximum(hits, 1e-300), n - hits + 1, self.value), 1.0)

    def bound(self, share: FloatArray, n: FloatArray, level: FloatArray) -> FloatArray:
        """Return the worst goal that a share of n rows would still keep at a level (Clopper and Pearson 1934)."""
        hits = share * n
        if self.is_most:
            return np.where(hits < n, betaincinv(hits + 1, np.maximum(n - hits, 1e-300), 1 - level), 1.0)
        return np.where(hits > 0, betaincinv(np.maximum(hits, 1e-300), n - hits + 1, level), 0.0)


def goal_of(estimator: Any) -> Goal | None:
    """Check what an estimator is asked for; return its goal, if it has one."""
    given = [name for name in GOALS if getattr(estimator, name) is not None]
    others = [name for name in ("false_alarm_cost", "negative_weight") if getattr(estimator, name, None) is not None]
    for name in (*given, "confidence"):
        value = getattr(estimator, name)
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
            raise ValueError(f"{name} must be a number between 0 and 1; got {value!r}.")
    if not given:
        return None
    if len(given) + len(others) > 1:
        raise ValueError(f"State at most one of {', '.join((*GOALS, 'false_alarm_cost'))}; got {given + others}.")
    if estimator.cv is None:
        raise ValueError(f"{given[0]} is kept on held-out rows and needs inner folds; got cv=None.")
    base_rate = getattr(estimator, "base_rate", None)
    check_base_rate(base_rate)
    return Goal(given[0], float(getattr(estimator, given[0])), float(estimator.confidence), base_rate)


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """What operating points flag among held-out rows."""

    recall: FloatArray  # share of the positives
    false_alarms: FloatArray  # share of the negatives
    base_rate: float  # of positives among all rows
    counts: tuple[float, float]  # positives and negatives that were looked at

    @classmethod
    def of_masks(
        cls, flagged: BoolArray, positive: BoolArray, weight: FloatArray, each: tuple[float, float]
    ) -> OperatingPoints:
        """Count the rows of a mask per point; ``each`` is how many rows one of each class stands for."""
        mass = np.array([weight[side].sum() for side in (positive, ~positive)])
        shares = [flagged[:, side] @ weight[side] for side in (positive, ~positive)] / mass[:, None]
        return cls(shares[0], shares[1], float(mass[0] / mass.sum()), (mass[0] / each[0], mass[1] / each[1]))

    def at(self, recall: float, false_alarms: float) -> OperatingPoints:
        """Return another point, of the same rows."""
        return replace(self, recall=np.array([recall]).clip(0, 1), false_alarms=np.array([false_alarms]).clip(0, 1))

    @property
    def alarm_rate(self) -> FloatArray:
        """Share of all rows that are flagged."""
        true, false = self._parts()
        return true + false

    @property
    def precision(self) -> FloatArray:
        """Share of the flagged rows that are positive; 0 where none is."""
        true, false = self._parts()
        return np.divide(true, true + false, out=np.zeros_like(true), where=true + false > 0)

    def _parts(self) -> tuple[FloatArray, FloatArray]:
        return self.base_rate * self.recall, (1 - self.base_rate) * self.false_alarms

    def decide(self, errors: float) -> BoolArray:
        """Return which points flag more positives than others, by so many standard errors."""
        variances = [r * (1 - r) / n for r, n in zip((self.recall, self.false_alarms), self.counts, strict=True)]
        return np.asarray(self.recall - self.false_alarms > errors * np.sqrt(sum(variances)))

    def n_different(self, some: BoolArray) -> int:
        """Count the points that differ: two costs often have the same boxes."""
        return len(np.unique(np.column_stack([self.recall, self.false_alarms])[some], axis=0))

    def n_rows(self, name: str) -> FloatArray:
        """Return how many rows the share of a goal is one of; of a sample, how many rows would tell as much."""
        # A row of a sample weighs u or v, by its class. Counts of rare events are nearly Poisson, so the variance of a
        # weighted count is the sum of squared weights; as many rows of weight 1 have the variance of a binomial share.
        (true, false), (ups, downs) = self._parts(), self.counts
        u, v = self.base_rate / ups, (1 - self.base_rate) / downs
        if name == "min_recall":
            return np.full_like(true, ups)
        above, below = (true + false, true * u + false * v)
        if name == "min_precision":
            above, below = (true + false) ** 2, false * u + true * v
        return np.divide(above, below, out=np.full_like(true, 1 / max(u, v)), where=below > 0)


@dataclass(frozen=True, slots=True)
class KeptGoal:
    """A goal, and what held-out rows promise of it.

    ``alarm_rate``, ``precision`` and ``recall`` are those of held-out rows, at ``base_rate`` if that is stated; with
    the stated confidence, the one that the goal is about is no worse than ``bound``, if ``kept``. A model that flags
    nothing keeps no goal: all are 0. They are NaN where there were too few rows to hold any out. Beside existing rules,
    all shares are ``of_rest``: of the rows that these leave.
    """

    name: str
    value: float
    confidence: float
    kept: bool
    bound: float
    alarm_rate: float
    precision: float
    recall: float
    of_rest: bool = field(default=False, kw_only=True)

    @property
    def is_known(self) -> bool:
        """Whether there are held-out rows that say anything about the goal."""
        return not math.isnan(self.bound)

    def is_as_near(self, other: KeptGoal) -> bool:
        """Return whether this keeps the goal or, if the other point does not either, promises no less of it."""
        worse = self.bound > other.bound if self.name == "max_alarm_rate" else self.bound < other.bound
        return self.kept or not (other.kept or worse)

    def as_dict(self) -> dict[str, Any]:
        """Return what a model file says of it."""
        return dict(as_plain(asdict(self))) | {"text": str(self)}

    def __str__(self) -> str:
        field, words, side = _SHARES[self.name]
        asked = f"{words} {side} {percent(self.value)}"
        if self.of_rest:
            asked = f"Among the rows that the existing rules leave: {asked[0].lower()}{asked[1:]}"
        if not self.is_known:
            return f"{asked}: not known to be kept, as there are too few rows to hold any out"
        asked += f": {'kept' if self.kept else 'out of reach'}"
        if not self.alarm_rate and not self.kept:
            return f"{asked}. On held-out rows nothing is flagged"
        figures = {"flagged": self.alarm_rate, "precision": self.precision, "recall": self.recall}
        others = ", ".join(f"{name} {percent(share)}" for name, share in figures.items() if name != words.lower())
        bound = f"{side} {percent(self.bound)} with {self.confidence:.0%} confidence"
        return f"{asked}. On held-out rows {percent(getattr(self, field))}, {bound} ({others})"


def percent(share: float) -> str:
    """Write a share with two digits that matter."""
    return f"{100 * share:.{max(0, 1 - math.floor(math.log10(100 * share))) if share > 0 else 0}f}%"


def pick(goal: Goal, points: OperatingPoints) -> tuple[int, KeptGoal]:
    """Return the best operating point that keeps a goal, or else the nearest, and what it promises.

    The points go from those that flag most to those that flag least.
    """
    if goal.base_rate is not None:
        points = replace(points, base_rate=goal.base_rate)
    share, n = getattr(points, _SHARES[goal.name][0]), points.n_rows(goal.name)
    decides = points.decide(2 if goal.name == "min_recall" else 0)  # flagging everything would keep any recall
    chances, level = goal.chance(share, n), goal.level
    if goal.name == "min_precision":
        levels = _holm(np.where(decides, chances, 1.0), 1 - goal.confidence, points.n_different(decides), level)
    else:
        order = np.flatnonzero(decides)[:: -1 if goal.is_most else 1]
        levels = np.zeros(len(share))
        levels[order[np.cumsum(chances[order] > level) == 0]] = level
    bounds = goal.bound(share, n, np.where(levels > 0, levels, level))
    good = np.flatnonzero(levels > 0)
    if len(good):
        # The fewest false alarms that keep the recall, or the most recall that keeps the rest.
        worth = -points.false_alarms if goal.name == "min_recall" else points.recall
        at = good[np.lexsort((points.alarm_rate[good], -worth[good]))[0]]
    else:
        some = decides if decides.any() else np.ones_like(decides)
        at = int(np.where(some, bounds if goal.is_most else -bounds, np.inf).argmin())
    held_out = (float(figure[at]) for figure in (bounds, points.alarm_rate, points.precision, points.recall))
    return int(at), KeptGoal(goal.name, goal.value, goal.confidence, bool(len(good)), *held_out)


def _holm(chances: FloatArray, level: float, left: int, most: float) -> FloatArray:
    """Return the level, ``most`` at most, at which each hypothesis is rejected, one after the other; 0 where it is not.

    There are ``left`` different ones: those of equal chances are one.
    """
    levels = np.zeros(len(chances))
    for chance in np.unique(chances):
        own = min(level / max(left, 1), most)
        if chance > own:
            break
        levels[chances == chance], left = own, left - 1
    return levels


def cuts_within(score: FloatArray, weight: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Return, for each share of the rows, the lowest score from which on no more are flagged, or the highest one."""
    values, place = np.unique(score, return_inverse=True)
    flagged = np.cumsum(np.bincount(place.reshape(-1), weights=weight)[::-1])[::-1] / weight.sum()
    first = np.searchsorted(-flagged, [-share * (1 + 1e-12) for share in shares])  # that flags few enough
    return np.asarray(values[np.minimum(first, len(values) - 1)])


def judge(goal: Goal, point: OperatingPoints) -> KeptGoal:
    """Return what held-out rows promise of a single operating point, which was not chosen by them."""
    if goal.base_rate is not None:
        point = replace(point, base_rate=goal.base_rate)
    share, n = getattr(point, _SHARES[goal.name][0]), point.n_rows(goal.name)
    kept = bool(goal.chance(share, n)[0] <= goal.level and point.alarm_rate[0] > 0)
    figures = goal.bound(share, n, np.array([goal.level])), point.alarm_rate, point.precision, point.recall
    return KeptGoal(goal.name, goal.value, goal.confidence, kept, *(float(figure[0]) for figure in figures))


def warn_if_missed(found: KeptGoal | None, constrained: bool = False) -> None:
    """Warn of a goal that no operating point keeps, and say what is within reach."""
    if found is None or found.kept:
        return
    if not found.is_known:
        warn(f"{found}. Learn from more rows.")
        return
    nearest = f"operating point keeps the goal ({found.name}), and this is the nearest"
    none = f"boxes keep the goal ({found.name})" + " and all constraints" * constrained
    less = f"Ask for less (a {'higher' if found.name == 'max_alarm_rate' else 'lower'} {found.name})"
    less += ", relax the constraints" * constrained
    warn(f"{found}. No {nearest if found.alarm_rate else none}. {less}, or learn from more rows or other features.")
