"""FastBoxesClassifierCV: the estimator that chooses its own parameters."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from functools import partial
from itertools import product
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.metrics import get_scorer

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.progress import Progress
from boxdraw._core.tiles import threaded_map
from boxdraw.learners.base import unchanged_on_error
from boxdraw.learners.doubts import caution, everything_is_flagged, nothing_is_flagged, ranks_by_chance
from boxdraw.learners.fast.divide import MEANS
from boxdraw.learners.fast.fast_boxes import FastBoxesClassifier, LearnedFastBoxes, check_clusterer, range_width
from boxdraw.learners.fast.folds import Fold, FoldFits, FoldModel, best_cost, suitable_price
from boxdraw.learners.fast.grid import Grid, Setting, Task, next_tasks, read_grid, results_of, values_of
from boxdraw.learners.fast.growth import Growth, growth_named
from boxdraw.learners.fast.matched import MatchedFits
from boxdraw.learners.fast.path import critical_weights
from boxdraw.learners.fast.sources import Source
from boxdraw.learners.fast.stages import Plan
from boxdraw.learners.folds import auc, chance_level, inner_splits, n_repeats
from boxdraw.learners.goals import Goal, KeptGoal, OperatingPoints, goal_of, pick, warn_if_missed
from boxdraw.learners.parameters import check_bool, check_cost
from boxdraw.learners.risk import FoldRows, held_out_risk, ladder, spread
from boxdraw.learners.stored import Passes
from boxdraw.metrics import auh_score
from boxdraw.model.boxes import BoxSet
from boxdraw.model.risk import RiskTable, check_base_rate
from boxdraw.tables.training import Training

_ERRORS = 3  # standard errors above one half that the best of many settings hardly ever reaches by chance
_COSTS = 1e-6, 1e6  # of false alarms, where a goal decides
_STEPS = tuple((10.0 ** np.linspace(1, -1, 9)).tolist())  # costs relative to the chosen one, for regions of risk


class FastBoxesClassifierCV(LearnedFastBoxes):
    """Fast Boxes with its parameters chosen by cross-validation; the one to start with.

    Every combination of the values below is scored on the inner folds. Costs and expansions share one pass over the
    data, so a grid costs little more than its numbers of boxes.

    For a table of more than a million cells, the parameters are chosen on a sample of about a million: at most half of
    its rows are positives, weights give each class its full weight, and the choice depends on the rows' values, not on
    their order. The boxes are drawn on all rows. Folds that are given (see `cv`) use all rows.

    Parameters
    ----------
    n_boxes : "auto", int or sequence of int, default="auto"
        Numbers of boxes to try. "auto" tries 3, 1 and 6, and then those next to the best one, up to 10; the distance is
        chosen with 3 boxes. Of a sequence all are tried. Those above the number of distinct positives in a fold are
        left out, and if none is left, that number is tried.
    expansion : float or sequence of float, default=(0, 0.01, 0.1, 0.3)
        Pushes outwards to try, as shares of the weight of the negatives (see `relative_expansion`).
    growth : str or sequence of str, default=("nearest_negative", "edge", "free")
        Growth rules to try.
    feature_range : pair or sequence of pairs, default=((-1, 1), (-3, 3))
        Ranges to which features are scaled while learning.
    distance : str or sequence of str, default=("mean", "sum")
        Distances of rows from boxes to try, see `FastBoxesClassifier`. Up to six features that vary they are the same,
        and the first one alone is tried.
    negative_weight : None, "balanced", float or sequence of float, default=None
        Cost of a false alarm in the fit. None sets it after the other parameters, see `false_alarm_cost`. A sequence
        is part of the grid when `scoring` is given; otherwise the one that suits `false_alarm_cost` best is taken.
    relative_expansion : bool, default=True
        Whether `expansion` is a share of the weight of the training negatives, so that one grid fits tables of any
        size, or the value of ``FastBoxesClassifier.expansion`` itself.
    false_alarm_cost : float, "balanced" or None, default=None
        What a false alarm costs you relative to a miss. `negative_weight_` is set where misses plus that many times
        the false alarms are least on the inner folds, brought to the scale of the fit to all rows. "balanced" weighs
        the classes equally (best balanced accuracy). None does so, too, unless a higher cost, up to 1, gains more in
        precision than 20 times what it loses in balanced accuracy.
    max_alarm_rate, min_precision, min_recall, confidence : float or None
        Goals instead of a cost, as in `SparseBoxesClassifier`: `negative_weight_` is the best one that keeps the goal
        on the inner folds.
    base_rate : float or None, default=None
        As in `SparseBoxesClassifier`.
    simplified : bool, default=True
        Whether to leave out boxes and limits as long as misses plus `false_alarm_cost_` times the false alarms on the
        training rows do not rise, unless that does worse on the inner folds. The boxes, the path and critical weights
        are then those of the limits that are left. False keeps a limit wherever the closed form has one, as in the
        paper.
    scoring : str, callable or None, default=None
        A scikit-learn scorer; None is the area under the hull of the ROC over all costs (AUH).
    cv : int, splitter or iterable of (train, test), default=3
        The inner folds. An int gives stratified folds that depend on the rows' values, not on their order: the same
        table gives the same model. Anything else is slow on large tables: see above.
    clusterer, categorical_features, pos_label, round_limits, random_state, n_jobs, verbose
        As in `FastBoxesClassifier`; an int as `random_state` gives other folds, and threads share the grid.

    Attributes
    ----------
    boxes_, classes_, pos_label_, n_features_in_, feature_names_in_
        As in `FastBoxesClassifier`.
    negative_weight_, expansion_, growth_
        The cost, the expansion (absolute) and the growth rule in use.
    false_alarm_cost_ : float
        What a false alarm costs relative to a miss: `false_alarm_cost`, or a number given as `negative_weight`, or what
        was found on the inner folds.
    goal_ : KeptGoal or None
        As in `SparseBoxesClassifier`.
    risk_table_ : RiskTable
        As in `SparseBoxesClassifier`; the regions are the boxes at nine costs, ``boxes_`` among them.
    best_params_ : dict
        The setting of the grid with the best mean score; ties go to fewer boxes, then to the earlier setting. With a
        single row in a class there is nothing to choose by: the first values of all parameters are used, with a
        warning, and this and the three below are missing.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of ndarray
        ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``, ``std_test_score``,
        ``rank_test_score``, as in `GridSearchCV`. There are no times: settings share their work.

    See Also
    --------
    FastBoxesClassifier : One setting.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from boxdraw import FastBoxesClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FastBoxesClassifierCV(n_boxes=(1, 2), random_state=0).fit(X, y)
    >>> int(model.pos_label_)
    0
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    false_alarm_cost_: float
    cv_results_: dict[str, Any]
    best_index_: int
    best_score_: float
    best_params_: dict[str, Any]
    goal_: KeptGoal | None
    _held_out: list[FoldRows] | None  # during a fit

    def __init__(
        self,
        *,
        n_boxes: Any = "auto",
        expansion: Any = (0.0, 0.01, 0.1, 0.3),
        growth: Any = ("nearest_negative", "edge", "free"),
        feature_range: Any = ((-1, 1), (-3, 3)),
        distance: Any = ("mean", "sum"),
        negative_weight: Any = None,
        relative_expansion: bool = True,
        false_alarm_cost: float | str | None = None,
        max_alarm_rate: float | None = None,
        min_precision: float | None = None,
        min_recall: float | None = None,
        confidence: float = 0.9,
        base_rate: float | None = None,
        simplified: bool = True,
        scoring: Any = None,
        cv: Any = 3,
        clusterer: Any = None,
        categorical_features: Any = None,
        pos_label: Any = None,
        round_limits: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_boxes = n_boxes
        self.expansion = expansion
        self.growth = growth
        self.feature_range = feature_range
        self.distance = distance
        self.negative_weight = negative_weight
        self.relative_expansion = relative_expansion
        self.false_alarm_cost = false_alarm_cost
        self.max_alarm_rate = max_alarm_rate
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.confidence = confidence
        self.base_rate = base_rate
        self.simplified = simplified
        self.scoring = scoring
        self.cv = cv
        self.clusterer = clusterer
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.round_limits = round_limits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self, *, stored: bool) -> None:
        read_grid(self)
        check_cost(self.false_alarm_cost, "false_alarm_cost", None, "balanced")
        check_clusterer(self.clusterer)
        if self.negative_weight is not None:
            for cost in values_of(self.negative_weight):
                check_cost(cost, "negative_weight", "balanced")
        goal_of(self)
        check_base_rate(self.base_rate)
        for name in ("relative_expansion", "simplified", "round_limits"):
            check_bool(getattr(self, name), name)
        if stored and not isinstance(self.cv, Integral):
            raise ValueError(
                f"fit_table needs a number of folds as cv, for a splitter sees no rows; got cv={self.cv!r}."
            )

    def _again(self) -> FastBoxesClassifier:
        setting = getattr(self, "best_params_", {name: values[0] for name, values in read_grid(self).items()})
        names = "clusterer", "categorical_features", "round_limits", "random_state"
        setting = setting | {name: getattr(self, name) for name in names}
        setting |= {name: getattr(self, f"{name}_") for name in ("negative_weight", "expansion", "growth", "pos_label")}
        again = FastBoxesClassifier(**setting)
        again._simplified_at = self._simplified_at
        return again

    def _doubt(self, source: Source) -> str:
        """Return a warning if the boxes hold none or all of the rows that the parameters were chosen on."""
        lower, upper = self._edges.limits(self.negative_weight_, self.expansion_, growth_named(self.growth_))
        X = self._edges.order.apply(self._rows(source).X)
        flagged = np.zeros(len(X), dtype=np.bool_)
        for low, high in zip(lower, upper, strict=True):
            flagged |= (((low <= X) & (high >= X)) | np.isnan(X)).all(axis=1)
        cost = "false_alarm_cost" if self.negative_weight is None else "negative_weight"
        if not flagged.any() and (goal := goal_of(self)) is not None:
            self.goal_ = goal.missed()
            return ""  # the warning of the goal says so
        if not flagged.any():
            why = f"No training row is in a box at a cost of {self.negative_weight_:.3g} per false alarm"
            more = "In Python, path() has boxes at other costs, and critical_weight() ranks rows."
            return f"{nothing_is_flagged(why, cost)} {more}"
        # At a weight of one's own there may well be nothing else: the path of costs is what matters then.
        everything = self.negative_weight is None and flagged.all()
        return super()._doubt(source) or (everything_is_flagged(self) if everything else "")

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose the parameters and draw the boxes.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, as in `FastBoxesClassifier`.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as the customer: inner folds keep groups whole, and a splitter as ``cv`` gets
            them. In pipelines and searches they come by scikit-learn's metadata routing.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit_rows(X, y, sample_weight, groups)

    def _fit(self, source: Source) -> None:
        self._held_out = None
        super()._fit(source)
        self._set_risk(self._risk(source))
        del self._held_out

    def _warn(self, source: Source) -> None:
        caution(self, self._rows(source), self._doubt(source) or self._by_chance)
        warn_if_missed(self.goal_)

    def _passes(self) -> Passes:
        first: Passes = [("ranges and positives", 6, 0), ("sample", 21, 0)]
        return [*first, ("divide", 19, 3.1), ("expand", 6, 0), ("round limits", 5, 0), ("round limits", 24, 0)]

    def _choose(self, source: Source) -> tuple[Plan, float, float, Growth]:
        """Choose a setting of the grid and the cost on the inner folds."""
        for name in ("best_params_", "best_score_", "best_index_", "cv_results_"):
            self.__dict__.pop(name, None)  # an earlier fit's, where this one has nothing to choose by
        goal, self._by_chance = goal_of(self), ""
        self.goal_ = None if goal is None else goal.untested()  # until folds tell
        grid = read_grid(self)
        scorer = None if self.scoring is None else get_scorer(self.scoring)
        positive, negative = source.weights
        rows = self._rows(source)
        folds = self._folds(rows)
        balance = positive / negative
        given_price = self.negative_weight if self.false_alarm_cost is None else self.false_alarm_cost
        price = given_price if isinstance(given_price, Real) else balance
        self.false_alarm_cost_, simpler = float(price), bool(self.simplified)
        if folds:
            fitted = [FoldFits(fold) for fold in folds]
            setting = self._search(grid, scorer, folds, fitted)
            c, simpler = self._cost(setting, balance, folds, fitted, rows)
        else:
            setting, c = {name: values[0] for name, values in grid.items()}, balance
        self._simplified_at = self.false_alarm_cost_ if simpler else None
        plan = self._plan(setting["feature_range"], setting["distance"], setting["n_boxes"], self.verbose)
        return plan, c, self._push(setting["expansion"], negative), growth_named(setting["growth"])

    def _rows(self, source: Source) -> Training:
        """Return the rows to choose on: folds that are given, and groups, are of all rows."""
        has_groups = source.rows is not None and source.rows.groups is not None
        given = None if isinstance(self.cv, Integral) and not has_groups else source.rows
        return source.trial if given is None else given

    def _plan(self, feature_range: Any, distance: str, n_boxes: int, verbose: int = 0) -> Plan:
        return Plan(n_boxes, range_width(feature_range), self.clusterer, self.random_state, distance, verbose)

    def _folds(self, data: Training) -> list[Fold]:
        labels = self._labels(data.positive)
        splits = inner_splits(data, labels, self.cv, self.random_state)
        return [Fold(data.take(train), data.take(test), train, test, labels[test]) for train, test in splits]

    def _search(self, grid: Grid, scorer: Any, folds: list[Fold], fitted: list[FoldFits]) -> Setting:
        """Score the grid on the folds and return the best setting."""
        rules = [growth_named(name) for name in grid["growth"]]
        most = min(fits.most_boxes() for fits in fitted)
        grid = grid | {"n_boxes": [n for n in grid["n_boxes"] if n <= most] or [most]}
        if max(fits.n_active for fits in fitted) <= MEANS:
            grid["distance"] = grid["distance"][:1]
        progress = Progress("Fast Boxes CV", self.verbose)

        def work(task: Task) -> list[tuple[Setting, list[float]]]:
            plan, per_fold = self._plan(*task), []
            for fold, fits in zip(folds, fitted, strict=True):
                pushes = [self._push(expansion, fold.train.negative_weight) for expansion in grid["expansion"]]
                per_fold.append(fits.weights(fits.edges(plan, rules), plan.width, rules, pushes))
            rows = []
            for (g, growth), (e, expansion) in product(enumerate(grid["growth"]), enumerate(grid["expansion"])):
                setting = dict(zip(("feature_range", "distance", "n_boxes"), task, strict=True))
                setting |= {"growth": growth, "expansion": expansion}
                rows += self._scores(setting, [weights[g][e] for weights in per_fold], scorer, folds)
            return rows

        done, best = 0, None
        rows: list[tuple[Setting, list[float]]] = []
        while tasks := next_tasks(grid, self.n_boxes == "auto", best, {setting["n_boxes"] for setting, _ in rows}):
            n_tasks = done + len(tasks)
            for result in threaded_map(work, tasks, self.n_jobs):
                rows += result
                done += 1
                progress.share(done, n_tasks)
            best = self._best(rows)
        assert best is not None
        return best

    def _best(self, rows: list[tuple[Setting, list[float]]]) -> Setting:
        """Arrange the scores so far and return the best setting."""
        settings = [setting for setting, _ in rows]
        self.cv_results_ = results_of(settings, np.array([scores for _, scores in rows]))
        mean = self.cv_results_["mean_test_score"]
        if np.isnan(mean).all():
            raise ValueError(f"scoring={self.scoring!r} gives NaN for every setting.")
        best = min(np.flatnonzero(mean == np.nanmax(mean)), key=lambda i: (settings[i]["n_boxes"], i))
        self.best_index_, self.best_score_, self.best_params_ = int(best), float(mean[best]), settings[best]
        return settings[best]

    def _push(self, expansion: float, negative_weight: float) -> float:
        return float(expansion * negative_weight if self.relative_expansion else expansion)

    def _scores(
        self, setting: Setting, critical: list[FloatArray], scorer: Any, folds: list[Fold]
    ) -> list[tuple[Setting, list[float]]]:
        """Score one setting on all folds; once per cost where the costs are part of the grid."""
        if scorer is None:
            scores = [
                auh_score(fold.test.positive, weights, sample_weight=fold.test.weight)
                for fold, weights in zip(folds, critical, strict=True)
            ]
            return [(setting, scores)]
        if self.negative_weight is None:
            costs: list[tuple[Setting, Any]] = [(setting, self._best_cost(critical, folds, None))]
        else:
            costs = [({**setting, "negative_weight": cost}, cost) for cost in values_of(self.negative_weight)]
        return [
            (full, [self._score(scorer, *pair, cost) for pair in zip(critical, folds, strict=True)])
            for full, cost in costs
        ]

    def _score(self, scorer: Any, critical: FloatArray, fold: Fold, cost: Any) -> float:
        c = fold.train.balance if cost == "balanced" else float(cost)
        model = FoldModel(critical, c, self.classes_, self.pos_label_)
        weights = {}
        if fold.test.weight is not None and "sample_weight" in inspect.signature(scorer).parameters:
            weights["sample_weight"] = fold.test.weight
        return float(scorer(model, fold.test.X, fold.test_labels, **weights))

    def _best_cost(self, critical: list[FloatArray], folds: list[Fold], choices: Sequence[float] | None) -> float:
        """Return the cost that suits `false_alarm_cost` best on the test rows of all folds together."""
        pooled = _pooled(folds)
        price = float(self.false_alarm_cost) if isinstance(self.false_alarm_cost, Real) else pooled.balance
        return best_cost(np.concatenate(critical), pooled.positive, pooled.weight, price, choices)

    def _cost(
        self, setting: Setting, balance: float, folds: list[Fold], fitted: list[FoldFits], rows: Training
    ) -> tuple[float, bool]:
        """Return the cost for the final fit, and whether to simplify; find out what a false alarm costs."""
        given = setting.get("negative_weight", self.negative_weight)
        c = balance if given == "balanced" else float(given) if isinstance(given, Real) else None
        plan = self._plan(setting["feature_range"], setting["distance"], setting["n_boxes"])
        push = partial(self._push, setting["expansion"])
        matched = MatchedFits(plan, growth_named(setting["growth"]), push, rows, folds, fitted)
        self._by_chance = _doubt_of_ranking(matched.weights, folds, rows.positive)
        pooled, critical, tests = _pooled(folds), np.concatenate(matched.weights), [fold.rows for fold in folds]
        if (goal := goal_of(self)) is not None:
            c, simpler = self._keep(goal, matched, pooled, n_repeats(tests))
        else:
            c = self._suited(given, c, balance, critical, pooled)
            simpler = bool(self.simplified) and matched.simpler_is_as_good(c, self.false_alarm_cost_)
        self._held_out = matched.held_out(c, self.false_alarm_cost_ if simpler else None)
        return c, simpler

    def _suited(self, given: Any, c: float | None, balance: float, critical: FloatArray, pooled: Training) -> float:
        """Return the cost that is given, or else the one that suits what a false alarm costs; find that out."""
        if given is None and self.false_alarm_cost is None:
            self.false_alarm_cost_ = suitable_price(critical, pooled.positive, pooled.weight, pooled.balance)
        if c is None:
            choices = None if given is None else [balance if cost == "balanced" else cost for cost in given]
            c = best_cost(critical, pooled.positive, pooled.weight, self.false_alarm_cost_, choices)
        return c

    def _ladder(self, source: Source, c: float) -> list[BoxSet]:
        """Return the boxes at costs from ten times the chosen one to a tenth of it, with round limits if there are."""
        growth, order = growth_named(self.growth_), self._edges.order
        costs = _costs_around(c)[np.array(_STEPS) != 1]
        limits = [self._edges.limits(cost, self.expansion_, growth) for cost in costs]
        lower, upper = (np.concatenate(side) for side in zip(*limits, strict=True))
        if self._rounded:
            lower, upper = source.rounded((lower, upper), order, self._encoding)
        ends = np.cumsum([len(low) for low, _ in limits])[:-1]
        parts = zip(np.split(lower, ends), np.split(upper, ends), strict=True)
        levels = [self._encoding.boxes(*part, order) for part in parts]
        return [*levels[: len(levels) // 2], self.boxes_, *levels[len(levels) // 2 :]]

    def _risk(self, source: Source) -> RiskTable | None:
        """Return the risk of the boxes at several costs, by the critical weights of held-out rows."""
        if self._held_out is None:
            return None
        rows, c = self._rows(source), self.negative_weight_
        boxes, of, region = ladder(self._ladder(source, c))
        critical = critical_weights(self._edges, rows.X, [self.expansion_], growth_named(self.growth_), self.n_jobs)[0]
        place = region[np.searchsorted(-_costs_around(c), -critical)]
        counts = spread(place, rows.weights, len(of), self._held_out)
        times = max(1.0, sum(len(fold.positive) for fold in self._held_out) / len(rows.X))  # that a row is held out
        return held_out_risk(of, counts, boxes, times=times, base_rate=self.base_rate, each=rows.stand_for)

    def _keep(self, goal: Goal, matched: MatchedFits, pooled: Training, times: float) -> tuple[float, bool]:
        """Return the best cost that keeps a goal on the inner folds, and whether it does so without needless limits."""
        costs, flagged = matched.within(goal)
        weight = pooled.weights / times  # a row that is held out several times counts once
        count = partial(OperatingPoints.of_masks, positive=pooled.positive, weight=weight, each=pooled.stand_for)
        at, self.goal_ = pick(goal, count(flagged))
        c = float(np.clip(costs[at], *_COSTS))
        # What a false alarm costs if boxes of this precision just pay; those that flag nothing have none.
        base_rate = pooled.positive_weight / pooled.weights.sum() if goal.base_rate is None else goal.base_rate
        precision = np.clip(self.goal_.precision, base_rate, max(base_rate, 0.999))
        price = precision / (1 - precision) * goal.negatives_each(pooled.balance)
        self.false_alarm_cost_ = float(np.clip(price, *_COSTS))
        if not self.simplified or not matched.simpler_is_as_good(c, self.false_alarm_cost_):
            return c, False
        if goal.is_most and matched.simpler_flags_more(c, self.false_alarm_cost_, goal, goal.shares[at]):
            return c, False  # more alarms may pay, but were not asked for
        _, simpler = pick(goal, count(matched.simpler_flags(c, self.false_alarm_cost_)[None]))
        if not simpler.is_as_near(self.goal_):
            return c, False
        self.goal_ = simpler
        return c, True


def _costs_around(c: float) -> FloatArray:
    """Return costs from ten times a given one, which is among them, to a tenth of it."""
    return np.array([min(c * step, sys.float_info.max) for step in _STEPS])


def _doubt_of_ranking(critical: list[FloatArray], folds: list[Fold], positive: BoolArray) -> str:
    """Return a warning if held-out rows are ranked by chance."""
    pairs = zip([fold.test for fold in folds], critical, strict=True)
    reached = np.mean([auc(test.positive, rank, test.weights) for test, rank in pairs])
    return ranks_by_chance(float(reached), chance_level(positive, [fold.rows for fold in folds], _ERRORS), "boxes")


def _pooled(folds: list[Fold]) -> Training:
    """Return the test rows of all folds, without their values."""
    tests = [fold.test for fold in folds]
    return Training(
        X=np.empty((sum(len(test.X) for test in tests), 0)),
        positive=np.concatenate([test.positive for test in tests]),
        weight=None if tests[0].weight is None else np.concatenate([test.weight for test in tests]),
        stand_for=tests[0].stand_for,
    )
