import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import clone

from boxdraw import BoxSet, CautionWarning, SparseBoxesClassifier, load


def make_payments(n=3000, seed=0):
    """Return a table of two rules, with some noise in the labels."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "amount": rng.normal(size=n).round(2),
            "age": rng.normal(size=n).round(2),
            "hour": rng.integers(0, 24, n),
            "region": rng.choice(["x", "y", "z"], n),
        }
    )
    fraud = ((X.amount > 1.2) & (X.region == "x")) | ((X.hour == 5) & (X.age > 0.5))
    return X, (fraud & (rng.random(n) < 0.9)) | (rng.random(n) < 0.003)


X, y = make_payments()
OLD = BoxSet.from_text("amount >= 1.2 and region = x", X.columns)


def test_only_what_the_rules_in_use_miss_is_found():
    model = SparseBoxesClassifier(existing=OLD).fit(X, y)
    assert len(model.boxes_) == 1
    assert set(model.boxes_.rules()[0].features) == {"hour", "age"}
    new = model.boxes_.contains(X)
    table = model.box_table(X, y)
    alone = new & ~OLD.contains(X)
    assert table["added_true_positives"].tolist() == [(alone & y).sum()]
    assert table["added_false_positives"].tolist() == [(alone & ~y).sum()]


def test_rows_of_existing_rules_count_for_nothing():
    left = ~OLD.contains(X)
    beside = SparseBoxesClassifier(existing=OLD, false_alarm_cost=0.1).fit(X, y)
    alone = SparseBoxesClassifier(false_alarm_cost=0.1).fit(X[left], y[left])
    assert beside.boxes_.to_text() == alone.boxes_.to_text()
    assert str(beside.risk_table_) == str(alone.risk_table_)
    other = y.to_numpy() ^ OLD.contains(X)  # whatever the labels there are
    assert beside.fit(X, other).boxes_.to_text() == alone.boxes_.to_text()


@pytest.mark.parametrize(("given", "ratios"), [("balanced", [1]), (None, [1, 2, 4, 8])])
def test_a_false_alarm_costs_what_it_costs_without_existing_rules(given, ratios):
    """The balance is that of all rows: few positives that are left would make false alarms cheap."""
    cost = SparseBoxesClassifier(existing=OLD, false_alarm_cost=given).fit(X, y).false_alarm_cost_
    assert any(cost == pytest.approx(ratio * y.sum() / (~y).sum()) for ratio in ratios)


def test_rows_without_weight_and_given_folds():
    weight = np.where(np.arange(len(X)) % 7 == 0, 0.0, 1.0)
    rows = np.arange(len(X))
    folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    some = weight > 0
    place = np.cumsum(some) - 1
    kept = [(place[train[some[train]]], place[test[some[test]]]) for train, test in folds]
    weighted = SparseBoxesClassifier(existing=OLD, cv=folds).fit(X, y, weight)
    fewer = SparseBoxesClassifier(existing=OLD, cv=kept).fit(X[some], y[some])
    assert weighted.boxes_ == fewer.boxes_


def test_idle_rules_are_named():
    old = BoxSet.from_text("amount >= 1.2 and region = x\namount >= 1.5 and region = x", X.columns)
    with pytest.warns(CautionWarning, match=r"Idle among.*: rule 2 \(amount ≥ 1.5 and region = x\)\. Leave"):
        SparseBoxesClassifier(existing=old).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CautionWarning)
        SparseBoxesClassifier(existing=OLD).fit(X, y)


def test_it_is_a_parameter_like_others(tmp_path):
    model = SparseBoxesClassifier(existing=OLD)
    assert clone(model).existing == OLD
    fitted = model.fit(X, y)
    fitted.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").boxes_ == fitted.boxes_


@pytest.mark.parametrize("existing", ["amount >= 1", [1], SparseBoxesClassifier()])
def test_anything_but_boxes_is_refused(existing):
    with pytest.raises(TypeError, match=r"existing must be a BoxSet or None, got .*from_sql"):
        SparseBoxesClassifier(existing=existing).fit(X, y)


@pytest.mark.parametrize(("flagged", "what"), [(y.to_numpy(), "positive"), (~y.to_numpy(), "negative")])
def test_nothing_left_is_an_error_that_leaves_the_model_as_it_was(flagged, what):
    model = SparseBoxesClassifier().fit(X, y)
    before = dict(vars(model))
    rules = BoxSet([[0.5]], [[1]], feature_names=["flag"])
    with pytest.raises(ValueError, match=f"flag every {what} row"):
        model.set_params(existing=rules).fit(X.assign(flag=flagged.astype(float)), y)
    assert {name: value for name, value in vars(model).items() if name.endswith("_")} == {
        name: value for name, value in before.items() if name.endswith("_")
    }


def test_goals_are_about_the_rows_that_the_rules_leave():
    model = SparseBoxesClassifier(existing=OLD, max_alarm_rate=0.05).fit(X, y)
    assert str(model.goal_).startswith("Among the rows that the existing rules leave: flagged at most 5.0%: kept.")
    assert model.goal_.as_dict()["of_rest"]
    rest = ~OLD.contains(X)
    new = model.boxes_.contains(X)[rest]
    assert model.goal_.alarm_rate == pytest.approx(new.mean(), abs=0.005)
    assert model.goal_.recall == pytest.approx(new[y[rest]].mean(), abs=0.1)
    alone = SparseBoxesClassifier(max_alarm_rate=0.05).fit(X, y)
    assert str(alone.goal_).startswith("Flagged at most 5.0%: kept.")
