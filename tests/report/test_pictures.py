"""The pictures of the page in a real browser: what they show, and what a hand on them does to the model."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet
from boxdraw.metrics import roc_hull
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import Scorecard
from boxdraw.plotting import BoxesDisplay
from boxdraw.report import build
from boxdraw.report.payload import Labelled, Subject, payload

from .javascript import run_js

INF = np.inf
AMOUNT = 'amount <img src=x onerror="alert(1)">'
REGIONS = ["east", "north", "south", "west"]
STORE = "window.boxdraw.store"


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    region = pd.Series(rng.choice(REGIONS, n), dtype=object)
    age = rng.integers(18, 90, n).astype(float)
    amount = rng.uniform(-10, 10, n).round(3)
    positive = (amount > 2) & (age > 50) & np.isin(region, ["north", "west"]) | (rng.random(n) < 0.05)
    age[rng.random(n) < 0.1] = np.nan
    region[rng.random(n) < 0.1] = None
    return pd.DataFrame({AMOUNT: amount, "age": age, "region": region, "other": rng.normal(size=n)}), positive


def boxes():
    rules = [
        Rule((Limit(AMOUNT, lower=2, upper=8), Limit("age", lower=45), Limit("region", categories={"north", "west"}))),
        Rule((Limit(AMOUNT, upper=-3), Limit("other", lower=-1.5, upper=2, missing=True))),
    ]
    return BoxSet.from_rules(rules, [AMOUNT, "age", "region", "other"], {"region": REGIONS})


@pytest.fixture
def opened(page, tmp_path):
    """A function that opens the page of the boxes on rows; whatever the page complains about fails the test."""
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))

    def open_page(n_train=300, n_test=200, scorecard=None, critical=None):
        train, test = table(n_train), table(n_test, seed=1) if n_test else None

        subject = Subject(boxes(), ("no", "yes"), scorecard, "fraud", closed_form_absent="written by hand")
        held_out = Labelled(*test) if n_test else None
        report = payload(subject, Labelled(*train, critical=critical), held_out, false_alarm_cost=0.5)
        path = tmp_path / "page.html"
        path.write_text(build.page(report), "utf-8")
        page.set_viewport_size({"width": 1200, "height": 1000})
        page.goto(path.as_uri())
        page.locator(".plot .frame").wait_for()
        return page

    yield open_page
    assert complaints == []


def model_of(page):
    """The boxes that the page has, as Python's."""
    features = page.evaluate(f"{STORE}.report.features")
    rules = []
    for box in page.evaluate(f"{STORE}.model.boxes"):
        limits = [
            Limit(
                feature["name"],
                lower=limit["lower"],
                upper=limit["upper"],
                categories=limit["codes"] and {feature["categories"][code] for code in limit["codes"]},
                missing=limit["missing"],
            )
            for feature, limit in zip(features, box["limits"], strict=True)
            if limit is not None
        ]
        rules.append(Rule(tuple(limits)))
    known = {feature["name"]: feature["categories"] for feature in features if feature["kind"] == "categorical"}
    return BoxSet.from_rules(rules, [feature["name"] for feature in features], known)


def assert_counts(page, n_train=300, n_test=200):
    """The page counts what Python counts with the same boxes."""
    model = model_of(page)
    for part, (X, positive) in (("train", table(n_train)), ("test", table(n_test, seed=1))):
        flagged = model.contains(X)
        assert page.evaluate(f"{STORE}.{part}.counts") == {
            "truePositives": (flagged & positive).sum(),
            "falsePositives": (flagged & ~positive).sum(),
            "falseNegatives": (~flagged & positive).sum(),
            "trueNegatives": (~flagged & ~positive).sum(),
        }


def limit(page, box, feature):
    return page.evaluate(f"{STORE}.model.boxes[{box}].limits[{feature}]")


def steps(page):
    return page.evaluate(f"{STORE}.steps.map((step) => step.what)")


def handle(page, picture, feature, side, box=0):
    return page.locator(f'{picture} [role=slider][data-box="{box}"][data-feature="{feature}"][data-side="{side}"]')


