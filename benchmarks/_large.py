"""Large tables for benchmarks, the machine, and times side by side."""

import os
import platform
import statistics
import time
from contextlib import contextmanager
from importlib.metadata import version

import numpy as np

from boxdraw.learners.fast import stages
from boxdraw.learners.fast.cluster import cluster_positives

N_CLUSTERS = 5


def rows(rng, n_rows, n_features, dtype=np.float64, share=0.01, centres=None):
    """Return rows of which a share are positives, in five clusters among normal negatives."""
    if centres is None:
        centres = make_centres(n_features)
    X = rng.standard_normal((n_rows, n_features)).astype(dtype, copy=False)
    y = (rng.random(n_rows) < share).astype(np.int8)
    members = np.flatnonzero(y)
    noise = 0.3 * rng.standard_normal((len(members), n_features))
    X[members] = (centres[rng.integers(0, len(centres), len(members))] + noise).astype(dtype)
    return X, y


def make_centres(n_features):
    """Return the centres of the clusters, the same in every table of so many features."""
    return np.random.default_rng(1).normal(size=(N_CLUSTERS, n_features))


@contextmanager
def known_clusters():
    """Let fits of one table, after the first, take the clusters of the first: what is left is all but k-means."""
    found = {}

    def cluster(positives, *args):
        key = positives.shape, *(str(arg) for arg in args[1:4])
        if key not in found:
            found[key] = cluster_positives(positives, *args)
        return found[key]

    stages.cluster_positives = cluster
    try:
        yield
    finally:
        stages.cluster_positives = cluster_positives


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cpu_seconds(call):
    """Return the processor's time of a call, of all threads together: that of others does not count."""
    start = time.process_time()
    call()
    return time.process_time() - start


def turns(calls, repeats, timed=seconds):
    """Let the calls take turns; return the times, a row per turn."""
    return [[timed(call) for call in calls] for _ in range(repeats)]


def medians(calls, repeats):
    """Let the calls take turns; return the median time of each."""
    return [statistics.median(of_call) for of_call in zip(*turns(calls, repeats), strict=True)]


def verdict(kept):
    """Return the word for a bar."""
    return "kept" if kept else "missed"


def print_machine(*packages):
    """Say what the figures were measured on."""
    names = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn", *packages))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB; Python {platform.python_version()}, {names}\n")


def _processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
