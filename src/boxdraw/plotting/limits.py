"""LimitsDisplay: every feature that the boxes limit, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from boxdraw.plotting._features import FeaturesDisplay
from boxdraw.plotting._matplotlib import BLACK, BLUE, GREY, LEGEND, ORANGE, VERMILLION, literal, new_figure
from boxdraw.plotting._rows import (
    NAME_WIDTH,
    LabelledRows,
    Rules,
    is_absent,
    kept_out,
    positions_of,
)
from boxdraw.plotting._strip import Strip, strip_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from boxdraw.model.boxes import BoxSet

# The most features, and the number from which they are in two columns.
_MOST_ROWS, _MOST_IN_COLUMN = 40, 12
# Heights in points: a distribution, names of categories, and the space below a feature.
_HILLS, _NAMES, _FREE = 18.0, 8.0, 9.0
# A bar with its number, the smallest bar, and all bars of a feature if there are many.
_BAR, _LEAST_BAR, _BARS = 9.0, 3.0, 90.0
# Positions of the numbers of boxes and of the diamonds of missing values; features span 0 to 1.
_NUMBER_AT, _MISSING_AT = -0.19, 1.12


class LimitsDisplay(FeaturesDisplay):
    """The limits of all boxes over the distributions of their features, a row per feature.

    Above is the distribution of each class, the positive one filled, the other one a line. Below is a bar for each box
    that limits the feature, with the numbers of the rule at its ends. An arrow means no limit on that side. Categories
    are side by side, with bars below those that a box admits. A diamond next to a bar means that the box admits missing
    values too.

    Each feature has its own scale, whose ends are written at its sides. It covers all limits and all rows but half a
    percent of each class at either end; these are counted in the outermost bins. The scale of a skewed number is
    logarithmic, with the powers of ten below it, and linear around zero.

    Parameters
    ----------
    boxes : BoxSet or Scorecard
        The boxes. Those of a scorecard show their points.
    points : array-like or frame of shape (n_samples, n_features)
        The rows.
    labels : array-like of shape (n_samples,)
        Their labels, of at most two classes.
    features : sequence of str or int, optional
        Names or positions of at most 40 features. By default all that the boxes limit, in the order of the table. Of
        more than 40, those that most boxes limit, then those that exclude the most rows; the picture says how many are
        left out.
    pos_label : label, optional
        The positive class; the one with fewer rows by default.

    Attributes
    ----------
    features : tuple of str
        The names of the features shown.
    ax_ : matplotlib Axes
        The axes; the first of two columns.
    axes_ : ndarray of matplotlib Axes
        One, or two columns if there are more than 12 features and `plot` made the figure.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    BoxesDisplay : The boxes on two features, or on every pair of a few.

    Examples
    --------
    >>> from boxdraw import BoxSet
    >>> from boxdraw.plotting import LimitsDisplay
    >>> boxes = BoxSet([[30, 1]], [[float("inf"), 2]], feature_names=["age", "dose"])
    >>> display = LimitsDisplay(boxes, [[20, 1], [40, 1.5], [50, 3]], ["well", "ill", "well"]).plot()
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['age', 'dose']
    """

    boxes: BoxSet
    pos_label: Any
    features: tuple[str, ...]
    axes_: npt.NDArray[Any]
    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self,
        boxes: Any,
        points: Any,
        labels: Any,
        *,
        features: Sequence[str | int] | None = None,
        pos_label: Any = None,
    ) -> None:
        self._rules = Rules.of(boxes)
        self.boxes = self._rules.boxes
        used = np.flatnonzero(self.boxes.limited.any(axis=0)).tolist()
        chosen = used if features is None else list(positions_of(self.boxes, features))
        if features is not None and not 0 < len(chosen) <= _MOST_ROWS:
            raise ValueError(f"features must be 1 to {_MOST_ROWS}, got {len(chosen)}")
        self._rows = LabelledRows.read(points, labels, self.boxes, pos_label, sorted({*used, *chosen}))
        self.pos_label = self._rows.pos_label
        if len(chosen) > _MOST_ROWS:
            chosen = self._most_used(chosen)[:_MOST_ROWS]
        self._left_out = len(set(used) - set(chosen))
        self.features = tuple(self.boxes.feature_names[j] for j in chosen)
        positive = self._rows.positive
        self._strips = [strip_of(self.boxes, j, self._rows.columns[j], positive) for j in chosen]

    def _most_used(self, features: list[int]) -> list[int]:
        """Sort features by the number of boxes that limit them, then by the rows that they exclude."""
        limits = self.boxes.limited.sum(axis=0)
        rows_out = kept_out(self._rows.columns, self.boxes)
        return sorted(features, key=lambda j: (-limits[j], -rows_out[j], j))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, all features in one column; a new figure, as high as needed, by default.

        Returns
        -------
        LimitsDisplay
            This display, with ``ax_``, ``axes_`` and ``figure_``.
        """
        columns = self._columns() if ax is None else [self._strips]
        heights = [[self._height(strip) for strip in column] for column in columns]
        tallest = max(max((sum(column) for column in heights), default=0), 30)
        self._start_columns(ax, len(columns), tallest)
        for place, strips, column in zip(self.axes_, columns, heights, strict=True):
            place.set(xlim=(_NUMBER_AT, 1.13 + 0.02 * self._any_missing()), ylim=(tallest, 0), xticks=[], yticks=[])
            place.spines[:].set_visible(False)
            tops = np.cumsum([0, *column])[:-1].tolist()
            for strip, top in zip(strips, tops, strict=True):
                self._draw_strip(place, strip, top)
            self._name(place, strips, tops)
        self._draw_legend()
        return self

    def _start_columns(self, ax: Axes | None, n_columns: int, points: float) -> None:
        if ax is not None or n_columns == 1:
            self.axes_ = np.array([self._start(ax, 6.4, points / 72 + 0.9)], dtype=object)
            return
        self._own_figure = self.figure_ = new_figure(5.4 * n_columns, points / 72 + 0.9)
        self.axes_ = np.array(self._own_figure.subplots(1, n_columns), dtype=object)
        self.ax_ = self.axes_[0]

    def _columns(self) -> list[list[Strip]]:
        """Divide the features into columns of about the same height."""
        if len(self._strips) <= _MOST_IN_COLUMN:
            return [self._strips]
        below = np.cumsum([self._height(strip) for strip in self._strips])
        first = int(np.argmin(np.maximum(below, below[-1] - below))) + 1
        return [self._strips[:first], self._strips[first:]]

    def _bar_height(self, strip: Strip) -> float:
        return float(np.clip(_BARS / max(len(strip.bars), 1), _LEAST_BAR, _BAR))

    def _height(self, strip: Strip) -> float:
        names = _NAMES if strip.names else 0
        return _HILLS + names + 3 + self._bar_height(strip) * len(strip.bars) + _FREE

    def _any_missing(self) -> bool:
        return any(bool(self.boxes.missing[k, strip.j]) for strip in self._strips for k in strip.bars)

    def _name(self, ax: Axes, strips: list[Strip], tops: list[float]) -> None:
        """Write the name of each feature and its number of missing values."""
        names = []
        for strip in strips:
            absent = is_absent(self._rows.columns[strip.j], self.boxes.categories[strip.j] is not None)
            share = f"\n{absent.mean():.1%} missing" if absent.any() else ""
            names.append(literal(self.boxes.feature_names[strip.j], NAME_WIDTH) + share)
        ax.set_yticks([top + _HILLS * 0.6 for top in tops], labels=names, fontsize="small")
        ax.tick_params(axis="y", length=0)

    def _draw_strip(self, ax: Axes, strip: Strip, top: float) -> None:
        base = top + _HILLS
        peak = max((float(hill.max()) for hill in strip.hills if hill.size), default=0) or 1.0
        heights = [base - (_HILLS - 2) * hill / peak for hill in strip.hills]
        ax.stairs(heights[0], strip.edges, baseline=base, fill=True, color=VERMILLION, alpha=0.55, lw=0)
        if len(heights) > 1:
            ax.stairs(heights[1], strip.edges, baseline=base, color=BLUE, lw=1)
        ax.plot([0, 1], [base, base], color=GREY, lw=0.6)
        small: dict[str, Any] = {"fontsize": 6.5, "color": GREY, "va": "bottom"}
        for text, x, side in zip(strip.ends, (-0.01, 1.01), ("right", "left"), strict=False):
            ax.text(x, base + 1.5, text, ha=side, **small)
        for x, text in strip.names:
            ax.text(x, base + 1.5, text, ha="center", **(small | {"va": "top"}))
        y = base + 3 + (_NAMES if strip.names else 0)
        height = self._bar_height(strip)
        for k in strip.bars:
            y += height
            self._draw_bar(ax, strip, k, y - height / 2, height)

    def _draw_bar(self, ax: Axes, strip: Strip, k: int, y: float, height: float) -> None:
        """Draw the bar of a box on one feature."""
        from matplotlib.patches import Rectangle

        thick = 0.55 * height
        small: dict[str, Any] = {"fontsize": 6.5, "va": "center_baseline"}
        roomy = height >= 0.8 * _BAR
        if roomy:
            ax.text(_NUMBER_AT, y, self._rules.tag(k).removeprefix("Box "), fontweight="bold", ha="right", **small)
        for low, high, texts in strip.bars[k]:
            start, stop = max(low, -0.02), min(high, 1.02)
            ax.add_patch(Rectangle((start, y - thick / 2), stop - start, thick, fc=ORANGE, alpha=0.55, lw=0))
            for x, text, side in ((low, texts[0], -1), (high, texts[1], 1)):
                self._draw_end(ax, x, y, thick, side)
                if roomy and text and np.isfinite(x):
                    ax.text(x + 0.012 * side, y, text, ha="right" if side < 0 else "left", **small)
        if not strip.bars[k] and roomy:
            ax.text(0.5, y, "missing values only", ha="center", color=GREY, **small)
        if self.boxes.missing[k, strip.j]:
            ax.plot([_MISSING_AT], [y], marker="D", ms=min(4, thick), mfc="none", mec=BLACK, mew=0.8)

    def _draw_end(self, ax: Axes, x: float, y: float, thick: float, side: int) -> None:
        """Draw a line where a bar has a limit, and an arrow where it has none."""
        if np.isfinite(x):
            ax.plot([x, x], [y - thick * 0.8, y + thick * 0.8], color=BLACK, lw=1.2, solid_capstyle="butt")
        else:
            at = 1.025 if side > 0 else -0.025
            ax.plot([at], [y], marker=">" if side > 0 else "<", ms=max(thick, 2.5), mfc=BLACK, mec=BLACK, mew=0)

    def _draw_legend(self) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        texts = self._rows.class_texts()
        handles: list[Any] = [Patch(color=VERMILLION, alpha=0.55, lw=0, label=texts[0])]
        handles += [Line2D([], [], color=BLUE, lw=1.2, label=text) for text in texts[1:]]
        arrow: dict[str, Any] = {"marker": ">", "ms": 4, "mfc": BLACK, "mec": BLACK, "color": ORANGE, "alpha": 0.8}
        handles.append(Line2D([], [], lw=4, label="a box, with its number; arrow: no limit", **arrow))
        if self._any_missing():
            diamond: dict[str, Any] = {"ls": "", "marker": "D", "ms": 4, "mfc": "none", "mec": BLACK, "mew": 0.8}
            handles.append(Line2D([], [], label="admits missing values", **diamond))
        ncols = 2 if max(map(len, texts)) <= NAME_WIDTH else 1  # long ones would not fit in the figure
        legend = self.ax_.legend(handles=handles, title="\n".join(self._notes()), ncols=ncols, **LEGEND)
        legend.get_title().set_fontstyle("italic")

    def _notes(self) -> list[str]:
        """Return notes on what the picture leaves out."""
        if not len(self.boxes):
            return ["No boxes: no row is flagged"]
        if not self._strips:
            return ["The boxes limit no feature: every row is flagged"]
        notes = []
        if self._left_out:
            notes.append(f"Not shown: {self._left_out} more features with limits")
        if any(self._bar_height(strip) < 0.8 * _BAR for strip in self._strips):
            notes.append("Bars are in the order of the boxes that limit the feature")
        return notes
