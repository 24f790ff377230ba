"""The order of the rows of a large table, without a copy of the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, IntArray


def row_order(columns: Iterable[npt.NDArray[Any]], n_rows: int) -> tuple[IntArray, BoolArray]:
    """Sort rows by their first column, then by the second and so on, NaN last.

    Only rows that are equal so far are sorted by the next column, so that mostly one or two are looked at.

    Parameters
    ----------
    columns : iterable of ndarray of shape (n_rows,)
        The columns, the most important one first.
    n_rows : int
        The number of rows.

    Returns
    -------
    order : ndarray of int
        The rows in order.
    is_new : ndarray of bool
        Which of them, in that order, differ from the row before.

    Examples
    --------
    >>> import numpy as np
    >>> order, is_new = row_order([np.array([2, 1, 2, 1]), np.array([5, 7, 4, 7])], 4)
    >>> order.tolist(), is_new.tolist()
    ([1, 3, 2, 0], [True, False, True, True])
    """
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
