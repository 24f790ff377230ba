"""Fits of 30 features with 1% positives beside one X.sum() and beside other learners.

First Fast Boxes, 5 boxes, on 1,000,000 rows. Bars, one thread: without k-means at most 15 times the sum on a machine
that reads 30 GB/s, 10 on slower memory; two threads 1.7 times as fast as one. The boxes and the sum take turns, and
ratios between them are medians of those in a turn, which a machine that is slow for a while changes less than the
times. Times are the processor's, so that others on the machine do not count. Only for two threads it is the clock on
the wall that counts, and beside it the most that the work outside of threads allows. Others follow in the same run;
those that are not installed are left out. "Without k-means", the clusters are those of an earlier fit.

Then every learner on each number of rows, as it comes, with one thread: the median of three fits, or one fit of more
than a million rows. Others are fitted once.
"""

import argparse
import gc
import importlib.util
import os
import time
import tracemalloc
import warnings
from functools import partial

import numpy as np
from _large import cpu_seconds, known_clusters, print_machine, rows, turns, verdict

from boxdraw import FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier


def others():
    """Return the learners to compare with, all with one thread and their own defaults otherwise."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    found = {
        "LogisticRegression": LogisticRegression(max_iter=1000),
        "DecisionTreeClassifier(max_depth=6)": DecisionTreeClassifier(max_depth=6, random_state=0),
    }
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        found["LightGBM, 100 trees"] = LGBMClassifier(n_jobs=1, verbose=-1)
    if importlib.util.find_spec("xgboost"):
        from xgboost import XGBClassifier

        found["XGBoost hist, 100 trees"] = XGBClassifier(tree_method="hist", n_jobs=1)
    return found


def ours():
    """Return our learners, as they come."""
    return {
        "Fast Boxes": FastBoxesClassifier(random_state=0),
        "Sparse Boxes": SparseBoxesClassifier(random_state=0),
        "Scored Boxes": ScoredBoxesClassifier(random_state=0),
    }


def every_learner(sizes, known, most_for_others):
    """Print the time of each learner on each number of rows; ``known`` are seconds that were printed before."""
    print("\n| rows | fit | seconds | times X.sum() | million rows/s |\n| --- | --- | --- | --- | --- |")
    for n_rows in sizes:
        X, y = rows(np.random.default_rng(0), n_rows, 30)
        total = min(cpu_seconds(X.sum) for _ in range(5))
        models = ours() | (others() if n_rows <= most_for_others else {})
        for name, model in models.items():
            repeats = 3 if name in ours() and n_rows <= 1_000_000 else 1
            taken = known.get((n_rows, name)) or np.median(turns([partial(fit, model, X, y)], repeats, cpu_seconds))
            figures = f"{taken:.2f} | {taken / total:.0f} | {n_rows / taken / 1e6:.2f}"
            print(f"| {n_rows:,} | {name} | {figures} |", flush=True)


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is no matter here how little these tables tell
        model.fit(X, y)


def boxes(**options):
    return FastBoxesClassifier(n_boxes=5, random_state=0, **options)


def extra_memory(X, y):
    """Return the most memory that a fit takes at a time, as a share of X; Python's and NumPy's, not the compiler's."""
    gc.collect()
    tracemalloc.start()
    boxes().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / X.nbytes


def quartiles(ratios, digits=1):
    low, middle, high = (f"{ratio:.{digits}f}" for ratio in np.quantile(ratios, [0.25, 0.5, 0.75]))
    return f"{middle} (quartiles {low} and {high})"


def outside_threads(call):
    """Return the share of a call's time on the processor that is not spent by threads of its own."""
    start = time.process_time(), time.thread_time()
    call()
    return (time.thread_time() - start[1]) / (time.process_time() - start[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows, few repeats")
    parser.add_argument(
        "--rows", type=float, nargs="+", default=[1e5, 1e6, 2e7], help="numbers of rows for all learners"
    )
    parser.add_argument("--others-up-to", type=float, default=2e7, help="the most rows for the learners of others")
    options = parser.parse_args()
    quick = options.quick
    n_rows, repeats = (40_000, 2) if quick else (1_000_000, 25)
    print_machine()
    X, y = rows(np.random.default_rng(0), n_rows, 30)
    few = X[: n_rows // 10].copy(), y[: n_rows // 10].copy()
    one, two = boxes(), boxes(n_jobs=2)
    one.fit(X, y)  # compiles
    calls = [X.sum, lambda: one.fit(X, y)]
    with known_clusters():
        one.fit(X, y)
        total, single = np.transpose(turns(calls, repeats, cpu_seconds))
        on_few = np.transpose(turns([few[0].sum, lambda: one.fit(*few)], repeats + 1, cpu_seconds)[1:])
        clock = np.transpose(turns([lambda: one.fit(X, y), lambda: two.fit(X, y)], repeats))
        outside = np.median([outside_threads(lambda: two.fit(X, y)) for _ in range(repeats)])
    load = f"at a load average of {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    beside, whole = np.transpose(turns(calls, repeats, cpu_seconds))
    print("| fit | ms | times X.sum() | times Fast Boxes with k-means |\n| --- | --- | --- | --- |")
    print(f"| X.sum() | {1e3 * np.median(total):.0f} | 1.0 | |")
    print(f"| without k-means, 1 thread | {1e3 * np.median(single):.0f} | {quartiles(single / total)} | |")
    print(f"| with k-means, 1 thread | {1e3 * np.median(whole):.0f} | {quartiles(whole / beside)} | |", flush=True)
    known = {}
    for name, model in others().items():
        known[n_rows, name] = taken = cpu_seconds(partial(fit, model, X, y))
        ratios = f"{taken / np.median(total):.0f} | {taken / np.median(whole):.1f}"
        print(f"| {name} | {1e3 * taken:.0f} | {ratios} |", flush=True)
    print(f"\nOne tenth of the rows, without k-means: {quartiles(on_few[1] / on_few[0])} times their sum")
    faster, most = quartiles(clock[0] / clock[1], 2), 2 / (1 + outside)
    print(f"Two threads, without k-means: {faster} times as fast as one by the clock, {load}; {most:.2f} times at most")
    print(f"Extra memory of the fit with k-means: {extra_memory(X, y):.1%} of X")
    speed, ratio = X.nbytes / np.median(total) / 1e9, np.median(single / total)
    bar = 15 if speed >= 30 else 10
    print(f"\nBar, {bar} times the sum, which reads {speed:.0f} GB/s: {verdict(ratio <= bar)}")
    print(f"Bar, two threads 1.7 times as fast: {verdict(np.median(clock[0] / clock[1]) >= 1.7)}")
    every_learner([n_rows] if quick else [int(size) for size in options.rows], known, options.others_up_to)


if __name__ == "__main__":
    main()
