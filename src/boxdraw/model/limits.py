"""Checks of what a `BoxSet` is made of: limits, names, categories, and whether missing values are inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.rows import default_names, numeric
from boxdraw.model.rule import Category, as_category, unique_categories

Allowed = tuple[tuple[frozenset[Category] | None, ...], ...]


def checked_matrix(values: Any, what: str) -> FloatArray:
    """Return a read-only matrix of numbers, a row per box."""
    array, given = numeric(values, what), np.asarray(values)
    if given.dtype.kind == "O" and any(isinstance(value, int) for value in given[np.isinf(array)].flat):
        raise ValueError(f"{what} has a whole number beyond all of float64, 1.8e308; for no limit use infinity")
    if array.ndim != 2 or array.shape[1] == 0:
        wanted = "(n_boxes, n_features) with at least one feature"
        raise ValueError(f"{what} must be {wanted}, got {array.shape}: write one box as [[...]]")
    # Adding zero copies, and turns -0.0 into 0.0, so that equal limits have equal bytes.
    limits: FloatArray = np.add(array, 0.0, dtype=np.float64, order="C")
    limits.flags.writeable = False
    return limits


def checked_names(names: Iterable[str] | None, n_features: int) -> tuple[str, ...]:
    """Return a name per feature, all different."""
    if names is None:
        return default_names(n_features)
    result = tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in result):
        raise TypeError(f"feature_names must be a sequence of strings, got {names!r}")
    if len(result) != n_features:
        raise ValueError(f"feature_names must have a name per feature: {n_features}, got {len(result)}")
    if repeated := [name for name, count in Counter(result).items() if count > 1]:
        raise ValueError(f"feature_names must all differ, got {repeated} more than once")
    return tuple(map(str, result))


def checked_categories(
    categories: Mapping[str, Iterable[Category]] | None,
    allowed: Mapping[str, Sequence[Iterable[Category] | None]] | None,
    names: tuple[str, ...],
    n_boxes: int,
) -> tuple[tuple[tuple[Category, ...] | None, ...], Allowed]:
    """Return the categories of each feature, None for numbers, and those inside each box, None for no limit."""
    categories, allowed = dict(categories or {}), dict(allowed or {})
    all_names = frozenset(names)
    for mapping, what in ((categories, "categories"), (allowed, "allowed")):
        if unknown := [name for name in mapping if name not in all_names]:
            raise ValueError(f"{what} has {unknown}, which are not among the features {list(names)}")
    inside: dict[str, list[frozenset[Category] | None]] = {}
    for name, boxes in allowed.items():
        if isinstance(boxes, str) or len(boxes) != n_boxes:
            raise ValueError(f"allowed[{name!r}] must have an entry for each of the {n_boxes} boxes, got {boxes!r}")
        inside[name] = [None if values is None else _set_of(values, name) for values in boxes]
    known: list[tuple[Category, ...] | None] = []
    for name in names:
        if name not in categories and name not in inside:
            known.append(None)
            continue
        used = set().union(*(values for values in inside.get(name, []) if values is not None))
        given = unique_categories(categories.get(name, ()))
        known.append((*given, *sorted(used - set(given), key=lambda value: (str(type(value)), value))))
    if not inside:
        return tuple(known), ((None,) * len(names),) * n_boxes
    none = [None] * n_boxes
    columns = [inside.get(name, none) for name in names]
    return tuple(known), tuple(zip(*columns, strict=True))


def _set_of(values: Iterable[Category], name: str) -> frozenset[Category]:
    if isinstance(values, str):
        raise TypeError(
            f"allowed[{name!r}] must have sets of categories, got the text {values!r}: write {{{values!r}}}"
        )
    return frozenset(as_category(value) for value in values)


def limited_features(lower: FloatArray, upper: FloatArray, categorical: BoolArray, allowed: Allowed) -> BoolArray:
    """Return where a box has limits on values, whatever it does with missing ones."""
    limited = (lower > -np.inf) | (upper < np.inf)
    for j in np.flatnonzero(categorical).tolist():
        limited[:, j] |= np.array([sets[j] is not None for sets in allowed], dtype=np.bool_)
    return limited


def checked_missing(missing: Any, limited: BoolArray) -> BoolArray:
    """Return where missing values are inside; by default wherever there is no limit."""
    inside = ~limited if missing is None else np.array(missing)
    if inside.dtype != np.bool_ or inside.shape != limited.shape:
        raise ValueError(
            f"missing must hold True or False for each box and feature, {limited.shape}; "
            f"got {inside.dtype} of shape {inside.shape}"
        )
    inside.flags.writeable = False
    return inside


def check_limits(
    lower: FloatArray,
    upper: FloatArray,
    missing: BoolArray,
    categorical: BoolArray,
    allowed: Allowed,
    names: tuple[str, ...],
) -> None:
    """Raise if no row could meet the limits of a box on a feature, or if they contradict its kind."""
    only_missing = (lower == np.inf) & (upper == -np.inf) & missing
    problems: dict[str, Callable[[], BoolArray]] = {  # one after the other, because each takes memory
        "must not be NaN: use -inf or inf for no limit": lambda: np.isnan(lower) | np.isnan(upper),
        "must be -inf and inf: the feature has categories": lambda: (
            categorical & ((lower > -np.inf) | (upper < np.inf))
        ),
        "must not be inf below or -inf above, which no row meets": lambda: (
            ((lower == np.inf) | (upper == -np.inf)) & ~only_missing
        ),
        "must have lower <= upper": lambda: (lower > upper) & ~only_missing,
        "allow no category, and missing values are outside: no row meets that": lambda: (
            _empty(allowed, categorical, lower.shape) & ~missing
        ),
    }
    for problem, find in problems.items():
        where = find()
        if where.any():
            k, j = np.argwhere(where)[0].tolist()
            limits = f"[{lower[k, j]}, {upper[k, j]}] of feature {names[j]!r} in box index {k}"
            raise ValueError(f"limits {limits} {problem}")


def _empty(allowed: Allowed, categorical: BoolArray, shape: tuple[int, ...]) -> BoolArray:
    """Return where no category is inside."""
    empty = np.zeros(shape, dtype=np.bool_)
    for j in np.flatnonzero(categorical).tolist():
        empty[:, j] = [sets[j] is not None and not sets[j] for sets in allowed]
    return empty
