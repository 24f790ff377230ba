"""Inner folds: how many limits, and how much caution about boxes of few rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray
from boxdraw._core.progress import Progress
from boxdraw._core.sums import on_grid
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.folds import Split, auc, n_repeats
from boxdraw.learners.scored.learn import Card, learn, make_ready
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.tables.order import Order
from boxdraw.tables.training import Training

REPEATS = 4  # of the folds, where cv is their number


@dataclass(frozen=True, slots=True)
class FoldCards:
    """The cards of a fold, one per setting, and its rows."""

    train: IntArray
    test: IntArray
    order: Order
    cards: list[Card]
    auc: list[float]  # on the test rows

    def sums(self, data: Training, number: int) -> tuple[IntArray, IntArray]:
        """Return the points of the training and of the test rows, by the card of a setting."""
        card = self.cards[number]
        own, new = (card.sums(self.order.apply(data.X[rows])) for rows in (self.train, self.test))
        return own, new


def learn_folds(
    data: Training,
    splits: list[Split],
    settings: list[Setting],
    shape: Shape,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[FoldCards]:
    """Learn cards on the training rows of each fold, and rank the others."""
    progress = Progress("Scored Boxes", verbose)

    def work(split: Split) -> FoldCards:
        train, test = data.take(split[0]), data.take(split[1])
        ready = make_ready(train, shape.false_alarm_cost, constraints=shape.constraints)
        free = replace(shape, max_union=None, constraints=scaled(shape, train, data))
        X, weight = ready.order.apply(test.X), on_grid(test.weights)
        cards = [learn(ready, setting, free) for setting in settings]
        return FoldCards(*split, ready.order, cards, [auc(test.positive, card.graded(X), weight) for card in cards])

    folds = []
    for done, fold in enumerate(threaded_map(work, splits, n_jobs), start=1):
        folds.append(fold)
        progress.share(done, len(splits))
    return folds


def choose(folds: list[FoldCards], settings: list[Setting]) -> tuple[int, FloatArray]:
    """Return the place of the setting that ranks best, if any clearly does, and the AUC of all: (folds, settings)."""
    scores = np.array([fold.auc for fold in folds])
    repeats = n_repeats([fold.test for fold in folds])
    return clearly_best(scores, _usual(settings), len(folds) / repeats), scores


def scaled(shape: Shape, part: Training, data: Training) -> ColumnConstraints | None:
    """Return the constraints for a part of the rows: it has fewer of them for a box to hold."""
    share = part.weights.sum() / data.weights.sum()
    return None if shape.constraints is None else shape.constraints.scaled(float(share))


def _usual(settings: list[Setting]) -> int:
    """Return the place of the setting that does well nearly everywhere, or is as near to it as there is."""
    return min(range(len(settings)), key=lambda i: (settings[i].max_limits != 2, settings[i].lam != 4, i))


def clearly_best(scores: FloatArray, usual: int, n_folds: float) -> int:
    """Return the setting to take: the usual one unless another is better by two standard errors of ``n_folds``."""
    if len(scores) < 2:
        return int(scores[0].argmax())
    rise = scores - scores[:, [usual]]
    surplus = rise.mean(axis=0) - 2 * rise.std(axis=0, ddof=1) / np.sqrt(n_folds)
    best = int(surplus.argmax())
    return best if surplus[best] > 0 else usual
