"""How much a model moves over bootstrap samples: what is learned again, from which rows, and what is compared."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    BoxStability,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    LimitStability,
    Scorecard,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners import sample as sampling
from boxdraw.learners import stability as module

INF = math.inf
SETTING = {"max_limits": 2, "lam": 4.0, "false_alarm_cost": 0.5}
LAST = "Predictions agree with the model's on"
LEARNERS = [
    SparseBoxesClassifier(cv=None),
    ScoredBoxesClassifier(cv=None),
    FastBoxesClassifier(n_boxes=2),
    FastBoxesClassifierCV(n_boxes=(1, 2), growth="free", feature_range=(-1, 1)),
    ExactBoxesClassifier(max_boxes=2),
]


def named(model):
    return type(model).__name__


def fitted(X, y, **options):
    return ScoredBoxesClassifier(**{"cv": None, "pos_label": 1, **options}).fit(X, y)


@pytest.fixture(scope="module")
def gap():
    """Numbers 0 to 29 are negative, 100 to 109 positive: whatever is drawn, a limit lies between."""
    X = np.array([*range(30), *range(100, 110)], dtype=float)[:, None]
    return X, (X[:, 0] >= 100).astype(int)


@pytest.fixture(scope="module")
def mixed():
    """A frame with categories and missing values that tell something, and their labels."""
    rng = np.random.default_rng(0)
    region, dose, age = rng.choice(list("nesw"), 300), rng.normal(size=300), rng.normal(50, 10, 300)
    y = (np.isin(region, ["n", "e"]) & (dose > 0.2)) | (age > 65)
    dose[rng.random(300) < 0.2] = np.nan
    age[y & (rng.random(300) < 0.3)] = np.nan
    return pd.DataFrame({"region": region, "dose": dose, "age": age}), y.astype(int)


@pytest.fixture(scope="module")
def two():
    """Numbers in which two boxes are positive, nearly."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 3)).round(2)
    y = ((X[:, 0] > 1) | (X[:, 1] > 1.2)) ^ (rng.random(160) < 0.05)
    return X, y.astype(int)


# every learner


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_every_learner_tells_how_much_it_moves(two, learner):
    X, y = two
    model = learner.set_params(pos_label=1).fit(X, y)
    before = model._decider()
    stability = model.stability(X, y, n=3)
    assert stability.drawing is model._decider() is before or model._decider() == before
    assert len(stability.boxes) == len(stability.drawing) > 0
    assert 0.7 < stability.agreement < 1
    assert all(len(box.limits) >= 1 for box in stability.boxes)
    assert stability.to_text().endswith(f"{LAST} {stability.agreement:.0%} of the rows.")
    assert ("points" in stability.to_frame()) == hasattr(model, "scorecard_")


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_the_same_rows_give_the_same_model(two, learner, monkeypatch):
    monkeypatch.setattr(module._Table, "_drawn", lambda table, seed: np.ones(len(table._kept)))
    X, y = two
    stability = learner.set_params(pos_label=1).fit(X, y).stability(X, y, n=2)
    assert stability.agreement == 1
    for box in stability.boxes:
        assert box.found == 1
        assert all(limit.share == 1 for limit in box.limits)
        assert all(limit.interval == (limit.limit, limit.limit) for limit in box.limits)


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_the_order_of_the_rows_plays_no_part(two, learner):
    X, y = two
    rows, weight = np.random.default_rng(1).permutation(len(y)), np.where(X[:, 2] > 0, 1.7, 0.3)
    model = learner.set_params(pos_label=1).fit(X, y)
    once = model.stability(X, y, n=3, sample_weight=weight)
    assert model.stability(X[rows], y[rows], n=3, sample_weight=weight[rows]) == once


def test_categories_in_any_order_of_the_rows(mixed):
    X, y = mixed
    rows = np.random.default_rng(1).permutation(len(y))
    model = fitted(X, y)
    assert model.stability(X.iloc[rows], y[rows], n=4) == model.stability(X, y, n=4)


