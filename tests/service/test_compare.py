import math
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw import BoxSet, BoxSetClassifier, ScoredBoxesClassifier, compare

INF = math.inf
NAMES = ["amount", "hour"]
OLD = BoxSet.from_text("amount >= 900 and hour <= 5\namount >= 100 and hour >= 20\nhour = 12", NAMES)
NEW = BoxSet.from_text("hour = 12\namount >= 800 and hour <= 5\namount <= 3", NAMES)

CLASSIFIER = BoxSetClassifier(NEW, classes=("no", "yes"))


def rows(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"amount": rng.integers(0, 1000, n), "hour": rng.integers(0, 24, n)})
    return X, rng.random(n) < 0.3


def kinds(comparison):
    return [(rule.kind, rule.old, rule.new) for rule in comparison.rules]


def test_a_box_dropped_and_another_added_is_not_changed():
    expected = [("same", 3, 1), ("changed", 1, 2), ("dropped", 2, None), ("added", None, 3)]
    assert kinds(compare(OLD, NEW)) == expected
    assert kinds(compare(OLD, NEW, *rows())) == expected


def test_the_same_rules_in_another_order_are_the_same():
    X, y = rows()
    found = compare(OLD, OLD[[2, 0, 1]], X, y)
    assert {rule.kind for rule in found.rules} == {"same"}
    assert (found.flagged, found.freed, found.p_recall, found.p_false_alarms) == (0, 0, 1, 1)
    for figure in found.figures:
        assert figure.difference == 0
        assert figure.low <= 0 <= figure.high


def test_figures_are_those_of_the_rows():
    X, y = rows()
    found = {one.name: one for one in compare(OLD, NEW, X, y).figures}
    for side, boxes in (("old", OLD), ("new", NEW)):
        flagged = boxes.contains(X)
        assert getattr(found["alarm rate"], side) == pytest.approx(flagged.mean())
        assert getattr(found["precision"], side) == pytest.approx(y[flagged].mean())
        assert getattr(found["recall"], side) == pytest.approx(flagged[y].mean())


def test_rows_that_change_sides():
    X, y = rows()
    found = compare(OLD, NEW, X, y)
    new, old = NEW.contains(X), OLD.contains(X)
    assert found.flagged == (new & ~old).sum()
    assert found.freed == (old & ~new).sum()
    assert found.flagged_rows == np.flatnonzero(new & ~old).tolist()
    assert found.freed_rows == np.flatnonzero(old & ~new).tolist()
    assert compare(OLD, NEW, X).freed_rows == found.freed_rows
    assert found.flagged_positives == (new & ~old & y).sum()
    assert found.freed_positives == (old & ~new & y).sum()


def test_the_tests_are_those_of_scipy():
    from scipy.stats import binomtest

    X, y = rows()
    found = compare(OLD, NEW, X, y)
    new, old = NEW.contains(X), OLD.contains(X)
    for p, among in ((found.p_recall, y), (found.p_false_alarms, ~y)):
        gained, lost = (new & ~old & among).sum(), (old & ~new & among).sum()
        assert p == pytest.approx(binomtest(gained, gained + lost).pvalue)


# Shares of the rows that both, only the old, only the new, and none of the rules flag; how many of each are positive.
TRUTHS = [
    ((0.3, 0.1, 0.1, 0.5), (0.8, 0.5, 0.5, 0.05)),
    ((0.3, 0.0, 0.2, 0.5), (1.0, 1.0, 1.0, 0.05)),  # no false alarm at all
    ((0.3, 0.1, 0.1, 0.5), (1.0, 1.0, 1.0, 0.05)),
    ((0.45, 0.03, 0.02, 0.5), (0.95, 0.95, 0.5, 0.02)),  # hardly any row changes sides
    ((0.2, 0.05, 0.25, 0.5), (0.9, 0.3, 0.6, 0.1)),
    ((0.0, 0.2, 0.2, 0.6), (0.3, 0.4, 0.3, 0.3)),  # not one in common
]


@pytest.mark.parametrize("n_rows", [30, 100, 1000])
@pytest.mark.parametrize("truth", TRUTHS)
def test_intervals_cover_the_true_difference(truth, n_rows):
    share, rate = map(np.array, truth)
    sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0]])
    true = {
        "alarm rate": sides @ share,
        "precision": sides @ (share * rate) / (sides @ share),
        "recall": sides @ (share * rate) / (share @ rate),
    }
    rng, covered = np.random.default_rng(0), []
    rules = BoxSet([[1, -INF]], [[INF, INF]]), BoxSet([[-INF, 1]], [[INF, INF]])
    for _ in range(400):
        cell = rng.choice(4, n_rows, p=share)
        y = rng.random(n_rows) < rate[cell]
        found = compare(*rules, sides.T[cell], y, pos_label=True).figures
        assert all(one.high > one.low or math.isnan(one.difference) for one in found)
        covered.append([one.low <= np.diff(true[one.name])[0] <= one.high for one in found])
    assert (np.mean(covered, axis=0) >= 0.9).all()


