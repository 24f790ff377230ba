"""Boxes changed by hand, checked row by row against what the limits say in plain Python."""

import copy
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Limit, Rule

from .export.cases import random_boxes, random_limit, random_rows

INF = math.inf
NO_LIMIT = (-INF, INF, None, True)


@pytest.fixture
def boxes():
    rules = [
        Rule((Limit("age", 30, 40), Limit("region", categories={"north"}))),
        Rule((Limit("region", categories={"south"}, missing=True), Limit("dose", upper=2, missing=True))),
    ]
    return BoxSet.from_rules(rules, ["age", "region", "dose"], {"region": ["north", "south", "east"]})


# what limits say, feature by feature and row by row


def written_out(boxes):
    """Every box as a dict of name to (lower, upper, allowed, missing), one for each feature."""
    return [
        {
            name: (
                float(boxes.lower[k, j]),
                float(boxes.upper[k, j]),
                boxes.allowed[k][j],
                bool(boxes.missing[k, j]),
            )
            for j, name in enumerate(boxes.feature_names)
        }
        for k in range(boxes.n_boxes)
    ]


def admits(limit, value):
    lower, upper, allowed, missing = limit
    if value is None or value != value:
        return missing
    if allowed is not None:
        return value in allowed
    # Without numbers to compare, text included, everything is inside.
    return (lower == -INF or value >= lower) and (upper == INF or value <= upper)


def expected(drawn, frame):
    """Which rows are in which boxes, decided one at a time."""
    rows = frame.astype(object).to_dict("records")
    inside = [[all(admits(box[name], row[name]) for name in box) for box in drawn] for row in rows]
    return np.array(inside, dtype=np.bool_).reshape(len(rows), len(drawn))


def as_tables(frame):
    columns = {name: [None if v is None or v != v else v for v in frame[name].tolist()] for name in frame.columns}
    turned = dict(reversed(columns.items()))
    return (
        frame,
        pl.DataFrame(turned, strict=False),
        frame.to_numpy(dtype=object),
        frame.to_numpy(dtype=object).tolist(),
    )


def assert_flags(boxes, drawn, frame):
    wanted = expected(drawn, frame)
    for table in as_tables(frame):
        np.testing.assert_array_equal(boxes.membership(table), wanted)
        np.testing.assert_array_equal(boxes.contains(table), wanted.any(axis=1))


def limit_of(limit):
    return limit.lower, limit.upper, limit.categories, limit.missing


# random edits


def edit(rng, boxes, drawn):
    """Change boxes at random, and what is written out of them in the same way."""
    drawn = copy.deepcopy(drawn)
    kinds = dict(zip(boxes.feature_names, boxes.categories, strict=True))
    looked = [(k, name) for k, box in enumerate(drawn) for name in box if box[name] != NO_LIMIT]
    edits = ["add", "add mapping", "union"] + ["replace", "drop box"] * bool(drawn) + ["drop limit"] * bool(looked)
    chosen = rng.choice(edits)
    if chosen == "drop limit":
        k, name = looked[rng.integers(len(looked))]
        drawn[k][name] = NO_LIMIT
        return boxes.drop_limit(k - len(drawn) * int(rng.integers(2)), name), drawn
    if chosen == "drop box":
        k = int(rng.integers(len(drawn)))
        return boxes.drop_box(k), drawn[:k] + drawn[k + 1 :]
    if chosen == "replace":
        k, name = int(rng.integers(len(drawn))), str(rng.choice(boxes.feature_names))
        limit = random_limit(rng, name, kinds[name])
        numbers = {"categories": limit.categories} if kinds[name] else {"lower": limit.lower, "upper": limit.upper}
        drawn[k][name] = limit_of(limit)
        return boxes.replace(k, name, missing=limit.missing, **numbers), drawn
    rule = Rule(tuple(random_limit(rng, name, kinds[name]) for name in kinds if rng.random() < 0.6))
    if chosen == "add mapping":
        plain = {limit.feature: limit for limit in rule.limits}
        for name, limit in plain.items():
            if limit.categories and not limit.missing:
                plain[name] = set(limit.categories)
            elif limit.lower <= limit.upper and kinds[name] is None and not limit.missing:
                plain[name] = (limit.lower, limit.upper)
        added = boxes.add_box(plain)
    elif chosen == "add":
        added = boxes.add_box(rule if rng.random() < 0.5 else iter(rule.limits))
    else:
        names = rng.permutation(boxes.feature_names).tolist()
        added = boxes + BoxSet.from_rules([rule], names, {name: known for name, known in kinds.items() if known})
    limits = {limit.feature: limit_of(limit) for limit in rule.limits}
    return added, [*drawn, {name: limits.get(name, NO_LIMIT) for name in kinds}]


