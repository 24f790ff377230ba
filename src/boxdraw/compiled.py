"""How functions are compiled: kept on disk, and with other threads running beside them."""

from __future__ import annotations

from typing import Any

from numba import njit

entry: Any = njit(cache=True, nogil=True)
# Functions that only compiled ones call need no way in from Python, which takes long to compile for many arguments.
inner: Any = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
