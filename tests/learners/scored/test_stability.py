"""How much a card moves over bootstrap samples."""

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from boxdraw import ScoredBoxesClassifier
from boxdraw.learners import sample as sampling
from boxdraw.learners.scored import stability as module
from boxdraw.learners.scored.stability import BoxStability, LimitStability, Stability, _interval, _partners, _percent
from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import Scorecard

INF = math.inf
COLUMNS = ["box", "points", "points_low", "points_high", "found", "feature", "side", "limit", "low", "high", "share"]
SETTING = {"max_limits": 2, "lam": 4.0, "false_alarm_cost": 0.5}
LAST = "Predictions agree with the model's on"


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
    assert stability.scorecard is model.scorecard_


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


@pytest.mark.parametrize("most", [None, 40])
def test_a_sample_is_a_fit_with_whole_weights(mixed, monkeypatch, most):
    """A card of a sample is what the estimator learns when the draws are the weights; of a large table too."""
    X, y = mixed
    if most:
        monkeypatch.setattr(sampling, "MOST", dict.fromkeys(sampling.MOST, most))
    model = fitted(X, y, **SETTING)
    cards, draws = [], []
    compared, drawn = module._compared, module._drawn
    monkeypatch.setattr(module, "_compared", lambda task, card: (cards.append(card), compared(task, card))[1])

    def spy(task, seed):
        draws.append((task, seed))
        return drawn(task, seed)

    monkeypatch.setattr(module, "_drawn", spy)
    weight = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    stability = model.stability(X, y, n=3, sample_weight=weight)
    agreements = []
    for card, (task, seed) in zip(cards, draws, strict=True):
        count = np.zeros(len(task.weight))
        rng = np.random.default_rng(seed)
        for side in (False, True):  # the same draws again, written another way
            rows = np.flatnonzero(task.data.positive == side)
            np.add.at(count, rows[rng.integers(len(rows), size=len(rows))], 1)
            assert count[rows].sum() == len(rows)
        again = np.zeros(len(y))
        again[weight > 0] = count * weight[weight > 0]
        other = fitted(X, y, **SETTING).fit(X, y, again)
        assert other.scorecard_ == card
        agreements.append(np.average(other.predict(X) == model.predict(X), weights=weight))
    assert stability.agreement == pytest.approx(np.mean(agreements))


def test_figures_are_those_of_the_cards(mixed, monkeypatch):
    """Count again, box by box, from the cards themselves."""
    X, y = mixed
    model = fitted(X, y)
    cards = []
    compared = module._compared
    monkeypatch.setattr(module, "_compared", lambda task, card: (cards.append(card), compared(task, card))[1])
    stability = model.stability(X, y, n=12)
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


def test_categories_and_missing_values_are_alike_or_not():
    """Four samples, in three of which the box is found; worked out by hand."""

    def card(dose, region):
        rule = Rule((Limit("dose", **dose), Limit("region", **region)))
        return Scorecard(BoxSet.from_rules([rule], ["dose", "region"], {"region": ["e", "n"]}), [2], 1)

    absent = {"lower": INF, "upper": -INF, "missing": True}
    ours = card(absent, {"categories": {"n"}, "missing": True})
    task = SimpleNamespace(card=ours, encoding=SimpleNamespace(missing=(True, True)), columns={})
    cards = [ours, card({"lower": 3.0, "missing": True}, {"categories": {"n"}}), card(absent, {"categories": {"e"}})]
    samples = [module._Sample(other, {0: 0}, 1.0) for other in cards] + [module._Sample(ours, {}, 0.0)]
    assert module._report(task, samples).boxes[0].limits == (
        LimitStability("dose", "missing", 0.5),
        LimitStability("region", "categories", 0.5),
        LimitStability("region", "missing", 0.25),
    )
    task.encoding.missing = (True, False)  # nobody decided about a missing region
    assert [limit.side for limit in module._report(task, samples).boxes[0].limits] == ["missing", "categories"]


def test_numbers_that_the_user_calls_categories():
    X = np.tile([1.0, 2.0, 3.0, 4.0], 25)[:, None]
    y = np.isin(X[:, 0], [1, 4]).astype(int)
    stability = fitted(X, y, max_boxes=1, categorical_features=[0]).stability(X, y, n=3)
    assert stability.boxes[0].limits == (LimitStability("x0", "categories", 1.0),)
    assert stability.to_text().splitlines()[0].endswith("x0 in {1, 4} (same in 100%)   [found in 100%]")


