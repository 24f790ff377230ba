"""The table that boxes are learned from, as the options of the user describe it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.cli.errors import Failure, extra, no_such_column
from boxdraw.cli.features import learning_features
from boxdraw.cli.labels import binary_labels, with_labels
from boxdraw.cli.show import note
from boxdraw.cli.tables import CsvForm, Source, leading_zeros, read_table
from boxdraw.model.export.text import printable
from boxdraw.tables.labels import rarer_label
from boxdraw.tables.suspects import is_number

__all__ = ["Labelled", "csv_form", "read_labelled", "row_weights"]

# Names that frames' row numbers get when they are saved.
_ROW_NUMBERS = re.compile(r"|Unnamed: \d+|__index_level_\d+__")
# Numbers as people write them: with a decimal comma, and with commas between thousands or a unit.
_COMMA = re.compile(r"[-+]?\d+,\d+")
_DRESSED = re.compile(r"[€$£¥]?\s*[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(\s*[€$£¥%]|\s+[A-Za-z]{1,4})?")


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows to learn from.

    Parameters
    ----------
    X : pyarrow.Table
        The features.
    y : ndarray
        The labels, of two kinds.
    weight : ndarray or None
        Weights of the rows.
    positive : label or None
        The positive label, if the user named it.
    target : str
        The column of the labels.
    source : str
        The file, as messages name it.

    Examples
    --------
    >>> Labelled(None, np.array(["no", "no", "yes"]), None, None, "fraud", "data.csv").positive_label
    'yes'
    """

    X: Any
    y: npt.NDArray[Any]
    weight: FloatArray | None
    positive: Any
    target: str
    source: str

    @property
    def positive_label(self) -> Any:
        """The label that was named; else the one with fewer rows that have weight, of two equal ones the second."""
        if self.positive is not None:
            return self.positive
        labels, n_rows = np.unique(self.y if self.weight is None else self.y[self.weight > 0], return_counts=True)
        return rarer_label(dict(zip(labels.tolist(), n_rows.tolist(), strict=True)))

    @property
    def is_positive(self) -> BoolArray:
        """Which rows have the positive label: what estimators learn, whatever the labels are."""
        return np.asarray(self.y == self.positive_label)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    @property
    def n_positive(self) -> int:
        """How many rows have the positive label."""
        return int(self.is_positive.sum())

    @property
    def negative_label(self) -> Any:
        """The other label."""
        labels = np.unique(self.y)
        return labels[labels != self.positive_label][0].item()


def csv_form(args: argparse.Namespace) -> CsvForm:
    """Return how the user says that CSV is written.

    Parameters
    ----------
    args : argparse.Namespace
        The options.

    Returns
    -------
    CsvForm
        The same in one object.

    Examples
    --------
    >>> csv_form(argparse.Namespace(delimiter=";", decimal=",", encoding="cp1252", missing=["?"])).missing
    ('?',)
    """
    return CsvForm(args.delimiter, args.decimal, args.encoding, tuple(args.missing))


def read_labelled(args: argparse.Namespace) -> Labelled:
    """Read a table with labels, as the options of ``fit`` and ``evaluate`` describe it.

    Parameters
    ----------
    args : argparse.Namespace
        The options.

    Returns
    -------
    Labelled
        The rows.
    """
    source = Source.load(args.data, csv_form(args))
    table = read_table(source, as_text=text_columns(args))
    columns = table.column_names
    for name in (args.target, *([args.weight] if args.weight is not None else [])):
        if name not in columns:
            raise no_such_column(name, columns, source.name)
    dropped, categorical = (column_names(given, columns, source.name) for given in (args.drop, args.categorical))
    table = with_labels(table, args.target, args.skip_unlabelled, source.name)
    weight = None if args.weight is None else row_weights(table[args.weight], args.weight)
    features = [name for name in columns if name not in {args.target, args.weight, *dropped}]
    check_features(features, source.name)
    X = learning_features(table, features, categorical, source.name, args.quiet)
    _warn_of_columns(X, source, categorical, args.quiet)
    y, positive = binary_labels(table[args.target], args.target, args.positive)
    return Labelled(X, y, weight, positive, args.target, source.name)


