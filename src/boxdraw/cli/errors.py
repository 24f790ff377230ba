"""Errors that the user can act on, in one line each."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from typing import Any

from boxdraw.model.export.text import printable
from boxdraw.tables.suspects import is_number

__all__ = ["Failure", "UsageError", "extra", "listed", "no_such_column", "one_line"]

_MOST_LISTED = 10


class Failure(Exception):
    """The work failed: exit code 1."""


class UsageError(Exception):
    """The command is invalid: exit code 2."""


def no_such_column(name: str, columns: Sequence[str], source: str) -> Failure:
    """Return the error for an unknown column, with a guess at the one that was meant."""
    return Failure(f'{source} has no column "{printable(name)}"{_hint(name, columns)}The columns are {listed(columns)}')


def _hint(name: str, columns: Sequence[str]) -> str:
    """Guess why a column was not found: a typo, another delimiter, or no header line."""
    folded = {column.strip().casefold(): column for column in reversed(columns)}
    close = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    if close:
        return f'; did you mean "{printable(folded[close[0]])}"? '
    if said := other_delimiter(columns):
        return f"{said}. "
    if sum(map(is_number, columns)) * 2 > len(columns):
        return "; the first line looks like data: put a line with the column names above it. "
    return ". "


def other_delimiter(columns: Sequence[str]) -> str:
    """Suggest a delimiter if all names ended up in one column; empty otherwise."""
    if len(columns) == 1:
        for delimiter, written in ((";", "';'"), ("\t", "tab"), ("|", "'|'")):
            if delimiter in columns[0]:
                return f"; the fields seem to be split otherwise: try --delimiter {written}"
    return ""


def listed(names: Sequence[object]) -> str:
    """List names for a message: the first ten, and how many more there are."""
    text = ", ".join(printable(str(name)) for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{text} and {more} more" if more > 0 else text


def one_line(error: BaseException) -> str:
    """Return an error as one line, with its type where the message alone would not be understood."""
    text = printable(" ".join(str(error).split())) if str(error) else ""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{printable(str(error.filename))}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    if isinstance(error, Failure | UsageError | ValueError | TypeError | ImportError | OSError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def extra(module: str) -> Any:
    """Import a module of the ``cli`` extra, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"the boxdraw command needs {package}: pip install 'boxdraw[cli]'") from None
