"""FastBoxesClassifierCV against GridSearchCV, brute force and its own promises."""

import math
import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from boxdraw import FastBoxesClassifier, FastBoxesClassifierCV
from boxdraw.learners.fast import cv
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.folds import NEAR, best_cost, suitable_price
from boxdraw.learners.fast.growth import FREE
from boxdraw.learners.fast.matched import middle_ratio, scaled_weights
from boxdraw.learners.fast.needed import needed_edges
from boxdraw.learners.folds import fold_numbers, hash_ranks
from boxdraw.metrics import auh_score
from boxdraw.tables.training import Training

SMALL = {"n_boxes": (1, 2), "expansion": (0.0, 0.1), "feature_range": (-1, 1)}


@pytest.fixture(scope="module")
def table():
    return make_classification(300, 4, n_informative=3, n_redundant=0, weights=[0.85], random_state=3)


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "f1"])
@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_scores_are_those_of_grid_search(table, scoring, growth):
    X, y = table
    grid = {"n_boxes": [1, 3], "expansion": [0.0, 5.0], "negative_weight": [0.1, 0.5, 2.0, "balanced"]}
    folds = list(StratifiedKFold(3).split(X, y))
    ours = FastBoxesClassifierCV(
        **grid, growth=growth, feature_range=(-1, 1), relative_expansion=False, scoring=scoring, cv=folds
    ).fit(X, y)
    theirs = GridSearchCV(FastBoxesClassifier(growth=growth, round_limits=False), grid, scoring=scoring, cv=folds).fit(
        X, y
    )
    expected = {tuple(sorted(p.items(), key=str)): i for i, p in enumerate(theirs.cv_results_["params"])}
    for i, params in enumerate(ours.cv_results_["params"]):
        j = expected[tuple(sorted(((name, params[name]) for name in grid), key=str))]
        for name in ("split0_test_score", "split2_test_score", "mean_test_score", "std_test_score"):
            assert ours.cv_results_[name][i] == pytest.approx(theirs.cv_results_[name][j], abs=1e-12)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-12)


def test_the_default_score_is_the_auh_over_all_costs(table):
    X, y = table
    folds = list(StratifiedKFold(3).split(X, y))
    model = FastBoxesClassifierCV(n_boxes=2, expansion=0.0, growth="edge", feature_range=(-1, 1), cv=folds).fit(X, y)
    plain = FastBoxesClassifier(n_boxes=2, growth="edge")
    expected = [auh_score(y[test], plain.fit(X[train], y[train]).critical_weight(X[test])) for train, test in folds]
    assert model.best_score_ == pytest.approx(np.mean(expected), abs=1e-15)


def test_the_final_model_is_fast_boxes_at_the_chosen_setting(table):
    X, y = table
    model = FastBoxesClassifierCV(**SMALL, simplified=False).fit(X, y)
    plain = FastBoxesClassifier(
        n_boxes=model.best_params_["n_boxes"],
        growth=model.best_params_["growth"],
        feature_range=model.best_params_["feature_range"],
        expansion=model.best_params_["expansion"] * (y == 0).sum(),
        negative_weight=model.negative_weight_,
    ).fit(X, y)
    assert model.boxes_ == plain.boxes_
    assert model.expansion_ == plain.expansion_
    results = model.cv_results_
    assert results["rank_test_score"][model.best_index_] == 1
    assert results["mean_test_score"][model.best_index_] == model.best_score_
    assert set(results) >= {"params", "param_n_boxes", "param_growth", "param_expansion", "param_feature_range"}


def test_cheaper_false_alarms_flag_more(table):
    X, y = table
    flagged = [
        FastBoxesClassifierCV(**SMALL, false_alarm_cost=price).fit(X, y).predict(X).sum() for price in (0.02, 0.2, 2.0)
    ]
    assert flagged[0] > flagged[1] > flagged[2]


def test_ties_go_to_fewer_boxes():
    # one separable blob: every number of boxes is perfect
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(20, 2)) + 50])
    y = np.repeat([0, 1], [60, 20])
    model = FastBoxesClassifierCV(n_boxes=(3, 2, 1), expansion=(0.1, 0.0), growth="edge").fit(X, y)
    assert model.best_score_ == 1
    assert model.best_params_["n_boxes"] == 1


