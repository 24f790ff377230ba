"""Rows charged to the limits that exclude them: the compiled twin of `boxdraw.model.gaps`, for large tables."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry
from boxdraw._core.compiled import inner as compiled_inner


@entry
def charge(below, above, lower, upper, unit, kept_out, inner, outer):
    """Write into ``inner`` and ``outer`` what rows say."""
    n_rows, n_columns = below.shape
    for i in range(n_rows):
        for k in range(len(lower)):
            if kept_out[i, k]:
                continue
            worst, side, place, tied = -1.0, 0, 0, False
            for j in range(n_columns):
                if below[i, j] < lower[k, j]:
                    excess = (lower[k, j] - below[i, j]) * unit[j]
                    tied = excess == worst or (tied and excess < worst)
                    if excess > worst:
                        worst, side, place = excess, 0, j
                if above[i, j] > upper[k, j]:
                    excess = (above[i, j] - upper[k, j]) * unit[j]
                    tied = excess == worst or (tied and excess < worst)
                    if excess > worst:
                        worst, side, place = excess, 1, j
            if worst < 0:
                for j in range(n_columns):
                    if lower[k, j] == -np.inf and upper[k, j] == np.inf:
                        continue
                    inner[0, k, j] = below[i, j] if below[i, j] < inner[0, k, j] else inner[0, k, j]
                    inner[1, k, j] = -above[i, j] if -above[i, j] < inner[1, k, j] else inner[1, k, j]
            elif tied:
                _charge_all(below[i], above[i], lower[k], upper[k], unit, worst, outer[:, k])
            else:
                value = below[i, place] if side == 0 else -above[i, place]
                outer[side, k, place] = max(outer[side, k, place], value)


@compiled_inner
def _charge_all(below, above, lower, upper, unit, worst, outer):
    """Charge a row to all limits that it is equally far beyond."""
    for j in range(len(below)):
        if below[j] < lower[j] and (lower[j] - below[j]) * unit[j] == worst:
            outer[0, j] = max(outer[0, j], below[j])
        if above[j] > upper[j] and (above[j] - upper[j]) * unit[j] == worst:
            outer[1, j] = max(outer[1, j], -above[j])
