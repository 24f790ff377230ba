"""A few rows of a pandas frame, read at once: what services predict one by one.

The checks of `boxdraw.tables.schema` take some milliseconds, because scikit-learn and narwhals look at each column.
Here a frame is only taken if it is plainly as it should be. All others go through these checks, which say what is
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Category

_FEW = 16
_CATEGORIES = (str, float, int, bool)


def read_few(X: Any, names: Sequence[str], boxes: BoxSet) -> npt.NDArray[Any] | None:
    """Return a few rows as an array that the boxes can read; None if anything has to be looked at more closely."""
    kind = type(X)
    if kind.__name__ != "DataFrame" or kind.__module__.partition(".")[0] != "pandas" or not 0 < len(X) <= _FEW:
        return None
    if X.columns.tolist() != list(names) or len(names) != boxes.n_features:
        return None
    if all(known is None for known in boxes.categories):
        values = X.to_numpy()
        return values if values.dtype in (np.float64, np.float32) and not np.isinf(values).any() else None
    values = X.to_numpy(dtype=object)
    columns = zip(values.T.tolist(), boxes.categories, strict=True)
    return values if all(_is_plain(value, known) for column, known in columns for value in column) else None


def _is_plain(value: Any, known: tuple[Category, ...] | None) -> bool:
    """Return True for a number, or a category that was seen; or one that is missing."""
    kind = type(value)
    if known is None:
        return kind is float or kind is int
    return value is None or (kind in _CATEGORIES and (value != value or value in known))
