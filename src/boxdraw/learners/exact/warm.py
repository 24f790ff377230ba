"""Compiled code made ready, so that compiling takes nothing of the time of a search."""

from __future__ import annotations

from functools import cache

import numpy as np

from boxdraw.learners.engine.climb import no_masks
from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.max_box import MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.problem import LevelRows, Problem
from boxdraw.learners.exact.side_tree import SideTree


@cache
def compile_kernels(sides: bool, masks: bool = False) -> None:
    """Compile what a search needs, with the side tree and masks or not, or load it; only first calls do anything."""
    low, points = np.array([[0], [1]], dtype=np.int32), np.ones(2, dtype=np.int64)
    rows, n_levels = LevelRows(low, low, points), np.array([2], dtype=np.int32)
    scale = np.array([[0, 1], [0, 1]], dtype=np.int32)
    problem = Problem(
        rows, rows, n_levels, n_levels, 0, 1, 2, np.arange(2), [scale], masks=no_masks(1, 2) if masks else None
    )
    pricing, board = Pricing(points, points, no_pairs()), Board(problem)
    board.climb(pricing, [(low[0], low[0])])
    board.improve(board.place([], 1), [], 1, 0)
    # So low a cutoff that there is something to search.
    MaxBox(problem).best(pricing, -1, lambda: False)
    if sides:
        SideTree(problem).best(pricing, -1, lambda: False)
