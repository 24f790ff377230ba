"""Inner folds: how many limits a box has, how much caution about boxes of few rows, which signs, how many boxes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray, Matrix
from boxdraw._core.progress import Progress
from boxdraw._core.sums import on_grid
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.doubts import ranks_by_chance
from boxdraw.learners.folds import Split, auc, chance_level, inner_splits, n_repeats, ranking
from boxdraw.learners.frontier import CardPoint
from boxdraw.learners.goals import goal_of
from boxdraw.learners.scored.learn import Card, Drawn, Ready, card_of, draw, make_ready
from boxdraw.learners.scored.settings import PLAIN, SIZES, Setting, Shape, usual
from boxdraw.model.risk import RiskTable
from boxdraw.model.scorecard import Scorecard
from boxdraw.tables.order import Order
from boxdraw.tables.training import Training

_PLAIN_SIZE = 8  # boxes, without inner folds
_REPEATS, _MANY = 4, 2_500  # of the folds, where cv is their number; of more rows, fewer folds say as much
NOTHING = 0.001  # of AUC or average precision: who loses no more has lost nothing


@dataclass(frozen=True, slots=True)
class FoldCards:
    """The cards of a fold by size, and its rows."""

    train: IntArray
    test: IntArray
    order: Order
    cards: list[Card]
    auc: FloatArray  # on the test rows
    average_precision: FloatArray

    def sums(self, data: Training, number: int) -> tuple[IntArray, IntArray]:
        """Return the points of the training and of the test rows, by the card of a size."""
        card = self.cards[number]
        own, new = (card.sums(self.order.apply(data.X[rows])) for rows in (self.train, self.test))
        return own, new


@dataclass(frozen=True, slots=True)
class Fold:
    """A fold with the boxes of each setting: a run of boosting is the same for all sizes."""

    split: Split
    ready: Ready
    test: Training
    X: Matrix  # of the test rows
    runs: list[Drawn]
    longest: list[Card]  # of each run

    def auc(self) -> list[float]:
        """Return how the longest cards rank the test rows."""
        weight = on_grid(self.test.weights)
        return [auc(self.test.positive, card.graded(self.X), weight) for card in self.longest]

    def cards(self, number: int, sizes: list[int]) -> FoldCards:
        """Return the cards of a setting by their most boxes, and how they rank."""
        run, weight = self.runs[number], on_grid(self.test.weights)
        places = [min(size, len(run)) for size in sizes]
        known = {n: card_of(self.ready, run, n) if n < len(run) else self.longest[number] for n in set(places)}
        ranks = {n: ranking(self.test.positive, card.graded(self.X), weight) for n, card in known.items()}
        scores = np.array([ranks[n] for n in places]).T
        return FoldCards(*self.split, self.ready.order, [known[n] for n in places], *scores)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the inner folds say."""

    setting: Setting
    sizes: list[int]  # that there are cards of
    at: int  # which of these is in use
    folds: list[FoldCards] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)  # the AUC of each setting
    doubt: str = ""  # a warning if they rank by chance

    def point(self, number: int, card: Scorecard, risk: RiskTable | None) -> CardPoint:
        """Return the card of a size with what it promises on held-out rows; NaN without any."""
        auc = np.array([fold.auc[number] for fold in self.folds] or [np.nan])
        precision = np.array([fold.average_precision[number] for fold in self.folds] or [np.nan])
        n_folds = len(auc) / n_repeats([fold.test for fold in self.folds]) if len(auc) > 1 else np.nan
        error = float(auc.std(ddof=1) / np.sqrt(n_folds)) if len(auc) > 1 else np.nan
        size = self.sizes[number]
        return CardPoint(size, len(card), card.n_limits, float(auc.mean()), error, float(precision.mean()), card, risk)


