"""The closed form in the page draws what Python draws, each limit at the roundest number in its gap."""

import base64
import json
import math
import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError

from boxdraw import BoxSetClassifier, FastBoxesClassifier, FastBoxesClassifierCV
from boxdraw._core.shortest import shortest_between
from boxdraw.learners.fast.exponential import exp
from boxdraw.learners.fast.growth import GROWTHS
from boxdraw.learners.fast.stops import Gaps
from boxdraw.report.closed_form import NoClosedForm, closed_form

from ..tables.same import all_large, make_frame
from .javascript import as_limits, described, map_js, page_limits, run_js

DRAW = """argument.map(({ form, features, costs }) => {
  const read = readForm(form);
  return costs.map((c) => drawAt(read, features, c));
})"""


def numbers(rng, n):
    """A column of numbers: smooth, with ties, whole, constant, or at an end of the float range."""
    values = rng.normal(size=n)
    kind = rng.integers(9)
    if kind == 0:
        values = rng.integers(-3, 4, size=n).astype(float)
    elif kind == 1:
        values = values.round(1)
    elif kind == 2:
        values[:] = values[0]
    elif kind == 3:
        values = rng.choice([1e300, 1.5e308]) * np.tanh(values)
    elif kind == 4:
        values = rng.integers(-40, 40, size=n) * 5e-324
    elif kind == 5:
        values = np.sign(values) * 10.0 ** rng.uniform(-320, 300, size=n)
    elif kind == 6:
        values = 1e9 + values * 1e-6
    elif kind == 7:
        values = np.where(rng.random(n) < 0.3, -0.0, values) * 10.0 ** rng.integers(-12, 25)
    if rng.random() < 0.4:
        values[rng.random(n) < rng.uniform(0, 0.5)] = np.nan
    return values


def categories(rng, n):
    """A column of categories, some of them known but never seen, some missing."""
    known = [f"c{i}" for i in range(rng.integers(2, 7))]
    codes = rng.integers(-1 if rng.random() < 0.5 else 0, len(known) - 1, size=n)
    return pd.Categorical.from_codes(codes, categories=known)


