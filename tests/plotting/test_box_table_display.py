"""BoxTableDisplay: the figures of box_table as bars."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from boxdraw import BoxSet, BoxSetClassifier
from boxdraw.plotting import BoxTableDisplay
from boxdraw.plotting.box_table import _PRECISION, _RECALL, _SUPPORT

from .pictures import boxes, card, table

INF = np.inf


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def bars_from(ax, start):
    """The widths of the bars that begin at the left of a column, the pale ground left out."""
    ground = 0.9
    return [
        patch.get_width() for patch in ax.patches if patch.get_x() == start and min(patch.get_facecolor()[:3]) < ground
    ]


def test_bars_are_the_figures_of_box_table():
    X, y = table()
    expected = BoxSetClassifier(boxes(), classes=("well", "ill")).box_table(X, y)
    for display in (
        BoxTableDisplay.from_predictions(boxes(), X, y, pos_label="ill"),
        BoxTableDisplay.from_estimator(BoxSetClassifier(boxes(), classes=("well", "ill")), X, y),
        BoxTableDisplay(expected).plot(),
    ):
        for name in ("precision", "recall", "unique_recall", "support"):
            np.testing.assert_array_equal(display.table[name], expected[name])
        held = expected["support"] > 0
        assert bars_from(display.ax_, _PRECISION) == pytest.approx(expected["precision"][held].tolist())
        assert bars_from(display.ax_, _RECALL) == pytest.approx(expected["unique_recall"][held].tolist())
        hits = expected["true_positives"][held] / expected["support"].max()
        assert bars_from(display.ax_, _SUPPORT) == pytest.approx(hits.tolist())
        texts = " ".join(texts_of(display.ax_))
        assert all(f"Box {k + 1}: {rule}" in texts for k, rule in enumerate(expected["rule"]))
        assert texts.count("no row inside") == (~held).sum() == 1
        interval = expected.loc[0, ["precision_low", "precision_high"]].tolist()
        assert interval in [np.asarray(line.get_xdata()).tolist() for line in display.ax_.lines]


def test_the_base_rate_is_dotted():
    X, y = table()
    ax = BoxTableDisplay.from_predictions(boxes(), X, y, pos_label="ill").ax_
    dotted = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() not in ("-", "None")]
    assert dotted == pytest.approx([(y == "ill").mean()] * 2)


def test_weights_count():
    X, y = table()
    weight = 1.0 + (y == "ill")
    display = BoxTableDisplay.from_predictions(boxes(), X, y, pos_label="ill", sample_weight=weight)
    plain = BoxTableDisplay.from_predictions(boxes(), X, y, pos_label="ill")
    np.testing.assert_array_equal(display.table["true_positives"], 2 * np.array(plain.table["true_positives"]))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(2,\); expected \(150,\)"):
        BoxTableDisplay.from_predictions(boxes(), X, y, sample_weight=[1, 2])


def test_a_scorecards_boxes_have_points():
    texts = texts_of(BoxTableDisplay.from_predictions(card(), *table(), pos_label="ill").ax_)
    assert any(text.startswith("Box 1, +4 points: ") for text in texts)
    assert any(text.startswith("Box 3, −1 points: ") for text in texts)


def test_long_rules_are_cut_and_limits_stay_on_their_line():
    names = [f"a rather long name of the feature number {j}" for j in range(12)]
    drawn = BoxSet(np.zeros((1, 12)), np.full((1, 12), INF), feature_names=names)
    display = BoxTableDisplay.from_predictions(drawn, np.ones((4, 12)), [0, 1, 0, 0])
    lines = [text for text in texts_of(display.ax_) if "long name" in text]
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(line.startswith(("Box 1: ", "and ")) for line in lines)
    small = Figure(figsize=(9, 0.8)).add_subplot()
    display.plot(ax=small)
    assert len([text for text in texts_of(small) if "long name" in text]) == 1


def test_twenty_boxes_are_shown_and_of_more_those_of_highest_recall():
    X = np.arange(25.0)[:, None]
    y = (np.arange(25) % 5 > 0).astype(int)  # five boxes hold no positive
    display = BoxTableDisplay.from_predictions(BoxSet(X, X), X, y, pos_label=1)
    assert len(display.table["rule"]) == 20
    assert min(display.table["recall"]) > 0
    assert display.ax_.get_legend().get_title().get_text() == "Of 25 boxes the 20 of highest recall"
    assert any(text.startswith("Box 25: ") for text in texts_of(display.ax_))
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize("X", [[[1.0], [2.0]], np.empty((0, 1))])
@pytest.mark.parametrize("n_boxes", [0, 1])
def test_no_boxes_and_no_rows_still_give_a_picture(X, n_boxes):
    drawn = BoxSet(np.full((n_boxes, 1), 5.0), np.full((n_boxes, 1), 6.0))
    display = BoxTableDisplay.from_predictions(drawn, X, np.zeros(len(X)), pos_label=1)
    display.figure_.draw_without_rendering()
    assert (display.ax_.get_legend().get_title().get_text() == "No boxes: no row is flagged") == (n_boxes == 0)


def test_wrong_tables_are_refused():
    with pytest.raises(TypeError, match="table must be what box_table returns, got list"):
        BoxTableDisplay([1, 2])
    with pytest.raises(ValueError, match=r"lacks \['support', "):
        BoxTableDisplay({"rule": ["x"], "recall": [1.0]})
    good = BoxTableDisplay.from_predictions(boxes(), *table()).table
    with pytest.raises(ValueError, match="equally long"):
        BoxTableDisplay({**good, "recall": [0.5]})
