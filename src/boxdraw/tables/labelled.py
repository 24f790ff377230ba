"""Labelled rows of a file: what is in them, and the form in which they are learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.export.text import format_number, printable
from boxdraw.model.rule import is_missing
from boxdraw.tables.columns import check_weight_type, distinct, row_weights
from boxdraw.tables.errors import TableError, check_columns, listed
from boxdraw.tables.kinds import Kind, column_kind
from boxdraw.tables.labels import rarer_label
from boxdraw.tables.sample import sampled_numbers
from boxdraw.tables.source import TableFile
from boxdraw.tables.trained import as_float64, as_text

_MANY = 2**20  # different labels or texts of a column: more are not for learning from, and fill the memory

Tell = Callable[[str, int, "int | None"], None]
Piece = tuple[Any, BoolArray, "FloatArray | None"]  # rows, which of them are positive, and their weights


@dataclass(slots=True)
class Facts:
    """What one pass over labelled rows finds."""

    n_rows: int = 0
    count: Counter[Any] = field(default_factory=Counter)  # of rows, by label
    weighted: Counter[Any] = field(default_factory=Counter)  # of rows with weight, by label
    without_values: set[str] = field(default_factory=set)
    infinite: set[str] = field(default_factory=set)
    texts: dict[str, set[Any]] = field(default_factory=dict)  # the different ones, by column
    crowded: set[str] = field(default_factory=set)  # columns of more texts than there is room for
    known: Counter[str] = field(default_factory=Counter)  # of rows, by column of texts

    def see(self, table: Any, target: str, weight: FloatArray | None, features: Sequence[str]) -> None:
        """Take in some more rows, each with a label."""
        import pyarrow.compute as pc

        self.n_rows += table.num_rows
        self._see_labels(table[target], target, weight)
        for name in features:
            column = table[name]
            if name in self.without_values and not pc.all(column.is_null(nan_is_null=True)).as_py():
                self.without_values.remove(name)
            if has_infinite(column):
                self.infinite.add(name)
            if name in self.texts:
                self.known[name] += column.length() - column.null_count
                self.texts[name].update(value for value in pc.unique(column).to_pylist() if not is_missing(value))
                if len(self.texts[name]) > _MANY:
                    self.crowded.add(name)
                    del self.texts[name]

    def _see_labels(self, column: Any, target: str, weight: FloatArray | None) -> None:
        values, place = distinct(column.combine_chunks())
        for counter, rows in ((self.count, place), (self.weighted, place if weight is None else place[weight > 0])):
            counter += Counter(dict(zip(values[:-1], np.bincount(rows, minlength=len(values)).tolist(), strict=False)))
        _check_many(self.count, target, "labels", "two")


def has_infinite(column: Any) -> bool:
    """Return True if any number of a column is infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return bool(pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py())


