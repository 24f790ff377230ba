"""Goals: the tests behind them, by other means, and that learners keep them on new rows."""

import json
import warnings

import numpy as np
import pytest
from scipy import stats

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.learners.goals import GOALS, Goal, OperatingPoints, _holm, cuts_within, judge, pick

LEARNERS = [SparseBoxesClassifier, ScoredBoxesClassifier, FastBoxesClassifierCV]


def payments(n_rows, seed):
    """Frauds are among large amounts at night, most of them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.lognormal(4, 1, n_rows), rng.integers(0, 24, n_rows), rng.normal(size=n_rows)])
    fraud = (X[:, 0] > 150) & (X[:, 1] < 6) & (rng.random(n_rows) < 0.8)
    return X, (fraud | (rng.random(n_rows) < 0.003)).astype(int)


def shares_of(model, X, y):
    flagged = model.predict(X) == 1
    return {
        "max_alarm_rate": flagged.mean(),
        "min_precision": y[flagged].mean(),
        "min_recall": flagged[y == 1].mean(),
    }


@pytest.mark.parametrize("hits", [0, 1, 7, 50])
def test_chances_and_bounds_are_those_of_the_binomial_distribution(hits):
    share, n = np.array([hits / 50]), np.array([50.0])
    most, least = Goal("max_alarm_rate", 0.2, 0.9), Goal("min_recall", 0.3, 0.9)
    assert most.chance(share, n) == pytest.approx(stats.binom.cdf(hits, 50, 0.2))
    assert least.chance(share, n) == pytest.approx(stats.binom.sf(hits - 1, 50, 0.3))
    for goal, side, end in ((most, "less", "high"), (least, "greater", "low")):
        interval = stats.binomtest(hits, 50, alternative=side).proportion_ci(0.97, method="exact")
        assert goal.bound(share, n, np.array([0.03])) == pytest.approx(getattr(interval, end))


def test_the_level_is_that_of_a_new_table_of_as_many_rows():
    rng = np.random.default_rng(0)
    goal = Goal("min_recall", 0.8, 0.9)
    # At the edge of passing: the share of these rows is just so good that the goal is kept at the level of the test.
    truth = 0.8 + stats.norm.isf(goal.level) * np.sqrt(0.8 * 0.2 / 400)
    first, second = rng.binomial(400, truth, (2, 200_000)) / 400
    kept = second[np.abs(first - truth) < 0.002] >= 0.8
    assert kept.mean() > 0.85
    assert goal.level == pytest.approx(stats.norm.sf(np.sqrt(2) * stats.norm.isf(0.1)))


def test_holm_rejects_what_its_definition_says():
    rng = np.random.default_rng(1)
    for _ in range(200):
        chances = rng.random(6) ** 4
        ordered, m = np.sort(chances), len(chances)
        n_rejected = next((i for i in range(m) if ordered[i] > 0.1 / (m - i)), m)
        assert sorted(chances[_holm(chances, 0.1, m, 1.0) > 0]) == ordered[:n_rejected].tolist()


def test_a_cut_flags_as_many_rows_as_it_may():
    rng = np.random.default_rng(2)
    score, weight = rng.integers(0, 9, 60).astype(float), rng.integers(1, 4, 60).astype(float)
    for share in (1.0, 0.5, 0.11, 0.001):
        cut = cuts_within(score, weight, [share])[0]
        flagged = [weight[score >= t].sum() / weight.sum() for t in range(9)]
        fits = [t for t in range(9) if flagged[t] <= share]
        assert cut == (fits[0] if fits else 8)


def test_figures_of_points_are_counted():
    flagged = np.array([[1, 1, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0]], dtype=bool)
    positive, weight = np.array([1, 1, 0, 0, 0, 0], dtype=bool), np.array([1.0, 2, 1, 1, 1, 1])
    points = OperatingPoints.of_masks(flagged, positive, weight, (1.0, 1.0))
    assert points.alarm_rate == pytest.approx([4 / 7, 2 / 7])
    assert points.precision == pytest.approx([3 / 4, 1])
    assert points.recall == pytest.approx([1, 2 / 3])
    assert points.n_rows("max_alarm_rate") == pytest.approx([7, 7])
    assert points.n_rows("min_precision") == pytest.approx([4, 2])
    assert points.n_rows("min_recall") == pytest.approx([3, 3])
    sample = OperatingPoints.of_masks(flagged, positive, weight, (1.0, 2.0))  # a negative stands for two rows
    assert sample.n_rows("min_precision") == pytest.approx([16 / 7, 1])  # four squared over 1 · 1 + 3 · 2; 2 / 2
    assert sample.n_rows("min_recall") == pytest.approx([3, 3])


def test_the_best_point_that_keeps_the_goal_is_taken_or_the_nearest():
    recall, false_alarms = np.array([0.99, 0.9, 0.5, 0.1]), np.array([0.5, 0.05, 0.01, 0.0])
    points = OperatingPoints(recall, false_alarms, 0.1, (1000.0, 9000.0))
    assert pick(Goal("max_alarm_rate", 0.2, 0.9), points)[0] == 1
    assert pick(Goal("max_alarm_rate", 0.08, 0.9), points)[0] == 2
    assert pick(Goal("min_precision", 0.5, 0.9), points)[0] == 1
    assert pick(Goal("min_precision", 0.95, 0.9), points)[0] == 3
    assert pick(Goal("min_recall", 0.85, 0.9), points)[0] == 1
    at, found = pick(Goal("min_recall", 0.999, 0.9), points)
    assert (at, found.kept, found.recall) == (0, False, 0.99)
    assert found.bound < 0.99
    assert str(found).startswith("Recall at least 100%: out of reach. On held-out rows 99%, at least 98%")


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_that_is_just_missed_is_rarely_said_to_be_kept(name):
    rng = np.random.default_rng(3)
    true, false, base = 0.6, 0.04, 0.1
    rate = base * true + (1 - base) * false
    value = {"max_alarm_rate": rate, "min_precision": base * true / rate, "min_recall": true}[name]
    wrong = 0
    for _ in range(2_000):
        recall, alarms = rng.binomial(300, true, 8) / 300, rng.binomial(2700, false, 8) / 2700
        wrong += pick(Goal(name, value, 0.9), OperatingPoints(recall, alarms, base, (300.0, 2700.0)))[1].kept
    assert wrong / 2_000 < 0.12  # 10%, and what chance adds in 2 000 times


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("name", "value"), [("max_alarm_rate", 0.04), ("min_precision", 0.6), ("min_recall", 0.85)])
def test_goals_are_kept_on_new_rows(learner, name, value):
    X, y = payments(3_000, 0)
    model = learner(**{name: value}).fit(X, y)
    assert model.goal_.kept
    assert (model.goal_.name, model.goal_.value, model.goal_.confidence) == (name, value, 0.9)
    new = shares_of(model, *payments(20_000, 1))[name]
    assert new <= value if name == "max_alarm_rate" else new >= value
    assert getattr(model.goal_, name[4:]) == pytest.approx(new, abs=0.12)


@pytest.mark.filterwarnings("ignore::boxdraw.CautionWarning")
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("name", "value"), [("max_alarm_rate", 0.07), ("min_precision", 0.5)])
def test_goals_are_about_the_base_rate_where_negatives_are_sampled(learner, name, value):
    X, y = payments(12_000, 0)
    kept = (y == 1) | (np.random.default_rng(1).random(len(y)) < 0.1)
    model = learner(base_rate=y.mean(), **{name: value}, pos_label=1)
    words_of(model, X[kept], y[kept])
    assert model.goal_.kept
    new, labels = payments(40_000, 1)
    found = shares_of(model, new, labels)
    assert found[name] <= value if name == "max_alarm_rate" else found[name] >= value
    assert found["min_recall"] > 0.5  # a tenth of it, for the alarms of the sample
    flagged = model.predict(X[kept]) == 1
    sampled = y[kept][flagged].mean() if name == "min_precision" else flagged.mean()
    assert sampled > value  # among the rows of the fit


def test_points_at_another_base_rate_are_those_of_so_many_negatives():
    flagged = np.array([[1, 1, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0]], dtype=bool)
    positive, weight = np.array([1, 1, 0, 0, 0, 0], dtype=bool), np.ones(6)
    points = OperatingPoints.of_masks(flagged, positive, weight, (1.0, 1.0))
    goal = Goal("max_alarm_rate", 0.3, 0.9, base_rate=2 / 42)  # each negative is ten
    _, found = pick(goal, points)
    many = goal.weigh(weight, positive)
    assert many.tolist() == [1, 1, 10, 10, 10, 10]
    same = OperatingPoints.of_masks(flagged, positive, many, (1.0, 10.0))
    _, other = pick(Goal("max_alarm_rate", 0.3, 0.9), same)
    for name in ("bound", "alarm_rate", "precision", "recall"):
        assert getattr(found, name) == pytest.approx(getattr(other, name))


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_is_out_of_reach_is_said(learner):
    X, y = payments(1_500, 0)
    with pytest.warns(UserWarning, match=r"Precision at least 99%: out of reach.*\(min_precision\).*Ask for less"):
        model = learner(min_precision=0.99).fit(X, y)
    assert not model.goal_.kept
    assert (model.predict(X) == 1).any()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"min_recall": 0.9, "min_precision": 0.5}, "State at most one of"),
        ({"min_recall": 0.9, "false_alarm_cost": 0.5}, "State at most one of"),
        ({"min_recall": 1.5}, r"min_recall must be a number between 0 and 1; got 1\.5"),
        ({"max_alarm_rate": True}, "max_alarm_rate must be a number between 0 and 1; got True"),
        ({"confidence": 0}, "confidence must be a number between 0 and 1; got 0"),
    ],
)
def test_goals_are_checked(learner, params, words):
    with pytest.raises(ValueError, match=words):
        learner(**params).fit(*payments(100, 0))


@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier])
def test_goals_need_folds(learner):
    with pytest.raises(ValueError, match=r"min_recall is kept on held-out rows and needs inner folds; got cv=None"):
        learner(min_recall=0.8, cv=None).fit(*payments(100, 0))


def test_without_a_goal_there_is_none():
    X, y = payments(400, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert SparseBoxesClassifier().fit(X, y).goal_ is None


@pytest.mark.parametrize("goal", [{"max_alarm_rate": 0.04}, {"min_precision": 0.6}])
def test_weights_are_repetition_with_goals_too(goal):
    X, y = payments(500, 4)
    weight = np.random.default_rng(0).integers(1, 3, 500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weighted = SparseBoxesClassifier(**goal).fit(X, y, weight)
        repeated = SparseBoxesClassifier(**goal).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.boxes_ == repeated.boxes_
    assert weighted.goal_ == repeated.goal_


@pytest.mark.parametrize("share", [0.01, 0.03])
def test_a_budget_far_below_the_positives_is_kept(share):
    X, y = payments(20_000, 5)
    model = SparseBoxesClassifier(max_alarm_rate=share).fit(X, y)
    assert model.goal_.kept
    flagged = model.predict(X) == 1
    assert 0.3 * share < flagged.mean() <= share
    assert y[flagged].mean() > 0.6


def test_a_card_of_which_every_threshold_flags_too_much_says_so():
    X = np.repeat([[0.0], [1.0]], [900, 100], axis=0)
    y = np.r_[np.zeros(890), np.ones(110)].astype(int)
    with pytest.warns(UserWarning, match="Flagged at most 5.0%: out of reach. On held-out rows 10%"):
        model = ScoredBoxesClassifier(max_alarm_rate=0.05).fit(X, y)
    assert (model.predict(X) == 1).mean() == 0.1


def test_too_few_folds_are_said_once():
    X, y = payments(300, 0)
    y[np.flatnonzero(y)[4:]] = 0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ScoredBoxesClassifier(max_alarm_rate=0.1, cv=5).fit(X, y)
    assert [str(one.message).startswith("Rows of the smaller class: 4") for one in told].count(True) == 1


@pytest.mark.filterwarnings("ignore::boxdraw.CautionWarning", "ignore:Recall at least")
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_row_counts_once_if_folds_test_it_at_all(learner):
    """Of 300 rows, 100 are tested: once, or in five folds, or twice in one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (rng.random(300) < 0.1 + 0.5 * (X[:, 0] > 0.8)).astype(int)
    train, test = np.arange(100, 300), np.arange(100)
    for folds in ([(train, test)], [(train, test)] * 5, [(train, np.repeat(test, 2))]):
        model = learner(min_recall=0.2, cv=folds).fit(X, y)
        n, level = y[test].sum(), Goal("min_recall", 0.2, 0.9).level
        hits = model.goal_.recall * n
        assert hits == pytest.approx(round(hits))
        assert model.goal_.bound == pytest.approx(stats.beta.ppf(level, hits, n - hits + 1))
        assert sum(region.n_rows for region in model.risk_table_) == pytest.approx(100)