def test_few_rows_without_a_false_alarm_have_no_certain_precision():
    X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    found = {one.name: one for one in compare(BoxSet([[7]], [[9]]), BoxSet([[5]], [[9]]), X, y).figures}["precision"]
    assert (found.old, found.new, found.difference) == (1, 1, 0)
    assert found.low < -0.1
    assert found.high > 0.1


@given(seed=st.integers(0, 10_000))
def test_weights_are_repetitions(seed):
    X, y = rows(60, seed)
    times = np.random.default_rng(seed).integers(1, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), times)
    weighted = compare(OLD, NEW, X, y, sample_weight=times)
    copies = compare(OLD, NEW, X.iloc[repeated], y[repeated])
    assert kinds(weighted) == kinds(copies)
    for one, other in zip(weighted.figures, copies.figures, strict=True):
        for field in ("old", "new", "difference", "low", "high"):
            assert getattr(one, field) == pytest.approx(getattr(other, field), nan_ok=True)
    for field in ("flagged", "freed", "p_recall", "p_false_alarms"):
        assert getattr(weighted, field) == pytest.approx(getattr(copies, field))


def test_classifiers_and_scorecards():
    X, y = rows(800)
    y = (X.amount > 700) & (X.hour < 6) | (X.hour == 12)
    model = ScoredBoxesClassifier(max_boxes=3, cv=None).fit(X, y)
    found = compare(BoxSetClassifier(OLD, classes=(False, True)), model, X, y)
    figures = {one.name: one for one in found.figures}
    assert figures["recall"].new == pytest.approx((model.predict(X) & y).sum() / y.sum())
    assert len([rule for rule in found.rules if rule.new is not None]) == len(model.scorecard_.boxes)


def test_the_positive_class_is_that_of_the_classifier():
    X, y = rows()
    text = np.where(y, "fraud", "fine")
    model = BoxSetClassifier(OLD, classes=("fraud", "fine"))  # fine is the positive class
    share = {one.name: one for one in compare(model, NEW, X, text).figures}["precision"].old
    assert share == pytest.approx((text[OLD.contains(X)] == "fine").mean())
    stated = {one.name: one for one in compare(OLD, NEW, X, text, pos_label="fine").figures}["precision"].old
    assert stated == share


def test_a_positive_class_that_is_none():
    X, y = rows(40)
    with pytest.raises(ValueError, match=r"one label besides pos_label='fraud', got .False, True."):
        compare(OLD, NEW, X, y, pos_label="fraud")
    with pytest.raises(ValueError, match="one label besides pos_label='none'"):
        compare(CLASSIFIER, NEW, X, ["yes"] * 40, pos_label="none")
    assert math.isnan(
        {one.name: one for one in compare(OLD, NEW, X, ["no"] * 40, pos_label="yes").figures}["recall"].old
    )
    assert compare(CLASSIFIER, NEW, X[:0], []).p_recall == 1


def test_text_and_page_have_the_same_figures():
    X, y = rows()
    found = compare(OLD, NEW, X, y)
    text, page = found.to_text(), found.to_html()
    assert "changed  Box 2: amount ≥ 900 → amount ≥ 800 (rows: " in text
    assert "<td>changed</td><td>Box 2: amount ≥ 900 → amount ≥ 800</td>" in page
    for one in found.figures:
        assert f"{one.difference:+.1%}" in text
        assert f"{one.difference:+.1%}" in page
    assert "McNemar" in page
    base = files("boxdraw.report").joinpath("css/base.css").read_text("utf-8")
    assert base in page  # the style of the report
    assert "@media (prefers-color-scheme: dark)" in page
    assert "@media print" in page
    assert repr(found) == text


def test_names_are_escaped_in_the_page():
    boxes = BoxSet([[1]], [[2]], feature_names=["<script>"])
    assert "<script>" not in compare(boxes, boxes).to_html().split("</style>")[1]


def test_nothing_on_one_side():
    none = BoxSet(np.empty((0, 2)), np.empty((0, 2)), feature_names=NAMES)
    X, y = rows()
    found = compare(none, NEW, X, y)
    assert {rule.kind for rule in found.rules} == {"added"}
    assert math.isnan({one.name: one for one in found.figures}["precision"].old)
    assert "precision - → " in found.to_text()
    assert compare(none, none).to_text() == "No rules on either side"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("amount > 3", NEW), TypeError, "old must be a BoxSet, a Scorecard or a fitted classifier, got str"),
        ((OLD, 3), TypeError, "new must be a BoxSet"),
        ((OLD, NEW, None, [1]), ValueError, "which is not given"),
        ((OLD, NEW, [[1, 2]], [1, 0]), ValueError, "a label for each row of X: 1, got 2"),
        ((OLD, NEW, [[1, 2]] * 2, [1, None]), ValueError, "each row needs a label"),
        ((OLD, NEW, [[1, 2]] * 2, [1, 1]), ValueError, "y has the labels .1.; expected two"),
        ((OLD, CLASSIFIER, [[1, 2]] * 2, ["no", "maybe"]), ValueError, "labels .'maybe'. that the model does not know"),
    ],
)
def test_what_cannot_be_compared(arguments, error, message):
    with pytest.raises(error, match=message):
        compare(*arguments)
