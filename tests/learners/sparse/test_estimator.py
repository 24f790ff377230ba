"""SparseBoxesClassifier: what it finds, what it is told, and what it says of a model not to rely on."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from boxdraw import SparseBoxesClassifier
from boxdraw.learners.sparse.learn import _choose_at

from .tables import corner, fit, payments


@pytest.fixture(scope="module")
def frauds():
    """A mixed table, and the default model of it."""
    X, y = payments()
    return X, y, SparseBoxesClassifier().fit(X, y)


# Rules that are there are found as they are


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


# Parameters


@pytest.mark.parametrize("cv", [None, 2])
def test_no_more_limits_and_boxes_than_allowed(cv):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X > 0).all(axis=1) | (X < -0.4).all(axis=1)
    for max_limits in (1, 2, 3):
        for max_boxes in (1, 2, 3):
            model = fit(X, y, cv=cv, max_limits=max_limits, max_boxes=max_boxes, limit_cost=0.1, box_cost=0.1)
            for boxes in (model.boxes_, *(point.boxes for point in model.frontier_)):
                assert 1 <= len(boxes) <= max_boxes
                assert all(sum(ends_of(limit) for limit in rule.limits) <= max_limits for rule in boxes.rules())
            assert model.max_boxes_ <= max_boxes
            assert model.limit_cost_ == pytest.approx(0.1)


def ends_of(limit):
    return np.isfinite(limit.lower) + np.isfinite(limit.upper)


def test_costs_that_are_stated():
    X, y = corner()
    n_positives, n_negatives = (y == 1).sum(), (y == 0).sum()
    balance = n_positives / n_negatives
    assert fit(X, y, false_alarm_cost="balanced", cv=2).false_alarm_cost_ == pytest.approx(balance)
    assert fit(X, y).false_alarm_cost_ == pytest.approx(balance)
    assert round(fit(X, y, cv=2).false_alarm_cost_ / balance, 9) in {1, 2, 4, 8}
    for cost in (0.7, 2, np.float32(0.5), np.int64(3)):
        for cv in (None, 2):
            assert fit(X, y, false_alarm_cost=cost, cv=cv).false_alarm_cost_ == pytest.approx(float(cost))
    assert fit(X, y).limit_cost_ == pytest.approx(0.01 * n_positives)
    assert fit(X, y).max_boxes_ == 4


def test_dearer_false_alarms_are_fewer_and_dearer_limits_too():
    X, y = corner(1, 400)
    flagged = [fit(X, y, false_alarm_cost=cost).predict(X).sum() for cost in (0.05, 0.3, 1.0, 5.0)]
    assert flagged == sorted(flagged, reverse=True)
    assert flagged[0] > flagged[-1]
    limits = [fit(X, y, limit_cost=cost, box_cost=0.5).boxes_.n_limits for cost in (0, 0.2, 1, 5, 1000)]
    assert limits == sorted(limits, reverse=True)
    assert limits[0] > limits[-1] == 0


def test_the_objective_is_that_of_the_design():
    """No box with one limit, wherever it is, is worth more than the drawing."""
    X, y = corner(2, 120, 2)
    X = X.round(1)
    cost, limit_cost, box_cost = 0.8, 0.7, 1.1
    model = fit(X, y, false_alarm_cost=cost, limit_cost=limit_cost, box_cost=box_cost, max_boxes=2)

    def value(flagged, n_boxes, n_limits):
        return y[flagged].sum() - cost * (1 - y[flagged]).sum() - box_cost * n_boxes - limit_cost * n_limits

    found = value(model.predict(X) == 1, len(model.boxes_), model.boxes_.n_limits)
    for column in X.T:
        for limit in np.unique(column):
            assert value(column >= limit, 1, 1) <= found + 1e-9
            assert value(column <= limit, 1, 1) <= found + 1e-9


def test_rows_that_no_fold_holds_out_keep_their_labels():
    X, y = corner(n_rows=400)
    shuffled = StratifiedShuffleSplit(1, test_size=0.2, random_state=0)
    boxes = fit(X, y, cv=shuffled).boxes_
    assert boxes.to_text() == "Box 1: x0 ≥ 0.5 and x1 ≤ 0.5"


def test_given_folds():
    X, y = corner()
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    first, second = fit(X, y, cv=splitter), fit(X, y, cv=list(splitter.split(X, y)))
    assert first.boxes_ == second.boxes_
    assert [point.score for point in first.frontier_] == [point.score for point in second.frontier_]
    third = fit(X, y, cv=iter(list(splitter.split(X, y))))
    assert third.boxes_ == first.boxes_
    masks = [tuple(np.isin(np.arange(len(y)), rows) for rows in fold) for fold in splitter.split(X, y)]
    assert fit(X, y, cv=masks).boxes_ == first.boxes_


def test_given_row_numbers_count_rows_of_no_weight():
    X, y = corner()
    weight = np.ones(200)
    weight[::10] = 0
    kept = np.flatnonzero(weight)
    splits = [(rows, np.setdiff1d(np.arange(200), rows)) for rows in (np.arange(100), np.arange(100, 200))]
    among = [tuple(np.flatnonzero(np.isin(kept, rows)) for rows in split) for split in splits]
    first, second = fit(X, y, weight, cv=splits), fit(X[kept], y[kept], cv=among)
    assert first.boxes_ == second.boxes_
    assert [point.score for point in first.frontier_] == [point.score for point in second.frontier_]


@pytest.mark.parametrize("given", ["rows", "splitter"])
def test_given_folds_of_a_table_that_is_sampled(given, monkeypatch):
    """Row numbers are those of the table, not of the sample."""
    monkeypatch.setattr("boxdraw.learners.sample.MOST", {True: 60, False: 60})
    X, y = corner(n_rows=900)
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    model = fit(X, y, cv=splitter if given == "splitter" else list(splitter.split(X, y)))
    assert len(model.boxes_)
    assert model.frontier_[-1].score > 0.5


BAD = [
    ({"max_boxes": 0}, ValueError, "max_boxes == 0, must be >= 1"),
    ({"max_boxes": 2.0}, TypeError, "max_boxes"),
    ({"max_boxes": "many"}, TypeError, "max_boxes"),
    ({"max_boxes": None}, TypeError, "max_boxes"),
    ({"max_limits": 0}, ValueError, "max_limits == 0, must be >= 1"),
    ({"max_limits": "auto"}, TypeError, "max_limits"),
    ({"limit_cost": -1}, ValueError, "limit_cost must be 'auto' or a finite number of at least 0; got -1"),
    ({"limit_cost": np.inf}, ValueError, "limit_cost"),
    ({"limit_cost": None}, ValueError, "limit_cost"),
    ({"box_cost": np.nan}, ValueError, "box_cost"),
    ({"box_cost": "free"}, ValueError, "box_cost"),
    ({"false_alarm_cost": 0}, ValueError, "false_alarm_cost must be .* a finite number above 0; got 0"),
    ({"false_alarm_cost": "auto"}, ValueError, "false_alarm_cost"),
    ({"false_alarm_cost": True}, ValueError, "false_alarm_cost"),
    ({"pos_label": 5}, ValueError, "pos_label=5 is not a class of y"),
    ({"cv": 1}, ValueError, "cv == 1"),
    ({"cv": []}, ValueError, "cv gives no folds"),
    ({"cv": "three"}, ValueError, "cv"),
    (
        {"cv": [(range(100),)]},
        ValueError,
        r"cv must give pairs \(train, test\) of row numbers or masks, for 200 rows: ",
    ),
    ({"cv": [([0, 1], [2, 300])]}, ValueError, "cv must give pairs .* index 300 is out of bounds"),
    ({"cv": [([0.5], ["a"])]}, ValueError, "cv must give pairs"),
    ({"categorical_features": 2}, TypeError, r"categorical_features must be a list of columns; got 2\."),
    ({"categorical_features": [9]}, ValueError, "categorical_features names 9"),
    ({"n_jobs": 0, "cv": 2}, ValueError, "n_jobs must be None or a whole number other than 0; got 0"),
    ({"random_state": "x", "cv": 2}, ValueError, "cannot be used to seed"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD, ids=[str(bad[0]) for bad in BAD])
def test_bad_parameters_are_named(parameters, error, message):
    model = SparseBoxesClassifier(**({"cv": None} | parameters))
    with pytest.raises(error, match=message):
        model.fit(*corner())
    assert not hasattr(model, "boxes_")


def test_numpy_numbers_are_numbers():
    X, y = corner()
    plain = fit(X, y, cv=2, max_boxes=2, max_limits=3, limit_cost=0.5, box_cost=1)
    given = fit(
        X,
        y,
        cv=np.int64(2),
        max_boxes=np.int32(2),
        max_limits=np.int64(3),
        limit_cost=np.float32(0.5),
        box_cost=np.int8(1),
    )
    assert given.boxes_ == plain.boxes_
    assert type(given.max_boxes_) is int


def test_costs_are_kept_as_stated():
    X, y = corner()
    costs = [0.25, 0.5, 1.0, 0.11, 0.37]
    models = [fit(X, y, false_alarm_cost=cost, limit_cost=cost) for cost in costs]
    assert [model.false_alarm_cost_ for model in models] == [model.limit_cost_ for model in models] == costs


@pytest.mark.parametrize("cv", [None, 3])
def test_huge_parameters(cv):
    """Which mean: as many as there can be, at any price."""
    X, y = corner()
    model = fit(X, y, cv=cv, max_boxes=10**9, max_limits=10**30, false_alarm_cost=1e300, limit_cost=0.1)
    assert y[model.predict(X) == 1].all()
    assert cv or model.predict(X).any()  # with folds, what any of them doubts is too dear
    assert model.false_alarm_cost_ == 1e300
    assert fit(X, y, cv=cv, false_alarm_cost=1e-300).predict(X).all()


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = corner()
    model = fit(X, y)
    before = model.boxes_
    with pytest.raises(ValueError, match="cv gives no folds"):
        model.set_params(cv=[]).fit(X[:, :2], y)
    assert model.boxes_ is before
    assert model.n_features_in_ == 3
    model.predict(X)


def test_not_fitted():
    model = SparseBoxesClassifier()
    for ask in (model.predict, model.decision_function, model.transform, model.explain):
        with pytest.raises(NotFittedError):
            ask([[0.0]])
    with pytest.raises(NotFittedError):
        model.at(3)


def test_verbose_tells_the_stages(capsys):
    X, y = corner()
    fit(X, y, cv=2, verbose=1)
    text = capsys.readouterr()
    assert "levels: 200 of 200 rows, 3 features" in text.out + text.err
    assert " of 6 done" in text.out + text.err
    fit(X, y)
    assert capsys.readouterr() == ("", "")


# Warnings


def caught(X, y, weight=None, **parameters):
    """Return the warnings of a fit."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = SparseBoxesClassifier(**parameters).fit(X, y, sample_weight=weight)
    assert {warning.filename for warning in told} <= {__file__}
    return model, [str(warning.message) for warning in told]