def test_random_edits_flag_what_they_say():
    rng, flagged = np.random.default_rng(0), []
    for _ in range(60):
        boxes = random_boxes(rng)
        drawn = written_out(boxes)
        for _ in range(5):
            before = boxes.to_json()
            edited, drawn = edit(rng, boxes, drawn)
            assert boxes.to_json() == before
            assert written_out(edited) == drawn
            boxes = edited
        rows = random_rows(rng, boxes, 40)
        assert_flags(boxes, drawn, rows)
        flagged.append(boxes.contains(rows).mean())
    assert sum(0 < rate < 1 for rate in flagged) >= 15


def test_random_boxes_flag_what_they_say():
    rng = np.random.default_rng(1)
    for _ in range(100):
        boxes = random_boxes(rng)
        assert_flags(boxes, written_out(boxes), random_rows(rng, boxes, 40))


def test_random_boxes_come_back_from_their_rules():
    rng = np.random.default_rng(2)
    for _ in range(200):
        boxes = random_boxes(rng)
        known = {n: c for n, c in zip(boxes.feature_names, boxes.categories, strict=True) if c is not None}
        assert BoxSet.from_rules(boxes.rules(), boxes.feature_names, known) == boxes


# kinds of tables


def test_columns_of_any_kind(boxes):
    """Types that have their own missing value, and categories that have their own list."""
    columns = {"age": [35, None, 29, 30], "region": ["north", None, "north", "west"], "dose": [9.0, None, 2.0, 1.0]}
    wanted = [[True, False], [False, True], [False, False], [False, False]]
    table = pd.DataFrame(columns)
    types = {"age": "Int64", "region": "category", "dose": "Float32"}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    polars_frame = pl.DataFrame(columns)
    tables = [table, table.astype(types), table.astype({"region": "string"}), table.astype(object), polars_frame]
    tables += [polars_frame.cast({"region": pl.Categorical}), pa.table(columns), rows, np.array(rows, dtype=object)]
    for X in tables:
        assert boxes.membership(X).tolist() == wanted
    encoded = pa.table(columns | {"region": pa.array(columns["region"]).dictionary_encode()})
    assert boxes.membership(encoded).tolist() == wanted


def test_text_in_columns_that_no_box_looks_at(boxes):
    """Only what a box asks for has to be what it asks for."""
    boxes = boxes.drop_limit(0, "region").drop_limit(1, "region")
    rows = [[35, "north", 9], [35, None, 9], [None, "", None]]
    wanted = [True, True, True]
    tables = (rows, np.array(rows, dtype=object), pd.DataFrame(rows, columns=boxes.feature_names))
    assert [boxes.contains(X).tolist() for X in tables] == [wanted] * 3


def test_whole_numbers_beside_missing_ones_are_exact():
    """Columns of whole numbers with gaps must not become floats on the way, which 2**53 + 1 is not."""
    number = 2**53 + 1
    boxes = BoxSet.from_rules([Rule((Limit("id", categories={number}, missing=True),))], ["id"])
    values = [number, number - 1, None]
    tables = [pl.DataFrame({"id": values}), pa.table({"id": values}), [[value] for value in values]]
    tables.append(pd.DataFrame({"id": pd.array(values, dtype="Int64")}))
    tables.append(pd.DataFrame({"id": pd.Series(values, dtype=object)}))
    assert [boxes.contains(X).tolist() for X in tables] == [[True, False, True]] * len(tables)


def test_values_that_no_category_can_be(boxes):
    """They are not known, so outside of every set."""
    rows = [[35, value, 3] for value in (["north"], ("north",), {"north"}, b"north", 1.5, True, "north")]
    table = pd.DataFrame(rows, columns=boxes.feature_names)
    assert boxes.contains(table).tolist() == [False] * 6 + [True]


