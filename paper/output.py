"""Writing results: CSV for machines, Markdown for readers, PNG and SVG for pictures; complete files or none."""

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
    r"""Write rows as CSV; numbers with all their digits, and nothing where there is no number.

    Parameters
    ----------
    rows : sequence of dict
        All with the same keys, which are the header.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> csv_text([{"a": 0.1, "b": float("nan")}])
    'a,b\n0.1,\n'
    """
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
    r"""Write a Markdown table.

    Parameters
    ----------
    header : sequence of str
        The titles.
    rows : iterable of sequences of str
        The cells.

    Returns
    -------
    str
        Lines, with an end of line after the last one.

    Examples
    --------
    >>> print(markdown_table(["a", "b"], [["1", "x|y"]]), end="")
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    lines = [list(header), ["---"] * len(header), *map(list, rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def number(value: float, digits: int = 4, sign: bool = False) -> str:
    """Write a number for readers; a dash if there is none.

    Parameters
    ----------
    value : float
        The number, or NaN.
    digits : int
        Decimals.
    sign : bool
        Whether a plus is written.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> number(0.5), number(0.5, 2, sign=True), number(float("nan"))
    ('0.5000', '+0.50', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"


def save_text(path: Path, text: str) -> Path:
    """Write a text as UTF-8.

    Parameters
    ----------
    path : Path
        Where; what is there is replaced.
    text : str
        What.

    Returns
    -------
    Path
        The same path.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_text(Path(folder, "new", "a.md"), "text").read_text()
    'text'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())
    return path


def save_figure(path: Path, figure: Figure) -> list[Path]:
    """Write a picture as PNG and as SVG, the same bytes each time.

    Parameters
    ----------
    path : Path
        Where, without an ending.
    figure : matplotlib Figure
        What.

    Returns
    -------
    list of Path
        Both files.

    Examples
    --------
    >>> import tempfile
    >>> from boxdraw.plotting._matplotlib import new_figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save_figure(Path(folder, "plot"), new_figure(1, 1))]
    ['plot.png', 'plot.svg']
    """
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    # Without a salt and without a date a picture that has not changed is the same file.
    with matplotlib.rc_context({"svg.hashsalt": "boxdraw"}):
        for ending, options in ((".png", {"dpi": 110}), (".svg", {"dpi": 110, "metadata": {"Date": None}})):
            target = path.with_name(path.name + ending)
            with replacing(target) as file:
                figure.savefig(file, format=ending[1:], **options)
            written.append(target)
    return written


def save_all(path: Path, rows: Sequence[Row], text: str, figure: Figure | None = None) -> list[Path]:
    """Write a table or figure: the rows as CSV, the text as Markdown, and the picture if there is one.

    Parameters
    ----------
    path : Path
        Where, without an ending.
    rows : sequence of dict
        All with the same keys.
    text : str
        For readers.
    figure : matplotlib Figure, optional
        The picture.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save_all(Path(folder, "bound"), [{"a": 1}], "text")]
    ['bound.csv', 'bound.md']
    """
    written = [
        save_text(path.with_name(f"{path.name}.csv"), csv_text(rows)),
        save_text(path.with_name(f"{path.name}.md"), text),
    ]
    return written if figure is None else [*written, *save_figure(path, figure)]
