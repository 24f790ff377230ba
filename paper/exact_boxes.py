"""Exact Boxes as in the paper's experiments: one fit for each weight of the negatives, .1, .2, ..., 1, a box costs 1.

The number of boxes is the one that inner cross-validation chooses for Fast Boxes, as in the paper, or the one that it
chooses for Exact Boxes itself. The paper gave each fit 30 to 90 minutes; here it gets seconds, on one thread. The gap
bounds how far the drawings are from the best on the training half.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from boxdraw import BoxSet, CautionWarning, ExactBoxesClassifier
from paper.fast_boxes import paper_model
from paper.protocol import COSTS
from paper.reported import EXACT

# Mean test AUH of Exact Boxes in the paper's table of it.
PAPER_EXACT_BOXES = {name: row.exact_boxes.mean for name, row in EXACT.items()}

OWN_BOXES = (1, 2, 3, 4, 5)  # numbers among which inner folds choose
TIE = 1e-4  # cost of a limit that only decides among drawings of the same objective, a multiple of .1
_INNER_SHARE = 0.05  # of the seconds of a fit, for those of inner folds


@dataclass(frozen=True)
class Drawing:
    """One fit: its point on the test half, and how good it is proven to be on the training half."""

    fpr: float
    tpr: float
    gap: float
    proven: bool
    seconds: float


def chosen_boxes(X: Any, y: Any) -> int:
    """Return the number of boxes that the paper's protocol chooses for Fast Boxes."""
    with warnings.catch_warnings():
        # folds with few positives warn by design
        warnings.simplefilter("ignore", UserWarning)
        return int(paper_model().fit(X, y).best_params_["n_boxes"])


def own_boxes(X: Any, y: Any, seconds: float, edges: str) -> list[int]:
    """Return for each weight of the negatives the number of boxes of the best objective on held-out rows.

    That is what ``max_boxes="auto"`` asks, too; of equal numbers the least. A fit gets a part of the seconds: the
    search is what counts.
    """
    right = np.zeros((len(OWN_BOXES), len(COSTS)))
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        part, positives = (X[train], y[train], X[test], y[test]), int((y[test] == 1).sum())
        for k, n_boxes in enumerate(OWN_BOXES):
            drawings = draw(part, n_boxes, _INNER_SHARE * seconds, edges, TIE)
            alarms = COSTS * [one.fpr for one in drawings] * (len(test) - positives)
            right[k] += positives * np.array([one.tpr for one in drawings]) - alarms
    # Sums in another order differ by rounding, and are no reason for another box.
    return [OWN_BOXES[k] for k in np.argmax(right.round(9), axis=0)]


def compile_kernels() -> None:
    """Fit a tiny table, so that compiling does not count towards the time limit of a fit."""
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), rng.random(30) < 0.4
    model = ExactBoxesClassifier(max_boxes=2, negative_weight=0.5, box_cost=1.0, limit_cost=0.0, time_limit=300.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CautionWarning)
        model.fit(X, y)


def draw(
    half: tuple[Any, Any, Any, Any],
    max_boxes: int | Sequence[int],
    seconds: float,
    edges: str,
    limit_cost: float = 0.0,
) -> list[Drawing]:
    """Fit for every weight of the negatives; each search starts from the boxes of the weight before."""
    X_train, y_train, X_test, y_test = half
    drawings: list[Drawing] = []
    boxes: BoxSet | None = None
    for weight, n_boxes in zip(COSTS, np.broadcast_to(max_boxes, len(COSTS)), strict=True):
        start = time.perf_counter()
        model = ExactBoxesClassifier(
            max_boxes=int(n_boxes),
            negative_weight=float(weight),
            box_cost=1.0,
            limit_cost=limit_cost,
            time_limit=seconds,
            warm_start_boxes=boxes,
            edges=edges,
            pos_label=1,
            round_limits=False,
            random_state=0,
        )
        with warnings.catch_warnings():
            # Boxes on few positives, or none, are a point of the curve all the same.
            warnings.simplefilter("ignore", CautionWarning)
            warnings.filterwarnings("ignore", "No box was found")
            model.fit(X_train, y_train)
        if model.status_ == "interrupted":
            raise KeyboardInterrupt
        flagged = model.predict(X_test) == 1
        fpr, tpr = (float(flagged[y_test == label].mean()) for label in (0, 1))
        drawings.append(Drawing(fpr, tpr, model.gap_, model.status_ == "optimal", time.perf_counter() - start))
        boxes = model.boxes_ if len(model.boxes_) else None
    return drawings
