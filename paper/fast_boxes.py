"""Fast Boxes on the paper's data sets: ``python -m paper.fast_boxes [--data FOLDER]``.

Ten stratified 50/50 splits per data set. Two tables:

``paper``    The paper's protocol: 10-point AUH (costs .1, .2, ..., 1), number of boxes and expansion chosen by inner
             3-fold cross-validation on the same measure, growth to the nearest negative; next to the paper's figures.
``default``  ``FastBoxesClassifierCV()`` with its defaults, area under the full ROC, next to weighted CART, logistic
             regression and a random forest. Do not compare with 10-point figures.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from boxdraw import FastBoxesClassifierCV
from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.metrics import auh_from_points
from paper.data import DataSet
from paper.errata import unsound_means
from paper.protocol import COSTS
from paper.tables import DATA_HELP, PACKAGES, PAPER_FAST_BOXES, available, data_folder, read_table

#: Numbers of boxes and expansions, which the paper does not print; forces and boxes as in the paper.
GRID: dict[str, Any] = {
    "n_boxes": (1, 2, 3, 4, 5, 6, 8, 10),
    "expansion": (0.0, 0.001, 0.01, 0.03, 0.1, 0.3),
    "distance": "sum",
    "simplified": False,
}


def ten_point_auh(critical: FloatArray, positive: BoolArray) -> float:
    """Return the area under the hull of the ROC points of the paper's ten costs."""
    flagged = critical >= COSTS[:, None]
    return auh_from_points(flagged[:, ~positive].mean(axis=1), flagged[:, positive].mean(axis=1))


def ten_point_scorer(model: Any, X: Any, y: Any) -> float:
    """Score a Fast Boxes model by its 10-point AUH, as a scikit-learn scorer."""
    return ten_point_auh(model.critical_weight(X), np.asarray(y) == 1)


def paper_model() -> FastBoxesClassifierCV:
    """Return Fast Boxes as in the paper's experiments."""
    return FastBoxesClassifierCV(
        **GRID,
        growth="nearest_negative",
        feature_range=(-1, 1),
        clusterer=KMeans(n_init=3, random_state=0),
        negative_weight="balanced",
        scoring=ten_point_scorer,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        pos_label=1,
        round_limits=False,
        random_state=0,
    )


def default_models() -> dict[str, Any]:
    """Return our default and its competitors."""
    return {
        "Fast Boxes CV": FastBoxesClassifierCV(random_state=0),
        "CART": DecisionTreeClassifier(class_weight="balanced", random_state=0),
        "CART, 8 leaves": DecisionTreeClassifier(max_leaf_nodes=8, class_weight="balanced", random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)),
        "random forest": RandomForestClassifier(class_weight="balanced", random_state=0),
    }


