"""The model file: boxes or a scorecard, and what the two labels and the target are called.

The layout, version 4::

    {
      "format": "boxdraw.model",
      "version": 4,
      "target": "fraud",
      "classes": ["no", "yes"],
      "boxes": {"format": "boxdraw.boxes", ...},
      "scorecard": {"format": "boxdraw.scorecard", ...},
      "risk": {"regions": [{"points": 5, "rows": 40, "positives": 17, "risk": 0.42, ...}, ...]},
      "choices": {"boxes": {...}, "frontier": [{"boxes": [0], "score": 0.81, "error": 0.02}, ...], "path": [...]},
      "fit": {"boxdraw": "0.2.0", "method": "fast", ...},
      "edits": [{"time": "2026-11-16T09:30:00Z", "what": "Box 1: age ≥ 30 → age ≥ 32", "reason": "no minors",
                 "who": "Ana", "before": "6748ec341ff36ae1"}]
    }

``classes`` has the negative label, then the positive one. ``boxes`` is as in `boxdraw.model.export.json`. ``fit`` says
where the model comes from; no prediction depends on it. ``scorecard``, as in `boxdraw.model.export.scorecard`, is there
if the model is one; ``boxes`` is then its union or absent, as it has to be with negative points. ``risk``, as in
`boxdraw.model.export.risk`, is there if the model has a risk table. ``choices``, as in `boxdraw.model.choices`, are the
rules of other lengths and for other costs that the learner found, if it found any. ``edits``, the history, is there if
people changed the model after it was learned: what they did, in their order, when (ISO 8601) and why; and if that is
known, who did it and the hash of the file before. A file has the oldest version that holds it: 4 with choices, 3 if any
of its edits has one of these two, 2 with a risk table, and else 1. A file with boxes or a scorecard alone is a model
too, with the labels 0 and 1.
"""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.choices import Choices, read_choices
from boxdraw.model.choices import to_json as choices_to_json
from boxdraw.model.export.json import FORMAT as BOXES_FORMAT
from boxdraw.model.export.json import MODEL_FORMAT, check_text, read_boxes, to_json
from boxdraw.model.export.risk import read_risk
from boxdraw.model.export.risk import to_json as risk_to_json
from boxdraw.model.export.scorecard import FORMAT as CARD_FORMAT
from boxdraw.model.export.scorecard import read_card, union_within
from boxdraw.model.reader import check_header, kind_of, read_text, whole, within
from boxdraw.model.risk import RiskTable
from boxdraw.model.scorecard import Scorecard

#: What marks a file as a model.
FORMAT = MODEL_FORMAT
#: The newest layout that this version of the library reads; it writes the oldest that holds a model.
VERSION = 4

_REQUIRED = ("format", "version", "target", "classes")
_OPTIONAL = ("boxes", "scorecard", "risk", "choices", "fit", "edits")
_SINCE = {"risk": 2, "choices": 4}
_EDIT, _SINCE_3 = ("time", "what", "reason"), ("who", "before")


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that someone made to a model after it was learned: when (ISO 8601), what, why, and who.

    ``before`` is the hash of the file before: the first 16 hexadecimal digits of its SHA-256. Empty is unknown.
    """

    time: str
    what: str
    reason: str = ""
    who: str = ""
    before: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the edit as the file has it, without who and before where they are not known."""
        return {key: value for key, value in asdict(self).items() if value or key in _EDIT}


@dataclass(frozen=True, slots=True)
class Model:
    """Boxes or a scorecard, with the target and the (negative, positive) labels of the user's table.

    ``fit`` says where it comes from, ``edits`` what people changed since, in their order, ``risk`` what rows risk, and
    ``choices`` what other rules there are.
    ``digest`` is the hash of the file that it was read from, empty if it comes from none.
    """

    drawing: BoxSet | Scorecard
    target: str | None = None
    classes: tuple[Any, Any] = (0, 1)
    fit: dict[str, Any] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    risk: RiskTable | None = None
    choices: Choices = field(default_factory=Choices)
    digest: str = field(default="", compare=False)

    @property
    def scorecard(self) -> Scorecard | None:
        """The scorecard, if the model is one."""
        return self.drawing if isinstance(self.drawing, Scorecard) else None

    @property
    def boxes(self) -> BoxSet:
        """The boxes, those of the union if the model is a scorecard; a ValueError if that has none."""
        return union_within(self.drawing, 0) if isinstance(self.drawing, Scorecard) else self.drawing

    def labels(self, flagged: BoolArray) -> npt.NDArray[Any]:
        """Return the label of each row from whether it is flagged."""
        return label_array(self.classes)[flagged.astype(np.intp)]


