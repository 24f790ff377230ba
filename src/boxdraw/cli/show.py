"""Output of the commands: results on standard output, notes and progress on standard error."""

from __future__ import annotations

import importlib
import json
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from boxdraw._core.progress import RowsProgress
from boxdraw.cli.errors import restored

_ASCII = str.maketrans({"≤": "<=", "≥": ">=", "±": "+-", "–": "-"})
_WIDTH = 80  # of a terminal that does not say
_GLUE = "\xa0"
_TITLE = 30  # letters in which a line that has a title, such as Box 1, comes to its colon
_LIMIT = re.compile(r" (?:[≤≥=]|<=|>=|in \{|is (?:known|missing|in|not))")
_OPERATOR = re.compile(r" (?=[≤≥=±])|(?<=[≤≥=±]) | (?=\(or missing\))")
_GAP, _LONG_WORD = "  ", 32  # between columns; letters of a word that is broken rather than its column widened


def say(text: str, file: TextIO | None = None, *, wrap: bool = True, width: int | None = None) -> None:
    """Print text as wide as the terminal, or else ``width``, with ASCII replacements where it cannot be encoded."""
    out = sys.stdout if file is None else file
    encoding = getattr(out, "encoding", None) or "utf-8"
    text = restored(text)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    print(wrapped(text, terminal_width(out) or width) if wrap else text, file=out)


def terminal_width(out: TextIO | None = None) -> int | None:
    """Return the width that results are read at: of the terminal, or as COLUMNS says; None in files and pipes."""
    stream = sys.stdout if out is None else out
    given = os.environ.get("COLUMNS", "")
    if stream is not sys.stdout and not stream.isatty():
        return None  # errors and notes: one line each, for whoever looks for them
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    except (OSError, ValueError):  # no terminal
        return _WIDTH if stream.isatty() else None


def wrapped(text: str, width: int | None) -> str:
    """Break lines that are too long between words, those of rules between limits where these fit."""
    return "\n".join(part for line in text.split("\n") for part in _broken(line, width))


