"""What the page holds: the model, and labelled rows in few bytes.

The layout, version 1, is one JSON object::

    {
      "format": "boxdraw.report", "version": 1, "boxdraw": "0.1.0",
      "title": "...", "made": "2026-11-16", "target": "fraud", "classes": ["no", "yes"], "learner": "...", "fit": {},
      "features": [{"name": "age", "kind": "numeric", "scale": 12.5, "whole": true},
                   {"name": "region", "kind": "categorical", "categories": ["north", "east"], "scale": 1}],
      "boxes": {"format": "boxdraw.boxes", ...}, "scorecard": null,
      "false_alarm_cost": 0.1,
      "data": {"train": rows, "test": null},
      "closed_form": null, "closed_form_absent": "why there is none"
    }

and rows are columns: ``positive`` (0 or 1), ``weight`` (or null), a column per feature, and ``critical``, the critical
weight of each row, where there is a closed form. A column is ``{"type": "f8", "data": base64}`` with the least type
that holds all its values exactly: missing numbers are NaN, categories the places in their list, -1 for those that
training never saw and -2 for missing ones. Of a table with too many rows there is a sample, and ``total`` says how many
rows there are in all.
"""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.version import __version__
from boxdraw.learners.sample import balanced_rows
from boxdraw.model.boxes import BoxSet
from boxdraw.model.explain import spread
from boxdraw.model.export.text import printable
from boxdraw.model.rows import read_columns
from boxdraw.model.scorecard import Scorecard

__all__ = ["FORMAT", "MAX_ROWS", "VERSION", "Labelled", "Subject", "array", "balanced_cost", "payload"]

#: What marks the data of a page.
FORMAT = "boxdraw.report"
#: The layout that is written.
VERSION = 1
#: The rows of a table that a page holds unless it is told otherwise.
MAX_ROWS = 50_000

_TYPES = {"u1": np.uint8, "i1": np.int8, "i2": np.int16, "i4": np.int32, "f4": np.float32, "f8": np.float64}
_MOST = 2**53  # whole numbers up to here are the same in JavaScript


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows with their labels.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        The rows, in a form that the boxes can read.
    positive : ndarray of bool
        Which of them are positive.
    weight : ndarray, optional
        Their weights.
    critical : ndarray, optional
        The critical weight of each.
    ids : sequence, optional
        What the user calls them; their number, from 0, by default.

    Examples
    --------
    >>> Labelled([[1.0], [2.0]], np.array([True, False])).positive.tolist()
    [True, False]
    """

    X: Any
    positive: BoolArray
    weight: FloatArray | None = None
    critical: FloatArray | None = None
    ids: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a page is about.

    Parameters
    ----------
    boxes : BoxSet
        The boxes; of a scorecard those that give points.
    classes : pair of labels
        The negative and the positive label.
    scorecard : Scorecard, optional
        The scorecard.
    target : str, optional
        What is predicted.
    learner : str
        What drew the boxes.
    fit : dict
        What it drew them with.
    title : str, optional
        The title of the page; by default it says what is predicted.
    closed_form : dict, optional
        What `boxdraw.report.closed_form.closed_form` returns.
    closed_form_absent : str, optional
        A sentence that says why there is none.

    Examples
    --------
    >>> Subject(BoxSet([[1]], [[2]]), ("no", "yes"), target="fraud").heading
    'Rules for fraud = yes'
    """

    boxes: BoxSet
    classes: tuple[Any, Any]
    scorecard: Scorecard | None = None
    target: str | None = None
    learner: str = "BoxSet"
    fit: dict[str, Any] = field(default_factory=dict)
    title: str | None = None
    closed_form: dict[str, Any] | None = None
    closed_form_absent: str | None = None

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
) -> dict[str, Any]:
    """Put together what a page holds.

    Parameters
    ----------
    subject : Subject
        The model.
    train : Labelled
        The rows that it was learned from, or those to look at it on.
    test : Labelled, optional
        Other rows.
    false_alarm_cost : float, optional
        What a false alarm costs, in misses, when the page opens; `balanced_cost` of the rows by default.
    max_rows : int, default=50_000
        Of a table with more rows there is a sample of so many, the same each time.

    Returns
    -------
    dict
        The object that this module documents; `boxdraw.report.build.page` makes a page of it.

    Examples
    --------
    >>> boxes = BoxSet([[30]], [[40]], feature_names=["age"])
    >>> rows = Labelled([[35], [50], [20]], np.array([True, False, False]))
    >>> data = payload(Subject(boxes, (0, 1)), rows)
    >>> data["title"], data["false_alarm_cost"], data["data"]["train"]["columns"]
    ('Rules for label 1', 0.5, [{'type': 'u1', 'data': 'IzIU'}])
    """
    card = subject.scorecard
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
        "scorecard": None if card is None else {"threshold": card.threshold, "points": list(card.points)},
        "false_alarm_cost": balanced_cost(train) if false_alarm_cost is None else float(false_alarm_cost),
        "data": {
            "train": _rows(subject.boxes, train, max_rows),
            "test": None if test is None else _rows(subject.boxes, test, max_rows),
        },
        "closed_form": subject.closed_form,
        "closed_form_absent": subject.closed_form_absent,
    }


