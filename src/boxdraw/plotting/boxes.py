"""BoxesDisplay: boxes and rows on two features, or on every pair of a few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray
from boxdraw.learners.sample import balanced_rows
from boxdraw.plotting._axis import panel_axis
from boxdraw.plotting._features import FeaturesDisplay
from boxdraw.plotting._matplotlib import BLACK, GREY, LEGEND, literal, new_figure
from boxdraw.plotting._panel import FACE, STYLES, Panel
from boxdraw.plotting._rows import (
    LabelledRows,
    Rules,
    failures,
    is_absent,
    kept_out,
    positions_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from boxdraw.model.boxes import BoxSet

# More points overlap and make the picture slow; a panel of a grid is small.
_MOST_POINTS, _MOST_IN_GRID = 5000, 2000
# The most features of a grid: by default, and given by the caller.
_MOST_USED, _MOST_FEATURES = 6, 8


class BoxesDisplay(FeaturesDisplay):
    """The boxes of a model and labelled rows, on two features or on every pair of a few.

    A box is a rectangle; a side without a line has no limit. If the boxes limit other features too, the rectangles are
    projections, and a row in a rectangle need not be in the box. So rows in a box are solid, and rows in no box are
    hollow.

    In a grid of pairs, a row that the other features exclude from every box is only a dot, so for rows with a marker
    the two features of the panel decide. A box is coloured only where it has rows.

    Categories are strips with jittered rows. A skewed number has a log axis, which is linear around zero. Rows with a
    missing number are not drawn, but counted in the legend.

    Parameters
    ----------
    boxes : BoxSet or Scorecard
        The boxes. Those of a scorecard show their points, and rows that reach its threshold are solid.
    points : array-like or frame of shape (n_samples, n_features)
        The rows.
    labels : array-like of shape (n_samples,)
        Their labels, of at most two classes.
    features : sequence of str or int, or "used", optional
        Names or positions of the features to show: two, across and up, or three to eight for a grid of pairs. "used"
        takes all that the boxes limit; of more than six, the six that alone exclude the most rows. By default two are
        chosen in the same way, numbers before categories.
    pos_label : label, optional
        The positive class; the one with fewer rows by default.

    Attributes
    ----------
    features : tuple of str
        The names of the features shown.
    points, labels : ndarray
        The rows drawn, categories as indices. Of more than 5000 rows, or 2000 in a grid, a sample with a fixed seed, up
        to half of it positive; the legend says how many rows of each class are left out.
    ax_ : matplotlib Axes
        The axes; of a grid, the first panel.
    axes_ : ndarray of matplotlib Axes
        All panels, as rows and columns; None above the diagonal of a grid.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    LimitsDisplay : All features that the boxes limit, one below the other.
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

    boxes: BoxSet
    pos_label: Any
    features: tuple[str, ...]
    axes_: npt.NDArray[Any]
    ax_: Axes
    figure_: Figure | SubFigure
    points: FloatArray
    labels: npt.NDArray[Any]

    def __init__(
        self,
        boxes: Any,
        points: Any,
        labels: Any,
        *,
        features: Sequence[str | int] | str | None = None,
        pos_label: Any = None,
    ) -> None:
        self._rules = Rules.of(boxes)
        self.boxes = self._rules.boxes
        if (n_features := self.boxes.n_features) < 2:
            raise ValueError(f"BoxesDisplay needs at least two features, got {n_features}: LimitsDisplay takes one")
        self._rows = LabelledRows.read(points, labels, self.boxes, pos_label, range(n_features))
        self.pos_label = self._rows.pos_label
        positive = self._rows.positive
        looked_at = balanced_rows(positive, _MOST_POINTS)
        self._shown = self._choose(features, {j: column[looked_at] for j, column in self._rows.columns.items()})
        self.features = tuple(self.boxes.feature_names[j] for j in self._shown)
        self._drawn = looked_at if len(self._shown) == 2 else balanced_rows(positive, _MOST_IN_GRID)
        self._columns = {j: column[self._drawn] for j, column in self._rows.columns.items()}
        self.points = np.column_stack([np.asarray(column, dtype=np.float64) for column in self._columns.values()])
        self.labels = self._rows.labels[self._drawn]
        self._inside = self._rules.contains(points)[self._drawn]
        self._member = self.boxes.membership(points) if len(self._shown) > 2 else None

    def _choose(self, features: Any, columns: Any) -> tuple[int, ...]:
        """Return the indices of the features to show."""
        used = np.flatnonzero(self.boxes.limited.any(axis=0)).tolist()
        if features is None or (isinstance(features, str) and features == "used"):
            order = self._by_rows_kept_out(columns)
            if features is None:
                return tuple(sorted(order[:2]))
            order.sort(key=lambda j: j not in used)  # others only to complete a pair
            return tuple(sorted(order[: int(np.clip(len(used), 2, _MOST_USED))]))
        if isinstance(features, str) or len(features) < 2:
            raise ValueError(f"features must be two or more names or positions, or 'used'; got {features!r}")
        if len(features) > _MOST_FEATURES:
            raise ValueError(
                f"features must be at most {_MOST_FEATURES}, got {len(features)}: LimitsDisplay has room for more"
            )
        return positions_of(self.boxes, features)

    def _by_rows_kept_out(self, columns: Any) -> list[int]:
        """Sort features by the rows that they exclude, summed over boxes; numeric ones first."""
        rows_out = kept_out(columns, self.boxes)
        # Ties, such as features that exclude no row, go to the one with more limits.
        limits = self.boxes.limited.sum(axis=0)
        categorical = np.array([values is not None for values in self.boxes.categories])
        order: list[int] = np.lexsort((np.arange(len(limits)), -limits, -rows_out, categorical)).tolist()
        return order

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default. A grid of pairs replaces it, so it must be part of a grid, for
            example from ``subplots``.

        Returns
        -------
        BoxesDisplay
            This display, with ``ax_``, ``axes_`` and ``figure_``.
        """
        if len(self._shown) > 2:
            return self._plot_grid(ax)
        ax = self._start(ax, 6, 4.8)
        self.axes_ = np.array([[ax]], dtype=object)
        panel = self._panel(ax, *self._shown)
        size = float(np.clip(2e4 / max(len(self.labels), 1), 7, 20))
        panel.draw_rows(self._rows.positive[self._drawn], self._inside, None, size)
        panel.draw_boxes([self._rules.tag(k) for k in range(len(self.boxes))])
        xlabel, ylabel = (literal(name, 44) for name in self.features)
        panel.finish(xlabel, ylabel, room=50)
        self._draw_legend(ax, ncols=2, **LEGEND)
        return self

    def _panel(self, ax: Axes, across: int, up: int) -> Panel:
        return Panel(ax, *(panel_axis(self.boxes, j, self._columns[j]) for j in (across, up)))

    def _plot_grid(self, ax: Axes | None) -> Self:
        n = len(self._shown) - 1
        grid = self._start_grid(ax, n)
        self.axes_ = np.full((n, n), None, dtype=object)
        failed = failures(self._columns, self.boxes)
        for row in range(n):
            for column in range(row + 1):
                panel_ax = self.figure_.add_subplot(grid[row, column])
                self.axes_[row, column] = panel_ax
                bottom, left = row == n - 1, column == 0
                self._draw_pair(panel_ax, self._shown[column], self._shown[row + 1], failed, bottom, left)
        self.ax_ = self.axes_[0, 0]
        self.figure_.align_ylabels(self.axes_[:, 0])
        corner = self.figure_.add_subplot(grid[0, 1:])
        corner.set_axis_off()
        place = {"loc": "upper left", "bbox_to_anchor": (0, 1), "borderaxespad": 0}
        self._draw_legend(corner, ncols=1, **(LEGEND | place))
        return self

    def _start_grid(self, ax: Axes | None, n: int) -> Any:
        """Return the grid of panels, in a new figure or in place of the caller's axes."""
        self._own_figure = None
        if ax is None:
            side = max(6.4, 1.9 * n + 0.8)
            figure: Figure = new_figure(side + 0.6, side)
            self._own_figure = self.figure_ = figure
            return figure.add_gridspec(n, n)
        self._start(ax, 1, 1)
        place: Any = ax.get_subplotspec()
        if place is None:
            raise ValueError("a grid of pairs needs an ax that is part of a grid, as figure.add_subplot() makes it")
        ax.set_axis_off()
        return place.subgridspec(n, n)

    def _draw_pair(self, ax: Axes, across: int, up: int, failed: Any, bottom: bool, left: bool) -> None:
        panel = self._panel(ax, across, up)
        by_others = failed.sum(axis=1) - failed[:, across].astype(np.intp) - failed[:, up]
        candidate = (by_others == 0).any(axis=0) | self._inside
        panel.draw_rows(self._rows.positive[self._drawn], self._inside, candidate, 10)
        looked_at = self.boxes.limited[:, across] | self.boxes.limited[:, up]
        tags = [str(k + 1) if limits else None for k, limits in enumerate(looked_at.tolist())]
        panel.draw_boxes(tags, [self._faces(k, panel) for k in range(len(self.boxes))])
        names = [literal(self.boxes.feature_names[j], 24) for j in (across, up)]
        ax.tick_params(labelsize="small")
        for label in (ax.xaxis.label, ax.yaxis.label):
            label.set_fontsize("small")
        panel.finish(names[0] if bottom else None, names[1] if left else None, room=14)

    def _faces(self, k: int, panel: Panel) -> tuple[Any, Any]:
        """Return the parts of both axes that the rows of a box span."""
        assert self._member is not None
        inside = self._member[:, k]
        across, up = (axis.occupied(k, self._rows.columns[axis.j][inside]) for axis in (panel.across, panel.up))
        return across, up

    def _draw_legend(self, ax: Axes, **options: Any) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        grid = len(self._shown) > 2
        drawn = np.isin(np.arange(len(self._rows.labels)), self._drawn)
        entries = [
            (text, marker, colour, colour)
            for text, (marker, colour) in zip(self._rows.class_texts(drawn), STYLES, strict=False)
        ]
        solid, hollow = self._rules.flagged_texts()
        entries += [(f"solid: {solid}", "s", GREY, GREY), (f"hollow: {hollow}", "s", GREY, "none")]
        handles: list[Any] = [
            Line2D([], [], ls="", marker=marker, ms=5, mec=edge, mfc=face, label=text)
            for text, marker, edge, face in entries
        ]
        if grid:
            dot = "dot: kept out of every box by features\nother than the two of the panel"
            handles.append(Line2D([], [], ls="", marker="o", ms=2, mec=GREY, mfc=GREY, label=dot))
            handles.append(Line2D([], [], color=BLACK, lw=1.4, label="limits of a box on the two features"))
            face = FACE | {"alpha": 0.35}
            handles.append(Patch(label="where the other features admit rows to it", **face))
        legend = ax.legend(handles=handles, title="\n".join(self._notes()), **options)
        legend.get_title().set_fontstyle("italic")

    def _notes(self) -> list[str]:
        """Return notes on what the picture leaves out."""
        limited = np.flatnonzero(self.boxes.limited.any(axis=0)).tolist()
        n_shown, notes = len(self._shown), []
        if set(limited) - set(self._shown):
            what = "this is their shadow on two" if n_shown == 2 else f"shown: {n_shown}"
            notes.append(f"The boxes limit {len(limited)} features; {what}")
        numbers = [j for j in self._shown if self.boxes.categories[j] is None]
        lacking = np.any([is_absent(self._columns[j], False) for j in numbers], axis=0) if numbers else np.zeros(1)
        if n_lacking := int(lacking.sum()):
            where = "" if n_shown == 2 else " in its panels"
            notes.append(f"Rows that lack a number and are not drawn{where}: {n_lacking}")
        if self._rules.card is not None and n_shown > 2:  # the panels only have space for numbers
            names = ", ".join(self._rules.tag(k).removeprefix("Box ") for k in range(len(self.boxes)))
            notes.append(f"Points of the boxes: {names}")
        impossible = np.flatnonzero((self.boxes.lower > self.boxes.upper)[:, numbers].any(axis=1)).tolist()
        if impossible:
            names = ", ".join(str(k + 1) for k in impossible)
            notes.append(f"Of boxes that admit only missing numbers there is no picture: {names}")
        return notes
