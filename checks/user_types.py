"""Check a user's project against the types of the installed boxdraw with mypy and pyright; say how complete they are.

``make typing`` runs it in an environment that has the package as users install it, not the source tree.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import boxdraw

PROJECT = Path(__file__).parent / "sample_project"
BIN = Path(sys.executable).parent
# Private parts are typed as well, but of less use to users; some attributes have only the type that follows from code.
LEAST_COMPLETE = 90.0


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment in the sample project. Pyright looks for packages where the first Python is."""
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [BIN / command[0], *command[1:]],
        cwd=PROJECT,
        env=os.environ | path,
        capture_output=True,
        text=True,
        check=False,
    )


def pyright() -> str:
    """Name the pyright to use: Microsoft's fetches its code from npm, the other one has it in its wheel."""
    return "pyright" if run("pyright", "--version").returncode == 0 else "basedpyright"


def completeness(tool: str) -> tuple[int, int, float]:
    """Return the names with a known type, all names, and their share in per cent."""
    done = run(tool, "--verifytypes", "boxdraw", "--ignoreexternal", "--outputjson")
    report = json.loads(done.stdout)["typeCompleteness"]
    counts = report["exportedSymbolCounts"]
    return counts["withKnownType"], sum(counts.values()), 100 * report["completenessScore"]


def main() -> int:
    """Run both tools."""
    place = Path(boxdraw.__file__).parent
    if "site-packages" not in place.parts or not (place / "py.typed").is_file():
        print(f"boxdraw comes from {place}: install it with py.typed, as users do", file=sys.stderr)
        return 1
    tool = pyright()
    checks = {
        f"mypy {version('mypy')} --strict": run("mypy"),
        f"{tool} {version(tool)}, strict": run(tool),
    }
    for name, done in checks.items():
        verdict = "no errors" if done.returncode == 0 else re.sub(r"\S*sample_project/", "", done.stdout + done.stderr)
        print(f"{name} on a user's project: {verdict}")
    known, names, share = completeness(tool)
    print(f"{tool} --verifytypes boxdraw: {known} of {names} names have a known type, {share:.1f}%")
    return int(any(done.returncode for done in checks.values()) or share < LEAST_COMPLETE)


if __name__ == "__main__":
    sys.exit(main())
