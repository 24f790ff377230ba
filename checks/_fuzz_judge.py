"""What a fuzzed call may end in: a result, or an error that one of our own checks raised on purpose."""

from __future__ import annotations

import linecache
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import sklearn

import boxdraw
from boxdraw.cli.errors import Failure, UsageError
from boxdraw.tables.errors import TableError

_OURS = str(Path(boxdraw.__file__).parent)
_THEIRS = str(Path(sklearn.__file__).parent)
_TYPES = (ValueError, TypeError, ImportError, Failure, UsageError, TableError)


class Finding(Exception):
    """Something that must not happen."""


def attempt(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[bool, Any]:
    """Call something; return whether it gave a result, and that. An error that is not documented is a finding."""
    try:
        return True, call(*args, **options)
    except Exception as error:
        if reason := undocumented(error):
            raise Finding(reason) from error
        return False, error


def undocumented(error: BaseException) -> str:
    """Say why an error is not one that our checks raise; nothing if it is."""
    what = f"{type(error).__name__}: {str(error)[:300]!r}"
    if isinstance(error, Finding):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return ""  # no such file, no permission and the like, with the name of the file
    if type(error) not in _TYPES and not (type(error) is OSError or type(error) is FileNotFoundError):
        return f"an error of the type {what} at {_place(error)}"
    if not str(error).strip():
        return f"an error without a message, {what} at {_place(error)}"
    if not _raised_by_a_check(error):
        return f"an error that no check raised, {what} at {_place(error)}"
    return ""


def _last(error: BaseException) -> TracebackType | None:
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step


def _raised_by_a_check(error: BaseException) -> bool:
    """Say whether the last line that ran is a ``raise`` of ours or of scikit-learn's checks."""
    step = _last(error)
    if step is None:
        return False
    file = step.tb_frame.f_code.co_filename
    if not file.startswith((_OURS, _THEIRS)):
        return False
    return linecache.getline(file, step.tb_lineno).strip().startswith("raise")


def _place(error: BaseException) -> str:
    """Name the last places of our code that an error went through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(_OURS)]
    names = [f"{Path(f.filename).relative_to(_OURS)}:{f.lineno}" for f in frames[-2:]]
    return " > ".join(names) or "no line of ours"


@contextmanager
def no_odd_warnings() -> Iterator[None]:
    """Make any warning a finding that is not a UserWarning, which is how we talk to users."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if not issubclass(warning.category, UserWarning):
            raise Finding(
                f"a warning, {warning.category.__name__}: {warning.message} at {warning.filename}:{warning.lineno}"
            )


def expect(right: bool, what: str) -> None:
    """Make what is not right a finding."""
    if not right:
        raise Finding(what)
