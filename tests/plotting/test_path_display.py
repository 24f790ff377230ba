"""PathDisplay: ROC and precision of training rows, of other rows and of scorecards."""

import sys
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import auc, precision_recall_curve, precision_score, roc_curve

from boxdraw import BoxSet, BoxSetClassifier, FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.plotting import PathDisplay

PAPER = np.arange(1, 11) / 10


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    flip = rng.random(300) < 0.1
    return X, np.where(((X[:, 1] > 0.8) & (X[:, 2] < 0.5)) ^ flip, "rare", "common")


@pytest.fixture(scope="module")
def model(rows):
    X, y = rows
    return FastBoxesClassifier(n_boxes=2, random_state=0).fit(X[:200], y[:200])


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_path_shows_roc_hull_points_and_the_models_own_cost(model):
    path = model.path()
    display = PathDisplay(path).plot()
    _chance, hull, roc, points, current = display.ax_.lines
    np.testing.assert_array_equal(hull.get_xydata().T, path.hull())
    np.testing.assert_array_equal(roc.get_xydata().T, [path.roc_fpr, path.roc_tpr])
    assert roc.get_drawstyle() == "steps-post"
    np.testing.assert_array_equal(points.get_xydata().T, [path.fpr, path.tpr])
    assert tuple(current.get_xydata()[0]) == path.rates_at(model.negative_weight_)
    assert f"this model: c = {model.negative_weight_:.3g}" in legend_texts(display.ax_)
    display.figure_.draw_without_rendering()
    costs = {f"c = {c:.3g}" for c in path.negative_weights}
    assert {text.get_text() for ax in display.axes_ for text in ax.texts} <= costs


def test_by_default_the_papers_ten_costs_are_marked(model):
    display = PathDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.path.negative_weights, PAPER)
    assert "boxes at c = 0.1, 0.2, ..., 1" in legend_texts(display.ax_)
    assert "ROC of all costs, training rows" in legend_texts(display.ax_)
    other = PathDisplay.from_estimator(model, negative_weights=[2.0, 0.5])
    assert len(other.ax_.lines[3].get_xdata()) == 2


def test_rates_of_held_out_rows_are_those_of_scikit_learn(rows, model):
    model = clone(model).set_params(round_limits=False).fit(rows[0][:200], rows[1][:200])
    X, y = rows[0][200:], rows[1][200:]
    display = PathDisplay.from_estimator(model, X, y)
    critical, rare = np.minimum(model.critical_weight(X), 1e9), y == "rare"
    fpr, tpr, _ = roc_curve(rare, critical, drop_intermediate=False)
    roc = display.ax_.lines[2].get_xydata()
    np.testing.assert_allclose(roc, np.column_stack([fpr, tpr]))
    precision, recall, _ = precision_recall_curve(rare, critical)
    curve = display.axes_[1].lines[1]
    assert curve.get_drawstyle() == "steps-pre"
    np.testing.assert_allclose(curve.get_xydata()[1:], np.column_stack([recall, precision])[-2::-1])
    flagged = model.predict(X) == "rare"
    assert display.axes_[1].lines[-1].get_xydata()[0] == pytest.approx(
        [flagged[rare].mean(), precision_score(rare, flagged)]
    )
    assert display.ax_.lines[-1].get_xydata()[0] == pytest.approx([flagged[~rare].mean(), flagged[rare].mean()])
    assert display.path.auh >= auc(fpr, tpr)
    assert "ROC of all costs, 100 rows" in legend_texts(display.ax_)
    assert f"share of positives, {rare.mean():.2g}" in legend_texts(display.axes_[1])


def test_training_precision_is_that_of_the_training_rows(rows, model):
    X, y = rows[0][:200], rows[1][:200]
    path = model.path(PAPER)
    for c, precision in zip(PAPER, path.precision, strict=True):
        flagged = model.critical_weight(X) >= c
        assert precision == pytest.approx((y[flagged] == "rare").mean())
        assert path.precision_at(c) == precision
    assert np.isnan(path.roc_precision[0])
    assert path.roc_precision[-1] == pytest.approx((y == "rare").mean())


def test_a_weight_of_two_is_a_row_twice(rows, model):
    X, y = rows[0][200:], rows[1][200:]
    critical, weight = model.critical_weight(X), 1 + np.arange(100) % 3
    weighted = PathDisplay.from_predictions(y, critical, pos_label="rare", sample_weight=weight).path
    repeated = PathDisplay.from_predictions(np.repeat(y, weight), np.repeat(critical, weight), pos_label="rare").path
    for name in ("fpr", "tpr", "precision", "roc_fpr", "roc_tpr", "roc_precision"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name))


def test_one_axes_gets_the_roc_only_and_two_get_both(model):
    axes = Figure().subplots(1, 3)
    display = model.path().plot(ax=axes[0])
    assert display.axes_ == (axes[0],)
    assert display._repr_png_() is None
    both = PathDisplay.from_estimator(model, ax=axes[1:])
    assert both.axes_ == tuple(axes[1:])
    assert both.ax_ is axes[1]
    alone = PathDisplay.from_estimator(model, ax=[Figure().add_subplot()])
    assert legend_texts(alone.ax_) == legend_texts(both.ax_)
    assert both.plot()._repr_png_().startswith(b"\x89PNG")
    assert len(both.figure_.axes) == 2


