"""Time per row as tables, features and boxes grow; tables of float32 in memory, one thread, time of the processor.

Bars: time per row within 20% from 1e5 to 2e7 rows (of 20 features, 5 boxes); time linear in features and boxes. k-means
is left out: it sees the positives alone, and no more than 100,000 of them.
"""

import argparse

import numpy as np
from _large import cpu_seconds, known_clusters, print_machine, rows, turns

from boxdraw import FastBoxesClassifier


def time_of(n_rows, n_features, n_boxes, repeats):
    X, y = rows(np.random.default_rng(0), n_rows, n_features, np.float32)
    model = FastBoxesClassifier(n_boxes=n_boxes, random_state=0)
    with known_clusters():
        model.fit(X, y)
        return float(np.median(turns([lambda: model.fit(X, y)], max(5, repeats), cpu_seconds)))


def print_table(what, sizes, time_at, unit):
    print(f"| {what} | seconds | {unit} |\n| --- | --- | --- |")
    for size in sizes:
        taken, per_unit = time_at(size)
        print(f"| {size:,} | {taken:.3f} | {per_unit:.0f} |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows")
    quick = parser.parse_args().quick
    print_machine()
    tables = (60_000, 120_000) if quick else (100_000, 1_000_000, 5_000_000, 20_000_000)
    n_rows = 60_000 if quick else 1_000_000

    def by_rows(size):
        taken = time_of(size, 20, 5, 2_000_000 // size)
        return taken, 1e9 * taken / size

    def by_features(size):
        taken = time_of(n_rows, size, 5, 5)
        return taken, 1e9 * taken / n_rows / size

    def by_boxes(size):
        taken = time_of(n_rows, 20, size, 5)
        return taken, 1e9 * taken / n_rows / size

    print_table("rows", tables, by_rows, "ns per row")
    print_table("features", (20, 40) if quick else (10, 20, 40, 80), by_features, "ns per row and feature")
    print_table("boxes", (2, 4) if quick else (1, 2, 5, 10, 20), by_boxes, "ns per row and box")


if __name__ == "__main__":
    main()
