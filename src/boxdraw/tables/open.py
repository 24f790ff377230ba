"""From what the user calls a table to one that can be learned from."""

from __future__ import annotations

from typing import Any

from boxdraw._core.progress import RowsProgress
from boxdraw.tables.columns import Columns, find_columns
from boxdraw.tables.stored import Classes, Engine, find_classes


def open_engine(source: Any, memory_limit: Any, n_jobs: int | None, progress: RowsProgress) -> Engine:
    """Return what reads a table, wherever it is."""
    from boxdraw.tables.arrow import ArrowEngine, bytes_of, open_dataset
    from boxdraw.tables.dask import ClusterFiles, DaskEngine, FilesEngine

    limit = bytes_of(memory_limit)
    if isinstance(source, ClusterFiles):
        return FilesEngine(source, limit, progress)
    if type(source).__module__.partition(".")[0] in ("dask", "dask_expr"):
        return DaskEngine(source, progress)
    return ArrowEngine(open_dataset(source), limit, n_jobs, progress)


def open_labelled(
    estimator: Any, engine: Engine, target: str, weight: str | None, features: Any
) -> tuple[Columns, Classes]:
    """Find the columns and the classes of a table to learn from."""
    columns = find_columns(engine.schema, target, weight, features, estimator.categorical_features)
    return columns, find_classes(engine, columns, estimator.pos_label)


def read_labelled(engine: Engine, columns: Columns) -> tuple[Any, Any, Any]:
    """Return the features, the labels and the weights of a small table, as they are learned from in memory."""
    table = engine.read(columns.needed)
    labels = table.column(columns.target).combine_chunks()
    if hasattr(labels, "dictionary_decode"):
        labels = labels.dictionary_decode()
    weight = None if columns.weight is None else table.column(columns.weight).to_numpy()
    return table.select(list(columns.features)), labels.to_numpy(zero_copy_only=False), weight
