"""Labels: the classes found in them, the positive one, and what is rejected."""

import enum

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone

from boxdraw import BoxSetClassifier, ExactBoxesClassifier, FastBoxesClassifier, FastBoxesClassifierCV
from boxdraw.model.simplify import Score
from boxdraw.tables.labels import check_binary, positive_label, rarer_label

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0]])
IS_POSITIVE = X[:, 0] > 6


class Plain(enum.Enum):
    NO, YES = "no", "yes"


class Number(enum.IntEnum):
    NO, YES = 0, 1


class Text(enum.StrEnum):
    NO, YES = "no", "yes"


class OldText(str, enum.Enum):  # noqa: UP042
    NO, YES = "no", "yes"


def labels(negative, positive):
    y = np.empty(len(X), dtype=object)
    y[:] = [positive if flag else negative for flag in IS_POSITIVE]
    return y


@pytest.mark.parametrize("as_given", [np.asarray, list, tuple, pd.Series])
@pytest.mark.parametrize("pair", [("a", "a\0"), ("a\0\0", "a\0")])
@pytest.mark.parametrize(
    "model",
    [
        FastBoxesClassifier(n_boxes=1),
        FastBoxesClassifierCV(cv=2),
        BoxSetClassifier(),
        ExactBoxesClassifier(max_boxes=1),
    ],
)
def test_texts_that_differ_in_nuls_at_the_end_are_two_classes(model, pair, as_given):
    y = as_given(labels(*pair))
    model.fit(X, y)
    assert model.pos_label_ == pair[1]
    assert model.classes_.tolist() == sorted(pair)
    expected = clone(model).fit(X, IS_POSITIVE)
    assert [label == pair[1] for label in model.predict(X)] == expected.predict(X).tolist()
    assert model.score(X, y) == expected.score(X, IS_POSITIVE)


def test_figures_keep_nuls_too():
    y = labels("a", "a\0")
    model = FastBoxesClassifier(n_boxes=1).fit(X, y)
    assert list(model.box_table(X, list(y))["precision"]) == [1.0]
    assert Score.of(list(y), len(X), 1.0, None, None).positive.tolist() == IS_POSITIVE.tolist()


@pytest.mark.parametrize("kind", [Number, Text, OldText])
@pytest.mark.parametrize("as_given", [np.asarray, list])
def test_members_of_enums_that_are_numbers_or_texts(kind, as_given):
    y = as_given(labels(kind.NO, kind.YES))
    model = FastBoxesClassifier(n_boxes=1).fit(X, y)
    assert model.pos_label_ == kind.YES
    assert model.predict(X).tolist() == list(y)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("as_given", [np.asarray, list])
def test_members_of_other_enums_are_rejected(as_given):
    with pytest.raises(TypeError, match=r"y holds members of the enum Plain, which have no order.* \[label.name for"):
        FastBoxesClassifier().fit(X, as_given(labels(Plain.NO, Plain.YES)))


@pytest.mark.parametrize("gone", [pd.NA, None, float("nan"), pd.NaT])
@pytest.mark.parametrize("as_given", [np.asarray, list, pd.Series])
@pytest.mark.parametrize("table", [X, pd.DataFrame({"a": ["x", "y"] * 5})])
def test_missing_labels_are_an_error_of_y(table, as_given, gone):
    y = labels("a", "b")
    y[3] = gone
    with pytest.raises(ValueError, match="Input y contains NaN, the first in row 3 of 10"):
        FastBoxesClassifier().fit(table, as_given(y))


def test_missing_numbers_are_an_error_of_y():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        FastBoxesClassifier().fit(X, pd.Series([0, 1, pd.NA, 1, 0] * 2, dtype="Int64"))


@pytest.mark.parametrize("as_given", [np.asarray, list])
@pytest.mark.parametrize("pair", [(1, "b"), ("b", 1)])
def test_mixed_labels_are_rejected(pair, as_given):
    with pytest.raises(TypeError, match="y must have labels of one type; got int, str"):
        FastBoxesClassifier().fit(X, as_given(labels(*pair)))


class Odd(str):
    """A text that equals nothing, not even itself."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return False


def test_labels_must_equal_their_classes():
    with pytest.raises(ValueError, match="labels of y do not equal the classes"):
        check_binary(np.array([Odd("a"), Odd("b")], dtype=object), None)


def test_the_rarer_label():
    assert rarer_label({"a": 3, "b": 2}) == "b"
    assert rarer_label({"a": 2, "b": 3}) == "a"
    assert rarer_label({"a": 2, "b": 2}) == "b"
    assert positive_label({0: 9, 1: 2}, 0) == 0
    with pytest.raises(ValueError, match=r"pos_label=2 is not a class of y; expected one of \[0, 1\]"):
        positive_label({0: 9, 1: 2}, 2)


@pytest.mark.parametrize("stored", [False, True])
def test_weights_do_not_choose_the_positive_class(stored, monkeypatch):
    monkeypatch.setattr("boxdraw.tables.stored.LARGE", 0)
    weight = np.where(IS_POSITIVE, 100.0, 0.5)
    weight[0] = 0.0  # six negatives with weight, still more than three positives
    model = FastBoxesClassifier(n_boxes=1)
    if stored:
        table = pa.table({"x": X[:, 0], "y": IS_POSITIVE.astype(int), "w": weight})
        model.fit_table(table, target="y", weight="w")
    else:
        model.fit(X, IS_POSITIVE.astype(int), weight)
    assert model.pos_label_ == 1


@pytest.mark.parametrize("stored", [False, True])
def test_rows_without_weight_do_not_count(stored, monkeypatch):
    monkeypatch.setattr("boxdraw.tables.stored.LARGE", 0)
    weight = np.ones(len(X))
    weight[2:7] = 0.0  # two negatives and three positives are left
    model = FastBoxesClassifier(n_boxes=1)
    if stored:
        table = pa.table({"x": X[:, 0], "y": IS_POSITIVE.astype(int), "w": weight})
        model.fit_table(table, target="y", weight="w")
    else:
        model.fit(X, IS_POSITIVE.astype(int), weight)
    assert model.pos_label_ == 0
