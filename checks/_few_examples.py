"""A plugin for pytest that makes tests short: `pytest -p _few_examples`, with this folder on PYTHONPATH.

Property tests get so many examples as the environment variable EXAMPLES says, the same in every run, and of tests that
run with many seeds, or other parameters that are just counted, the first two are left. With CASES set, at most so many
sets of parameters of each test are left. With SECONDS set, a test that needs more processor time than that fails.
"""

import os
import re
import signal
from collections import defaultdict

import pytest
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


def limit_cases(items, most):
    """Keep so many of the sets of parameters of each test, from the first to the last at equal steps."""
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    kept = {case for found in cases.values() for case in found[:: -(-len(found) // most)]}
    items[:] = [item for item in items if item in kept]


def pytest_collection_modifyitems(items):
    """Limit the examples and the cases of the tests that were found."""
    limit_examples(items, int(os.environ.get("EXAMPLES", "5")))
    if "CASES" in os.environ:
        limit_cases(items, int(os.environ["CASES"]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """End a test after its time; processor time, so that a busy machine changes nothing."""
    seconds = float(os.environ.get("SECONDS", "0"))
    if not seconds:
        return (yield)

    def end(number, frame):
        pytest.fail(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)  # again each second, as hypothesis tries what failed once more
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
