"""The examples of the README give what it says."""

import doctest
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_readme():
    results = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 10
    assert results.failed == 0
