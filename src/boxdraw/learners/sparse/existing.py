"""Rules in use beside a fit: what they leave to find, and which of them become idle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import rule_texts
from boxdraw.model.statistics import BoxCounts, as_floats
from boxdraw.tables.training import Training


def check_existing(existing: Any) -> None:
    """Raise unless rules are boxes or None."""
    if existing is not None and not isinstance(existing, BoxSet):
        raise TypeError(
            f"existing must be a BoxSet or None, got {type(existing).__name__}: give boxes_ of a model, or read rules "
            "with BoxSet.from_sql or BoxSet.from_text."
        )


def left_by(existing: BoxSet, rows: Any, data: Training, n_jobs: int | None = None) -> Training:
    """Return the training rows that existing rules do not flag; raise if nothing is left to learn."""
    flagged = existing.contains(rows, n_jobs=n_jobs)
    kept = ~flagged if data.kept is None else data.kept & ~flagged
    left = data.take(np.flatnonzero(~flagged if data.kept is None else ~flagged[data.kept]))
    for side, what in ((left.positive, "positive"), (~left.positive, "negative")):
        if not side.any():
            raise ValueError(f"The existing rules flag every {what} row of the table: there is nothing to add to them.")
    return replace(left, kept=kept)


def idle_rules(existing: BoxSet, found: BoxSet, rows: Any, data: Training) -> list[int]:
    """Return the existing rules whose positives other rules, old or new, all flag; dropped one after the other."""
    member = existing.membership(rows) if data.kept is None else existing.membership(rows)[data.kept]
    member, new = member[data.positive], found.contains(rows)
    held = (new if data.kept is None else new[data.kept])[data.positive].astype(np.intp) + member.sum(axis=1)
    idle = []
    for k in np.argsort(member.sum(axis=0), kind="stable").tolist():
        if not (member[:, k] & (held == 1)).any():
            held -= member[:, k]
            idle.append(k)
    return sorted(idle)


def idle_text(existing: BoxSet, idle: list[int]) -> str:
    """Return the warning of idle rules."""
    texts = rule_texts(existing)
    named = "; ".join(f"rule {k + 1} ({texts[k]})" for k in idle)
    return (
        f"Idle among the existing rules, as the others flag all positive rows that they flag: {named}. "
        "Leave them out, unless they are there for rows that this table lacks."
    )


def added(
    existing: BoxSet, member: BoolArray, rows: Any, positive: BoolArray, weight: FloatArray | None
) -> dict[str, FloatArray]:
    """Return, per new box, the weight of the rows that no existing rule flags."""
    counts = BoxCounts.of(member & ~existing.contains(rows)[:, None], positive, weight)
    true_positives = as_floats(counts.positives.inside)
    return {
        "added_true_positives": true_positives,
        "added_false_positives": as_floats(counts.rows.inside) - true_positives,
    }
