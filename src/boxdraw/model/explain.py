"""Why a row is flagged, or what keeps it out of the nearest box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.frames import frame_like
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import category_text, format_number, limit_text, printable
from boxdraw.model.export.view import points_text
from boxdraw.model.membership import admitted
from boxdraw.model.rows import UNSEEN, Columns, read_columns
from boxdraw.model.rule import Limit, as_category
from boxdraw.model.scorecard import Scorecard, boxes_of

_MISSING_TEXT, _NOTHING = "a missing value", "there are no boxes"


@dataclass(frozen=True, slots=True)
class Violation:
    """A limit that keeps a row out of a box.

    Parameters
    ----------
    row : int
        The number of the row, from 0.
    box : int
        The number of the box, from 1 as in `BoxSet.to_text`.
    feature : str
        The name of the feature.
    needs : Limit
        The limit, with its exact numbers.
    has : float, category or None
        The value of the row; None if it is missing.
    by : float or None
        How far a number is from the limit, in the units of the feature; None for a category, for a missing value and
        where only missing values are inside, which have no distance.

    Examples
    --------
    >>> from boxdraw import Limit, Violation
    >>> Violation(0, 1, "amount", Limit("amount", upper=250.0), 300.0, 50.0).by
    50.0
    """

    row: int
    box: int
    feature: str
    needs: Limit
    has: Any
    by: float | None


def explain(drawing: BoxSet | Scorecard, X: Any, *, scale: npt.ArrayLike | None = None) -> dict[str, Any]:
    """Return the columns of ``explain`` of boxes or a card; ``scale`` has the unit of distance of each feature."""
    boxes = boxes_of(drawing)
    table = _ExplainedRows(boxes, X)
    if isinstance(drawing, Scorecard):
        return _explain_card(drawing, table)
    if not len(boxes):
        none = np.zeros(table.n_rows)
        empty = {"flagged": none > 0, "box": [None] * table.n_rows, "boxes": [""] * table.n_rows}
        why = [_NOTHING] * table.n_rows
        return empty | {"n_violations": none.astype(np.int64), "distance": none + np.inf, "why": why}
    found = _nearest_boxes(table, _checked_scale(scale, boxes) if scale is not None else _scale(table))
    flagged = np.asarray(found.member.any(axis=1))
    return {
        "flagged": flagged,
        "box": found.box + 1,
        "boxes": _numbers(found.member, range(len(boxes))),
        "n_violations": found.n_violations,
        "distance": found.distance,
        "why": _why(table, found.box, flagged),
    }


def _why(table: _ExplainedRows, box: IntArray, flagged: BoolArray) -> list[str]:
    """Write for each row what its box asks and what the row has."""
    texts = np.full(len(box), "", dtype=object)
    for k in np.unique(box).tolist():
        for met in (True, False):
            rows = np.flatnonzero((box == k) & (flagged == met))
            texts[rows] = _sentences(table, rows, k, met)
    return list(texts.tolist())


def _explain_card(card: Scorecard, table: _ExplainedRows) -> dict[str, Any]:
    """Return the columns of `Scorecard.explain`."""
    scale, order = _scale(table), sorted(range(len(card)), key=lambda k: -card.points[k])
    far, counts = np.empty((2, table.n_rows, len(card)))
    for k in range(len(card)):
        far[:, k], counts[:, k] = _distance(table, k, scale)
    member, worth = counts == 0, np.array(card.points, dtype=np.int64)
    points = member @ worth
    flagged = points >= card.threshold
    reasons = [""] * table.n_rows
    for k in order:
        rows = np.flatnonzero(member[:, k])
        for i, text in zip(rows.tolist(), _sentences(table, rows, k, met=True), strict=True):
            reasons[i] += f"{'; ' if reasons[i] else ''}{_true_minus(card.points[k])} for {text}"
    reasons = [text or "in no box" for text in reasons]
    enough = ~member & (points[:, None] + worth >= card.threshold) & ~flagged[:, None]
    nearest = np.where(enough, far.clip(max=np.finfo(np.float64).max), np.inf)
    for k in order:
        rows = np.flatnonzero(enough[:, k] & (nearest.argmin(axis=1) == k))
        for i, text in zip(rows.tolist(), _sentences(table, rows, k, met=False), strict=True):
            reasons[i] += f"; for {card.points[k]} more it {text}"
    heads = [f"{points_text(value)}, alarm from {_true_minus(card.threshold)}: " for value in points.tolist()]
    why = [head + text for head, text in zip(heads, reasons, strict=True)] if len(card) else [_NOTHING] * table.n_rows
    return {"flagged": flagged, "points": points, "boxes": _numbers(member, order), "why": why}


def _true_minus(value: int) -> str:
    return str(value).replace("-", "−")


def explain_frame(drawing: BoxSet | Scorecard, X: Any, *, scale: npt.ArrayLike | None = None) -> Any:
    """Return `explain` as a frame of the kind of X, with its index if it has one."""
    frame = frame_like(X, explain(drawing, X, scale=scale))
    if hasattr(type(X), "iloc"):
        frame.index = X.index
    return frame


def violations(boxes: BoxSet, X: Any) -> list[Violation]:
    """List every limit that keeps a row out of a box.

    Parameters
    ----------
    boxes : BoxSet
        The boxes.
    X : array-like or frame of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    list of Violation
        For every row and every box that does not hold it, by row, box and feature. A box holds a row exactly if the
        two have no violation.

    Examples
    --------
    >>> from boxdraw import BoxSet, violations
    >>> boxes = BoxSet([[30]], [[40]], feature_names=["age"])
    >>> [(found.row, found.has, found.by) for found in violations(boxes, [[50], [33], [None]])]
    [(0, 50.0, 10.0), (2, None, None)]
    """
    table, found = _ExplainedRows(boxes, X), []
    for k, j in np.argwhere(boxes.limited).tolist():
        far, limit = table.outside(k, j), boxes._limit(k, j)
        rows = np.flatnonzero(far != 0)
        for i, has, by in zip(rows.tolist(), table.values(j, rows), far[rows].tolist(), strict=True):
            found.append(Violation(i, k + 1, limit.feature, limit, has, None if np.isnan(by) else by))
    # Sorting is stable, so that the features of a box stay in their order.
    return sorted(found, key=lambda violation: (violation.row, violation.box))


def feature_scale(boxes: BoxSet, X: Any) -> FloatArray:
    """Return the `spread` of each feature; 1 for one that no box limits."""
    return _scale(_ExplainedRows(boxes, X))


class _ExplainedRows:
    """The columns that the boxes limit, with the values that the user gave."""

    def __init__(self, boxes: BoxSet, X: Any) -> None:
        self.boxes, self._source = boxes, X
        self.n_rows, columns = read_columns(X, boxes)
        self.columns: Columns = {
            j: column if self.has_categories(j) else column.astype(np.float64) for j, column in columns.items()
        }

    def has_categories(self, j: int) -> bool:
        return self.boxes.categories[j] is not None

    def outside(self, k: int, j: int, rows: Any = np.s_[:]) -> FloatArray:
        """Return how far outside a limit rows are: 0 inside, NaN outside without a distance."""
        boxes, values = self.boxes, self.columns[j][rows]
        if self.has_categories(j):
            return np.where(admitted(boxes, k, j)[values], 0.0, np.nan)
        lower, upper = boxes.lower[k, j], boxes.upper[k, j]
        if lower > upper:  # only missing values are inside
            return np.where(np.isnan(values), 0.0, np.nan)
        absent = np.where(np.isnan(values), np.nan, 0.0)
        with np.errstate(over="ignore"):
            sides = ([lower - values] if lower > -np.inf else []) + ([values - upper] if upper < np.inf else [])
        far: FloatArray = reduce(np.maximum, sides, absent)
        return np.where(np.isnan(values), 0.0, far) if boxes.missing[k, j] else far

    def values(self, j: int, rows: IntArray) -> list[Any]:
        """Return values as numbers or categories, None for missing ones."""
        if not self.has_categories(j):
            # Adding zero turns -0.0 into 0.0.
            return [None if value != value else value for value in (self.columns[j][rows] + 0.0).tolist()]
        places = self.columns[j][rows]
        known: list[Any] = [*(self.boxes.categories[j] or ()), None, None]
        values = [known[place] for place in places.tolist()]
        unseen = np.flatnonzero(places == UNSEEN)
        source = self._raw(j) if unseen.size else []
        for i in unseen.tolist():
            values[i] = source[rows[i]]
        return values

    def _raw(self, j: int) -> Any:
        """Return a column as the user gave it: what is in no list of categories has a place there only."""
        X, name = self._source, self.boxes.feature_names[j]
        labels = getattr(X, "column_names" if hasattr(type(X), "column_names") else "columns", None)
        if labels is not None:
            return np.asarray(X[name if name in list(labels) else list(labels)[j]])
        return (X if isinstance(X, np.ndarray) else np.array(X, dtype=object))[:, j]

    def texts(self, j: int, rows: IntArray) -> list[str]:
        """Write values."""
        write = _category_words if self.has_categories(j) else format_number
        return [_MISSING_TEXT if value is None else write(value) for value in self.values(j, rows)]


def _category_words(value: Any) -> str:
    try:
        return category_text(as_category(value))
    except TypeError:  # what can't be a category, such as a date
        return printable(str(value))


def _scale(table: _ExplainedRows) -> FloatArray:
    scale = np.ones(table.boxes.n_features)
    for j, column in table.columns.items():
        if not table.has_categories(j):
            scale[j] = spread(column[np.isfinite(column)])
    return scale


def spread(values: FloatArray) -> float:
    """Return the interquartile range of finite values; where that is 0 their range, and 1 where that is 0 too."""
    if not values.size:
        return 1.0
    # Differences of the largest floats overflow, which is far enough.
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.quantile(values, [0.25, 0.75])
        middle, whole = high - low, values.max() - values.min()
    if 0 < middle < np.inf:
        return float(middle)
    return float(min(whole, np.finfo(np.float64).max)) or 1.0


def _checked_scale(scale: npt.ArrayLike, boxes: BoxSet) -> FloatArray:
    checked = np.asarray(scale, dtype=np.float64)
    if checked.shape != (boxes.n_features,) or not (np.isfinite(checked) & (checked > 0)).all():
        raise ValueError(f"scale must have a positive, finite number for each of the {boxes.n_features} features")
    return checked


@dataclass(frozen=True, slots=True)
class _Nearest:
    """For each row the boxes that hold it, the first of them or else the nearest, and how far that is."""

    member: BoolArray
    box: IntArray
    n_violations: npt.NDArray[np.int64]
    distance: FloatArray


def _nearest_boxes(table: _ExplainedRows, scale: FloatArray) -> _Nearest:
    boxes, n_rows = table.boxes, table.n_rows
    member = np.empty((n_rows, len(boxes)), dtype=np.bool_)
    box, violated = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows, dtype=np.int64)
    # Nothing is less near than NaN, so the first box is taken even if it is infinitely far.
    distance = np.full(n_rows, np.nan)
    for k in range(len(boxes)):
        far, count = _distance(table, k, scale)
        member[:, k] = count == 0
        nearer = ~(far >= distance)
        box[nearer], violated[nearer], distance[nearer] = k, count[nearer], far[nearer]
    flagged = member.any(axis=1)
    box[flagged] = member[flagged].argmax(axis=1)
    violated[flagged], distance[flagged] = 0, 0
    return _Nearest(member, box, violated, distance)


def _distance(table: _ExplainedRows, k: int, scale: FloatArray) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Return how far rows are from a box, and how many of its limits they do not meet."""
    total, count = np.zeros(table.n_rows), np.zeros(table.n_rows, dtype=np.int64)
    for j in np.flatnonzero(table.boxes.limited[k]).tolist():
        far = table.outside(k, j)
        with np.errstate(over="ignore"):
            total += np.where(np.isnan(far), 1.0, far / scale[j])
        count += far != 0
    return total, count