@pytest.mark.parametrize(
    "learner", [SparseBoxesClassifier(), ScoredBoxesClassifier(), FastBoxesClassifierCV()], ids=named
)
def test_what_folds_chose_is_kept_and_no_folds_are_dealt(two, learner):
    X, y = two
    model = learner.fit(X, y)
    again = model._again()
    assert getattr(again, "cv", None) is None
    for name in ("max_boxes", "max_limits", "lam", "limit_cost", "false_alarm_cost", "negative_weight", "growth"):
        if hasattr(again, name) and hasattr(model, f"{name}_"):
            assert getattr(again, name) == getattr(model, f"{name}_")
    assert again.pos_label == model.pos_label_
    assert not hasattr(again.fit(X, y), "risk_table_")  # there are no held-out rows


def test_a_chosen_setting_of_fast_boxes_is_all_of_it(two):
    """The boxes of the learner that chose, simplified, also where all of the grid is not the default."""
    X, y = two
    for options in ({}, {"simplified": False}, {"n_boxes": 2, "expansion": (0, 0.3), "distance": "sum"}):
        model = FastBoxesClassifierCV(**options).fit(X, y)
        before = dict(model.best_params_)
        assert model._again().fit(X, y).boxes_ == model.boxes_
        assert model.best_params_ == before


@pytest.mark.parametrize("goal", [{"max_alarm_rate": 0.3}, {"min_recall": 0.5}, {"min_precision": 0.6}])
@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier, FastBoxesClassifierCV])
def test_goals_are_not_sought_again(two, learner, goal):
    X, y = two
    model = learner(**goal, confidence=0.6).fit(X, y)
    assert model.stability(X, y, n=2).n == 2


def test_exact_boxes_search_without_a_proof(two, monkeypatch):
    from boxdraw.learners.exact import exact_boxes

    X, y = two
    model = ExactBoxesClassifier(max_boxes=2).fit(X, y).set_params(solver="mip", strategy="per_cluster")
    monkeypatch.setattr(exact_boxes, "solve", None)
    assert model.stability(X, y, n=2).n == 2


def test_boxes_that_were_not_learned_have_no_stability():
    assert not hasattr(BoxSetClassifier(BoxSet([[1]], [[2]])), "stability")


# what moves and what does not


def test_a_wide_gap_is_always_found(gap):
    X, y = gap
    model = fitted(X, y, max_boxes=1)
    stability = model.stability(X, y, n=20)
    (box,) = stability.boxes
    (limit,) = box.limits
    assert box.found == limit.share == stability.agreement == 1
    assert (limit.feature, limit.side) == ("x0", "lower")
    assert limit.limit == model.scorecard_.boxes.lower[0, 0] == 60
    # The last negative and the first positive of a sample are a few rows from those of the table.
    assert limit.interval in ((60, 60), (60, 70))
    exact = fitted(X, y, max_boxes=1, round_limits=False).stability(X, y, n=20).boxes[0].limits[0]
    assert exact.limit == 64.5
    assert 60 < exact.interval[0] < exact.interval[1] < 67
    assert stability.n == 20
    assert stability.drawing is model.scorecard_


def test_an_upper_limit(gap):
    X, y = gap
    (limit,) = fitted(-X, y, max_boxes=1).stability(-X, y, n=20).boxes[0].limits
    (other,) = fitted(X, y, max_boxes=1).stability(X, y, n=20).boxes[0].limits
    assert limit.side == "upper"
    assert limit.interval == pytest.approx((-other.interval[1], -other.interval[0]))


def test_noise_is_found_less_often_than_what_is_there():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    X[:, 0] = np.round(X[:, 0])
    y = ((X[:, 0] >= 1) ^ (rng.random(150) < 0.1)).astype(int)
    true, *noise = fitted(X, y, max_boxes=8, max_limits=1, lam=0.5).stability(X, y, n=30).boxes
    assert true.found == 1
    assert true.limits[0].interval == (1, 1)
    assert noise
    assert all(box.found < 0.7 for box in noise)


