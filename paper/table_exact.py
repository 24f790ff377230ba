"""``table-exact``: Exact Boxes and the readable methods, on the paper's eight smaller data sets.

For each split, K is the number of boxes that the inner cross-validation chooses for Fast Boxes, as in the paper.
The paper gave a fit 30 to 90 minutes; here it gets ``--seconds``. A second column has the numbers of boxes that inner
folds choose for Exact Boxes itself, one for each weight of the negatives, and of drawings of the same objective the one
with the fewest limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from paper.exact_boxes import OWN_BOXES, PAPER_EXACT_BOXES, TIE, chosen_boxes, compile_kernels, draw, own_boxes
from paper.fast_boxes import paper_model
from paper.methods import READABLE, Method, settings_text
from paper.output import Row, markdown_table, number, save_all
from paper.plan import Plan, Results
from paper.printed import printed_auh, printed_exact
from paper.protocol import Outcome, Split
from paper.statistics import LEVEL, compare, in_bold, summary

__all__ = ["DATASETS", "NEEDS", "SUMMARY", "exact_method", "exact_rows", "make"]

SUMMARY = "Exact Boxes beside the readable methods"
DATASETS = tuple(PAPER_EXACT_BOXES)
NEEDS = ("ortools",)
_QUICK_DATASETS = ("iris0", "glass0", "ecoli01")
_QUICK_SECONDS = 0.5
_KEY = "exact_boxes"
_OWN_KEY = "exact_boxes_own"
_EDGES = "midway"


def make(plan: Plan) -> list[Path]:
    """Make the table; the other methods' cells are those of ``table-auh``."""
    quick = plan.quick and plan.datasets is None
    sets = plan.chosen_sets(_QUICK_DATASETS if quick else DATASETS)
    seconds = min(plan.seconds, _QUICK_SECONDS) if plan.quick else plan.seconds
    exact = exact_method(seconds)
    results = plan.results(sets, [*plan.chosen_methods(), exact, own_method(seconds)])
    rows = exact_rows(results)
    return save_all(plan.out / "table-exact", rows, _markdown(plan, exact, rows))


def exact_method(seconds: float) -> Method:
    """Return Exact Boxes with a time limit."""
    settings = f"seconds={seconds!r}, box_cost=1, edges={_EDGES}, ortools {version('ortools')}"
    return Method(
        _KEY,
        "Exact Boxes",
        f"at most {seconds:g} s per fit",
        f"{settings}; {settings_text(paper_model())}",
        partial(_run_exact, chosen_boxes, seconds),
        seconds=8 * seconds,
    )


def own_method(seconds: float) -> Method:
    """Return Exact Boxes with the numbers of boxes that it chooses itself."""
    settings = f"seconds={seconds!r}, box_cost=1, limit_cost={TIE}, edges={_EDGES}"
    settings += f", max_boxes of {OWN_BOXES} for each weight by its inner objective"
    run = partial(_run_exact, partial(own_boxes, seconds=seconds, edges=_EDGES), seconds, limit_cost=TIE)
    settings += f", ortools {version('ortools')}"
    return Method(_OWN_KEY, "Exact Boxes, own K", f"at most {seconds:g} s per fit", settings, run, seconds=15 * seconds)


def _run_exact(
    choose: Callable[[Any, Any], int | Sequence[int]],
    seconds: float,
    split: Split,
    seed: int,
    limit_cost: float = 0.0,
) -> Outcome:
    compile_kernels()  # not counted as time of a fit
    half = (split.X_train, split.y_train, split.X_test, split.y_test)
    max_boxes = choose(split.X_train, split.y_train)
    drawings = draw(half, max_boxes, seconds, _EDGES, limit_cost)
    fpr, tpr = tuple(one.fpr for one in drawings), tuple(one.tpr for one in drawings)
    facts = {
        "max_boxes": float(np.mean(max_boxes)),
        "proven": sum(one.proven for one in drawings),
        "gap": float(np.mean([one.gap for one in drawings])),
    }
    return Outcome(fpr, tpr, None, sum(one.seconds for one in drawings), facts)


