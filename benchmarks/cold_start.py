"""Seconds of the first calls on a machine and of later ones: commands that do no work, imports, and fits.

Bars: no call compiles for more than 8 s; `boxdraw --version` and `--help` take at most 0.3 s; importing boxdraw on top
of sklearn.linear_model takes at most half of what that takes, less the start of Python.

``cold``         in a new process with an empty cache of compiled code, and how much of it is compiling;
``new process``  in a new process with the cache of the cold run;
``warm``         once more in that process.

Seconds are of the processor, so that other work on the machine changes little. Importing boxdraw and making the table
come before. What learns from many rows or few says so: small tables need nothing compiled in Fast Boxes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _large import print_machine, verdict

MOST_COMPILING, MOST_START, MOST_IMPORT = 8.0, 0.3, 0.5
START = {
    "python": ["-c", ""],
    "boxdraw --version": ["-m", "boxdraw.cli", "--version"],
    "boxdraw --help": ["-m", "boxdraw.cli", "--help"],
    "import boxdraw": ["-c", "import boxdraw"],
    "import sklearn.linear_model": ["-c", "import sklearn.linear_model"],
    "import sklearn.linear_model, boxdraw": ["-c", "import sklearn.linear_model, boxdraw"],
    "... and all of its public names": ["-c", "import sklearn.linear_model\nfrom boxdraw import *"],
}
FEW, MANY = 1_000, 200_000
CALLS = {
    "sparse": FEW,
    "scored": FEW,
    "fast": MANY,
    "fast, CV": MANY,
    "exact": FEW,
    "exact, limits free": FEW,
    "fit_table": MANY,
    "predict": MANY,
}


def table_of(n_rows):
    """Return rows of 8 features, of which two decide about one row in 20."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 8))
    return X, ((X[:, 0] > 0.8) & (X[:, 1] > 0.7)) ^ (rng.random(n_rows) < 0.002)


def call_of(name, X, y, folder):
    """Return the call to time."""
    import numpy as np

    import boxdraw

    if name == "sparse":
        return lambda: boxdraw.SparseBoxesClassifier(random_state=0).fit(X, y)
    if name == "scored":
        return lambda: boxdraw.ScoredBoxesClassifier(random_state=0).fit(X, y)
    if name == "fast":
        return lambda: boxdraw.FastBoxesClassifier(random_state=0).fit(X, y)
    if name == "fast, CV":
        return lambda: boxdraw.FastBoxesClassifierCV(random_state=0).fit(X, y)
    if name.startswith("exact"):
        options = {"max_boxes": 1, "box_cost": 1.0, "limit_cost": 0.0} if "free" in name else {}
        return lambda: boxdraw.ExactBoxesClassifier(time_limit=5, random_state=0, **options).fit(X, y)
    if name == "predict":
        limits = np.where(np.arange(8) < 2, 0.7, -np.inf)[None], np.full((1, 8), np.inf)
        model = boxdraw.BoxSetClassifier(boxdraw.BoxSet(*limits), classes=(False, True)).fit(X, y)
        return lambda: model.predict(X)
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder) / "table.parquet"
    pq.write_table(pa.table({f"x{j}": column for j, column in enumerate(X.T)} | {"y": y}), path)
    return lambda: boxdraw.FastBoxesClassifier(random_state=0).fit_table(path, target="y")


def compiling_seconds():
    """Return a list that the processor's seconds of each outermost call of the compiler are added to."""
    from numba.core import event

    class Calls(event.Listener):
        begins, seconds = [], []

        def on_start(self, event):
            """Note the time."""
            self.begins.append(time.process_time())

        def on_end(self, event):
            """Add the time since, unless the call is part of another one."""
            begin = self.begins.pop()
            if not self.begins:
                self.seconds.append(time.process_time() - begin)

    calls = Calls()
    event.register("numba:compile", calls)
    return calls.seconds


def child(name, n_rows):
    """Call twice in this process; print the seconds of each, and of compiling, as JSON."""
    import warnings

    warnings.simplefilter("ignore")
    compiling, seconds = compiling_seconds(), []
    with tempfile.TemporaryDirectory() as folder:
        call = call_of(name, *table_of(n_rows), folder)
        for _ in range(2):
            begin = time.process_time()
            call()
            seconds.append(time.process_time() - begin)
    print(json.dumps([*seconds, sum(compiling)]))


def in_new_process(name, n_rows, cache):
    """Return what `child` prints in a process of its own."""
    command = [sys.executable, __file__, "--child", json.dumps([name, n_rows])]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def start_seconds(arguments, repeats):
    """Return the least processor's seconds of a command."""
    found = []
    for _ in range(repeats):
        before = os.times()
        subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        found.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(found)


def print_starts(repeats):
    """Print the seconds of commands and imports, and whether their bars were kept."""
    print("| start | s |\n| --- | --- |")
    taken = {}
    for name, arguments in START.items():
        taken[name] = start_seconds(arguments, repeats)
        print(f"| {name} | {taken[name]:.3f} |", flush=True)
    words = max(taken["boxdraw --version"], taken["boxdraw --help"]) <= MOST_START
    both, alone = taken["import sklearn.linear_model, boxdraw"], taken["import sklearn.linear_model"]
    share = (both - alone) / (alone - taken["python"])
    print(f"\nBar, at most {MOST_START} s for --version and --help: {verdict(words)}")
    print(
        f"Bar, importing boxdraw on top of sklearn.linear_model, at most {MOST_IMPORT} of that: {share:.2f}, ", end=""
    )
    print(f"{verdict(share <= MOST_IMPORT)}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="one of the calls")
    parser.add_argument("--quick", action="store_true", help="a smoke run: nothing is compiled")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    if not options.only:
        print_machine()
        print_starts(1 if options.quick else 5)
    print("| first call | rows | cold | compiling | new process | warm |\n| --- | --- | --- | --- | --- | --- |")
    longest = {}
    calls = {"fast": FEW} if options.quick else CALLS if not options.only else {options.only: CALLS[options.only]}
    for name, n_rows in calls.items():
        with tempfile.TemporaryDirectory() as cache:
            cold, _, compiling = in_new_process(name, n_rows, cache)
            new, warm, _ = in_new_process(name, n_rows, cache)
        longest[name] = compiling
        print(f"| {name} | {n_rows} | {cold:.2f} | {compiling:.2f} | {new:.2f} | {warm:.2f} |", flush=True)
    over = ", ".join(name for name, compiling in longest.items() if compiling > MOST_COMPILING)
    print(f"\nBar, at most {MOST_COMPILING:.0f} s of compiling: {f'missed by {over}' if over else verdict(True)}")


if __name__ == "__main__":
    main()
