"""A stored table behind the interface of `boxdraw.tables.chunks.Table`, whatever reads it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import IntArray
from boxdraw._core.progress import RowsProgress
from boxdraw._core.ranges import LARGE
from boxdraw.model.rule import Category
from boxdraw.tables.chunks import Chunk, Part
from boxdraw.tables.columns import LearningColumns, labels_in
from boxdraw.tables.encoding import Encoding, in_order
from boxdraw.tables.first_look import FindLabels, FirstLook, LookAtFeatures
from boxdraw.tables.kinds import value_type
from boxdraw.tables.labels import positive_label
from boxdraw.tables.order import Order, places_by_share
from boxdraw.tables.survey import LIMIT, Positives, Survey
from boxdraw.tables.suspects import warn_of_identifiers, warn_of_rounding

P = TypeVar("P", bound=Part)


class TableReader(Protocol):
    """What reads a table: in this process, or in many."""

    cost: float  # nanoseconds a cell to read, as `boxdraw.learners.stored.TableLearner` counts the work on it

    @property
    def schema(self) -> Any:
        """The names and Arrow types of the columns."""
        ...

    def reduce(self, work: Callable[[Any], P], columns: list[str], what: str, n_rows: int | None) -> P | None:
        """Return the merged results of the work on all batches of rows; None if there is no row.

        ``what`` and the number of rows, if known, are for showing progress.
        """
        ...

    def read(self, columns: list[str]) -> Any:
        """Return a small table as a whole, as an Arrow table."""
        ...


@dataclass(frozen=True, slots=True)
class Classes:
    """The labels of a table: in order, which is the positive one, and their weights; how many rows have any."""

    labels: npt.NDArray[Any]
    pos_label: Any
    n_rows: int
    n_weighted: int
    positive_weight: float
    negative_weight: float


def find_classes(reader: TableReader, columns: LearningColumns, pos_label: Any) -> Classes:
    """Read the labels, and choose the positive one."""
    import pyarrow as pa

    found = reader.reduce(FindLabels(columns), columns.labelling, "labels", None)
    if found is None or not found.n_rows:
        raise ValueError("The table has no rows.")
    if found.n_missing:
        raise ValueError(f"Column {columns.target!r} has {found.n_missing} rows without a label; take them out first.")
    kind = value_type(reader.schema.field(columns.target).type)
    labels = np.unique(pa.array(list(found.count), kind).to_numpy(zero_copy_only=False))
    if len(labels) != 2:
        raise ValueError(_not_two(labels.tolist(), columns.target))
    n_rows = {label: found.count[label] for label in labels.tolist()}
    chosen = list(n_rows).index(positive_label(n_rows, pos_label, f"a label in column {columns.target!r}"))
    weights = [found.weight[label] for label in n_rows]
    if not 1e-200 < (total := sum(weights)) < 1e200:
        shown = f"{float(total):.3g}" if total < 1e200 else "1e200 or more"  # maybe more than any float
        raise ValueError(f"The weights add up to {shown}; scale them to between 1e-200 and 1e200.")
    sizes = found.n_rows, sum(found.count.values())
    return Classes(labels, labels[chosen], *sizes, float(weights[chosen]), float(weights[1 - chosen]))


def _not_two(labels: list[Any], target: str) -> str:
    if len(labels) > 2:
        shown = ", ".join(map(repr, labels[:5])) + (", ..." if len(labels) > 5 else "")
        return f"Only binary classification is supported. Column {target!r} has the labels {shown}."
    return (
        "Classifier can't train when only one class is present: boxes are drawn around one class and against the "
        f"other, and every label with weight in column {target!r} is {labels[0]!r}."
        if labels
        else "All weights are zero; at least one row of each class needs some weight."
    )


def open_reader(source: Any, memory_limit: Any, n_jobs: int | None, progress: RowsProgress) -> TableReader:
    """Return what reads a table, wherever it is."""
    from boxdraw.tables.arrow import ArrowReader, bytes_of
    from boxdraw.tables.dask import ClusterFiles, ClusterReader, DaskReader, is_dask
    from boxdraw.tables.source import open_dataset

    limit = bytes_of(memory_limit)
    if isinstance(source, ClusterFiles):
        return ClusterReader(source, limit, progress)
    if is_dask(source):
        return DaskReader(source, progress)
    return ArrowReader(open_dataset(source), limit, n_jobs, progress)


@dataclass(frozen=True, slots=True)
class _WeightedRows:
    """The rows with weight, of which there are few."""

    columns: LearningColumns
    tables: tuple[Any, ...] = ()

    def __call__(self, batch: Any) -> _WeightedRows:
        import pyarrow as pa

        kept = self.columns.with_weight(batch)[0]
        return _WeightedRows(self.columns, (kept if isinstance(kept, pa.Table) else pa.Table.from_batches([kept]),))

    def merge(self, other: _WeightedRows) -> _WeightedRows:
        return _WeightedRows(self.columns, self.tables + other.tables)


def read_labelled(reader: TableReader, columns: LearningColumns, classes: Classes) -> tuple[Any, Any, Any]:
    """Return the features, the labels and the weights of a small table, as they are learned from in memory."""
    if classes.n_weighted == classes.n_rows:
        table = reader.read(columns.needed)
    else:
        import pyarrow as pa

        found = reader.reduce(_WeightedRows(columns), columns.needed, "rows", classes.n_rows)
        assert found is not None
        table = pa.concat_tables(found.tables)
    weight = None if columns.weight is None else table.column(columns.weight).to_numpy()
    return table.select(list(columns.features)), labels_in(table, columns.target), weight


class StoredTable:
    """Rows that a reader reads batch by batch, as often as they are asked for."""

    def __init__(self, reader: TableReader, columns: LearningColumns, classes: Classes) -> None:
        self._reader, self._columns, self._classes = reader, columns, classes
        look = reader.reduce(
            LookAtFeatures(columns, classes.pos_label, LIMIT), columns.needed, "ranges and positives", classes.n_rows
        )
        assert look is not None
        _check_finite(look, columns)
        self.encoding = _encoding_of(look, columns)
        self._warn(look)
        self.shares = self.order = _order_of(look, self.encoding)
        self.survey = self._survey(look)

    def _warn(self, look: FirstLook) -> None:
        """Warn of columns, at the call of the estimator's method, as is done for tables in memory."""
        labels = [f"column {name!r}" for name in self._columns.features]
        warn_of_rounding([label for label, found in zip(labels, look.rounded, strict=True) if found])
        for label, categories, n_known in zip(labels, self.encoding.categories, look.known.tolist(), strict=True):
            warn_of_identifiers(label, categories or (), n_known)

    def in_codes(self) -> StoredTable:
        """Return the same rows with codes for categories, whatever their order."""
        table = copy.copy(self)
        table.order = Order({})
        return table

    def reduce(
        self,
        work: Callable[[Chunk], P],
        what: str,
        beside: Callable[[], P] | None = None,
        columns: IntArray | None = None,
    ) -> P:
        """Make a pass over the rows; only what some columns of the matrix are made of is read."""
        source, encoding, order, places = self._columns, self.encoding, self.order, None
        if columns is not None:
            features, read = encoding.holding(columns)
            source, encoding, places = source.some(features), encoding.some(features), np.searchsorted(read, columns)
            order = Order({at: order.places[column] for at, column in enumerate(read) if column in order.places})
        on_batch = _OnBatch(work, source, encoding, order, self._classes.pos_label, places)
        result = self._reader.reduce(on_batch, source.needed, what, self._classes.n_rows)
        assert result is not None
        return result if beside is None else beside().merge(result)

    def _survey(self, look: FirstLook) -> Survey:
        low, high, whole = _matrix_ranges(look, self.encoding, self.order)
        sample = look.positives
        X = self.order.apply(self.encoding.from_keys(sample.keys))
        positives = Positives(X, sample.weight, sample.count.astype(np.float64), sample.complete)
        classes = self._classes
        return Survey(
            low=low,
            high=high,
            whole=whole,
            positive_weight=classes.positive_weight,
            negative_weight=classes.negative_weight,
            weighted=self._columns.weight is not None,
            positives=positives,
        )


