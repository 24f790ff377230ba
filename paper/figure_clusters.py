"""``figure-clusters``: the AUH over the number of clusters on diamond3D."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paper.data import load
from paper.fast_boxes import paper_model
from paper.plan import Plan
from paper.sweep import save_curve, sweep

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make"]

SUMMARY = "AUH of training and test rows over the number of clusters"
DATASETS = ("diamond3D",)
NEEDS = ("matplotlib",)
_NUMBERS = tuple(range(1, 11))


def make(plan: Plan) -> list[Path]:
    """Make the figure."""
    rows = sweep(plan, load(DATASETS[0]), _NUMBERS, _model)
    about = "Fast Boxes on diamond3D by number of clusters; the expansion is chosen by inner cross-validation."
    return save_curve(plan, "figure-clusters", rows, "number of clusters", about)


def _model(n_boxes: float) -> Any:
    return paper_model().set_params(n_boxes=int(n_boxes))
