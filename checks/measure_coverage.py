"""Coverage of the package by its tests, lines and branches. Bar: 95% of the lines.

    python checks/measure_coverage.py                 all tests, in two processes; then those of compiled functions
    python checks/measure_coverage.py --keep PATHS    some tests only, added to what was measured before
    python checks/measure_coverage.py --report        only print what was measured before

Compiled functions can't be traced. So the tests of the modules that have some run once more as plain Python, with few
examples and cases each: as they are interpreted, they take a hundred times as long. Some of them fail then, as Python
raises an error where compiled code has an infinite number, or as they take more than 20 s; that is no matter, for only
the lines they reach are counted.

Processes that tests start are measured too. Figures of single runs go to `.coverage.*` in this repository, and are
combined.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).resolve().parent.parent
# Tests that reach compiled functions, small enough to be interpreted.
INTERPRETED = [
    "tests/model/test_inside.py",
    "tests/learners/fast/test_weights.py",
    "tests/learners/fast/test_divide.py",
    "tests/learners/fast/test_path.py",
    "tests/learners/scored/test_bins.py",
    "tests/learners/scored/test_grow.py",
    "tests/learners/scored/test_sharpen.py",
    "tests/learners/scored/test_boost.py",
    "tests/learners/scored/test_logistic.py",
    "tests/learners/scored/test_grade.py",
    "tests/learners/scored/test_whole.py",
    "tests/tables/test_sample.py",
    "tests/tables/test_many_positives.py",
    "tests/learners/exact/test_max_box.py",
]
NOT_INTERPRETED = "not one_kind_of_arguments"  # it asks the compiler what it has compiled


def run(arguments, **environment):
    """Run pytest under coverage; return whether all tests passed."""
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, env=os.environ | environment, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return done.returncode == 0


def measure(paths):
    """Run the tests as they are, then some of them without the compiler; return whether all of the first passed."""
    passed = run(paths or ["-n", "2"])
    if not paths:
        search = os.pathsep.join(filter(None, [str(ROOT / "checks"), os.environ.get("PYTHONPATH")]))
        options = ["-p", "_few_examples", "-p", "_interpreted", "-k", NOT_INTERPRETED, *INTERPRETED]
        run(options, NUMBA_DISABLE_JIT="1", EXAMPLES="5", CASES="6", SECONDS="20", PYTHONPATH=search)
    return passed


def figures():
    """Combine what was measured; return the summary of each file of the package."""
    coverage = Coverage(
        config_file=str(ROOT / "pyproject.toml"), data_file=os.environ.get("COVERAGE_FILE", ".coverage")
    )
    coverage.combine(keep=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(path))
        return json.loads(path.read_text(encoding="utf-8"))["files"]


def report(files):
    """Print lines and branches of each package, and the lines that no test reaches."""
    packages = defaultdict(lambda: [0, 0, 0, 0])
    keys = ("covered_lines", "num_statements", "covered_branches", "num_branches")
    for name, about in files.items():
        parts = Path(name).parts
        package = ".".join(parts[parts.index("boxdraw") : -1])
        for group in (package, "all"):
            packages[group] = [n + about["summary"][key] for n, key in zip(packages[group], keys, strict=True)]
    print(f"Python {platform.python_version()}, coverage {version('coverage')}, {platform.system()}\n")
    print("| package | lines | covered | branches | covered |\n| --- | --- | --- | --- | --- |")
    for package in sorted(packages, key=lambda name: (name == "all", name)):
        covered, lines, taken, branches = packages[package]
        print(f"| {package} | {lines} | {covered / max(lines, 1):.1%} | {branches} | {taken / max(branches, 1):.1%} |")
    print("\nLines that no test reaches:")
    for name, about in sorted(files.items()):
        if about["missing_lines"]:
            where = Path(name).relative_to("src/boxdraw") if name.startswith("src") else name
            print(f"  {where}: {', '.join(spans(about['missing_lines']))}")


def spans(lines):
    """Write numbers of lines, neighbours together."""
    text, start = [], None
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        start = line if start is None else start
        if following != line + 1:
            text.append(str(line) if start == line else f"{start}-{line}")
            start = None
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="folders and files of tests; all if there are none")
    parser.add_argument("--keep", action="store_true", help="add to what was measured before")
    parser.add_argument("--report", action="store_true", help="run no tests")
    options = parser.parse_args()
    os.chdir(ROOT)
    if not options.keep and not options.report:
        for path in ROOT.glob(".coverage*"):
            path.unlink()
    passed = options.report or measure(options.paths)
    report(figures())
    if not passed:  # an hour is not thrown away, but lines that only a failure reaches would count as tested
        raise SystemExit("Some tests failed: mend them, and measure again.")


if __name__ == "__main__":
    main()
