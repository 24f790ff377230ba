"""FastBoxesClassifierCV beside GridSearchCV over the same grid and folds. Bar: 15 times faster, same scores to 1e-12.

6 numbers of boxes x 5 costs x 6 expansions x 3 folds on 20 000 x 10, one thread each, seconds of the processor. Scored
by balanced accuracy in two ways: four counts in NumPy, and scikit-learn's scorer, whose own checks then take most of
our time.

Then both estimators that choose by themselves, FastBoxesClassifierCV and ScoredBoxesClassifier, as they come and in
turns, on 20 000 x 30; medians of the processor's time of five fits. Bar: the first takes no longer than the second.
"""

import argparse
import statistics
import time
import warnings

from scored_speed import table
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from threadpoolctl import threadpool_limits

from boxdraw import FastBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier


def balanced_accuracy(model, X, y):
    flagged = model.predict(X) == 1
    return (flagged[y == 1].mean() + (~flagged)[y == 0].mean()) / 2


def compare(X, y, name, scoring):
    grid = {
        "n_boxes": [1, 2, 3, 4, 5, 6],
        "negative_weight": [0.1, 0.2, 0.5, 0.8, 1.0],
        "expansion": [0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0],
    }
    folds = list(StratifiedKFold(3).split(X, y))
    fixed = {"growth": "nearest_negative", "feature_range": (-1, 1), "distance": "mean"}
    searches = (
        FastBoxesClassifierCV(**grid, **fixed, relative_expansion=False, simplified=False, scoring=scoring, cv=folds),
        GridSearchCV(FastBoxesClassifier(**fixed, round_limits=False), grid, scoring=scoring, cv=folds),
    )
    seconds, scores = [], []
    searches[0].fit(X, y)  # compiles
    for search in searches:
        start = time.process_time()
        with threadpool_limits(1):
            search.fit(X, y)
        seconds.append(time.process_time() - start)
        results = zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)
        scores.append({tuple(params[key] for key in grid): score for params, score in results})
    ours, theirs = scores
    assert ours.keys() == theirs.keys()
    gap = max(abs(ours[key] - theirs[key]) for key in theirs)
    assert gap <= 1e-12, gap
    print(
        f"{name}: {len(theirs)} settings of {len(set(theirs.values()))} different scores, FastBoxesClassifierCV "
        f"{seconds[0]:.2f} s, GridSearchCV {seconds[1]:.2f} s: {seconds[1] / seconds[0]:.1f} times faster; "
        f"largest difference of scores {gap:.1e}"
    )


def beside_a_scorecard(n_rows, repeats):
    """Time the defaults on one thread."""
    X, y = table(n_rows, 30, 0.01)
    times = {FastBoxesClassifierCV: [], ScoredBoxesClassifier: []}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is no matter here how little this table tells
        for _ in range(repeats + 1):
            for estimator, seconds in times.items():
                start = time.process_time()
                estimator().fit(X, y)
                seconds.append(time.process_time() - start)
    ours, theirs = (statistics.median(seconds[1:]) for seconds in times.values())  # the first fits compile
    both = f"FastBoxesClassifierCV() {ours:.2f} s, ScoredBoxesClassifier() {theirs:.2f} s"
    print(f"{n_rows:,} x 30: {both}: {ours / theirs:.2f} times as long")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: a small table")
    quick = parser.parse_args().quick
    n_rows = 300 if quick else 20_000
    X, y = make_classification(n_rows, 10, n_informative=6, weights=[0.97], random_state=0)
    compare(X, y, "NumPy scorer", balanced_accuracy)
    compare(X, y, "scikit-learn scorer", "balanced_accuracy")
    beside_a_scorecard(1000 if quick else 20_000, 1 if quick else 5)


if __name__ == "__main__":
    main()
