"""Checks of parameters that several learners have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

NO_CAP = 10**6  # on the limits of a box, or on boxes


def check_cost(value: Any, name: str, *keywords: str | None) -> None:
    """Raise if a cost is neither a keyword nor a positive, finite number."""
    if value not in keywords and not (_is_finite(value) and value > 0):
        words = ", ".join(map(repr, keywords))
        raise ValueError(f"{name} must be {words} or a finite number above 0; got {_shown(value)}.")


def check_not_negative(value: Any, name: str, or_else: str = "") -> None:
    """Raise if a value is not a finite number of at least 0; ``or_else`` says what it may be instead."""
    if not (_is_finite(value) and value >= 0):
        raise ValueError(f"{name} must be {or_else}a finite number of at least 0; got {_shown(value)}.")


def check_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Raise if a value is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {_shown(value)}.")


def _shown(value: Any) -> str:
    """Write a value; a whole number beyond float64 only as such, for it has hundreds of digits."""
    if isinstance(value, int) and abs(value) >= 10**308:
        return "a whole number of more than 308 digits"
    return repr(value)


def check_bool(value: Any, name: str) -> None:
    """Raise if a value is neither True nor False: "no" and "False" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r}.")


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # of a whole number with more than 308 digits
        return False
