"""Tables larger than the memory limit are read in pieces."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MB = 2**20
LIMIT = 20

# Small tables are read as a whole, which the warm-up has to do without: it is to load all code that the passes need.
SCRIPT = """
import resource, sys
import boxdraw.tables.stored
from boxdraw import FastBoxesClassifier

def fit(path):
    FastBoxesClassifier(n_boxes=2, n_jobs={n_jobs}).fit_table(path, target="label", memory_limit="{limit} MB")

boxdraw.tables.stored.LARGE = 0
fit(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fit(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def write(path, n_rows, group):
    rng = np.random.default_rng(0)
    y = np.zeros(n_rows, dtype=np.int8)
    y[rng.choice(n_rows, 200, replace=False)] = 1
    table = pa.table({f"x{j}": rng.normal(size=n_rows) for j in range(12)} | {"label": y})
    pq.write_table(table, path, row_group_size=group, use_dictionary=False, compression="none")
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is measured in kB of Linux")
@pytest.mark.parametrize(("group", "n_jobs"), [(50_000, 1), (50_000, 2), (10**6, 1)])
def test_the_memory_limit(tmp_path, group, n_jobs):
    small = write(tmp_path / "small.parquet", 2000, None)
    large = write(tmp_path / "large.parquet", 1_500_000, group)
    assert large.stat().st_size > 6 * LIMIT * MB
    script = SCRIPT.format(n_jobs=n_jobs, limit=LIMIT)
    done = subprocess.run(
        [sys.executable, "-c", script, small, large],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    # Beside the batches there are threads with stacks and heaps of their own, and pages that are free but not returned.
    assert 1024 * int(done.stdout) < (3 * LIMIT + 60) * MB
