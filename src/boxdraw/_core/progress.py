"""Progress of long fits, shown if ``verbose``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
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


class Forecast:
    """Foretells the end of work whose parts, and what each costs beside the others, are known when it begins."""

    def __init__(self, parts: Sequence[tuple[str, float]]) -> None:
        self._names, self._costs = [name for name, _ in parts], [cost for _, cost in parts]
        self._start, self._at = time.perf_counter(), -1

    def begin(self, name: str) -> None:
        """Note that a part begins, and that those before it are done or not needed; others than expected are of it."""
        later = [at for at, known in enumerate(self._names) if known == name and at > self._at]
        self._at = later[0] if later else self._at

    def share(self, of_part: float) -> float:
        """Return how much of all the work is done, given the share of the part under way."""
        own = of_part * self._costs[self._at] if self._at >= 0 else 0.0
        return (sum(self._costs[: max(self._at, 0)]) + own) / sum(self._costs)

    def seconds_left(self, of_part: float) -> float:
        """Return how long all that is left takes at the pace so far; infinity if nothing is done yet."""
        done = self.share(of_part)
        return (time.perf_counter() - self._start) / done * (1 - done) if done > 0 else math.inf


class RowsProgress:
    """Shows progress over many rows on standard error, or calls a function with what, rows done and rows in all."""

    _SECONDS = 0.5  # between two messages

    def __init__(self, name: str, shown: bool, tell: ProgressCallback | None = None) -> None:
        self._name, self._shown, self._tell = name, shown, tell
        self._forecast: Forecast | None = None
        self._what, self._done, self._start, self._last = "", 0, 0.0, 0.0

    def expect(self, parts: Sequence[tuple[str, float]]) -> None:
        """Say which passes come, in their order, and what each costs beside the others: what is left is that of all."""
        self._forecast = Forecast(parts)

    @contextmanager
    def over(self, what: str, n_rows: int | None) -> Iterator[Callable[[int], None]]:
        """Show a pass; yields a function to call with the rows of each batch."""
        self._begin(what)
        done = 0

        def step(rows: int) -> None:
            nonlocal done
            done += rows
            if self._tell is not None:
                self._tell(what, done, n_rows)
            if self._shown:
                self(what, done, n_rows)

        yield step
        if self._shown:
            self._end(what, done, time.perf_counter() - self._start)

    def __call__(self, what: str, done: int, n_rows: int | None) -> None:
        """Show how far a pass is; another name, or fewer rows than before, is another pass."""
        begins, now = what != self._what or done < self._done, time.perf_counter()
        if begins:  # and the pace is not known yet
            self._begin(what)
        self._done = done
        if not begins and now - self._last > self._SECONDS:
            self._last = now
            self._show(what, done, n_rows, done / max(now - self._start, 1e-9))

    def _begin(self, what: str) -> None:
        self._what, self._done = what, 0
        self._start = self._last = time.perf_counter()
        if self._forecast is not None:
            self._forecast.begin(what)

    def _left(self, done: int, n_rows: int | None, speed: float) -> tuple[float, float] | None:
        """Return the share that is done and the seconds left, of all passes if they are known; None if nothing is."""
        of_pass = 0.0 if n_rows is None else done / max(n_rows, 1)
        if self._forecast is not None:
            return self._forecast.share(of_pass), self._forecast.seconds_left(of_pass)
        return None if n_rows is None else (of_pass, (n_rows - done) / max(speed, 1e-9))

    def _show(self, what: str, done: int, n_rows: int | None, speed: float) -> None:
        rows = f"{done:,} rows" if n_rows is None else f"{done / max(n_rows, 1):.0%} of {n_rows:,} rows"
        left = self._left(done, n_rows, speed)
        self._write(f"{what}: {rows}, {speed:,.0f} rows/s" + ("" if left is None else f", {_left_text(left[1])}"))

    def _end(self, what: str, done: int, seconds: float) -> None:
        self._write(f"{what}: {done:,} rows in {seconds:.1f} s", end=True)

    def _write(self, text: str, end: bool = False) -> None:
        line = f"[{self._name}] {text}"
        if sys.stderr.isatty():
            line = f"\r{line:<100}"
        elif not end:
            return  # a file is not for moving numbers
        print(line, end="\n" if end else "", file=sys.stderr, flush=True)


def _left_text(seconds: float) -> str:
    return f"about {seconds:.0f} s left" if seconds < math.inf else ""
