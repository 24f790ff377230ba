"""The union of boxes that a scorecard means, in the page as in Python."""

import itertools

import numpy as np
import pytest

from boxdraw.model.boxes import BoxSet
from boxdraw.model.scorecard import Scorecard
from boxdraw.model.union import MAX_SETS, minimal_sets

from ..model.test_union import random_card
from .javascript import as_limits, described, page_limits, run_js

UNION = "argument.map(({ model, features }) => [unionOf(model, features), whyNoUnion(model)])"


def unions(page, cards):
    """Return what the page makes of cards of boxes, points and a threshold."""
    argument = [
        {
            "model": {
                "boxes": [
                    {"limits": limits, "points": value} for limits, value in zip(as_limits(boxes), points, strict=True)
                ],
                "threshold": threshold,
            },
            "features": described(boxes),
        }
        for boxes, points, threshold in cards
    ]
    return run_js(page, ["union"], UNION, argument)


def test_page_has_the_union_of_python(page):
    rng = np.random.default_rng(0)
    cards = []
    for _ in range(400):
        boxes, points, threshold = random_card(rng)
        cards.append((boxes, points, threshold))
    sizes = set()
    for (boxes, points, threshold), (union, reason) in zip(cards, unions(page, cards), strict=True):
        wanted = Scorecard(boxes, points, threshold).union()
        assert page_limits(union) == as_limits(wanted)
        assert all(box["points"] is None for box in union)
        assert reason is None
        sizes.add(len(union))
    assert sizes >= {0, 1, 2, 3, 4}


def test_a_threshold_that_all_rows_reach(page):
    boxes = BoxSet([[1.0]], [[2.0]])
    ((union, _),) = unions(page, [(boxes, [1], 0)])
    assert union == [{"limits": [None], "points": None}]


def test_points_below_0_make_no_union(page):
    boxes = BoxSet([[1.0], [2.0]], [[3.0], [4.0]])
    ((union, reason),) = unions(page, [(boxes, [2, -1], 1)])
    assert union is None
    assert "negative points" in reason


def test_too_many_sets(page):
    boxes = BoxSet(np.arange(16.0)[:, None], np.full((16, 1), 99.0))
    with pytest.raises(ValueError, match="too many"):
        minimal_sets((1,) * 16, 8)
    ((union, reason),) = unions(page, [(boxes, [1] * 16, 8)])
    assert union is None
    assert str(MAX_SETS) in reason


def test_minimal_sets_are_those_of_python_in_the_same_order(page):
    points = [[*some] for n in range(5) for some in itertools.product((0, 1, 2, 5), repeat=n)]
    expression = "argument.map((points) => [0, 1, 2, 3, 6, 9].map((threshold) => minimalSets(points, threshold)))"
    found = run_js(page, ["union"], expression, points)
    for some, sets in zip(points, found, strict=True):
        wanted = [minimal_sets(tuple(some), threshold) for threshold in (0, 1, 2, 3, 6, 9)]
        assert [[tuple(numbers) for numbers in one] for one in sets] == wanted
