"""Hashes of many rows: the compiled twin of what `boxdraw.learners.folds` does with few."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry
from boxdraw.learners.scaling import GRID

_TILE = 256  # rows, which stay in the cache


@entry
def add_hashes(X, prescale, middle, steps, factors, keys, hashes):
    """Add to ``hashes`` those of the rows' values on the scale of their columns, with a key per column."""
    n_rows, n_columns = X.shape
    ticks = np.empty(_TILE)
    bits = ticks.view(np.uint64)
    first, second = factors[0], factors[1]  # variables stay in registers, elements of arrays do not
    for start in range(0, n_rows, _TILE):
        size = min(_TILE, n_rows - start)
        tile = hashes[start : start + size]
        for j in range(n_columns):
            key, scale, shift, stretch = keys[j], prescale[j], middle[j], steps[j]
            for i in range(size):
                ticks[i] = np.rint((np.float64(X[start + i, j]) * scale - shift) * stretch) * GRID + 0.0
            for i in range(size):
                once = bits[i] ^ key
                once = (once ^ (once >> np.uint64(32))) * first
                tile[i] += (once ^ (once >> np.uint64(29))) * second
