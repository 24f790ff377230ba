"""Destroy and repair: the engine's search for drawings, from one start after the other.

What the rounds come to follows from the seed alone, unless the table is so large that the clock cuts a climb short.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxdraw.learners.engine.draw import Drawing
from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box

_PATIENCE = 100  # rounds per box without a better drawing that end the search from one start
_FROM_BEST = 3  # one start in so many is the best drawing so far; the others are random
_GIVEN = 60  # boxes of earlier drawings, the last ones, that rounds from every other start may put in
_MOST_SEEN = 1000  # boxes to remember for that
_SLICE = 4_000_000  # work between two looks at the clock, in rows x features x boxes; at most 100 rounds


class Repair:
    """Searches from many starts, each until it finds nothing better for a while."""

    def __init__(self, problem: Problem, board: Board, seed: int) -> None:
        self._problem = problem
        self._board = board
        self._random = np.random.default_rng(seed)
        self._n_boxes = min(problem.max_boxes, len(problem.positives.points))
        n_rows = len(problem.positives.points) + len(problem.negatives.points)
        self.slice = max(1, min(100, _SLICE // (n_rows * len(problem.n_low) * self._n_boxes)))
        self._n_starts = 0
        self._drawing: Drawing | None = None
        self._value = self._failed = 0
        self.seen: dict[bytes, Box] = {}  # boxes of the better drawings

    def go(self, best: Sequence[Box], rounds: int) -> list[Box]:
        """Do some rounds; return the drawing that they come to."""
        if self._drawing is None or self._failed >= _PATIENCE * self._n_boxes:
            self._drawing = self._board.place(self._start(best), self._n_boxes)
            self._value = self._failed = 0
        given = [] if self._n_starts % 2 else list(self.seen.values())[-_GIVEN:]
        value = self._board.improve(self._drawing, given, rounds, int(self._random.integers(2**62)))
        boxes = self._board.boxes(self._drawing)
        self._failed += rounds
        if value > self._value:
            self._value, self._failed = value, 0
            for lo, hi in boxes if len(self.seen) < _MOST_SEEN else []:
                self.seen[lo.tobytes() + hi.tobytes()] = lo, hi
        return boxes

    def _start(self, best: Sequence[Box]) -> list[Box]:
        """Return the best drawing, or a division of the positives among random ones."""
        self._n_starts += 1
        if self._n_starts % _FROM_BEST == 1 and best:
            return list(best)[: self._n_boxes]
        low = self._problem.positives.low
        centres = self._random.choice(len(low), self._n_boxes, replace=False)
        apart = [np.abs((low - low[centre]) / self._problem.n_low).max(axis=1) for centre in centres]
        nearest = np.argmin(apart, axis=0)
        boxes = [self._problem.around(nearest == k) for k in range(self._n_boxes)]
        return [box for box in boxes if box is not None]
