"""``rules-glass2``: the paper's vignette, the rules for a rare kind of glass in words."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from boxdraw import BoxSet
from paper.data import DataSet, load
from paper.drawings import limit_rows
from paper.fast_boxes import paper_model
from paper.output import Row, markdown_table, save_all
from paper.plan import Plan
from paper.printed import printed_glass2

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make"]

SUMMARY = "the rules for glass2 in words, beside the paper's"
DATASETS = ("glass2",)
NEEDS = ()
_WEIGHTS = (0.1, 0.5, 1.0)


def make(plan: Plan) -> list[Path]:
    """Print and write the rules, learned on all rows."""
    data = load(DATASETS[0])
    chosen, single = _fit(data), _fit(data, n_boxes=1)
    rows: list[Row] = []
    n_boxes = int(chosen.best_params_["n_boxes"])
    text = (
        "Fast Boxes as in the paper's experiments, on all rows of glass2. The paper shows one box, and does not say "
        "for which rows and at which weight of the negatives it was drawn.\n\n"
        f"Cross-validation chooses {n_boxes} {'box' if n_boxes == 1 else 'boxes'}.\n\n"
    )
    for model in (chosen,) if n_boxes == 1 else (chosen, single):
        for point in model.path(_WEIGHTS):
            about = {"n_boxes": len(point.boxes), "negative_weight": point.negative_weight}
            rows += [about | row for row in _limits(point.boxes, data)]
            text += f"{_about(point, data)}\n\n{_words(point.boxes, data)}\n\n"
    text += "Limits of the single box by weight, beside the paper's as printed:\n\n" + _beside(single, data)
    return save_all(plan.out / "rules-glass2", rows, text)


def _fit(data: DataSet, **parameters: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return paper_model().set_params(**parameters).fit(data.frame, data.y)


def _limits(boxes: BoxSet, data: DataSet) -> list[Row]:
    rows = limit_rows("final", boxes, data)
    return [row for row in rows if not (math.isnan(row["lower"]) and math.isnan(row["upper"]))]


def _words(boxes: BoxSet, data: DataSet) -> str:
    """Write the rules, and the features that none of them uses."""
    limited = np.any(boxes.limited, axis=0).tolist()
    free = [name for name, used in zip(data.feature_names, limited, strict=True) if not used]
    text = "".join(f"- {line}\n" for line in boxes.to_text().splitlines())
    return text + (f"\nNot in the rules: {', '.join(free)}." if free else "\nAll features are in the rules.")


def _about(point: Any, data: DataSet) -> str:
    inside, positive = point.boxes.contains(data.frame), data.y == 1
    return (
        f"{'One box' if len(point.boxes) == 1 else f'{len(point.boxes)} boxes'}, weight {point.negative_weight:g}: "
        f"{inside[positive].sum()} of {positive.sum()} positives and {inside[~positive].sum()} of {(~positive).sum()} "
        "negatives are inside."
    )


def _beside(model: Any, data: DataSet) -> str:
    boxes = [point.boxes for point in model.path(_WEIGHTS)]
    printed = printed_glass2()
    rows = [
        [
            name,
            *(_range(some.lower[0, j], some.upper[0, j]) for some in boxes),
            _range(*printed.get(name, (-math.inf, math.inf))),
        ]
        for j, name in enumerate(data.feature_names)
    ]
    return markdown_table(["feature", *(f"weight {weight:g}" for weight in _WEIGHTS), "paper"], rows)


def _range(lower: float, upper: float) -> str:
    low = "" if math.isinf(lower) else f"above {lower:.4f}"
    high = "" if math.isinf(upper) else f"below {upper:.4f}"
    return " and ".join(filter(None, (low, high))) or "any"
