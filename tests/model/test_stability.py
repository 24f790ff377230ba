"""What stability says, and how it sums up what was learned from samples."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxdraw import BoxSet, BoxStability, Limit, LimitStability, Rule, Scorecard, Stability
from boxdraw.model.stability import Sample, _interval, _percent, stability_of

INF = math.inf
COLUMNS = ["box", "points", "points_low", "points_high", "found", "feature", "side", "limit", "low", "high", "share"]
LAST = "Predictions agree with the model's on"


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


def test_intervals_without_the_noise_of_floats():
    ends = (np.nextafter(59.5, 0), np.nextafter(0.3, 1))
    assert repr(float(ends[0])).startswith("59.4999")
    box = BoxStability(1.0, None, (LimitStability("x", "lower", 1.0, 59.5, (ends[0], 61.25)),))
    text = Stability(BoxSet([[59.5]], [[INF]], feature_names=["x"]), 5, (box,), None, 1.0).to_text()
    assert text.startswith("Box 1: x ≥ 59.5 (59.5 to 61.25)   [")
    box = BoxStability(1.0, None, (LimitStability("x", "upper", 1.0, 0.25, (-ends[1], 123456789012.0)),))
    text = Stability(BoxSet([[-INF]], [[0.25]], feature_names=["x"]), 5, (box,), None, 1.0).to_text()
    assert text.startswith("Box 1: x ≤ 0.25 (-0.3 to 123456789012)   [")


def test_categories_and_missing_values_are_alike_or_not():
    """Four samples, in three of which the box is found; worked out by hand."""

    def card(dose, region):
        rule = Rule((Limit("dose", **dose), Limit("region", **region)))
        return Scorecard(BoxSet.from_rules([rule], ["dose", "region"], {"region": ["e", "n"]}), [2], 1)

    absent = {"lower": INF, "upper": -INF, "missing": True}
    ours = card(absent, {"categories": {"n"}, "missing": True})
    cards = [ours, card({"lower": 3.0, "missing": True}, {"categories": {"n"}}), card(absent, {"categories": {"e"}})]
    samples = [Sample(other, {0: 0}, 1.0) for other in cards] + [Sample(ours, {}, 0.0)]
    assert stability_of(ours, samples, (True, True)).boxes[0].limits == (
        LimitStability("dose", "missing", 0.5),
        LimitStability("region", "categories", 0.5),
        LimitStability("region", "missing", 0.25),
    )
    sides = [limit.side for limit in stability_of(ours, samples, (True, False)).boxes[0].limits]
    assert sides == ["missing", "categories"]  # nobody decided about a missing region


def test_a_feature_of_which_a_box_asks_nothing():
    """It admits missing values, as "or missing" does, and has no limit that could be the same."""
    rule = Rule((Limit("dose", lower=3.0, missing=True), Limit("region", categories={"n"})))
    ours = BoxSet.from_rules([rule], ["dose", "region"], {"region": ["e", "n"]})
    free = BoxSet.from_rules([Rule((Limit("region", categories={"n"}),))], ["dose", "region"], {"region": ["e", "n"]})
    stability = stability_of(ours, [Sample(free, {0: 0}, 1.0)], (True, False))
    assert stability.boxes[0].limits == (
        LimitStability("dose", "lower", 0.0, 3.0),
        LimitStability("dose", "missing", 1.0),
        LimitStability("region", "categories", 1.0),
    )


def test_boxes_without_points():
    """Their text is that of boxes, and their frame has no points."""
    boxes = BoxSet([[30, -INF], [-INF, 2]], [[40, INF], [INF, 2]], feature_names=["age", "dose"])
    other = BoxSet([[31, -INF]], [[INF, INF]], feature_names=["age", "dose"])
    samples = [Sample(boxes, {0: 0, 1: 1}, 1.0), Sample(other, {0: 0}, 0.5)]
    stability = stability_of(boxes, samples, (False, False))
    assert stability.to_text().splitlines() == [
        "Box 1: 30 (30 to 31) ≤ age ≤ 40 (40 to 40, in 50%)   [found in 100%]",
        "Box 2: dose = 2 (2 to 2)   [found in 50%]",
        f"2 bootstrap samples; intervals hold 90% of them. {LAST} 75% of the rows.",
    ]
    assert stability.threshold is None
    assert stability.boxes[0].points is None
    frame = stability.to_frame()
    assert frame.columns.tolist() == [name for name in COLUMNS if not name.startswith("points")]
    assert frame.iloc[1].tolist() == [1, 1.0, "age", "upper", 40, 40, 40, 0.5]
    nothing = stability_of(boxes[:0], [Sample(boxes, {}, 0.5)], (False, False))
    assert nothing.to_text() == f"No boxes: no row is flagged\n1 bootstrap sample. {LAST} 50% of the rows."
    assert nothing.to_frame().columns.tolist() == frame.columns.tolist()
    assert nothing.to_frame().dtypes.astype(str).tolist()[:2] == ["int64", "float64"]


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
