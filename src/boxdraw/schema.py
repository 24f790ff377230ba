"""Between the user's tables and our arrays: labels in, frames out."""

from __future__ import annotations

import importlib
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt


def check_table(X: Any) -> None:
    """Refuse a frame that is no table of numbers, and say which columns are not.

    What is not a frame is left to scikit-learn's checks, but for arrays of dates, which it would take for numbers.
    """
    if isinstance(X, np.ndarray | list | tuple):
        if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
            raise ValueError(f"X holds dates or times ({X.dtype}). {_DATES}")
        return
    names = [*getattr(X, "columns", ())] if hasattr(X, "iloc") else []
    if repeated := sorted({str(name) for name in names if names.count(name) > 1}):
        raise ValueError(f"X has several columns named {', '.join(map(repr, repeated))}; give each its own name.")
    table = nw.from_native(X, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        raise TypeError("X is a lazy frame, which holds no rows yet; pass X.collect().")
    if not isinstance(table, nw.DataFrame):
        return
    for name, dtype in table.schema.items():
        if dtype.is_temporal():
            raise ValueError(f"Column {name!r} of X holds dates or times ({dtype}). {_DATES}")
        numbers = dtype.is_numeric() or dtype == nw.Boolean or (dtype == nw.Object and _are_numbers(table[name]))
        if not numbers:
            raise ValueError(
                f"Column {name!r} of X holds {dtype}, and this version of boxdraw takes numbers only. Drop the column, "
                "or encode it, for example with sklearn.preprocessing.OneHotEncoder."
            )


def _are_numbers(column: Any) -> bool:
    try:
        np.asarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


_DATES = "Convert them to numbers first, for example to days since a fixed date."


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