@pytest.fixture
def samples(monkeypatch):
    """What is learned from each sample, and how often it has each row."""
    models, counts = [], []
    drawn, summed = module._Table._drawn, module.stability_of

    def draw(table, seed):
        counts.append(drawn(table, seed))
        return counts[-1]

    def sum_up(drawing, learned, missing):
        models.extend(learned)
        return summed(drawing, learned, missing)

    monkeypatch.setattr(module._Table, "_drawn", draw)
    monkeypatch.setattr(module, "stability_of", sum_up)
    return models, counts


@pytest.mark.parametrize("most", [None, 40])
def test_a_sample_is_a_fit_with_whole_weights(mixed, samples, monkeypatch, most):
    """A card of a sample is what the estimator learns when the draws are the weights; of a large table too."""
    X, y = mixed
    if most:
        monkeypatch.setattr(sampling, "MOST", dict.fromkeys(sampling.MOST, most))
    model = fitted(X, y, **SETTING)
    weight = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    stability = model.stability(X, y, n=3, sample_weight=weight)
    kept, agreements = weight > 0, []
    for sample, count in zip(*samples, strict=True):
        assert count[y[kept] == 1].sum() == (y[kept] == 1).sum()
        assert count[y[kept] == 0].sum() == (y[kept] == 0).sum()
        again = np.zeros(len(y))
        again[kept] = count * weight[kept]
        other = fitted(X, y, **SETTING).fit(X, y, again)
        assert other.scorecard_ == sample.drawing
        agreements.append(np.average(other.predict(X) == model.predict(X), weights=weight))
        assert sample.agreement == pytest.approx(agreements[-1])
    assert stability.agreement == pytest.approx(np.mean(agreements))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("goal", [{"max_alarm_rate": 0.08}, {"min_recall": 0.9}])
def test_with_a_goal_samples_give_as_many_alarms(goal):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (rng.random(600) < 0.08 + 0.6 * (X[:, 0] > 0.8)).astype(int)
    model = fitted(X, y, cv=3, max_limits=1, lam=4, max_boxes=3, **goal)
    low, high = model.stability(X, y, n=10).threshold
    assert low <= model.scorecard_.threshold <= high


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_sample_flags_every_row():
    rng = np.random.default_rng(27)
    X = rng.normal(size=(150, 3)).round(1)
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=150) * 1.2 > rng.choice([-0.5, 0, 0.5])).astype(int)
    goal = {"min_recall": 0.95, "confidence": 0.6}
    model = fitted(X, y, cv=3, max_limits=1, max_boxes=2, signed_points=False, **goal)
    assert model.predict(X).mean() > 0.6  # so that all rows are nearer than the few that some card flags
    assert all(box.found >= 0 for box in model.stability(X, y, n=10).boxes)


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_a_sample_of_categories_and_missing_values(mixed, samples, learner):
    """It is read as the whole table is."""
    X, y = mixed
    model = learner.set_params(pos_label=1).fit(X, y)
    model.stability(X, y, n=2)
    for sample, count in zip(*samples, strict=True):
        assert model._again().fit(X, y, count)._decider() == sample.drawing


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=named)
def test_a_sample_is_a_fit_to_repeated_rows(two, samples, learner):
    X, y = two
    model = learner.set_params(pos_label=1).fit(X, y)
    model.stability(X, y, n=3)
    for sample, count in zip(*samples, strict=True):
        rows = np.repeat(np.arange(len(y)), count.astype(int))
        assert len(rows) == len(y)
        assert model._again().fit(X[rows], y[rows])._decider() == sample.drawing


def test_rows_are_drawn_with_replacement(two, samples):
    """Of n rows, n draws leave out about a share of 1/e."""
    X, y = two
    fitted(X, y).stability(X, y, n=20)
    counts = np.array(samples[1])
    assert np.mean(counts == 0) == pytest.approx(1 / math.e, abs=0.02)
    assert counts.max() >= 4
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.9)


