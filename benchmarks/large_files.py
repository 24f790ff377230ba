"""A fit from a Parquet file of 20 million x 20 float32, 1% positives, 5 boxes, beside reading the file three times.

Bars: at most 1.3 times the time of reading the file three times, and 1 GB of memory at most; on a Dask cluster of two
workers in this machine, at most 1.3 times the time of the fit without it. Reading is timed with as many threads as the
fit has: one, and one a core; and with the settings of the fit, which read less ahead. The fit has a process
of its own, which fits a small file first, so that its code is compiled; its memory is the most that the process ever
had, all libraries included.
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
from _large import print_machine, rows, seconds

from boxdraw import FastBoxesClassifier

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


def model(n_jobs=None):
    return FastBoxesClassifier(n_boxes=5, random_state=0, n_jobs=n_jobs)


def peak_memory():
    """Return the most bytes that this process has had; where /proc has them, for children inherit rusage's figure."""
    try:
        with open("/proc/self/status") as lines:
            return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except OSError:
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def fit_in_this_process(small, large, n_jobs):
    """Fit and print what it took; the work of the process that `fit` starts."""
    model(n_jobs).fit_table(small, target="y")
    start = time.perf_counter()
    fitted = model(n_jobs).fit_table(large, target="y")
    taken = time.perf_counter() - start
    peak = peak_memory()
    print(json.dumps({"seconds": taken, "peak": peak, "boxes": fitted.boxes_.to_json()}))


def fit(small, large, n_jobs):
    command = [sys.executable, __file__, "--fit", small, large, str(n_jobs)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return json.loads(run.stdout)


def fit_with_dask(small, large):
    """Fit on two workers, from files that they read with Arrow and from a frame that Dask reads by way of pandas."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from boxdraw.tables.dask import ClusterFiles

    sources = {"files": ClusterFiles(large), "frame": dd.read_parquet(large)}
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    results = {}
    with LocalCluster(**options) as cluster, Client(cluster):
        for source in (ClusterFiles(small, rows_per_task=10_000), dd.read_parquet(small, split_row_groups=True)):
            model().fit_table(source, target="y")  # compiles, on both workers
        for name, source in sources.items():
            start = time.perf_counter()
            fitted = model().fit_table(source, target="y")
            taken = time.perf_counter() - start
            results[f"fit_table, Dask {name}, 2 workers"] = {"seconds": taken, "boxes": fitted.boxes_.to_json()}
    return results


def compare(folder, n_rows):
    small, large = str(folder / "small.parquet"), str(folder / "large.parquet")
    write(small, 60_000, group=10_000)
    write(large, n_rows)
    print(f"{n_rows:,} rows, {Path(large).stat().st_size / 1e9:.2f} GB\n")
    read(small)
    results = {
        READ_ALONE: {"seconds": seconds(lambda: read_alone(large))},
        READ: {"seconds": seconds(lambda: read(large))},
        "read three times, our settings": {
            "seconds": seconds(lambda: read(large, batch_size=2**17, batch_readahead=4, fragment_readahead=1))
        },
        "fit_table": fit(small, large, 1),
        "fit_table, n_jobs=2": fit(small, large, 2),
        **fit_with_dask(small, large),
    }
    print("| work | seconds | million rows/s | memory, MB |\n| --- | --- | --- | --- |")
    for name, result in results.items():
        memory = f"{result['peak'] / 1e6:.0f}" if "peak" in result else ""
        print(f"| {name} | {result['seconds']:.1f} | {n_rows / result['seconds'] / 1e6:.1f} | {memory} |")
    print()
    for name, other in (
        ("fit_table", READ_ALONE),
        ("fit_table, n_jobs=2", READ),
        ("fit_table, Dask files, 2 workers", "fit_table"),
    ):
        print(f"{name} / {other}: {results[name]['seconds'] / results[other]['seconds']:.2f}")
    models = {result["boxes"] for result in results.values() if "boxes" in result}
    print(f"All models are the same: {len(models) == 1}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows")
    parser.add_argument("--rows", type=float, default=2e7)
    parser.add_argument("--fit", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.fit:
        fit_in_this_process(args.fit[0], args.fit[1], int(args.fit[2]))
        return
    print_machine("pyarrow", "dask")
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), 120_000 if args.quick else int(args.rows))


if __name__ == "__main__":
    main()
