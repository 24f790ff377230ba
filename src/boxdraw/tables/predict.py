"""Predictions for a stored table, written batch by batch beside its own columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boxdraw._core.progress import RowsProgress
from boxdraw._core.warn import muted
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.view import view_of
from boxdraw.model.membership import first_box
from boxdraw.model.rows import default_names
from boxdraw.model.scorecard import boxes_of
from boxdraw.model.statistics import BoxCounts
from boxdraw.tables.arrow import ArrowReader, arrow_errors, bytes_of, is_csv
from boxdraw.tables.columns import LearningColumns, labels_in
from boxdraw.tables.dask import ClusterFiles, is_dask
from boxdraw.tables.errors import check_columns
from boxdraw.tables.labels import has_label, labels_of
from boxdraw.tables.schema import CheckedRows, checked_rows, merged_unseen, unseen_categories, warn_of
from boxdraw.tables.source import open_dataset
from boxdraw.tables.trained import text_features
from boxdraw.tables.write import check_writable, open_writer

_ROWS = 2**17  # that are predicted at the same time, at most
_SHARE = 64  # of the memory limit: what their columns take, at most; they are copied several times


@dataclass(frozen=True, slots=True)
class PredictedTable:
    """What `predict_table` has written.

    Parameters
    ----------
    output : str
        The file.
    rows : int
        How many rows it has.
    flagged : int
        How many of them are predicted to be of the positive class.

    Examples
    --------
    >>> PredictedTable("out.parquet", rows=1000, flagged=7).flagged
    7
    """

    output: str
    rows: int
    flagged: int


def predict_table(
    model: Any, source: Any, output: Any, columns: Any, memory_limit: Any, progress: Any
) -> PredictedTable:
    """Do what `boxdraw.learners.base.BaseBoxClassifier.predict_table` says."""
    _refuse_dask(source)
    limit, path = bytes_of(memory_limit), Path(os.fspath(output))
    dataset = open_dataset(source, text_features(boxes_of(model._decider())))
    check_writable(path, files_of(dataset))
    names = list(dataset.schema.names)
    features, kept = _find_features(model, names), _kept_columns(names, columns, added_types(model))
    tell = progress if callable(progress) else None
    shown = RowsProgress(type(model).__name__, tell is None and bool(progress), tell)
    reader = ArrowReader(dataset, limit, model.n_jobs, shown)
    rows = grouped(reader.batches(list(dict.fromkeys([*features, *kept]))), _ROWS, limit // _SHARE)
    return _write(_Predict(model, features, kept), rows, path, dataset.schema, shown, rows_of(dataset))


def count_table(model: Any, boxes: BoxSet, source: Any, target: str, weight: str | None) -> BoxCounts:
    """Count the labelled rows of a stored table in boxes, batch by batch."""
    if isinstance(source, ClusterFiles) or is_dask(source):
        raise TypeError("box_table counts in one process: give it files, or the rows that a Dask DataFrame computes.")
    dataset = open_dataset(source, text_features(boxes))
    names = list(dataset.schema.names)
    check_columns([target, weight], names, "The table")
    features = _find_features(model, [name for name in names if name not in (target, weight)])
    labelling = LearningColumns((), (), target, weight)
    counts = BoxCounts.of(np.zeros((0, len(boxes)), dtype=np.bool_), np.zeros(0, dtype=np.bool_), None)
    reader = ArrowReader(dataset, bytes_of(None), model.n_jobs, RowsProgress("", False))
    for table in reader.tables([*features, *labelling.labelling]):
        rows = checked_rows(model, table.select(features), boxes)
        labels = labels_of(labels_in(table, target), len(table), model.classes_)
        positive, member = has_label(labels, model.pos_label_), boxes.membership(rows.table, n_jobs=model.n_jobs)
        counts = counts.merge(BoxCounts.of(member, positive, labelling.weights(table)))
    return counts


def _write(
    predict: _Predict, tables: Iterator[Any], path: Path, schema: Any, shown: RowsProgress, n_rows: int | None
) -> PredictedTable:
    done = flagged = 0
    unseen: dict[str, list[str]] = {}
    with shown.over("predictions", n_rows) as step, open_writer(path, predict.schema(schema)) as write:
        for table in tables:
            result, hits, new = predict(table)
            write(result)
            step(table.num_rows)
            done, flagged = done + table.num_rows, flagged + hits
            unseen = merged_unseen(unseen, new)
    warn_of(unseen)
    return PredictedTable(str(path), done, flagged)


class _Predict:
    """Adds the columns of predictions to some rows."""

    def __init__(self, model: Any, features: list[str], kept: list[str]) -> None:
        self._model, self._features, self._kept = model, features, kept
        self._types, self._boxes = added_types(model), boxes_of(model._decider())

    def schema(self, schema: Any) -> Any:
        """Return the names and types of the columns to be written."""
        import pyarrow as pa

        kept = [schema.field(name) for name in self._kept]
        return pa.schema([*kept, *(pa.field(name, kind) for name, kind in self._types.items())])

    def __call__(self, table: Any) -> tuple[Any, int, dict[str, list[str]]]:
        """Return the rows to be written, how many of them are flagged, and the categories that are new."""
        import pyarrow as pa

        features, result = table.select(self._features), table.select(self._kept)
        with muted():  # one warning of all rows is given at the end
            rows = checked_rows(self._model, features, self._boxes)
        found = self._found(rows)
        for name, kind in self._types.items():
            nowhere = found[name] == 0 if name == "box" else None
            result = result.append_column(name, pa.array(found[name], kind, mask=nowhere))
        flagged = int(np.count_nonzero(has_label(found["prediction"], self._model.pos_label_)))
        return result, flagged, unseen_categories(features, self._boxes)

    def _found(self, rows: CheckedRows) -> dict[str, Any]:
        """Return the columns of predictions, and more if they are not asked for."""
        model, n_jobs = self._model, self._model.n_jobs
        found = {"prediction": model.predict(rows)}
        if "score" in self._types:
            found["score"] = model.decision_function(rows)
        if "points" in self._types:
            found["points"] = model.scorecard_.score(rows.table, n_jobs=n_jobs)
        if "risk" in self._types:
            found["risk"] = model.risk_table_.risks(rows.table, model._decider(), n_jobs=n_jobs)
        view = view_of(model._decider())
        member = view.boxes.membership(rows.table, n_jobs=n_jobs)
        return found | ({"reasons": view.reason_texts(member)} if view.has_points else {"box": first_box(member)})


def added_types(model: Any) -> dict[str, Any]:
    """Return the names and Arrow types of the columns that predictions add."""
    import pyarrow as pa

    types = {"prediction": pa.array(model.classes_).type}
    types |= {"score": pa.float64()} if hasattr(model, "decision_function") else {}
    has_points = hasattr(model, "scorecard_")
    types |= {"points": pa.int64()} if has_points else {}
    types |= {"risk": pa.float64()} if hasattr(model, "risk_table_") else {}
    return types | ({"reasons": pa.string()} if has_points else {"box": pa.int64()})


def grouped(batches: Iterable[Any], n_rows: int, n_bytes: int) -> Iterator[Any]:
    """Yield tables of batches in their order, each of about so many rows or bytes: files may have very small ones."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(some.num_rows for some in waiting) >= n_rows or sum(some.nbytes for some in waiting) >= n_bytes:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def _refuse_dask(source: Any) -> None:
    if isinstance(source, ClusterFiles):
        raise TypeError("predict_table writes one file from one process: give it the files of ClusterFiles themselves.")
    if is_dask(source):
        raise TypeError(
            "predict_table writes one file from one process. The partitions of a Dask DataFrame are predicted where "
            "they are by frame[features].map_partitions(model.predict)."
        )


