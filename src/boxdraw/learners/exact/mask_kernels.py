"""Compiled constraints of the side tree: which features of a box may stand together, and what it must hold."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import inner
from boxdraw.learners.engine.climb import find_open


@inner
def _stand_together(together, groups, most, last, n_sides, may):
    """Return True if the features of a box that are limited may stand together; write which others may join them."""
    lo, n_levels = np.zeros(len(groups), np.int64), np.full(len(groups), 2)
    for g in range(len(groups)):
        limited = False
        for place in range(4):
            s = groups[g, place]
            limited = limited or (s < n_sides and most[s] < last[s])
        if limited:
            find_open(together, lo, n_levels, n_levels, may)
            if not may[g]:
                return False
            lo[g] = 1
    find_open(together, lo, n_levels, n_levels, may)
    return True


@inner
def open_others(together, groups, n_boxes, least, most, last, may):
    """Open the sides of features that may not stand beside those with limits; return False if these may not."""
    n_groups = len(groups) // n_boxes
    for first in range(0, len(groups) if len(together) else 0, n_groups):
        own = groups[first : first + n_groups]
        if not _stand_together(together, own, most, last, len(least), may):
            return False
        for g in range(n_groups):
            for place in range(0 if may[g] else 4):
                if own[g, place] < len(least):
                    least[own[g, place]] = last[own[g, place]]
    return True


@inner
def keeps(together, mass, out, groups, n_boxes, last, reach, may):
    """Return True if boxes limit no features that may not stand together, and each holds what it must."""
    n_groups, n_sides = len(groups) // n_boxes, out.shape[1]
    for b in range(n_boxes if len(together) else 0):
        own = groups[b * n_groups : (b + 1) * n_groups]
        if not _stand_together(together, own, reach, last, len(last) - 1, may):
            return False
        up = down = 0.0
        for i in range(len(out) if mass.shape[1] else 0):
            held = True
            for s in range(n_sides):
                held = held and out[i, s] <= reach[b * n_sides + s]
            if held:
                up += mass[0, i]
                down += mass[1, i]
        if mass.shape[1] and (up + down < mass[0, -1] or up < mass[1, -1] * (up + down)):
            return False
    return True


@inner
def can_keep(mass, out, n_boxes, least, most):
    """Return False if a box of a node can't hold what it must: no more rows than at most, no fewer than at least."""
    n_sides = out.shape[1]
    for b in range(n_boxes if mass.shape[1] else 0):
        up = down = within = 0.0
        for i in range(len(out)):
            reached = held = True
            for s in range(n_sides):
                reached = reached and out[i, s] <= most[b * n_sides + s]
                held = held and out[i, s] <= least[b * n_sides + s]
            if reached:
                up += mass[0, i]
                down += mass[1, i]
            if held:
                within += mass[1, i]
        if up + down < mass[0, -1] or up < mass[1, -1] * (up + within):
            return False
    return True
