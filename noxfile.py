"""Checks that need environments of their own: other Pythons, other dependencies, the installed package.

``nox -l`` lists them; ``make compatibility`` and ``make typing`` run the ones that every change has to pass. A Python
that is not installed is skipped by name. What follows ``--`` goes to pytest: ``nox -s tests-3.13 -- tests/model -n 2``
runs other tests than the usual ones, on two processes, and ``nox -s oldest -- heart`` those of ci/heart.txt.
Every run of tests leaves its figures in ``.nox/figures``; ``nox -s report`` prints them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["oldest", "newest", "typing"]

ROOT = Path(__file__).parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = "ci/oldest.txt"
FIGURES = ROOT / ".nox" / "figures"


def listed(name: str) -> list[str]:
    """Read a list of tests."""
    lines = (ROOT / "ci" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def works(path: str | Path, version: str) -> bool:
    """Say whether a path is that Python; a shim of pyenv may be there and lead nowhere."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        run = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return run.returncode == 0 and run.stdout.strip() == version


def find_python(version: str) -> str | None:
    """Find an interpreter: on the path, or where pyenv keeps those that it does not put there."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
    places = [shutil.which(f"python{version}"), *kept, sys.executable]
    return next((str(place) for place in places if place and works(place, version)), None)


FOUND = {version: path for version in PYTHONS if (path := find_python(version))}
NEWEST = max(FOUND, key=PYTHONS.index) if FOUND else ""


def run_tests(session: nox.Session, name: str, *constraints: str) -> None:
    """Install what the tests need, and run them with the figures going to a file."""
    session.install("-q", *constraints, "-e", ".[compat]")
    words = list(session.posargs)
    part = "all" if not words or words[0].startswith("-") else "heart" if "heart" in words else "some"
    arguments = [each for word in words for each in (listed("heart.txt") if word == "heart" else [word])]
    ignored = [f"--ignore={path}" for path in listed("away.txt")]
    # Compiled code is kept apart, since another numba would read it.
    kept = Path(session.virtualenv.location) / "compiled"
    command = ["checks/compatibility.py", "run", "--name", name, "--part", part, "--folder", str(FIGURES)]
    session.run("python", *command, *ignored, *arguments, env={"NUMBA_CACHE_DIR": str(kept)})


def add_tests(version: str) -> None:
    """Add the session of one Python, with the newest dependencies."""

    @nox.session(name=f"tests-{version}", python=FOUND.get(version, False))
    def tests(session: nox.Session) -> None:
        """Run the tests that need neither browser nor baselines, with the newest dependencies."""
        if version not in FOUND:
            session.skip(f"there is no Python {version} here")
        run_tests(session, f"newest, Python {version}")


for each in PYTHONS:
    add_tests(each)


@nox.session(python=FOUND.get(PYTHONS[0], False))
def oldest(session: nox.Session) -> None:
    """Run them on the oldest Python with the oldest dependencies."""
    if PYTHONS[0] not in FOUND:
        session.skip(f"there is no Python {PYTHONS[0]} here")
    run_tests(session, f"oldest, Python {PYTHONS[0]}", "-c", OLDEST)


@nox.session(python=FOUND.get(NEWEST, False))
def newest(session: nox.Session) -> None:
    """Run them on the newest Python found, with the newest dependencies."""
    if not NEWEST:
        session.skip(f"there is none of Python {', '.join(PYTHONS)} here")
    if os.environ.get("BOXDRAW_TESTED") and works(sys.executable, NEWEST):
        session.skip(f"`make test-all` has just done more than this, on Python {NEWEST}")
    run_tests(session, f"newest, Python {NEWEST}")


@nox.session(python=False)
def report(session: nox.Session) -> None:
    """Print the figures of the runs of tests so far."""
    session.run(sys.executable, "checks/compatibility.py", "table", "--folder", str(FIGURES))


@nox.session(python=FOUND.get(NEWEST, False))
def typing(session: nox.Session) -> None:
    """Check a user's project against the types of the installed package, with mypy and pyright."""
    session.install("-q", "mypy>=1.14", "pyright[nodejs]>=1.1.390", "basedpyright>=1.29", ".[plot]")
    session.install("-q", "--no-deps", "--force-reinstall", ".")  # the version stays while the source changes
    session.run("python", "checks/user_types.py")


@nox.session(python=False)
def docs(session: nox.Session) -> None:
    """Build the documentation; a warning is an error."""
    session.run("make", "docs", external=True)


@nox.session(python=False)
def release(session: nox.Session) -> None:
    """Build the distributions and check what users would get."""
    session.run(sys.executable, "checks/release.py", *session.posargs)
