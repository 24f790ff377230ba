"""The page of promises names tests that exist, and figures without a failure."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"


def functions_of(path):
    return {
        node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    }


def test_every_promise_names_tests_that_exist():
    page = (DOCS / "failure_model.rst").read_text(encoding="utf-8")
    named = re.findall(r"``([\w/]+\.py)::(\w+)``", page)
    assert len(named) > 40
    assert [(path, name) for path, name in named if name not in functions_of(TESTS / path)] == []
    rows = page.count("\n   * - ") - 2  # without the heads of two tables
    held = re.findall(r"\n   \* - .*?\n     - .*?\n     - (.*?)(?=\n   \* -|\n\n)", page, re.DOTALL)
    assert len(held) == rows + 2
    assert all("::test_" in tests for tests in held if tests != "Held by")


def test_every_fault_of_the_figures_was_survived():
    lines = (DOCS / "figures" / "faults.txt").read_text(encoding="utf-8").splitlines()
    total = [cell.strip() for cell in lines[-1].split("|")]
    assert total[1] == "all"
    assert int(total[3]) == int(total[5]) >= 500
