"""How functions are compiled: kept on disk where there is a place, and with other threads running beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core.event import Listener, install_listener


def _kept(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles, and keeps the result on disk unless no folder for that can be written to."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # a package that others own, and no home: compiled anew in each process
            return njit(**options)(function)

    return compiled


entry: Any = _kept(nogil=True)
# Functions that only compiled ones call need no way in from Python, which takes long to compile for many arguments.
inner: Any = _kept(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
# Long functions that one other calls: part of that one, or else all that they call would be compiled once more.
merged: Any = _kept(nogil=True, inline="always")


class _Notice(Listener):
    """A line for the reader, the first time that the compiler runs; what is on disk needs no compiler."""

    def __init__(self, text: str) -> None:
        self._text = text

    def on_start(self, event: Any) -> None:
        if self._text:
            print(self._text, file=sys.stderr, flush=True)
            self._text = ""

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def compiling(what: str, *functions: Any, tell: bool = False) -> Iterator[None]:
    """Say that functions are being compiled, if they are not on disk and someone is there to read it."""
    watched = tell or sys.stderr.isatty() or hasattr(sys, "ps1")  # the latter in consoles and notebooks
    if not watched or all(function.signatures for function in functions):
        yield
        return
    with install_listener(
        "numba:run_pass", _Notice(f"{what}: compiling, once on this machine; this takes about ten seconds.")
    ):
        yield
