"""Warnings that point at the line of the user's code that called the package."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import sklearn

# scikit-learn calls estimators for the user: it wraps `transform`, and its searches and pipelines call `fit`.
_SKIPPED = tuple(str(Path(file).parent) for file in (Path(__file__).parent, sklearn.__file__))


def warn(message: str) -> None:
    """Give a UserWarning at the first caller outside the package and scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_SKIPPED):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)
