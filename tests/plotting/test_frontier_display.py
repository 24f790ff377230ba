"""FrontierDisplay: held-out scores by the number of limits, and which drawing is in use."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from boxdraw import FastBoxesClassifier, SparseBoxesClassifier
from boxdraw.plotting import FrontierDisplay


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    return X, (X @ [1.5, 1.0, 0.7, 0.4] + rng.logistic(scale=0.3, size=500)) > 2


@pytest.fixture(scope="module")
def model(rows):
    return SparseBoxesClassifier(max_boxes=2).fit(*rows)


def test_scores_errors_and_the_drawing_in_use(model):
    display = FrontierDisplay.from_estimator(model)
    points = list(model.frontier_)
    assert len(points) > 1
    line, *_ = display.ax_.lines
    np.testing.assert_array_equal(line.get_xydata(), [(point.n_limits, point.score) for point in points])
    (bars,) = display.ax_.collections
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    np.testing.assert_allclose(ends, [(point.score - point.error, point.score + point.error) for point in points])
    (chosen,) = (drawn for drawn in display.ax_.lines if drawn.get_label() == "in use")
    (point,) = (point for point in points if point.n_limits == model.boxes_.n_limits)
    assert chosen.get_xydata().tolist() == [[point.n_limits, point.score]]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("Limits to read", "Held-out score")
    display.figure_.draw_without_rendering()
    assert all(tick == int(tick) for tick in display.ax_.get_xticks())


def test_a_shorter_drawing_is_marked_in_its_place(model):
    short = model.at(model.frontier_[0].n_limits)
    display = short.frontier_.plot()
    (chosen,) = (drawn for drawn in display.ax_.lines if drawn.get_label() == "in use")
    assert chosen.get_xdata().tolist() == [short.boxes_.n_limits]


def test_axes_of_the_caller_and_no_pyplot(model):
    ax = Figure().add_subplot()
    display = model.frontier_.plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display._repr_png_() is None
    own = model.frontier_.plot()
    assert isinstance(own, FrontierDisplay)
    assert own._repr_png_().startswith(b"\x89PNG")
    assert own.plot() is own
    assert plt.get_fignums() == []


@pytest.mark.filterwarnings("ignore:No box was found")
def test_no_boxes_are_an_empty_plot(rows):
    display = SparseBoxesClassifier(cv=None, limit_cost=1e6).fit(*rows).frontier_.plot()
    assert display._repr_png_().startswith(b"\x89PNG")


def test_without_folds_there_is_nothing_to_plot(rows):
    model = SparseBoxesClassifier(cv=None).fit(*rows)
    ax = Figure().add_subplot()
    with pytest.raises(ValueError, match=r"no held-out scores to plot: the model was learned without inner folds"):
        model.frontier_.plot(ax=ax)
    with pytest.raises(ValueError, match="no held-out scores to plot"):
        FrontierDisplay.from_estimator(model)
    assert not ax.lines


def test_wrong_input_gets_one_clear_error(rows, model):
    with pytest.raises(NotFittedError):
        FrontierDisplay.from_estimator(SparseBoxesClassifier())
    with pytest.raises(TypeError, match="estimator must be of Sparse or Scored Boxes, got FastBoxesClassifier"):
        FrontierDisplay.from_estimator(FastBoxesClassifier().fit(*rows))
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes, got int"):
        model.frontier_.plot(ax=3)


def test_scorecards_by_their_boxes():
    """AUC with its errors, and average precision beside it."""
    from boxdraw import ScoredBoxesClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X.sum(axis=1) + rng.logistic(size=300) > 2).astype(int)
    model = ScoredBoxesClassifier(max_limits=1, signed_points=False, cv=2).fit(X, y)
    display, points = FrontierDisplay.from_estimator(model), list(model.frontier_)
    line = display.ax_.containers[0].lines[0]
    np.testing.assert_array_equal(line.get_xydata(), [(point.max_boxes, point.auc) for point in points])
    (other,) = [line for line in display.ax_.lines if line.get_label() == "average precision"]
    np.testing.assert_array_equal(other.get_ydata(), [point.average_precision for point in points])
    assert display.ax_.get_xlabel() == "Boxes on the card"
    labels = {text.get_text() for text in display.ax_.get_legend().get_texts()}
    assert labels == {"AUC", "average precision", "in use"}
