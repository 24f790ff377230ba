"""Boxes as an HTML table, and the cards that notebooks show of boxes, scorecards and fitted classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from boxdraw.model.export.text import MAX_REPR_BOXES, printable, rule_texts, summary

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

__all__ = ["boxes_card", "classifier_card", "to_html"]

_CELL = ' style="text-align:left"'
#: A cell of a form, with a line to write on.
FORM = ' style="text-align:left;font-size:small;border-bottom:thin solid;break-inside:avoid"'
_MOST_NAMES = 20  # of features that are listed


def to_html(boxes: BoxSet) -> str:
    """Write the boxes as a table with a row per box."""
    rows = [(str(i), rule) for i, rule in enumerate(rule_texts(boxes), start=1)]
    return html_table(summary(boxes), ("Box", "Rule"), rows, "No boxes: no row is flagged")


def html_table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    nothing: str,
    foot: Sequence[Sequence[str]] = (),
    cell: str = _CELL,
) -> str:
    """Write a table; without rows, a single cell that says so. All texts are escaped."""

    def lines(rows: Sequence[Sequence[str]]) -> list[str]:
        return [f"<tr>{''.join(f'<td{cell}>{escape(text)}</td>' for text in row)}</tr>" for row in rows]

    names = "".join(f"<th{cell} scope=col>{escape(name)}</th>" for name in head)
    return "\n".join(
        [
            "<table>",
            f"<caption{_CELL}>{escape(caption)}</caption>",
            f"<thead><tr>{names}</tr></thead>",
            "<tbody>",
            *(lines(rows) or [f"<tr><td{_CELL} colspan={len(head)}>{escape(nothing)}</td></tr>"]),
            "</tbody>",
            *(["<tfoot>", *lines(foot), "</tfoot>"] if foot else []),
            "</table>",
        ]
    )


def boxes_card(boxes: BoxSet) -> str:
    """Write the boxes as notebooks show them: a table, and the features that they limit."""
    few = boxes[:MAX_REPR_BOXES]
    rows = [(str(i), rule) for i, rule in enumerate(rule_texts(few), start=1)]
    if len(boxes) > len(few):
        rows.append(("...", f"and {len(boxes) - len(few)} more"))
    table = html_table(summary(boxes), ("Box", "Rule"), rows, "No boxes: no row is flagged")
    return f"{table}\n{_features_line(boxes)}"


def classifier_card(estimator: Any) -> str:
    """Write a fitted classifier as notebooks show it: what it is, its rules, and what it was learned with."""
    from boxdraw.model.settings import learned_with

    card = getattr(estimator, "scorecard_", None)
    name, label = escape(type(estimator).__name__), escape(printable(str(estimator.pos_label_)))
    what = "a row in any of these boxes" if card is None else "a row with enough points"
    risk = estimator.__dict__.get("risk_table_")
    rules = boxes_card(estimator.boxes_) if card is None else f"{card.to_html(risk)}\n{_features_line(card.boxes)}"
    head = f"<p><strong>{name}</strong>: {what} is predicted to be <strong>{label}</strong></p>"
    settings = learned_with(estimator)
    known = settings.pop("parameters") | settings
    words = ", ".join(f"{key} = {_value(value)}" for key, value in known.items())
    return "\n".join(["<div>", head, rules, *([f"<p>{escape(words)}</p>"] if words else []), "</div>"])


def _features_line(boxes: BoxSet) -> str:
    """List the features that the boxes limit."""
    used = [boxes.feature_names[j] for j in range(boxes.n_features) if boxes.limited[:, j].any()]
    names = ", ".join(printable(name) for name in used[:_MOST_NAMES])
    more = f" and {len(used) - _MOST_NAMES} more" if len(used) > _MOST_NAMES else ""
    features = "feature" if boxes.n_features == 1 else "features"
    return f"<p>Looks at {len(used)} of {boxes.n_features} {features}{': ' if used else ''}{escape(names + more)}</p>"


def _value(value: Any) -> str:
    """Write a setting in few characters."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"({', '.join(map(_value, value))})"
    return f"{value:.4g}" if isinstance(value, float) else printable(str(value))
