"""The lists in ci/ and of thorough tests name files that exist; the oldest versions are the minimum versions."""

import re
import tomllib
from pathlib import Path

import pytest

from .conftest import HERE, STARTED, THOROUGH

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lines(name):
    text = (ROOT / "ci" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("name", ["heart.txt", "away.txt"])
def test_listed_tests_are_there(name):
    assert lines(name)
    # Tests of the installed package run without the source tree.
    assert [path for path in lines(name) if not path.startswith("src/") and not (ROOT / path).exists()] == []


def test_the_oldest_versions_are_the_least_ones():
    pinned = dict(line.split("==") for line in lines("oldest.txt"))
    extras = ("plot", "exact", "scale", "cli", "dask", "datasets")
    asked = [*PROJECT["dependencies"], *(each for name in extras for each in PROJECT["optional-dependencies"][name])]
    least = dict(re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", "\n".join(asked), re.M))
    assert {"numpy", "numba", "ortools", "pyarrow"} <= set(least)
    checked = {name: version for name, version in least.items() if name in pinned}
    assert set(least) - set(checked) <= {"rich"}  # any version does
    for name, version in checked.items():
        assert f"{pinned[name]}.".startswith(f"{version}."), name


def test_classifiers_are_the_pythons_that_are_tested():
    tested = re.search(r"^PYTHONS = \((.*)\)$", (ROOT / "noxfile.py").read_text(encoding="utf-8"), re.M)
    named = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", each)]
    assert named == re.findall(r"\d\.\d+", tested[1])
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_thorough_tests_are_there():
    assert [name for name in THOROUGH if not (HERE / name).exists()] == []
    source = "".join(path.read_text(encoding="utf-8") for path in HERE.rglob("test_*.py"))
    assert [test for test in STARTED.values() if f"def {test.partition('[')[0]}(" not in source] == []