def test_intervals_leave_out_a_twentieth_at_either_end():
    assert _interval([]) is None
    assert _interval([3]) == (3, 3)
    assert _interval([*range(20, 0, -1)]) == (1, 20)
    assert _interval([*range(21)]) == (1, 19)
    assert _interval([*range(100, -1, -1)]) == (5, 95)
    values = np.random.default_rng(0).normal(size=50).tolist()
    low, high = _interval(values)
    assert {low, high} <= set(values)
    assert 0.9 <= np.mean([low <= value <= high for value in values]) < 1


# matching


def held(*boxes):
    """Rows 0 to 9 that each box holds, as columns."""
    return np.array([[row in box for box in boxes] for row in range(10)]).reshape(10, len(boxes))


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([{0, 1}], [{0, 1}], {0: 0}),
        ([{0, 1}], [{0, 1, 2, 3}], {0: 0}),  # just half
        ([{0, 1}], [{0, 1, 2, 3, 4}], {}),
        ([{0, 1, 2}], [{5}, {0, 1}], {0: 1}),
        ([{0, 1, 2}, {0, 1, 2, 3}], [{0, 1, 2, 3}], {1: 0}),  # one for one
        # Each finds one, though the second of ours is most like the first of theirs.
        ([{0, 1, 2}, {0, 1, 2, 3, 4}], [{0, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}], {0: 0, 1: 1}),
        # 1/3 and 2/5 are more than 1/2, but not alike.
        ([{0, 1}, {2, 3, 5}], [{0, 1, 2, 3}, {1, 4}], {0: 0}),
        ([{0}], [], {}),
        ([], [{0}], {}),
        ([set()], [set()], {}),
    ],
)
def test_partners(ours, theirs, expected):
    assert _partners(held(*ours), held(*theirs), np.ones(10)) == expected


def test_partners_weigh_rows():
    weight = np.ones(10)
    assert _partners(held({0}), held({0, 1, 2}), weight) == {}
    weight[0] = 2
    assert _partners(held({0}), held({0, 1, 2}), weight) == {0: 0}


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


def test_threads_change_nothing(mixed):
    X, y = mixed
    model = fitted(X, y)
    assert model.set_params(n_jobs=2).stability(X, y, n=8) == model.set_params(n_jobs=None).stability(X, y, n=8)


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
    model = fitted(X, y, cv=2, max_boxes=3, max_union=5, signed_points=True, false_alarm_cost=0.25)
    calls, learn = [], learning.learn

    def spy(ready, setting, shape, *rest):
        calls.append((setting, shape, rest))
        return learn(ready, setting, shape, *rest)

    monkeypatch.setattr(learning, "learn", spy)
    model.stability(X, y, n=1)
    ((setting, shape, rest),) = calls
    assert (setting.max_limits, setting.lam) == (model.max_limits_, model.lam_)
    assert setting.signed
    assert (shape.max_boxes, shape.max_union, shape.false_alarm_cost) == (3, 5, 0.25)
    assert rest == ()


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


def test_agreement_weighs_rows():
    """Of two cards that differ on one row, the share of that row is the row's weight."""
    X = np.arange(4.0)[:, None]
    boxes = BoxSet([[2]], [[INF]])
    task = module._Task(
        card=Scorecard(boxes, [1], 1),
        data=None,
        encoding=None,
        columns={0: X[:, 0]},
        weight=np.array([1.0, 5.0, 1.0, 3.0]),
        member=boxes.membership(X),
        flagged=boxes.contains(X),
    )
    wider = Scorecard(BoxSet([[1]], [[INF]]), [2], 2)
    assert module._compared(task, wider).agreement == 0.5
    assert module._compared(task, wider).partner == {}  # 4 of 9
    never = Scorecard(BoxSet([[1]], [[INF]]), [2], 3)
    assert module._compared(task, never).agreement == 0.6
    everything = Scorecard(BoxSet([[-INF]], [[INF]]), [2], 2)
    assert module._compared(task, everything).agreement == 0.4


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


