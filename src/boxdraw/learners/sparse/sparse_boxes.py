"""SparseBoxesClassifier: the fewest boxes and limits that do the job, behind the interface of scikit-learn."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import FloatArray
from boxdraw._core.progress import Progress
from boxdraw._core.ranges import find_ranges
from boxdraw._core.warn import CautionWarning, muted, warn
from boxdraw.learners.base import unchanged_on_error
from boxdraw.learners.constraints import MOST_RATIO, ColumnConstraints
from boxdraw.learners.doubts import caution, everything_is_flagged, guesses, nothing_is_flagged
from boxdraw.learners.folds import inner_splits
from boxdraw.learners.frontier import Frontier
from boxdraw.learners.goals import Goal, KeptGoal, OperatingPoints, goal_of, judge, warn_if_missed
from boxdraw.learners.parameters import NO_CAP, check_bool, check_cost, check_not_negative
from boxdraw.learners.sample import draw_sample
from boxdraw.learners.sparse.existing import added, check_existing, idle_rules, idle_text, left_by
from boxdraw.learners.sparse.revise import Revision, check_revise, counted
from boxdraw.learners.stored import Passes, SampleLearner
from boxdraw.model.boxes import BoxSet
from boxdraw.model.constraints import Constraints
from boxdraw.model.risk import check_base_rate
from boxdraw.tables.chunks import Table
from boxdraw.tables.labels import weights_of
from boxdraw.tables.training import Training, read_training_rows

_BOXES = (1, 2, 4, 8)
# Prices of a limit in shares of the positives. Of the usual ones the highest is chosen that does about as well as the
# best; a higher one, for very short rules, only if none does better.
_SHORT, _LIMITS = (0.16, 0.08), (0.04, 0.02, 0.01, 0.005, 0.0025)
_RATIOS = (1.0, 2.0, 4.0, 8.0)  # costs of false alarms, in balances
# The same, where a goal decides: some are too low or too high for it.
_GOAL_RATIOS = {"max_alarm_rate": (-3, 6), "min_precision": (-1, 7), "min_recall": (-5, 3)}
_SEARCHED = {True: 2_000, False: 6_000}  # positives and negatives, at most, among which limits are searched


class SparseBoxesClassifier(SampleLearner):
    """The fewest boxes and limits that do the job: a rule as short as the truth allows.

    It maximises the weight of the positives in the boxes, less that of the negatives times the cost of a false alarm,
    less a price per box and per limit. The search gives one box at a time its best interval on one feature, and starts
    anew from many places. Inner folds choose the prices, the number of boxes and, unless you state it, the cost.

    The limits of a table of more than a million cells are found on a sample, and placed on all rows in a few passes.

    A model not to rely on gives a warning: one without boxes, one that flags everything, one learned from one or two
    rows of a class, or one that does no better than chance on the inner folds.

    Parameters
    ----------
    max_boxes : int or "auto", default="auto"
        The most boxes; "auto" lets the inner folds choose, up to 8.
    limit_cost : float or "auto", default="auto"
        What a limit costs, in positives of weight 1; "auto" lets the inner folds choose, from 0.25% to 4% of the
        weight of the positives, or up to 16% if that is best.
    box_cost : float or "auto", default="auto"
        What a box costs besides its limits, in positives; "auto" is twice the cost of a limit.
    max_limits : int or None, default=None
        The most limits of a box; None for any number.
    false_alarm_cost : float, "balanced" or None, default=None
        What a false alarm costs you relative to a miss. "balanced" weighs the classes equally (best balanced accuracy).
        None lets the inner folds choose between once and eight times the balance: the highest cost, so the fewest
        false alarms, that keeps balanced accuracy within half a standard error of the best.
    max_alarm_rate, min_precision, min_recall : float or None, default=None
        Goals instead of a cost, at most one: the most of all rows that may be flagged, the least share of the flagged
        rows that are positive, the least share of the positives that are flagged. The cost is then the best one that
        keeps the goal on the inner folds; see ``goal_``. If none does, the nearest one is taken, with a warning.
    confidence : float, default=0.9
        How sure it must be that the goal is kept on new rows.
    base_rate : float or None, default=None
        The share of positives where the model will be used, if negatives or positives were sampled for the training
        rows. It moves ``risk_table_`` and ``predict_proba``, and alarm rates and precisions of goals are those at it.
    monotonic_cst : dict or array-like of -1, 0 and 1, default=None
        Directions of features, by name or position, or one for each feature. 1: more is worse, so that boxes have only
        lower limits on the feature; -1: only upper ones. Missing values have no direction.
    interaction_cst : "pairwise", "no_interactions", sequence of groups of features or dict, default=None
        Which features may stand in one box: two at most, one only, or those of one group, given as a list of names or
        positions; features in no group are one more group. ``{"not_together": [["age", "income"]]}`` says which may
        not: a box has at most one feature of each list.
    allowed_values : dict of features to lists of numbers, default=None
        The only numbers for limits on these features; they are not rounded. With an empty list, which features with
        categories can have as well, the feature is in no rule.
    min_box_rows : float, default=None
        The least weight of the training rows in a box.
    min_box_precision : float, default=None
        The least share of positives, by weight, among the training rows in a box. In the search a false alarm then
        costs at least ``p / (1 - p)`` misses.
    existing : BoxSet, default=None
        Rules in use. The rows that they flag cost and earn nothing, so that the boxes find what they miss: ``boxes_``
        has only new ones, and all figures of the fit are of the other rows, goals too. False alarms cost as much as
        without such rules, by the balance of all rows. A warning names the rules that become idle.
    revise : BoxSet, default=None
        Rules in use that are to be changed as little as pays, at the costs that a fit from nothing would have. If they
        break constraints, the first changes mend that; an error says if ``max_changes`` is too few for it. See
        ``revisions_``; ``path_``, ``frontier_`` and the ranking of rows are those of the fit from nothing.
    max_changes : int, default=3
        With ``revise``, the most limits that are moved, added or dropped; a dropped box is one change, a new one has as
        many as limits.
    round_limits : bool, default=True
        Whether limits are moved to round numbers, as far as no training row changes sides.
    cv : int, splitter, iterable of (train, test) or None, default=3
        Inner folds. An int gives folds, dealt several times unless the table is large, that depend on the rows' values
        and not on their order; for large tables on a sample. None does without: "auto" is then up to 4 boxes and 1% per
        limit, and the cost is balanced unless stated.
    categorical_features, pos_label
        As in `FastBoxesClassifier`.
    random_state : int, RandomState instance or None, default=None
        An int gives other inner folds; nothing else is random.
    n_jobs : int or None, default=None
        Threads. The model does not depend on it.
    verbose : int, default=0
        Print the stages as they end.

    Attributes
    ----------
    boxes_ : BoxSet
        The rule, in the units of the data.
    frontier_ : Frontier
        The best drawing for each number of limits, with its score on the inner folds; see `at`.
    path_ : list of (float, BoxSet)
        Drawings for nine costs of a false alarm, from a tenth to ten times the balance: they rank the rows.
    false_alarm_cost_, limit_cost_ : float
        What a false alarm and a limit cost in the model.
    max_boxes_ : int
        The most boxes that the inner folds allow.
    goal_ : KeptGoal or None
        What was asked for, whether held-out rows keep it, and its bound; None without a goal. Where there are too few
        rows for inner folds, nothing is promised and its figures are NaN.
    revisions_ : list of Revision
        With ``revise``: the rules after each number of changes, from none on, with the changes in words, their gain on
        held-out rows with its interval, and how many of all rows change sides. ``boxes_`` are those of the best gain,
        or of fewer changes within half a standard error. There is no ``risk_table_`` then.
    risk_table_ : RiskTable
        The risk in the drawings of ``path_`` and in ``boxes_``, from tight to loose: the share of positives among
        held-out rows, with an interval for as many new rows. There is none without inner folds.
    classes_, pos_label_, n_features_in_, feature_names_in_
        As in `FastBoxesClassifier`.

    See Also
    --------
    ScoredBoxesClassifier : Ranks better, with points per box.
    ExactBoxesClassifier : Proves that no drawing is better.
    FastBoxesClassifierCV : For compact clusters.

    Examples
    --------
    >>> from boxdraw import SparseBoxesClassifier
    >>> from boxdraw.datasets import load_dataset
    >>> data = load_dataset("hypothyroid")
    >>> model = SparseBoxesClassifier().fit(data.data, data.target)
    >>> print(model.boxes_.to_text())
    Box 1: TSH ≥ 6 and FTI ≤ 64
    """

    boxes_: BoxSet
    false_alarm_cost_: float
    limit_cost_: float
    max_boxes_: int
    frontier_: Frontier
    path_: list[tuple[float, BoxSet]]
    goal_: KeptGoal | None
    _held_out_point: OperatingPoints | None
    revisions_: list[Revision]
    _shown_as = "Sparse Boxes"
    _ranks = True  # rows, by drawings for other costs
    _mends = True  # rules to revise until they keep all constraints

    def __init__(
        self,
        *,
        max_boxes: int | str = "auto",
        limit_cost: float | str = "auto",
        box_cost: float | str = "auto",
        max_limits: int | None = None,
        false_alarm_cost: float | str | None = None,
        max_alarm_rate: float | None = None,
        min_precision: float | None = None,
        min_recall: float | None = None,
        confidence: float = 0.9,
        base_rate: float | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        allowed_values: Any = None,
        min_box_rows: float | None = None,
        min_box_precision: float | None = None,
        existing: BoxSet | None = None,
        revise: BoxSet | None = None,
        max_changes: int = 3,
        round_limits: bool = True,
        cv: Any = 3,
        categorical_features: Any = None,
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_boxes = max_boxes
        self.limit_cost = limit_cost
        self.box_cost = box_cost
        self.max_limits = max_limits
        self.false_alarm_cost = false_alarm_cost
        self.max_alarm_rate = max_alarm_rate
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.confidence = confidence
        self.base_rate = base_rate
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.allowed_values = allowed_values
        self.min_box_rows = min_box_rows
        self.min_box_precision = min_box_precision
        self.existing = existing
        self.revise = revise
        self.max_changes = max_changes
        self.round_limits = round_limits
        self.cv = cv
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> SparseBoxesClassifier:
        """Learn the boxes.

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
        SparseBoxesClassifier
            The fitted estimator.
        """
        self._check_parameters(stored=False)
        data = read_training_rows(self, X, y, sample_weight, partial(find_ranges, n_jobs=self.n_jobs), groups=groups)
        all_rows = data
        if self.existing is not None:
            data = left_by(self.existing, X, data, self.n_jobs)
            self._even = all_rows.balance / data.balance
        self._learn_rows(data)
        if self.revise is not None:
            self.revisions_ = counted(self.revisions_, X, data.weights, data.kept)
        if self.existing is not None and (idle := idle_rules(self.existing, self.boxes_, X, all_rows)):
            warn(idle_text(self.existing, idle), CautionWarning)
        return self

    def _passes(self) -> Passes:
        first: Passes = [("ranges and positives", 6, 0), ("sample", 23, 0), ("place limits", 3, 0.9)]
        return [*first, ("place limits", 3, 0), ("place limits", 3, 0), ("round limits", 2, 0)]

    def _learn(self, data: Training, table: Table | None) -> None:
        """Learn from rows in memory: all there are or, if there is a ``table``, a sample of it."""
        from boxdraw.learners.engine.draw import warm_up  # numba is not imported before it is needed
        from boxdraw.learners.sparse.fit import Fit

        constraints = ColumnConstraints.of(self._encoding, self, self.max_limits)
        if self.revise is not None and table is not None and constraints.asked.of_rows:
            given = " and ".join(name for name in ("min_box_rows", "min_box_precision") if getattr(self, name))
            raise ValueError(f"revise sees a sample of so large a table, and {given} needs all rows: leave one out.")
        few = draw_sample(data, _SEARCHED)
        progress = Progress("Sparse Boxes", self.verbose)
        asked = constraints.asked
        warm_up(asked.of_shape or asked.of_rows)
        rounded = bool(self.round_limits)
        goal = goal_of(self)
        fit = Fit(data, few, self._encoding, constraints, rounded, self.n_jobs, goal, self.base_rate, table)
        progress.step(f"levels: {len(few.X)} of {len(data.X)} rows, {len(fit.table.columns)} features")
        even = 1.0 if self.existing is None else self._even
        grid = self._grid(data, fit.n_positives, constraints.least_ratio(data), even)
        splits = self._splits(fit, few, len(grid.ratios) > 1)
        choice, aim, doubt = fit.choose(splits, grid, progress)
        smooth = self.false_alarm_cost == "balanced"
        found = fit.draw(grid, choice, smooth, aim, ranks=self._ranks)
        progress.step(f"draw: boxes: {len(found.boxes)}, limits: {found.boxes.n_limits}")
        self.boxes_, self.frontier_, self.path_ = found.boxes, found.frontier, found.path
        self._order, self._ranking = found.order, found.ranking
        self.false_alarm_cost_ = _stated(self.false_alarm_cost, grid.ratios[found.ratio] * data.balance)
        self.limit_cost_ = _stated(self.limit_cost, grid.limits[choice.limit] * data.positive_weight)
        self.goal_, self._held_out_point = None, None if aim is None else aim.point
        if goal is not None:
            kept = goal.untested() if aim is None else aim.kept if len(found.boxes) else goal.missed()
            self.goal_ = replace(kept, of_rest=self.existing is not None)
        self._set_risk(found.risk)
        self.max_boxes_ = grid.n_boxes[choice.n_boxes]
        self.__dict__.pop("revisions_", None)
        if self.revise is not None:
            asked_of_all = replace(asked, max_boxes=None if self.max_boxes == "auto" else int(self.max_boxes))
            self._revise(fit, data if asked.of_rows else few, grid, choice, asked_of_all)
        self._warn(data, doubt, found.flags_everything, asked.any)
        warn_if_missed(self.goal_, asked.any)

    def at(self, n_limits: int) -> SparseBoxesClassifier:
        """Return the classifier with the drawing of at most so many limits from ``frontier_``.

        Parameters
        ----------
        n_limits : int
            The most limits to read.

        Returns
        -------
        SparseBoxesClassifier
            A fitted copy with other ``boxes_``, whose risk is not known; it ranks as this one does, flagged rows first.
            A goal is kept in ``goal_``, which says what held-out rows promise of this drawing. Each is tested on its
            own: if you take the one of many that keeps the goal, it is less sure than ``confidence``.

        Examples
        --------
        >>> from boxdraw import SparseBoxesClassifier
        >>> from boxdraw.datasets import load_dataset
        >>> data = load_dataset("hypothyroid")
        >>> model = SparseBoxesClassifier().fit(data.data, data.target)
        >>> model.at(n_limits=1).boxes_.n_limits
        1
        """
        check_is_fitted(self)
        point = self.frontier_.at(n_limits)
        model = copy.copy(self)
        model._set_risk(None)  # that of other boxes
        if self.goal_ is not None and self._held_out_point is not None and point.n_limits != self.frontier_.chosen:
            goal = Goal(self.goal_.name, self.goal_.value, self.goal_.confidence, self.base_rate)
            model.goal_ = judge(goal, self._held_out_point.at(point.recall, point.false_alarm_rate))
        model.boxes_, model.frontier_ = point.boxes, Frontier(list(self.frontier_), point.n_limits)
        return model

    def decision_function(self, X: Any) -> FloatArray:
        """Rank rows: flagged ones first, then by how well inside the drawings for nine costs they are.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Its sign is that of ``predict``; as everywhere in scikit-learn it ranks towards ``classes_[1]``.
        """
        check_is_fitted(self)
        rows = self._validated(X)
        flagged = self.boxes_.contains(rows, n_jobs=self.n_jobs)
        share = self._ranking.shares(self._order.apply(self._encoding.encode(rows)))
        return self._towards_second_class(np.where(flagged, share, share - 1), flagged)

    def _again(self) -> Any:
        again = super()._again()
        again._ranks = again._mends = False
        if self.revise is not None:
            again.max_changes = next(one.n_changes for one in self.revisions_ if one.boxes == self.boxes_)
        return again

    def _revise(self, fit: Any, data: Training, grid: Any, choice: Any, asked: Constraints) -> None:
        """Take the rules to revise, as far as changes of them pay, instead of the boxes that were found."""
        folds = []
        if self.cv is not None:
            with muted():  # what there is to say of the folds has been said
                folds = inner_splits(data, self._labels(data.positive), self.cv, self.random_state)
        most = int(self.max_changes)
        self.revisions_, taken, broken = fit.revise(self.revise, data, grid, choice, asked, most, folds)
        if broken and self._mends:
            named = ", ".join([*asked.given(), *(name for name in ("max_limits", "max_boxes") if getattr(asked, name))])
            raise ValueError(
                f"max_changes={most} is too few for the rules to revise to keep what is asked ({named}): "
                f"{'; '.join(broken)}. Raise max_changes, change the rules, or ask for less."
            )
        self.boxes_ = self.revisions_[taken].boxes
        self._set_risk(None)  # that of other boxes

    def _statistics(self, boxes: BoxSet, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
        """Return the columns of ``box_table`` and, beside existing rules, what each box adds to them."""
        columns = super()._statistics(boxes, X, y, sample_weight)
        if self.existing is None or isinstance(y, str):  # what is added is counted on rows in memory
            return columns
        positive, member = self._is_positive(X, y), boxes.membership(self._validated(X))
        return columns | added(self.existing, member, X, positive, weights_of(sample_weight, len(positive)))

    def _check_parameters(self, *, stored: bool) -> None:
        self._check_folds(stored)
        check_existing(self.existing)
        if stored and self.existing is not None:
            raise ValueError("fit_table knows no existing rules yet: give the rows to fit, or leave existing out.")
        check_revise(self.revise, self.max_changes)
        if self.revise is not None and (goal := goal_of(self)) is not None:
            raise ValueError(f"revise goes by a cost: state false_alarm_cost instead of {goal.name}.")
        if self.max_boxes != "auto":
            check_scalar(self.max_boxes, "max_boxes", Integral, min_val=1)
        if self.max_limits is not None:
            check_scalar(self.max_limits, "max_limits", Integral, min_val=1)
        for name in ("limit_cost", "box_cost"):
            if getattr(self, name) != "auto":
                check_not_negative(getattr(self, name), name, "'auto' or ")
        check_cost(self.false_alarm_cost, "false_alarm_cost", None, "balanced")
        check_bool(self.round_limits, "round_limits")
        goal_of(self)
        check_base_rate(self.base_rate)

    def _grid(self, data: Training, n_positives: int, least_ratio: float, even: float) -> Any:
        """Return the settings to try, with false alarms of at least some cost relative to the balance."""
        from boxdraw.learners.sparse.learn import Grid

        alone = self.cv is None
        ratios = (even,) if alone or self.false_alarm_cost == "balanced" else tuple(even * one for one in _RATIOS)
        if (goal := goal_of(self)) is not None:
            ratios = tuple(2.0**power for power in range(*_GOAL_RATIOS[goal.name]))
        if isinstance(self.false_alarm_cost, Real):
            ratios = (float(np.clip(float(self.false_alarm_cost) / data.balance, 1 / MOST_RATIO, MOST_RATIO)),)
        ratios = tuple(dict.fromkeys(max(ratio, least_ratio) for ratio in ratios))
        boxes: tuple[int, ...] = (4,) if alone else _BOXES
        if self.max_boxes != "auto":
            most = min(int(self.max_boxes), n_positives)  # each box holds a positive of its own
            boxes = (most,) if alone else (*(n for n in (1, 2, 4, 8, 16, 32) if n < most), most)
        limits: tuple[float, ...] = (0.01,) if alone else (*_SHORT, *_LIMITS)
        if self.limit_cost != "auto":
            limits = (float(self.limit_cost) / data.positive_weight,)
        box = None if self.box_cost == "auto" else float(self.box_cost) / data.positive_weight
        first = len(_SHORT) if len(limits) > 1 else 0
        return Grid(
            ratios, boxes, limits, first, box, min(int(self.max_limits or NO_CAP), NO_CAP), even, self.base_rate
        )

    def _splits(self, fit: Any, few: Training, costs: bool) -> list[Any]:
        """Return the inner folds."""
        if self.cv is None:
            return []
        if isinstance(self.cv, Integral) and few.groups is None:
            check_scalar(self.cv, "cv", Integral, min_val=2)
            seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31))
            return list(fit.deal(int(self.cv), seed, costs))
        return list(fit.given(self._labels(few.positive), self.cv))

    def _warn(self, data: Training, doubt: str, everything: bool, constrained: bool) -> None:
        """Give at most one warning about the model, or what else is to be said of it."""
        if not len(self.boxes_) and self.goal_ is not None:
            doubt = ""  # the goal says so
        elif not len(self.boxes_):
            cost = "limit_cost or false_alarm_cost" + ", relax the constraints" * constrained
            doubt = nothing_is_flagged("No box was found that pays for its limits", cost)
        elif everything:
            doubt = everything_is_flagged(self)
        else:
            doubt = guesses(data, "boxes") or doubt
        caution(self, data, doubt)


def _stated(given: Any, chosen: float) -> float:
    """Return a cost as the user stated it, to the last digit, or what was chosen."""
    return float(given) if isinstance(given, Real) else chosen