def exact_rows(results: Results) -> list[Row]:
    """Return a row per data set."""
    rows = []
    keys = [method.key for method in results.methods if method.key != _OWN_KEY]
    for data in results.sets:
        outcomes = list(results.outcomes(data.name, _KEY).values())
        paired = results.paired(data.name, keys)
        if _KEY not in paired:
            continue
        readable = {key: float(auh.mean()) for key, auh in paired.items() if key in (*READABLE, _KEY) and len(auh)}
        best = max(readable, key=lambda key: readable[key])
        exact = summary(np.array([outcome.auh for outcome in outcomes]))
        own = list(results.outcomes(data.name, _OWN_KEY).values())
        with_own = summary(np.array([outcome.auh for outcome in own])) if own else None
        printed, printed_fast = printed_exact(data.name), printed_auh(data.name, "fast_boxes")
        compared = compare(exact, printed.mean, printed.sd)
        rows.append(
            {
                "dataset": data.name,
                "splits": exact.n,
                "best_readable": best,
                "best_readable_auh": readable[best],
                "fast_boxes_auh": readable.get("fast_boxes", np.nan),
                "exact_auh": exact.mean,
                "exact_sd": exact.sd,
                "own_auh": with_own.mean if with_own else np.nan,
                "own_sd": with_own.sd if with_own else np.nan,
                "own_boxes": float(np.mean([outcome.facts["max_boxes"] for outcome in own])) if own else np.nan,
                "exact_rank": 1 + sum(score > readable[_KEY] for score in readable.values()),
                "readable_methods": len(readable),
                "sign_test_p": in_bold(paired)[_KEY],
                "paper_fast_boxes": printed_fast.mean if printed_fast else np.nan,
                "paper_exact": printed.mean,
                "paper_exact_sd": printed.sd,
                "difference": compared.difference,
                "standard_error": compared.error,
                "verdict": compared.verdict,
                "mean_gap": float(np.mean([outcome.facts["gap"] for outcome in outcomes])),
                "proven_share": float(np.mean([outcome.facts["proven"] / outcome.n_models for outcome in outcomes])),
                "seconds_per_fit": float(np.mean([outcome.seconds / outcome.n_models for outcome in outcomes])),
            }
        )
    return rows


def _markdown(plan: Plan, exact: Method, rows: list[Row]) -> str:
    columns: dict[str, Callable[[Row], str]] = {
        "data": lambda row: row["dataset"],
        "best readable": lambda row: f"{number(row['best_readable_auh'])} ({row['best_readable']})",
        "Fast Boxes": lambda row: number(row["fast_boxes_auh"]),
        "Exact Boxes": _exact_cell,
        "with its own K": _own_cell,
        "rank": lambda row: f"{row['exact_rank']} of {row['readable_methods']}",
        "paper": lambda row: f"{number(row['paper_exact'])} ({number(row['paper_exact_sd'])})",
        "difference": lambda row: number(row["difference"], sign=True),
        "verdict": lambda row: row["verdict"],
        "proven": lambda row: f"{row['proven_share']:.0%}",
        "mean gap": lambda row: f"{row['mean_gap']:.2%}",
        "seconds per fit": lambda row: number(row["seconds_per_fit"], 2),
    }
    table = [[write(row) for write in columns.values()] for row in rows]
    return (
        f"AUH of Exact Boxes, mean (standard deviation), {exact.note}; {plan.described}. Rank among the readable "
        "methods that ran. With its own K: for each weight the number of boxes of the best objective on three inner "
        "folds, its mean, and the fewest limits among drawings of the same objective. Bold: not different from the "
        "best of all methods that ran by a sign test at .05. Proven: share of the drawings that are proven to be the "
        "best on the training rows; the gap is by how much, at "
        f"most, they fall short.\n\n{markdown_table(list(columns), table)}"
    )


def _own_cell(row: Row) -> str:
    return f"{number(row['own_auh'])} ({number(row['own_sd'])}), K = {number(row['own_boxes'], 1)}"


def _exact_cell(row: Row) -> str:
    mean = number(row["exact_auh"])
    return f"{f'**{mean}**' if row['sign_test_p'] >= LEVEL else mean} ({number(row['exact_sd'])})"
