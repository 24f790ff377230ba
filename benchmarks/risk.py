"""Whether risks are right: the share of intervals that hold what a test half shows, Brier score and calibration error.

Stratified halves of the paper's data sets. Of each learner: the share of the regions with test rows whose test share
lies in the interval (bar: 93 to 97%), all equal and by their test rows; by chance: what that share would be if the
regions were fixed, their risks right, and the intervals as wide as chance alone asks for (few positives come in whole
numbers, so that it is not just 95%); the means of the Brier score and of the expected calibration error, over ten bins
of as many rows each (bar: at most those of EBM with isotonic calibration); limits.
"""

import argparse
import os
import sys
import warnings

import numpy as np
from _comparison import warm_up
from accuracy import names, print_rows, read_tables, without_missing
from joblib import Parallel, delayed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.model.risk import estimate_risk

BOXES = {"sparse": SparseBoxesClassifier, "scored": ScoredBoxesClassifier, "fast": FastBoxesClassifierCV}
TITLES = {"sparse": "Sparse Boxes", "scored": "Scored Boxes", "fast": "Fast Boxes CV", "ebm": "EBM, isotonic"}
COVERAGE = 0.93, 0.97
N_BINS, N_DRAWS = 10, 200


def calibration_error(y, risk):
    """Return the mean difference of predicted and observed shares, over bins of as many rows each."""
    bins = np.array_split(np.argsort(risk, kind="stable"), N_BINS)
    return sum(len(rows) * abs(risk[rows].mean() - y[rows].mean()) for rows in bins if len(rows)) / len(y)


def intervals(model, X, y):
    """Return, of each region with test rows: whether its interval holds their share, how many they are, by chance."""
    table = model.risk_table_
    places = table.places(X, getattr(model, "scorecard_", None) or model.boxes_)
    regions = [(region, y[places == number]) for number, region in enumerate(table)]
    return [
        (region.low <= own.mean() <= region.high, len(own), by_chance(region)) for region, own in regions if len(own)
    ]


def by_chance(region):
    """Return how often the share of new rows would lie in the interval of as many rows, if the risk were right."""
    n = max(1, round(region.n_rows))
    counted, new = np.random.default_rng(0).binomial(n, region.risk, (2, N_DRAWS)).tolist()
    held = {k: estimate_risk([None], np.array([float(n)]), np.array([float(k)]))[0] for k in set(counted)}
    return np.mean([held[k].low <= other / n <= held[k].high for k, other in zip(counted, new, strict=True)])


def fitted(name, train):
    if name in BOXES:
        return BOXES[name]().fit(*train)
    from paper.baselines.modern import make_ebm

    return CalibratedClassifierCV(make_ebm(), method="isotonic", cv=3).fit(*train)


def run_split(table, rows, models):
    """Return, per learner, its intervals, Brier score, calibration error and limits; None without a risk."""
    train, (X, y) = ((table.X[part], table.y[part]) for part in rows)
    results = {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that are no better than chance
        for name in models:
            warm_up(name)
            model = fitted(name, train)
            if not hasattr(model, "predict_proba"):
                continue
            risk = model.predict_proba(X)[:, 1]
            drawn = intervals(model, X, y) if name in BOXES else []
            limits = (model.scorecard_ if name == "scored" else model.boxes_).n_limits if name in BOXES else np.nan
            results[name] = drawn, np.mean((risk - y) ** 2), calibration_error(y, risk), limits
    return results


def print_risk(results, models):
    rows = []
    for name in models:
        own = [result[name] for result in results if name in result]
        drawn = np.array([pair for result in own for pair in result[0]], dtype=float)
        brier, error, limits = np.array([result[1:] for result in own]).mean(axis=0)
        coverage = ["–"] * 4
        if len(drawn):
            share = drawn[:, 0].mean()
            verdict = "met" if COVERAGE[0] <= share <= COVERAGE[1] else "not met"
            by_rows = np.average(drawn[:, 0], weights=drawn[:, 1])
            chance = drawn[:, 2].mean()
            coverage = [f"{share:.1%} ({verdict})", f"{by_rows:.1%}", f"{chance:.1%}", f"{len(drawn) / len(own):.1f}"]
        limits = "–" if np.isnan(limits) else f"{limits:.1f}"
        rows.append([TITLES[name], str(len(own)), *coverage, f"{brier:.4f}", f"{error:.4f}", limits])
    header = [
        "learner",
        "fits",
        "coverage",
        "by rows",
        "by chance",
        "regions",
        "Brier score",
        "calibration error",
        "limits",
    ]
    print_rows(header, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with one name.csv.gz per data set; default: $BOXDRAW_DATA")
    parser.add_argument("--datasets", type=names, help="comma-separated names; default: all")
    parser.add_argument("--models", type=names, default=list(TITLES), help=f"of {','.join(TITLES)}; default: all")
    parser.add_argument("--splits", type=int, default=20, help="default: 20")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--quick", action="store_true", help="a smoke run: a small synthetic table, one split")
    options = parser.parse_args()
    options.unseen = False
    if not (options.quick or options.data or os.environ.get("BOXDRAW_DATA")):
        print("Left out: it needs the paper's data sets, by --data FOLDER or the environment variable BOXDRAW_DATA.")
        return
    if options.quick:
        options.splits, options.models = 1, ["sparse"]
    models = without_missing(options.models)
    tables = read_tables(options)
    print(f"{len(tables)} data sets, {options.splits} stratified halves each.\n")
    halves = StratifiedShuffleSplit(options.splits, test_size=0.5, random_state=0)
    tasks = [delayed(run_split)(table, rows, models) for table in tables for rows in halves.split(table.X, table.y)]
    results = []
    for done, result in enumerate(Parallel(options.jobs, return_as="generator_unordered")(tasks), start=1):
        results.append(result)
        print(f"{done}/{len(tasks)}", file=sys.stderr, flush=True)
    print_risk(results, models)


if __name__ == "__main__":
    main()
