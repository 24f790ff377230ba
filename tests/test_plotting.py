"""Displays: what is drawn, what is written, and that pyplot never hears of it."""

from __future__ import annotations

import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sklearn.exceptions import NotFittedError

from boxdraw import BoxSet, FastBoxesClassifier
from boxdraw.plotting import BoxesDisplay, PathDisplay

INF = np.inf


@pytest.fixture(autouse=True)
def _no_pyplot_figures():
    mpl.use("Agg")
    plt.close("all")
    yield
    left = plt.get_fignums()
    plt.close("all")
    assert left == []


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    return X, np.where((X[:, 1] > 0.8) & (X[:, 3] < 0.5), "rare", "common")


@pytest.fixture
def model(rows):
    return FastBoxesClassifier(n_boxes=2, random_state=0).fit(*rows)


def boxes_2d():
    lower, upper = [[1, -INF], [-INF, -1], [-1, -INF]], [[INF, 2], [0, 1], [INF, INF]]
    return BoxSet(lower, upper, feature_names=["age", "dose"])


def legend_texts(display):
    legend = display.ax_.get_legend()
    return [text.get_text() for text in [legend.get_title(), *legend.get_texts()]]


def segments(line):
    """The drawn pieces of a line with gaps, as a set of pairs of points."""
    points = line.get_xydata()
    gaps = np.flatnonzero(np.isnan(points).any(axis=1))
    pieces = [points[a + 1 : b] for a, b in pairwise(gaps)]
    return {tuple(map(tuple, piece.tolist())) for piece in pieces}


