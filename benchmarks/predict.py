"""Predictions of 1,000,000 x 30 beside one X.sum(). Bar, one thread, float64: 15 million rows/s, or 3 times the sum.

The model is that of `large_fit.py`: 5 boxes around 1% of the rows, fitted to the same table. Sums and predictions take
turns; times are medians. A prediction is scikit-learn's check of the table, which reads it once (twice if something is
missing), and the search for the rows inside, which reads it once more.
"""

import argparse
from functools import partial

import numpy as np
from _large import medians, print_machine, rows

from boxdraw import FastBoxesClassifier

TABLES = {
    "float64": lambda X: X,
    "float64, missing values": lambda X: np.where(np.arange(X.size).reshape(X.shape) % 97, X, np.nan),
    "float64, columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
}


def predict(model, X, threads):
    model.set_params(n_jobs=threads).predict(X)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows, few repeats")
    n_rows, repeats = (40_000, 2) if parser.parse_args().quick else (1_000_000, 15)
    print_machine()
    table, y = rows(np.random.default_rng(0), n_rows, 30)
    model = FastBoxesClassifier(n_boxes=5, random_state=0).fit(table, y)
    print(f"Limits of the boxes: {model.boxes_.limited.sum(axis=1).tolist()}\n")
    print("| table | X.sum(), ms | threads | predict, ms | times the sum | million rows/s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, make in TABLES.items():
        X = make(table)
        calls = [partial(predict, model, X, threads) for threads in (1, 2)]
        calls[0]()  # compiles
        total, *times = medians([X.sum, *calls], repeats)
        for threads, taken in enumerate(times, start=1):
            figures = f"{1e3 * taken:.0f} | {taken / total:.1f} | {n_rows / taken / 1e6:.1f}"
            print(f"| {name} | {1e3 * total:.0f} | {threads} | {figures} |")


if __name__ == "__main__":
    main()
