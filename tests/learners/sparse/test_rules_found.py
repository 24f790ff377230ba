"""SparseBoxesClassifier: rules that are there are found as they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from boxdraw import SparseBoxesClassifier
from boxdraw.learners.sparse.learn import _choose_at

from .tables import corner, fit


def test_a_rule_of_a_mixed_table(frauds):
    X, y, model = frauds
    assert model.boxes_.to_text() == "Box 1: amount ≥ 100 and region in {south, west}"
    assert roc_auc_score(y, model.decision_function(X)) > 0.95


def test_a_spike():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"hour": rng.integers(0, 24, 2000), "amount": rng.normal(size=2000)})
    y = (X["hour"] == 5) & (rng.random(2000) < 0.9)
    for cv in (None, 3):
        boxes = fit(X, y, cv=cv).boxes_
        assert boxes.to_text() == "Box 1: hour = 5"
        assert boxes.n_limits == 1


def test_missing_alone():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(size=600), "age": rng.integers(18, 90, 600)})
    gone = rng.random(600) < 0.1
    X.loc[gone, "income"] = np.nan
    for cv in (None, 3):
        model = fit(X, gone & (rng.random(600) < 0.95), cv=cv)
        assert model.boxes_.to_text() == "Box 1: income is missing"
        assert model.boxes_.n_limits == 1


@pytest.mark.parametrize("side", [1, -1])
def test_a_number_or_missing(side):
    rng = np.random.default_rng(0)
    income = rng.normal(size=800).round(3)
    income[rng.random(800) < 0.1] = np.nan
    y = (side * income > 1) | np.isnan(income)
    model = fit(pd.DataFrame({"income": income, "noise": rng.normal(size=800)}), y, cv=3)
    text = model.boxes_.to_text()
    assert text in {"Box 1: income ≥ 1 (or missing)", "Box 1: income ≤ -1 (or missing)"}
    np.testing.assert_array_equal(model.predict(pd.DataFrame({"income": income, "noise": 0.0})), y)


def test_missing_is_inside_only_where_a_training_row_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 2))
    y = (X[:, 0] > 1) & (X[:, 1] > 0)
    X[(X[:, 0] < 1) & (rng.random(800) < 0.3), 1] = np.nan  # only where the first limit keeps rows out
    boxes = fit(X, y, cv=3).boxes_
    assert boxes.n_limits == 2
    assert "missing" not in boxes.to_text()


@pytest.mark.parametrize("side", [1, -1])
def test_a_number_but_not_missing(side):
    rng = np.random.default_rng(0)
    income = rng.normal(size=800).round(3)
    gone = rng.random(800) < 0.2
    y = side * income > 1
    X = pd.DataFrame({"income": np.where(gone, np.nan, income), "noise": rng.normal(size=800)})
    model = fit(X, y & ~gone, cv=3)
    assert model.boxes_.n_limits == 1
    np.testing.assert_array_equal(model.predict(X), y & ~gone)


def test_missing_text_is_one_more_category():
    rng = np.random.default_rng(0)
    region = rng.choice(["north", "south", "east", None], 600)
    y = pd.isna(region) | (region == "south")
    X = pd.DataFrame({"region": region, "noise": rng.normal(size=600)})
    model = fit(X, y, cv=3, pos_label=True)
    assert model.boxes_.n_limits == 1
    np.testing.assert_array_equal(model.predict(X), y)
    assert "missing" in model.boxes_.to_text()


def test_sets_of_categories_of_which_one_is_no_interval():
    """West is as bad as can be among high amounts and harmless among low ones: each box has a set of its own."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"amount": rng.uniform(0, 100, 2000).round(1), "region": rng.choice(list("nsew"), 2000)})
    high = (X["amount"] > 80) & X["region"].isin(["w", "s"])
    low = (X["amount"] < 15) & X["region"].isin(["n", "s"])
    model = fit(X, high | low, cv=3)
    np.testing.assert_array_equal(model.predict(X), high | low)
    assert len(model.boxes_) == 2
    assert model.boxes_.n_limits == 4


def test_rounding_changes_no_training_row_where_sets_are_chosen_anew():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(
            {"shop": rng.choice(list("abcdefgh"), 300), "x": rng.normal(size=300), "z": rng.normal(size=300)}
        )
        good = X["shop"].isin(list("ace")) & (X["x"] > 0.3) | X["shop"].isin(list("bdf")) & (X["z"] < -0.4)
        y = good.to_numpy() ^ (rng.random(300) < 0.1)
        rounded, exact = (fit(X, y, limit_cost=0.7, round_limits=choice) for choice in (True, False))
        np.testing.assert_array_equal(rounded.predict(X), exact.predict(X))


def test_a_set_of_categories():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"amount": rng.uniform(0, 100, 2000).round(1), "region": rng.choice(list("nsewxyz"), 2000)})
    y = (X["amount"] > 80) & X["region"].isin(["w", "s", "x"])
    model = fit(X, y, cv=3)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.boxes_.allowed[0][1] == {"s", "w", "x"}
    assert model.boxes_.n_limits == 2


@pytest.mark.parametrize("dtype", [bool, "boolean", "category"])
def test_true_and_false(dtype):
    rng = np.random.default_rng(0)
    new = rng.random(500) < 0.2
    X = pd.DataFrame({"new": pd.Series(new).astype(dtype), "noise": rng.normal(size=500)})
    model = fit(X, new ^ (rng.random(500) < 0.02), cv=3)
    assert model.boxes_.n_limits == 1
    np.testing.assert_array_equal(model.predict(X), new)


