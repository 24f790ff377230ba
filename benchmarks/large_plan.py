"""What a table past one machine would take: figures measured here, and the sums that follow from them.

Measured: the time of a core for the work of all passes and for reading a row from Parquet (20 features of float32, 5
boxes), the size of the result of a chunk, the time that a Dask client and its scheduler spend on a task, and the time
to cluster 100,000 positives. Planned: partitions of a million rows, worked on by cores that read as fast as this one
reads a file it has just read; a store or a network may be slower, so the bytes to be read per second are printed too.
"""

import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
from _large import known_clusters, make_centres, print_machine, rows, seconds
from large_files import N_FEATURES, write

from boxdraw import FastBoxesClassifier
from boxdraw.learners.fast.cluster import cluster_positives
from boxdraw.learners.fast.divide import Pulls

PARTITION = 1_000_000
PASSES = 3


def work_per_row(n_rows):
    """Return the seconds of a core per row for the work of all passes."""
    X, y = rows(np.random.default_rng(0), n_rows, N_FEATURES, np.float32)
    model = FastBoxesClassifier(n_boxes=5, random_state=0)
    with known_clusters():
        model.fit(X, y)
        return min(seconds(lambda: model.fit(X, y)) for _ in range(3)) / n_rows


def reading_per_row(folder, n_rows):
    """Return the seconds of a core, and the bytes, per row for reading a file once."""
    import pyarrow.parquet as pq

    path = folder / "table.parquet"
    write(path, n_rows)

    def read():
        for _ in pq.ParquetFile(path).iter_batches(use_threads=False):
            pass

    return min(seconds(read) for _ in range(3)) / n_rows, path.stat().st_size / n_rows


def seconds_per_task(n_tasks):
    """Return the time for a partition in which there is next to nothing to do."""
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster

    X, y = rows(np.random.default_rng(0), 60_000, N_FEATURES)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(N_FEATURES)]).assign(y=y)
    model = FastBoxesClassifier(n_boxes=5, random_state=0)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster),
    ):
        taken = []
        for partitions in (4, n_tasks):
            table = dd.from_pandas(frame, npartitions=partitions)
            model.fit_table(table, target="y")
            start = time.perf_counter()
            model.fit_table(table, target="y")
            taken.append(time.perf_counter() - start)
    return (taken[1] - taken[0]) / (n_tasks - 4) / (PASSES + 1)


def seconds_of_clustering(n_positives):
    rng = np.random.default_rng(0)
    centres = make_centres(N_FEATURES)
    points = centres[rng.integers(0, len(centres), n_positives)] + 0.3 * rng.standard_normal((n_positives, N_FEATURES))
    return seconds(lambda: cluster_positives(points, None, 5, None, 0))


def readable(taken):
    if taken > 5400:
        return f"{taken / 3600:.1f} h"
    return f"{taken / 60:.0f} min" if taken > 90 else f"{taken:.0f} s"


def print_plan(per_row, task, clustering, n_bytes):
    print("\n| rows | cores | passes, s | tasks, s | k-means, s | in all | GB/s to read |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for n_rows in (1e9, 1e11):
        for cores in (2, 16, 128, 1024):
            passes, tasks = n_rows * per_row / cores, n_rows / PARTITION * (PASSES + 1) * task
            total = max(passes, tasks) + clustering  # tasks are handed out while others are worked on
            speed = PASSES * n_rows * n_bytes / max(passes, tasks) / 1e9
            shown = (
                f"{total / 3600:.1f} h" if total > 5400 else f"{total / 60:.0f} min" if total > 90 else f"{total:.0f} s"
            )
            figures = f"{passes:,.0f} | {tasks:,.0f} | {clustering:.0f} | {shown} | {speed:.1f}"
            print(f"| {n_rows:.0e} | {cores} | {figures} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows")
    quick = parser.parse_args().quick
    print_machine("pyarrow", "dask")
    n_rows = 60_000 if quick else 2_000_000
    work = work_per_row(n_rows)
    with tempfile.TemporaryDirectory() as folder:
        reading, n_bytes = reading_per_row(Path(folder), n_rows)
    task = seconds_per_task(12 if quick else 400)
    clustering = seconds_of_clustering(2_000 if quick else 100_000)
    print("| measured | |\n| --- | --- |")
    print(f"| work of all passes, million rows/s of a core | {1e-6 / work:.1f} |")
    print(f"| reading once, million rows/s of a core | {1e-6 / reading:.1f} |")
    print(f"| bytes per row in the file | {n_bytes:.0f} |")
    print(f"| time of the client and its scheduler per task, ms | {1e3 * task:.1f} |")
    print(f"| clustering 100,000 positives, s | {clustering:.1f} |")
    for n_boxes, n_features in ((5, 20), (20, 100)):
        size = len(pickle.dumps(Pulls.none(n_boxes, n_features)))
        print(f"| result of a chunk, {n_boxes} boxes and {n_features} features, kB | {size / 1e3:.0f} |")
    print_plan(work + PASSES * reading, task, clustering, n_bytes)


if __name__ == "__main__":
    main()
