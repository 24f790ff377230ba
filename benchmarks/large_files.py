"""Fits from a Parquet file of 20 million x 20 float32, 1% positives, beside reading the file three times.

Bars: at most 1.3 (Fast Boxes, 5 boxes), 2.5 (Sparse Boxes) and 2.0 (Scored Boxes) times the time of reading the file
three times, and 1 GB of memory at most; on a Dask cluster of two workers in this machine, at most 1.3 times the time of
the fit without it. Reading is timed with as many threads as the fit has: one, and one a core; and with the settings of
the fit, which read less ahead. Each fit has a process of its own, which fits a small file first, so that its code is
compiled; its memory is the most that the process ever had, all libraries included.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _large import print_machine, rows

from boxdraw import FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier

METHODS = "fast", "sparse", "scored"
SHOWN = ("cpu", 1, 1), ("peak", 1e6, 0)
N_FEATURES = 20
GROUP = 2**18
READ_ALONE = "read three times, one thread"
READ = "read three times, Arrow's settings"


def write(path, n_rows, group=GROUP):
    """Write a table in row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(N_FEATURES)]
    rng = np.random.default_rng(0)
    schema = pa.schema([*((name, pa.float32()) for name in names), ("y", pa.int8())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, group):
            X, y = rows(rng, min(group, n_rows - start), N_FEATURES, np.float32)
            writer.write_table(pa.table([*np.asfortranarray(X).T, y], schema=schema))


def read(path, **options):
    import pyarrow.dataset as ds

    for _ in range(3):
        for _ in ds.dataset(path).scanner(**options).to_batches():
            pass


def read_alone(path):
    """Read with one thread; a scanner, asked for the same, still decodes in threads of its own."""
    import pyarrow.parquet as pq

    for _ in range(3):
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for _ in file.iter_batches(2**17, use_threads=False):
                pass


def model(method="fast", n_jobs=None):
    if method == "fast":
        return FastBoxesClassifier(n_boxes=5, random_state=0, n_jobs=n_jobs)
    return (SparseBoxesClassifier if method == "sparse" else ScoredBoxesClassifier)(n_jobs=n_jobs)


def drawing_of(fitted):
    return getattr(fitted, "scorecard_", None) or fitted.boxes_


def timed(work):
    """Return the seconds that work takes, and those of processors: on a busy machine, these say more."""
    start = time.perf_counter(), time.process_time()
    work()
    return {"seconds": time.perf_counter() - start[0], "cpu": time.process_time() - start[1]}


def peak_memory():
    """Return the most bytes that this process has had; where /proc has them, for children inherit rusage's figure."""
    try:
        with open("/proc/self/status") as lines:
            return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except OSError:
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def fit_in_this_process(method, small, large, n_jobs):
    """Fit and print what it took; the work of the process that `fit` starts."""
    model(method, n_jobs).fit_table(small, target="y")
    fitted = model(method, n_jobs)
    taken = timed(lambda: fitted.fit_table(large, target="y"))
    print(json.dumps(taken | {"peak": peak_memory(), "boxes": drawing_of(fitted).to_json()}))


def fit(method, small, large, n_jobs):
    command = [sys.executable, __file__, "--fit", method, small, large, str(n_jobs)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return json.loads(run.stdout)


def fit_with_dask(small, large, methods):
    """Fit on two workers from files that they read with Arrow; Fast Boxes also from a frame, read by way of pandas."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from boxdraw.tables.dask import ClusterFiles

    files, few = ClusterFiles(large), ClusterFiles(small, rows_per_task=10_000)
    tasks = [(f"{method}, Dask files, 2 workers", method, few, files) for method in methods]
    if "fast" in methods:
        frames = dd.read_parquet(small, split_row_groups=True), dd.read_parquet(large)
        tasks.append(("fast, Dask frame, 2 workers", "fast", *frames))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    results = {}
    with LocalCluster(**options) as cluster, Client(cluster):
        for name, method, little, source in tasks:
            model(method).fit_table(little, target="y")  # compiles, on both workers
            start = time.perf_counter()
            fitted = model(method).fit_table(source, target="y")
            taken = time.perf_counter() - start
            results[name] = {"seconds": taken, "boxes": drawing_of(fitted).to_json()}
    return results


def compare(folder, n_rows, methods):
    small, large = str(folder / "small.parquet"), str(folder / "large.parquet")
    write(small, 60_000, group=10_000)
    write(large, n_rows)
    print(f"{n_rows:,} rows, {Path(large).stat().st_size / 1e9:.2f} GB\n")
    read(small)
    results = {
        READ_ALONE: timed(lambda: read_alone(large)),
        READ: timed(lambda: read(large)),
        "read three times, our settings": timed(
            lambda: read(large, batch_size=2**17, batch_readahead=4, fragment_readahead=1)
        ),
        **{f"{method}, one thread": fit(method, small, large, 1) for method in methods},
        **{f"{method}, n_jobs=2": fit(method, small, large, 2) for method in methods},
        **fit_with_dask(small, large, methods),
    }
    print("| work | seconds | CPU seconds | million rows/s | memory, MB |\n| --- | --- | --- | --- | --- |")
    for name, result in results.items():
        cpu, peak = (f"{result[key] / scale:.{digits}f}" if key in result else "" for key, scale, digits in SHOWN)
        print(f"| {name} | {result['seconds']:.1f} | {cpu} | {n_rows / result['seconds'] / 1e6:.1f} | {peak} |")
    for method in methods:
        print()
        one, cluster = f"{method}, one thread", f"{method}, Dask files, 2 workers"
        for name, other in ((one, READ_ALONE), (f"{method}, n_jobs=2", READ), (cluster, one)):
            cpu = f", CPU {results[name]['cpu'] / results[other]['cpu']:.2f}" if "cpu" in results[name] else ""
            print(f"{name} / {other}: {results[name]['seconds'] / results[other]['seconds']:.2f}{cpu}")
        models = {result["boxes"] for name, result in results.items() if name.startswith(f"{method},")}
        print(f"All {method} models are the same: {len(models) == 1}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows")
    parser.add_argument("--rows", type=float, default=2e7)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--fit", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.fit:
        fit_in_this_process(*args.fit[:3], int(args.fit[3]))
        return
    print_machine("pyarrow", "dask")
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), 120_000 if args.quick else int(args.rows), args.methods)


if __name__ == "__main__":
    main()