def test_many_shops_that_mean_nothing_stay_out():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"shop": [f"s{k}" for k in rng.integers(0, 5000, 12_000)], "amount": rng.lognormal(4, 1, 12_000)})
    y = (X["amount"] > 250).to_numpy() & (rng.random(12_000) < 0.9)
    boxes = fit(X, y, cv=3, categorical_features=["shop"]).boxes_
    assert {limit.feature for rule in boxes.rules() for limit in rule.limits} == {"amount"}


def test_shops_that_mean_nothing_stay_out_of_a_rule_from_a_sample(monkeypatch):
    """Few of the positives follow the rule, so a box of shops that chance gave many would pay."""
    monkeypatch.setattr("boxdraw.learners.sparse.sparse_boxes._SEARCHED", {True: 400, False: 1200})
    rng = np.random.default_rng(0)
    shop, amount = rng.integers(0, 300, 40_000), rng.lognormal(4, 1, 40_000)
    X = pd.DataFrame({"shop": [f"s{k}" for k in shop], "branch": [f"b{k}" for k in rng.integers(0, 40, 40_000)]})
    y = (amount > 250) & (rng.random(40_000) < 0.9) | (rng.random(40_000) < 0.2)
    boxes = fit(X.assign(amount=amount), y, cv=3, false_alarm_cost="balanced").boxes_
    assert [rule.features for rule in boxes.rules()] == [("amount",)]


def test_three_bad_shops_of_many_are_found():
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 500, 12_000)
    X = pd.DataFrame({"shop": [f"s{k}" for k in shop], "amount": rng.lognormal(4, 1, 12_000)})
    y = np.isin(shop, [7, 70, 300]) & (rng.random(12_000) < 0.9)
    model = fit(X, y, cv=3, categorical_features=["shop"])
    assert model.boxes_.allowed[0][0] == {"s7", "s70", "s300"}
    assert model.boxes_.n_limits == 1


def test_two_boxes():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (1500, 4))
    y = ((X[:, 0] > 0.8) & (X[:, 1] > 0.5)) | ((X[:, 0] < 0.2) & (X[:, 2] < 0.4))
    model = fit(X, y, cv=3)
    assert (len(model.boxes_), model.boxes_.n_limits) == (2, 4)
    assert (model.predict(X) == y).mean() > 0.99


@pytest.mark.parametrize("n_clusters", [3, 5])
def test_compact_clusters(n_clusters):
    rng = np.random.default_rng(n_clusters)
    centres = rng.permuted(np.linspace(0.1, 0.9, n_clusters)[:, None].repeat(3, axis=1), axis=0)
    X, label = rng.random((3000, 3)), rng.integers(n_clusters, size=150)
    X[:150] = centres[label] + rng.uniform(-0.05, 0.05, size=(150, 3))
    y = np.arange(3000) < 150
    boxes = SparseBoxesClassifier().fit(X, y).boxes_
    assert len(boxes) == n_clusters
    assert boxes.contains(X)[y].all()
    assert boxes.contains(X)[~y].mean() < 0.02


def test_clusters_must_be_clearly_better():
    """The last setting starts from clusters, and is a long drawing."""
    rng = np.random.default_rng(0)
    gain = rng.normal(0.5, 0.01, size=(9, 1, 3))
    gain[:, 0, 2] = gain[:, 0, :2].max(axis=1) + rng.normal(0.0, 0.02, size=9) + 0.001
    assert _choose_at(gain, 0, 0, clustered=True).limit < 2
    gain[:, 0, 2] += 0.1
    assert _choose_at(gain, 0, 0, clustered=True).limit == 2


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_each_box_catches_rows_of_its_own(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "amount": rng.normal(size=500),
            "hour": rng.integers(0, 24, 500),
            "age": np.where(rng.random(500) < 0.1, np.nan, rng.lognormal(size=500)),
            "region": rng.choice(list("abcdef"), 500),
        }
    )
    y = (X["amount"] > 0.5) & X["region"].isin(list("abc")) | (X["hour"] == 5) | X["age"].isna() & (X["amount"] < -1)
    model = fit(X, y, cv=3, limit_cost=0.01, max_boxes=6)
    assert (model.box_table(X, y)["unique_recall"] > 0).all()


def test_numbers_beyond_the_training_rows_and_extreme_ones():
    X, y = corner()
    expected = fit(X, y).predict(X)
    for scale in (1e-300, 1e300):
        model = fit(X * scale, y)
        np.testing.assert_array_equal(model.predict(X * scale), expected)
        assert np.isfinite(model.decision_function(X * scale)).all()
    model = fit(np.arange(50.0)[:, None], np.arange(50) > 40)
    assert model.predict([[1e308], [-1e308], [49.5]]).tolist() == [True, False, True]


def test_missing_values_that_training_never_had_are_outside():
    X, y = corner()
    model = fit(X, y)
    new = np.where(model.boxes_.limited.any(axis=0), np.nan, X)
    assert not (model.predict(new) == 1).any()
    assert np.isfinite(model.decision_function(new)).all()


def test_float32_gives_the_same_model():
    X, y = corner()
    X = X.round(1).astype(np.float32)
    assert fit(X, y).boxes_ == fit(X.astype(float), y).boxes_
