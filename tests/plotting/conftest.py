"""What the tests of all displays share."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _no_pyplot_figures():
    mpl.use("Agg")
    plt.close("all")
    yield
    left = plt.get_fignums()
    plt.close("all")
    assert left == []
