"""``figure-minimal-expansion``: why boxes grow up to the nearest negative, on two features of iris0."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxdraw import BoxSet, FastBoxesClassifier
from boxdraw.plotting._matplotlib import BLACK, BLUE, ORANGE, VERMILLION, literal, new_figure
from paper.data import DataSet, load
from paper.drawings import add_box, limit_rows, tight_boxes
from paper.output import markdown_table, save_all
from paper.plan import Plan
from paper.protocol import Split, split_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make"]

SUMMARY = "tight boxes miss part of the positives, grown ones do not"
DATASETS = ("iris0",)
NEEDS = ("matplotlib",)
_FEATURES = (0, 3)  # the paper's dimensions 1 and 4


def make(plan: Plan) -> list[Path]:
    """Make the figure, on the first split."""
    data = load(DATASETS[0])
    data = DataSet(data.name, data.X[:, _FEATURES], data.y, tuple(data.feature_names[j] for j in _FEATURES))
    train, test = split_rows(data.y, plan.protocol, plan.seed)[0]
    split = Split(data.X[train], data.y[train], data.X[test], data.y[test])
    boxes = {"tight": tight_boxes(split.X_train, split.y_train, 1), "grown": _grown(split)}
    rows = [row for kind, some in boxes.items() for row in limit_rows(kind, some, data)]
    counts = [
        [
            kind,
            *(f"{some.contains(X)[y == 1].sum()} of {(y == 1).sum()}" for X, y in _parts(split)),
            *(f"{some.contains(X)[y == 0].sum()} of {(y == 0).sum()}" for X, y in _parts(split)),
        ]
        for kind, some in boxes.items()
    ]
    header = ["box", "training positives", "test positives", "training negatives", "test negatives"]
    text = (
        f"One box on features 1 and 4 of iris0 ({' and '.join(data.feature_names)}), first split, seed {plan.seed}: "
        "rows inside the tight box and inside the one that has grown up to the nearest negative.\n\n"
        f"{markdown_table(header, counts)}"
    )
    return save_all(plan.out / "figure-minimal-expansion", rows, text, _draw(data, split, boxes))


def _grown(split: Split) -> BoxSet:
    model = FastBoxesClassifier(n_boxes=1, distance="sum", pos_label=1, round_limits=False, random_state=0)
    return model.fit(split.X_train, split.y_train).boxes_


def _parts(split: Split) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    return (split.X_train, split.y_train), (split.X_test, split.y_test)


def _draw(data: DataSet, split: Split, boxes: dict[str, BoxSet]) -> Figure:
    figure = new_figure(6, 4.6)
    ax = figure.add_subplot()
    for (X, y), part, solid in zip(_parts(split), ("training", "test"), (True, False), strict=True):
        for label, name, marker, colour in ((0, "negative", "o", BLUE), (1, "positive", "^", VERMILLION)):
            some = X[y == label]
            ax.scatter(
                some[:, 0],
                some[:, 1],
                s=22,
                marker=marker,
                facecolors=colour if solid else "none",
                edgecolors=colour,
                linewidths=0.9,
                label=f"{name}, {part}",
            )
    across, up = map(literal, data.feature_names)
    ends = [(column.min() - 0.05 * np.ptp(column), column.max() + 0.05 * np.ptp(column)) for column in data.X.T]
    ax.set(xlabel=across, ylabel=up, xlim=ends[0], ylim=ends[1])
    for kind, style in (("tight", (0, (3, 2))), ("grown", "-")):
        colour = BLACK if kind == "tight" else ORANGE
        add_box(ax, boxes[kind].lower[0], boxes[kind].upper[0], edgecolor=colour, lw=1.8, ls=style, label=f"{kind} box")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize="small")
    return figure
