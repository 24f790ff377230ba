"""Categories and missing values in JSON, and files that mean harm."""

import copy
import json
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.json import from_json, to_json
from boxdraw.model.rule import Limit, Rule

from .cases import random_boxes, random_rows

INF = math.inf
DATA = {
    "format": "boxdraw.boxes",
    "version": 1,
    "features": [
        {"name": "age", "kind": "numeric"},
        {"name": "region", "kind": "categorical", "categories": ["north", "south", ""]},
        {"name": "code", "kind": "categorical", "categories": [1, 2.5, 9223372036854775808]},
    ],
    "boxes": [
        {
            "limits": [
                {"feature": "age", "lower": 30, "missing": True},
                {"feature": "region", "categories": ["north", ""]},
                {"feature": "code", "categories": [], "missing": True},
            ]
        },
        {"limits": [{"feature": "age", "only_missing": True}, {"feature": "region"}]},
    ],
}
AGE, REGION, CODE = (("boxes", 0, "limits", i) for i in range(3))
ONLY, KNOWN = (("boxes", 1, "limits", i) for i in range(2))


def boxes_of_data():
    rules = [
        Rule(
            (
                Limit("age", 30, missing=True),
                Limit("region", categories={"north", ""}),
                Limit("code", categories=frozenset(), missing=True),
            )
        ),
        Rule((Limit("age", INF, -INF, missing=True), Limit("region"))),
    ]
    known = {"region": ["north", "south", ""], "code": [1, 2.5, 2**63]}
    return BoxSet.from_rules(rules, ["age", "region", "code"], known)


def edited(path, value):
    """The text with one value replaced."""
    data = copy.deepcopy(DATA)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(data)


def assert_refused(text, message):
    """One error, of one type, that is short however long the text is."""
    with pytest.raises(ValueError, match=message) as caught:
        BoxSet.from_json(text)
    assert type(caught.value) is ValueError
    assert str(caught.value).startswith("cannot read boxes from this JSON: ")
    assert len(str(caught.value)) < 400


def assert_same(one, other):
    assert one == other
    for name in ("lower", "upper", "missing"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


# round trip


def test_the_layout_is_as_documented():
    assert_same(from_json(json.dumps(DATA)), boxes_of_data())
    assert json.loads(to_json(boxes_of_data())) == DATA


def test_random_boxes_survive():
    rng = np.random.default_rng(0)
    for _ in range(200):
        boxes = random_boxes(rng)
        assert_same(from_json(to_json(boxes)), boxes)
        rows = random_rows(rng, boxes, 50)
        np.testing.assert_array_equal(from_json(to_json(boxes)).membership(rows), boxes.membership(rows))


@pytest.mark.parametrize("value", [2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**39, -(10**39)])
def test_large_whole_categories_are_exact(value):
    """Their neighbours are the same float, and another category."""
    boxes = BoxSet.from_rules([Rule((Limit("id", categories={value}),))], ["id"], {"id": [value - 1, value]})
    again = from_json(to_json(boxes))
    assert again == boxes
    assert again.categories == ((value - 1, value),)
    assert [type(known) for known in again.categories[0]] == [int, int]
    rows = np.array([[value - 1], [value], [value + 1]], dtype=object)
    assert again.contains(rows).tolist() == [False, True, False]


def test_what_can_be_written_can_be_read():
    """A category of more digits than a file may have is refused before it is written."""
    for value in (10**45, -(10**45), 10**5000):
        boxes = BoxSet.from_rules([Rule((Limit("id", categories={value}),))], ["id"])
        with pytest.raises(ValueError, match=r"category .*cannot be written as JSON"):
            to_json(boxes)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("true, false", [bool, bool]),
        ("1, 0", [int, int]),
        ("1.5, 1e3", [float, float]),
        ('"true", "1", true', [str, str, bool]),
        ('"1", 1', [str, int]),
    ],
)
def test_true_and_numbers_and_text_stay_what_they_are(text, kinds):
    written = to_json(BoxSet.from_rules([], ["a"], {"a": ["?"]})).replace('["?"]', f"[{text}]")
    boxes = from_json(written)
    assert list(boxes.categories[0]) == json.loads(f"[{text}]")
    assert [type(value) for value in boxes.categories[0]] == kinds
    again = from_json(to_json(boxes)).categories[0]
    assert [type(value) is bool for value in again] == [kind is bool for kind in kinds]
    assert [type(value) is str for value in again] == [kind is str for kind in kinds]