def test_negative_weight_can_be_given(table):
    X, y = table
    with pytest.warns(UserWarning, match=r"No training row is in a box at a cost of 0.7 .* Lower negative_weight"):
        assert FastBoxesClassifierCV(**SMALL, negative_weight=0.7).fit(X, y).negative_weight_ == 0.7
    assert FastBoxesClassifierCV(**SMALL, negative_weight=[0.3, 0.7]).fit(X, y).negative_weight_ in (0.3, 0.7)
    balanced = FastBoxesClassifierCV(**SMALL, negative_weight="balanced").fit(X, y)
    assert balanced.negative_weight_ == (y == 1).sum() / (y == 0).sum()
    scored = FastBoxesClassifierCV(**SMALL, negative_weight=[0.3, 0.7], scoring="f1").fit(X, y)
    assert scored.negative_weight_ == scored.best_params_["negative_weight"]
    assert len(scored.cv_results_["params"]) == 2 * 2 * 3 * 2


def test_a_balanced_cost_among_others(table):
    X, y = table
    balance = (y == 1).sum() / (y == 0).sum()
    model = FastBoxesClassifierCV(**SMALL, negative_weight=["balanced", 5.0]).fit(X, y)
    assert model.negative_weight_ in (balance, 5.0)


def test_scores_that_are_not_numbers(table):
    X, y = table
    with pytest.raises(ValueError, match="gives NaN for every setting"):
        FastBoxesClassifierCV(**SMALL, scoring=lambda model, X, y: np.nan).fit(X, y)
    scores = iter([np.nan, *range(100)])
    model = FastBoxesClassifierCV(**SMALL, scoring=lambda model, X, y: next(scores)).fit(X, y)
    assert model.best_index_ == len(model.cv_results_["params"]) - 1
    assert model.cv_results_["rank_test_score"][0] == len(model.cv_results_["params"])


def test_a_scorer_can_only_ask_for_the_test_rows(table):
    with pytest.raises(ValueError, match="The scorer asks for 5 rows, but a fold"):
        FastBoxesClassifierCV(**SMALL, scoring=lambda model, X, y: model.predict(X[:5]).mean()).fit(*table)


def test_order_of_rows_columns_and_units_do_not_matter(table):
    X, y = table
    rng = np.random.default_rng(1)
    weight = rng.integers(0, 3, size=len(y))
    rows, columns, unit = rng.permutation(len(y)), rng.permutation(4), 2.0 ** rng.integers(-3, 3, size=4)
    first = FastBoxesClassifierCV(**SMALL).fit(X, y, sample_weight=weight)
    shuffled = FastBoxesClassifierCV(**SMALL, n_jobs=2).fit(X[rows], y[rows], sample_weight=weight[rows])
    assert shuffled.boxes_ == first.boxes_
    assert shuffled.best_params_ == first.best_params_
    other = (X * unit)[:, columns]
    exact, turned = (
        FastBoxesClassifierCV(**SMALL, round_limits=False).fit(some, y, sample_weight=weight) for some in (X, other)
    )
    np.testing.assert_array_equal(turned.boxes_.lower, (exact.boxes_.lower * unit)[:, columns])
    np.testing.assert_array_equal(turned.critical_weight(other), first.critical_weight(X))


def test_weights_are_repetition_on_given_folds(table):
    X, y = table
    weight = np.random.default_rng(1).integers(0, 3, size=len(y))
    fold = np.arange(len(y)) % 3
    folds, repeated_folds = (
        [(np.flatnonzero(f != k), np.flatnonzero(f == k)) for k in range(3)] for f in (fold, fold.repeat(weight))
    )
    weighted = FastBoxesClassifierCV(**SMALL, cv=folds).fit(X, y, sample_weight=weight)
    repeated = FastBoxesClassifierCV(**SMALL, cv=repeated_folds).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert repeated.boxes_ == weighted.boxes_
    assert repeated.best_params_ == weighted.best_params_
    np.testing.assert_array_equal(repeated.critical_weight(X), weighted.critical_weight(X))


