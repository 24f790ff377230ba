"""ScoredBoxesClassifier: a scorecard of boxes behind the interface of scikit-learn."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import FloatArray
from boxdraw._core.progress import Progress
from boxdraw._core.ranges import find_ranges
from boxdraw.learners.base import unchanged_on_error
from boxdraw.learners.doubts import caution, guesses
from boxdraw.learners.frontier import CardFrontier, CardPoint
from boxdraw.learners.goals import KeptGoal, goal_of, warn_if_missed
from boxdraw.learners.parameters import check_choice
from boxdraw.learners.sample import draw_sample
from boxdraw.learners.scored.settings import settings_of, shape_of
from boxdraw.learners.stored import Passes, SampleLearner
from boxdraw.model.boxes import BoxSet
from boxdraw.model.scorecard import Scorecard
from boxdraw.tables.chunks import Table
from boxdraw.tables.labels import has_label, labels_of, weights_of
from boxdraw.tables.training import Training, read_training_rows

_SCORES = ("graded", "points")


class ScoredBoxesClassifier(SampleLearner):
    """A scorecard: a few boxes worth points each, and a threshold of points for an alarm.

    It reads like a form to fill in and ranks about as well as a forest. ``frontier_`` shows what each box buys on
    held-out rows, and `at` takes a shorter card. Where all points are positive, the flagged rows are also a union of
    boxes, ``boxes_``; ``signed_points=False`` makes sure of that, and of a short one.

    Boxes are drawn by boosting: each is the box of most gain for the log-loss that the ones before leave, limit by
    limit. Points are coefficients of a ridge logistic regression, rounded.

    The boxes of a table of more than a million cells are drawn on a sample; all rows are counted for their points.

    An unreliable scorecard gives a warning: one learned from one or two rows of a class, or one that ranks held-out
    rows no better than chance (mean AUC on the inner folds below one half and two standard errors).

    Parameters
    ----------
    max_boxes : int or "auto", default="auto"
        The most boxes on the scorecard. "auto" is up to 16: the fewest that rank no worse than all of them, neither by
        AUC nor by average precision, be it by one standard error on the inner folds.
    max_limits : int or "auto", default="auto"
        The most limits of a box; "auto" is 2 unless 1 or 3 are clearly better on the inner folds.
    max_total_limits : int or None, default=30
        The most limits on the scorecard, `Scorecard.n_limits`; None for any number.
    lam : float or "auto", default="auto"
        How cautious to be about boxes of few rows: as if each held this many rows more, at even odds and of the weight
        of a positive. "auto" is 4; with `max_boxes` and `signed_points` given, 12 if that is clearly better on the
        inner folds.
    max_union : int, None or "auto", default="auto"
        The most boxes of ``boxes_``. Points are then positive, so it does not go with ``signed_points=True``, and they
        and the threshold are chosen so that it holds. "auto" is 8 with ``signed_points=False``; otherwise, as with
        None, the union may be long.
    signed_points : bool or "auto", default="auto"
        Whether points may be negative: "auto" if they rank clearly better on the inner folds. The rows that such a card
        flags are no union of boxes.
    false_alarm_cost : float or None, default=None
        What a false alarm costs you relative to a miss; None weighs the classes equally (best balanced accuracy).
    monotonic_cst, interaction_cst, allowed_values, min_box_rows, min_box_precision
        As in `SparseBoxesClassifier`, for the boxes of the scorecard. Boxes of negative points have the opposite
        directions; ``min_box_precision`` needs positive points.
    max_alarm_rate, min_precision, min_recall, confidence : float or None
        Goals instead of a cost, as in `SparseBoxesClassifier`: the threshold is the best one that keeps the goal on the
        inner folds. The union may then have more than `max_union` boxes.
    base_rate : float or None, default=None
        As in `SparseBoxesClassifier`.
    cv : int, splitter, iterable of (train, test) or None, default=3
        Inner folds for what is "auto", for goals and for the risk. An int gives stratified folds, dealt several times,
        that depend on the rows' values and not on their order; for large tables on a sample. None does without: "auto"
        is then 8 boxes of 2 limits, lam 4 and positive points, and there is no risk.
    categorical_features, pos_label, round_limits
        As in `FastBoxesClassifier`.
    random_state : int, RandomState instance or None, default=None
        An int gives other inner folds; nothing else is random.
    n_jobs : int or None, default=None
        Threads. The model does not depend on it.
    verbose : int, default=0
        Print the stages as they end.

    Attributes
    ----------
    scorecard_ : Scorecard
        The model: boxes, points and threshold.
    boxes_ : BoxSet
        The rows that the scorecard flags, as a union of boxes; an AttributeError if some points are negative.
    frontier_ : CardFrontier
        The scorecard of each size, with its AUC and average precision on the inner folds; see `at`. With `max_boxes`
        given there is only that one.
    max_boxes_, max_limits_, lam_, signed_points_ : int, int, float, bool
        The setting in use.
    goal_ : KeptGoal or None
        As in `SparseBoxesClassifier`.
    risk_table_ : RiskTable
        As in `SparseBoxesClassifier`; the regions are points.
    cv_results_ : dict
        ``params``, ``mean_test_score`` and ``split*_test_score``: the AUC of each setting on the inner folds; only if
        there were any.
    classes_, pos_label_, n_features_in_, feature_names_in_
        As in `FastBoxesClassifier`.

    See Also
    --------
    FastBoxesClassifierCV : A union of boxes without points; the better choice where positives come in clusters.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from boxdraw import ScoredBoxesClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = X[["mean radius", "mean texture", "mean smoothness", "worst concave points"]]
    >>> model = ScoredBoxesClassifier(max_boxes=4, max_limits=1, lam=4, pos_label=0).fit(X, y)
    >>> print(model.scorecard_.to_text())
    4 points: worst concave points ≥ 0.1425
    5 points: mean radius ≥ 15.25
    3 points: mean texture ≥ 20.8
    3 points: worst concave points ≥ 0.1046
    Alarm from 6 points.
    """

    max_boxes_: int
    max_limits_: int
    lam_: float
    signed_points_: bool
    frontier_: CardFrontier
    scorecard_: Scorecard
    cv_results_: dict[str, Any]
    goal_: KeptGoal | None
    _shown_as = "Scored Boxes"

    def __init__(
        self,
        *,
        max_boxes: int | str = "auto",
        max_limits: int | str = "auto",
        max_total_limits: int | None = 30,
        lam: float | str = "auto",
        max_union: int | str | None = "auto",
        signed_points: bool | str = "auto",
        false_alarm_cost: float | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        allowed_values: Any = None,
        min_box_rows: float | None = None,
        min_box_precision: float | None = None,
        max_alarm_rate: float | None = None,
        min_precision: float | None = None,
        min_recall: float | None = None,
        confidence: float = 0.9,
        base_rate: float | None = None,
        cv: Any = 3,
        categorical_features: Any = None,
        pos_label: Any = None,
        round_limits: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_boxes = max_boxes
        self.max_limits = max_limits
        self.max_total_limits = max_total_limits
        self.lam = lam
        self.max_union = max_union
        self.signed_points = signed_points
        self.false_alarm_cost = false_alarm_cost
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.allowed_values = allowed_values
        self.min_box_rows = min_box_rows
        self.min_box_precision = min_box_precision
        self.max_alarm_rate = max_alarm_rate
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.confidence = confidence
        self.base_rate = base_rate
        self.cv = cv
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.round_limits = round_limits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ScoredBoxesClassifier:
        """Learn the scorecard.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; a whole weight counts as that many copies of the row, except in the choice of the positive class.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as the customer: inner folds keep groups whole, and a splitter as ``cv`` gets
            them. In pipelines and searches they come by scikit-learn's metadata routing.

        Returns
        -------
        ScoredBoxesClassifier
            The fitted estimator.
        """
        self._check_parameters(stored=False)
        self._learn_rows(
            read_training_rows(self, X, y, sample_weight, partial(find_ranges, n_jobs=self.n_jobs), groups=groups)
        )
        return self

    def _passes(self) -> Passes:
        first: Passes = [("ranges and positives", 6, 0), ("sample", 21, 0)]
        return [*first, ("count", 7, 1.7), ("round limits", 7, 0.5)]

    def _learn(self, data: Training, table: Table | None) -> None:
        """Learn from rows in memory: all there are or, if there is a ``table``, a sample of it."""
        from boxdraw.learners.scored import learn  # compiles on first use
        from boxdraw.learners.scored.choose import choose
        from boxdraw.learners.scored.keep import card_risk

        self._balance = data.balance
        settings, shape, few = settings_of(self), shape_of(self, data.balance), draw_sample(data)
        dealt = few if isinstance(self.cv, Integral) else data
        self.__dict__.pop("cv_results_", None)
        choice = choose(self, dealt, settings, shape)
        if choice.folds:
            self.cv_results_ = choice.results
        setting, asked = choice.setting, shape.constraints
        progress = Progress("Scored Boxes", self.verbose)
        if table is None:
            ready = learn.make_ready(data, shape, few, self.n_jobs)
        else:
            ready, shape = learn.make_sample_ready(data, few, shape, table, self.n_jobs)
        progress.step(f"bin: {len(data.X)} rows, {data.X.shape[1]} columns")
        drawn = learn.draw(ready, setting, replace(shape, max_boxes=choice.sizes[-1]), self.n_jobs)
        if table is not None:
            drawn = learn.count_everywhere(drawn, data, ready.order, shape, table)
        sizes = choice.sizes[: sum(size < len(drawn) for size in choice.sizes) + 1]
        union = None if setting.signed else shape.max_union
        cards = [learn.card_of(ready, drawn, min(size, len(drawn)), union) for size in sizes]
        at = min(choice.at, len(sizes) - 1)
        kept = [self._keep(card, ready.order, dealt, choice, number) for number, card in enumerate(cards)]
        cards, goals = [card for card, _ in kept], [goal for _, goal in kept]
        progress.step(
            f"boost: {len(cards[at].points)} boxes of at most {setting.max_limits} limits, lam={setting.lam:g}"
        )
        self.max_limits_, self.lam_, self.signed_points_ = setting.max_limits, setting.lam, setting.signed
        # Rows are graded by the limits that the points were fitted with: on a round one, most are at a limit.
        plain = boxes = self._encoding.boxes(drawn.lower, drawn.upper, ready.order)
        if self.round_limits:
            rounded = learn.round_card(drawn, data, ready.order, self._encoding.steps, self.n_jobs, asked, table)
            boxes = self._encoding.boxes(rounded.lower, rounded.upper, ready.order)
        self._order, self._cards = ready.order, dict(zip(sizes, cards, strict=True))
        self._goals = dict(zip(sizes, goals, strict=True))
        points: list[CardPoint] = []
        for number, card in enumerate(cards):
            scorecard = _scorecard(boxes, card)
            if union is not None and goals[number] is None and len(scorecard.union()) > union:
                scorecard = _scorecard(plain, card)  # round limits may overlap where these do not
            if number == at:
                points = [point for point in points if point.n_boxes < len(scorecard)]
            if number == at or not points or len(scorecard) > points[-1].n_boxes:
                risk = card_risk(card, ready.order, dealt, choice.folds, number, self.base_rate)
                points.append(choice.point(number, scorecard, risk))
        self._use(points, sizes[at])
        self._warn(data, choice.doubt, asked is not None)
        warn_if_missed(self.goal_, asked is not None)

    def _use(self, points: list[CardPoint], size: int) -> None:
        """Take the card of a size, and its risk."""
        (point,) = [point for point in points if point.max_boxes == size]
        self.frontier_ = CardFrontier(points, point.n_boxes)
        self.scorecard_, self.max_boxes_, self._card = point.scorecard, size, self._cards[size]
        self.goal_ = self._goals[size]
        self._set_risk(point.risk)

    def at(self, n_boxes: int) -> ScoredBoxesClassifier:
        """Return the classifier with the scorecard of at most so many boxes from ``frontier_``.

        Parameters
        ----------
        n_boxes : int
            The most boxes to read.

        Returns
        -------
        ScoredBoxesClassifier
            A fitted copy with another ``scorecard_`` and its risk. A goal has been kept as well as this card can, and
            ``goal_`` says what is promised. Each is tested on its own: if you take the one of many that keeps the goal,
            it is less sure than ``confidence``.

        Examples
        --------
        >>> from boxdraw import ScoredBoxesClassifier
        >>> from boxdraw.datasets import load_dataset
        >>> data = load_dataset("hypothyroid")
        >>> model = ScoredBoxesClassifier().fit(data.data, data.target)
        >>> short = model.at(n_boxes=2)
        >>> len(short.scorecard_), hasattr(short, "predict_proba")
        (2, True)
        """
        check_is_fitted(self)
        point, model = self.frontier_.at(n_boxes), copy.copy(self)
        if point.n_boxes != self.frontier_.chosen:
            model._use(list(self.frontier_), point.max_boxes)
        return model

    def _keep(self, card: Any, order: Any, data: Training, choice: Any, number: int) -> tuple[Any, KeptGoal | None]:
        """Return the card of a size with the threshold that keeps the goal, if there is one, and what is promised."""
        from boxdraw.learners.scored.keep import keep

        if (goal := goal_of(self)) is None:
            return card, None
        if not choice.folds:
            return card, goal.untested()
        if not len(card.points):
            return card, goal.missed()
        return keep(card, order, goal, data, choice.folds, number, self.signed_points is False)

    @property
    def boxes_(self) -> BoxSet:  # type: ignore[override]  # the others set it in fit; here there may be none
        """The rows that the scorecard flags, as a union of boxes; an AttributeError where there is none."""
        if "scorecard_" not in self.__dict__:
            raise AttributeError("There is no boxes_: the estimator is not fitted.")
        try:
            return self.scorecard_.union()
        except ValueError as error:
            raise AttributeError(f"There is no boxes_: {error}; or read scorecard_.") from None

    def union(self, X: Any, y: Any, sample_weight: Any = None) -> BoxSet:
        """Write the flagged rows as a short union of boxes: what changes none of the given rows is left out.

        Boxes and limits without which the same of these rows are flagged are dropped, boxes that hold no other rows
        together are merged, and those with the most positives come first. On other rows it may differ from the
        scorecard, as ``boxes_`` never does.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, as a rule those that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, which say how many positives a box has; rows without weight count as well.

        Returns
        -------
        BoxSet
            The boxes. An AttributeError if some points are negative.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from boxdraw import ScoredBoxesClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = ScoredBoxesClassifier(max_boxes=8, signed_points=False, pos_label=0).fit(X, y)
        >>> short = model.union(X, y)
        >>> bool((short.contains(X) == (model.predict(X) == 0)).all())
        True
        >>> len(short), short.n_limits, len(model.boxes_), model.boxes_.n_limits
        (5, 13, 6, 17)
        """
        check_is_fitted(self)
        rows, boxes = self._validated(X), self.boxes_
        positive = has_label(labels_of(y, len(rows), self.classes_), self.pos_label_)
        weight = weights_of(sample_weight, len(positive))
        # Where labels are what is flagged already, nothing that changes a row comes without a loss.
        short, _ = boxes.simplify(rows, boxes.contains(rows), negative_weight=1.0, pos_label=True)
        caught = short.membership(rows)[positive].T @ (np.ones(positive.sum()) if weight is None else weight[positive])
        return short[np.argsort(-caught, kind="stable")]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row: positive from the scorecard's threshold on.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of ``classes_``.
        """
        check_is_fitted(self)
        return self._labels(self.scorecard_.contains(self._validated(X), n_jobs=self.n_jobs))

    def decision_function(self, X: Any, score: str = "graded") -> FloatArray:
        """Rank rows: flagged ones first, then by points.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        score : {"graded", "points"}, default="graded"
            "graded" counts a box's points in full only for rows well inside, half on its edge and less the farther
            outside a row is, so that hardly any two rows are equal. "points" is the points less the threshold.

        Returns
        -------
        ndarray of shape (n_samples,)
            Its sign is that of ``predict``; as everywhere in scikit-learn it ranks towards ``classes_[1]``.
        """
        check_is_fitted(self)
        check_choice(score, "score", _SCORES)
        rows, card = self._validated(X), self.scorecard_
        above = card.score(rows, n_jobs=self.n_jobs) - card.threshold
        if score == "points":
            return self._towards_second_class(above.astype(np.float64), above >= 0)
        graded = self._card.graded(self._order.apply(self._encoding.encode(rows)), self.n_jobs)
        points = self._card.points
        least, most = float(points.clip(max=0).sum()), float(points.clip(min=0).sum())
        share = (graded - least) / ((most - least) or 1.0)
        return self._towards_second_class(np.where(above >= 0, share, share - 1), above >= 0)

    def scorecard_table(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Count, for each box of the scorecard, what it holds, on any labelled rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, seen in training or not.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        frame
            One row per box, of the same kind as X: what ``box_table`` returns.
        """
        return self.box_table(X, y, sample_weight)

    def _again(self) -> Any:
        shape, again = shape_of(self, self._balance), super()._again()
        again.set_params(false_alarm_cost=shape.false_alarm_cost, max_union=shape.max_union)  # of a precision, too
        again._evenness = shape.evenness
        return again

    def _check_parameters(self, *, stored: bool) -> None:
        self._check_folds(stored)
        settings_of(self)

    def _warn(self, data: Training, doubt: str, constrained: bool) -> None:
        """Give at most one warning about the scorecard, or what else is to be said of it."""
        if not len(self.scorecard_) and self.goal_ is not None:
            doubt = ""  # the goal says so
        elif not len(self.scorecard_):
            doubt = (
                "No box was found that sets positives apart: nothing is flagged. Check whether the features say "
                "anything about the classes. A lower lam may find weaker boxes."
                + " The constraints may be too strict."
                * constrained
            )
        else:
            doubt = guesses(data, "scorecard") or doubt
        caution(self, data, doubt)


def _scorecard(boxes: BoxSet, card: Any) -> Scorecard:
    """Return a card of some boxes of a run."""
    return Scorecard(boxes[card.numbers], card.points.tolist(), card.threshold)
