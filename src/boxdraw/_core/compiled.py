"""How functions are compiled: kept on disk where there is a place, and with other threads running beside them."""

from __future__ import annotations

import gc
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


class _Compiling(Listener):
    """What goes on while a function of this package is compiled; not if it comes from disk."""

    told = False
    collects = False  # garbage, when done
    depth = 0  # of functions that others call: numba lets one thread compile at a time

    def on_start(self, event: Any) -> None:
        """Tell who waits, the first time; collect no garbage, which is an eighth of the time and finds none."""
        if not _is_own(event):
            return
        if not self.told and is_watched():
            self.told = True
            print(NOTICE, file=sys.stderr, flush=True)
        self.depth += 1
        if self.depth == 1 and gc.isenabled():
            gc.disable()
            self.collects = True

    def on_end(self, event: Any) -> None:
        """Collect garbage again."""
        if _is_own(event):
            self.depth -= 1
            if self.depth == 0 and self.collects:
                gc.enable()
                self.collects = False


def _is_own(event: Any) -> bool:
    """Return True unless it is a function of someone else."""
    module = getattr(getattr(event.data["dispatcher"], "py_func", None), "__module__", "")
    return bool(module.startswith("boxdraw."))


notice = _Compiling()
register("numba:compile", notice)  # type: ignore[no-untyped-call]  # numba has no types
