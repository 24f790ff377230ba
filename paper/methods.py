"""The methods of the tables: the baselines, Fast Boxes as in the paper, and our default estimator."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import packages_distributions, version
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from paper.protocol import COSTS, Outcome, Split, measure

__all__ = ["DEFAULT", "PAPER", "READABLE", "Method", "all_methods", "settings_text"]

#: The columns of the paper's table of AUH.
PAPER = ("logistic", "svm", "cart", "c45", "adaboost", "random_forest", "c50", "hddt", "fast_boxes")
#: The default methods.
DEFAULT = (*PAPER[:-1], "prim", "fast_boxes", "fast_boxes_cv")
#: The methods that the paper calls interpretable.
READABLE = ("cart", "c45", "c50", "hddt", "fast_boxes")

# Rough seconds of a cell, for all weights on one core; only for the first estimate of the time.
_SECONDS = {
    "logistic": 0.7,
    "svm": 0.4,
    "cart": 0.1,
    "c45": 1.0,
    "adaboost": 3.0,
    "random_forest": 3.5,
    "c50": 0.8,
    "hddt": 0.1,
    "prim": 0.5,
    "fast_boxes": 1.7,
    "fast_boxes_cv": 0.6,
}
_USUAL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn models on a split, one per weight."""

    key: str
    title: str
    note: str
    settings: str  # everything that changes the results; cells of other settings are not reused
    run: Callable[[Split, int], Outcome]  # pickled for other processes
    missing: str | None = None  # what has to be installed first
    seconds: float = _USUAL_SECONDS  # per split, until it is measured


def all_methods() -> dict[str, Method]:
    """Return every method by its key."""
    from boxdraw import FastBoxesClassifierCV
    from paper.baselines import BASELINES, MODERN
    from paper.fast_boxes import GRID, paper_model

    found = {key: _baseline(key, baseline) for key, baseline in (BASELINES | MODERN).items()}
    found["fast_boxes"] = Method(
        "fast_boxes",
        "Fast Boxes",
        "as in the paper",
        settings_text(paper_model()),
        _run_fast_boxes,
        seconds=_SECONDS["fast_boxes"],
    )
    found["fast_boxes_cv"] = Method(
        "fast_boxes_cv",
        "FastBoxesClassifierCV",
        "our estimator on the paper's grid and with more growth rules and ranges; its boxes at the same ten weights",
        settings_text(FastBoxesClassifierCV(pos_label=1, **GRID)),
        _run_fast_boxes_cv,
        seconds=_SECONDS["fast_boxes_cv"],
    )
    order = [*DEFAULT, *(key for key in found if key not in DEFAULT)]
    return {key: found[key] for key in order}


def _baseline(key: str, baseline: Any) -> Method:
    missing = baseline.missing()
    settings = "" if missing else settings_text(baseline.make(0.5, 0))
    return Method(
        key,
        baseline.title,
        baseline.note,
        f"{settings}, weighted={baseline.weighted}{_versions(baseline.packages)}",
        partial(_run_baseline, key),
        missing,
        _SECONDS.get(key, _USUAL_SECONDS),
    )


def _versions(modules: Sequence[str]) -> str:
    """Return the versions of the other packages of a method."""
    distributions = _distributions() if modules else {}
    names = sorted({name for module in modules for name in distributions.get(module, ())})
    return "".join(f", {name} {version(name)}" for name in names)


@cache
def _distributions() -> Mapping[str, Sequence[str]]:
    """Return the installed distributions by module, cached because that takes a third of a second."""
    return packages_distributions()


def settings_text(estimator: Any) -> str:
    """Write an estimator's class and parameters, the same in every process."""
    parameters: Mapping[str, Any] = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    texts = (
        f"{name}={type(value).__name__ if hasattr(value, 'get_params') else value!r}"
        for name, value in sorted(parameters.items())
    )
    return re.sub(r" at 0x[0-9a-fA-F]+", "", f"{type(estimator).__name__}({', '.join(texts)})")


def _run_baseline(key: str, split: Split, seed: int) -> Outcome:
    from paper.baselines import BASELINES, MODERN

    baseline = (BASELINES | MODERN)[key]

    def learn(split: Split) -> Callable[[FloatArray], BoolArray]:
        weights = COSTS.tolist() if baseline.weighted else [1.0]
        models = [baseline.make(weight, seed).fit(split.X_train, split.y_train) for weight in weights]
        return lambda rows: np.array([np.asarray(model.predict(rows)) == 1 for model in models])

    return measure(learn, split)


def _run_fast_boxes(split: Split, seed: int) -> Outcome:
    from paper.fast_boxes import paper_model

    return _at_all_weights(paper_model(), split)


def _run_fast_boxes_cv(split: Split, seed: int) -> Outcome:
    from boxdraw import FastBoxesClassifierCV
    from paper.fast_boxes import GRID

    return _at_all_weights(FastBoxesClassifierCV(pos_label=1, random_state=seed, **GRID), split)


def _at_all_weights(model: Any, split: Split) -> Outcome:
    """Fit once: the critical weight of a row tells which of the ten models flag it."""

    def learn(split: Split) -> Callable[[FloatArray], BoolArray]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # folds with few positives warn by design
            model.fit(split.X_train, split.y_train)
        return lambda rows: model.critical_weight(rows) >= COSTS[:, None]

    return measure(learn, split)
