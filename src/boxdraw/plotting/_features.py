"""What BoxesDisplay and LimitsDisplay share: boxes and labelled rows on some features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy.typing as npt

from boxdraw.model.boxes import BoxSet
from boxdraw.plotting._matplotlib import Display
from boxdraw.plotting._rows import boxes_of, labels_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FeaturesDisplay(Display):
    """Boxes and labelled rows on some features."""

    boxes: BoxSet
    pos_label: Any
    features: tuple[str, ...]
    axes_: npt.NDArray[Any]

    @abstractmethod
    def __init__(self, boxes: Any, points: Any, labels: Any, *, features: Any, pos_label: Any) -> None: ...

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[str | int] | str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the boxes of a fitted classifier.

        Parameters
        ----------
        estimator : fitted box classifier
            Anything with ``boxes_``, ``classes_`` and ``pos_label_``, or a `ScoredBoxesClassifier`.
        X : array-like or frame of shape (n_samples, n_features)
            Rows, seen in training or not.
        y : array-like of shape (n_samples,)
            Their labels.
        features : sequence of str or int, or "used", optional
            The features to show, as in the constructor.
        ax : matplotlib Axes, optional
            Where to draw, as in `plot`.

        Returns
        -------
        Display
            The display, drawn.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from boxdraw import FastBoxesClassifier
        >>> from boxdraw.plotting import BoxesDisplay, LimitsDisplay
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = FastBoxesClassifier(n_boxes=2).fit(X, y)
        >>> len(LimitsDisplay.from_estimator(model, X, y).axes_)
        2
        >>> BoxesDisplay.from_estimator(model, X, y, features=["mean area", "mean texture", "area error"]).axes_.shape
        (2, 2)
        """
        boxes, labels = boxes_of(estimator), labels_for(estimator, y)
        return cls(boxes, X, labels, features=features, pos_label=estimator.pos_label_).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        boxes: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[str | int] | str | None = None,
        pos_label: Any = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw boxes without a classifier, for example from a file.

        Parameters
        ----------
        boxes : BoxSet or Scorecard
            The boxes.
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        features : sequence of str or int, or "used", optional
            The features to show, as in the constructor.
        pos_label : label, optional
            The positive class; the one with fewer rows by default.
        ax : matplotlib Axes, optional
            Where to draw, as in `plot`.

        Returns
        -------
        Display
            The display, drawn.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> from boxdraw.plotting import BoxesDisplay, LimitsDisplay
        >>> LimitsDisplay.from_predictions(BoxSet([[3]], [[9]]), [[1], [4], [5]], [0, 1, 0]).features
        ('x0',)
        >>> boxes = BoxSet([[30, 1]], [[float("inf"), 2]], feature_names=["age", "dose"])
        >>> display = BoxesDisplay.from_predictions(boxes, [[20, 1], [40, 1.5]], ["well", "ill"], pos_label="ill")
        >>> [text.get_text() for text in display.ax_.texts]
        ['Box 1']
        """
        return cls(boxes, X, y, features=features, pos_label=pos_label).plot(ax=ax)
