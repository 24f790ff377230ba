"""Rules as data: limits, categories, and the way from boxes to rules and back."""

import copy
import dataclasses
import datetime
import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Limit, Rule, as_category, is_missing, unique_categories

INF = math.inf
NAMES = ["age", "region", "dose"]
KNOWN = {"region": ["north", "south", "east"]}


@pytest.fixture
def rules():
    """Every kind of limit that there is."""
    return [
        Rule((Limit("age", 30.0, 40.0), Limit("region", categories={"north", "east"}, missing=True))),
        Rule((Limit("age", INF, -INF, missing=True), Limit("dose", lower=0.5, missing=True))),
        Rule((Limit("region", categories=frozenset(), missing=True), Limit("dose"))),
        Rule((Limit("region"), Limit("dose", upper=2.0))),
        Rule(),
    ]


# limits


def test_a_limit_alone_asks_for_a_known_value():
    assert Limit("age") == Limit("age", -INF, INF, None, False)
    assert Limit("age").known


@pytest.mark.parametrize(
    ("limit", "known"),
    [
        (Limit("age", missing=True), True),
        (Limit("age", lower=0), False),
        (Limit("age", upper=0), False),
        (Limit("age", INF, -INF, missing=True), False),
        (Limit("region", categories={"north"}), False),
        (Limit("region", categories=frozenset(), missing=True), False),
    ],
)
def test_known(limit, known):
    assert limit.known is known


def test_limits_and_rules_are_values():
    one, other = Limit("age", 30, categories=None), Limit("age", 30.0)
    assert one == other
    assert hash(one) == hash(other)
    assert Limit("age", 30, missing=True) != one
    rule = Rule((one, Limit("region", categories={"north"})))
    assert hash(rule) == hash(copy.deepcopy(rule))
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert len({rule, Rule((other, Limit("region", categories=["north"]))), Rule()}) == 2
    for value, name in ((one, "lower"), (rule, "limits")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, 5)
        assert not hasattr(value, "__dict__")


def test_categories_become_plain_python():
    given_ones = np.array(["north", "south"]), [np.str_("north"), "south", "south"], iter(["south", "north"])
    for categories in given_ones:
        limit = Limit("region", categories=categories)
        assert limit.categories == {"north", "south"}
        assert type(limit.categories) is frozenset
        assert {type(value) for value in limit.categories} == {str}
    mixed = Limit("a", categories=[np.bool_(True), np.int8(3), np.float32(0.5)])
    assert sorted(map(repr, mixed.categories)) == ["0.5", "3", "True"]


def test_text_is_no_set_of_categories():
    """Its letters would be the categories."""
    with pytest.raises(TypeError, match="north"):
        Limit("region", categories="north")


@pytest.mark.parametrize("options", [{"lower": "30"}, {"upper": "40"}, {"missing": "no"}])
def test_what_is_no_limit(options):
    """Text is no number even where NumPy would parse it, and only True and False say whether missing is inside."""
    with pytest.raises(TypeError):
        BoxSet.from_rules([Rule((Limit("age", **options),))], ["age"])


NO_CATEGORIES = [None, math.nan, INF, -INF, ("a",), b"a", Decimal(1), datetime.date(2024, 1, 1), pd.NA, 1j, frozenset()]


@pytest.mark.parametrize("value", NO_CATEGORIES, ids=repr)
def test_what_is_no_category(value):
    with pytest.raises(TypeError, match="a category must be text, a finite number, True or False; got "):
        Limit("region", categories=["north", value])
    with pytest.raises(TypeError, match="a category must be"):
        as_category(value)


def test_categories_without_repetition_keep_their_order():
    assert unique_categories(["b", "a", "b", np.str_("a"), "c"]) == ("b", "a", "c")
    assert unique_categories([2, 1.0, 1, True, "1", 0]) == (2, 1.0, "1", 0)
    assert unique_categories([]) == ()


@pytest.mark.parametrize("value", [None, math.nan, np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT], ids=repr)
def test_missing_values(value):
    assert is_missing(value) is True


@pytest.mark.parametrize("value", ["", "nan", "None", "NA", 0, False, INF, -INF, (), [], "missing"], ids=repr)
def test_values_that_are_not_missing(value):
    assert is_missing(value) is False


# rules


def test_features_of_a_rule(rules):
    assert [rule.features for rule in rules] == [
        ("age", "region"),
        ("age", "dose"),
        ("region", "dose"),
        ("region", "dose"),
        (),
    ]
    assert Rule().limits == ()


def test_rules_make_boxes(rules):
    boxes = BoxSet.from_rules(rules, NAMES, KNOWN)
    assert boxes.feature_names == tuple(NAMES)
    assert boxes.categories == (None, ("north", "south", "east"), None)
    assert boxes.lower.tolist() == [[30, -INF, -INF], [INF, -INF, 0.5], *[[-INF] * 3] * 3]
    assert boxes.upper.tolist() == [[40, INF, INF], [-INF, INF, INF], [INF] * 3, [INF, INF, 2], [INF] * 3]
    assert [row[1] for row in boxes.allowed] == [{"north", "east"}, None, frozenset(), None, None]
    expected = [[False, True, True], [True, True, True], [True, True, False], [True, False, False], [True, True, True]]
    assert boxes.missing.tolist() == expected


