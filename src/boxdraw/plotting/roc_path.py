"""PathDisplay: the trade-off over all costs of a false alarm, as a ROC curve and as precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import FloatArray
from boxdraw.learners.fast.path import CostCurve, TrainingRoc
from boxdraw.plotting._matplotlib import BLACK, BLUE, GREY, ORANGE, VERMILLION, Display, literal, new_figure
from boxdraw.plotting._rows import NAME_WIDTH, labels_for
from boxdraw.tables.labels import as_labels, has_label, weights_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# The costs at which Goh and Rudin measure a classifier.
_PAPER_COSTS = np.arange(1, 11) / 10
# The extent of a cost written next to a point, as a share of the axes.
_TEXT_WIDTH, _TEXT_HEIGHT = 0.17, 0.06
_POINT: dict[str, Any] = {"ls": "", "marker": "o", "ms": 5, "mfc": "white", "mec": BLACK}
_STAR: dict[str, Any] = {"ls": "", "marker": "*", "ms": 13, "mfc": VERMILLION, "mec": BLACK, "mew": 0.7}


class PathDisplay(Display):
    """The ROC over all costs of a false alarm with its hull, and precision and recall beside it.

    Some costs are marked, a few of them with their number, and a star marks the cost of the model.

    Parameters
    ----------
    path : CostPath
        The result of ``FastBoxesClassifier.path``. Its points are marked.
    name : str, default="training rows"
        The name of the rows in the legend.

    Attributes
    ----------
    path : CostPath
        As given; without boxes if it is of held-out rows.
    ax_ : matplotlib Axes
        The axes of the ROC.
    axes_ : tuple of matplotlib Axes
        The axes of the ROC, and of precision and recall if they are drawn.
    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    BoxesDisplay : The boxes themselves.
    BoxTableDisplay : What each box catches at the model's own cost.

    Notes
    -----
    Rates on the training rows are optimistic. Pass held-out rows to `from_estimator` to draw theirs.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from boxdraw import FastBoxesClassifier
    >>> from boxdraw.plotting import PathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FastBoxesClassifier(n_boxes=2).fit(X[:, :2], y)
    >>> [ax.get_ylabel() for ax in PathDisplay(model.path()).plot().axes_]
    ['Caught: share of positives flagged', 'Precision: share of positives among flagged']
    """

    ax_: Axes
    axes_: tuple[Axes, ...]
    figure_: Figure | SubFigure

    def __init__(self, path: CostCurve, *, name: str = "training rows") -> None:
        if not isinstance(path, CostCurve):
            raise TypeError(f"path must be what the path method of a classifier returns, got {type(path).__name__}")
        self.path = path
        self.name = name
        self._over = "costs"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        negative_weights: Sequence[float] | None = None,
        name: str | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> PathDisplay:
        """Draw the trade-off of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            `FastBoxesClassifier`, `FastBoxesClassifierCV` or, with rows, `ScoredBoxesClassifier`, whose trade-off is
            over its threshold, or `SparseBoxesClassifier`: the curve is that of its ranking, and the drawings of
            ``path_`` are marked with their costs.
        X : array-like or frame of shape (n_samples, n_features), optional
            Rows, best held-out ones. Without them the rates are those of the training rows.
        y : array-like of shape (n_samples,), optional
            The labels of the rows.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.
        negative_weights : sequence of float, optional
            The costs to mark; by default the paper's ten, 0.1 to 1, or a range around that of the model if it is
            not among them. For a scorecard, the points; by default all. For Sparse Boxes, none but those of ``path_``.
        name : str, optional
            The name of the rows in the legend, such as "held-out rows": by default "training rows", or the number of
            the rows that are passed.
        ax : matplotlib Axes or pair of them, optional
            Where to draw, as in `plot`.

        Returns
        -------
        PathDisplay
            The display, drawn.

        Examples
        --------
        >>> from boxdraw import FastBoxesClassifier
        >>> from boxdraw.plotting import PathDisplay
        >>> model = FastBoxesClassifier(n_boxes=1).fit([[1], [2], [3], [4], [5]], [0, 1, 1, 0, 0])
        >>> display = PathDisplay.from_estimator(model)
        >>> display = PathDisplay.from_estimator(model, [[2], [6], [3]], [1, 0, 0])
        >>> display.name
        '3 rows'
        """
        check_is_fitted(estimator)
        if (X is None) != (y is None):
            raise ValueError("X and y go together: pass both, or neither for the training rows")
        if hasattr(estimator, "scorecard_"):
            return cls._of_points(estimator, X, y, sample_weight, negative_weights, name).plot(ax=ax)
        if hasattr(estimator, "path_"):
            return cls._of_drawings(estimator, X, y, sample_weight, negative_weights, name).plot(ax=ax)
        if not hasattr(estimator, "critical_weight"):
            raise TypeError(
                f"estimator must be of Fast, Sparse or Scored Boxes, got {type(estimator).__name__}; "
                "others have no path of costs"
            )
        if X is None:
            if sample_weight is not None:
                raise ValueError("sample_weight is for the rows of X; the training rows have the weights of fit")
            weights = _costs_near(estimator.negative_weight_) if negative_weights is None else negative_weights
            return cls(estimator.path(weights), name=name or "training rows").plot(ax=ax)
        positive = has_label(labels_for(estimator, y), estimator.pos_label_)
        return cls.from_predictions(
            positive,
            estimator.critical_weight(X),
            sample_weight=sample_weight,
            negative_weight=estimator.negative_weight_,
            negative_weights=negative_weights,
            pos_label=True,
            name=name or f"{len(positive)} rows",
            ax=ax,
        )

    @classmethod
    def _of_points(cls, estimator: Any, X: Any, y: Any, weight: Any, marked: Any, name: str | None) -> PathDisplay:
        """Return the trade-off of a scorecard, with the points of a row as its critical weight."""
        if X is None:
            raise ValueError("a scorecard keeps no counts of its training rows: pass X and y")
        positive = has_label(labels_for(estimator, y), estimator.pos_label_)
        score = estimator.scorecard_.score(X).astype(np.float64)
        marked = np.unique(score)[::-1] if marked is None else marked
        curve = _curve(positive, score, weight, True, marked, estimator.scorecard_.threshold)
        display = cls(curve, name=name or f"{len(positive)} rows")
        display._over = "thresholds"
        return display

    @classmethod
    def _of_drawings(cls, estimator: Any, X: Any, y: Any, weight: Any, marked: Any, name: str | None) -> PathDisplay:
        """Return the trade-off of the ranking of Sparse Boxes, with the drawings that it comes from as points."""
        if X is None:
            raise ValueError("Sparse Boxes keep no counts of their training rows: pass X and y")
        if marked is not None:
            raise ValueError("negative_weights is of no use here: the costs of Sparse Boxes are those of path_")
        positive = has_label(labels_for(estimator, y), estimator.pos_label_)
        rank = estimator.decision_function(X) * (1 if estimator.pos_label_ == estimator.classes_[1] else -1)
        curve = _curve(positive, rank, weight, True, [], 0.0)  # flagged rows are above 0
        mass = np.ones(len(positive)) if weight is None else np.asarray(weight, dtype=np.float64)
        held = np.asarray([boxes.contains(X) for _, boxes in estimator.path_])
        caught, false = held @ (mass * positive), held @ (mass * ~positive)
        curve.negative_weights = np.asarray([cost for cost, _ in estimator.path_])
        curve.tpr, curve.fpr = caught / mass[positive].sum(), false / mass[~positive].sum()
        with np.errstate(invalid="ignore"):
            curve.precision = caught / (caught + false)
        display = cls(curve, name=name or f"{len(positive)} rows")
        display._over = "ranks"
        return display

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        critical_weight: Any,
        *,
        sample_weight: Any = None,
        negative_weight: float | None = None,
        negative_weights: Sequence[float] | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> PathDisplay:
        """Draw the trade-off from labels and critical weights.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The labels of the rows, of both classes.
        critical_weight : array-like of shape (n_samples,)
            The result of ``critical_weight`` of a classifier: a row is flagged at costs up to it.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.
        negative_weight : float, optional
            The cost of the model, marked by a star.
        negative_weights : sequence of float, optional
            The costs to mark; by default as in `from_estimator`.
        pos_label : label, optional
            The positive class; 1, or True, by default.
        name : str, optional
            The name of the rows in the legend; "rows" with their number by default.
        ax : matplotlib Axes or pair of them, optional
            Where to draw, as in `plot`.

        Returns
        -------
        PathDisplay
            The display, drawn.

        Examples
        --------
        >>> from boxdraw.plotting import PathDisplay
        >>> display = PathDisplay.from_predictions([1, 0, 1, 0], [2.0, 0.7, 0.5, 0.0], negative_weight=0.6)
        >>> display.path.rates_at(0.6), round(display.path.precision_at(0.6), 2)
        ((0.5, 0.5), 0.5)
        """
        marked = _costs_near(negative_weight) if negative_weights is None else negative_weights
        curve = _curve(y, critical_weight, sample_weight, pos_label, marked, negative_weight)
        return cls(curve, name=name or f"{len(np.asarray(y))} rows").plot(ax=ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> PathDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or pair of them, optional
            Where to draw: a pair for the ROC and for precision and recall, or one for the ROC alone. By default a new
            figure with both.

        Returns
        -------
        PathDisplay
            This display, with ``ax_``, ``axes_`` and ``figure_``.
        """
        self.axes_ = self._axes(ax)
        self._draw_roc(self.axes_[0])
        if len(self.axes_) == 2:
            self._draw_precision(self.axes_[1])
        return self

    def _axes(self, ax: Any) -> tuple[Axes, ...]:
        if ax is None:
            figure = new_figure(9.6, 4.6)
            pair: Any = figure.subplots(1, 2)
            self._own_figure, self.figure_, self.ax_ = figure, figure, pair[0]
            return tuple(pair)
        given = tuple(ax) if isinstance(ax, Sequence | np.ndarray) else (ax,)
        if len(given) not in (1, 2):
            raise ValueError(f"ax must be one Axes, for the ROC, or two, got {len(given)}")
        self._start(given[-1], 0, 0)
        self._start(given[0], 0, 0)
        return given

    def _draw_roc(self, ax: Axes) -> None:
        path, current = self.path, self.path.current_negative_weight
        ax.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls=":", label="chance")
        ax.plot(*path.hull(), color=ORANGE, lw=2.2, ls="--", label=f"its hull, area (AUH) {path.auh:.3f}")
        label = f"ROC of all {self._over}, {literal(self.name, NAME_WIDTH)}"
        # Points between two rows need a coin toss, hence steps.
        ax.plot(path.roc_fpr, path.roc_tpr, color=BLUE, lw=1.4, drawstyle="steps-post", label=label)
        ax.plot(path.fpr, path.tpr, label=self._marked(), **_POINT)
        star = None
        if current is not None:
            star = path.rates_at(current)
            ax.plot(*([rate] for rate in star), label=self._of_model(current), **_STAR)
        self._label_costs(ax, path.fpr, path.tpr, star)
        _set_rates(ax, "False alarms: share of negatives flagged", "Caught: share of positives flagged")
        ax.legend(loc="lower right", fontsize="small", frameon=False)

    def _draw_precision(self, ax: Axes) -> None:
        path, current = self.path, self.path.current_negative_weight
        base = float(path.roc_precision[-1])
        ax.axhline(base, color=GREY, lw=0.8, ls=":", label=f"share of positives, {base:.2g}")
        recall, precision = path.roc_tpr[1:], path.roc_precision[1:]
        # A recall between two rows needs the next row, and has its precision.
        ax.plot(np.append(0, recall), np.append(precision[:1], precision), color=BLUE, lw=1.4, drawstyle="steps-pre")
        ax.plot(path.tpr, path.precision, **_POINT)
        star = None
        if current is not None:
            star = path.rates_at(current)[1], path.precision_at(current)
            ax.plot(*([rate] for rate in star), **_STAR)
        self._label_costs(ax, path.tpr, path.precision, star, falling=True)
        _set_rates(ax, "Caught (recall): share of positives flagged", "Precision: share of positives among flagged")
        ax.legend(loc="lower left", fontsize="small", frameon=False)

    def _marked(self) -> str:
        if self._over != "costs":
            return "alarm from these points" if self._over == "thresholds" else "drawings at cost c"
        paper = np.array_equal(self.path.negative_weights, _PAPER_COSTS)
        return "boxes at c = 0.1, 0.2, ..., 1" if paper else "boxes at cost c"

    def _of_model(self, current: float) -> str:
        return "this model" if self._over == "ranks" else f"this model: {self._cost(current)}"

    def _cost(self, cost: float) -> str:
        return f"{cost:g} points" if self._over == "thresholds" else f"c = {cost:.3g}"

    def _label_costs(
        self, ax: Axes, xs: FloatArray, ys: FloatArray, star: tuple[float, float] | None, falling: bool = False
    ) -> None:
        """Write the cost next to points where it overlaps neither another label nor the star."""
        taken = [] if star is None else [(star[0] - 0.08, star[0] + 0.08, star[1])]
        for c, x, y in zip(self.path.negative_weights, xs, ys, strict=True):
            leftwards = falling and x > 0.25
            left, right = (x - _TEXT_WIDTH, x) if leftwards else (x, x + _TEXT_WIDTH)
            hidden = any(left < end and start < right and abs(y - up) < _TEXT_HEIGHT for start, end, up in taken)
            # At the end of the ROC everything is flagged.
            if hidden or np.isnan(y) or (x > 0.8 and not falling):
                continue
            taken.append((left, right, y))
            # Where the curve is flat, the text goes below it.
            flat = y > 0.9 or falling
            ax.annotate(
                self._cost(float(c)),
                (x, y),
                xytext=(-4 if leftwards else 8, -6 if flat else 0),
                textcoords="offset points",
                ha="right" if leftwards else "left",
                va="top" if flat else "center",
                fontsize="small",
            )


