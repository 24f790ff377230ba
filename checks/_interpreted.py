"""A plugin for pytest, to run compiled functions as plain Python: NUMBA_DISABLE_JIT=1 pytest -p _interpreted.

At most CASES sets of parameters of each test are left, and a test ends after SECONDS of processor time. Numbers may
overflow or be none, which compiled code does without a word, and an instruction of the processor has its equal here.
"""

import os
import signal
from collections import defaultdict

import pytest

from boxdraw.learners.exact import kernels


def lowest(word):
    """Return the position of the lowest set bit of a word."""
    return (int(word) & -int(word)).bit_length() - 1


def limit_cases(items, most):
    """Keep so many of the sets of parameters of each test, from the first to the last at equal steps."""
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    kept = {case for found in cases.values() for case in found[:: -(-len(found) // most)]}
    items[:] = [item for item in items if item in kept]


def pytest_configure(config):
    """Replace what Python can't run, and let numbers overflow."""
    kernels._lowest = lowest
    config.addinivalue_line("filterwarnings", "ignore:(overflow|invalid value) encountered in scalar:RuntimeWarning")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Limit the cases of the tests that were found."""
    limit_cases(items, int(os.environ.get("CASES", "6")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """End a test after its time; processor time, so that a busy machine changes nothing."""
    seconds = float(os.environ.get("SECONDS", "20"))

    def end(number, frame):
        pytest.fail(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)  # again each second, as hypothesis tries what failed once more
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
