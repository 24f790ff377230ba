"""Build the distributions and check what users would get from them; ``make release-check`` runs it.

Builds sdist and wheel in dist/ and checks their metadata, contents and sizes. Installs each in an environment of its
own with only the core dependencies, and runs ``_release_smoke.py`` there. Runs tests against the installed wheel, from
a folder without the source tree. Writes an SBOM (CycloneDX) of what was installed, and asks for known vulnerabilities
of it. ``--full`` runs all tests that need neither browser nor paper, ``--no-tests`` none.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
KILOBYTE = 1000
LIMITS = {"wheel": 900 * KILOBYTE, "sdist": 6000 * KILOBYTE}
# Everything that is not Python and without which an installed package does not do all it says.
NEEDED = (
    "py.typed",
    "report/template.html",
    "report/js/app.js",
    "report/css/base.css",
    "model/export/boxes.schema.json",
    "model/export/scorecard.schema.json",
    "datasets/hypothyroid.csv.gz",
    "datasets/hypothyroid.txt",
)
UNWANTED = re.compile(r"__pycache__|\.py[co]$|\.nb[ic]$|\.egg-info|\.orig$|~$|/\.|_build/")


class Problem(Exception):
    """What makes a release impossible."""


def need(holds: object, problem: str) -> None:
    """Stop unless something holds."""
    if not holds:
        raise Problem(problem)


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return what it printed; stop if it failed."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    need(done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def listed(name: str) -> list[str]:
    """Read a list of tests."""
    lines = (ROOT / "ci" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def build() -> tuple[Path, Path]:
    """Build the wheel from the sdist, as those do who package it; return both."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST))
    wheel, sdist = DIST / f"boxdraw-{VERSION}-py3-none-any.whl", DIST / f"boxdraw-{VERSION}.tar.gz"
    need(wheel.is_file() and sdist.is_file(), f"dist/ has {sorted(path.name for path in DIST.iterdir())}")
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    return wheel, sdist


def names_in(path: Path) -> list[str]:
    """List the files of a distribution."""
    if path.suffix == ".whl":
        return zipfile.ZipFile(path).namelist()
    with tarfile.open(path) as archive:
        return [member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()]


def check_contents(wheel: Path, sdist: Path) -> None:
    """See that all that is needed is in them, and nothing else."""
    kept = run("git", "ls-files").splitlines() if (ROOT / ".git").exists() else []
    in_wheel, in_sdist = names_in(wheel), names_in(sdist)
    source = {name.removeprefix("src/") for name in kept if name.startswith("src/")}
    package = {name for name in in_wheel if not name.startswith(f"boxdraw-{VERSION}.dist-info/")}
    need(not kept or package == source, f"the wheel differs from src/: {sorted(package ^ source)[:9]}")
    others = sorted({name.partition("/")[0] for name in package} - {"boxdraw"})
    need(not others, f"the wheel has more than the package boxdraw: {others}")
    for names, prefix in ((in_wheel, "boxdraw/"), (in_sdist, "src/boxdraw/")):
        lacking = [name for name in NEEDED if f"{prefix}{name}" not in names]
        unwanted = [
            name for name in names if UNWANTED.search(name) and not name.endswith((".gitignore", ".gitattributes"))
        ]
        need(not lacking and not unwanted, f"lacking: {lacking}, unwanted: {unwanted[:9]}")
    wanted = (
        "tests/model/test_boxes.py",
        "paper/__main__.py",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "noxfile.py",
        "ci/oldest.txt",
        "Makefile",
    )
    need(set(wanted) <= set(in_sdist), f"the sdist lacks {sorted(set(wanted) - set(in_sdist))}")


def check_sizes(wheel: Path, sdist: Path) -> list[str]:
    """See that no distribution has become large."""
    lines = []
    for kind, path in (("wheel", wheel), ("sdist", sdist)):
        size, limit = path.stat().st_size, LIMITS[kind]
        need(size <= limit, f"{path.name} has {size} bytes, more than {limit}")
        lines.append(
            f"{path.name}: {size / KILOBYTE:.0f} kB (limit {limit / KILOBYTE:.0f} kB), {len(names_in(path))} files"
        )
    return lines


def metadata_of(wheel: Path) -> Message:
    """Read the metadata as an index does."""
    return message_from_bytes(zipfile.ZipFile(wheel).read(f"boxdraw-{VERSION}.dist-info/METADATA"))


def check_metadata(wheel: Path) -> None:
    """Compare the places that say the same."""
    data = metadata_of(wheel)
    text = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "CHANGELOG.md", "noxfile.py")}
    source = (ROOT / "src" / "boxdraw" / "_core" / "version.py").read_text(encoding="utf-8")
    need(data["Version"] == VERSION and f'__version__ = "{VERSION}"' in source, "boxdraw.__version__ differs")
    need(f"\nversion: {VERSION}\n" in text["CITATION.cff"], "CITATION.cff has another version")
    need(re.search(rf"^## \[{re.escape(VERSION)}\] - ", text["CHANGELOG.md"], re.M), "CHANGELOG.md lacks the version")
    tested = re.search(r"^PYTHONS = \((.*)\)$", text["noxfile.py"], re.M)
    versions = re.findall(r"\d\.\d+", tested[1] if tested else "")
    named = re.findall(r"Programming Language :: Python :: (\d\.\d+)$", "\n".join(data.get_all("Classifier", [])), re.M)
    need(set(named) <= set(versions), f"classifiers name Python {named}, noxfile.py tests {versions}")
    need(data["Requires-Python"] == f">={versions[0]}", f"Requires-Python is {data['Requires-Python']}")
    licence = data["License-Expression"], len(data.get_all("License-File", []))
    need(licence == ("BSD-3-Clause AND CC-BY-4.0", 2), f"the licences are {licence}")
    need(data["Description-Content-Type"] == "text/markdown", "the long description is no Markdown")
    need("boxdraw" in str(data.get_payload()), "the long description is empty")


