"""Do constraints hold, and what do true directions cost? Bars: not one violation, and at most .002 of AUC.

Run from the repository: ``PYTHONPATH=. python benchmarks/constraints.py``. Fits are those of the tests, of generated
tables under generated constraints, by Sparse, Scored and Exact Boxes in turn (a tenth of a second),
and judged by the check of the tests. On each of the paper's data sets the directions are those
of the features whose own AUC on the whole table is clearly above or below one half, also in the halves of their values
(a direction that holds on one side only is not true); AUC is that of ten 50/50 splits,
with and without them.
"""

import argparse
import os
import runpy
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

from boxdraw import ExactBoxesClassifier
from paper.data import all_names, load_those_here

TESTS = runpy.run_path(str(Path(__file__).parents[1] / "tests" / "learners" / "test_constraints.py"))
LEARNERS, drawings_of = TESTS["LEARNERS"], TESTS["drawings_of"]
CLEAR = 3.0  # standard errors of an AUC of one half


def count_violations(n_fits):
    """Fit so many models and print what they break."""
    learners = [*LEARNERS, "exact"]
    found, n_boxes = dict.fromkeys(learners, 0), dict.fromkeys(learners, 0)
    start = time.perf_counter()
    for number in range(n_fits):
        rng, name = np.random.default_rng([7, number]), learners[number % 3]
        X, y = TESTS["random_table"](rng)
        constraints = TESTS["random_constraints"](rng, X)
        weight = rng.integers(1, 4, len(y)).astype(float) if rng.random() < 0.4 else np.ones(len(y))
        rounded = "max_limits" in constraints or bool(rng.random() < 0.7)
        options = {"max_boxes": int(rng.integers(1, 6)), "round_limits": rounded}
        options["cv"] = 3 if rng.random() < 0.3 else None
        if name == "scored" and "min_box_precision" not in constraints:
            options["signed_points"] = bool(rng.random() < 0.5)
        if name == "exact":
            options = {"max_boxes": 1 + options["max_boxes"] % 3, "round_limits": rounded, "time_limit": 0.1}
            boxes = ExactBoxesClassifier(**options, **constraints, pos_label=1).fit(X, y, sample_weight=weight).boxes_
            drawings = [(boxes, None)]
        else:
            drawings = drawings_of(TESTS["fit"](name, X, y, weight, **options, **constraints))
        n_boxes[name] += sum(len(boxes) for boxes, _ in drawings)
        rows = constraints, X, y, weight
        if breaches := [breach for boxes, signs in drawings for breach in TESTS["broken"](boxes, *rows, signs)]:
            found[name] += 1
            print(f"- {name}, table {number}: {breaches[0]} under {constraints}")
        if number % 500 == 499:
            print(f"{number + 1} fits: {n_boxes} boxes, with violations: {found}", file=sys.stderr, flush=True)
    seconds = (time.perf_counter() - start) / max(n_fits, 1)
    print(f"{n_fits} fits, {seconds:.2f} s each")
    for name, count in found.items():
        print(f"- {name}: {n_boxes[name]} boxes, {count} fits with a violation", flush=True)


def directions_of(X, y):
    """Return the sign of each feature's own AUC; 0 where it is not clear, or another one below or above the median."""
    return np.array([_direction(column, y) for column in X.T])


def _direction(column, y):
    ups, downs = np.count_nonzero(y == 1), np.count_nonzero(y == 0)
    error = np.sqrt((ups + downs + 1) / (12 * ups * downs))
    above = roc_auc_score(y, column) - 0.5
    middle = np.median(column[y == 1])
    for half in (column <= middle, column >= middle):
        if len(np.unique(y[half])) == 2 and (roc_auc_score(y[half], column[half]) - 0.5) * above < 0:
            return 0
    return int(np.sign(above)) if abs(above) > CLEAR * error else 0


def print_costs(tables, n_splits):
    """Print the AUC with and without the true directions."""
    print("| data | directions | " + " | ".join(f"{name} | change" for name in LEARNERS) + " |")
    print("| --- | --- |" + " --- | --- |" * len(LEARNERS), flush=True)
    changes = []
    for table in tables:
        directions, values = directions_of(table.X, table.y), []
        splits = StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=0).split(table.X, table.y)
        for train, test in splits:
            values.append([])
            for learner in LEARNERS.values():
                for given in (None, directions):
                    model = learner(monotonic_cst=given, pos_label=1).fit(table.X[train], table.y[train])
                    values[-1].append(roc_auc_score(table.y[test], model.decision_function(table.X[test])))
        free, asked = np.mean(values, axis=0).reshape(-1, 2).T
        changes.append(asked - free)
        cells = " | ".join(f"{auc:.3f} | {change:+.4f}" for auc, change in zip(free, changes[-1], strict=True))
        print(f"| {table.name} | {np.count_nonzero(directions)} of {len(directions)} | {cells} |", flush=True)
    if changes:
        print("| mean | | " + " | ".join(f" | {change:+.4f}" for change in np.mean(changes, axis=0)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fits", type=int, default=10_000, help="generated fits (%(default)s)")
    parser.add_argument("--splits", type=int, default=10, help="of each data set (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="a smoke run: ten fits, no data sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    count_violations(10 if options.quick else options.fits)
    if options.quick or not os.environ.get("BOXDRAW_DATA"):
        print("Left out: the cost of directions. It needs the paper's data sets: set the variable BOXDRAW_DATA.")
        return
    tables, _ = load_those_here(all_names())
    print_costs([table for table in tables if table.papers_rows], options.splits)


if __name__ == "__main__":
    main()
