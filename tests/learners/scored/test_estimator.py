"""ScoredBoxesClassifier: every answer follows from the scorecard."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from boxdraw import BoxSet, ScoredBoxesClassifier, load
from boxdraw.datasets import load_dataset

from . import reference as ref


def fit(X, y, weight=None, **parameters):
    """Fit without inner folds unless some are asked for."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No box was found")
        return ScoredBoxesClassifier(**({"cv": None, "max_boxes": 8, "signed_points": False} | parameters)).fit(
            X, y, sample_weight=weight
        )


def rows_like(X, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([X, X + rng.normal(scale=0.3, size=X.shape), rng.normal(scale=3, size=(30, X.shape[1]))])


def trend(seed, n_columns=4):
    """A table in which each feature makes positives a little more likely."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, n_columns))
    return X, (X.sum(axis=1) + rng.logistic(size=600) > 2).astype(int)


def plain_points(card, X):
    """The points of rows, from the limits of the boxes."""
    score = np.zeros(len(X), dtype=int)
    for lower, upper, limited, points in zip(
        card.boxes.lower, card.boxes.upper, card.boxes.limited, card.points, strict=True
    ):
        inside = np.logical_and(np.greater_equal(X, lower), np.less_equal(X, upper)) | ~limited
        score += points * inside.all(axis=1)
    return score


# What a fitted model says


MODELS = {
    "plain": {},
    "stumps": {"max_limits": 1, "lam": 1.0},
    "deep": {"max_limits": 4, "lam": 2.0},
    "few": {"max_boxes": 2, "max_union": 1},
    "free": {"max_union": None, "max_boxes": 12, "lam": 0.5},
    "dear": {"false_alarm_cost": 2.0},
    "cheap": {"false_alarm_cost": 0.05},
    "first class": {"pos_label": 0},
    "folds": {"cv": 2},
}


@pytest.mark.parametrize("parameters", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_one_model_many_readings(seed, parameters):
    X, y = ref.make_table(seed, kind="integers" if seed else "continuous")
    model, rows = fit(X, y, **parameters), rows_like(X)
    card = model.scorecard_
    points = plain_points(card, rows)
    flagged = points >= card.threshold
    np.testing.assert_array_equal(card.score(rows), points)
    np.testing.assert_array_equal(model.predict(rows) == model.pos_label_, flagged)
    np.testing.assert_array_equal(model.boxes_.contains(rows), flagged)
    np.testing.assert_array_equal(model.transform(rows), card.boxes.membership(rows))
    sign = 1 if model.pos_label_ == 1 else -1
    np.testing.assert_array_equal(sign * model.decision_function(rows) > 0, flagged)
    np.testing.assert_array_equal(model.decision_function(rows) >= 0, model.predict(rows) == 1)
    above = sign * model.decision_function(rows, score="points")
    np.testing.assert_allclose(above, points - card.threshold, atol=1e-300)
    np.testing.assert_array_equal(above > 0, flagged)
    assert BoxSet.from_json(model.boxes_.to_json()) == model.boxes_


@pytest.mark.parametrize("parameters", MODELS.values(), ids=MODELS)
def test_a_card_is_as_asked(parameters):
    model = fit(*ref.make_table(7, 200), **parameters)
    card = model.scorecard_
    assert 1 <= len(card) <= model.max_boxes
    assert set(card.points) <= set(range(1, 6))
    assert 1 <= card.threshold <= sum(card.points) + 1
    assert model.max_union is None or len(model.boxes_) <= (8 if model.max_union == "auto" else model.max_union)
    limits = np.isfinite(card.boxes.lower).sum(axis=1) + np.isfinite(card.boxes.upper).sum(axis=1)
    assert (limits >= 1).all()
    assert (limits <= model.max_limits_).all()


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_flagged_rows_come_first_then_graded_points(seed, signed):
    X, y = ref.make_table(seed)
    model, rows = fit(X, y, signed_points=signed, lam=1.0, round_limits=False), rows_like(X)
    decision, flagged = model.decision_function(rows), model.predict(rows) == 1
    if flagged.any() and not flagged.all():
        assert decision[flagged].min() > 0 > decision[~flagged].max()
    graded = plain_graded(model, X, y, rows)
    for side in (flagged, ~flagged):
        order = np.argsort(graded[side], kind="stable")
        assert (np.diff(decision[side][order]) >= -1e-12).all()
    assert np.abs(decision).max() <= 1


def plain_spread(column, y):
    """The standard deviation or what the quartiles suggest, if less, of rows in which both classes weigh the same."""
    weight = np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum())
    deviation = np.sqrt(np.cov(column, aweights=weight, ddof=0))
    order = np.argsort(column)
    lower, upper = column[order][np.searchsorted(np.cumsum(weight[order]), [0.25 - 1e-12, 0.75 - 1e-12])]
    return min(deviation, (upper - lower) / 1.349) if upper > lower else deviation


def plain_graded(model, X, y, rows):
    """Points times how well inside, from the card and the spreads of the training rows."""
    spread, total = np.array([plain_spread(column, y) for column in X.T]), np.zeros(len(rows))
    card = model.scorecard_
    for lower, upper, points in zip(card.boxes.lower, card.boxes.upper, card.points, strict=True):
        depth = (np.minimum(rows - lower, upper - rows) / spread).min(axis=1)
        total += points * np.mean([ref.sigmoid(depth / t) for t in (0.1, 0.4, 1.2)], axis=0)
    return total


@pytest.mark.parametrize("signed", [False, True])
def test_the_decision_is_the_share_of_all_graded_points(signed):
    X, y = ref.make_table(2)
    model = fit(X, y, signed_points=signed, lam=1.0, round_limits=False)
    graded, points = plain_graded(model, X, y, X), np.array(model.scorecard_.points)
    least, most = points[points < 0].sum(), points[points > 0].sum()
    share = (graded - least) / (most - least)
    expected = np.where(model.predict(X) == 1, share, share - 1)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9)
    rounded = fit(X, y, signed_points=signed, lam=1.0)
    np.testing.assert_array_equal(rounded.decision_function(X), model.decision_function(X))


def test_farther_inside_ranks_higher():
    X = np.arange(100.0)[:, None]
    model = fit(X, X[:, 0] >= 70, max_boxes=1)
    assert (np.diff(model.decision_function(X)) > 0).all()


def test_a_row_scores_the_same_alone():
    X, y = trend(0)
    model = fit(X, y)
    alone = [model.decision_function(row[None])[0] for row in X[:40]]
    np.testing.assert_array_equal(alone, model.decision_function(X)[:40])


def test_unknown_scores_are_refused():
    model = fit(*ref.make_table(0))
    with pytest.raises(ValueError, match="score must be one of 'graded', 'points'; got 'odds'"):
        model.decision_function([[0.0, 0, 0]], score="odds")


def test_graded_scores_rank_better_than_points():
    X, y = trend(1)
    model = fit(X[:300], y[:300])
    graded, points = (model.decision_function(X[300:], score=score) for score in ("graded", "points"))
    assert roc_auc_score(y[300:], graded) > roc_auc_score(y[300:], points) > 0.7


# Tables of counts


def test_scorecard_table_counts_each_box():
    X, y = ref.make_table(4, 150)
    weight = np.random.default_rng(0).random(150)
    model = fit(X, y)
    table = model.scorecard_table(X, y, weight)
    assert isinstance(table, pd.DataFrame)
    assert table["points"].tolist() == list(model.scorecard_.points)
    member = model.scorecard_.boxes.membership(X)
    for k, row in table.iterrows():
        inside = member[:, k]
        assert row["support"] == pytest.approx(weight[inside].sum())
        assert row["true_positives"] == pytest.approx(weight[inside & (y == 1)].sum())
        assert row["precision"] == pytest.approx(row["true_positives"] / row["support"])
        assert row["recall"] == pytest.approx(weight[inside & (y == 1)].sum() / weight[y == 1].sum())
    rules = [line.split(": ", 1)[1] for line in model.scorecard_.to_text().splitlines()[: len(table)]]
    assert table["rule"].tolist() == rules
    assert table.equals(model.box_table(X, y, weight))


# Settings


def test_auto_without_inner_folds():
    model = fit(*ref.make_table(0))
    assert (model.max_limits_, model.lam_) == (2, 4)
    assert not hasattr(model, "cv_results_")
    same = fit(*ref.make_table(0), max_limits=2, lam=4)
    assert same.scorecard_ == model.scorecard_


def params(settings):
    return [{"max_limits": n, "lam": lam, "signed_points": signed} for n, lam, signed in settings]


def test_inner_folds_try_what_is_auto():
    X, y = ref.make_table(0)
    model = ScoredBoxesClassifier().fit(X, y)
    results = model.cv_results_
    assert results["params"] == params([(1, 4, False), (2, 4, False), (3, 4, False), (2, 4, True)])
    assert params([(model.max_limits_, model.lam_, model.signed_points_)])[0] in results["params"]
    splits = [scores for name, scores in results.items() if re.fullmatch(r"split\d+_test_score", name)]
    assert len(splits) == 3 * 4
    np.testing.assert_allclose(results["mean_test_score"], np.mean(splits, axis=0))
    given = ScoredBoxesClassifier(max_boxes=8, signed_points=False).fit(X, y)
    assert given.cv_results_["params"] == params([(n, lam, False) for n in (1, 2, 3) for lam in (4, 12)])
    some = ScoredBoxesClassifier(max_limits=3, cv=2).fit(X, y)
    assert some.cv_results_["params"] == params([(3, 4, False), (3, 4, True)])
    assert some.max_limits_ == 3
    assert not hasattr(some.set_params(cv=None).fit(X, y), "cv_results_")


@pytest.mark.parametrize("asked", [{"min_box_precision": 0.3}, {"max_union": 3}])
def test_what_needs_positive_points_gets_them(asked):
    model = ScoredBoxesClassifier(max_limits=2, cv=2, **asked).fit(*ref.make_table(1, 300))
    assert model.cv_results_["params"] == params([(2, 4, False)])
    assert not model.signed_points_
    assert len(model.boxes_) <= asked.get("max_union", 10**4)


@pytest.mark.parametrize("yes", [True, np.True_])
def test_negative_points_have_no_union_to_bound(yes):
    X, y = trend(3)
    with pytest.raises(ValueError, match="max_union=3 does not go with signed_points=True"):
        ScoredBoxesClassifier(signed_points=yes, max_union=3).fit(X, y)


# The frontier


@pytest.fixture(scope="module", params=[False, True, "auto"], ids=["positive", "signed", "auto"])
def sizes(request):
    X, y = trend(3)
    return X, y, ScoredBoxesClassifier(signed_points=request.param, max_limits=2, cv=2).fit(X, y)


def test_the_frontier_has_the_card_of_each_size(sizes):
    """It comes from one run of boosting, and each card is that of a fit of its own with the same classes' weights."""
    X, y, model = sizes
    frontier = model.frontier_
    assert frontier.chosen == len(model.scorecard_)
    assert len(frontier) > 5
    assert frontier.sizes == sorted(set(frontier.sizes))
    for size, point in zip(frontier.sizes, frontier, strict=True):
        card = point.scorecard
        assert (point.n_boxes, point.n_limits) == (len(card), card.n_limits)
        assert point.n_boxes == size <= point.max_boxes
        assert frontier.at(size) is point
        assert point.n_limits <= model.max_total_limits
        assert 0.5 < point.auc == point.score < 1
        assert 0 < point.average_precision < 1
        assert 0 < point.error < 0.1
    for point in (frontier[0], frontier[2], frontier[-1]):
        size = point.max_boxes
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("boxdraw.learners.scored.choose._PLAIN_SIZE", size)
            parameters = {"max_limits": model.max_limits_, "signed_points": model.signed_points_}
            union = None if model.signed_points == "auto" else "auto"
            alone = ScoredBoxesClassifier(cv=None, max_union=union, **parameters).fit(X, y)
        assert alone.scorecard_ == point.scorecard
        np.testing.assert_array_equal(alone.decision_function(X), model.at(point.n_boxes).decision_function(X))


def test_every_card_that_the_frontier_prints_is_found_by_its_boxes():
    data = load_dataset("hypothyroid")
    frontier = ScoredBoxesClassifier().fit(data.data, data.target).frontier_
    assert any(point.n_boxes < point.max_boxes for point in frontier)  # some box of a size is worth no points
    for point in frontier:
        assert len(frontier.at(point.n_boxes).scorecard) == point.n_boxes
        assert f"{point.n_boxes} box" in repr(frontier)


def test_a_card_of_another_size(sizes):
    X, _, model = sizes
    short = model.at(n_boxes=3)
    assert 1 <= len(short.scorecard_) <= 3
    assert short.scorecard_ == model.frontier_.at(3).scorecard
    assert short.max_boxes_ == short.frontier_.chosen == 3
    back = short.at(len(model.scorecard_))
    assert back.scorecard_ == model.scorecard_
    assert model.at(len(model.scorecard_)).risk_table_ == model.risk_table_ == back.risk_table_
    np.testing.assert_array_equal(short.predict(X), short.scorecard_.contains(X))
    np.testing.assert_array_equal(short.decision_function(X) >= 0, short.predict(X) == 1)
    assert model.at(100).max_boxes_ == model.frontier_[-1].max_boxes
    with pytest.raises(
        ValueError, match=r"n_boxes=0: no drawing is that short; the numbers of boxes that there are: 1,"
    ):
        model.at(0)


def test_a_card_of_another_size_has_the_risk_of_that_size(sizes, monkeypatch):
    """It is what a fit that chooses the size says, and that of the points of a row."""
    X, y, model = sizes
    for number in (0, 2, 5):
        short = model.at(model.frontier_[number].n_boxes)
        monkeypatch.setattr("boxdraw.learners.scored.choose.few_enough", lambda *_, at=number: at)
        chosen = clone(model).fit(X, y)
        assert chosen.scorecard_ == short.scorecard_
        assert chosen.risk_table_ == short.risk_table_
        assert sum(region.n_rows for region in short.risk_table_) == pytest.approx(len(X))
        points = short.scorecard_.score(X)
        of = [region.of for region in short.risk_table_[:-1]]
        risk = [
            next((r.risk for r, least in zip(short.risk_table_, of, strict=False) if p >= least), None) for p in points
        ]
        last = short.risk_table_[-1].risk
        np.testing.assert_array_equal(short.predict_proba(X)[:, 1], [last if r is None else r for r in risk])


def test_the_frontier_in_text(sizes):
    _, _, model = sizes
    lines = repr(model.frontier_).splitlines()
    assert len(lines) == len(model.frontier_)
    (used,) = [line for line in lines if line.startswith("* ")]
    point = model.frontier_.at(len(model.scorecard_))
    assert used == (
        f"* {point.n_boxes} boxes, {point.n_limits} limits: AUC {point.auc:.3f} ± {point.error:.3f}, "
        f"average precision {point.average_precision:.3f}"
    )


def test_a_given_size_and_no_folds_have_one_card():
    X, y = trend(3)
    for parameters in ({"max_boxes": 5, "cv": 2, "max_limits": 2, "lam": 4.0}, {"cv": None}):
        model = ScoredBoxesClassifier(**parameters).fit(X, y)
        (point,) = model.frontier_
        assert point.scorecard == model.scorecard_
        assert point.max_boxes == model.max_boxes_ == parameters.get("max_boxes", 8)
        assert np.isnan(point.auc) == (parameters["cv"] is None)
    assert repr(model.frontier_) == f"* {len(model.scorecard_)} boxes, {model.scorecard_.n_limits} limits"


@pytest.mark.parametrize("cap", [1, 2, 5, 9])
@pytest.mark.parametrize("seed", range(6))
def test_a_card_has_no_more_limits_than_asked_for(seed, cap):
    """On whole numbers and others, rounded or not, of any size, before and after a look at other sizes."""
    X, y = ref.make_table(seed, 150, 3, "integers" if seed % 2 else "continuous")
    for more in ({}, {"round_limits": False}, {"max_boxes": 6, "signed_points": True}, {"max_limits": 3}):
        model = fit(X, y, **{"cv": 2, "max_boxes": "auto", "signed_points": "auto", "max_total_limits": cap} | more)
        assert all(point.scorecard.n_limits <= cap for point in model.frontier_)
        assert model.scorecard_.n_limits <= cap


def test_the_last_box_has_what_limits_are_left():
    X, y = trend(3)
    free = fit(X, y, max_boxes=12, max_limits=2, max_union=None)
    capped = fit(X, y, max_boxes=12, max_limits=2, max_union=None, max_total_limits=7)
    assert free.scorecard_.n_limits > 12
    assert capped.scorecard_.n_limits == 7
    assert capped.scorecard_.boxes[:3] == free.scorecard_.boxes[:3]
    assert fit(X, y, max_boxes=20, max_limits=2, max_union=None, max_total_limits=None).scorecard_.n_limits > 30


def test_a_card_with_negative_points_is_read_and_saved(tmp_path):
    X, y = trend(3)
    model = ScoredBoxesClassifier(signed_points=True, max_limits=2, cv=2).fit(X, y)
    assert model.scorecard_.signed
    lines = model.scorecard_.to_text().splitlines()
    assert sum(line.startswith("−") for line in lines) == sum(points < 0 for points in model.scorecard_.points)
    with pytest.raises(AttributeError, match=r"There is no boxes_: .* read scorecard_"):
        _ = model.boxes_
    for card in (model, model.at(3)):
        card.save(tmp_path / "card.json")
        again = load(tmp_path / "card.json")
        assert again.scorecard_ == card.scorecard_
        np.testing.assert_array_equal(again.predict(X), card.predict(X))


@pytest.mark.parametrize("seed", range(4))
def test_a_short_union_flags_the_same_of_the_rows(seed):
    X, y = ref.make_table(seed, 200, 3, "integers" if seed % 2 else "continuous")
    model = fit(X, y, lam=1.0)
    short = model.union(X, y)
    np.testing.assert_array_equal(short.contains(X), model.predict(X) == 1)
    assert len(short) <= len(model.boxes_)
    assert short.n_limits <= model.boxes_.n_limits
    caught = short.membership(X)[y == 1].sum(axis=0)
    assert (np.diff(caught) <= 0).all()
    member = short.membership(X)
    for k in range(len(short)):
        assert (member[:, k] & ~np.delete(member, k, axis=1).any(axis=1)).any()
    heavy = np.where(np.arange(len(y)) < 20, 100.0, 0.0)
    order = model.union(X, y, heavy).membership(X)[y == 1].T @ heavy[y == 1]
    assert (np.diff(order) <= 0).all()


def test_a_goal_is_kept_by_the_size_in_use():
    X, y = trend(3)
    model = ScoredBoxesClassifier(max_limits=2, cv=2, max_alarm_rate=0.1, confidence=0.6).fit(X, y)
    assert model.goal_.kept
    assert model.predict(X).mean() < 0.15
    assert len(model.frontier_) > 1
    assert model.at(len(model.scorecard_)).goal_ is model.goal_
    other = next(size for size in model.frontier_.sizes if size != model.frontier_.chosen)
    assert (model.at(other).goal_.value, model.at(other).goal_.kept) == (0.1, False)  # it has a single box


def test_given_folds():
    X, y = ref.make_table(0)
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    first = ScoredBoxesClassifier(cv=splitter).fit(X, y)
    second = ScoredBoxesClassifier(cv=list(splitter.split(X, y))).fit(X, y)
    assert first.scorecard_ == second.scorecard_
    assert [name for name in first.cv_results_ if "split" in name] == [f"split{k}_test_score" for k in range(3)]
    np.testing.assert_array_equal(first.cv_results_["mean_test_score"], second.cv_results_["mean_test_score"])


def test_a_setting_that_is_much_better_is_found():
    """Positives in a narrow band of each of two features: that takes four limits a box, or three at least."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (900, 2))
    y = (np.abs(X) < 0.35).all(axis=1)
    model = ScoredBoxesClassifier(max_boxes=1, signed_points=False).fit(X, y)
    assert model.max_limits_ == 3


@pytest.mark.parametrize("seed", range(2))
def test_random_state_deals_other_folds_and_n_jobs_changes_nothing(seed):
    X, y = ref.make_table(seed)
    model = ScoredBoxesClassifier().fit(X, y)
    threads = ScoredBoxesClassifier(n_jobs=2).fit(X, y)
    assert threads.scorecard_ == model.scorecard_
    np.testing.assert_array_equal(threads.decision_function(X), model.decision_function(X))
    again, other = (ScoredBoxesClassifier(random_state=s).fit(X, y).cv_results_["mean_test_score"] for s in (None, 1))
    np.testing.assert_array_equal(again, model.cv_results_["mean_test_score"])
    assert (other != again).any()


def test_stages_are_told(capsys):
    X, y = ref.make_table(0)
    fit(X, y)
    assert capsys.readouterr().out == ""
    ScoredBoxesClassifier(verbose=1).fit(X, y)
    out = capsys.readouterr().out
    assert "Scored Boxes" in out
    assert "120 rows" in out


@pytest.mark.parametrize("seed", range(6))
def test_dearer_false_alarms_are_fewer(seed):
    """On the training rows, from one end to the other of the costs."""
    X, y = ref.make_table(seed, 300, noise=0.2)
    alarms, misses = [], []
    for cost in (0.02, 1.0, 50.0):
        model = fit(X, y, false_alarm_cost=cost, lam=1.0)
        _, false_alarm, miss, _ = confusion_matrix(y, model.predict(X)).ravel()
        alarms.append(false_alarm)
        misses.append(miss)
    assert alarms[0] >= alarms[1] >= alarms[2]
    assert misses[0] <= misses[1] <= misses[2]
    assert alarms[0] > alarms[2]


def test_without_a_cost_the_classes_weigh_the_same():
    X, y = ref.make_table(3, 600)
    keep = (y == 0) | (np.arange(600) % 6 == 0)
    X, y = X[keep], y[keep]
    balanced, plain = fit(X, y), fit(X, y, false_alarm_cost=1.0)
    scores = [balanced_accuracy_score(y, model.predict(X)) for model in (balanced, plain)]
    assert scores[0] > max(scores[1], 0.75)
    cost = fit(X, y, false_alarm_cost=float(y.sum() / (y == 0).sum()))
    assert cost.scorecard_ == balanced.scorecard_


@pytest.mark.parametrize("seed", range(25))
def test_max_union_and_max_boxes_hold_on_any_table(seed):
    rng = np.random.default_rng(seed)
    X, y = ref.make_table(
        seed, int(rng.integers(10, 150)), int(rng.integers(1, 5)), ["continuous", "integers"][seed % 2], 0.2
    )
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.2] = np.nan
    max_boxes, max_union = int(rng.integers(1, 10)), int(rng.integers(1, 6))
    model = fit(X, y, max_boxes=max_boxes, max_union=max_union, lam=0.2, max_limits=int(rng.integers(1, 4)))
    assert len(model.scorecard_) <= max_boxes
    assert len(model.boxes_) <= max_union
    np.testing.assert_array_equal(model.boxes_.contains(X), model.predict(X) == model.pos_label_)


def test_a_large_max_union_is_no_limit():
    X, y = ref.make_table(0)
    assert fit(X, y, max_union=10**12).scorecard_ == fit(X, y, max_union=None).scorecard_


def test_many_boxes():
    X, y = trend(5, 12)
    free = fit(X, y, max_boxes=18, lam=0.1, max_limits=1, max_union=None)
    assert len(free.scorecard_) > 16
    np.testing.assert_array_equal(free.predict(X), free.scorecard_.contains(X))
    with pytest.raises(AttributeError, match="There is no boxes_: more than 10000 sets of boxes"):
        _ = free.boxes_
    with pytest.raises(ValueError, match="simplify draws boxes without points: more than 10000 sets of boxes"):
        free.simplify(X, y)
    assert len(free.box_table(X, y)) == free.transform(X).shape[1] == len(free.scorecard_)
    np.testing.assert_array_equal(free.explain(X)["points"], free.scorecard_.score(X))
    model = fit(X, y, max_boxes=18, lam=0.1, max_limits=1)
    assert 0 < len(model.boxes_) <= 8


# Negative points


def test_negative_points_have_no_union_of_boxes():
    X = np.arange(60.0)[:, None]
    model = fit(X, (X[:, 0] < 20) | (X[:, 0] > 40), signed_points=True, pos_label=True)
    assert min(model.scorecard_.points) < 0
    with pytest.raises(AttributeError, match=r"There is no boxes_: with negative points .* signed_points=False"):
        _ = model.boxes_
    assert not hasattr(model, "boxes_")
    with pytest.raises(ValueError, match=r"simplify draws boxes without points: with negative points .*\.at takes"):
        model.simplify(X, (X[:, 0] < 20) | (X[:, 0] > 40))
    np.testing.assert_array_equal(model.transform(X), model.scorecard_.boxes.membership(X))
    names = model.get_feature_names_out().tolist()
    assert names == [f"box{k + 1}" for k in range(len(model.scorecard_))]
    np.testing.assert_array_equal(model.predict(X), model.scorecard_.contains(X))
    np.testing.assert_array_equal(model.decision_function(X) >= 0, model.predict(X))
    assert (model.scorecard_table(X, X[:, 0] > 3)["points"] == list(model.scorecard_.points)).all()


def test_signed_points_that_happen_to_be_positive_have_one():
    X = np.arange(60.0)[:, None]
    model = fit(X, X[:, 0] >= 40, signed_points=True, max_boxes=1)
    if not model.scorecard_.signed:
        np.testing.assert_array_equal(model.boxes_.contains(X), model.predict(X))


# Tables with little in them


def test_no_signal():
    X, y = np.zeros((20, 2)), np.arange(20) < 5
    with pytest.warns(UserWarning, match=r"^No box was found that sets positives apart: nothing is flagged"):
        model = ScoredBoxesClassifier(cv=None).fit(X, y)
    assert len(model.scorecard_) == len(model.boxes_) == 0
    assert not model.predict(X).any()
    assert len(set(model.decision_function(X).tolist())) == 1
    assert (model.decision_function(X) < 0).all()
    assert model.transform(X).shape == (20, 0)
    assert len(model.scorecard_table(X, y)) == 0


def test_no_signal_with_inner_folds():
    X, y = np.zeros((20, 2)), np.arange(20) < 5
    with pytest.warns(UserWarning, match="No box was found"):
        model = ScoredBoxesClassifier().fit(X, y)
    assert (model.cv_results_["mean_test_score"] == 0.5).all()
    assert (model.max_limits_, model.lam_) == (2, 4)


GUESSES = "Limits learned from so few are guesses"


def messages(**parameters):
    """Return a function that fits and gives the model and what fit warned of, beside what tests of caution are for."""

    given = {"max_boxes": 8, "signed_points": False}

    def fitted(X, y, weight=None):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = ScoredBoxesClassifier(**given | parameters).fit(X, y, sample_weight=weight)
        assert all(issubclass(warning.category, UserWarning) and warning.filename == __file__ for warning in caught)
        said = [str(warning.message) for warning in caught]
        return model, [text for text in said if not text.startswith(("Flagged are", "Box", "The rules rest on"))]

    return fitted


def test_labels_at_random():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.random(200) < 0.3
    model, said = messages()(X, y)
    np.testing.assert_array_equal(model.predict(X), model.scorecard_.contains(X))
    (doubt,) = said
    tried = model.cv_results_["params"]
    reached = model.cv_results_["mean_test_score"][tried.index(params([(model.max_limits_, model.lam_, False)])[0])]
    level = 0.5 + 2 * np.sqrt((200 + 3) / (12 * y.sum() * (~y).sum()))
    assert doubt == (
        f"Held-out rows are ranked no better than by chance: the AUC of the inner folds is {reached:.2f}, and chance "
        f"alone gives up to {level:.2f}. Do not rely on the scorecard; more rows or other features may help."
    )
    assert messages(cv=None)(X, y)[1] == []


def test_most_labels_at_random_are_found_out_and_few_real_ones_doubted():
    rng = np.random.default_rng(0)
    doubted = {"random": 0, "real": 0}
    for seed in range(10):
        X, y = trend(seed)
        rows = rng.choice(600, 150, replace=False)
        fitted = messages(max_boxes=3, max_limits=1)
        doubted["real"] += len(fitted(X[rows], y[rows])[1])
        doubted["random"] += len(fitted(X[rows], rng.permutation(y[rows]))[1])
    assert doubted["random"] >= 8
    assert doubted["real"] == 0


@pytest.mark.parametrize("lam", [4.0, 1e-3])
def test_two_rows(lam):
    with pytest.warns(UserWarning, match=f"^Rows of the smaller class: 1. {GUESSES}"):
        model = fit([[0.0], [1.0]], [0, 1], lam=lam, max_limits=1)
    assert model.predict([[0.0], [1.0]]).tolist() == ([0, 1] if len(model.scorecard_) else [0, 0])
    assert len(model.scorecard_) == 1
    assert model.scorecard_.boxes.lower[0, 0] == model.scorecard_.boxes.upper[0, 0] == 1


def test_one_positive():
    X = np.arange(30.0)[:, None]
    model, said = messages()(X, np.arange(30) == 29)
    assert said == [
        "Rows of the smaller class: 1, for 3 inner folds: no parameter can be chosen by cross-validation.",
        f"Rows of the smaller class: 1. {GUESSES}: do not rely on the scorecard before you have more.",
    ]
    assert model.predict(X)[29]
    assert model.predict(X).mean() < 0.5
    assert (model.max_limits_, model.lam_) == (2, 4)
    assert not hasattr(model, "cv_results_")
    other, _ = messages(max_limits=1)(X, np.arange(30) == 29)
    assert (other.max_limits_, other.lam_) == (1, 4)


def test_fewer_positives_than_folds():
    X = np.arange(30.0)[:, None]
    model, said = messages()(X, np.arange(30) >= 28)
    assert len(said) == 2
    assert said[0] == "Rows of the smaller class: 2, for 3 inner folds: only 2 folds are used."
    assert said[1].startswith(f"Rows of the smaller class: 2. {GUESSES}")
    assert len(model.cv_results_["mean_test_score"]) == 6


def test_few_rows_of_either_class():
    X = np.arange(30.0)[:, None]
    assert messages(cv=None)(X, np.arange(30) >= 27)[1] == []
    assert GUESSES in messages(cv=None, pos_label=False)(X, np.arange(30) >= 28)[1][0]
    weight = np.where(np.arange(30) == 27, 0.0, 1.0)  # a row without weight is none
    assert GUESSES in messages(cv=None)(X, np.arange(30) >= 27, weight)[1][0]


def test_a_fold_of_one_class_is_left_out():
    X, y = ref.make_table(0, 40)
    negatives = np.flatnonzero(y == 0)
    rest = np.setdiff1d(np.arange(40), negatives[:5])
    half = [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    with pytest.warns(UserWarning, match=r"Inner folds \[2\] lack positives or negatives"):
        model = fit(X, y, cv=[*half, (rest, negatives[:5])])
    assert model.scorecard_ == fit(X, y, cv=half).scorecard_


def test_constant_and_empty_features_have_no_limits():
    X, y = ref.make_table(1)
    wide = np.column_stack([np.full(len(X), 7.0), X, np.full(len(X), np.nan)])
    model, plain = fit(wide, y), fit(X, y)
    assert not model.scorecard_.boxes.limited[:, [0, 4]].any()
    np.testing.assert_array_equal(model.predict(wide), plain.predict(X))


def test_equal_rows_of_both_classes():
    X = np.repeat([[1.0, 2.0], [3.0, 4.0]], 20, axis=0)
    y = np.tile([0, 0, 0, 1], 10)
    y[20:] = np.tile([0, 1], 10)
    model = fit(X, y, lam=0.1)
    assert model.predict([[1.0, 2.0], [3.0, 4.0]]).tolist() == [0, 1]


# Labels and parameters


@pytest.mark.parametrize(
    ("negative", "positive", "cv"),
    [("no", "yes", 2), ("yes", "no", None), (False, True, None), (7, -1, 2), (0.0, 1.0, None)],
)
def test_labels_of_any_kind(negative, positive, cv):
    X, y = ref.make_table(2)
    labels = np.where(y == 1, positive, negative)
    model, plain = fit(X, labels, cv=cv, pos_label=positive), fit(X, y, cv=cv, pos_label=1)
    assert model.scorecard_ == plain.scorecard_
    np.testing.assert_array_equal(model.predict(X), np.where(plain.predict(X) == 1, positive, negative))
    second = model.classes_[1]
    np.testing.assert_array_equal(model.decision_function(X) >= 0, model.predict(X) == second)
    assert roc_auc_score(labels == second, model.decision_function(X)) > 0.7


def test_the_rarer_class_is_the_positive_one():
    X, y = ref.make_table(2)
    assert fit(X, y).pos_label_ == 1
    assert fit(X, 1 - y).pos_label_ == 0
    assert fit(X, y, np.where(y, 100, 1)).pos_label_ == 1  # weights do not choose it


BAD = [
    ({"max_boxes": 0}, ValueError, "max_boxes"),
    ({"max_boxes": 2.0}, TypeError, "max_boxes"),
    ({"max_union": 0}, ValueError, "max_union"),
    ({"max_union": "few"}, TypeError, "max_union"),
    ({"max_limits": 0}, ValueError, "max_limits must be 'auto' or a whole number of at least 1; got 0"),
    ({"max_limits": 1.5}, ValueError, "max_limits"),
    ({"max_limits": "two"}, ValueError, "max_limits"),
    ({"max_limits": True}, ValueError, "max_limits"),
    ({"lam": 0}, ValueError, "lam"),
    ({"lam": -1.0}, ValueError, "lam"),
    ({"lam": np.inf}, ValueError, "lam"),
    ({"lam": np.nan}, ValueError, "lam"),
    ({"lam": "much"}, (TypeError, ValueError), "lam"),
    ({"lam": None}, (TypeError, ValueError), "lam"),
    ({"false_alarm_cost": 0}, ValueError, "false_alarm_cost"),
    ({"false_alarm_cost": "balanced"}, (TypeError, ValueError), "false_alarm_cost"),
    ({"pos_label": 5}, ValueError, "pos_label=5 is not a class of y"),
    ({"cv": 1}, ValueError, "cv == 1"),
    ({"cv": []}, ValueError, "cv gives no folds"),
    ({"cv": "three"}, ValueError, "cv"),
    ({"categorical_features": [9]}, ValueError, "categorical_features names 9"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD, ids=[str(bad[0]) for bad in BAD])
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        fit(*ref.make_table(0), **parameters)


def test_numpy_numbers_are_numbers():
    X, y = ref.make_table(0)
    given = fit(X, y, max_limits=np.int64(2), lam=np.float32(4), max_boxes=np.int32(3), max_union=np.int64(4))
    assert given.scorecard_ == fit(X, y, max_boxes=3, max_union=4).scorecard_
    assert type(given.max_limits_) is int
    assert type(given.lam_) is float


def test_not_fitted():
    model = ScoredBoxesClassifier()
    for ask in (model.predict, model.decision_function, model.transform, model.explain):
        with pytest.raises(NotFittedError):
            ask([[0.0]])
    assert not hasattr(model, "boxes_")


def test_fitted_again():
    X, y = ref.make_table(0)
    model = fit(X, y)
    assert model.boxes_
    again = model.fit(X[:, :2], 1 - y)
    assert again.scorecard_ == fit(X[:, :2], 1 - y).scorecard_
    assert again.boxes_ == fit(X[:, :2], 1 - y).boxes_


def test_float32_gives_the_same_model():
    X, y = ref.make_table(0, kind="integers")
    assert fit(X.astype(np.float32), y).scorecard_ == fit(X, y).scorecard_
