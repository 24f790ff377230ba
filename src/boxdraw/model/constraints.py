"""Constraints on boxes: directions, features that may stand together, cut points, and what a box must hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.export.text import limit_text, printable
from boxdraw.model.rule import Limit

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

ROUNDING = 1e-9  # share of a floor that a sum of weights may fall short of it
_CAPS = {"pairwise": 2, "no_interactions": 1}  # features of a box
_APART = "not_together"
# By direction: the side that may not be limited, and the other.
_SIDES = {1: ("upper", "lower"), -1: ("lower", "upper")}


@dataclass(frozen=True, slots=True)
class Breach:
    """A constraint that boxes break.

    Parameters
    ----------
    box : int or None
        The number of the box, from 1 as in `BoxSet.to_text`; None if it is about all of them.
    feature : str or None
        The feature, if it is about one.
    text : str
        What breaks what.

    Examples
    --------
    >>> from boxdraw import BoxSet
    >>> boxes = BoxSet([[-float("inf")]], [[900]], feature_names=["amount"])
    >>> boxes.check(monotonic_cst={"amount": 1})[0].text
    'box 1: amount ≤ 900 is an upper limit, but amount may only have lower ones'
    """

    box: int | None
    feature: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints by the places of the features."""

    names: tuple[str, ...]
    directions: tuple[int, ...]  # per feature: 1 for lower limits only, -1 for upper ones only
    groups: tuple[frozenset[int], ...] = ()  # one of them must have all features of a box; without any, all is well
    apart: tuple[frozenset[int], ...] = ()  # a box has at most one feature of each
    max_features: int | None = None
    cuts: Mapping[int, tuple[float, ...]] = field(default_factory=dict)  # the only numbers for limits, rising
    max_limits: int | None = None
    max_boxes: int | None = None
    min_box_rows: float | None = None
    min_box_precision: float | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        categorical: Sequence[bool],
        *,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        allowed_values: Any = None,
        **of_boxes: Any,
    ) -> Constraints:
        """Check constraints as a user gives them, and find their features by name or place."""
        find = _Find(tuple(names), tuple(categorical))
        check_of_boxes(**of_boxes)
        result = cls(find.names, _directions(monotonic_cst, find), cuts=_cuts(allowed_values, find), **of_boxes)
        if interaction_cst is None:
            return result
        if isinstance(interaction_cst, str):
            if interaction_cst not in _CAPS:
                raise ValueError(f"{_FORMS}; got {interaction_cst!r}.")
            return replace(result, max_features=_CAPS[interaction_cst])
        if isinstance(interaction_cst, Mapping):
            if set(interaction_cst) != {_APART}:
                raise ValueError(f"{_FORMS}; got a dict with the keys {list(interaction_cst)}.")
            return replace(result, apart=_sets(interaction_cst[_APART], find))
        groups = _sets(interaction_cst, find)
        rest = frozenset(range(len(names))).difference(*groups)
        return replace(result, groups=(*groups, rest) if rest else groups)

    @property
    def never(self) -> frozenset[int]:
        """The features that no box may limit."""
        return frozenset(j for j, values in self.cuts.items() if not values)

    @property
    def of_shape(self) -> bool:
        """Whether anything is asked of the limits of a box beside their number."""
        return any(self.directions) or self.of_features or bool(self.cuts)

    @property
    def of_features(self) -> bool:
        """Whether anything is asked of the features of a box together."""
        return bool(self.groups or self.apart or self.max_features)

    @property
    def any(self) -> bool:
        """Whether anything is asked of a box at all."""
        return self.of_shape or self.of_rows or self.max_limits is not None

    @property
    def of_rows(self) -> bool:
        """Whether anything is asked of the rows in a box."""
        return self.min_box_rows is not None or self.min_box_precision is not None

    def given(self) -> dict[str, Any]:
        """Return what is asked beside numbers of boxes and limits, as `of` takes it, by the names of features."""
        name = self.names
        together: Any = [[name[j] for j in sorted(group)] for group in self.groups or self.apart] or None
        if self.apart:
            together = {_APART: together}
        caps = {cap: text for text, cap in _CAPS.items()}
        asked = {
            "monotonic_cst": {name[j]: direction for j, direction in enumerate(self.directions) if direction} or None,
            "interaction_cst": caps[self.max_features] if self.max_features else together,
            "allowed_values": {name[j]: list(values) for j, values in self.cuts.items()} or None,
            "min_box_rows": self.min_box_rows and float(self.min_box_rows),
            "min_box_precision": self.min_box_precision and float(self.min_box_precision),
        }
        return {parameter: value for parameter, value in asked.items() if value is not None}

    def least_cost(self) -> float:
        """Return the cost of a false alarm from which on a box has to be precise enough to be worth anything."""
        share = self.min_box_precision or 0.0
        return share / (1 - share) if share < 1 else math.inf

    def holds(self, rows: FloatArray, positives: FloatArray) -> BoolArray:
        """Return which boxes hold enough rows, and positives among them, given the weights of both."""
        enough = rows >= (self.min_box_rows or 0.0) * (1 - ROUNDING)
        return np.asarray(enough & (positives >= (self.min_box_precision or 0.0) * rows * (1 - ROUNDING)))

    def scaled(self, share: float) -> Constraints:
        """Return what is asked of boxes on a share of the rows."""
        return self if self.min_box_rows is None else replace(self, min_box_rows=share * self.min_box_rows)

    def breaches(self, boxes: BoxSet) -> Iterator[Breach]:
        """Yield what the limits of boxes break."""
        if self.max_boxes is not None and len(boxes) > self.max_boxes:
            yield Breach(None, None, f"there are {len(boxes)} boxes, but at most {self.max_boxes} are allowed")
        for number, (box, rule) in enumerate(zip(boxes, boxes.rules(), strict=True), start=1):
            places = [self.names.index(limit.feature) for limit in rule.limits]
            for j, limit in zip(places, rule.limits, strict=True):
                for text in self._of_limit(j, limit):
                    yield Breach(number, limit.feature, f"box {number}: {text}")
            texts = list(self._of_features(places))
            if self.max_limits is not None and box.n_limits > self.max_limits:
                texts.append(f"has {box.n_limits} limits, but at most {self.max_limits} are allowed")
            yield from (Breach(number, None, f"box {number} {text}") for text in texts)

    def _of_limit(self, j: int, limit: Limit) -> Iterator[str]:
        """Yield what a limit breaks."""
        name, whole = printable(self.names[j]), limit_text(limit)
        sides = {side: Limit(limit.feature, **{side: getattr(limit, side)}) for side in ("lower", "upper")}
        sides = {side: one for side, one in sides.items() if math.isfinite(getattr(one, side))}
        if self.directions[j]:
            banned, only = _SIDES[self.directions[j]]
            if banned in sides:
                a = "an" if banned == "upper" else "a"
                yield f"{limit_text(sides[banned])} is {a} {banned} limit, but {name} may only have {only} ones"
        if j in self.never:
            yield f"{whole} is a limit, but {name} may have none"
        elif j in self.cuts:
            for side, one in sides.items():
                if getattr(one, side) not in self.cuts[j]:
                    yield f"{limit_text(one)} is not at one of the allowed values of {name}"

    def _of_features(self, places: Sequence[int]) -> Iterator[str]:
        """Yield what the features of a box break."""
        listed = ", ".join(printable(self.names[j]) for j in places)
        if self.max_features is not None and len(places) > self.max_features:
            yield f"limits {listed}, but at most {self.max_features} of the features may stand together"
        if self.groups and not any(group.issuperset(places) for group in self.groups):
            yield f"limits {listed}, which are not in one group of interaction_cst"
        for apart in self.apart:
            if len(both := [printable(self.names[j]) for j in places if j in apart]) > 1:
                yield f"limits {' and '.join(both)}, which may not stand together"

    def breaches_on(self, rows: FloatArray, positives: FloatArray) -> Iterator[Breach]:
        """Yield what boxes break that hold rows and positives of these weights."""
        enough = replace(self, min_box_precision=None).holds(rows, positives)
        pure = replace(self, min_box_rows=None).holds(rows, positives)
        for number, (held, caught) in enumerate(zip(rows.tolist(), positives.tolist(), strict=True), start=1):
            if not enough[number - 1]:
                yield Breach(number, None, f"box {number} holds {held:g} rows, but needs {self.min_box_rows:g}")
            if not pure[number - 1]:
                share = f"{caught / held:.1%} positives" if held else "no rows"
                yield Breach(number, None, f"box {number} has {share}, but needs {self.min_box_precision:.1%}")


