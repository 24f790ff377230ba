"""Learning again on bootstrap samples of the rows, to see how much a model moves."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.progress import Progress
from boxdraw._core.sums import total
from boxdraw._core.tiles import threaded_map
from boxdraw._core.warn import muted
from boxdraw.learners.base import BaseBoxClassifier
from boxdraw.learners.folds import hash_ranks
from boxdraw.learners.goals import GOALS
from boxdraw.model.boxes import BoxSet
from boxdraw.model.matching import match_rows
from boxdraw.model.scorecard import Scorecard
from boxdraw.model.stability import Sample, Stability, stability_of
from boxdraw.tables.labels import labels_of
from boxdraw.tables.training import read_training_rows


class LearnedBoxClassifier(BaseBoxClassifier):
    """A classifier that learns its boxes, and can learn them again."""

    verbose: int

    def stability(
        self, X: Any, y: Any, n: int = 50, *, sample_weight: Any = None, random_state: Any = None
    ) -> Stability:
        """Learn again on bootstrap samples, to see how much boxes, limits and points move.

        What inner folds have chosen, such as the number of boxes and the cost, is kept and not chosen again. Nor is a
        goal sought again: a scorecard flags as large a share of the rows, and boxes have the cost that suited the goal.
        Exact Boxes search without a proof. The boxes of `SparseBoxesClassifier.at` are compared with what the model
        they are from learns again.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The training rows. Their order plays no part.
        y : array-like of shape (n_samples,)
            Their labels.
        n : int, default=50
            How many samples. Each takes about as long as a fit without inner folds.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. A row is drawn as often as any other of its class, and counts this much each time.
        random_state : int, RandomState instance or None, default=None
            Seed of the samples; None gives the same ones each time.

        Returns
        -------
        Stability
            Prints as the rules with intervals; ``to_frame()`` has all figures.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from boxdraw import ScoredBoxesClassifier, SparseBoxesClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> X = X[["mean texture", "mean radius", "worst concave points"]]
        >>> model = SparseBoxesClassifier(cv=None, pos_label=0).fit(X, y)
        >>> print(model.stability(X, y, n=20))
        Box 1: worst concave points ≥ 0.1424 (0.11 to 0.159)   [found in 100%]
        Box 2: mean texture ≥ 16.5 (15 to 19.83, in 85%) and mean radius ≥ 14.98 (13.3 to 16.5)   [found in 100%]
        20 bootstrap samples; intervals hold 90% of them. Predictions agree with the model's on 97% of the rows.
        >>> X = X[["mean texture", "worst concave points"]]
        >>> model = ScoredBoxesClassifier(max_boxes=2, max_limits=1, cv=None, pos_label=0).fit(X, y)
        >>> print(model.stability(X, y, n=20))
        5 points (1 to 5): worst concave points ≥ 0.1425 (0.139 to 0.147)   [found in 100%]
        2 points (1 to 2): mean texture ≥ 19.6 (18.91 to 21.7)   [found in 85%]
        Alarm from 5 points (1 to 5).
        20 bootstrap samples; intervals hold 90% of them. Predictions agree with the model's on 99% of the rows.
        """
        check_is_fitted(self)
        check_scalar(n, "n", Integral, min_val=1)
        rows = self._validated(X)
        table = _Table(self, rows, labels_of(y, len(rows), self.classes_), sample_weight)
        seeds = check_random_state(0 if random_state is None else random_state).randint(2**31, size=n).tolist()
        progress, samples = Progress("Stability", self.verbose), []
        for done, sample in enumerate(threaded_map(table.sample, seeds, self.n_jobs), start=1):
            samples.append(sample)
            progress.share(done, n)
        return stability_of(self._decider(), samples, table.missing)

    def _again(self) -> Any:
        """Return an unfitted copy that learns with what fit has chosen, and by itself."""
        given: dict[str, Any] = self.get_params(deep=False)
        left_open = [x for x, value in given.items() if value is None or (isinstance(value, str) and value == "auto")]
        chosen = {name: getattr(self, f"{name}_") for name in left_open if hasattr(self, f"{name}_")}
        alone = {"cv": None, "n_jobs": None, "verbose": 0, "callback": None, **dict.fromkeys(GOALS)}
        return clone(self).set_params(**chosen, **{name: value for name, value in alone.items() if name in given})


class _Table:
    """The training rows of a model: what samples are drawn from, and compared on."""

    def __init__(self, model: LearnedBoxClassifier, rows: Any, labels: Any, sample_weight: Any) -> None:
        self._rows, self._labels, self._fresh = rows, labels, model._again()
        with muted():
            self._data = read_training_rows(self._fresh, rows, labels, sample_weight)
        self._kept = np.arange(len(labels)) if self._data.kept is None else np.flatnonzero(self._data.kept)
        order = np.argsort(hash_ranks(self._data, None))  # by the values of the rows, whatever their order
        self._classes = [order[self._data.positive[order] == side] for side in (False, True)]
        self.missing = tuple(map(bool, self._fresh._encoding.missing))
        self._member, self._flagged = self._held(model._decider())
        self._share = None  # of the rows that a goal lets a scorecard flag
        if getattr(model, "goal_", None) is not None:
            self._share = float(self._data.weights[self._flagged].sum() / self._data.weights.sum())

    def sample(self, seed: int) -> Sample:
        """Learn from rows drawn with replacement within each class, and compare; drawn three times, a row is three."""
        mass, count, kept = self._data.weights, self._drawn(seed), np.zeros(len(self._labels), dtype=np.bool_)
        drawn = np.flatnonzero(count)
        kept[self._kept[drawn]] = True
        model: Any = deepcopy(self._fresh)
        model._sample = replace(self._data.take(drawn), weight=(count * mass)[drawn], kept=kept)
        with muted():
            model.fit(self._rows, self._labels)
        drawing = model._decider()
        if self._share is not None and isinstance(drawing, Scorecard) and len(drawing):
            drawing = self._flagging(drawing, self._share, count * mass)
        member, flagged = self._held(drawing)
        everywhere = np.ones_like(flagged)
        agreement = total(mass, flagged == self._flagged) / total(mass, everywhere)
        return Sample(drawing, match_rows(self._member, member, mass), agreement)

    def _drawn(self, seed: int) -> FloatArray:
        """Return how often each row is drawn."""
        rng, count = np.random.default_rng(seed), np.zeros(len(self._kept))
        for rows in self._classes:
            count[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        return count

    def _flagging(self, card: Scorecard, share: float, weight: FloatArray) -> Scorecard:
        """Return a card with the threshold that flags most nearly a share of the rows of a sample."""
        values, place = np.unique(card.score(self._rows)[self._kept], return_inverse=True)
        flagged = np.cumsum(np.bincount(place, weight)[::-1])[::-1] / weight.sum()
        least = sum(value for value in card.points if value < 0)  # which every row has
        known = zip(np.abs(flagged - share).tolist(), values.tolist(), strict=True)
        _, nearest = min((one for one in known if one[1] > least), default=(0.0, card.threshold))
        return Scorecard(card.boxes, card.points, nearest)

    def _held(self, drawing: BoxSet | Scorecard) -> tuple[BoolArray, BoolArray]:
        """Return which rows each box of a drawing holds, and which it flags."""
        card = drawing if isinstance(drawing, Scorecard) else Scorecard(drawing, [1] * len(drawing), 1)
        member = card.boxes.membership(self._rows)[self._kept]
        return member, np.asarray(member @ np.array(card.points, dtype=np.int64) >= card.threshold)
