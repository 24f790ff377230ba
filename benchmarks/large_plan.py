"""What a table past one machine would take: figures measured here, and the sums that follow from them.

Measured, for Fast, Sparse and Scored Boxes: the time of processors for `fit_table` from Parquet files of 20 features of
float32, by two numbers of rows, so that what a row takes and what a fit takes anyway come apart; the passes, and the
share of the columns that each reads; and the time that a Dask client and its scheduler spend on a task. Planned:
partitions of a million rows, worked on by cores that read as fast as this one reads a file it has just read; a store or
a network may be slower, so the bytes to be read per second are printed too.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from _large import cpu_seconds, print_machine, rows
from large_files import METHODS, N_FEATURES, model, write

from boxdraw.tables.arrow import ArrowReader

PARTITION = 1_000_000
PLANS = (1e9, 2), (1e9, 16), (1e9, 128), (1e11, 16), (1e11, 1024)


def passes_of(method, path):
    """Return the share of the columns that each pass of a fit reads."""
    shares, reduce = [], ArrowReader.reduce

    def counted(self, work, columns, *args):
        shares.append(len(columns) / (N_FEATURES + 1))
        return reduce(self, work, columns, *args)

    ArrowReader.reduce = counted
    try:
        model(method, 1).fit_table(path, target="y")
    finally:
        ArrowReader.reduce = reduce
    return shares


def costs(method, few, many, sizes):
    """Return the seconds of processors that a row takes, and those that a fit takes anyway."""
    taken = []
    for path in (few, many):
        fit = partial(model(method, 1).fit_table, path, target="y")
        taken.append(min(cpu_seconds(fit) for _ in range(3)))
    per_row = (taken[1] - taken[0]) / (sizes[1] - sizes[0])
    return per_row, max(taken[0] - per_row * sizes[0], 0)


def seconds_per_task(n_tasks):
    """Return the time for a partition in which there is next to nothing to do, a pass of Fast Boxes at a time."""
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster

    X, y = rows(np.random.default_rng(0), 60_000, N_FEATURES)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(N_FEATURES)]).assign(y=y)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster),
    ):
        taken = []
        for partitions in (4, n_tasks):
            table = dd.from_pandas(frame, npartitions=partitions)
            model().fit_table(table, target="y")
            start = time.perf_counter()
            model().fit_table(table, target="y")
            taken.append(time.perf_counter() - start)
    return (taken[1] - taken[0]) / (n_tasks - 4)


def readable(taken):
    if taken > 5400:
        return f"{taken / 3600:.1f} h"
    return f"{taken / 60:.0f} min" if taken > 90 else f"{taken:.0f} s"


def print_plan(measured, n_bytes, task):
    print("\n| learner | rows | cores | passes, s | tasks, s | once, s | in all | GB/s to read |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for method, (per_row, once, shares) in measured.items():
        for n_rows, cores in PLANS:
            passes, tasks = n_rows * per_row / cores, n_rows / PARTITION * len(shares) * task
            longest = max(passes, tasks)  # tasks are handed out while others are worked on
            speed = sum(shares) * n_rows * n_bytes / longest / 1e9
            figures = f"{passes:,.0f} | {tasks:,.0f} | {once:.1f} | {readable(longest + once)} | {speed:.1f}"
            print(f"| {method} | {n_rows:.0e} | {cores} | {figures} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows")
    quick = parser.parse_args().quick
    print_machine("pyarrow", "dask")
    sizes = (60_000, 120_000) if quick else (500_000, 2_000_000)
    with tempfile.TemporaryDirectory() as folder:
        few, many = (Path(folder) / f"{n_rows}.parquet" for n_rows in sizes)
        for path, n_rows in zip((few, many), sizes, strict=True):
            write(path, n_rows)
        n_bytes = many.stat().st_size / sizes[1]
        shares = {method: passes_of(method, many) for method in METHODS}  # compiles
        measured = {method: (*costs(method, few, many, sizes), shares[method]) for method in METHODS}
    task = seconds_per_task(12 if quick else 400) / len(shares["fast"])
    print(f"Bytes of a row in the file: {n_bytes:.0f}")
    print(f"Time of the client and its scheduler per task: {1e3 * task:.1f} ms\n")
    print("| learner | million rows/s of a core, all passes | passes | tables read | bytes per row | once, s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for method, (per_row, once, of_pass) in measured.items():
        read = sum(of_pass)
        figures = f"{1e-6 / per_row:.2f} | {len(of_pass)} | {read:.1f} | {read * n_bytes:.0f} | {once:.1f}"
        print(f"| {method} | {figures} |")
    print_plan(measured, n_bytes, task)


if __name__ == "__main__":
    main()
