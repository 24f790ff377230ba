"""Many boxes, limits and categories: what matters first, the rest folded, on axes that show it."""

import hashlib
import re

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet, FastBoxesClassifier
from boxdraw.datasets import load_dataset
from boxdraw.model.rule import Limit, Rule

from .javascript import run_js
from .test_pictures import settle
from .test_shell import BOXES, X_TEST, Y_TEST, X, Y, _payload, _steps, _type, show

__all__ = ["show"]  # a fixture


@pytest.fixture(scope="module")
def twelve():
    """A model of twelve boxes with many limits each, and its rows."""
    X, y = load_dataset("hypothyroid", return_X_y=True)
    model = FastBoxesClassifier(n_boxes=12, random_state=0).fit(X, y)
    assert (len(model.boxes_), model.boxes_.n_limits > 100) == (12, True)
    return model, X, y


@pytest.fixture
def opened(page, twelve, tmp_path):
    """Its page, on the widest of the three screens."""
    model, X, y = twelve
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(model.report(X, y, tmp_path / "page.html", X_test=X, y_test=y).path.resolve().as_uri())
    page.locator(".plot .frame").wait_for()
    settle(page)
    return page


@pytest.mark.parametrize(("size", "n_rules"), [((1440, 900), 5), ((1024, 768), 3), ((390, 844), 1)], ids=str)
def test_the_first_screen_has_rules_of_twelve_boxes_their_counts_and_the_picture(opened, size, n_rules):
    opened.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    settle(opened)
    cards = opened.locator("#rules > .stack > .boxes > .box")
    seen = [(".verdict-main", 0), *((".box-counts", k) for k in range(n_rules)), (".plot .frame", 0)]
    for selector, k in seen:
        place = (
            cards.nth(k).locator(selector) if selector == ".box-counts" else opened.locator(selector)
        ).bounding_box()
        assert place["y"] + place["height"] <= size[1], selector
    assert "Test: " in cards.first.locator(".box-counts").inner_text()
    assert opened.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=str)
def test_numbers_of_boxes_do_not_hide_each_other(opened, size):
    opened.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    settle(opened)
    places = opened.locator(".plot .tag").evaluate_all(
        "(all) => all.map((one) => { const { left, right, top, bottom } = one.getBoundingClientRect();"
        " return [left, right, top, bottom]; })"
    )
    assert 2 <= len(places) <= 12
    assert opened.locator(".plot .tag.chosen").count() == 1
    for i, (left, right, top, bottom) in enumerate(places):
        for other in places[:i]:
            assert left >= other[1] or right <= other[0] or top + 2 >= other[3] or bottom - 2 <= other[2]


def test_twelve_boxes_take_four_screens_with_the_first_first(opened, twelve):
    page, (model, X, y) = opened, twelve
    assert page.evaluate("document.documentElement.scrollHeight") <= 4 * 900
    # Each box adds most to those before it.
    order = [int(name.split()[1]) - 1 for name in page.locator(".box h3 button").evaluate_all(
        "(all) => all.map((one) => one.firstChild.data)"
    )]  # fmt: skip
    assert sorted(order) == list(range(12))
    member = model.boxes_.membership(X)[:, order] & (y == model.pos_label_).to_numpy()[:, None]
    seen, gains = np.zeros(len(X), bool), []
    for k in range(12):
        added = (member[:, k:] & ~seen[:, None]).sum(axis=0)
        gains.append(added[0])
        assert added[0] == added.max()
        seen |= member[:, k]
    minor = page.locator(".minor")
    shown = page.locator("#rules .stack > .boxes > li").count()
    assert 5 <= shown < 12
    assert minor.locator("li.box").count() == 12 - shown
    assert minor.locator("summary").first.inner_text().startswith(f"{12 - shown} more boxes: {sum(gains[shown:])} more")


def test_limits_that_keep_out_most_come_first_and_the_others_fold(show):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((500, 10)), columns=[f"x{j}" for j in range(10)])
    cuts = [0.02, 0.05, 0.6, 0.01, 0.3, 0.03, 0.04, 0.45, 0.015, 0.025]
    y = (X.to_numpy() >= cuts).all(axis=1)
    boxes = BoxSet.from_rules([Rule(tuple(Limit(f"x{j}", lower=cut) for j, cut in enumerate(cuts)))], list(X))
    page = show(_payload(boxes, train=(X, y), test=None), edited=False)
    outside = ~(X.to_numpy() >= cuts)
    alone = [(outside[:, j] & (outside.sum(axis=1) == 1)).sum() for j in range(10)]
    order = sorted(range(10), key=lambda j: (-alone[j], j))
    conditions = page.locator(".box .condition")
    expected = [f"x{j} ≥ {cuts[j]}" for j in order]
    assert conditions.all_inner_texts() == expected[:6]
    page.get_by_text("and 4 limits that keep out less").click()
    page.locator(".box details .condition").first.wait_for()
    assert conditions.all_inner_texts() == expected