def test_a_rectangle_per_box_and_a_collection_per_class():
    display = BoxesDisplay(boxes_2d(), [[0, 0], [3, 1], [-2, 4]], [0, 1, 0]).plot()
    assert [type(patch) for patch in display.ax_.patches] == [Rectangle] * 3
    assert [len(points.get_offsets()) for points in display.ax_.collections] == [2, 1]
    assert [text.get_text() for text in display.ax_.texts] == ["Box 1", "Box 2", "Box 3"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("age", "dose")
    display.figure_.draw_without_rendering()


def test_a_side_without_limit_has_no_line_and_ends_at_the_view():
    ax = BoxesDisplay(boxes_2d(), [[0, 0], [3, 1], [-2, 4]], [0, 1, 0]).plot().ax_
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert x0 < -2 < 3 < x1
    assert y0 < -1 < 4 < y1
    first, second, third = ax.patches
    assert (first.get_x(), first.get_x() + first.get_width()) == pytest.approx((1, x1))
    assert (second.get_y(), second.get_x()) == pytest.approx((-1, x0))
    assert third.get_height() == pytest.approx(y1 - y0)
    drawn = [segments(line) for line in ax.lines]
    assert drawn[0] == {((1, y0), (1, 2)), ((1, 2), (x1, 2))}
    assert drawn[1] == {((0, -1), (0, 1)), ((x0, -1), (0, -1)), ((x0, 1), (0, 1))}
    assert drawn[2] == {((-1, y0), (-1, y1))}


def test_rows_in_a_box_are_solid_and_others_hollow():
    boxes = BoxSet([[0, 0]], [[1, 1]])
    ax = BoxesDisplay(boxes, [[0.5, 0.5], [2, 2], [0.5, 3]], [1, 1, 0], pos_label=1).plot().ax_
    negative, positive = ax.collections
    assert positive.get_facecolor()[:, 3].tolist() == [1, 0]
    assert negative.get_facecolor()[:, 3].tolist() == [0]
    assert positive.get_paths()[0].vertices.shape != negative.get_paths()[0].vertices.shape


def test_shadow_is_stated_exactly_when_a_limited_feature_is_not_shown(rows, model):
    assert "this is their shadow on two" in legend_texts(BoxesDisplay.from_estimator(model, *rows))[0]
    flat = BoxSet([[-INF, 0, -INF, -INF]], [[INF, 2, INF, 1]])
    assert legend_texts(BoxesDisplay(flat, *rows, pos_label="rare").plot())[0] == ""
    aside = BoxesDisplay(flat, *rows, pos_label="rare", features=[0, 1]).plot()
    assert legend_texts(aside)[0] == "The boxes limit 2 features; this is their shadow on two"


def test_default_features_are_those_that_keep_most_rows_out(rows):
    boxes = BoxSet([[-9, 1, -INF, -INF]], [[9, INF, 0.5, 1]])
    assert BoxesDisplay(boxes, *rows).features == ("x1", "x2")
    assert BoxesDisplay(boxes[:0], *rows).features == ("x0", "x1")
    assert BoxesDisplay(boxes, *rows, features=("x3", 0)).features == ("x3", "x0")


@pytest.mark.parametrize("features", ["x1", ["x1"], ["x1", "x1"], ["x1", "y"], [0, 4], [0, -1], [1, "x1"]])
def test_wrong_features_are_refused(rows, features):
    with pytest.raises(ValueError, match="feature"):
        BoxesDisplay(BoxSet(np.zeros((1, 4)), np.ones((1, 4))), *rows, features=features)


def test_wrong_points_and_labels_are_refused(rows, model):
    X, y = rows
    with pytest.raises(ValueError, match="at least two features"):
        BoxesDisplay(BoxSet([[0]], [[1]]), [[0.5]], [1])
    with pytest.raises(ValueError, match=r"expected shape \(200,\), got \(199,\)"):
        BoxesDisplay(model.boxes_, X, y[1:])
    with pytest.raises(ValueError, match="at most one other"):
        BoxesDisplay(model.boxes_, X, np.arange(200) % 3)
    with pytest.raises(ValueError, match="at most one other"):
        BoxesDisplay(model.boxes_, X, y, pos_label="rear")
    with pytest.raises(ValueError, match="does not know"):
        BoxesDisplay.from_estimator(model, X, np.where(y == "rare", "rear", y))
    with pytest.raises(NotFittedError):
        BoxesDisplay.from_estimator(FastBoxesClassifier(), X, y)


def test_many_rows_are_sampled_and_the_legend_says_so():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(20_000, 2)), (np.arange(20_000) < 300).astype(int)
    boxes = BoxSet([[0.2, 0.2]], [[0.4, 0.4]])
    display = BoxesDisplay(boxes, X, y).plot()
    assert sum(len(points.get_offsets()) for points in display.ax_.collections) == 5000
    assert legend_texts(display)[1:3] == ["class 1: 300 rows", "class 0: 4700 of 19700 rows, sampled"]
    np.testing.assert_array_equal(display.points, BoxesDisplay(boxes, X, y).points)
    assert np.bincount(BoxesDisplay(boxes, X, np.arange(20_000) % 2).labels).tolist() == [2500, 2500]
    few_negatives = BoxesDisplay(boxes, X, 1 - y, pos_label=1)
    assert np.bincount(few_negatives.labels).tolist() == [300, 4700]


def test_frames_are_read_by_name(rows):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = rows
    names = ["a", "b", "c", "d"]
    boxes = BoxSet([[0, -1, -INF, -INF]], [[1, 2, INF, INF]], feature_names=names)
    expected = BoxesDisplay(boxes, X, y)
    for frame in (pd.DataFrame(X, columns=names)[["d", "b", "a", "c"]], pl.DataFrame(X, schema=names)):
        display = BoxesDisplay(boxes, frame, pd.Series(y))
        np.testing.assert_array_equal(display.points, expected.points)
        assert display.features == expected.features == ("a", "b")


@pytest.mark.parametrize("points", [np.empty((0, 2)), [[5, 5], [5, 5]], [[np.nan, 1], [2, np.inf]]])
def test_odd_rows_still_give_a_picture(points):
    for boxes in (boxes_2d(), boxes_2d()[:0], BoxSet([[-INF, -INF]], [[INF, INF]])):
        display = BoxesDisplay(boxes, points, np.arange(len(points))).plot()
        display.figure_.draw_without_rendering()
        assert np.isfinite([display.ax_.get_xlim(), display.ax_.get_ylim()]).all()


