"""What the page says of a row is what Python says, and what it would take is the least."""

import itertools

import numpy as np
import pytest

from boxdraw import BoxSet
from boxdraw.model.explain import explain, violations
from boxdraw.model.scorecard import Scorecard

from .javascript import run_js
from .models import INF, NAMES, READ_CASE, as_payload, as_table, pick, random_boxes, random_rows, through

MODULES = ("explain", "what_if", "rows_list", "evaluate", "model", "data")
# Infinity is no JSON.
EXPLAIN = f"""(cases) => {{
  {READ_CASE}
  return cases.map((each) => {{
    const {{ features, model, table }} = readCase(each);
    return Array.from({{ length: table.n }}, (_, i) => {{
      const told = explainRow(model, features, table, i);
      const by = told.violations.map((violation) => (violation.by === null ? null : String(violation.by)));
      return [told.flagged, told.box, told.boxes.map((k) => k + 1).join(", "), by, String(told.distance), told.why];
    }});
  }});
}}"""
WAYS = f"""(cases) => {{
  {READ_CASE}
  return cases.map((each) => {{
    const {{ features, model, table }} = readCase(each);
    const evaluation = evaluate(model, {{ ...table, positive: new Uint8Array(table.n), weight: null }});
    const border = borderDistances(model, features, evaluation, Array(table.n).keys().toArray());
    return Array.from({{ length: table.n }}, (_, i) => {{
      const values = rowValues(table, i);
      const flagged = pointsOf(model, features, values) >= (model.threshold ?? 1);
      const way = flagged ? wayOut(model, features, values) : wayIn(model, features, values);
      return {{ flagged, way, border: String(border[i]) }};
    }});
  }});
}}"""


def case(rng, n_features=4, n_rows=15):
    boxes = random_boxes(rng, pick(rng, NAMES, n_features), n_boxes=int(rng.integers(0, 5)))
    X, scale = random_rows(rng, boxes, n_rows), rng.uniform(0.1, 10, n_features)
    return boxes, X, scale


def payload_of(boxes, X, scale, card=None):
    points = None if card is None else {"threshold": card.threshold, "points": list(card.points)}
    return as_payload(boxes, scale.tolist()) | {"rows": as_table(boxes, X), "scorecard": points}


@pytest.mark.parametrize("seed", range(3))
def test_explains_as_python_does(page, seed):
    rng = np.random.default_rng(seed)
    cases = [case(rng, int(rng.integers(1, 7))) for _ in range(100)]
    ours = through(page, EXPLAIN, [payload_of(*each) for each in cases], MODULES)
    kinds = {"missing": 0, "number": 0, "category": 0}
    for (boxes, X, scale), told in zip(cases, ours, strict=True):
        expected = explain(boxes, X, scale=scale)
        found = violations(boxes, X)
        for v in found:
            kinds["missing" if v.has is None else "category" if v.by is None else "number"] += 1
        for i, (flagged, box, held, by, distance, why) in enumerate(told):
            assert flagged == expected["flagged"][i]
            assert box == (expected["box"][i] - 1 if len(boxes) else None)
            assert held == expected["boxes"][i]
            assert float(distance.replace("Infinity", "inf")) == expected["distance"][i]
            assert why == without_unseen(expected["why"][i])
            mine = [v.by for v in found if (v.row, v.box) == (i, expected["box"][i])]
            assert [None if x is None else float(x.replace("Infinity", "inf")) for x in by] == mine
    assert min(kinds.values()) > 100  # there are all kinds of reasons


def without_unseen(text):
    """Say what the page knows of categories that training never saw: that they are some."""
    for unseen in ("unseen", "77"):
        text = text.replace(f"has {unseen}", "has a category that training never saw")
    return text


def random_card(rng, n_features=3, n_boxes=4, missing=None):
    """Draw a scorecard on small whole numbers, so that boxes often meet."""
    low = rng.integers(0, 6, (n_boxes, n_features)).astype(float)
    high = low + rng.integers(1, 6, low.shape)
    low[rng.random(low.shape) < 0.4], high[rng.random(low.shape) < 0.4] = -INF, INF
    if missing:
        missing = (rng.random(low.shape) < 0.5) | ((low == -INF) & (high == INF))
    points = rng.integers(1, 4, n_boxes).tolist()
    return Scorecard(BoxSet(low, high, missing=missing), points, int(rng.integers(1, sum(points) + 1)))


