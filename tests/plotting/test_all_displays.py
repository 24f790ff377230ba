"""What holds for every display: hostile names, scorecards, wrong input, other frames, and no pyplot."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from boxdraw import BoxSet, FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.plotting import BoxesDisplay, BoxTableDisplay, LimitsDisplay, PathDisplay
from boxdraw.plotting._matplotlib import literal

OF_ROWS = [BoxesDisplay, LimitsDisplay, BoxTableDisplay]
ALL = [*OF_ROWS, PathDisplay]
NAMES = ["cost in $ or $x^$", "<b>&\n\t\\alpha_{1}$", "_" + "very " * 30 + "long", "a\u202eb"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    return X, np.where((X[:, 1] > 0.6) & (X[:, 3] < 0.5), "rare", "common")


@pytest.fixture(scope="module")
def models(rows):
    return FastBoxesClassifier(n_boxes=2).fit(*rows), ScoredBoxesClassifier(max_boxes=3, cv=None).fit(*rows)


@pytest.mark.parametrize("display", ALL)
def test_learned_boxes_and_scorecards_are_drawn(display, rows, models):
    for model in models:
        drawn = display.from_estimator(model, *rows)
        assert drawn.figure_ is drawn.ax_.figure
        assert drawn._repr_png_().startswith(b"\x89PNG")
        assert drawn.plot() is drawn
    assert plt.get_fignums() == []


@pytest.mark.parametrize("display", OF_ROWS)
def test_sparse_boxes_are_drawn(display, rows):
    drawn = display.from_estimator(SparseBoxesClassifier(cv=None).fit(*rows), *rows)
    assert drawn._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("display", OF_ROWS)
def test_signed_points_are_drawn_though_there_is_no_union(display, rows):
    X, y = rows
    model = ScoredBoxesClassifier(max_boxes=4, max_limits=1, cv=None, signed_points=True).fit(X, y)
    display.from_estimator(model, X, y).figure_.draw_without_rendering()


@pytest.mark.parametrize("display", ALL)
def test_hostile_names_are_written_as_they_are_and_leave_room_for_the_picture(display, rows):
    X, y = rows
    table = pd.DataFrame(X, columns=NAMES)
    labels = np.where(y == "rare", "_$rare$ " + "x" * 90, "a\nb")
    model = FastBoxesClassifier(n_boxes=2).fit(table, labels)
    drawn = display.from_estimator(model, table, labels)
    figure = drawn.figure_
    figure.canvas.draw()
    box = drawn.ax_.get_position()
    assert box.width > 0.3
    assert box.height > 0.3
    for text in figure.findobj(lambda artist: hasattr(artist, "get_text")):
        assert "\n\t" not in text.get_text()
        assert "\u202e" not in text.get_text()
        assert "$" not in text.get_text().replace("\\$", "")


def test_a_long_text_loses_its_middle():
    assert literal("abcdefghij", 7) == "abc…hij"
    assert literal("abcdefg", 7) == "abcdefg"
    assert literal("$" * 9, 5) == r"\$\$…\$\$"


@pytest.mark.parametrize("display", OF_ROWS)
def test_frames_of_any_kind_and_order_give_the_same(display, rows):
    X, y = rows
    names = ["a", "b", "c", "d"]
    boxes = BoxSet([[0, -1, -np.inf, -np.inf]], [[1, 2, np.inf, np.inf]], feature_names=names)
    frames = [pd.DataFrame(X, columns=names)[["d", "b", "a", "c"]], pl.DataFrame(X, schema=names)]
    expected = display.from_predictions(boxes, X, y)
    for frame in frames:
        drawn = display.from_predictions(boxes, frame, pd.Series(y))
        assert [t.get_text() for t in drawn.ax_.texts] == [t.get_text() for t in expected.ax_.texts]
        assert np.array_equal(drawn.ax_.dataLim.get_points(), expected.ax_.dataLim.get_points())


@pytest.mark.parametrize("display", OF_ROWS)
def test_wrong_input_gets_one_clear_error(display, rows, models):
    X, y = rows
    boxes = models[0].boxes_
    with pytest.raises(NotFittedError):
        display.from_estimator(FastBoxesClassifier(), X, y)
    with pytest.raises(TypeError, match="got Pipeline; of a pipeline or search pass the box classifier"):
        display.from_estimator(make_pipeline(StandardScaler(), models[0]).fit(X, y), X, y)
    with pytest.raises(TypeError, match="boxes must be a BoxSet or a Scorecard, got FastBoxesClassifier"):
        display.from_predictions(models[0], X, y)
    with pytest.raises(ValueError, match="does not know"):
        display.from_estimator(models[0], X, np.where(y == "rare", "rear", y))
    with pytest.raises(ValueError, match=r"expected shape \(200,\), got \(199,\)"):
        display.from_predictions(boxes, X, y[1:])
    with pytest.raises(ValueError, match="at most one other"):
        display.from_predictions(boxes, X, np.arange(200) % 3)
    with pytest.raises(ValueError, match="all numbers or all strings"):
        display.from_predictions(boxes, X, np.array([None, "a"] * 100, dtype=object))
    with pytest.raises(ValueError, match="3 features"):
        display.from_predictions(boxes, X[:, :3], y)
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes, got int"):
        display.from_predictions(boxes, X, y, ax=3)
