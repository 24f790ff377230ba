"""Exact Boxes on the paper's data sets: ``python -m paper.exact_boxes [--data FOLDER]``.

The eight data sets of the paper's Exact Boxes table, on the splits of `paper.fast_boxes`. For each
training half, K is the number of boxes that the inner cross-validation chooses for Fast Boxes, as in the paper;
then there is one fit for each weight of the negatives, .1, .2, ..., 1, with a cost of 1 per box. The AUH is the area
under the hull of the ten ROC points of the test half. The paper gave each fit 30 to 90 minutes; here it gets
``--seconds`` on one thread. The gap bounds how far the drawings are from the best on the training half.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from boxdraw import BoxSet, CautionWarning, ExactBoxesClassifier
from boxdraw.learners.exact.edges import EDGES
from boxdraw.metrics import auh_from_points
from paper.fast_boxes import halves, paper_model
from paper.protocol import COSTS
from paper.reported import EXACT
from paper.tables import DATA_HELP, PACKAGES, available, data_folder, read_table

# Mean test AUH of Exact Boxes in the paper's table of it.
PAPER_EXACT_BOXES = {name: row.exact_boxes.mean for name, row in EXACT.items()}


OWN_BOXES = (1, 2, 3, 4, 5)  # numbers among which inner folds choose
TIE = 1e-4  # cost of a limit that only decides among drawings of the same objective, a multiple of .1
_INNER_SHARE = 0.05  # of the seconds of a fit, for those of inner folds


@dataclass(frozen=True)
class Drawing:
    """One fit: its point on the test half, and how good it is proven to be on the training half."""

    fpr: float
    tpr: float
    gap: float
    proven: bool
    seconds: float


@dataclass(frozen=True)
class Split:
    """The fits on one training half, a drawing per weight of the negatives."""

    max_boxes: int
    drawings: list[Drawing]

    @property
    def auh(self) -> float:
        """Area under the hull of the drawings' points."""
        return auh_from_points([one.fpr for one in self.drawings], [one.tpr for one in self.drawings])


def chosen_boxes(X: Any, y: Any) -> int:
    """Return the number of boxes that the paper's protocol chooses for Fast Boxes."""
    with warnings.catch_warnings():
        # folds with few positives warn by design
        warnings.simplefilter("ignore", UserWarning)
        return int(paper_model().fit(X, y).best_params_["n_boxes"])


def own_boxes(X: Any, y: Any, seconds: float, edges: str) -> list[int]:
    """Return for each weight of the negatives the number of boxes of the best objective on held-out rows.

    That is what ``max_boxes="auto"`` asks, too; of equal numbers the least. A fit gets a part of the seconds: the
    search is what counts.
    """
    right = np.zeros((len(OWN_BOXES), len(COSTS)))
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        part, positives = (X[train], y[train], X[test], y[test]), int((y[test] == 1).sum())
        for k, n_boxes in enumerate(OWN_BOXES):
            drawings = draw(part, n_boxes, _INNER_SHARE * seconds, edges, TIE)
            alarms = COSTS * [one.fpr for one in drawings] * (len(test) - positives)
            right[k] += positives * np.array([one.tpr for one in drawings]) - alarms
    # Sums in another order differ by rounding, and are no reason for another box.
    return [OWN_BOXES[k] for k in np.argmax(right.round(9), axis=0)]


def compile_kernels() -> None:
    """Fit a tiny table, so that compiling does not count towards the time limit of a fit."""
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), rng.random(30) < 0.4
    model = ExactBoxesClassifier(max_boxes=2, negative_weight=0.5, box_cost=1.0, limit_cost=0.0, time_limit=300.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CautionWarning)
        model.fit(X, y)


