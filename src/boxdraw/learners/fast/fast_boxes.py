"""FastBoxesClassifier: the stages of the paper behind the interface of scikit-learn."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.ranges import LARGE, find_ranges
from boxdraw._core.warn import CautionWarning, warn
from boxdraw.learners.base import BaseBoxClassifier, unchanged_on_error
from boxdraw.learners.doubts import caution, guesses
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import GROWTHS, Growth, growth_named
from boxdraw.learners.fast.needed import needed_edges
from boxdraw.learners.fast.path import CostPath, TrainingRoc, critical_weights
from boxdraw.learners.fast.sources import LargeTable, SmallTable, Source, training_roc
from boxdraw.learners.fast.stages import Plan
from boxdraw.learners.parameters import check_bool, check_choice, check_cost, check_not_negative
from boxdraw.learners.stored import Passes, TableLearner
from boxdraw.tables.chunks import Table
from boxdraw.tables.keys import Keys
from boxdraw.tables.training import Training, read_training_rows

DISTANCES = "mean", "sum"

_MANY = 16  # features
_RARE, _SHARE = 100, 0.01  # positives, and their share: with fewer, the balance may be many alarms per positive
_FAR = 8.0  # a distance at which rows pull about 3000 times less than beside a box


class BaseFastBoxes(BaseBoxClassifier):
    """A fitted Fast Boxes model: the edges' sums, and everything that one set of them answers."""

    negative_weight_: float
    expansion_: float
    growth_: str
    n_jobs: int | None
    _edges: Edges
    _rounded = False
    _roc: TrainingRoc | Training | Table  # computed when it is asked for: it takes about as long as the fit

    def decision_function(self, X: Any) -> FloatArray:
        """Rank rows by log critical weight less log ``negative_weight_``.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Finite, also for rows that are flagged at any cost, which rank highest; its sign is that of ``predict``. As
            everywhere in scikit-learn it ranks towards ``classes_[1]``; ``critical_weight`` always ranks towards the
            positive class.
        """
        critical = self.critical_weight(X)
        finite = np.clip(critical, np.finfo(np.float64).tiny, self._ceiling())
        score = np.log(finite) - math.log(self.negative_weight_)
        return self._towards_second_class(score, self._flagged(X, critical))

    def _flagged(self, X: Any, critical: FloatArray) -> BoolArray:
        if self._rounded:  # a round limit is elsewhere in the gap between training rows than the closed form has it
            return self.boxes_.contains(self._validated(X), n_jobs=self.n_jobs)
        return np.asarray(critical >= self.negative_weight_)

    def critical_weight(self, X: Any) -> FloatArray:
        """Return the largest cost of a false alarm at which each row is still flagged.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            c* per row: a model fitted to the same data with ``negative_weight=c`` and ``round_limits=False`` flags the
            row exactly when c <= c*; with round limits that holds for every training row. Infinite for rows that are
            flagged at any cost; ``decision_function`` gives the same order in finite numbers. c is a weight in the fit:
            `FastBoxesClassifierCV` finds the one that suits what a false alarm costs you (``false_alarm_cost``).

        Examples
        --------
        >>> import numpy as np
        >>> from boxdraw import FastBoxesClassifier
        >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
        >>> model = FastBoxesClassifier(n_boxes=1).fit(X, [0, 1, 1, 0, 0, 0])
        >>> model.critical_weight([[3.0], [4.0], [5.0]]).round(2).tolist()
        [inf, 0.32, 0.14]
        """
        check_is_fitted(self)
        return critical_weights(self._edges, self._encoded(X), [self.expansion_], GROWTHS[self.growth_], self.n_jobs)[0]

    def path(self, negative_weights: Any = None) -> CostPath:
        """Return the boxes and the training ROC at any costs, without another fit.

        Parameters
        ----------
        negative_weights : array-like of positive numbers, optional
            Costs of a false alarm relative to a miss. By default one for each corner of the hull of the training
            ROC: those at which some trade-off is best.

        Returns
        -------
        CostPath
            A sequence of points, one per cost, each with ``boxes``, ``fpr``, ``tpr`` and ``text``; it also has the
            full training ROC and ``plot()``. The limits of these boxes are those of the closed form, not rounded.
        """
        check_is_fitted(self)
        if negative_weights is None:
            weights = self._training_roc().corners()
        else:
            weights = np.asarray(negative_weights, dtype=np.float64).reshape(-1)
            if not (np.isfinite(weights) & (weights > 0)).all():
                raise ValueError(f"negative_weights must be finite and positive; got {negative_weights!r}.")
        return CostPath(
            self._edges,
            self._training_roc(),
            weights,
            expansion=self.expansion_,
            growth=GROWTHS[self.growth_],
            encoding=self._encoding,
            current=self.negative_weight_,
        )

    def _ceiling(self) -> float:
        """Return a finite number that stands for an infinite critical weight."""
        return self._edges.ceiling(self.expansion_, GROWTHS[self.growth_])

    def _training_roc(self) -> TrainingRoc:
        """Return the training ROC, from the rows that were kept for it if nothing has asked for it before."""
        roc = self._roc  # read once: another thread may compute it meanwhile
        if not isinstance(roc, TrainingRoc):
            self._roc = roc = training_roc(roc, self._edges, self.expansion_, GROWTHS[self.growth_], self.n_jobs)
        return roc

    def __getstate__(self) -> dict[str, Any]:
        if "_roc" in self.__dict__:
            self._training_roc()  # a saved model holds no training rows
        state: dict[str, Any] = super().__getstate__()
        return state


