"""Learning from stored tables, and from large ones wherever they are: a sample first, and then passes over all rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np

from boxdraw._core.progress import ProgressCallback, RowsProgress
from boxdraw._core.ranges import LARGE
from boxdraw.learners.base import unchanged_on_error
from boxdraw.learners.stability import LearnedBoxClassifier
from boxdraw.tables.chunks import InMemory, Table
from boxdraw.tables.keys import Keys
from boxdraw.tables.order import Order
from boxdraw.tables.training import LEAST_BALANCE, Training, check_balance
from boxdraw.tables.trial import trial_rows

CELLS = LARGE  # of the sample of a large table
# Names of passes, nanoseconds a cell, and seconds of other work before them. Only how these compare counts.
Passes = list[tuple[str, float, float]]


class TableLearner(LearnedBoxClassifier, ABC):
    """A classifier that also learns from stored tables."""

    categorical_features: Any
    pos_label: Any
    _shown_as: str  # in progress

    @abstractmethod
    def _check_parameters(self, *, stored: bool) -> None:
        """Raise if a parameter is wrong, or does not go with a stored table."""

    @abstractmethod
    def _fit_stored(self, table: Any) -> None:
        """Learn from a large `boxdraw.tables.stored.StoredTable`; its features and labels are set."""

    @abstractmethod
    def _passes(self) -> Passes:
        """Return the passes over a large table in their order, as far as is known before the first."""

    @unchanged_on_error
    def fit_table(
        self,
        source: Any,
        *,
        target: str,
        weight: str | None = None,
        features: Sequence[str] | None = None,
        memory_limit: int | str | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> Self:
        """Learn from a stored table, which may be larger than memory.

        The model is that of `fit` on the same rows, bit for bit, whatever the order of files and rows. The table is
        read several times, see :doc:`/scale`: for its labels, for ranges, categories and a sample, and then for what
        the learner needs of all rows, mostly in the few columns that its boxes limit. Small tables are read into
        memory.

        Parameters
        ----------
        source : path, list of paths, pyarrow.dataset.Dataset, pyarrow.Table, ClusterFiles or dask.dataframe.DataFrame
            Parquet, Arrow or CSV files, or a directory of them. The partitions of a Dask frame stay where they are, and
            the files of a `boxdraw.tables.dask.ClusterFiles` are read by the workers of a Dask cluster.
        target : str
            The column with the labels, of two classes.
        weight : str, optional
            A column with the weights of the rows.
        features : sequence of str, optional
            The columns to learn from; all others by default.
        memory_limit : int or str, optional
            About how much memory to use, in bytes or like "500 MB", in this process or in each task of a cluster; a
            gigabyte by default. The sample, or up to 100 000 distinct positives, have to fit in as well.
        progress : bool or callable, optional
            Whether to show progress, as ``verbose`` does. A callable gets the name of the pass, the rows done, and the
            number of all rows, or None if that is unknown.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from boxdraw import FastBoxesClassifier
        >>> table = pa.table({"amount": [1.0, 2.0, 9.0, 8.0, 2.5], "fraud": ["no", "no", "yes", "yes", "no"]})
        >>> FastBoxesClassifier(n_boxes=1).fit_table(table, target="fraud").boxes_.to_text()
        'Box 1: amount ≥ 3'
        """
        from boxdraw.tables.columns import find_columns
        from boxdraw.tables.stored import StoredTable, find_classes, is_small, open_reader, read_labelled

        self._check_parameters(stored=True)
        tell = progress if callable(progress) else None
        shown = RowsProgress(self._shown_as, tell is None and bool(progress or self.verbose), tell)
        if isinstance(progress, RowsProgress):
            shown = progress
        reader = open_reader(source, memory_limit, self.n_jobs, shown)
        columns = find_columns(reader.schema, target, weight, features, self.categorical_features)
        classes = find_classes(reader, columns, self.pos_label)
        if is_small(classes, columns):
            self.fit(*read_labelled(reader, columns, classes))
            self._target = target
            return self
        cells = 1e-9 * classes.n_rows * len(columns.features)
        parts = [[("", seconds), (what, (cost + reader.cost) * cells)] for what, cost, seconds in self._passes()]
        shown.expect([part for pair in parts for part in pair])
        table = StoredTable(reader, columns, classes)
        self.classes_, self.pos_label_ = classes.labels, classes.pos_label
        self.n_features_in_ = len(columns.features)
        self.feature_names_in_ = np.array(columns.features, dtype=object)
        self._encoding, self._target = table.encoding, target
        self._fit_stored(table)
        return self


class SampleLearner(TableLearner, ABC):
    """A learner that draws its boxes on a sample of a large table; passes over all rows then decide the figures."""

    cv: Any

    @abstractmethod
    def _learn(self, data: Training, table: Table | None) -> None:
        """Learn from rows in memory: all there are or, if there is a ``table``, a sample of it."""

    def _learn_rows(self, data: Training) -> None:
        """Learn from rows in memory, those of a large table in passes unless folds need all of them."""
        if data.X.size <= LARGE or data.groups is not None or not _counts_folds(self.cv):
            check_balance(data, LEAST_BALANCE)
            self._learn(data, None)
        else:
            self._learn_large(InMemory(data, Keys(self._encoding, Order({})), self.n_jobs))

    def _fit_stored(self, table: Any) -> None:
        self._learn_large(table.in_codes())

    def _learn_large(self, table: Table) -> None:
        weights = table.survey.positive_weight, table.survey.negative_weight
        sample = trial_rows(table, Keys(self._encoding, Order({})), CELLS, *weights)
        check_balance(sample, LEAST_BALANCE)
        self._learn(sample, table)

    def _check_folds(self, stored: bool) -> None:
        """Reject folds that no stored table can have."""
        if stored and not _counts_folds(self.cv):
            raise ValueError(
                f"fit_table needs a number of folds as cv, for a splitter sees no rows; got cv={self.cv!r}."
            )


def _counts_folds(cv: Any) -> bool:
    return cv is None or isinstance(cv, Integral)