def choose(model: Any, data: Training, settings: list[Setting], shape: Shape) -> Chosen:
    """Choose the setting and the size of an estimator's card by inner folds, if there are several of them."""
    any_size = model.max_boxes == "auto"
    repeats = _REPEATS if len(settings) > 1 or any_size else 1
    if any_size and len(data.X) > _MANY and goal_of(model) is None:
        repeats = 1
    splits = []
    if model.cv is not None:
        splits = inner_splits(data, model._labels(data.positive), model.cv, model.random_state, repeats)
    if not splits:
        setting = PLAIN if PLAIN in settings else settings[0]
        return Chosen(setting, [_PLAIN_SIZE if any_size else shape.max_boxes], 0)
    folds = learn_folds(data, splits, settings, shape, model.n_jobs, model.verbose)
    tests = [fold.split[1] for fold in folds]
    n_folds, scores = len(folds) / n_repeats(tests), np.array([fold.auc() for fold in folds])
    number = clearly_best(scores, usual(settings), n_folds, 1 if any_size else 2)
    names = ("max_limits", "lam", "signed_points")
    results = {
        "params": [dict(zip(names, (s.max_limits, s.lam, s.signed), strict=True)) for s in settings],
        "mean_test_score": scores.mean(axis=0),
        **{f"split{number}_test_score": row for number, row in enumerate(scores)},
    }
    sizes = list(SIZES) if any_size else [shape.max_boxes]
    cards = list(threaded_map(lambda fold: fold.cards(number, sizes), folds, model.n_jobs))
    at = few_enough(cards, n_folds)
    reached = float(np.mean([fold.auc[at] for fold in cards]))
    doubt = ranks_by_chance(reached, chance_level(data.positive, tests), "scorecard")
    return Chosen(settings[number], sizes, at, cards, results, doubt)


def learn_folds(
    data: Training,
    splits: list[Split],
    settings: list[Setting],
    shape: Shape,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[Fold]:
    """Draw boxes for the training rows of each fold."""
    progress = Progress("Scored Boxes", verbose)

    def work(split: Split) -> Fold:
        train, test = data.take(split[0]), data.take(split[1])
        ready = make_ready(train, shape)
        own = replace(shape, constraints=scaled(shape, train, data))
        runs = [draw(ready, each, own) for each in settings]
        return Fold(
            split, ready, test, ready.order.apply(test.X), runs, [card_of(ready, run, len(run)) for run in runs]
        )

    folds = []
    for done, fold in enumerate(threaded_map(work, splits, n_jobs), start=1):
        folds.append(fold)
        progress.share(done, len(splits))
    return folds


def scaled(shape: Shape, part: Training, data: Training) -> ColumnConstraints | None:
    """Return the constraints for a part of the rows: it has fewer of them for a box to hold."""
    share = part.weights.sum() / data.weights.sum()
    return None if shape.constraints is None else shape.constraints.scaled(float(share))


def clearly_best(scores: FloatArray, usual: int, n_folds: float, errors: float) -> int:
    """Return the setting to take: the usual one unless another is better by so many standard errors of ``n_folds``."""
    if len(scores) < 2:
        return int(scores[0].argmax())
    rise = scores - scores[:, [usual]]
    surplus = rise.mean(axis=0) - errors * rise.std(axis=0, ddof=1) / np.sqrt(n_folds)
    best = int(surplus.argmax())
    return best if surplus[best] > 0 else usual


def few_enough(folds: list[FoldCards], n_folds: float) -> int:
    """Return the first size that ranks no worse than the last one, be it by one standard error of ``n_folds``."""
    # The best size on the folds would be too small: sizes differ by less than chance, and the whole table can afford
    # more boxes than the part of it in a fold. So fewer boxes have to show that they lose nothing, at the top of the
    # list, which average precision looks at, or below.
    scores = np.array([[fold.auc, fold.average_precision] for fold in folds])
    loss = scores[..., [-1]] - scores
    error = loss.std(axis=0, ddof=1) / np.sqrt(n_folds) if len(loss) > 1 else 0.0
    enough = (loss.mean(axis=0) + error <= NOTHING).all(axis=0)
    return int(np.argmax(enough))  # the last one loses nothing against itself