def test_whole_floats_are_written_short():
    boxes = BoxSet.from_rules([], ["a"], {"a": [2.0, 1e300, 0.1]})
    assert '"categories": [2, 1e+300, 0.1]' in to_json(boxes)
    assert from_json(to_json(boxes)) == boxes


def test_a_limit_that_says_nothing_is_none():
    """Missing and known values are inside: the box does not look at the feature."""
    boxes = from_json(edited(KNOWN, {"feature": "region", "missing": True}))
    assert boxes.rules()[1].features == ("age",)
    boxes = from_json(edited(ONLY, {"feature": "age", "only_missing": True, "missing": True}))
    assert boxes == boxes_of_data()
    boxes = from_json(edited(ONLY, {"feature": "age", "only_missing": False, "lower": 1}))
    assert boxes.rules()[1].limits[0] == Limit("age", 1.0)


def test_surrogates_in_categories():
    lone = BoxSet.from_rules([], ["a"], {"a": ["\ud800x"]})
    assert from_json(to_json(lone)) == lone
    with pytest.raises(ValueError, match=r"category '\\ud83d\\ude00' cannot be written as JSON: rename it"):
        to_json(BoxSet.from_rules([], ["a"], {"a": ["\ud83d\ude00"]}))


# errors


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("features", 0, "categories"), [], r'features\[0\]: a feature of kind "numeric" has no categories'),
        (("features", 0, "kind"), "categorical", r'features\[0\]: a feature of kind "categorical" needs categories'),
        (("features", 1, "kind"), "numeric", r'features\[1\]: a feature of kind "numeric" has no categories'),
        (("features", 1, "kind"), ["numeric"], r"features\[1\].kind: expected \"numeric\" or \"categorical\""),
        (("features", 1, "kind"), None, r"features\[1\].kind: expected .*, got None"),
        (("features", 1, "categories"), "north", r"features\[1\].categories: expected a list \[...\], got a string"),
        (("features", 1, "categories"), {}, r"features\[1\].categories: expected a list \[...\], got an object"),
        (("features", 1, "categories"), None, r"features\[1\].categories: expected a list \[...\], got null"),
        (("features", 1, "categories", 2), None, r"features\[1\].categories\[2\]: expected a string, a number of at"),
        (("features", 1, "categories", 2), [], r"features\[1\].categories\[2\]: expected a string, a number"),
        (("features", 1, "categories", 2), {"a": 1}, r"features\[1\].categories\[2\]: expected a string, a number"),
        (("features", 2, "categories", 0), 10**40, r"features\[2\].categories\[0\]: .* a number of at most 40 digits"),
        (("features", 2, "categories", 0), 10**200, r"features\[2\].categories\[0\]: .* a number of at most 40 digits"),
        (("features", 1, "categories", 2), "south", r"features\[1\].categories: 'south' appears twice"),
        (("features", 2, "categories", 1), 1.0, r"features\[2\].categories: 1.0 appears twice"),
        (("features", 2, "categories", 1), True, r"features\[2\].categories: True appears twice"),
        ((*AGE, "missing"), 1, r"boxes\[0\].limits\[0\].missing: expected true or false, got a number"),
        ((*AGE, "missing"), "true", r"boxes\[0\].limits\[0\].missing: expected true or false, got a string"),
        ((*AGE, "missing"), None, r"boxes\[0\].limits\[0\].missing: expected true or false, got null"),
        ((*ONLY, "only_missing"), 1, r"boxes\[1\].limits\[0\].only_missing: expected true or false, got a number"),
        ((*ONLY, "only_missing"), [], r"boxes\[1\].limits\[0\].only_missing: expected true or false, got a list"),
        ((*ONLY, "missing"), False, r"boxes\[1\].limits\[0\]: only_missing admits missing values and no numbers"),
        ((*ONLY, "lower"), 5, r"boxes\[1\].limits\[0\]: only_missing admits missing values and no numbers"),
        ((*AGE, "categories"), [], r"boxes\[0\].limits\[0\]: has categories, but the feature is numeric"),
        ((*ONLY, "categories"), ["x"], r"boxes\[1\].limits\[0\]: has categories, but the feature is numeric"),
        ((*REGION, "upper"), 5, r"boxes\[0\].limits\[1\]: has limits of a number, but the feature is categorical"),
        ((*KNOWN, "only_missing"), True, r"boxes\[1\].limits\[1\]: has limits of a number, but the feature is cat"),
        ((*REGION, "categories"), "north", r"boxes\[0\].limits\[1\].categories: expected a list \[...\], got a string"),
        ((*REGION, "categories"), ["west"], r"limits\[1\].categories: 'west' is not one of the feature's categories"),
        ((*CODE, "categories"), ["1"], r"limits\[2\].categories: '1' is not one of the feature's categories"),
        ((*CODE, "categories"), [2**63 + 1], r"limits\[2\].categories: 92\d*09 is not one of the feature's categories"),
        ((*REGION, "categories"), ["north", None], r"limits\[1\].categories\[1\]: expected a string, a number"),
        ((*REGION, "categories"), ["", ""], r"boxes\[0\].limits\[1\].categories: '' appears twice"),
        ((*KNOWN, "categories"), [], r"boxes\[1\].limits\[1\]: no category and no missing value is inside, so no row"),
    ],
)
def test_one_clear_error(path, value, message):
    assert_refused(edited(path, value), message)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "9" * 41, "1" + "0" * 5000])
