"""One panel of a BoxesDisplay: rows and boxes on two features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.plotting._axis import CategoryAxis, FeatureAxis, Span
from boxdraw.plotting._matplotlib import BLACK, BLUE, ORANGE, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Marker and colour of the positive class and of the other.
STYLES = (("^", VERMILLION), ("o", BLUE))
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_LINE, _LINES = 15, 12  # height of a tag in points, and how many of them may be stacked at a corner
FACE: dict[str, Any] = {"facecolor": ORANGE, "alpha": 0.15, "linewidth": 0}


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes, and the two features along its sides."""

    ax: Axes
    across: FeatureAxis
    up: FeatureAxis

    def draw_rows(self, positive: BoolArray, flagged: BoolArray, candidate: BoolArray | None, size: float) -> None:
        """Draw flagged rows solid, other candidates hollow, and the rest as dots."""
        x, y = self.across.places(), self.up.places()
        if candidate is not None:
            for rows, (_, colour) in ((~positive, STYLES[1]), (positive, STYLES[0])):
                faint = rows & ~candidate
                self.ax.scatter(
                    x[faint], y[faint], s=2.5, marker="o", color=colour, linewidths=0, alpha=0.4, zorder=0.8
                )
        for rows, (marker, colour) in ((~positive, STYLES[1]), (positive, STYLES[0])):
            shown = rows if candidate is None else rows & candidate
            faces = np.where(flagged[shown], colour, "none")
            line = 0.8 if size > 12 else 0.6
            self.ax.scatter(
                x[shown], y[shown], s=size, marker=marker, facecolors=faces, edgecolors=colour, linewidths=line
            )

    def draw_boxes(
        self, tags: Sequence[str | None], faces: Sequence[tuple[list[Span], list[Span]]] | None = None
    ) -> None:
        """Draw every box with a tag, filled as a whole or in the given pieces, and its tag at a corner."""
        taken: list[FloatArray] = []
        # Where all boxes overlap, rows still have to be seen.
        n_boxes = sum(tag is not None for tag in tags)
        alpha = min(float(FACE["alpha"]), 1 - 0.4 ** (1 / max(n_boxes, 1)))
        for k, tag in enumerate(tags):
            if tag is None:
                continue
            pieces = [np.array(piece) for piece in product(self.across.spans(k), self.up.spans(k))]
            for face in pieces if faces is None else map(np.array, product(*faces[k])):
                self._draw_face(face, alpha)
            for piece in pieces:
                self._draw_outline(k, piece)
            if pieces:
                self._draw_tag(tag, self._cut(pieces[0]), taken)

    def finish(self, xlabel: str | None, ylabel: str | None, room: int) -> None:
        """Set the ends and ticks of the axes, with tick labels only if there is a label; rotate crowded names."""
        ax = self.ax
        for set_scale, feature in ((ax.set_xscale, self.across), (ax.set_yscale, self.up)):
            name, options = feature.scale.of_matplotlib()
            set_scale(name, **options)
        ax.set(xlim=self.across.view(), ylim=self.up.view(), xlabel=xlabel or "", ylabel=ylabel or "")
        for axis, feature, label in ((ax.xaxis, self.across, xlabel), (ax.yaxis, self.up, ylabel)):
            ticks = feature.ticks()
            if ticks is not None:
                axis.set_ticks([place for place, _ in ticks], labels=[text for _, text in ticks])
                axis.set_ticks([], minor=True)
                crowded = axis is ax.xaxis and len("".join(text for _, text in ticks)) > room
            if isinstance(feature, CategoryAxis):
                axis.set_tick_params(length=0)
                if crowded:
                    for text in axis.get_ticklabels():
                        text.set(rotation=40, ha="right", rotation_mode="anchor")
            axis.set_tick_params(labelbottom=label is not None, labelleft=label is not None)

    def _cut(self, piece: FloatArray) -> FloatArray:
        view = np.array([self.across.view(), self.up.view()])
        return np.clip(piece, view[:, :1], view[:, 1:])

    def _draw_face(self, piece: FloatArray, alpha: float) -> None:
        from matplotlib.patches import Rectangle

        (left, right), (bottom, top) = self._cut(piece)
        style = FACE | {"alpha": alpha}
        self.ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, zorder=0.5, **style))

    def _draw_outline(self, k: int, piece: FloatArray) -> None:
        """Draw a line on each side that has a limit."""
        cut, gap = self._cut(piece), np.nan
        xs, ys = [gap], [gap]
        for i, side in np.argwhere(np.isfinite(piece)).tolist():
            across = [piece[i, side]] * 2
            along = cut[1 - i].tolist()
            xs += [*(across if i == 0 else along), gap]
            ys += [*(along if i == 0 else across), gap]
        self.ax.plot(xs, ys, color=BLACK, lw=1.4, ls=_DASHES[k % len(_DASHES)], solid_capstyle="projecting", zorder=3)

    def _draw_tag(self, tag: str, cut: FloatArray, taken: list[FloatArray]) -> None:
        view = np.array([self.across.view(), self.up.view()])
        corners = np.array([[cut[0, a], cut[1, b]] for b in (1, 0) for a in (0, 1)])
        seen, ends = (self._along(points) for points in (corners, view.T))
        places = (seen - ends[0]) / (ends[1] - ends[0])
        # Boxes often share a corner: their tags are kept apart, some lines above or below each other.
        tried = [(i, line) for line in range(_LINES) for i in range(4)]
        texts = [self._text_at(places[i], tag, i % 2 == 1, i < 2, line) for i, line in tried]
        hidden = [_outside(text) + sum(_shared(text, other) for other in taken) for text in texts]
        choice = int(np.argmin(np.round(hidden, 6)))
        taken.append(texts[choice])
        best, line = tried[choice]
        right, below = best % 2, best < 2
        away = 3 + line * _LINE
        self.ax.annotate(
            tag,
            corners[best],
            xytext=(-3 if right else 3, -away if below else away),
            textcoords="offset points",
            ha="right" if right else "left",
            va="top" if below else "bottom",
            fontsize="small",
            fontweight="bold",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            zorder=4,
        )

    def _along(self, points: FloatArray) -> FloatArray:
        """Return where points lie along both axes."""
        return np.column_stack([axis.scale.along(points[:, i]) for i, axis in enumerate((self.across, self.up))])

    def _text_at(self, place: FloatArray, tag: str, right: bool, below: bool, line: int) -> FloatArray:
        """Return the approximate extent of a tag some lines from a corner, as shares of the axes' width and height."""
        box, dpi = self.ax.bbox, self.ax.figure.dpi
        points = np.maximum([box.width * 72 / dpi, box.height * 72 / dpi], 1)
        width, height = np.array([6.5 * len(tag) + 6, _LINE]) / points
        left, bottom = place[0] - width * right, place[1] + height * (-line - 1 if below else line)
        return np.array([[left, left + width], [bottom, bottom + height]])


def _outside(text: FloatArray) -> float:
    """Return how much of a rectangle is not on the axes."""
    return _shared(text, text) - _shared(text, np.array([[0.0, 1.0], [0.0, 1.0]]))


def _shared(first: FloatArray, second: FloatArray) -> float:
    """Return the overlap of two rectangles."""
    sides = np.minimum(first[:, 1], second[:, 1]) - np.maximum(first[:, 0], second[:, 0])
    return float(np.prod(np.maximum(sides, 0)))
