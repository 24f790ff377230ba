"""Boxes as an HTML table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from boxdraw.export.text import rule_texts, summary

if TYPE_CHECKING:
    from boxdraw.boxes import BoxSet

__all__ = ["to_html"]

_CELL = ' style="text-align:left"'


def to_html(boxes: BoxSet) -> str:
    """Write the boxes as a table with a row per box.

    Parameters
    ----------
    boxes : BoxSet
        The boxes to write.

    Returns
    -------
    str
        A self-contained fragment of HTML. It sets no colours, so it follows the theme of the page; names
        are escaped.

    Examples
    --------
    >>> from boxdraw.boxes import BoxSet
    >>> "1 ≤ a&lt;b ≤ 2" in to_html(BoxSet([[1]], [[2]], feature_names=["a<b"]))
    True
    """
    rows = [_row(str(i), escape(rule)) for i, rule in enumerate(rule_texts(boxes), start=1)]
    if not rows:
        rows = [f"<tr><td{_CELL} colspan=2>No boxes: no row is flagged</td></tr>"]
    head = f"<tr><th{_CELL} scope=col>Box</th><th{_CELL} scope=col>Rule</th></tr>"
    return "\n".join(
        [
            "<table>",
            f"<caption{_CELL}>{escape(summary(boxes))}</caption>",
            f"<thead>{head}</thead>",
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
        ]
    )


def _row(number: str, rule: str) -> str:
    return f"<tr><td{_CELL}>{number}</td><td{_CELL}>{rule}</td></tr>"
