"""``figure-space``: which rows place the right edge of a box (the dividing space stage)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.plotting._matplotlib import BLACK, BLUE, VERMILLION, literal, new_figure
from paper.data import DataSet, load
from paper.drawings import add_box, as_picture, tight_boxes
from paper.output import save_all
from paper.plan import Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make", "pulls_on_upper_edge"]

SUMMARY = "the rows that place one edge of a box"
DATASETS = ("diamond",)
NEEDS = ("matplotlib",)
_SHOWN = 1500  # rows; more would be unreadable


def make(plan: Plan) -> list[Path]:
    """Make the figure."""
    data = load(DATASETS[0])
    boxes = tight_boxes(data.X, data.y, 2)
    lower, upper = boxes.lower[0], boxes.upper[0]
    used = pulls_on_upper_edge(data.X, lower, upper, 0)
    positive = data.y == 1
    row = {"rows": len(used), "used": int(used.sum()), "positives_used": int((used & positive).sum())}
    limits = {
        f"{side}_{name}": float(value[j])
        for j, name in enumerate(data.feature_names)
        for side, value in (("lower", lower), ("upper", upper))
    }
    text = (
        f"The first of two tight boxes on {data.name}: {row['used']} of {row['rows']} rows, {row['positives_used']} of "
        f"them positives, place its upper edge in {data.feature_names[0]}: those beyond the edge, and those in the "
        "outer half of the box. They are to the right of the dashed line.\n"
    )
    return save_all(plan.out / "figure-space", [row | limits], text, _draw(data, used, lower, upper))


def pulls_on_upper_edge(X: FloatArray, lower: FloatArray, upper: FloatArray, j: int) -> BoolArray:
    """Return a mask of the rows in the paper's set X_u for the upper edge of feature j."""
    within = ((lower <= X) & (upper >= X)).all(axis=1)
    return np.asarray((X[:, j] >= upper[j]) | (within & (X[:, j] >= (lower[j] + upper[j]) / 2)))


def _draw(data: DataSet, used: BoolArray, lower: FloatArray, upper: FloatArray) -> Figure:
    figure = new_figure(6, 5)
    ax = figure.add_subplot()
    rows = np.random.default_rng(0).permutation(len(used))[:_SHOWN]
    for label, marker, colour, name in ((0, "o", BLUE, "negative"), (1, "^", VERMILLION, "positive")):
        for taken in (True, False):
            some = rows[(data.y[rows] == label) & (used[rows] == taken)]
            ax.scatter(
                data.X[some, 0],
                data.X[some, 1],
                s=9,
                marker=marker,
                facecolors=colour if taken else "none",
                edgecolors=colour,
                linewidths=0.6,
                label=f"{name}, used" if taken else f"{name}, not used",
            )
    across, up = map(literal, data.feature_names[:2])
    ax.set(xlabel=across, ylabel=up, xlim=_ends(data.X[:, 0]), ylim=_ends(data.X[:, 1]))
    as_picture(ax)
    add_box(ax, lower, upper, edgecolor=BLACK, lw=1.6)
    _dashes(ax, lower, upper)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small")
    return figure


def _dashes(ax: Axes, lower: FloatArray, upper: FloatArray) -> None:
    """Draw the line left of which rows are ignored: along the edge, and through the middle of the box."""
    bottom, top = ax.get_ylim()
    middle = (lower[0] + upper[0]) / 2
    x = [upper[0], upper[0], middle, middle, upper[0], upper[0]]
    ax.plot(x, [bottom, lower[1], lower[1], upper[1], upper[1], top], color=BLUE, lw=1.6, ls=(0, (4, 2)))


def _ends(column: FloatArray) -> tuple[float, float]:
    room = 0.02 * float(column.max() - column.min())
    return float(column.min()) - room, float(column.max()) + room
