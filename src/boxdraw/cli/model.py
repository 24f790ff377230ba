"""The model file of the command line: boxes, and what the two labels and the target are called.

The layout, version 1::

    {
      "format": "boxdraw.model",
      "version": 1,
      "target": "fraud",
      "classes": ["no", "yes"],
      "boxes": {"format": "boxdraw.boxes", ...},
      "scorecard": {"format": "boxdraw.scorecard", ...},
      "fit": {"boxdraw": "0.1.0", "method": "fast", ...},
      "edits": [{"time": "2026-11-16T09:30:00Z", "what": "Box 1: age ≥ 30 → age ≥ 32", "reason": "no minors"}]
    }

``classes`` has the negative label, then the positive one. ``boxes`` is what `boxdraw.model.export.json` documents, and
``fit`` says where the boxes come from; no prediction depends on it. ``scorecard`` is there only if the boxes come from
one; `boxdraw.model.export.scorecard` documents it; the boxes must be its union, or be left out. ``edits`` is
there only if people changed the model after it was learned: what they did, in their order, when (ISO 8601) and why. A
file with boxes or a scorecard alone is a model too: its labels are 0 and 1.
"""

from __future__ import annotations

import json
import math
import reprlib
import sys
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw import BoxSet, BoxSetClassifier
from boxdraw._core.arrays import BoolArray
from boxdraw._core.files import read_source
from boxdraw.cli.errors import Failure
from boxdraw.model.export.json import FORMAT as BOXES_FORMAT
from boxdraw.model.export.json import MODEL_FORMAT, from_json, to_json
from boxdraw.model.export.scorecard import FORMAT as CARD_FORMAT
from boxdraw.model.export.scorecard import from_json as card_from_json
from boxdraw.model.scorecard import Scorecard

__all__ = ["FORMAT", "VERSION", "Edit", "Model", "load_model", "model_from_json", "model_to_json"]

#: What marks a file as a model.
FORMAT = MODEL_FORMAT
#: The newest layout that this version of the library reads, and the one it writes.
VERSION = 1

_REQUIRED = ("format", "version", "target", "classes")
_OPTIONAL = ("boxes", "scorecard", "fit", "edits")
_EDIT = ("time", "what", "reason")
_MOST_DIGITS = 1000  # of a whole number: reading one takes time that grows with the square of its length


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that someone made to a model after it was learned.

    Parameters
    ----------
    time : str
        When, in ISO 8601.
    what : str
        What was done.
    reason : str
        Why; may be empty.

    Examples
    --------
    >>> Edit("2026-11-16T09:30:00Z", "Box 2 dropped", "seasonal").reason
    'seasonal'
    """

    time: str
    what: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """Boxes with the names that the user's table has for them.

    Parameters
    ----------
    boxes : BoxSet
        The boxes.
    target : str or None
        The column that they predict, if it is known.
    classes : pair of labels
        The negative and the positive label.
    fit : dict
        Where the boxes come from.
    scorecard : Scorecard or None
        The scorecard whose union the boxes are, if they come from one; other boxes are a ValueError.
    edits : tuple of Edit
        What people changed since, in the order in which they did.

    Examples
    --------
    >>> model = Model(BoxSet([[1]], [[2]]), "fraud", ("no", "yes"))
    >>> model.classifier().predict([[1.5], [3]]).tolist()
    ['yes', 'no']
    """

    boxes: BoxSet
    target: str | None = None
    classes: tuple[Any, Any] = (0, 1)
    fit: dict[str, Any] = field(default_factory=dict)
    scorecard: Scorecard | None = None
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        if self.scorecard is not None and self.scorecard.union() != self.boxes:
            raise ValueError(
                "boxes and scorecard do not agree: take the scorecard out to go by the boxes, or make the boxes the "
                "union of the scorecard again"
            )

    def classifier(self) -> BoxSetClassifier:
        """Return the model as an estimator of scikit-learn."""
        return BoxSetClassifier(self.boxes, classes=self.classes)

    def labels(self, flagged: BoolArray) -> npt.NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        flagged : ndarray of bool
            Whether the row is in a box.

        Returns
        -------
        ndarray
            The labels.
        """
        return np.array(self.classes)[flagged.astype(np.intp)]


def model_to_json(model: Model) -> str:
    """Write a model as JSON.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        The text, the same for the same model, with a line break at the end.

    Examples
    --------
    >>> model = Model(BoxSet([[1]], [[2]]), "fraud", ("no", "yes"))
    >>> model_from_json(model_to_json(model)) == model
    True
    """
    entries: dict[str, str] = {
        "format": _dump(FORMAT),
        "version": str(VERSION),
        "target": _dump(model.target),
        "classes": _dump(list(model.classes)),
        "boxes": to_json(model.boxes).replace("\n", "\n  "),
        **({} if model.scorecard is None else {"scorecard": model.scorecard.to_json().replace("\n", "\n  ")}),
        "fit": json.dumps(model.fit, ensure_ascii=False, allow_nan=False, indent=2).replace("\n", "\n  "),
        **({"edits": _edit_lines(model.edits)} if model.edits else {}),
    }
    text = "{\n" + ",\n".join(f'  "{key}": {text}' for key, text in entries.items()) + "\n}\n"
    # The name of a file may hold what no encoding can write; JSON has an escape for it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _edit_lines(edits: tuple[Edit, ...]) -> str:
    """Write an edit per line."""
    return "[\n" + ",\n".join(f"    {_dump(asdict(edit))}" for edit in edits) + "\n  ]"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def load_model(path: str) -> Model:
    """Read a model from a file, or from standard input for ``-``.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    Model
        The model; anything but a valid file gives a `Failure` that says what is wrong and where.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/model.json"
    ...     _ = Path(path).write_text(model_to_json(Model(BoxSet([[1]], [[2]]), "fraud")))
    ...     load_model(path).target
    'fraud'
    """
    name = "standard input" if path == "-" else path
    content = sys.stdin.buffer.read() if path == "-" else read_source(Path(path))
    try:
        return model_from_json(content)
    except ValueError as error:
        raise Failure(f"{name} is not a model of boxdraw: {error}") from None