def draw(
    half: tuple[Any, Any, Any, Any],
    max_boxes: int | Sequence[int],
    seconds: float,
    edges: str,
    limit_cost: float = 0.0,
) -> list[Drawing]:
    """Fit for every weight of the negatives; each search starts from the boxes of the weight before."""
    X_train, y_train, X_test, y_test = half
    drawings: list[Drawing] = []
    boxes: BoxSet | None = None
    for weight, n_boxes in zip(COSTS, np.broadcast_to(max_boxes, len(COSTS)), strict=True):
        start = time.perf_counter()
        model = ExactBoxesClassifier(
            max_boxes=int(n_boxes),
            negative_weight=float(weight),
            box_cost=1.0,
            limit_cost=limit_cost,
            time_limit=seconds,
            warm_start_boxes=boxes,
            edges=edges,
            pos_label=1,
            round_limits=False,
            random_state=0,
        )
        with warnings.catch_warnings():
            # Boxes on few positives, or none, are a point of the curve all the same.
            warnings.simplefilter("ignore", CautionWarning)
            warnings.filterwarnings("ignore", "No box was found")
            model.fit(X_train, y_train)
        if model.status_ == "interrupted":
            raise KeyboardInterrupt
        flagged = model.predict(X_test) == 1
        fpr, tpr = (float(flagged[y_test == label].mean()) for label in (0, 1))
        drawings.append(Drawing(fpr, tpr, model.gap_, model.status_ == "optimal", time.perf_counter() - start))
        boxes = model.boxes_ if len(model.boxes_) else None
    return drawings


def run_split(
    folder: Path | None, name: str, index: int, n_splits: int, seed: int, seconds: float, edges: str
) -> Split:
    """Run one split of one data set, and print a line."""
    compile_kernels()
    half = next(islice(halves(read_table(folder, name), n_splits, seed), index, None))
    max_boxes = chosen_boxes(*half[:2])
    split = Split(max_boxes, draw(half, max_boxes, seconds, edges))
    print(
        f"{name}, split {index + 1} of {n_splits}: K = {max_boxes}, AUH {split.auh:.4f}, "
        f"{sum(one.proven for one in split.drawings)} of {len(split.drawings)} proven, "
        f"mean gap {np.mean([one.gap for one in split.drawings]):.2%}, "
        f"{np.mean([one.seconds for one in split.drawings]):.1f} s per fit",
        file=sys.stderr,
        flush=True,
    )
    return split


def run(
    folder: Path | None, names: Sequence[str], n_splits: int, seed: int, seconds: float, edges: str, n_jobs: int
) -> dict[str, list[Split]]:
    """Run all splits of all data sets as separate tasks."""
    tasks = [(name, index) for name in names for index in range(n_splits)]
    done = Parallel(n_jobs=n_jobs)(
        delayed(run_split)(folder, name, index, n_splits, seed, seconds, edges) for name, index in tasks
    )
    results: dict[str, list[Split]] = {name: [] for name in names}
    for (name, _), split in zip(tasks, done, strict=True):
        results[name].append(split)
    return results


def print_table(results: dict[str, list[Split]]) -> None:
    """Print the table next to the paper's column."""
    columns = ("data", "AUH (sd)", "paper", "difference", "mean gap", "proven", "seconds per fit")
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    differences = []
    for name, splits in results.items():
        auh = np.array([split.auh for split in splits])
        paper = PAPER_EXACT_BOXES[name]
        differences.append(auh.mean() - paper)
        drawings = [one for split in splits for one in split.drawings]
        gap, proven, seconds = np.mean([(one.gap, one.proven, one.seconds) for one in drawings], axis=0)
        print(
            f"| {name} | {auh.mean():.4f} ({auh.std():.4f}) | {paper:.4f} | {differences[-1]:+.4f} | {gap:.2%} "
            f"| {proven:.0%} | {seconds:.2f} |"
        )
    print(f"\nMean difference over {len(differences)} data sets: {np.mean(differences):+.4f}")


def main(argv: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m paper.exact_boxes", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--data", help=DATA_HELP)
    parser.add_argument("--datasets", help="comma-separated names; default: the eight, as far as they are there")
    parser.add_argument("--splits", type=int, default=10, help="at least 1")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each fit")
    parser.add_argument("--edges", choices=EDGES, default="midway", help="where limits go between the rows")
    parser.add_argument("--seed", type=int, default=0, help="of the splits")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(argv)
    folder = data_folder(options.data)
    here = [name for name in PAPER_EXACT_BOXES if name in available(folder)]
    names = options.datasets.split(",") if options.datasets else here
    if unknown := set(names) - set(here):
        parser.error(f"not in the paper's table, or not in {folder or PACKAGES}: {', '.join(sorted(unknown))}")
    if options.splits < 1:
        parser.error(f"--splits must be at least 1; got {options.splits}")
    print_table(run(folder, names, options.splits, options.seed, options.seconds, options.edges, options.jobs))


if __name__ == "__main__":
    main()
