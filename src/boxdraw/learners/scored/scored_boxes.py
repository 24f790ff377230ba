"""ScoredBoxesClassifier: a scorecard of boxes behind the interface of scikit-learn."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import FloatArray
from boxdraw._core.frames import frame_like
from boxdraw._core.progress import Progress
from boxdraw.learners.base import unchanged_on_error
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.doubts import caution, ranks_by_chance
from boxdraw.learners.folds import chance_level, inner_splits
from boxdraw.learners.goals import KeptGoal, goal_of, warn_if_missed
from boxdraw.learners.parameters import check_bool, check_choice, check_cost
from boxdraw.learners.sample import draw_sample
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.learners.stability import LearnedBoxClassifier
from boxdraw.model.boxes import BoxSet
from boxdraw.model.risk import check_base_rate
from boxdraw.model.scorecard import Scorecard
from boxdraw.tables.schema import read_rows
from boxdraw.tables.training import LEAST_BALANCE, Training, check_balance, read_training_rows

_LIMITS, _LAMS = (1, 2, 3), (4.0, 12.0)  # what "auto" tries
_PLAIN = Setting(2, 4.0)  # what "auto" is without inner folds
_SCORES = ("graded", "points")
_MOST = 2**31 - 1  # limits or boxes, more than there can be: compiled code knows no larger numbers
_GUESSES = 2  # rows of a class, from which no limit can be learned


class ScoredBoxesClassifier(LearnedBoxClassifier):
    """A scorecard: a few boxes worth points each, and a threshold of points for an alarm.

    It reads like a form to fill in and ranks nearly as well as a forest. The points are positive, so the flagged rows
    are still a union of boxes, ``boxes_``, and everything that reads boxes works.

    Boxes are drawn by boosting: each is the box of most gain for the log-loss that the ones before leave, limit by
    limit. Points are coefficients of a ridge logistic regression, rounded.

    An unreliable scorecard gives a warning: one learned from one or two rows of a class, or one that ranks held-out
    rows no better than chance (mean AUC on the inner folds below one half and two standard errors).

    Parameters
    ----------
    max_boxes : int, default=8
        The most boxes on the scorecard.
    max_limits : int or "auto", default="auto"
        The most limits of a box; "auto" is 2 unless 1 or 3 are clearly better on the inner folds.
    lam : float or "auto", default="auto"
        How cautious to be about boxes of few rows: as if each held this many rows more, at even odds and of the weight
        of a positive. "auto" is 4 unless 12 is clearly better on the inner folds.
    max_union : int or None, default=8
        The most boxes of ``boxes_``. Points and threshold are chosen so that it holds; None lets it grow.
    signed_points : bool, default=False
        Whether points may be negative. That can rank a little better, but the flagged rows are then no union of boxes.
    false_alarm_cost : float or None, default=None
        What a false alarm costs you relative to a miss; None weighs the classes equally (best balanced accuracy).
    monotonic_cst, interaction_cst, allowed_values, min_box_rows, min_box_precision
        As in `SparseBoxesClassifier`, for the boxes of the scorecard. Boxes of negative points have the opposite
        directions; ``min_box_precision`` does not go with `signed_points`.
    max_alarm_rate, min_precision, min_recall, confidence : float or None
        Goals instead of a cost, as in `SparseBoxesClassifier`: the threshold is the best one that keeps the goal on the
        inner folds. The union may then have more than `max_union` boxes.
    base_rate : float or None, default=None
        As in `SparseBoxesClassifier`.
    cv : int, splitter, iterable of (train, test) or None, default=3
        Inner folds for what is "auto", for goals and for the risk. An int gives stratified folds, dealt several times,
        that depend on the rows' values and not on their order; for large tables on a sample. None does without: "auto"
        is then 2 limits and lam 4, and there is no risk.
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
        The rows that the scorecard flags, as a union of boxes; an AttributeError with `signed_points`.
    max_limits_, lam_ : int, float
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

    max_limits_: int
    lam_: float
    scorecard_: Scorecard
    cv_results_: dict[str, Any]
    goal_: KeptGoal | None

    def __init__(
        self,
        *,
        max_boxes: int = 8,
        max_limits: int | str = "auto",
        lam: float | str = "auto",
        max_union: int | None = 8,
        signed_points: bool = False,
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
        from boxdraw.learners.scored.learn import learn, make_ready, round_card  # compiles on first use

        settings = self._settings()
        data = read_training_rows(self, X, y, sample_weight, groups=groups)
        shape = self._shape()
        check_balance(data, LEAST_BALANCE)
        few = draw_sample(data)
        dealt = few if isinstance(self.cv, Integral) else data
        setting, folds, doubt = self._choose(dealt, settings, shape)
        number = settings.index(setting)
        progress = Progress("Scored Boxes", self.verbose)
        ready = make_ready(data, shape.false_alarm_cost, few=few, n_jobs=self.n_jobs, constraints=shape.constraints)
        progress.step(f"bin: {len(data.X)} rows, {data.X.shape[1]} columns")
        card = learn(ready, setting, shape, self.n_jobs)
        card = self._keep(card, ready.order, dealt, folds, number)
        progress.step(f"boost: {len(card.points)} boxes of at most {setting.max_limits} limits, lam={setting.lam:g}")
        self.max_limits_, self.lam_ = setting.max_limits, setting.lam
        self._order, self._card = ready.order, card
        # Rows are graded by the limits that the points were fitted with: on a round one, most are at a limit.
        drawn = card
        if self.round_limits:
            drawn = round_card(card, data, ready.order, self._encoding.steps, self.n_jobs, shape.constraints)
        self.scorecard_ = self._scorecard(drawn, ready.order)
        if drawn is not card and not self._is_short(self.scorecard_):
            self.scorecard_ = self._scorecard(card, ready.order)  # round limits may overlap where these do not
        self._warn(data, doubt, shape.constraints is not None)
        warn_if_missed(self.goal_, shape.constraints is not None)
        return self

    def _scorecard(self, card: Any, order: Any) -> Scorecard:
        boxes = self._encoding.boxes(card.lower, card.upper, order)
        return Scorecard(boxes, card.points.tolist(), card.threshold)

    def _is_short(self, card: Scorecard) -> bool:
        """Return True unless the union has too many boxes; with a goal, it may have any number."""
        if self.max_union is None or card.signed or self.goal_ is not None:
            return True
        return len(card.union()) <= self.max_union

    def _keep(self, card: Any, order: Any, data: Training, folds: list[Any], number: int) -> Any:
        """Set the risk; return the card with the threshold that keeps the goal, if there is one."""
        from boxdraw.learners.scored.keep import card_risk, keep

        goal, self.goal_ = goal_of(self), None
        self._set_risk(card_risk(card, order, data, folds, number, self.base_rate) if folds else None)
        if goal is not None and folds:
            if not len(card.points):
                self.goal_ = goal.missed()
            else:
                card, self.goal_ = keep(card, order, goal, data, folds, number)
        return card

    @property
    def boxes_(self) -> BoxSet:  # type: ignore[override]  # the others set it in fit; here there may be none
        """The rows that the scorecard flags, as a union of boxes."""
        if "scorecard_" not in self.__dict__:
            raise AttributeError("There is no boxes_: the estimator is not fitted.")
        try:
            return self.scorecard_.union()
        except ValueError as error:
            raise AttributeError(f"There is no boxes_: {error}.") from None

    def _transformed_by(self) -> BoxSet:
        return self.scorecard_.boxes if self.scorecard_.signed else self.boxes_

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
            One row per box, of the same kind as X: ``points``, then the columns of ``box_table``, which
            has the same for the boxes of the union.
        """
        check_is_fitted(self)
        boxes = self.scorecard_.boxes
        columns = self._statistics(boxes, X, y, sample_weight)
        return frame_like(X, {"points": np.array(self.scorecard_.points, dtype=np.int64), **columns})

    def _again(self) -> Any:
        return super()._again().set_params(false_alarm_cost=self._shape().false_alarm_cost)  # of a precision, too

    def _validated(self, X: Any) -> Any:
        return read_rows(self, X, self.scorecard_.boxes)

    def _settings(self) -> list[Setting]:
        """Check the parameters and return the settings to try."""
        check_scalar(self.max_boxes, "max_boxes", Integral, min_val=1)
        if self.max_union is not None:
            check_scalar(self.max_union, "max_union", Integral, min_val=1)
        n = self.max_limits
        if n != "auto" and (isinstance(n, bool) or not isinstance(n, Integral) or n < 1):
            raise ValueError(f"max_limits must be 'auto' or a whole number of at least 1; got {n!r}.")
        check_cost(self.lam, "lam", "auto")
        check_cost(self.false_alarm_cost, "false_alarm_cost", None)
        goal_of(self)
        check_base_rate(self.base_rate)
        check_bool(self.signed_points, "signed_points")
        check_bool(self.round_limits, "round_limits")
        if self.signed_points and self.min_box_precision is not None:
            raise ValueError(
                "min_box_precision does not go with signed_points=True: boxes of negative points are not to hold "
                "positives. Leave one of them out."
            )
        if self.cv is None:
            given = _PLAIN.max_limits if self.max_limits == "auto" else min(int(self.max_limits), _MOST)
            return [Setting(given, _PLAIN.lam if self.lam == "auto" else float(self.lam))]
        limits = _LIMITS if self.max_limits == "auto" else (min(int(self.max_limits), _MOST),)
        lams = _LAMS if self.lam == "auto" else (float(self.lam),)
        return [Setting(n, lam) for n in limits for lam in lams]

    def _shape(self) -> Shape:
        cost = None if self.false_alarm_cost is None else float(self.false_alarm_cost)
        if self.min_precision is not None:  # where an alarm of just this precision pays
            cost = float(self.min_precision) / (1 - float(self.min_precision))
        union = None if self.max_union is None else min(int(self.max_union), _MOST)
        constraints = ColumnConstraints.of(self._encoding, self)
        asked = constraints if constraints.asked.any else None
        return Shape(int(self.max_boxes), union, bool(self.signed_points), cost, asked)

    def _choose(self, data: Training, settings: list[Setting], shape: Shape) -> tuple[Setting, list[Any], str]:
        """Return the setting, chosen by inner folds; these, if there are any; a warning if they rank by chance."""
        from boxdraw.learners.scored.choose import REPEATS, choose, learn_folds

        self.__dict__.pop("cv_results_", None)
        repeats = REPEATS if len(settings) > 1 else 1
        splits = []
        if self.cv is not None:
            splits = inner_splits(data, self._labels(data.positive), self.cv, self.random_state, repeats)
        if not splits:
            return _PLAIN if _PLAIN in settings else settings[0], [], ""
        folds = learn_folds(data, splits, settings, shape, self.n_jobs, self.verbose)
        number, scores = choose(folds, settings)
        setting = settings[number]
        self.cv_results_ = {
            "params": [{"max_limits": setting.max_limits, "lam": setting.lam} for setting in settings],
            "mean_test_score": scores.mean(axis=0),
            **{f"split{number}_test_score": row for number, row in enumerate(scores)},
        }
        by_chance = chance_level(data.positive, [fold.test for fold in folds])
        return setting, folds, ranks_by_chance(scores.mean(axis=0)[number], by_chance, "scorecard")

    def _warn(self, data: Training, doubt: str, constrained: bool) -> None:
        """Give at most one warning about the scorecard, or what else is to be said of it."""
        fewest = int(min(data.positive.sum(), (~data.positive).sum()))
        if not len(self.scorecard_) and self.goal_ is not None:
            doubt = ""  # the goal says so
        elif not len(self.scorecard_):
            doubt = (
                "No box was found that sets positives apart: nothing is flagged. Check whether the features say "
                "anything about the classes. A lower lam may find weaker boxes."
                + " The constraints may be too strict."
                * constrained
            )
        elif fewest <= _GUESSES:
            doubt = (
                f"Rows of the smaller class: {fewest}. Limits learned from so few are guesses: do not rely on the "
                "scorecard before you have more."
            )
        caution(self, data, doubt)
