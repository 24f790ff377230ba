"""The page about the architecture says what is there, and extras are imported when they are needed."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "boxdraw"
PAGE = (ROOT / "docs" / "architecture.rst").read_text(encoding="utf-8")
FILES = sorted(SOURCE.rglob("*.py"))

# What pyproject.toml asks for, and what these bring.
CORE = {"boxdraw", "joblib", "llvmlite", "narwhals", "numba", "numpy", "scipy", "sklearn", "threadpoolctl"}


def rooms(page):
    """Return the names between double backticks in the row of each room, by the name of the room."""
    rows = re.findall(r"^``(\w+)``( .*\n(?: +.*\n)*)", page, re.MULTILINE)
    return {room: set(re.findall("``([^`]+)``", text)) for room, text in rows}


def unnamed(files, page):
    """Return the modules and packages that are not in the row of their room."""
    named = rooms(page)
    result = []
    for path in files:
        room, *parts = path.with_suffix("").parts
        if parts[-1:] == ["__init__"]:
            parts = [".".join([room, *parts[:-1]])] if len(parts) > 1 else []
        if room not in named or not set(parts[-1:]) <= named[room]:
            result.append(str(path))
    return result


def imported_at_once(source):
    """Return the packages that importing the module imports: not those inside of functions, nor for types alone."""
    found, waiting = set(), list(ast.parse(source).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found


def test_every_module_is_on_the_page():
    assert len(FILES) > 150
    inner = [path.relative_to(SOURCE) for path in FILES if path != SOURCE / "__init__.py"]
    assert unnamed(inner, PAGE) == []


def test_a_module_that_is_not_in_the_row_of_its_room_is_told():
    here = ["fast/cv.py", "boxes.py", "fast/__init__.py", "experiments/paper/plan.py", "experiments/paper/__init__.py"]
    gone = ["fast/sql.py", "nowhere.py", "nowhere/__init__.py", "experiments/nowhere/__init__.py"]
    assert unnamed(map(Path, here + gone), PAGE) == gone


def test_the_floors_of_the_page_are_those_of_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (floors,) = (contract["layers"] for contract in contracts if contract["id"] == "floors")
    assert "\n".join(f"    {floor}" for floor in floors) + "\n\n" in PAGE


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_extra_is_imported_with_a_module(path):
    assert imported_at_once(path.read_text(encoding="utf-8")) <= CORE | sys.stdlib_module_names


def test_imports_at_once_are_told_from_others():
    source = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import one
else:
    import two
try:
    import three.parts
except ImportError:
    from four import parts
class A:
    import five
    def f(self):
        import six
def g():
    import seven
"""
    assert imported_at_once(source) == {"typing", "two", "three", "four", "five"}
