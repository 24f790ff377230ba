"""Cautions: each is given where it belongs, by every learner, and not where it does not."""

import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from boxdraw import (
    CautionWarning,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners.doubts import caution, everything_is_flagged
from boxdraw.tables.suspects import _suspicion
from boxdraw.tables.training import Training

LEARNERS = [
    SparseBoxesClassifier(),
    ScoredBoxesClassifier(max_boxes=8, signed_points=False),  # in a long card some box rests on few positives
    FastBoxesClassifierCV(),
    ExactBoxesClassifier(max_boxes=1, time_limit=60),
]
each_learner = pytest.mark.parametrize("model", LEARNERS, ids=lambda model: type(model).__name__)


def table(n_rows=400, threshold=0.8, noise=0.05, seed=0):
    """Positives have large values of a, but for some noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n_rows, 2)), columns=["a", "b"])
    return X, ((X["a"] > threshold) ^ (rng.random(n_rows) < noise)).to_numpy().astype(int)


def cautions(model, X, y, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y, **options)
    return [str(one.message) for one in told if issubclass(one.category, CautionWarning)]


@each_learner
@pytest.mark.parametrize("threshold", [0.5, 0.85])
def test_a_sound_model_gives_none(model, threshold):
    assert cautions(model, *table(threshold=threshold)) == []


@each_learner
def test_rules_on_the_number_of_the_row(model):
    X, y = table(noise=0)
    X = X.sort_values("a", ignore_index=True).assign(row=np.arange(400) + 7_000).drop(columns="a")
    told = cautions(model, X, np.sort(y))
    words = "The rules rest on 'row', which looks like an identifier or the order of the rows: make sure"
    assert [text.startswith(words) for text in told] == [True]


@each_learner
def test_rules_on_the_answer(model):
    X, y = table()
    told = cautions(model, X.assign(paid=np.where(y, 0.0, X["b"] + 0.1)), y)
    assert [text.partition(":")[0] for text in told] == [
        "The rules rest on 'paid', which alone tells the classes apart in all training rows"
    ]


@each_learner
def test_boxes_on_few_positives(model):
    X, y = table(threshold=0.99, noise=0, n_rows=700)
    assert 3 < y.sum() < 10
    told = cautions(model, X, y)
    assert f"Box 1 rests on few positives, {y.sum()}: such limits may be chance." in told[0]
    assert len(told) == 1


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        (SparseBoxesClassifier(false_alarm_cost=0.02), "false_alarm_cost or state max_alarm_rate"),
        (ScoredBoxesClassifier(false_alarm_cost=0.02), "false_alarm_cost or state max_alarm_rate"),
        (FastBoxesClassifierCV(false_alarm_cost=0.02), "false_alarm_cost or state max_alarm_rate"),
        (ExactBoxesClassifier(max_boxes=1, negative_weight=0.02, time_limit=60), "negative_weight"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_many_alarms(model, cost):
    rng = np.random.default_rng(3)
    X = rng.random((600, 1))
    y = ((X[:, 0] > 0.6) & (rng.random(600) < 0.1)).astype(int)
    told = cautions(model, X, y)
    flagged = model.predict(X) == 1
    assert told == [
        f"Flagged are {flagged.mean():.0%} of the training rows, {y[flagged].mean():.0%} of them positive. If these "
        f"are too many alarms, raise {cost}."
    ]


@pytest.mark.parametrize(
    ("goal", "advice"), [("min_recall", "lower min_recall"), ("min_precision", "raise min_precision")]
)
@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier, FastBoxesClassifierCV])
def test_many_alarms_for_a_goal_are_fewer_by_that_goal(learner, goal, advice):
    rng = np.random.default_rng(3)
    X = rng.random((1_500, 1))
    y = ((X[:, 0] > 0.6) & (rng.random(1_500) < 0.1)).astype(int)
    told = cautions(learner(**{goal: 0.9 if goal == "min_recall" else 0.05}), X, y)
    assert [text for text in told if text.endswith(f"If these are too many alarms, {advice}.")], told


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier, FastBoxesClassifier])
def test_hardly_any_alarm_of_a_large_table_is_a_positive(learner, stored):
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(300_000, 4)).round(2), columns=list("abcd"))
    y = (np.arange(len(X)) < 20).astype(int)
    X.loc[y == 1, ["a", "b"]] += 0.7
    model = learner()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if stored:
            model.fit_table(pa.Table.from_pandas(X.assign(y=y)), target="y")
        else:
            model.fit(X, y)
    texts = [str(one.message) for one in told if issubclass(one.category, CautionWarning)]
    flagged = model.predict(X) == 1
    assert flagged.sum() > 1_000 * y[flagged].sum()
    (alarms,) = [
        re.search(r"^Flagged are (.*)% of .* rows, 1 in ([0-9,]+) of them positive", text)
        for text in texts
        if "Flagged" in text
    ]
    assert float(alarms[1]) == pytest.approx(100 * flagged.mean(), rel=0.1, abs=0.5)
    assert float(alarms[2].replace(",", "")) == pytest.approx(flagged.sum() / y[flagged].sum(), rel=0.02)


def test_a_stated_weight_of_few_positives_asks_for_its_alarms():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20_000, 2)), (np.arange(20_000) < 20).astype(int)
    assert [text[:7] for text in cautions(FastBoxesClassifier(), X, y)] == ["Flagged", "Boxes 1"]
    assert cautions(FastBoxesClassifier(negative_weight=0.001), X, y) == []


def test_fast_boxes_of_two_positives_are_guesses():
    X, y = np.random.default_rng(5).normal(size=(20_000, 2)), (np.arange(20_000) < 2).astype(int)
    told = cautions(FastBoxesClassifier(n_boxes=2), X, y)
    assert told[0].startswith("Rows of the smaller class: 2. Limits learned from so few are guesses")


def test_alarms_that_were_asked_for_are_not_many():
    rng = np.random.default_rng(3)
    X = rng.random((3_000, 1))
    y = ((X[:, 0] > 0.6) & (rng.random(3_000) < 0.1)).astype(int)
    model = SparseBoxesClassifier(max_alarm_rate=0.45)
    assert cautions(model, X, y) == []
    assert (model.predict(X) == 1).mean() > 0.2


@pytest.mark.parametrize(
    "model", [*LEARNERS[:3], ScoredBoxesClassifier(max_limits=2, lam=4)], ids=lambda model: type(model).__name__
)
def test_chance_is_said_in_nearly_every_table_of_noise(model):
    told = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 4)), (np.arange(120) % 4 == 0).astype(int)
        told += bool(re.search(r"better than (by )?chance|nothing is flagged", " ".join(cautions(model, X, y))))
    assert told >= 7


@pytest.mark.parametrize("model", LEARNERS[:3], ids=lambda model: type(model).__name__)
def test_a_rule_on_few_positives_is_not_called_chance(model):
    told = 0
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(60, 2))
        y = (X[:, 0] >= np.sort(X[:, 0])[-3]).astype(int)
        told += "than by chance" in (words := " ".join(cautions(model, X, y))) or "better than chance" in words
    assert told <= 2


def test_only_limited_columns_are_looked_at():
    X, y = table()
    assert cautions(SparseBoxesClassifier(), X.assign(row=np.arange(400)), y) == []


def test_categories_and_missing_values_count_as_the_boxes_read_them():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"a": rng.random(500), "kind": rng.choice(["x", "y", None], 500).astype(object)})
    X.loc[rng.random(500) < 0.2, "a"] = np.nan
    y = (X["a"].isna() | (X["kind"] == "y")).to_numpy() & (rng.random(500) < 0.8)
    model = SparseBoxesClassifier(max_boxes=4).fit(X, y.astype(int))
    boxes = model.boxes_
    columns = model._encoding.columns(model._encoding.encode(X), [0, 1])
    from boxdraw.model.membership import inside

    held = np.column_stack([inside(columns, boxes, k) for k in range(len(boxes))])
    assert (held == boxes.membership(X)).all()
    assert boxes.limited.any(axis=0).all()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.arange(1_000.0) + 5, "identifier"),
        (np.random.default_rng(0).permutation(np.arange(1_000.0)), "identifier"),
        (
            np.random.default_rng(0).permutation(np.arange(3_000.0))[:1_000],
            "identifier",
        ),  # a third of the rows was drawn
        (np.sort(np.random.default_rng(0).permutation(np.arange(1e7))[:1_000]), "identifier"),  # in order: moments
        (np.random.default_rng(0).permutation(np.arange(1e7))[:1_000], ""),  # amounts
        (np.random.default_rng(0).integers(0, 3_000, 1_000).astype(float), ""),  # few numbers, and some are equal
        (np.sort(np.random.default_rng(0).random(1_000)), ""),  # measured
        (np.r_[np.nan, np.arange(50.0)], ""),  # too few to tell
        (np.random.default_rng(0).choice([20240131.0, 20231201, 20240229, np.nan], 1_000), "date"),
        (np.random.default_rng(0).integers(20_000_000, 20_300_000, 1_000).astype(float), ""),
    ],
)
def test_columns_of_numbers(values, kind):
    positive = np.random.default_rng(1).random(len(values)) < 0.3
    assert _suspicion(values, None, positive) == kind


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["2024-01-31", "2024-02-01", "2024-02-02"], "date"),
        (["31.01.2024", "1/2/24", "2024-02-02 10:00"], "date"),
        (["2024-01-31", "2024-02-01", "never"], ""),
        (["1.5", "2.5", "3.5"], ""),
    ],
)
def test_columns_of_texts(texts, kind):
    rng = np.random.default_rng(1)
    assert _suspicion(rng.integers(0, 3, 300), texts, rng.random(300) < 0.3) == kind


def test_what_gives_the_answer_away():
    positive = np.arange(40) < 12
    cases = {
        "by number": (np.where(positive, 3.0, 1.0) + np.linspace(0, 1, 40), None),
        "by absence": (np.where(positive, np.nan, 1.0), None),
        "by category": (np.where(positive, 1, 0), ["x", "y"]),
    }
    for values, categories in cases.values():
        assert _suspicion(values, categories, positive) == "answer"
        other = values.copy()
        other[0] = other[-1]
        assert _suspicion(other, categories, positive) == ""
    values, _ = cases["by number"]
    assert _suspicion(values[3:], None, positive[3:]) == ""  # nine positives may be chance
    assert _suspicion(np.arange(40), [str(k) for k in range(40)], positive) == ""  # every row has its own


def test_cautions_can_be_errors():
    X, y = table(threshold=0.99, noise=0, n_rows=700)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CautionWarning)
        with pytest.raises(CautionWarning, match="few positives"):
            SparseBoxesClassifier().fit(X, y)


def test_a_doubt_stands_for_the_rest_but_not_for_columns():
    X, y = table(threshold=0.99, noise=0, n_rows=700)
    model = SparseBoxesClassifier().fit(X.assign(a=X["a"].rank()), y)
    data = Training(np.column_stack([X["a"].rank(), X["b"]]), y == 1, None)
    with pytest.warns(CautionWarning) as told:
        caution(model, data, "Do not rely on it.")
    assert [str(one.message)[:18] for one in told] == ["Do not rely on it.", "The rules rest on "]


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (SparseBoxesClassifier(), "Raise false_alarm_cost."),
        (SparseBoxesClassifier(min_recall=0.9), "Lower min_recall."),
        (FastBoxesClassifierCV(min_precision=0.1), "Raise min_precision."),
        (FastBoxesClassifierCV(negative_weight=0.1), "Raise negative_weight."),
        (ExactBoxesClassifier(negative_weight=0.1), "Raise negative_weight."),
    ],
)
def test_what_to_do_if_everything_is_flagged_is_about_what_was_stated(model, change):
    assert everything_is_flagged(model).endswith(change)
