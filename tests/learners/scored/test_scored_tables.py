"""Scorecards of tables as people have them: categories, missing values, frames of any kind."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxdraw import ScoredBoxesClassifier
from boxdraw.model.scorecard import Scorecard

from ...tables.test_frames import holds
from . import reference as ref

FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
MODELS = {
    "plain": ScoredBoxesClassifier(cv=None),
    "free": ScoredBoxesClassifier(cv=None, max_limits=3, lam=1.0, max_union=None),
    "signed": ScoredBoxesClassifier(cv=None, lam=1.0, signed_points=True),
    "folds": ScoredBoxesClassifier(cv=2, max_limits=2),
}


def mixed(n=300, seed=0):
    """Numbers, text, true and false, categories and missing values, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    age, amount = rng.normal(40, 10, n).round(), rng.exponential(100, n).round(1)
    region = rng.choice(["north", "south", "east", "west"], n).astype(object)
    new = rng.random(n) < 0.3
    flagged = np.isin(region, ["north", "east"]) & (amount > 90) | new & (age > 45)
    age[rng.random(n) < 0.15] = np.nan
    flagged |= np.isnan(age) & (amount > 60)
    region[rng.random(n) < 0.05] = None
    frame = pd.DataFrame({"age": age, "the region": region, "new": new, "amount": amount})
    frame["size"] = pd.Categorical(rng.choice(["s", "m", "l"], n))
    return frame, (flagged ^ (rng.random(n) < 0.02)).astype(int)


def fitted(name, X, y, **parameters):
    model = MODELS[name]
    return type(model)(**(model.get_params() | parameters)).fit(X, y)


def plain_points(card, row):
    """The points of one row, from the meaning of the rules."""
    rules = zip(card.boxes.rules(), card.points, strict=True)
    return sum(points for rule, points in rules if holds(card.boxes, rule, row))


def strange_rows(X):
    """Rows with missing values everywhere and categories that no one has seen."""
    rows = X.iloc[:60].copy()
    rows["size"] = rows["size"].astype(object)
    rows["new"] = rows["new"].astype(object)
    rng = np.random.default_rng(1)
    for name in rows:
        rows.loc[rng.random(len(rows)) < 0.3, name] = None
    rows.loc[rng.random(len(rows)) < 0.3, "the region"] = "mars"
    return rows


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_predictions_follow_from_the_card(name, seed):
    X, y = mixed(seed=seed)
    model = fitted(name, X, y)
    card = model.scorecard_
    assert len(card) > 1
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Categories that were not seen")
        for rows in (X, strange_rows(X)):
            points = np.array([plain_points(card, row) for row in rows.to_dict("records")])
            flagged = points >= card.threshold
            np.testing.assert_array_equal(card.score(rows), points)
            np.testing.assert_array_equal(model.predict(rows) == 1, flagged)
            np.testing.assert_array_equal(model.decision_function(rows) >= 0, flagged)
            if not card.signed:
                np.testing.assert_array_equal(model.boxes_.contains(rows), flagged)
            np.testing.assert_array_equal(model.transform(rows) @ card.points, points)
            assert np.isfinite(model.decision_function(rows)).all()
    assert Scorecard.from_json(card.to_json()) == card


def test_the_card_uses_categories_and_missing_values():
    X, y = mixed(600)
    boxes = fitted("free", X, y).scorecard_.boxes
    limited = dict(zip(boxes.feature_names, boxes.limited.any(axis=0).tolist(), strict=True))
    assert limited["the region"]
    assert limited["age"]
    assert [values is not None for values in boxes.categories] == [False, True, True, False, True]


@pytest.mark.parametrize("name", ["plain", "folds"])
@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_every_frame_gives_the_same_model(name, kind):
    X, y = mixed(200)
    model, other = fitted(name, X, y), FRAMES[kind](X)
    same = fitted(name, other, y)
    assert same.scorecard_ == model.scorecard_
    assert same.boxes_ == model.boxes_
    np.testing.assert_array_equal(same.predict(other), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(X))
    assert type(same.scorecard_table(other, y)) is type(other)
    assert type(same.box_table(other, y)) is type(other)
    assert type(same.explain(other)) is type(other)


