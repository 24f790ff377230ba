"""Progress of long fits, shown if ``verbose``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def is_watched() -> bool:
    """Return True if someone reads standard error as it comes: in a terminal, a console, a notebook, or if verbose."""
    return Progress.asked or sys.stderr.isatty() or hasattr(sys, "ps1")


class Progress:
    """Prints finished steps with the time they took; silent unless verbose."""

    asked = False  # by the latest fit

    def __init__(self, name: str, verbose: int) -> None:
        self._name = name
        self._verbose = verbose
        Progress.asked = verbose > 0
        self._start = self._last = time.perf_counter()

    def step(self, what: str) -> None:
        """Print that a step has ended."""
        if self._verbose:
            now = time.perf_counter()
            print(f"[{self._name}] {what} ({now - self._last:.2f} s)", flush=True)
            self._last = now

    def share(self, done: int, of: int) -> None:
        """Print how much of a series of equal steps is done and how long the rest will take."""
        if self._verbose:
            spent = time.perf_counter() - self._start
            left = spent / done * (of - done)
            print(f"[{self._name}] {done} of {of} done, {spent:.1f} s, about {left:.0f} s left", flush=True)


ProgressCallback = Callable[[str, int, "int | None"], None]


class RowsProgress:
    """Shows progress over many rows on standard error, or calls a function with what, rows done and rows in all."""

    _SECONDS = 0.5  # between two messages

    def __init__(self, name: str, shown: bool, tell: ProgressCallback | None = None) -> None:
        self._name, self._shown, self._tell = name, shown, tell

    @contextmanager
    def over(self, what: str, n_rows: int | None) -> Iterator[Callable[[int], None]]:
        """Show a pass; yields a function to call with the rows of each batch."""
        start = last = time.perf_counter()
        done = 0

        def step(rows: int) -> None:
            nonlocal done, last
            done += rows
            now = time.perf_counter()
            if self._tell is not None:
                self._tell(what, done, n_rows)
            if self._shown and now - last > self._SECONDS:
                last = now
                self._write(f"{_rows_text(what, done, n_rows, now - start)}")

        yield step
        if self._shown:
            seconds = time.perf_counter() - start
            self._write(f"{what}: {done:,} rows in {seconds:.1f} s", end=True)

    def _write(self, text: str, end: bool = False) -> None:
        line = f"[{self._name}] {text}"
        if sys.stderr.isatty():
            line = f"\r{line:<100}"
        elif not end:
            return  # a file is not for moving numbers
        print(line, end="\n" if end else "", file=sys.stderr, flush=True)


def _rows_text(what: str, done: int, n_rows: int | None, seconds: float) -> str:
    speed = done / max(seconds, 1e-9)
    if n_rows is None:
        return f"{what}: {done:,} rows, {speed:,.0f} rows/s"
    left = (n_rows - done) / max(speed, 1e-9)
    return f"{what}: {done / n_rows:.0%} of {n_rows:,} rows, {speed:,.0f} rows/s, about {left:.0f} s left"
