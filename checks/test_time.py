"""How long the tests take: all of them, in two processes. Bar: 15 minutes on 2 cores.

    python checks/test_time.py                  all tests
    python checks/test_time.py tests/learners/fast       those of a folder or file
    python checks/test_time.py -n 1 tests/learners/fast  in one process

Prints the number of tests, the time by the clock, the sums of what is below each folder and the slowest tests. Sums
are of the times of single tests, so with two processes they come to about twice the time by the clock.
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
SLOWEST = 20


def run(paths, processes):
    """Run the tests; return the seconds by the clock, and name and seconds of each test."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        workers = ["-n", str(processes)] if processes > 1 else ["-p", "no:xdist"]
        command = [sys.executable, "-m", "pytest", "-q", *workers, f"--junitxml={report}", *paths]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False)
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"pytest ended with {done.returncode}")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="folders and files of tests; all if there are none")
    parser.add_argument("-n", type=int, default=2, dest="processes", help="processes")
    options = parser.parse_args()
    seconds, tests, skipped = run(options.paths, options.processes)
    print(f"{len(tests)} tests, {skipped} of them skipped, in {seconds / 60:.1f} minutes by the clock")
    print(f"{options.processes} processes on {os.cpu_count()} cores, Python {platform.python_version()}\n")
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


if __name__ == "__main__":
    main()