def halves(table: DataSet, n_splits: int, seed: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield stratified 50/50 splits as (X_train, y_train, X_test, y_test)."""
    splitter = StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=seed)
    for train, test in splitter.split(table.X, table.y):
        yield table.X[train], table.y[train], table.X[test], table.y[test]


def paper_row(table: DataSet, n_splits: int, seed: int) -> dict[str, FloatArray]:
    """Return the test 10-point AUH of each split."""
    scores = [
        ten_point_scorer(paper_model().fit(X_train, y_train), X_test, y_test)
        for X_train, y_train, X_test, y_test in halves(table, n_splits, seed)
    ]
    return {"Fast Boxes": np.array(scores)}


def default_row(table: DataSet, n_splits: int, seed: int) -> dict[str, FloatArray]:
    """Return the test AUC of each split and model."""
    scores: dict[str, list[float]] = {name: [] for name in default_models()}
    for X_train, y_train, X_test, y_test in halves(table, n_splits, seed):
        for name, model in default_models().items():
            model.fit(X_train, y_train)
            score = (
                model.predict_proba(X_test)[:, 1]
                if hasattr(model, "predict_proba")
                else model.decision_function(X_test)
            )
            scores[name].append(float(roc_auc_score(y_test, score)))
    return {name: np.array(values) for name, values in scores.items()}


def run(
    row: Callable[[DataSet, int, int], dict[str, FloatArray]],
    folder: Path | None,
    names: Sequence[str],
    n_splits: int,
    seed: int,
    n_jobs: int,
) -> dict[str, dict[str, FloatArray]]:
    """Compute one table, a row per data set."""

    def work(name: str) -> dict[str, FloatArray]:
        with warnings.catch_warnings():
            # folds with few positives warn by design
            warnings.simplefilter("ignore", UserWarning)
            return row(read_table(folder, name), n_splits, seed)

    rows = Parallel(n_jobs=n_jobs)(delayed(work)(name) for name in names)
    return dict(zip(names, rows, strict=True))


def print_paper(results: dict[str, dict[str, FloatArray]]) -> None:
    """Print the table next to the paper's column."""
    print("| data | 10-point AUH (sd) | paper | difference |\n| --- | --- | --- | --- |")
    gaps = {}
    for name, row in results.items():
        scores, paper = row["Fast Boxes"], PAPER_FAST_BOXES[name]
        gaps[name] = scores.mean() - paper
        print(f"| {name} | {scores.mean():.4f} ({scores.std():.4f}) | {paper:.4f} | {gaps[name]:+.4f} |")
    unsound = sorted(name for name, method in unsound_means() if method == "Fast Boxes")
    others = [name for name in results if name not in unsound]
    if others:
        ours = np.mean([results[name]["Fast Boxes"].mean() for name in others])
        theirs = np.mean([PAPER_FAST_BOXES[name] for name in others])
        apart = np.mean([abs(gaps[name]) for name in others])
        print(
            f"\n{len(others)} data sets without {', '.join(unsound)}: mean {ours:.4f}, paper {theirs:.4f}, "
            f"mean absolute difference {apart:.4f}"
        )


def print_default(results: dict[str, dict[str, FloatArray]], imbalance: dict[str, float]) -> None:
    """Print the table of full-ROC AUC with its means."""
    models = list(next(iter(results.values())))
    print(f"| data | imbalance | {' | '.join(models)} |\n| --- | --- |{' --- |' * len(models)}")
    for name, row in results.items():
        cells = " | ".join(f"{row[model].mean():.4f} ({row[model].std():.3f})" for model in models)
        print(f"| {name} | {imbalance[name]:.1f} | {cells} |")
    rare = [name for name in results if imbalance[name] >= 10]
    for label, names in (("all", list(results)), ("imbalance ≥ 10", rare)):
        if names:
            means = [f"{model} {np.mean([results[name][model].mean() for name in names]):.4f}" for model in models]
            print(f"\nMean over {len(names)} data sets ({label}): {', '.join(means)}")


def main(argv: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m paper.fast_boxes", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("table", nargs="?", choices=("paper", "default", "all"), default="all")
    parser.add_argument("--data", help=DATA_HELP)
    parser.add_argument("--datasets", help="comma-separated names; default: all that are there")
    parser.add_argument("--splits", type=int, default=10, help="at least 1")
    parser.add_argument("--seed", type=int, default=0, help="of the splits")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(argv)
    folder = data_folder(options.data)
    names = options.datasets.split(",") if options.datasets else available(folder)
    if unknown := set(names) - set(available(folder)):
        parser.error(f"no such data set in {folder or PACKAGES}: {', '.join(sorted(unknown))}")
    if options.splits < 1:
        parser.error(f"--splits must be at least 1; got {options.splits}")
    common = (folder, names, options.splits, options.seed, options.jobs)
    if options.table in ("paper", "all"):
        print_paper(run(paper_row, *common))
    if options.table in ("default", "all"):
        print_default(run(default_row, *common), {name: read_table(folder, name).imbalance for name in names})


if __name__ == "__main__":
    main()
