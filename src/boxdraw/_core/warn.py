"""Warnings that point at the line of the user's code that called the package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import sklearn

# scikit-learn calls estimators for the user: it wraps `transform`, and its searches and pipelines call `fit`.
_SKIPPED = tuple(str(Path(file).parent) for file in (Path(__file__).parent, sklearn.__file__))

_muted = ContextVar("_muted", default=False)


class CautionWarning(UserWarning):
    """A model was learned as asked, but should not be used before someone has looked at what the warning says.

    It is about the model: hardly better than chance, many alarms, boxes on few rows, or rules on a column that looks
    like an identifier or a date, or that gives the answer away.

    Examples
    --------
    >>> import warnings
    >>> from boxdraw import CautionWarning
    >>> warnings.simplefilter("error", CautionWarning)  # in a pipeline, to stop where someone should look
    >>> warnings.simplefilter("default", CautionWarning)
    """


def warn(message: str, category: type[UserWarning] = UserWarning) -> None:
    """Give a warning at the first caller outside the package and scikit-learn."""
    if _muted.get():
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_SKIPPED):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def muted() -> Iterator[None]:
    """Give no warnings in this thread: unlike the filters of warnings, which belong to the process."""
    token = _muted.set(True)
    try:
        yield
    finally:
        _muted.reset(token)
