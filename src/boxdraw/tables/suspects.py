"""Warnings of training columns that are seldom what one wants to learn from, wherever the table is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray
from boxdraw._core.warn import CautionWarning, warn
from boxdraw.model.export.text import is_number

_MANY = 50  # categories; more of them, with fewer than two rows each on average, look like identifiers
_NEARLY, _DENSE = 0.99, 5  # of whole numbers that differ; numbers per row: drawn from so few, more would be equal
_DATES, _ENOUGH = 3, 10  # texts that are dates; rows of each class, of which chance hardly ever parts all
_DATE = re.compile(r"\d{4}[-./]\d{1,2}([-./]\d{1,2})?([ T].*)?|\d{1,2}[-./]\d{1,2}[-./](\d{2}|\d{4})")
_NAMED = 3  # columns in a warning
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


def warn_of_suspects(
    columns: Mapping[int, npt.NDArray[Any]],
    categories: Sequence[Sequence[object] | None],
    names: Sequence[str],
    positive: BoolArray,
) -> None:
    """Warn of columns, by place, that rules rest on and should not; `warn_of_identifiers` has warned of some texts."""
    found: dict[str, list[str]] = {}
    for j, values in columns.items():
        if kind := _suspicion(values, categories[j], positive):
            found.setdefault(kind, []).append(repr(names[j]))
    for kind, (what, advice) in _SUSPICIONS.items():
        if listed := found.get(kind):
            more = f" and {len(listed) - _NAMED} more" * (len(listed) > _NAMED)
            text = f"The rules rest on {', '.join(listed[:_NAMED])}{more}, {what}: {advice}, or leave it out of X."
            warn(text, CautionWarning)


_SUSPICIONS = {
    "identifier": (
        "which looks like an identifier or the order of the rows",
        "make sure that it says something about rows to come",
    ),
    "date": ("which looks like a date", "rows to come have other ones, so use the time since something instead"),
    "answer": (
        "which alone tells the classes apart in all training rows",
        "make sure that it is known before the outcome is",
    ),
}


def _suspicion(values: npt.NDArray[Any], categories: Sequence[object] | None, positive: BoolArray) -> str:
    """Return why a column should not be learned from, if so."""
    if categories is None:
        known = values[~np.isnan(values)]
        if _are_dates(known):
            return "date"
        if _are_numbered(known):
            return "identifier"
    else:
        texts = [value for value in categories if isinstance(value, str)]
        if are_dates(texts):
            return "date"
        if _ENOUGH * len(categories) > len(values):
            return ""
    return "answer" if _parts_classes(values, categories is not None, positive) else ""


def are_dates(texts: Collection[str]) -> bool:
    """Return True for some texts like 2024-01-31 or 31.1.2024."""
    return len(texts) >= _DATES and all(map(_DATE.fullmatch, texts))


def _are_dates(known: npt.NDArray[Any]) -> bool:
    """Return True for whole numbers like 20240131."""
    if len(known) < _ENOUGH or known.min() < 19_000_101 or known.max() > 21_001_231 or (known % 1).any():
        return False
    month, day = known // 100 % 100, known % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _are_numbered(known: npt.NDArray[Any]) -> bool:
    """Return True for whole numbers, nearly all different, that are close together or in order.

    Amounts may all be different, too, but not if there are few numbers to choose from.
    """
    if len(known) <= _MANY or (known % 1).any() or len(np.unique(known)) < _NEARLY * len(known):
        return False
    with np.errstate(over="ignore"):
        steps, reach = np.diff(known), np.ptp(known)
    return bool(reach < _DENSE * len(known) or (steps > 0).all() or (steps < 0).all())


def _parts_classes(values: npt.NDArray[Any], are_codes: bool, positive: BoolArray) -> bool:
    """Return True if no value of a column, or no number between some, occurs in both classes of enough rows."""
    ups, downs = values[positive], values[~positive]
    if min(len(ups), len(downs)) < _ENOUGH:
        return False
    if are_codes:
        return not np.isin(ups, downs).any()
    for missing in (-np.inf, np.inf):
        low, high = (np.where(np.isnan(side), missing, side) for side in (ups, downs))
        if low.min() > high.max() or low.max() < high.min():
            return True
    return False
