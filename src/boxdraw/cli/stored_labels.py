"""Labelled tables that are read piece by piece: what is in them, and what boxes catch there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from boxdraw._core.sums import exact_total
from boxdraw.cli.columns import row_weights
from boxdraw.cli.errors import Failure, extra, no_such_column
from boxdraw.cli.features import has_infinite, has_values, learning_column
from boxdraw.cli.figures import counted_figures
from boxdraw.cli.labels import check_labels, no_labels, with_label
from boxdraw.cli.model import Model
from boxdraw.cli.stored import Stored
from boxdraw.model.export.text import printable
from boxdraw.model.rule import is_missing
from boxdraw.model.statistics import BoxCounts
from boxdraw.tables.schema import merged_unseen, unseen_categories, warn_of

__all__ = ["Facts", "LabelledPieces", "figures_of", "find_facts", "labelled_tables"]

_MANY = 2**20  # different labels or texts of a column: more are not for learning from, and fill the memory

Tell = Callable[[str, int, "int | None"], None]


@dataclass(slots=True)
class Facts:
    """What is known of a labelled table when all of it has been seen once.

    Parameters
    ----------
    n_rows : int
        The rows that have a label.
    count, weight : dict
        The number of rows, and their weight, by label.
    without_values, infinite : set of str
        The columns that have no value, and those that have an infinite one.
    texts : dict
        The different texts of each column of text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> facts = Facts(without_values={"age"})
    >>> facts.see(pa.table({"age": [30, None], "fraud": ["yes", "no"]}), "fraud", None, ["age"])
    >>> facts.count, facts.without_values
    ({'yes': 1, 'no': 1}, set())
    """

    n_rows: int = 0
    count: dict[Any, int] = field(default_factory=dict)
    weight: dict[Any, Fraction] = field(default_factory=dict)
    without_values: set[str] = field(default_factory=set)
    infinite: set[str] = field(default_factory=set)
    texts: dict[str, set[Any]] = field(default_factory=dict)

    def see(self, table: Any, target: str, weight: str | None, features: Sequence[str]) -> None:
        """Take in some more rows.

        Parameters
        ----------
        table : pyarrow.Table
            The rows; each has a label.
        target, weight : str
            The columns of the labels and of the weights.
        features : sequence of str
            The columns to learn from.
        """
        self.n_rows += table.num_rows
        self._see_labels(table, target, weight)
        for name in features:
            column = table[name]
            if name in self.without_values and has_values(column):
                self.without_values.remove(name)
            if has_infinite(column):
                self.infinite.add(name)
            if name in self.texts:
                values = extra("pyarrow.compute").unique(column).to_pylist()
                self.texts[name].update(value for value in values if not is_missing(value))
                _check_many(self.texts[name], name, "texts", "leave it out with --drop")

    def _see_labels(self, table: Any, target: str, weight: str | None) -> None:
        weights = None if weight is None else row_weights(table[weight], weight)
        coded = table[target].combine_chunks().dictionary_encode()
        place = coded.indices.to_numpy(zero_copy_only=False)
        for k, label in enumerate(coded.dictionary.to_pylist()):
            rows = place == k
            n_rows = int(np.count_nonzero(rows))
            mass = Fraction(n_rows) if weights is None else exact_total(weights[rows])
            self.count[label] = self.count.get(label, 0) + n_rows
            self.weight[label] = self.weight.get(label, Fraction(0)) + mass
        _check_many(self.count, target, "labels", "make a column of two, the rare one against the rest")


def _check_many(found: Any, name: str, what: str, advice: str) -> None:
    if len(found) > _MANY:
        raise Failure(f'column "{printable(name)}" has more than {_MANY} different {what}: {advice}')


def labelled_tables(stored: Stored, names: Sequence[str], target: str, skip: bool) -> Iterator[Any]:
    """Yield the rows that have a label.

    Parameters
    ----------
    stored : Stored
        The table.
    names : sequence of str
        The columns.
    target : str
        The column of the labels.
    skip : bool
        Whether rows without a label are left out; they are an error otherwise.

    Yields
    ------
    pyarrow.Table
        Some rows, not none.
    """
    n_rows = n_unlabelled = first = 0
    for table in stored.tables(names):
        unlabelled = np.asarray(table[target].is_null(nan_is_null=True))
        if unlabelled.any() and not n_unlabelled:
            first = n_rows + int(unlabelled.argmax())
        n_rows, n_unlabelled = n_rows + len(unlabelled), n_unlabelled + int(unlabelled.sum())
        if not unlabelled.all():
            yield with_label(table, unlabelled)
    if not n_rows or n_unlabelled == n_rows or (n_unlabelled and not skip):
        raise no_labels(target, stored.name, n_rows, n_unlabelled, first)


def find_facts(
    stored: Stored,
    target: str,
    weight: str | None,
    features: Sequence[str],
    texts: Sequence[str],
    skip: bool,
    tell: Tell,
) -> Facts:
    """Look at all rows once.

    Parameters
    ----------
    stored : Stored
        The table.
    target : str
        The column of the labels.
    weight : str or None
        That of the weights.
    features : sequence of str
        The columns to learn from.
    texts : sequence of str
        Those of them whose different texts are to be counted.
    skip : bool
        Whether rows without a label are left out; they are an error otherwise.
    tell : callable
        Told how it gets on.

    Returns
    -------
    Facts
        What there is.
    """
    for name in (target, *([] if weight is None else [weight])):
        if name not in stored.schema.names:
            raise no_such_column(name, stored.schema.names, stored.name)
    names = list(dict.fromkeys([*features, target, *([] if weight is None else [weight])]))
    check_labels(stored.schema.field(target).type, target)
    n_rows = stored.n_rows
    facts = Facts(without_values=set(features), texts={name: set() for name in texts})
    for table in labelled_tables(stored, names, target, skip):
        facts.see(table, target, weight, features)
        tell("looking at the columns", facts.n_rows, n_rows)
    return facts


@dataclass(frozen=True, slots=True)
class LabelledPieces:
    """A labelled table in the form that ``fit_table`` reads: features, true and false as the target, and weights.

    Parameters
    ----------
    stored : Stored
        The table.
    features : tuple of str
        The columns to learn from.
    categorical : tuple of str
        Those of them whose numbers are names of categories.
    target : str
        The column of the labels.
    positive : label
        The label that is True.
    weight : str or None
        The column of the weights.
    skip : bool
        Whether rows without a label are left out.
    """

    stored: Stored
    features: tuple[str, ...]
    categorical: tuple[str, ...]
    target: str
    positive: Any
    weight: str | None
    skip: bool

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""
        names = [*self.features, self.target, *([] if self.weight is None else [self.weight])]
        return self._in_form(
            extra("pyarrow").schema([self.stored.schema.field(name) for name in names]).empty_table()
        ).schema

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns; all by default.

        Yields
        ------
        pyarrow.Table
            Some rows.
        """
        wanted = self.schema.names if columns is None else list(columns)
        for table in labelled_tables(self.stored, list(dict.fromkeys([*wanted, self.target])), self.target, self.skip):
            yield self._in_form(table).select(wanted)

    def to_table(self, columns: Sequence[str]) -> Any:
        """Return all rows.

        Parameters
        ----------
        columns : sequence of str
            The columns.

        Returns
        -------
        pyarrow.Table
            The rows.
        """
        return extra("pyarrow").concat_tables(self.tables(columns))

    def scanner(self, columns: Sequence[str], **_: Any) -> Any:
        """Return what yields the rows in batches.

        Parameters
        ----------
        columns : sequence of str
            The columns.

        Returns
        -------
        object
            With the method ``to_batches``.
        """
        return _Batches(self.tables(columns))

    def _in_form(self, table: Any) -> Any:
        pa, compute = extra("pyarrow"), extra("pyarrow.compute")
        for place, name in enumerate(table.column_names):
            column = table[name]
            if name == self.target:
                column = compute.equal(column, pa.scalar(self.positive, column.type))
            elif name == self.weight:
                column = pa.array(row_weights(column, name))
            else:
                column = learning_column(column, name, name in self.categorical, self.stored.name)
            table = table.set_column(place, name, column)
        return table


@dataclass(frozen=True, slots=True)
class _Batches:
    tables: Iterator[Any]

    def to_batches(self) -> Iterator[Any]:
        for table in self.tables:
            yield from table.combine_chunks().to_batches()


def figures_of(model: Model, pieces: Iterator[tuple[Any, Any, Any]], n_rows: int, tell: Tell) -> list[dict[str, Any]]:
    """Count what each box catches, as `boxdraw.cli.figures.box_figures` does.

    Parameters
    ----------
    model : Model
        The boxes.
    pieces : iterator of tuples
        Rows, which of them are positive, and their weights or None.
    n_rows : int
        How many rows there are.
    tell : callable
        Told how it gets on.

    Returns
    -------
    list of dict
        The figures.
    """
    counts: BoxCounts | None = None
    unseen: dict[str, list[str]] = {}
    done = 0
    for rows, positive, weight in pieces:
        some = BoxCounts.of(model.boxes.membership(rows), positive, weight)
        counts = some if counts is None else counts.merge(some)
        unseen = merged_unseen(unseen, unseen_categories(rows, model.boxes))
        done += rows.num_rows
        tell("counting rows in boxes", done, n_rows)
    assert counts is not None
    warn_of(unseen)
    return counted_figures(model, counts)