def random_fit(rng):
    """A fitted model and its training table."""
    n = int(rng.integers(8, 60))
    frame = pd.DataFrame(
        {f"f{j}": categories(rng, n) if rng.random() < 0.25 else numbers(rng, n) for j in range(rng.integers(1, 5))}
    )
    y = rng.random(n) < 0.4
    y[:2] = True, False
    weight = [None, rng.integers(1, 5, size=n).astype(float), rng.random(n) + 0.1][rng.integers(3)]
    model = FastBoxesClassifier(
        n_boxes=int(rng.integers(1, 5)),
        expansion=float(rng.choice([0.0, 0.0, 1e-3, 0.5, 30.0])),
        growth=str(rng.choice(["nearest_negative", "edge", "free"])),
        feature_range=[(-1, 1), (-3, 3), (0, 0.5)][rng.integers(3)],
        negative_weight=float(10 ** rng.uniform(-3, 2)),
        pos_label=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fewer distinct positives than boxes
        return model.fit(frame, y, sample_weight=weight), frame


def random_costs(rng, model, frame):
    """The model's cost, costs at which a row changes sides, and just above those, any others, and extreme ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn adds the numbers up, which are large
        critical = model.critical_weight(frame)
    critical = critical[np.isfinite(critical) & (critical > 0)]
    turning = rng.choice(critical, size=2) if len(critical) else np.empty(0)
    any_cost = 10 ** rng.uniform(-8, 4, size=3)
    costs = [model.negative_weight_, *turning, *np.nextafter(turning, np.inf), *any_cost, 1e-300, 1e300]
    return [float(c) for c in costs]


def rounded(model, c):
    """The boxes at a cost, each limit at the roundest number between the training values next to it."""
    edges, encoding = model._edges, model._encoding
    exact = np.stack(edges.limits(c, model.expansion_, GROWTHS[model.growth_]))
    limits = exact.copy()
    for k, p in np.argwhere((exact[0] < exact[1]) & ~encoding.steps).tolist():
        pair = [
            side if np.isinf(side) else rounded_limit(edges.stops, p, side, i) for i, side in enumerate(exact[:, k, p])
        ]
        if pair[0] < pair[1] or (pair[0] == pair[1] and edges.stops.whole[p]):
            limits[:, k, p] = pair
    return encoding.boxes(*limits, edges.order)


def rounded_limit(stops, p, limit, side):
    """The shortest number between the negatives and positives around a limit; whole among whole numbers."""
    if stops.whole[p]:
        return math.ceil(limit) if side == 0 else math.floor(limit)
    sign = 1 if side == 0 else -1  # on a mirrored axis an upper limit is a lower one
    first, last = (stops.first[p], stops.last[p]) if side == 0 else (-stops.last[p][::-1], -stops.first[p][::-1])
    limit, positives = sign * limit, sign * stops.positives[p]
    full = ((first < limit) & (limit <= last)).any()  # all that is known within a span is that it holds negatives
    below = np.nextafter(limit, -np.inf) if full else last[last < limit].max(initial=-np.inf)
    low = np.nextafter(max(below, positives[positives < limit].max(initial=-np.inf)), np.inf)
    above = limit if full else first[first >= limit].min(initial=np.inf)
    high = min(above, positives[positives >= limit].min(initial=np.inf))
    with np.errstate(over="ignore"):
        step = 1e-3 * (high - limit)
    start = limit + step if np.isfinite(step) and abs(step) > 1e6 * abs(limit) else limit
    low, high = sorted([sign * low, sign * high])
    return shortest_between(sign * start, low, high).item() + 0.0


def draw_in_page(page, models, forms, costs):
    """Return what the page draws for each model at its costs, after comparing it with Python's boxes."""
    argument = [
        {"form": json.loads(json.dumps(form, allow_nan=False)), "features": described(model.boxes_), "costs": some}
        for model, form, some in zip(models, forms, costs, strict=True)
    ]
    drawn = run_js(page, ["path"], DRAW, argument)
    for model, result, some in zip(models, drawn, costs, strict=True):
        for point, got in zip(model.path(some), result, strict=True):
            limits = page_limits(got["boxes"])
            boxes = rounded(model, point.negative_weight)
            assert limits == as_limits(boxes), (model, point.negative_weight)
            assert len(boxes) == len(point.boxes)
            assert not re.search(r"-0\.0\b", repr(limits))  # 0.0 in Python
    return drawn


def limits_of(drawn):
    return [limit for draws in drawn for draw in draws for box in draw["boxes"] for limit in box["limits"]]


def offered(form):
    return np.frombuffer(base64.b64decode(form["costs"]["data"])).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_page_draws_the_boxes_of_python_at_any_cost(page, seed):
    rng = np.random.default_rng(seed)
    fits = [random_fit(rng) for _ in range(50)]
    forms = [closed_form(model) for model, _ in fits]
    assert all(form["costs"] is None for form in forms)
    drawn = draw_in_page(page, [model for model, _ in fits], forms, [random_costs(rng, *fit) for fit in fits])
    limits = [limit for limit in limits_of(drawn) if limit is not None]
    assert len(limits) > 300
    assert {limit["codes"] is None for limit in limits} == {limit["missing"] for limit in limits} == {True, False}


def test_costs_on_offer_need_few_of_the_stops(page):
    rng = np.random.default_rng(9)
    fits = [random_fit(rng) for _ in range(25)]
    forms = [closed_form(model, n_costs=12, most=0) for model, _ in fits]
    for (model, _), form in zip(fits, forms, strict=True):
        costs = offered(form)
        assert {model.negative_weight_, *form["range"], *model.path().negative_weights} <= set(costs)
        assert costs == sorted(costs)
    draw_in_page(page, [model for model, _ in fits], forms, [offered(form) for form in forms])


def test_only_what_matters_is_kept_of_many_values(page):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 3))
    model = FastBoxesClassifier(n_boxes=2, growth="free").fit(X, (X**2).sum(axis=1) < 0.4)
    whole, part = closed_form(model), closed_form(model, n_costs=40, most=5000)
    assert whole["costs"] is None
    assert len(offered(part)) >= 40
    assert len(json.dumps(part)) < len(json.dumps(whole)) / 5
    costs = offered(part)
    draw_in_page(page, [model, model], [whole, part], [costs, costs])


