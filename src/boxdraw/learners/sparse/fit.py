"""Fit: the stages of Sparse Boxes, from training rows to boxes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from scipy.stats import hypergeom

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.progress import Progress
from boxdraw._core.sums import on_grid
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.engine.draw import Drawing
from boxdraw.learners.engine.levels import NUMBERS, LevelTable, make_axes, put_on_levels
from boxdraw.learners.folds import inner_splits, n_repeats, usable_folds
from boxdraw.learners.frontier import Frontier, FrontierPoint, make_frontier
from boxdraw.learners.goals import Goal
from boxdraw.learners.patterns import KeptOut, Patterns, placed_at
from boxdraw.learners.risk import FoldRows, held_out_risk, ladder, spread
from boxdraw.learners.rounding import Limits, round_on_rows, round_on_table
from boxdraw.learners.sparse.budget import LEVELS, best_within
from boxdraw.learners.sparse.drawings import Board, Costs, has_clusters, limits_of, order_of
from boxdraw.learners.sparse.learn import (
    CLIMB,
    TRUST,
    Aim,
    Choice,
    Efforts,
    Grid,
    HeldOut,
    Split,
    choose,
    choose_aim,
    choose_cost,
    draw_path,
    first_deal,
    hold_out,
    is_small,
    n_deals,
    standard_error,
)
from boxdraw.learners.sparse.place import WINDOW, Placing
from boxdraw.learners.sparse.rank import LOW_PRICE, PARTS, RATIOS, Ranking, draw_costs, spreads
from boxdraw.learners.sparse.revise import Revision, Rows, Step, aligned, held_out_gains, revise, revisions
from boxdraw.learners.sparse.sweep import Sweep, first_places
from boxdraw.model.boxes import BoxSet
from boxdraw.model.constraints import Breach, Constraints
from boxdraw.model.export.text import rule_texts
from boxdraw.model.risk import RiskTable
from boxdraw.tables.chunks import Table
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.order import Order
from boxdraw.tables.training import Training

# How many standard errors are as rare as so many positives among the flagged rows have to be by chance (Fisher's exact
# test), by `is_small`: the best of many settings often has two, if folds are dealt rarely.
_CLEARLY = {False: 3, True: 2.5}
_SOFTNESS = 0.06  # of the places of limits, times the root of the positives


@dataclass(frozen=True, slots=True)
class Found:
    """What a fit comes to."""

    boxes: BoxSet
    frontier: Frontier
    path: list[tuple[float, BoxSet]]
    ranking: Ranking
    order: Order
    flags_everything: bool
    ratio: int  # place of the cost in the grid
    risk: RiskTable | None


class Fit:
    """Training rows on levels, all of them or a sample, and what is drawn on them."""

    def __init__(
        self,
        data: Training,
        few: Training,
        encoding: Encoding,
        constraints: ColumnConstraints,
        round_limits: bool,
        n_jobs: int | None = None,
        goal: Goal | None = None,
        base_rate: float | None = None,
        table: Table | None = None,
    ) -> None:
        self._data, self._few, self._encoding, self._constraints = data, few, encoding, constraints
        self._table = table  # where all rows are, if the data are a sample of them
        self._round, self._n_jobs, self._goal, self._base_rate = round_limits, n_jobs, goal, base_rate
        self._masks = partial(constraints.of_table, share=constraints.least_share(data))
        n_numbers = LEVELS if goal is not None and goal.is_most else NUMBERS
        self.table = put_on_levels(few, encoding, n_numbers, constraints.cuts)
        self._axes = make_axes(self.table)
        self._order = order_of(self.table, self._axes)
        moved = [column for column in self.table.columns if not constraints.fixed[column.column]]
        self._cuts = {column.column: column.cuts for column in moved}
        self._with_missing = [column for column, _, missing in encoding.layout() if missing]
        self._efforts = Efforts.for_table(self.table)
        self._held_out: HeldOut | None = None
        self._counted: list[Split] = []  # whose held-out rows the risk counts
        self._given: tuple[LevelTable, float] | None = None  # the rows that given folds test, and how often

    @property
    def n_positives(self) -> int:
        """How many distinct positives there are: weights and copies of rows do not count."""
        return int(np.count_nonzero(self.table.ups > 0))

    def deal(self, n_folds: int, seed: int, costs: bool) -> Iterator[Split]:
        """Yield folds of the distinct rows, dealt several times unless a round is slow; ``costs``: if they are open."""
        table = self.table
        fewest = min(self.n_positives, int(np.count_nonzero(table.downs > 0)))
        n_folds = usable_folds(n_folds, fewest, "Distinct rows")
        for repeat in range(n_deals(table, costs) if n_folds else 0):
            number = table.folds(n_folds, seed + repeat)
            for k in range(number.max() + 1):
                train, test = np.flatnonzero(number != k), np.flatnonzero(number == k)
                split = Split(table.take(train), table.take(test), test)
                if all(part.ups.any() and part.downs.any() for part in (split.train, split.test)):
                    yield split

    def given(self, labels: npt.NDArray[Any], cv: Any) -> Iterator[Split]:
        """Yield the folds of a splitter, or of whole groups."""
        splits = inner_splits(self._few, labels, cv, None)
        tests = [test for _, test in splits]
        self._given = self.table.of_rows(self._few, np.unique(np.concatenate(tests)))[0], n_repeats(tests)
        for train, test in splits:
            yield Split(self.table.of_rows(self._few, train)[0], *self.table.of_rows(self._few, test))

    def choose(self, splits: list[Split], grid: Grid, progress: Progress) -> tuple[Choice, Aim | None, str]:
        """Choose the setting by held-out rows; return how to keep a goal, and a warning if all this is chance."""
        if not splits:
            usual = grid.first + (len(grid.limits) - grid.first) // 2
            return (
                Choice(int(np.abs(np.log(grid.ratios)).argmin()) if self._goal else 0, len(grid.n_boxes) - 1, usual),
                None,
                "",
            )
        self._counted = first_deal(splits) if self._given is None else splits
        self._held_out = hold_out(self.table, splits, grid, self._n_jobs, progress.share, self._masks)
        clustered = has_clusters(len(self._axes), grid.n_boxes[-1])
        choices, found = choose(self._held_out, grid, clustered), None
        if self._goal is None:
            choice = choose_cost(self._held_out, choices, grid.even)
        else:
            tested = self.table.take(np.unique(np.concatenate([split.rows for split in splits])))
            if self._given is not None:  # some of the rows that are equal on levels may not be tested
                tested = self._given[0]
            choice, found = choose_aim(self._held_out, choices, self._goal, tested)
        rates = self._held_out.rates[(slice(None), slice(None), *choice.place)].mean(axis=0)
        # Shares of weights may add up to a little more than 1.
        point = np.clip(rates, 0, 1) if found is None else (found.point.recall[0], found.point.false_alarms[0])
        caught, alarms = map(float, point)
        ups, downs = self.n_positives, int(np.count_nonzero(self.table.downs > 0))
        hits, false = round(caught * ups), round(alarms * downs)  # means over the deals of the folds
        if hypergeom.sf(hits - 1, ups + downs, ups, hits + false) <= ndtr(-_CLEARLY[is_small(self.table)]):
            return choice, found, ""
        return (
            choice,
            found,
            (
                f"On held-out rows the boxes may be no better than chance: they hold {caught:.0%} of the positives and "
                f"{alarms:.0%} of the others. Do not rely on them; more rows or other features may help."
            ),
        )

    def draw(self, grid: Grid, choice: Choice, smooth: bool, aim: Aim | None = None, ranks: bool = True) -> Found:
        """Draw with all rows for the chosen cost, at every size, and if it ``ranks`` rows at other costs."""
        share = None if aim is None else aim.share
        votes = None if self._held_out is None or share is not None else self._held_out.votes[choice.place]
        masks = self._masks(self.table, self._axes)
        board = Board(self.table, self._axes, votes, TRUST, masks, grid.max_limits, grid.base_rate)
        path = draw_path(board, grid.around(choice) if share is None else grid, self._efforts, choice)
        if aim is not None and share is not None:
            place, cut = best_within(board, [path[at.place] for at in aim.choices], share)
            choice = aim.choices[place]
            path[choice.place] = cut
        ratio, drawing = grid.ratios[choice.ratio], path[choice.place]
        whole = self._few is self._data and self._table is None
        softness = _SOFTNESS * np.sqrt(self._data.positive_weight) if smooth and whole else 0.0
        price = grid.limits[choice.limit] / 2 * self._data.positive_weight
        boxes = self._boxes(drawing, self._data, (ratio, price), softness, share is not None, self._table)
        by_cost, ranking = self._rank(drawing, grid, choice) if ranks else ([], Ranking([], np.ones(0)))
        return Found(
            boxes,
            self._frontier(path, grid, choice, boxes, softness, aim),
            by_cost,
            ranking,
            self._order,
            bool(len(boxes)) and not boxes.limited.any(axis=1).all(),
            choice.ratio,
            self._risk(boxes, drawing, by_cost, grid, choice, aim),
        )

    def revise(
        self,
        old: BoxSet,
        data: Training,
        grid: Grid,
        choice: Choice,
        asked: Constraints,
        most: int,
        splits: Sequence[tuple[IntArray, IntArray]],
    ) -> tuple[list[Revision], int, list[str]]:
        """Change old boxes on some rows as little as pays, at the costs of a setting.

        Return each revision, which to take, and which constraints its boxes still break.
        """
        encoding = self._encoding
        costs = grid.costs(grid.ratios[choice.ratio], grid.limits[choice.limit])
        columns = encoding.columns(data.X, range(len(encoding.categories)))
        columns = {j: col if encoding.categories[j] else np.asarray(col, np.float64) for j, col in columns.items()}
        mass, rows = on_grid(data.weights), Rows.of(columns, data, costs.ratio)
        old = aligned(old, encoding, rows.whole)

        def breaches(boxes: BoxSet, part: IntArray) -> list[Breach]:
            found = list(asked.breaches(boxes))
            if asked.of_rows and len(boxes):
                own = asked.scaled(float(mass[part].sum() / mass.sum()))
                member = Rows.of(columns, data, costs.ratio, part).held(boxes).astype(np.float64)
                found += own.breaches_on(*(member @ (mass[part] * side) for side in (1, data.positive[part])))
            return found

        def faults(boxes: BoxSet, part: IntArray) -> Counter[str]:
            texts = rule_texts(boxes)
            return Counter("" if one.box is None else texts[one.box - 1] for one in breaches(boxes, part))

        def path(part: IntArray) -> list[list[Step]]:
            rows = Rows.of(columns, data, costs.ratio, part, asked.cuts)

            def new_box(free: BoolArray, n: int) -> BoxSet:
                return self._one_box(data.take(part[free]), data.take(part), costs, n)

            return revise(old, rows, costs, most, new_box, partial(faults, part=part))

        everything = np.arange(len(data.X))
        gains = held_out_gains(old, rows, splits, path) if splits else None
        whole = partial(faults, part=everything)
        found, taken = revisions(old, rows, data.weights, path(everything), gains, whole)
        return found, taken, [breach.text for breach in breaches(found[taken].boxes, everything)]

    def _one_box(self, few: Training, whole: Training, costs: Costs, most: int) -> BoxSet:
        """Return the best box on a few rows of a whole part, at the costs of that part."""
        table = put_on_levels(few, self._encoding, NUMBERS, self._constraints.cuts)
        axes = make_axes(table)
        fewer = whole.positive_weight / few.positive_weight  # costs are shares of the positives
        ratio = costs.ratio * fewer * few.negative_weight / whole.negative_weight
        own = Costs(ratio, costs.box * fewer, costs.limit * fewer, min(most, costs.max_limits))
        share = self._constraints.least_share(self._data) * float(whole.weights.sum() / few.weights.sum())
        board = Board(table, axes, masks=self._masks(table, axes, share=share), max_limits=own.max_limits)
        drawing = board.blank(1)
        board.improve(drawing, own, self._efforts.folds)
        order, X = order_of(table, axes), few.X
        limits = limits_of(drawing, table, axes, X.shape[1])
        return self._encoding.boxes(*self._read(order.apply(X), *limits), order)

    def _risk(
        self,
        boxes: BoxSet,
        drawing: Drawing,
        by_cost: list[tuple[float, BoxSet]],
        grid: Grid,
        choice: Choice,
        aim: Aim | None,
    ) -> RiskTable | None:
        """Return the risk in the drawings from the highest cost to the lowest, by those of the folds for the same."""
        if self._held_out is None:
            return None
        costs = grid.costs(grid.ratios[choice.ratio], grid.limits[choice.limit])
        least = self._constraints.least_ratio(self._data)
        tighter = sum(ratio > costs.ratio for ratio in RATIOS)

        def levels(drawings: list[Any], chosen: Any) -> list[Any]:
            return [*drawings[::-1][:tighter], chosen, *drawings[::-1][tighter:]]

        def first(board: Board, drawings: list[Drawing]) -> IntArray:
            held = [board.held(drawing) for drawing in drawings]
            return np.argmax([*held, np.ones(len(board.ups), dtype=np.bool_)], axis=0)

        folds, times = [], 1.0 if self._given is None else self._given[1]
        for fold, split in zip(self._held_out.folds, self._counted, strict=False):
            start = fold.path[choice.place]
            if aim is not None and aim.share is not None:
                start = best_within(fold.board, [fold.path[at.place] for at in aim.choices], aim.share)[1]
            drawings = levels(draw_costs(fold.board, start, costs, CLIMB, least), start)
            own, new = (-first(board, drawings) for board in (fold.board, fold.judge))
            train, test = split.train, split.test
            # A distinct row may be of both classes.
            ranks, masses = np.concatenate([new, new]), np.concatenate([test.ups, test.downs]) / times
            positive = np.arange(len(masses)) < len(new)
            folds.append(FoldRows(own, train.ups + train.downs, ranks, masses, positive))
        union, of, region = ladder(levels([drawn for _, drawn in by_cost], boxes))
        table = self.table
        places = region[first(self._last_board, levels(self._last_drawings, drawing))]
        counts = spread(places, table.ups + table.downs, len(of), folds)
        return held_out_risk(of, counts, union, times=times, base_rate=self._base_rate, each=table.stand_for)

    def _boxes(
        self,
        drawing: Drawing,
        data: Training,
        costs: tuple[float, float],
        softness: float,
        stays: bool = False,
        table: Table | None = None,
    ) -> BoxSet:
        """Place the limits of a drawing on the rows, or leave them where they were if else boxes break constraints.

        The costs are those of a false alarm, in balances, and of a limit. A drawing that ``stays`` keeps its limits
        between the levels: it flags as much as it should. Of a large ``table``, the rows are a sample.
        """
        boxes, n_kept = self._placed(drawing, data, costs, softness, stays, table)
        if n_kept < np.count_nonzero(drawing.used) and not stays:
            others, n_others = self._placed(drawing, data, costs, softness, True, table)
            return others if n_others > n_kept else boxes
        return boxes

    def _placed(
        self,
        drawing: Drawing,
        data: Training,
        costs: tuple[float, float],
        softness: float,
        stays: bool,
        table: Table | None,
    ) -> tuple[BoxSet, int]:
        """Place the limits of a drawing, round them, and translate them; return how many boxes keep the constraints."""
        limits = self._limits(drawing)
        if not len(limits[0]):
            return self._encoding.boxes(*limits, self._order), 0
        X, mass, (ratio, price) = self._order.apply(data.X), on_grid(data.weights), costs
        weight = np.where(data.positive, mass, on_grid(data.weights * (ratio * data.balance)) * -1)
        placing = Placing(X, weight, *limits)
        if not stays:
            placing.move_limits(self._cuts, softness)
        sets = {} if stays else placing.choose_sets(self._order.places, data.X, price)
        if sets:  # among the rows of other sets, other limits are best
            placing.move_limits(self._cuts, softness)
        if table is not None:
            costs = ratio * data.balance, price
            read, sets, found = self._swept(table, limits, sets, None if stays else data.X, costs)
        else:
            placing.leave_out_missing(self._with_missing, X)
            kept_out = placing.kept_out(self._constraints.fixed) if sets else None
            read = self._read(X, *limits, kept_out=kept_out, ranges=data.ranges)
            found = Patterns.of(placing.inside(), data.positive, mass)
        limits, held = read if self._round else limits, found.held()
        boxes = self._encoding.boxes(*limits, self._order)
        if len(boxes) < len(held):
            boxes = self._kept(limits, read, held)
            return boxes, len(boxes)
        boxes, kept = self._with_sets(boxes, sets), list(range(len(held)))
        if self._constraints.asked.any:
            shown = self._with_sets(self._encoding.boxes(*read, self._order), sets)
            kept = self._constraints.kept(shown, held)
        # What catches most is read first. What catches nothing more was drawn for rows that folds took for positives.
        return boxes[found.needed(kept)], len(kept)

    def _swept(
        self,
        table: Table,
        limits: Limits,
        sets: dict[tuple[int, int], IntArray],
        values: Matrix | None,
        costs: tuple[float, float],
    ) -> tuple[Limits, dict[tuple[int, int], IntArray], Patterns]:
        """Place limits, in place, on all rows of a table, from ``values`` of a sample on; None: they stay."""
        sweep = Sweep(table, placed_at(limits, self._order, sets), *costs)
        if values is None:
            sweep.look()
        else:
            sweep.move(first_places(sweep.placed, values, self._cuts, WINDOW))
        sweep.write(limits, self._with_missing)
        read, placed, fixed = limits, sweep.placed, self._constraints.fixed
        if self._rounds:
            kept_out = KeptOut(placed, fixed[placed.columns])
            read = round_on_table(table, *limits, fixed, placed.columns, kept_out, self._constraints.two_sided)
        return read, sweep.sets(limits, self._order), sweep.seen.patterns

    def _kept(self, limits: Limits, read: Limits, held: FloatArray) -> BoxSet:
        """Return the boxes that keep the constraints, given what they hold; without those that nothing can be in."""
        boxes = self._encoding.boxes(*limits, self._order)
        if not self._constraints.asked.any:
            return boxes
        pairs = zip(limits[0][:, None], limits[1][:, None], strict=True)
        there = [bool(len(self._encoding.boxes(low, high, self._order))) for low, high in pairs]
        return boxes[self._constraints.kept(self._encoding.boxes(*read, self._order), held[there])]

    @property
    def _rounds(self) -> bool:
        """Whether limits are rounded as far as the constraints allow, if only to count them: an equality is one."""
        return self._round or self._constraints.asked.max_limits is not None

    def _read(self, X: Matrix, lower: FloatArray, upper: FloatArray, **known: Any) -> Limits:
        """Round limits on rows in memory."""
        if not self._rounds:
            return lower, upper
        known["two_sided"] = self._constraints.two_sided
        return round_on_rows(X, lower, upper, self._constraints.fixed, self._n_jobs, **known)

    def _with_sets(self, boxes: BoxSet, sets: dict[tuple[int, int], Any]) -> BoxSet:
        feature = {column: j for j, (column, _, _) in enumerate(self._encoding.layout())}
        for (k, column), codes in sets.items():
            j = feature[column]
            values = boxes.categories[j] or ()
            inside = frozenset(values[code] for code in codes if code < len(values))
            boxes = boxes.replace(k, boxes.feature_names[j], categories=inside, missing=len(values) in codes)
        return boxes

    def _limits(self, drawing: Drawing) -> Limits:
        return limits_of(drawing, self.table, self._axes, self._data.X.shape[1])

    def _frontier(
        self,
        path: dict[tuple[int, int, int], Drawing],
        grid: Grid,
        choice: Choice,
        boxes: BoxSet,
        softness: float,
        aim: Aim | None,
    ) -> Frontier:
        """Return the drawings for the chosen cost by their number of limits; the chosen one is the model's."""
        asked = self._constraints.asked
        rows = self._data if asked.of_rows else self._few  # a sample does not tell what a box holds
        points, seen = [], set()
        for _, g, q in [at for at in path if at[0] == choice.ratio]:
            drawing = path[choice.ratio, g, q]
            key = b"".join(part[drawing.used].tobytes() for part in (drawing.lo, drawing.hi))
            if drawing.used.any() and key not in seen:
                seen.add(key)
                price = grid.limits[q] / 2 * rows.positive_weight
                drawn = self._boxes(drawing, rows, (grid.ratios[choice.ratio], price), softness)
                if len(drawn) or not asked.of_rows:
                    points.append(self._point(drawn, grid, Choice(choice.ratio, g, q)))
        chosen = self._point(boxes, grid, choice)
        if aim is not None and aim.share is not None:  # the folds' drawings were cut down, too
            recall, alarms = float(aim.point.recall[0]), float(aim.point.false_alarms[0])
            score = recall - grid.ratios[choice.ratio] * alarms
            chosen = replace(chosen, score=score, recall=recall, false_alarm_rate=alarms)
        return make_frontier(points, chosen) if len(boxes) else Frontier([], 0)

    def _point(self, boxes: BoxSet, grid: Grid, at: Choice) -> FrontierPoint:
        score = error = recall = alarms = float("nan")
        if self._held_out is not None:
            place = (slice(None), *at.place)
            gain = self._held_out.gain(grid)[place]
            score, error = float(gain.mean()), float(standard_error(gain))
            recall, alarms = (float(self._held_out.rates[:, side][place].mean()) for side in (0, 1))
        return FrontierPoint(boxes.n_limits, len(boxes), score, error, recall, alarms, boxes)

    def _rank(self, drawing: Drawing, grid: Grid, choice: Choice) -> tuple[list[tuple[float, BoxSet]], Ranking]:
        """Draw for nine costs: on all rows at the chosen price, and on parts of them at a low one."""
        costs = grid.costs(grid.ratios[choice.ratio], grid.limits[choice.limit])
        cheap = grid.costs(costs.ratio, min(costs.limit, LOW_PRICE))
        limits = self._limits_by_cost(self.table, drawing, costs, self._constraints.least_ratio(self._data))
        path = [(cost * self._data.balance, boxes) for cost, boxes in zip(RATIOS, self._path(limits), strict=True)]
        for part in self.table.parts(PARTS):
            limits += self._limits_by_cost(part, drawing, cheap)
        X: Matrix = self._order.apply(self._few.X)
        return path, Ranking(limits, spreads(X, on_grid(self._few.weights)))

    def _limits_by_cost(
        self, table: LevelTable, start: Drawing, costs: Costs, least_ratio: float | None = None
    ) -> list[Limits]:
        """Draw for each cost, from the least on; None: boxes that only rank rows may hold any rows."""
        masks = self._masks(table, self._axes, **{} if least_ratio is not None else {"share": None})
        board = Board(table, self._axes, masks=masks)
        drawings = draw_costs(board, start, costs, self._efforts.rank, least_ratio or 0)
        if table is self.table:
            self._last_board, self._last_drawings = board, drawings
        return [self._limits(drawing) for drawing in drawings]

    def _path(self, limits: Sequence[Limits]) -> list[BoxSet]:
        """Round the limits of several drawings in one pass over the rows, and leave out what breaks constraints."""
        ends = np.cumsum([len(lower) for lower, _ in limits])[:-1]
        lower, upper = (np.concatenate(side) for side in zip(*limits, strict=True))
        read = self._read(self._order.apply(self._few.X), lower, upper)
        lower, upper = read if self._round else (lower, upper)
        asked = self._constraints.asked
        data = self._data if asked.of_rows else self._few
        held = np.zeros((len(lower), 2))
        if asked.any and len(lower):
            inside = Placing(self._order.apply(data.X), data.weights, lower, upper).inside()
            held = Patterns.of(inside, data.positive, on_grid(data.weights)).held()
        return [
            self._kept((lower[part], upper[part]), (read[0][part], read[1][part]), held[part])
            for part in itertools.starmap(slice, itertools.pairwise([0, *ends.tolist(), len(lower)]))
        ]
