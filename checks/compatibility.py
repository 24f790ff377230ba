"""Run tests and keep their figures beside the versions that they ran with; print all such figures as one table.

``nox`` calls ``run`` in the environment of each session, and ``nox -s report`` prints the table::

    python checks/compatibility.py run --name "oldest, Python 3.11" --folder .nox/figures tests/learners/fast
    python checks/compatibility.py table --folder .nox/figures
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "narwhals", "pandas", "polars", "pyarrow")
OUTCOMES = ("passed", "failed", "skipped")


class Counts:
    """A plugin of pytest that counts outcomes. An error while a test is collected or set up is a failure."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(OUTCOMES, 0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Read what pytest is about to print."""
        stats = terminalreporter.stats
        found = {name: len(stats.get(name, [])) for name in ("passed", "failed", "error", "skipped", "xfailed")}
        self.counts = {
            "passed": found["passed"] + found["xfailed"],
            "failed": found["failed"] + found["error"],
            "skipped": found["skipped"],
        }


def installed(package: str) -> str:
    """Return a version, or a dash."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"


def run(name: str, part: str, folder: Path, arguments: list[str]) -> int:
    """Run pytest, keep the figures and return its exit code."""
    import pytest

    plugin = Counts()
    code = int(pytest.main(["-q", *arguments], plugins=[plugin]))
    figures = {
        "name": name,
        "part": part,
        "python": platform.python_version(),
        "versions": {package: installed(package) for package in PACKAGES},
        "counts": plugin.counts,
        "exit": code,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name.replace(', ', '_').replace(' ', '_').lower()}.json"
    path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return code


def table(runs: list[dict[str, Any]]) -> str:
    """Write a column per run."""
    rows = [["", *(each["name"].split(",")[0] for each in runs)]]
    rows += [["Python", *(each["python"] for each in runs)]]
    rows += [[package, *(each["versions"][package] for each in runs)] for package in PACKAGES]
    rows += [["tests", *(each["part"] for each in runs)]]
    rows += [[outcome, *(str(each["counts"][outcome]) for each in runs)] for outcome in OUTCOMES]
    rows += [["verdict", *("good" if each["exit"] == 0 else "NOT GOOD" for each in runs)]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="run pytest with the arguments that follow")
    runs.add_argument("--name", required=True)
    runs.add_argument("--part", default="some", choices=["all", "heart", "some"], help="which tests these are")
    for command in (runs, commands.add_parser("table", help="print what was run")):
        command.add_argument("--folder", type=Path, required=True)
    options, arguments = parser.parse_known_args()
    if options.command == "run":
        return run(options.name, options.part, options.folder, arguments)
    files = sorted(options.folder.glob("*.json"), key=lambda path: (not path.stem.startswith("oldest"), path.stem))
    if not files:
        print(f"{options.folder} has no figures yet: run nox first", file=sys.stderr)
        return 1
    print(f"{platform.system()}, {platform.machine()}")
    print(table([json.loads(path.read_text(encoding="utf-8")) for path in files]))
    print("all: the tests but those of the report page and of the paper (ci/away.txt); heart: those of ci/heart.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
