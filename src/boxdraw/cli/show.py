"""Output of the commands: results on standard output, notes and progress on standard error."""

from __future__ import annotations

import importlib
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from boxdraw.model.settings import as_plain

_ASCII = str.maketrans({"≤": "<=", "≥": ">=", "±": "+-", "–": "-"})


def say(text: str, file: TextIO | None = None) -> None:
    """Print text, with ASCII replacements where the terminal cannot encode it."""
    out = sys.stdout if file is None else file
    encoding = getattr(out, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    print(text, file=out)


def say_json(value: Any) -> None:
    """Print an object as JSON; numbers that are not finite become null."""
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


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Align cells in columns, the first ``left`` ones flush left."""
    lines = [header, *rows]
    widths = [max(len(line[j]) for line in lines) for j in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if j < left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


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
def rows_progress(quiet: bool) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show passes over many rows with their speed and the time left; yield ``tell(what, done, total)``."""
    with _bar(quiet, lambda rich: [rich.TextColumn("{task.fields[speed]}"), rich.TimeRemainingColumn()]) as bar:
        yield (lambda what, done, total: None) if bar is None else _Passes(bar)


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


class _Passes:
    """A bar for the pass under way."""

    def __init__(self, bar: Any) -> None:
        self._bar, self._task, self._what, self._done, self._start = bar, None, "", 0, 0.0

    def __call__(self, what: str, done: int, total: int | None) -> None:
        now = time.perf_counter()
        if self._task is None or what != self._what or done < self._done:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=total, speed="")
            self._start = now
        elif now > self._start:
            self._bar.update(self._task, completed=done, speed=f"{done / (now - self._start):,.0f} rows/s")
        self._what, self._done = what, done
