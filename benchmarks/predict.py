"""Predictions of 1,000,000 x 30 beside one X.sum(). Bar, one thread, float64: 15 million rows/s, or 3 times the sum.

The model has 5 boxes with limits on all 30 features. Sums and predictions take turns; times are medians. A prediction
is scikit-learn's check of the table, which reads it once (twice if something is missing), and the search for the rows
inside, which reads it once more.
"""

import argparse
import statistics
import time
from functools import partial

import numpy as np

from boxdraw import BoxSet, FastBoxesClassifier

TABLES = {
    "float64": lambda X: X,
    "float64, missing values": lambda X: np.where(np.arange(X.size).reshape(X.shape) % 97, X, np.nan),
    "float64, columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
}


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def medians(calls, repeats):
    """Let the calls take turns; return the median time of each."""
    times = [[seconds(call) for call in calls] for _ in range(repeats)]
    return [statistics.median(of_call) for of_call in zip(*times, strict=True)]


def make_model(X, y):
    """Fit on some rows; then take boxes that limit every feature."""
    model = FastBoxesClassifier(n_boxes=5).fit(X[:2000], y[:2000])
    centres = np.random.default_rng(1).normal(size=(5, X.shape[1])) / 4
    model.boxes_ = BoxSet(centres - 2, centres + 2)
    return model


def predict(model, X, threads):
    model.set_params(n_jobs=threads).predict(X)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows, few repeats")
    n_rows, repeats = (40_000, 2) if parser.parse_args().quick else (1_000_000, 15)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, 30))
    model = make_model(rows, rng.random(n_rows) < 0.05)
    print("| table | X.sum(), ms | threads | predict, ms | times the sum | million rows/s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, make in TABLES.items():
        X = make(rows)
        calls = [partial(predict, model, X, threads) for threads in (1, 2)]
        calls[0]()  # compiles
        total, *times = medians([X.sum, *calls], repeats)
        for threads, taken in enumerate(times, start=1):
            figures = f"{1e3 * taken:.0f} | {taken / total:.1f} | {n_rows / taken / 1e6:.1f}"
            print(f"| {name} | {1e3 * total:.0f} | {threads} | {figures} |")


if __name__ == "__main__":
    main()