def _check_many(found: Any, name: str, what: str, advice: str) -> None:
    if len(found) > _MANY:
        raise TableError(f'column "{printable(name)}" has more than {_MANY} different {what}', advice)


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """A file with a column of labels, and perhaps of weights; rows without a label are an error unless skipped."""

    file: TableFile
    target: str
    weight: str | None = None
    skip: bool = False
    only: IntArray | None = None  # numbers of the rows that are read, among those with a label

    def __post_init__(self) -> None:
        check_columns([self.target, self.weight], self.file.schema.names, self.file.name)
        kind = self.file.schema.field(self.target).type
        if column_kind(kind) in (Kind.DATES, Kind.OTHER):
            text = f'column "{printable(self.target)}" holds {kind}: labels are texts, numbers or true and false'
            raise TableError(text)
        if self.weight is not None:
            check_weight_type(self.file.schema.field(self.weight).type, self.weight)

    def tables(self, names: Iterable[str]) -> Iterator[Any]:
        """Yield the rows that have a label, with these columns and those of labels and weights."""
        import pyarrow as pa

        wanted = list(dict.fromkeys([*names, self.target, *([] if self.weight is None else [self.weight])]))
        n_rows = n_unlabelled = first = 0
        for table in self.file.tables(wanted):
            unlabelled = np.asarray(table[self.target].is_null(nan_is_null=True))
            if unlabelled.any() and not n_unlabelled:
                first = n_rows + int(unlabelled.argmax())
            n_rows, n_unlabelled = n_rows + len(unlabelled), n_unlabelled + int(unlabelled.sum())
            if not unlabelled.all():
                table = table.filter(pa.array(~unlabelled)) if unlabelled.any() else table
                if self.only is None:
                    yield table
                    continue
                end = n_rows - n_unlabelled
                if len(chosen := _between(self.only, end - table.num_rows, end)):
                    yield table.take(pa.array(chosen))
        if not n_rows or n_unlabelled == n_rows or (n_unlabelled and not self.skip):
            raise self._no_labels(n_rows, n_unlabelled, first)

    def _no_labels(self, n_rows: int, n_unlabelled: int, first: int) -> TableError:
        column = f'column "{printable(self.target)}" of {self.file.name}'
        if not n_rows:
            return TableError(f"{self.file.name} has column names but no rows")
        if n_unlabelled == n_rows:
            return TableError(f"{column} is empty: it must have a label in each row")
        return TableError(
            f"{column} has no label in {n_unlabelled} of {n_rows} rows, first in row {first + 1} below the names",
            "unlabelled",
        )

    def weights(self, table: Any) -> FloatArray | None:
        """Return the weights of some rows."""
        return None if self.weight is None else row_weights(table[self.weight].combine_chunks(), self.weight)

    def n_different(self, name: str) -> int:
        """Count the different values of a column, missing ones left out."""
        import pyarrow.compute as pc

        found: set[Any] = set()
        for table in self.tables([name]):
            found.update(value for value in pc.unique(table[name]).to_pylist() if not is_missing(value))
            _check_many(found, name, "values", "drop")
        return len(found)

    def facts(self, features: Sequence[str], texts: Sequence[str], tell: Tell) -> Facts:
        """Look at all rows once; of some features, the different texts are found."""
        n_rows = self.file.n_rows if self.only is None else len(self.only)
        facts = Facts(without_values=set(features), texts={name: set() for name in texts})
        for table in self.tables(features):
            facts.see(table, self.target, self.weights(table), features)
            tell("looking at the columns", facts.n_rows, n_rows)
        return facts

    def pieces(self, names: Iterable[str], positive: Sequence[Any]) -> Iterator[Piece]:
        """Yield the rows, which of them have a positive label, and their weights."""
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted = list(names)
        labels = pa.array(positive, self.file.schema.field(self.target).type)
        for table in self.tables(wanted):
            is_positive = np.asarray(pc.is_in(table[self.target], value_set=labels))
            yield table.select(wanted), is_positive, self.weights(table)

    def two_labels(self, facts: Facts, positive: str | None) -> tuple[Any, Any]:
        """Return the negative and the positive label: the one written like ``positive``, or else the rarer one."""
        labels, column = sorted(facts.count), f'column "{printable(self.target)}"'
        shown = listed([label_text(label) for label in labels])
        if len(labels) != 2:
            if len(labels) == 1:
                raise TableError(f"{column} has only the label {shown}: rows of both kinds are needed to learn from")
            raise TableError(f"{column} has {len(labels)} different labels ({shown})", "two")
        if positive is None:
            chosen = rarer_label({label: facts.weighted[label] for label in labels})
        else:
            matches = [label for label in labels if _means(positive, label)]
            if not matches:
                raise TableError(f'{column} has no label "{printable(positive)}"; its labels are {shown}')
            chosen = matches[0]
        return labels[labels[0] == chosen], chosen

    def known_labels(self, found: Iterable[Any], classes: Sequence[Any]) -> list[Any]:
        """Return the labels found that are written like ``classes[1]``; raise for labels that are no classes."""
        by_text = {label_text(label): label for label in classes}
        texts = {value: label_text(value) for value in found}
        if unknown := sorted(set(texts.values()) - set(by_text)):
            raise TableError(
                f'column "{printable(self.target)}" of {self.file.name} has labels that the model does not know: '
                f"{listed(unknown)}; it knows {listed([label_text(label) for label in classes])}"
            )
        return [value for value, text in texts.items() if by_text[text] == classes[1]]


def _between(numbers: IntArray, start: int, stop: int) -> IntArray:
    """Return the numbers from ``start`` on and below ``stop``, counted from there."""
    first, last = numbers.searchsorted([start, stop])
    return numbers[first:last] - start


def _means(text: str, label: Any) -> bool:
    return label_text(label) == (text.lower() if isinstance(label, bool) else text)


