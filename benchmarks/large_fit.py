"""A fit of 1,000,000 x 30 with 1% positives and 5 boxes beside one X.sum() and beside other learners.

Bars, one thread: without k-means at most 15 times the sum; with k-means 2.5 times as fast as logistic regression, 50
times as fast as LightGBM and XGBoost and 100 times as fast as a tree of depth 6; two threads 1.6 times as fast as one;
extra memory at most a tenth of X. The boxes and the sum take turns, and ratios between them are medians of those in a
turn, which a machine that is slow for a while changes less than the times. The others follow in the same run; those
that are not installed are left out. "Without k-means", the clusters are those of an earlier fit.
"""

import argparse
import gc
import importlib.util
import tracemalloc
import warnings

import numpy as np
from _large import known_clusters, print_machine, rows, seconds, turns

from boxdraw import FastBoxesClassifier


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows, few repeats")
    n_rows, repeats = (40_000, 2) if parser.parse_args().quick else (1_000_000, 25)
    print_machine()
    X, y = rows(np.random.default_rng(0), n_rows, 30)
    one, two = boxes(), boxes(n_jobs=2)
    one.fit(X, y)  # compiles
    with known_clusters():
        times = turns([X.sum, lambda: one.fit(X, y), lambda: two.fit(X, y)], repeats + 1)[1:]
    total, single, double = map(np.array, zip(*times, strict=True))
    whole = np.array(turns([lambda: one.fit(X, y)], repeats))[:, 0]
    print("| fit | ms | times X.sum() | times Fast Boxes with k-means |\n| --- | --- | --- | --- |")
    print(f"| X.sum() | {1e3 * np.median(total):.0f} | 1.0 | |")
    for name, taken in (("1 thread", single), ("2 threads", double)):
        print(f"| without k-means, {name} | {1e3 * np.median(taken):.0f} | {quartiles(taken / total)} | |")
    print(f"| with k-means, 1 thread | {1e3 * np.median(whole):.0f} | {np.median(whole) / np.median(total):.1f} | |")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model in others().items():
            taken = seconds(lambda model=model: model.fit(X, y))
            ratios = f"{taken / np.median(total):.0f} | {taken / np.median(whole):.1f}"
            print(f"| {name} | {1e3 * taken:.0f} | {ratios} |")
    print(f"\nTwo threads, without k-means: {quartiles(single / double, 2)} times as fast as one")
    print(f"Extra memory of the fit with k-means: {extra_memory(X, y):.1%} of X")


if __name__ == "__main__":
    main()
