"""What a long fit says while it runs, when ``verbose`` asks for it."""

from __future__ import annotations

import time


class Progress:
    """Prints finished steps with the time they took; says nothing unless verbose."""

    def __init__(self, name: str, verbose: int) -> None:
        self._name = name
        self._verbose = verbose
        self._start = self._last = time.perf_counter()

    def step(self, what: str) -> None:
        """Say that a step has ended."""
        if self._verbose:
            now = time.perf_counter()
            print(f"[{self._name}] {what} ({now - self._last:.2f} s)", flush=True)
            self._last = now

    def share(self, done: int, of: int) -> None:
        """Say how much of a series of equal steps is done and how long the rest will take."""
        if self._verbose:
            spent = time.perf_counter() - self._start
            left = spent / done * (of - done)
            print(f"[{self._name}] {done} of {of} done, {spent:.1f} s, about {left:.0f} s left", flush=True)
