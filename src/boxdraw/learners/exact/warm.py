"""Compiled code made ready, so that compiling takes nothing of the time of a search."""

from __future__ import annotations

from functools import cache

import numpy as np

from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.max_box import MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.problem import LevelRows, Problem


@cache
def compile_kernels() -> None:
    """Compile what a search needs, or load it from disk; only the first call in a process does something."""
    low, points = np.array([[0], [1]], dtype=np.int32), np.ones(2, dtype=np.int64)
    rows, n_levels = LevelRows(low, low, points), np.array([2], dtype=np.int32)
    scale = np.array([[0, 1], [0, 1]], dtype=np.int32)
    problem = Problem(rows, rows, n_levels, n_levels, 0, 1, 2, np.arange(2), [scale])
    pricing, board = Pricing(points, points, no_pairs()), Board(problem)
    board.climb(pricing, [(low[0], low[0])])
    board.improve(board.place([], 1), [], 1, 0)
    MaxBox(problem).best(pricing, -1, lambda: False)  # so low a cutoff that there is something to search
