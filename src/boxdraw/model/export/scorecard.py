"""Scorecards as text, tables and JSON.

The layout of the JSON, version 1::

    {
      "format": "boxdraw.scorecard",
      "version": 1,
      "threshold": 4,
      "points": [3, 2],
      "boxes": {"format": "boxdraw.boxes", ...}
    }

``points`` has a whole number for each box, in their order; ``boxes`` is as in `boxdraw.model.export.json`. A row is
flagged if the points of the boxes that hold it add up to ``threshold`` or more. The file ``scorecard.schema.json``
beside this module says the same as a JSON Schema.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.html import FORM, html_table
from boxdraw.model.export.json import read_boxes
from boxdraw.model.export.json import to_json as boxes_to_json
from boxdraw.model.export.markdown import markdown_table
from boxdraw.model.export.text import MAX_REPR_BOXES, rule_texts, summary
from boxdraw.model.export.view import points_text
from boxdraw.model.reader import cells_within, check_header, check_keys, kind_of, list_at, read_text, whole, within
from boxdraw.model.scorecard import MAX_POINTS, Scorecard
from boxdraw.model.union import MAX_SETS, count_sets

if TYPE_CHECKING:
    from boxdraw.model.risk import RiskTable

__all__ = ["FORMAT", "VERSION", "from_json", "to_columns", "to_html", "to_json", "to_markdown", "to_text"]

#: What marks a file as a scorecard.
FORMAT = "boxdraw.scorecard"
#: The newest layout that this version of the library reads, and the one it writes.
VERSION = 1

_NOTHING = "No box: nothing is flagged."


def to_text(card: Scorecard, risk: RiskTable | None = None) -> str:
    """Write a line per box, one that says from how many points a row is flagged, and one per region of a risk."""
    return "\n".join(
        [*_lines(card, len(card)), _alarm(card), *([risk.to_text()] if risk is not None and len(card) else [])]
    )


def _lines(card: Scorecard, most: int) -> list[str]:
    """Write the first boxes, a line each."""
    pairs = zip(card.points[:most], rule_texts(card.boxes[:most]), strict=True)
    return [f"{points_text(value)}: {rule}" for value, rule in pairs]


def _alarm(card: Scorecard) -> str:
    """Write the threshold."""
    if not len(card):
        return _NOTHING
    most, least = (sum(value for value in card.points if value * sign > 0) for sign in (1, -1))
    always = card.threshold <= least
    remark = ", which no row can reach" if card.threshold > most else ", which every row has" if always else ""
    return f"Alarm from {points_text(card.threshold)}{remark}."


def _number(value: int) -> str:
    """Write a whole number, with a true minus sign."""
    return str(value).replace("-", "−")


def to_repr(card: Scorecard) -> str:
    """Write a title and the first boxes."""
    lines = _lines(card, MAX_REPR_BOXES)
    if len(card) > MAX_REPR_BOXES:
        lines.append(f"... and {len(card) - MAX_REPR_BOXES} more")
    return "\n".join([summary(card.boxes, "Scorecard"), *lines, _alarm(card)])


def to_columns(card: Scorecard) -> dict[str, Any]:
    """Return the columns of the frame of a card, typed even where there are no boxes."""
    return {"rule": np.array(rule_texts(card.boxes), np.str_), "points": np.array(card.points, np.int64)}


def to_html(card: Scorecard, risk: RiskTable | None = None) -> str:
    """Write a card as a form: a row per box with room for its points, the total, and the risk; names are escaped."""
    rows = [(str(k), rule, points, "") for k, (points, rule) in enumerate(_rows(card), start=1)]
    foot = [("", f"Total. {_alarm(card)}", "", "")] if rows else []
    caption = summary(card.boxes, "Scorecard")
    table = html_table(caption, ("Box", "Rule", "Points", "Score"), rows, _NOTHING, foot, FORM)
    return table if risk is None else f"{table}\n{risk.to_html()}"


def to_markdown(card: Scorecard, risk: RiskTable | None = None) -> str:
    """Write a card as a Markdown table with a row per box, a line below it, and a table of the risk."""
    rows = _rows(card)
    table = f"{markdown_table(('Points', 'Rule'), rows)}\n\n{_alarm(card)}" if rows else _NOTHING
    return table if risk is None else f"{table}\n\n{risk.to_markdown()}"


def _rows(card: Scorecard) -> list[tuple[str, str]]:
    return [(_number(value), rule) for value, rule in zip(card.points, rule_texts(card.boxes), strict=True)]


def to_json(card: Scorecard) -> str:
    """Write a card as JSON that `from_json` reads back to the last bit."""
    entries = {
        "format": f'"{FORMAT}"',
        "version": str(VERSION),
        "threshold": str(card.threshold),
        "points": str(list(card.points)),
        "boxes": boxes_to_json(card.boxes).replace("\n", "\n  "),
    }
    return "{\n" + ",\n".join(f'  "{key}": {text}' for key, text in entries.items()) + "\n}"


def from_json(text: str | bytes) -> Scorecard:
    """Read a card from JSON text; the ValueError for any other text says what is wrong and where."""
    return read_text(text, read_card, "cannot read a scorecard from this JSON")


def read_card(data: Any, size: int) -> Scorecard:
    """Build a card from what `boxdraw.model.reader.read_text` parsed, of a text of some length."""
    check_header(data, FORMAT, VERSION)
    check_keys(data, "the file", required=("format", "version", "threshold", "points", "boxes"))
    threshold = read_points(data["threshold"], "threshold")
    points = [read_points(value, f"points[{k}]") for k, value in enumerate(list_at(data, "points", ""))]
    with within("boxes"):
        boxes = read_boxes(data["boxes"], size, "the object")
    return Scorecard(boxes, points, threshold)


def union_within(card: Scorecard, size: int) -> BoxSet:
    """Return the union of a card that comes from a text of some length; raise if it takes far more memory than that."""
    if card._union is not None:
        return card._union
    known = sum(len(values) for values in card.boxes.categories if values is not None)
    columns = len(card) + 2 * int(card.boxes.limited.any(axis=0).sum()) + known
    n_sets = count_sets(card.points, card.threshold)
    if n_sets <= MAX_SETS and n_sets * columns > cells_within(size):
        raise ValueError(
            f"the scorecard has {n_sets} sets of boxes on {columns} columns, too many to write as a union of boxes; "
            "use fewer boxes"
        )
    return card.union()


def read_points(value: Any, where: str) -> int:
    """Return a number of points."""
    number = whole(value)
    if number is None:
        raise ValueError(
            f"{where}: expected a whole number, got {value if isinstance(value, float) else kind_of(value)}"
        )
    if abs(number) > MAX_POINTS:
        raise ValueError(f"{where}: expected a whole number of at most {MAX_POINTS} in size, got {reprlib.repr(value)}")
    return number
