"""How long `make test` and `make test-all` take: the checks of style, types and imports, then the tests.

    python checks/test_time.py                       both, one after the other; bars: 5 and 15 minutes on 2 cores
    python checks/test_time.py --quick               what `make test` runs
    python checks/test_time.py --all                 what `make test-all` runs
    python checks/test_time.py --all tests/cli -n 1  the tests of some folders or files, in one process

Everything starts without caches, compiled functions included, as after a fresh clone. Prints the times by the clock,
and the number of tests and the sum of their times for each folder. With two processes the sums come to about twice the
time by the clock.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SLOWEST = 10
SELECTIONS = {
    "make test": ["-m", "not thorough", "--hypothesis-profile=quick"],
    "make test-all": [],
}


def lint(folder):
    """Run the checks that come before the tests; return their seconds by the clock."""
    start = time.perf_counter()
    for command in (
        ["ruff", "check", "--no-cache", "."],
        ["ruff", "format", "--no-cache", "--check", "."],
        ["mypy", f"--cache-dir={folder}/mypy"],
        ["lint-imports", "--no-cache"],
    ):
        call([BIN / command[0], *command[1:]])
    return time.perf_counter() - start


def call(command, **environment):
    """Run a command in the repository; end if it fails."""
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, env=os.environ | environment, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}")


def run(selection, paths, processes, folder):
    """Run the tests; return the seconds by the clock, and name, seconds and outcome of each test."""
    report = Path(folder) / "tests.xml"
    workers = ["-n", str(processes)] if processes > 1 else ["-p", "no:xdist"]
    start = time.perf_counter()
    options = [*selection, *workers, f"--junitxml={report}", *paths]
    call([sys.executable, "-m", "pytest", "-q", *options], NUMBA_CACHE_DIR=f"{folder}/numba")
    seconds = time.perf_counter() - start
    cases = list(ElementTree.parse(report).iter("testcase"))
    skipped = sum(case.find("skipped") is not None for case in cases)
    return seconds, [(name_of(case), float(case.get("time"))) for case in cases], skipped


def name_of(case):
    """Return the dotted place of a test, without those folders that all share."""
    return f"{case.get('classname')}.{case.get('name')}".removeprefix("src.")


def folder_of(name):
    """Return the first two parts of the place of a test, or one for a file right below."""
    first, second = name.split(".")[:2]
    return first if second.startswith("test_") else f"{first}.{second}"


def report(tests):
    """Print sums by folder and the slowest tests."""
    sums, counts = defaultdict(float), defaultdict(int)
    for name, took in tests:
        sums[folder_of(name)] += took
        counts[folder_of(name)] += 1
    print("| folder | tests | seconds |\n| --- | --- | --- |")
    for folder in sorted(sums, key=sums.get, reverse=True):
        print(f"| {folder} | {counts[folder]} | {sums[folder]:.0f} |")
    print("\n| slowest | seconds |\n| --- | --- |")
    for name, took in sorted(tests, key=lambda test: -test[1])[:SLOWEST]:
        print(f"| {name} | {took:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_const", const="make test", dest="only")
    parser.add_argument("--all", action="store_const", const="make test-all", dest="only")
    parser.add_argument("paths", nargs="*", help="folders and files of tests; all if there are none")
    parser.add_argument("-n", type=int, default=2, dest="processes", help="processes")
    options = parser.parse_args()
    print(f"{options.processes} processes on {os.cpu_count()} cores, Python {platform.python_version()}, no caches")
    for name in SELECTIONS if options.only is None else [options.only]:
        with tempfile.TemporaryDirectory() as folder:
            before = lint(folder)
            seconds, tests, skipped = run(SELECTIONS[name], options.paths, options.processes, folder)
        print(
            f"\n{name}: {(before + seconds) / 60:.1f} minutes by the clock, {before / 60:.1f} of them for style, types "
            f"and imports; {len(tests)} tests, {skipped} of them skipped\n"
        )
        report(tests)


if __name__ == "__main__":
    main()
