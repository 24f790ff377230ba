"""What each box catches on labelled rows, as figures and as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from boxdraw.cli.options import without_points
from boxdraw.cli.show import percent, text_table
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import printable, rule_texts
from boxdraw.model.file import Model, union_if_any
from boxdraw.model.risk import FIELDS
from boxdraw.model.scorecard import boxes_of
from boxdraw.model.statistics import BoxCounts, counted_statistics
from boxdraw.tables.labelled import Piece, Tell, label_text
from boxdraw.tables.schema import merged_unseen, unseen_categories, warn_of

#: Titles of the figures.
HEADER = ("box", "rows", "caught", "false alarms", "precision", "95% interval", "recall", "only here", "lift")
#: Title of what changed: edits, and fits that replaced the rules.
EDITED = "Changes so far:"


def box_figures(
    model: Model, pieces: Iterable[Piece], n_rows: int | None = None, tell: Tell | None = None
) -> list[dict[str, Any]]:
    """Count what each box that people read catches in rows that come in pieces, and at the end what is flagged."""
    boxes, card = boxes_of(model.drawing), model.scorecard
    counts: list[BoxCounts] = []
    unseen: dict[str, list[str]] = {}
    done = 0
    for rows, positive, weight in pieces:
        member = boxes.membership(rows)
        flagged = member if card is None else card.contains(rows)[:, None]
        some = [BoxCounts.of(each, positive, weight) for each in (member, flagged)]
        counts = [old.merge(new) for old, new in zip(counts, some, strict=True)] if counts else some
        unseen = merged_unseen(unseen, unseen_categories(rows, boxes))
        done += rows.num_rows
        if tell is not None:
            tell("counting rows in boxes", done, n_rows)
    warn_of(unseen)
    boxed, name = ("any", "in any box") if card is None else ("flagged", "enough points")
    together = {"box": boxed, **_rows([name], counts[1].together())[0], "overlap": math.nan}
    rows = _rows(rule_texts(boxes), counts[0])
    return [*({"box": k, **row} for k, row in enumerate(rows, start=1)), together]


def _rows(rules: list[str], counts: BoxCounts) -> list[dict[str, Any]]:
    """Return the figures of each box."""
    columns = counted_statistics(rules, counts)
    values = [np.asarray(column).tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def figures_text(rows: Sequence[dict[str, Any]], whole: bool = False) -> str:
    """Write figures as columns of text."""
    return text_table(HEADER, [figure_cells(row) for row in rows], whole=whole)


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


def model_text(model: Model, with_risk: bool = False, with_union: bool = False) -> str:
    """Write what a model says, for people: the scorecard with its risk or the boxes, and how people changed them.

    The union of a scorecard comes with it only if asked for.
    """
    edits = _edits_text(model)
    if model.scorecard is None and not len(model.boxes):
        return f"{model.boxes.to_text()}{edits}"
    if model.scorecard is None:
        risk = f"\n\nRisk:\n{model.risk.to_text()}" if with_risk and model.risk is not None else ""
        return f"A row in any of these boxes is {_flagged(model)}\n{model.boxes.to_text()}{risk}{edits}"
    card = f"A row with enough points is {_flagged(model)}\n{model.scorecard.to_text(model.risk)}"
    union = f"\n\nThe same as a union of boxes:\n{asked_union(model).to_text()}" if with_union else ""
    return f"{card}{union}{edits}"


def asked_union(model: Model) -> BoxSet:
    """Return the union of a scorecard that someone asked for."""
    return without_points(model, "leave out --union")


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
    card = model.scorecard
    drawn = _rules(boxes_of(model.drawing))
    if figures is not None:
        left_out = ("box", "rule")
        own = [{name: value for name, value in row.items() if name not in left_out} for row in figures[:-1]]
        drawn = [rule | row for rule, row in zip(drawn, own, strict=True)]
    result: dict[str, Any] = {"target": model.target, "classes": list(model.classes)}
    union = None if card is None else union_if_any(card)
    if card is None or union is not None:
        rules = drawn if union is None else _rules(union)
        result["boxes"] = [{"box": k, **rule} for k, rule in enumerate(rules, start=1)]
    if card is not None:
        worth = zip(card.points, drawn, strict=True)
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
