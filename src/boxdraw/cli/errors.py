"""Errors that the user can act on, in one line each."""

from __future__ import annotations

import importlib
from typing import Any

# What to type where a table can't be used as it is, by `TableError.advice`.
_ADVICE = {
    "encoding": "; name its encoding, for example --encoding {}",
    "any encoding": "; name its encoding with --encoding",
    "delimiter": "; the fields seem to be split otherwise: try --delimiter {}",
    "names": "; the first line must have the names, and seems to be a row",
    "decimal": "; try --decimal ,",
    "missing": "; add --missing '{}' if that means a missing value",
    "line": "; correct the line, or name the delimiter with --delimiter",
    "unlabelled": ": fill them in, or add --skip-unlabelled",
    "two": ": make a column of two, the rare one against the rest",
    "sample": ": take more of them with --sample",
    "drop": ": leave it out with --drop",
    "not numbers": ": leave it out with --drop, or turn it into numbers, for example days since a fixed date",
}


class Failure(Exception):
    """The work failed: exit code 1."""


class UsageError(Exception):
    """The command is invalid: exit code 2."""


def one_line(error: BaseException) -> str:
    """Return an error as one line, with its type where the message alone would not be understood."""
    from boxdraw.model.export.text import printable  # imported late, like all that needs NumPy: Ctrl-C may come first
    from boxdraw.tables.errors import TableError

    text = printable(" ".join(str(error).split())) if str(error) else ""
    if isinstance(error, TableError) and error.advice:
        return text + _ADVICE[error.advice].format(error.detail)
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{printable(restored(str(error.filename)))}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    if isinstance(error, Failure | UsageError | ValueError | TypeError | ImportError | OSError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def restored(text: str) -> str:
    """Return the letters of names of files, where Python takes none but those of ASCII."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # other surrogates
        return text


def extra(module: str) -> Any:
    """Import a module of the ``cli`` extra, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"the boxdraw command needs {package}: pip install 'boxdraw[cli]'") from None
