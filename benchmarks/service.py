"""Rules in service: what existing rules miss, and what a few changes keep of a new fit. Bars: 90% each.

Tables with planted rules by seed, from the generator of ``_planted_tables.py``; 0 to 199 are for development, 1000 to
1199 to confirm. *Complement*: of a rule of several boxes, all but one are in use (the one is drawn by lot); it is found
if the new boxes hold at least .9 of the rows of that box alone, on fresh rows, and at most a tenth of what they hold is
in no box of the rule. *Revise*: what is in use is the rule with one to three changes, drawn by lot: a limit on numbers
moved by an eighth to a quarter of its rows' ranks, dropped, or added. Gain is recall less the false-alarm rate, on
fresh rows, at the balance of the classes, over that of the rules in use; kept is that of three changes at most
(``revise``) over that of a new fit, both with balanced costs, on tables where a new fit gains at least .05.
``--public`` takes the tables of ``_public_months.py`` instead, where they are installed: rules are learned from a part,
changed or learned anew on the next one, and judged on the one after.
"""

import argparse
import sys
import warnings

import _public_months
import numpy as np
from _planted_tables import held, make_table
from accuracy import print_rows
from joblib import Parallel, delayed
from sklearn import clone
from threadpoolctl import threadpool_limits

from boxdraw import SparseBoxesClassifier

BAR, LEAST = 0.9, 0.05


def find_missing(table, rng):
    """Return whether the box that the rules in use lack is found, and what the new boxes ask a reader to read."""
    rules = table.boxes.rules()
    at = int(rng.integers(len(rules)))
    existing = table.boxes.drop_box(at)
    new = SparseBoxesClassifier(existing=existing).fit(table.X, table.y).boxes_
    X, clean = table.fresh()
    alone, flagged = held([rules[at]], X) & ~existing.contains(X), new.contains(X)
    recall, precision = flagged[alone].mean(), clean[flagged].mean() if flagged.any() else 0.0
    return recall >= BAR and precision >= BAR, new.n_limits - table.boxes[[at]].n_limits


def changed(boxes, X, rng):
    """Return boxes with one change drawn by lot."""
    k = int(rng.integers(len(boxes)))
    limits = [limit for limit in boxes.rules()[k].limits if np.isfinite([limit.lower, limit.upper]).any()]
    kind, free = rng.random(), [name for j, name in enumerate(X.columns) if not boxes.limited[k, j]]
    numbers = [name for name in free if name in X.select_dtypes("number") and X[name].nunique() > 8]
    if numbers and (not limits or kind < 0.2):  # add
        name = str(rng.choice(numbers))
        return boxes.replace(k, name, lower=float(X[name].quantile(rng.uniform(0.2, 0.5))), missing=True)
    if not limits:
        return boxes
    limit = limits[int(rng.integers(len(limits)))]
    if kind < 0.4 and boxes.limited[k].sum() > 1:
        return boxes.drop_limit(k, limit.feature)
    values = X[limit.feature].dropna()
    side = "lower" if np.isfinite(limit.lower) else "upper"
    rank = (values < getattr(limit, side)).mean() + rng.choice([-1, 1]) * rng.uniform(0.125, 0.25)
    moved = float(values.quantile(np.clip(rank, 0.02, 0.98)))
    other = limit.upper if side == "lower" else limit.lower
    if (moved > other) == (side == "lower"):  # the interval would be empty
        return boxes.drop_limit(k, limit.feature) if boxes.limited[k].sum() > 1 else boxes
    return boxes.replace(k, limit.feature, **{side: moved})


def revise(table, rng):
    """Return the gains of three changes and of a new fit over worn rules, and how many changes were taken."""
    worn = table.boxes
    for _ in range(int(rng.integers(1, 4))):
        worn = changed(worn, table.X, rng)
    X, clean = table.fresh()

    revised = SparseBoxesClassifier(revise=worn, false_alarm_cost="balanced").fit(table.X, table.y)
    new = SparseBoxesClassifier(false_alarm_cost="balanced").fit(table.X, table.y)
    taken = next(one.n_changes for one in revised.revisions_ if one.boxes == revised.boxes_)
    old = worth(worn, X, clean)
    return worth(revised.boxes_, X, clean) - old, worth(new.boxes_, X, clean) - old, taken


def worth(boxes, X, positive):
    """Return recall less the false-alarm rate."""
    flagged = boxes.contains(X)
    return flagged[positive].mean() - flagged[~positive].mean()


def print_public():
    """Print what old, changed and new rules are worth on later rows of public tables."""
    rows = []
    for name in _public_months.installed():
        parts = _public_months.read(name)
        for k in range(len(parts) - 2):
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                first = SparseBoxesClassifier(false_alarm_cost="balanced", pos_label=1).fit(*parts[k])
                new = clone(first).fit(*parts[k + 1])
                changed = clone(first).set_params(revise=first.boxes_).fit(*parts[k + 1])
            X, y = parts[k + 2]
            values = [worth(one.boxes_, X, y == 1) for one in (first, changed, new)]
            taken = next(one.n_changes for one in changed.revisions_ if one.boxes == changed.boxes_)
            limits = " / ".join(str(one.boxes_.n_limits) for one in (first, changed, new))
            rows.append([name, str(k + 3), *(f"{value:.3f}" for value in values), str(taken), limits])
    print_rows(["table", "part judged on", "old rules", "changed", "new", "changes", "limits of each"], rows)


def run_seed(seed):
    """Return what became of the table of a seed."""
    table, rng = make_table(seed), np.random.default_rng([seed, 2])
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = find_missing(table, rng) if len(table.boxes) > 1 else None
        return found, revise(table, rng)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="two tables")
    parser.add_argument("--public", action="store_true", help="public tables only")
    options = parser.parse_args()
    if options.public:
        print_public()
        return
    seeds = range(options.seed, options.seed + (2 if options.quick else options.tables))
    results = []
    for done, result in enumerate(
        Parallel(n_jobs=options.jobs, return_as="generator")(delayed(run_seed)(seed) for seed in seeds), start=1
    ):
        results.append(result)
        print(f"{done}/{len(seeds)}", file=sys.stderr, flush=True)
    complement = [found for found, _ in results if found is not None]
    gains = np.array([gain for _, gain in results])
    worn = gains[gains[:, 1] >= LEAST]
    rows = []
    if complement:
        share, more = np.mean(complement, axis=0)
        verdict = "met" if share >= BAR else "not met"
        rows.append(["box found beside existing ones", str(len(complement)), f"{share:.1%} (bar 90%: {verdict})"])
        rows.append(["limits more than in that box", str(len(complement)), f"{more:+.2f}"])
    if len(worn):
        kept = worn[:, 0].sum() / worn[:, 1].sum()
        verdict = "met" if kept >= BAR else "not met"
        rows.append(["gain kept by at most 3 changes", str(len(worn)), f"{kept:.1%} (bar 90%: {verdict})"])
        rows.append(["changes taken", str(len(worn)), f"{worn[:, 2].mean():.1f}"])
    print(f"Seeds {seeds[0]} to {seeds[-1]}.\n")
    print_rows(["", "tables", "mean"], rows)


if __name__ == "__main__":
    main()
