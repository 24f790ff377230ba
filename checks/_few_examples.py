"""A plugin for pytest that makes tests short: `pytest -p _few_examples`, with this folder on PYTHONPATH.

Property tests get so many examples as the environment variable EXAMPLES says, the same in every run, and of tests that
run with many seeds, or other parameters that are just counted, the first two are left.
"""

import os
import re

from hypothesis import Phase, settings


def limit_examples(items, most):
    """Give the tests among the items so many examples at most, and let failures be as they are found."""
    items[:] = [item for item in items if not re.search(r"\[([2-9]|\d\d+)\]$", item.name)]
    for item in items:
        test = getattr(item, "obj", None)
        if (chosen := getattr(test, "_hypothesis_internal_use_settings", None)) is not None:
            fewer = min(chosen.max_examples, most)
            test._hypothesis_internal_use_settings = settings(
                chosen, max_examples=fewer, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate]
            )


def pytest_collection_modifyitems(items):
    """Limit the examples of the tests that were found."""
    limit_examples(items, int(os.environ.get("EXAMPLES", "5")))
