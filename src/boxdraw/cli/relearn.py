"""The closed form of boxes that come from a file: learned again, and used only if that gives the same boxes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from boxdraw import FastBoxesClassifier
from boxdraw.cli.learning import METHODS
from boxdraw.model.export.text import printable
from boxdraw.model.file import Model
from boxdraw.report.payload import Labelled
from boxdraw.report.report import find_form

_WHERE = "give those rows as DATA, and other rows as --test"


@dataclass(frozen=True, slots=True)
class Slider:
    """What it takes to let boxes follow the cost of a false alarm, or why they can't."""

    estimator: FastBoxesClassifier | None = None
    form: dict[str, Any] | None = None
    absent: str | None = None

    def with_critical(self, data: Labelled) -> Labelled:
        """Add the critical weight of each row, if that is known."""
        return data if self.estimator is None else replace(data, critical=self.estimator.critical_weight(data.X))


def find_slider(model: Model, data: Labelled, source: str, weight: str | None) -> Slider:
    """Learn the boxes of a model again, to have what a file does not hold."""
    reason = _unfit(model, data, source, weight)
    if reason is not None:
        return Slider(absent=reason)
    for rounded in (True, False):  # version 0.1 did not round limits
        fitted = _learn_again(model, data, rounded)
        if fitted is not None and fitted.boxes_ == model.drawing:
            return Slider(fitted, *find_form(fitted))
    if model.edits:
        return Slider(absent="The boxes were edited after they were learned, so no cost gives these boxes.")
    return Slider(
        absent=f"Learned again from {printable(source)}, the boxes differ from those of the model: if these "
        f"come from other rows, {_WHERE}."
    )


def _unfit(model: Model, data: Labelled, source: str, weight: str | None) -> str | None:
    """Return why the boxes can't be learned again, if that shows without learning."""
    fit = model.fit
    if fit.get("method") in METHODS and fit["method"] != "fast":
        return f"Only boxes of Fast Boxes follow the cost of a false alarm; these come from --method {fit['method']}."
    if not _settings(model):
        return "The model file has no settings of Fast Boxes, whose boxes alone follow the cost of a false alarm."
    found = len(data.positive), int(data.positive.sum())
    known = fit.get("rows"), fit.get("positives")
    if found != known:
        return (
            f"The slider needs the rows that the boxes were learned from, {known[0]} with {known[1]} positive ones, "
            f"but {printable(source)} has {found[0]} with {found[1]}: {_WHERE}."
        )
    if fit.get("weight") != weight:
        return "The slider needs the weights that the boxes were learned with: give that column as --weight."
    return None


def _settings(model: Model) -> dict[str, Any]:
    """Return the settings of Fast Boxes that a model file has; nothing if some are not there."""
    settings, parameters = model.fit.get("settings"), model.fit.get("parameters")
    if not isinstance(settings, dict) or not isinstance(parameters, dict) or "negative_weight" not in model.fit:
        return {}
    names = ("n_boxes", "expansion", "growth", "feature_range")
    if not set(names) <= set(settings) or "seed" not in parameters:
        return {}
    cost = {"negative_weight": model.fit["negative_weight"], "random_state": parameters["seed"]}
    return {"distance": "sum"} | {name: settings[name] for name in (*names, "distance") if name in settings} | cost


def _learn_again(model: Model, data: Labelled, rounded: bool) -> FastBoxesClassifier | None:
    """Learn from the rows with the settings of the file; None if someone changed these to what can't be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all was said when the boxes were learned
        try:
            learner = FastBoxesClassifier(pos_label=True, round_limits=rounded, **_settings(model))
            price = model.fit["settings"].get("simplified_at")  # not in files of version 0.1, nor is the distance
            learner._simplified_at = None if price is None else float(price)
            return learner.fit(data.X, data.positive, data.weight)
        except (TypeError, ValueError):
            return None
