"""Shared by the pictures of boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw import BoxSet
from boxdraw._core.arrays import FloatArray
from boxdraw.learners.fast import cluster
from boxdraw.learners.scaling import fit_scaling
from paper.data import DataSet
from paper.output import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["add_box", "as_picture", "limit_rows", "tight_boxes"]


def tight_boxes(X: FloatArray, y: Any, n_boxes: int) -> BoxSet:
    """Return the boxes around the clusters before they grow."""
    positives = X[np.asarray(y) == 1]
    scaled = fit_scaling(X, width=2.0).columns(positives).T
    return BoxSet(*cluster.tight_boxes(positives, cluster.cluster_positives(scaled, None, n_boxes, None, 0)))


def limit_rows(kind: str, boxes: BoxSet, data: DataSet) -> list[Row]:
    """Return the limits as rows for a CSV file."""
    finite = np.where(np.isfinite([boxes.lower, boxes.upper]), [boxes.lower, boxes.upper], np.nan)
    return [
        {"boxes": kind, "box": k + 1, "feature": name, "lower": float(finite[0, k, j]), "upper": float(finite[1, k, j])}
        for k in range(len(boxes))
        for j, name in enumerate(data.feature_names)
    ]


def add_box(ax: Axes, lower: Any, upper: Any, **style: Any) -> None:
    """Draw a rectangle, cut at the axes' own limits."""
    from matplotlib.patches import Rectangle

    view = np.array([ax.get_xlim(), ax.get_ylim()])
    room = 0.1 * (view[:, 1] - view[:, 0])
    low, high = np.maximum(lower, view[:, 0] - room), np.minimum(upper, view[:, 1] + room)
    ax.add_patch(Rectangle((low[0], low[1]), *(high - low), fill=False, **style))


def as_picture(ax: Axes) -> None:
    """Rasterise thousands of points in an SVG file."""
    for points in ax.collections:
        points.set_rasterized(True)
