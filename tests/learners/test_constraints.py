"""Constraints hold in every drawing a user can get, by a check of its own, and change nothing else."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.learners.constraints import Span

LEARNERS = {"sparse": SparseBoxesClassifier, "scored": ScoredBoxesClassifier}
ROUNDING = 1 - 1e-9


def random_table(rng):
    """Return a mixed table with missing values, and labels that depend on all of its columns."""
    n_rows, columns = int(rng.integers(30, 200)), {}
    score = rng.normal(size=n_rows) / 2
    for j in range(rng.integers(1, 6)):
        kind = rng.choice(["numbers", "whole", "flags", "texts"])
        values = {
            "numbers": rng.normal(size=n_rows),
            "whole": rng.integers(0, rng.integers(3, 400), n_rows).astype(float),
            "flags": rng.integers(0, 2, n_rows).astype(float),
            "texts": rng.choice(["a", "b", "c", "d"], n_rows).astype(object),
        }[kind]
        score += rng.normal() * (values == "a" if kind == "texts" else (values - values.mean()) / (values.std() or 1))
        if rng.random() < 0.3:
            values[rng.random(n_rows) < 0.15] = None if kind == "texts" else np.nan
        columns[f"{kind} {j}"] = values
    y = (score > np.quantile(score, rng.choice([0.5, 0.8, 0.9]))).astype(int)
    y[:4] = 0, 1, 0, 1
    return pd.DataFrame(columns), y


def random_constraints(rng, X):
    """Return some constraints that a table can have."""
    names = list(X)
    numbers = [name for name in names if not name.startswith("texts")]
    some = {name for name in names if rng.random() < 0.4}
    apart = rng.choice(names, min(2, len(names)), replace=False).tolist()
    values = {name: [*rng.choice(X[name].dropna(), 3).tolist(), 0.5] for name in numbers if X[name].notna().any()}
    choices = {
        "monotonic_cst": {name: int(rng.integers(-1, 2)) for name in numbers},
        "interaction_cst": [
            *("pairwise", "no_interactions", [apart], [{names[0]}, tuple(apart)]),
            {"not_together": [apart, names[:2]]},
        ][rng.integers(5)],
        "allowed_values": {name: values.get(name, []) if rng.random() < 0.8 else [] for name in some},
        "min_box_rows": float(rng.choice([2, 10, 30])),
        "min_box_precision": float(rng.choice([0.3, 0.6, 1.0])),
        "max_limits": int(rng.integers(1, 4)),
    }
    return {name: value for name, value in choices.items() if rng.random() < 0.5}


def broken(boxes, constraints, X, y, weight, signs=None):
    """List what boxes break, from their rules and the rows alone."""
    found = []
    for k, (box, rule) in enumerate(zip(boxes, boxes.rules(), strict=True)):
        sign, features = 1 if signs is None else signs[k], {limit.feature for limit in rule.limits}
        for limit in rule.limits:
            direction = sign * constraints.get("monotonic_cst", {}).get(limit.feature, 0)
            numbers = [number for number in (limit.lower, limit.upper) if np.isfinite(number)]
            if np.isfinite({1: limit.upper, -1: limit.lower, 0: np.inf}[direction]):
                found.append(("direction", limit))
            allowed = constraints.get("allowed_values", {}).get(limit.feature, numbers or [0])
            if not allowed or not set(numbers) <= set(allowed):
                found.append(("allowed", limit))
        if not may_stand_together(features, constraints.get("interaction_cst"), set(X)):
            found.append(("together", features))
        if box.n_limits > constraints.get("max_limits", np.inf):
            found.append(("max_limits", rule))
        held = box.contains(X)
        rows, positives = weight[held].sum(), weight[held & (y == 1)].sum()
        if rows < ROUNDING * constraints.get("min_box_rows", 0):
            found.append(("rows", rows))
        if positives < ROUNDING * constraints.get("min_box_precision", 0) * rows:
            found.append(("precision", positives / rows))
    return found


def may_stand_together(features, given, everything):
    if given is None or isinstance(given, str):
        return len(features) <= {None: np.inf, "pairwise": 2, "no_interactions": 1}[given]
    if isinstance(given, dict):
        return all(len(features & set(apart)) <= 1 for apart in given["not_together"])
    groups = [set(group) for group in given]
    return any(features <= group for group in [*groups, everything.difference(*groups)])


def fit(name, X, y, weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LEARNERS[name](**({"cv": None, "pos_label": 1} | parameters)).fit(X, y, sample_weight=weight)


def drawings_of(model):
    """Return every drawing with the signs of its boxes."""
    if isinstance(model, ScoredBoxesClassifier):
        return [(model.scorecard_.boxes, np.sign(model.scorecard_.points))]
    drawings = [model.boxes_, *(boxes for _, boxes in model.path_), *(point.boxes for point in model.frontier_)]
    return [(boxes, None) for boxes in drawings]


@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 3]))
@settings(deadline=None)
def test_constraints_hold_in_every_drawing(seed, cv):
    rng = np.random.default_rng(seed)
    X, y = random_table(rng)
    constraints = random_constraints(rng, X)
    weight = rng.integers(1, 4, len(y)).astype(float) if rng.random() < 0.4 else np.ones(len(y))
    rounded = "max_limits" in constraints or bool(rng.random() < 0.7)  # else an equality may be written as an interval
    options = {"max_boxes": int(rng.integers(1, 5)), "round_limits": rounded, "cv": cv}
    for name in LEARNERS:
        signed = {}
        if name == "scored" and "min_box_precision" not in constraints:
            signed = {"signed_points": bool(rng.random() < 0.5)}
        model = fit(name, X, y, weight, **options, **signed, **constraints)
        for boxes, signs in drawings_of(model):
            assert broken(boxes, constraints, X, y, weight, signs) == []
            assert len(boxes) <= max(options["max_boxes"], 4 if name == "sparse" else 0)  # four to rank by
            if signs is None or (signs > 0).all():
                rows = {"X": X, "y": y, "sample_weight": weight, "pos_label": 1}
                assert boxes.check(**constraints, **(rows if "min_" in str(constraints) else {})) == []


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=15, deadline=None)
def test_scores_follow_the_directions(seed, signed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    X[:, 2] = np.round(X[:, 2])
    y = (X @ rng.normal(size=3) + rng.normal(size=150) > 0.7).astype(int)
    directions = [1, -1, int(rng.choice([-1, 1]))]
    rows = np.repeat(X[:40], 2, axis=0)
    for j, direction in enumerate(directions):
        pairs = rows.copy()
        pairs[1::2, j] += direction * rng.exponential(size=40)
        for name, options in (("sparse", {}), ("scored", {"signed_points": signed})):
            model = fit(name, X, y, monotonic_cst=directions, **options)
            score = model.decision_function(pairs)
            assert (score[1::2] >= score[::2] - 1e-12).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_columns_and_rows_does_not_matter(name):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = random_table(rng)
        constraints = random_constraints(rng, X)
        # Scored Boxes take the first of columns of the same gain.
        columns = rng.permutation(list(X)).tolist() if name == "sparse" else list(X)
        rows = rng.permutation(len(y))
        one, other = fit(name, X, y, **constraints), fit(name, X[columns].iloc[rows], y[rows], **constraints)
        rules = [{frozenset(rule.limits) for rule in drawings_of(model)[0][0].rules()} for model in (one, other)]
        assert rules[0] == rules[1]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_weight_is_so_many_rows(name):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = random_table(rng)
        constraints, weight = random_constraints(rng, X), rng.integers(1, 4, len(y))
        weighted = fit(name, X, y, weight.astype(float), **constraints)
        repeated = fit(name, X.loc[X.index.repeat(weight)].reset_index(drop=True), y.repeat(weight), **constraints)
        assert drawings_of(weighted)[0][0] == drawings_of(repeated)[0][0]


@pytest.mark.parametrize("name", LEARNERS)
def test_constraints_that_say_nothing_change_nothing(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = ((X[:, 0] > 0.5) & (X[:, 1] < 0.5)).astype(int)
    idle = {"monotonic_cst": [0] * 4, "interaction_cst": [range(4)], "allowed_values": {}, "min_box_rows": 1e-9}
    free, constrained = fit(name, X, y), fit(name, X, y, **idle)
    assert drawings_of(free)[0][0] == drawings_of(constrained)[0][0]
    np.testing.assert_array_equal(free.decision_function(X), constrained.decision_function(X))


@pytest.mark.parametrize("name", LEARNERS)
def test_limits_are_at_the_allowed_values(name):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(0, 90, 600), "noise": rng.normal(size=600)})
    y = ((X["age"] > 33) & (X["age"] <= 66)).to_numpy().astype(int)
    model = fit(name, X, y, allowed_values={"age": [18, 35, 65], "noise": []}, max_boxes=2)
    limits = [limit for boxes, _ in drawings_of(model)[:1] for rule in boxes.rules() for limit in rule.limits]
    assert {limit.feature for limit in limits} == {"age"}
    numbers = {number for limit in limits for number in (limit.lower, limit.upper) if np.isfinite(number)}
    assert {35, 65} <= numbers <= {18, 35, 65}


def test_more_allowed_values_than_bins_are_thinned():
    X = np.arange(2000.0)[:, None]
    model = fit("scored", X, (X[:, 0] >= 700).astype(int), allowed_values={0: X[:, 0]}, max_limits=1, max_boxes=1)
    assert model.scorecard_.boxes.lower[0, 0] == pytest.approx(700, abs=20)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_two_valued_column_with_a_direction_gets_no_equality(name):
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = X[:, 0].astype(int)
    for direction, text in ((0, "x0 = 1"), (1, "x0 ≥ 1")):
        assert drawings_of(fit(name, X, y, monotonic_cst=[direction]))[0][0].to_text() == f"Box 1: {text}"


def test_missing_values_have_no_direction():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    X[rng.random(400) < 0.3, 0] = np.nan
    y = np.isnan(X[:, 0]).astype(int)
    for direction in (-1, 1):
        assert fit("sparse", X, y, monotonic_cst={"x0": direction}).boxes_.to_text() == "Box 1: x0 is missing"
    assert not fit("sparse", X, y, allowed_values={0: []}).boxes_.limited[:, 0].any()


@pytest.mark.parametrize("name", LEARNERS)
def test_precise_boxes_are_found(name):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 3))
    y = (rng.random(2000) < np.where((X[:, 0] > 1) & (X[:, 1] > 0), 0.9, 0.1)).astype(int)
    model = fit(name, X, y, min_box_precision=0.8, min_box_rows=50)
    boxes = drawings_of(model)[0][0]
    assert len(boxes) >= 1
    assert model.predict(X)[y == 1].mean() > 0.3


def test_large_tables_are_checked_on_all_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30_000, 3)).round(3)
    y = ((X[:, 0] > 1.5) ^ (rng.random(30_000) < 0.02)).astype(int)
    constraints = {"min_box_rows": 1000.0, "min_box_precision": 0.6, "monotonic_cst": {"x0": 1}, "max_limits": 2}
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    for name in LEARNERS:
        for boxes, signs in drawings_of(fit(name, frame, y, **constraints)):
            assert broken(boxes, constraints, frame, y, np.ones(len(y)), signs) == []


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"monotonic_cst": {"amount": 2}}, "monotonic_cst of 'amount' must be -1, 0 or 1; got 2"),
        ({"monotonic_cst": [1]}, "an array of one such number for each of the 2 features"),
        ({"monotonic_cst": {"region": 1}}, "monotonic_cst gives 'region' a direction, but it has categories"),
        ({"monotonic_cst": {"amont": 1}}, "names the feature 'amont', which is not there: expected one of 'amount'"),
        ({"monotonic_cst": {2: 1}}, "a position from 0 to 1"),
        ({"monotonic_cst": {"amount": 1, 0: 1}}, "has 'amount' twice"),
        ({"interaction_cst": "triples"}, "got 'triples'"),
        ({"interaction_cst": ["amount"]}, "got 'amount' among the groups: write it as a list"),
        ({"interaction_cst": {"apart": []}}, "got a dict with the keys"),
        ({"interaction_cst": 3}, "interaction_cst must be None"),
        ({"allowed_values": {"amount": [1, np.nan]}}, "allowed_values of 'amount' must be a list of finite numbers"),
        ({"allowed_values": {"amount": 3}}, "must be a list of finite numbers; got 3"),
        ({"allowed_values": {"region": [1]}}, "has numbers for 'region', which has categories"),
        ({"allowed_values": [1]}, "allowed_values must be None or a dict"),
        ({"min_box_rows": 0}, "min_box_rows must be None or a finite number above 0; got 0"),
        ({"min_box_precision": 1.5}, "min_box_precision must be None or a share above 0, up to 1; got 1.5"),
    ],
)
@pytest.mark.parametrize("name", LEARNERS)
def test_what_cannot_be_is_refused(name, parameters, words):
    X = pd.DataFrame({"amount": [1.0, 2, 3, 4], "region": ["a", "b", "a", "b"]})
    with pytest.raises(ValueError, match=re.escape(words)):
        fit(name, X, [0, 0, 0, 1], **parameters)


def test_negative_points_do_not_go_with_precision():
    with pytest.raises(ValueError, match="min_box_precision does not go with signed_points=True"):
        fit("scored", [[0.0], [1.0]], [0, 1], signed_points=True, min_box_precision=0.5)


def test_a_model_without_boxes_names_the_constraints():
    X = np.arange(40.0)[:, None]
    with pytest.warns(UserWarning, match="relax the constraints"):
        SparseBoxesClassifier(cv=None, allowed_values={0: []}, min_box_precision=0.9).fit(X, X[:, 0] > 30)


def test_ends_of_axes():
    """Levels at which an interval may start are 1, those at which it may end 2."""
    assert Span(0, 3).ends(False).tolist() == [3, 3, 3]
    assert Span(0, 3).ends(True).tolist() == [1, 0, 2]
    assert Span(0, 4, 1).ends(False).tolist() == [1, 1, 1, 3]
    assert Span(0, 4, -1).ends(False).tolist() == [3, 2, 2, 2]
    assert Span(0, 4, 1, missing=3).ends(False).tolist() == [1, 1, 3, 3]  # known, or missing
    assert Span(0, 4, -1, missing=0).ends(False).tolist() == [3, 3, 2, 2]
    assert Span(0, 5, at_cuts=True).ends(False).tolist() == [1, 3, 0, 3, 2]
    assert Span(0, 6, at_cuts=True, missing=0).ends(False).tolist() == [3, 1, 3, 0, 3, 2]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("goal", [{"max_alarm_rate": 0.03}, {"min_precision": 0.6}, {"min_recall": 0.7}])
def test_constraints_hold_with_goals(name, goal):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = random_table(rng)
        constraints = random_constraints(rng, X)
        for boxes, signs in drawings_of(fit(name, X, y, **goal, **constraints, cv=3)):
            assert broken(boxes, constraints, X, y, np.ones(len(y)), signs) == []
