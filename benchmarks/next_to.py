"""boxdraw next to what one may pick instead. No bar.

Others are EBM, decision trees, RuleFit, RIPPER, PRIM, samplers and the forest of imbalanced-learn and, where they are
installed, FasterRisk, optbinning and Iguanas.

Data sets, by a rule and not by results: of the paper's 29, and of those that had no part in making boxdraw
(``--unseen`` of ``accuracy.py``, whose docstring says how they were chosen), all with at least ten negatives per
positive and at most 200 000 cells, so that a run ends. Two stratified halves each (`StratifiedShuffleSplit`, seed
20261115), the same for all learners. What is chosen is chosen on the training half: the boxes and the scorecard as
they come; the leaves of one of the trees by three inner folds; the strength of RuleFit's lasso by its own folds;
RIPPER's rules by its own pruning. Both classes weigh the same in sum, except for RIPPER, which takes no weights.
``_comparison.py`` has the learners and says what is counted as a box and a limit.

Figures are of the other half: AUC and average precision of the scores, balanced accuracy, precision and recall of
``predict``. Seconds are those of the processor, one thread, so that a busy machine counts little.

Then it says which learners take text and missing values as they are, by trying. A run takes some 10 minutes of a core.
"""

import argparse
import os
import platform
import time
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from _comparison import LEARNERS
from accuracy import (
    IMBALANCED,
    SEED,
    cells,
    print_results,
    print_rows,
    read_tables,
    run,
    shown,
    without_missing,
)
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier
from paper.baselines import PRIMClassifier
from paper.baselines.modern import make_ebm
from paper.baselines.weighted import imported

MODELS = [
    "sparse",
    "sparse_balanced",
    "scored",
    "fast",
    "ebm",
    "cart",
    "cart_chosen",
    "rulefit",
    "faster_risk",
    "optbinning",
    "iguanas",
    "ripper",
    "prim",
    "smote",
    "under",
    "balanced_forest",
]
PACKAGES = {
    "numpy": "numpy",
    "scikit-learn": "sklearn",
    "interpret-core": "interpret",
    "imodels": "imodels",
    "wittgenstein": "wittgenstein",
    "imbalanced-learn": "imblearn",
    "fasterrisk": "fasterrisk",
    "optbinning": "optbinning",
    "iguanas": "iguanas",
}
LEVEL = 0.01  # a smaller difference in AUC counts as none
MAX_CELLS = 200_000


def processor():
    """Return the name of the processor."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def imbalanced(options, unseen):
    """Read the data sets of one kind that the rule takes."""
    wanted = argparse.Namespace(quick=options.quick, unseen=unseen, data=options.data, datasets=None)
    tables = read_tables(wanted)
    return tables if options.quick else [t for t in tables if t.imbalance >= IMBALANCED and t.X.size <= MAX_CELLS]


def read_kinds(options):
    """Return the data sets by kind."""
    kinds = {}
    if options.quick or options.data or os.environ.get("BOXDRAW_DATA"):
        kinds["of the paper"] = imbalanced(options, unseen=False)
    else:
        print("Left out: the paper's data sets, by --data FOLDER or the environment variable BOXDRAW_DATA.")
    if not options.quick:
        kinds["that had no part in making boxdraw"] = imbalanced(options, unseen=True)
    return kinds


def print_ahead(results, tables, learners, ours):
    """Print on how many data sets each learner ranks better than ours, as well, and worse."""
    auc = cells(results, tables, learners, "auc")
    print(f"### AUC beside {LEARNERS[ours].title}: data sets ahead, level (within {LEVEL}) and behind\n")
    rows = []
    for j, learner in enumerate(learners):
        if learner != ours:
            gain = auc[:, j] - auc[:, learners.index(ours)]
            counts = ((gain > LEVEL).sum(), (abs(gain) <= LEVEL).sum(), (gain < -LEVEL).sum())
            rows.append([LEARNERS[learner].title, *map(str, counts), f"{np.nanmean(gain):+.3f}"])
    print_rows(["learner", "ahead", "level", "behind", "mean difference"], rows)


def print_spread(results, learners):
    """Print how far apart a learner's results on the splits of one data set are."""
    print("### Half of the distance between the two splits' results, mean over data sets\n")
    rows = []
    for learner in learners:
        row = [LEARNERS[learner].title]
        for name in ("auc", "average_precision", "balanced"):
            by_data = {}
            for result in results:
                if result.learner == learner and not result.error:
                    by_data.setdefault(result.data, []).append(getattr(result, name))
            row += shown([np.mean([np.ptp(values) / 2 for values in by_data.values()])], name)
        rows.append(row)
    print_rows(["learner", "AUC", "average precision", "balanced accuracy"], rows)