def text_columns(args: argparse.Namespace) -> list[str]:
    """Return all names that the columns to be read as text may have."""
    return [*args.categorical, *(name for text in args.categorical for name in text.split(","))]


def column_names(given: Sequence[str], columns: Sequence[str], source: str) -> list[str]:
    """Read lists of columns, each with commas between them; a name that has a comma itself is given alone."""
    names = [name for text in given for name in ([text] if text in columns else text.split(","))]
    for name in names:
        if name not in columns:
            raise no_such_column(name, columns, source)
    return names


def check_features(features: Sequence[str], source: str) -> None:
    """Refuse a table without features, and row numbers as features."""
    if not features:
        raise Failure(f"{source} has no column beside the target to learn from")
    for name in features:
        if _ROW_NUMBERS.fullmatch(name):
            called = f'is called "{name}"' if name else "has no name"
            raise Failure(
                f"a column of {source} {called} and looks like row numbers that were saved with a frame: leave it out "
                f"with --drop '{name}', or give it a name"
            )


def _warn_of_columns(X: Any, source: Source, categorical: Sequence[str], quiet: bool) -> None:
    """Point out columns that may not be meant as they are taken."""
    if quiet:
        return
    types = extra("pyarrow").types
    for name in leading_zeros(source, X):
        note_of_zeros(name)
    for name in X.column_names:
        if types.is_string(X[name].type) or types.is_large_string(X[name].type):
            texts = X[name].drop_null().unique().to_pylist()
            note_of_texts(name, texts, X.num_rows, None if name in categorical else source.form.decimal)


def note_of_zeros(name: str) -> None:
    """Point out a column whose numbers have zeros in front."""
    note(
        f'column "{printable(name)}" has leading zeros and is taken as numbers; --categorical takes it as text',
        quiet=False,
    )


def note_of_texts(name: str, texts: Collection[str], n_rows: int, decimal: str | None) -> None:
    """Point out a column of text that looks like an identifier or, unless ``decimal`` is None, like numbers."""
    if decimal is not None and (said := _looks_like_numbers(texts, decimal)):
        note(f'column "{printable(name)}" is taken as text, but {said}', quiet=False)
    elif len(texts) > 20 and len(texts) * 2 > n_rows:
        note(
            f'column "{printable(name)}" has {len(texts)} different texts in {n_rows} rows; if it is a name '
            "or a number of the row, leave it out with --drop",
            quiet=False,
        )


def _looks_like_numbers(texts: Collection[str], decimal: str) -> str:
    """Say what keeps texts, most of which are numbers somehow written, from being read as such; empty if few are."""

    def others(is_one: Callable[[str], Any]) -> list[str]:
        return sorted(text for text in texts if not is_one(text))

    def few(rest: list[str]) -> bool:
        return len(texts) - len(rest) > max(2, len(rest))

    rest = others(lambda text: is_number(text.replace(decimal, ".")))
    if rest and few(rest):
        odd = printable(rest[0])
        return (
            f'most of it is numbers: correct what is none, like "{odd}", or add --missing "{odd}" if that means a '
            "missing value; --categorical says that text is meant"
        )
    if rest and decimal != "," and few(others(lambda text: is_number(text) or _COMMA.fullmatch(text))):
        return "it looks like numbers with a decimal comma: try --decimal ,"
    if rest and few(others(_DRESSED.fullmatch)):
        return f'it looks like numbers: write digits and a point only, not "{printable(rest[0])}"'
    return ""


def row_weights(column: Any, name: str) -> FloatArray:
    """Return the weights of rows.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The weights.
    name : str
        The name of the column.

    Returns
    -------
    ndarray of float
        The same as an array.

    Examples
    --------
    >>> import pyarrow as pa
    >>> row_weights(pa.chunked_array([[1, 2]]), "count")
    array([1., 2.])
    """
    types = extra("pyarrow").types
    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind)) or column.null_count:
        raise Failure(f'the weights in column "{printable(name)}" must be numbers, one in each row')
    weight: FloatArray = np.asarray(column, dtype=np.float64)
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise Failure(f'the weights in column "{printable(name)}" must be finite and at least 0')
    return weight
