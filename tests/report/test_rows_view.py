"""The list of rows in the page: filters, order, pages, and what it says of a row."""

import json

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet
from boxdraw.model.explain import explain
from boxdraw.model.scorecard import Scorecard
from boxdraw.report import build
from boxdraw.report.payload import Labelled, Subject, payload

INF = float("inf")
HOSTILE = "</script><script>window.hacked = 1</script>"


def report(boxes, train, test=None, card=None, most=50_000, target="fraud"):
    """Return the data of a page; rows come as (X, labels)."""

    def labelled(rows):
        return None if rows is None else Labelled(rows[0], np.asarray(rows[1], bool), ids=names_of(rows[0]))

    subject = Subject(boxes, ("no", "yes"), card, target, title="Test", closed_form_absent="none here")
    return payload(subject, labelled(train), labelled(test), false_alarm_cost=0.5, max_rows=most)


def names_of(X):
    return list(X.index) if isinstance(X, pd.DataFrame) and not isinstance(X.index, pd.RangeIndex) else None


def frame(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n).round(1),
            HOSTILE: rng.choice(["north", "east", "a, b", None], n),
            "unused": rng.integers(0, 1000, n),
        },
        index=[f"case {i}" for i in range(n)],
    )
    X.loc[X.index[::17], "age"] = np.nan
    y = (X["age"].fillna(0) > 45) & (rng.random(n) < 0.7) | (rng.random(n) < 0.05)
    return X, y.to_numpy()


BOXES = BoxSet(
    [[45.0, -INF, -INF], [20.0, -INF, -INF]],
    [[INF, INF, INF], [30.0, INF, INF]],
    feature_names=["age", HOSTILE, "unused"],
    allowed={HOSTILE: [None, {"north"}]},
    categories={HOSTILE: ["north", "east", "a, b"]},
)


class Rows:
    """The part of the page under test."""

    def __init__(self, page, folder, data):
        (folder / "page.html").write_text(build.page(data), encoding="utf-8")
        page.goto((folder / "page.html").as_uri())
        self.page, self.root = page, page.locator("#rows")

    def choose(self, label, value):
        self.root.get_by_label(label, exact=True).select_option(value)

    def names(self):
        return [text.removeprefix("Row ") for text in self.root.locator("button.row-name").all_text_contents()]

    def column(self, title):
        heads = [text.rstrip("↑↓") for text in self.root.locator("thead th").all_text_contents()]
        place = heads.index(title) + 1
        cells = self.root.locator(f"tbody tr:not(.inspected) > :nth-child({place})")
        return [text.removeprefix("Row ") for text in cells.all_text_contents()]

    def open(self, name):
        self.root.get_by_role("button", name=f"Row {name}", exact=True).click()

    def inspector(self):
        return self.root.locator(".inspector").inner_text()


@pytest.fixture
def shown(page, tmp_path):
    """A page with training and test rows, and what Python says of them."""
    train, test = frame(), frame(80, seed=1)
    return Rows(page, tmp_path, report(BOXES, train, test)), train, test


def expected(rows, wanted_label, wanted_flag):
    X, y = rows
    return set(X.index[(y == wanted_label) & (BOXES.contains(X) == wanted_flag)])


def all_names(view):
    """Turn all pages."""
    found = view.names()
    while (
        view.root.get_by_role("button", name="Next page").count()
        and view.root.get_by_role("button", name="Next page").is_enabled()
    ):
        view.root.get_by_role("button", name="Next page").click()
        found += view.names()
    return found


@pytest.mark.parametrize(
    ("kind", "label", "flag"), [("missed", 1, 0), ("alarms", 0, 1), ("caught", 1, 1), ("passed", 0, 0)]
)
def test_kinds_of_rows(shown, kind, label, flag):
    view, train, test = shown
    for rows, name in ((train, "train"), (test, "test")):
        view.choose("Rows of", name)
        view.choose("Show", kind)
        found = all_names(view)
        assert len(found) == len(set(found))
        assert set(found) == expected(rows, label, flag)
        option = view.root.get_by_label("Show", exact=True).locator(f"option[value={kind}]").text_content()
        assert option.endswith(f": {len(found)}")


def test_missed_rows_come_first_and_near_ones_before_far(shown):
    view, (X, _), _ = shown
    scale = [feature["scale"] for feature in json.loads(view.page.locator("#boxdraw-data").text_content())["features"]]
    told = dict(zip(X.index, explain(BOXES, X, scale=scale)["distance"], strict=True))
    names = view.names()
    assert names == sorted(names, key=lambda name: told[name])
    assert set(names) == expected(shown[1], 1, 0)
    assert [float(text) for text in view.column("Distance")] == pytest.approx([told[name] for name in names], rel=1e-2)