def test_names_are_written_as_they_are():
    boxes = BoxSet([[0, 0]], [[1, 1]], feature_names=["cost in $ or $", "a\nb"])
    display = BoxesDisplay(boxes, [[0, 0], [1, 2]], ["_no", "yes$x^$"], pos_label="_no").plot()
    display.figure_.draw_without_rendering()
    assert display.ax_.get_xlabel() == r"cost in \$ or \$"
    assert display.ax_.get_ylabel() == r"a\nb"
    assert legend_texts(display)[1:3] == ["class _no: 1 rows", r"yes\$x^\$: 1 rows"]


def test_path_shows_roc_hull_points_and_the_models_own_cost(model):
    path = model.path()
    display = PathDisplay(path).plot()
    _chance, hull, roc, points, current = display.ax_.lines
    np.testing.assert_array_equal(hull.get_xydata().T, path.hull())
    np.testing.assert_array_equal(roc.get_xydata().T, [path.roc_fpr, path.roc_tpr])
    assert roc.get_drawstyle() == "steps-post"
    np.testing.assert_array_equal(points.get_xydata().T, [path.fpr, path.tpr])
    assert tuple(current.get_xydata()[0]) == path.rates_at(model.negative_weight_)
    assert f"this model: c = {model.negative_weight_:.3g}" in legend_texts(display)
    display.figure_.draw_without_rendering()
    costs = {f"c = {c:.3g}" for c in path.negative_weights}
    assert {text.get_text() for text in display.ax_.texts} <= costs


def test_path_plot_and_from_estimator_draw_the_same(model):
    figure = Figure()
    axes = figure.subplots(1, 2)
    one, two = model.path().plot(ax=axes[0]), PathDisplay.from_estimator(model, ax=axes[1])
    assert isinstance(one, PathDisplay)
    assert (one.ax_, two.ax_) == tuple(axes)
    assert legend_texts(one) == legend_texts(two)


def test_given_axes_are_used_and_their_figure_is_not_shown_twice(rows, model):
    ax = Figure().add_subplot()
    display = BoxesDisplay.from_estimator(model, *rows, ax=ax)
    assert (display.ax_, display.figure_) == (ax, ax.figure)
    assert display._repr_png_() is None
    assert display.plot()._repr_png_().startswith(b"\x89PNG")


def test_missing_matplotlib_names_the_extra(rows, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'boxdraw\[plot\]'"):
        BoxesDisplay.from_estimator(model, *rows)
    with pytest.raises(ImportError, match=r"pip install 'boxdraw\[plot\]'"):
        model.path().plot()


def test_boxes_of_a_mixed_table_are_drawn_on_their_numbers():
    X = pd.DataFrame({"region": ["a", "b", "a", "b"] * 5, "x": np.arange(20.0), "y": np.arange(20.0)[::-1]})
    X.loc[3, "x"] = np.nan
    boxes = BoxSet(
        [[-np.inf, 2, -np.inf], [-np.inf, np.inf, -np.inf]],
        [[np.inf, 9, np.inf], [np.inf, -np.inf, np.inf]],
        feature_names=list(X.columns),
        allowed={"region": [{"a"}, None]},
        missing=[[False, False, True], [True, True, True]],
    )
    display = BoxesDisplay(boxes, X, np.arange(20) < 5).plot()
    assert display.features == ("x", "y")
    assert len(display.ax_.patches) == 1  # the other box holds missing values only
    assert "3 features" not in str(display.ax_.get_legend().get_title().get_text())
    assert "2 features" in str(display.ax_.get_legend().get_title().get_text())
    with pytest.raises(ValueError, match="'region' has categories"):
        BoxesDisplay(boxes, X, np.arange(20) < 5, features=["region", "x"])
