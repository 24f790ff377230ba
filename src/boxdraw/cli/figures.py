"""What each box catches on labelled rows, as figures and as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from boxdraw.cli.show import percent, text_table
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import printable, rule_texts
from boxdraw.model.file import Model
from boxdraw.model.risk import FIELDS
from boxdraw.model.statistics import BoxCounts, counted_statistics, wilson_interval
from boxdraw.tables.labelled import Piece, Tell, label_text
from boxdraw.tables.schema import merged_unseen, unseen_categories, warn_of

__all__ = ["EDITED", "HEADER", "box_figures", "edit_texts", "figure_cells", "figures_text", "model_text", "rules_json"]

#: Titles of the figures.
HEADER = ("box", "rows", "caught", "false alarms", "precision", "95% interval", "recall", "only here", "lift")
#: Title of what people changed.
EDITED = "Edited since it was learned:"


def box_figures(
    model: Model, pieces: Iterable[Piece], n_rows: int | None = None, tell: Tell | None = None
) -> list[dict[str, Any]]:
    """Count what each box catches in rows that come in pieces, and at the end what all of them do together."""
    counts: BoxCounts | None = None
    unseen: dict[str, list[str]] = {}
    done = 0
    for rows, positive, weight in pieces:
        some = BoxCounts.of(model.boxes.membership(rows), positive, weight)
        counts = some if counts is None else counts.merge(some)
        unseen = merged_unseen(unseen, unseen_categories(rows, model.boxes))
        done += rows.num_rows
        if tell is not None:
            tell("counting rows in boxes", done, n_rows)
    assert counts is not None
    warn_of(unseen)
    columns = counted_statistics(model.boxes, counts)
    values = [column.tolist() if hasattr(column, "tolist") else column for column in columns.values()]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
    return [*({"box": k, **row} for k, row in enumerate(rows, start=1)), _together(counts)]


def _together(counts: BoxCounts) -> dict[str, Any]:
    support, caught = float(counts.rows.any), float(counts.positives.any)
    n_positive, n_rows = float(counts.positives.all), float(counts.rows.all)
    low, high = wilson_interval(np.array([caught]), np.array([support]))
    precision, base = _ratio(caught, support), _ratio(n_positive, n_rows)
    recall = _ratio(caught, n_positive)
    return {
        "box": "any",
        "rule": "in any box",
        "support": support,
        "true_positives": caught,
        "false_positives": support - caught,
        "precision": precision,
        "precision_low": float(low[0]),
        "precision_high": float(high[0]),
        "recall": recall,
        "unique_recall": recall,
        "lift": _ratio(precision, base),
        "overlap": math.nan,
    }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def figures_text(rows: Sequence[dict[str, Any]]) -> str:
    """Write figures as columns of text."""
    return text_table(HEADER, [figure_cells(row) for row in rows])


def figure_cells(row: dict[str, Any]) -> list[str]:
    """Write the figures of one box, in the order of ``HEADER``."""
    low, high = percent(row["precision_low"]), percent(row["precision_high"])
    return [
        str(row["box"]),
        *(f"{row[name]:.10g}" for name in ("support", "true_positives", "false_positives")),
        percent(row["precision"]),
        "-" if low == "-" else f"{low}-{high}",
        percent(row["recall"]),
        percent(row["unique_recall"]),
        "-" if math.isnan(row["lift"]) else f"{row['lift']:.2f}",
    ]


def model_text(model: Model, with_risk: bool = False) -> str:
    """Write what a model says, for people: the scorecard with its risk or the boxes, and how people changed them."""
    edits = _edits_text(model)
    if model.scorecard is None:
        risk = f"\n\nRisk:\n{model.risk.to_text()}" if with_risk and model.risk is not None else ""
        return f"A row in any of these boxes is {_flagged(model)}\n{model.boxes.to_text()}{risk}{edits}"
    card = f"A row with enough points is {_flagged(model)}\n{model.scorecard.to_text(model.risk)}"
    return f"{card}\n\nThe same as a union of boxes:\n{model.boxes.to_text()}{edits}"


def _edits_text(model: Model) -> str:
    """Write a line per edit, below a line that says what they are; nothing without edits."""
    lines = [f"{time}  {text}" for time, text in edit_texts(model)]
    return "".join(f"\n{line}" for line in ["", EDITED, *lines]) if lines else ""


def edit_texts(model: Model) -> list[tuple[str, str]]:
    """Write what people changed."""
    return [
        (printable(edit.time), printable(edit.what) + (f" ({printable(edit.reason)})" if edit.reason else ""))
        for edit in model.edits
    ]


def _flagged(model: Model) -> str:
    if model.target is None:
        return "flagged"
    return f"predicted to have {printable(model.target)} = {printable(label_text(model.classes[1]))}"


def rules_json(model: Model, figures: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the rules as data, with figures if there are some."""
    boxes: list[dict[str, Any]] = []
    for k, rule in enumerate(_rules(model.boxes)):
        boxes.append({"box": k + 1, **rule})
        if figures is not None:
            boxes[-1] |= {name: value for name, value in figures[k].items() if name not in ("box", "rule")}
    result: dict[str, Any] = {"target": model.target, "classes": list(model.classes), "boxes": boxes}
    if model.scorecard is not None:
        card = model.scorecard
        worth = zip(card.points, _rules(card.boxes), strict=True)
        result["scorecard"] = {
            "threshold": card.threshold,
            "boxes": [{"points": points, **rule} for points, rule in worth],
        }
    if model.risk is not None:
        figured = [{key: getattr(region, name) for key, name in FIELDS.items()} for region in model.risk]
        result["risk"] = [{"region": text} | row for text, row in zip(model.risk.labels(), figured, strict=True)]
    if model.edits:
        result["edits"] = [edit.as_dict() for edit in model.edits]
    if figures is not None:
        result["any"] = {name: value for name, value in figures[-1].items() if name not in ("box", "rule", "overlap")}
    return result


def _rules(boxes: BoxSet) -> list[dict[str, Any]]:
    """Return the rule of each box, as text and as limits."""
    rules = zip(rule_texts(boxes), boxes.rules(), strict=True)
    return [{"rule": text, "limits": [_limit(limit) for limit in rule.limits]} for text, rule in rules]


def _limit(limit: Any) -> dict[str, Any]:
    """Return a limit as an object, without the sides that it does not have."""
    result: dict[str, Any] = {"feature": limit.feature}
    if limit.lower > limit.upper:
        return result | {"only_missing": True}
    result |= {side: getattr(limit, side) for side in ("lower", "upper") if math.isfinite(getattr(limit, side))}
    if limit.categories is not None:
        result["categories"] = sorted(limit.categories, key=lambda value: (str(type(value)), value))
    return result | {"missing": limit.missing}
