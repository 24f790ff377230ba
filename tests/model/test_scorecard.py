"""The card as a value, and its files."""

import copy
import json
import math
import os
import pickle
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.json import to_json as boxes_to_json
from boxdraw.model.export.scorecard import from_json, to_json
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import MAX_POINTS, Scorecard

from .export.cases import random_boxes, random_rows

INF = math.inf
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
SEEDS = range(60)


def random_card(rng):
    """Return a card with any number of boxes up to four; some points may be negative."""
    boxes = random_boxes(rng)
    points = (rng.integers(1, 6, len(boxes)) * rng.choice([1, 1, -1], len(boxes))).tolist()
    least = 1 if all(value > 0 for value in points) else sum(value for value in points if value < 0)
    return Scorecard(boxes, points, int(rng.integers(least, max(least, sum(map(abs, points))) + 1)))


@pytest.fixture
def boxes():
    return BoxSet.from_rules(
        [
            Rule((Limit("age", 30, 65), Limit("region", categories={"n"}))),
            Rule((Limit("age", upper=40, missing=True),)),
        ],
        ["age", "region"],
        {"region": ["n", "s"]},
    )


@pytest.fixture
def card(boxes):
    return Scorecard(boxes, [3, 2], 4)


# construction


def test_attributes(boxes):
    card = Scorecard(boxes, np.array([3, 2], dtype=np.uint8), np.int16(4))
    assert card.boxes is boxes
    assert card.points == (3, 2)
    assert card.threshold == 4
    assert {type(value) for value in (*card.points, card.threshold)} == {int}
    assert len(card) == 2
    assert not card.signed
    assert Scorecard(boxes, pd.Series([3, -2]), 0).signed


@pytest.mark.parametrize(
    ("points", "threshold", "error", "message"),
    [
        ([3], 4, ValueError, "points must have a number for each of the 2 boxes, got 1"),
        ([3, 2, 1], 4, ValueError, "each of the 2 boxes, got 3"),
        ([3, 0], 4, ValueError, r"points\[1\] must not be 0"),
        ([3, 2.0], 4, TypeError, r"points\[1\] must be a whole number, got 2.0"),
        ([3, math.nan], 4, TypeError, r"points\[1\] must be a whole number, got nan"),
        ([True, 2], 4, TypeError, r"points\[0\] must be a whole number, got True"),
        ([3, np.True_], 4, TypeError, r"points\[1\] must be a whole number"),
        ([3, None], 4, TypeError, r"points\[1\] must be a whole number, got None"),
        ("32", 4, TypeError, "points must be a sequence of whole numbers, got '32'"),
        ({3, 2}, 4, TypeError, "points must be a sequence of whole numbers"),
        ({3: 1, 2: 1}, 4, TypeError, "points must be a sequence"),
        (3, 4, TypeError, "points must be a sequence of whole numbers, got 3"),
        ([3, 2], 4.0, TypeError, "threshold must be a whole number, got 4.0"),
        ([3, 2], True, TypeError, "threshold must be a whole number, got True"),
        ([3, 2], "4", TypeError, "threshold must be a whole number, got '4'"),
        ([3, 2], 0, ValueError, "threshold must be at least 1, got 0"),
        ([3, 2], -4, ValueError, "threshold must be at least 1, got -4"),
        ([3, 2], MAX_POINTS + 1, ValueError, f"threshold must be at most {MAX_POINTS} in size"),
        ([3, -2], -MAX_POINTS - 1, ValueError, "threshold must be at most"),
        ([MAX_POINTS, -1], 4, ValueError, f"points must add up to at most {MAX_POINTS} in size"),
    ],
)
def test_bad_input_has_one_clear_error(boxes, points, threshold, error, message):
    with pytest.raises(error, match=message):
        Scorecard(boxes, points, threshold)


def test_numbers_too_long_to_print(boxes):
    with pytest.raises(ValueError, match="threshold must be at most"):
        Scorecard(boxes, [1, 2], 10**5000)
    with pytest.raises(ValueError, match="points must add up to at most"):
        Scorecard(boxes, [1, 10**5000], 1)


def test_boxes_are_a_box_set():
    with pytest.raises(TypeError, match="boxes must be a BoxSet, got list"):
        Scorecard([[1]], [1], 1)


def test_never_changes(card):
    with pytest.raises(AttributeError, match="cannot set 'points'"):
        card.points = (1, 1)
    with pytest.raises(AttributeError, match="cannot set 'other'"):
        card.other = 1
    with pytest.raises(AttributeError, match="cannot delete 'boxes'"):
        del card.boxes
    assert not hasattr(card, "__dict__")