def check_boxes(
    boxes: BoxSet, X: Any = None, y: Any = None, sample_weight: Any = None, pos_label: Any = None, **constraints: Any
) -> list[Breach]:
    """List what boxes break, as `BoxSet.check` documents."""
    from boxdraw.model.simplify import Score
    from boxdraw.model.statistics import BoxCounts, as_floats

    asked = Constraints.of(boxes.feature_names, [values is not None for values in boxes.categories], **constraints)
    found = list(asked.breaches(boxes))
    if not asked.of_rows:
        return found
    if X is None or y is None:
        raise ValueError("min_box_rows and min_box_precision are about rows: give X and y.")
    member = boxes.membership(X)
    score = Score.of(y, len(member), None, sample_weight, pos_label)
    counts = BoxCounts.of(member, score.positive, score.weight)
    return [*found, *asked.breaches_on(as_floats(counts.rows.inside), as_floats(counts.positives.inside))]


def check_of_boxes(
    max_limits: Any = None, max_boxes: Any = None, min_box_rows: Any = None, min_box_precision: Any = None
) -> None:
    """Raise if what is asked of each box cannot be."""
    for name, value in (("max_limits", max_limits), ("max_boxes", max_boxes)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or value < 1):
            raise ValueError(f"{name} must be None or a whole number of at least 1; got {value!r}.")
    if min_box_rows is not None and not (_is_number(min_box_rows) and 0 < min_box_rows < math.inf):
        raise ValueError(f"min_box_rows must be None or a finite number above 0; got {min_box_rows!r}.")
    if min_box_precision is not None and not (_is_number(min_box_precision) and 0 < min_box_precision <= 1):
        raise ValueError(f"min_box_precision must be None or a share above 0, up to 1; got {min_box_precision!r}.")