def test_order_by_any_column(shown):
    view, (X, _), _ = shown
    view.choose("Show", "all")
    for key, values in (("name", None), ("feature 0", X["age"]), ("feature 1", X[HOSTILE])):
        head = view.root.locator(f'thead th:has([data-focus="{key}"])')
        for direction, backwards in (("ascending", False), ("descending", True)):
            head.get_by_role("button").click()
            assert head.get_attribute("aria-sort") == direction
            if values is None:
                order = [f"case {i}" for i in (range(200) if not backwards else reversed(range(200)))]
            else:  # missing values come last either way
                order = values.sort_values(ascending=not backwards, kind="stable", key=as_texts).index.tolist()
            assert view.names() == order[:25]
    assert view.root.locator("th[aria-sort=ascending], th[aria-sort=descending]").count() == 1


def as_texts(values):
    quoted = values.map({"a, b": '"a, b"', "north": "north", "east": "east"}) if values.dtype != float else values
    return quoted


def test_search_and_boxes(shown):
    view, (X, _), _ = shown
    view.choose("Show", "all")
    view.root.get_by_label("Search ids and values").fill("CASE 19")
    view.root.get_by_text("of 11.").wait_for()
    assert set(all_names(view)) == {"case 19"} | {f"case {i}" for i in range(190, 200)}
    view.root.get_by_label("Search ids and values").fill("a, b")
    view.root.get_by_text(f"of {(X[HOSTILE] == 'a, b').sum()}.").wait_for()
    view.root.get_by_label("Search ids and values").fill("4")
    begins = (X["age"] >= 4) & (X["age"] < 5)
    text = X.index.str.contains("4")
    view.root.get_by_text(f"of {(begins | text).sum()}.").wait_for()
    view.root.get_by_label("Search ids and values").fill("45.")
    view.root.get_by_text(f"of {X['age'].between(45, 46, inclusive='left').sum()}.").wait_for()
    view.root.get_by_label("Search ids and values").fill("missing")
    view.root.get_by_text(f"of {X[['age', HOSTILE]].isna().any(axis=1).sum()}.").wait_for()
    view.root.get_by_label("Search ids and values").fill("")
    member = BOXES.membership(X)
    view.root.get_by_text("of 200.").wait_for()
    for value, rows in (("1", member[:, 1]), ("none", ~member.any(axis=1))):
        view.choose("In box", value)
        assert set(all_names(view)) == set(X.index[rows])


def test_inspector_says_what_python_says(shown):
    view, (X, y), _ = shown
    scale = [feature["scale"] for feature in json.loads(view.page.locator("#boxdraw-data").text_content())["features"]]
    told = explain(BOXES, X, scale=scale)
    name = view.names()[0]
    view.open(name)
    i = X.index.get_loc(name)
    text = view.inspector()
    assert f"Row {name} (fraud = yes) is not flagged, though it should be." in text
    assert f"Box {told['box'][i]}" in text
    for part in told["why"][i].split("; "):
        assert part.removeprefix("needs ") in text
    unmet = view.root.locator("tr.opened td.unmet").all_text_contents()
    assert len(unmet) == told["n_violations"][i]
    assert all(cell.startswith("✗") for cell in unmet)
    view.open(name)
    assert view.root.locator(".inspector").count() == 0
    assert y[i]


def test_flagged_rows_say_how_to_leave(shown):
    view, (X, _), _ = shown
    view.choose("Show", "caught")
    name = view.names()[0]
    view.open(name)
    value = X.loc[name, "age"]
    assert f"age ≥ 45, has {value:g}" in view.inspector()
    assert f"Box 1: needs age < 45, has {value:g}" in view.inspector()


def test_find_by_id(shown):
    view, (X, _), _ = shown
    for name in ("case 150", " CASE 3"):
        view.root.get_by_label("Find a row by its id").fill(name)
        view.root.get_by_label("Find a row by its id").press("Enter")
        assert f"Row {name.strip().lower()} (" in view.inspector()
        assert view.root.locator("tr.opened").is_visible()
    view.root.get_by_label("Find a row by its id").fill("case 999")
    view.root.get_by_role("button", name="Open").click()
    assert (
        view.root.locator(".error").text_content() == "None of the 200 training rows of this page has the id case 999."
    )
    assert len(X) == 200


