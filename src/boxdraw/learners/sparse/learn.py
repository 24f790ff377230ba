"""Inner folds: one path of drawings for all settings, and the choice among them on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.engine.climb import Masks
from boxdraw.learners.engine.draw import Drawing, Effort
from boxdraw.learners.engine.levels import Axis, LevelTable, make_axes
from boxdraw.learners.goals import Goal, KeptGoal, OperatingPoints, pick
from boxdraw.learners.sparse.budget import best_within
from boxdraw.learners.sparse.drawings import Board, Costs, resized

BOX_LIMITS = 2.0  # what a box costs, in limits
SMALL, NARROW = 2_500, 50  # distinct rows, and features; beyond, there is less effort
ROOM = 1.2  # rounds instead of one that leave time for a second deal of folds
WORK, LEVELS = 200_000, 2_000  # rows looked at in a round, of each feature; what its levels take, in rows
SHORTER, TIGHTER = 0.25, 0.5  # standard errors that may be given up for a shorter drawing, for fewer false alarms
CLUSTERED = 1.0  # standard errors that a drawing from clusters must be better by: it is a long one
TRUST = 0.25  # in what the drawings of the folds say of rows they have not seen, beside the labels
CLIMB = Effort(0, 1, 0)


@dataclass(frozen=True, slots=True)
class Efforts:
    """How long to search at each stage."""

    folds: Effort
    next_cost: Effort  # which starts from the drawing for a lower cost
    last: Effort
    rank: Effort

    @classmethod
    def for_table(cls, table: LevelTable) -> Efforts:
        """Return the effort for a table."""
        if is_small(table):
            return cls(Effort(24, 9, 0), Effort(9, 4, 0), Effort(100, 40, 0), Effort(24, 9, 0))
        times = min(2.0, room(table))
        rounds = (16, 6), (8, 3), (60, 25), (6, 2)
        return cls(*(Effort(math.ceil(times * most), math.ceil(times * patience), 0) for most, patience in rounds))


def room(table: LevelTable) -> float:
    """Return how many rounds of this table take as long as one of a large table."""
    n_features, n_rows = table.codes.shape
    return WORK / (n_features * (n_rows + LEVELS))


def is_small(table: LevelTable) -> bool:
    """Return True for tables that get the most deals of folds and the longest search."""
    return len(table.ups) <= SMALL and len(table.codes) <= NARROW


def n_deals(table: LevelTable, costs: bool) -> int:
    """Return how often folds are dealt; ``costs``: if the cost of a false alarm is open too."""
    if is_small(table):
        return 3 if costs else 5
    return 2 if room(table) > ROOM else 1


@dataclass(frozen=True, slots=True)
class Grid:
    """The settings among which the folds choose."""

    ratios: tuple[float, ...]  # costs of false alarms relative to the balance, rising
    n_boxes: tuple[int, ...]  # rising
    limits: tuple[float, ...]  # prices of a limit in shares of the positives, falling
    first: int  # the first of the usual prices; those before are chosen only if they are best
    box: float | None  # price of a box; None: `BOX_LIMITS` limits
    max_limits: int
    even: float = 1.0  # the cost in balance with all rows, of which existing rules may have taken some
    base_rate: float | None = None  # of positives where alarms are counted, if another than here

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many settings there are along each axis."""
        return len(self.ratios), len(self.n_boxes), len(self.limits)

    def costs(self, ratio: float, limit: float) -> Costs:
        """Return the costs of a setting."""
        return Costs(ratio, BOX_LIMITS * limit if self.box is None else self.box, limit, self.max_limits)

    def around(self, choice: Choice) -> Grid:
        """Return the settings with false alarms of at most the chosen cost, and of the next."""
        return replace(self, ratios=self.ratios[: choice.ratio + 2])


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting, by its places in the grid."""

    ratio: int
    n_boxes: int
    limit: int

    @property
    def place(self) -> tuple[int, int, int]:
        """Where the setting is in arrays of the grid's shape."""
        return self.ratio, self.n_boxes, self.limit


Path = dict[tuple[int, int, int], Drawing]
MakeMasks = Callable[[LevelTable, Sequence[Axis]], Masks | None]  # which boxes may be drawn


