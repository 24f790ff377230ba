"""Boxes as a Markdown table, for reports and issues."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from boxdraw.model.export.text import rule_texts

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet

__all__ = ["to_markdown"]

# What Markdown, or GitHub's kind of it, takes for more than text within a line; the last two begin links.
_SPECIAL = re.compile(r"[\\`*_\[\]|~$]|:(?=/)|(?<=www)\.", re.IGNORECASE)
# Spaces that a table cell would lose: at the ends, and all but the first of several.
_LOST = re.compile(r"^\s|\s$|(?<=\s)\s")


def to_markdown(boxes: BoxSet) -> str:
    """Write the boxes as a table with a row per box, in GitHub's kind of Markdown."""
    rows = [(str(i), rule) for i, rule in enumerate(rule_texts(boxes), start=1)]
    return markdown_table(("Box", "Rule"), rows or [("", "No boxes: no row is flagged")])


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table, its first column flush right. The texts of the rows are escaped."""
    escaped = [[_escaped(cell) for cell in row] for row in rows]
    ends = ["---:", *[":---"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ends, *escaped])


def _escaped(text: str) -> str:
    """Make text that Markdown reads as it is."""
    # HTML comes as references: readers that do not know a backslash before < would see a tag.
    text = _SPECIAL.sub(r"\\\g<0>", escape(text, quote=False))
    return _LOST.sub(lambda found: f"&#{ord(found[0])};", text)
