"""``bound``: the generalisation bound for the paper's data sets."""

from __future__ import annotations

import math
from pathlib import Path

from boxdraw.theory import generalization_bound
from paper.data import DataSet
from paper.output import Row, markdown_table, number, save_all
from paper.plan import Plan

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "bound_rows", "grid_sizes", "make"]

SUMMARY = "the generalisation bound on the data sets"
DATASETS = None
NEEDS = ()
_BOXES = (1, 2, 5)
_DELTA = 0.05
_DECIMALS = 2


def make(plan: Plan) -> list[Path]:
    """Make the table."""
    rows = [row for data in plan.chosen_sets() for row in bound_rows(data)]
    table: dict[str, list[str]] = {}
    for row in rows:
        table.setdefault(row["dataset"], [row["dataset"], str(row["rows"]), str(row["features"])]).append(
            number(row["bound"], 3)
        )
    header = ["data", "rows", "features", *(f"{n} box" if n == 1 else f"{n} boxes" for n in _BOXES)]
    text = (
        "By how much, at most, the mean gain on the training rows exceeds the expected gain of a new row, for all "
        f"drawings at once, with probability {1 - _DELTA:g}. Limits are numbers of at most {_DECIMALS} decimals in the "
        "range of the feature. That range is taken from the rows themselves, for illustration; a guarantee needs one "
        "that was fixed before. All rows are for training. The gain of a row is at most 1, so a bound of 1 or more "
        f"says nothing.\n\n{markdown_table(header, table.values())}"
    )
    return save_all(plan.out / "bound", rows, text)


def bound_rows(data: DataSet) -> list[Row]:
    """Return a row per number of boxes."""
    sizes = grid_sizes(data)
    return [
        {
            "dataset": data.name,
            "rows": len(data.y),
            "features": len(sizes),
            "grid_values": sum(sizes),
            "boxes": n_boxes,
            "delta": _DELTA,
            "bound": generalization_bound(n_boxes, sizes, len(data.y), _DELTA),
        }
        for n_boxes in _BOXES
    ]


def grid_sizes(data: DataSet) -> list[int]:
    """Count, for each feature, the numbers with at most two decimals in its range."""
    steps = 10**_DECIMALS
    low, high = data.X.min(axis=0) * steps, data.X.max(axis=0) * steps
    # 1.1 times 100, for example, is not exactly an integer.
    return [math.floor(b + 1e-6) - math.ceil(a - 1e-6) + 1 for a, b in zip(low.tolist(), high.tolist(), strict=True)]
