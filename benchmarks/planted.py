"""How often learners find a planted rule. No bar.

Tables by seed, 200 by default, from the generator of ``_planted_tables.py``, which says what is in them. A learner sees
the noisy labels of 1 500 to 20 000 rows. A rule is *found* if, against the rule itself on 20 000 fresh rows, precision
and recall are at least .9, and if there is at most one limit more to read than in the rule; *accurate* leaves out the
latter. ``_comparison.py`` says what is counted; of Scored Boxes it is the card. Seeds 0 to 199 are for development, and
seeds 1000 to 1199 to confirm a version once (``--seed 1000``).

Sparse, Scored, Fast and Exact Boxes take the frames as they are; Exact Boxes has five seconds. The others get what one
would give them: a column per category (the 30 most frequent ones), medians for missing numbers, and a column that says
where they were missing. Seconds are those of the processor, one thread a fit. RuleFit, RIPPER and the tree
with as many leaves as inner folds choose only run when they are named.
"""

import argparse
import sys
import time
import warnings
from dataclasses import dataclass, replace

import numpy as np
from _comparison import LEARNERS, NAN, size_of_boxes, warm_up
from _planted_tables import make_table
from accuracy import names, print_rows, without_missing
from joblib import Parallel, delayed
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from threadpoolctl import threadpool_limits

PRECISION = RECALL = 0.9
MORE_LIMITS = 1


class Filled:
    """A learner of numbers alone: a column per category, medians for missing values, and where they were missing."""

    def __init__(self, name):
        self.learner = LEARNERS[name]

    def fit(self, X, y):
        """Encode the frame and fit the learner."""
        self.encoder_ = make_column_transformer(
            (SimpleImputer(strategy="median", add_indicator=True), make_column_selector(dtype_include="number")),
            (
                OneHotEncoder(max_categories=30, handle_unknown="infrequent_if_exist", sparse_output=False),
                make_column_selector(dtype_exclude="number"),
            ),
        )
        self.model_, _ = self.learner.fitted(self.encoder_.fit_transform(as_objects(X)), y)
        return self

    def predict(self, X):
        """Return the labels of the learner."""
        return self.model_.predict(self.encoder_.transform(as_objects(X)))


def as_objects(X):
    """Return the frame in types that scikit-learn's encoders take: floats, and objects with NaN."""
    numbers = set(X.select_dtypes("number"))
    columns = {
        name: values.astype(float) if name in numbers else values.astype(object).where(values.notna(), np.nan)
        for name, values in X.items()
    }
    return X.assign(**columns)


def filled(name):
    learner = LEARNERS[name]
    return replace(learner, make=lambda: Filled(name), size=lambda model: learner.size(model.model_), weights=False)


PLANTED = {name: LEARNERS[name] for name in ("sparse", "sparse_balanced", "scored", "fast", "exact")}
PLANTED |= {name: filled(name) for name in ("cart", "cart_chosen", "skope", "ripper", "rulefit")}


@dataclass(frozen=True)
class Found:
    """What a learner made of a table; of one that failed the error, and figures of nothing found."""

    seed: int
    learner: str
    kinds: tuple[str, ...]
    found: float = 0.0
    accurate: float = 0.0  # found, but for the length
    precision: float = NAN
    recall: float = NAN
    boxes: float = NAN
    limits: float = NAN
    seconds: float = NAN
    error: str = ""
    text: str = ""  # the rule that was learned

    def __str__(self):
        if self.error:
            return f"{self.learner} failed: {self.error}"
        size = f"{self.boxes:.0f} boxes, {self.limits:.0f} limits, {self.seconds:.2f} s"
        return f"{self.learner} {'' if self.found else 'not '}found: {self.precision:.2f}, {self.recall:.2f}; {size}"


