"""BoxesDisplay: boxes and rows on two features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from boxdraw.boxes import BoxSet
from boxdraw.plotting._matplotlib import BLACK, BLUE, GREY, ORANGE, VERMILLION, Display, literal
from boxdraw.rows import read_columns
from boxdraw.schema import labels_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = npt.NDArray[np.float64]

# More points than this hide each other and make a slow picture.
_MOST_POINTS = 5000
_LEGEND: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (0, 1),
    "ncols": 2,
    "fontsize": "small",
    "title_fontsize": "small",
    "alignment": "left",
    "frameon": False,
    "borderaxespad": 0.3,
    "borderpad": 0,
    "handletextpad": 0.2,
    "labelspacing": 0.2,
}
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))


class BoxesDisplay(Display):
    """The boxes of a model and labelled rows, on two features.

    A box is a rectangle. A side without a line has no limit: the rectangle goes on beyond the picture. When
    the boxes limit other features too, their rectangles are shadows, in which a row need not be in the box.
    So rows in some box are solid and rows in none are hollow, whatever the rectangles suggest.

    Parameters
    ----------
    boxes : BoxSet
        The boxes.
    points : array-like or frame of shape (n_samples, n_features)
        The rows.
    labels : array-like of shape (n_samples,)
        Their labels, of at most two classes.
    features : pair of str or int, optional
        Names or positions of the features to show, across and up. By default the two whose limits, taken
        alone, keep the most rows out of the boxes.
    pos_label : label, optional
        The positive class; the rarer one by default.

    Attributes
    ----------
    features : tuple of two str
        The names of the features shown.
    points, labels : ndarray
        The rows drawn. Of more than 5000 rows they are a sample with a fixed seed, in which positives take
        up to half of the places; the legend states how many rows of which class were left out.
    ax_ : matplotlib Axes
        What `plot` drew on.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    PathDisplay : The trade-off between misses and false alarms.

    Examples
    --------
    >>> from boxdraw import BoxSet
    >>> from boxdraw.plotting import BoxesDisplay
    >>> boxes = BoxSet([[30, 1]], [[float("inf"), 2]], feature_names=["age", "dose"])
    >>> display = BoxesDisplay(boxes, [[20, 1], [40, 1.5], [50, 3]], ["well", "ill", "well"]).plot()
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('age', 'dose')
    """

    def __init__(
        self,
        boxes: BoxSet,
        points: Any,
        labels: Any,
        *,
        features: Sequence[str | int] | None = None,
        pos_label: Any = None,
    ) -> None:
        if (n_numeric := sum(values is None for values in boxes.categories)) < 2:
            raise ValueError(f"BoxesDisplay needs at least two features of numbers, got {n_numeric}")
        n_rows, columns = read_columns(points, boxes, range(boxes.n_features))
        given = np.asarray(labels)
        if given.shape != (n_rows,):
            raise ValueError(f"labels must be one per row: expected shape ({n_rows},), got {given.shape}")
        self.boxes = boxes
        self.pos_label = _positive_label(given) if pos_label is None else pos_label
        self._class_sizes = _class_sizes(given, self.pos_label)
        rows = _drawn_rows(given == self.pos_label)
        self.points = np.column_stack([np.asarray(column[rows], dtype=np.float64) for column in columns.values()])
        self.labels = given[rows]
        self._inside = boxes.contains(points)[rows]
        self._shown = _most_limited(boxes, self.points) if features is None else _positions(boxes, features)
        self.features = tuple(boxes.feature_names[j] for j in self._shown)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[str | int] | None = None,
        ax: Axes | None = None,
    ) -> BoxesDisplay:
        """Draw the boxes of a fitted classifier.

        Parameters
        ----------
        estimator : fitted box classifier
            Anything with ``boxes_``, ``classes_`` and ``pos_label_``.
        X : array-like or frame of shape (n_samples, n_features)
            Rows, seen in training or not.
        y : array-like of shape (n_samples,)
            Their labels.
        features : pair of str or int, optional
            The features to show; by default those that the boxes limit most.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BoxesDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from boxdraw import FastBoxesClassifier
        >>> from boxdraw.plotting import BoxesDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = FastBoxesClassifier(n_boxes=2).fit(X[:, :2], y)
        >>> display = BoxesDisplay.from_estimator(model, X[:, :2], y)
        >>> len(display.ax_.patches)
        2
        """
        check_is_fitted(estimator, "boxes_")
        labels = labels_of(y, len(y), estimator.classes_)
        display = cls(estimator.boxes_, X, labels, features=features, pos_label=estimator.pos_label_)
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> BoxesDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BoxesDisplay
            This display, with ``ax_`` and ``figure_``.
        """
        ax = self._start(ax, 6, 4.8)
        pair = list(self._shown)
        lower, upper = self.boxes.lower[:, pair], self.boxes.upper[:, pair]
        view = np.array([_view(self.points[:, j], lower[:, i], upper[:, i]) for i, j in enumerate(pair)])
        self._draw_points(ax)
        tags: list[FloatArray] = []
        for k in np.flatnonzero((lower <= upper).all(axis=1)).tolist():  # others hold missing values only
            _draw_box(ax, k, np.stack([lower[k], upper[k]], axis=1), view, tags)
        xlabel, ylabel = map(literal, self.features)
        ax.set(xlabel=xlabel, ylabel=ylabel, xlim=tuple(view[0]), ylim=tuple(view[1]))
        self._draw_legend(ax)
        return self

    def _draw_points(self, ax: Axes) -> None:
        x, y = self.points[:, self._shown].T
        inside, positive = self._inside, self.labels == self.pos_label
        size = np.clip(2e4 / max(len(x), 1), 7, 20)
        for rows, marker, colour in ((~positive, "o", BLUE), (positive, "^", VERMILLION)):
            faces = np.where(inside[rows], colour, "none")
            ax.scatter(x[rows], y[rows], s=size, marker=marker, facecolors=faces, edgecolors=colour, linewidths=0.8)

    def _draw_legend(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D

        drawn = _class_sizes(self.labels, self.pos_label)
        styles = (("^", VERMILLION), ("o", BLUE))
        entries = [
            (_class_text(name, count, total), marker, colour, colour)
            for (name, total), (_, count), (marker, colour) in zip(self._class_sizes, drawn, styles, strict=False)
        ]
        entries += [("solid: in a box", "s", GREY, GREY), ("hollow: in no box", "s", GREY, "none")]
        handles = [
            Line2D([], [], ls="", marker=marker, ms=5, mec=edge, mfc=face, label=text)
            for text, marker, edge, face in entries
        ]
        # Above the axes, because rows may be anywhere inside.
        legend = ax.legend(handles=handles, title=self._shadow_note(), **_LEGEND)
        legend.get_title().set_fontstyle("italic")

    def _shadow_note(self) -> str | None:
        limited = np.flatnonzero(self.boxes.limited.any(axis=0))
        if set(limited.tolist()) <= set(self._shown):
            return None
        return f"The boxes limit {len(limited)} features; this is their shadow on two"


def _positive_label(labels: npt.NDArray[Any]) -> Any:
    """Return the rarer label; of two equally rare ones the second, as the classifiers do."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[::-1][np.argmin(counts[::-1])] if len(classes) else None


def _class_sizes(labels: npt.NDArray[Any], pos_label: Any) -> list[tuple[Any, int]]:
    """Return the label and the number of rows of the positive class and of the other, if there is one."""
    classes, counts = np.unique(labels, return_counts=True)
    sizes = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    positive = sizes.pop(pos_label, 0)
    if len(sizes) > 1:
        raise ValueError(f"labels must be pos_label={pos_label!r} and at most one other, got {classes.tolist()}")
    return [(pos_label, positive), *sizes.items()]


def _class_text(name: Any, count: int, total: int) -> str:
    # matplotlib leaves texts that start with an underscore out of a legend.
    label = literal(name) if isinstance(name, str) and not name.startswith("_") else literal(f"class {name}")
    return f"{label}: {total} rows" if count == total else f"{label}: {count} of {total} rows, sampled"


def _drawn_rows(positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Choose the rows to draw, such that a rare class does not vanish among the others."""
    rows = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    if len(positive) > _MOST_POINTS:
        rng = np.random.default_rng(0)
        places = max(_MOST_POINTS // 2, _MOST_POINTS - len(rows[1]))
        rows[0] = rng.permutation(rows[0])[:places]
        rows[1] = rng.permutation(rows[1])[: _MOST_POINTS - len(rows[0])]
    return np.sort(np.concatenate(rows))


def _positions(boxes: BoxSet, features: Sequence[str | int]) -> tuple[int, ...]:
    """Find the two features that the caller named."""
    names = boxes.feature_names
    if isinstance(features, str) or len(features) != 2:
        raise ValueError(f"features must be two names or positions, got {features!r}")
    for feature in features:
        if feature not in (names if isinstance(feature, str) else range(len(names))):
            raise ValueError(f"{feature!r} is not a feature of the boxes; they have {list(names)}")
    positions = tuple(names.index(f) if isinstance(f, str) else int(f) for f in features)
    if categorical := [names[j] for j in positions if boxes.categories[j] is not None]:
        raise ValueError(f"{categorical[0]!r} has categories; features must be two features of numbers")
    if positions[0] == positions[1]:
        raise ValueError(f"features must be two different ones, got {features!r}")
    return positions


def _most_limited(boxes: BoxSet, points: FloatArray) -> tuple[int, ...]:
    """Return the two features whose limits keep the most rows out, summed over boxes."""
    kept_out = [
        ((column[:, None] < boxes.lower[:, j]) | (column[:, None] > boxes.upper[:, j])).sum()
        for j, column in enumerate(points.T)
    ]
    limits = (np.isfinite(boxes.lower) | np.isfinite(boxes.upper)).sum(axis=0)
    # The number of limits decides between features that keep equally many rows out, such as none.
    categorical = [values is not None for values in boxes.categories]
    order = np.lexsort((np.arange(boxes.n_features), -limits, -np.array(kept_out), np.array(categorical)))
    return tuple(sorted(order[:2].tolist()))


def _view(column: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[float, float]:
    """Return the ends of an axis: the range of the rows and the limits, and some room."""
    values = np.concatenate([column, lower, upper])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return low - room, high + room


def _draw_box(ax: Axes, k: int, limits: FloatArray, view: FloatArray, tags: list[FloatArray]) -> None:
    """Draw one box cut at the view, a line on each side that has a limit, and its number at a corner."""
    from matplotlib.patches import Rectangle

    cut = np.clip(limits, view[:, :1], view[:, 1:])
    (left, right), (bottom, top) = cut
    ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, facecolor=ORANGE, alpha=0.15, lw=0, zorder=0.5))
    gap = np.nan
    xs, ys = [gap], [gap]
    for i, side in np.argwhere(np.isfinite(limits)).tolist():
        across = [limits[i, side]] * 2
        along = cut[1 - i].tolist()
        xs += [*(across if i == 0 else along), gap]
        ys += [*(along if i == 0 else across), gap]
    ax.plot(xs, ys, color=BLACK, lw=1.4, ls=_DASHES[k % len(_DASHES)], solid_capstyle="projecting", zorder=3)
    _draw_tag(ax, k, cut, view, tags)


def _draw_tag(ax: Axes, k: int, cut: FloatArray, view: FloatArray, tags: list[FloatArray]) -> None:
    corners = np.array([[cut[0, a], cut[1, b]] for b in (1, 0) for a in (0, 1)])
    places = (corners - view[:, 0]) / (view[:, 1] - view[:, 0])
    # Boxes often share a corner, and numbers on top of each other can't be read.
    room = [min((float(np.abs(place - tag).max()) for tag in tags), default=1.0) for place in places]
    best = int(np.argmax(np.minimum(room, 0.12)))
    tags.append(places[best])
    right, below = best % 2, best < 2
    ax.annotate(
        f"Box {k + 1}",
        corners[best],
        xytext=(-3 if right else 3, -3 if below else 3),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top" if below else "bottom",
        fontsize="small",
        fontweight="bold",
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
        zorder=4,
    )
