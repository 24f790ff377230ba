"""How long Sparse Boxes takes to learn, inner folds included. One thread.

1000 x 8 is warm: the first fit compiles and is not counted. 100 000 x 30 and 1 000 000 x 30 take turns with LightGBM of
100 trees, which is left out where it is not installed; the ratio is of the medians. First calls: `cold_start.py`.
"""

import argparse
import importlib.util
import statistics

from scored_speed import seconds, table
from threadpoolctl import threadpool_limits

from boxdraw import SparseBoxesClassifier


def small(repeats):
    print("| 1000 x 8, positives | median, ms | fastest, ms |\n| --- | --- | --- |")
    for share in (0.1, 0.02):
        X, y = table(1000, 8, share)
        seconds(SparseBoxesClassifier(n_jobs=1), X, y)  # compiles
        times = [1e3 * seconds(SparseBoxesClassifier(n_jobs=1), X, y) for _ in range(repeats)]
        print(f"| {share:.0%} | {statistics.median(times):.0f} | {min(times):.0f} |", flush=True)


def large(sizes, repeats):
    beside = importlib.util.find_spec("lightgbm")
    print("\n| rows, 1% positives | Sparse Boxes, s | LightGBM, 100 trees, s | ratio |\n| --- | --- | --- | --- |")
    for n_rows in sizes:
        X, y = table(n_rows, 30, 0.01)
        makers = [lambda: SparseBoxesClassifier(n_jobs=1), *([lightgbm] if beside else [])]
        seconds(makers[0](), X, y)  # compiles what only large tables need
        turns = [[seconds(make(), X, y) for make in makers] for _ in range(repeats)]
        ours, *others = map(statistics.median, zip(*turns, strict=True))
        ratio = [f"{others[0]:.2f}", f"{ours / others[0]:.3f}"] if others else ["–", "–"]
        print(f"| {n_rows:,} x 30 | {ours:.2f} | {' | '.join(ratio)} |", flush=True)
    if not beside:
        print("\nLeft out: LightGBM is not installed (pip install 'boxdraw[bench]').")


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows and repeats")
    options = parser.parse_args()
    with threadpool_limits(1):
        small(1 if options.quick else 20)
        large([500] if options.quick else [100_000, 1_000_000], 1 if options.quick else 3)


if __name__ == "__main__":
    main()
