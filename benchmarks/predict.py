"""Predictions of 1,000,000 x 30 beside one X.sum(). Bar, one thread, float64: 25 million rows/s, or 2.5 times the sum.

The model is that of `large_fit.py`: 5 boxes around 1% of the rows, fitted to the same table. Sums and predictions take
turns; times are medians, of the processor for one thread and of the clock for two. A prediction reads the table once,
unless its rows are neither beside each other in memory nor its columns: infinite values are looked for on the way.
"""

import argparse
from functools import partial

import numpy as np
from _large import cpu_seconds, print_machine, rows, seconds, turns, verdict

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
        for threads, call in enumerate(calls, start=1):
            total, taken = np.median(turns([X.sum, call], repeats, cpu_seconds if threads == 1 else seconds), axis=0)
            figures = f"{1e3 * taken:.0f} | {taken / total:.1f} | {n_rows / taken / 1e6:.1f}"
            print(f"| {name} | {1e3 * total:.0f} | {threads} | {figures} |", flush=True)
            if (name, threads) == ("float64", 1):
                first = total, taken
    total, taken = first
    kept = verdict(taken <= 2.5 * total or n_rows >= 25e6 * taken)
    print(f"\nBar, float64, one thread: 25 million rows/s, or 2.5 times the sum: {kept}")


if __name__ == "__main__":
    main()