def test_numbers_that_are_no_category(number):
    text = edited((*CODE, "categories"), ["?"])
    assert_refused(text.replace('"?"', number), "not a number in JSON" if number[-1] in "Ny" else "at most 40 digits")


VALUES = [None, True, 0, 1.5, 10**200, "", "age", [], [[]], {}, {"a": 1}, ["age"], [None], [True, 1]]
PLACES = [
    *((key,) for key in DATA),
    *(("features", j, key) for j in range(2) for key in ("name", "kind", "categories")),
    ("features", 0),
    ("features", 1, "categories", 0),
    ("boxes", 0),
    ("boxes", 0, "limits"),
    AGE,
    *((*AGE, key) for key in ("feature", "lower", "upper", "missing", "only_missing", "categories")),
    *((*REGION, key) for key in ("feature", "lower", "missing", "only_missing", "categories")),
    (*REGION, "categories", 0),
]


def read_or_refuse(text):
    """Whatever is read can be written and read again; all else is a ValueError."""
    try:
        boxes = BoxSet.from_json(text)
    except ValueError:
        return False
    assert_same(from_json(to_json(boxes)), boxes)
    return True


def test_wrong_types_everywhere():
    read = [read_or_refuse(edited(place, value)) for place in PLACES for value in VALUES]
    assert 0 < sum(read) < len(read) / 4


@given(st.data())
def test_random_edits_are_read_or_refused(data):
    text = to_json(boxes_of_data()).encode()
    for _ in range(data.draw(st.integers(1, 3))):
        place, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 12))
        patch = data.draw(
            st.sampled_from([b"true", b"false", b"null", b"[]", b'"north"', b"1", b",", b"]", b'"', b"\xff"])
        )
        text = text[:place] + patch + text[place + length :]
    read_or_refuse(text)


# files that mean harm


@pytest.fixture
def quickly():
    """Give a reader a minute of work for its text; it should need a small part of a second."""
    start = time.process_time()
    yield
    assert time.process_time() - start < 60


def written(features, limits=()):
    return json.dumps(DATA | {"features": features, "boxes": [{"limits": list(limits)}]})


NUMERIC = [{"name": "age", "kind": "numeric"}]
MANY = 10_000


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("nested", ["[" * 200_000, '{"a":' * 200_000, "[" * 200_000 + "]" * 200_000])
def test_deep_nesting(nested):
    for path in (("features", 1, "categories"), (*AGE, "lower"), (*CODE, "categories"), ("shown_checksum",)):
        assert_refused(edited(path, "?").replace('"?"', nested), "nested too deeply")