def model_from_json(text: str | bytes) -> Model:
    """Read a model from JSON text.

    Parameters
    ----------
    text : str or bytes
        What `model_to_json`, ``BoxSet.to_json`` or ``Scorecard.to_json`` wrote, perhaps edited by hand.

    Returns
    -------
    Model
        The model.

    Examples
    --------
    >>> model_from_json(BoxSet([[1]], [[2]]).to_json()).classes
    (0, 1)
    """
    data = _parse(text)
    if data.get("format") == BOXES_FORMAT:
        return Model(from_json(text))
    if data.get("format") == CARD_FORMAT:
        card = card_from_json(text)
        return Model(card.union(), scorecard=card)
    _check_header(data)
    _check_keys(data)
    target, fit = data["target"], data.get("fit", {})
    if target is not None and not isinstance(target, str):
        raise ValueError(f"target: expected the name of a column or null, got {reprlib.repr(target)}")
    if not isinstance(fit, dict):
        raise ValueError(f"fit: expected an object {{...}}, got {reprlib.repr(fit)}")
    # The boxes' own reader wants text, and knows best what may be in it; so does that of scorecards.
    scorecard = card_from_json(json.dumps(data["scorecard"])) if "scorecard" in data else None
    boxes = from_json(json.dumps(data["boxes"])) if "boxes" in data else None
    if boxes is None and scorecard is not None:
        boxes = scorecard.union()
    assert boxes is not None  # one of them is there
    return Model(boxes, target, _classes(data["classes"]), fit, scorecard, _edits(data.get("edits", [])))


def _check_keys(data: dict[str, Any]) -> None:
    # The boxes follow from a scorecard.
    missing = [key for key in (*_REQUIRED, *(() if "scorecard" in data else ("boxes",))) if key not in data]
    unknown = sorted(set(data) - {*_REQUIRED, *_OPTIONAL})
    if missing or unknown:
        raise ValueError(
            f"it lacks {', '.join(missing)}" if missing else f"it has unknown keys {reprlib.repr(unknown)}"
        )


def _parse(text: str | bytes) -> dict[str, Any]:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 at byte {error.start}; save it with that encoding") from None
    try:
        data = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse,
            parse_float=_finite,
            parse_int=_whole,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError("expected an object {...}")
    return data


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f"the key {reprlib.repr(twice)} appears twice in one object")
    return result


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{reprlib.repr(text)} is not a number in JSON that a float can hold")
    return number


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"the number {reprlib.repr(text)} has more than {_MOST_DIGITS} digits")
    return int(text)


def _check_header(data: dict[str, Any]) -> None:
    """Check what every version has, before anything that a newer version may have changed."""
    if data.get("format") != FORMAT:
        found = reprlib.repr(data["format"]) if "format" in data else "none"
        raise ValueError(f'expected "format": "{FORMAT}", "{BOXES_FORMAT}" or "{CARD_FORMAT}", got {found}')
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError(f"version: expected a whole number from 1 on, got {reprlib.repr(version)}")
    if version > VERSION:
        raise ValueError(
            f"written by a newer boxdraw (format version {version}; this one reads up to {VERSION}): upgrade boxdraw"
        )


def _classes(values: Any) -> tuple[Any, Any]:
    """Read the two labels."""
    pair = isinstance(values, list) and len(values) == 2 and type(values[0]) is type(values[1])
    if not pair or values[0] == values[1] or not all(map(_is_label, values)):
        raise ValueError(
            "classes: expected two different labels of one type, negative then positive, each a text, a number or "
            f"true or false; got {reprlib.repr(values)}"
        )
    return values[0], values[1]


def _edits(values: Any) -> tuple[Edit, ...]:
    """Read what people changed."""
    if not isinstance(values, list):
        raise ValueError(f"edits: expected a list [...], got {reprlib.repr(values)}")
    for k, value in enumerate(values):
        if not isinstance(value, dict) or set(value) != set(_EDIT):
            raise ValueError(f"edits[{k}]: expected an object with {', '.join(_EDIT)}, got {reprlib.repr(value)}")
        for key in _EDIT:
            if not isinstance(value[key], str):
                raise ValueError(f"edits[{k}].{key}: expected a text, got {reprlib.repr(value[key])}")
        if not _is_time(value["time"]):
            raise ValueError(
                f"edits[{k}].time: expected a time such as 2026-11-16T09:30:00Z, got {reprlib.repr(value['time'])}"
            )
    return tuple(Edit(**value) for value in values)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_label(value: Any) -> bool:
    return isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
