"""The data of a page: the model and labelled rows; "Files and exports" in the documentation has the layout."""

from __future__ import annotations

import base64
import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.version import __version__
from boxdraw.learners.goals import GOALS
from boxdraw.learners.sample import balanced_rows
from boxdraw.model.boxes import BoxSet
from boxdraw.model.choices import Choices
from boxdraw.model.choices import to_json as choices_to_json
from boxdraw.model.explain import spread
from boxdraw.model.export.text import printable
from boxdraw.model.file import Edit, Model
from boxdraw.model.risk import FIELDS, RiskTable
from boxdraw.model.rows import read_columns
from boxdraw.model.scorecard import Scorecard, boxes_of
from boxdraw.model.stability import Stability
from boxdraw.report.cells import count_cells

__all__ = ["FORMAT", "MAX_ROWS", "VERSION", "Labelled", "Subject", "array", "balanced_cost", "cost_of", "payload"]

#: Marks the data of a page.
FORMAT = "boxdraw.report"
#: The version of the layout.
VERSION = 1
#: The default maximum of rows per table.
MAX_ROWS = 50_000
#: The learners of the methods of the command line.
LEARNERS = {
    "sparse": "SparseBoxesClassifier",
    "fast": "FastBoxesClassifierCV",
    "exact": "ExactBoxesClassifier",
    "scored": "ScoredBoxesClassifier",
}

_TYPES = {"u1": np.uint8, "i1": np.int8, "i2": np.int16, "i4": np.int32, "f4": np.float32, "f8": np.float64}
_NO_ROWS = "The page holds counts only, and a path over costs needs rows."
_MOST = 2**53  # integers up to here are exact in JavaScript


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows with their labels."""

    X: Any
    positive: BoolArray
    weight: FloatArray | None = None
    critical: FloatArray | None = None
    ids: Sequence[Any] | None = None  # by default the numbers from 0
    source: str = ""  # the name of the file that they come from, without its folder


def _card(card: Scorecard | None) -> dict[str, Any] | None:
    return None if card is None else {"threshold": card.threshold, "points": list(card.points)}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a page is about."""

    boxes: BoxSet  # of a scorecard, those with points
    classes: tuple[Any, Any]  # negative, positive
    scorecard: Scorecard | None = None
    target: str | None = None
    learner: str = "BoxSet"
    fit: dict[str, Any] = field(default_factory=dict)
    title: str | None = None
    closed_form: dict[str, Any] | None = None  # of `boxdraw.report.closed_form`
    closed_form_absent: str | None = None  # the reason
    stability: Stability | None = None
    choices: Choices = field(default_factory=Choices)
    risk: RiskTable | None = None
    edits: tuple[Edit, ...] = ()
    digest: str = ""  # of the model file
    noun: str | None = None  # what the rows are, in the plural
    days: float | None = None  # that the rows in front cover

    @classmethod
    def of(cls, model: Model, **known: Any) -> Subject:
        """Return a model as the subject of a page; ``known`` is what else is known of it, or better."""
        fit = model.fit
        found: dict[str, Any] = {
            "boxes": boxes_of(model.drawing),
            "classes": model.classes,
            "scorecard": model.scorecard,
            "target": model.target,
            "learner": str(fit.get("learner", LEARNERS.get(str(fit.get("method")), "BoxSet"))),
            "fit": fit,
            "edits": model.edits,
            "digest": model.digest,
            "choices": model.choices,
            "risk": model.risk,
        }
        return cls(**(found | known))

    @property
    def goal(self) -> dict[str, Any] | None:
        """What the fit was asked for, if the model says so: its name and value."""
        goal = self.fit.get("goal")
        if not isinstance(goal, dict) or goal.get("name") not in GOALS or not isinstance(goal.get("value"), float):
            return None
        return {"name": goal["name"], "value": goal["value"], "text": str(goal.get("text", ""))}

    @property
    def heading(self) -> str:
        """The title."""
        if self.title:
            return printable(self.title)
        label = str(plain_label(self.classes[1]))
        return printable(f"Rules for label {label}" if self.target is None else f"Rules for {self.target} = {label}")


def payload(
    subject: Subject,
    train: Labelled,
    test: Labelled | None = None,
    *,
    false_alarm_cost: float | None = None,
    max_rows: int = MAX_ROWS,
    counts_only: bool = False,
) -> dict[str, Any]:
    """Return the data of a page, with rows or, if ``counts_only``, with numbers of rows between limits."""
    card = subject.scorecard
    rows = _counts if counts_only else partial(_rows, most=max_rows)
    if counts_only:  # the closed form holds values of rows, and for other boxes counts are rough
        subject = replace(subject, closed_form=None, closed_form_absent=_NO_ROWS, choices=Choices())
    return {
        "format": FORMAT,
        "version": VERSION,
        "boxdraw": __version__,
        "title": subject.heading,
        "made": datetime.date.today().isoformat(),
        "target": subject.target,
        "classes": [plain_label(label) for label in subject.classes],
        "learner": subject.learner,
        "fit": subject.fit,
        "features": _features(subject.boxes, train.X),
        "boxes": json.loads(subject.boxes.to_json()),
        "scorecard": _card(card),
        "false_alarm_cost": balanced_cost(train) if false_alarm_cost is None else float(false_alarm_cost),
        "data": {
            "train": rows(subject.boxes, train),
            "test": None if test is None else rows(subject.boxes, test),
        },
        "closed_form": subject.closed_form,
        "closed_form_absent": subject.closed_form_absent,
        **({"edits": [edit.as_dict() for edit in subject.edits]} if subject.edits else {}),
        **({"counts_only": True} if counts_only else {}),
        **({"digest": subject.digest} if subject.digest else {}),
        **({"noun": subject.noun} if subject.noun else {}),
        **({"days": subject.days} if subject.days else {}),
        **({"goal": subject.goal} if subject.goal else {}),
        **({"risk": _risk(subject.risk)} if subject.risk else {}),
        **({"choices": json.loads(choices_to_json(subject.choices))} if subject.choices else {}),
        "stability": None if subject.stability is None else subject.stability.to_text().splitlines(),
    }


