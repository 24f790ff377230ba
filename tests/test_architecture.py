"""The architecture page shows the files and layers as they are, and extras are imported only when they are needed."""

import ast
import runpy
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "boxdraw"
PAGE = (ROOT / "docs" / "architecture.rst").read_text(encoding="utf-8")
FILES = sorted(SOURCE.rglob("*.py"))
LAYOUT = runpy.run_path(str(ROOT / "docs" / "layout.py"))

# The dependencies in pyproject.toml, and what they bring.
CORE = {"boxdraw", "joblib", "llvmlite", "narwhals", "numba", "numpy", "scipy", "sklearn", "threadpoolctl"}


def imported_at_once(source):
    """Return the packages that importing a module imports, without those inside functions or for type checkers."""
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


def test_the_lists_of_files_are_up_to_date():
    assert LAYOUT["updated"](PAGE) == PAGE, "run python docs/layout.py"


def test_every_folder_has_a_list():
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in FILES if path.name != "__init__.py"}
    modules = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py"}
    listed = {line.removeprefix(".. files: ") for line in PAGE.splitlines() if line.startswith(".. files: ")}
    assert len(folders) > 8
    assert listed == (folders - {"."}) | modules


def test_a_list_has_a_line_for_each_file():
    lines = LAYOUT["files"]("model/export").splitlines()
    assert [line.split()[0] for line in lines] == sorted(
        path.name for path in (SOURCE / "model" / "export").glob("*.py") if path.name != "__init__.py"
    )
    assert all(len(line.split()) > 3 for line in lines)


def test_the_layers_of_the_page_are_those_of_the_contract():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "layers")
    assert len(layers) <= 8
    assert "\n".join(f"    {layer}" for layer in layers) + "\n\n" in PAGE


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_extra_is_imported_with_a_module(path):
    assert imported_at_once(path.read_text(encoding="utf-8")) <= CORE | sys.stdlib_module_names


def test_imports_inside_functions_and_for_types_are_left_out():
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
