"""Scorecards as text, tables, SQL and JSON.

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

from collections.abc import Sequence
from typing import Any

import numpy as np

from boxdraw.model.export.html import html_table
from boxdraw.model.export.json import check_header, check_keys, kind_of, list_at, read_boxes, read_text
from boxdraw.model.export.json import to_json as boxes_to_json
from boxdraw.model.export.markdown import markdown_table
from boxdraw.model.export.sql import Engine, case_lines, conditions_of, engine_of, query, written_labels
from boxdraw.model.export.text import MAX_REPR_BOXES, rule_texts, summary
from boxdraw.model.rule import Category
from boxdraw.model.scorecard import MAX_POINTS, Scorecard

__all__ = ["FORMAT", "VERSION", "from_json", "to_columns", "to_html", "to_json", "to_markdown", "to_sql", "to_text"]

#: What marks a file as a scorecard.
FORMAT = "boxdraw.scorecard"
#: The newest layout that this version of the library reads, and the one it writes.
VERSION = 1

_NOTHING = "No box: nothing is flagged."


def to_text(card: Scorecard) -> str:
    """Write a line per box, and one that says from how many points a row is flagged.

    Parameters
    ----------
    card : Scorecard
        The card to write.

    Returns
    -------
    str
        The lines, with the rules of `boxdraw.model.export.text.rule_texts`.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> print(to_text(Scorecard(BoxSet([[1], [5]], [[2], [6]]), [1, 2], 4)))
    1 point: 1 ≤ x0 ≤ 2
    2 points: 5 ≤ x0 ≤ 6
    Alarm from 4 points, which no row can reach.
    """
    return "\n".join([*_lines(card, len(card)), _alarm(card)])


def _lines(card: Scorecard, most: int) -> list[str]:
    """Write the first boxes, a line each."""
    pairs = zip(card.points[:most], rule_texts(card.boxes[:most]), strict=True)
    return [f"{_points(value)}: {rule}" for value, rule in pairs]


def _alarm(card: Scorecard) -> str:
    """Say from how many points a row is flagged."""
    if not len(card):
        return _NOTHING
    most, least = (sum(value for value in card.points if value * sign > 0) for sign in (1, -1))
    always = card.threshold <= least
    remark = ", which no row can reach" if card.threshold > most else ", which every row has" if always else ""
    return f"Alarm from {_points(card.threshold)}{remark}."


def _points(value: int) -> str:
    return f"{_number(value)} {'point' if abs(value) == 1 else 'points'}"


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
    """Return the columns of the frame of a card: a rule and points per box.

    Parameters
    ----------
    card : Scorecard
        The card.

    Returns
    -------
    dict of str to ndarray
        The columns ``rule`` and ``points``, typed even where there are no boxes.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> to_columns(Scorecard(BoxSet([[1]], [[2]]), [3], 2))["points"]
    array([3])
    """
    return {"rule": np.array(rule_texts(card.boxes), np.str_), "points": np.array(card.points, np.int64)}


def to_html(card: Scorecard) -> str:
    """Write a card as a table with a row per box.

    Parameters
    ----------
    card : Scorecard
        The card to write.

    Returns
    -------
    str
        A fragment of HTML like that of boxes; names are escaped.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> "1 ≤ a&lt;b ≤ 2" in to_html(Scorecard(BoxSet([[1]], [[2]], feature_names=["a<b"]), [3], 2))
    True
    """
    caption = _alarm(card) if len(card) else summary(card.boxes, "Scorecard")
    return html_table(caption, ("Points", "Rule"), _rows(card), _NOTHING)


def to_markdown(card: Scorecard) -> str:
    """Write a card as a table with a row per box, in GitHub's kind of Markdown, and a line below it.

    Parameters
    ----------
    card : Scorecard
        The card to write.

    Returns
    -------
    str
        The table. Names and categories are escaped, so that each is read as it is.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> print(to_markdown(Scorecard(BoxSet([[1]], [[2]]), [3], 2)))
    | Points | Rule |
    | ---: | :--- |
    | 3 | 1 ≤ x0 ≤ 2 |
    <BLANKLINE>
    Alarm from 2 points.
    """
    rows = _rows(card)
    return f"{markdown_table(('Points', 'Rule'), rows)}\n\n{_alarm(card)}" if rows else _NOTHING


def _rows(card: Scorecard) -> list[tuple[str, str]]:
    return [(_number(value), rule) for value, rule in zip(card.points, rule_texts(card.boxes), strict=True)]


def to_sql(
    card: Scorecard,
    table: str | Sequence[str] | None = None,
    *,
    dialect: str = "sqlite",
    column: str | None = "flagged",
    points_column: str | None = "points",
    positive: Category = 1,
    negative: Category = 0,
) -> str:
    """Write a card as a SQL expression, or as a query.

    Parameters
    ----------
    card : Scorecard
        The card to write.
    table : str or sequence of str, optional
        The table to query, as in `boxdraw.BoxSet.to_sql`. By default only the expression of the label is written,
        or that of the points if ``column`` is None.
    dialect : str
        One of `boxdraw.model.export.sql.DIALECTS`.
    column, points_column : str or None
        The names of the columns with the labels and the points, which must not be those of features. Either can be
        None, to be left out of a query.
    positive, negative : str, int, float or bool
        The labels of rows that have enough points and of those that do not; both text, both numbers, or both true and
        false.

    Returns
    -------
    str
        The SQL, without a semicolon. What `boxdraw.BoxSet.to_sql` promises and needs holds here too: each row gets the
        points of `Scorecard.score`, and the positive label exactly where `Scorecard.contains` is True.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> card = Scorecard(BoxSet([[30], [40]], [[50], [60]], feature_names=["age"]), [3, 2], 4)
    >>> print(to_sql(card))
    CASE
      WHEN (
        CASE
          WHEN `age` BETWEEN 30.0 AND 50.0
          THEN 3
          ELSE 0
        END
        + CASE
          WHEN `age` BETWEEN 40.0 AND 60.0
          THEN 2
          ELSE 0
        END
      ) >= 4
      THEN 1
      ELSE 0
    END
    >>> print(to_sql(Scorecard(card.boxes[:0], [], 1), "people", dialect="duckdb", column=None))
    SELECT
      *,
      (
        0
      ) AS "points"
    FROM "people"
    """
    engine = engine_of(dialect)
    total = _sum_lines(card, engine)
    flag = _flag_lines(total, card.threshold, *written_labels(positive, negative, engine))
    if table is None:
        return "\n".join(total if column is None else flag)
    columns = {"points": (points_column, total), "labels": (column, flag)}
    named = {what: (name, lines) for what, (name, lines) in columns.items() if name is not None}
    if not named:
        raise ValueError("column and points_column are both None: a query needs one of them")
    return query(card.boxes, named, table, engine)


def _sum_lines(card: Scorecard, engine: Engine) -> list[str]:
    """Write the points of a row, in brackets."""
    lines: list[str] = []
    for value, conditions in zip(card.points, conditions_of(card.boxes, engine), strict=True):
        first, *others = case_lines([(conditions, str(value))], "0")
        lines += [f"+ {first}" if lines else first, *others]
    return ["(", *(f"  {line}" for line in lines or ["0"]), ")"]


def _flag_lines(total: list[str], threshold: int, inside: str, outside: str) -> list[str]:
    """Write the label of a row."""
    first, *others, last = total
    lines = [f"WHEN {first}", *others, f"{last} >= {threshold}", f"THEN {inside}", f"ELSE {outside}"]
    return ["CASE", *(f"  {line}" for line in lines), "END"]


def to_json(card: Scorecard) -> str:
    """Write a card as JSON.

    Parameters
    ----------
    card : Scorecard
        The card to write.

    Returns
    -------
    str
        The text, which `from_json` reads back to the last bit.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> print(to_json(Scorecard(BoxSet([[1]], [[2]], feature_names=["age"]), [3], 2)))
    {
      "format": "boxdraw.scorecard",
      "version": 1,
      "threshold": 2,
      "points": [3],
      "boxes": {
        "format": "boxdraw.boxes",
        "version": 1,
        "features": [
          {"name": "age", "kind": "numeric"}
        ],
        "boxes": [
          {"limits": [
            {"feature": "age", "lower": 1, "upper": 2}
          ]}
        ]
      }
    }
    """
    entries = {
        "format": f'"{FORMAT}"',
        "version": str(VERSION),
        "threshold": str(card.threshold),
        "points": str(list(card.points)),
        "boxes": boxes_to_json(card.boxes).replace("\n", "\n  "),
    }
    return "{\n" + ",\n".join(f'  "{key}": {text}' for key, text in entries.items()) + "\n}"


def from_json(text: str | bytes) -> Scorecard:
    """Read a card from JSON text.

    Parameters
    ----------
    text : str or bytes
        What `to_json` wrote, or the same edited by hand. Bytes are decoded as UTF-8.

    Returns
    -------
    Scorecard
        The card.

    Raises
    ------
    ValueError
        If the text is anything but such a file; the message says what is wrong and where.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> card = Scorecard(BoxSet([[1, 2]], [[3, 4]], feature_names=["a", "b"]), [3], 2)
    >>> from_json(to_json(card)) == card
    True
    """
    return read_text(text, read_card, "a scorecard")


def read_card(data: Any) -> Scorecard:
    """Make a card from what `boxdraw.model.export.json.read_text` parsed."""
    check_header(data, FORMAT, VERSION)
    check_keys(data, "the file", required=("format", "version", "threshold", "points", "boxes"))
    threshold = _whole(data["threshold"], "threshold")
    points = [_whole(value, f"points[{k}]") for k, value in enumerate(list_at(data, "points", ""))]
    try:
        boxes = read_boxes(data["boxes"], "the object")
    except ValueError as error:
        raise ValueError(f"in boxes: {error}") from None
    return Scorecard(boxes, points, threshold)


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, float) or not value.is_integer():
        got = value if isinstance(value, float) else kind_of(value)
        raise ValueError(f"{where}: expected a whole number, got {got}")
    if abs(value) > MAX_POINTS:
        raise ValueError(f"{where}: expected a whole number of at most {MAX_POINTS} in size, got {value:g}")
    return int(value)
