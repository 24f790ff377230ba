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
    rows = [(str(i), rule) for i, rule in enumerate(rule_texts(boxes), start=1)]
    return html_table(summary(boxes), ("Box", "Rule"), rows, "No boxes: no row is flagged")


def html_table(caption: str, head: tuple[str, str], rows: list[tuple[str, str]], nothing: str) -> str:
    """Write a table of two columns; without rows, a single cell that says so. All texts are escaped."""
    cells = [f"<tr><td{_CELL}>{escape(first)}</td><td{_CELL}>{escape(second)}</td></tr>" for first, second in rows]
    names = "".join(f"<th{_CELL} scope=col>{escape(name)}</th>" for name in head)
    return "\n".join(
        [
            "<table>",
            f"<caption{_CELL}>{escape(caption)}</caption>",
            f"<thead><tr>{names}</tr></thead>",
            "<tbody>",
            *(cells or [f"<tr><td{_CELL} colspan=2>{escape(nothing)}</td></tr>"]),
            "</tbody>",
            "</table>",
        ]
    )