def files_of(dataset: Any) -> list[str]:
    """Return the paths of the files that a dataset reads."""
    inner = [path for child in getattr(dataset, "children", []) for path in files_of(child)]
    return [*getattr(dataset, "files", []), *inner]


def rows_of(dataset: Any) -> int | None:
    """Return the number of rows where the files say it; None of CSV files, which would have to be read."""
    with arrow_errors():
        return None if is_csv(dataset) else int(dataset.count_rows())


def _find_features(model: Any, names: list[str]) -> list[str]:
    """Return the columns with the features in the order of training: by name, or by place if there are no names."""
    boxes = boxes_of(model._decider())
    wanted = list(getattr(model, "feature_names_in_", boxes.feature_names))
    unnamed = not hasattr(model, "feature_names_in_") and boxes.feature_names == default_names(boxes.n_features)
    if unnamed and len(names) == len(wanted) and set(names).isdisjoint(wanted):
        wanted = names
    if lacking := [name for name in wanted if name not in names]:
        raise ValueError(f"The table lacks columns that the model needs: {_listed(lacking)}. It has {_listed(names)}.")
    _check_single(wanted, names)
    return wanted


def _kept_columns(names: list[str], columns: Any, added: Iterable[str]) -> list[str]:
    """Return the columns of the table that are handed on."""
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of columns; got the text {columns!r}.")
    kept = names if columns is None else list(columns)
    if unknown := [name for name in kept if name not in names]:
        raise ValueError(f"The table has no columns {_listed(unknown)} to hand on; it has {_listed(names)}.")
    if clashing := [name for name in added if name in kept]:
        raise ValueError(
            f"The table has columns named as those that are added: {_listed(clashing)}. Rename them, or choose the "
            "columns to hand on with columns=[...]."
        )
    _check_single(kept, names)
    return kept


def _check_single(wanted: list[str], names: list[str]) -> None:
    if repeated := [name for name in dict.fromkeys(wanted) if names.count(name) > 1 or wanted.count(name) > 1]:
        raise ValueError(f"There are several columns named {_listed(repeated)}; give each its own name.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
