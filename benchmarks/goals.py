"""Whether learners keep the goals that they promise to keep, and how much they find with few alarms.

Stratified halves of the paper's data sets. Of each learner and goal: on how many splits the inner folds said that the
goal is kept, on which share of these the test half keeps it (bar: 88%, at a confidence of 90%), the mean recall there,
and the limits. Then the recall if the first .5, 1 and 5% of the test rows, by rank, are flagged, of other learners too.
Iguanas, where it is installed (``pip install iguanas``), keeps a budget of alarms on the training half and has no rank:
its recall is that of the rules for each budget, whatever they flag on the test half.
"""

import argparse
import importlib.util
import os
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from _comparison import LEARNERS, scores, warm_up
from _iguanas import IguanasRules, flagged_by, n_limits
from accuracy import names, print_rows, read_tables, without_missing
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier

BOXES = {"sparse": SparseBoxesClassifier, "scored": ScoredBoxesClassifier, "fast": FastBoxesClassifierCV}
GOALS = [
    *(("max_alarm_rate", value) for value in (0.01, 0.05)),
    *(("min_precision", value) for value in (0.3, 0.5, 0.8)),
    *(("min_recall", value) for value in (0.8, 0.9)),
]
RATES = (0.005, 0.01, 0.05)
PEERS = ("sparse", "scored", "fast", "ebm", "rulefit", "larger_forest", "iguanas")
TITLES = {name: learner.title for name, learner in LEARNERS.items()} | {"iguanas": "Iguanas"}
BAR = 0.88


@dataclass(frozen=True)
class Kept:
    """What became of a goal on a split."""

    learner: str
    goal: tuple[str, float]
    promised: bool
    kept: bool
    recall: float
    limits: float


def try_goal(name, goal, train, test):
    """Fit a learner for a goal and look at the test half."""
    (kind, value), (X, y) = goal, test
    model = BOXES[name](**{kind: value}).fit(*train)
    flagged = model.predict(X) == 1
    found = {"max_alarm_rate": flagged.mean(), "min_recall": flagged[y == 1].mean()}
    found["min_precision"] = y[flagged].mean() if flagged.any() else 0.0
    kept = found[kind] <= value if kind == "max_alarm_rate" else found[kind] >= value
    boxes = model.scorecard_.boxes if name == "scored" else model.boxes_
    promised = model.goal_ is not None and model.goal_.kept
    return Kept(name, goal, promised, bool(kept), float(found["min_recall"]), boxes.n_limits)


def recalls(name, train, test):
    """Return the recall if the first rows by rank are flagged; NaN if the learner fails."""
    X, y = test
    try:
        score = scores(LEARNERS[name].fitted(*train)[0], X)
    except Exception as error:  # a learner that fails is left out of its means
        print(f"{TITLES[name]} failed: {error!r}", file=sys.stderr)
        return [np.nan] * len(RATES)
    order = np.argsort(-score, kind="stable")
    return [float(y[order[: max(1, round(rate * len(y)))]].sum() / y.sum()) for rate in RATES]


def try_iguanas(train, test):
    """Return what became of the budgets of Iguanas, and the recall of the rules for each of the rates."""
    X, y = test
    try:
        learned = IguanasRules(*train)
    except ImportError:
        raise
    except Exception as error:  # no tree has a leaf of gain
        print(f"Iguanas failed: {error!r}", file=sys.stderr)
        return [], [np.nan] * len(RATES)
    goals, recall = [], {}
    for rate in sorted({*RATES, *(value for kind, value in GOALS if kind == "max_alarm_rate")}):
        rules = learned.within(rate)
        flagged = flagged_by(rules, X)
        recall[rate] = float(flagged[y == 1].mean())
        kept = bool(flagged.mean() <= rate)
        goals.append(Kept("iguanas", ("max_alarm_rate", rate), bool(rules), kept, recall[rate], n_limits(rules)))
    return [one for one in goals if one.goal in GOALS], [recall[rate] for rate in RATES]


