"""ExactBoxesClassifier: the best drawing and its certificate behind the interface of scikit-learn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.warn import CautionWarning, warn
from boxdraw.learners.base import unchanged_on_error
from boxdraw.learners.constraints import PARAMETERS, ColumnConstraints
from boxdraw.learners.doubts import caution
from boxdraw.learners.exact.certificate import Certificate, about_data, make_certificate
from boxdraw.learners.exact.choice import N_BOXES, choose_max_boxes, order_categories
from boxdraw.learners.exact.edges import EDGES, place_edges, round_edges
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.problem import half_ranges
from boxdraw.learners.exact.progress import Reporter
from boxdraw.learners.exact.raw import held, read_table
from boxdraw.learners.exact.strategies import STRATEGIES, Budget, Outcome, draw_alone, solve
from boxdraw.learners.exact.weights import decimal
from boxdraw.learners.parameters import check_bool, check_choice, check_cost, check_not_negative
from boxdraw.learners.stability import LearnedBoxClassifier
from boxdraw.model.boxes import BoxSet
from boxdraw.tables.training import Training, read_training_rows

_SOLVERS = ("auto", "mip")
_LONGEST = 1e9  # seconds, three decades: what a solver takes for a time limit
_MOST_MARGIN = 1e300  # of which a multiple is still a number
_SHARES = Fraction(2, 100), Fraction(1, 100)  # of the weight of the positives: what boxes and limits cost


class ExactBoxesClassifier(LearnedBoxClassifier):
    """Exact Boxes: the union of boxes with the largest objective, with a proof of how good it is.

    The objective is the weight of the positives inside plus `negative_weight` times that of the negatives outside, less
    `box_cost` for each box and `limit_cost` for each limit; the paper has ``box_cost=1, limit_cost=0``. The search ends
    when it has proven that no drawing of at most `max_boxes` boxes is better, or when the time is up; ``certificate_``
    says how far from the best the drawing can be. A table may have a million rows, but expect a proof only for some
    hundred positives with some thousand negatives among them; a warning says if none is possible within the time limit.

    Parameters
    ----------
    max_boxes : int or "auto", default=3
        The most boxes to use. "auto" lets inner folds choose 1, 2, 3 or 5 by searches without proofs, in a quarter of
        the time; of numbers that do as well on held-out rows it takes the least.
    negative_weight : float or "balanced", default="balanced"
        What a negative outside is worth relative to a positive inside, c_I in the paper. "balanced" is the weight of
        the positives over that of the negatives.
    box_cost : float or "auto", default="auto"
        What each box costs, c_E in the paper; "auto" is 2% of the weight of the positives.
    limit_cost : float or "auto", default="auto"
        What each limit costs, counted as by `BoxSet.n_limits`; "auto" is 1% of the weight of the positives.
    max_limits : int or None, default=None
        The most limits of a box; None for any number.
    monotonic_cst, interaction_cst, allowed_values, min_box_rows, min_box_precision
        As in `SparseBoxesClassifier`. The bound is then one on all drawings that keep them. They go with
        ``solver="auto"``, the last two with a margin of 0.
    margin : float, default=0.0
        A positive counts only if it is inside by at least the margin, a negative only if it is outside by more; in the
        units of the features, which should then be on one scale.
    time_limit : float, default=60.0
        Seconds after which the best drawing so far is returned. The first search on a machine also compiles for ten
        to twenty seconds, which are not counted.
    gap : float, default=0.0
        Stop when the objective is proven to be within this share of the best, for example 0.01.
    solver : {"auto", "mip"}, default="auto"
        "mip" is the program printed in the paper, on HiGHS: for teaching and comparison, on small data. HiGHS computes
        in floating point, so its bound is no proof; ``certificate_.proven`` tells.
    strategy : {"full", "neighbourhood", "per_cluster"}, default="full"
        "neighbourhood" first solves the problem with the negatives near the positives alone and starts from its answer.
        "per_cluster" draws the best single box for each cluster of positives, among the negatives within its reach, and
        proves nothing about their union; both are the paper's proposals for larger data.
    warm_start_boxes : BoxSet, default=None
        Boxes to start from; None starts from Fast Boxes.
    edges : {"midway", "tight"}, default="midway"
        Where limits go between the rows: halfway from the last positive inside to the nearest row that the limit keeps
        out, and away where it keeps none out; or right at the last positive. No training row changes sides by it.
    categorical_features : list of column names or numbers, default=None
        Numeric columns to treat as categories, as in `FastBoxesClassifier`. The best drawing is the best among boxes
        whose sets of categories are intervals in the order of their share of positives; of more than 16 categories,
        those whose share chance explains are one.
    pos_label : label, default=None
        The positive class; the class with fewer rows if None.
    round_limits : bool, default=True
        Whether to store the roundest number between the training rows, as in `FastBoxesClassifier`, after `edges` have
        placed the limits. No row changes sides, by the margin or at all, so the objective and its bound stay; the
        certificate is about the rounded limits.
    random_state : int, RandomState instance or None, default=None
        Seed of the search for drawings; None is the same as 0. With the same seed the model is the same unless the time
        limit ends the search.
    n_jobs : int or None, default=None
        Number of threads. With two, CP-SAT searches beside the main line; more than two are not used.
    verbose : int, default=0
        Show a live line: time, objective, bound, gap and what is being done.
    callback : callable, default=None
        Called several times a second with a `SearchProgress`; when it returns True, the search ends.

    Attributes
    ----------
    boxes_ : BoxSet
        The model, in the user's units. Empty if no box is worth its cost.
    objective_, bound_, gap_ : float
        The objective of the boxes, what no drawing exceeds, and their distance relative to the objective.
    status_ : str
        "optimal"; "gap_reached", by "mip" also if the rest is within the tolerances of HiGHS; "time_limit";
        "interrupted" by Ctrl-C or the callback; "heuristic" if "per_cluster" or "mip" ended without any of these.
    certificate_ : Certificate
        All of it, to be checked against the data by ``certificate_.verify(X, y)``.
    negative_weight_, box_cost_, limit_cost_ : float
        The weight of negatives and the costs in use.
    max_boxes_ : int
        The most boxes, given or chosen.
    classes_ : ndarray of shape (2,)
        The labels.
    pos_label_ : label
        The positive class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X had them.

    See Also
    --------
    FastBoxesClassifier : Much faster, without a guarantee.

    References
    ----------
    S. T. Goh and C. Rudin, "Box Drawings for Learning with Imbalanced Data", KDD 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from boxdraw import ExactBoxesClassifier
    >>> X = np.array([[1.0, 5.0], [2.0, 4.0], [2.5, 1.0], [6.0, 4.5], [7.0, 2.0], [8.0, 3.0]])
    >>> model = ExactBoxesClassifier(max_boxes=2).fit(X, [0, 1, 1, 0, 0, 0])
    >>> print(model.boxes_.to_text())
    Box 1: x0 ≤ 4 and x1 ≤ 4
    >>> model.status_, model.objective_, model.bound_
    ('optimal', 3.92, 3.92)
    >>> model.certificate_.verify(X, [0, 1, 1, 0, 0, 0])
    True
    """

    negative_weight_: float
    box_cost_: float
    limit_cost_: float
    objective_: float
    bound_: float
    gap_: float
    status_: str
    _proves = True  # rather than to draw alone

    def __init__(
        self,
        *,
        max_boxes: int | str = 3,
        negative_weight: float | str = "balanced",
        box_cost: float | str = "auto",
        limit_cost: float | str = "auto",
        max_limits: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        allowed_values: Any = None,
        min_box_rows: float | None = None,
        min_box_precision: float | None = None,
        margin: float = 0.0,
        time_limit: float = 60.0,
        gap: float = 0.0,
        solver: str = "auto",
        strategy: str = "full",
        warm_start_boxes: BoxSet | None = None,
        edges: str = "midway",
        categorical_features: Any = None,
        pos_label: Any = None,
        round_limits: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.max_boxes = max_boxes
        self.negative_weight = negative_weight
        self.box_cost = box_cost
        self.limit_cost = limit_cost
        self.max_limits = max_limits
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.allowed_values = allowed_values
        self.min_box_rows = min_box_rows
        self.min_box_precision = min_box_precision
        self.margin = margin
        self.time_limit = time_limit
        self.gap = gap
        self.solver = solver
        self.strategy = strategy
        self.warm_start_boxes = warm_start_boxes
        self.edges = edges
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.round_limits = round_limits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ExactBoxesClassifier:
        """Search for the best drawing.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows in the objective. Weights with many digits are rounded for the search; the certificate
            states the error, and the bound allows for it.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as the customer: with ``max_boxes="auto"``, inner folds keep groups whole. In
            pipelines and searches they come by scikit-learn's metadata routing.

        Returns
        -------
        ExactBoxesClassifier
            The fitted estimator.
        """
        start = time.perf_counter()
        self._check_parameters()
        if groups is not None and self.max_boxes != "auto":
            raise ValueError('groups are for inner folds, and only max_boxes="auto" has them: leave groups out.')
        rows = read_training_rows(self, X, y, sample_weight, groups=groups)
        objective = self._objective(rows)
        asked = False
        if self.max_boxes == "auto":
            n_boxes, asked = choose_max_boxes(rows, objective, self._budget(objective, start), self.random_state)
            objective = replace(objective, max_boxes=n_boxes)
        weights = objective.in_points()
        warm = self._warm_start(X, objective, rows)
        # What the certificate says of the data is computed before the search, which then has the rest of the time.
        data = about_data(objective, weights) if self._encoding.plain else None
        budget = self._budget(objective, start)
        if asked:
            budget = replace(budget, end=start)
        if self._proves:
            outcome = solve(objective, weights, self.solver, self.strategy, warm, budget)
        else:
            outcome = draw_alone(objective, budget)
        if asked and outcome.status == "time_limit":
            outcome = replace(outcome, status="interrupted")
        self._set_model(X, objective, rows, outcome, data, budget.seed, start)
        if outcome.note:
            warn(outcome.note)
        caution(self, rows)
        return self

    def _again(self) -> Any:
        again = super()._again().set_params(solver="auto", strategy="full")
        again._proves = False
        return again

    def _budget(self, objective: Objective, start: float) -> Budget:
        seed = 0 if self.random_state is None else self.random_state
        seconds = min(float(self.time_limit), _LONGEST)
        return Budget(
            seconds=seconds,
            end=start + seconds - self._seconds_after(objective),
            gap=float(self.gap),
            seed=int(check_random_state(seed).randint(2**31 - 1)),
            n_jobs=effective_n_jobs(self.n_jobs),
            reporter=Reporter(start, self.verbose, self.callback),
        )

    def decision_function(self, X: Any) -> FloatArray:
        """Return how far inside the boxes each row is, relative to the ranges of the features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            `BoxSet.margin`, before limits are rounded, on features divided by half their range in training; its sign is
            that of ``predict``, and it ranks towards ``classes_[1]``.
        """
        check_is_fitted(self)
        rows = self._validated(X)
        checked = self._order.apply(self._encoding.encode(rows))
        lower, upper = self._limits
        boxes = BoxSet(lower / self._spread, upper / self._spread, missing=np.ones(lower.shape, dtype=np.bool_))
        with np.errstate(over="ignore"):  # a row may be so far out that its distance is no number
            relative = checked / self._spread
        depth = np.clip(boxes.margin(relative), -1e9, 1e9)
        return self._towards_second_class(depth, self.boxes_.contains(rows, n_jobs=self.n_jobs))

    def _check_parameters(self) -> None:
        if self.max_boxes != "auto":
            check_scalar(self.max_boxes, "max_boxes", Integral, min_val=1)
        if self.n_jobs is not None:
            check_scalar(self.n_jobs, "n_jobs", Integral)
        check_cost(self.negative_weight, "negative_weight", "balanced")
        for name in ("margin", "gap", "time_limit"):
            check_not_negative(getattr(self, name), name)
        if self.margin > _MOST_MARGIN:
            raise ValueError(f"margin must be at most {_MOST_MARGIN:.0e}; got {self.margin!r}.")
        for name in ("box_cost", "limit_cost"):
            if getattr(self, name) != "auto":
                check_not_negative(getattr(self, name), name, "'auto' or ")
        if self.max_limits is not None:
            check_scalar(self.max_limits, "max_limits", Integral, min_val=1)
        for name, known in (("solver", _SOLVERS), ("strategy", STRATEGIES), ("edges", EDGES)):
            check_choice(getattr(self, name), name, known)
        check_bool(self.round_limits, "round_limits")
        if self.solver == "mip" and self.strategy != "full":
            raise ValueError(f"solver='mip' knows only strategy='full'; got strategy={self.strategy!r}.")
        given = [name for name in PARAMETERS if getattr(self, name) is not None]
        if self.solver == "mip" and given:
            raise ValueError(f"solver='mip' knows no {given[0]}; use solver='auto'.")
        if self.margin and (floors := [name for name in given if name.startswith("min_box")]):
            raise ValueError(f"{floors[0]} is about rows in a box and goes with margin=0; got margin={self.margin!r}.")
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback must be callable; got {self.callback!r}.")
        if self.warm_start_boxes is not None and not isinstance(self.warm_start_boxes, BoxSet):
            raise TypeError(f"warm_start_boxes must be a BoxSet; got {type(self.warm_start_boxes).__name__}.")
        if find_spec("ortools") is None:
            raise ImportError("ExactBoxesClassifier needs OR-tools: pip install 'boxdraw[exact]'")

    def _objective(self, rows: Training) -> Objective:
        """Put categories in order and far apart; return what is to be maximised."""
        if self.solver == "mip" and np.isnan(rows.X).any():
            raise ValueError("solver='mip' takes no missing values in columns of numbers; solver='auto' does.")
        self._order = order_categories(rows)
        X, spacing = self._order.apply(rows.X), self._spacing()
        X = X if (spacing == 1).all() else X * spacing
        most = max(N_BOXES) if isinstance(self.max_boxes, str) else int(self.max_boxes)
        most = min(most, int(np.count_nonzero(rows.positive)))  # a box around nothing only costs
        numbers = Fraction(1), Fraction(0), float(self.margin), most
        layout = None if self._encoding.plain else self._encoding.layout()
        objective = Objective(X, rows.positive, rows.weight, *numbers, max_limits=self.max_limits, layout=layout)
        constraints = ColumnConstraints.of(self._encoding, self)
        if constraints.asked.any:
            objective = replace(objective, constraints=constraints)
        c, positives = self.negative_weight, objective.positive_weight()
        given = zip((self.box_cost, self.limit_cost), _SHARES, strict=True)
        box, limit = (share * positives if isinstance(cost, str) else decimal(cost) for cost, share in given)
        balanced = objective.balanced() if isinstance(c, str) else decimal(c)
        return replace(objective, negative_weight=balanced, box_cost=box, limit_cost=limit)

    def _spacing(self) -> FloatArray:
        """Return factors that keep categories so far apart that the margin, which is for numbers, never matters."""
        return np.where(self._encoding.steps, 4 * float(self.margin) + 1, 1.0)

    def _warm_start(self, X: Any, objective: Objective, rows: Training) -> BoolArray | None:
        """Return a mask of the positives in each given box."""
        boxes = self.warm_start_boxes
        if boxes is None:
            return None
        names = self._encoding.no_boxes().feature_names
        if boxes.feature_names != names:
            raise ValueError(
                f"warm_start_boxes has the features {list(boxes.feature_names)}; expected those of X: {list(names)}."
            )
        return held(_table_of(X, boxes, rows)[objective.positive], boxes, objective.margin)

    def _seconds_after(self, objective: Objective) -> float:
        """Return a generous estimate of the seconds that placing limits and counting rows take on large tables."""
        seconds = objective.X.size * (1 + objective.max_boxes) * 5e-8
        if objective.weight is not None:
            seconds += len(objective.X) * 2e-6
        return min(seconds, self.time_limit / 3)

    def _set_model(
        self, X: Any, objective: Objective, rows: Training, outcome: Outcome, data: Any, seed: int, start: float
    ) -> None:
        limits, spacing = place_edges(objective, outcome.held, self.edges, outcome.limits), self._spacing()
        self._limits = limits[0] / spacing, limits[1] / spacing
        self._spread = half_ranges(objective.X, spacing)
        if self.round_limits:
            limits = round_edges(objective, *limits, self._encoding.steps, self.n_jobs)
        boxes = self._encoding.boxes(limits[0] / spacing, limits[1] / spacing, self._order)
        if not self._encoding.plain:
            objective = replace(objective, X=_table_of(X, boxes, rows))
        self.boxes_ = boxes
        self.negative_weight_ = float(objective.negative_weight)
        self.box_cost_, self.limit_cost_ = float(objective.box_cost), float(objective.limit_cost)
        self.max_boxes_ = objective.max_boxes
        self.certificate_: Certificate = make_certificate(
            objective,
            self.boxes_,
            outcome.bound,
            data,
            status=outcome.status,
            objective_method=outcome.method,
            bound_method=outcome.bound_method,
            seconds=time.perf_counter() - start,
            seed=seed,
            pos_label=self.pos_label_,
            classes=tuple(self.classes_),
        )
        if outcome.limits is not None and outcome.status != "optimal":
            self.certificate_ = self._judged_again(self.certificate_)
        self.objective_ = self.certificate_.objective
        self.bound_ = self.certificate_.bound
        self.gap_ = self.certificate_.gap
        self.status_ = self.certificate_.status
        if not len(boxes):
            self._warn_of_nothing()

    def _judged_again(self, certificate: Certificate) -> Certificate:
        """Correct the status of boxes that have become better since the search ended, by dropping idle limits."""
        if certificate.objective >= certificate.bound:
            return replace(certificate, status="optimal", checksum="")
        reached = certificate.status == "time_limit" and certificate.gap <= self.gap
        return replace(certificate, status="gap_reached", checksum="") if reached else certificate

    def _warn_of_nothing(self) -> None:
        what_to_do = (
            f"A negative_weight below {self.negative_weight_:g} makes boxes worth more. So do a box_cost below "
            f"{self.box_cost_:g} and a limit_cost below {self.limit_cost_:g}."
            + " The constraints may be too strict."
            * (self.certificate_.constraints is not None)
        )
        if self.status_ in ("time_limit", "interrupted"):
            what_to_do = f"The search had not come to an end ({self.status_}): give it more time."
        warn(f"No box was found that is worth its cost, so nothing is flagged. {what_to_do}", CautionWarning)


def _table_of(X: Any, boxes: BoxSet, rows: Training) -> FloatArray:
    """Return the user's rows as boxes read them, without those of no weight."""
    table = read_table(X, boxes)
    return table if rows.kept is None else table[rows.kept]
