"""Fixtures of the tests of Exact Boxes."""

import multiprocessing
import threading
import time

import pytest

from .fitted import hard, model


class Clock:
    """A clock that goes on by a step at each reading, so that the end of a search is a matter of counting."""

    def __init__(self, step=0.01):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.fixture(scope="session")
def compiled():
    """Load and compile what a search calls, which looks at the clock, too."""
    X, y = hard(60)
    for max_boxes in (1, 3):
        model(max_boxes=max_boxes).fit(X, y)


@pytest.fixture
def clock(monkeypatch, compiled):
    """Let the searches of a test go by a clock that does not depend on the speed of the machine."""
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    return clock


@pytest.fixture
def nothing_is_left_behind():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
    assert multiprocessing.active_children() == []