def cost_of(fit: dict[str, Any]) -> float | None:
    """Return what a false alarm cost when a model was learned; None if that is not known, or was the balanced cost."""
    parameters = fit.get("parameters")
    given = parameters.get("false_alarm_cost") if isinstance(parameters, dict) else None
    trained = fit.get("false_alarm_cost", given)  # what fit chose comes first
    return float(trained) if isinstance(trained, int | float) and 0 < trained < math.inf else None


def balanced_cost(data: Labelled) -> float:
    """Return the cost at which flagging all rows is as expensive as flagging none."""
    weight = np.ones(len(data.positive)) if data.weight is None else data.weight
    positives, negatives = float(weight[data.positive].sum()), float(weight[~data.positive].sum())
    return positives / negatives if positives and negatives else 1.0


def _risk(table: RiskTable) -> list[dict[str, Any]]:
    """Return what each region is, and its figures as the model file has them."""
    pairs = zip(table.labels(), table, strict=True)
    return [
        {"of": label} | {key: float(getattr(region, name)) for key, name in FIELDS.items()} for label, region in pairs
    ]


def plain_label(label: Any) -> Any:
    """Return a label as a JSON value."""
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | bool | int | float) else str(value)


def _features(boxes: BoxSet, X: Any) -> list[dict[str, Any]]:
    """Describe the features: kind, unit of distance, and whether all numbers are integers."""
    columns = read_columns(X, boxes, range(boxes.n_features))[1]
    result: list[dict[str, Any]] = []
    for j, (name, known) in enumerate(zip(boxes.feature_names, boxes.categories, strict=True)):
        if known is not None:
            _check_categories(name, known)
            result.append({"name": name, "kind": "categorical", "categories": list(known), "scale": 1.0})
            continue
        # The unit of every feature: on the page, limits can be added to any of them.
        values = columns[j].astype(np.float64)
        values = values[np.isfinite(values)]
        whole = bool((values == np.rint(values)).all())
        result.append({"name": name, "kind": "numeric", "scale": spread(values), "whole": whole})
    return result


def _check_categories(name: str, known: Sequence[Any]) -> None:
    for value in known:
        if isinstance(value, int) and abs(value) > _MOST:
            raise ValueError(
                f"feature {name!r} has the category {value}, and integers that large are not exact in a browser: "
                "make the categories strings"
            )


def _rows(boxes: BoxSet, data: Labelled, most: int) -> dict[str, Any]:
    """Embed all rows, or a sample in which each class has the same total weight as in all rows."""
    n_rows, columns = read_columns(data.X, boxes, range(boxes.n_features))
    chosen, weight = _sample(data, most)
    return {
        "n": len(chosen),
        "total": {"rows": n_rows, "positives": int(data.positive.sum())},
        "sampled": len(chosen) < n_rows,
        "positive": array(data.positive[chosen]),
        "weight": None if weight is None else array(weight),
        "ids": _ids(data, chosen),
        "columns": [array(columns[j][chosen]) for j in range(boxes.n_features)],
        "critical": None if data.critical is None else array(data.critical[chosen]),
        **({"source": data.source} if data.source else {}),
    }


def _counts(boxes: BoxSet, data: Labelled) -> dict[str, Any]:
    """Embed how many rows lie between limits, and nothing else of them."""
    n_rows, columns = read_columns(data.X, boxes, range(boxes.n_features))
    values, positive, weight = count_cells(
        boxes, [columns[j] for j in range(boxes.n_features)], data.positive, data.weight
    )
    return {
        "n": len(positive),
        "total": {"rows": n_rows, "positives": int(data.positive.sum())},
        "sampled": False,
        "positive": array(positive),
        "weight": array(weight),
        "ids": None,
        "columns": [array(column) for column in values],
        "critical": None,
        **({"source": data.source} if data.source else {}),
    }


def _sample(data: Labelled, most: int) -> tuple[IntArray, FloatArray | None]:
    """Choose rows, and weights that give each class its full weight."""
    positive, weight = data.positive, data.weight
    if len(positive) <= most:
        return np.arange(len(positive)), weight
    mass = np.ones(len(positive)) if weight is None else weight.copy()
    counted = np.flatnonzero(mass > 0)  # rows of no weight take no places
    chosen = counted[balanced_rows(positive[counted], most)]
    for side in (positive, ~positive):
        few = chosen[side[chosen]]
        if len(few):
            mass[few] *= mass[counted[side[counted]]].sum() / mass[few].sum()
    return chosen, mass[chosen]


def _ids(data: Labelled, chosen: IntArray) -> list[str] | None:
    """Return the user's names of the rows; None if these are just the numbers from 0."""
    if data.ids is not None:
        return [str(data.ids[i]) for i in chosen.tolist()]
    return [str(i) for i in chosen.tolist()] if len(chosen) < len(data.positive) else None


def array(values: npt.ArrayLike) -> dict[str, str]:
    """Encode numbers in base64, in the smallest type that holds all of them exactly."""
    numbers = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        kind = next(kind for kind, dtype in _TYPES.items() if np.array_equal(numbers.astype(dtype), numbers, True))
    text = base64.b64encode(np.ascontiguousarray(numbers, dtype=np.dtype(_TYPES[kind]).newbyteorder("<")).tobytes())
    return {"type": kind, "data": text.decode("ascii")}