def test_equality_and_hash_by_value(boxes, card):
    assert card == Scorecard(boxes[:], (3, 2), 4)
    assert hash(card) == hash(Scorecard(boxes[:], (3, 2), 4))
    others = [Scorecard(boxes, [2, 3], 4), Scorecard(boxes, [3, 2], 5), Scorecard(boxes[:1], [3], 4)]
    assert all(card != other for other in others)
    assert card != boxes
    assert card.__eq__(1) is NotImplemented


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda card: pickle.loads(pickle.dumps(card))])
def test_copies_are_equal(boxes, remake):
    for card in (Scorecard(boxes, [3, -2], -1), Scorecard(BoxSet([[1.234]], [[2]]), [2], 1)):
        again = remake(card)
        assert again == card
        assert again.to_text() == card.to_text()


# rows


def test_points_of_random_rows():
    seen = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        card = random_card(rng)
        X = random_rows(rng, card.boxes, 50)
        held = [one.contains(X).tolist() for one in card.boxes]
        expected = [sum(value for value, rows in zip(card.points, held, strict=True) if rows[i]) for i in range(len(X))]
        score = card.score(X)
        assert score.dtype == np.int64
        assert score.tolist() == expected
        assert card.contains(X).tolist() == [value >= card.threshold for value in expected]
        seen += expected
    assert min(seen) < 0 < max(seen)


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(card, frame):
    X = frame({"region": ["n", "n", "s", None], "other": [1, 2, 3, 4], "age": [35, 50, 10, None]})
    assert card.score(X).tolist() == [5, 3, 2, 2]
    assert card.contains(X).tolist() == [True, False, False, False]
    rows = np.array([[35, "n"], [math.nan, "unseen"]], dtype=object)
    assert card.score(rows).tolist() == [5, 2]


def test_what_can_never_be_flagged(boxes):
    X = [[35, "n"], [None, None]]
    assert Scorecard(boxes, [3, 2], 6).contains(X).tolist() == [False, False]
    empty = Scorecard(boxes[:0], [], 1)
    assert empty.score(X).tolist() == [0, 0]
    assert empty.contains(X).tolist() == [False, False]
    assert len(empty) == 0
    assert not empty.signed
    with pytest.raises(ValueError, match="threshold must be at least 1, got 0"):
        Scorecard(boxes[:0], [], 0)


def test_no_rows(card):
    assert card.score(np.empty((0, 2))).tolist() == []
    assert card.contains(np.empty((0, 2))).dtype == np.bool_


def test_negative_points(boxes):
    card = Scorecard(boxes, [-3, 2], 0)
    assert card.score([[35, "n"], [50, "n"], [10, "s"]]).tolist() == [-1, -3, 2]
    assert card.contains([[35, "n"], [70, "n"], [10, "s"]]).tolist() == [False, True, True]


def test_points_as_large_as_they_may_be():
    card = Scorecard(BoxSet([[0], [0]], [[1], [1]]), [MAX_POINTS - 1, 1], MAX_POINTS)
    assert card.score([[1]]).tolist() == [MAX_POINTS]
    assert card.contains([[1]]).tolist() == [True]


# the union


def test_the_union_is_made_once():
    card = Scorecard(BoxSet([[0], [2]], [[3], [9]]), [1, 2], 3)
    assert card.union() is card.union()


def test_union(card):
    assert card.union().to_text() == "Box 1: 30 ≤ age ≤ 40 and region = n"
    assert len(Scorecard(card.boxes, [3, 2], 6).union()) == 0
    assert len(Scorecard(card.boxes[:0], [], 1).union()) == 0


def test_no_union_with_negative_points(boxes):
    with pytest.raises(ValueError, match=r"no union of boxes.*signed_points=False"):
        Scorecard(boxes, [3, -2], 1).union()


# JSON

TEXT = """{
  "format": "boxdraw.scorecard",
  "version": 1,
  "threshold": 4,
  "points": [3, -2],
  "boxes": {
    "format": "boxdraw.boxes",
    "version": 1,
    "features": [
      {"name": "age", "kind": "numeric"},
      {"name": "größe", "kind": "categorical", "categories": ["s", "m"]}
    ],
    "boxes": [
      {"limits": [
        {"feature": "age", "lower": 30.000000000000004, "upper": 65}
      ]},
      {"limits": [
        {"feature": "größe", "categories": ["m"], "missing": true}
      ]}
    ]
  }
}"""


