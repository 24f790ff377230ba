"""Monitoring: false alarms in stable years (bar: at most 5%), and how soon injected drift is found.

Tables with planted rules by seed, from the generator of ``_planted_tables.py``. The rules are watched over twelve
periods of 1000 rows, with a reference of 4000; a row that they hold is positive with a chance of .8. *Stable*: nothing
changes; once as by default, and once without a tolerance. *Drift*, from the first period on: the chance falls to .6;
half of the rows that the rules hold come twice; a tenth of the values of a column that the rules limit goes missing.
Evidently and NannyML, where they are installed (``pip install evidently nannyml``), watch the first tables, too, as
``_monitors.py`` says.
"""

import argparse
import importlib.util
import warnings

import numpy as np
from _monitors import first_alarms, plain
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


def run_seed(seed, peers=()):
    """Return when each watcher raises its first alarm, in a stable year and with each drift."""
    table, rng = make_table(seed), np.random.default_rng([seed, 3])
    X = draw_rows(table.columns, N_REFERENCE + PERIODS * N_ROWS, rng)
    flagged = held(table.boxes.rules(), X)
    y = np.where(flagged, rng.random(len(X)) < 0.8, rng.random(len(X)) < 0.002)
    model = BoxSetClassifier(table.boxes, classes=(False, True))
    reference = X[:N_REFERENCE], y[:N_REFERENCE]
    cuts = [slice(start, start + N_ROWS) for start in range(N_REFERENCE, len(X), N_ROWS)]
    years = {"stable": [(X[cut], y[cut]) for cut in cuts]}
    for name, drift in DRIFTS.items():
        state = int(rng.integers(2**32))
        own = [np.random.default_rng([state, 0 if drift is missing_values else k]) for k in range(PERIODS)]
        years[name] = [
            drift(X[cut], y[cut], flagged[cut], table.boxes, one) for cut, one in zip(cuts, own, strict=True)
        ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {("boxdraw", name): first(model, reference, periods) for name, periods in years.items()}
        found["boxdraw", "stable, no tolerance"] = first(model, reference, years["stable"], tolerance=0)
    names = [name for name, used in zip(X.columns, table.boxes.limited.any(axis=0), strict=True) if used]
    for peer in peers:
        frames = {
            name: [plain(*rows, table.boxes.contains(rows[0]), names, X.dtypes) for rows in periods]
            for name, periods in years.items()
        }
        base = plain(*reference, flagged[:N_REFERENCE], names, X.dtypes)
        found |= {(peer, name): first_alarms(peer, base, periods) for name, periods in frames.items()}
    return found


def first(model, reference, periods, **options):
    """Return the first period with an alarm, from 1; one past the last if there is none."""
    return min((alarm.period for alarm in monitor(model, reference, periods, **options).alarms), default=PERIODS + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--peer-tables", type=int, default=10, help="for Evidently and NannyML, which take their time")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="two tables, no peers")
    options = parser.parse_args()
    installed = [name for name in ("Evidently", "NannyML") if importlib.util.find_spec(name.lower())]
    seeds = range(options.seed, options.seed + (2 if options.quick else options.tables))
    n_peers = 0 if options.quick else options.peer_tables
    results = Parallel(n_jobs=options.jobs)(
        delayed(run_seed)(seed, installed if k < n_peers else ()) for k, seed in enumerate(seeds)
    )
    rows = []
    for key in dict.fromkeys(key for found in results for key in found):
        periods = np.array([found[key] for found in results if key in found])
        raised = np.mean(periods <= PERIODS)
        text = f"{raised:.1%} found; median period {np.median(periods):.0f}"
        text += f", nine in ten by {np.quantile(periods, 0.9):.0f}"
        if key[1].startswith("stable"):
            text = f"{raised:.1%} of years" + f" (bar 5%: {'met' if raised <= BAR else 'not met'})" * (
                key[0] == "boxdraw"
            )
        rows.append([*key, str(len(periods)), text])
    print(f"Seeds {seeds[0]} to {seeds[-1]}; period {PERIODS + 1} is never.\n")
    print_rows(["", "", "tables", "alarms"], sorted(rows, key=lambda row: row[1]))


if __name__ == "__main__":
    main()
