"""A stored table behind the interface of `boxdraw.tables.chunks.Table`, whatever engine reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from boxdraw._core.ranges import LARGE
from boxdraw.model.rule import Category
from boxdraw.tables.chunks import Chunk, Part
from boxdraw.tables.columns import Columns
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.first_look import FindLabels, FirstLook, Labels, LookAtFeatures
from boxdraw.tables.order import Order, places_by_share
from boxdraw.tables.survey import LIMIT, Positives, Survey
from boxdraw.tables.suspects import warn_of_identifiers, warn_of_rounding

P = TypeVar("P", bound=Part)


class Engine(Protocol):
    """What reads a table: in this process, or in many."""

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
    """The labels of a table: in order, which is the positive one, and their weights."""

    labels: npt.NDArray[Any]
    pos_label: Any
    n_rows: int
    positive_weight: float
    negative_weight: float


def find_classes(engine: Engine, columns: Columns, pos_label: Any) -> Classes:
    """Read the labels, and choose the positive one as `boxdraw.tables.labels.check_binary` does."""
    import pyarrow as pa

    found = engine.reduce(FindLabels(columns), columns.labelling, "labels", None)
    if found is None or not found.n_rows:
        raise ValueError("The table has no rows.")
    _check_labels(found, columns.target)
    kind = engine.schema.field(columns.target).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    with_weight = [label for label, weight in found.weight.items() if weight > 0]
    labels = np.unique(pa.array(with_weight, kind).to_numpy(zero_copy_only=False))
    if len(labels) != 2:
        raise ValueError(_not_two(labels.tolist(), columns.target))
    weights = [found.weight[label] for label in labels.tolist()]
    chosen = 0 if float(weights[0]) < float(weights[1]) else 1
    if pos_label is not None:
        matches = np.flatnonzero(labels == pos_label)
        if len(matches) != 1:
            raise ValueError(
                f"pos_label={pos_label!r} is not a label in column {columns.target!r}; expected one of "
                f"{labels.tolist()}."
            )
        chosen = int(matches[0])
    total = sum(weights)
    if not 1e-200 < float(total) < 1e200:
        raise ValueError(f"The weights add up to {float(total):.3g}; scale them to between 1e-200 and 1e200.")
    return Classes(labels, labels[chosen], found.n_rows, float(weights[chosen]), float(weights[1 - chosen]))


def _check_labels(found: Labels, target: str) -> None:
    if found.n_missing:
        raise ValueError(f"Column {target!r} has {found.n_missing} rows without a label; take them out first.")


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


class StoredTable:
    """Rows that an engine reads batch by batch, as often as they are asked for."""

    def __init__(self, engine: Engine, columns: Columns, classes: Classes) -> None:
        self._engine, self._columns, self._classes = engine, columns, classes
        look = engine.reduce(
            LookAtFeatures(columns, classes.pos_label, LIMIT), columns.needed, "ranges and positives", classes.n_rows
        )
        assert look is not None
        _check_finite(look, columns)
        self.encoding = _encoding_of(look, columns)
        self._warn(look)
        self.order = _order_of(look, self.encoding)
        self.survey = self._survey(look)

    def _warn(self, look: FirstLook) -> None:
        """Warn of columns, at the call of the estimator's method, as is done for tables in memory."""
        labels = [f"column {name!r}" for name in self._columns.features]
        warn_of_rounding([label for label, found in zip(labels, look.rounded, strict=True) if found])
        for label, categories, n_known in zip(labels, self.encoding.categories, look.known.tolist(), strict=True):
            warn_of_identifiers(label, categories or (), n_known)

    def reduce(self, work: Callable[[Chunk], P], what: str, beside: Callable[[], P] | None = None) -> P:
        """Make a pass over the rows."""
        on_batch = _OnBatch(work, self._columns, self.encoding, self.order, self._classes.pos_label)
        result = self._engine.reduce(on_batch, self._columns.needed, what, self._classes.n_rows)
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
    columns: Columns
    encoding: Encoding
    order: Order
    pos_label: Any

    def __call__(self, batch: Any) -> Any:
        return self.work(self.columns.chunk(batch, self.encoding, self.order, self.pos_label))


def is_small(classes: Classes, columns: Columns) -> bool:
    """Say whether a table is learned from as a whole, in memory."""
    return classes.n_rows * len(columns.features) <= LARGE


def _check_finite(look: FirstLook, columns: Columns) -> None:
    infinite = np.isneginf(look.ranges.low) | np.isposinf(look.ranges.high)
    infinite &= look.ranges.low <= look.ranges.high
    if infinite.any():
        names = ", ".join(repr(columns.features[j]) for j in np.flatnonzero(infinite).tolist())
        raise ValueError(f"Input X contains infinity or a value too large for dtype('float64') in column {names}.")


def _encoding_of(look: FirstLook, columns: Columns) -> Encoding:
    categories: list[tuple[Category, ...] | None] = []
    for found in look.categories:
        if found is None:
            categories.append(None)
            continue
        known = [value for value in {**found[0], **found[1]} if value is not None]
        if not known:  # as in memory, where nothing tells the type of missing values
            categories.append(None)
            continue
        if all(isinstance(value, bool) for value in known):
            known = [False, True]
        categories.append(tuple(sorted(known, key=lambda value: (isinstance(value, str), value))))
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