def words_of(model, X, y):
    """Return what fit warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    return " ".join(str(one.message) for one in told)


def test_a_budget_is_judged_by_what_it_flags():
    """The drawings that are cut down to it may hold every row."""
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.integers(0, 4, 600), rng.normal(size=600).round(1), rng.random(600) < 0.5])
    y = ((X[:, 0] == 1) & (X[:, 1] > 0)) | (rng.random(600) < 0.03)
    model = SparseBoxesClassifier(max_alarm_rate=0.1)
    assert "chance" not in words_of(model, X, y.astype(int))
    assert model.goal_.precision > 0.8


def test_only_constraints_that_there_are_can_be_relaxed():
    X, y = np.array([[1.0], [2], [3], [4]]), [0, 0, 1, 1]
    for given, words in (({}, "(a higher max_alarm_rate), or learn"), ({"min_box_rows": 2}, "relax the constr")):
        assert words in words_of(SparseBoxesClassifier(max_alarm_rate=0.1, **given), X, y)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.01, 0.001])
def test_fast_boxes_flag_few_rows_where_no_box_keeps_the_alarms(seed, share):
    """Limits are not left out for more positives: alarms that pay were not asked for."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1_500, 3))
    y = (X[:, 0] + rng.normal(size=1_500) > 1.5).astype(int)
    model = FastBoxesClassifierCV(max_alarm_rate=share)
    words = words_of(model, X, y)
    assert model.goal_.kept or "out of reach" in words
    assert (model.predict(X) == 1).mean() <= max(share, 2 / len(X))
    assert model.false_alarm_cost_ >= y.mean() / (1 - y.mean())


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("goal", "less"), [("max_alarm_rate", "higher"), ("min_precision", "lower")])
def test_warnings_of_a_goal_out_of_reach_do_not_contradict_each_other(learner, goal, less):
    """They say to ask for less, and not to ask for more at the same time."""
    rng = np.random.default_rng(3)
    X = rng.random((600, 1)).round(1)
    y = ((X[:, 0] > 0.4) & (rng.random(600) < 0.3)).astype(int)
    model = learner(**{goal: 0.001 if goal == "max_alarm_rate" else 0.999}, pos_label=1)
    words = words_of(model, X, y)
    assert not model.goal_.kept
    assert f"Ask for less (a {less} {goal})" in words
    assert f"lower {goal}" not in words.lower() or less == "lower"
    assert f"raise {goal}" not in words.lower()
    assert "false_alarm_cost" not in words  # which was not stated


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_goal_that_could_not_be_tested_is_there_and_not_kept(learner):
    X, y = payments(300, 0)
    y[np.flatnonzero(y)[1:]] = 0  # a single positive
    model = learner(max_alarm_rate=0.1)
    assert "Flagged at most 10%: " in words_of(model, X, y)
    assert (model.goal_.name, model.goal_.value, model.goal_.kept) == ("max_alarm_rate", 0.1, False)
    assert json.loads(json.dumps(model.goal_.as_dict(), allow_nan=False))["kept"] is False


