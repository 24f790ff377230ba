"""A model that several files look at."""

import pytest

from boxdraw import SparseBoxesClassifier

from .tables import payments


@pytest.fixture(scope="package")
def frauds():
    """A mixed table, and the default model of it."""
    X, y = payments()
    return X, y, SparseBoxesClassifier().fit(X, y)
