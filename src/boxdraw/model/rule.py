"""A rule as data: the limits of one box, feature by feature."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: A category: text, a number, True or False.
Category = str | float | int | bool


@dataclass(frozen=True, slots=True)
class Limit:
    """What a box asks of one feature.

    Parameters
    ----------
    feature : str
        The name of the feature.
    lower, upper : float
        The limits, which are inside; infinite for no limit. ``lower=inf, upper=-inf`` admits missing values only.
    categories : frozenset or None
        The categories inside; None for a feature of numbers, and where every category is.
    missing : bool
        Whether a missing value is inside.

    Examples
    --------
    >>> from boxdraw import Limit
    >>> Limit("age", lower=30)
    Limit(feature='age', lower=30, upper=inf, categories=None, missing=False)
    """

    feature: str
    lower: float = -math.inf
    upper: float = math.inf
    categories: frozenset[Category] | None = None
    missing: bool = False

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            if isinstance(getattr(self, name), str | bytes):
                raise TypeError(f"{name} of {self.feature!r} must be a number, got {getattr(self, name)!r}")
        if not isinstance(self.missing, bool | np.bool_):
            raise TypeError(f"missing of {self.feature!r} must be True or False, got {self.missing!r}")
        if isinstance(self.categories, str):
            text = self.categories
            raise TypeError(f"categories of {self.feature!r} must be a set, got the text {text!r}: write {{{text!r}}}")
        if self.categories is not None:
            object.__setattr__(self, "categories", frozenset(as_category(value) for value in self.categories))

    @property
    def known(self) -> bool:
        """Whether every value that is not missing is inside."""
        return self.lower == -math.inf and self.upper == math.inf and self.categories is None


@dataclass(frozen=True, slots=True)
class Rule:
    """One box: a row is inside if it meets all limits.

    Parameters
    ----------
    limits : tuple of Limit
        At most one per feature; features without limits are absent.

    Examples
    --------
    >>> from boxdraw import Limit, Rule
    >>> Rule((Limit("age", lower=30), Limit("region", categories={"north"}))).features
    ('age', 'region')
    """

    limits: tuple[Limit, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that the box limits."""
        return tuple(limit.feature for limit in self.limits)


def as_intervals(limit: Limit, whole: bool = False) -> list[Limit]:
    """Return the intervals of a set of numbers; in a column of whole ones, those in a row are one interval."""
    runs: list[list[float]] = []
    for value in sorted(map(float, limit.categories or ())):
        if runs and whole and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    ends = runs or [[math.inf, -math.inf]]  # a set of nothing holds missing values only
    return [Limit(limit.feature, low, high, missing=limit.missing and not k) for k, (low, high) in enumerate(ends)]


def as_category(value: Any) -> Category:
    """Return a category as a plain Python value; raise if it can't be one."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise TypeError(f"a category must be text, a finite number, True or False; got {value!r}")


def unique_categories(values: Iterable[Any]) -> tuple[Category, ...]:
    """Return categories without repetition, in their first order."""
    return tuple(dict.fromkeys(as_category(value) for value in values))


def is_missing(value: Any) -> bool:
    """Return True for None, NaN, NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(value != value)
