"""Between the user's tables and our arrays: labels in, frames out."""

from __future__ import annotations

import importlib
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt


def labels_of(y: Any, n_rows: int, classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Check labels against the rows and the classes that the model knows."""
    labels = np.asarray(y).reshape(-1)
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} labels, but X has {n_rows} rows.")
    unknown = [label for label in np.unique(labels).tolist() if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"y holds labels {unknown} that the model does not know; it knows {classes.tolist()}.")
    return labels


def frame_like(X: Any, columns: dict[str, Any]) -> Any:
    """Return the columns as a frame of the kind of X; as a pandas frame when X is an array."""
    table = nw.from_native(X, eager_only=True, pass_through=True)
    namespace: Any
    if isinstance(table, nw.DataFrame):
        namespace = nw.get_native_namespace(table)
    else:
        try:
            namespace = importlib.import_module("pandas")
        except ImportError:
            raise ImportError(
                "A table made from arrays is a pandas frame: install pandas, or pass X as a polars or pyarrow table."
            ) from None
    return nw.from_dict(columns, backend=namespace).to_native()
