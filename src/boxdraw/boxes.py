"""The model: a union of axis-parallel boxes. It knows nothing of how the boxes were learned."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from itertools import chain
from typing import Any, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

__all__ = ["BoxSet"]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Columns = dict[int, npt.NDArray[Any]]
Numbers = tuple[npt.ArrayLike, npt.ArrayLike]

# Rows are read in tiles whose columns stay in the processor's cache while every box looks at them.
_TILE_ROWS = 8192


class BoxSet:
    """A union of axis-parallel boxes in the units of the user's data.

    A row is in a box if it is within all limits of the box, and it is flagged if it is in any box. A box set
    never changes; two are equal if their limits and names are.

    Parameters
    ----------
    lower, upper : array-like of shape (n_boxes, n_features)
        The limits, which belong to the box. ``-inf`` and ``inf`` mean no limit. There may be no boxes at all.
    feature_names : iterable of str, optional
        The names of the columns, all different. By default ``x0``, ``x1``, ...
    shown : pair of array-like of shape (n_boxes, n_features), or a function that returns one, optional
        Lower and upper numbers to print instead of the limits, infinite exactly where the limits are. They
        are for people only: no decision and no comparison uses them, and a function is only called when someone
        looks at them.

    Attributes
    ----------
    lower, upper, shown_lower, shown_upper : ndarray of shape (n_boxes, n_features), read-only
    feature_names : tuple of str
    n_boxes, n_features : int

    Notes
    -----
    The methods that take ``X`` accept an array-like of shape (n_samples, n_features) or a pandas, polars or
    pyarrow frame. The columns of a frame are found by name, in any order and among others; by position only
    if the names are the default ones and the frame has none of them. Numbers are compared as float64. A
    missing value (NaN, None) is outside every box that limits its feature; other boxes do not look at it.

    Examples
    --------
    >>> from boxdraw.boxes import BoxSet
    >>> inf = float("inf")
    >>> boxes = BoxSet([[30, -inf], [-inf, 5]], [[inf, 2], [20, inf]], feature_names=["age", "dose"])
    >>> boxes
    BoxSet with 2 boxes on 2 features
    Box 1: age ≥ 30 and dose ≤ 2
    Box 2: age ≤ 20 and dose ≥ 5
    >>> boxes.contains([[40, 1], [40, 7], [10, 7]])
    array([ True, False,  True])
    """

    __slots__ = ("_shown", "feature_names", "lower", "n_boxes", "n_features", "upper")
    feature_names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    _shown: Any
    n_boxes: int
    n_features: int

    def __init__(
        self,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        *,
        feature_names: Iterable[str] | None = None,
        shown: Numbers | Callable[[], Numbers] | None = None,
    ) -> None:
        low, high = _matrix(lower, "lower"), _matrix(upper, "upper")
        if low.shape != high.shape:
            raise ValueError(f"lower and upper must have the same shape, got {low.shape} and {high.shape}")
        names = _checked_names(feature_names, low.shape[1])
        _check_limits(low, high, names)
        values: dict[str, Any] = {"lower": low, "upper": high, "feature_names": names}
        values |= {"n_boxes": low.shape[0], "n_features": low.shape[1]}
        values["_shown"] = shown if shown is None or callable(shown) else _checked_shown(shown, low, high)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def shown_lower(self) -> FloatArray:
        """Lower numbers to print."""
        return self._shown_limits()[0]

    @property
    def shown_upper(self) -> FloatArray:
        """Upper numbers to print."""
        return self._shown_limits()[1]

    def _shown_limits(self) -> tuple[FloatArray, FloatArray]:
        if self._shown is None:
            return self.lower, self.upper
        if callable(self._shown):
            object.__setattr__(self, "_shown", _checked_shown(self._shown(), self.lower, self.upper))
        shown: tuple[FloatArray, FloatArray] = self._shown
        return shown

    def membership(self, X: Any) -> BoolArray:
        """Say which rows are in which boxes.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples, n_boxes)
            A column per box.

        Examples
        --------
        >>> BoxSet([[0], [2]], [[3], [9]]).membership([[1]])
        array([[ True, False]])
        """
        return self._measure(X, _inside, np.bool_)

    def contains(self, X: Any) -> BoolArray:
        """Say which rows are in any box.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Whether each row is flagged.

        Examples
        --------
        >>> BoxSet([[0], [2]], [[3], [9]]).contains([[1], [3], [10]])
        array([ True,  True, False])
        """
        return np.asarray(self.membership(X).any(axis=1))

    def margin(self, X: Any) -> FloatArray:
        """Measure how far inside or outside each row is, in the units of the limit that decides.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float of shape (n_samples,)
            The largest over boxes of the smallest ``x - lower`` and ``upper - x`` over limits: at least 0
            exactly where `contains` is True. In a box without limits it is ``inf``; without boxes, or when
            missing values keep a row out of all of them, ``-inf``.

        Examples
        --------
        >>> BoxSet([[0], [2]], [[3], [9]]).margin([[1], [5], [9], [11]])
        array([ 1.,  3.,  0., -2.])
        """
        return np.asarray(self._measure(X, _depth, np.float64).max(axis=1, initial=-np.inf))

    def shown_for(self, X: Any) -> Self:
        """Make the same boxes print short numbers that say the same about given rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, usually those that the boxes were learned from.

        Returns
        -------
        BoxSet
            Equal to this one. Each number it shows has the fewest digits with which the limit, taken alone,
            keeps every row of ``X`` on its side; `boxdraw.export.text.shown_limits` has the details.

        Examples
        --------
        >>> BoxSet([[2.0137]], [[6.4992]]).shown_for([[1], [3], [5], [8]]).to_text()
        'Box 1: 2 ≤ x0 ≤ 6'
        """
        from boxdraw.export.text import shown_limits

        shown = shown_limits(self.lower, self.upper, _read_columns(X, self)[1])
        return type(self)(self.lower, self.upper, feature_names=self.feature_names, shown=shown)

    def to_text(self) -> str:
        """Write one sentence per box, a line each.

        Examples
        --------
        >>> print(BoxSet([[16.8, 14.2]], [[float("inf"), 30]], feature_names=["radius", "texture"]).to_text())
        Box 1: radius ≥ 16.8 and 14.2 ≤ texture ≤ 30
        """
        from boxdraw.export.text import to_text

        return to_text(self)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the boxes as JSON; `boxdraw.export.json` documents the layout.

        Parameters
        ----------
        path : str or path-like, optional
            A file to write as well. It is replaced in one step, or left as it was if that fails.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> BoxSet.from_json(BoxSet([[1]], [[2]]).to_json()).to_text()
        'Box 1: 1 ≤ x0 ≤ 2'
        """
        from boxdraw.export.json import to_json, write_text

        text = to_json(self)
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> BoxSet:
        """Read boxes that `to_json` wrote.

        Parameters
        ----------
        source : str, bytes or path-like
            JSON text (bytes, or a str that starts with ``{``) or the path of a file.

        Returns
        -------
        BoxSet
            The boxes. Anything but a valid file gives a ValueError that says what is wrong and where.

        Examples
        --------
        >>> BoxSet.from_json(BoxSet([[1]], [[2]]).to_json()) == BoxSet([[1]], [[2]])
        True
        """
        from boxdraw.export.json import from_json, read_source

        return from_json(read_source(source))

    def _measure(self, X: Any, measure: Callable[..., Any], dtype: Any) -> npt.NDArray[Any]:
        """Apply a function of columns and limits to every row and box."""
        n_samples, columns = _read_columns(X, self)
        result = np.empty((n_samples, self.n_boxes), dtype=dtype)
        for start in range(0, n_samples, _TILE_ROWS):
            rows = slice(start, start + _TILE_ROWS)
            tile = {j: np.ascontiguousarray(column[rows], dtype=np.float64) for j, column in columns.items()}
            for k in range(self.n_boxes):
                result[rows, k] = measure(tile, self.lower[k], self.upper[k])
        return result

    def __len__(self) -> int:
        return self.n_boxes

    def __getitem__(self, index: SupportsIndex | slice) -> Self:
        rows = index if isinstance(index, slice) else [range(self.n_boxes)[index]]
        lower, upper = self._shown_limits()
        shown = lower[rows], upper[rows]
        return type(self)(self.lower[rows], self.upper[rows], feature_names=self.feature_names, shown=shown)

    def __iter__(self) -> Iterator[Self]:
        return (self[k] for k in range(self.n_boxes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoxSet):
            return NotImplemented
        equal = np.array_equal(self.lower, other.lower) and np.array_equal(self.upper, other.upper)
        return equal and self.feature_names == other.feature_names

    def __hash__(self) -> int:
        return hash((self.feature_names, self.lower.tobytes(), self.upper.tobytes()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot set {name!r}: a BoxSet does not change; make a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: a BoxSet does not change; make a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        names, shown = self.feature_names, self._shown_limits()
        return partial(type(self), feature_names=names, shown=shown), (self.lower, self.upper)

    def __repr__(self) -> str:
        from boxdraw.export.text import to_repr

        return to_repr(self)

    def _repr_html_(self) -> str:
        from boxdraw.export.html import to_html

        return to_html(self)


def _numeric(values: Any, what: str) -> npt.NDArray[Any]:
    """Make an array of numbers of any type; text is refused even where NumPy would parse it."""
    array = np.asarray(values)
    if array.dtype.kind == "O" and not any(isinstance(value, str | bytes) for value in array.flat):
        with suppress(TypeError, ValueError, OverflowError):
            array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} must hold numbers only, got {type(values).__name__} of dtype {array.dtype}")
    return array


def _matrix(values: Any, what: str) -> FloatArray:
    array = _numeric(values, what)
    if array.ndim != 2 or array.shape[1] == 0:
        wanted = "(n_boxes, n_features) with at least one feature"
        raise ValueError(f"{what} must be {wanted}, got {array.shape}: write one box as [[...]]")
    # Adding zero copies, and turns -0.0 into 0.0, so that equal limits have equal bytes.
    limits: FloatArray = np.add(array, 0.0, dtype=np.float64, order="C")
    limits.flags.writeable = False
    return limits


def _checked_names(names: Iterable[str] | None, n_features: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{j}" for j in range(n_features))
    result = tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in result):
        raise TypeError(f"feature_names must be a sequence of strings, got {names!r}")
    if len(result) != n_features:
        raise ValueError(f"feature_names must have a name per feature: {n_features}, got {len(result)}")
    if repeated := [name for name, count in Counter(result).items() if count > 1]:
        raise ValueError(f"feature_names must all differ, got {repeated} more than once")
    return tuple(map(str, result))


def _check_limits(lower: FloatArray, upper: FloatArray, names: tuple[str, ...]) -> None:
    problems = {
        "must not be NaN: use -inf or inf for no limit": np.isnan(lower) | np.isnan(upper),
        "must not be inf below or -inf above, which no row meets": (lower == np.inf) | (upper == -np.inf),
        "must have lower <= upper": lower > upper,
    }
    for problem, where in problems.items():
        if where.any():
            k, j = np.argwhere(where)[0].tolist()
            limits = f"[{lower[k, j]}, {upper[k, j]}] of feature {names[j]!r} in box index {k}"
            raise ValueError(f"limits {limits} {problem}")


def _checked_shown(shown: Numbers, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    pair = _matrix(shown[0], "shown lower"), _matrix(shown[1], "shown upper")
    for side, numbers, exact in zip(("lower", "upper"), pair, (lower, upper), strict=True):
        if numbers.shape != exact.shape or not np.where(np.isinf(exact), numbers == exact, np.isfinite(numbers)).all():
            raise ValueError(f"shown {side} must have the shape of {side}, and be infinite exactly where that is")
    return pair


def _read_columns(X: Any, boxes: BoxSet) -> tuple[int, Columns]:
    """Count the rows of X, and find the columns of the features that any box limits."""
    used = np.flatnonzero((np.isfinite(boxes.lower) | np.isfinite(boxes.upper)).any(axis=0)).tolist()
    # On the type, because pandas offers the user's own columns as attributes.
    labels = getattr(X, "column_names" if hasattr(type(X), "column_names") else "columns", None)
    if labels is not None:
        names = _frame_labels(list(labels), boxes)
        return len(X), {j: _frame_column(X[names[j]], names[j]) for j in used}
    table = _numeric(X, "X")
    if table.ndim != 2:
        raise ValueError(f"X must be (n_samples, n_features), got {table.shape}: write one row as [[...]]")
    _check_count(table.shape[1], boxes)
    return len(table), {j: table[:, j] for j in used}


def _check_count(n_features: int, boxes: BoxSet) -> None:
    if n_features != boxes.n_features:
        raise ValueError(f"X has {n_features} features, but this BoxSet has {boxes.n_features}")


def _frame_labels(labels: list[Any], boxes: BoxSet) -> Sequence[Any]:
    names, present = boxes.feature_names, Counter(labels)
    if names == _checked_names(None, len(names)) and present.keys().isdisjoint(names):
        _check_count(len(labels), boxes)
        names = tuple(labels)
    missing, repeated = [n for n in names if n not in present], [n for n in names if present[n] > 1]
    if missing or repeated:
        problem = f"lacks the columns {missing}" if missing else f"has several columns named {repeated}"
        raise ValueError(f"X {problem}: each feature of the boxes must be one column")
    return names


def _frame_column(column: Any, name: object) -> npt.NDArray[Any]:
    if hasattr(column, "iloc") and not isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        # The missing value of pandas' own types is not a number, and has to be made one.
        column = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return _numeric(column, f"column {name!r} of X")


def _inside(tile: Columns, lower: FloatArray, upper: FloatArray) -> Any:
    above = (column >= lower[j] for j, column in tile.items() if lower[j] > -np.inf)
    below = (column <= upper[j] for j, column in tile.items() if upper[j] < np.inf)
    return reduce(np.logical_and, chain(above, below), True)


def _depth(tile: Columns, lower: FloatArray, upper: FloatArray) -> Any:
    above = (column - lower[j] for j, column in tile.items() if lower[j] > -np.inf)
    below = (upper[j] - column for j, column in tile.items() if upper[j] < np.inf)
    # Gradual underflow keeps the sign of a difference, and an overflow has the right one.
    with np.errstate(over="ignore"):
        depth = reduce(np.minimum, chain(above, below), np.inf)
    return np.where(np.isnan(depth), -np.inf, depth)
