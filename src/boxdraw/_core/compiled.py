"""How functions are compiled: kept on disk where there is a place, and with other threads running beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


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
