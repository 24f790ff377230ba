"""The risk table in model files."""

import json

import numpy as np
import pytest

from boxdraw import BoxSet, Scorecard
from boxdraw.model.file import Model, model_from_json, model_to_json
from boxdraw.model.risk import Region, RiskTable

BOXES = BoxSet([[3], [1]], [[9], [12]], feature_names=["dose"])
CARD = Scorecard(BOXES, [3, 2], 3)
FIGURES = (40.0, 17.0, 0.42, 0.31, 0.54), (60.5, 17.25, 1 / 3, 0.1 + 0.2, 0.5), (900.0, 9.0, 0.01, 0.0, 1.0)


def table(*ofs, boxes=None):
    return RiskTable([Region(of, *figures) for of, figures in zip(ofs, FIGURES[3 - len(ofs) :], strict=True)], boxes)


POINTS = Model(CARD, "ill", risk=table(5, 2, None))
BY_BOXES = Model(BOXES[:1], "ill", risk=table((0,), (1, 0), (), boxes=BOXES))


@pytest.mark.parametrize("model", [POINTS, BY_BOXES, Model(CARD, risk=table(None)), Model(CARD, risk=BY_BOXES.risk)])
def test_a_risk_is_read_back_to_the_last_bit(model):
    text = model_to_json(model)
    again = model_from_json(text)
    assert again == model
    assert [repr(region) for region in again.risk] == [repr(region) for region in model.risk]
    assert model_to_json(again) == text
    assert json.loads(text)["version"] == 2


def test_a_file_without_a_risk_stays_as_it_was():
    text = model_to_json(Model(CARD, "ill"))
    assert json.loads(text)["version"] == 1
    assert "risk" not in text
    assert model_from_json(text.replace('"version": 1,\n  "target"', '"version": 2,\n  "target"')).risk is None


def test_a_risk_of_something_else_is_not_written():
    with pytest.raises(ValueError, match="points of a scorecard, and boxes have none"):
        model_to_json(Model(BOXES, risk=POINTS.risk))


def changed(model, *path, value):
    """Return the text of a model with another value at some place; None takes it out."""
    data = json.loads(model_to_json(model))
    *path, last = path
    part = data
    for key in path:
        part = part[key]
    part[last] = value
    if value is None:
        del part[last]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("model", "path", "value", "message"),
    [
        (POINTS, ["version"], 1, r"unknown keys \['risk'\]"),
        (POINTS, ["risk"], 3, "in risk: the object: expected an object"),
        (POINTS, ["risk", "more"], 3, "in risk: the object: unknown keys"),
        (POINTS, ["risk", "regions"], {}, r"in risk: regions: expected a list"),
        (POINTS, ["risk", "regions"], [], "in risk: regions: expected at least one region"),
        (POINTS, ["risk", "regions", 0], 3, r"regions\[0\]: expected an object"),
        (POINTS, ["risk", "regions", 0, "points"], None, r"regions\[0\]: lacks points"),
        (POINTS, ["risk", "regions", 0, "boxes"], [0], r"regions\[0\]: unknown keys \['boxes'\]"),
        (POINTS, ["risk", "regions", 2, "points"], 1, r"regions\[2\]: unknown keys \['points'\]"),
        (POINTS, ["risk", "regions", 1, "points"], 5, r"regions\[1\].points: expected fewer than 5, .* got 5"),
        (POINTS, ["risk", "regions", 1, "points"], 1.5, r"regions\[1\].points: expected a whole number"),
        (POINTS, ["risk", "regions", 1, "points"], 10**11, r"regions\[1\].points: expected .* at most"),
        (POINTS, ["risk", "regions", 1, "rows"], "9", r"regions\[1\].rows: expected a number"),
        (POINTS, ["risk", "regions", 1, "rows"], 10**400, r"regions\[1\].rows: the number is too large"),
        (POINTS, ["risk", "regions", 1, "rows"], 3, r"regions\[1\].positives: expected a number from 0 to the rows"),
        (POINTS, ["risk", "regions", 1, "positives"], -1, r"regions\[1\].positives: expected a number from 0"),
        (POINTS, ["risk", "regions", 1, "low"], 0.4, r"regions\[1\]: expected 0 ≤ low ≤ risk ≤ high ≤ 1"),
        (POINTS, ["risk", "regions", 1, "high"], 1.1, r"regions\[1\]: expected 0 ≤ low ≤ risk ≤ high ≤ 1"),
        (
            POINTS,
            ["risk", "regions", 1, "risk"],
            0.45,
            r"regions\[1\].risk: 0.45 is more than that of the region before",
        ),
        (POINTS, ["risk", "boxes"], [], "in risk: in boxes: expected an object"),
        (BY_BOXES, ["risk", "boxes"], None, r"regions\[0\]: lacks points"),
        (BY_BOXES, ["risk", "boxes", "features", 0, "name"], "age", "dose"),
        (BY_BOXES, ["risk", "regions", 0, "boxes"], 1, r"regions\[0\].boxes: expected a list"),
        (
            BY_BOXES,
            ["risk", "regions", 0, "boxes"],
            [],
            r"regions\[0\].boxes: expected different whole numbers from 0 to 1",
        ),
        (BY_BOXES, ["risk", "regions", 0, "boxes"], [2], r"regions\[0\].boxes: expected different whole numbers"),
        (BY_BOXES, ["risk", "regions", 0, "boxes"], [-1], r"regions\[0\].boxes: expected different whole numbers"),
        (BY_BOXES, ["risk", "regions", 0, "boxes"], [0, 0], r"regions\[0\].boxes: expected different whole numbers"),
        (BY_BOXES, ["risk", "regions", 0, "boxes"], [0, "1"], r"regions\[0\].boxes: expected different whole numbers"),
        (BY_BOXES, ["risk"], json.loads(model_to_json(POINTS))["risk"], "in risk: .* boxes have none"),
    ],
)
def test_what_is_wrong_is_said(model, path, value, message):
    with pytest.raises(ValueError, match=message):
        model_from_json(changed(model, *path, value=value))


def test_risk_boxes_on_other_features_are_refused():
    other = Model(BOXES, risk=BY_BOXES.risk)
    text = model_to_json(other)
    data = json.loads(text)
    data["risk"]["boxes"] = json.loads(BoxSet([[3], [1]], [[9], [12]], feature_names=["age"]).to_json())
    with pytest.raises(ValueError, match="in risk: the boxes of the risk must be on the same features"):
        model_from_json(json.dumps(data))


def test_numbers_of_numpy_are_written():
    risk = RiskTable([Region(np.int64(5), np.float64(4), 2, np.float64(0.5), 0, 1), Region(None, 9, 0, 0.1, 0, 1)])
    assert model_from_json(model_to_json(Model(CARD, risk=risk))).risk == risk
