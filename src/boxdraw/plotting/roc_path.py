"""PathDisplay: what each cost of a false alarm buys, as a ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxdraw.plotting._matplotlib import BLACK, BLUE, GREY, ORANGE, VERMILLION, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from boxdraw.fast.path import CostPath


class PathDisplay(Display):
    """The training ROC over all costs of a false alarm, its hull and the points of a path.

    Parameters
    ----------
    path : CostPath
        What ``FastBoxesClassifier.path`` returns. Its points are marked, a few of them with their cost.

    Attributes
    ----------
    path : CostPath
        As given.
    ax_ : matplotlib Axes
        What `plot` drew on.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    BoxesDisplay : The boxes themselves.

    Notes
    -----
    The rates are those of the training rows; on new rows expect lower ones.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from boxdraw import FastBoxesClassifier
    >>> from boxdraw.plotting import PathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FastBoxesClassifier(n_boxes=2).fit(X[:, :2], y)
    >>> PathDisplay(model.path()).plot().ax_.get_xlabel()
    'False alarms: share of negatives flagged'
    """

    def __init__(self, path: CostPath) -> None:
        self.path = path

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Axes | None = None) -> PathDisplay:
        """Draw the path of a fitted Fast Boxes classifier, a point per corner of the hull.

        Parameters
        ----------
        estimator : fitted classifier with ``path``
            `FastBoxesClassifier` or `FastBoxesClassifierCV`.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

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
        """
        return cls(estimator.path()).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> PathDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        PathDisplay
            This display, with ``ax_`` and ``figure_``.
        """
        ax = self._start(ax, 5, 4.8)
        path, c = self.path, self.path.current_negative_weight
        fpr, tpr = path.rates_at(c)
        ax.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls=":", label="chance")
        ax.plot(*path.hull(), color=ORANGE, lw=2.2, ls="--", label=f"its hull, area (AUH) {path.auh:.3f}")
        # Between two rows nothing is reached without a coin toss, hence steps.
        ax.plot(
            path.roc_fpr,
            path.roc_tpr,
            color=BLUE,
            lw=1.4,
            drawstyle="steps-post",
            label="training ROC, all costs",
        )
        ax.plot(path.fpr, path.tpr, ls="", marker="o", ms=5, mfc="white", mec=BLACK, label="boxes at cost c")
        current = f"this model: c = {c:.3g}"
        ax.plot([fpr], [tpr], ls="", marker="*", ms=13, mfc=VERMILLION, mec=BLACK, mew=0.7, label=current)
        self._label_costs(ax, (fpr, tpr))
        ax.set(
            xlabel="False alarms: share of negatives flagged",
            ylabel="Caught: share of positives flagged",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        ax.legend(loc="lower right", fontsize="small", frameon=False)
        return self

    def _label_costs(self, ax: Axes, current: tuple[float, float]) -> None:
        """Write the cost beside points that are apart from each other and from the model's own."""
        taken = [current]
        for c, x, y in zip(self.path.negative_weights, self.path.fpr, self.path.tpr, strict=True):
            # A text is wider than high. At the far end everything is flagged, at whatever cost.
            if x > 0.8 or any(abs(x - left) < 0.17 and abs(y - up) < 0.06 for left, up in taken):
                continue
            taken.append((x, y))
            # Where the curve is flat it runs beside the point, so the text goes below it.
            flat = y > 0.9
            ax.annotate(
                f"c = {c:.3g}",
                (x, y),
                xytext=(8, -4 if flat else 0),
                textcoords="offset points",
                va="top" if flat else "center",
                fontsize="small",
            )