def test_figures_are_those_of_the_cards(mixed, samples):
    """Count again, box by box, from the cards themselves."""
    X, y = mixed
    model = fitted(X, y)
    stability = model.stability(X, y, n=12)
    cards = [sample.drawing for sample in samples[0]]
    ours = model.scorecard_.boxes.membership(X)
    for k, box in enumerate(stability.boxes):
        found = []
        for card in cards:
            theirs = card.boxes.membership(X)
            shares = [(ours[:, k] & other).sum() / (ours[:, k] | other).sum() for other in theirs.T]
            if max(shares, default=0) >= 0.5:
                found.append((card, int(np.argmax(shares))))
        assert box.found == len(found) / 12
        assert box.points == (min(c.points[i] for c, i in found), max(c.points[i] for c, i in found))
        for limit in box.limits:
            j = model.scorecard_.boxes.feature_names.index(limit.feature)
            rules = [card.boxes.rules()[i] for card, i in found]
            theirs = [next((x for x in rule.limits if x.feature == limit.feature), None) for rule in rules]
            own = next(x for x in model.scorecard_.boxes.rules()[k].limits if x.feature == limit.feature)
            if limit.side in ("lower", "upper"):
                numbers = [getattr(x, limit.side) for x in theirs if x and math.isfinite(getattr(x, limit.side))]
                assert limit.share == len(numbers) / 12
                assert limit.interval == (min(numbers), max(numbers))  # of 12, a tenth is none at either end
            elif limit.side == "categories":
                assert limit.share == sum(bool(x) and x.categories == own.categories for x in theirs) / 12
            else:
                inside = [bool(card.boxes.missing[i, j]) for card, i in found]
                assert limit.share == inside.count(own.missing) / 12
    assert stability.threshold == (min(c.threshold for c in cards), max(c.threshold for c in cards))


def test_numbers_that_the_user_calls_categories():
    X = np.tile([1.0, 2.0, 3.0, 4.0], 25)[:, None]
    y = np.isin(X[:, 0], [1, 4]).astype(int)
    stability = fitted(X, y, max_boxes=1, categorical_features=[0]).stability(X, y, n=3)
    assert stability.boxes[0].limits == (LimitStability("x0", "categories", 1.0),)
    assert stability.to_text().splitlines()[0].endswith("x0 in {1, 4} (same in 100%)   [found in 100%]")


# the same again


def test_the_same_again(mixed):
    X, y = mixed
    model = fitted(X, y)
    once = model.stability(X, y, n=8)
    assert model.stability(X, y, n=8) == once
    assert model.stability(X, y, n=8, random_state=0) == once
    assert model.stability(X, y, n=8, random_state=np.random.RandomState(0)) == once
    assert model.stability(X, y, n=8, random_state=1) != once
    assert pickle.loads(pickle.dumps(once)) == once


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_threads_change_nothing(mixed, learner):
    X, y = mixed
    model = clone(learner).set_params(pos_label=1).fit(X, y)
    assert model.set_params(n_jobs=2).stability(X, y, n=3) == model.set_params(n_jobs=None).stability(X, y, n=3)


def test_the_model_stays_as_it_is(mixed):
    X, y = mixed
    model = fitted(X, y)
    before = pickle.dumps(model)
    model.stability(X, y, n=2)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_other_frames_and_orders_of_columns(mixed, kind):
    X, y = mixed
    model = fitted(X, y)
    expected = model.stability(X, y, n=4)
    table = kind({name: [None if x != x else x for x in X[name].tolist()] for name in ["age", "region", "dose"]})
    assert model.stability(table, y, n=4) == expected


def test_numbers_by_name_and_by_place(gap):
    X, y = np.column_stack([gap[0], np.tile([0.0, 1.0], 20)]), gap[1]
    frame = pd.DataFrame(X, columns=["dose", "coin"])
    named = fitted(frame, y).stability(frame[["coin", "dose"]], y, n=4)
    plain = fitted(X, y).stability(X.tolist(), y.tolist(), n=4)
    assert str(named) == str(plain).replace("x0", "dose")
    assert named.boxes[0].limits[0].interval == plain.boxes[0].limits[0].interval