def rows_of_numbers(rng, n_features, n_rows=12):
    X = rng.integers(-2, 13, (n_rows, n_features)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.fixture
def cards(page):
    """Random scorecards, rows, and what the page says it would take."""
    rng = np.random.default_rng(4)
    cases = []
    for _ in range(150):
        # That a missing value counts 1, near or far, makes distances depend on how boxes are cut into pieces.
        card = random_card(rng)
        cases.append((card, rows_of_numbers(rng, 3), rng.uniform(0.5, 2, 3)))
    data = [payload_of(card.boxes, X, scale, card) for card, X, scale in cases]
    return list(zip(cases, through(page, WAYS, data, MODULES), strict=True))


def test_the_way_in_is_the_shortest(cards):
    # The boxes that a card means are found in another way, and the nearest of them is as far.
    compared = 0
    for (card, X, scale), told in cards:
        union = card.union()
        expected = explain(union, X, scale=scale)
        for i, row in enumerate(told):
            assert row["flagged"] == expected["flagged"][i]
            if row["flagged"]:
                continue
            if not len(union):
                assert row["way"] is None
                continue
            compared += 1
            assert row["way"]["distance"] == pytest.approx(expected["distance"][i], abs=1e-12)
            assert row["way"]["complete"]
            assert sum(card.points[k] for k in row["way"]["boxes"]) >= card.threshold
            assert row["way"]["points"] >= card.threshold
    assert compared > 200


def test_the_way_out_is_the_cheapest(cards):
    compared = 0
    for (card, X, scale), told in cards:
        for i, row in enumerate(told):
            if not row["flagged"]:
                continue
            compared += 1
            best = least_cost(card, X[i], scale)
            if best is None:
                assert row["way"] is None
                continue
            left = [each["box"] for each in row["way"]]
            assert card.score(X[i : i + 1])[0] - sum(card.points[k] for k in left) < card.threshold
            assert sum(each["exit"]["distance"] for each in row["way"]) == pytest.approx(best, abs=1e-12)
    assert compared > 200


def exit_distances(boxes, k, x, scale):
    """Return how far a row is from the way out of each limit of a box that holds it."""
    found = []
    for j in np.flatnonzero(boxes.limited[k]):
        lower, upper = boxes.lower[k, j], boxes.upper[k, j]
        known = lower == -INF and upper == INF
        found.append(1.0 if known or np.isnan(x[j]) else min(x[j] - lower, upper - x[j]) / scale[j])
    return found


def least_cost(card, x, scale):
    """Try all sets of boxes to leave."""
    held = np.flatnonzero(card.boxes.membership(x[None])[0])
    costs = {k: min(exit_distances(card.boxes, k, x, scale), default=INF) for k in held}
    total = sum(card.points[k] for k in held)
    sets = itertools.chain.from_iterable(itertools.combinations(held, n) for n in range(len(held) + 1))
    enough = [s for s in sets if total - sum(card.points[k] for k in s) < card.threshold]
    best = min((sum(costs[k] for k in s) for s in enough), default=INF)
    return None if best == INF else best


def test_rows_leave_every_box_that_holds_them(page):
    rng = np.random.default_rng(5)
    cases = [
        (random_card(rng, missing=True).boxes, rows_of_numbers(rng, 3), rng.uniform(0.5, 2, 3)) for _ in range(100)
    ]
    ours = through(page, WAYS, [payload_of(*each) for each in cases], MODULES)
    compared = 0
    for (boxes, X, scale), told in zip(cases, ours, strict=True):
        held = boxes.membership(X)
        distance = explain(boxes, X, scale=scale)["distance"]
        for i, row in enumerate(told):
            border = float(row["border"].replace("Infinity", "inf"))
            if not row["flagged"]:
                assert border == distance[i]
                continue
            costs = [min(exit_distances(boxes, k, X[i], scale), default=INF) for k in np.flatnonzero(held[i])]
            assert border == max(costs)
            if max(costs) == INF:
                assert row["way"] is None
                continue
            compared += 1
            assert [each["box"] for each in row["way"]] == np.flatnonzero(held[i]).tolist()
            assert [each["exit"]["distance"] for each in row["way"]] == costs
    assert compared > 200


def test_the_words_of_exits(page):
    expression = """(() => {
      const features = [
        { name: "age", kind: "numeric", scale: 10 },
        { name: "region", kind: "categorical", categories: ["north", "a, b", "east"], scale: 1 },
      ];
      const limit = { lower: 30.5, upper: 40, codes: null, missing: true };
      const codes = { ...KNOWN, codes: [0, 2], missing: true };
      const none = { ...KNOWN, lower: Infinity, upper: -Infinity, missing: true };
      const told = (limits, values) => nearestExit(features, limits, values).text;
      return [
        told([limit, null], [31, 0]), told([limit, null], [39, 0]), told([limit, null], [NaN, 0]),
        told([null, codes], [0, 0]), told([null, codes], [0, -2]), told([KNOWN, null], [1, 0]),
        told([none, null], [NaN, 0]), told([limit, codes], [35, 0]), nearestExit(features, [null, null], [1, 0]),
      ];
    })()"""
    assert run_js(page, MODULES, expression) == [
        "age < 30.5",
        "age > 40",
        "age < 30.5 or age > 40",
        "region other than {east, north}",
        "region known and other than {east, north}",
        "age missing",
        "age known",
        "age < 30.5",
        None,
    ]


def test_points_that_are_taken_away(page):
    # The way into box 1 leads through box 2, which takes a point away; only box 3 makes up for it.
    boxes = BoxSet([[5.0, -INF], [5.0, -INF], [-INF, 7.0]], [[INF, INF], [6.0, INF], [INF, INF]])
    card = Scorecard(boxes, [2, -1, 1], 2)
    ours = through(page, WAYS, [payload_of(boxes, np.array([[0.0, 0.0]]), np.ones(2), card)], MODULES)
    way = ours[0][0]["way"]
    assert (way["boxes"], way["points"], way["distance"]) == ([0, 2], 2, 12.0)
    assert [change["text"] for change in way["changes"]] == ["x0 ≥ 5", "x1 ≥ 7"]


MEMBERS = f"""(cases) => {{
  {READ_CASE}
  return cases.map((each) => {{
    const {{ model, table }} = readCase(each);
    return model.boxes.map(({{ limits }}) => [...rowsInside(limits, table)]);
  }});
}}"""


@pytest.mark.parametrize("seed", range(3))
def test_many_rows_are_in_the_boxes_that_python_says(page, seed):
    """Of many rows, the limits that keep out most of a few are looked at first."""
    rng = np.random.default_rng(seed)
    cases = [case(rng, 5, n_rows=2000) for _ in range(4)]
    ours = through(page, MEMBERS, [payload_of(*each) for each in cases], MODULES)
    for (boxes, X, _), rows in zip(cases, ours, strict=True):
        assert rows == [np.flatnonzero(inside).tolist() for inside in boxes.membership(X).T]
