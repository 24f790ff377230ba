"""The frontier as a picture."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from boxdraw import BoxSet, Frontier, FrontierPoint
from boxdraw.plotting import FrontierDisplay
from boxdraw.plotting._matplotlib import VERMILLION


def frontier(chosen=2):
    """Return a frontier of drawings with one, two and five limits."""
    boxes = BoxSet([[0]], [[1]])
    points = [(1, 1, 0.5, 0.1), (2, 1, 0.75, 0.05), (5, 2, 0.8, 0.02)]
    return Frontier([FrontierPoint(*point, 0.9, 0.1, boxes) for point in points], chosen)


def test_scores_errors_and_the_drawing_in_use():
    display = frontier().plot()
    line = display.ax_.containers[0]
    np.testing.assert_array_equal(line.lines[0].get_xydata(), [(1, 0.5), (2, 0.75), (5, 0.8)])
    ends = [segment[:, 1].tolist() for segment in line.lines[2][0].get_segments()]
    np.testing.assert_allclose(ends, [(0.4, 0.6), (0.7, 0.8), (0.78, 0.82)])
    (used,) = [line for line in display.ax_.lines if to_hex(line.get_color()) == VERMILLION.lower()]
    np.testing.assert_array_equal(used.get_xydata(), [(2, 0.75)])
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["in use"]
    assert display._repr_png_().startswith(b"\x89PNG")


def test_axes_of_the_caller():
    ax = Figure().subplots()
    display = FrontierDisplay(frontier()).plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display._repr_png_() is None
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes"):
        FrontierDisplay(frontier()).plot(ax=3)


def test_a_model_without_boxes():
    assert Frontier([], 0).plot().ax_.get_legend() is None