# replace


@pytest.mark.parametrize(
    ("box", "feature", "limits", "text"),
    [
        (0, "age", {"upper": 45}, "30 ≤ age ≤ 45 and region = north"),
        (0, "age", {"lower": -INF}, "age ≤ 40 and region = north"),
        (0, "age", {"missing": True}, "30 ≤ age ≤ 40 (or missing) and region = north"),
        (0, "age", {"lower": -INF, "upper": INF}, "age is known and region = north"),
        (0, "age", {"lower": INF, "upper": -INF, "missing": True}, "age is missing and region = north"),
        (-2, "age", {"lower": np.float64(35.0)}, "35 ≤ age ≤ 40 and region = north"),
        (np.int64(0), "dose", {"upper": 1, "missing": False}, "30 ≤ age ≤ 40 and region = north and dose ≤ 1"),
        (0, "region", {"categories": {"south", "east"}}, "30 ≤ age ≤ 40 and region in {east, south}"),
        (0, "region", {"categories": ["west"]}, "30 ≤ age ≤ 40 and region = west"),
        (0, "region", {"categories": None}, "30 ≤ age ≤ 40 and region is known"),
        (0, "region", {"categories": None, "missing": True}, "30 ≤ age ≤ 40"),
        (0, "region", {"categories": (), "missing": True}, "30 ≤ age ≤ 40 and region is missing"),
    ],
)
def test_replace(boxes, box, feature, limits, text):
    changed = boxes.replace(box, feature, **limits)
    other = boxes.to_text().split("\n")[1]
    assert changed.to_text() == f"Box 1: {text}\n{other}"
    assert changed.feature_names == boxes.feature_names


def test_replace_adds_new_categories_to_the_known(boxes):
    changed = boxes.replace(0, "region", categories={"west", "north"})
    assert changed.categories[1] == ("north", "south", "east", "west")
    assert boxes.categories[1] == ("north", "south", "east")


@pytest.mark.parametrize(
    ("arguments", "limits", "error", "message"),
    [
        ((2, "age"), {"upper": 1}, IndexError, "there is no box 2: boxes are numbered from 0 to 1"),
        ((-3, "age"), {"upper": 1}, IndexError, "there is no box -3"),
        ((0, "size"), {"upper": 1}, ValueError, r"no feature 'size'; the features are \['age', 'region', 'dose'\]"),
        ((0, "age"), {"uper": 1}, TypeError, r"unknown limits \['uper'\]; known are lower, upper, categories and miss"),
        ((0, "age"), {"name": "dose", "step": 1}, TypeError, r"unknown limits \['name', 'step'\]"),
        ((0, "age"), {"upper": 29}, ValueError, r"limits \[30.0, 29.0\] of feature 'age' in box index 0 must have"),
        ((0, "age"), {"upper": math.nan}, ValueError, "must not be NaN"),
        ((0, "age"), {"lower": INF}, ValueError, "which no row meets"),
        ((0, "age"), {"categories": {"a"}}, ValueError, "age"),
        ((1, "age"), {"categories": {"a"}}, ValueError, "age"),
        ((0, "region"), {"lower": 1}, ValueError, "must be -inf and inf: the feature has categories"),
        ((0, "region"), {"categories": ()}, ValueError, "allow no category, and missing values are outside"),
        ((0, "region"), {"categories": {None}}, TypeError, "a category must be text"),
        ((0, "region"), {"categories": "south"}, TypeError, "south"),
        ((0, "age"), {"lower": "35"}, TypeError, "lower"),
        ((0.0, "age"), {"upper": 35}, TypeError, "float"),
        (("0", "age"), {"upper": 35}, TypeError, "str"),
    ],
)
def test_what_cannot_be_replaced(boxes, arguments, limits, error, message):
    before = boxes.to_json()
    with pytest.raises(error, match=message):
        boxes.replace(*arguments, **limits)
    assert boxes.to_json() == before