def test_folds_are_stratified_and_spread_equal_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(200, 1)).astype(float)
    data = Training(X, rng.random(200) < 0.3, None)
    number = fold_numbers(data, 3, None)
    for rows in (data.positive, ~data.positive):
        sizes = np.bincount(number[rows], minlength=3)
        assert sizes.max() - sizes.min() <= 1
        for value in np.unique(X[rows], axis=0):
            same = np.bincount(number[rows & (value == X).all(axis=1)], minlength=3)
            assert same.max() - same.min() <= 1
    assert (fold_numbers(data, 3, 1) != number).any()


def flags(rng, n_columns=5):
    """Rows of 0 and 1, many of them with as many ones; the columns differ by how often they are 1."""
    X = (rng.random((90, n_columns)) < np.linspace(0.3, 0.6, n_columns)).astype(float)
    return X, (X[:, 0] + X[:, 1] == 2) ^ (rng.random(90) < 0.2)


def test_order_of_rows_of_flags():
    rng = np.random.default_rng(0)
    X, y = flags(rng)
    first = FastBoxesClassifierCV(**SMALL).fit(X, y)
    for _ in range(3):
        order = rng.permutation(len(y))
        second = FastBoxesClassifierCV(**SMALL).fit(X[order], y[order])
        np.testing.assert_array_equal(second.cv_results_["mean_test_score"], first.cv_results_["mean_test_score"])
        assert second.boxes_ == first.boxes_


def dealt(X, positive, ranks):
    """What is dealt in each place, to compare tables of other orders."""
    return {(bool(side), int(rank)): tuple(row) for side, rank, row in zip(positive, ranks, X.tolist(), strict=True)}


@pytest.mark.parametrize("seed", range(10))
def test_ranks_do_not_depend_on_the_orders_of_flags(seed):
    rng = np.random.default_rng(seed)
    X, positive = flags(rng)
    first = hash_ranks(Training(X, positive, None), None)
    for side in (True, False):
        assert sorted(first[positive == side]) == list(range(np.count_nonzero(positive == side)))
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    second = hash_ranks(Training(X[rows], positive[rows], None), None)
    assert dealt(X[rows], positive[rows], second) == dealt(X, positive, first)
    turned = (10 * X + 3)[:, columns]
    np.testing.assert_array_equal(hash_ranks(Training(turned, positive, None), None), first)
    wider = np.insert(X, 2, 7.0, axis=1)
    np.testing.assert_array_equal(hash_ranks(Training(wider, positive, None), None), first)


def test_ranks_do_not_depend_on_the_order_of_rows_where_columns_are_alike():
    """As many rows, and as many positives, of each of three categories: nothing but its place tells a column apart."""
    rng = np.random.default_rng(0)
    X, positive = np.eye(3).repeat(20, axis=0), np.arange(60) % 20 < 5
    first = hash_ranks(Training(X, positive, None), None)
    for _ in range(5):
        rows = rng.permutation(60)
        second = hash_ranks(Training(X[rows], positive[rows], None), None)
        assert dealt(X[rows], positive[rows], second) == dealt(X, positive, first)


def test_few_positives(table):
    X, y = table
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    two = np.concatenate([positives[:2], negatives])
    with pytest.warns(UserWarning, match=r"Rows of the smaller class: 2, for 3 inner folds: only 2 folds are used"):
        model = FastBoxesClassifierCV(**SMALL).fit(X[two], y[two])
    assert "split1_test_score" in model.cv_results_
    assert "split2_test_score" not in model.cv_results_
    one = np.concatenate([positives[:1], negatives])
    with pytest.warns(UserWarning, match="no parameter can be chosen"):
        model = FastBoxesClassifierCV(**SMALL).fit(X[one], y[one])
    assert model.predict(X[positives[:1]]) == [1]
    assert not hasattr(model, "cv_results_")
    refitted = FastBoxesClassifierCV(**SMALL).fit(X, y)
    with pytest.warns(UserWarning, match="no parameter can be chosen"):
        refitted.fit(X[one], y[one])
    assert not hasattr(refitted, "best_params_")


