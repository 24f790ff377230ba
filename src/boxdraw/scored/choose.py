"""Inner folds: how many limits, how much shrinkage, and from which odds on to flag."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.metrics import roc_auc_score

from boxdraw.arrays import FloatArray, IntArray, Matrix
from boxdraw.fast.tiles import threaded_map
from boxdraw.progress import Progress
from boxdraw.scored.bins import make_bins
from boxdraw.scored.learn import Card, learn, make_ready
from boxdraw.scored.settings import Setting, Shape
from boxdraw.sums import on_grid
from boxdraw.training import Training

REPEATS = 4  # of the folds, where cv is their number

Split = tuple[IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the inner folds say."""

    setting: Setting
    flag_from: float  # log-odds
    scores: FloatArray  # AUC: (folds, settings)


def choose(
    data: Training,
    splits: list[Split],
    settings: list[Setting],
    shape: Shape,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Choice:
    """Find the setting that ranks held-out rows best, if any does, and from which log-odds of it on to flag."""
    progress = Progress("Scored Boxes", verbose)
    free = replace(shape, max_union=None)
    # Categories have their places by the labels of the rows to learn from, so their bins are made in each fold.
    bins = None if any(data.n_codes) else make_bins(data.X, data.X, on_grid(data.weights), n_jobs)

    def work(split: Split) -> list[tuple[float, FloatArray]]:
        train, test = data.take(split[0]), data.take(split[1])
        ready = make_ready(train, shape.false_alarm_cost, bins=None if bins is None else bins.take(split[0]))
        X = ready.order.apply(test.X)
        return [_held_out(learn(ready, setting, free), X, test) for setting in settings]

    results = []
    for done, result in enumerate(threaded_map(work, splits, n_jobs), start=1):
        results.append(result)
        progress.share(done, len(splits))
    scores = np.array([[score for score, _ in result] for result in results])
    rows = np.concatenate([test for _, test in splits])
    repeats = len(rows) / len(np.unique(rows))
    best = clearly_best(scores, _usual(settings), len(splits) / repeats)
    odds = np.concatenate([result[best][1] for result in results])
    return Choice(settings[best], flag_from(odds, data.take(rows), shape.false_alarm_cost, repeats), scores)


def _usual(settings: list[Setting]) -> int:
    """Return the place of the setting that does well nearly everywhere, or is as near to it as there is."""
    return min(range(len(settings)), key=lambda i: (settings[i].max_limits != 2, settings[i].lam != 4, i))


def clearly_best(scores: FloatArray, usual: int, n_folds: float) -> int:
    """Return the place of the setting to take: the usual one unless another is better by two standard errors.

    Settings differ by less than the inner folds can tell on most tables, and the best of several noisy scores is often
    not the best setting. Repeats of the folds make the mean more exact, but are no new rows: the error is one of
    ``n_folds`` differences.
    """
    if len(scores) < 2:
        return int(scores[0].argmax())
    rise = scores - scores[:, [usual]]
    surplus = rise.mean(axis=0) - 2 * rise.std(axis=0, ddof=1) / np.sqrt(n_folds)
    best = int(surplus.argmax())
    return best if surplus[best] > 0 else usual


def _held_out(card: Card, X: Matrix, test: Training) -> tuple[float, FloatArray]:
    """Return the AUC of a card on held-out rows, and their log-odds."""
    return float(roc_auc_score(test.positive, card.graded(X), sample_weight=test.weight)), card.log_odds(X)


def flag_from(odds: FloatArray, data: Training, false_alarm_cost: float | None, repeats: float) -> float:
    """Return from which log-odds on to flag: as near to 0 as held-out rows give no evidence against.

    The least of misses + cost x false alarms on held-out rows is a noisy place. Of all places whose cost is within half
    a standard error of it, the one nearest to the model's own, 0, is taken.
    """
    cost = data.balance if false_alarm_cost is None else false_alarm_cost
    values, place = np.unique(odds, return_inverse=True)
    weight = on_grid(data.weights)
    positive, negative = (
        np.append(0, np.cumsum(np.bincount(place, weights=weight * side))) for side in (data.positive, ~data.positive)
    )
    loss = positive - cost * negative  # of flagging from values[i] on instead of all rows
    best = int(loss.argmin())
    noise = np.abs(positive - positive[best]) + cost**2 * np.abs(negative - negative[best])
    fine = loss - loss[best] <= np.sqrt(noise * repeats) / 2
    below, above = np.append(-np.inf, values), np.append(values, np.inf)
    if (fine & (below < 0) & (above >= 0)).any():
        return 0.0
    below[0], above[-1] = values[0] - 1, values[-1] + 1
    starts = (below + above) / 2
    return float(starts[fine][np.abs(starts[fine]).argmin()])
