"""Progress of a running search."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search for the best drawing has come.

    Attributes
    ----------
    seconds : float
        Time since the start of the fit.
    objective, bound, gap : float
        The best drawing's objective, what no drawing exceeds, and their distance relative to the objective.
    phase : str
        What is being done.

    Examples
    --------
    >>> from boxdraw.learners.exact.progress import SearchProgress
    >>> print(SearchProgress(1.5, 142.0, 142.5, 0.00352, "column generation"))
    1.5 s, objective 142, bound 142.5, gap 0.35%: column generation
    """

    seconds: float
    objective: float
    bound: float
    gap: float
    phase: str

    def __str__(self) -> str:
        figures = f"objective {self.objective:.8g}, bound {self.bound:.8g}, gap {self.gap:.2%}"
        return f"{self.seconds:.1f} s, {figures}: {self.phase}"


class Reporter:
    """Passes progress on: to a live line, to a callback, or nowhere."""

    def __init__(self, start: float, verbose: int, callback: Callable[[SearchProgress], Any] | None) -> None:
        self._start = start
        self._verbose = verbose
        self._callback = callback
        self._width = 0
        self._shown = ""

    def __call__(self, objective: float, bound: float, phase: str) -> bool:
        """Report; return True if the callback asks for an end."""
        if not self._verbose and self._callback is None:
            return False
        gap = (bound - objective) / abs(objective) if objective else math.inf
        progress = SearchProgress(time.perf_counter() - self._start, objective, bound, gap, phase)
        if self._verbose:
            self._show(progress)
        return self._callback is not None and bool(self._callback(progress))

    def _show(self, progress: SearchProgress) -> None:
        news = str(progress).split(", ", 1)[1]
        if sys.stdout.isatty():
            line = str(progress)
            print("\r" + line.ljust(self._width), end="", flush=True)
            self._width = len(line)
        elif news != self._shown:  # a log file gets a line only when something has changed
            print(progress, flush=True)
        self._shown = news

    def close(self) -> None:
        """End the live line."""
        if self._verbose and self._width:
            print(flush=True)
