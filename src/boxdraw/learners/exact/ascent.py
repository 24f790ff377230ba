"""Good drawings, fast: refit one box while the others stand, then destroy and repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.max_box import MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box
from boxdraw.learners.exact.repair import Repair
from boxdraw.learners.exact.side_tree import SideTree

_NODES = 300  # of branch and bound in one refit: enough to be exact on small data
_MOST_WORK = 100_000_000  # words to look at before branching begins, beyond which a refit only climbs


class Ascent:
    """Block coordinate ascent with exact refits, and destroying and repairing.

    Choices follow from the seed and from counted work. The clock only ends the search and, on large tables, cuts climbs
    short that would take seconds: there, equal calls may come to other drawings.
    """

    def __init__(
        self, problem: Problem, max_box: MaxBox | SideTree, board: Board, seed: int, out_of_time: Callable[[], bool]
    ) -> None:
        self._problem = problem
        self._max_box = max_box
        self._board = board
        self._random = np.random.default_rng(seed)
        self._out_of_time = out_of_time
        self.boxes: list[Box] = []
        self.value = problem.constant
        self.method = "empty drawing"
        self._repair = Repair(problem, board, seed)
        self._seen: dict[bytes, Box] = {}  # every box that a refit came up with
        self._exact = max_box.first_work <= _MOST_WORK

    def offer(self, boxes: Sequence[Box], method: str) -> bool:
        """Keep a drawing if it is better than the best so far."""
        value = self._problem.value(boxes)
        if value <= self.value:
            return False
        self.boxes, self.value, self.method = list(boxes), value, method
        return True

    def improve(self, boxes: Sequence[Box], *, exactly: bool) -> list[Box]:
        """Refit one box after the other, by climbing or exactly, until none improves; add boxes, drop useless ones."""
        boxes = list(boxes)[: self._problem.max_boxes]
        value = self._problem.value(boxes)
        stale = 0
        while stale <= len(boxes) and not self._out_of_time():
            others = boxes if len(boxes) < self._problem.max_boxes and stale == 0 else boxes[1:]
            box = self._refit(others, boxes[: len(boxes) - len(others)], value, exactly)
            better = [*others, box] if box is not None else others
            gained = self._problem.value(better)
            if gained > value or (gained == value and len(better) < len(boxes)):
                boxes, value, stale = better, gained, 0
            else:
                boxes, stale = [*boxes[1:], *boxes[:1]], stale + 1
        return boxes

    def _refit(self, others: Sequence[Box], old: Sequence[Box], value: int, exactly: bool) -> Box | None:
        """Return a box that makes the drawing of the others worth more than the value; None if none was found."""
        positives, negatives = self._problem.positives, self._problem.negatives
        gain = np.where(positives.inside_any(others), 0, positives.points)
        cost = np.where(negatives.inside_any(others), 0, negatives.points)
        pricing = Pricing(gain, cost, no_pairs(), self._problem.limit_points)
        cutoff = max(value - self._problem.value(others), 0) + self._problem.box_points
        box = None
        for worth, climbed in self._board.climb(pricing, [*old, *self.starts(gain > 0, 6)]):
            if worth > cutoff:
                cutoff, box = worth, climbed
        if exactly and self._exact:
            found = self._max_box.best(pricing, cutoff, self._out_of_time, _NODES)
            box = found.box if found.box is not None else box
        if box is not None:
            self._seen[box[0].tobytes() + box[1].tobytes()] = box
        return box

    def starts(self, wanted: np.ndarray, n_starts: int) -> list[Box]:
        """Return bounding boxes of some wanted positives: all, and neighbourhoods of any size around random ones."""
        positives = self._problem.positives
        chosen = np.flatnonzero(wanted)
        if not len(chosen):
            return []
        boxes = [self._problem.around(wanted)]
        for _ in range(n_starts):
            centre = chosen[self._random.integers(len(chosen))]
            size = 1 + int(self._random.integers(len(chosen)) * self._random.random())
            apart = np.abs((positives.low[chosen] - positives.low[centre]) / self._problem.n_low).max(axis=1)
            near = np.zeros(len(wanted), dtype=np.bool_)
            near[chosen[np.argsort(apart, kind="stable")[:size]]] = True
            boxes.append(self._problem.around(near))
        return [box for box in boxes if box is not None]

    def repair(self, rounds: int, most_rounds: int) -> None:
        """Destroy and repair drawings until ``rounds`` in a row bring nothing better, or for ``most_rounds`` in all."""
        before, failed = self.value, 0
        while failed < rounds and most_rounds > 0 and not self._out_of_time():
            n_rounds = min(self._repair.slice, rounds, most_rounds)
            boxes = self._repair.go(self.boxes, n_rounds)
            failed, most_rounds = failed + n_rounds, most_rounds - n_rounds
            if self.offer(boxes, "destroy and repair"):
                failed = 0
        if self.value > before:
            self.offer(self.improve(self.boxes, exactly=True), "branch and bound, box by box")

    def promising(self) -> list[Box]:
        """Return the boxes of good drawings."""
        return [*self.boxes, *self._seen.values(), *self._repair.seen.values()]
