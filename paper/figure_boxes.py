"""``figure-boxes``: an example of a box drawing classifier, the paper's first figure."""

from __future__ import annotations

import warnings
from pathlib import Path

from boxdraw.plotting import BoxesDisplay
from boxdraw.plotting._matplotlib import new_figure
from paper.data import load
from paper.drawings import as_picture, limit_rows
from paper.fast_boxes import paper_model
from paper.output import save_all
from paper.plan import Plan
from paper.protocol import COSTS

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make"]

SUMMARY = "data with the boxes of Fast Boxes, the paper's first figure"
# The paper does not say which data its figure shows, only that the positives are scattered in a sea of negatives.
DATASETS = ("flooded",)
NEEDS = ("matplotlib",)


def make(plan: Plan) -> list[Path]:
    """Make the figure."""
    data = load(DATASETS[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = paper_model().fit(data.frame, data.y)
    # Of the ten weights the one with the best balanced accuracy on these rows.
    point = max(model.path(COSTS), key=lambda point: point.tpr - point.fpr)
    boxes = point.boxes
    figure = new_figure(6, 5.4)
    ax = figure.add_subplot()
    BoxesDisplay(boxes, data.frame, data.y, pos_label=1).plot(ax=ax)
    as_picture(ax)
    inside = boxes.contains(data.frame)
    text = (
        f"Fast Boxes on {data.name}, {len(data.y)} rows, weight of the negatives {point.negative_weight:g}. The boxes "
        f"hold {inside[data.y == 1].sum()} of {(data.y == 1).sum()} positives and {inside[data.y == 0].sum()} of "
        f"{(data.y == 0).sum()} negatives. The paper does not say which data its figure shows.\n\n{boxes.to_text()}\n"
    )
    return save_all(plan.out / "figure-boxes", limit_rows("final", boxes, data), text, figure)
