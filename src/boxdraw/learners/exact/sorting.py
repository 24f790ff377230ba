"""The order of the rows of a large table, without a copy of the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, IntArray


def row_order(columns: Iterable[npt.NDArray[Any]], n_rows: int) -> tuple[IntArray, BoolArray]:
    """Sort rows by their first column, then the next where tied, NaN last; also mark rows that differ from the last."""
    order, is_new = np.arange(n_rows), np.zeros(n_rows, dtype=np.bool_)
    is_new[:1] = True
    for column in columns:
        tied = ~is_new
        tied[:-1] |= tied[1:]
        places = np.flatnonzero(tied)
        if not len(places):
            break
        rows = order[places]
        values = column[rows]
        inner = np.lexsort((values, np.cumsum(is_new)[places]))
        order[places], values = rows[inner], values[inner]
        is_new[places[1:]] |= (values[1:] != values[:-1]) & ((values[1:] == values[1:]) | (values[:-1] == values[:-1]))
    return order, is_new
