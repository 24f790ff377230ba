"""The least and the largest value of each column of many rows, and rows as columns, compiled."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry, inner

_TILE = 384  # rows, which stay in the cache


@inner
def less(a, b):
    """Return the lesser of two numbers; the second if either is missing."""
    return a if a < b else b


@inner
def more(a, b):
    """Return the larger of two numbers; the second if either is missing."""
    return a if a > b else b


@inner
def turn(rows, n, columns):
    """Copy ``n`` rows to columns, in the order that takes the fewest loads."""
    eights = n // 8 * 8
    for i in range(0, eights, 8):  # eight rows at a time, which are beside each other in a column
        for j in range(rows.shape[1]):
            for k in range(8):
                columns[j, i + k] = rows[i + k, j]
    for i in range(eights, n):
        for j in range(rows.shape[1]):
            columns[j, i] = rows[i, j]


@entry
def ranges(X, low, high, missing, whole):
    """Widen ``low`` and ``high`` to the rows' values; note features with missing values or other than whole numbers."""
    n_rows, n_features = X.shape
    check = np.empty(n_features)
    for start in range(0, n_rows, _TILE):
        stop = min(start + _TILE, n_rows)
        _tile_ranges(X[start:stop], low, high, check)
        for j in range(n_features):
            if not np.isfinite(check[j]):
                _known_range(X[start:stop, j], j, low, high, missing)
            if whole[j]:
                whole[j] = _are_whole(X[start:stop, j])


@inner
def _tile_ranges(X, low, high, check):
    """Widen the ranges; ``check`` is a number per feature if all its values are."""
    n_rows, n_features = X.shape
    check[:] = 0
    fours = n_rows // 4 * 4
    for i in range(0, fours, 4):  # four rows at a time, for fewer loads and stores of the ends
        for j in range(n_features):
            a, b, c, d = np.float64(X[i, j]), np.float64(X[i + 1, j]), np.float64(X[i + 2, j]), np.float64(X[i + 3, j])
            low[j] = less(less(less(a, b), less(c, d)), low[j])
            high[j] = more(more(more(a, b), more(c, d)), high[j])
            check[j] += (a + b) + (c + d)
    for i in range(fours, n_rows):
        for j in range(n_features):
            a = np.float64(X[i, j])
            low[j] = less(a, low[j])
            high[j] = more(a, high[j])
            check[j] += a


@inner
def _known_range(column, j, low, high, missing):
    for x in column:
        if np.isnan(x):
            missing[j] = True
        else:
            low[j] = less(np.float64(x), low[j])
            high[j] = more(np.float64(x), high[j])


@inner
def _are_whole(column):
    for x in column:  # noqa: SIM110 - compiled code has no generators
        if x != np.rint(x) and not np.isnan(x):
            return False
    return True
