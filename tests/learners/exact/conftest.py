"""Fixtures of the tests of Exact Boxes."""

import multiprocessing
import threading

import pytest

from .fitted import hard, model


@pytest.fixture(scope="module")
def compiled():
    """Compile what a search calls, so that the clock measures only the search."""
    X, y = hard(60)
    for max_boxes in (1, 3):
        model(max_boxes=max_boxes, time_limit=60.0).fit(X, y)


@pytest.fixture
def nothing_is_left_behind():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
    assert multiprocessing.active_children() == []