@pytest.fixture
def said():
    """All that a condition can look like."""
    rules = [
        Rule((Limit("age", 30.0, 65.0, missing=True), Limit("region", categories={"n", "e"}))),
        Rule((Limit("age", upper=40.0), Limit("dose", INF, -INF, missing=True))),
        Rule((Limit("dose"), Limit("age", lower=-1.5))),
        Rule((Limit("dose", lower=7.0),)),
    ]
    card = Scorecard(BoxSet.from_rules(rules, ["age", "dose", "region"], {"region": ["n", "e", "s"]}), [3, -2, 1, 1], 0)
    first = (
        LimitStability("age", "lower", 0.9, 30.0, (28.0, 31.0)),
        LimitStability("age", "upper", 0.4, 65.0, (64.5, 66.0)),
        LimitStability("age", "missing", 0.8),
        LimitStability("region", "categories", 0.75),
    )
    second = LimitStability("age", "upper", 0.0, 40.0), LimitStability("dose", "missing", 0.25)
    lower = LimitStability("age", "lower", 0.1, -1.5, (-2.0, -1.0))
    boxes = (
        BoxStability(0.9, (3, 5), first),
        BoxStability(0.5, (-4, -1), second),
        BoxStability(0.1, (1, 1), (lower, LimitStability("dose", "missing", 0.0))),
        BoxStability(0.0, None, (LimitStability("dose", "lower", 0.0, 7.0),)),
    )
    return Stability(card, 50, boxes, (-1, 2), 0.9961)


def test_text(said):
    age = "30 (28 to 31) ≤ age ≤ 65 (64.5 to 66, in 40%) (or missing)"
    assert said.to_text().splitlines() == [
        f"3 points (3 to 5): {age} and region in {{e, n}} (same in 75%)   [found in 90%]",
        "−2 points (−4 to −1): age ≤ 40 (in no sample) and dose is missing (same in 25%)   [found in 50%]",
        "1 point (1 to 1): age ≥ -1.5 (-2 to -1) and dose is known (same in 0%)   [found in 10%]",
        "1 point: dose ≥ 7   [found in 0%]",
        "Alarm from 0 points (−1 to 2).",
        f"50 bootstrap samples; intervals hold 90% of them. {LAST} more than 99% of the rows.",
    ]
    assert str(said) == repr(said) == said.to_text()


def test_text_of_odd_cards():
    every = Scorecard(BoxSet([[-INF]], [[INF]]), [1], 2)
    assert Stability(every, 1, (BoxStability(1.0, (1, 2)),), (2, 2), 0.25).to_text().splitlines() == [
        "1 point (1 to 2): every row   [found in 100%]",
        "Alarm from 2 points (2 to 2), which no row can reach.",
        f"1 bootstrap sample; intervals hold 90% of them. {LAST} 25% of the rows.",
    ]
    assert "intervals" not in Stability(every, 5, (BoxStability(0.0),), None, 1.0).to_text()


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


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.004, "less than 1%"), (0.02, "2%"), (0.99, "99%"), (0.996, "more than 99%"), (1.0, "100%")],
)
def test_percent(share, text):
    assert _percent(share) == text


def test_frame(said):
    frame = said.to_frame()
    assert frame.columns.tolist() == COLUMNS
    assert frame["box"].tolist() == [1, 1, 1, 1, 2, 2, 3, 3, 4]
    assert frame["points"].tolist() == [3, 3, 3, 3, -2, -2, 1, 1, 1]
    assert frame["side"].tolist()[:4] == ["lower", "upper", "missing", "categories"]
    assert frame.iloc[1].tolist() == [1, 3, 3, 5, 0.9, "age", "upper", 65, 64.5, 66, 0.4]
    assert frame.loc[3, ["limit", "low", "high"]].isna().all()
    assert frame.loc[8, ["points_low", "points_high", "low", "high"]].isna().all()
    assert frame.loc[8, "limit"] == 7


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table, pd.DataFrame])
def test_frame_like(said, kind):
    frame = said.to_frame(like=kind({"a": [1]}))
    assert type(frame) is type(kind({"a": [1]}))
    assert len(frame) == 9
    assert next(iter(frame["feature"])) in ("age", pa.scalar("age"))


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
    assert frame.columns.tolist() == COLUMNS
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