def middle(locator):
    locator.scroll_into_view_if_needed()
    place = locator.bounding_box()
    return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2


def drag(page, start, end, release=True):
    page.mouse.move(*start)
    page.mouse.down()
    for share in (0.3, 0.7, 1):
        page.mouse.move(*(a + share * (b - a) for a, b in zip(start, end, strict=True)))
    if release:
        page.mouse.up()
    settle(page)


def settle(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


def wait(page, condition):
    """Wait until something is so; Playwright's own way to wait is what the page's policy forbids."""
    for _ in range(12_000):  # ten minutes: a busy machine may be slow
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {condition}")


def test_an_edge_follows_the_pointer(opened):
    page = opened()
    assert page.locator(".scatter select").evaluate_all("all => all.map((one) => one.value)") == ["0", "1"]
    edge = handle(page, ".plot", 0, "lower")
    x, y = middle(edge)
    drag(page, (x, y), (x + 40, y), release=False)
    seen = page.evaluate(f"{STORE}.train.counts")
    assert steps(page) == []
    page.mouse.up()
    low, high = (float(edge.get_attribute(f"aria-value{end}")) for end in ("min", "max"))
    frame = page.locator(".plot .frame").bounding_box()
    unit = (high - low) / frame["width"]
    lower = limit(page, 0, 0)["lower"]
    assert lower == pytest.approx(low + (x + 40 - frame["x"]) * unit, abs=1.5 * unit)
    assert len(str(lower).split(".")[1]) <= 2  # as few digits as the pixels need
    assert limit(page, 0, 0)["upper"] == 8
    assert page.evaluate(f"{STORE}.train.counts") == seen
    assert [text.split(":")[0] for text in steps(page)] == ["Box 1"]
    assert_counts(page)
    page.evaluate(f"{STORE}.undo()")
    assert limit(page, 0, 0)["lower"] == 2


def test_whole_numbers_stay_whole(opened):
    page = opened()
    x, y = middle(handle(page, ".plot", 1, "lower"))
    drag(page, (x, y), (x, y - 31.5))
    assert limit(page, 0, 1)["lower"] == int(limit(page, 0, 1)["lower"]) > 45
    assert_counts(page)


def test_an_edge_is_pulled_out_of_the_picture_and_back_in(opened):
    page = opened()
    right = page.locator(".plot .frame").bounding_box()
    x, y = middle(handle(page, ".plot", 0, "upper"))
    drag(page, (x, y), (right["x"] + right["width"] + 30, y))
    assert limit(page, 0, 0)["upper"] == INF
    edge = handle(page, ".plot", 0, "upper")
    assert edge.get_attribute("aria-valuetext") == "no upper limit"
    x, y = middle(edge)
    drag(page, (x, y), (x - 60, y))
    assert 5 < limit(page, 0, 0)["upper"] < 10
    assert len(steps(page)) == 2
    assert_counts(page)


def test_edges_do_not_cross(opened):
    page = opened()
    x, y = middle(handle(page, ".plot", 0, "upper"))
    drag(page, (x, y), (x - 300, y))
    assert (limit(page, 0, 0)["lower"], limit(page, 0, 0)["upper"]) == (2, 2)
    assert_counts(page)


def test_escape_takes_a_drag_back(opened):
    page = opened()
    x, y = middle(handle(page, ".plot", 0, "lower"))
    drag(page, (x, y), (x + 50, y), release=False)
    assert limit(page, 0, 0)["lower"] > 2
    page.keyboard.press("Escape")
    assert limit(page, 0, 0)["lower"] == 2
    page.mouse.move(x + 70, y)
    page.mouse.up()
    assert limit(page, 0, 0)["lower"] == 2
    assert steps(page) == []
    assert_counts(page)


def test_parts_off_the_screen_wait_until_the_drag_ends_or_they_are_seen(opened):
    page = opened()
    page.set_viewport_size({"width": 1200, "height": 420})
    rules, bar = page.locator("#rules .boxes"), page.locator("#bar .digest")
    x, y = middle(handle(page, ".spreads", 0, "lower"))
    before, digest = rules.inner_text(), bar.inner_text()
    drag(page, (x, y), (x + 40, y), release=False)
    assert bar.inner_text() != digest  # what is on the screen goes along
    assert rules.inner_text() == before
    page.evaluate("document.querySelector('#rules').scrollIntoView()")
    wait(page, f"document.querySelector('#rules .boxes').innerText !== {json.dumps(before)}")
    shown = f"{limit(page, 0, 0)['lower']} ≤ {AMOUNT} ≤ 8"
    assert shown in rules.inner_text()
    page.keyboard.press("Escape")
    assert rules.inner_text() == before
    page.mouse.up()
    x, y = middle(handle(page, ".spreads", 0, "lower"))
    drag(page, (x, y), (x + 40, y))
    assert rules.inner_text() != before


def test_keys_move_an_edge_in_one_step_of_the_log(opened):
    page = opened()
    edge = handle(page, ".plot", 0, "lower")
    edge.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        settle(page)
    near = limit(page, 0, 0)["lower"]
    page.keyboard.press("Shift+ArrowRight")
    far = limit(page, 0, 0)["lower"]
    assert far - near == pytest.approx(10 / 3 * (near - 2))
    settle(page)
    assert float(edge.get_attribute("aria-valuenow")) == far
    wait(page, f"{STORE}.steps.length === 1")
    assert edge.evaluate("(edge) => edge === document.activeElement")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    assert limit(page, 0, 0)["lower"] == far
    page.keyboard.press("Delete")
    page.keyboard.press("Tab")  # leaving an edge keeps it where it is
    assert limit(page, 0, 0)["lower"] == -INF
    assert len(steps(page)) == 2
    assert_counts(page)


def test_a_box_is_drawn(opened):
    page = opened()
    page.get_by_role("button", name="Draw a box").click()
    page.locator(".plot .frame").scroll_into_view_if_needed()
    frame = page.locator(".plot .frame").bounding_box()
    start = (frame["x"] + 0.2 * frame["width"], frame["y"] + 0.3 * frame["height"])
    end = (frame["x"] + 0.4 * frame["width"], frame["y"] + frame["height"] * 0.5)
    drag(page, start, end)
    assert page.evaluate(f"[{STORE}.model.boxes.length, {STORE}.selected]") == [3, 2]
    drawn = limit(page, 2, 0), limit(page, 2, 1)
    # What the rules above need is room that the picture does not give: it stays under the pointer.
    assert page.locator(".plot .frame").bounding_box()["y"] == pytest.approx(frame["y"], abs=2)
    assert all(-INF < one["lower"] < one["upper"] < INF and not one["missing"] for one in drawn)
    assert steps(page)[0].startswith("Box 3 added: ")
    assert page.get_by_role("button", name="Draw a box").get_attribute("aria-pressed") == "false"
    assert_counts(page)


def test_a_box_is_drawn_without_a_pointer_and_given_a_point(opened):
    page = opened(scorecard=Scorecard(boxes(), [2, 3], threshold=2))
    draw = page.get_by_role("button", name="Draw a box")
    draw.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert (draw.get_attribute("aria-pressed"), steps(page)) == ("false", [])
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{STORE}.model.boxes.map((box) => box.points)") == [2, 3, 1]


def test_a_bar_has_ends_to_drag(opened):
    page = opened()
    x, y = middle(handle(page, ".spreads", 0, "upper"))
    drag(page, (x, y), (x - 35, y))
    assert 2 < limit(page, 0, 0)["upper"] < 8
    # An end of another box chooses that box; its handle has no role yet.
    grip = page.locator('.spreads .grip-end[data-box="1"][data-feature="3"][data-side="lower"]')
    x, y = middle(grip)
    drag(page, (x, y), (x + 30, y))
    assert -1.5 < limit(page, 1, 3)["lower"] < 2
    assert limit(page, 1, 3)["missing"] is True
    assert page.evaluate(f"{STORE}.selected") == 1
    assert len(steps(page)) == 2
    assert_counts(page)


def test_a_limit_is_added_from_the_border(opened):
    page = opened()
    edge = handle(page, ".spreads", 3, "lower")
    assert edge.get_attribute("aria-valuetext") == "no lower limit"
    x, y = middle(edge)
    drag(page, (x, y), (x + 120, y))
    assert limit(page, 0, 3)["lower"] > -INF
    assert limit(page, 0, 3)["missing"] is False
    assert_counts(page)


@pytest.mark.parametrize("where", ["chips", "axis"])
def test_categories_and_missing_values_are_let_in_and_kept_out(opened, where):
    page = opened()
    if where == "axis":
        page.locator(".scatter select").nth(0).select_option(label="region")
        settle(page)
    root = page.locator(".spreads" if where == "chips" else ".plot")

    def toggle(code):
        one = root.locator(f'[data-flip="{code}"][data-feature="2"]')
        if where == "chips":
            one.click()
        else:
            one.focus()
            page.keyboard.press("Enter")
        settle(page)
        return one

    state = "aria-pressed" if where == "chips" else "aria-checked"
    assert limit(page, 0, 2)["codes"] == [1, 3]
    assert toggle(0).get_attribute(state) == "true"
    assert limit(page, 0, 2)["codes"] == [0, 1, 3]
    toggle("missing")
    assert limit(page, 0, 2)["missing"] is True
    assert_counts(page)
    toggle(2)  # now the box admits everything
    assert limit(page, 0, 2) is None
    assert toggle("missing").get_attribute(state) == "false"
    assert limit(page, 0, 2) == {**limit(page, 0, 2), "codes": None, "missing": False}
    for code in (0, 1, 2):
        toggle(code)
    toggle(3)  # the last one stays: a box without values is no box
    assert limit(page, 0, 2)["codes"] == [3]
    assert_counts(page)


def test_the_pair_is_that_of_the_plot(opened):
    page = opened()
    rng = np.random.default_rng(3)
    for _ in range(5):
        lower = rng.normal(size=(3, 4))
        open_below, open_above = rng.random((2, 3, 4)) < 0.5
        some = BoxSet(np.where(open_below, -INF, lower), np.where(open_above, INF, lower + 1))
        X = rng.normal(size=(50, 4))
        report = payload(Subject(some, (0, 1)), Labelled(X, X[:, 0] > 0))
        call = "const made = readReport(report); return mostLimited({ report: made }, made.learned.boxes);"
        found = page.evaluate(f"(report) => {{ {build.bundle('spread')} {call} }}", report)
        shown = BoxesDisplay(some, X, X[:, 0] > 0).features
        assert [some.feature_names[j] for j in found] == list(shown)


def test_many_rows_are_thinned_and_it_says_so(opened):
    page = opened(n_train=6000, n_test=0)
    positives = int(table(6000)[1].sum())
    legend = page.locator(".scatter .legend").inner_text()
    assert f"{positives:,} rows" in legend
    assert f"{5000 - positives:,} of {6000 - positives:,} rows drawn" in legend
    assert "The boxes limit 4 features; this is their shadow on two." in legend
    x, y = middle(handle(page, ".plot", 0, "lower"))
    drag(page, (x, y), (x + 20, y))
    wait(page, "performance.getEntriesByName('boxdraw-drag').length > 0")


def test_rows_that_other_limits_refuse_are_faint(opened):
    page = opened()
    report = page.evaluate("JSON.parse(document.getElementById('boxdraw-data').textContent)")
    call = """(() => {
      const { data, learned } = readReport(argument);
      const rows = drawnRows(data.train);
      return [0, 1].map((k) => Array.from(refusedRows({ table: data.train, rows }, learned.boxes[k], [0, 1])));
    })()"""
    found = np.array(run_js(page, ["points"], call, report), dtype=bool)
    X = table(300)[0]
    assert found[0].tolist() == (~X["region"].isin(["north", "west"])).tolist()
    assert found[1].tolist() == (~X["other"].between(-1.5, 2)).tolist()


def test_the_box_in_front_is_chosen(opened):
    page = opened()
    page.locator("#picture .box-choice input").nth(1).check(force=True)
    settle(page)
    assert page.evaluate(f"{STORE}.selected") == 1
    assert handle(page, ".plot", 0, "upper", box=1).count() == 1
    page.locator('.plot .tag[data-pick="0"]').click()
    assert page.evaluate(f"{STORE}.selected") == 0
    assert page.locator("#picture .box-choice input").nth(0).is_checked()


def test_redrawing_a_part_gives_the_whole_picture(opened):
    page = opened()
    x, y = middle(handle(page, ".plot", 0, "lower"))
    drag(page, (x, y), (x + 45, y))
    pixels = "document.querySelector('.plot canvas').toDataURL()"
    parts = page.evaluate(pixels)
    page.emulate_media(color_scheme="dark")
    settle(page)
    dark = page.evaluate(pixels)
    page.emulate_media(color_scheme="light")
    settle(page)
    whole = page.evaluate(pixels)
    assert dark != whole
    assert parts == whole


def test_the_trade_off_shows_the_model_and_the_curve(opened):
    rng = np.random.default_rng(5)
    X, positive = table(300)
    critical = np.where(rng.random(300) < 0.1, INF, rng.exponential(size=300) + positive).round(1)
    page = opened(critical=critical)
    picture = page.locator(".trade-off svg[role=img]").first
    size = {side: float(picture.get_attribute(side)) for side in ("width", "height")}

    def place(fpr, tpr):  # the margins of the picture
        return 56 + fpr * (size["width"] - 78), size["height"] - 42 - tpr * (size["height"] - 54)

    def spot(selector):
        text = picture.locator(selector).first.get_attribute("transform")
        return tuple(map(float, re.findall(r"[\d.]+", text)))

    def rates(flagged):
        return flagged[~positive].mean(), flagged[positive].mean()

    now = rates(boxes().contains(X))
    assert spot(".spot.now.train") == pytest.approx(place(*now))
    assert picture.locator(".spot.paper").count() == 10
    assert spot(".spot.paper") == pytest.approx(place(*rates(critical >= 0.1)))
    points = [(0.0, 0.0), *(rates(critical >= c) for c in np.unique(critical)[::-1])]
    hull = np.transpose(roc_hull(*np.transpose(points)))
    drawn = re.findall(r"[\d.]+", picture.locator(".curve.hull.train").get_attribute("d"))
    expected = [coordinate for point in hull for coordinate in place(*point)]
    assert list(map(float, drawn)) == pytest.approx(expected, abs=0.06)
    label = picture.get_attribute("aria-label")
    assert f"catches {100 * now[1]:.1f}% of the positives and flags {100 * now[0]:.1f}% of the others" in label
    x, y = middle(handle(page, ".plot", 0, "lower"))
    drag(page, (x, y), (x + 60, y))
    moved = rates(model_of(page).contains(X))
    assert moved != now
    assert spot(".spot.now.train") == pytest.approx(place(*moved))
    assert spot(".spot.learned") == pytest.approx(place(*now))


def test_a_scorecard_has_the_curve_of_its_thresholds(opened):
    page = opened(scorecard=Scorecard(boxes(), [2, 3], threshold=3))
    score = boxes().membership(table(300)[0]) @ np.array([2, 3])
    drawn = page.locator(".trade-off .curve.roc.train").get_attribute("d")
    assert drawn.count("L") == len({(score >= s).sum() for s in np.unique(score)})
    assert "thresholds" in page.locator("#trade-off").inner_text()


def test_pictures_say_what_they_show(opened):
    page = opened()
    page.locator(".spreads svg").first.wait_for()
    text = page.locator(".plot canvas").get_attribute("aria-label")
    assert f"{AMOUNT} across, age up" in text
    assert f"Box 1: 2 ≤ {AMOUNT} ≤ 8 and age ≥ 45." in text
    assert page.locator(".picture img").count() == 0
    names = page.locator(".picture svg[role=group], .picture svg[role=img]").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert all(names)
    assert json.dumps(names).count("Histogram of") == 3


@pytest.mark.parametrize("width", [390, 1200])
def test_pictures_fit_the_page(opened, width):
    page = opened()
    page.set_viewport_size({"width": width, "height": 900})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