def test_folds_without_positives_are_left_out_with_a_message(table):
    X, y = table
    order = np.argsort(y, kind="stable")
    good, bad = next(StratifiedKFold(3).split(X, y)), (order[100:], order[:100])
    with pytest.warns(UserWarning, match=r"Inner folds \[0, 2\] lack positives or negatives"):
        model = FastBoxesClassifierCV(**SMALL, cv=[bad, good, bad]).fit(X, y)
    assert model.best_score_ == FastBoxesClassifierCV(**SMALL, cv=[good]).fit(X, y).best_score_
    with (
        pytest.warns(UserWarning, match="Inner folds"),
        pytest.raises(ValueError, match="No inner fold has both classes"),
    ):
        FastBoxesClassifierCV(**SMALL, cv=[(order[:100], order[100:])]).fit(X, y)
    with pytest.raises(ValueError, match="cv gives no folds"):
        FastBoxesClassifierCV(**SMALL, cv=[]).fit(X, y)
    with pytest.raises(ValueError, match=r"cv must be a number of folds, a splitter or pairs .* got None"):
        FastBoxesClassifierCV(**SMALL, cv=None).fit(X, y)


def test_stored_tables_are_not_for_splitters():
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "label": [0, 1, 0, 1]})
    with pytest.raises(ValueError, match=r"fit_table needs a number of folds as cv.*got cv=StratifiedKFold"):
        FastBoxesClassifierCV(**SMALL, cv=StratifiedKFold(2)).fit_table(table, target="label")


def test_a_scorer_of_the_users_gets_the_weights_of_the_rows_if_it_takes_them(table):
    X, y = table
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    seen = []

    def scorer(model, X, y, sample_weight):
        seen.append((len(X), sample_weight.sum()))
        return roc_auc_score(y, model.decision_function(X), sample_weight=sample_weight)

    FastBoxesClassifierCV(n_boxes=1, expansion=0.0, feature_range=(-1, 1), scoring=scorer, cv=2).fit(X, y, weight)
    assert sum(n_rows for n_rows, _ in seen) == len(y) * (len(seen) // 2)
    assert sum(mass for _, mass in seen) == weight.sum() * (len(seen) // 2)


def test_progress(table, capsys):
    FastBoxesClassifierCV(**SMALL, verbose=1).fit(*table)
    printed = capsys.readouterr().out
    assert "[Fast Boxes CV] 2 of 2 done" in printed
    assert "[Fast Boxes] cluster:" in printed


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"n_boxes": 0}, "n_boxes == 0, must be >= 1"),
        ({"feature_range": 3}, r"feature_range must be a pair \(min, max\) .* got 3"),
        ({"n_boxes": ()}, "n_boxes has no value to try"),
        ({"growth": "fast"}, "growth must be one of"),
        ({"expansion": [-1.0]}, "expansion must be a finite number of at least 0; got -1.0"),
        ({"feature_range": (1, -1)}, "feature_range must be a pair"),
        ({"negative_weight": 0}, "negative_weight must be 'balanced' or a finite number above 0; got 0"),
        ({"negative_weight": [0.5, None]}, "negative_weight must be 'balanced' or a finite number above 0; got None"),
        ({"false_alarm_cost": -1}, "false_alarm_cost must be None, 'balanced' or a finite number above 0; got -1"),
        ({"cv": 1}, "cv == 1, must be >= 2"),
    ],
)
def test_bad_parameters(table, parameter, message):
    with pytest.raises(ValueError, match=message):
        FastBoxesClassifierCV(**parameter).fit(*table)


def test_the_cost_suits_the_boxes_of_all_rows():
    """On the scale of the folds, no box was left around all rows here."""
    X, digit = load_digits(return_X_y=True)
    model = FastBoxesClassifierCV(growth="free", feature_range=(-3, 3), distance="sum", n_boxes=(1, 2))
    model.fit(X[:800], digit[:800] == 0)
    assert recall_score(digit[800:] == 0, model.predict(X[800:])) > 0.8


