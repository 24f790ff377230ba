"""The column of labels: two of them, one in each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray
from boxdraw.cli.errors import Failure, extra, listed, no_such_column
from boxdraw.model.export.text import format_number, printable

__all__ = ["binary_labels", "known_labels", "label_text", "with_labels"]


def with_labels(table: Any, target: str, skip: bool, source: str) -> Any:
    """Return the rows that have a label.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    target : str
        The column of the labels.
    skip : bool
        Whether rows without a label are left out; they are an error otherwise.
    source : str
        The file, as messages name it.

    Returns
    -------
    pyarrow.Table
        The rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> with_labels(pa.table({"fraud": [0, None, 1]}), "fraud", True, "data.csv").num_rows
    2
    """
    unlabelled = np.asarray(table[target].is_null(nan_is_null=True))
    if unlabelled.all() or (unlabelled.any() and not skip):
        first = int(np.flatnonzero(unlabelled).min(initial=len(unlabelled)))
        raise no_labels(target, source, len(unlabelled), int(unlabelled.sum()), first)
    return with_label(table, unlabelled)


def with_label(table: Any, unlabelled: BoolArray) -> Any:
    """Leave rows out."""
    return table.filter(extra("pyarrow").array(~unlabelled)) if unlabelled.any() else table


def no_labels(target: str, source: str, n_rows: int, n_unlabelled: int, first: int) -> Failure:
    """Say that rows have no label; ``first`` is the place of the first of them."""
    if not n_rows:
        return Failure(f"{source} has column names but no rows")
    if n_unlabelled == n_rows:
        return Failure(f'column "{printable(target)}" of {source} is empty: it must have a label in each row')
    return Failure(
        f'column "{printable(target)}" of {source} has no label in {n_unlabelled} of {n_rows} rows, first '
        f"in row {first + 1} below the names: fill them in, or add --skip-unlabelled"
    )


def binary_labels(column: Any, target: str, positive: str | None) -> tuple[npt.NDArray[Any], Any]:
    """Return the labels, and the positive one if it was named.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The labels.
    target : str
        The name of the column.
    positive : str or None
        The positive label, as the user writes it.

    Returns
    -------
    y : ndarray
        The labels.
    positive : label or None
        The positive one, as it is in y.

    Examples
    --------
    >>> import pyarrow as pa
    >>> binary_labels(pa.chunked_array([[True, False]]), "fraud", "true")
    (array([ True, False]), True)
    """
    y = _labels(column, target)
    labels = [label.item() for label in np.unique(y)]
    if len(labels) != 2:
        what = f"has {len(labels)} different labels ({listed([label_text(label) for label in labels])})"
        if len(labels) == 1:
            raise Failure(f'column "{printable(target)}" {what}: rows of both kinds are needed to learn from')
        raise Failure(f'column "{printable(target)}" {what}: make a column of two, the rare one against the rest')
    if positive is None:
        return y, None
    matches = [label for label in labels if _means(positive, label)]
    if not matches:
        shown = listed([label_text(label) for label in labels])
        raise Failure(f'column "{printable(target)}" has no label "{printable(positive)}"; its labels are {shown}')
    return y, matches[0]


def _labels(column: Any, target: str) -> npt.NDArray[Any]:
    check_labels(column.type, target)
    return np.array(column.to_pylist())


def check_labels(kind: Any, target: str) -> None:
    """Refuse a type that labels can't have."""
    types = extra("pyarrow").types
    if types.is_temporal(kind) or types.is_nested(kind) or types.is_binary(kind):
        raise Failure(f'column "{printable(target)}" holds {kind}: labels are texts, numbers or true and false')


def _means(text: str, label: Any) -> bool:
    """Say whether a text names a label."""
    return label_text(label) == (text.lower() if isinstance(label, bool) else text)


def label_text(label: Any) -> str:
    """Write a label as in a file.

    Parameters
    ----------
    label : str, number or bool
        The label.

    Returns
    -------
    str
        Its text.

    Examples
    --------
    >>> label_text("yes"), label_text(1), label_text(1.0), label_text(True)
    ('yes', '1', '1', 'true')
    """
    if isinstance(label, bool):
        return str(label).lower()
    return format_number(label) if isinstance(label, float) else str(label)


def known_labels(table: Any, target: str, classes: Sequence[Any], source: str, skip: bool) -> tuple[Any, Any]:
    """Find the labels of rows that a model is tried on, among those that it knows.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    target : str
        The column of the labels.
    classes : sequence
        The labels of the model.
    source : str
        The file, as messages name it.
    skip : bool
        Whether rows without a label are left out.

    Returns
    -------
    table : pyarrow.Table
        The rows that have a label.
    y : ndarray
        Their labels.

    Examples
    --------
    >>> import pyarrow as pa
    >>> known_labels(pa.table({"fraud": ["1", "0"]}), "fraud", (0, 1), "new.csv", False)[1]
    array([1, 0])
    """
    if target not in table.column_names:
        raise no_such_column(target, table.column_names, source)
    table = with_labels(table, target, skip, source)
    values = _labels(table[target], target).tolist()
    meaning = meaning_of(values, classes, target, source)
    return table, np.array([meaning[value] for value in values])


def meaning_of(values: Iterable[Any], classes: Sequence[Any], target: str, source: str) -> dict[Any, Any]:
    """Return which label of the model each value stands for, written as text the same."""
    by_text = {label_text(label): label for label in classes}
    texts = {value: label_text(value) for value in values}
    if unknown := sorted(set(texts.values()) - set(by_text)):
        raise Failure(
            f'column "{printable(target)}" of {source} has labels that the model does not know: {listed(unknown)}; '
            f"it knows {listed([label_text(label) for label in classes])}"
        )
    return {value: by_text[text] for value, text in texts.items()}
