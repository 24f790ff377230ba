"""What is on the screen first, and what follows a hand while it moves a limit."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from boxdraw import FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.model.scorecard import Scorecard
from boxdraw.report.closed_form import closed_form
from boxdraw.report.payload import array

from .test_pictures import handle, limit, middle, settle, steps, wait
from .test_shell import BOXES, X_TEST, Y_TEST, X, Y, _counts, _page_counts, _payload, show

__all__ = ["show"]  # a fixture

SIZES = [(1440, 900), (1024, 768), (390, 844)]
STORE = "boxdraw.store"


def bottom(page, selector):
    place = page.locator(selector).first.bounding_box()
    return place["y"] + place["height"]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_first_screen_has_a_sentence_the_rules_and_a_picture(show, size):
    page = show(edited=False)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    settle(page)
    (train, test) = _counts(BOXES)
    sentence = page.locator(".verdict-main")
    said = "Of {} rows with fraud = yes, {} are caught; {} false alarms among {} rows."
    assert sentence.inner_text() == said.format(sum(test[:2]), test[0], test[2], len(X_TEST))
    small = page.locator(".verdict-more").last
    assert small.inner_text() == "Training: " + said.format(sum(train[:2]), train[0], train[2], len(X))
    fonts = [float(one.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)")) for one in (sentence, small)]
    assert fonts[0] >= 1.25 * fonts[1]
    places = [bottom(page, selector) for selector in (".verdict-main", "#rules .boxes", ".plot .frame")]
    assert max(places) <= size[1]
    assert places[0] < page.locator("#rules").bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert page.locator(".editor").count() == 0


def test_print_has_the_same_order(show):
    page = show(edited=False)
    page.emulate_media(media="print")
    sheet = page.locator("#sheet").inner_text()
    words = [page.locator(".verdict-main").text_content(), "Box 1", "Results", "Changes to the learned model"]
    places = [sheet.index(word) for word in words]
    assert places == sorted(places)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_value_rule_and_result_are_on_the_screen_while_an_edge_moves(show, size):
    page = show(edited=False)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    settle(page)
    x, y = middle(handle(page, ".limits-picture", 0, "lower"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y)
    settle(page)
    value = limit(page, 0, 0)["lower"]
    assert value > 60
    assert page.locator(".bubble").inner_text() == f"age ≥ {value:g}"
    moving, digest = page.locator(".moving-rule"), page.locator(".digest")
    assert moving.inner_text().startswith(f"Box 1: age ≥ {value:g} and ")
    _, (caught, missed, alarms, _) = _counts(BOXES.replace(0, "age", lower=value))
    lost, fewer = (_counts(BOXES)[1][i] - now for i, now in ((0, caught), (2, alarms)))
    assert (lost, fewer) != (0, 0)
    change = [f" (−{by})" if by else "" for by in (lost, fewer)]
    assert digest.inner_text() == (
        f"Test: {caught} of {caught + missed} caught{change[0]}, {alarms} false alarms{change[1]}"
    )
    for shown in (moving, digest, page.locator(".bubble")):
        place = shown.bounding_box()
        assert place["y"] >= 0
        assert place["y"] + place["height"] <= size[1]
    page.mouse.up()
    assert page.locator(".bubble").count() == page.locator(".moving-rule").count() == 0


def test_home_end_and_pages_move_an_edge(show):
    page = show(edited=False)
    edge = handle(page, ".limits-picture", 0, "upper")
    edge.focus()
    page.keyboard.press("Home")
    assert limit(page, 0, 0)["upper"] == limit(page, 0, 0)["lower"] == 60  # edges never cross
    page.keyboard.press("PageUp")
    ten = limit(page, 0, 0)["upper"]
    page.keyboard.press("ArrowUp")
    assert ten - 60 == pytest.approx(10 * (limit(page, 0, 0)["upper"] - ten))
    page.keyboard.press("PageDown")
    assert 60 <= limit(page, 0, 0)["upper"] < ten
    page.keyboard.press("End")
    assert limit(page, 0, 0)["upper"] == np.inf


def test_the_head_stays_as_it_is_while_an_edge_moves(show):
    page = show(edited=False)
    page.set_viewport_size({"width": 390, "height": 844})
    x, y = middle(handle(page, ".plot", 0, "lower"))
    parts = ("#top", "#bar", "#rules")
    before = page.locator("#top").inner_text(), [page.locator(part).bounding_box()["y"] for part in parts]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y)
    settle(page)
    assert limit(page, 0, 0)["lower"] > 60
    assert "(" in page.locator(".digest").inner_text()  # which has the change meanwhile
    assert before == (page.locator("#top").inner_text(), [page.locator(part).bounding_box()["y"] for part in parts])
    page.mouse.up()
    settle(page)
    assert page.locator("#top").inner_text() != before[0]
    assert f"{_page_counts(page)[1][0]} are caught" in page.locator(".verdict-main").inner_text()


def test_the_sentence_has_the_noun_and_the_alarms_a_day(show):
    data = _payload() | {"noun": "payments", "days": 20}
    page = show(data, edited=False)
    train, test = _counts(BOXES)
    caught = f"Of {sum(test[:2])} payments with fraud = yes, {test[0]} are caught"
    said = f"{caught}; {test[2]} false alarms among {len(X_TEST)} payments"
    assert test[2] > 20
    assert page.locator(".verdict-main").inner_text() == f"{said}, {float(f'{test[2] / 20:.2g}'):g} a day."
    more = page.locator(".verdict-more").last.inner_text()
    assert more.endswith(f"{train[2]} false alarms among {len(X)} payments.")  # the days are those of test rows
    page.emulate_media(media="print")
    assert "a day." in page.locator("#sheet").inner_text()
    page = show(data | {"days": 10 * test[2]}, edited=False)
    assert page.locator(".verdict-main").inner_text() == f"{said}, 1 in 10 days."


def test_weighted_rows_say_so(show):
    data = _payload()
    assert "weights" not in show(data, edited=False).locator(".verdict").inner_text()
    data["data"]["test"]["weight"] = array(np.full(len(X_TEST), 2.0))
    page = show(data, edited=False)
    assert "Test rows, counted by their weights." in page.locator(".verdict").inner_text()
    assert f"among {2 * len(X_TEST)} rows" in page.locator(".verdict-main").inner_text()


def test_a_finger_moves_a_handle_and_scrolls_elsewhere(browser, show):
    address = show(edited=False).url
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(address)
    page.locator(".plot .frame").wait_for()
    touch = context.new_cdp_session(page)

    def swipe(x, y, dx, dy):
        points = [(x + dx * i / 8, y + dy * i / 8) for i in range(9)]
        for i, (px, py) in enumerate(points):
            kind = "touchMove" if i else "touchStart"
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": py}]})
            settle(page)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        settle(page)

    x, y = middle(handle(page, ".plot", 0, "lower"))
    before = page.evaluate("scrollY")
    swipe(x, y, 30, -60)
    assert limit(page, 0, 0)["lower"] > 60
    assert page.evaluate("scrollY") == before
    assert len(steps(page)) == 1
    frame = page.locator(".plot .frame").bounding_box()
    swipe(frame["x"] + 0.3 * frame["width"], frame["y"] + 0.1 * frame["height"], 0, -150)
    wait(page, f"scrollY > {before}")
    assert len(steps(page)) == 1
    context.close()


def test_unsaved_edits_are_kept_and_asked_about(show):
    page = show(edited=False)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    assert (asked, page.locator(".draft").count()) == ([], 0)
    edge = handle(page, ".limits-picture", 0, "lower")
    edge.focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("Tab")
    now, done = limit(page, 0, 0)["lower"], steps(page)
    assert (now > 60, len(done)) == (True, 1)
    page.reload()
    assert asked == ["beforeunload"]
    assert steps(page) == []
    page.locator(".draft").get_by_role("button", name="Take them up").click()
    assert (limit(page, 0, 0)["lower"], steps(page)) == (now, done)
    assert limit(page, 0, 0)["upper"] == np.inf  # which JSON does not have
    assert _page_counts(page) == _counts(BOXES.replace(0, "age", lower=now))
    with page.expect_download():
        page.get_by_role("button", name="Download model").first.click()
    page.reload()  # what is downloaded is saved
    assert asked == ["beforeunload"]
    page.locator(".draft").get_by_role("button", name="Discard").click()
    page.reload()
    assert page.locator(".draft").count() == 0
    page.get_by_role("button", name="Undo").is_disabled()


def test_the_slider_says_what_it_does_and_where_it_is_cheapest(show):
    model = FastBoxesClassifier(n_boxes=2, negative_weight=0.3, growth="free").fit(X, Y)
    critical = model.critical_weight(X_TEST)
    data = _payload(model.boxes_, closed_form=closed_form(model), closed_form_absent=None, false_alarm_cost=5.0)
    data["data"]["test"]["critical"] = array(critical)
    page = show(data)
    assert page.locator("#cost .outcome").inner_text().startswith("Catches what the learned rules catch.")
    page.locator("#cost").get_by_role("button", name=re.compile("^Go to the cheapest")).click()
    cost = page.evaluate(f"{STORE}.cost")
    stops = page.evaluate("Number(document.querySelector('#cost-slider').max)") + 1
    assert stops > 100

    def total(c):
        flagged = critical >= c
        return (~flagged & Y_TEST).sum() + 5 * (flagged & ~Y_TEST).sum()

    # No cost at which a test row changes sides is cheaper, but for what lies between two stops.
    assert total(cost) <= min(total(c) for c in critical[np.isfinite(critical)]) + 5
    assert "This is the cheapest point on test rows." in page.locator("#cost").inner_text()
    (learned, now) = (_counts(model.boxes_)[1], _page_counts(page)[1])
    outcome = page.locator("#cost .outcome").inner_text()
    assert now != learned
    for i, name in ((0, "caught"), (2, "false alarm")):
        by = now[i] - learned[i]
        word = f"{abs(by)} {'more' if by > 0 else 'fewer'} {name}" if by else f"as many {name}"
        assert word in outcome


def test_a_card_marks_its_cheapest_threshold(show):
    card = Scorecard(BOXES, [3, 2], threshold=5)
    page = show(_payload(card=card), edited=False)
    page.locator("#cost").get_by_role("button", name=re.compile("^Go to the cheapest")).click()

    def total(threshold):
        _, (_, missed, alarms, _) = _counts(Scorecard(BOXES, [3, 2], threshold=threshold))
        return missed + 0.5 * alarms

    threshold = page.evaluate(f"{STORE}.model.threshold")
    assert total(threshold) == min(map(total, range(1, 6)))


@pytest.mark.parametrize(
    "learner", [SparseBoxesClassifier(random_state=0), ScoredBoxesClassifier(max_boxes="auto")], ids=repr
)
def test_rules_of_other_lengths_can_be_chosen(page, tmp_path, learner):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :5]
    model = learner.set_params(pos_label=0).fit(X, y)
    points = list(model.frontier_)
    assert len(points) > 1
    page.goto(model.report(X, y, tmp_path / "page.html").path.resolve().as_uri())
    page.locator(".frontier summary").click()
    lines = page.locator(".frontier tbody tr")
    lines.first.wait_for()
    best = max(points, key=lambda point: point.score)
    for i, point in enumerate(points):
        text = lines.nth(i).inner_text()
        flagged = point.boxes.contains(X) if hasattr(point, "boxes") else point.scorecard.contains(X)
        alarms = (flagged & (y == 1)).sum()
        assert f"{(flagged & (y == 0)).sum()} caught, {alarms} false alarm" in text
        assert ("≈" in text) == (point.score >= best.score - best.error)
    lines.first.get_by_role("button").click()
    flagged = points[0].boxes.contains(X) if hasattr(points[0], "boxes") else points[0].scorecard.contains(X)
    assert (np.array(page.evaluate(f"Array.from({STORE}.train.flagged)"), bool) == flagged).all()
    assert steps(page)[0].startswith("Rules with ")