def test_a_cost_that_leaves_no_box_is_warned_of(table, monkeypatch):
    X, y = table
    monkeypatch.setattr(cv, "best_cost", lambda *given: 1e200)
    model = FastBoxesClassifierCV(**SMALL | {"growth": "free"})
    with pytest.warns(
        UserWarning, match="No training row is in a box at a cost of .*: nothing is flagged. Lower false_al"
    ):
        model.fit(X, y)
    assert not model.predict(X).any()
    assert roc_auc_score(y, model.critical_weight(X)) > 0.7  # as the warning says, the rows are still ranked


@pytest.mark.parametrize("weight", [None, 0.01])
def test_boxes_around_all_rows_are_warned_of_unless_the_weight_is_given(weight):
    X, y = np.arange(1.0, 5)[:, None], [0, 1, 0, 1]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = FastBoxesClassifierCV(negative_weight=weight).fit(X, y)
    assert model.predict(X).all()
    few, *more = [str(warning.message) for warning in told]
    assert few.startswith("Rows of the smaller class: 2")
    more = [text for text in more if not text.startswith("Held-out rows are ranked no better than by chance")]
    everything = ["The boxes hold all training rows: everything is flagged. Raise false_alarm_cost."]
    assert more == (everything if weight is None else [])


def averaged_loss(c, critical, positive, weight, price):
    """The mean of misses + price * false alarms over costs near c, by many of them."""
    near = c * np.exp(np.linspace(-NEAR, NEAR, 4001))
    flagged = critical >= near[:, None]
    return ((weight * positive * ~flagged).sum(axis=1) + price * (weight * ~positive * flagged).sum(axis=1)).mean()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("price", [0.05, 0.3, 1.0, 4.0])
def test_best_cost_against_brute_force(seed, price):
    rng = np.random.default_rng(seed)
    critical = rng.choice([0.0, 0.1, 0.11, 0.2, 0.5, 1.0, 1.2, 3.0, np.inf], size=40)
    positive = rng.random(40) < 0.3 + 0.4 * (critical > 0.4)
    weight = rng.integers(1, 4, size=40).astype(float)
    given = critical, positive, weight, price
    tried = [averaged_loss(c, *given) for c in np.geomspace(0.01, 10, 1000)]
    assert averaged_loss(best_cost(*given, None), *given) <= min(tried) + 0.02

    def loss(c):
        flagged = critical >= c
        return weight[positive & ~flagged].sum() + price * weight[~positive & flagged].sum()

    choices = [0.15, 0.3, 2.0]
    assert loss(best_cost(*given, choices)) == pytest.approx(min(map(loss, choices)))


def test_best_cost_is_in_the_middle_of_a_gap():
    critical, positive = np.array([0.01, 0.02, 8.0, 9.0]), np.array([False, False, True, True])
    assert best_cost(critical, positive, None, 1.0, None) == pytest.approx(0.4)
    assert best_cost(np.array([0.0, np.inf]), positive[1:3], None, 1.0, None) == 1.0


def test_the_price_where_nobody_says_it():
    """40 of 2 000 rows are positive; one of them is among 60 negatives, so that a miss spares 60 false alarms."""
    critical = np.concatenate([np.full(39, 9.0), [1.0], np.full(60, 1.0), np.full(1900, 0.01)])
    positive = np.arange(2000) < 40
    balance = 40 / 1960
    price = suitable_price(critical, positive, None, balance)
    assert price > 1 / 60  # at the balance, about 1 / 49, it is not worth the miss
    assert math.log2(price / balance) == pytest.approx(round(math.log2(price / balance)))
    assert price <= 1
    doubled = suitable_price(critical.repeat(2), positive.repeat(2), None, balance)
    assert doubled == suitable_price(critical, positive, np.full(2000, 2.0), balance) == price
    spread = np.where(positive, np.linspace(1, 9, 2000), np.linspace(0.01, 0.02, 2000))
    assert suitable_price(spread, positive, None, balance) == balance  # none is better: the lowest


def test_ratios_of_two_fits():
    one, other = np.array([1.0, 4.0, 0.0, np.inf, 9.0]), np.array([2.0, 2.0, 1.0, 3.0, 1.0])
    assert middle_ratio(one, other, np.ones(5)) == 2
    assert middle_ratio(one, other, np.array([1.0, 1, 1, 1, 5])) == 9
    assert middle_ratio(one[2:4], other[2:4], np.ones(2)) == 1
    np.testing.assert_array_equal(scaled_weights(one, 3.0), [3, 12, 0, np.inf, 27])


