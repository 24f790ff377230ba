"""The union of boxes of a scorecard against the points themselves, and against every subset of the boxes."""

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.union import MAX_SETS, minimal_sets, union_of

from .export.cases import random_boxes, random_limit, random_rows

INF = math.inf
ONLY_MISSING = {"lower": INF, "upper": -INF, "missing": True}


def random_card(rng):
    """Return boxes, their points and a threshold."""
    first = random_boxes(rng)
    known = {name: values for name, values in zip(first.feature_names, first.categories, strict=True) if values}
    rules = [
        Rule(tuple(random_limit(rng, name, known.get(name)) for name in first.feature_names if rng.random() < 0.4))
        for _ in range(int(rng.integers(0, 5)))
    ]
    boxes = first + BoxSet.from_rules(rules, first.feature_names, known)
    points = rng.integers(1, 6, len(boxes)).tolist()
    return boxes, points, int(rng.integers(1, max(2, sum(points) * 3 // 4)))


def enough(boxes, points, threshold, X):
    inside = boxes.membership(X).tolist()
    return [sum(value for value, held in zip(points, row, strict=True) if held) >= threshold for row in inside]


def inside(one, other):
    """Say of two boxes, feature by feature, whether all values that one admits are in the other."""
    pairs = zip(one.allowed[0], other.allowed[0], strict=True)
    return (
        bool((one.missing <= other.missing).all())
        and all(b is None or (a is not None and a <= b) for a, b in pairs)
        and all(
            low > high or (low >= low_ and high <= high_)
            for low, high, low_, high_ in zip(one.lower[0], one.upper[0], other.lower[0], other.upper[0], strict=True)
        )
    )


def box(*limits):
    return Rule(tuple(limits))


# minimal sets


def all_minimal_sets(points, threshold):
    reaching = [
        set(chosen)
        for size in range(len(points) + 1)
        for chosen in itertools.combinations(range(len(points)), size)
        if sum(points[k] for k in chosen) >= threshold
    ]
    return {tuple(sorted(one)) for one in reaching if not any(other < one for other in reaching)}


@given(st.lists(st.integers(0, 5), max_size=7).map(tuple), st.integers(-1, 20))
@example((), 0)
@example((), 1)
@example((2, 2), 5)
def test_minimal_sets_are_those_of_all_subsets(points, threshold):
    found = minimal_sets(points, threshold)
    assert set(found) == all_minimal_sets(points, threshold)
    assert len(set(found)) == len(found)


@given(st.lists(st.integers(1, 5), max_size=8).map(tuple), st.integers(1, 20))
def test_sets_of_the_boxes_with_most_points_come_first(points, threshold):
    rank = sorted(range(len(points)), key=lambda k: (-points[k], k))
    ranks = [sorted(rank.index(k) for k in chosen) for chosen in minimal_sets(points, threshold)]
    assert ranks == sorted(ranks)


def test_many_boxes():
    assert len(minimal_sets((1,) * 10, 5)) == 252
    assert minimal_sets((1,) * 3000, 3000) == [tuple(range(3000))]
    assert len(minimal_sets((1,) * MAX_SETS, 1)) == MAX_SETS
    with pytest.raises(ValueError, match=rf"more than {MAX_SETS} sets of boxes reach 20 points: too many"):
        minimal_sets((1,) * 40, 20)


def test_negative_points_have_no_union():
    boxes = BoxSet([[0], [2]], [[3], [9]])
    for call in (lambda: minimal_sets((2, -1), 1), lambda: union_of(boxes, [2, -1], 1)):
        with pytest.raises(ValueError, match=r"negative points the flagged rows are no union .*signed_points=False"):
            call()


# the union


def test_it_holds_the_rows_with_enough_points():
    shares, sizes = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        boxes, points, threshold = random_card(rng)
        X = random_rows(rng, boxes, 200)
        expected = enough(boxes, points, threshold, X)
        union = union_of(boxes, points, threshold)
        assert union.contains(X).tolist() == expected, f"seed {seed}"
        assert union.feature_names == boxes.feature_names
        assert union.categories == boxes.categories
        shares.append(np.mean(expected))
        sizes.append(len(union))
    assert 0.2 < np.mean(shares) < 0.8
    assert np.mean(np.array(sizes) >= 3) > 0.2


values = st.integers(0, 2).map(float)


@st.composite
def limits(draw, name):
    if name == "text":
        allowed = draw(st.none() | st.frozensets(st.sampled_from("ab")))
        return Limit(name, categories=allowed, missing=draw(st.booleans()) or allowed == frozenset())
    low, high = sorted((draw(values), draw(values)))
    pair = draw(st.sampled_from([(low, high), (-INF, high), (low, INF), (-INF, INF), (INF, -INF)]))
    return Limit(name, *pair, missing=draw(st.booleans()) or pair[0] > pair[1])


@given(st.data())
def test_it_is_right_for_every_row_there_is(data):
    """On features of few values, all rows can be tried, and nothing is left to luck."""
    names = ["x", "y", "text"]
    chosen = st.lists(st.sampled_from(names), unique=True, max_size=3)
    rules = [
        Rule(tuple(data.draw(limits(name)) for name in data.draw(chosen))) for _ in range(data.draw(st.integers(0, 5)))
    ]
    boxes = BoxSet.from_rules(rules, names, {"text": ["a", "b"]})
    points = data.draw(st.lists(st.integers(1, 3), min_size=len(rules), max_size=len(rules)))
    threshold = data.draw(st.integers(1, 8))
    numbers = [0.0, 0.5, 1.0, 1.5, 2.0, -1.0, 3.0, INF, -INF, math.nan]
    rows = list(itertools.product(numbers, numbers, ["a", "b", "unseen", None]))
    X = pd.DataFrame(rows, columns=names).astype({"text": object})
    union = union_of(boxes, points, threshold)
    member = union.membership(X)
    assert member.any(axis=1).tolist() == enough(boxes, points, threshold, X)
    assert member.any(axis=0).all()  # no box is empty
    for one, other in itertools.permutations(union, 2):
        assert not inside(one, other)


def test_limits_are_the_tightest_of_the_members():
    boxes = BoxSet.from_rules(
        [
            box(Limit("age", 10, 40), Limit("dose", upper=5, missing=True), Limit("region", categories={"n", "e"})),
            box(Limit("age", 20, 50, missing=True), Limit("dose", 1, missing=True), Limit("sick")),
            box(Limit("region", categories={"e", "s"}, missing=True), Limit("age", missing=True)),
        ],
        ["age", "dose", "region", "sick"],
    )
    assert union_of(boxes, [1, 1, 1], 3).to_text() == (
        "Box 1: 20 ≤ age ≤ 40 and 1 ≤ dose ≤ 5 (or missing) and region = e and sick is known"
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Limit("x", 1, 2), Limit("x", 2, 3), "x = 2"),
        (Limit("x", 1, 2), Limit("x", 3, 4), None),
        (Limit("x", 1, 2, missing=True), Limit("x", 3, 4), None),
        (Limit("x", 1, 2, missing=True), Limit("x", 3, 4, missing=True), "x is missing"),
        (Limit("x", **ONLY_MISSING), Limit("x", 3, 4, missing=True), "x is missing"),
        (Limit("x", **ONLY_MISSING), Limit("x", **ONLY_MISSING), "x is missing"),
        (Limit("x", **ONLY_MISSING), Limit("x", 3, 4), None),
        (Limit("x", **ONLY_MISSING), Limit("x"), None),
        (Limit("x"), Limit("x", upper=4, missing=True), "x ≤ 4"),
        (Limit("x", **ONLY_MISSING), Limit("y"), "x is missing and y is known"),
        (Limit("c", categories={"a", "b"}), Limit("c", categories={"b", "d"}), "c = b"),
        (Limit("c", categories={"a"}), Limit("c", categories={"b"}), None),
        (Limit("c", categories={"a"}, missing=True), Limit("c", categories={"b"}), None),
        (Limit("c", categories={"a"}, missing=True), Limit("c", categories={"b"}, missing=True), "c is missing"),
        (Limit("c", categories=set(), missing=True), Limit("c"), None),
        (Limit("c"), Limit("c", categories={"a"}, missing=True), "c = a"),
    ],
)
def test_two_boxes(first, second, expected):
    for pair in ((first, second), (second, first)):
        boxes = BoxSet.from_rules([box(limit) for limit in pair], ["x", "y", "c"], {"c": ["a", "b", "d"]})
        union = union_of(boxes, [1, 1], 2)
        assert union.to_text() == (f"Box 1: {expected}" if expected else "No boxes: no row is flagged")


def test_boxes_inside_others_are_left_out():
    boxes = BoxSet([[0], [1], [5], [0]], [[9], [2], [6], [9]])
    assert union_of(boxes, [1, 1, 1, 1], 1).to_text() == "Box 1: 0 ≤ x0 ≤ 9"
    assert union_of(boxes, [2, 1, 1, 1], 2).to_text() == "Box 1: 0 ≤ x0 ≤ 9"
    assert union_of(boxes, [1, 3, 3, 1], 3).to_text() == "Box 1: 1 ≤ x0 ≤ 2\nBox 2: 5 ≤ x0 ≤ 6"
    assert union_of(BoxSet([[0], [3], [7]], [[9], [20], [30]]), [1, 2, 1], 2).to_text() == "Box 1: 3 ≤ x0 ≤ 20"
    # What is made of the boxes of most points comes first.
    apart = union_of(BoxSet([[0], [13], [7]], [[9], [20], [30]]), [1, 2, 1], 2)
    assert apart.to_text() == "Box 1: 13 ≤ x0 ≤ 20\nBox 2: 7 ≤ x0 ≤ 9"


def test_nothing_and_everything():
    boxes = BoxSet([[0], [2]], [[3], [9]], feature_names=["dose"])
    assert union_of(boxes, [1, 2], 4) == boxes[:0]
    assert union_of(boxes[:0], [], 1) == boxes[:0]
    everything = BoxSet([[-INF], [-INF], [1]], [[INF], [INF], [2]])
    assert union_of(everything, [1, 1, 1], 1).to_text() == "Box 1: every row"
    assert union_of(everything[:2], [1, 1], 2).to_text() == "Box 1: every row"
    assert union_of(everything, [1, 1, 1], 3).to_text() == "Box 1: 1 ≤ x0 ≤ 2"


def test_points_must_go_with_the_boxes():
    with pytest.raises(ValueError, match="a number for each of the 2 boxes, got 1"):
        union_of(BoxSet([[0], [2]], [[3], [9]]), [1], 1)


# how many boxes


def test_boxes_that_are_left():
    boxes = BoxSet([[0], [5], [10], [0]], [[1], [6], [11], [20]])
    assert len(union_of(boxes, [1, 1, 1, 1], 2)) == 3  # of six sets, only three boxes remain


def test_too_many_sets_to_look_at():
    many = BoxSet(np.zeros((30, 1)), np.ones((30, 1)))
    with pytest.raises(ValueError, match="too many to write as a union of boxes; use fewer boxes"):
        union_of(many, [1] * 30, 15)


def test_limits_that_meet():
    boxes = BoxSet([[5], [-INF]], [[INF], [5]])
    union = union_of(boxes, [1, 1], 2)
    assert union.to_text() == "Box 1: x0 = 5"
    assert pickle.loads(pickle.dumps(union)) == union