def test_the_setting_of_the_model_is_used(gap, monkeypatch):
    """What the inner folds chose, what the user asked for, and no inner folds."""
    from boxdraw.learners.scored import learn as learning

    X, y = gap
    model = fitted(X, y, cv=2, max_boxes=3, max_union=5, signed_points=False, false_alarm_cost=0.25)
    calls, draw = [], learning.draw

    def spy(ready, setting, shape, *rest):
        calls.append((setting, shape, rest))
        return draw(ready, setting, shape, *rest)

    monkeypatch.setattr(learning, "draw", spy)
    model.stability(X, y, n=1)
    ((setting, shape, rest),) = calls
    assert (setting.max_limits, setting.lam) == (model.max_limits_, model.lam_)
    assert not setting.signed
    assert (shape.max_boxes, shape.max_union, shape.false_alarm_cost) == (3, 5, 0.25)
    assert rest == (None,)
    calls.clear()
    model = fitted(X, y, cv=2, max_boxes="auto", signed_points="auto", max_union="auto")
    calls.clear()
    model.stability(X, y, n=1)
    ((setting, shape, _),) = calls
    assert (setting.max_limits, setting.lam, setting.signed) == (model.max_limits_, model.lam_, model.signed_points_)
    assert (shape.max_boxes, shape.max_union, shape.evenness) == (model.max_boxes_, None, 0.75)


# weights


def test_rows_of_no_weight_are_not_there(gap):
    X, y = gap
    model = fitted(X, y, max_boxes=1)
    more, labels = np.vstack([X, [[50.0]] * 5]), np.append(y, [0, 1, 0, 1, 0])
    weight = np.append(np.ones(len(y)), np.zeros(5))
    assert model.stability(more, labels, n=5, sample_weight=weight) == model.stability(X, y, n=5)


def test_a_class_never_runs_out():
    """A single positive is in every sample, even where weights make its class the heavier one."""
    X, y = np.arange(12.0)[:, None], np.array(["no"] * 11 + ["yes"])
    weight = np.where(y == "yes", 100.0, 1.0)
    with pytest.warns(UserWarning, match="guesses"):
        model = ScoredBoxesClassifier(cv=None, max_boxes=1, pos_label=None, lam=0.1).fit(X, y)
    stability = model.stability(X, y, n=10, sample_weight=weight)
    assert model.pos_label_ == "yes"
    assert stability.boxes[0].found == 1
    assert stability.boxes[0].limits[0].side == "lower"


@pytest.mark.parametrize(
    ("other", "agreement", "found"),
    [
        (Scorecard(BoxSet([[1]], [[INF]]), [2], 2), 0.5, 0),  # 4 of 9
        (Scorecard(BoxSet([[1]], [[INF]]), [2], 3), 0.6, 0),  # which no row can reach
        (Scorecard(BoxSet([[-INF]], [[INF]]), [2], 2), 0.4, 0),
        (Scorecard(BoxSet([[3]], [[INF]]), [2], 2), 0.9, 1),  # 3 of 4
    ],
)
def test_agreement_weighs_rows(monkeypatch, other, agreement, found):
    """Of two cards that differ on one row, the share of that row is the row's weight."""
    X, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    model = fitted(X, y, lam=0.1, max_boxes=1)
    model.scorecard_ = Scorecard(BoxSet([[2]], [[INF]]), [1], 1)
    monkeypatch.setattr(ScoredBoxesClassifier, "fit", lambda self, *rows: setattr(self, "scorecard_", other))
    stability = model.stability(X, y, n=2, sample_weight=[1.0, 5.0, 1.0, 3.0])
    assert (stability.agreement, stability.boxes[0].found) == (agreement, found)


# errors


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (-1, ValueError), (2.5, TypeError), ("5", TypeError)])
def test_n_is_a_positive_whole_number(gap, n, error):
    X, y = gap
    with pytest.raises(error, match=r"\bn\b"):
        fitted(X, y).stability(X, y, n=n)


def test_errors_of_rows_and_labels(gap):
    X, y = gap
    model = fitted(X, y)
    with pytest.raises(NotFittedError):
        ScoredBoxesClassifier().stability(X, y)
    with pytest.raises(ValueError, match="y has 39 labels, but X has 40 rows"):
        model.stability(X, y[1:])
    with pytest.raises(ValueError, match=r"labels \[2\] that the model does not know"):
        model.stability(X, np.where(y == 1, 2, 0))
    with pytest.raises(ValueError, match="only one class is present"):
        model.stability(X, np.zeros_like(y))
    with pytest.raises(ValueError, match="2 features"):
        model.stability(np.hstack([X, X]), y)
    with pytest.raises(ValueError, match="only one class is present"):
        model.stability(X, y, sample_weight=y)
    with pytest.raises(ValueError, match=r"(?i)sample weights"):
        model.stability(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match=r"(?i)negative"):
        model.stability(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="sample_weight"):
        model.stability(X, y, sample_weight=np.ones(3))


