"""A model that the page saves is the one that Python loads: decisions, texts, edits."""

import json

import numpy as np
import pytest

from boxdraw import BoxSet, load
from boxdraw.model.file import model_from_json
from boxdraw.model.scorecard import Scorecard

from .javascript import run_js
from .models import INF, NAMES, READ_CASE, as_payload, pick, random_boxes, random_rows, through

MODULES = ("save", "model", "data", "diff")
SAVE = f"""(cases) => {{
  {READ_CASE}
  return cases.map((each) => {{
    const {{ features, model }} = readCase(each);
    const {{ target, classes, fit, edits, digest }} = each;
    const report = {{ features, target, classes, fit, edits, digest }};
    return modelFile({{ report, model, steps: each.steps }});
  }});
}}"""


def save(page, cases):
    """Have the page write files."""
    return through(page, SAVE, cases, MODULES)


def saved_case(boxes, card=None, steps=(), classes=("no", "yes"), target="fraud"):
    points = None if card is None else {"threshold": card.threshold, "points": list(card.points)}
    head = {"target": target, "classes": list(classes), "fit": {"method": "fast", "n": 3, "c": 0.1}}
    return as_payload(boxes) | head | {"scorecard": points, "steps": list(steps)}


@pytest.mark.parametrize("seed", range(3))
def test_boxes_come_back(page, seed):
    rng = np.random.default_rng(seed)
    cases = [random_boxes(rng, pick(rng, NAMES, int(rng.integers(1, 7)))) for _ in range(150)]
    for boxes, text in zip(cases, save(page, list(map(saved_case, cases))), strict=True):
        text.encode("utf-8")  # no half of a character is in a file
        model = model_from_json(text)
        assert model.boxes == boxes
        assert model.boxes.to_text() == boxes.to_text()
        assert [list(map(type, known or ())) for known in model.boxes.categories] == [
            [
                int if type(value) is float and value.is_integer() and abs(value) < 1e16 else type(value)
                for value in known
            ]
            if known
            else []
            for known in boxes.categories
        ]
        X = random_rows(rng, boxes, 20)
        assert (model.boxes.contains(X) == boxes.contains(X)).all()
        assert (model.target, model.classes, model.fit["c"], model.edits) == ("fraud", ("no", "yes"), 0.1, ())


def test_scorecards_come_back(page):
    rng = np.random.default_rng(7)
    cards = []
    for _ in range(60):
        boxes = random_boxes(rng, ["a", "b", "c"], n_boxes=3)
        cards.append(Scorecard(boxes, rng.integers(1, 4, 3).tolist(), int(rng.integers(1, 6))))
    files = save(page, [saved_case(card.boxes, card) for card in cards])
    for card, text in zip(cards, files, strict=True):
        assert "boxes" not in json.loads(text)
        model = model_from_json(text)
        assert model.scorecard == card
        assert model.scorecard.to_text() == card.to_text()
        X = random_rows(rng, card.boxes, 20)
        assert (model.boxes.contains(X) == card.contains(X)).all()


def test_edits_and_labels(page):
    boxes = BoxSet([[1.0]], [[INF]], feature_names=["age"])
    steps = [
        {"time": "2026-11-16T09:30:00.000Z", "what": "Box 1: age ≥ 30 → age ≥ 32", "reason": 'no "minors"\n', "x": 1},
        {"time": "2026-11-16T09:31:00.000Z", "what": "Box 2 dropped", "reason": ""},
    ]
    files = save(page, [saved_case(boxes, steps=steps, classes=(0, 1), target=None)])
    model = model_from_json(files[0])
    assert [(edit.time, edit.what, edit.reason) for edit in model.edits] == [
        (step["time"], step["what"], step["reason"]) for step in steps
    ]
    assert model.target is None
    assert load(files[0]).predict([[0.0], [2.0]]).tolist() == [0, 1]


def test_edits_of_the_learned_model_come_first(page):
    expression = """JSON.parse(modelFile({
      report: { features: [{ name: "a", kind: "numeric" }], target: null, classes: [0, 1], fit: {},
        edits: [{ time: "1", what: "earlier", reason: "" }] },
      model: { boxes: [], threshold: null },
      steps: [{ time: "2", what: "later", reason: "", before: null }],
    })).edits"""
    assert run_js(page, MODULES, expression) == [
        {"time": "1", "what": "earlier", "reason": ""},
        {"time": "2", "what": "later", "reason": ""},
    ]


def test_edits_of_a_page_name_the_file_before(page):
    boxes = BoxSet([[1.0]], [[INF]], feature_names=["age"])
    earlier = {"time": "2026-11-15", "what": "Box 1 added", "reason": "", "who": "Ana"}
    step = {"time": "2026-11-16T09:30:00.000Z", "what": "Box 1: age ≥ 30 → age ≥ 1", "reason": ""}
    case = saved_case(boxes, steps=[step])
    made = [case | {"edits": [earlier], "digest": "6748ec341ff36ae1"}, case]
    files = save(page, made)
    assert [json.loads(text)["version"] for text in files] == [3, 1]
    assert [edit.as_dict() for edit in model_from_json(files[0]).edits] == [
        earlier,
        step | {"before": "6748ec341ff36ae1"},
    ]


def test_edited_limits_print_what_they_are(page):
    boxes = BoxSet([[0.30000001, 2.5]], [[INF, INF]])
    move = """(each) => {
      const model = readModel(each.boxes, each.features, null);
      const moved = withLimit(model, 0, 1, withSide(model.boxes[0].limits[1], "lower", -0));
      return modelFile({ report: { ...each, target: null, classes: [0, 1], fit: {} }, model: moved, steps: [] });
    }"""
    model = model_from_json(through(page, move, as_payload(boxes), MODULES))
    assert model.boxes.to_text() == "Box 1: x0 ≥ 0.30000001 and x1 ≥ 0"
    assert model.boxes.lower.tolist() == [[0.30000001, 0.0]]


def test_a_file_is_handed_over(page, tmp_path):
    with page.expect_download() as waiting:
        run_js(page, MODULES, 'download("model.json", "größe")')
    waiting.value.save_as(tmp_path / "got")
    assert waiting.value.suggested_filename == "model.json"
    assert (tmp_path / "got").read_text(encoding="utf-8") == "größe"