def test_keyboard(shown):
    view = shown[0]
    view.choose("Show", "all")
    names = view.names()
    view.root.locator("button.row-name").first.focus()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("Enter")
    assert f"Row {names[1]} (" in view.inspector()
    focused = "document.activeElement.textContent"
    assert view.page.evaluate(focused) == f"Row {names[1]}"
    assert view.page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    view.page.keyboard.press("Escape")
    assert view.root.locator(".inspector").count() == 0
    assert view.page.evaluate(focused) == f"Row {names[1]}"


def test_features_that_no_rule_uses(shown):
    view = shown[0]
    assert "unused" not in view.root.locator("thead").inner_text()
    view.root.get_by_label("Show features that no rule uses").check()
    assert "unused" in view.root.locator("thead").inner_text()


def test_the_list_follows_the_model_after_a_drag(shown):
    view, (X, y), _ = shown
    moved = """(commit) => {
      const { store } = window.boxdraw;
      const limit = { ...store.model.boxes[0].limits[0], lower: 35 };
      const boxes = [{ ...store.model.boxes[0], limits: [limit, null, null] }, store.model.boxes[1]];
      if (commit) store.commit("Box 1 moved"); else store.preview({ ...store.model, boxes });
    }"""
    now = BOXES.replace(0, "age", lower=35)
    before = view.names()
    missed = set(X.index[y & ~now.contains(X)])
    assert missed != set(before)
    view.page.evaluate(moved, False)
    option = view.root.get_by_label("Show", exact=True).locator("option[value=missed]")
    assert option.text_content().endswith(f": {len(missed)}")
    view.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert view.names() == before
    view.page.evaluate(moved, True)
    view.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert set(view.names()) == missed


def test_other_parts_lead_to_rows(shown):
    view, _, test = shown
    view.page.evaluate(
        "document.dispatchEvent(new CustomEvent('boxdraw:filter', { detail: { set: 'test', kind: 'alarms' } }))"
    )
    assert set(all_names(view)) == expected(test, 0, 1)
    assert view.root.get_by_label("Rows of").input_value() == "test"


def test_scorecards(page, tmp_path):
    boxes = BoxSet([[45.0, -INF], [-INF, 5.0]], [[INF, INF], [INF, INF]], feature_names=["age", "dose"])
    card = Scorecard(boxes, [2, 1], 3)
    X = pd.DataFrame({"age": [50.0, 50.0, 40.0, 50.0], "dose": [6.0, 1.0, 1.0, 9.0]})
    view = Rows(page, tmp_path, report(boxes, (X, [1, 1, 1, 0]), card=card))
    assert view.names() == ["1", "2"]
    assert view.column("Points") == ["2 of 3", "0 of 3"]
    view.open("1")
    assert "It has 2 points; an alarm takes 3 points." in view.inspector()
    assert "come into Box 2 and stay in Box 1" in view.inspector()
    assert "dose ≥ 5, has 1 (4 away)" in view.inspector()
    assert view.root.locator("tr.opened td.unmet").all_text_contents() == ["✗ 1 (outside the limits)"]
    view.choose("Show", "caught")
    view.open("0")
    assert "Box 2: needs dose < 5, has 6" in view.inspector()  # cheaper than to leave box 1


def test_samples_say_so(page, tmp_path):
    view = Rows(page, tmp_path, report(BOXES, frame(), most=100))
    assert "a sample of 100 of 200 training rows" in view.root.locator(".warning").text_content()
    assert "Rows of" not in view.root.inner_text()


def test_hostile_names_stay_text(page, tmp_path):
    X, y = frame(60)
    X.index = [f'<img src=x onerror="window.hacked=1"> {i} \u202e' for i in range(len(X))]
    view = Rows(page, tmp_path, report(BOXES, (X, y), target=HOSTILE))
    view.root.get_by_label("Show features that no rule uses").check()
    view.choose("Show", "all")
    view.root.locator("button.row-name").first.click()
    assert HOSTILE in view.inspector()
    assert "\u202e" not in view.root.inner_text()
    assert view.page.evaluate("window.hacked") is None
    assert view.root.locator("img, script").count() == 0


def test_many_rows_are_listed_a_page_at_a_time(page, tmp_path):
    view = Rows(page, tmp_path, report(BOXES, frame(50_000)))
    view.choose("Show", "all")
    assert view.root.locator("tbody tr").count() == 25
    view.root.get_by_role("button", name="Last page").click()
    assert view.root.get_by_text("49,976–50,000 of 50,000").is_visible()


def test_accessibility(shown):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    view = shown[0]
    view.root.locator("button.row-name").first.click()
    found = axe.Axe().run(view.page, context="#rows")
    assert [item["id"] for item in found.response["violations"] if item["impact"] in ("serious", "critical")] == []