def card_of_text():
    boxes = BoxSet(
        [[30.000000000000004, -INF], [-INF, -INF]],
        [[65, INF], [INF, INF]],
        feature_names=["age", "größe"],
        categories={"größe": ["s", "m"]},
        allowed={"größe": [None, {"m"}]},
        missing=[[False, True], [True, True]],
    )
    return Scorecard(boxes, [3, -2], 4)


def assert_same(one, other):
    assert one == other
    assert {type(value) for value in (*one.points, one.threshold)} == {int}
    assert boxes_to_json(one.boxes) == boxes_to_json(other.boxes)


def test_the_layout_is_as_documented():
    """The text is a promise: files of today must be readable by every later version."""
    assert to_json(card_of_text()) == TEXT
    assert_same(from_json(TEXT), card_of_text())
    assert from_json(TEXT).to_text().startswith("3 points: 30.000000000000004 ≤ age ≤ 65\n")
    empty = Scorecard(card_of_text().boxes[:0], [], 1)
    assert_same(from_json(to_json(empty)), empty)


def test_round_trips():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        card = random_card(rng)
        assert_same(Scorecard.from_json(card.to_json()), card)
        assert_same(Scorecard.from_json(card.to_json().encode()), card)


@given(st.text(max_size=8).filter(lambda name: json.loads(json.dumps(name)) == name), st.data())
def test_any_name_and_any_points(name, data):
    sizes = st.integers(1, MAX_POINTS)
    card = Scorecard(BoxSet([[1]], [[2]], feature_names=[name]), [data.draw(sizes)], data.draw(sizes))
    assert_same(from_json(to_json(card)), card)


def test_files(tmp_path, monkeypatch):
    path = tmp_path / "ä.json"
    path.write_text("old")
    card = card_of_text()
    assert card.to_json(path) == TEXT
    assert path.read_bytes() == (TEXT + "\n").encode()
    for source in (path, str(path), path.read_bytes(), "\ufeff" + TEXT):
        assert_same(Scorecard.from_json(source), card)
    with pytest.raises(FileNotFoundError):
        Scorecard.from_json(tmp_path / "nothing.json")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        Scorecard(card.boxes, [1, 1], 2).to_json(path)
    assert path.read_bytes() == (TEXT + "\n").encode()
    assert os.listdir(tmp_path) == ["ä.json"]


ABSENT = object()