def balanced_cost(data: Labelled) -> float:
    """Return the cost at which the false alarms of flagging all rows weigh as much as the misses of flagging none.

    Parameters
    ----------
    data : Labelled
        The rows.

    Returns
    -------
    float
        The weight of the positives over that of the negatives; 1 if there are not both.

    Examples
    --------
    >>> balanced_cost(Labelled(None, np.array([True, False, False, False, False])))
    0.25
    """
    weight = np.ones(len(data.positive)) if data.weight is None else data.weight
    positives, negatives = float(weight[data.positive].sum()), float(weight[~data.positive].sum())
    return positives / negatives if positives and negatives else 1.0


def plain_label(label: Any) -> Any:
    """Return a label as JSON has it."""
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | bool | int | float) else str(value)


def _features(boxes: BoxSet, X: Any) -> list[dict[str, Any]]:
    """Describe the features: their kind, the unit of distance, and whether their numbers are whole."""
    columns = read_columns(X, boxes, range(boxes.n_features))[1]
    result: list[dict[str, Any]] = []
    for j, (name, known) in enumerate(zip(boxes.feature_names, boxes.categories, strict=True)):
        if known is not None:
            _check_categories(name, known)
            result.append({"name": name, "kind": "categorical", "categories": list(known), "scale": 1.0})
            continue
        # The unit of every feature, not only of those with limits: the page may give limits to others.
        values = columns[j].astype(np.float64)
        values = values[np.isfinite(values)]
        whole = bool((values == np.rint(values)).all())
        result.append({"name": name, "kind": "numeric", "scale": spread(values), "whole": whole})
    return result


def _check_categories(name: str, known: Sequence[Any]) -> None:
    for value in known:
        if isinstance(value, int) and abs(value) > _MOST:
            raise ValueError(
                f"feature {name!r} has the category {value}, and numbers of so many digits are not exact in a browser: "
                "make the categories text"
            )


def _rows(boxes: BoxSet, data: Labelled, most: int) -> dict[str, Any]:
    """Embed rows: all of them, or a sample in which each class weighs what it does in all of them."""
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
    """Return what the user calls the rows; None if that is their number in the page, from 0."""
    if data.ids is not None:
        return [str(data.ids[i]) for i in chosen.tolist()]
    return [str(i) for i in chosen.tolist()] if len(chosen) < len(data.positive) else None


def array(values: npt.ArrayLike) -> dict[str, str]:
    """Write numbers in base64, in the least type that holds all of them exactly.

    Parameters
    ----------
    values : array-like of float
        The numbers; NaN and infinities are numbers too.

    Returns
    -------
    dict
        ``type`` and ``data``, with the bytes of a number from the least significant on.

    Examples
    --------
    >>> array([1, 2, 3]), array([0.5])["type"], array([0.1])["type"]
    ({'type': 'u1', 'data': 'AQID'}, 'f4', 'f8')
    """
    numbers = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        kind = next(kind for kind, dtype in _TYPES.items() if np.array_equal(numbers.astype(dtype), numbers, True))
    text = base64.b64encode(np.ascontiguousarray(numbers, dtype=np.dtype(_TYPES[kind]).newbyteorder("<")).tobytes())
    return {"type": kind, "data": text.decode("ascii")}
