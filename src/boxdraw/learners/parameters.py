"""Checks of parameters that several learners have."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any


def check_cost(value: Any, name: str, keyword: str | None) -> None:
    """Refuse a cost that is neither the keyword nor a positive, finite number."""
    if value == keyword:
        return
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name} must be {keyword!r} or a finite number above 0; got {value!r}.")
