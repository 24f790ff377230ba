"""The page in a real browser: what is typed changes the counts as Python does, and every step can be taken back."""

import re

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet, FastBoxesClassifier
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import Scorecard
from boxdraw.report import build
from boxdraw.report.payload import Labelled, Subject, payload

COUNTS = ("truePositives", "falseNegatives", "falsePositives", "trueNegatives")


def _data(seed, n):
    """Rows with numbers, categories and missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": np.round(rng.lognormal(3, 1, n), 2),
            "region": rng.choice(["east", "north", "west"], n),
        }
    )
    positive = (((frame.age > 60) & (frame.region == "north")) | (rng.random(n) < 0.05)).to_numpy()
    frame.loc[rng.random(n) < 0.1, "income"] = np.nan
    return frame, positive


X, Y = _data(0, 400)
X_TEST, Y_TEST = _data(1, 200)
NORTH = Limit("region", categories=frozenset({"north", "west"}))
BOXES = BoxSet.from_rules(
    [Rule((Limit("age", lower=60), NORTH)), Rule((Limit("age", lower=20, upper=40), Limit("income", upper=30)))],
    list(X),
    {"region": ["east", "north", "west"]},
)


def _payload(boxes=BOXES, card=None, train=(X, Y), test=(X_TEST, Y_TEST), max_rows=10**6, **other):
    subject = Subject(boxes, ("no", "yes"), card, "fraud", title="Fraud", closed_form_absent="No closed form.")
    held_out = None if test is None else Labelled(*test)
    return payload(subject, Labelled(*train), held_out, false_alarm_cost=0.5, max_rows=max_rows) | other


@pytest.fixture
def show(page, tmp_path):
    """A function that opens the page of a payload, and the fields of its first box."""

    def show(data=None, edited=True):
        path = tmp_path / "report.html"
        path.write_text(build.page(data or _payload()), "utf-8")
        page.goto(path.as_uri())
        if edited and page.locator("#box-0").count():
            page.locator("#box-0").click()
        return page

    return show


def _page_counts(page):
    counts = page.evaluate("[boxdraw.store.train.counts, boxdraw.store.test.counts]")
    return [[found[name] for name in COUNTS] for found in counts]


def _counts(model):
    """What Python counts on training and test rows."""
    result = []
    for data, positive in ((X, Y), (X_TEST, Y_TEST)):
        flagged = np.asarray(model.contains(data))
        cells = (flagged & positive, ~flagged & positive, flagged & ~positive, ~flagged & ~positive)
        result.append([int(cell.sum()) for cell in cells])
    return result


def _shown_counts(page):
    """What the table of results shows, by set: caught, missed, false alarms, let pass."""
    (caught, missed, *test_upper), (alarms, passed, *test_lower) = (
        [int(text) for text in row.locator("b").all_inner_texts()] for row in page.locator(".confusion tr").all()
    )
    return [[caught, missed, alarms, passed], [*test_upper, *test_lower]]


def _steps(page):
    return page.evaluate("boxdraw.store.steps.map((step) => step.what)")


def _rules(page):
    return page.locator(".box .rule").all_inner_texts()


def _field(page, label):
    return page.get_by_label(label, exact=True)


def _type(page, label, text):
    _field(page, label).fill(text)
    _field(page, label).press("Enter")


def test_counts_rules_and_figures_are_those_of_python(show):
    page = show()
    assert _page_counts(page) == _shown_counts(page) == _counts(BOXES)
    assert [f"Box {k}: {text}" for k, text in enumerate(_rules(page), 1)] == BOXES.to_text().splitlines()
    caught, missed, alarms, passed = _counts(BOXES)[1]
    table = page.locator(".results").inner_text()
    assert f"{100 * caught / (caught + alarms):.1f}%" in table
    assert f"{100 * caught / (caught + missed):.1f}%" in table
    assert f"{100 * alarms / (alarms + passed):.1f}%" in table


def test_typed_limit_changes_counts_as_python_does(show):
    page = show()
    _type(page, "Least age in Box 1", "70")
    edited = BOXES.replace(0, "age", lower=70)
    assert _page_counts(page) == _shown_counts(page) == _counts(edited) != _counts(BOXES)
    assert _steps(page) == ["Box 1: age ≥ 60 → age ≥ 70"]
    assert [f"Box {k}: {text}" for k, text in enumerate(_rules(page), 1)] == edited.to_text().splitlines()
    fewer = _counts(BOXES)[1][2] - _counts(edited)[1][2]
    assert re.search(rf"Test: .*\b{fewer} fewer false alarm", page.locator(".changes").inner_text())
    assert "Edited, 1 change" in page.locator("#bar").inner_text()


@pytest.mark.parametrize("width", [390, 1280])
def test_figures_stay_within_their_cells_and_on_one_line(show, width):
    many = np.full(len(X), 10_000.0)
    boxes = BoxSet.from_rules([Rule((Limit("age", lower=0),)), Rule((NORTH,))], list(X), {"region": ["north", "west"]})
    page = show(_payload(boxes, train=(X, np.ones(len(X), dtype=bool), many)) | {"false_alarm_cost": 0.043478})
    page.set_viewport_size({"width": width, "height": 900})
    cut = page.locator(".results td, .box .figures th, .box .figures td, .price input").evaluate_all(
        "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)"
    )
    lines = page.locator(".confusion b").evaluate_all("(all) => all.map((one) => one.getClientRects().length)")
    assert cut == []
    assert set(lines) == {1}


def test_number_counts_while_it_is_typed_and_escape_takes_it_back(show):
    page = show()
    _field(page, "Least age in Box 1").fill("75")
    assert page.locator("#bar .mark").inner_text() == "Edited"
    assert _page_counts(page) == _counts(BOXES.replace(0, "age", lower=75))
    assert _steps(page) == []
    _field(page, "Least age in Box 1").press("Escape")
    assert _page_counts(page) == _counts(BOXES)
    assert _field(page, "Least age in Box 1").input_value() == "60"


@pytest.mark.parametrize(
    ("label", "text", "error"),
    [
        ("Least age in Box 1", "old", "is not a number"),
        ("Least age in Box 1", "0x10", "is not a number"),
        ("Greatest age in Box 1", "59", "must not be below 60"),
    ],
)
def test_invalid_typing_leaves_the_model(show, label, text, error):
    page = show()
    _type(page, label, text)
    assert error in page.locator(".editor [role=alert]").inner_text()
    assert _field(page, label).get_attribute("aria-invalid") == "true"
    assert _field(page, label).input_value() == text
    assert _steps(page) == []
    assert _page_counts(page) == _counts(BOXES)
    _type(page, label, "65")
    assert page.locator(".editor [role=alert]").count() == 0
    assert len(_steps(page)) == 1


def test_tab_keeps_what_was_typed_and_goes_on(show):
    page = show()
    _field(page, "Least age in Box 1").fill("70")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "field-0-0-upper"
    assert _steps(page) == ["Box 1: age ≥ 60 → age ≥ 70"]


def test_undo_and_redo_by_button_and_keyboard(show):
    page = show()
    _type(page, "Least age in Box 1", "70")
    _field(page, "Greatest age in Box 1").press_sequentially("8")
    page.keyboard.press("Control+z")  # while one types this is the undo of the field
    assert len(_steps(page)) == 1
    assert _field(page, "Greatest age in Box 1").input_value() == ""
    page.get_by_role("button", name="Undo").click()
    assert _steps(page) == []
    assert _page_counts(page) == _counts(BOXES)
    assert _field(page, "Least age in Box 1").input_value() == "60"
    page.get_by_role("button", name="Redo").click()
    assert _page_counts(page) == _counts(BOXES.replace(0, "age", lower=70))
    page.locator("#box-0").focus()
    page.keyboard.press("Control+z")
    assert _steps(page) == []
    _type(page, "Least age in Box 1", "80")
    page.keyboard.press("Control+z")
    assert _steps(page) == []
    assert _field(page, "Least age in Box 1").input_value() == "60"
    _type(page, "Least age in Box 1", "70")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+Z")
    assert _steps(page) == ["Box 1: age ≥ 60 → age ≥ 70"]


def test_categories_missing_values_and_limits(show):
    page = show()
    page.get_by_role("checkbox", name="west").uncheck()
    edited = BOXES.replace(0, "region", categories={"north"})
    assert _page_counts(page) == _counts(edited)
    page.get_by_role("checkbox", name="north").click()
    assert "At least one category" in page.locator(".editor [role=alert]").inner_text()
    assert page.get_by_role("checkbox", name="north").is_checked()
    assert _page_counts(page) == _counts(edited)
    page.get_by_role("button", name="Drop the limit on region").click()
    assert _page_counts(page) == _counts(BOXES.drop_limit(0, "region"))
    page.locator("#box-1").click()
    page.locator("#limit-1-1").get_by_role("checkbox").check()
    both = BOXES.drop_limit(0, "region").replace(1, "income", missing=True)
    assert _page_counts(page) == _counts(both) != _counts(BOXES.drop_limit(0, "region"))


def test_added_limit_keeps_the_positives_of_the_box(show):
    page = show()
    page.get_by_label("Limit on", exact=True).select_option(label="income")
    page.get_by_role("button", name="Add limit").click()
    held = np.asarray(BOXES[0].contains(X)) & Y
    income = X["income"][held]
    edited = BOXES.replace(0, "income", lower=income.min(), upper=income.max(), missing=bool(income.isna().any()))
    assert _page_counts(page) == _counts(edited)
    assert _counts(edited)[0][0] == _counts(BOXES)[0][0]
    assert page.evaluate("document.activeElement.id") == "field-0-1-lower"


def test_drop_duplicate_and_add_boxes(show):
    page = show()
    page.get_by_role("button", name="Duplicate box").click()
    assert _page_counts(page) == _counts(BOXES)
    assert "The same as Box 1." in page.locator(".box.chosen .notes").inner_text()
    page.get_by_role("button", name="Drop box").click()
    page.locator("#box-0").click()
    page.get_by_role("button", name="Drop box").click()
    assert _page_counts(page) == _counts(BOXES.drop_box(0))
    page.get_by_text("Add a box", exact=True).click()
    page.get_by_label("Feature", exact=True).select_option(label="income")
    page.get_by_label("from", exact=True).fill("50")
    page.get_by_label("to", exact=True).fill("40")
    page.get_by_role("button", name="Add box").click()
    assert "must not be above" in page.locator(".new-box [role=alert]").inner_text()
    page.get_by_label("to", exact=True).fill("")
    page.get_by_role("button", name="Add box").click()
    assert _page_counts(page) == _counts(BOXES.drop_box(0).add_box({"income": (50, np.inf)}))
    assert _steps(page)[-1] == "Box 2 added: income ≥ 50"


def test_reason_is_kept_in_the_log_and_on_the_sheet(show):
    page = show()
    _type(page, "Least age in Box 1", "70")
    _field(page, "Reason for: Box 1: age ≥ 60 → age ≥ 70").fill("seen in <b>audit</b>")
    page.keyboard.press("Tab")
    assert page.evaluate("boxdraw.store.steps[0].reason") == "seen in <b>audit</b>"
    with page.expect_download() as download:
        page.get_by_role("button", name="Download log").click()
    text = download.value.path().read_text("utf-8")
    assert "Box 1: age ≥ 60 → age ≥ 70\n    Reason: seen in <b>audit</b>" in text
    page.get_by_role("button", name="Back to the learned model").click()
    assert _page_counts(page) == _counts(BOXES)
    page.get_by_role("button", name="Undo").click()
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
    page.emulate_media(media="print")
    sheet = page.locator("#sheet")
    assert sheet.is_visible()
    assert not page.locator("main").is_visible()
    assert "age ≥ 70" in sheet.inner_text()
    assert "Reason: seen in <b>audit</b>" in sheet.inner_text()
    assert all(word in sheet.inner_text() for word in ("Name", "Date", "Signature"))


def test_points_and_threshold_of_a_scorecard(show):
    card = Scorecard(BOXES, [3, 2], threshold=4)
    page = show(_payload(card=card))
    assert _page_counts(page) == _counts(card)
    _type(page, "Points of Box 1", "1.5")
    assert "whole number" in page.locator(".editor [role=alert]").inner_text()
    _type(page, "Points of Box 1", "0")
    assert "drop it instead" in page.locator(".editor [role=alert]").inner_text()
    _type(page, "Points of Box 1", "5")
    assert _page_counts(page) == _counts(Scorecard(BOXES, [5, 2], threshold=4))
    assert _steps(page) == ["Box 1: 3 points → 5 points"]
    for title in ("What each threshold means", "The same as a union of boxes"):
        page.get_by_text(title, exact=True).click()
    page.get_by_role("button", name="Use 2", exact=True).click()
    low = Scorecard(BOXES, [5, 2], threshold=2)
    assert _page_counts(page) == _counts(low)
    written = [f"Box {k}: {text}" for k, text in enumerate(page.locator(".union .rule").all_inner_texts(), 1)]
    assert written == low.union().to_text().splitlines()
    _type(page, "Points of Box 1", "-1")
    assert _page_counts(page) == _counts(Scorecard(BOXES, [-1, 2], threshold=2))
    assert "negative points" in page.locator(".union").inner_text()


def test_keys_on_the_threshold_are_one_step(show):
    page = show(_payload(card=Scorecard(BOXES, [3, 2], threshold=4)))
    page.locator("#threshold-slider").focus()
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    assert _page_counts(page) == _counts(Scorecard(BOXES, [3, 2], threshold=2))
    page.keyboard.press("Tab")
    assert _steps(page) == ["Threshold: 4 → 2"]


def test_slider_draws_the_boxes_of_python(show):
    closed = pytest.importorskip("boxdraw.report.closed_form")
    model = FastBoxesClassifier(n_boxes=2, negative_weight=0.3).fit(X, Y)
    page = show(_payload(model.boxes_, closed_form=closed.closed_form(model), closed_form_absent=None))
    page.evaluate("document.dispatchEvent(new CustomEvent('boxdraw:cost', { detail: { cost: 0.1 } }))")
    near = page.evaluate("boxdraw.store.cost")
    assert near == pytest.approx(0.1, rel=0.1)
    assert _page_counts(page) == _counts(model.path([near])[0].boxes)
    assert _steps(page) == [f"Cost of a false alarm: 0.3 → {near:.3g}"]
    page.locator(".limits .drop").first.click()
    assert "changed by hand" in page.locator("#cost").inner_text()
    page.locator("#cost-slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    cost = page.evaluate("boxdraw.store.cost")
    assert cost > near
    assert _page_counts(page) == _counts(model.path([cost])[0].boxes)
    page.keyboard.press("Control+z")
    assert page.evaluate("boxdraw.store.cost") == near
    assert len(_steps(page)) == 2


def test_drag_of_the_slider_is_one_step_back_and_forth(show):
    closed = pytest.importorskip("boxdraw.report.closed_form")
    model = FastBoxesClassifier(n_boxes=2, negative_weight=0.3).fit(X, Y)
    page = show(_payload(model.boxes_, closed_form=closed.closed_form(model), closed_form_absent=None))
    page.locator("#cost-slider").scroll_into_view_if_needed()
    place = page.locator("#cost-slider").bounding_box()
    middle = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + place["width"] * 0.9, middle)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.2, middle, steps=5)
    assert _steps(page) == []
    cost = page.evaluate("boxdraw.store.cost")
    assert _page_counts(page) == _counts(model.path([cost])[0].boxes)
    page.mouse.up()
    assert len(_steps(page)) == 1
    page.keyboard.press("Control+z")
    assert page.evaluate("boxdraw.store.edited") is False
    assert page.evaluate("boxdraw.store.cost") == 0.3


def test_closed_editor_stays_closed(show):
    page = show()
    page.locator("#box-0").click()
    assert page.locator(".editor").count() == 0
    page.evaluate("boxdraw.store.commit('x', { ...boxdraw.store.model, boxes: boxdraw.store.model.boxes.slice(0, 1) })")
    assert page.locator(".editor").count() == 0
    page.locator("#box-0").click()
    assert page.locator("#box-0").get_attribute("aria-expanded") == "true"


def test_price_changes_the_total_only(show):
    page = show()
    _type(page, "A false alarm costs", "2")
    cells = page.locator(".results tr").last.locator("td").all_inner_texts()
    assert cells == [f"{missed + 2 * alarms:,}" for _, missed, alarms, _ in _counts(BOXES)]
    _type(page, "A false alarm costs", "-1")
    assert "not below 0" in page.locator("#cost [role=alert]").inner_text()
    assert page.evaluate("boxdraw.store.price") == 2
    assert _steps(page) == []


def test_without_test_rows_or_closed_form_the_page_says_so(show):
    page = show(_payload(test=None))
    assert "judged on the rows that it was drawn on" in page.locator("#top").inner_text()
    assert page.locator("#cost input").evaluate_all("(all) => all.map((one) => one.id)") == ["field-price"]


def test_sample_is_stated(show):
    page = show(_payload(test=None, max_rows=100))
    assert "estimates from a sample of 100 of 400 rows" in page.locator("#top").inner_text()
    assert page.locator(".verdict-main").inner_text().startswith("Of about 74 rows with fraud = yes, ")


def test_missed_positives_lead_to_the_rows(show):
    page = show()
    page.evaluate("document.addEventListener('boxdraw:filter', ({ detail }) => { window.asked = detail; })")
    page.get_by_role("button", name="Show the missed test rows").click()
    assert page.evaluate("window.asked") == {"set": "test", "kind": "missed"}
    assert page.evaluate("document.activeElement.id") == "rows"


def test_no_boxes_and_hostile_names(show):
    names = ["</script><script>window.hit = 1</script>", '"><img src=x onerror="window.hit = 2">', "a\nb\u202e{{data}}"]
    hostile = X.set_axis(names, axis=1)
    boxes = BoxSet.from_rules([], names, {names[2]: ["east", "<i>", "west"]})
    hostile[names[2]] = hostile[names[2]].replace("north", "<i>")
    texts = {"title": "<img src=x>", "classes": ["<b>", "</style>"], "target": names[0], "closed_form_absent": names[1]}
    page = show(_payload(boxes, train=(hostile, Y), test=None, **texts))
    assert "There is no box" in page.locator("#rules").inner_text()
    page.get_by_text("Add a box", exact=True).click()
    page.get_by_label("Feature", exact=True).select_option(label="a\\nb\\u202e{{data}}")
    page.get_by_role("button", name="Add box").click()
    assert page.evaluate("window.hit") is None
    assert page.locator("img, main script").count() == 0
    assert _rules(page)[0].startswith("a\\nb\\u202e{{data}} ")


def test_stability_is_listed_below_the_rules_and_stays_as_it_is(show):
    lines = [
        "Box 1: age ≥ 60 (55 to 62) <b>   [found in 96%]",
        "Box 2: every row   [found in 2%]",
        "50 bootstrap samples.",
    ]
    page = show(_payload(stability=lines))
    part = page.locator("#rules").locator("div.stack", has_text="Learned again from samples")
    assert part.locator("li").all_text_contents() == lines[:2]
    assert part.locator("p").all_text_contents() == lines[2:]
    _type(page, "Least age in Box 1", "70")
    assert part.locator("li").all_text_contents() == lines[:2]
    assert "Learned again" not in show(_payload()).locator("#rules").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_no_serious_fault(show, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    stability = ["3 points (2 to 4): age ≥ 60 (55 to 62)   [found in 96%]", "50 bootstrap samples."]
    page = show(_payload(card=Scorecard(BOXES, [3, 2], threshold=4), stability=stability))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.get_by_text("Add a box", exact=True).click()
    _type(page, "Least age in Box 1", "70")
    _type(page, "Greatest age in Box 1", "wrong")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The policy of the page lets no script in, not even that of axe, so it is run from outside.
    found = axe.Axe().run(page).response
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}
    serious = [fault for fault in found["violations"] if fault["impact"] in ("serious", "critical")]
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in serious] == []
