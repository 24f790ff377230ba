"""BoxesDisplay: what is drawn and what is written, on two features and on every pair of a few."""

from __future__ import annotations

import sys
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sklearn.exceptions import NotFittedError

from boxdraw import BoxSet, FastBoxesClassifier
from boxdraw.plotting import BoxesDisplay

from .pictures import boxes as mixed_boxes
from .pictures import card, table

INF = np.inf


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


@pytest.mark.parametrize("width", [3, 8])
def test_the_numbers_of_boxes_that_share_a_corner_do_not_hide_each_other(width):
    """Three boxes up to the same corner, in a narrow panel and in a wide one."""
    boxes = BoxSet([[0.62, 0.7], [0.7, 0.64], [0.86, 0.55]], [[INF, INF]] * 3)
    ax = Figure(figsize=(width, 3)).add_subplot()
    BoxesDisplay(boxes, [[0, 0], [1, 1], [0.8, 0.8]], [0, 1, 1], pos_label=1).plot(ax)
    ax.figure.draw_without_rendering()
    texts = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for a, b in combinations(texts, 2))


def test_sixteen_boxes_of_a_corner_leave_their_tags_and_rows_to_be_seen():
    boxes = BoxSet([[-0.01 * k, -0.02 * k] for k in range(16)], [[INF, INF]] * 16)
    ax = Figure(figsize=(6, 4.8)).add_subplot()
    BoxesDisplay(boxes, [[0, 0], [1, 1], [-0.5, -0.5]], [0, 1, 0], pos_label=1).plot(ax)
    ax.figure.draw_without_rendering()
    texts = [text.get_window_extent() for text in ax.texts]
    assert len(texts) == 16
    assert not any(a.overlaps(b) for a, b in combinations(texts, 2))
    assert all(ax.bbox.contains(*corner) for text in texts for corner in text.corners())
    assert np.prod([1 - patch.get_alpha() for patch in ax.patches]) >= 0.39  # of the light of the paper


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
        BoxesDisplay.from_estimator(model, *rows, features="used")


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
    assert "no picture: 2" in str(display.ax_.get_legend().get_title().get_text())
    assert "not drawn: 1" in str(display.ax_.get_legend().get_title().get_text())


def test_categories_are_strips_with_their_names():
    X, y = table()
    X.loc[[0, 1], "region"] = ["elsewhere", None]
    display = BoxesDisplay(mixed_boxes(), X, y, features=["dose", "region"]).plot()
    ax = display.ax_
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["north", "east", "south", "(unseen)", "(missing)"]
    drawn = np.concatenate([points.get_offsets() for points in ax.collections])
    place = {"north": 0, "east": 1, "south": 2, "elsewhere": 3}
    strip = np.sort([place.get(value, 4) for value in X["region"]])
    np.testing.assert_array_equal(np.sort(np.rint(drawn[:, 1])), strip)
    assert np.abs(drawn[:, 1] - np.rint(drawn[:, 1])).max() < 0.4
    # North and east are one rectangle of the first box, and every category is in the second.
    first, second, third, absent = ax.patches
    assert (first.get_y(), first.get_y() + first.get_height()) == (-0.45, 1.45)
    assert (second.get_y(), second.get_height()) == (ax.get_ylim()[0], np.diff(ax.get_ylim())[0])
    assert (third.get_y(), absent.get_y()) == (1.55, 3.55)  # south, and missing regions
    assert [text.get_text() for text in ax.texts] == ["Box 1", "Box 2", "Box 3"]


def test_used_features_make_a_grid_of_pairs():
    X, y = table()
    display = BoxesDisplay.from_predictions(mixed_boxes(), X, y, features="used")
    assert display.features == ("dose", "age", "pulse", "region")
    axes = display.axes_
    assert [[ax is not None for ax in row] for row in axes] == np.tri(3, dtype=bool).tolist()
    assert display.ax_ is axes[0, 0]
    assert [ax.get_xlabel() for ax in axes[2]] == ["dose", "age", "pulse"]
    assert [ax.get_ylabel() for ax in axes[:, 0]] == ["age", "pulse", "region"]
    assert axes[0, 0].get_xlabel() == axes[1, 1].get_ylabel() == ""
    texts = [text.get_text() for ax in display.figure_.axes if ax.get_legend() for text in ax.get_legend().get_texts()]
    assert any("kept out of every box by features" in text for text in texts)
    assert any("where the other features admit rows" in text for text in texts)
    display.figure_.draw_without_rendering()


def test_a_row_has_a_marker_in_a_panel_exactly_if_the_other_features_admit_it_to_a_box():
    X, y = table()
    boxes = mixed_boxes()
    display = BoxesDisplay(boxes, X, y, features="used").plot()
    # Across dose, up age: candidates are in a box as soon as its limits on these two are dropped.
    free = boxes
    for k in range(3):
        free = free.drop_limit(k, "dose").drop_limit(k, "age")
    candidate, inside = free.contains(X), boxes.contains(X)
    dots_other, dots_rare, other, rare = display.axes_[0, 0].collections
    ill = y == "ill"
    for points, rows in ((dots_other, ~ill & ~candidate), (dots_rare, ill & ~candidate)):
        np.testing.assert_array_equal(points.get_offsets(), X.loc[rows, ["dose", "age"]])
    for points, rows in ((other, ~ill & candidate), (rare, ill & candidate)):
        np.testing.assert_array_equal(points.get_offsets(), X.loc[rows, ["dose", "age"]])
        np.testing.assert_array_equal(points.get_facecolor()[:, 3], inside[rows])
    assert candidate.sum() > inside.sum() > 0