@pytest.mark.parametrize("name", MODELS)
def test_columns_are_matched_by_name(name):
    X, y = mixed(200)
    model = fitted(name, X, y)
    other = X[X.columns[::-1]]
    np.testing.assert_array_equal(model.predict(other), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(X))
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- amount"):
        model.decision_function(X.drop(columns="amount"))


@pytest.mark.parametrize("name", MODELS)
def test_unseen_categories_are_outside_with_one_warning(name):
    X, y = mixed(300)
    model = fitted(name, X, y)
    new = X.assign(**{"the region": "mars"})
    for ask in (model.predict, model.decision_function, model.transform):
        with pytest.warns(UserWarning, match=r"^Categories that were not seen .* 'the region': 'mars'\.$") as caught:
            ask(new)
        assert len(caught) == 1
    boxes = model.scorecard_.boxes
    assert not boxes.membership(new)[:, boxes.limited[:, 1]].any()


def test_unseen_values_rank_as_outside():
    """A card of one box by one feature: what training never saw is as far outside as can be."""
    X = pd.DataFrame({"kind": ["a", "b"] * 50, "dose": np.arange(100.0)})
    for column, y, unseen in (("kind", X["kind"] == "b", "c"), ("dose", X["dose"] > 70, np.nan)):
        model = ScoredBoxesClassifier(cv=None, max_boxes=1, max_limits=1).fit(X[[column]], y.to_numpy())
        new = pd.DataFrame({column: [unseen]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            assert model.decision_function(new)[0] <= model.decision_function(X[[column]]).min()
            assert not model.predict(new)[0]


def test_categories_rank_by_their_share_of_positives():
    share = {"c": 0.1, "a": 0.2, "e": 0.3, "b": 0.6, "f": 0.7, "d": 0.8}
    X = pd.DataFrame({"kind": [kind for kind in share for _ in range(100)]})
    y = [i < 100 * part for part in share.values() for i in range(100)]
    model = ScoredBoxesClassifier(cv=None, max_boxes=1, max_limits=1, pos_label=True).fit(X, y)
    kinds = pd.DataFrame({"kind": list(share)})
    assert (np.diff(model.decision_function(kinds)) > 0).all()
    assert 0 < model.predict(kinds).sum() < 6


@pytest.mark.parametrize("name", ["plain", "free", "folds"])
def test_explanations_agree_with_predictions(name):
    X, y = mixed(200)
    model = fitted(name, X, y)
    table = model.explain(X)
    assert len(table) == 200
    flagged = model.predict(X) == 1
    assert 0 < flagged.sum() < 200
    np.testing.assert_array_equal(table["flagged"].to_numpy(), flagged)
    np.testing.assert_array_equal(table["points"].to_numpy(), model.scorecard_.score(X))


def test_pickled_models_say_the_same():
    X, y = mixed(200)
    for name in MODELS:
        model = fitted(name, X, y)
        again = pickle.loads(pickle.dumps(model))
        assert again.scorecard_ == model.scorecard_
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_arrays_of_objects_and_lists():
    X, y = mixed(150)
    columns = ["age", "the region", "amount"]
    model = fitted("plain", X[columns], y)
    array = X[columns].to_numpy(dtype=object)
    plain = fitted("plain", array, y)
    np.testing.assert_array_equal(plain.predict(array), model.predict(X[columns]))
    np.testing.assert_array_equal(plain.predict(array.tolist()), model.predict(X[columns]))


def test_numbers_called_categories():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (400, 2)).astype(float)
    y = np.isin(X[:, 0], [0, 2, 5])
    model = ScoredBoxesClassifier(cv=None, categorical_features=[0], max_boxes=1, max_limits=1).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.scorecard_.boxes.rules()[0].limits[0].categories in ({0, 2, 5}, {1, 3, 4})


@pytest.mark.parametrize("n_shops", [20, 60, 200])
def test_categories_that_mean_nothing_are_left_alone(n_shops):
    rng = np.random.default_rng(n_shops)
    X = pd.DataFrame({"u": rng.uniform(-1, 1, 1500), "v": rng.uniform(-1, 1, 1500)})
    y = ((X["u"] > 0.5) & (X["v"] > 0.5)).to_numpy() ^ (rng.random(1500) < 0.01)
    X["shop"] = [f"shop {k}" for k in rng.integers(0, n_shops, 1500)]
    card = ScoredBoxesClassifier(cv=None).fit(X, y).scorecard_
    assert len(card)
    assert "shop" not in card.to_text()


def test_a_few_of_many_categories_are_found():
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 60, 3000)
    X = pd.DataFrame({"shop": [f"shop {k}" for k in shop], "u": rng.normal(size=3000)})
    y = np.isin(shop, [7, 11, 42]) & (rng.random(3000) < 0.8)
    card = ScoredBoxesClassifier(cv=None, max_boxes=1).fit(X, y).scorecard_
    assert card.boxes.allowed[0][0] == {"shop 7", "shop 11", "shop 42"}


