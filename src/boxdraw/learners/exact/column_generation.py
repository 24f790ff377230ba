"""Column generation: an upper bound on every drawing, from a linear program over all boxes.

A *column* is a box with the positives assigned to it, each to one box at most. docs/exact.rst has the program, its pair
rows, and the proof of the bound, which holds for any prices. So it is computed in whole numbers from rounded prices,
and does not depend on the accuracy of the LP solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.max_box import Found, MaxBox, Pricing
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box
from boxdraw.learners.exact.side_tree import SideTree

_EPS = 1e-6
_FEW = 3  # columns in a round below which climbing is called exhausted
_PROOF_WORK = 10_000_000  # the longer a proof takes, the more rounds pass before the next
_SIDE_WORK = 50_000_000  # rows x sides that the side tree looks at before it gives up
_GAIN = 0.25  # of the gap to the linear program by which a proof is to lower the bound
_SMOOTH = 0.5  # weight of the best prices so far in the next ones: plain LP prices jump about
_TRIM_EVERY = 20
_MOST_CUTS = 300  # per round


@dataclass(frozen=True, slots=True)
class Column:
    """A box, the positives assigned to it and the negatives in it."""

    box: Box
    assigned: BoolArray
    covered: BoolArray
    gain: int  # points of the positives less the price of the box and its limits


@dataclass(frozen=True, slots=True)
class DualPrices:
    """Dual values of the linear program, in points."""

    positive: FloatArray  # π: the price of a positive
    box: float  # σ
    share: FloatArray  # ν: paid by each box that holds the negative
    pair: FloatArray  # μ, positives × negatives: paid by a box that holds both

    def towards(self, other: DualPrices, weight: float) -> DualPrices:
        """Return a mean of these prices and others."""
        return DualPrices(*((1 - weight) * a + weight * b for a, b in zip(self._parts(), other._parts(), strict=True)))

    def _parts(self) -> tuple[Any, ...]:
        return self.positive, self.box, self.share, self.pair

    def reduced_costs(self, columns: Sequence[Column]) -> FloatArray:
        """Return by how much each column is worth more than it pays: in a solution at most 0, but for rounding."""
        assigned, covered = (np.array([getattr(c, name) for c in columns]) for name in ("assigned", "covered"))
        cost = np.array([c.gain for c in columns]) - self.box - assigned @ self.positive - covered @ self.share
        return np.asarray(cost - np.einsum("kq,kq->k", assigned @ self.pair, covered))


class Master:
    """The linear program over the columns and pair rows so far."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.columns: list[Column] = []
        self.use: FloatArray = np.zeros(0)  # the last solution: how much of each column,
        self.cover: FloatArray = np.zeros(0)  # of each negative,
        self._pair_prices: FloatArray = np.zeros(0)  # and the price of each pair row
        self.prices: DualPrices | None = None
        self._build([], np.zeros((0, 2), dtype=np.int64))

    def _build(self, columns: list[Column], pairs: Any) -> None:
        from ortools.linear_solver import pywraplp

        self._solver = solver = pywraplp.Solver.CreateSolver("GLOP")
        self._infinity = solver.infinity()
        self._objective = solver.Objective()
        self._objective.SetMaximization()
        problem = self._problem
        self._covered = [solver.NumVar(0, 1, "") for _ in problem.negatives.points]
        self._positive_rows = [solver.Constraint(-self._infinity, 1) for _ in problem.positives.points]
        self._box_row = solver.Constraint(-self._infinity, problem.max_boxes)
        self._share_rows = [solver.Constraint(-self._infinity, 0) for _ in problem.negatives.points]
        for row, variable, points in zip(self._share_rows, self._covered, problem.negatives.points, strict=True):
            row.SetCoefficient(variable, -float(problem.max_boxes))
            self._objective.SetCoefficient(variable, -float(points))
        # A positive may be in the columns of several boxes if its points are given back. Columns without it would do
        # the same at no higher price; this saves most of them.
        for row, points in zip(self._positive_rows, problem.positives.points, strict=True):
            extra = solver.NumVar(0, self._infinity, "")
            row.SetCoefficient(extra, -1)
            self._objective.SetCoefficient(extra, -float(points))
        self._pair_rows: list[Any] = []
        self._pair_of_row = np.zeros((0, 2), dtype=np.int64)
        self.columns = []
        self._variables: list[Any] = []
        self._known: set[bytes] = set()
        self._pairs: set[tuple[int, int]] = set()
        self.add_pairs(pairs)
        for column in columns:
            self.add(column)

    def column(self, box: Box, assigned: BoolArray) -> Column | None:
        """Return the column of some positives in a box, as tight as it can be, if there is one."""
        fitted = self._problem.fitted(box, assigned)
        price = None if fitted is None else self._problem.price(fitted)
        if fitted is None or price is None:
            return None
        gain = int(self._problem.positives.points[assigned].sum()) - price
        return Column(fitted, assigned, self._problem.negatives.inside(fitted), gain)

    def add(self, column: Column) -> bool:
        """Add a column unless it is there."""
        key = column.assigned.tobytes() + column.covered.tobytes() + column.gain.to_bytes(8, signed=True)
        if key in self._known:
            return False
        self._known.add(key)
        variable = self._solver.NumVar(0, self._infinity, "")
        self._objective.SetCoefficient(variable, float(column.gain))
        self._box_row.SetCoefficient(variable, 1)
        for i in np.flatnonzero(column.assigned).tolist():
            self._positive_rows[i].SetCoefficient(variable, 1)
        for q in np.flatnonzero(column.covered).tolist():
            self._share_rows[q].SetCoefficient(variable, 1)
        both = column.assigned[self._pair_of_row[:, 0]] & column.covered[self._pair_of_row[:, 1]]
        for t in np.flatnonzero(both).tolist():
            self._pair_rows[t].SetCoefficient(variable, 1)
        self.columns.append(column)
        self._variables.append(variable)
        return True

    def add_pairs(self, pairs: Any) -> None:
        """Add pair rows."""
        for i, q in pairs.tolist():
            row = self._solver.Constraint(-self._infinity, 0)
            row.SetCoefficient(self._covered[q], -1)
            for column, variable in zip(self.columns, self._variables, strict=True):
                if column.assigned[i] and column.covered[q]:
                    row.SetCoefficient(variable, 1)
            self._pair_rows.append(row)
            self._pairs.add((i, q))
        self._pair_of_row = np.concatenate([self._pair_of_row, pairs])

    def trim(self, worst: float) -> None:
        """Leave out pair rows that do not bind and columns whose reduced cost is below the worst."""
        keep = (self.reduced_costs() >= worst) | (self.use > _EPS)
        self.use = self.use[keep]
        self._build(
            [c for c, k in zip(self.columns, keep, strict=True) if k], self._pair_of_row[self._pair_prices > _EPS]
        )

    def reduced_costs(self) -> FloatArray:
        """Return the reduced costs of all columns at the last prices."""
        if not self.columns or self.prices is None:
            return np.zeros(len(self.columns))
        return self.prices.reduced_costs(self.columns)

    def solve(self, milliseconds: int) -> DualPrices | None:
        """Solve; return the prices, or None if it took too long."""
        from ortools.linear_solver import pywraplp

        for way in ("as it is", "anew", "by the dual simplex"):
            if way == "anew":  # a basis that was carried over too often may have become singular
                self._build(self.columns, self._pair_of_row)
            if way == "by the dual simplex":
                self._solver.SetSolverSpecificParametersAsString("use_dual_simplex: true")
            self._solver.SetTimeLimit(max(milliseconds, 1))
            status = self._solver.Solve()
            if status != pywraplp.Solver.ABNORMAL:
                break
        if status != pywraplp.Solver.OPTIMAL:
            return None
        self.value = self._objective.Value()
        self.use = np.array([variable.solution_value() for variable in self._variables])
        self.cover = np.array([variable.solution_value() for variable in self._covered])
        pair = np.zeros((len(self._positive_rows), len(self._covered)))
        self._pair_prices = _duals(self._pair_rows)
        np.add.at(pair, (self._pair_of_row[:, 0], self._pair_of_row[:, 1]), self._pair_prices)
        self.prices = DualPrices(
            _duals(self._positive_rows), self._box_row.dual_value(), _duals(self._share_rows), pair
        )
        return self.prices

    def violated(self) -> Any:
        """Return the pairs whose rows the last solution violates, the worst of each negative first."""
        active = np.flatnonzero(self.use > _EPS)
        if not len(active):
            return np.zeros((0, 2), dtype=np.int64)
        assigned = np.array([self.columns[k].assigned for k in active], dtype=np.float64) * self.use[active, None]
        excess = assigned.T @ np.array([self.columns[k].covered for k in active], dtype=np.float64) - self.cover
        scored = []
        for q in np.flatnonzero(excess.max(axis=0) > 1e-4).tolist():
            for i in np.argsort(-excess[:, q], kind="stable")[:2].tolist():
                if excess[i, q] > 1e-4 and (i, q) not in self._pairs:
                    scored.append((-excess[i, q] * self._problem.negatives.points[q], i, q))
        scored.sort()
        return np.array([(i, q) for _, i, q in scored[:_MOST_CUTS]], dtype=np.int64).reshape(-1, 2)