@dataclass(frozen=True, slots=True)
class _OnBatch:
    """The work on a chunk, as work on a batch."""

    work: Callable[[Chunk], Any]
    columns: LearningColumns
    encoding: Encoding
    order: Order
    pos_label: Any
    places: IntArray | None  # of the columns that the work needs; None for all

    def __call__(self, batch: Any) -> Any:
        chunk = self.columns.chunk(batch, self.encoding, self.order, self.pos_label)
        return self.work(chunk if self.places is None else chunk._replace(X=chunk.X[:, self.places]))


def is_small(classes: Classes, columns: LearningColumns) -> bool:
    """Return True if a table is learned from as a whole, in memory."""
    return classes.n_weighted * len(columns.features) <= LARGE


def _check_finite(look: FirstLook, columns: LearningColumns) -> None:
    infinite = np.isneginf(look.ranges.low) | np.isposinf(look.ranges.high)
    infinite &= look.ranges.low <= look.ranges.high
    if infinite.any():
        names = ", ".join(repr(columns.features[j]) for j in np.flatnonzero(infinite).tolist())
        raise ValueError(f"Input X contains infinity or a value too large for dtype('float64') in column {names}.")


def _encoding_of(look: FirstLook, columns: LearningColumns) -> Encoding:
    categories: list[tuple[Category, ...] | None] = []
    for j, found in enumerate(look.categories):
        if found is None:
            categories.append(None)
            continue
        known = [value for value in {**found[0], **found[1]} if value is not None]
        # As in memory, where nothing tells the type of missing values.
        categories.append(in_order(known) if known or j in columns.forced else None)
    return Encoding(columns.features, tuple(categories), tuple(look.missing.tolist()))


def _order_of(look: FirstLook, encoding: Encoding) -> Order:
    places, column = {}, 0
    for found, values, missing in zip(look.categories, encoding.categories, encoding.missing, strict=True):
        if found is None or values is None:
            column += 1 + missing
            continue
        keys = [*values, *([None] if missing else [])]
        negative, positive = (np.array([float(side.get(key, 0)) for key in keys]) for side in found)
        places[column] = places_by_share(positive, negative)
        column += 1
    return Order(places)


def _matrix_ranges(look: FirstLook, encoding: Encoding, order: Order) -> Any:
    """Return the ranges of the learner's columns."""
    rows: list[tuple[float, float, bool]] = []
    for j, (values, missing) in enumerate(zip(encoding.categories, encoding.missing, strict=True)):
        if values is not None:
            places = order.places[len(rows)]
            rows.append((0.0, float(places[np.isfinite(places)].max(initial=0.0)), True))
            continue
        low, high = float(look.ranges.low[j]), float(look.ranges.high[j])
        rows.append((low, high, bool(look.ranges.whole[j])))
        if missing:
            rows.append((float(low > high), float(low > high or look.ranges.missing[j]), True))
    low_, high_, whole = zip(*rows, strict=True)
    return np.array(low_), np.array(high_), np.array(whole)