def edited(path, value):
    """The data with one value replaced, or one key deleted."""
    data = json.loads(TEXT)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is ABSENT:
        del place[path[-1]]
    else:
        place[path[-1]] = copy.deepcopy(value)
    return data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("[]", r"expected an object \{...\}, got a list"),
        (b"\xff{", "not UTF-8 at byte 0"),
        ("[" * 100_000, "nested too deeply"),
        (TEXT.replace('"threshold": 4', '"threshold": 4, "threshold": 5'), "key 'threshold' appears twice"),
        (TEXT.replace('"threshold": 4', '"threshold": NaN'), "NaN is not a number in JSON"),
        (TEXT.replace("scorecard", "boxes"), 'expected "format": "boxdraw.scorecard", got \'boxdraw.boxes\''),
        (boxes_to_json(BoxSet([[1]], [[2]])), 'expected "format": "boxdraw.scorecard", got \'boxdraw.boxes\''),
        (edited(["version"], 2), r"newer boxdraw \(format version 2; this one reads up to 1\)"),
        (edited(["version"], "1"), "version: expected a whole number from 1 on"),
        (edited(["points"], ABSENT), "the file: lacks points"),
        (edited(["fit"], {}), r"the file: unknown keys \['fit'\]; known are format, version, threshold, points"),
        (edited(["points"], 3), r"points: expected a list \[...\], got a number"),
        (edited(["points", 1], "2"), r"points\[1\]: expected a whole number, got a string"),
        (edited(["points", 1], True), r"points\[1\]: expected a whole number, got true or false"),
        (edited(["points", 1], None), r"points\[1\]: expected a whole number, got null"),
        (edited(["points", 1], 2.5), r"points\[1\]: expected a whole number, got 2.5"),
        (edited(["points", 1], 0), r"points\[1\] must not be 0"),
        (edited(["points", 0], 10**300), rf"points\[0\]: .* at most {MAX_POINTS} in size, got 10000"),
        (edited(["points", 0], 10**1000), r"points\[0\]: expected a whole number, got inf"),
        (edited(["points", 0], MAX_POINTS), r"points must add up to at most"),
        (edited(["points"], [3]), "points must have a number for each of the 2 boxes, got 1"),
        (edited(["threshold"], 1.5), "threshold: expected a whole number, got 1.5"),
        (edited(["threshold"], -MAX_POINTS - 1), "threshold: expected a whole number of at most"),
        (edited(["boxes"], []), r"in boxes: expected an object \{...\}, got a list"),
        (edited(["boxes", "format"], "boxdraw.scorecard"), 'in boxes: expected "format": "boxdraw.boxes"'),
        (edited(["boxes", "features"], ABSENT), "in boxes: the object: lacks features"),
        (
            edited(["boxes", "boxes", 0, "limits", 0, "lower"], 70),
            r"in boxes: boxes\[0\].limits\[0\]: lower 70.0 is greater than upper 65",
        ),
    ],
)
def test_one_clear_error(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        from_json(json.dumps(text) if isinstance(text, dict) else text)
    assert str(caught.value).startswith("cannot read a scorecard from this JSON: ")
    assert type(caught.value) is ValueError
    assert len(str(caught.value)) < 300


def test_positive_points_need_a_positive_threshold():
    for threshold in (0, -3):
        data = edited(["points"], [3, 2]) | {"threshold": threshold}
        with pytest.raises(ValueError, match=f"threshold must be at least 1, got {threshold}"):
            from_json(json.dumps(data))
        assert not validator().is_valid(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(json_values, st.sampled_from([["version"], ["threshold"], ["points"], ["points", 0], ["boxes"], ["new"]]))
def test_any_value_in_any_place_is_read_or_refused(value, path):
    try:
        card = from_json(json.dumps(edited(path, value)))
    except ValueError:
        return
    assert_same(from_json(to_json(card)), card)


# the schema


def validator():
    """Return the schema of cards, with that of boxes beside it."""
    folder = files("boxdraw.model.export")
    card, boxes = (
        json.loads(folder.joinpath(f"{name}.schema.json").read_text("utf-8")) for name in ("scorecard", "boxes")
    )
    Draft202012Validator.check_schema(card)
    return Draft202012Validator(
        card, registry=Registry().with_resource("boxes.schema.json", Resource.from_contents(boxes))
    )


def is_read(data):
    try:
        from_json(json.dumps(data))
    except ValueError:
        return False
    return True


def test_every_file_is_valid():
    schema = validator()
    schema.validate(json.loads(TEXT))
    schema.validate(json.loads(to_json(Scorecard(card_of_text().boxes[:0], [], 1))))
    for seed in SEEDS:
        schema.validate(json.loads(to_json(random_card(np.random.default_rng(seed)))))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(([key], ABSENT) for key in ("format", "version", "threshold", "points", "boxes")),
        *((["format"], value) for value in ("boxdraw.boxes", None, 1)),
        *((["version"], value) for value in (0, 2, 1.5, "1", True, None)),
        *((["threshold"], value) for value in (1.5, "4", True, None, [4], MAX_POINTS + 1, -MAX_POINTS - 1)),
        *((["points"], value) for value in (3, "32", None, {}, [[3, 2]])),
        *((["points", 1], value) for value in (0, 1.5, "2", True, None, MAX_POINTS + 1, -MAX_POINTS - 1)),
        *((["boxes"], value) for value in ([], None, {}, "all")),
        (["boxes", "format"], "boxdraw.model"),
        (["boxes", "boxes", 0, "limits", 0, "lower"], "30"),
        (["fit"], {}),
    ],
)
def test_broken_files_are_refused_by_both(path, value):
    data = edited(path, value)
    assert not validator().is_valid(data)
    assert not is_read(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [(["threshold"], 4.0), (["threshold"], -9), (["points"], [-3, 2.0]), (["threshold"], MAX_POINTS)],
)
def test_files_that_both_accept(path, value):
    data = edited(path, value)
    assert validator().is_valid(data)
    assert is_read(data)


# what is not loaded

CODE = """
import sys
from boxdraw.model.boxes import BoxSet
from boxdraw.model.scorecard import Scorecard

card = Scorecard(BoxSet([[0], [1]], [[2], [3]]), [1, 2], 3)
Scorecard.from_json(card.to_json()).union().contains([[1]])
card.to_sql(), card.to_text(), card.to_html(), card.to_markdown()
print(sorted({"numba", "matplotlib", "ortools", "onnx", "polars"} & set(sys.modules)))
"""


def test_a_card_loads_neither_numba_nor_an_extra():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
