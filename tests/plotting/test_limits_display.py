"""LimitsDisplay: distributions that add up, bars where the limits are, and statements of what is not shown."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from boxdraw import BoxSet
from boxdraw.plotting import LimitsDisplay
from boxdraw.plotting._strip import strip_of

from .pictures import boxes, card, table

INF = np.inf


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def names_of(display):
    return [text.get_text() for ax in display.axes_ for text in ax.get_yticklabels()]


def legend_of(display):
    legend = display.ax_.get_legend()
    return [text.get_text() for text in [legend.get_title(), *legend.get_texts()]]


def test_shares_of_a_feature_of_numbers_are_those_of_its_rows():
    X, y = table()
    strip = strip_of(boxes(), 0, X["dose"].to_numpy(), y == "ill")
    finite = boxes().lower[:, 0].tolist() + boxes().upper[:2, 0].tolist()[1:]
    tails = [np.quantile(X.loc[y == label, "dose"], [0.005, 0.995]) for label in ("ill", "well")]
    low, high = min(np.min(tails), *finite), max(np.max(tails), 2.2)
    for hill, label in zip(strip.hills, ("ill", "well"), strict=True):
        values = np.clip(X.loc[y == label, "dose"], low, high)
        counts, _ = np.histogram(values, bins=50, range=(low, high))
        np.testing.assert_allclose(hill, counts / counts.sum())
    ((start, stop, texts),) = strip.bars[1]
    assert (start, stop) == pytest.approx(((-0.5 - low) / (high - low), (0.6 - low) / (high - low)))
    assert texts == ("-0.5", "0.6")


def test_whole_numbers_have_bins_of_equally_many_and_no_comb():
    column = np.tile(np.arange(24.0), 5)
    strip = strip_of(BoxSet([[22]], [[INF]]), 0, column, column < 3)
    assert len(strip.hills[0]) == 24
    np.testing.assert_allclose(strip.hills[1][3:], 1 / 21)
    assert strip.ends == ("0", "23")
    wide = strip_of(BoxSet([[0]], [[INF]]), 0, np.arange(1000.0), np.arange(1000) < 500)
    assert np.unique(wide.hills[0]).size <= 3  # full bins, one that is cut by the tail, and empty ones


def test_limits_between_whole_numbers_are_on_the_scale():
    column = np.repeat(np.arange(1.0, 11), 10)
    strip = strip_of(BoxSet([[0.5]], [[10.9]]), 0, column, column > 7)
    assert strip.ends == ("0", "11")
    np.testing.assert_allclose(strip.hills[0][7:], [0, 1 / 3, 1 / 3, 1 / 3, 0])  # of 7 to 11
    ((start, stop, _),) = strip.bars[0]
    assert (start, stop) == pytest.approx((1 / 12, 11.4 / 12))


def test_categories_have_a_bar_below_each_that_is_admitted():
    X, y = table()
    strip = strip_of(boxes(), 3, np.array([{"north": 0, "east": 1, "south": 2}[v] for v in X["region"]]), y == "ill")
    shares = [(X.loc[y == label, "region"] == name).mean() for label in ("ill", "well") for name in ("north", "east")]
    np.testing.assert_allclose([hill[i] for hill in strip.hills for i in (0, 2)], shares)
    assert [text for _, text in strip.names] == ["north", "east", "south"]
    assert list(strip.bars) == [0, 2]
    assert [bar[:2] for bar in strip.bars[0]] == [pytest.approx((0.05 / 3, 1.95 / 3))]
    assert [bar[:2] for bar in strip.bars[2]] == [pytest.approx((2.05 / 3, 2.95 / 3))]


def test_bars_have_a_line_at_a_limit_and_an_arrow_at_an_open_end():
    display = LimitsDisplay(BoxSet([[3, -INF]], [[INF, INF]], missing=[[False, False]]), [[1, 1], [5, 2]], [0, 1])
    ax = display.plot().ax_
    assert display.features == ("x0", "x1")
    arrows = [line.get_marker() for line in ax.lines if line.get_marker() in ("<", ">")]
    assert arrows == [">", "<", ">"]  # the second feature only has to be known
    assert len([patch for patch in ax.patches if type(patch) is Rectangle and patch.get_height() < 6]) >= 2
    assert "3" in texts_of(ax)


def test_missing_values_are_marked_where_a_box_admits_them_and_their_share_is_written():
    X, y = table()
    display = LimitsDisplay(boxes(), X, y).plot()
    diamonds = [line for line in display.ax_.lines if line.get_marker() == "D"]
    limited = boxes().limited
    assert len(diamonds) == (boxes().missing & limited).sum() == 2
    assert names_of(display)[2] == f"pulse\n{X['pulse'].isna().mean():.1%} missing"
    assert "admits missing values" in legend_of(display)
    only = BoxSet([[INF]], [[-INF]], missing=[[True]])
    assert "missing values only" in texts_of(LimitsDisplay(only, [[1.0], [np.nan]], [0, 1]).plot().ax_)


def test_thirty_features_go_in_two_columns_and_one_in_given_axes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 30)), np.arange(100) % 2
    display = LimitsDisplay(BoxSet(np.full((2, 30), -1.0), np.full((2, 30), 2.0)), X, y).plot()
    assert len(display.axes_) == 2
    assert names_of(display) == [f"x{j}" for j in range(30)]
    display.figure_.draw_without_rendering()
    ax = Figure().add_subplot()
    assert len(display.plot(ax=ax).axes_) == 1
    assert names_of(display) == [f"x{j}" for j in range(30)]
    assert display.ax_ is ax


def test_of_more_than_forty_features_the_most_used_come_first_and_the_rest_is_counted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), np.arange(60) % 2
    lower = np.full((2, 50), -1.0)
    lower[1, 20:] = -INF  # limited by one box only
    lower[0, 45:] = -0.5  # but these keep more rows out
    display = LimitsDisplay(BoxSet(lower, np.full((2, 50), INF)), X, y).plot()
    assert len(display.features) == 40
    assert set(display.features[:20]) == {f"x{j}" for j in range(20)}
    assert set(display.features[20:25]) == {f"x{j}" for j in range(45, 50)}
    assert "Not shown: 10 more features with limits" in legend_of(display)[0]
    with pytest.raises(ValueError, match="features must be 1 to 40, got 41"):
        LimitsDisplay(display.boxes, X, y, features=range(41))
    assert LimitsDisplay(display.boxes, X, y, features=["x49", 3]).features == ("x49", "x3")


def test_many_boxes_have_thin_bars_whose_order_is_stated():
    lower = np.arange(20.0)[:, None]
    display = LimitsDisplay(BoxSet(lower, lower + 1), lower, np.arange(20) % 2).plot()
    assert "Bars are in the order of the boxes" in legend_of(display)[0]
    bars = [patch for patch in display.ax_.patches if isinstance(patch, Rectangle)]
    assert len([bar for bar in bars if bar.get_height() == pytest.approx(0.55 * 4.5)]) == 20


@pytest.mark.parametrize(
    ("drawn", "note"),
    [
        (BoxSet(np.empty((0, 1)), np.empty((0, 1))), "No boxes: no row is flagged"),
        (BoxSet([[-INF]], [[INF]]), "The boxes limit no feature: every row is flagged"),
    ],
)
def test_without_limits_the_picture_says_so(drawn, note):
    for X in ([[1.0], [2.0]], np.empty((0, 1))):
        display = LimitsDisplay(drawn, X, np.arange(len(X))).plot()
        assert legend_of(display)[0] == note
        display.figure_.draw_without_rendering()


def test_odd_columns_still_give_a_picture():
    drawn = BoxSet([[0, -INF, 1e300]], [[0, 5, INF]])
    X = [[0, np.nan, 1e308], [0, np.inf, -1e308], [0, -np.inf, 0]]
    display = LimitsDisplay(drawn, X, [0, 1, 1]).plot()
    display.figure_.draw_without_rendering()
    assert display.features == ("x0", "x1", "x2")


def test_boxes_of_a_scorecard_have_their_points():
    display = LimitsDisplay.from_predictions(card(), *table())
    assert {"1: +4", "2: +2", "3: −1"} <= set(texts_of(display.ax_))
