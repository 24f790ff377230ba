"""Files of released versions are read as they were when they were written."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from boxdraw import BoxSet, load
from boxdraw.cli.options import load_model
from boxdraw.learners.exact import certificate as certificate_file
from boxdraw.learners.exact.certificate import Certificate
from boxdraw.model.export import json as boxes_file
from boxdraw.model.export import scorecard as card_file
from boxdraw.model.file import FORMAT as MODEL_FORMAT
from boxdraw.model.file import VERSION as MODEL_VERSION
from boxdraw.model.file import Model, model_to_json
from boxdraw.model.scorecard import Scorecard

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.name.removesuffix(".expected.json") for path in GOLDEN.glob("*.expected.json"))
MODELS = [name for name in NAMES if not name.startswith("certificate")]


def read(name):
    """Return the path of a file, what was expected of it, and its rows as a table."""
    expected = json.loads((GOLDEN / f"{name}.expected.json").read_text(encoding="utf-8"))
    return GOLDEN / f"{name}.json", expected, np.array(expected["rows"], dtype=object)


def held(boxes, table):
    return ["".join(str(k + 1) if inside else "." for k, inside in enumerate(row)) for row in boxes.membership(table)]


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


def assert_says(text, expected, path):
    """Version 0.1 printed other numbers than it applied; now the text has those of the file's limits."""
    if '"shown_' not in path.read_text(encoding="utf-8"):
        assert text.split("\n") == expected["text"]
        return
    assert [NUMBER.sub("#", line) for line in text.split("\n")] == [NUMBER.sub("#", line) for line in expected["text"]]
    assert text.split("\n") != expected["text"]
    applied = re.findall(r'"(?:lower|upper)": ([^,}]+)', path.read_text(encoding="utf-8"))
    printed = re.findall(rf"[≤≥] ({NUMBER.pattern})|({NUMBER.pattern}) ≤", text)
    assert {float(a or b) for a, b in printed} <= set(map(float, applied))


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("boxes")])
def test_boxes(name):
    path, expected, table = read(name)
    boxes = BoxSet.from_json(path)
    assert held(boxes, table) == expected["inside"]
    assert boxes.contains(table).tolist() == expected["flagged"]
    assert list(boxes.feature_names) == expected["columns"]
    assert_says(boxes.to_text(), expected, path)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("scorecard")])
def test_scorecards(name):
    path, expected, table = read(name)
    card = Scorecard.from_json(path)
    assert held(card.boxes, table) == expected["inside"]
    assert card.score(table).tolist() == expected["points"]
    assert card.contains(table).tolist() == expected["flagged"]
    assert card.to_text().split("\n") == expected["text"]


@pytest.mark.filterwarnings("ignore:Categories that were not seen in training")
@pytest.mark.parametrize("name", [name for name in MODELS if not name.endswith("signed")])
def test_every_file_is_a_model(name):
    """The command line reads them all but cards with negative points, which are no union of boxes."""
    path, expected, table = read(name)
    model = load_model(str(path))
    flagged = model.boxes.contains(table)
    assert flagged.tolist() == expected["flagged"]
    labels = model.labels(flagged).tolist()
    assert labels == expected["labels"]
    assert [type(label) for label in labels] == [type(label) for label in expected["labels"]]
    assert load(path).predict(table).tolist() == expected["labels"]
    assert model.target == expected["target"]
    if model.scorecard is not None:
        assert model.scorecard.score(table).tolist() == expected["points"]
    if model.risk is not None:
        assert model.risk.risks(table, model.drawing).tolist() == expected["risks"]
    assert_says((model.scorecard or model.boxes).to_text(), expected, path)


def test_edits_and_settings_are_kept():
    edits = load_model(str(GOLDEN / "model_v1_edits.json")).edits
    assert [(edit.time, edit.reason) for edit in edits] == [
        ("2026-11-16T09:30:00Z", "no minors"),
        ("2026-11-17T10:00:00+01:00", ""),
    ]
    assert edits[0].what == "Box 1: age ≥ 30 → age ≥ 32"
    *earlier, revised, checked = load_model(str(GOLDEN / "model_v3_history.json")).edits
    assert tuple(earlier) == edits
    assert (revised.who, revised.before, checked.who, checked.before) == ("Ana", "6748ec341ff36ae1", "Bo", "")
    assert load_model(str(GOLDEN / "model_v1_fast.json")).fit["boxdraw"] == "0.1.0"


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("certificate")])
def test_certificates_hold(name):
    path, expected, _ = read(name)
    certificate = Certificate.from_json(path)
    rows = np.array(expected["rows"], dtype=float)
    assert certificate.verify(rows, expected["y"])
    assert certificate.objective == expected["objective"]


def test_every_kind_that_is_written_has_a_file():
    there = {}
    for name in NAMES:
        data = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
        there.setdefault(data["format"], set()).add(data["version"])
    written = {
        boxes_file.FORMAT: boxes_file.VERSION,
        card_file.FORMAT: card_file.VERSION,
        MODEL_FORMAT: MODEL_VERSION,
        certificate_file.FORMAT: certificate_file.VERSION,
    }
    assert {kind: set(range(1, version + 1)) for kind, version in written.items()} == there
    assert json.loads(model_to_json(Model(BoxSet([[1]], [[2]]))))["version"] == 1  # without a risk


def test_files_of_every_release_are_there():
    """What 0.1 wrote was written by it: the tests above load those files, too."""
    written = {name: read(name)[1]["written_by"] for name in NAMES}
    assert set(written.values()) == {"0.1.0", "0.2.0"}
    assert {name for name, version in written.items() if version == "0.1.0"} == {
        name for name in NAMES if "_v1" in name
    }


def test_no_file_was_touched():
    listed = (GOLDEN / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    found = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(GOLDEN.glob("*.json"))]
    assert found == listed
    assert {path.name for path in GOLDEN.glob("*.json")} == {
        f"{name}{end}" for name in NAMES for end in (".json", ".expected.json")
    }
