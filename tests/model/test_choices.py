"""Rules of other lengths and costs in model files."""

import json

import numpy as np
import pytest

from boxdraw import BoxSet, Scorecard
from boxdraw.model.choices import Choice, Choices
from boxdraw.model.file import Edit, Model, model_from_json, model_to_json

COLOURS = {"colour": ["red", "blue"]}
BOXES = BoxSet(
    [[3, -np.inf], [-np.inf, -np.inf], [0.1 + 0.2, -np.inf]],
    [[9, np.inf], [np.inf, np.inf], [np.inf, np.inf]],
    feature_names=["dose", "colour"],
    categories=COLOURS,
    allowed={"colour": [None, {"red"}, {"red"}]},
)
DRAWN = Choices(
    (Choice(BOXES[[0]], 0.7, 1 / 3), Choice(BOXES[[0, 1]], 0.8, 0.01), Choice(BOXES[[2, 0]])),
    (Choice(BOXES[[2]], cost=0.1), Choice(BOXES[[]], cost=1 / 7)),
)
CARDS = Choices((Choice(Scorecard(BOXES[[1, 0]], [3, -2], 1), 0.9, 0.1),))
MODELS = [Model(BOXES[[0, 1]], choices=DRAWN), Model(Scorecard(BOXES, [3, 2, 1], 3), "ill", choices=CARDS)]


@pytest.mark.parametrize("model", MODELS)
def test_choices_are_read_back_to_the_last_bit(model):
    text = model_to_json(model)
    again = model_from_json(text)
    assert again == model
    assert again.choices == model.choices
    assert model_to_json(again) == text
    assert json.loads(text)["version"] == 4
    assert sum(len(one.boxes) for one in (*DRAWN.frontier, *DRAWN.path)) > 3
    assert len(json.loads(model_to_json(MODELS[0]))["choices"]["boxes"]["boxes"]) == 3  # each is written once


def test_without_choices_files_keep_their_version():
    assert json.loads(model_to_json(Model(BOXES)))["version"] == 1
    edits = (Edit("2026-11-16T09:30:00Z", "what", who="Ana"),)
    assert json.loads(model_to_json(Model(BOXES, edits=edits)))["version"] == 3
    again = model_from_json(model_to_json(Model(BOXES, edits=edits, choices=DRAWN)))
    assert (again.edits, again.choices) == (edits, DRAWN)


def test_only_rules_of_the_same_kind_on_the_same_columns_stand_beside_a_drawing():
    assert DRAWN.beside(BOXES) == DRAWN
    assert not DRAWN.beside(MODELS[1].drawing)
    assert not DRAWN.beside(BoxSet([[1]], [[2]]))
    text = model_to_json(MODELS[0]).replace('"name": "dose"', '"name": "size"', 1).replace('"dose"', '"size"', 1)
    assert not model_from_json(text).choices  # as after a column was renamed by hand


def test_more_boxes_than_a_reader_takes_are_left_out():
    wide = BoxSet(np.full((3, 400_000), -np.inf), np.full((3, 400_000), np.inf))
    choices = Choices(tuple(Choice(wide, score) for score in (0.1, 0.2)))
    assert not choices.beside(wide)
    assert Choices(choices.frontier[:1]).beside(wide)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("frontier", 3, "in choices: frontier: expected a list"),
        ("frontier", [3], r"frontier\[0\]: expected an object"),
        ("path", [{"cost": 1}], r"path\[0\]: lacks boxes"),
        ("path", [{"boxes": [3]}], r"path\[0\].boxes: expected whole numbers from 0 to 2"),
        ("path", [{"boxes": [-1]}], r"path\[0\].boxes: expected whole numbers from 0 to 2"),
        ("path", [{"boxes": [0], "cost": "1"}], r"path\[0\].cost: expected a number"),
        ("frontier", [{"boxes": [0], "points": [1]}], r"frontier\[0\]: lacks threshold"),
        ("frontier", [{"boxes": [0], "points": [1.5], "threshold": 1}], "expected a whole number"),
        ("more", [], "in choices: the object: unknown keys"),
        ("boxes", [], "in choices: in boxes"),
    ],
)
def test_what_is_wrong_is_said(key, value, message):
    data = json.loads(model_to_json(MODELS[0]))
    data["choices"][key] = value
    with pytest.raises(ValueError, match=message):
        model_from_json(json.dumps(data))


def test_a_file_of_an_older_version_has_none():
    data = json.loads(model_to_json(MODELS[0])) | {"version": 3}
    with pytest.raises(ValueError, match=r"unknown keys \['choices'\]"):
        model_from_json(json.dumps(data))
