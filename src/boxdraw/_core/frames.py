"""Frames out: a table of results of the kind that the user passed in."""

from __future__ import annotations

import importlib
from typing import Any

import narwhals as nw


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
