"""How functions are compiled: kept on disk where there is a place, and with other threads running beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.event import Listener, register

from boxdraw._core.progress import is_watched

NOTICE = "boxdraw: compiling, once on this machine; this takes some seconds."


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
    """A line for who waits, the first time that a function of this package is compiled; not if it comes from disk."""

    told = False

    def on_start(self, event: Any) -> None:
        """Tell, unless it is a function of someone else."""
        module = getattr(getattr(event.data["dispatcher"], "py_func", None), "__module__", "")
        if module.startswith("boxdraw.") and not self.told and is_watched():
            self.told = True
            print(NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Tell nothing more."""


notice = _Notice()
register("numba:compile", notice)  # type: ignore[no-untyped-call]  # numba has no types
