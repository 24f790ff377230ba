"""The JSON Schema that comes with the package, and files of the first layout that must stay readable."""

import copy
import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.json import from_json, to_json
from boxdraw.model.rule import Limit, Rule

from .cases import random_boxes

INF = math.inf
SCHEMA = json.loads(files("boxdraw.model.export").joinpath("boxes.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
GOLDEN = Path(__file__).parent / "golden"


# files of today, which every later version has to read


def numeric():
    return BoxSet(
        [[30, -INF, -1.5e-07], [-INF, 0.1 + 0.2, -INF], [-INF, -INF, -INF]],
        [[65, 2, 1e300], [-20, 1e22, INF], [INF, INF, INF]],
        feature_names=["age", "dose in mg", "größe"],
    )


def mixed():
    rules = [
        Rule(
            (
                Limit("age", 30, 65, missing=True),
                Limit("region", categories={"north", "it's"}),
                Limit("code", categories={2**63, 1}, missing=True),
            )
        ),
        Rule((Limit("age", INF, -INF, missing=True), Limit("member", categories={False}))),
        Rule((Limit("age"), Limit("region", categories=frozenset(), missing=True))),
        Rule((Limit("region"), Limit('say "hi"\n', upper=0.25))),
        Rule(),
    ]
    categories = {
        "region": ["south", "north", "", "it's", "größe"],
        "code": [0, 1, 2.5, 9007199254740993, 2**63],
        "member": [True, False],
    }
    return BoxSet.from_rules(rules, ["age", "region", "code", "member", 'say "hi"\n'], categories)


def shown():
    lower, upper = [[30.000000000000004, -INF], [0.5, 1]], [[65, 1.4999], [INF, 2]]
    return BoxSet(lower, upper, feature_names=["age", "dose"], missing=[[False, True], [True, False]])


@pytest.mark.parametrize("make", [numeric, mixed, shown])
def test_golden_files(make):
    """A change that breaks this test breaks files that people have: it needs a new version of the layout."""
    path, boxes = GOLDEN / f"boxes_v1_{make.__name__}.json", make()
    read = BoxSet.from_json(path)
    assert read == boxes
    assert [[type(value) for value in known or ()] for known in read.categories] == [
        [type(value) for value in known or ()] for known in boxes.categories
    ]
    if make is not shown:  # it has the numbers to print of version 0.1, which are no longer written
        assert path.read_bytes() == f"{to_json(boxes)}\n".encode()
    VALIDATOR.validate(json.loads(path.read_bytes()))


def test_golden_files_say_what_they_flag():
    """The same again for rows, so that nothing depends on how boxes are compared."""
    boxes = BoxSet.from_json(GOLDEN / "boxes_v1_mixed.json")
    rows = [
        [30, "north", 2**63, True, 1],
        [None, "it's", None, None, None],
        [29, "north", 1, True, 1],
        [None, "south", 0, False, 9],
        [7, None, 0, True, 0.25],
        [INF, "west", 0, True, 0.25],
    ]
    expected = ["1...5", "1...5", "....5", ".2..5", "..3.5", "...45"]
    inside = boxes.membership(np.array(rows, dtype=object))
    assert ["".join(str(k + 1) if held else "." for k, held in enumerate(row)) for row in inside] == expected
    text = BoxSet.from_json(GOLDEN / "boxes_v1_shown.json").to_text()
    assert text.split("\n") == [
        "Box 1: 30.000000000000004 ≤ age ≤ 65 and dose ≤ 1.4999 (or missing)",
        "Box 2: age ≥ 0.5 (or missing) and 1 ≤ dose ≤ 2",
    ]


# the schema


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_every_file_is_valid():
    rng = np.random.default_rng(0)
    for _ in range(200):
        boxes = random_boxes(rng)
        VALIDATOR.validate(json.loads(to_json(boxes)))


DATA = {
    "format": "boxdraw.boxes",
    "version": 1,
    "features": [
        {"name": "age", "kind": "numeric"},
        {"name": "region", "kind": "categorical", "categories": ["north", "south"]},
    ],
    "boxes": [
        {
            "limits": [
                {"feature": "age", "lower": 30, "shown_lower": 31, "upper": 60, "missing": True},
                {"feature": "region", "categories": ["north"]},
            ]
        },
        {"limits": [{"feature": "age", "only_missing": True}]},
    ],
    "shown_checksum": "0123456789abcdef",
}
AGE, REGION, ONLY = ("boxes", 0, "limits", 0), ("boxes", 0, "limits", 1), ("boxes", 1, "limits", 0)
ABSENT = object()


def edited(path, value):
    """The data with one value replaced, or one key deleted."""
    data = copy.deepcopy(DATA)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is ABSENT:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


def is_read(data):
    try:
        from_json(json.dumps(data))
    except ValueError:
        return False
    return True


def test_the_unbroken_file_is_fine():
    assert VALIDATOR.is_valid(DATA)
    assert is_read(DATA)


BROKEN = [
    *(((key,), ABSENT) for key in ("format", "version", "features", "boxes")),
    *((("format",), value) for value in ("boxdraw", "", None, 1, ["boxdraw.boxes"])),
    *((("version",), value) for value in (0, 2, 1.5, "1", True, None, [1])),
    *((("features",), value) for value in ([], {}, "age", None, [None], ["age"], [[]], [{}])),
    *((("boxes",), value) for value in ({}, "all", None, 1, [None], [[]], [{}], ["all"])),
    (("extra",), 1),
    *((("features", 0, key), ABSENT) for key in ("name", "kind")),
    *((("features", 0, "name"), value) for value in (1, None, ["age"])),
    *((("features", 0, "kind"), value) for value in ("number", "", 1, None, "categorical")),
    (("features", 0, "unit"), "years"),
    *((("features", 0, "categories"), value) for value in ([], ["a"])),
    (("features", 1, "kind"), "numeric"),
    (("features", 1, "categories"), ABSENT),
    *((("features", 1, "categories"), value) for value in ("north", None, {}, [None], [[]], [{}], ["north", "north"])),
    (("features", 1, "categories"), ["north", 1, 1.0]),
    *((("boxes", 0), value) for value in ([], None, "all", {})),
    (("boxes", 0, "name"), "first"),
    *((("boxes", 0, "limits"), value) for value in ({}, None, "all", [None], [[]], [{}])),
    ((*AGE, "feature"), ABSENT),
    *(((*AGE, "feature"), value) for value in (1, None, ["age"])),
    *(((*AGE, key), value) for key in ("lower", "upper") for value in ("1", None, True, [1])),
    *(((*AGE, "missing"), value) for value in (1, "true", None, [])),
    ((*AGE, "below"), 1),
    *(((*ONLY, "only_missing"), value) for value in (1, "true", None)),
    *(((*ONLY, key), 1) for key in ("lower", "upper")),
    ((*ONLY, "missing"), False),
    *(((*REGION, "categories"), value) for value in ("north", None, {}, [None], [["north"]], ["north", "north"])),
    *(((*REGION, key), 1) for key in ("lower", "upper")),
    ((*REGION, "only_missing"), True),
    ((*REGION, "categories"), []),
]


@pytest.mark.parametrize(("path", "value"), BROKEN)
def test_broken_files_are_refused_by_both(path, value):
    data = edited(path, value)
    assert not VALIDATOR.is_valid(data)
    assert not is_read(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("features", 1, "name"), "age"),
        ((*AGE, "feature"), "size"),
        ((*AGE, "feature"), "region"),
        ((*AGE, "lower"), 61),
        ((*AGE, "lower"), 10**400),
        ((*ONLY, "feature"), "region"),
        ((*REGION, "feature"), "age"),
        ((*REGION, "categories"), ["west"]),
        (("features", 1, "categories"), ["north", True, 1]),
        (("features", 1, "categories"), ["north", 10**40]),
    ],
)
def test_what_no_schema_can_say_is_refused_by_the_reader(path, value):
    """These ask for one part of a file to go with another, or for more than JSON knows of numbers."""
    data = edited(path, value)
    assert VALIDATOR.is_valid(data)
    assert not is_read(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("boxes",), []),
        (("boxes", 0, "limits"), []),
        (("version",), 1.0),
        *((("shown_checksum",), value) for value in (ABSENT, 1, None, ["0123456789abcdef"])),
        *(((*AGE, "shown_upper"), value) for value in (900000, "1", None)),
        ((*AGE, "lower"), ABSENT),
        ((*REGION, "shown_lower"), 1),
        (("features", 0, "name"), "\u2028"),
        (("features", 1, "categories"), ["north", "1", 1, 2.5, False, ""]),
        (REGION, {"feature": "region"}),
        (REGION, {"feature": "region", "categories": [], "missing": True}),
        (AGE, {"feature": "age", "upper": 1e308, "missing": False}),
        (ONLY, {"feature": "age", "only_missing": True, "missing": True}),
        (ONLY, {"feature": "age", "only_missing": False, "lower": 1}),
    ],
)
def test_files_that_both_accept(path, value):
    data = edited(path, value)
    if path == ("features", 0, "name"):
        data = json.loads(json.dumps(data).replace('"age"', '"\\u2028"'))
    assert VALIDATOR.is_valid(data)
    assert is_read(data)
