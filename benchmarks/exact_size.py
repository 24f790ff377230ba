"""Exact Boxes on tables of up to a million rows and ten features: what is proven, and what it takes. No bar.

The positives are in three groups that lie within 0.3 of the range of some features; all else is uniform. In tables
called ``apart`` these are all ten features, and few negatives are within reach; in those called ``mixed`` they are
three, so that a share of the negatives lies among the positives. At most three boxes, one thread, and a time limit.
Each fit has a process of its own, with the search compiled before. Memory is the peak of the process less that before
the fit, as a share of X.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings

import numpy as np

from boxdraw import ExactBoxesClassifier
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.problem import within_reach

ROWS, POSITIVES, STRATEGIES = (10**4, 10**5, 10**6), (100, 1000, 10_000), ("full", "per_cluster")
LIMITED = {"apart": 10, "mixed": 3}  # features


def table(kind, n_rows, n_positives):
    rng = np.random.default_rng(0)
    X, y = rng.random((n_rows, 10)), np.zeros(n_rows, dtype=np.int64)
    y[rng.choice(n_rows, n_positives, replace=False)] = 1
    centre = rng.uniform(0.2, 0.8, (3, LIMITED[kind]))
    group = rng.integers(0, 3, n_positives)
    X[y == 1, : LIMITED[kind]] = centre[group] + rng.uniform(-0.15, 0.15, (n_positives, LIMITED[kind]))
    return X, y


def peak():
    """Return the most bytes that the process has had; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def child(kind, n_rows, n_positives, strategy, time_limit):
    """Fit in this process; print the cells of the row as JSON."""
    costs = {"box_cost": 1, "limit_cost": 0}
    model = ExactBoxesClassifier(time_limit=time_limit, strategy=strategy, random_state=0, n_jobs=1, **costs)
    warnings.simplefilter("ignore")
    small = table("apart", 60, 20)
    for max_boxes in (1, 3):
        ExactBoxesClassifier(max_boxes=max_boxes, time_limit=2, random_state=0, **costs).fit(*small)
    X, y = table(kind, n_rows, n_positives)
    before, start = peak(), time.perf_counter()
    model.fit(X, y)
    seconds, extra = time.perf_counter() - start, (peak() - before) / X.nbytes
    objective = Objective(X, y == 1, None, 1, 1, 0.0, 3)
    reached = len(within_reach(objective, np.flatnonzero(y)))
    cells = f"{model.objective_:.6g}", f"{model.bound_:.6g}", f"{model.gap_:.2%}"
    print(json.dumps([f"{seconds:.1f}", model.status_, *cells, f"{reached}", f"{extra:.2f}"]))


def cells_of(*case):
    """Return what `child` prints in a process of its own."""
    command = [sys.executable, __file__, "--child", json.dumps(case)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a smoke run: one small table, half a second")
    parser.add_argument("--seconds", type=float, default=5.0, help="time limit of a fit")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    rows, positives, seconds = ((1000,), (100,), 0.5) if options.quick else (ROWS, POSITIVES, options.seconds)
    print("| rows | positives | classes | strategy | s | status | objective | bound | gap | in reach | memory / X |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    cases = [(k, n, p, s) for n in rows for p in positives if p < n for k in LIMITED for s in STRATEGIES]
    for kind, n_rows, n_positives, strategy in cases:
        cells = cells_of(kind, n_rows, n_positives, strategy, seconds)
        print(f"| {n_rows} | {n_positives} | {kind} | {strategy} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