def test_a_face_is_where_rows_of_the_box_are():
    X, y = table()
    boxes = mixed_boxes()
    ax = BoxesDisplay(boxes, X, y, features=["dose", "age", "pulse"]).plot().axes_[0, 0]
    member = boxes.membership(X)
    room = [0.01 * np.diff(ends)[0] for ends in (ax.get_xlim(), ax.get_ylim())]
    held = [k for k in range(3) if member[:, k].any()]
    assert len(ax.patches) == len(held) == 2  # none of the rows is in the third box
    for k, patch in zip(held, ax.patches, strict=True):
        dose, age = X.loc[member[:, k], "dose"], X.loc[member[:, k], "age"]
        low = max(dose.min() - room[0], boxes.lower[k, 0]), max(age.min() - room[1], boxes.lower[k, 1])
        high = min(dose.max() + room[0], boxes.upper[k, 0]), min(age.max() + room[1], boxes.upper[k, 1])
        assert patch.get_xy() == pytest.approx(low)
        assert (patch.get_width(), patch.get_height()) == pytest.approx(np.subtract(high, low))
    assert len(ax.lines) == 3  # the limits of the third are drawn all the same


def test_of_many_used_features_a_grid_has_six_and_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 10)), np.arange(3000) % 2
    lower = np.where(np.arange(10) == 9, -INF, np.linspace(-1, -3, 10))[None]
    display = BoxesDisplay(BoxSet(lower, np.full((1, 10), INF)), X, y, features="used").plot()
    assert display.features == ("x0", "x1", "x2", "x3", "x4", "x5")  # their limits keep the most rows out
    assert len(display.labels) == 2000
    legend = next(ax.get_legend() for ax in display.figure_.axes if ax.get_legend())
    assert legend.get_title().get_text() == "The boxes limit 9 features; shown: 6"
    assert legend.get_texts()[0].get_text() == "class 1: 1000 of 1500 rows, sampled"
    with pytest.raises(ValueError, match="at most 8, got 9: LimitsDisplay"):
        BoxesDisplay(BoxSet(lower, np.full((1, 10), INF)), X, y, features=range(9))
    few = BoxSet([[0, -INF, -INF]], [[INF, INF, INF]])
    assert BoxesDisplay(few, X[:, :3], y, features="used").features == ("x0", "x1")
    two = mixed_boxes().drop_limit(0, "dose")[:1]
    assert BoxesDisplay(two, *table(), features="used").features == ("age", "region")
    assert BoxesDisplay(two, *table()).features == ("dose", "age")  # numbers before categories


def test_a_grid_takes_the_place_of_given_axes():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = BoxesDisplay.from_predictions(mixed_boxes(), *table(), features=[0, 1, 2], ax=right)
    assert display.figure_ is figure
    assert not right.axison
    assert left.axison
    inside = right.get_subplotspec().get_position(figure)
    assert all(inside.x0 <= ax.get_position().x0 for ax in display.axes_[np.tri(2, dtype=bool)])
    assert display._repr_png_() is None
    with pytest.raises(ValueError, match="part of a grid"):
        BoxesDisplay.from_predictions(mixed_boxes(), *table(), features=[0, 1, 2], ax=figure.add_axes((0, 0, 1, 1)))


def test_boxes_of_a_scorecard_show_points_and_flagged_rows_are_solid():
    X, y = table()
    display = BoxesDisplay.from_predictions(card(), X, y, features=["dose", "age"])
    assert {text.get_text() for text in display.ax_.texts} == {"Box 1: +4", "Box 2: +2", "Box 3: −1"}
    solid = np.concatenate([points.get_facecolor()[:, 3] for points in display.ax_.collections])
    assert solid.sum() == card().contains(X).sum()
    assert "solid: flagged, from 3 points on" in legend_texts(display)


def test_the_points_of_boxes_are_beside_the_panels_of_pairs():
    display = BoxesDisplay.from_predictions(card(), *table(), features="used")
    (legend,) = [ax.get_legend() for ax in display.figure_.axes if ax.get_legend() is not None]
    assert "Points of the boxes: 1: +4, 2: +2, 3: −1" in legend.get_title().get_text().splitlines()


def test_boxes_draw_themselves_as_the_display_does():
    X, y = table()
    left, right = Figure().subplots(1, 2)
    drawn = mixed_boxes().plot(X, y, features=["dose", "age"], pos_label=y[0], ax=left)
    same = BoxesDisplay.from_predictions(mixed_boxes(), X, y, features=["dose", "age"], pos_label=y[0], ax=right)
    assert drawn.ax_ is left
    assert (drawn.features, drawn.pos_label) == (same.features, same.pos_label) == (("dose", "age"), y[0])
    assert len(left.patches) == len(right.patches) > 0
    other = next(label for label in y if label != y[0])
    assert mixed_boxes().plot(X, y, features="used", pos_label=other).pos_label == other
