"""Warnings of training columns that are seldom what one wants to learn from, wherever the table is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.warn import warn
from boxdraw.model.export.text import is_number

_MANY = 50  # categories; more of them, with fewer than two rows each on average, look like identifiers
_EXACT = 2**53  # float64 has every whole number up to here


def warn_of_identifiers(label: str, categories: Sequence[object], n_known: int) -> None:
    """Warn of a column with many categories and fewer than two rows for each, on average."""
    if len(categories) <= _MANY or 2 * len(categories) <= n_known:
        return
    texts = [value for value in categories if isinstance(value, str)]
    odd = [text for text in texts if not is_number(text)]
    advice = "leave it out."
    if 2 * len(odd) < len(texts):
        but = f", but for {odd[0]!r}" if odd else ", written as text"
        advice = f"leave it out, or convert it to numbers if it is meant as such: most of it is{but}."
    warn(
        f"X seems to hold an identifier, {label}: {len(categories)} different categories in {n_known} rows. It is "
        f"learned as categories, which say nothing about rows with other ones: {advice}",
    )


def warn_of_rounding(labels: Sequence[str]) -> None:
    """Warn of columns of whole numbers that are not exact in float64, if there are any."""
    if labels:
        warn(
            f"X holds whole numbers beyond 2**53 that are rounded, {', '.join(labels)}: numbers are compared as "
            "float64, which can't tell such neighbours apart. Subtract a constant before the fit, leave the column "
            "out, or name it in categorical_features if the numbers are codes.",
        )


def is_rounded(values: npt.NDArray[Any]) -> bool:
    """Return True if whole numbers change when they become float64."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    if values.max() <= _EXACT and values.min() >= -_EXACT:
        return False
    floats = values.astype(np.float64)
    within = floats < float(np.iinfo(values.dtype).max)  # which is rounded up, to a number that the type does not have
    return not within.all() or bool((floats.astype(values.dtype) != values).any())
