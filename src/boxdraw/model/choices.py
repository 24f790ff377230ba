"""Choices: rules of other lengths, and for other costs, that a learner found beside those of the model.

The layout in a model file::

    {
      "boxes": {"format": "boxdraw.boxes", ...},
      "frontier": [{"boxes": [0], "score": 0.81, "error": 0.02}, ...],
      "path": [{"boxes": [0, 2], "cost": 0.1}, ...]
    }

``boxes`` of a choice are the positions, from 0, of its boxes among those of the table; of a scorecard there are
``points`` and ``threshold``, too. The frontier goes from short to long, with held-out scores where there were folds;
the path goes over costs of a false alarm.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.json import plain, read_boxes, read_number
from boxdraw.model.export.json import to_json as boxes_to_json
from boxdraw.model.export.scorecard import read_points
from boxdraw.model.reader import cells_within, check_keys, list_at, whole, within
from boxdraw.model.scorecard import Scorecard

__all__ = ["Choice", "Choices", "read_choices", "to_json"]

_FIGURES = ("score", "error", "cost")
_CARD = ("points", "threshold")


@dataclass(frozen=True, slots=True)
class Choice:
    """Other rules, with what is known of them."""

    drawing: BoxSet | Scorecard
    score: float | None = None  # on held-out rows
    error: float | None = None  # its standard error
    cost: float | None = None  # of a false alarm that they are drawn for

    @property
    def boxes(self) -> BoxSet:
        """The boxes, of a scorecard those with points."""
        return self.drawing.boxes if isinstance(self.drawing, Scorecard) else self.drawing


@dataclass(frozen=True, slots=True)
class Choices:
    """The rules of each length, and those for each cost."""

    frontier: tuple[Choice, ...] = ()
    path: tuple[Choice, ...] = ()

    @classmethod
    def of(cls, estimator: Any) -> Choices:
        """Return what a learner has found."""
        frontier = (
            Choice(_drawing(point), _known(point.score), _known(point.error))
            for point in getattr(estimator, "frontier_", ())
        )
        path = (Choice(boxes, cost=cost) for cost, boxes in getattr(estimator, "path_", ()))
        return cls(tuple(frontier), tuple(path))

    def beside(self, drawing: BoxSet | Scorecard) -> Choices:
        """Return those that can stand beside a drawing: rules of its kind on the same columns.

        There are none where they have so many boxes on so many columns that no reader would take them.
        """
        columns = _columns(Choice(drawing))
        if sum(one.boxes.lower.size for one in (*self.frontier, *self.path)) > cells_within(0):
            return Choices()

        def alike(some: tuple[Choice, ...]) -> tuple[Choice, ...]:
            return tuple(one for one in some if type(one.drawing) is type(drawing) and _columns(one) == columns)

        return Choices(alike(self.frontier), alike(self.path))

    def __bool__(self) -> bool:
        return bool(self.frontier or self.path)


def _drawing(point: Any) -> BoxSet | Scorecard:
    drawing: BoxSet | Scorecard = point.boxes if hasattr(point, "boxes") else point.scorecard
    return drawing


def _known(figure: float) -> float | None:
    return float(figure) if math.isfinite(figure) else None


def _columns(choice: Choice) -> tuple[Any, ...]:
    return choice.boxes.feature_names, choice.boxes.categories


def to_json(choices: Choices) -> str:
    """Write choices as JSON that `read_choices` reads back to the last bit; boxes that many share are written once."""
    every = [box for choice in (*choices.frontier, *choices.path) for box in choice.boxes]
    place = {box: k for k, box in enumerate(dict.fromkeys(every))}
    of_place = sum(place, (choices.frontier or choices.path)[0].boxes[:0])
    parts = [f'  "boxes": {_indented(boxes_to_json(of_place))}']
    for key in ("frontier", "path"):
        some = [f"    {json.dumps(_entry(choice, place), allow_nan=False)}" for choice in getattr(choices, key)]
        parts += [f'  "{key}": [\n' + ",\n".join(some) + "\n  ]"] if some else []
    return "{\n" + ",\n".join(parts) + "\n}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _entry(choice: Choice, place: dict[BoxSet, int]) -> dict[str, Any]:
    card = choice.drawing if isinstance(choice.drawing, Scorecard) else None
    known = {key: plain(value) for key in _FIGURES if (value := getattr(choice, key)) is not None}
    points = {} if card is None else {"points": list(card.points), "threshold": card.threshold}
    return {"boxes": [place[box] for box in choice.boxes]} | points | known


def read_choices(data: Any, size: int) -> Choices:
    """Build choices from what `boxdraw.model.reader.read_text` parsed, of a text of some length."""
    check_keys(data, "the object", required=("boxes",), optional=("frontier", "path"))
    with within("boxes"):
        boxes = read_boxes(data["boxes"], size, "the object")
    return Choices(*(tuple(_read_list(data, key, boxes)) for key in ("frontier", "path")))


def _read_list(data: dict[str, Any], key: str, boxes: BoxSet) -> Iterable[Choice]:
    for i, item in enumerate(list_at({key: [], **data}, key, "")):
        where = f"{key}[{i}]"
        check_keys(item, where, required=("boxes",), optional=(*_CARD, *_FIGURES))
        numbers = [whole(value) for value in list_at(item, "boxes", f"{where}.")]
        if not all(number is not None and 0 <= number < len(boxes) for number in numbers):
            raise ValueError(f"{where}.boxes: expected whole numbers from 0 to {len(boxes) - 1}")
        some = boxes[[number for number in numbers if number is not None]]
        drawing: BoxSet | Scorecard = some
        if "points" in item or "threshold" in item:
            check_keys(item, where, required=("boxes", *_CARD), optional=_FIGURES)
            points = [read_points(value, f"{where}.points") for value in list_at(item, "points", f"{where}.")]
            drawing = Scorecard(some, points, read_points(item["threshold"], f"{where}.threshold"))
        yield Choice(drawing, **{name: read_number(item[name], f"{where}.{name}") for name in _FIGURES if name in item})
