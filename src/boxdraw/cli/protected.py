"""What models do to each group of the held-out rows, and what each of their boxes does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.cli.errors import Failure
from boxdraw.cli.held_out import column_values
from boxdraw.cli.show import percent, text_table
from boxdraw.model.export.text import printable
from boxdraw.model.rule import is_missing
from boxdraw.model.statistics import wilson_interval
from boxdraw.tables.labelled import TrainingFile, label_text

_MOST = 50  # groups that a person can compare
_ANY = "all"  # the row of a model as a whole
_SHARES = {"alarm_rate": (1, 0), "precision": (2, 1), "recall": (2, 3)}  # the columns of counts that each divides


@dataclass(frozen=True, slots=True)
class Groups:
    """The group of each row, as a place in the names."""

    names: list[str]
    place: IntArray


def groups_of(data: TrainingFile, column: str) -> Groups:
    """Read the groups of ``--protected``; rows without a value are one of them."""
    texts = ["(missing)" if is_missing(value) else label_text(value) for value in column_values(data, column)]
    names = sorted(set(texts))
    if len(names) > _MOST:
        raise Failure(f"--protected {printable(column)} has {len(names)} groups, more than the {_MOST} to compare")
    return Groups(names, np.array([names.index(text) for text in texts], dtype=np.intp))


@dataclass(slots=True)
class Rates:
    """Counts of held-out rows by group, for a model and for each of its boxes: rows, alarms, caught, positives."""

    counts: dict[str, FloatArray] = field(default_factory=dict)  # by rule: (groups, 4)

    def add(
        self,
        groups: Groups,
        rows: IntArray,
        flagged: BoolArray,
        inside: dict[str, BoolArray],
        positive: BoolArray,
        weight: FloatArray | None,
    ) -> None:
        """Take in the held-out rows of a fold; boxes with the same limits are one in all folds."""
        worth = np.ones(len(rows)) if weight is None else weight
        for rule, alarm in {_ANY: flagged, **inside}.items():
            sides = np.column_stack([np.ones_like(alarm), alarm, alarm & positive, positive]) * worth[:, None]
            counts = self.counts.setdefault(rule, np.zeros((len(groups.names), 4)))
            np.add.at(counts, groups.place[rows], sides)

    def as_rows(self, groups: Groups) -> list[dict[str, Any]]:
        """Return the rates of each group with 95% intervals: first of the model, then of its boxes."""
        result = []
        for rule, counts in self.counts.items():
            for name, row in zip(groups.names, counts, strict=True):
                figures: dict[str, Any] = {"rule": rule, "group": name, "rows": row[0], "alarms": row[1]}
                for share, (part, whole) in _SHARES.items():
                    low, high = wilson_interval(row[[part]], row[[whole]])
                    figures[share] = row[part] / row[whole] if row[whole] else math.nan
                    figures |= {f"{share}_low": float(low[0]), f"{share}_high": float(high[0])}
                result.append(figures)
        return result


def rates_text(column: str, groups: Groups, models: Sequence[tuple[str, Rates]]) -> str:
    """Write the rates of each group as columns of text: a table for each model, and for each of its boxes."""
    titles = [title for share in _SHARES for title in (share.replace("_", " "), "95% interval")]
    tables = []
    for model, rates in models:
        for rule, rows in groupby(rates.as_rows(groups), key=itemgetter("rule")):
            table = text_table([printable(column), "rows", *titles], [_cells(row) for row in rows])
            tables.append(f"{model}{'' if rule == _ANY else f', {rule}'}:\n{table}")
    return "\n\n".join(tables)


def _cells(row: dict[str, Any]) -> list[str]:
    cells = [printable(row["group"]), f"{row['rows']:.10g}"]
    for share in _SHARES:
        low, high = percent(row[f"{share}_low"]), percent(row[f"{share}_high"])
        cells += [percent(row[share], 1), "-" if low == "-" else f"{low}-{high}"]
    return cells