@pytest.mark.parametrize("length", [300, 5000, 100_000])
def test_text_of_digits_is_no_path(length):
    """Such a name is too long for a file, and the message must not repeat it."""
    with pytest.raises(ValueError, match="expected JSON text that starts with") as caught:
        BoxSet.from_json("1" * length)
    assert len(str(caught.value)) < 400


@pytest.mark.usefixtures("quickly")
def test_numbers_of_ten_million_digits():
    zeros = "0" * 10_000_000
    assert_refused(zeros.encode(), "Extra data")
    text = written(NUMERIC, [{"feature": "age", "lower": "?"}])
    assert_refused(text.replace('"?"', f"1{zeros}"), r"limits\[0\].lower: the number is too large")
    assert_refused(text.replace('"?"', f"-1{zeros}"), r"limits\[0\].lower: the number is too large")
    assert_refused(text.replace('"?"', zeros), "Expecting ',' delimiter")
    assert from_json(text.replace('"?"', f"0.{zeros}1")).lower.tolist() == [[0]]
    assert from_json(text.replace('"?"', f"1e-1{zeros}")).lower.tolist() == [[0]]
    assert_refused(edited(("version",), "?").replace('"?"', f"1{zeros}"), "version: expected a whole number")
    assert_refused(edited((*CODE, "categories"), ["?"]).replace('"?"', f"1{zeros}"), "at most 40 digits")


@pytest.mark.usefixtures("quickly")
def test_texts_of_ten_million_zeros():
    zeros = "0" * 10_000_000
    assert_refused(edited((*AGE, "feature"), zeros), "is not one of the features")
    assert_refused(edited((*REGION, "categories"), [zeros]), "is not one of the feature's categories")
    assert_refused(edited((zeros,), 1), "unknown keys")
    assert_refused(edited(("format",), zeros), 'expected "format"')
    assert_refused(edited(("version",), zeros), "version: expected a whole number")
    assert_refused(edited(("features", 1, "kind"), zeros), "kind: expected")


@pytest.mark.parametrize("number", ["1" * 200, "-" + "1" * 200])
def test_a_limit_may_have_many_digits(number):
    """A limit is a float, however it is written; only infinities are refused."""
    text = written(NUMERIC, [{"feature": "age", "lower": "?"}]).replace('"?"', number)
    assert from_json(text).lower.tolist() == [[float(number)]]


def test_keys_must_not_repeat():
    text = json.dumps(DATA)
    for key in ('"missing": true', '"categories": ["north", ""]', '"only_missing": true', '"kind": "numeric"'):
        assert key in text
        assert_refused(
            text.replace(key, f"{key}, {key}"), f"the key {key.split(':')[0]} appears twice".replace('"', "'")
        )


@pytest.mark.usefixtures("quickly")
def test_many_limits():
    features = [{"name": str(j), "kind": "numeric"} for j in range(MANY)]
    limits = [{"feature": str(j), "lower": 1, "upper": 2} for j in range(MANY)]
    assert from_json(written(features, limits)).limited.all()


@pytest.mark.usefixtures("quickly")
def test_many_features_with_a_name_twice():
    features = [{"name": str(j % (3 * MANY)), "kind": "numeric"} for j in range(3 * MANY + 1)]
    assert_refused(written(features), "the name '0' appears twice")


@pytest.mark.usefixtures("quickly")
def test_many_features_with_categories():
    features = [{"name": str(j), "kind": "categorical", "categories": ["a"]} for j in range(3 * MANY)]
    assert from_json(written(features)).categories == (("a",),) * (3 * MANY)


@pytest.mark.usefixtures("quickly")
def test_many_categories():
    known = [str(i) for i in range(3 * MANY)]
    feature = {"name": "id", "kind": "categorical", "categories": known}
    boxes = from_json(written([feature], [{"feature": "id", "categories": known[1:]}]))
    assert len(boxes.allowed[0][0]) == len(known) - 1
    feature["categories"] = [*known, "0"]
    assert_refused(written([feature]), r"features\[0\].categories: '0' appears twice")
