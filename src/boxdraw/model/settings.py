"""What a classifier was learned with, as plain values: for cards, reports and files."""

from __future__ import annotations

import math
from inspect import signature
from typing import Any

import numpy as np

__all__ = ["as_plain", "learned_with"]

# Nothing of the model depends on these, or the model is made of them.
_ELSEWHERE = ("boxes", "callback", "classes", "n_jobs", "verbose")
_LEARNED = (
    "negative_weight_",
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
    """Return the parameters of a fitted classifier that are not the default ones, and what fit chose or proved.

    Parameters
    ----------
    estimator : classifier
        Any of boxdraw.

    Returns
    -------
    dict
        ``parameters``, then what was chosen, by the names of the attributes without their underscore.

    Examples
    --------
    >>> from boxdraw import FastBoxesClassifier
    >>> model = FastBoxesClassifier(n_boxes=1).fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    >>> learned_with(model)
    {'parameters': {'n_boxes': 1}, 'negative_weight': 0.5, 'expansion': 0.0, 'growth': 'nearest_negative'}
    """
    default = {name: parameter.default for name, parameter in signature(type(estimator)).parameters.items()}
    given = {
        name: as_plain(value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in _ELSEWHERE and as_plain(value) != as_plain(default[name])
    }
    chosen = {name.removesuffix("_"): as_plain(vars(estimator)[name]) for name in _LEARNED if name in vars(estimator)}
    return {"parameters": given, **chosen}


def as_plain(value: Any) -> Any:
    """Return a value as JSON has it: what it has no kind for is text, and a number that is not finite is none.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    object
        Of dicts, lists, texts, numbers, True, False and None.

    Examples
    --------
    >>> as_plain({"range": (-1, np.float64(1)), "bound": float("inf"), "clusterer": len})
    {'range': [-1, 1.0], 'bound': None, 'clusterer': '<built-in function len>'}
    """
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
