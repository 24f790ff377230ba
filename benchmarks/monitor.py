"""Monitoring: false alarms in stable years (bar: at most 5%), and how soon injected drift is found.

Tables with planted rules by seed, from the generator of ``_planted_tables.py``. The rules are watched over twelve
periods of 1000 rows, with a reference of 4000; a row that they hold is positive with a chance of .8. *Stable*: nothing
changes; once as by default, and once without a tolerance. *Drift*, from the first period on: the chance falls to .6;
half of the rows that the rules hold come twice; a tenth of the values of a column that the rules limit goes missing.
"""

import argparse
import warnings

import numpy as np
from _planted_tables import draw_rows, held, make_table
from accuracy import print_rows
from joblib import Parallel, delayed

from boxdraw import BoxSetClassifier, monitor

N_REFERENCE, N_ROWS, PERIODS, BAR = 4000, 1000, 12, 0.05


def less_precise(X, y, flagged, boxes, rng):
    return X, y & (~flagged | (rng.random(len(y)) < 0.75))


def more_alarms(X, y, flagged, boxes, rng):
    rows = np.sort(np.concatenate([np.arange(len(y)), np.flatnonzero(flagged & (rng.random(len(y)) < 0.5))]))
    return X.iloc[rows], y[rows]


def missing_values(X, y, flagged, boxes, rng):
    names = [name for j, name in enumerate(X.columns) if boxes.limited[:, j].any()]
    name = names[int(rng.integers(len(names)))]
    return X.assign(**{name: X[name].astype(object).mask(rng.random(len(X)) < 0.1, None)}), y


DRIFTS = {
    "precision .8 to .6": less_precise,
    "half as many alarms again": more_alarms,
    "a tenth missing": missing_values,
}


def run_seed(seed):
    """Return whether a stable year raises an alarm, with and without tolerance, and when each drift is found."""
    table, rng = make_table(seed), np.random.default_rng([seed, 3])
    X = draw_rows(table.columns, N_REFERENCE + PERIODS * N_ROWS, rng)
    flagged = held(table.boxes.rules(), X)
    y = np.where(flagged, rng.random(len(X)) < 0.8, rng.random(len(X)) < 0.002)
    model = BoxSetClassifier(table.boxes, classes=(False, True))
    reference = X[:N_REFERENCE], y[:N_REFERENCE]
    cuts = [slice(start, start + N_ROWS) for start in range(N_REFERENCE, len(X), N_ROWS)]
    stable = [(X[cut], y[cut]) for cut in cuts]
    found = [not monitor(model, reference, stable, **options).ok for options in ({}, {"tolerance": 0})]
    for drift in DRIFTS.values():
        state = int(rng.integers(2**32))
        periods = []
        for k, cut in enumerate(cuts):
            own = np.random.default_rng([state, 0 if drift is missing_values else k])  # the same column each time
            periods.append(drift(X[cut], y[cut], flagged[cut], table.boxes, own))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alarms = monitor(model, reference, periods).alarms
        found.append(min((alarm.period for alarm in alarms), default=PERIODS + 1))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="two tables")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + (2 if options.quick else options.tables))
    found = np.array(Parallel(n_jobs=options.jobs)(delayed(run_seed)(seed) for seed in seeds))
    rows = []
    for name, raised in zip(("stable", "stable, no tolerance"), found.T, strict=False):
        rows.append([name, f"{raised.mean():.1%} of years (bar 5%: {'met' if raised.mean() <= BAR else 'not met'})"])
    for name, period in zip(DRIFTS, found.T[2:], strict=True):
        late = f"median period {np.median(period):.0f}, nine in ten by {np.quantile(period, 0.9):.0f}"
        rows.append([name, f"{np.mean(period <= PERIODS):.1%} found; {late}"])
    print(f"Seeds {seeds[0]} to {seeds[-1]}; period {PERIODS + 1} is never.\n")
    print_rows(["", "alarms"], rows)


if __name__ == "__main__":
    main()
