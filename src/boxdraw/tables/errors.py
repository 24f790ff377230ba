"""What is wrong with a table, in words for its owner."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from boxdraw.model.export.text import is_number, printable

_MOST_LISTED = 10


class TableError(ValueError):
    """A table that can't be used as it is; ``advice`` names a remedy that the command line has an option for."""

    def __init__(self, text: str, advice: str = "", detail: str = "") -> None:
        super().__init__(text)
        self.advice, self.detail = advice, detail


def listed(names: Sequence[object]) -> str:
    """List names for a message: the first ten, and how many more there are."""
    text = ", ".join(printable(str(name)) for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{text} and {more} more" if more > 0 else text


def check_names(names: Sequence[Any], source: str) -> None:
    """Raise if several columns have the same name."""
    if repeated := [str(name) for name, count in Counter(names).items() if count > 1]:
        raise TableError(
            f"{source} has several columns named {', '.join(map(repr, repeated))}; give each its own name",
            "names" if all(map(is_number, repeated)) else "",
        )


def check_columns(wanted: Sequence[str | None], columns: Sequence[str], source: str) -> None:
    """Raise if a column is not there, with a guess at the one that was meant."""
    for name in wanted:
        if name is not None and name not in columns:
            raise _no_such_column(name, columns, source)


def _no_such_column(name: str, columns: Sequence[str], source: str) -> TableError:
    folded = {column.strip().casefold(): column for column in reversed(columns)}
    guess, advice = ". ", ("", "")
    if close := difflib.get_close_matches(name.strip().casefold(), folded, n=1):
        guess = f'; did you mean "{printable(folded[close[0]])}"? '
    elif delimiter := other_delimiter(columns):
        advice = "delimiter", delimiter
    elif sum(map(is_number, columns)) * 2 > len(columns):
        guess = "; the first line looks like data: put a line with the column names above it. "
    return TableError(f'{source} has no column "{printable(name)}"{guess}The columns are {listed(columns)}', *advice)


def other_delimiter(columns: Sequence[str]) -> str:
    """Suggest a delimiter if all names ended up in one column; empty otherwise."""
    if len(columns) == 1:
        for delimiter, written in ((";", "';'"), ("\t", "tab"), ("|", "'|'")):
            if delimiter in columns[0]:
                return written
    return ""
