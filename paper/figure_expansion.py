"""``figure-expansion``: the AUH over the expansion parameter on diamond3D."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paper.data import load
from paper.fast_boxes import paper_model
from paper.plan import Plan
from paper.sweep import save_curve, sweep

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make"]

SUMMARY = "AUH of training and test rows over the expansion parameter"
DATASETS = ("diamond3D",)
NEEDS = ("matplotlib",)
_SHARES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_N_BOXES = 2  # diamonds in the data


def make(plan: Plan) -> list[Path]:
    """Make the figure."""
    rows = sweep(plan, load(DATASETS[0]), _SHARES, _model)
    about = (
        f"Fast Boxes on diamond3D with {_N_BOXES} clusters, the number of diamonds, by expansion; beta is this share "
        "of the number of negatives among the training rows."
    )
    return save_curve(plan, "figure-expansion", rows, "expansion, as a share of the negatives", about)


def _model(share: float) -> Any:
    return paper_model().set_params(n_boxes=_N_BOXES, expansion=share)
