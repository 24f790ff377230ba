"""How functions are compiled: kept on disk where there is a place, and with other threads running beside them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit

_SILENCE = 1.0  # seconds within which what is on disk is there


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


@contextmanager
def compiling(what: str, *functions: Any, tell: bool = False) -> Iterator[None]:
    """Say that functions are being compiled, if that takes a while and someone is there to read it."""
    watched = tell or sys.stderr.isatty() or hasattr(sys, "ps1")  # the latter in consoles and notebooks
    if not watched or all(function.signatures for function in functions):
        yield
        return
    text = f"{what}: compiling, once on this machine; this takes about ten seconds."
    timer = threading.Timer(_SILENCE, lambda: print(text, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