@pytest.mark.parametrize("cv", [None, 3])
def test_no_box(cv):
    X, y = corner()
    model, told = caught(X, y, limit_cost=1000, cv=cv)
    assert len(told) == 1
    assert told[0].startswith("No box was found that pays for its limits: nothing is flagged.")
    assert len(model.boxes_) == len(model.frontier_) == 0
    assert not model.predict(X).any()
    assert (model.decision_function(X) < 0).all()
    assert repr(model.frontier_) == "No drawings: no box was found"
    with pytest.raises(ValueError, match="n_limits=3: no drawing is that short; no box was found at all"):
        model.at(3)


@pytest.mark.parametrize("cv", [None, 3])
def test_everything(cv):
    X, y = corner()
    model, told = caught(X, y, false_alarm_cost=1e-3, cv=cv)
    assert told == ["The boxes hold all training rows: everything is flagged. Raise false_alarm_cost."]
    assert model.predict(X).all()
    assert model.boxes_.n_limits == 0


@pytest.mark.parametrize("n_positives", [1, 2])
def test_few_rows(n_positives):
    X, y = np.arange(60.0)[:, None], np.arange(60) >= 60 - n_positives
    model, told = caught(X, y, cv=None)
    assert told == [
        f"Rows of the smaller class: {n_positives}. Limits learned from so few are guesses: do not rely on the boxes "
        "before you have more."
    ]
    np.testing.assert_array_equal(model.predict(X), y)
    _, told = caught(X, y)
    assert any(f"Distinct rows of the smaller class: {n_positives}, for 3 inner folds" in text for text in told)