def _numbers(member: BoolArray, order: Sequence[int]) -> list[str]:
    """Write the numbers of the boxes that hold each row, in some order."""
    texts = [""] * len(member)
    for i, place in np.argwhere(member[:, order]).tolist():
        number = order[place] + 1
        texts[i] = f"{texts[i]}, {number}" if texts[i] else f"{number}"
    return texts


def _sentences(table: _ExplainedRows, rows: IntArray, k: int, met: bool) -> list[str]:
    """Write for rows that are all in a box, or all outside, what it asks of them and what they have."""
    texts = dict.fromkeys(rows.tolist(), "")
    for j in np.flatnonzero(table.boxes.limited[k]).tolist():
        asked = rows if met else rows[table.outside(k, j, rows) != 0]
        for i, condition, has in _conditions(table, k, j, asked, met):
            between = " and " if met else "; "
            said = f"{condition} (has {has})" if met else f"needs {condition}, has {has}"
            texts[i] += f"{between if texts[i] else ''}{said}"
    return [text or "every row" for text in texts.values()]  # a box without limits says nothing


def _conditions(table: _ExplainedRows, k: int, j: int, rows: IntArray, met: bool) -> Iterator[tuple[int, str, str]]:
    """Write one limit of a box for rows that all meet it, or all do not, together with what the rows have."""
    limit = table.boxes._limit(k, j)
    texts = [limit_text(limit)] * len(rows) if met else _needed(limit, table.columns[j][rows])
    yield from zip(rows.tolist(), texts, table.texts(j, rows), strict=True)


def _needed(limit: Limit, values: npt.NDArray[Any]) -> list[str]:
    """Write what rows do not meet; of two limits only the one that a value is beyond."""
    name = printable(limit.feature)
    if limit.known:
        return [f"{name} known"] * len(values)
    if limit.lower > limit.upper or limit.categories == frozenset():
        return [f"{name} missing"] * len(values)
    whole = limit_text(limit)
    if limit.categories is not None or limit.lower == limit.upper:
        return [whole] * len(values)
    lower, upper = limit_text(replace(limit, upper=np.inf)), limit_text(replace(limit, lower=-np.inf))
    return np.where(values < limit.lower, lower, np.where(values > limit.upper, upper, whole)).tolist()
