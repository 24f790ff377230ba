"""Skewed numbers have log axes, linear around zero."""

import numpy as np
import pytest
from matplotlib.scale import SymmetricalLogTransform

from boxdraw import BoxSet, SparseBoxesClassifier
from boxdraw.datasets import load_dataset
from boxdraw.plotting import BoxesDisplay, LimitsDisplay
from boxdraw.plotting._axis import Scale, panel_axis

INF = np.inf
RNG = np.random.default_rng(0)
SKEWED = RNG.lognormal(3, 2, 500)


@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        (SKEWED, 1.0),
        (-SKEWED, 1.0),
        (np.concatenate([SKEWED, np.zeros(5000), [np.nan] * 7]), 1.0),  # mostly zero
        (np.concatenate([SKEWED, -SKEWED]), 1.0),
        (RNG.normal(size=500), None),
        (RNG.integers(0, 2, 500).astype(float), None),
        (np.full(500, 7.0), None),
        (np.append(1000 + RNG.random(500), 5000), None),  # one far away: decades would not spread the others
        (SKEWED[:10], None),
        (np.full(9, np.nan), None),
        (np.append(SKEWED, 1e307), None),
    ],
)
def test_which_numbers_are_skewed(values, threshold):
    assert Scale.suited_to(values).threshold == threshold
    assert Scale.suited_to(RNG.permutation(values)).threshold == threshold


def test_other_units_are_the_same_picture():
    scale, other = Scale.suited_to(SKEWED), Scale.suited_to(1000 * SKEWED)
    assert other.threshold == pytest.approx(1000 * scale.threshold)
    np.testing.assert_allclose(other.along(1000 * SKEWED), scale.along(SKEWED))


@pytest.mark.parametrize("threshold", [None, 0.01, 1.0, 1e5])
def test_places_and_values(threshold):
    scale = Scale(threshold)
    values = np.sort(np.concatenate([-SKEWED, [0.0], SKEWED]))
    places = np.asarray(scale.along(values))
    assert (np.diff(places) > 0).all()
    np.testing.assert_allclose([scale.at(place) for place in places.tolist()], values, rtol=1e-12, atol=1e-300)
    assert np.isinf(scale.along(np.array([-INF, INF]))).all()


def test_places_are_those_of_matplotlib():
    scale = Scale.suited_to(SKEWED)
    name, options = scale.of_matplotlib()
    theirs = SymmetricalLogTransform(10, **options).transform(SKEWED)
    assert name == "symlog"
    np.testing.assert_allclose(theirs / scale.threshold, scale.along(SKEWED))


def test_decades():
    assert Scale().decades(0, 1000) == []
    assert [text for _, text in Scale(0.1).decades(-0.05, 530)] == ["0", "0.1", "1", "10", "100"]
    assert [text for _, text in Scale(1.0).decades(-150, 3)] == ["-100", "-10", "-1", "0", "1"]
    assert len(Scale(1e-6).decades(0, 1e9)) <= 8


def test_the_blood_test_of_the_demo():
    data = load_dataset("hypothyroid")
    j = list(data.data.columns).index("TSH")
    boxes = SparseBoxesClassifier().fit(data.data, data.target).boxes_
    low, high = panel_axis(boxes, j, data.data["TSH"].to_numpy()).view()
    assert low < 0 < 530 < high < 800
    display = BoxesDisplay(boxes, data.data, data.target).plot()
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("symlog", "linear")
    display.figure_.canvas.draw()
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["0", "0.1", "1", "10", "100"]
    strip = LimitsDisplay(boxes, data.data, data.target).plot()
    assert {"0.1", "1", "10", "100"} <= {text.get_text() for text in strip.ax_.texts}


def test_a_limit_is_drawn_where_its_rows_are():
    """The bar of a box on a log scale holds the positions of its rows and no others."""
    boxes = BoxSet([[20.0, -INF]], [[300.0, INF]])
    X = np.column_stack([SKEWED, RNG.random(500)])
    display = LimitsDisplay(boxes, X, SKEWED > 100).plot()
    (low, high, texts), *_ = display._strips[0].bars[0]
    assert texts == ("20", "300")
    rows = LimitsDisplay(boxes, X, SKEWED > 100)._strips[0]
    held = (rows.edges[:-1] >= low) & (rows.edges[1:] <= high)
    shares = [hill[held].sum() for hill in rows.hills]
    expected = [boxes.contains(X)[side].mean() for side in (SKEWED > 100, SKEWED <= 100)]
    np.testing.assert_allclose(shares, expected, atol=0.1)  # but for the bins that a limit cuts