def with_gaps_only(model, X, y):
    """Make a model forget the negatives but for those next to its limits, as one of a large table does."""
    edges = model._edges
    X = edges.order.apply(model._encoding.encode(X))[y != model.pos_label_]
    cut = edges.cuts(model.negative_weight_, model.expansion_, GROWTHS[model.growth_])
    values = X[:, None]
    before = np.where(values < cut, values, -np.inf).max(axis=0)
    gaps = Gaps(cut, before, np.where(values >= cut, values, np.inf).min(axis=0))
    model._edges = replace(edges, stops=gaps.stops(edges.scaling, edges.stops.positives, edges.stops.whole))


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_models_that_know_only_the_gaps_beside_their_limits(page, growth):
    rng = np.random.default_rng(5)
    frame = make_frame(n_rows=600)
    X, y = frame.drop(columns=["label", "weight"]), frame["label"]
    model = FastBoxesClassifier(n_boxes=3, growth=growth, expansion=0.2, round_limits=False).fit(X, y)
    boxes = model.boxes_
    with_gaps_only(model, X, y)
    assert model.path([model.negative_weight_])[0].boxes == boxes
    form = closed_form(model)
    assert any(column["last"] is not None for column in form["columns"])
    costs = random_costs(rng, model, X) + (model.negative_weight_ * 10 ** rng.uniform(-3, 3, size=20)).tolist()
    limits = limits_of(draw_in_page(page, [model], [form], [costs]))
    assert sum(limit is not None for limit in limits) > 50


def test_saved_models_have_the_same_closed_form():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] > 1
    model = FastBoxesClassifier(n_boxes=2).fit(X, y)
    assert closed_form(pickle.loads(pickle.dumps(model))) == closed_form(model)
    assert closed_form(FastBoxesClassifierCV(n_boxes=(1, 2)).fit(X, y))["shape"][0] == 2


def test_a_stored_table_is_read_for_the_range(tmp_path, page):
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    path = tmp_path / "table.parquet"
    make_frame().drop(columns="weight").to_parquet(path)
    with all_large():
        model, other = (FastBoxesClassifier(n_boxes=2).fit_table(path, target="label") for _ in range(2))
    form = closed_form(model)
    assert form["range"][0] < model.negative_weight_ < form["range"][1]
    path.unlink()
    draw_in_page(page, [model], [form], [[model.negative_weight_, *form["range"]]])
    with pytest.raises(NoClosedForm, match="can't be read any more"):
        closed_form(other)


def test_range_ends_where_training_rows_stop_changing_sides():
    X = np.arange(12.0)[:, None]
    model = FastBoxesClassifier(n_boxes=1).fit(X, (X[:, 0] > 3) & (X[:, 0] < 7))
    least, most = closed_form(model)["range"]
    critical = model.critical_weight(X)
    assert least == critical.min()
    assert critical[np.isfinite(critical)].max() < most
    path = model.path([least, most])
    assert path.fpr.tolist() == [1, 0]


def test_range_of_a_model_that_flags_all_rows_at_any_cost(page):
    model = FastBoxesClassifier(n_boxes=1, negative_weight=3.0).fit([[1.0], [1.0], [1.0]], [0, 1, 0])
    form = closed_form(model, most=-1)
    assert form["range"] == [1.5, 6.0]
    draw_in_page(page, [model], [form], [offered(form)])


def test_other_models_have_no_closed_form():
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = X[:, 0] > 1
    assert closed_form(DummyClassifier().fit(X, y)) is None
    assert closed_form(BoxSetClassifier(FastBoxesClassifier().fit(X, y).boxes_).fit(X, y)) is None


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        closed_form(FastBoxesClassifier())


# The numbers underneath