def test_the_path_of_a_scorecard_is_over_its_points(rows):
    X, y = rows
    model = ScoredBoxesClassifier(max_boxes=3, cv=None).fit(X[:200], y[:200])
    display = PathDisplay.from_estimator(model, X, y)
    score, threshold = model.scorecard_.score(X), model.scorecard_.threshold
    fpr, tpr, _ = roc_curve(y == "rare", score, drop_intermediate=False)
    np.testing.assert_allclose(display.ax_.lines[2].get_xydata(), np.column_stack([fpr, tpr]))
    np.testing.assert_array_equal(display.path.negative_weights, np.unique(score)[::-1])
    assert f"this model: {threshold} points" in legend_texts(display.ax_)
    flagged = model.predict(X) == "rare"
    assert display.path.precision_at(threshold) == pytest.approx((y[flagged] == "rare").mean())
    with pytest.raises(ValueError, match="keeps no counts of its training rows: pass X and y"):
        PathDisplay.from_estimator(model)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("target", ["rare", "common"])
def test_the_path_of_sparse_boxes_is_their_ranking_with_the_drawings_of_all_costs(rows, weighted, target):
    X, y = rows
    model = SparseBoxesClassifier(pos_label=target, cv=None).fit(X[:200], y[:200])
    weight = np.arange(1.0, 301.0) if weighted else None
    display = PathDisplay.from_estimator(model, X, y, sample_weight=weight)
    score = model.decision_function(X) * (1 if model.classes_[1] == target else -1)
    fpr, tpr, _ = roc_curve(y == target, score, sample_weight=weight, drop_intermediate=False)
    np.testing.assert_allclose(display.ax_.lines[2].get_xydata(), np.column_stack([fpr, tpr]))
    for k, (cost, boxes) in enumerate(model.path_):
        inside = np.array([boxes.contains(row[None])[0] for row in X])
        precision = precision_score(y == target, inside, sample_weight=weight, zero_division=np.nan)
        assert display.path.precision[k] == pytest.approx(precision, nan_ok=True)
        assert display.path.negative_weights[k] == cost
        share = np.average(inside[y != target], weights=None if weight is None else weight[y != target])
        assert display.path.fpr[k] == pytest.approx(share)
    (star,) = (line for line in display.axes_[1].lines if line.get_marker() == "*")
    flagged = model.predict(X) == target
    assert star.get_ydata() == pytest.approx(precision_score(y == target, flagged, sample_weight=weight))
    assert {"drawings at cost c", "this model", "ROC of all ranks, 300 rows"} <= set(legend_texts(display.ax_))
    with pytest.raises(ValueError, match="keep no counts of their training rows: pass X and y"):
        PathDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="negative_weights is of no use here"):
        PathDisplay.from_estimator(model, X, y, negative_weights=[0.1])


def test_no_star_without_a_cost_and_no_precision_where_nothing_is_flagged():
    display = PathDisplay.from_predictions([1, 0, 0], [0.35, 0.25, 0.1])
    assert not any("this model" in text for text in legend_texts(display.ax_))
    np.testing.assert_array_equal(np.isnan(display.path.precision), PAPER > 0.35)
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 0], [1.0]), {}, r"got \(2,\), \(1,\)"),
        (([1, 1], [1.0, 2.0]), {}, "both classes, got 2 positive ones of 2"),
        ((["a", "b"], [1.0, 2.0]), {}, "both classes, got 0 positive ones of 2"),
        (([1, 0], [1.0, np.nan]), {}, "must not contain NaN"),
        (([1, 0], [1.0, 2.0]), {"sample_weight": [1.0]}, r"sample_weight has shape \(1,\); expected \(2,\)"),
        (([1, 0], [1.0, 2.0]), {"sample_weight": [1.0, -1]}, "must be finite and not negative"),
        (([1, 0], [1.0, 2.0]), {"sample_weight": [1.0, 0]}, "both classes some weight"),
    ],
)
def test_wrong_predictions_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        PathDisplay.from_predictions(*arguments, **options)


def test_wrong_estimators_and_axes_are_refused(rows, model):
    X, y = rows
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(FastBoxesClassifier())
    with pytest.raises(TypeError, match="got BoxSetClassifier; others have no path of costs"):
        PathDisplay.from_estimator(BoxSetClassifier(BoxSet([[0]], [[1]])), [[0]], [0])
    with pytest.raises(ValueError, match="X and y go together"):
        PathDisplay.from_estimator(model, X)
    with pytest.raises(ValueError, match="sample_weight is for the rows of X"):
        PathDisplay.from_estimator(model, sample_weight=[1.0])
    with pytest.raises(ValueError, match="does not know"):
        PathDisplay.from_estimator(model, X, np.where(y == "rare", "rear", y))
    with pytest.raises(TypeError, match="path must be what the path method"):
        PathDisplay(model)
    with pytest.raises(ValueError, match="got 3"):
        PathDisplay.from_estimator(model, ax=Figure().subplots(1, 3))
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes, got str"):
        PathDisplay.from_estimator(model, ax=("a", "b"))


def test_missing_matplotlib_names_the_extra(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'boxdraw\[plot\]'"):
        model.path().plot()


def test_costs_that_are_written_towards_each_other_do_not_meet():
    """Two points of one precision: the text of the left one goes right, and that of the right one left."""
    y = np.repeat([1, 0, 1, 0, 1, 0], [22, 6, 22, 6, 56, 60])
    critical = np.repeat([0.9, 0.7, 0.5], [28, 28, 116])
    display = PathDisplay.from_predictions(y, critical, negative_weights=[0.8, 0.6])
    display.figure_.draw_without_rendering()
    for ax in display.axes_:
        texts = [text.get_window_extent() for text in ax.texts]
        assert texts
        assert not any(a.overlaps(b) for a, b in combinations(texts, 2))