class LearnedFastBoxes(BaseFastBoxes, TableLearner, ABC):
    """The fit: rows in memory and stored tables differ in their source alone."""

    round_limits: bool
    verbose: int
    _shown_as = "Fast Boxes"
    _simplified_at: float | None = None  # what a false alarm costs where limits are left out

    @abstractmethod
    def _choose(self, source: Source) -> tuple[Plan, float, float, Growth]:
        """Return how to draw the boxes: the plan, the cost, the expansion and the growth rule."""

    def _needed(self, edges: Edges, source: Source) -> Edges:
        """Return the edges that are shown: all of them, as in the paper, or those that are needed at some price."""
        if self._simplified_at is None:
            return edges
        setting = self.negative_weight_, self.expansion_, GROWTHS[self.growth_]
        return needed_edges(edges, source.trial, *setting, self._simplified_at)

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the boxes.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; an integer weight gives exactly the boxes of as many copies of the row. Weights play no part in the
            choice of the positive class, for which copies count.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit_rows(X, y, sample_weight)

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        """Fit rows in memory."""
        self._check_parameters(stored=False)
        rows = read_training_rows(self, X, y, sample_weight, partial(find_ranges, n_jobs=self.n_jobs), groups)
        small = rows.X.size <= LARGE
        self._fit(SmallTable(rows) if small else LargeTable.in_memory(rows, self._encoding, self.n_jobs))
        return self

    def _fit_stored(self, table: Any) -> None:
        self._fit(LargeTable(table, Keys(table.encoding, table.order)))

    def _fit(self, source: Source) -> None:
        """Draw the boxes for one setting; keep the edges, which answer for the others."""
        plan, c, expansion, growth = self._choose(source)
        self.negative_weight_, self.expansion_, self.growth_ = c, expansion, growth.name
        self._edges = self._needed(source.edges(plan, c, expansion, growth), source)
        self._roc = source.for_roc()
        limits, order = self._edges.limits(c, expansion, growth), self._edges.order
        self._rounded = bool(self.round_limits)
        if self._rounded:
            limits = source.rounded(limits, order, self._encoding)
        self.boxes_ = self._encoding.boxes(*limits, order)
        self._warn(source)

    def _warn(self, source: Source) -> None:
        if doubt := self._doubt(source):
            warn(doubt, CautionWarning)
        elif source.n_positives < _RARE and isinstance(self.negative_weight, str):
            positive, negative = source.weights
            if positive < _SHARE * negative:  # the sample takes another pass
                caution(self, source.trial, guesses(source.trial, "boxes"))

    def _doubt(self, source: Source) -> str:
        """Return a warning if a box flags every row because all negatives are far away, as in many dimensions."""
        if self.boxes_.limited.any(axis=1).all() or self._edges.scaling.active.sum() < _MANY:
            return ""
        if self._edges.sums.negative.max() > math.exp(1 - _FAR) * source.weights[1]:
            return ""
        return (
            "A box has no limits, so every row is flagged. Forces on its edges fall with the distance of the rows, "
            f"added up over {self.boxes_.n_features} features, and here no negative is near enough to hold any "
            "edge. Use fewer features, or ScoredBoxesClassifier, which copes with any number of them. In Python, "
            "distance='mean', a narrower feature_range or a larger negative_weight may help, too."
        )


