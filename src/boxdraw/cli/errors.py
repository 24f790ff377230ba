"""What goes wrong for the user, in one line that says what to do."""

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
    """The work cannot be done: exit code 1.

    Examples
    --------
    >>> raise Failure("data.csv is empty")
    Traceback (most recent call last):
    boxdraw.cli.errors.Failure: data.csv is empty
    """


class UsageError(Exception):
    """The command was written wrongly: exit code 2.

    Examples
    --------
    >>> raise UsageError("--max-boxes must be at least 1")
    Traceback (most recent call last):
    boxdraw.cli.errors.UsageError: --max-boxes must be at least 1
    """


def no_such_column(name: str, columns: Sequence[str], source: str) -> Failure:
    """Say that a column is not there, and which one may be meant.

    Parameters
    ----------
    name : str
        What was asked for.
    columns : sequence of str
        What there is.
    source : str
        The file, as the user knows it.

    Returns
    -------
    Failure
        The error, to be raised.

    Examples
    --------
    >>> str(no_such_column("frad", ["age", "fraud"], "data.csv"))
    'data.csv has no column "frad"; did you mean "fraud"? The columns are age, fraud'
    """
    return Failure(f'{source} has no column "{printable(name)}"{_hint(name, columns)}The columns are {listed(columns)}')


def _hint(name: str, columns: Sequence[str]) -> str:
    """Guess why a column was not found: mistyped, another delimiter, or no line of names."""
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
    """Guess the delimiter if all names seem to be in one column; empty if they do not."""
    if len(columns) == 1:
        for delimiter, written in ((";", "';'"), ("\t", "tab"), ("|", "'|'")):
            if delimiter in columns[0]:
                return f"; the fields seem to be split otherwise: try --delimiter {written}"
    return ""


def listed(names: Sequence[object]) -> str:
    """Write names for a message, not more than a reader takes in.

    Parameters
    ----------
    names : sequence
        What to list.

    Returns
    -------
    str
        The first ten, and how many more there are.

    Examples
    --------
    >>> listed(["a", 1]), listed(range(12))
    ('a, 1', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    text = ", ".join(printable(str(name)) for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{text} and {more} more" if more > 0 else text


def one_line(error: BaseException) -> str:
    r"""Write an error in one line.

    Parameters
    ----------
    error : BaseException
        Any error.

    Returns
    -------
    str
        Its message; with its type where the message alone would not be understood.

    Examples
    --------
    >>> one_line(ValueError("two\nlines")), one_line(KeyError("age")), one_line(OSError(2, "No such file", "x"))
    ('two lines', "KeyError: 'age'", 'x: No such file')
    >>> one_line(MemoryError())
    'not enough memory'
    """
    text = printable(" ".join(str(error).split())) if str(error) else ""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{printable(str(error.filename))}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    if isinstance(error, Failure | UsageError | ValueError | TypeError | ImportError | OSError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def extra(module: str) -> Any:
    """Import a module that only the command line needs.

    Parameters
    ----------
    module : str
        Its full name.

    Returns
    -------
    module
        The module.

    Examples
    --------
    >>> extra("pyarrow.csv").__name__
    'pyarrow.csv'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"the boxdraw command needs {package}: pip install 'boxdraw[cli]'") from None
