"""Tables that no boxes can be drawn in end in one clear error, in fit and in predict."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxdraw import BoxSetClassifier, FastBoxesClassifier, FastBoxesClassifierCV

NUMBERS = {"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "b": [1, 0, 1, 0, 1, 0]}
Y = [0, 0, 0, 0, 1, 1]
DAYS = [datetime.date(2020, 1, day) for day in range(1, 7)]
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
BAD = [
    (pd.DataFrame({**NUMBERS, "day": pd.to_datetime(DAYS)}), "Column 'day' of X holds dates or times .* days since"),
    (pl.DataFrame({**NUMBERS, "day": DAYS}), "Column 'day' of X holds dates or times .* days since"),
    (pa.table({**NUMBERS, "day": DAYS}), "Column 'day' of X holds dates or times .* days since"),
    (np.array(DAYS * 2, dtype="datetime64[D]").reshape(6, 2), "X holds dates or times"),
    (pd.DataFrame(np.ones((6, 2)), columns=["a", "a"]), "several columns named 'a'"),
]


@pytest.mark.parametrize(("X", "message"), BAD, ids=lambda value: type(value).__module__.split(".")[0])
@pytest.mark.parametrize("classifier", [FastBoxesClassifier, FastBoxesClassifierCV, BoxSetClassifier])
def test_fit_refuses(classifier, X, message):
    with pytest.raises(ValueError, match=message):
        classifier().fit(X, Y)


@pytest.mark.parametrize("frame", FRAMES)
def test_predict_refuses_dates_and_takes_numbers(frame):
    model = FastBoxesClassifier(n_boxes=1).fit(frame(NUMBERS), Y)
    assert model.predict(frame(NUMBERS)).shape == (6,)
    with pytest.raises(ValueError, match="Column 'a' of X holds"):
        model.predict(frame({"a": DAYS, "b": NUMBERS["b"]}))
    with pytest.raises(TypeError, match="column 'a' of X must hold numbers only"):
        model.predict(frame({"a": ["1"] * 6, "b": NUMBERS["b"]}))


def test_lazy_frames_are_told_to_collect():
    with pytest.raises(TypeError, match=r"pass X.collect\(\)"):
        FastBoxesClassifier().fit(pl.LazyFrame(NUMBERS), Y)


def test_objects_that_are_numbers_are_taken():
    X = pd.DataFrame(NUMBERS)
    model = FastBoxesClassifier(n_boxes=1).fit(X.astype(object), Y)
    assert model.boxes_ == FastBoxesClassifier(n_boxes=1).fit(X, Y).boxes_


def test_whole_numbers_too_large_for_floats():
    X = np.array([[1], [2], [3], [4], [5], [10**400]], dtype=object)
    model = FastBoxesClassifier(n_boxes=1).fit(X[:5], Y[:5])
    for ask in (model.predict, lambda X: model.fit(X, Y)):
        with pytest.raises(ValueError, match="Input X has a whole number too large for dtype"):
            ask(X)
    with pytest.raises(ValueError, match=r"sample_weight must be numbers of at least 0.*: int too large"):
        model.fit(X[:5], Y[:5], sample_weight=X[1:])


@pytest.mark.parametrize("values", [["a", None, "b", "a", "b", "c"], [1, None, 2, 1, 2, 3]], ids=["text", "numbers"])
def test_missing_values_of_dictionaries_are_missing(values):
    """Arrow gives the last value of the dictionary for them when it makes an array of a column."""
    column, y = pa.array(values), [1, 1, 0, 0, 0, 0]
    expected = FastBoxesClassifier(n_boxes=1).fit(pa.table({"x": column}), y)
    coded = pa.table({"x": column.dictionary_encode()})
    model = FastBoxesClassifier(n_boxes=1).fit(coded, y)
    assert model.boxes_ == expected.boxes_
    assert model.predict(coded).tolist() == expected.predict(pa.table({"x": column})).tolist()
    assert model.boxes_.missing.any()
