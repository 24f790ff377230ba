"""What a classifier was learned with, as plain values: for cards, reports and files."""

from __future__ import annotations

import math
from inspect import signature
from typing import Any

import numpy as np

# Nothing of the model depends on these, or the model is made of them.
_ELSEWHERE = ("boxes", "callback", "classes", "n_jobs", "verbose")
_LEARNED = (
    "negative_weight_",
    "false_alarm_cost_",
    "limit_cost_",
    "max_boxes_",
    "expansion_",
    "growth_",
    "best_params_",
    "best_score_",
    "max_limits_",
    "lam_",
    "status_",
    "objective_",
    "bound_",
)


def learned_with(estimator: Any) -> dict[str, Any]:
    """Return the parameters of a fitted classifier that are not the default ones, and what fit chose or proved."""
    default = {name: parameter.default for name, parameter in signature(type(estimator)).parameters.items()}
    given = {
        # Splits list the rows of a table, which is more than anyone reads.
        name: as_plain(value) if name != "cv" or value is None or isinstance(value, int) else type(value).__name__
        for name, value in estimator.get_params(deep=False).items()
        if name not in _ELSEWHERE and as_plain(value) != as_plain(default[name])
    }
    chosen = {name.removesuffix("_"): as_plain(vars(estimator)[name]) for name in _LEARNED if name in vars(estimator)}
    return {"parameters": given, **chosen}


def as_plain(value: Any) -> Any:
    """Return a value as JSON holds it: text for other types, None for a number that is not finite."""
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
