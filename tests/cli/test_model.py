"""The model file."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw import BoxSet, load
from boxdraw.cli.errors import Failure
from boxdraw.cli.options import load_model
from boxdraw.model.file import Edit, Model, model_from_json, model_to_json

from .conftest import small_model

TEXT = """{
  "format": "boxdraw.model",
  "version": 1,
  "target": "größe",
  "classes": ["no", "yes"],
  "boxes": {
    "format": "boxdraw.boxes",
    "version": 1,
    "features": [
      {"name": "age", "kind": "numeric"},
      {"name": "region", "kind": "categorical", "categories": ["north", "south"]}
    ],
    "boxes": [
      {"limits": [
        {"feature": "age", "lower": 30},
        {"feature": "region", "categories": ["north"], "missing": true}
      ]}
    ]
  },
  "fit": {
    "boxdraw": "0.1.0"
  }
}
"""


EDIT = {"time": "2026-11-16T09:30:00.125Z", "what": "Box 1: age ≥ 30 → age ≥ 32", "reason": "no\nminors"}
WITH_EDITS = TEXT.replace(
    """0.1.0"
  }
}""",
    """0.1.0"
  },
  "edits": [
    {"time": "2026-11-16T09:30:00.125Z", "what": "Box 1: age ≥ 30 → age ≥ 32", "reason": "no\\nminors"},
    {"time": "2026-11-17", "what": "Box 2 dropped", "reason": ""}
  ]
}""",
)


def model_of_text():
    rule = {"age": (30, float("inf"))}
    boxes = BoxSet.from_rules([], ["age", "region"], {"region": ["north", "south"]}).add_box(rule)
    boxes = boxes.replace(0, "region", categories={"north"}, missing=True)
    return Model(boxes, "größe", ("no", "yes"), {"boxdraw": "0.1.0"})


def test_the_layout_is_as_documented():
    """The text is a promise: files of today must be readable by every later version."""
    assert model_to_json(model_of_text()) == TEXT
    assert model_from_json(TEXT) == model_of_text()
    assert model_from_json(("\ufeff" + TEXT).encode()) == model_of_text()


def test_edits_are_kept(run):
    model = replace(model_of_text(), edits=(Edit(**EDIT), Edit("2026-11-17", "Box 2 dropped")))
    assert model_to_json(model) == WITH_EDITS
    assert model_from_json(WITH_EDITS) == model
    assert BoxSet.from_json(WITH_EDITS) == model.boxes
    Path("edited.json").write_text(WITH_EDITS, encoding="utf-8")
    assert run("rules", "edited.json").out.endswith(
        "\n\nChanges so far:\n"
        "2026-11-16T09:30:00.125Z  Box 1: age ≥ 30 → age ≥ 32 (no\\nminors)\n"
        "2026-11-17  Box 2 dropped\n"
    )
    assert json.loads(run("rules", "edited.json", "--json").out)["edits"][0] == EDIT
    assert "Changes so far:" in run("rules", "edited.json", "--format", "markdown").out
    assert "edits" not in json.loads(model_to_json(model_of_text()))


def test_history(run):
    edits = Edit(**EDIT), Edit("2026-11-17", "Box 2 dropped", "never used", "Ana", "6748ec341ff36ae1")
    text = model_to_json(replace(model_of_text(), edits=edits))
    assert json.loads(text)["version"] == 3
    assert [edit.as_dict() for edit in edits] == json.loads(text)["edits"]
    assert "who" not in json.loads(text)["edits"][0]
    assert model_from_json(text).edits == edits
    Path("m.json").write_text(text, encoding="utf-8")
    digest = hashlib.sha256(Path("m.json").read_bytes()).hexdigest()[:16]
    head, *rows, empty, last = run("rules", "m.json", "--history").out.splitlines()
    assert re.split("  +", head) == ["Time", "Who", "What", "Why", "File before"]
    assert [re.split("  +", row) for row in rows] == [
        ["2026-11-16T09:30:00.125Z", "Box 1: age ≥ 30 → age ≥ 32", "no\\nminors"],
        ["2026-11-17", "Ana", "Box 2 dropped", "never used", "6748ec341ff36ae1"],
    ]
    assert (empty, last) == ("", f"This file: {digest}")
    markdown = run("rules", "m.json", "--history", "--format", "markdown").out
    assert "| 2026-11-17 | Ana | Box 2 dropped | never used | 6748ec341ff36ae1 |" in markdown
    assert run("rules", "m.json", "--history", "--json", "-o", "h.json").code == 0
    told = json.loads(Path("h.json").read_text(encoding="utf-8"))
    assert told == json.loads(run("rules", "m.json", "--history", "--json").out)
    assert told == {"hash": digest, "edits": json.loads(text)["edits"]}
    Path("m.json").write_text(TEXT, encoding="utf-8")
    assert run("rules", "m.json", "--history").out.startswith("No changes since it was learned.\n\nThis file: ")


def test_what_has_no_history(fails):
    Path("m.json").write_text(TEXT, encoding="utf-8")
    for more in (("--risk",), ("--union",), ("--data", "d.csv"), ("--format", "csv")):
        fails("rules", "m.json", "--history", *more, code=2, words="--history goes with --format text, markdown, json")


labels = st.one_of(
    st.tuples(st.text(max_size=3), st.text(max_size=3)),
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    st.just((False, True)),
).filter(lambda pair: pair[0] != pair[1])


@given(labels, st.none() | st.text(max_size=5))
def test_round_trip(classes, target):
    boxes = BoxSet([[0.1 + 0.2]], [[1e300]])
    back = model_from_json(model_to_json(Model(boxes, target, classes)))
    assert back == Model(boxes, target, classes)
    assert [type(label) for label in back.classes] == [type(label) for label in classes]
    assert back.boxes.to_text() == boxes.to_text()


def test_boxes_alone_are_a_model():
    boxes = small_model().boxes
    assert model_from_json(boxes.to_json()) == Model(boxes)


def test_a_model_loads_into_an_estimator(model):
    classifier = load(model)
    assert classifier.predict([[300, 3], [300, 12]]).tolist() == ["yes", "no"]
    assert classifier.classes_.tolist() == ["no", "yes"]


def test_the_positive_label_may_come_first_in_the_alphabet():
    model = Model(small_model().boxes, "state", ("ok", "bad"))
    classifier = load(model_to_json(model))
    assert classifier.predict([[300, 3], [300, 12]]).tolist() == ["bad", "ok"]


def edited(key, value):
    data = json.loads(TEXT)
    if value is None:
        del data[key]
    else:
        data[key] = value
    return json.dumps(data)


def signed(more):
    return json.dumps(json.loads(TEXT) | {"version": 3, "edits": [EDIT | more]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("[]", "expected an object"),
        ("a,b\n1,2\n", "Expecting value"),
        (b"\xff", "not UTF-8 at byte 0"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", 'expected "format": "boxdraw.model", "boxdraw.boxes" or "boxdraw.scorecard", got none'),
        (edited("format", "other"), "got 'other'"),
        (edited("version", "1"), "version: expected a whole number from 1 on, got '1'"),
        (edited("version", True), "version: expected a whole number"),
        (edited("version", 0), "version: expected a whole number"),
        (edited("version", 5), r"written by a newer boxdraw \(format version 5; this one reads up to 4\): upgrade"),
        (edited("target", None), "it lacks target"),
        (edited("classes", None), "it lacks classes"),
        (edited("boxes", None), "it lacks boxes"),
        (edited("edits", {}), r"edits: expected a list \[...\], got {}"),
        (edited("edits", ["dropped"]), r"edits\[0\]: expected an object with time, what, reason, got 'dropped'"),
        (edited("edits", [{"what": "x"}]), r"edits\[0\]: expected an object with time, what, reason"),
        (edited("edits", [EDIT, EDIT | {"by": "me"}]), r"edits\[1\]: expected an object with time, what, reason"),
        (edited("edits", [EDIT | {"who": "me"}]), r"edits\[0\]: expected an object with time, what, reason, got"),
        (signed({"by": "me"}), r"edits\[0\]: expected an object with time, what, reason and perhaps who, before, got"),
        (signed({"who": 5}), r"edits\[0\].who: expected a text, got 5"),
        (edited("edits", [EDIT | {"reason": None}]), r"edits\[0\].reason: expected a text, got None"),
        (edited("edits", [EDIT | {"time": "noon"}]), r"edits\[0\].time: expected a time such as .*, got 'noon'"),
        (edited("extra", 1), r"it has unknown keys \['extra'\]"),
        (edited("target", 5), "target: expected the name of a column or null, got 5"),
        (edited("fit", [1]), "fit: expected an object"),
        (edited("classes", ["a"]), "classes: expected two different labels"),
        (edited("classes", ["a", "a"]), "classes: expected two different labels"),
        (edited("classes", [0, "1"]), "classes: expected two different labels of one type"),
        (edited("classes", [0, True]), "classes: expected two different labels of one type"),
        (edited("classes", [[0], [1]]), "classes: expected two different labels"),
        (edited("classes", "ab"), "classes: expected two different labels"),
        (edited("boxes", {}), 'in boxes: expected "format"'),
        (edited("boxes", 5), "in boxes: expected an object"),
        (TEXT.replace('"lower": 30', '"lower": "30"'), r"boxes\[0\].limits\[0\].lower: expected a number"),
        (TEXT.replace('"lower": 30', '"lower": 1e999'), "limits\\[0\\].lower: the number is too large for a float"),
        (TEXT.replace('"lower": 30', '"lower": NaN'), "NaN is not a number in JSON"),
        (TEXT.replace('"lower": 30', '"lower": 30, "lower": 31'), "the key 'lower' appears twice"),
    ],
)
def test_one_clear_error(text, message):
    Path("model.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Failure, match=message) as caught:
        load_model("model.json")
    assert str(caught.value).startswith("model.json is not a model of boxdraw: ")
    assert len(str(caught.value)) < 300


def test_a_name_that_no_encoding_can_write():
    model = Model(BoxSet([[1]], [[2]]), None, (0, 1), {"data": "\udcff.csv"})
    text = model_to_json(model)
    assert model_from_json(text.encode("utf-8")) == model


def test_a_box_set_reads_the_boxes_of_a_model_file():
    boxes = BoxSet([[1]], [[2]], feature_names=["age"])
    assert BoxSet.from_json(model_to_json(Model(boxes, "fraud", ("no", "yes")))) == boxes
    with pytest.raises(ValueError, match=r'expected "format": "boxdraw\.boxes", got'):
        BoxSet.from_json('{"format": "boxdraw.model", "boxes": 3}')


@pytest.mark.parametrize(("number", "message"), [("1e999", "a float can hold"), ("1" * 5000, "more than 1000 digits")])
def test_numbers_of_fit_that_could_not_be_written_again(number, message):
    text = TEXT.replace('"fit": {', f'"fit": {{"seed": [{number}], ', 1)
    assert text != TEXT
    with pytest.raises(ValueError, match=message):
        model_from_json(text)