def now() -> str:
    """Return the time as an edit has it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def label_array(labels: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return labels as an array of their natural dtype, of objects where that would change them."""
    array = np.array(labels)
    if list(map(type, array.tolist())) == list(map(type, labels)) and array.tolist() == list(labels):
        return array
    return np.array([*labels, None], dtype=object)[:-1]


def plain_label(label: Any) -> Any:
    """Return a label as JSON holds it; raise if it would be read back as another one."""
    plain = label.item() if isinstance(label, np.generic) else label
    if type(plain) not in (str, bool, int, float):
        raise TypeError(f"labels must be text, numbers or booleans to be written as JSON; got {label!r}")
    if type(plain) is float and not math.isfinite(plain):
        raise ValueError(f"labels must be finite to be written as JSON; got {label!r}")
    if type(plain) is str:
        check_text(plain, "label")
    return plain


def model_to_json(model: Model) -> str:
    """Write a model as JSON, the same text for the same model, with a line break at the end."""
    classes = [plain_label(label) for label in model.classes]
    if {type(label) for label in classes} == {int, float}:
        classes = list(map(float, classes))
    card = model.scorecard
    boxes = model.boxes if card is None else union_if_any(card)
    entries: dict[str, str] = {
        "format": _dump(FORMAT),
        "version": str(_version(model)),
        "target": _dump(model.target),
        "classes": _dump(classes),
        **({} if boxes is None else {"boxes": to_json(boxes).replace("\n", "\n  ")}),
        **({} if card is None else {"scorecard": card.to_json().replace("\n", "\n  ")}),
        **({} if model.risk is None else {"risk": risk_to_json(model.risk, model.drawing).replace("\n", "\n  ")}),
        **({"choices": choices_to_json(model.choices).replace("\n", "\n  ")} if model.choices else {}),
        "fit": json.dumps(model.fit, ensure_ascii=False, allow_nan=False, indent=2).replace("\n", "\n  "),
        **({"edits": _edit_lines(model.edits)} if model.edits else {}),
    }
    text = "{\n" + ",\n".join(f'  "{key}": {text}' for key, text in entries.items()) + "\n}\n"
    # The name of a file may hold what no encoding can write; JSON has an escape for it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _version(model: Model) -> int:
    """Return the oldest version that holds a model."""
    if model.choices:
        return 4
    if any(edit.who or edit.before for edit in model.edits):
        return 3
    return 1 if model.risk is None else 2


def union_if_any(card: Scorecard) -> BoxSet | None:
    """Return the union of a card; None if it has none, or one so large that no reader would compare it."""
    try:
        return union_within(card, 0)
    except ValueError:
        return None


