"""Periods and the labels of their rows, in the forms that people have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray
from boxdraw._core.progress import RowsProgress
from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import is_missing
from boxdraw.service.counts import Piece
from boxdraw.tables.arrow import MEMORY_LIMIT, ArrowReader
from boxdraw.tables.dask import is_dask
from boxdraw.tables.labels import as_labels, has_label, rarer_label
from boxdraw.tables.source import open_dataset
from boxdraw.tables.trained import by_place, text_features

Labelled = tuple[Any, npt.NDArray[Any] | None]  # rows, and labels if there are some


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads rows and labels in any form; a stored table and the partitions of a Dask frame one part after the other."""

    boxes: BoxSet
    target: str | None
    time: str | None

    def parts(self, rows: Any) -> Iterator[Labelled]:
        """Yield rows with labels."""
        for part in self._frames(rows):
            yield rows_and_labels(part, self.target, self.time)

    def named(self, periods: Any) -> Iterator[tuple[Any, Labelled]]:
        """Yield the names of periods, with rows and labels; a name may come several times."""
        if self.time is not None:
            for part in self._frames(periods):
                yield from self._by_time(part, self.time)
            return
        if not isinstance(periods, Mapping | list):
            raise TypeError(
                "periods must be a mapping of names to frames or pairs (X, y), a list of these, or a frame with time=, "
                f"the name of the column of periods; got {type(periods).__name__}."
            )
        named = periods.items() if isinstance(periods, Mapping) else enumerate(periods, start=1)
        yield from ((name, part) for name, rows in named for part in self.parts(rows))

    def _by_time(self, rows: Any, time: str) -> Iterator[tuple[Any, Labelled]]:
        frame = _frame(rows)
        if frame is None or time not in frame.columns:
            raise ValueError(f"With time={time!r}, periods must be one frame that has this column.")
        if any(map(is_missing, frame[time].to_list())):
            raise ValueError(f"The column {time!r} of periods has missing values: each row needs its period.")
        for value in frame[time].unique().to_list():
            yield value, rows_and_labels(frame.filter(nw.col(time) == value).to_native(), self.target, time)

    def _frames(self, rows: Any) -> Iterator[Any]:
        if is_dask(rows):
            yield from (part.compute() for part in rows[self._needed(rows.columns)].partitions)
        elif _is_stored(rows):
            dataset = open_dataset(rows, text_features(self.boxes))
            reader = ArrowReader(dataset, MEMORY_LIMIT, None, RowsProgress("", False))
            yield from reader.tables(self._needed(dataset.schema.names))
        else:
            yield rows

    def _needed(self, columns: Iterable[str]) -> list[str]:
        names = list(columns)
        wanted = {*(names if by_place(names, self.boxes) else self.boxes.feature_names), self.target, self.time}
        return [name for name in names if name in wanted]


def _is_stored(rows: Any) -> bool:
    """Return True for a path, a list of paths and a pyarrow dataset."""
    paths = rows if isinstance(rows, list) and rows else [rows]
    return hasattr(rows, "scanner") or all(isinstance(path, str | PathLike) for path in paths)


def rows_and_labels(rows: Any, target: str | None, time: str | None) -> Labelled:
    """Return rows without the columns of labels and periods, and labels if there are some."""
    X, y = rows if isinstance(rows, tuple) and len(rows) == 2 else (rows, None)
    if isinstance(X, tuple) or not hasattr(X, "__len__"):
        raise TypeError(f"Rows must be a frame, an array or a pair (X, y), got {type(X).__name__}.")
    if isinstance(rows, tuple):
        labels = None if y is None else as_labels(y)
        if labels is not None and labels.shape != (len(X),):
            raise ValueError(f"y must have a label for each row of X: {len(X)}, got labels of shape {labels.shape}.")
        return X, labels
    frame = _frame(rows)
    if frame is None:
        return rows, None
    labels = as_labels(frame[target].to_native()) if target in frame.columns else None
    return frame.drop(name for name in (target, time) if name in frame.columns).to_native(), labels


def _frame(rows: Any) -> nw.DataFrame[Any] | None:
    frame = nw.from_native(rows, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def sorted_periods(found: dict[Any, Any]) -> dict[Any, Any]:
    """Return what is known by period in the order of these."""
    try:
        return {period: found[period] for period in sorted(found)}
    except TypeError as error:
        raise ValueError(f"The periods have no order: expected numbers, dates or texts only ({error}).") from None


def two_labels(labels: npt.NDArray[Any] | None, whose: str = "The reference") -> tuple[Any, Any] | None:
    """Return the negative and the positive label, which is the rarer one; None without labels."""
    found = Counter([] if labels is None else labels[_known(labels)].tolist())
    if not found:
        return None
    if len(found) != 2:
        raise ValueError(
            f"{whose} has the labels {list(found)[:5]}; expected two, of which the rarer one is positive. "
            "A BoxSetClassifier made from the rules says itself which labels there are."
        )
    first, second = sorted(found)
    positive = rarer_label({first: found[first], second: found[second]})
    return (first, second) if positive == second else (second, first)


def as_piece(labelled: Labelled, classes: tuple[Any, Any] | None) -> Piece:
    """Return rows, and for each 1 if its label is positive, 0 if negative and -1 if it has none."""
    rows, labels = labelled
    found = np.full(len(rows), -1, dtype=np.int8)
    if labels is None or classes is None:
        return rows, found
    known = _known(labels)
    those = found[known]
    for place, label in enumerate(classes):
        those[has_label(labels[known], label)] = place
    if (those < 0).any():
        unknown = labels[known][those < 0].tolist()[0]
        expected = " or ".join(map(repr, np.asarray(classes).tolist()))
        raise ValueError(f"There is the label {unknown!r}; expected {expected}.")
    found[known] = those
    return rows, found


def _known(labels: npt.NDArray[Any]) -> BoolArray:
    """Return the mask of labels that are not missing."""
    if labels.dtype.kind in "biuU":
        return np.ones(len(labels), dtype=np.bool_)
    return np.array([not is_missing(label) for label in labels.tolist()], dtype=np.bool_)
