"""``figure-ranking``: the rank of Fast Boxes against the imbalance of the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata, spearmanr

from boxdraw.plotting._matplotlib import BLUE, VERMILLION, new_figure
from paper.data import NotHereError
from paper.methods import PAPER
from paper.output import Row, markdown_table, number, save_all
from paper.plan import Plan, Results
from paper.printed import printed_auh

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make", "ranking_rows"]

SUMMARY = "rank of Fast Boxes among the methods, against the imbalance of the data"
DATASETS = None
NEEDS = ("matplotlib",)
_TICKS = (2, 3, 5, 10, 20, 30, 50, 100)


def make(plan: Plan) -> list[Path]:
    """Make the figure, from the cells of ``table-auh``."""
    methods = [method for method in plan.chosen_methods() if method.key in PAPER]
    if "fast_boxes" not in {method.key for method in methods} or len(methods) < 2:
        raise NotHereError("ranks need fast_boxes and at least one other method of the paper in --methods")
    results = plan.results(plan.chosen_sets(), methods)
    rows = ranking_rows(results)
    if not rows:
        raise NotHereError("Fast Boxes has failed on all data sets, so it has no ranks")
    return save_all(plan.out / "figure-ranking", rows, _markdown(plan, results, rows), _draw(rows, len(methods)))


def ranking_rows(results: Results) -> list[Row]:
    """Return a row per data set."""
    rows = []
    for data in results.sets:
        scores = {key: float(auh.mean()) for key, auh in results.paired(data.name, PAPER).items() if len(auh)}
        if "fast_boxes" not in scores:
            continue
        printed = {key: found.mean for key in scores if (found := printed_auh(data.name, key)) and not found.slip}
        rows.append(
            {
                "dataset": data.name,
                "imbalance": data.imbalance,
                "methods": len(scores),
                "rank": _rank(scores),
                "paper_rank": _rank(printed) if len(printed) == len(scores) else np.nan,
            }
        )
    return sorted(rows, key=lambda row: row["imbalance"])


def _rank(scores: dict[str, float]) -> float:
    ranks = rankdata([-score for score in scores.values()], method="average")
    return float(ranks[list(scores).index("fast_boxes")])


def _correlation(rows: list[Row], column: str) -> str:
    pairs = [(row["imbalance"], row[column]) for row in rows if not np.isnan(row[column])]
    if len(pairs) < 3 or len({rank for _, rank in pairs}) < 2:
        return "-"
    return number(float(spearmanr(*zip(*pairs, strict=True)).statistic), 2)


def _markdown(plan: Plan, results: Results, rows: list[Row]) -> str:
    table = [
        [row["dataset"], number(row["imbalance"], 1), number(row["rank"], 1), number(row["paper_rank"], 1)]
        for row in rows
    ]
    titles = ", ".join(method.title for method in results.methods)
    return (
        f"Rank of Fast Boxes by mean AUH among {len(results.methods)} methods ({titles}), 1 is the best; "
        f"{plan.described}. The paper's ranks are of its printed means, without rows that have a known slip.\n\n"
        f"{markdown_table(['data', 'negatives per positive', 'rank', 'rank in the paper'], table)}\n"
        f"Spearman's correlation of the rank with the imbalance: {_correlation(rows, 'rank')}; "
        f"in the paper {_correlation(rows, 'paper_rank')}.\n"
    )


def _draw(rows: list[Row], n_methods: int) -> Figure:
    figure = new_figure(6, 4)
    ax = figure.add_subplot()
    x = [row["imbalance"] for row in rows]
    ax.scatter(x, [row["rank"] for row in rows], s=30, color=BLUE, label="ours")
    paper = [row["paper_rank"] for row in rows]
    ax.scatter(x, paper, s=45, marker="^", facecolors="none", edgecolors=VERMILLION, label="the paper's table")
    ax.set(xscale="log", xlabel="negatives per positive", ylabel="rank of Fast Boxes", ylim=(n_methods + 0.5, 0.5))
    ax.set_yticks(range(1, n_methods + 1))
    ax.set_xticks([], minor=True)
    ticks = [tick for tick in _TICKS if min(x) <= tick <= max(x)]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small")
    return figure
