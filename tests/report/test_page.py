"""A whole page of a learned model in a real browser, from report() to the file that people download."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.cli.options import load_model

STORE = "window.boxdraw.store"
HOSTILE = ["</script><script>window.hit = 1</script>", "<img src=x onerror='window.hit = 2'>", 'a"b&lt;\n{{data}}']


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = y.map({0: "malignant", 1: "benign"})
    return train_test_split(X.iloc[:, :6], labels, random_state=0, stratify=labels)


@pytest.fixture
def opened(page, tmp_path):
    """A function that writes the report of a model and opens it."""

    def show(model, X, y, **options):
        page.goto(model.report(X, y, tmp_path / "report.html", **options).path.resolve().as_uri())
        return page

    return show


def flagged(page, part="train"):
    return np.array(page.evaluate(f"Array.from({STORE}.{part}.flagged)"), dtype=bool)


def downloaded(page, tmp_path):
    """The model that the page saves, as the command line reads it."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download model").first.click()
    path = tmp_path / "downloaded.json"
    waiting.value.save_as(path)
    return load_model(str(path))


def test_every_place_of_the_slider_flags_the_rows_that_python_does(opened, data):
    X, X_test, y, y_test = data
    model = FastBoxesClassifier(n_boxes=3, pos_label="malignant").fit(X, y)
    page = opened(model, X, y, X_test=X_test, y_test=y_test)
    slider = page.locator("#cost-slider")
    places = np.unique(np.linspace(0, int(slider.get_attribute("max")), 25).astype(int)).tolist()
    assert len(places) == 25
    critical = model.critical_weight(X), model.critical_weight(X_test)
    for place in places:
        slider.evaluate("(slider, place) => { slider.value = place; slider.dispatchEvent(new Event('input')); }", place)
        cost = page.evaluate(f"{STORE}.cost")
        assert (flagged(page) == (critical[0] >= cost)).all()
        # Round limits lie elsewhere in the gaps between training rows, where a few other rows are.
        assert (flagged(page, "test") != (critical[1] >= cost)).mean() < 0.05


def test_edits_reach_the_file_with_their_reasons(opened, data, tmp_path):
    X, X_test, y, y_test = data
    model = FastBoxesClassifier(n_boxes=2, pos_label="malignant").fit(X, y)
    page = opened(model, X, y, X_test=X_test, y_test=y_test)
    page.locator("#box-0").click()
    page.get_by_label("Least mean radius in Box 1").fill("17.5")
    page.keyboard.press("Tab")
    page.get_by_label(re.compile("^Reason for: Box 1: mean radius")).fill("The scanner reads high")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Draw a box").click()
    page.keyboard.press("Enter")
    saved = downloaded(page, tmp_path)
    assert len(saved.boxes) == 3
    assert saved.boxes != model.boxes_
    assert [edit.reason for edit in saved.edits] == ["The scanner reads high", ""]
    assert (saved.boxes.contains(X) == flagged(page)).all()
    assert (saved.boxes.contains(X_test) == flagged(page, "test")).all()
    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    assert (flagged(page) == (model.predict(X) == "malignant")).all()
    assert downloaded(page, tmp_path).boxes == model.boxes_


def test_an_edited_scorecard_comes_back(opened, data, tmp_path):
    X, X_test, y, _ = data
    model = ScoredBoxesClassifier(cv=None, pos_label="malignant", random_state=0).fit(X, y)
    page = opened(model, X, y)
    page.evaluate(f"{STORE}.commit('less', {{ ...{STORE}.model, threshold: {STORE}.model.threshold - 1 }})")
    saved = downloaded(page, tmp_path)
    assert saved.scorecard.threshold == model.scorecard_.threshold - 1
    assert saved.scorecard.points == model.scorecard_.points
    assert (saved.scorecard.contains(X) == flagged(page)).all()
    assert (saved.boxes.contains(X_test) == saved.scorecard.contains(X_test)).all()


@pytest.mark.parametrize(
    "learner",
    [FastBoxesClassifier(n_boxes=2), ScoredBoxesClassifier(cv=None), SparseBoxesClassifier(cv=None)],
    ids=repr,
)
def test_nothing_in_the_data_runs(opened, learner, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=300) for name in HOSTILE})
    X["kind"] = rng.choice(HOSTILE, 300)
    positive = (X[HOSTILE[0]] > 1) | (X["kind"] == HOSTILE[1]) & (X[HOSTILE[1]] > 0.5)
    y = np.where(positive, HOSTILE[0], HOSTILE[1])
    page = opened(learner.set_params(pos_label=HOSTILE[0]).fit(X, y), X, y, title=HOSTILE[0])
    page.locator("#rows tbody tr").first.click()
    assert page.evaluate("window.hit") is None
    assert page.locator("img, main script").count() == 0
    assert page.title().startswith("</script>")
    assert (downloaded(page, tmp_path).boxes.contains(X) == flagged(page)).all()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_no_serious_fault(opened, data, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    X, X_test, y, y_test = data
    model = FastBoxesClassifier(n_boxes=2, pos_label="malignant").fit(X, y)
    page = opened(model, X, y, X_test=X_test, y_test=y_test)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.locator("#rows tbody tr").first.click()
    found = axe.Axe().run(page).response["violations"]
    assert [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")] == []


def test_the_page_asks_nothing_of_the_network(page, data, tmp_path):
    X, _, y, _ = data
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    path = FastBoxesClassifier(pos_label="malignant").fit(X, y).report(X, y, tmp_path / "report.html").path
    page.goto(path.resolve().as_uri())
    assert asked == [path.resolve().as_uri()]
