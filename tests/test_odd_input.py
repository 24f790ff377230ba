"""Input that fuzzing found: odd labels, weights and values end in a result or in an error that says what is wrong."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from boxdraw import BoxSet, ExactBoxesClassifier, FastBoxesClassifier
from boxdraw.learners.grade import grades

X = np.arange(8.0).reshape(4, 2)
Y = [0, 1, 0, 1]
INF = float("inf")


@pytest.mark.parametrize("learner", [FastBoxesClassifier(n_boxes=1), ExactBoxesClassifier()])
def test_labels_of_several_types(learner):
    with pytest.raises(TypeError, match="y must have labels of one type; got int, str"):
        learner.fit(X, np.array(["a", 1, "a", 1], dtype=object))


@pytest.mark.parametrize("label", [np.nan, np.inf])
def test_labels_that_are_no_numbers(label):
    with pytest.raises(ValueError, match="Input y contains"):
        FastBoxesClassifier().fit(pd.DataFrame({"a": ["x", "y", "x", "y"]}), [label, 1.0, 1.0, 1.0])


def test_labels_of_bytes():
    with pytest.raises(TypeError, match="represented as bytes"):
        FastBoxesClassifier().fit(X, np.array([b"a", b"b", b"a", b"b"]))


@pytest.mark.parametrize("label", [[], [0, 1], 2**63, "0"])
def test_positive_labels_that_are_none(label):
    with pytest.raises(ValueError, match="is not a class of y; expected one of"):
        FastBoxesClassifier(pos_label=label).fit(X, np.array(Y, dtype=bool))


@pytest.mark.parametrize("n_jobs", [0, "a", 0.5])
def test_numbers_of_threads_that_are_none(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number other than 0; got"):
        BoxSet([[1]], [[2]]).contains([[1]], n_jobs=n_jobs)


@pytest.mark.parametrize("learner", [FastBoxesClassifier(n_boxes=1), ExactBoxesClassifier()])
def test_weights_that_are_no_numbers(learner):
    with pytest.raises(ValueError, match=r"sample_weight must be numbers of at least 0, one for each row: .*'a'"):
        learner.fit(X, Y, sample_weight=["a", "a", "a", "a"])


def test_a_row_of_next_to_no_weight():
    rows = [[-3.0], [0.0], [2.0], [5.0]]
    model = FastBoxesClassifier(n_boxes=2).fit(rows, [1, 1, 0, 0], [5e-324, 1.0, 1.0, 1.0])
    assert model.predict([[0.0], [2.0]]).tolist() == [1, 0]


def test_points_far_from_all_boxes():
    assert grades(np.array([[1e308, -1e308, 0.0]])).round(3).tolist() == [[1.0, 0.0, 0.5]]


def test_cells_that_hold_several_values():
    with pytest.raises(ValueError, match="X must have a number or a category in each cell"):
        FastBoxesClassifier().fit([[(1, 2)], [1.0], [2.0], [3.0]], Y)


@pytest.mark.parametrize(
    ("labels", "error"), [([[1], [1, 0], 0, 0], ValueError), (csr_array([[1, 0, 0, 0]]), TypeError)]
)
def test_labels_that_are_no_column_are_not_put_down_to_the_rows(labels, error):
    with pytest.raises(error, match=r"^y must have one label for each row: "):
        FastBoxesClassifier().fit(X, labels)


def test_missing_values_that_no_array_of_numbers_has():
    with pytest.raises(TypeError, match="X must hold numbers or categories"):
        FastBoxesClassifier().fit(np.array([[pd.NA], [1.0], [2.0], [3.0]], dtype=object), Y)


def test_both_infinities():
    both = np.array([[-np.inf], [1.0], [2.0], [np.inf]], dtype=np.float32)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        FastBoxesClassifier().fit(both, Y)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        FastBoxesClassifier(n_boxes=1).fit(X[:, :1], Y).predict(both)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_categories_that_differ_in_a_last_nul(frame):
    rows = frame({"a": ["x\0", "x", "y", "y"]})
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["a"], allowed={"a": [{"x\0"}]})
    assert boxes.contains(rows).tolist() == [True, False, False, False]
    model = FastBoxesClassifier(n_boxes=1).fit(rows, [1, 0, 0, 0])
    assert model.boxes_.categories == (("x", "x\0", "y"),)
    assert model.predict(rows).tolist() == [1, 0, 0, 0]


def test_moments_that_python_has_not_are_no_categories():
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["a"], allowed={"a": [{"x", 5}]}, missing=[[True]])
    rows = pa.table({"a": pa.array([2**62, None], pa.timestamp("s"))})
    assert boxes.contains(rows).tolist() == [False, True]


def test_a_missing_label_among_texts_is_named():
    with pytest.raises(ValueError, match="y contains NaN, the first in row 2 of 4: each row needs a label"):
        FastBoxesClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "yes", None, "no"])


def test_other_objects_as_categories_are_refused_with_advice():
    bands = pd.DataFrame({"band": pd.cut(np.arange(20.0), 4)})
    with pytest.raises(TypeError, match=r"column 'band' of X can't be a feature.*got Interval.*astype\(str\)"):
        FastBoxesClassifier().fit(bands, np.arange(20) % 5 == 0)


def test_numbers_as_text_are_told_from_identifiers():
    amount = [f"{i}.5" for i in range(199)] + ["12 EUR"]
    with pytest.warns(UserWarning, match="convert it to numbers if .*: most of it is, but for '12 EUR'"):
        FastBoxesClassifier().fit(pd.DataFrame({"amount": amount}), np.arange(200) % 5 == 0)


def test_a_folder_that_is_not_there_is_named_alone(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        BoxSet([[1]], [[2]]).to_json(tmp_path / "nowhere" / "boxes.json")
    assert str(error.value).endswith(f"{str(tmp_path / 'nowhere' / 'boxes.json')!r}")