def search(name, table, fresh, clock):
    """Let a learner look for the rule of a table."""
    learner, (X, clean) = PLANTED[name], fresh
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warm_up(name)
            model, seconds = learner.fitted(table.X, table.y, clock)
            flagged = np.asarray(model.predict(X)) == 1
        boxes, limits = learner.size(model)
        text = model.boxes_.to_text() if hasattr(model, "boxes_") else ""
    except Exception as error:  # a learner that fails is a result
        return Found(table.seed, name, table.kinds, error=f"{type(error).__name__}: {error}".splitlines()[0][:200])
    both = (flagged & clean).sum()
    precision, recall = both / max(flagged.sum(), 1), both / clean.sum()
    accurate = precision >= PRECISION and recall >= RECALL
    found = accurate and limits <= size_of_boxes(table.boxes)[1] + MORE_LIMITS
    figures = (found, accurate, precision, recall, boxes, limits, seconds)
    return Found(table.seed, name, table.kinds, *map(float, figures), text=text)


def run_table(seed, learners, n_fresh, clock=time.process_time):
    """Return the rule of a seed's table as text, and what the learners made of it."""
    table = make_table(seed)
    fresh = table.fresh(n_fresh)
    rows = f"{table.X.shape[0]} rows, {table.X.shape[1]} columns, {table.y.sum()} labelled, {table.clean.sum()} true"
    return f"table {seed}: {rows}\n{table.boxes.to_text()}", [search(name, table, fresh, clock) for name in learners]


def run(options):
    """Return all results; print those of each table as it ends."""
    seeds = range(options.seed, options.seed + options.tables)
    tasks = (delayed(run_table)(seed, options.learners, options.fresh) for seed in seeds)
    results = []
    for title, part in Parallel(options.jobs, return_as="generator")(tasks):
        results += part
        print(title, *(f"- {result}" for result in part), sep="\n", file=sys.stderr, flush=True)
        for result in part if options.rules else ():
            if result.text and not result.found:
                print(f"{result.learner}:\n{result.text}", file=sys.stderr, flush=True)
    return results


def print_results(results, learners):
    """Print what was found: in all, by kind of table, and where learners failed."""
    of = {name: [result for result in results if result.learner == name] for name in learners}
    rows = []
    for name, part in of.items():
        means = {m: mean(getattr(r, m) for r in part) for m in ("precision", "recall", "boxes", "limits", "seconds")}
        shown = [f"{value:.{1 if m in ('boxes', 'limits') else 2}f}" for m, value in means.items()]
        shares = [f"{mean(getattr(r, m) for r in part):.3f}" for m in ("found", "accurate")]
        rows.append([PLANTED[name].title, *shares, *shown])
    print_rows(["learner", "found", "accurate", "precision", "recall", "boxes", "limits", "seconds"], rows)
    print("Share of the rules found, by what there is in the rule or in the table:\n")
    rows = []
    for kind in sorted({kind for result in results for kind in result.kinds}):
        chosen = [[r.found for r in of[name] if kind in r.kinds] for name in learners]
        rows.append([kind, str(len(chosen[0])), *(f"{mean(found):.2f}" for found in chosen)])
    print_rows(["kind", "tables", *(PLANTED[name].title for name in learners)], rows)
    for result in results:
        if result.error:
            print(f"- {PLANTED[result.learner].title} failed on table {result.seed}: {result.error}")


def mean(values):
    """Return the mean of what is not NaN."""
    known = [value for value in values if value == value]
    return np.mean(known) if known else NAN


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = [name for name in PLANTED if name not in ("cart_chosen", "ripper", "rulefit")]
    parser.add_argument(
        "--learners", type=names, default=usual, help=f"of {','.join(PLANTED)}; default: the quick ones"
    )
    parser.add_argument("--tables", type=int, default=200, help="default: 200")
    parser.add_argument("--seed", type=int, default=0, help="of the first table; the others follow; default: 0")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--rules", action="store_true", help="also print the rules that were learned instead")
    parser.add_argument("--quick", action="store_true", help="a smoke run: one table, the quickest learners")
    options = parser.parse_args()
    if unknown := set(options.learners) - set(PLANTED):
        parser.error(f"no such learners: {', '.join(sorted(unknown))}")
    options.fresh = 20_000
    if options.quick:
        options.tables, options.fresh, options.learners = 1, 2000, ["scored", "cart"]
    return options


def main():
    options = read_options()
    options.learners = without_missing(options.learners)
    last = options.seed + options.tables - 1
    print(f"{options.tables} tables of the seeds {options.seed} to {last}, {options.jobs} processes.\n", flush=True)
    print_results(run(options), options.learners)


if __name__ == "__main__":
    main()
