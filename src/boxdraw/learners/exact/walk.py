"""A walk among drawings: disturb one, polish it limit by limit, go on from it unless it is clearly worse.

A round takes a fraction of a millisecond on small tables, so thousands of drawings are tried in a second. Everything
follows from the seed and the number of rounds, never from the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.exact.max_box import MaxBox
from boxdraw.learners.exact.problem import Box, Levels, Problem

_PATIENCE = 150  # rounds per box without a better drawing that end one walk
_SLACK = 0.1  # share of the rounds that may lose a positive
_MOST_SEEN = 1000
_UP_TO = (0.3, 0.6, 0.8, 0.95)  # sums of the chances of the moves, in the order in which they are listed below


@dataclass(frozen=True, slots=True)
class _Place:
    """A polished drawing of the full number of boxes, and what it is worth without those that are not worth it."""

    value: int
    lo: Levels
    hi: Levels
    kept: BoolArray

    def boxes(self) -> list[Box]:
        return [(self.lo[k].copy(), self.hi[k].copy()) for k in np.flatnonzero(self.kept)]


class Walk:
    """Walks from many starts, each until it finds nothing better for a while."""

    def __init__(self, problem: Problem, max_box: MaxBox, seed: int) -> None:
        self._problem = problem
        self._max_box = max_box
        self._random = np.random.default_rng(seed)
        self._n_boxes = min(problem.max_boxes, len(problem.positives.points))
        self._slack = int(np.median(problem.positives.points))
        self._moves = (self._shake, self._take_in, self._push_out, self._redraw, self._merge)
        self._n_walks = 0
        self._here: _Place | None = None
        self._best_here = self._failed = 0
        self.seen: dict[bytes, Box] = {}  # boxes of the better drawings

    def go(
        self, best: list[Box], value: int, rounds: int, most_rounds: int, out_of_time: Callable[[], bool]
    ) -> tuple[list[Box], int]:
        """Walk until that many rounds in a row bring nothing better than the best drawing; return the best."""
        failed = 0
        while failed < rounds and most_rounds > 0 and not out_of_time():
            failed, most_rounds = failed + 1, most_rounds - 1
            place = self._step(best)
            if place.value > value:
                best, value, failed = place.boxes(), place.value, 0
        return best, value

    def _step(self, best: list[Box]) -> _Place:
        """Do one round; return the drawing that it came to."""
        if self._here is None or self._failed > _PATIENCE * self._n_boxes:
            self._here = self._polished(*self._start(best))
            self._best_here, self._failed = self._here.value, 0
            return self._here
        lo, hi = self._here.lo.copy(), self._here.hi.copy()
        self._moves[int(np.searchsorted(_UP_TO, self._random.random()))](lo, hi)
        place = self._polished(lo, hi)
        slack = self._slack if self._random.random() < _SLACK else 0
        if place.value >= self._here.value - slack:
            self._here = place
        self._failed += 1
        if place.value > self._best_here:
            self._best_here, self._failed = place.value, 0
            for lo_hi in place.boxes() if len(self.seen) < _MOST_SEEN else []:
                self.seen[lo_hi[0].tobytes() + lo_hi[1].tobytes()] = lo_hi
        return place

    def _polished(self, lo: Levels, hi: Levels) -> _Place:
        boxes, limits = self._random.permutation(len(lo)), self._random.permutation(2 * lo.shape[1])
        kept, value = self._max_box.polish(lo, hi, boxes, limits)
        return _Place(value, lo, hi, kept)

    def _start(self, best: list[Box]) -> tuple[Levels, Levels]:
        """Start from the best drawing, from a division of the positives among random ones, or from these alone."""
        kind = self._n_walks % 3
        self._n_walks += 1
        positives = self._problem.positives
        centres = self._random.choice(len(positives.points), self._n_boxes, replace=False)
        lo, hi = positives.low[centres], positives.high[centres]
        if kind == 0:
            for k, box in enumerate(best[: self._n_boxes]):
                lo[k], hi[k] = box
        elif kind == 1:
            everyone = np.arange(len(positives.points))
            nearest = np.argmin([self._apart(everyone, centre) for centre in centres], axis=0)
            for k in range(self._n_boxes):
                if (around := self._problem.around(nearest == k)) is not None:
                    lo[k], hi[k] = around
        return lo, hi

    def _apart(self, rows: IntArray, centre: int) -> FloatArray:
        """Return how far positives lie from one of them: the largest share of the levels of a feature."""
        low = self._problem.positives.low
        return np.asarray(np.abs((low[rows] - low[centre]) / self._problem.n_low).max(axis=1))

    def _one_of(self, rows: BoolArray) -> int | None:
        chosen = np.flatnonzero(rows)
        return int(chosen[self._random.integers(len(chosen))]) if len(chosen) else None

    def _shake(self, lo: Levels, hi: Levels) -> None:
        """Move one to three limits of a box to where a random positive is."""
        positives, k = self._problem.positives, self._random.integers(len(lo))
        for _ in range(1 + self._random.integers(3)):
            j, i = self._random.integers(lo.shape[1]), self._random.integers(len(positives.points))
            if self._random.random() < 0.5:
                lo[k, j] = positives.low[i, j]
            else:
                hi[k, j] = positives.high[i, j]

    def _take_in(self, lo: Levels, hi: Levels) -> None:
        """Stretch a box to a positive that was missed."""
        positives, k = self._problem.positives, self._random.integers(len(lo))
        i = self._one_of(~positives.inside_any(list(zip(lo, hi, strict=True))))
        if i is not None:
            lo[k], hi[k] = np.minimum(lo[k], positives.low[i]), np.maximum(hi[k], positives.high[i])

    def _push_out(self, lo: Levels, hi: Levels) -> None:
        """Cut a box so that it loses one of its negatives."""
        negatives, k = self._problem.negatives, self._random.integers(len(lo))
        q, j = self._one_of(negatives.inside((lo[k], hi[k]))), self._random.integers(lo.shape[1])
        if q is not None:
            if self._random.random() < 0.5:
                lo[k, j] = min(negatives.low[q, j] + 1, self._problem.n_low[j] - 1)
            else:
                hi[k, j] = max(negatives.high[q, j] - 1, 0)

    def _redraw(self, lo: Levels, hi: Levels, k: int | None = None) -> None:
        """Put a box around some positives that the others miss."""
        k = int(self._random.integers(len(lo))) if k is None else k
        others = [(lo[t], hi[t]) for t in range(len(lo)) if t != k]
        missed = ~self._problem.positives.inside_any(others)
        if (centre := self._one_of(missed)) is None:
            return
        rows = np.flatnonzero(missed)
        size = 1 + int(self._random.integers(len(rows)) * self._random.random())
        near = rows[np.argsort(self._apart(rows, centre), kind="stable")[:size]]
        lo[k] = self._problem.positives.low[near].min(axis=0)
        hi[k] = self._problem.positives.high[near].max(axis=0)

    def _merge(self, lo: Levels, hi: Levels) -> None:
        """Put one box around two, and the other elsewhere."""
        if len(lo) > 1:
            a, b = self._random.permutation(len(lo))[:2]
            lo[a], hi[a] = np.minimum(lo[a], lo[b]), np.maximum(hi[a], hi[b])
            self._redraw(lo, hi, int(b))
