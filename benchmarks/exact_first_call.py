"""Seconds of the first Exact Boxes fit and of later ones: K = 3, one thread, defaults otherwise. No bar.

``cold``         the first fit in a new process with an empty cache of compiled code;
``new process``  the first fit in a new process with the cache of the cold run;
``warm``         further fits in that process: the median.

Importing boxdraw and reading the table come before. Where the time limit of 20 s ends the fits on glass0, the gap says
what the seconds bought: compiling is part of the first fit's time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from boxdraw import ExactBoxesClassifier
from paper.tables import data_folder, read_table

TABLES = {"iris0": (60.0, 5), "glass0": (20.0, 1)}  # time limit and number of warm fits


def table_of(name, folder):
    if name != "synthetic":
        table = read_table(data_folder(folder), name)
        return table.X, table.y
    X = np.random.default_rng(0).random((60, 3))
    return X, (X.max(axis=1) < 0.6).astype(int)


def fit(X, y, time_limit):
    """Return the seconds of a fit and its gap."""
    model = ExactBoxesClassifier(max_boxes=3, time_limit=time_limit, pos_label=1, random_state=0, n_jobs=1)
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start, model.gap_


def child(name, folder, time_limit, n_warm):
    """Fit in this process; print the first fit and the later ones as JSON."""
    X, y = table_of(name, folder)
    print(json.dumps([fit(X, y, time_limit) for _ in range(1 + n_warm)]))


def in_new_process(name, folder, time_limit, n_warm, cache=None):
    """Return what `child` prints in a process of its own."""
    command = [sys.executable, __file__, "--child", json.dumps([name, folder, time_limit, n_warm])]
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def row(name, folder, time_limit, n_warm):
    with tempfile.TemporaryDirectory() as cache:
        cold = in_new_process(name, folder, time_limit, 0, cache)
        first, *warm = in_new_process(name, folder, time_limit, n_warm, cache)
    return [*cold, first, median(warm)]


def median(fits):
    return [statistics.median(column) for column in zip(*fits, strict=True)]


def show(name, fits):
    cells = (f"{seconds:.3f} s, gap {gap:.2%}" if gap else f"{seconds:.3f} s, proven" for seconds, gap in fits)
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with iris0.csv.gz and glass0.csv.gz; default: $BOXDRAW_DATA")
    parser.add_argument("--quick", action="store_true", help="a smoke run: a small synthetic table, nothing cold")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
    elif options.quick:
        first, *warm = in_new_process("synthetic", None, 60.0, 3)
        print("| data | new process | warm |\n| --- | --- | --- |")
        show("synthetic", [first, median(warm)])
    elif not (options.data or os.environ.get("BOXDRAW_DATA")):
        print("Left out: it needs the paper's data sets, by --data FOLDER or the environment variable BOXDRAW_DATA.")
    else:
        folder = str(data_folder(options.data))
        print("| data | cold | new process | warm |\n| --- | --- | --- | --- |")
        for name, (time_limit, n_warm) in TABLES.items():
            show(name, row(name, folder, time_limit, n_warm))


if __name__ == "__main__":
    main()