# what it says


def test_the_text_is_that_of_the_card_with_more_in_it(mixed):
    """Without what is in round and square brackets, only the last line is new."""
    X, y = mixed
    model = fitted(X, y)
    text = model.stability(X, y, n=6).to_text()
    *lines, last = text.splitlines()
    for ours, theirs in zip(lines, model.scorecard_.to_text().splitlines(), strict=True):
        words = iter(ours.replace(":", "").replace(".", "").split())
        assert all(word in words for word in theirs.replace(":", "").replace(".", "").split())
    assert last.startswith(f"6 bootstrap samples; intervals hold 90% of them. {LAST}")


def test_intervals_are_of_round_limits():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 1))
    y = (X[:, 0] > 0.7).astype(int)
    for sign in (1, -1):
        (limit,) = fitted(sign * X, y, max_boxes=1).stability(sign * X, y, n=20).boxes[0].limits
        exact = fitted(sign * X, y, max_boxes=1, round_limits=False).stability(sign * X, y, n=20).boxes[0].limits[0]
        assert all(
            len(repr(end)) <= 6 < len(repr(other)) for end, other in zip(limit.interval, exact.interval, strict=True)
        )


def test_names_are_safe_to_print(gap):
    X, y = gap
    frame = pd.DataFrame({"<b>\n": X[:, 0]})
    stability = fitted(frame, y, max_boxes=1).stability(frame, y, n=3)
    assert len(stability.to_text().splitlines()) == 3
    assert "<b>\\n ≥ 60" in stability.to_text()
    assert stability._repr_html_().startswith("<pre>")
    assert "&lt;b&gt;" in stability._repr_html_()


# no boxes, and none found


def test_an_empty_scorecard():
    rng = np.random.default_rng(0)
    X, y = np.zeros((20, 1)), rng.permutation([0] * 15 + [1] * 5)
    with pytest.warns(UserWarning, match="No box was found"):
        model = fitted(X, y)
    stability = model.stability(X, y, n=3)  # and no warning for each sample
    assert stability.boxes == ()
    assert stability.threshold is None
    assert stability.to_text() == (f"No box: nothing is flagged.\n3 bootstrap samples. {LAST} 100% of the rows.")
    frame = stability.to_frame()
    assert frame.columns.tolist()[:3] == ["box", "points", "points_low"]
    assert len(frame) == 0
    assert [frame[name].dtype.kind for name in ("box", "limit")] == ["i", "f"]


def test_samples_without_boxes(gap):
    """The rows of another table, in which there is nothing to find."""
    X, y = gap
    stability = fitted(X, y, max_boxes=1).stability(np.full_like(X, 200), y, n=3)
    assert stability.boxes[0] == BoxStability(0.0, None, (LimitStability("x0", "lower", 0.0, 60.0),))
    assert stability.threshold is None
    assert stability.agreement == 0
    assert stability.to_text().splitlines()[0].endswith("1 point: x0 ≥ 60   [found in 0%]")


def test_signed_points(mixed):
    X, y = mixed
    model = fitted(X, y, signed_points=True)
    stability = model.stability(X, y, n=10)
    assert model.scorecard_.signed
    found = [(points, box.points) for points, box in zip(model.scorecard_.points, stability.boxes, strict=True)]
    assert any(points < 0 and interval and interval[1] < 0 for points, interval in found)
    assert any(points > 0 and interval and interval[0] > 0 for points, interval in found)


def test_progress(gap, capsys):
    X, y = gap
    model = fitted(X, y)
    model.stability(X, y, n=2)
    assert capsys.readouterr().out == ""
    model.set_params(verbose=1).stability(X, y, n=2)
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        "[Stability] 1 of 2 done",
        "[Stability] 2 of 2 done",
    ]
