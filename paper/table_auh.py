"""``table-auh``: the paper's last table, its AUH next to ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from paper.methods import PAPER
from paper.output import Row, markdown_table, number, save_all
from paper.plan import Plan, Results
from paper.printed import printed_auh
from paper.statistics import LEVEL, Comparison, compare, in_bold, summary

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "auh_rows", "make", "summary_rows"]

SUMMARY = "AUH of all methods on all data sets, beside the paper's"
DATASETS = None
NEEDS = ()


def make(plan: Plan) -> list[Path]:
    """Make the table."""
    results = plan.results(plan.chosen_sets(), plan.chosen_methods())
    rows = auh_rows(results)
    return save_all(plan.out / "table-auh", rows, _markdown(plan, results, rows))


def auh_rows(results: Results) -> list[Row]:
    """Return a row per data set and method."""
    rows = []
    for data in results.sets:
        p_values = in_bold(results.paired(data.name, [method.key for method in results.methods]))
        for method in results.methods:
            outcomes = list(results.outcomes(data.name, method.key).values())
            ours = summary(np.array([outcome.auh for outcome in outcomes]))
            printed = printed_auh(data.name, method.key)
            compared = Comparison(np.nan, np.nan, "not in the paper")
            if printed is not None:
                compared = compare(ours, printed.mean, printed.sd)
                if printed.slip or not data.papers_rows:
                    why = "slip of the paper" if printed.slip else "other rows"
                    compared = Comparison(compared.difference, compared.error, why)
            p_value = p_values.get(method.key, np.nan)
            rows.append(
                {
                    "dataset": data.name,
                    "imbalance": data.imbalance,
                    "method": method.key,
                    "splits": ours.n,
                    "mean": ours.mean,
                    "sd": ours.sd,
                    "mean_of_weight_1": summary(np.array([outcome.auh_of_last for outcome in outcomes])).mean,
                    "sign_test_p": p_value,
                    "bold": p_value >= LEVEL,
                    "paper_mean": printed.mean if printed else np.nan,
                    "paper_sd": printed.sd if printed else np.nan,
                    "paper_bold": printed.bold if printed else "",
                    "difference": compared.difference,
                    "standard_error": compared.error,
                    "verdict": compared.verdict if ours.n else "failed",
                    "remark": printed.slip if printed else "",
                    "seconds": sum(outcome.seconds for outcome in outcomes),
                }
            )
    return rows


def summary_rows(rows: list[Row]) -> list[Row]:
    """Return a row per method, over the cells with the paper's own rows and no known slip."""
    found = []
    for key in PAPER:
        sound = [
            row
            for row in rows
            if row["method"] == key and row["splits"] and row["verdict"] not in ("slip of the paper", "other rows")
        ]
        if not sound:
            continue
        differences = np.array([row["difference"] for row in sound])
        alone = np.array([row["mean_of_weight_1"] - row["paper_mean"] for row in sound])
        found.append(
            {
                "method": key,
                "datasets": len(sound),
                "mean": float(np.mean([row["mean"] for row in sound])),
                "paper_mean": float(np.mean([row["paper_mean"] for row in sound])),
                "mean_difference": float(differences.mean()),
                "mean_absolute_difference": float(np.abs(differences).mean()),
                "mean_absolute_difference_of_weight_1": float(np.abs(alone).mean()),
                "reproduced": sum(row["verdict"] == "reproduced" for row in sound),
                "higher": sum(row["verdict"] == "higher" for row in sound),
                "lower": sum(row["verdict"] == "lower" for row in sound),
            }
        )
    return found


def _markdown(plan: Plan, results: Results, rows: list[Row]) -> str:
    cells = {(row["dataset"], row["method"]): row for row in rows}
    titles = ["data", *(method.title for method in results.methods)]
    keys = [method.key for method in results.methods]
    ours = [[data.name, *(_ours(cells[data.name, key]) for key in keys)] for data in results.sets]
    apart = [[data.name, *(_apart(cells[data.name, key]) for key in keys)] for data in results.sets]
    notes = "".join(f"- {method.title}: {method.note}\n" for method in results.methods if method.note)
    slips: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["remark"]:
            slips.setdefault((row["dataset"], row["remark"]), []).append(row["method"])
    remarks = "".join(f"- {name}, {', '.join(found)}: {remark}\n" for (name, remark), found in slips.items())
    return (
        f"AUH, mean (standard deviation); {plan.described}. Bold: not different from the best of the row by a "
        "matched-pairs sign test at .05"
        + ("; that test finds no difference in fewer than six splits, so all are bold" if plan.n_splits < 6 else "")
        + f".\n\n{markdown_table(titles, ours)}\n"
        "Difference from the paper's mean, which is in brackets. Bold: by more than two standard errors. †: the "
        "paper's figure is a known slip. ‡: simulated, with other rows than the paper had.\n\n"
        f"{markdown_table(titles, apart)}\n"
        "By method, over data sets with the paper's own rows and its figures without a known slip; the last column is "
        "the absolute difference if only the model of weight 1 counts:\n\n"
        f"{_summary_table(results, rows)}\n"
        f"{notes}" + ("\nSlips of the paper's table:\n\n" + remarks if slips else "")
    )


def _ours(row: Row) -> str:
    if not row["splits"]:
        return "failed"
    mean = number(row["mean"])
    return f"**{mean}** ({number(row['sd'])})" if row["bold"] else f"{mean} ({number(row['sd'])})"


def _apart(row: Row) -> str:
    if np.isnan(row["paper_mean"]):
        return "-"
    difference = f"{number(row['difference'], sign=True)} ({number(row['paper_mean'])})"
    if row["verdict"] == "slip of the paper":
        return f"{difference} †"
    if row["verdict"] == "other rows":
        return f"{difference} ‡"
    return f"**{difference}**" if row["verdict"] in ("higher", "lower") else difference


def _summary_table(results: Results, rows: list[Row]) -> str:
    titles = {method.key: method.title for method in results.methods}
    header = [
        "method",
        "data sets",
        "mean",
        "paper",
        "difference",
        "absolute difference",
        "reproduced",
        "weight 1 alone",
    ]
    return markdown_table(
        header,
        (
            [
                titles[row["method"]],
                str(row["datasets"]),
                number(row["mean"]),
                number(row["paper_mean"]),
                number(row["mean_difference"], sign=True),
                number(row["mean_absolute_difference"]),
                str(row["reproduced"]),
                number(row["mean_absolute_difference_of_weight_1"]),
            ]
            for row in summary_rows(rows)
        ),
    )
