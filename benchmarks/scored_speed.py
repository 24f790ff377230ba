"""How long a scorecard takes to learn, in seconds of the processor, on one thread.

Bars: 1000 x 8, as it comes, at most half a second, and warm without inner folds 10 ms; 1e6 x 30, as it comes, at most
60% of the time of LightGBM with 100 trees in the same run. The small fits without inner folds are timed one after the
other and then between fits with inner folds, after which the processor's caches are cold; the large models take turns.
Medians are printed. LightGBM is left out where it is not installed.
"""

import argparse
import importlib.util
import resource
import statistics
import time
import warnings

import numpy as np

from boxdraw import ScoredBoxesClassifier


def table(n_rows, n_features, share, seed=0):
    """Return a table in which positives come in two kinds, by three and by two features, and a trend in a third."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    rise = (
        2.0 * ((X[:, 0] > 1) & (X[:, 1] > 0.5) & (X[:, 2] < 0))
        + 2.0 * ((X[:, 3] < -1.2) & (X[:, 4] > 0.8))
        + 0.5 * X[:, 5]
    )
    noise = rise + rng.logistic(size=n_rows)
    return X, noise > np.quantile(noise, 1 - share)


def seconds(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is no matter here how little these tables tell
        start = time.process_time()
        model.fit(X, y)
        return time.process_time() - start


def small(repeats):
    print("| 1000 x 8, positives | without inner folds, ms | the same, between others | as it comes, ms |")
    print("| --- | --- | --- | --- |")
    for share in (0.1, 0.02):
        X, y = table(1000, 8, share)
        plain, full = ScoredBoxesClassifier(cv=None), ScoredBoxesClassifier()
        in_a_row = [seconds(plain, X, y) for _ in range(repeats + 1)][1:]  # the first compiles
        times = [[seconds(model, X, y) for model in (plain, full)] for _ in range(repeats + 1)][1:]
        columns = [in_a_row, *zip(*times, strict=True)]
        in_a_row, between, as_it_comes = (1e3 * statistics.median(column) for column in columns)
        print(f"| {share:.0%} | {in_a_row:.1f} | {between:.1f} | {as_it_comes:.0f} |", flush=True)


def large(n_rows, repeats):
    X, y = table(n_rows, 30, 0.01)
    ScoredBoxesClassifier().fit(X[: max(n_rows // 100, 500)], y[: max(n_rows // 100, 500)])  # compiles
    models = {"scorecard": ScoredBoxesClassifier(), "scorecard, without inner folds": ScoredBoxesClassifier(cv=None)}
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        models["LightGBM, 100 trees"] = LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1)
    else:
        print("\nLeft out: LightGBM is not installed (pip install 'boxdraw[bench]').")
    print(f"\n| {n_rows:,} x 30, 1% positives | threads | seconds |\n| --- | --- | --- |")
    times = [[seconds(model, X, y) for model in models.values()] for _ in range(repeats)]
    for name, column in zip(models, zip(*times, strict=True), strict=True):
        print(f"| {name} | 1 | {statistics.median(column):.2f} |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nPeak memory of the whole run {peak:.1f} GiB, of which the table {X.nbytes / 2**30:.2f}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows and repeats")
    quick = parser.parse_args().quick
    small(1 if quick else 30)
    large(500 if quick else 1_000_000, 1 if quick else 3)


if __name__ == "__main__":
    main()