def as_they_are():
    """Return makers of the packages' own learners, without what the comparison puts around them."""
    return {
        "Scored Boxes": ScoredBoxesClassifier,
        "Fast Boxes, CV": FastBoxesClassifierCV,
        "EBM": make_ebm,
        "CART": DecisionTreeClassifier,
        "RuleFit": lambda: imported("imodels", "RuleFit").RuleFitClassifier(),
        "RIPPER": lambda: imported("wittgenstein", "RIPPER").RIPPER(random_state=0),
        "PRIM": PRIMClassifier,
        "balanced forest": lambda: imported("imblearn.ensemble", "it").BalancedRandomForestClassifier(),
        "SMOTE": lambda: imported("imblearn.over_sampling", "it").SMOTE(),
    }


def takes(make, frame, y, decisive):
    """Try to fit and predict a frame; say whether the model tells those rows apart that nothing else can."""
    try:
        model = make()
        if hasattr(model, "fit_resample"):
            model.fit_resample(frame, y)
            return "yes"
        model.fit(frame, y)
        predicted = np.asarray(model.predict(frame)).astype(int)
    except ImportError:
        return "not installed"
    except Exception as error:  # a refusal is the answer
        return f"no ({type(error).__name__})"
    right = balanced_accuracy_score(y[decisive], predicted[decisive])
    return "yes" if right > 0.75 else "taken, but not used"


def print_takes():
    """Print which learners take a column of text and missing values as they are."""
    import pandas as pd

    rng = np.random.default_rng(0)
    size, noise, colour = rng.normal(size=400), rng.normal(size=400), rng.choice(["red", "green", "blue"], 400)
    text = pd.DataFrame({"size": size, "colour": colour})
    red = ((colour == "red") & (size > 0)).astype(int)
    unknown = np.arange(400) % 10 == 0
    missing = pd.DataFrame({"size": np.where(unknown, np.nan, size), "noise": noise})
    large = ((size > 1) | unknown).astype(int)
    print("### What is taken as it is, by trying: a column of text; missing values\n")
    rows = [
        [name, takes(make, text, red, size > 0), takes(make, missing, large, unknown | (size < 1))]
        for name, make in as_they_are().items()
    ]
    print_rows(["learner", "text", "missing values"], rows)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with one name.csv.gz per data set; default: $BOXDRAW_DATA")
    parser.add_argument("--quick", action="store_true", help="a smoke run: small synthetic tables, one split")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    options = parser.parse_args()
    options.splits = 1 if options.quick else 2
    return options


def main():
    options = read_options()
    options.models = without_missing(MODELS)
    kinds = read_kinds(options)
    tables = [table for part in kinds.values() for table in part]
    versions = ", ".join(f"{name} {version(name)}" for name, module in PACKAGES.items() if find_spec(module))
    print(f"{len(tables)} data sets, {options.splits} stratified halves each, seed {SEED}.", end=" ")
    print(f"{processor()}, one thread a fit.\nPython {platform.python_version()}, {versions}.\n", flush=True)
    results = run(tables, options, time.process_time)
    starts = np.cumsum([0, *map(len, kinds.values())])
    rows = {
        f"the {len(part)} {kind}": list(range(start, start + len(part)))
        for (kind, part), start in zip(kinds.items(), starts[:-1], strict=True)
    }
    print_results(results, tables, options.models, rows)
    for ours in ("scored", "fast"):
        print_ahead(results, tables, options.models, ours)
    print_spread(results, options.models)
    print_takes()


if __name__ == "__main__":
    main()