def _costs_near(current: float | None) -> FloatArray:
    """Return the paper's costs if that of the model is among them, or else costs around it."""
    if current is None or _PAPER_COSTS[0] <= current <= _PAPER_COSTS[-1]:
        return _PAPER_COSTS
    return np.asarray(current * 2.0 ** np.arange(-5, 6))


def _set_rates(ax: Axes, xlabel: str, ylabel: str) -> None:
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))


def _curve(y: Any, score: Any, weight: Any, pos_label: Any, marked: Any, current: float | None) -> CostCurve:
    """Check rows and count them by critical weight."""
    labels, critical = as_labels(y), np.asarray(score, dtype=np.float64)
    if labels.ndim != 1 or labels.shape != critical.shape:
        raise ValueError(f"y and critical_weight must have the same length, got {labels.shape}, {critical.shape}")
    if np.isnan(critical).any():
        raise ValueError("critical_weight must not contain NaN")
    positive = has_label(labels, 1 if pos_label is None else pos_label)
    if positive.all() or not positive.any():
        raise ValueError(f"y must hold rows of both classes, got {positive.sum()} positive ones of {len(labels)}")
    mass = weights_of(weight, len(labels))
    if mass is not None and not (mass[positive].any() and mass[~positive].any()):
        raise ValueError("sample_weight must give both classes some weight")
    return CostCurve(
        TrainingRoc.of(critical, positive, mass), np.asarray(marked, dtype=np.float64).reshape(-1), current
    )