def draw_path(board: Board, grid: Grid, efforts: Efforts, chosen: Choice | None = None) -> Path:
    """Draw for each setting, from the best drawing of the settings beside it; longest for the chosen cost, if any."""
    path: Path = {}
    clusters = _climbed_clusters(board, grid)
    for r, g, q in np.ndindex(grid.shape):
        fewer = path.get((r, g - 1, q))
        longest = g == grid.shape[1] - 1 and q == grid.shape[2] - 1
        if fewer is not None and not fewer.used.all() and not longest:
            path[r, g, q] = resized(fewer, grid.n_boxes[g])  # with a box to spare, more have more to spare
            continue
        costs = grid.costs(grid.ratios[r], grid.limits[q])
        beside = [path[at] for at in ((r, g - 1, q), (r, g, q - 1), (r - 1, g, q)) if min(at) >= 0]
        if longest:
            beside += clusters[r]
        start = max(beside, key=lambda drawing: board.value(drawing, costs), default=board.blank(grid.n_boxes[g]))
        path[r, g, q] = resized(start, grid.n_boxes[g])
        effort = efforts.next_cost if r > 0 else efforts.folds
        if chosen is not None and r == chosen.ratio:
            effort = efforts.last
        board.improve(path[r, g, q], costs, effort._replace(seed=1000 * r + 131 * g + q))
    _go_back(board, grid, path)
    return path


def _go_back(board: Board, grid: Grid, path: Path) -> None:
    """Take the drawing for the next cost of false alarms where it is better: two boxes hide behind a wide one."""
    for r, g, q in reversed(list(path)):
        if r + 1 < grid.shape[0]:
            costs, next_one = grid.costs(grid.ratios[r], grid.limits[q]), path[r + 1, g, q]
            if board.value(next_one, costs) > board.value(path[r, g, q], costs):
                path[r, g, q] = resized(next_one, grid.n_boxes[g])
                board.improve(path[r, g, q], costs, CLIMB)


def _climbed_clusters(board: Board, grid: Grid) -> list[list[Drawing]]:
    """Return drawings from the clusters of the positives for each cost, from the tight ones of the highest on down.

    One move after the other, it is a long way from anywhere else to these.
    """
    drawings = [drawing for drawing in board.clusters if len(drawing.used) <= grid.n_boxes[-1]]
    by_ratio = []
    for ratio in reversed(grid.ratios):
        drawings = [resized(drawing, 0) for drawing in drawings]
        for drawing in drawings:
            board.improve(drawing, grid.costs(ratio, grid.limits[-1]), CLIMB)
        by_ratio.append(drawings)
    return by_ratio[::-1]


