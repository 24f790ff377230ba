"""BoxSet.check says which limit breaks what."""

import numpy as np
import pytest

from boxdraw import BoxSet, Breach

INF = float("inf")
BOXES = BoxSet(
    [[30, -INF, -INF], [-INF, 100, -INF]],
    [[INF, 900, INF], [INF, 200, INF]],
    feature_names=["age", "amount", "region"],
    categories={"region": ["north", "south"]},
    allowed={"region": [None, {"north"}]},
)


def texts(**constraints):
    return [breach.text for breach in BOXES.check(**constraints)]


def test_nothing_asked_is_nothing_broken():
    assert texts() == []
    free = {"monotonic_cst": [1, 0, 0], "interaction_cst": "pairwise", "max_limits": 3, "max_boxes": 2}
    assert texts(**free, allowed_values={"age": [30, 40], "amount": [100, 200, 900]}) == []


def test_directions():
    assert BOXES.check(monotonic_cst={"amount": 1, "age": -1}) == [
        Breach(1, "age", "box 1: age ≥ 30 is a lower limit, but age may only have upper ones"),
        Breach(1, "amount", "box 1: amount ≤ 900 is an upper limit, but amount may only have lower ones"),
        Breach(2, "amount", "box 2: amount ≤ 200 is an upper limit, but amount may only have lower ones"),
    ]


def test_features_that_stand_together():
    assert texts(interaction_cst="no_interactions") == [
        "box 1 limits age, amount, but at most 1 of the features may stand together",
        "box 2 limits amount, region, but at most 1 of the features may stand together",
    ]
    assert texts(interaction_cst=[["age", 1]]) == [
        "box 2 limits amount, region, which are not in one group of interaction_cst"
    ]
    assert texts(interaction_cst=[{"age"}, ("amount", "region"), {0, 1}]) == []
    assert texts(interaction_cst={"not_together": [["age", "amount"]]}) == [
        "box 1 limits age and amount, which may not stand together"
    ]


def test_allowed_values():
    assert texts(allowed_values={"amount": [100, 900]}) == [
        "box 2: amount ≤ 200 is not at one of the allowed values of amount"
    ]
    assert texts(allowed_values={"region": []}) == ["box 2: region = north is a limit, but region may have none"]


def test_sizes():
    assert BOXES.check(max_boxes=1) == [Breach(None, None, "there are 2 boxes, but at most 1 are allowed")]
    assert texts(max_limits=2) == ["box 2 has 3 limits, but at most 2 are allowed"]


def test_rows():
    X = np.array([[40, 500, "south"], [50, 600, "north"], [10, 150, "north"], [10, 0, "south"]], dtype=object)
    rows = {"X": X, "y": [1, 0, 1, 0], "pos_label": 1}
    assert texts(min_box_rows=2, **rows) == ["box 2 holds 1 rows, but needs 2"]
    assert texts(min_box_precision=0.6, **rows) == ["box 1 has 50.0% positives, but needs 60.0%"]
    assert texts(min_box_rows=2, **rows, sample_weight=[1, 1, 2, 1]) == []
    with pytest.raises(ValueError, match="are about rows: give X and y"):
        BOXES.check(min_box_rows=2)


def test_a_box_of_no_rows_is_neither_precise_nor_an_error():
    boxes = BoxSet([[5.0]], [[6.0]])
    found = boxes.check(min_box_rows=1, min_box_precision=0.5, X=[[0.0], [1.0]], y=[0, 1])
    assert [breach.text for breach in found] == ["box 1 holds 0 rows, but needs 1"]


def test_what_is_missing_has_no_direction():
    boxes = BoxSet([[INF], [-INF]], [[-INF], [INF]], missing=[[True], [False]])
    assert boxes.check(monotonic_cst=[1]) == []
    assert len(boxes.check(allowed_values={0: []})) == 2