def test_exponential_has_the_bits_of_python(page):
    rng = np.random.default_rng(1)
    x = np.concatenate(
        [
            rng.uniform(-25, 25, size=60_000),
            rng.uniform(-1100, 1100, size=30_000),
            rng.uniform(-745.5, -708, size=5_000),
            np.arange(-2500, 2501) * (np.log(2) / 2),
            [0.0, -0.0, 5e-324, -1e-300, np.inf, -np.inf, 709.782712893384, 709.7827128933841],
        ]
    )
    (result,) = map_js(page, ["exponential"], "(x) => [exponential(x)]", [x])
    np.testing.assert_array_equal(result, exp(x))


def floats(rng, n):
    """Floats of all sizes, and whole numbers."""
    values = rng.integers(0, 2**64, size=n, dtype=np.uint64).view(np.float64)
    values = np.where(np.isfinite(values), values, 1.0)
    values[: n // 4] = rng.normal(size=n // 4) * 10.0 ** rng.integers(-12, 26, size=n // 4)
    values[n // 4 : n // 3] = rng.integers(-1000, 1000, size=n // 3 - n // 4) / 8
    return np.append(values, [0.0, 5e-324, -5e-324, 1e23, 9.5e22, 1.7976931348623157e308, -2.2250738585072014e-308])


def test_neighbours_of_floats(page):
    x = floats(np.random.default_rng(2), 3000)
    function = "(x) => [justAbove(x), justBelow(x), rint(x), rint(x / 2)]"
    above, below, whole, half = map_js(page, ["numbers"], function, [x])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(above, np.nextafter(x, np.inf))
        np.testing.assert_array_equal(below, np.nextafter(x, -np.inf))
    np.testing.assert_array_equal(whole, np.rint(x))
    np.testing.assert_array_equal(half, np.rint(x / 2))


def test_floats_are_bisected_in_64_steps(page):
    rng = np.random.default_rng(4)
    x = floats(rng, 2000)
    low, high = np.minimum(x, x[::-1]), np.maximum(x, x[::-1])
    wanted = np.clip(rng.permutation(x), low, high)
    find = """(low, high, wanted) => {
      let steps = 0;
      for (;; steps += 1) {
        const middle = middleFloat(low, high);
        if (middle === low || middle === high) return [low, high, steps];
        if (middle >= wanted) high = middle;
        else low = middle;
      }
    }"""
    below, above, steps = map_js(page, ["numbers"], find, [low, high, wanted])
    assert steps.max() <= 64
    apart = low < high
    np.testing.assert_array_equal(above[apart], np.nextafter(below[apart], np.inf))
    assert ((below < wanted) & (wanted <= above))[apart & (wanted > low)].all()


def test_shortest_number_between(page):
    rng = np.random.default_rng(6)
    value = floats(rng, 3000)
    with np.errstate(over="ignore"):
        room = np.abs(value) * 10.0 ** rng.uniform(-17, 1, size=(2, len(value)))
        low, high = value - room[0], value + room[1]
    low[::7], high[::5] = -np.inf, np.inf
    low[::11], high[::11] = value[::11], value[::11]
    function = "(value, low, high) => [shortestBetween(value, low, high)]"
    (result,) = map_js(page, ["numbers"], function, [value, low, high])
    np.testing.assert_array_equal(result, shortest_between(value, low, high))


def test_a_start_that_is_off_costs_few_steps(page):
    rng = np.random.default_rng(7)
    cases = []
    for _ in range(300):
        low, high = sorted(rng.integers(-(2**47), 2**47, size=2).tolist())
        wanted = int(rng.integers(low, high + 2))
        start = wanted + int(np.rint(rng.normal() * 10 ** rng.uniform(0, 14)))
        cases.append([low, high, wanted, start])
    expression = """argument.map(([low, high, wanted, start]) => {
      let steps = 0;
      const isInside = (tick) => {
        steps += 1;
        if (tick < low || tick > high) throw new Error("out of range");
        return tick >= wanted;
      };
      return [leastTick(isInside, start, low, high), steps];
    })"""
    found = run_js(page, ["path"], expression, cases)
    assert [tick for tick, _ in found] == [wanted for _, _, wanted, _ in cases]
    distance = np.array([abs(wanted - start) for _, _, wanted, start in cases])
    assert (np.array([steps for _, steps in found]) <= 4 + 2 * np.log2(distance + 1)).all()
