"""Which box of one drawing is which of another."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw import BoxSet, Limit, Rule
from boxdraw.model.matching import ALIKE, match_limits, match_rows, parts_of

INF = math.inf


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
def testmatch_rows(ours, theirs, expected):
    assert match_rows(held(*ours), held(*theirs), np.ones(10)) == expected


def test_match_rows_weigh_rows():
    weight = np.ones(10)
    assert match_rows(held({0}), held({0, 1, 2}), weight) == {}
    weight[0] = 2
    assert match_rows(held({0}), held({0, 1, 2}), weight) == {0: 0}


masks = st.integers(0, 4).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=8, max_size=8)
)


def best_total(likeness):
    """Try all ways to pair rows with columns."""
    n, m = likeness.shape
    if n > m:
        return best_total(likeness.T)
    return max((sum(likeness[k, at] for k, at in enumerate(places)) for places in permutations(range(m), n)), default=0)


@given(masks, masks, st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_match_rows_by_trying_everything(ours, theirs, weight):
    ours, theirs = (np.array(mask, dtype=bool).reshape(8, -1) for mask in (ours, theirs))
    weight = np.array(weight, dtype=float)
    likeness = np.zeros((ours.shape[1], theirs.shape[1]))
    for k, other in np.ndindex(likeness.shape):
        either = weight[ours[:, k] | theirs[:, other]].sum()
        likeness[k, other] = weight[ours[:, k] & theirs[:, other]].sum() / either if either else 0
    likeness[likeness < ALIKE] = 0
    found = match_rows(ours, theirs, weight)
    assert len(set(found.values())) == len(found)
    assert all(likeness[k, other] >= ALIKE for k, other in found.items())
    assert sum(likeness[k, other] for k, other in found.items()) == pytest.approx(best_total(likeness))
    copies = np.repeat(np.arange(8), weight.astype(int))  # a whole weight is so many rows
    assert match_rows(ours[copies], theirs[copies], np.ones(len(copies))) == found


def boxes(*rules, names=("age", "dose", "region")):
    made = [Rule(tuple(Limit(name, **asked) for name, asked in rule.items())) for rule in rules]
    return BoxSet.from_rules(made, names, {"region": ["e", "n", "s"]})


OLD = {"age": {"lower": 30.0}, "dose": {"upper": 2.0}}


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        ([OLD], {0: 0}),
        ([{"age": {"lower": 35.0}, "dose": {"upper": 2.0}}], {0: 0}),  # moved
        ([{"age": {"lower": 35.0}, "dose": {"upper": 3.0}}], {0: 0}),  # both moved: just half
        ([{"age": {"lower": 30.0}}], {0: 0}),  # dropped: just half
        ([{"age": {"lower": 35.0}}], {}),  # dropped and moved
        ([OLD | {"region": {"categories": {"n"}}}], {0: 0}),  # added
        ([{"age": {"upper": 30.0}, "dose": {"lower": 2.0}}], {}),  # other sides
        ([{"region": {"categories": {"n"}}}, OLD], {0: 1}),
        (
            [{"age": {"lower": 30.0}}, {"age": {"lower": 31.0}, "dose": {"upper": 2.0}}],
            {0: 1},
        ),  # 3 of 4 rather than half
        ([], {}),
    ],
)
def test_match_limits(theirs, expected):
    assert match_limits(boxes(OLD), boxes(*theirs)) == expected
    assert match_limits(boxes(*theirs), boxes(OLD)) == {other: k for k, other in expected.items()}


def test_one_dropped_and_one_added_is_no_change():
    other = {"region": {"categories": {"n", "e"}}, "dose": {"lower": 5.0}}
    assert match_limits(boxes(OLD, {"age": {"upper": 9.0}}), boxes(other, OLD)) == {0: 1}


def test_features_are_matched_by_name():
    ours, theirs = boxes(OLD), boxes(OLD, names=("region", "dose", "weight", "age"))
    assert match_limits(ours, theirs) == {0: 0}
    renamed = BoxSet(ours.lower[:, :2], ours.upper[:, :2], feature_names=["a", "b"])
    assert match_limits(ours, renamed) == {}


def test_boxes_that_ask_nothing():
    every = BoxSet([[-INF]], [[INF]], feature_names=["age"])
    assert match_limits(every, every) == {0: 0}
    assert match_limits(every, boxes(OLD)) == {}


def test_parts():
    rule = {
        "age": {"lower": 30.0, "upper": 40.0, "missing": True},
        "dose": {"missing": False},
        "region": {"categories": {"n"}},
    }
    asked = boxes(rule)
    parts = {(0, "lower"): 30.0, (0, "upper"): 40.0, (1, "missing"): (False, False), (2, "categories"): {"n"}}
    assert parts_of(asked, 0) == parts
    more = {(0, "missing"): (True, False), (2, "missing"): (False, False)}
    assert parts_of(asked, 0, (True, True, True)) == parts | more
    absent = boxes({"age": {"lower": INF, "upper": -INF, "missing": True}})
    assert parts_of(absent, 0) == {(0, "missing"): (True, True)}
