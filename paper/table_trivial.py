"""``table-trivial``: how often a model flags everything or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from paper.output import Row, markdown_table, number, save_all
from paper.plan import Plan, Results
from paper.printed import printed_trivial

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "make", "trivial_rows"]

SUMMARY = "share of trivial models, beside the paper's"
DATASETS = None
NEEDS = ()
_MANY = 0.5  # what the paper has in bold


def make(plan: Plan) -> list[Path]:
    """Make the table, from the cells of ``table-auh``."""
    results = plan.results(plan.chosen_sets(), plan.chosen_methods())
    rows = trivial_rows(results)
    return save_all(plan.out / "table-trivial", rows, _markdown(plan, results, rows))


def trivial_rows(results: Results) -> list[Row]:
    """Return a row per data set and method."""
    rows = []
    for data in results.sets:
        for method in results.methods:
            outcomes = results.outcomes(data.name, method.key).values()
            n_models = sum(outcome.n_models for outcome in outcomes)
            trivial = sum(outcome.trivial or 0 for outcome in outcomes)
            printed = printed_trivial(data.name, method.key)
            rows.append(
                {
                    "dataset": data.name,
                    "method": method.key,
                    "models": n_models,
                    "trivial": trivial,
                    "share": trivial / n_models if n_models else np.nan,
                    "paper_share": np.nan if printed is None else printed,
                }
            )
    return rows


def _markdown(plan: Plan, results: Results, rows: list[Row]) -> str:
    cells = {(row["dataset"], row["method"]): row for row in rows}
    titles = ["data", *(method.title for method in results.methods)]
    table = [[data.name, *(_cell(cells[data.name, method.key]) for method in results.methods)] for data in results.sets]
    means = []
    for method in results.methods:
        shares = [row["share"] for row in rows if row["method"] == method.key and row["models"]]
        means.append(number(float(np.mean(shares)) if shares else np.nan, 2))
    return (
        f"Share of models that give all rows of the data set, training and test, one label; {plan.described}, ten "
        "weights each (one model per split for a method without weights). In brackets the paper's share. Bold: over "
        f"one half.\n\n{markdown_table(titles, [*table, ['mean', *means]])}"
    )


def _cell(row: Row) -> str:
    share = number(row["share"], 2)
    text = f"**{share}**" if row["share"] > _MANY else share
    return text if np.isnan(row["paper_share"]) else f"{text} ({number(row['paper_share'], 2)})"
