"""FrontierDisplay: how drawings and scorecards do on held-out rows by how much there is to read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from boxdraw.learners.frontier import CardPoint
from boxdraw.plotting._matplotlib import BLUE, LEGEND, ORANGE, VERMILLION, Display

if TYPE_CHECKING:
    from boxdraw.learners.frontier import Frontier


class FrontierDisplay(Display):
    """Held-out score of Sparse Boxes by the number of limits, or of scorecards by their boxes, with standard errors.

    Parameters
    ----------
    frontier : Frontier
        ``frontier_`` of a `boxdraw.SparseBoxesClassifier` or a `boxdraw.ScoredBoxesClassifier`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after `plot`.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from boxdraw import SparseBoxesClassifier
    >>> from boxdraw.datasets import load_dataset
    >>> from boxdraw.plotting import FrontierDisplay
    >>> data = load_dataset("hypothyroid")
    >>> model = SparseBoxesClassifier().fit(data.data, data.target)
    >>> FrontierDisplay.from_estimator(model).ax_.get_xlabel()
    'Limits to read'
    """

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> FrontierDisplay:
        """Plot the frontier of a fitted classifier.

        Parameters
        ----------
        estimator : SparseBoxesClassifier or ScoredBoxesClassifier
            Fitted.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        FrontierDisplay
            The display.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "frontier_"):
            raise TypeError(f"estimator must be of Sparse or Scored Boxes, got {type(estimator).__name__}")
        return cls(estimator.frontier_).plot(ax=ax)

    def plot(self, ax: Any = None) -> FrontierDisplay:
        """Draw the frontier.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        FrontierDisplay
            The display.

        Raises
        ------
        ValueError
            If there are no scores, because the model was learned without inner folds.
        """
        points = list(self.frontier)
        if points and all(math.isnan(point.score) for point in points):
            raise ValueError("There are no held-out scores to plot: the model was learned without inner folds (cv).")
        ax = self._start(ax, 6, 4)
        sizes, scores = self.frontier.sizes, [point.score for point in points]
        cards = [point.average_precision for point in points if isinstance(point, CardPoint)]
        errors = [point.error for point in points]
        ax.errorbar(sizes, scores, yerr=errors, fmt="o-", color=BLUE, capsize=3, label="AUC" if cards else None)
        if cards:
            ax.plot(sizes, cards, "^--", color=ORANGE, label="average precision")
        for size, score in zip(sizes, scores, strict=True):
            if size == self.frontier.chosen:
                ax.plot([size], [score], "s", ms=9, color=VERMILLION, zorder=3, label="in use")
                ax.legend(ncols=3, **LEGEND)
        ax.set_xlabel(self.frontier.labels[0])
        ax.set_ylabel(self.frontier.labels[1])
        ax.xaxis.get_major_locator().set_params(integer=True)
        return self
