"""What a model file knows of other rules, of its goal and of its proof, on the page of the loaded model."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import boxdraw
from boxdraw import ExactBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier

from .test_pictures import settle, steps, wait

STORE = "boxdraw.store"
SETTINGS = {"pos_label": 0, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :5], y


@pytest.fixture(scope="module")
def sparse(data):
    return SparseBoxesClassifier(max_alarm_rate=0.3, **SETTINGS).fit(*data)


@pytest.fixture
def loaded(page, data, tmp_path):
    """Save a model, load it, and open the page that the loaded one writes."""

    def open_page(model):
        model.save(tmp_path / "model.json", target="tumour")
        again = boxdraw.load(tmp_path / "model.json")
        page.goto(again.report(*data, tmp_path / "page.html").path.resolve().as_uri())
        page.locator(".plot .frame").wait_for()
        return page

    return open_page


def flagged(page):
    return np.array(page.evaluate(f"Array.from({STORE}.train.flagged)"), bool)


def test_the_slider_goes_over_the_path_of_a_loaded_model(loaded, sparse, data):
    page, X = loaded(sparse), data[0]
    path = sorted([*sparse.path_, (sparse.false_alarm_cost_, sparse.boxes_)], key=lambda step: step[0])
    costs = [cost for cost, _ in path]
    slider = page.locator("#cost-slider")
    assert page.evaluate("Number(document.querySelector('#cost-slider').max)") + 1 == len(path)
    assert int(slider.input_value()) == costs.index(sparse.false_alarm_cost_)
    slider.focus()
    page.keyboard.press("Home")
    for i, (_, boxes) in enumerate(path):
        assert int(slider.input_value()) == i
        assert (flagged(page) == boxes.contains(X)).all()
        assert page.evaluate(f"{STORE}.model.boxes.length") == len(boxes)
        if boxes != sparse.boxes_:  # over what is on the screen, wherever that is
            lines = boxes.to_text().splitlines()
            assert page.locator(".moving-rule p").all_inner_texts()[: len(lines)] == lines[:4]
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    assert len(steps(page)) == 1
    shown = {" and ".join(sorted(text.split(" and "))) for text in page.locator("#rules .rule").all_inner_texts()}
    assert shown == {" and ".join(sorted(line.split(": ")[1].split(" and "))) for line in lines}


def test_each_step_of_the_path_is_a_point_of_the_curve(loaded, sparse, data):
    page, (X, y) = loaded(sparse), data
    page.locator(".trade-off .curve.roc").wait_for(state="attached")
    settle(page)
    # Steps with the same counts lie on each other, but each has its cross.
    assert page.locator(".curves figure").first.locator(".spot.paper").count() == len(sparse.path_) + 1
    cost, boxes = max(sparse.path_, key=lambda step: step[0])
    inside = boxes.contains(X)
    rates = [inside[y == label].mean() for label in (1, 0)]
    picture = page.locator(".curves svg").first
    width, height = (picture.bounding_box()[name] for name in ("width", "height"))
    left, right, top, bottom = 56, 22, 12, 42
    picture.click(
        position={
            "x": left + rates[0] * (width - left - right),
            "y": top + (1 - rates[1]) * (height - top - bottom),
        }
    )
    wait(page, f"{STORE}.steps.length === 1")
    assert (flagged(page) == inside).all()
    assert page.evaluate(f"{STORE}.cost") <= cost


def test_goal_and_learner_come_from_the_file(loaded, sparse):
    page = loaded(sparse)
    assert "Sparse Boxes" in page.locator("#about").inner_text()
    assert str(sparse.goal_) in page.locator("#about").inner_text()
    page.locator(".goal-name").first.wait_for(state="attached")
    assert page.locator(".goal-name").first.text_content() == "goal: 30.0% flagged"


@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier])
def test_what_the_page_saves_keeps_the_other_rules(loaded, data, tmp_path, learner):
    model = learner(**SETTINGS).fit(*data)
    page = loaded(model)
    page.locator(".frontier summary").click()
    lines = page.locator(".frontier tbody tr")
    lines.first.wait_for()
    assert lines.count() == len(model.frontier_)
    lines.first.get_by_role("button", name="Use").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download model").first.click()
    before = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    after = json.loads(waiting.value.path().read_text(encoding="utf-8"))
    assert (after["version"], after["choices"], after["fit"]) == (4, before["choices"], before["fit"])
    point, again = model.frontier_[0], boxdraw.load(waiting.value.path())
    drawing = point.boxes if hasattr(point, "boxes") else point.scorecard
    assert (again.predict(data[0]) == model.pos_label_).tolist() == drawing.contains(data[0]).tolist()
    assert again._as_model().choices == boxdraw.load(tmp_path / "model.json")._as_model().choices


@pytest.mark.parametrize("proven", [True, False])
def test_exact_boxes_say_what_is_proven(loaded, data, proven):
    pytest.importorskip("ortools")
    X, y = data[0].iloc[::6, :2], data[1].iloc[::6]
    model = ExactBoxesClassifier(max_boxes=1, pos_label=0).fit(X, y)
    assert model.status_ == "optimal"
    if not proven:
        model.status_, model.bound_ = "time_limit", model.objective_ + 3
    text = loaded_proof(loaded, model, data)
    reached = f"reach {model.objective_:g} on the training rows"
    assert reached in text
    if proven:
        assert text.startswith("Proven best")
    else:
        assert text.startswith("Not proven best")
        assert f"no rules reach more than {model.objective_ + 3:g}" in text


def loaded_proof(loaded, model, data):
    boxes = model.boxes_
    page = loaded(model)
    assert len(boxes) == page.evaluate(f"{STORE}.model.boxes.length")
    assert page.locator("#cost-slider").count() == 0
    return page.locator(".proof").inner_text()


@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier])
def test_the_risk_in_each_region_is_that_of_the_model(loaded, data, learner):
    model = learner(**SETTINGS).fit(*data)
    page = loaded(model)
    page.locator(".risk summary").click()
    lines = page.locator(".risk tbody tr")
    assert lines.count() == len(model.risk_table_) > 2
    for i, (label, region) in enumerate(zip(model.risk_table_.labels(), model.risk_table_, strict=True)):
        shown = lines.nth(i).locator("th, td").all_inner_texts()
        assert shown[:2] == [label, f"{100 * region.risk:.1f}%"]
        assert shown[2] == f"{100 * region.low:.1f}–{100 * region.high:.1f}%"
