import json
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boxdraw.model import reader
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.json import from_json, to_json

INF = np.inf
TEXT = """{
  "format": "boxdraw.boxes",
  "version": 1,
  "features": [
    {"name": "age", "kind": "numeric"},
    {"name": "größe", "kind": "numeric"}
  ],
  "boxes": [
    {"limits": [
      {"feature": "age", "lower": 30.000000000000004, "upper": 65},
      {"feature": "größe", "upper": 1.5}
    ]},
    {"limits": []}
  ]
}"""
# What version 0.1 wrote: short numbers to print beside the limits, which are now ignored.
OLD_TEXT = TEXT.replace('"upper": 65', '"shown_lower": 30, "upper": 65').replace(
    "  ]\n}", '  ],\n  "shown_checksum": "0c2f97d6190afd4a"\n}'
)


def boxes_of_text():
    return BoxSet(
        [[30.000000000000004, -INF], [-INF, -INF]],
        [[65, 1.5], [INF, INF]],
        feature_names=["age", "größe"],
    )


def assert_same(one, other):
    assert one == other
    for name in ("lower", "upper"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize("source", ["", " \n", "[]", '"boxes"', "3"])
def test_a_text_that_is_no_object_is_no_path(source):
    with pytest.raises(ValueError, match="expected JSON text that starts with"):
        BoxSet.from_json(source)


@pytest.mark.parametrize("printed", [30, 900000, -1e300, "900000", None, [1]])
@pytest.mark.parametrize("checksum", ["0c2f97d6190afd4a", "", 5, None])
def test_numbers_to_print_of_old_files_are_ignored(printed, checksum):
    """A forged file of version 0.1 could print one number and apply another."""
    data = json.loads(OLD_TEXT)
    data["boxes"][0]["limits"][0] |= {"shown_lower": printed, "shown_upper": printed}
    data["boxes"][0]["limits"][1]["shown_lower"] = printed
    boxes = from_json(json.dumps(data | {"shown_checksum": checksum}))
    assert_same(boxes, boxes_of_text())
    assert boxes.to_text().startswith("Box 1: 30.000000000000004 ≤ age ≤ 65 and größe ≤ 1.5\n")
    assert to_json(boxes) == TEXT


# the layout


def test_the_layout_is_as_documented():
    """The text is a promise: files of today must be readable by every later version."""
    assert to_json(boxes_of_text()) == TEXT
    assert_same(from_json(TEXT), boxes_of_text())
    empty = to_json(boxes_of_text()[:0])
    assert json.loads(empty)["boxes"] == []
    assert_same(from_json(empty), boxes_of_text()[:0])


def test_numbers_are_short_and_exact():
    values = [5e-324, 0.1, 1e16, 2**53 + 2, -1e22, 1e22, 123456789, sys.float_info.max, -sys.float_info.max]
    boxes = BoxSet([[value] for value in values], [[INF]] * len(values))
    text = to_json(boxes)
    assert '"lower": 123456789}' in text
    assert '"lower": 1e+22}' in text
    assert_same(from_json(text), boxes)


finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(max_size=8)


@st.composite
def box_sets(draw):
    feature_names = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    shape = (draw(st.integers(0, 3)), len(feature_names))
    one, other = (draw(hnp.arrays(np.float64, shape, elements=finite)) for _ in range(2))
    no_lower, no_upper = (draw(hnp.arrays(np.bool_, shape)) for _ in range(2))
    lower = np.where(no_lower, -INF, np.minimum(one, other))
    upper = np.where(no_upper, INF, np.maximum(one, other))
    return BoxSet(lower, upper, feature_names=feature_names)


@given(box_sets())
def test_round_trip_to_the_last_bit(boxes):
    text = to_json(boxes)
    assert_same(from_json(text), boxes)
    assert_same(BoxSet.from_json(text.encode("utf-8")), boxes)


def test_surrogates_survive_or_are_refused():
    lone = BoxSet([[1]], [[2]], feature_names=["\ud800a\udc00"])
    assert r"\ud800a\udc00" in to_json(lone)
    assert_same(from_json(to_json(lone).encode("utf-8")), lone)
    with pytest.raises(ValueError, match=r"'\\ud83d\\ude00' cannot be written as JSON"):
        to_json(BoxSet([[1]], [[2]], feature_names=["\ud83d\ude00"]))


# sources and files


@pytest.mark.parametrize("prefix", ["", " \n\t", "\ufeff"])
def test_sources(tmp_path, prefix):
    text = prefix + TEXT
    path = tmp_path / "boxes.json"
    path.write_bytes(text.encode("utf-8"))
    for source in (text, text.encode("utf-8"), path, str(path)):
        assert_same(BoxSet.from_json(source), boxes_of_text())


def test_what_is_no_source(tmp_path):
    with pytest.raises(FileNotFoundError):
        BoxSet.from_json(tmp_path / "nothing.json")
    with pytest.raises(FileNotFoundError):
        BoxSet.from_json("nothing.json")
    with pytest.raises(TypeError, match="expected JSON text, bytes or a path, got int"):
        BoxSet.from_json(5)


def test_a_file_is_written_as_well(tmp_path):
    path = tmp_path / "ä.json"
    path.write_text("old")
    boxes = boxes_of_text()
    assert boxes.to_json(path) == TEXT
    assert path.read_bytes() == (TEXT + "\n").encode("utf-8")
    assert boxes.to_json(str(path)) == boxes.to_json()
    assert_same(BoxSet.from_json(path), boxes)
    assert os.listdir(tmp_path) == ["ä.json"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links(tmp_path):
    plain, target, link = (tmp_path / name for name in ("plain", "target", "link"))
    plain.write_text("")
    link.symlink_to(target)
    boxes_of_text().to_json(link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, broken):
    path = tmp_path / "boxes.json"
    path.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="disk full"):
        boxes_of_text().to_json(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["boxes.json"]


def test_only_files_are_replaced(tmp_path):
    with pytest.raises(OSError, match="not a regular file"):
        boxes_of_text().to_json(tmp_path)
    with pytest.raises(FileNotFoundError):
        boxes_of_text().to_json(tmp_path / "no" / "folder.json")
    if os.name == "posix":
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        with pytest.raises(OSError, match="not a regular file"):
            boxes_of_text().to_json(fifo)
        assert stat.S_ISFIFO(fifo.stat().st_mode)


# files that are not ours


def edited(*path, value):
    """The text with one value replaced, or one key deleted."""
    data = json.loads(TEXT)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(data)


LIMIT = ("boxes", 0, "limits", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"Expecting value: line 1 column 1"),
        ("{", r"Expecting property name .*line 1 column 2"),
        (TEXT[:200], r"line \d+ column \d+"),
        (TEXT + "x", r"Extra data: line 1[56]"),
        ("[]", r"expected an object \{...\}, got a list"),
        ("null", "got null"),
        (b"\xff\xfe{", "not UTF-8 at byte 0"),
        (TEXT.encode("latin-1"), r"not UTF-8 at byte \d+"),
        (TEXT.replace("65", "NaN"), "NaN is not a number in JSON"),
        (TEXT.replace("65", "Infinity"), "Infinity is not a number in JSON"),
        (TEXT.replace("65", "-Infinity"), "-Infinity is not a number"),
        (TEXT.replace("65", "1e999"), r"boxes\[0\].limits\[0\].upper: the number is too large"),
        (TEXT.replace("65", "1" * 5000), r"boxes\[0\].limits\[0\].upper: the number is too large"),
        (TEXT.replace("65", "-" + "1" * 5000), "the number is too large"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (TEXT.replace('"upper": 65', '"upper": 65, "upper": 66'), "key 'upper' appears twice"),
        (edited("format", value=None), 'expected "format": "boxdraw.boxes", got none'),
        (edited("format", value="other"), "got 'other'"),
        (edited("format", value=[["x" * 100]]), 'expected "format"'),
        (edited("version", value=None), "version: expected a whole number from 1 on, got None"),
        (edited("version", value="1"), "version: expected a whole number"),
        (edited("version", value=True), "version: expected a whole number"),
        (edited("version", value=1.5), "version: expected a whole number"),
        (edited("version", value=0), "version: expected a whole number"),
        (
            edited("version", value=2),
            r"written by a newer boxdraw \(format version 2; this one reads up to 1\): upgrade boxdraw",
        ),
        (edited("features", value=None), "the file: lacks features"),
        (edited("boxes", value=None), "the file: lacks boxes"),
        (edited("boxes", value={}), r"boxes: expected a list \[...\], got an object"),
        (edited("extra", value=1), r"the file: unknown keys \['extra'\]; known are format, version"),
        (edited("features", value=[]), "features: expected at least one feature"),
        (edited("features", value="age"), "features: expected a list"),
        (edited("features", 0, value="age"), r"features\[0\]: expected an object \{...\}, got a string"),
        (edited("features", 1, "name", value="age"), "the name 'age' appears twice"),
        (edited("features", 1, "name", value=5), r"features\[1\].name: expected a string, got a number"),
        (edited("features", 1, "name", value=None), r"features\[1\]: lacks name"),
        (
            edited("features", 1, "kind", value="text"),
            r"features\[1\].kind: expected \"numeric\" or \"categorical\", got 'text'",
        ),
        (edited("features", 1, "unit", value="cm"), r"features\[1\]: unknown keys \['unit'\]"),
        (edited("boxes", 1, value=[]), r"boxes\[1\]: expected an object \{...\}, got a list"),
        (edited("boxes", 1, "limits", value=None), r"boxes\[1\]: lacks limits"),
        (edited("boxes", 1, "limits", value=5), r"boxes\[1\].limits: expected a list"),
        (edited("boxes", 1, "name", value=5), r"boxes\[1\]: unknown keys \['name'\]"),
        (edited(*LIMIT, value=5), r"boxes\[0\].limits\[0\]: expected an object"),
        (edited(*LIMIT, "feature", value=None), r"boxes\[0\].limits\[0\]: lacks feature"),
        (edited(*LIMIT, "feature", value="sex"), r"limits\[0\].feature: 'sex' is not one of the features"),
        (edited(*LIMIT, "feature", value=["age"]), r"\['age'\] is not one of the features"),
        (edited(*LIMIT, "feature", value="größe"), r"limits\[1\]: the feature 'größe' has limits already"),
        (edited(*LIMIT, "lowr", value=5), r"limits\[0\]: unknown keys \['lowr'\]"),
        (edited(*LIMIT, "lower", value="5"), r"limits\[0\].lower: expected a number, got a string"),
        (edited(*LIMIT, "lower", value=True), r"limits\[0\].lower: expected a number, got true or false"),
        (TEXT.replace("65", "null"), r"limits\[0\].upper: expected a number, got null"),
        (edited(*LIMIT, "upper", value=5), r"limits\[0\]: lower 30.0+4 is greater than upper 5"),
    ],
)
def test_one_clear_error(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        from_json(text)
    assert str(caught.value).startswith("cannot read boxes from this JSON: ")
    assert type(caught.value) is ValueError
    assert caught.value.__suppress_context__
    assert len(str(caught.value)) < 300


def test_a_small_file_cannot_claim_a_huge_matrix(monkeypatch):
    features = [{"name": str(j), "kind": "numeric"} for j in range(4000)]
    text = json.dumps({"format": "boxdraw.boxes", "version": 1, "features": features, "boxes": [{"limits": []}] * 4000})
    message = f"4000 boxes on 4000 features are 16000000 cells, more than the {10 * len(text)} that a file of"
    with pytest.raises(ValueError, match=message):
        from_json(text)
    monkeypatch.setattr(reader, "FREE_CELLS", 3)
    monkeypatch.setattr(reader, "CELLS_PER_CHARACTER", 0)
    with pytest.raises(ValueError, match="more than the 3"):
        to_json(boxes_of_text())


def read_or_refuse(text):
    try:
        boxes = BoxSet.from_json(text)
    except ValueError:
        return
    assert_same(from_json(to_json(boxes)), boxes)


@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 3), st.binary(max_size=4)), min_size=1, max_size=4))
def test_random_edits_are_read_or_refused(edits):
    text = TEXT.encode("utf-8")
    for place, length, patch in edits:
        place %= len(text) + 1
        text = text[:place] + patch + text[place + length :]
    read_or_refuse(text)


tokens = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "null",
    "true",
    "-",
    "1e400",
    "0",
    "NaN",
    '"age"',
    '"lower"',
    "\\u0000",
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 12), st.sampled_from(tokens)), min_size=1, max_size=4))
@example([(0, 0, "[")])
def test_random_tokens_are_read_or_refused(edits):
    text = TEXT
    for place, length, patch in edits:
        place %= len(text) + 1
        text = text[:place] + patch + text[place + length :]
    read_or_refuse(text.encode("utf-8"))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(
    json_values,
    st.sampled_from([("version",), ("features",), ("boxes",), ("boxes", 0), ("features", 0), LIMIT]),
)
def test_any_value_in_any_place_is_read_or_refused(value, path):
    read_or_refuse(edited(*path, value=value).encode("utf-8"))


def test_a_path_object_is_a_path_whatever_its_name(tmp_path):
    path = Path(tmp_path, "{boxes}.json")
    path.write_text(TEXT, encoding="utf-8")
    assert_same(BoxSet.from_json(path), boxes_of_text())