@dataclass(frozen=True, slots=True)
class FoldPath:
    """The drawings of a fold, and its rows."""

    path: Path
    board: Board
    judge: Board  # with the rows that are held out

    def rates(self, drawings: Iterable[Drawing]) -> tuple[FloatArray, BoolArray]:
        """Return the shares of the held-out positives and negatives in drawings, and which rows these are."""
        held = np.array([self.judge.held(drawing) for drawing in drawings])
        return np.stack([held @ self.judge.ups, held @ self.judge.downs]), held


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the drawings of the folds say of the rows that these hold out."""

    rates: FloatArray  # (folds, 2, ratios, boxes, prices): shares of positives and of negatives in the drawing
    votes: FloatArray  # (ratios, boxes, prices, rows): share of the drawings that hold a row
    folds: list[FoldPath]

    def gain(self, grid: Grid) -> FloatArray:
        """Return recall less the cost of false alarms: (folds, ratios, boxes, prices)."""
        return self.rates[:, 0] - np.array(grid.ratios)[:, None, None] * self.rates[:, 1]


@dataclass(frozen=True, slots=True)
class Split:
    """A fold: rows to draw on, and rows to look at."""

    train: LevelTable
    test: LevelTable
    rows: IntArray  # which rows of the whole table the test rows are


def first_deal(splits: Sequence[Split]) -> list[Split]:
    """Return the folds up to the first that tests a row again."""
    seen: set[int] = set()
    folds = []
    for split in splits:
        if not seen.isdisjoint(split.rows.tolist()):
            break
        seen.update(split.rows.tolist())
        folds.append(split)
    return folds


def hold_out(
    table: LevelTable,
    splits: Sequence[Split],
    grid: Grid,
    n_jobs: int | None = None,
    tell: Callable[[int, int], None] = lambda done, of: None,
    masks: MakeMasks = lambda table, axes: None,
) -> HeldOut:
    """Draw on the training rows of each fold, and look at the others."""
    efforts, n_rows = Efforts.for_table(table), len(table.ups)

    def work(split: Split) -> tuple[FoldPath, FloatArray, BoolArray]:
        axes = make_axes(split.train)
        board = Board(
            split.train, axes, masks=masks(split.train, axes), max_limits=grid.max_limits, base_rate=grid.base_rate
        )
        fold = FoldPath(draw_path(board, grid, efforts), board, Board(split.test, axes))
        return fold, *fold.rates(fold.path.values())

    rates, votes, times, folds = [], np.zeros((*grid.shape, n_rows)), np.zeros(n_rows), []
    for done, (fold, found, held) in enumerate(threaded_map(work, list(splits), n_jobs), start=1):
        rates.append(found.reshape(2, *grid.shape))
        rows = splits[done - 1].rows
        votes[..., rows] += held.reshape(*grid.shape, -1)
        folds.append(fold)
        times[rows] += 1
        tell(done, len(splits))
    votes /= np.maximum(times, 1)
    unseen = times == 0  # no fold held these out: their labels speak for them
    mass = table.ups + table.downs  # 0 where it is lost beside that of other rows
    votes[..., unseen] = np.divide(table.ups, mass, out=np.zeros(n_rows), where=mass > 0)[unseen]
    return HeldOut(np.stack(rates), votes, folds)


@dataclass(frozen=True, slots=True)
class Aim:
    """What held-out rows promise of a goal and, of the most alarms, how to keep to it."""

    kept: KeptGoal
    point: OperatingPoints  # what is flagged of the held-out rows
    share: float | None = None  # of the training rows that may be flagged
    choices: Sequence[Choice] = ()  # of whose drawings the best one is cut down to it


def choose(held_out: HeldOut, grid: Grid, clustered: bool) -> list[Choice]:
    """Choose the setting of the best held-out gain for each cost."""
    gain = held_out.gain(grid)
    return [_choose_at(gain[:, r], r, grid.first, clustered) for r in range(len(grid.ratios))]


def choose_cost(held_out: HeldOut, choices: Sequence[Choice], even: float = 1.0) -> Choice:
    """Choose the cost of the best balanced accuracy, of nearly equal ones the highest."""
    rates = _rates_at(held_out, choices)
    balanced = rates[:, 0] - even * rates[:, 1]
    mean, error = balanced.mean(axis=0), standard_error(balanced)
    best = int(mean.argmax())
    return choices[int(np.flatnonzero(mean >= mean[best] - TIGHTER * error[best])[-1])]


def choose_aim(held_out: HeldOut, choices: Sequence[Choice], goal: Goal, tested: LevelTable) -> tuple[Choice, Aim]:
    """Choose the best cost that keeps a goal; of the most alarms, the share of training rows that does."""
    if goal.is_most:
        rates = np.stack([_rates_within(fold, choices, goal.shares) for fold in held_out.folds])
    else:
        rates = _rates_at(held_out, choices)
    points = _points(rates, tested)
    at, kept = pick(goal, points)
    reached = points.at(points.recall[at], points.false_alarms[at])
    return (
        (choices[0], Aim(kept, reached, goal.shares[at], choices))
        if goal.is_most
        else (choices[at], Aim(kept, reached))
    )


def _rates_at(held_out: HeldOut, choices: Sequence[Choice]) -> FloatArray:
    """Return the shares of positives and negatives in the drawings of some settings: (folds, 2, settings)."""
    return np.stack([held_out.rates[(slice(None), slice(None), *choice.place)] for choice in choices], axis=2)


def _rates_within(fold: FoldPath, choices: Sequence[Choice], shares: Sequence[float]) -> FloatArray:
    drawings = [fold.path[choice.place] for choice in choices]
    return fold.rates(best_within(fold.board, drawings, share)[1] for share in shares)[0]


def _points(rates: FloatArray, table: LevelTable) -> OperatingPoints:
    ups, downs = float(table.ups.sum()), float(table.downs.sum())
    counts = ups / table.stand_for[0], downs / table.stand_for[1]
    recall, false_alarms = np.clip(rates.mean(axis=0), 0, 1)
    return OperatingPoints(recall, false_alarms, ups / (ups + downs), counts)


def _choose_at(gain: FloatArray, r: int, first: int, clustered: bool) -> Choice:
    """Choose boxes and price: within a little of the best, the highest price, then the fewest boxes.

    Prices before the first are chosen only if no other is better, and so is the last setting if it is from clusters.
    """
    mean, error = gain.mean(axis=0), standard_error(gain)
    if clustered and mean.size > 1 and not _clusters_pay(gain.reshape(len(gain), -1)):
        mean[-1, -1] = -np.inf
    best = np.unravel_index(mean.argmax(), mean.shape)
    good = mean >= mean[best] - SHORTER * error[best] * (np.arange(mean.shape[1]) >= first)
    limit = int(np.flatnonzero(good.any(axis=0))[0])
    return Choice(r, int(np.flatnonzero(good[:, limit])[0]), limit)


def _clusters_pay(gain: FloatArray) -> bool:
    """Return True if the last setting, which starts from clusters, is clearly better than all others."""
    more = gain[:, -1] - gain[:, gain[:, :-1].mean(axis=0).argmax()]
    return bool(more.mean() > CLUSTERED * standard_error(more))


def standard_error(figures: FloatArray) -> FloatArray:
    """Return the standard error of the mean over folds."""
    return np.asarray(figures.std(axis=0) / np.sqrt(len(figures)))