@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier])
@pytest.mark.parametrize(("name", "value"), [("max_alarm_rate", 0.06), ("min_precision", 0.6), ("min_recall", 0.85)])
def test_other_points_keep_the_goal_that_was_asked_for(learner, name, value):
    X, y = payments(3_000, 0)
    model = learner(**{name: value}, pos_label=1)
    words_of(model, X, y)
    new, labels = payments(20_000, 1)
    for size in {model.frontier_.sizes[0], model.frontier_.sizes[-1]}:
        other = model.at(size)
        assert (other.goal_.name, other.goal_.value, other.goal_.confidence) == (name, value, 0.9)
        found = shares_of(other, new, labels)[name]
        if other.goal_.kept:
            assert found <= value if name == "max_alarm_rate" else found >= value
        if learner is ScoredBoxesClassifier or name != "max_alarm_rate":
            assert getattr(other.goal_, name[4:]) == pytest.approx(found, abs=0.15)
    chosen = model.at(model.frontier_.chosen)
    assert chosen.goal_ == model.goal_


def test_a_single_point_is_judged_at_the_level_of_a_test():
    points = OperatingPoints(np.array([0.9]), np.array([0.05]), 0.1, (1000.0, 9000.0))
    for goal in (Goal("max_alarm_rate", 0.16, 0.9), Goal("min_precision", 0.6, 0.9), Goal("min_recall", 0.88, 0.9)):
        alone = pick(goal, points)[1]
        assert judge(goal, points) == alone
    assert not judge(Goal("max_alarm_rate", 0.5, 0.9), points.at(0.0, 0.0)).kept  # flags nothing