def test_chance():
    """Labels that follow from nothing are told as such, nine times in ten."""
    rng = np.random.default_rng(0)
    told = [caught(rng.normal(size=(200, 4)), rng.random(200) < 0.2)[1] for _ in range(10)]
    assert all(len(texts) <= 1 for texts in told)
    doubts = [text for texts in told for text in texts]
    assert all(text.startswith(("On held-out rows the boxes may be no better", "No box was found")) for text in doubts)
    assert len(doubts) >= 9


def test_no_warning_where_there_is_a_rule(frauds):
    X, y, _ = frauds
    assert caught(X, y)[1] == []
    assert caught(*corner())[1] == []


@pytest.mark.parametrize("n_rows", [400, 600, 700])
def test_no_warning_where_the_rule_is_perfect(n_rows):
    """Shares of the rows of a class may add up to more than 1 in the last digit."""
    X = np.random.default_rng(1).normal(size=(n_rows, 4))
    assert caught(X, X[:, 0] > 0)[1] == []


# The frontier and the path


@pytest.fixture(scope="module")
def ladder():
    """A table in which each further limit helps a little less, and its model."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 4))
    y = ((X @ [1.5, 1.0, 0.7, 0.4] + rng.logistic(scale=0.3, size=1200)) > 2).astype(int)
    return X, y, SparseBoxesClassifier().fit(X, y)


def test_the_frontier_goes_from_short_to_long_and_up(ladder):
    _, y, model = ladder
    frontier = model.frontier_
    assert len(frontier) > 2
    sizes = [point.n_limits for point in frontier]
    assert sizes == sorted(set(sizes))
    scores = [point.score for point in frontier if point.n_limits != frontier.chosen]
    assert (np.diff(scores) > 0).all()
    for point in frontier:
        assert (point.n_limits, point.n_boxes) == (point.boxes.n_limits, len(point.boxes))
        assert point.error > 0
        ratio = model.false_alarm_cost_ * (y == 0).sum() / (y == 1).sum()
        assert point.score == pytest.approx(point.recall - ratio * point.false_alarm_rate)
    (chosen,) = (point for point in frontier if point.n_limits == frontier.chosen)
    assert chosen.boxes == model.boxes_
    assert frontier[0] is next(iter(frontier))


def test_the_frontier_in_text(ladder):
    _, _, model = ladder
    lines = model.frontier_.to_text().splitlines()
    heads = [line for line in lines if not line.startswith("    ")]
    assert len(heads) == len(model.frontier_)
    for line, point in zip(heads, model.frontier_, strict=True):
        assert line.startswith("*") == (point.n_limits == model.frontier_.chosen)
        assert f" {point.n_limits} limit" in line
        assert f"score {point.score:.3f} ± {point.error:.3f}" in line
    for point in model.frontier_:
        assert all(f"    {line}" in lines for line in point.boxes.to_text().splitlines())
    assert repr(model.frontier_) == model.frontier_.to_text()


def test_at_a_number_of_limits(ladder):
    X, _, model = ladder
    before = model.boxes_
    for point in model.frontier_:
        short = model.at(n_limits=point.n_limits)
        assert short.boxes_ == point.boxes
        assert short.frontier_.chosen == point.n_limits
        np.testing.assert_array_equal(short.predict(X) == 1, point.boxes.contains(X))
        np.testing.assert_array_equal(short.decision_function(X) >= 0, short.predict(X) == 1)
        assert short.at(model.frontier_.chosen).boxes_ == model.boxes_
    longest = model.frontier_[-1]
    assert model.at(1000).boxes_ == longest.boxes
    assert model.boxes_ is before
    shortest = model.frontier_[0].n_limits
    with pytest.raises(ValueError, match=f"n_limits={shortest - 1}: no drawing is that short"):
        model.at(shortest - 1)


def test_without_folds_there_are_no_scores():
    model = fit(*corner())
    assert [point.boxes for point in model.frontier_] == [model.boxes_]
    assert np.isnan([model.frontier_[0].score, model.frontier_[0].error]).all()
    assert model.frontier_.to_text().startswith("* 2 limits in 1 box\n")


@pytest.mark.parametrize("n_limits", ["2", None, 1.5])
def test_a_number_of_limits_is_a_whole_number(ladder, n_limits):
    with pytest.raises(TypeError, match="n_limits must be an instance of int"):
        ladder[2].at(n_limits)


@pytest.mark.parametrize("cv", [None, 2])
def test_the_path_has_nine_costs(cv):
    X, y = corner(4, 400)
    model = fit(X, y, cv=cv)
    costs = np.array([cost for cost, _ in model.path_])
    balance = (y == 1).sum() / (y == 0).sum()
    np.testing.assert_allclose(costs / balance, 10.0 ** np.linspace(-1, 1, 9))
    flagged = [boxes.contains(X).sum() for _, boxes in model.path_]
    assert flagged[0] > flagged[-1]


def test_the_path_is_rounded_as_the_boxes_are():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 24, 600), rng.normal(size=600)])
    y = (np.isin(X[:, 0], [5, 6]) & (X[:, 1] > 0)) ^ (rng.random(600) < 0.02)
    rounded, exact = fit(X, y), fit(X, y, round_limits=False)
    for (_, boxes), (_, others) in zip(rounded.path_, exact.path_, strict=True):
        limits = np.concatenate([boxes.lower, boxes.upper])
        assert (np.isinf(limits) | (limits == limits.round(4))).all()
        assert (np.isinf(limits) | (limits == limits.round()))[:, 0].all()
        np.testing.assert_array_equal(boxes.membership(X), others.membership(X))
    order = np.argsort(exact.decision_function(X), kind="stable")
    assert (np.diff(rounded.decision_function(X)[order]) >= 0).all()


def test_the_path_ranks_better_than_the_boxes(ladder):
    _, _, model = ladder
    fresh = np.random.default_rng(1).normal(size=(2000, 4))
    truth = fresh @ [1.5, 1.0, 0.7, 0.4] > 2
    assert roc_auc_score(truth, model.decision_function(fresh)) > roc_auc_score(truth, model.predict(fresh)) + 0.02


def test_flagged_rows_come_first(ladder):
    X, _, model = ladder
    decision, flagged = model.decision_function(X), model.predict(X) == 1
    assert decision[flagged].min() >= 0 > decision[~flagged].max()


def test_a_row_scores_the_same_alone(frauds):
    X, _, model = frauds
    alone = [model.decision_function(X.iloc[[i]])[0] for i in range(20)]
    np.testing.assert_array_equal(alone, model.decision_function(X)[:20])


@pytest.mark.parametrize(("negative", "positive"), [("no", "yes"), ("yes", "no"), (False, True), (7, -1), (0.0, 1.0)])
def test_labels_of_any_kind(negative, positive):
    X, y = corner()
    labels = np.where(y == 1, positive, negative)
    model, plain = fit(X, labels, pos_label=positive), fit(X, y, pos_label=1)
    assert model.boxes_ == plain.boxes_
    np.testing.assert_array_equal(model.predict(X), np.where(plain.predict(X) == 1, positive, negative))
    assert roc_auc_score(labels == model.classes_[1], model.decision_function(X)) > 0.8


def test_float32_gives_the_same_model():
    X, y = corner()
    X = X.round(1).astype(np.float32)
    assert fit(X, y).boxes_ == fit(X.astype(float), y).boxes_