def test_long_lists_of_categories_are_cut_and_can_be_searched(show):
    names = [f"shop{i:04d}" for i in range(2400)]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"shop": rng.choice(names, 3000), "amount": rng.random(3000)})
    allowed = frozenset(names[:2306])
    boxes = BoxSet.from_rules([Rule((Limit("shop", categories=allowed),))], list(X), {"shop": names})
    page = show(_payload(boxes, train=(X, rng.random(3000) < 0.1), test=None))
    assert "… and 2,300 more}" in page.locator(".box .rule").inner_text()
    assert page.locator(".spreads .chip").count() == 24
    assert "… and 2,376 more" in page.locator(".spreads .chips").inner_text()
    checks = page.locator(".codes .check")
    assert checks.count() == 60
    page.get_by_label("Find a category of shop").fill("shop2399")
    assert checks.all_inner_texts() == ["shop2399"]
    checks.first.locator("input").check()
    codes = page.evaluate("boxdraw.store.model.boxes[0].limits[0].codes")
    assert codes == [*range(2306), 2399]
    page.emulate_media(media="print")
    assert "shop2399" in page.locator("#sheet").inner_text()  # the sheet has all of them


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_skewed_values_around_zero_get_a_log_axis_in_both_directions(page, sign):
    rng = np.random.default_rng(0)
    values = np.concatenate([np.zeros(50), rng.lognormal(0, 2, 950)])
    values = values * rng.choice([-1, 1], 1000) if sign == 0 else values * sign
    expression = """(() => {
      const table = { columns: [Float64Array.from(argument)] };
      const features = [{ name: "x", kind: "numeric" }];
      const store = { report: { features, data: { train: table, test: null } }, model: { boxes: [] } };
      const spread = spreadOf(store, 0);
      const scale = makeScale(axisRange(store, 0, true), 0, 400);
      const back = argument.map((value) => scale.value(scale.place(value)));
      return { spread, back, low: scale.low, high: scale.high, ticks: tickValues(scale, 40),
        places: tickValues(scale, 40).map((value) => scale.place(value)) };
    })()"""
    found = run_js(page, ["spread", "scale"], expression, values.tolist())
    assert found["spread"]["skewed"] is True
    assert found["back"] == pytest.approx(values, abs=1e-9 * np.abs(values).max())
    assert found["low"] < values.min() <= values.max() < found["high"]
    assert 0 in found["ticks"]
    assert len(found["ticks"]) >= 4
    assert min(np.diff(found["places"])) >= 40
    plain = run_js(page, ["spread", "scale"], expression, rng.normal(size=1000).tolist())
    assert plain["spread"]["skewed"] is False


def test_precision_starts_where_a_positive_is_caught(page):
    curve = {
        "critical": [3, 2, 1],
        "truePositives": [0, 1, 2],
        "falsePositives": [1, 1, 3],
        "positives": 2,
        "negatives": 3,
    }
    assert run_js(page, ["curve_shapes"], "derived(argument).precision", curve) == [[0.5, 0.5], [1, 0.4]]


def test_figures_of_a_sample_are_whole(show):
    page = show(_payload(test=None, max_rows=150))
    figures = page.locator(".verdict, .results tbody.confusion b, .box-counts, .digest").all_inner_texts()
    assert not any(re.search(r"\d\.\d", text) for text in figures)
    assert "about" in page.locator(".verdict-main").inner_text()


def test_the_sheet_says_which_files_and_how_each_box_does(show, tmp_path):
    data = _payload(digest="0123456789abcdef")
    data["data"]["train"]["source"], data["data"]["test"]["source"] = "october.csv", "november.csv"
    page = show(data)
    _type(page, "Least age in Box 1", "60.123456789012345")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download model").first.click()
    content = waiting.value.path().read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:16]
    page.locator("#sheet", has_text=digest).wait_for(state="attached")
    page.emulate_media(media="print")
    sheet = page.locator("#sheet").inner_text()
    assert len(_steps(page)) == 1
    assert "made from the model file with the hash 0123456789abcdef" in sheet
    assert "400 training rows of october.csv" in sheet
    assert "200 test rows of november.csv" in sheet
    exact = BOXES.replace(0, "age", lower=60.123456789012345)
    assert f"age ≥ {float(exact.lower[0, 0])!r}" in sheet
    for k, box in enumerate(exact.membership(X_TEST).T):
        right, all_rows = (box & Y_TEST).sum(), box.sum()
        assert f"Test: {right} of {all_rows} right ({100 * right / all_rows:.0f}%, " in sheet.split("Box ")[k + 1]
    assert len(X) == len(Y) == 400
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1


def test_a_range_beyond_the_largest_number_is_drawn_without_nan(show):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"wide": rng.choice([-1.7e308, -1e308, -1.0, 0.0, 1e308, 1.7e308], 300), "x": rng.random(300)})
    y = (X["wide"] >= 1e308).to_numpy() & (X["x"] > 0.3).to_numpy()
    boxes = BoxSet.from_rules([Rule((Limit("wide", lower=5e307), Limit("x", lower=0.3)))], list(X))
    page = show(_payload(boxes, train=(X, y), test=None), edited=False)
    page.locator(".plot .frame").wait_for()
    settle(page)
    drawn = page.locator("svg").evaluate_all("(all) => all.map((one) => one.outerHTML).join()")
    assert "NaN" not in drawn
    assert "Infinity" not in drawn
    assert page.locator(".spreads svg rect.positive").count() > 1