def test_boxes_give_the_rules_back(rules):
    boxes = BoxSet.from_rules(rules, NAMES, KNOWN)
    assert boxes.rules() == rules
    assert BoxSet.from_rules(boxes.rules(), NAMES, KNOWN) == boxes
    limit = boxes.rules()[0].limits[0]
    assert (type(limit.lower), type(limit.upper), type(limit.missing)) == (float, float, bool)
    assert BoxSet.from_rules([], NAMES, KNOWN).rules() == []


def test_the_order_of_limits_does_not_matter(rules):
    """Rules that come back have the order of the columns."""
    turned = [Rule(rule.limits[::-1]) for rule in rules]
    assert BoxSet.from_rules(iter(turned), iter(NAMES), KNOWN).rules() == rules


def test_a_limit_that_admits_everything_is_none():
    boxes = BoxSet.from_rules([Rule((Limit("age", missing=True), Limit("region", missing=True)))], NAMES, KNOWN)
    assert boxes.rules() == [Rule()]
    assert boxes.contains([[None, None, None], [1, "west", 2]]).tolist() == [True, True]


def test_categories_of_rules_are_added_to_the_known():
    rule = Rule((Limit("region", categories={"west", "north", "centre"}),))
    assert BoxSet.from_rules([rule], ["region"], KNOWN).categories[0] == ("north", "south", "east", "centre", "west")
    assert BoxSet.from_rules([rule], ["region"]).categories[0] == ("centre", "north", "west")


def test_no_known_category_at_all():
    boxes = BoxSet.from_rules([Rule((Limit("region"),))], ["region"], {"region": []})
    assert boxes.categories == ((),)
    assert boxes.contains([["north"], [None]]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([Rule((Limit("size", 1),))], NAMES), ValueError, r"rule 0 limits 'size', which is not among the features"),
        (([Rule(), Rule((Limit(""),))], NAMES), ValueError, r"rule 1 limits '', which is not among the features"),
        (([Rule((Limit("age", 1), Limit("age", upper=2)))], NAMES), ValueError, "rule 0 has two limits for 'age'"),
        (([Rule((Limit("age", 2, 1),))], NAMES), ValueError, "'age' in box index 0 must have lower <= upper"),
        (([Rule((Limit("age", math.nan),))], NAMES), ValueError, "'age' in box index 0 must not be NaN"),
        (([Rule((Limit("age", INF, -INF),))], NAMES), ValueError, "which no row meets"),
        (([Rule((Limit("age", INF, missing=True),))], NAMES), ValueError, "which no row meets"),
        (([Rule((Limit("age", categories=[]),))], NAMES), ValueError, "allow no category, and missing values are outs"),
        (([Rule((Limit("region", 1),))], NAMES, KNOWN), ValueError, "must be -inf and inf: the feature has categories"),
        (
            ([Rule((Limit("age", 1),)), Rule((Limit("age", categories={"a"}),))], NAMES),
            ValueError,
            "must be -inf and inf: the feature has categories",
        ),
        (([], NAMES, {"size": ["a"]}), ValueError, r"\['size'\], which are not among the features"),
        (([], ["a", "a"]), ValueError, r"feature_names must all differ, got \['a'\]"),
        (([], []), ValueError, "at least one feature"),
        (([], "age"), TypeError, "feature_names must be a sequence of strings, got 'age'"),
        (([], [1]), TypeError, "feature_names must be a sequence of strings"),
        (([{"age": (1, 2)}], NAMES), TypeError, "Rule"),
        (([Rule(("age",))], NAMES), TypeError, "Limit"),
    ],
)
def test_rules_that_make_no_boxes(arguments, error, message):
    with pytest.raises(error, match=message):
        BoxSet.from_rules(*arguments)


# any rules


numbers = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=3)
categories = st.one_of(texts, st.integers(-(10**39), 10**39), st.booleans(), numbers)


@st.composite
def limits(draw, name, numeric):
    missing, kind = draw(st.booleans()), draw(st.sampled_from(["known", "only missing", "values"]))
    if kind == "known":
        return Limit(name)
    if kind == "only missing":
        return Limit(name, INF, -INF, missing=True) if numeric else Limit(name, categories=(), missing=True)
    if not numeric:
        return Limit(name, categories=draw(st.frozensets(categories, min_size=1, max_size=4)), missing=missing)
    low, high = sorted(draw(st.tuples(numbers, numbers)))
    low, high = draw(st.sampled_from([(low, high), (low, INF), (-INF, high)]))
    return Limit(name, low, high, missing=missing)


@st.composite
def rule_lists(draw):
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    numeric = {name: draw(st.booleans()) for name in names}
    chosen = draw(st.lists(st.lists(st.booleans(), min_size=len(names), max_size=len(names)), max_size=4))
    drawn = [
        Rule(tuple(draw(limits(name, numeric[name])) for name, looked in zip(names, row, strict=True) if looked))
        for row in chosen
    ]
    return drawn, names, {name: draw(st.lists(categories, max_size=3)) for name in names if not numeric[name]}


@given(rule_lists())
def test_any_rules_come_back_from_their_boxes(drawn):
    rules, names, known = drawn
    boxes = BoxSet.from_rules(rules, names, known)
    assert boxes.rules() == rules
    assert BoxSet.from_rules(boxes.rules(), names, known) == boxes
    assert BoxSet.from_json(boxes.to_json()).rules() == rules