def test_numbers_do_not_turn_into_categories():
    """Where no box has a limit on a feature, it has numbers all the same."""
    boxes = BoxSet([[1, -INF]], [[2, INF]], feature_names=["age", "dose"])
    with pytest.raises(ValueError, match="dose"):
        boxes.replace(0, "dose", categories={"a"})
    with pytest.raises(ValueError, match="'dose' has categories in one of the sets and numbers in the other"):
        boxes.add_box({"dose": {"a"}})


# dropping


def test_drop_limit(boxes):
    changed = boxes.drop_limit(1, "region")
    assert changed.to_text().split("\n")[1] == "Box 2: dose ≤ 2 (or missing)"
    assert changed.categories == boxes.categories
    everything = changed.drop_limit(-1, "dose")
    assert everything.rules()[1] == Rule()
    assert everything.contains([[None, None, None]]).tolist() == [True]
    known = BoxSet.from_rules([Rule((Limit("age"),))], ["age"])
    assert known.drop_limit(0, "age").rules() == [Rule()]


def test_what_limit_cannot_be_dropped(boxes):
    with pytest.raises(ValueError, match=r"box 0 has no limit on 'dose'; it has some on \['age', 'region'\]"):
        boxes.drop_limit(0, "dose")
    with pytest.raises(ValueError, match="there is no feature 'size'"):
        boxes.drop_limit(0, "size")
    with pytest.raises(IndexError, match="there is no box 5"):
        boxes.drop_limit(5, "age")


def test_drop_box(boxes):
    assert boxes.drop_box(0) == boxes.drop_box(-2) == boxes[1:]
    assert boxes.drop_box(np.int64(1)) == boxes[:1]
    empty = boxes.drop_box(0).drop_box(0)
    assert (len(empty), empty.categories, empty.feature_names) == (0, boxes.categories, boxes.feature_names)
    with pytest.raises(IndexError, match="there is no box 0"):
        empty.drop_box(0)
    for wrong in (0.0, "0", None):
        with pytest.raises(TypeError):
            boxes.drop_box(wrong)


# adding


@pytest.mark.parametrize(
    "limits",
    [
        Rule((Limit("age", 50, 60), Limit("region", categories={"east"}))),
        [Limit("region", categories={"east"}), Limit("age", 50, 60)],
        {"region": {"east"}, "age": (50, 60)},
        {"age": [50, 60], "region": frozenset({"east"})},
        {"age": Limit("age", 50, 60), "region": Limit("region", categories={"east"})},
    ],
)
def test_add_box(boxes, limits):
    added = boxes.add_box(limits)
    assert added.to_text() == boxes.to_text() + "\nBox 3: 50 ≤ age ≤ 60 and region = east"
    assert added[:2] == boxes


def test_add_a_box_that_holds_everything(boxes):
    for nothing in ({}, [], Rule()):
        assert boxes.add_box(nothing).rules()[2] == Rule()


def test_add_a_box_to_none():
    boxes = BoxSet(np.empty((0, 2)), np.empty((0, 2))).add_box({"x1": (-INF, 3)})
    assert boxes == BoxSet([[-INF, -INF]], [[INF, 3]])


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        ({"size": (1, 2)}, ValueError, "'size', which is not among the features"),
        ({"age": 5}, TypeError, r"the limit of 'age' must be \(lower, upper\), a set of categories or a Limit; got 5"),
        ({"age": (1, 2, 3)}, TypeError, "the limit of 'age' must be"),
        ({"region": "north"}, TypeError, "the limit of 'region' must be"),
        ({"region": ["north", "east"]}, TypeError, "region"),
        ({"age": ("50", "60")}, TypeError, "age"),
        ({"age": (60, 50)}, ValueError, "must have lower <= upper"),
        ({"age": (math.nan, 50)}, ValueError, "must not be NaN"),
        ({"age": {"a"}}, ValueError, "'age' has categories in one of the sets and numbers in the other"),
        ({"region": (1, 2)}, ValueError, "the feature has categories"),
        ({"region": set()}, ValueError, "allow no category"),
        ({"age": Limit("dose", 1, 2)}, ValueError, "dose"),
        ([Limit("age", 1), Limit("age", 2)], ValueError, "two limits for 'age'"),
        ([("age", 1, 2)], TypeError, "Limit"),
        (5, TypeError, "int"),
    ],
)
def test_what_box_cannot_be_added(boxes, limits, error, message):
    with pytest.raises(error, match=message):
        boxes.add_box(limits)


