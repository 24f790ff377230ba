"""Budget: the most positives in a drawing that flags at most a given share of the rows.

A price per false alarm cannot say that: where the best box is nearly pure, no price makes it smaller. So a drawing that
flags too much gets one limit more, or one that is tighter; boxes that have no room at all go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.engine.draw import Drawing
from boxdraw.learners.engine.levels import add_by
from boxdraw.learners.sparse.drawings import Board, resized

LEVELS = 128  # of numbers that are not whole: limits must be fine enough for small shares


def best_within(board: Board, drawings: Sequence[Drawing], share: float) -> tuple[int, Drawing]:
    """Return, of drawings cut down to a share of the rows, the one with most positives, and its place."""
    cut = [_cut_down(board, drawing, share) for drawing in drawings]
    caught = [float(board.held(drawing) @ board.ups) for drawing in cut]
    best = int(np.argmax(caught))
    return best, cut[best]


def _cut_down(board: Board, drawing: Drawing, share: float) -> Drawing:
    """Return a drawing that flags at most a share of the rows."""
    drawing = resized(drawing, 0)
    while len(drawing.used):
        inside = np.array([board.held(_only(drawing, k)) for k in range(len(drawing.used))])
        if board.mass @ inside.any(axis=0) <= share:
            break
        boxes = list(zip(drawing.lo, drawing.hi, strict=True))
        places = [(*_tightest(board, inside, k, boxes[k], share), k) for k in range(len(inside))]
        caught, j, lo, hi, k = max(places, key=lambda place: place[0])
        if caught >= 0:
            lower, upper = drawing.lo.copy(), drawing.hi.copy()
            lower[k, j], upper[k, j] = lo, hi
            return Drawing(lower, upper, drawing.used)
        precision = [board.ups @ rows / max(board.mass @ rows, 1e-300) for rows in inside]
        drawing = _without(drawing, int(np.argmin(precision)))
    return drawing


def _tightest(
    board: Board, inside: BoolArray, k: int, box: tuple[IntArray, IntArray], share: float
) -> tuple[float, int, int, int]:
    """Return the allowed limit of a box that keeps most positives within the share: these, axis, and its levels."""
    others = np.delete(inside, k, axis=0).any(axis=0)
    alone, room = inside[k] & ~others, share - float(board.mass @ others)
    best = (-1.0, 0, 0, 0)
    for j, axis in enumerate(board.axes if room > 0 else ()):
        levels, top = board.levels(j)[alone], axis.n_levels - 1
        mass, ups = (add_by(levels, weight[alone], top + 1) for weight in (board.mass, board.ups))
        n_below, n_above = (_n_levels(mass[::step], room) for step in (1, -1))
        first, last = int(box[0][j]), int(box[1][j])
        below = ((ups[: hi + 1], first, min(hi, last)) for hi in range(n_below - 1, first - 1, -1))
        above = ((ups[::-1][: top + 1 - lo], max(lo, first), last) for lo in range(top + 1 - n_above, last + 1))
        for some in (below, above):
            inner, lo, hi = next((one for one in some if _allows(board, box, j, *one[1:])), (ups[:0], 0, -1))
            caught = float(inner.sum())
            if caught > best[0] and lo <= hi:
                best = (caught, j, lo, hi)
    return best


def _allows(board: Board, box: tuple[IntArray, IntArray], j: int, lo: int, hi: int) -> bool:
    lower, upper = box[0].copy(), box[1].copy()
    lower[j], upper[j] = lo, hi
    return board.allows(lower, upper)


def _n_levels(mass: FloatArray, room: float) -> int:
    """Return how many levels, from the first on, fit in."""
    return int(np.searchsorted(np.cumsum(mass), room, side="right"))


def _only(drawing: Drawing, k: int) -> Drawing:
    return Drawing(drawing.lo[k : k + 1], drawing.hi[k : k + 1], drawing.used[k : k + 1])


def _without(drawing: Drawing, k: int) -> Drawing:
    return Drawing(*(np.delete(part, k, axis=0) for part in drawing))
