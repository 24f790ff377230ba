"""Inner folds: how many limits, and how much caution about boxes of few rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boxdraw._core.arrays import FloatArray
from boxdraw._core.progress import Progress
from boxdraw._core.sums import on_grid
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.folds import Split, auc, n_repeats
from boxdraw.learners.scored.learn import learn, make_ready
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.tables.training import Training

REPEATS = 4  # of the folds, where cv is their number


def choose(
    data: Training,
    splits: list[Split],
    settings: list[Setting],
    shape: Shape,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> tuple[Setting, FloatArray]:
    """Return the setting that ranks held-out rows best, if any clearly does, and the AUC of all: (folds, settings)."""
    progress = Progress("Scored Boxes", verbose)

    def work(split: Split) -> list[float]:
        train, test = data.take(split[0]), data.take(split[1])
        ready = make_ready(train, shape.false_alarm_cost, constraints=shape.constraints)
        free = replace(shape, max_union=None, constraints=scaled(shape, train, data))
        X, weight = ready.order.apply(test.X), on_grid(test.weights)
        return [auc(test.positive, learn(ready, setting, free).graded(X), weight) for setting in settings]

    results = []
    for done, result in enumerate(threaded_map(work, splits, n_jobs), start=1):
        results.append(result)
        progress.share(done, len(splits))
    scores = np.array(results)
    return settings[clearly_best(scores, _usual(settings), len(splits) / n_repeats(splits))], scores


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