def run_split(table, rows, learners, peers):
    """Return the goals and the recalls of one split."""
    train, test = ((table.X[part], table.y[part]) for part in rows)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of goals out of reach
        goals, found = [], {}
        if "iguanas" in peers:
            goals, found["iguanas"] = try_iguanas(train, test)
        others = [name for name in peers if name != "iguanas"]
        for name in {*learners, *others}:
            warm_up(name)
        goals += [try_goal(name, goal, train, test) for name in learners for goal in GOALS]
        return goals, {name: recalls(name, train, test) for name in others} | found


def print_goals(results, learners):
    rows = []
    for name in learners:
        for goal in GOALS:
            own = [result for result in results if (result.learner, result.goal) == (name, goal)]
            if not own:
                continue
            promised = [result for result in own if result.promised]
            figures = ["–"] * 3
            if promised:
                kept, recall, limits = (
                    np.mean([getattr(result, figure) for result in promised]) for figure in ("kept", "recall", "limits")
                )
                figures = [f"{kept:.1%}", f"{recall:.2f}", f"{limits:.1f}"]
            rows.append([TITLES[name], f"{goal[0]}={goal[1]:g}", f"{len(promised)} of {len(own)}", *figures])
        promised = [result.kept for result in results if result.learner == name and result.promised]
        share = np.mean(promised) if promised else np.nan
        verdict = "met" if share >= BAR else "not met"
        rows.append([TITLES[name], "all", str(len(promised)), f"{share:.1%} (bar {BAR:.0%}: {verdict})", "", ""])
    print_rows(["learner", "goal", "promised", "kept of these", "recall", "limits"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with one name.csv.gz per data set; default: $BOXDRAW_DATA")
    parser.add_argument("--datasets", type=names, help="comma-separated names; default: all")
    parser.add_argument("--models", type=names, default=list(BOXES), help=f"of {','.join(BOXES)}; default: all")
    parser.add_argument("--peers", type=names, default=list(PEERS), help="for the recall at few alarms")
    parser.add_argument("--splits", type=int, default=20, help="default: 20")
    parser.add_argument("--minutes", type=float, default=np.inf, help="start no split after them; default: all")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--quick", action="store_true", help="a smoke run: a small synthetic table, one split")
    options = parser.parse_args()
    options.unseen = False
    if not (options.quick or options.data or os.environ.get("BOXDRAW_DATA")):
        print("Left out: it needs the paper's data sets, by --data FOLDER or the environment variable BOXDRAW_DATA.")
        return
    if options.quick:
        options.splits, options.models, options.peers = 1, ["sparse"], ["sparse", "cart"]
    peers = without_missing([name for name in options.peers if name != "iguanas"])
    if "iguanas" in options.peers and importlib.util.find_spec("iguanas"):
        peers.append("iguanas")
    tables = read_tables(options)
    halves = StratifiedShuffleSplit(options.splits, test_size=0.5, random_state=0)
    splits = zip(*(halves.split(table.X, table.y) for table in tables), strict=True)
    goals, ranked, done = [], {name: [] for name in peers}, 0
    start = time.perf_counter()
    for split in splits:
        tasks = [
            delayed(run_split)(table, rows, options.models, peers) for table, rows in zip(tables, split, strict=True)
        ]
        for kept, found in Parallel(options.jobs)(tasks):
            goals += kept
            for name, recall in found.items():
                ranked[name].append(recall)
        done += 1
        minutes = (time.perf_counter() - start) / 60
        print(f"split {done} of {options.splits}, {minutes:.1f} minutes", file=sys.stderr, flush=True)
        if minutes > options.minutes:
            break
    print(f"{len(tables)} data sets, {done} stratified halves each, confidence 90%.\n")
    print_goals(goals, [*options.models, *(["iguanas"] if "iguanas" in peers else [])])
    means = {name: np.nanmean(recall, axis=0) for name, recall in ranked.items()}
    rows = [[TITLES[name], *(f"{value:.3f}" for value in mean)] for name, mean in means.items()]
    print_rows(["learner", *(f"recall of the first {rate:.1%}" for rate in RATES)], rows)


if __name__ == "__main__":
    main()
