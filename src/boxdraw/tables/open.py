"""From what the user calls a table to one that can be learned from."""

from __future__ import annotations

from typing import Any

from boxdraw._core.progress import RowsProgress
from boxdraw.tables.columns import LearningColumns, find_columns
from boxdraw.tables.stored import Classes, TableReader, find_classes


def open_reader(source: Any, memory_limit: Any, n_jobs: int | None, progress: RowsProgress) -> TableReader:
    """Return what reads a table, wherever it is."""
    from boxdraw.tables.arrow import ArrowReader, bytes_of
    from boxdraw.tables.dask import ClusterFiles, ClusterReader, DaskReader
    from boxdraw.tables.source import open_dataset

    limit = bytes_of(memory_limit)
    if isinstance(source, ClusterFiles):
        return ClusterReader(source, limit, progress)
    if type(source).__module__.partition(".")[0] in ("dask", "dask_expr"):
        return DaskReader(source, progress)
    return ArrowReader(open_dataset(source), limit, n_jobs, progress)


def open_labelled(
    estimator: Any, reader: TableReader, target: str, weight: str | None, features: Any
) -> tuple[LearningColumns, Classes]:
    """Find the columns and the classes of a table to learn from."""
    columns = find_columns(reader.schema, target, weight, features, estimator.categorical_features)
    return columns, find_classes(reader, columns, estimator.pos_label)


def read_labelled(reader: TableReader, columns: LearningColumns) -> tuple[Any, Any, Any]:
    """Return the features, the labels and the weights of a small table, as they are learned from in memory."""
    table = reader.read(columns.needed)
    labels = table.column(columns.target).combine_chunks()
    if hasattr(labels, "dictionary_decode"):
        labels = labels.dictionary_decode()
    weight = None if columns.weight is None else table.column(columns.weight).to_numpy()
    return table.select(list(columns.features)), labels.to_numpy(zero_copy_only=False), weight