def _edit_lines(edits: tuple[Edit, ...]) -> str:
    """Write an edit per line."""
    return "[\n" + ",\n".join(f"    {_dump(edit.as_dict())}" for edit in edits) + "\n  ]"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def model_from_json(text: str | bytes, name: str = "this JSON") -> Model:
    """Read what `model_to_json`, ``BoxSet.to_json`` or ``Scorecard.to_json`` wrote, perhaps edited by hand."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(content).hexdigest()[:16]
    return replace(read_text(text, _read, f"{name} is not a model of boxdraw"), digest=digest)


def _read(data: Any, size: int) -> Model:
    if not isinstance(data, dict):
        raise ValueError(f"expected an object {{...}}, got {kind_of(data)}")
    found = data.get("format")
    if found == BOXES_FORMAT:
        return Model(read_boxes(data, size))
    if found == CARD_FORMAT:
        return Model(read_card(data, size))
    if found != FORMAT:
        got = reprlib.repr(found) if "format" in data else "none"
        raise ValueError(f'expected "format": "{FORMAT}", "{BOXES_FORMAT}" or "{CARD_FORMAT}", got {got}')
    check_header(data, FORMAT, VERSION)
    _check_keys(data)
    target, fit = data["target"], data.get("fit", {})
    if target is not None and not isinstance(target, str):
        raise ValueError(f"target: expected the name of a column or null, got {reprlib.repr(target)}")
    if not isinstance(fit, dict):
        raise ValueError(f"fit: expected an object {{...}}, got {reprlib.repr(fit)}")
    _check_finite(fit)
    classes, edits = _classes(data["classes"]), _edits(data.get("edits", []), (whole(data["version"]) or 0) >= 3)
    drawing, risk, choices = _drawing(data, size), None, Choices()
    if "risk" in data:
        with within("risk"):
            risk = read_risk(data["risk"], size, drawing)
    if "choices" in data:
        with within("choices"):
            choices = read_choices(data["choices"], size)
    return Model(drawing, target, classes, fit, edits, risk, choices.beside(drawing))


def _check_keys(data: dict[str, Any]) -> None:
    # The boxes follow from a scorecard.
    missing = [key for key in (*_REQUIRED, *(() if "scorecard" in data else ("boxes",))) if key not in data]
    version = whole(data.get("version")) or 0
    known = {key for key in (*_REQUIRED, *_OPTIONAL) if version >= _SINCE.get(key, 1)}
    unknown = sorted(set(data) - known)
    if missing or unknown:
        raise ValueError(
            f"it lacks {', '.join(missing)}" if missing else f"it has unknown keys {reprlib.repr(unknown)}"
        )


def _drawing(data: dict[str, Any], size: int) -> BoxSet | Scorecard:
    """Read the scorecard if there is one, or else the boxes; raise if the two do not agree."""
    boxes = card = None
    if "boxes" in data:
        with within("boxes"):
            boxes = read_boxes(data["boxes"], size, "the object")
    if "scorecard" in data:
        with within("scorecard"):
            card = read_card(data["scorecard"], size)
    if boxes is not None and card is not None and union_within(card, size) != boxes:
        raise ValueError(
            "boxes and scorecard do not agree: take the scorecard out to go by the boxes, or make the boxes the "
            "union of the scorecard again"
        )
    drawing = boxes if card is None else card
    assert drawing is not None  # `_check_keys` has seen one of them
    return drawing


def _check_finite(value: Any) -> None:
    """Raise if a number could not be written again."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, float) and not math.isfinite(value):
            raise ValueError("fit: a number is larger than a float can hold, or has more than 1000 digits")


def _classes(values: Any) -> tuple[Any, Any]:
    """Read the two labels."""
    pair = isinstance(values, list) and len(values) == 2 and type(values[0]) is type(values[1])
    if not pair or values[0] == values[1] or not all(map(_is_label, values)):
        raise ValueError(
            "classes: expected two different labels of one type, negative then positive, each a text, a number or "
            f"true or false; got {reprlib.repr(values)}"
        )
    return values[0], values[1]


def _is_label(value: Any) -> bool:
    return isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


def _edits(values: Any, signed: bool) -> tuple[Edit, ...]:
    """Read what people changed; ``signed`` edits may say who did it, and the hash of the file before."""
    if not isinstance(values, list):
        raise ValueError(f"edits: expected a list [...], got {reprlib.repr(values)}")
    for k, value in enumerate(values):
        if not isinstance(value, dict) or not {*_EDIT} <= set(value) <= {*_EDIT, *(_SINCE_3 if signed else ())}:
            keys = ", ".join(_EDIT) + (f" and perhaps {', '.join(_SINCE_3)}" if signed else "")
            raise ValueError(f"edits[{k}]: expected an object with {keys}, got {reprlib.repr(value)}")
        for key in value:
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