# two sets together


def test_union_finds_features_by_name(boxes):
    rules = [Rule((Limit("dose", 7, 8), Limit("region", categories={"west"}, missing=True)))]
    other = BoxSet.from_rules(rules, ["dose", "region", "age"], {"region": ["west", "north"]})
    both = boxes + other
    assert both.feature_names == boxes.feature_names
    assert both.categories[1] == ("north", "south", "east", "west")
    assert both.rules()[:2] == boxes.rules()
    assert both.rules()[2] == Rule((Limit("region", categories={"west"}, missing=True), Limit("dose", 7, 8)))
    table = pd.DataFrame({"age": [35, 1], "region": ["north", None], "dose": [9, 7.5]})
    parts = [part.membership(table) for part in (boxes, other)]
    np.testing.assert_array_equal(both.membership(table), np.hstack(parts))
    np.testing.assert_array_equal((other + boxes).membership(table), np.hstack(parts[::-1]))


def test_union_with_no_boxes(boxes):
    assert boxes + boxes[:0] == boxes
    assert boxes[:0] + boxes == boxes
    assert sum([boxes[1:]], boxes[:1]) == boxes


def test_what_cannot_be_put_together(boxes):
    with pytest.raises(ValueError, match=r"cannot add boxes on \['x0'\] to boxes on \['age', 'region', 'dose'\]"):
        boxes + BoxSet([[1]], [[2]])
    numbers = BoxSet([[1, 2, 3]], [[4, 5, 6]], feature_names=["dose", "region", "age"])
    with pytest.raises(ValueError, match="'region' has categories in one of the sets and numbers in the other"):
        boxes + numbers
    for other in (5, None, "boxes", [boxes], Rule()):
        with pytest.raises(TypeError):
            boxes + other


# what every edit has to leave as it is


EDITS = {
    "replace": lambda boxes: boxes.replace(0, "x0", upper=7.25),
    "drop_limit": lambda boxes: boxes.drop_limit(0, "x0"),
    "drop_box": lambda boxes: boxes.drop_box(0),
    "add_box": lambda boxes: boxes.add_box({"x1": (0.125, 9)}),
    "union": lambda boxes: boxes + BoxSet([[0.25, 1]], [[2, 3]]),
}


@pytest.mark.parametrize("name", EDITS)
def test_all_other_limits_stay(name):
    boxes = BoxSet([[2, -INF], [1, 3]], [[6, INF], [3, 4]])
    texts = {
        "replace": ["2 ≤ x0 ≤ 7.25", "1 ≤ x0 ≤ 3 and 3 ≤ x1 ≤ 4"],
        "drop_limit": ["every row", "1 ≤ x0 ≤ 3 and 3 ≤ x1 ≤ 4"],
        "drop_box": ["1 ≤ x0 ≤ 3 and 3 ≤ x1 ≤ 4"],
        "add_box": ["2 ≤ x0 ≤ 6", "1 ≤ x0 ≤ 3 and 3 ≤ x1 ≤ 4", "0.125 ≤ x1 ≤ 9"],
        "union": ["2 ≤ x0 ≤ 6", "1 ≤ x0 ≤ 3 and 3 ≤ x1 ≤ 4", "0.25 ≤ x0 ≤ 2 and 1 ≤ x1 ≤ 3"],
    }
    edited = EDITS[name](boxes).to_text().split("\n")
    assert edited == [f"Box {i}: {text}" for i, text in enumerate(texts[name], start=1)]


class Subset(BoxSet):
    """A kind of boxes of the user's own."""

    __slots__ = ()


@pytest.mark.parametrize("name", EDITS)
def test_the_original_never_changes_and_its_kind_is_kept(name):
    boxes = Subset([[1, -INF], [2, 3]], [[4, INF], [5, 6]])
    before = copy.deepcopy(boxes), hash(boxes), boxes.to_json()
    edited = EDITS[name](boxes)
    assert (boxes, hash(boxes), boxes.to_json()) == before
    assert edited != boxes
    assert type(edited) is Subset
    for array in (edited.lower, edited.upper, edited.missing):
        assert not array.flags.writeable