def _broken(line: str, width: int | None) -> list[str]:
    if width is None or len(line) <= width:
        return [line]
    margin = " " * (len(line) - len(line.lstrip()))
    limits = line.split(" and ")
    if len(limits) > 1 and all(map(_LIMIT.search, limits)):
        whole = [limit.replace(" ", _GLUE) if len(limit) < width - len(margin) - 8 else limit for limit in limits]
        line = margin + f" and{_GLUE}".join(whole).lstrip(_GLUE)
    line = _OPERATOR.sub(_GLUE, line)
    hang = f"{margin}    " if ":" in line[:_TITLE] else margin
    lines = textwrap.wrap(line, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
    return [part.replace(_GLUE, " ") for part in lines]


def say_json(value: Any) -> None:
    """Print an object as JSON; numbers that are not finite become null."""
    from boxdraw.model.settings import as_plain

    text = json.dumps(as_plain(value), ensure_ascii=False, allow_nan=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(as_plain(value), indent=2)
    print(text)


def note(text: str, quiet: bool) -> None:
    """Print a note on standard error, unless the user asked for quiet."""
    if not quiet:
        say(f"boxdraw: note: {text}", sys.stderr)


def percent(share: float, digits: int = 0) -> str:
    """Format a share as a percentage; NaN is a dash."""
    return "-" if math.isnan(share) else f"{share:.{digits}%}"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, whole: bool = False) -> str:
    """Align cells in columns, the first ``left`` ones flush left.

    Unless a table is wanted ``whole``, as in a file, cells are broken at words to fit the terminal; columns that do
    not fit even then follow below, beside the first one again.
    """
    width = None if whole else terminal_width()
    lines = [list(map(str, header)), *(list(map(str, row)) for row in rows)]
    columns = list(zip(*lines, strict=True))
    longest = [max(map(len, column)) for column in columns]
    least = [
        min(_longest_word(column), _LONG_WORD) if j < left else max(_longest_word(column[:1]), *map(len, column[1:]), 0)
        for j, column in enumerate(columns)
    ]
    widths, blocks = _narrowed(longest, least, width), [list(range(len(columns)))]
    if width is not None and _total(widths) > width:
        room = width // (2 * left)
        widths = [max(min(longest[j], room), least[j]) if j < left else least[j] for j in range(len(least))]
        blocks = _blocks(widths, width)
    cells = [[_cell(text, size) for text, size in zip(line, widths, strict=True)] for line in lines]
    return "\n\n".join(
        _aligned([[line[j] for j in block] for line in cells], [j < left for j in block]) for block in blocks
    )


def _longest_word(cells: Sequence[str]) -> int:
    return max((len(word) for cell in cells for word in cell.split()), default=0)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _narrowed(widths: list[int], least: list[int], width: int | None) -> list[int]:
    """Take from the widest column until all fit, or none can give."""
    widths = list(widths)
    while width is not None and _total(widths) > width:
        given = [j for j in range(len(widths)) if widths[j] > least[j]]
        if not given:
            break
        widths[max(given, key=lambda j: widths[j])] -= 1
    return widths


def _blocks(widths: Sequence[int], width: int) -> list[list[int]]:
    """Deal columns to blocks that fit, each with the first column."""
    blocks = [[0]]
    for j in range(1, len(widths)):
        if len(blocks[-1]) > 1 and _total([widths[i] for i in (*blocks[-1], j)]) > width:
            blocks.append([0])
        blocks[-1].append(j)
    return blocks


def _aligned(lines: Sequence[Sequence[list[str]]], is_left: Sequence[bool]) -> str:
    """Write cells, each of some lines, below each other; titles end in the same line."""
    widths = [max(len(part) for line in lines for part in line[j]) for j in range(len(is_left))]
    result = []
    for at, cells in enumerate(lines):
        blank = [[""] * (max(map(len, cells)) - len(cell)) for cell in cells]
        high = [free + cell if at == 0 else cell + free for cell, free in zip(cells, blank, strict=True)]
        for parts in zip(*high, strict=True):
            triples = zip(parts, widths, is_left, strict=True)
            result.append(_GAP.join(part.ljust(n) if left else part.rjust(n) for part, n, left in triples).rstrip())
    return "\n".join(result)


def _cell(text: str, width: int) -> list[str]:
    return [text] if len(text) <= width else textwrap.wrap(text, width, break_on_hyphens=False)


@contextmanager
def progress(what: str, total: float | None, quiet: bool) -> Iterator[Callable[[float, str], None]]:
    """Show a progress bar on a terminal where rich is installed; yield ``step(done, words)``."""
    with _bar(quiet, lambda rich: [rich.TimeElapsedColumn()]) as bar:
        task = None if bar is None else bar.add_task(what, total=total)

        def step(done: float, words: str) -> None:
            if bar is not None:  # words may come from the user's table, and rich reads brackets as colours
                shown = importlib.import_module("rich.markup").escape(f"{what}: {words}" if words else what)
                bar.update(task, completed=done, description=shown)

        yield step


@contextmanager
def rows_progress(quiet: bool) -> Iterator[RowsProgress]:
    """Show passes over many rows with their speed and the time left; yield ``tell(what, done, total)``."""
    fields = "{task.fields[speed]}", "{task.fields[left]}"
    with _bar(quiet, lambda rich: [rich.TextColumn(field) for field in fields]) as bar:
        yield RowsProgress("", False) if bar is None else _Passes(bar)


@contextmanager
def _bar(quiet: bool, more: Callable[[Any], list[Any]]) -> Iterator[Any]:
    """Show words, a bar and more columns; None where there is no terminal, or no rich: a bar is not worth an error."""
    try:
        rich = None if quiet or not sys.stderr.isatty() else importlib.import_module("rich.progress")
    except ImportError:
        rich = None
    if rich is None:
        yield None
        return
    console = importlib.import_module("rich.console").Console(stderr=True)
    columns = [rich.TextColumn("{task.description}"), rich.BarColumn(), *more(rich)]
    with rich.Progress(*columns, console=console, transient=True) as bar:
        yield bar


class _Passes(RowsProgress):
    """A bar for the pass under way, or for all of them if they are known."""

    _SECONDS = -1.0  # rich itself draws the bar a few times a second

    def __init__(self, bar: Any) -> None:
        super().__init__("", True)
        self._bar, self._task = bar, bar.add_task("", total=None, speed="", left="")

    def _show(self, what: str, done: int, n_rows: int | None, speed: float) -> None:
        share, seconds = self._left(done, n_rows, speed) or (None, math.inf)
        total = None if share is None else 1.0
        text = "" if seconds == math.inf else f"about {seconds:.0f} s left"
        self._bar.update(
            self._task, description=what, total=total, completed=share or 0.0, speed=f"{speed:,.0f} rows/s", left=text
        )

    def _end(self, what: str, done: int, seconds: float) -> None:
        """Leave the bar as it is: it goes away with the last pass."""