_FORMS = (
    'interaction_cst must be None, "pairwise", "no_interactions", a list of groups of features, or '
    '{"not_together": a list of sets of features}'
)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class _Find:
    """Features, to be found by name or place."""

    names: tuple[str, ...]
    categorical: tuple[bool, ...]

    def __call__(self, feature: Any, parameter: str) -> int:
        if isinstance(feature, str) and feature in self.names:
            return self.names.index(feature)
        if isinstance(feature, Integral) and not isinstance(feature, bool) and 0 <= int(feature) < len(self.names):
            return int(feature)
        known = ", ".join(map(repr, self.names[:10])) + (", ..." if len(self.names) > 10 else "")
        raise ValueError(
            f"{parameter} names the feature {feature!r}, which is not there: expected one of {known}, or a position "
            f"from 0 to {len(self.names) - 1}."
        )

    def all_of(self, features: Any, parameter: str) -> dict[int, Any]:
        """Return the values of a mapping by place; each feature at most once."""
        found: dict[int, Any] = {}
        for feature, value in features.items():
            place = self(feature, parameter)
            if place in found:
                raise ValueError(f"{parameter} has {self.names[place]!r} twice, by name and by position: give it once.")
            found[place] = value
        return found


def _directions(given: Any, find: _Find) -> tuple[int, ...]:
    """Return the direction of each feature."""
    if given is None:
        return (0,) * len(find.names)
    if not isinstance(given, Mapping):
        if isinstance(given, str) or not isinstance(given, Iterable) or len(given := list(given)) != len(find.names):
            raise ValueError(
                f"monotonic_cst must be None, a dict of features to -1, 0 or 1, or an array of one such number for "
                f"each of the {len(find.names)} features; got {given!r}."
            )
        given = dict(enumerate(given))
    result = [0] * len(find.names)
    for j, direction in find.all_of(given, "monotonic_cst").items():
        if isinstance(direction, bool | np.bool_) or direction not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst of {find.names[j]!r} must be -1, 0 or 1; got {direction!r}.")
        if direction and find.categorical[j]:
            raise ValueError(
                f"monotonic_cst gives {find.names[j]!r} a direction, but it has categories, which have none: leave "
                "it out."
            )
        result[j] = int(direction)
    return tuple(result)


def _cuts(given: Any, find: _Find) -> dict[int, tuple[float, ...]]:
    """Return the only numbers for limits, by feature."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"allowed_values must be None or a dict of features to lists of numbers; got {given!r}.")
    result = {}
    for j, values in find.all_of(given, "allowed_values").items():
        numbers = [] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
        if (
            not isinstance(values, Iterable)
            or isinstance(values, str)
            or not all(_is_number(number) and np.isfinite(float(number)) for number in numbers)
        ):
            raise ValueError(f"allowed_values of {find.names[j]!r} must be a list of finite numbers; got {values!r}.")
        if numbers and find.categorical[j]:
            raise ValueError(
                f"allowed_values has numbers for {find.names[j]!r}, which has categories: give it an empty list to "
                "keep it out of the rules, or leave it out."
            )
        result[j] = tuple(sorted({float(value) + 0.0 for value in numbers}))  # no -0.0
    return result


def _sets(given: Any, find: _Find) -> tuple[frozenset[int], ...]:
    """Return sets of features by their places."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ValueError(f"{_FORMS}; got {given!r}.")
    result = []
    for group in given:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise ValueError(f"{_FORMS}; got {group!r} among the groups: write it as a list of features.")
        result.append(frozenset(find(feature, "interaction_cst") for feature in group))
    return tuple(result)