def install(python: Path, *what: str) -> None:
    """Install with uv where there is one, as it is faster, and with pip otherwise."""
    uv = shutil.which("uv")
    run(*((uv, "pip", "install", "-p", python) if uv else (python, "-m", "pip", "install")), "-q", *what)


def make_environment(folder: Path, *what: str) -> Path:
    """Make an environment, install in it, and return its Python."""
    run(sys.executable, "-m", "venv", str(folder))
    python = folder / "bin" / "python"
    install(python, *what)
    return python


def smoke(python: Path, folder: Path) -> str:
    """Run the first steps of a user outside the source tree."""
    script = shutil.copy(ROOT / "checks" / "_release_smoke.py", folder)
    return run(python, "-I", "-W", "error", script, cwd=folder).strip().splitlines()[-1]


def run_tests(wheel: Path, python: Path, folder: Path, tests: list[str]) -> str:
    """Run tests against the installed wheel, from a copy of all but the source."""
    install(python, f"boxdraw[compat] @ {wheel.as_uri()}")
    skip = shutil.ignore_patterns(
        "__pycache__", ".git", ".nox", ".venv", "src", "dist", "_build", ".*_cache", "generated"
    )
    away = Path(shutil.copytree(ROOT, folder / "away", ignore=skip))
    need(not (away / "src").exists(), "the copy has a source tree")
    options = ["-q", "-p", "no:cacheprovider", *(f"--ignore={path}" for path in listed("away.txt"))]
    printed = run(python, "-m", "pytest", *options, *tests, cwd=away).strip().splitlines()
    where = run(python, "-c", "import boxdraw; print(boxdraw.__file__)", cwd=away)
    need("site-packages" in where, f"the tests ran on {where}")
    return re.sub(r" in [\d.]+s.*", "", printed[-1].strip("= "))


def write_sbom(python: Path) -> str:
    """Write what an install without extras consists of."""
    path = DIST / f"boxdraw-{VERSION}.cdx.json"
    run(
        BIN / "cyclonedx-py",
        "environment",
        str(python),
        "--of",
        "JSON",
        "-o",
        str(path),
        "--pyproject",
        "pyproject.toml",
    )
    parts = json.loads(path.read_text(encoding="utf-8"))["components"]
    found = {part["name"].lower() for part in parts}
    core = {re.split(r"[<>=\[]", each)[0] for each in PROJECT["dependencies"]}
    need(core <= found, f"the SBOM lacks {sorted(core - found)}")
    return f"{path.name}: {len(parts)} components"


def audit(python: Path) -> str:
    """Ask the index for known vulnerabilities of the dependencies; a service that cannot be asked is no answer."""
    asked = python.parents[1] / "asked.txt"
    listed = run(python, "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze").splitlines()
    wanted = [line for line in listed if re.match(r"(?!boxdraw|pip|setuptools)[\w.-]+==", line)]
    asked.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    command = [
        BIN / "pip-audit",
        "-r",
        asked,
        "--no-deps",
        "--disable-pip",
        "--progress-spinner",
        "off",
        "--format",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return f"not asked: the advisory service could not be reached ({reason.split('(')[0].strip()[:100]})"
    left_out = [part["name"] for part in found if "skip_reason" in part]
    bad = [f"{part['name']} {each['id']}" for part in found for each in part.get("vulns", [])]
    need(not bad, f"known vulnerabilities: {', '.join(bad)}")
    if len(left_out) == len(found):
        return f"not asked: the index gave no answer for any of {len(found)} packages"
    answer = f"no known vulnerability in {len(found) - len(left_out)} packages"
    return answer + (f"; no answer for {', '.join(left_out)}" if left_out else "")


def check(tests: list[str], folder: Path) -> None:
    """Do all checks, and print a line for each."""
    wheel, sdist = build()
    check_contents(wheel, sdist)
    check_metadata(wheel)
    print("build, twine check --strict, contents, metadata: good")
    print(*check_sizes(wheel, sdist), sep="\n")
    for path in (sdist, wheel):
        python = make_environment(folder / path.suffix[1:], str(path))
        print(f"{path.name}, core dependencies only: {smoke(python, folder)}")
    print(f"SBOM {write_sbom(python)}")
    print(f"audit: {audit(python)}")
    if tests:
        which = "those of ci/heart.txt" if tests == listed("heart.txt") else " ".join(tests)
        print(f"tests against the installed wheel ({which}): {run_tests(wheel, python, folder, tests)}")


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all tests that need neither browser nor paper")
    parser.add_argument("--no-tests", action="store_true", help="leave the tests out")
    parser.add_argument("tests", nargs="*", help="other tests than those of ci/heart.txt")
    options = parser.parse_args()
    tests = [] if options.no_tests else ["tests"] if options.full else options.tests or listed("heart.txt")
    print(f"boxdraw {VERSION} on Python {sys.version.split()[0]}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(tests, Path(folder))
    except Problem as problem:
        print(f"NOT READY: {problem}")
        return 1
    print("ready")
    return 0


if __name__ == "__main__":
    sys.exit(main())
