"""Settings of all tests, and which of them are left to `make test-all`."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests run one per core, where threads of OpenMP would only wait for each other. It reads this when it is first loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Python's readline sets the width of no terminal in its environment, which processes started from it inherit.
os.environ.pop("COLUMNS", None)

# A busy machine is no failure, nor is a first example for which functions are compiled: so no example has a deadline,
# and making them may take long. A check of a change has to give the same answer each time; new examples are looked for
# on developers' machines. `make test` tries fewer examples (--hypothesis-profile=quick).
fixed = bool(os.environ.get("CI"))
settings.register_profile("all", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=fixed)
settings.register_profile("quick", settings.get_profile("all"), max_examples=20)
settings.load_profile("all")

HERE = Path(__file__).parent

#: Files and folders whose tests are thorough: they take long for what they add to the others, or test what users do not
#: have. Each part of the package keeps its main tests in `make test`.
THOROUGH = {
    "faults": "processes killed, disks and memory full: rare, and concerned with files only",
    "fuzz": "random input; what it found has tests of its own",
    "torture": "extreme numbers, shapes and many threads",
    "paper": "the experiments of the paper, which are not installed",
    "test_benchmarks.py": "every benchmark script, at a small size",
    "test_gallery.py": "every page of the gallery; the documentation's build runs them, too",
    "cli/test_walk.py": "a long session of commands, each of which has its own tests",
    "tables/test_memory.py": "peak memory of large tables",
}
#: Fixtures that start a browser or a cluster of processes, and the one test of each that `make test` runs.
STARTED = {
    "browser": "test_every_place_of_the_slider_flags_the_rows_that_python_does",
    "cluster": "test_partitions[some-False]",
}


def is_thorough(item):
    """Return True if a test is left to `make test-all`."""
    place = item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else ""
    if any(place == name or place.startswith(f"{name}/") for name in THOROUGH):
        return True
    return any(name in getattr(item, "fixturenames", ()) and item.name != one for name, one in STARTED.items())


def pytest_collection_modifyitems(items):
    """Mark the thorough tests."""
    for item in items:
        if is_thorough(item):
            item.add_marker(pytest.mark.thorough)
