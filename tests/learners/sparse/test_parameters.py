"""SparseBoxesClassifier: what it is told, and what it says of a model not to rely on."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from boxdraw import SparseBoxesClassifier

from .tables import corner, fit


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
    monkeypatch.setattr("boxdraw.learners.sparse.sparse_boxes._SEARCHED", {True: 60, False: 60})
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


@pytest.mark.parametrize(("negative", "positive"), [("no", "yes"), ("yes", "no"), (False, True), (7, -1), (0.0, 1.0)])
def test_labels_of_any_kind(negative, positive):
    X, y = corner()
    labels = np.where(y == 1, positive, negative)
    model, plain = fit(X, labels, pos_label=positive), fit(X, y, pos_label=1)
    assert model.boxes_ == plain.boxes_
    np.testing.assert_array_equal(model.predict(X), np.where(plain.predict(X) == 1, positive, negative))
    assert roc_auc_score(labels == model.classes_[1], model.decision_function(X)) > 0.8


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
    X, y = np.arange(60.0)[:, None] + 0.5, np.arange(60) >= 60 - n_positives
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
def test_no_doubt_where_the_rule_is_perfect(n_rows):
    """Shares of the rows of a class may add up to more than 1 in the last digit."""
    X = np.random.default_rng(1).normal(size=(n_rows, 4))
    told = caught(X, X[:, 0] > 0)[1]
    assert [text.startswith("The rules rest on 'x0', which alone tells the classes apart") for text in told] == [True]