class FastBoxesClassifier(LearnedFastBoxes):
    """Fast Boxes: cluster the positives, then place each edge of each box by a closed form.

    The model is a union of axis-parallel boxes around the rare class. One fit holds the answer for every cost of a
    false alarm: see `path` and `critical_weight`. `FastBoxesClassifierCV` chooses the parameters for you.

    Of more than 100 000 distinct positives, a sample that depends on their values alone is clustered, and the others
    join the cluster with the nearest centre.

    Parameters
    ----------
    n_boxes : int, default=3
        Number of clusters of positives and so of boxes; reduced, with a warning, when there are fewer distinct
        positives.
    negative_weight : float or "balanced", default="balanced"
        The cost of a false alarm relative to a miss, c. Boxes shrink as it rises. "balanced" is the weight of the
        positives over that of the negatives.
    expansion : float, default=0.0
        A push outwards on every edge, beta >= 0. It competes with the pull of the negatives, so useful values grow
        with their number.
    growth : {"nearest_negative", "edge", "free"}, default="nearest_negative"
        "nearest_negative" never shrinks a box below its cluster and extends each edge to the nearest negative, as
        in the paper; "edge" leaves the latter out; "free" may also shrink, which is better when the classes overlap.
    feature_range : tuple (min, max), default=(-1, 1)
        The range to which features are scaled while learning. Only its width matters: the wider, the more local
        are the forces on an edge.
    distance : {"mean", "sum"}, default="mean"
        How far a row is from a box, which decides how hard it pulls: "sum" adds up, over all features, by how much it
        is beyond the box, as in the paper. The more features, the weaker are then all pulls, until no negative holds an
        edge. "mean" is six times the mean over the features, or their sum up to six features.
    clusterer : clusterer with ``fit_predict``, default=None
        Any scikit-learn clusterer for the distinct positives on the scale of `feature_range`; None is k-means on
        standardised positives. ``n_clusters`` or ``n_components`` is set to `n_boxes` where there is one;
        ``sample_weight`` is passed where it is taken. Rows labelled -1 are in no box's cluster.
    categorical_features : list of column names or numbers, default=None
        Numeric columns to treat as categories. Columns of strings, categories and booleans always are; one in which
        most rows have a category of their own looks like an identifier and gives a warning.
    pos_label : label, default=None
        The positive class; the class with fewer rows if None.
    round_limits : bool, default=True
        Whether to store each limit as the roundest number in the gap between the training rows in its box and those
        that it excludes; no training row changes sides. Whole-number columns get whole limits, and ``= 1`` is the limit
        of a column of 0 and 1. False keeps the last bit of the closed form.
    random_state : int, RandomState instance or None, default=None
        Only used with very many distinct positives (over 1400), where the start of k-means is drawn at random; None is
        the same as 0.
    n_jobs : int or None, default=None
        Threads for passes over large tables. The model does not depend on it.
    verbose : int, default=0
        Print the stages as they end.

    Attributes
    ----------
    boxes_ : BoxSet
        The model, in the user's units.
    classes_ : ndarray of shape (2,)
        The labels.
    pos_label_ : label
        The positive class.
    negative_weight_ : float
        The cost c in use.
    expansion_, growth_ : float, str
        The expansion and growth rule in use.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X had them.

    See Also
    --------
    FastBoxesClassifierCV : Chooses the parameters by cross-validation.

    References
    ----------
    S. T. Goh and C. Rudin, "Box Drawings for Learning with Imbalanced Data", KDD 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from boxdraw import FastBoxesClassifier
    >>> X = np.array([[1.0, 5.0], [2.0, 4.0], [2.5, 1.0], [6.0, 4.5], [7.0, 2.0], [8.0, 3.0]])
    >>> model = FastBoxesClassifier(n_boxes=1).fit(X, [0, 1, 1, 0, 0, 0])
    >>> print(model.boxes_.to_text())
    Box 1: x0 ≤ 5 and x1 ≤ 4
    """

    def __init__(
        self,
        *,
        n_boxes: int = 3,
        negative_weight: float | str = "balanced",
        expansion: float = 0.0,
        growth: str = "nearest_negative",
        feature_range: tuple[float, float] = (-1, 1),
        distance: str = "mean",
        clusterer: Any = None,
        categorical_features: Any = None,
        pos_label: Any = None,
        round_limits: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_boxes = n_boxes
        self.negative_weight = negative_weight
        self.expansion = expansion
        self.growth = growth
        self.feature_range = feature_range
        self.distance = distance
        self.clusterer = clusterer
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.round_limits = round_limits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self, *, stored: bool) -> None:
        check_scalar(self.n_boxes, "n_boxes", Integral, min_val=1)
        check_cost(self.negative_weight, "negative_weight", "balanced")
        check_not_negative(self.expansion, "expansion")
        growth_named(self.growth)
        check_choice(self.distance, "distance", DISTANCES)
        check_clusterer(self.clusterer)
        range_width(self.feature_range)
        check_bool(self.round_limits, "round_limits")

    def _passes(self) -> Passes:
        return [
            ("ranges and positives", 6, 0),
            ("divide", 12 * self.n_boxes, 0),
            ("expand", 9, 0),
            ("round limits", 24, 0),
        ]

    def _choose(self, source: Source) -> tuple[Plan, float, float, Growth]:
        positive, negative = source.weights
        c = positive / negative if isinstance(self.negative_weight, str) else float(self.negative_weight)
        width = range_width(self.feature_range)
        plan = Plan(self.n_boxes, width, self.clusterer, self.random_state, self.distance, self.verbose)
        return plan, c, float(self.expansion), growth_named(self.growth)


def check_clusterer(clusterer: Any) -> None:
    """Raise if something can't cluster."""
    if clusterer is not None and not hasattr(clusterer, "fit_predict"):
        raise TypeError(f"clusterer must have a fit_predict method; got {clusterer!r}.")


def range_width(feature_range: Any) -> float:
    """Return the width of a feature range after checking it."""
    try:
        low, high = map(float, feature_range)
    except (TypeError, ValueError):
        low = high = math.nan
    # A row then pulls exp(20) times less across the range than beside the edge; more would only cost digits.
    if not 0 < high - low <= 20:
        raise ValueError(
            f"feature_range must be a pair (min, max) with min < max and max - min <= 20; got {feature_range!r}."
        )
    return high - low
