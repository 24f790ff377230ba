"""Compact clusters in more and more features: five of them, with 1% of 20 000 rows, among uniform negatives.

Half of the rows are to learn from, the other half to measure on. Centres are uniform in [-.8, .8], positives are normal
around them with a deviation of .05, negatives are uniform in [-1, 1]. Bar: FastBoxesClassifierCV has a precision and a
recall of at least .95 in each number of features. For comparison: the most that both can be for boxes around the true
centres, of the one width that is best, which nobody who has only 40 positives of each cluster knows.
"""

import argparse
import warnings

import numpy as np
from scipy.stats import norm
from sklearn.metrics import precision_score, recall_score

from boxdraw import FastBoxesClassifier, FastBoxesClassifierCV, SparseBoxesClassifier

LEARNERS = {
    "FastBoxesClassifierCV()": FastBoxesClassifierCV,
    "FastBoxesClassifierCV(false_alarm_cost=1)": lambda: FastBoxesClassifierCV(false_alarm_cost=1),
    "FastBoxesClassifier(n_boxes=5)": lambda: FastBoxesClassifier(n_boxes=5),
    'FastBoxesClassifier(n_boxes=5, distance="sum")': lambda: FastBoxesClassifier(n_boxes=5, distance="sum"),
    "SparseBoxesClassifier()": SparseBoxesClassifier,
}


def clusters(n_rows, n_features, seed, n_clusters=5, deviation=0.05, share=0.01):
    """Return rows and labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) < share * n_rows
    X = rng.uniform(-1, 1, (n_rows, n_features))
    centres = rng.uniform(-0.8, 0.8, (n_clusters, n_features))
    X[y] = centres[np.arange(y.sum()) % n_clusters] + deviation * rng.normal(size=(y.sum(), n_features))
    return X, y


def known_centres(n_features, n_clusters=5, deviation=0.05, share=0.01):
    """Return the most that precision and recall both are for boxes around the true centres."""
    half = np.linspace(deviation, 6 * deviation, 1000)
    recall = (1 - 2 * norm.sf(half / deviation)) ** n_features
    alarms = (1 - share) / share * n_clusters * half**n_features  # false ones for each positive
    return np.minimum(recall, recall / (recall + alarms)).max()


def measure(make, n_rows, n_features, seed):
    """Return precision, recall, boxes and limits."""
    X, y = clusters(2 * n_rows, n_features, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a box without limits is seen in the figures
        model = make().fit(X[::2], y[::2])
    found = model.predict(X[1::2])
    scores = [score(y[1::2], found, zero_division=0) for score in (precision_score, recall_score)]
    return [*scores, len(model.boxes_), model.boxes_.n_limits]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows and features")
    parser.add_argument("--seeds", type=int, default=3, help="tables per number of features; default: 3")
    options = parser.parse_args()
    n_rows, dimensions, seeds = (600, (2,), 1) if options.quick else (20_000, (5, 10, 30, 100), options.seeds)
    print(f"Means of {seeds} tables of {n_rows:,} training rows; the least of them in brackets.\n")
    print("| features | learner | precision | recall | boxes | limits |\n| --- | --- | --- | --- | --- | --- |")
    for n_features in dimensions:
        best = f"{known_centres(n_features):.3f}"
        print(f"| {n_features} | boxes around the true centres, at most | {best} | {best} | 5 | {10 * n_features} |")
        for name, make in LEARNERS.items():
            rows = np.array([measure(make, n_rows, n_features, seed) for seed in range(seeds)])
            mean, least = rows.mean(axis=0), rows.min(axis=0)
            quality = " | ".join(f"{mean[i]:.3f} ({least[i]:.3f})" for i in (0, 1))
            print(f"| {n_features} | {name} | {quality} | {mean[2]:.1f} | {mean[3]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
