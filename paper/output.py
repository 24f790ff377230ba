"""Write results atomically: CSV for machines, Markdown for readers, PNG and SVG for pictures."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxdraw._core.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Row", "csv_text", "markdown_table", "number", "save_all", "save_figure", "save_text"]

Row = dict[str, Any]


def csv_text(rows: Sequence[Row]) -> str:
    """Write rows as CSV, numbers with all digits and missing ones empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0] if rows else [])
    writer.writerows([_plain(value) for value in row.values()] for row in rows)
    return file.getvalue()


def _plain(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return int(value)
    return repr(float(value)) if isinstance(value, float) else value


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [list(header), ["---"] * len(header), *map(list, rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def number(value: float, digits: int = 4, sign: bool = False) -> str:
    """Format a number for readers; a dash if it is missing."""
    if math.isnan(value):
        return "-"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"


def save_text(path: Path, text: str) -> Path:
    """Write a text file in UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())
    return path


def save_figure(path: Path, figure: Figure) -> list[Path]:
    """Write a picture as PNG and SVG, the same bytes each time."""
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    # With a fixed salt and without a date, an unchanged picture is the same file.
    with matplotlib.rc_context({"svg.hashsalt": "boxdraw"}):
        for ending, options in ((".png", {"dpi": 110}), (".svg", {"dpi": 110, "metadata": {"Date": None}})):
            target = path.with_name(path.name + ending)
            with replacing(target) as file:
                figure.savefig(file, format=ending[1:], **options)
            written.append(target)
    return written


def save_all(path: Path, rows: Sequence[Row], text: str, figure: Figure | None = None) -> list[Path]:
    """Write the rows as CSV, the text as Markdown, and the picture if there is one."""
    written = [
        save_text(path.with_name(f"{path.name}.csv"), csv_text(rows)),
        save_text(path.with_name(f"{path.name}.md"), text),
    ]
    return written if figure is None else [*written, *save_figure(path, figure)]