def label_text(label: Any) -> str:
    """Write a label as in a file: 1.0 like 1, and True like true."""
    if isinstance(label, bool):
        return str(label).lower()
    return format_number(label) if isinstance(label, float) else str(label)


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """Rows to learn from as ``fit_table`` reads them: features, true and false as the target, and weights."""

    rows: LabelledFile
    features: tuple[str, ...]
    categorical: tuple[str, ...]  # features whose numbers are names of categories
    facts: Facts
    negative: Any
    positive: Any
    n_all: int | None = None  # rows that these are a sample of

    @classmethod
    def of(
        cls, rows: LabelledFile, features: Sequence[str], categorical: Sequence[str], facts: Facts, positive: str | None
    ) -> TrainingFile:
        """Choose the features that have values and the positive label; raise for what boxes can't be drawn on."""
        chosen = tuple(name for name in features if name not in facts.without_values)
        if not chosen:
            raise TableError(f"no column of {rows.file.name} besides the target has any values")
        made = cls(rows, chosen, tuple(categorical), facts, *rows.two_labels(facts, positive))
        made._features(rows.file.schema.empty_table().select(list(chosen)))
        for name in chosen:
            if name in facts.infinite and name not in categorical:
                raise TableError(
                    f'column "{printable(name)}" of {rows.file.name} holds infinite values, which boxes do not learn '
                    "from: write a large number instead, or leave the field empty"
                )
        return made

    def sample(self, limit: int, seed: int, tell: Tell) -> TrainingFile:
        """Return a plain sample of so many rows, as if the file had no others; all if there are no more."""
        if limit >= self.n_rows:
            return self
        rows = replace(self.rows, only=sampled_numbers(self.n_rows, limit, seed))
        facts = rows.facts(self.features, [], tell)
        if len(facts.count) < 2:
            raise TableError(f"a sample of {limit} of {self.n_rows} rows has rows of one label only", "sample")
        made = TrainingFile.of(rows, self.features, self.categorical, facts, label_text(self.positive))
        return replace(made, n_all=self.n_rows)

    @property
    def n_rows(self) -> int:
        """The number of rows with a label."""
        return self.facts.n_rows

    @property
    def is_text(self) -> bool:
        """Whether the rows have to be read as text each time."""
        return not self.rows.file.is_parquet

    @property
    def n_positive(self) -> int:
        """The number of rows with the positive label."""
        return self.facts.count[self.positive]

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""
        empty = self._features(self.rows.file.schema.empty_table().select(list(self.features)))
        nothing = np.empty(0)
        return self._table(empty, nothing.astype(np.bool_), nothing).schema

    def pieces(self, features: Sequence[str] | None = None) -> Iterator[Piece]:
        """Yield the features, a mask of the positives, and the weights of some rows at a time."""
        wanted = self.features if features is None else features
        for table, is_positive, weight in self.rows.pieces(wanted, [self.positive]):
            yield self._features(table), is_positive, weight

    def read(self) -> Piece:
        """Return all rows."""
        import pyarrow as pa

        tables, masks, weights = zip(*self.pieces(), strict=True)
        weight = None if self.rows.weight is None else np.concatenate(weights)
        return pa.concat_tables(tables), np.concatenate(masks), weight

    def to_table(self, columns: Sequence[str]) -> Any:
        """Return some columns of all rows."""
        import pyarrow as pa

        return pa.concat_tables(self._tables(columns))

    def scanner(self, columns: Sequence[str], **_: Any) -> _Scanner:
        """Return an object whose ``to_batches`` yields the rows, as a pyarrow dataset has it."""
        return _Scanner(self._tables(columns))

    def _tables(self, columns: Sequence[str]) -> Iterator[Any]:
        features = [name for name in self.features if name in columns]
        return (self._table(*piece).select(list(columns)) for piece in self.pieces(features))

    def _table(self, features: Any, is_positive: BoolArray, weight: FloatArray | None) -> Any:
        import pyarrow as pa

        table = features.append_column(self.rows.target, pa.array(is_positive))
        return table if self.rows.weight is None else table.append_column(self.rows.weight, pa.array(weight))

    def _features(self, table: Any) -> Any:
        """Return features in the forms that estimators take."""
        for place, name in enumerate(table.column_names):
            column = as_text(table[name], name) if name in self.categorical else table[name]
            table = table.set_column(place, name, _learnable(column, name, self.rows.file.name))
        return table


def _learnable(column: Any, name: str, source: str) -> Any:
    """Return a column as estimators take it; raise if they take none of its type."""
    kind = column_kind(column.type)
    if kind in (Kind.DATES, Kind.OTHER):
        what = "dates or times" if kind is Kind.DATES else f"values of the type {column.type}"
        raise TableError(f'column "{printable(name)}" of {source} holds {what}, which boxes do not take', "not numbers")
    return as_float64(column)


@dataclass(frozen=True, slots=True)
class _Scanner:
    tables: Iterator[Any]

    def to_batches(self) -> Iterator[Any]:
        for table in self.tables:
            yield from table.combine_chunks().to_batches()
