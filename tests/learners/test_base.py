"""box_table, transform and the classifier made from boxes."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binomtest

from boxdraw import BoxSet, BoxSetClassifier

INF = np.inf
BOXES = BoxSet([[0.0, -INF], [2.0, 1.0]], [[3.0, INF], [5.0, 2.0]], feature_names=["a", "b"])
X = np.array([[1.0, 9.0], [2.5, 1.5], [4.0, 1.5], [4.5, 2.0], [9.0, 9.0], [6.0, 1.0]])
Y = np.array([1, 1, 0, 1, 1, 0])


def test_box_table_counts_what_a_person_would():
    table = BoxSetClassifier(BOXES).box_table(X, Y)
    assert table["rule"].tolist() == ["0 ≤ a ≤ 3", "2 ≤ a ≤ 5 and 1 ≤ b ≤ 2"]
    assert table["support"].tolist() == [2, 3]
    assert table["true_positives"].tolist() == [2, 2]
    assert table["false_positives"].tolist() == [0, 1]
    assert table["precision"].tolist() == pytest.approx([1, 2 / 3])
    assert table["recall"].tolist() == [0.5, 0.5]
    assert table["unique_recall"].tolist() == [0.25, 0.25]
    assert table["lift"].tolist() == pytest.approx([1.5, 1.0])
    assert table["overlap"].tolist() == pytest.approx([0.5, 1 / 3])


def test_box_table_has_scipys_wilson_intervals():
    table = BoxSetClassifier(BOXES).box_table(X, Y)
    for row in table.itertuples():
        interval = binomtest(int(row.true_positives), int(row.support)).proportion_ci(0.95, method="wilson")
        assert (row.precision_low, row.precision_high) == pytest.approx((interval.low, interval.high))


def test_box_table_weights_are_repetition():
    weight = np.array([3, 1, 2, 1, 1, 4])
    weighted = BoxSetClassifier(BOXES).box_table(X, Y, sample_weight=weight)
    repeated = BoxSetClassifier(BOXES).box_table(X.repeat(weight, axis=0), Y.repeat(weight))
    pd.testing.assert_frame_equal(weighted, repeated)


def test_box_table_of_an_empty_box_and_of_no_box():
    empty = BoxSetClassifier(BoxSet([[100.0]], [[101.0]])).box_table(X[:, :1], Y)
    assert empty["support"].tolist() == [0]
    assert np.isnan(empty["precision"][0])
    none = BoxSetClassifier(BoxSet(np.empty((0, 2)), np.empty((0, 2)))).box_table(X, Y)
    assert len(none) == 0


def test_box_table_refuses_what_does_not_fit():
    model = BoxSetClassifier(BOXES)
    with pytest.raises(ValueError, match="y has 5 labels, but X has 6 rows"):
        model.box_table(X, Y[:5])
    with pytest.raises(ValueError, match=r"labels \[7\] that the model does not know; it knows \[0, 1\]"):
        model.box_table(X, np.where(Y == 1, 7, 0))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(2,\)"):
        model.box_table(X, Y, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative"):
        model.box_table(X, Y, sample_weight=-np.ones(6))
    with pytest.raises(ValueError, match=r"sample_weight must be numbers: .*'a'"):
        model.box_table(X, Y, sample_weight=["a"] * 6)


def test_a_boxset_classifier_is_fitted_from_the_start():
    model = BoxSetClassifier(BOXES, classes=("ok", "fraud"))
    assert model.predict(X).tolist() == ["fraud", "fraud", "fraud", "fraud", "ok", "ok"]
    assert model.classes_.tolist() == ["fraud", "ok"]
    assert model.pos_label_ == "fraud"
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.decision_function(X) < 0, BOXES.contains(X))
    np.testing.assert_array_equal(model.transform(X), BOXES.membership(X))


def test_a_boxset_classifier_finds_columns_by_name():
    frame = pd.DataFrame({"b": X[:, 1], "other": 0, "a": X[:, 0]})
    assert BoxSetClassifier(BOXES).predict(frame).tolist() == [1, 1, 1, 1, 0, 0]


def test_fit_keeps_the_given_boxes_and_takes_the_labels():
    model = BoxSetClassifier(BOXES).fit(pd.DataFrame(X, columns=["a", "b"]), np.where(Y == 1, "yes", "no"))
    assert model.boxes_ is BOXES
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.pos_label_ == "no"  # the rarer one
    with pytest.raises(ValueError, match="3 features"):
        BoxSetClassifier(BOXES).fit(np.ones((4, 3)), [0, 1, 0, 1])


def test_without_boxes_fit_draws_the_tightest_box():
    model = BoxSetClassifier().fit(X, [1, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(model.boxes_.lower, [[1.0, 1.5]])
    np.testing.assert_array_equal(model.boxes_.upper, [[4.0, 9.0]])


def test_bad_parameters_of_a_boxset_classifier():
    with pytest.raises(TypeError, match="boxes must be a BoxSet or a Scorecard; got list"):
        BoxSetClassifier([[0, 1]]).predict(X)
    for classes in [(1, 1), (0, "a"), (0, 1, 2)]:
        with pytest.raises(ValueError, match="two different labels of one type"):
            BoxSetClassifier(BOXES, classes=classes).predict(X)
    with pytest.raises(ValueError, match="has the positive label second"):
        BoxSetClassifier(BOXES, classes=("ok", "bad"), pos_label="ok").predict(X)


def test_names_of_boxes_are_those_of_the_rows_it_knows():
    model = BoxSetClassifier(BOXES).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    assert model.get_feature_names_out(["a", "b"]).tolist() == ["box1", "box2"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        model.get_feature_names_out(["b", "a"])


def test_a_table_of_arrays_needs_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="install pandas, or pass X as a polars or pyarrow table"):
        BoxSetClassifier(BOXES).box_table(X, Y)
    assert len(BoxSetClassifier(BOXES).box_table(pl.DataFrame(X, schema=["a", "b"]), Y)) == 2
