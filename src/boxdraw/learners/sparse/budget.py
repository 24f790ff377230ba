"""Budget: the most positives in a drawing that flags at most a given share of the rows.

A price per false alarm cannot say that: where the best box is nearly pure, no price makes it smaller. So a drawing that
flags too much gets one limit more, or one that is tighter; boxes that have no room at all go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.engine.draw import Drawing
from boxdraw.learners.sparse.drawings import Board, resized, running

LEVELS = 128  # of numbers that are not whole: limits must be fine enough for small shares


def best_within(board: Board, drawings: Sequence[Drawing], share: float) -> tuple[int, Drawing]:
    """Return, of drawings cut down to a share of the rows, the one with most positives, and its place."""
    cut = [_cut_down(board, drawing, share) for drawing in drawings]
    best = int(np.argmax(_share([float(board.held(drawing) @ board.ups) for drawing in cut])))
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
    """Return the allowed limit of a box that keeps most positives within the share: these, axis, and its levels.

    Of equal ones it is one that the box has already: no more to read.
    """
    others = np.delete(inside, k, axis=0).any(axis=0)
    alone, room = inside[k] & ~others, share - float(board.mass @ others)
    if room <= 0:
        return -1.0, 0, 0, 0
    mass, ups = (board.sums(alone, weight) for weight in (board.mass, board.ups))
    places, caught = [], []
    for may, step in zip(board.tighter(*box, inside[k]), (1, -1), strict=True):
        fits = may & (running(mass, step) <= room)
        last = np.argmax(fits[:, ::-step], axis=1)  # from the other side, the first that fits
        last = last if step < 0 else fits.shape[1] - 1 - last
        places.append(last)
        ends = [(0, at + 1) if step > 0 else (at, axis.n_levels) for at, axis in zip(last, board.axes, strict=True)]
        kept = [sums[first:end][::step].sum() for sums, (first, end) in zip(ups, ends, strict=True)]
        caught.append(np.where(fits.any(axis=1), kept, -1.0))
    most = _share(np.column_stack(caught))
    limited = np.column_stack([box[1] < [axis.n_levels - 1 for axis in board.axes], box[0] > 0])
    j, side = divmod(int(np.argmax((most == most.max()) * (1 + limited))), 2)
    lo, hi = (int(box[0][j]), int(places[0][j])) if side == 0 else (int(places[1][j]), int(box[1][j]))
    return float(caught[side][j]), j, lo, hi


def _share(sums: list[float] | FloatArray) -> FloatArray:
    """Round shares of the positives, so that equal ones are equal whatever order they were summed in."""
    return np.asarray(sums, dtype=np.float64).round(12)


def _only(drawing: Drawing, k: int) -> Drawing:
    return Drawing(drawing.lo[k : k + 1], drawing.hi[k : k + 1], drawing.used[k : k + 1])


def _without(drawing: Drawing, k: int) -> Drawing:
    return Drawing(*(np.delete(part, k, axis=0) for part in drawing))
