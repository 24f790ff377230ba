"""The examples of the README and of the guides give what they say."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/tour.rst",
        "docs/tables.rst",
        "docs/rules.rst",
        "docs/scorecard.rst",
        "docs/plots.rst",
        "docs/theory.rst",
    ],
)
def test_examples(page):
    results = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted >= 5
    assert results.failed == 0
