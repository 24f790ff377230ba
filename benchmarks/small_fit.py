"""A fit of 1000 x 8 beside DecisionTreeClassifier().fit on the same table. Bar: at most 0.5.

Blocks of 20 fits take turns in one run, as in a cross-validation; the ratio is the median over pairs of blocks.
"""

import argparse
import statistics
import time

from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from boxdraw import FastBoxesClassifier


def seconds(model, X, y, fits):
    start = time.perf_counter()
    for _ in range(fits):
        model.fit(X, y)
    return (time.perf_counter() - start) / fits


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few repeats")
    blocks, fits = (2, 2) if parser.parse_args().quick else (20, 20)
    print("| positives | n_boxes | Fast Boxes, ms | tree, ms | ratio |\n| --- | --- | --- | --- | --- |")
    for share in (0.1, 0.02):
        X, y = make_classification(1000, 8, n_informative=5, weights=[1 - share], random_state=0)
        for n_boxes in (3, 5):
            models = FastBoxesClassifier(n_boxes=n_boxes), DecisionTreeClassifier()
            times = [[seconds(model, X, y, fits) for model in models] for _ in range(blocks)]
            ours, tree = (1e3 * statistics.median(column) for column in zip(*times, strict=True))
            ratio = statistics.median(pair[0] / pair[1] for pair in times)
            print(f"| {share:.0%} | {n_boxes} | {ours:.2f} | {tree:.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
