"""The page and the script of docs/tutorial_analyst.rst make the same model."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from boxdraw import BoxSet, BoxSetClassifier
from boxdraw.cli.options import load_model
from boxdraw.model.file import Model, model_to_json

SCRIPT = Path(__file__).parents[2] / "examples" / "move_limit.py"
INF = float("inf")


@pytest.mark.skipif(not SCRIPT.exists(), reason="examples/ is not there: tests without the examples")
def test_typing_a_limit_and_a_reason(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    boxes = BoxSet([[-INF, -INF], [180, -INF]], [[4.95, 7], [INF, INF]], feature_names=["amount", "hour"])
    Path("model.json").write_text(model_to_json(Model(boxes, "fraud", ("no", "yes"))), encoding="utf-8")
    runpy.run_path(str(SCRIPT), run_name="__main__")
    BoxSetClassifier(boxes, classes=("no", "yes")).report([[3, 2], [50, 12]], ["yes", "no"], "report.html")
    page.goto(Path("report.html").resolve().as_uri())
    page.click("#box-0")
    page.fill("#field-0-1-upper", "5")
    page.press("#field-0-1-upper", "Enter")
    reason = page.get_by_role("textbox", name="reason")
    reason.fill("bakeries open at six")
    reason.press("Enter")
    with page.expect_download() as download:
        page.locator("[data-key=download]").click()
    download.value.save_as("page.json")
    by_script, in_page = load_model("signed.json"), load_model("page.json")
    assert in_page.boxes == by_script.boxes != boxes
    (said,), (done,) = by_script.edits, in_page.edits
    assert replace(done, time="") == replace(said, time="")