@pytest.mark.parametrize("n_categories", [2, 300])
def test_many_categories(n_categories):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, n_categories, 3000)
    X = pd.DataFrame({"kind": [f"k{value:03}" for value in kind], "x": rng.normal(size=3000)})
    y = (kind % 2 == 0) & (X["x"] > -1)
    model = fitted("plain", X, y)
    assert (model.predict(X) == y).mean() > 0.9
    np.testing.assert_array_equal(model.predict(X), model.boxes_.contains(X))


def test_only_missing_or_not_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    gone = rng.random(200) < 0.3
    X[gone, 0] = np.nan
    model = ScoredBoxesClassifier(cv=None, max_boxes=1, max_limits=1).fit(X, gone)
    np.testing.assert_array_equal(model.predict(X), gone)
    assert "missing" in model.scorecard_.to_text()


def test_extreme_numbers():
    X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    y = X[:, 0] > 0.3
    expected = ScoredBoxesClassifier(cv=None).fit(X, y).predict(X)
    assert (expected == y).mean() > 0.95
    for scale in (1e-310, 1e-300, 1e300, 1e306):
        model = ScoredBoxesClassifier(cv=None).fit(X * scale, y)
        np.testing.assert_array_equal(model.predict(X * scale), expected)
        assert np.isfinite(model.decision_function(X * scale)).all()


def test_values_beyond_the_training_rows():
    X = np.arange(50.0)[:, None]
    model = ScoredBoxesClassifier(cv=None, max_boxes=1, max_limits=1).fit(X, X[:, 0] > 40)
    assert model.predict([[1e308], [-1e308], [49.5]]).tolist() == [True, False, True]
    assert np.isfinite(model.decision_function([[1e308], [-1e308]])).all()


def test_missing_values_that_training_never_had_are_outside():
    X, y = ref.make_table(0)
    model = ScoredBoxesClassifier(cv=None).fit(X, y)
    new = X.copy()
    used = int(np.flatnonzero(model.scorecard_.boxes.limited[0])[0])
    new[:, used] = np.nan
    inside = model.scorecard_.boxes.membership(new)
    assert not inside[:, model.scorecard_.boxes.limited[:, used]].any()
    for n_jobs in (None, 2):
        decision = model.set_params(n_jobs=n_jobs).decision_function(new)
        assert (decision <= model.decision_function(X) + 1e-12).all()
    np.testing.assert_array_equal(decision > 0, model.predict(new) == 1)


@pytest.mark.parametrize("seed", range(3))
def test_one_hour_of_the_day_is_read_as_that_hour(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"hour": rng.integers(0, 24, 2000), "amount": rng.exponential(size=2000)})
    y = rng.random(2000) < np.where(X["hour"] == 5, 0.6, 0.03)
    for parameters in ({"cv": None}, {"max_boxes": 8, "signed_points": False}):
        lines = ScoredBoxesClassifier(**parameters).fit(X, y).scorecard_.to_text().splitlines()
        assert any(line.endswith("points: hour = 5") for line in lines)
