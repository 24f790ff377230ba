"""Fast Boxes over the values of one parameter: training and test AUH."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw.plotting._matplotlib import BLUE, VERMILLION, new_figure
from paper.data import DataSet, NotHereError
from paper.fast_boxes import ten_point_scorer
from paper.output import Row, markdown_table, number, save_all
from paper.plan import Plan
from paper.protocol import Split, split_rows
from paper.workers import KILLED, call_each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["curve", "draw_curve", "save_curve", "sweep"]


def sweep(plan: Plan, data: DataSet, values: Sequence[float], make_model: Callable[[float], Any]) -> list[Row]:
    """Fit a model for each value on each split."""
    pairs = split_rows(data.y, plan.protocol, plan.seed)[: plan.n_splits]
    splits = [Split(data.X[train], data.y[train], data.X[test], data.y[test]) for train, test in pairs]
    names = [(value, number) for value in values for number in range(len(splits))]
    both = dict(call_each(_both, [(make_model(value), splits[number]) for value, number in names], plan.jobs))
    if None in both.values():
        raise NotHereError(f"a fit on {data.name} has failed: {KILLED}")
    return [
        {"value": value, "split": number, "train_auh": both[place][0], "test_auh": both[place][1]}
        for place, (value, number) in enumerate(names)
    ]


def _both(model_and_split: tuple[Any, Split]) -> tuple[float, float]:
    model, split = model_and_split
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer positives than boxes, or in a fold
        model.fit(split.X_train, split.y_train)
    return ten_point_scorer(model, split.X_train, split.y_train), ten_point_scorer(model, split.X_test, split.y_test)


def curve(rows: Sequence[Row]) -> list[Row]:
    """Return the means over the splits, a row per value."""
    values = list(dict.fromkeys(row["value"] for row in rows))
    return [
        {
            "value": value,
            **{
                part: float(np.mean([row[part] for row in rows if row["value"] == value]))
                for part in ("train_auh", "test_auh")
            },
        }
        for value in values
    ]


def draw_curve(points: Sequence[Row], label: str, positions: Sequence[float]) -> Figure:
    """Draw training AUH as circles and test AUH as stars, as in the paper."""
    figure = new_figure(5, 3.6)
    ax = figure.add_subplot()
    ax.plot(positions, [row["train_auh"] for row in points], "o-", color=BLUE, mfc="none", label="training rows")
    ax.plot(positions, [row["test_auh"] for row in points], "*--", color=VERMILLION, ms=9, label="test rows")
    ax.set(xlabel=label, ylabel="AUH")
    ax.set_xticks(positions, [f"{row['value']:g}" for row in points])
    ax.legend(frameon=False, fontsize="small")
    return figure


def save_curve(plan: Plan, name: str, rows: Sequence[Row], label: str, about: str) -> list[Path]:
    """Write the rows, the table of means and the picture."""
    points = curve(rows)
    best = max(points, key=lambda row: row["test_auh"])
    table = [[f"{row['value']:g}", number(row["train_auh"]), number(row["test_auh"])] for row in points]
    text = (
        f"{about} Means of {plan.described}.\n\n{markdown_table([label, 'training AUH', 'test AUH'], table)}\n"
        f"The test AUH is highest at {best['value']:g}.\n"
    )
    return save_all(plan.out / name, rows, text, draw_curve(points, label, range(len(points))))
