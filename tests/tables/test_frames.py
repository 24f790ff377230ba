"""Tables as people have them: categories, missing values, any order of columns, any kind of frame."""

import math
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

LEARNERS = [
    FastBoxesClassifier(n_boxes=2),
    FastBoxesClassifier(n_boxes=2, growth="edge", expansion=0.5),
    FastBoxesClassifier(n_boxes=1, growth="free"),
    FastBoxesClassifierCV(n_boxes=(1, 2), expansion=(0.0, 0.1)),
    ExactBoxesClassifier(max_boxes=2, negative_weight=0.5, time_limit=600.0, random_state=0),
    BoxSetClassifier(),
    SparseBoxesClassifier(cv=2, max_boxes=2),
]
FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


def mixed(n=300, seed=0):
    """A table of numbers, text, true and false, categories and missing values, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    age, amount = rng.normal(40, 10, n).round(), rng.exponential(100, n).round(1)
    region = rng.choice(["north", "south", "east", "west"], n).astype(object)
    flagged = np.isin(region, ["north", "east"]) & (amount > 90) & (age > 33)
    age[rng.random(n) < 0.15] = np.nan
    region[rng.random(n) < 0.05] = None
    frame = pd.DataFrame({"age": age, "the region": region, "new": rng.random(n) < 0.3, "amount": amount})
    frame["size"] = pd.Categorical(rng.choice(["s", "m", "l"], n))
    return frame, (flagged ^ (rng.random(n) < 0.02)).astype(int)


def quietly(model, X, y, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(X, y, **kwargs)


def copies(models):
    return [type(model)(**model.get_params()) for model in models]


def holds(boxes, rule, row):
    """Whether a box holds a row, from the meaning of its limits."""
    for limit in rule.limits:
        value = row[limit.feature]
        if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
            inside = limit.missing
        elif boxes.categories[boxes.feature_names.index(limit.feature)] is None:
            inside = limit.lower <= value <= limit.upper
        else:
            inside = limit.categories is None or value in limit.categories
        if not inside:
            return False
    return True


def plain_decision(boxes, row):
    return any(holds(boxes, rule, row) for rule in boxes.rules())


@pytest.mark.parametrize("model", copies(LEARNERS), ids=repr)
def test_predictions_follow_from_the_rules(model):
    X, y = mixed()
    quietly(model, X, y)
    flagged = [plain_decision(model.boxes_, row) for row in X.to_dict("records")]
    np.testing.assert_array_equal(model.predict(X) == 1, flagged)
    np.testing.assert_array_equal(model.decision_function(X) >= 0, flagged)
    assert model.boxes_.feature_names == tuple(X.columns)
    assert [values is not None for values in model.boxes_.categories] == [False, True, True, False, True]
    assert BoxSet.from_json(model.boxes_.to_json()) == model.boxes_


@pytest.mark.parametrize("model", copies(LEARNERS), ids=repr)
@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_every_frame_gives_the_same_model(model, kind):
    X, y = mixed(150)
    boxes = quietly(model, X, y).boxes_
    other = FRAMES[kind](X)
    same = quietly(type(model)(**model.get_params()), other, y)
    assert same.boxes_ == boxes
    np.testing.assert_array_equal(same.predict(other), model.predict(X))
    np.testing.assert_array_equal(model.predict(other), model.predict(X))


@pytest.mark.parametrize("model", copies(LEARNERS[:2] + LEARNERS[4:]), ids=repr)
def test_columns_are_matched_by_name(model):
    X, y = mixed(150)
    expected = quietly(model, X, y).predict(X)
    np.testing.assert_array_equal(model.predict(X[X.columns[::-1]]), expected)
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- amount"):
        model.predict(X.drop(columns="amount"))
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- more"):
        model.predict(X.assign(more=1))


@pytest.mark.parametrize("model", copies(LEARNERS[:3] + LEARNERS[4:5]), ids=repr)
def test_unseen_categories_are_outside_with_one_warning(model):
    X, y = mixed(150)
    quietly(model, X, y)
    new = X.copy()
    new["the region"] = "mars"
    with pytest.warns(UserWarning, match=r"^Categories that were not seen .* 'the region': 'mars'\.$") as caught:
        flagged = model.predict(new) == 1
    assert len(caught) == 1
    limited = model.boxes_.limited[:, 1]
    with pytest.warns(UserWarning, match="mars"):
        member = model.transform(new)
    assert not member[:, limited].any()
    np.testing.assert_array_equal(flagged, member.any(axis=1))


IDENTIFIER = r"^X seems to hold an identifier, column 'size': 150 different categories in 150 rows\. .* leave it out\.$"


@pytest.mark.parametrize("model", copies([*LEARNERS, ScoredBoxesClassifier(cv=None)]), ids=repr)
def test_identifiers_are_named(model):
    X, y = mixed(150)
    X["size"] = [f"row {i}" for i in range(150)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    (found,) = [warning for warning in caught if re.match(IDENTIFIER, str(warning.message))]
    assert isinstance(model, BoxSetClassifier) or found.filename == __file__


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("n_categories", "n_rows", "warned"), [(50, 50, 0), (51, 51, 1), (51, 101, 1), (51, 102, 0)])
def test_what_an_identifier_is(frame, n_categories, n_rows, warned):
    """Missing values are no rows of it."""
    X = pd.DataFrame({"a": [*(str(i % n_categories) for i in range(n_rows)), None, None], "b": 1.0})
    y = np.arange(len(X)) < 5
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        FastBoxesClassifier(n_boxes=1).fit(FRAMES[frame](X), y)
    assert ["identifier" in str(warning.message) for warning in caught] == [True] * warned


def test_identifiers_in_arrays_have_a_number_and_given_boxes_learn_nothing():
    X, y = np.array([[i, f"row {i}"] for i in range(90)], dtype=object), np.arange(90) < 9
    with pytest.warns(UserWarning, match="identifier, column 1: 90"):
        FastBoxesClassifier(n_boxes=1).fit(X, y)
    numbers = np.arange(90.0)[:, None]
    with pytest.warns(UserWarning, match="identifier, column 0: 90"):
        FastBoxesClassifier(n_boxes=1, categorical_features=[0]).fit(numbers, y)
    FastBoxesClassifier(n_boxes=1).fit(numbers, y)
    boxes = BoxSet([[0.0, -np.inf]], [[8.0, np.inf]], categories={"x1": [f"row {i}" for i in range(90)]})
    np.testing.assert_array_equal(BoxSetClassifier(boxes).fit(X, y).predict(X), y)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_the_critical_weight_says_what_predict_says(seed):
    """For rows seen and unseen, at every growth rule: categories, missing values, both or neither in training."""
    rng = np.random.default_rng(seed)
    X, y = mixed(60, seed)
    if y.min() == y.max():
        return
    model = FastBoxesClassifier(
        n_boxes=int(rng.integers(1, 4)),
        growth=str(rng.choice(["nearest_negative", "edge", "free"])),
        negative_weight=float(rng.choice([0.1, 0.5, 1.0, 3.0])),
        expansion=float(rng.choice([0.0, 1.0])),
        round_limits=False,
    )
    train = X if rng.random() < 0.5 else X.fillna({"age": 40.0, "the region": "west"})
    quietly(model, train, y)
    new = mixed(80, seed + 1)[0]
    new.loc[:5, "the region"] = "mars"
    new.loc[3:8, "amount"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for rows in (train, new):
            flagged = [plain_decision(model.boxes_, row) for row in rows.to_dict("records")]
            np.testing.assert_array_equal(model.predict(rows) == 1, flagged)
            np.testing.assert_array_equal(model.critical_weight(rows) >= model.negative_weight_, flagged)
            for point in model.path([0.05, 0.7]):
                held = model.critical_weight(rows) >= point.negative_weight
                np.testing.assert_array_equal(point.boxes.contains(rows), held)


def test_weights_are_repetition_with_categories_and_missing_values():
    X, y = mixed(80, 3)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    repeated = X.loc[np.repeat(X.index, weight)].reset_index(drop=True)
    for growth in ("nearest_negative", "edge", "free"):
        weighted = quietly(FastBoxesClassifier(n_boxes=2, growth=growth), X, y, sample_weight=weight)
        assert (
            weighted.boxes_
            == quietly(FastBoxesClassifier(n_boxes=2, growth=growth), repeated, np.repeat(y, weight)).boxes_
        )


def test_the_order_of_rows_and_columns_does_not_matter():
    X, y = mixed(80, 4)
    model = quietly(FastBoxesClassifier(n_boxes=2), X, y)
    rows = np.random.default_rng(0).permutation(len(y))
    assert quietly(FastBoxesClassifier(n_boxes=2), X.iloc[rows], y[rows]).boxes_ == model.boxes_
    turned = quietly(FastBoxesClassifier(n_boxes=2), X[X.columns[::-1]], y)
    np.testing.assert_array_equal(turned.predict(X), model.predict(X))


def test_missing_values_of_numbers_alone():
    X = np.array([[1.0, 2.0], [2.0, np.nan], [np.nan, 1.0], [8.0, np.nan], [9.0, 5.0], [7.0, 6.0], [8.0, 7.0]])
    y = [1, 1, 1, 0, 0, 0, 0]
    model = quietly(FastBoxesClassifier(n_boxes=1), X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert "(or missing)" in model.boxes_.to_text()
    exact = ExactBoxesClassifier(max_boxes=1, box_cost=1, limit_cost=0, random_state=0).fit(X, y)
    assert (exact.objective_, exact.status_) == (3 + 4 * 0.75 - 1, "optimal")


def test_what_is_missing_can_be_the_rule():
    X = pd.DataFrame({"income": [np.nan, np.nan, np.nan, 1.0, 2.0, 3.0, 4.0], "x": range(7)})
    y = [1, 1, 1, 0, 0, 0, 0]
    exact = ExactBoxesClassifier(max_boxes=1, box_cost=1, limit_cost=0, random_state=0).fit(X[["income"]], y)
    assert exact.boxes_.to_text() == "Box 1: income is missing"
    fast = FastBoxesClassifier(n_boxes=1).fit(X[["income"]], y)
    np.testing.assert_array_equal(fast.predict(X[["income"]]), y)


def test_numbers_named_as_categories():
    X = pd.DataFrame({"code": [1, 2, 3, 4] * 10, "x": np.arange(40.0)})
    y = np.isin(X["code"], [1, 4]).astype(int)
    for model in (
        FastBoxesClassifier(n_boxes=1, categorical_features=["code"]),
        ExactBoxesClassifier(max_boxes=1, categorical_features=[0]),
    ):
        model.fit(X, y)
        np.testing.assert_array_equal(model.predict(X), y)
        assert model.boxes_.rules()[0].limits[0].categories == {1, 4}
    for wrong, error in ((["cod"], ValueError), ([2], ValueError), ("code", TypeError)):
        with pytest.raises(error, match="categorical_features"):
            FastBoxesClassifier(categorical_features=wrong).fit(X, y)


@pytest.mark.parametrize("model", copies(LEARNERS[:1] + LEARNERS[4:]), ids=repr)
def test_text_in_arrays_and_lists(model):
    X, y = mixed(100)
    rows = X.astype(object).to_numpy()
    quietly(model, rows, y)
    assert [values is not None for values in model.boxes_.categories] == [False, True, True, False, True]
    named = quietly(type(model)(**model.get_params()), X, y)
    np.testing.assert_array_equal(model.predict(rows), named.predict(X))
    np.testing.assert_array_equal(
        quietly(type(model)(**model.get_params()), rows.tolist(), y).predict(rows), named.predict(X)
    )


NAMES = ["a b", 'say "hi"', "x<=3", "größe", "select", "a\nb", "", "名前"]


def test_any_feature_name():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, len(NAMES))), columns=NAMES)
    y = (X["a b"] + X[""] > 1).astype(int)
    model = FastBoxesClassifier(n_boxes=1).fit(X, y)
    assert model.boxes_.feature_names == tuple(NAMES)
    assert len(model.boxes_.to_text().splitlines()) == 1
    np.testing.assert_array_equal(model.predict(X[NAMES[::-1]]), model.predict(X))
    with pytest.raises(ValueError, match="several columns named 'a b'"):
        FastBoxesClassifier().fit(X.rename(columns={"": "a b"}), y)


@pytest.mark.parametrize("model", copies([*LEARNERS[:1], ScoredBoxesClassifier(), SparseBoxesClassifier()]), ids=repr)
def test_a_table_without_rows(model):
    X, _ = mixed()
    with pytest.raises(ValueError, match="X has 0 rows, while a minimum of 1 is required"):
        model.fit(X[:0], [])


@pytest.mark.parametrize("model", copies(LEARNERS[:1] + LEARNERS[3:]), ids=repr)
def test_what_is_refused(model):
    X, y = mixed(50)
    for bad, error, message in (
        (X.assign(day=pd.Timestamp("2020-01-01")), ValueError, "Column 'day' of X holds dates or times .* days since"),
        (pl.DataFrame({"a": [[1]] * 50}), ValueError, r"Column 'a' of X holds List.*a number or a category"),
        (X.assign(age=np.inf), ValueError, "infinity"),
        (X.assign(odd=[{}] * 50), TypeError, "argument must be a string or a real number"),
        (sparse.csr_array(np.ones((50, 2))), TypeError, "[Ss]parse"),
    ):
        with pytest.raises(error, match=message):
            model.fit(bad, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])


def test_a_model_of_a_mixed_table_is_pickled_and_its_boxes_predict_alone():
    X, y = mixed()
    model = quietly(FastBoxesClassifierCV(n_boxes=(1, 2)), X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.critical_weight(X), model.critical_weight(X))
    alone = BoxSetClassifier(model.boxes_)
    np.testing.assert_array_equal(alone.predict(X), model.predict(X))
    np.testing.assert_array_equal(alone.predict(pl.from_pandas(X)), model.predict(X))
    with pytest.warns(UserWarning, match="mars"):
        alone.predict(X.assign(**{"the region": "mars"}))


def test_columns_named_by_numbers():
    """More columns than rows, and text among them: a number as a name is no place of a row."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 40)))
    y = (X[3] > 0.8).astype(int)
    assert FastBoxesClassifier(n_boxes=1).fit(X, y).predict(X).shape == (30,)
    X[35] = np.where(y, "rare", "common")
    model = ExactBoxesClassifier(max_boxes=1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    with pytest.warns(UserWarning, match=r"'x35': 'odd'"):
        model.predict(X.replace({"rare": "odd"}))