def _duals(rows: list[Any]) -> FloatArray:
    return np.array([row.dual_value() for row in rows], dtype=np.float64)


class ColumnGeneration:
    """Lowers a bound on all drawings, round by round."""

    def __init__(
        self,
        problem: Problem,
        max_box: MaxBox,
        sides: SideTree | None,
        board: Board,
        starts: Callable[[BoolArray, int], list[Box]],
        seconds_left: Callable[[], float],
        out_of_time: Callable[[], bool],
    ) -> None:
        self._problem = problem
        self._max_box, self._sides = max_box, sides
        self._board = board
        self._starts = starts
        self._seconds_left = seconds_left
        self._out_of_time = out_of_time
        self.master = Master(problem)
        most = problem.constant + int(problem.positives.points.sum()) + problem.max_boxes * problem.box_points
        self.fine = 2 ** max(0, min(16, 50 - most.bit_length()))
        self.bound = most
        # The best prices so far and their bound, in fine points and without the constant. At first each positive pays
        # all that it is worth, and no box is worth anything.
        points = problem.positives.points
        share = np.zeros(len(problem.negatives.points))
        self.centre = DualPrices(points.astype(np.float64), 0.0, share, np.zeros((len(points), len(share))))
        self.exact_bound = int(points.sum()) * self.fine
        self._next_proof = 0
        self.least = problem.constant  # the points of the best drawing known
        self._round = 0

    def take(self, boxes: Sequence[Box]) -> None:
        """Add boxes with all their positives as columns."""
        for box in boxes:
            if (column := self.master.column(box, self._problem.positives.inside(box))) is not None:
                self.master.add(column)

    def likely(self, most: int) -> list[Box]:
        """Return the boxes of the columns that the last solution likes best."""
        order = np.argsort(-self.master.reduced_costs(), kind="stable")
        return [self.master.columns[k].box for k in order[:most]]

    def all_boxes(self, least: int, most: int) -> list[Box] | None:
        """List every box that a drawing of more than `least` points can use; None if there are too many."""
        # A drawing earns at most the base of the bound plus the values of its boxes, and no box is worth more than the
        # best, so one box alone can't be far below it.
        if self._problem.limits is not None:  # there is more than one box around the same positives
            return None
        pricing, base = self._pricing(self.centre)
        n_boxes = self._problem.max_boxes
        others = (self.exact_bound - base) // n_boxes * (n_boxes - 1)
        wanted = (least + 1 - self._problem.constant) * self.fine
        cutoff = wanted - base - others + self._problem.box_points * self.fine - 1
        return self._max_box.all_above(pricing, cutoff, self._out_of_time, most, 10 * most)

    def step(self) -> bool:
        """Do one round; return False when there is nothing left to gain or no time to gain it."""
        self._round += 1
        prices = self.master.solve(int(1000 * self._seconds_left()))
        if prices is None:
            return False
        if self._round % _TRIM_EVERY == 0:
            self.master.trim(self.least - self.bound)
        pairs = np.zeros((0, 2), dtype=np.int64)
        added, smooth = 0, prices.towards(self.centre, _SMOOTH)
        for tried in (smooth, prices):
            added = self._climb(tried, prices)
            if added:
                break
        if added <= _FEW:
            pairs = self.master.violated()
        exhausted = added <= _FEW and not len(pairs)
        proven = False
        if exhausted or self._round >= self._next_proof:
            proven, new = self._prove(smooth, prices)
            added += new
        self.master.add_pairs(pairs)
        return not (exhausted and proven and added == 0) and not self._out_of_time()

    def _climb(self, prices: DualPrices, plain: DualPrices) -> int:
        pricing, _ = self._pricing(prices)
        threshold = self._threshold(prices)
        active = [self.master.columns[k].box for k in np.flatnonzero(self.master.use > _EPS)]
        climbed = self._board.climb(pricing, [*active, *self._starts(pricing.gain > 0, 20)])
        return self._add([box for value, box in climbed if value > threshold], pricing, plain)

    def _add(self, boxes: Sequence[Box], pricing: Pricing, plain: DualPrices) -> int:
        """Add the columns of boxes that the linear program wants; return their number."""
        columns = [self.master.column(box, self._assigned(pricing, box)) for box in boxes]
        some = [column for column in columns if column is not None]
        if not some:
            return 0
        return sum(self.master.add(some[k]) for k in np.flatnonzero(plain.reduced_costs(some) > _EPS).tolist())

    def _prove(self, prices: DualPrices, plain: DualPrices) -> tuple[bool, int]:
        """Lower the bound or find columns; return True if nothing came of it, and the number of columns."""
        # At prices between the best so far and those of the linear program, a best column that this does not want
        # lowers the bound. Proving that no column is far too good takes much less time than finding the best.
        pricing, base = self._pricing(prices)
        n_boxes, box_points = self._problem.max_boxes, self._problem.box_points * self.fine
        before, gap = self.exact_bound, self.exact_bound - int(self.master.value * self.fine)
        threshold = cutoff = self._threshold(prices)
        if gap > self.fine:
            cutoff = max(threshold, (before - int(_GAIN * gap) - base) // n_boxes + box_points)
        found = self._max_box.best(pricing, cutoff, self._out_of_time)
        self._next_proof = self._round + int(np.clip(found.work / _PROOF_WORK, 3, 30))
        added, upper = self._take_found(found, pricing, plain), found.upper
        if self._sides is not None and upper > cutoff and not added:
            # A box of branch and bound may have more limits than it was charged for; the side tree is exact.
            found = self._sides.best(pricing, cutoff, self._out_of_time, _SIDE_WORK // self._sides.node_size)
            added, upper = self._take_found(found, pricing, plain), min(upper, found.upper)
        self._tighten_bound(base + n_boxes * max(0, upper - box_points), prices)
        return not added and (upper <= threshold or self.exact_bound == before), added

    def _take_found(self, found: Found, pricing: Pricing, plain: DualPrices) -> int:
        """Add a box that was found, and what it leads to, as far as the linear program wants them."""
        if found.box is None:
            return 0
        return self._add([found.box, *(box for _, box in self._board.climb(pricing, [found.box]))], pricing, plain)

    def _tighten_bound(self, fine_points: int, prices: DualPrices) -> None:
        if fine_points < self.exact_bound:
            self.exact_bound, self.centre = fine_points, prices
            self.bound = min(self.bound, self._problem.constant + fine_points // self.fine)

    def _threshold(self, prices: DualPrices) -> int:
        return round(prices.box * self.fine) + self._problem.box_points * self.fine

    def _pricing(self, prices: DualPrices) -> tuple[Pricing, int]:
        """Round prices to whole fine points; return what a box earns at them and the rest of the bound."""
        worth = self._problem.positives.points * self.fine
        paid = np.clip(np.rint(prices.positive * self.fine), 0, worth).astype(np.int64)
        share = np.maximum(np.floor(prices.share * self.fine), 0).astype(np.int64)
        pair = np.maximum(np.floor(prices.pair * self.fine), 0).astype(np.int64)
        over = self._problem.max_boxes * share + pair.sum(axis=0) - self._problem.negatives.points * self.fine
        where = np.nonzero(pair)
        limit = self._problem.limit_points * self.fine
        pricing = Pricing(worth - paid, share, (where[0], where[1], pair[where]), limit)
        return pricing, int(paid.sum()) + int(np.maximum(over, 0).sum())

    def _assigned(self, pricing: Pricing, box: Box) -> BoolArray:
        """Return the positives of a box that earn something in it."""
        positive, negative, price = pricing.pairs
        rest = pricing.gain.copy()
        np.subtract.at(rest, positive, price * self._problem.negatives.inside(box)[negative])
        return self._problem.positives.inside(box) & (rest > 0)