def test_no_limit_that_costs_nothing_is_left(table):
    X, y = table
    model = FastBoxesClassifierCV(**SMALL, round_limits=False).fit(X, y)
    full = FastBoxesClassifierCV(**SMALL, simplified=False).fit(X, y)
    assert model.best_params_ == full.best_params_
    assert model.boxes_.n_limits < full.boxes_.n_limits
    price = model.false_alarm_cost_

    def worth(boxes):
        flagged = boxes.contains(X)
        return np.count_nonzero(flagged & (y == 1)) - price * np.count_nonzero(flagged & (y == 0))

    assert worth(model.boxes_) >= worth(full.boxes_) - 1e-9
    for k, rule in enumerate(model.boxes_.rules()):
        for limit in rule.limits:
            assert worth(model.boxes_.drop_limit(k, limit.feature)) < worth(full.boxes_)
    # critical weights and the path are those of the boxes that are shown
    np.testing.assert_array_equal(model.critical_weight(X) >= model.negative_weight_, model.boxes_.contains(X))
    assert model.path([model.negative_weight_])[0].boxes == model.boxes_


def test_a_box_that_only_missing_values_are_in_is_left_out(monkeypatch):
    """An interval that has shrunk to nothing holds no number, but a missing value is inside any."""
    X = np.array([[0.0, 1], [np.nan, 1], [5, 1], [5, 2], [1, 9], [2, 9], [9, 9]])
    rows = Training(X, np.arange(7) < 4, None)
    model = FastBoxesClassifier(n_boxes=2).fit(X[[0, 2, 3, 4, 5, 6]], [1, 1, 1, 0, 0, 0])
    limits = np.array([[0.0, 1], [4, 1]]), np.array([[-1.0, 1], [6, 2]])
    monkeypatch.setattr(Edges, "limits", lambda *given: limits)
    edges = needed_edges(model._edges, rows, 1.0, 0.0, FREE, 1.0)
    np.testing.assert_array_equal(edges.tight, model._edges.tight[:, [1]])
    limits[1][1, 0] = 3  # now no box has room: all stay, to rank by
    assert needed_edges(model._edges, rows, 1.0, 0.0, FREE, 1.0) is model._edges


def test_numbers_of_boxes_from_coarse_to_fine(table):
    X, y = table
    options = {"expansion": (0.0, 0.1), "feature_range": (-1, 1), "growth": "edge"}
    model = FastBoxesClassifierCV(**options).fit(X, y)
    all_counts = FastBoxesClassifierCV(**options, n_boxes=(1, 2, 3, 4, 5, 6, 8, 10)).fit(X, y)
    scores = {str(p): s for p, s in zip(*map(all_counts.cv_results_.get, ("params", "mean_test_score")), strict=True)}
    tried = model.cv_results_["params"]
    assert len(tried) < len(scores)
    for params, score in zip(tried, model.cv_results_["mean_test_score"], strict=True):
        assert scores[str(params)] == score
    counts = [1, 2, 3, 4, 5, 6, 8, 10]
    place = counts.index(model.best_params_["n_boxes"])
    assert {1, 3, 6, *counts[max(0, place - 1) : place + 2]} <= {params["n_boxes"] for params in tried}


def test_few_positives_for_auto():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) < 4
    model = FastBoxesClassifierCV().fit(X, y)
    assert {params["n_boxes"] for params in model.cv_results_["params"]} <= {1, 2}


def test_distances_are_the_same_up_to_six_features(table):
    model = FastBoxesClassifierCV(**SMALL).fit(*table)
    assert {params["distance"] for params in model.cv_results_["params"]} == {"mean"}
    X = np.random.default_rng(0).normal(size=(300, 8))
    wide = FastBoxesClassifierCV(**SMALL).fit(X, X[:, 0] > 1.2)
    assert {params["distance"] for params in wide.cv_results_["params"]} == {"mean", "sum"}
