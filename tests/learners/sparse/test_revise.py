import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw import BoxSet, SparseBoxesClassifier, compare, monitor
from boxdraw.learners.sparse.drawings import Costs
from boxdraw.learners.sparse.revise import Rows, revise
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.training import Training

from ..test_constraints import broken, fit, random_constraints, random_table
from .test_existing import make_payments

X, y = make_payments()
OLD = BoxSet.from_text("amount >= 0.9 and region = x\nhour = 5 and age >= 0.9", X.columns)


def worth(boxes, rows, prices):
    held = rows.held(boxes).any(axis=0)
    return rows.worth[held].sum() - prices.box * len(boxes) - prices.limit * boxes.n_limits


def small_rows(seed):
    """Return a small table of a few values, some missing, and boxes on it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 25))
    X = rng.integers(0, 4, (n, 2)).astype(float)
    X[rng.random(n) < 0.15, 0] = np.nan
    positive = rng.random(n) < 0.4
    positive[:2] = [True, False]
    encoding = Encoding.of_numbers(["a", "b"], X, complete=False)
    sides = [(float(low), float(high)) for low, high in itertools.combinations_with_replacement(range(4), 2)]
    lower, upper = np.array([sides[i] for i in rng.integers(len(sides), size=4)]).reshape(2, 2, 2).transpose(2, 0, 1)
    lower, upper = np.where(rng.random((2, 2)) < 0.3, -np.inf, lower), np.where(rng.random((2, 2)) < 0.3, np.inf, upper)
    missing = (rng.random((2, 2)) < 0.5) | ((lower == -np.inf) & (upper == np.inf))
    boxes = BoxSet(lower, upper, feature_names=["a", "b"], missing=missing)
    weight = rng.integers(1, 4, n).astype(float)
    data = Training(X, positive, weight)
    return boxes, Rows.of({0: X[:, 0].copy(), 1: X[:, 1].copy()}, data, 1.0), encoding


def one_change(boxes):
    """Yield all boxes that are one change away, with limits at the values and beside them."""
    cuts = [-0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    for k in range(len(boxes)):
        yield boxes.drop_box(k)
        for j, name in enumerate(boxes.feature_names):
            limit = boxes._limit(k, j)
            limited, whole = boxes.limited[k, j], limit.lower == -np.inf and limit.upper == np.inf
            if limited:
                yield boxes.drop_limit(k, name)
                if not (whole and not limit.missing):
                    yield boxes.replace(k, name, missing=not limit.missing)
            yield boxes.replace(k, name, lower=np.inf, upper=-np.inf, missing=True)
            for cut in cuts:
                for missing in [limit.missing] if limited else [True, False]:
                    if cut <= limit.upper:
                        yield boxes.replace(k, name, lower=cut, missing=missing)
                    if cut >= limit.lower:
                        yield boxes.replace(k, name, upper=cut, missing=missing)
            if limited and np.isfinite(limit.lower) and np.isfinite(limit.upper):
                yield boxes.replace(k, name, lower=-np.inf)
                yield boxes.replace(k, name, upper=np.inf)


@pytest.mark.parametrize("seed", range(60))
def test_the_first_change_is_the_best_one(seed):
    boxes, rows, _ = small_rows(seed)
    prices = Costs(1.0, 0.06, 0.03)
    none = BoxSet(np.empty((0, 2)), np.empty((0, 2)), feature_names=["a", "b"])
    path = revise(boxes, rows, prices, 1, lambda free, most: none)
    before = worth(boxes, rows, prices)
    best = max([worth(other, rows, prices) - before for other in one_change(boxes)] + [0.0])
    found = path[1][0].gain if path[1] else 0.0
    assert found == pytest.approx(best, abs=1e-9)
    if path[1]:
        assert worth(path[1][0].boxes, rows, prices) - before == pytest.approx(found, abs=1e-9)


def test_rules_are_brought_to_what_is_true_now():
    model = SparseBoxesClassifier(revise=OLD, max_changes=4).fit(X, y)
    assert [revision.n_changes for revision in model.revisions_] == sorted(
        {revision.n_changes for revision in model.revisions_}
    )
    first, last = model.revisions_[0], model.revisions_[-1]
    assert first.boxes.to_text() == OLD.to_text()
    assert first.changes == ()
    assert (first.gain, first.low, first.high) == (0, 0, 0)
    assert last.n_changes <= 4
    assert model.boxes_ in [revision.boxes for revision in model.revisions_]
    best = max(model.revisions_, key=lambda revision: revision.gain)
    assert best.gain > 0.1
    assert best.low < best.gain < best.high
    for revision in model.revisions_:
        now, before = revision.boxes.contains(X), OLD.contains(X)
        assert (revision.flagged, revision.freed) == ((now & ~before).sum(), (before & ~now).sum())


def test_good_rules_stay():
    model = SparseBoxesClassifier().fit(X, y)
    again = SparseBoxesClassifier(revise=model.boxes_).fit(X, y)
    assert len(again.revisions_[-1].changes) <= 2
    assert again.revisions_[-1].gain < 0.02


@pytest.mark.parametrize("options", [{"false_alarm_cost": 1}, {"monotonic_cst": {"a": 1}}])
def test_every_row_is_no_rule_to_add(options):
    rng = np.random.default_rng(0)
    one = pd.DataFrame({"a": rng.normal(size=2000)})
    labels = (one.a > 1) & (rng.random(2000) < 0.6)
    model = SparseBoxesClassifier(revise=BoxSet.from_text("a <= 1"), **options).fit(one, labels)
    assert all(revision.boxes.limited.any(axis=1).all() for revision in model.revisions_)


def test_rows_that_change_sides_are_counted_on_all_rows(monkeypatch):
    monkeypatch.setattr("boxdraw.learners.sparse.sparse_boxes._SEARCHED", {True: 200, False: 500})
    weight = np.arange(len(X)) % 3  # some rows count for nothing
    model = SparseBoxesClassifier(revise=OLD).fit(X, y, weight)
    assert len(model.revisions_) > 1
    for revision in model.revisions_:
        now, before = revision.boxes.contains(X), OLD.contains(X)
        assert (revision.flagged, revision.freed) == (weight[now & ~before].sum(), weight[before & ~now].sum())
        listed = compare(OLD, revision.boxes, X, sample_weight=weight)
        assert (revision.flagged, revision.freed) == (listed.flagged, listed.freed)
    assert "; of all rows " in str(model.revisions_[-1])


@pytest.mark.parametrize("text", ["every row", "hour >= 0\nevery row", "age is known", "No boxes: no row is flagged"])
@pytest.mark.parametrize("options", [{}, {"limit_cost": 0}, {"max_limits": 1}, {"false_alarm_cost": 0.001, "cv": None}])
def test_rules_without_limits_are_revised(text, options):
    old = BoxSet.from_text(text, X.columns)
    model = SparseBoxesClassifier(revise=old, **options).fit(X[:600], y[:600])
    assert model.revisions_[0].boxes.to_text() == old.to_text()
    added = [change for one in model.revisions_ for change in one.changes if change.startswith("add box")]
    assert not any("every row" in change for change in added)
    assert options.get("false_alarm_cost") or model.revisions_[-1].boxes != old


def test_no_changes_at_all():
    model = SparseBoxesClassifier(revise=OLD, max_changes=0).fit(X, y)
    assert model.boxes_.to_text() == OLD.to_text()
    assert len(model.revisions_) == 1


def test_without_folds_all_changes_are_made():
    model = SparseBoxesClassifier(revise=OLD, cv=None).fit(X, y)
    assert model.boxes_ == model.revisions_[-1].boxes
    assert np.isnan(model.revisions_[-1].gain)
    assert "held-out" not in str(model.revisions_[-1])


@pytest.mark.parametrize(
    "constraints",
    [
        {"monotonic_cst": {"age": -1}, "allowed_values": {"amount": [1.3]}},
        {"interaction_cst": {"not_together": [["amount", "region"]]}},
        {"allowed_values": {"hour": []}},
        {"max_limits": 1},
        {"max_boxes": 1},
        {"min_box_rows": 80},
        {"min_box_precision": 0.6},
    ],
)
@pytest.mark.parametrize("cv", [3, None])
def test_rules_that_break_constraints_are_changed_until_they_keep_them(constraints, cv):
    own = {name: value for name, value in constraints.items() if name.startswith("min_box")}
    rows = {"X": X, "y": y} if own else {}
    assert OLD.check(**rows, **constraints)
    model = SparseBoxesClassifier(revise=OLD, max_changes=5, cv=cv, **constraints).fit(X, y)
    assert len(model.boxes_)
    assert model.boxes_.check(**rows, **constraints) == []
    n_broken = [len(revision.boxes.check(**rows, **constraints)) for revision in model.revisions_]
    assert n_broken == sorted(n_broken, reverse=True)


def test_limits_move_to_allowed_values():
    model = SparseBoxesClassifier(revise=OLD, allowed_values={"amount": [0.5, 1.1, 1.6]}, cv=None).fit(X, y)
    assert any(text.startswith("box 1: amount ≥ 0.9 → amount ≥ ") for text in model.revisions_[-1].changes)
    assert model.boxes_.check(allowed_values={"amount": [0.5, 1.1, 1.6]}) == []


def test_too_few_changes_to_keep_constraints_are_an_error():
    model = SparseBoxesClassifier(revise=OLD, max_changes=1, monotonic_cst={"amount": -1, "age": -1})
    with pytest.raises(ValueError, match=r"max_changes=1 is too few .*\(monotonic_cst\): box \d: .*Raise max_changes"):
        model.fit(X, y)
    assert not hasattr(model, "boxes_")


@given(st.integers(0, 2**32 - 1))
def test_revisions_keep_any_constraints(seed):
    rng = np.random.default_rng(seed)
    table, labels = random_table(rng)
    constraints = random_constraints(rng, table)
    weight = rng.integers(1, 4, len(labels)).astype(float)
    old = fit("sparse", table, labels, max_boxes=2).boxes_
    model = fit("sparse", table, labels, weight, revise=old, max_changes=12, max_boxes=3, **constraints)
    assert broken(model.boxes_, constraints, table, labels, weight) == []
    assert len(model.boxes_) <= 3


def test_weights_are_repetitions():
    times = np.where(np.arange(len(X)) % 3 == 0, 2, 1)
    rows = np.repeat(np.arange(len(X)), times)
    folds = [(np.arange(len(X))[::2], np.arange(len(X))[1::2])]
    copies = [(np.flatnonzero(rows % 2 == 0), np.flatnonzero(rows % 2 == 1))]
    weighted = SparseBoxesClassifier(revise=OLD, cv=folds).fit(X, y, times)
    repeated = SparseBoxesClassifier(revise=OLD, cv=copies).fit(X.iloc[rows], y.iloc[rows])
    assert [one.boxes for one in weighted.revisions_] == [one.boxes for one in repeated.revisions_]
    assert [one.gain for one in weighted.revisions_] == pytest.approx([one.gain for one in repeated.revisions_])


def test_the_order_of_rows_changes_nothing():
    order = np.random.default_rng(0).permutation(len(X))
    given = SparseBoxesClassifier(revise=OLD).fit(X, y)
    other = SparseBoxesClassifier(revise=OLD).fit(X.iloc[order], y.iloc[order])
    assert [one.changes for one in given.revisions_] == [one.changes for one in other.revisions_]


def test_rows_of_new_categories():
    other = X.assign(region=X.region.replace("z", "w"))
    old = BoxSet.from_text("region in {x, z} and amount >= 1", X.columns)
    model = SparseBoxesClassifier(revise=old).fit(other, y)
    assert model.revisions_[0].boxes.contains(other).sum() == old.contains(other).sum()
    assert model.boxes_.categories[3][:3] == ("w", "x", "y")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"revise": "age ≥ 3"}, TypeError, "revise must be a BoxSet or None"),
        ({"revise": OLD, "max_changes": -1}, ValueError, "max_changes"),
        ({"revise": OLD, "min_recall": 0.5}, ValueError, "goes by a cost: state false_alarm_cost instead of min_rec"),
        ({"revise": BoxSet([[1]], [[2]], feature_names=["dose"])}, ValueError, r"limit \['dose'\], which are no feat"),
        (
            {"revise": BoxSet.from_text("amount in {1, x}", ["amount"])},
            ValueError,
            "categories of 'amount', which has numbers in X",
        ),
    ],
)
def test_what_cannot_be_revised_is_one_clear_error(given, error, message):
    with pytest.raises(error, match=message):
        SparseBoxesClassifier(**given).fit(X, y)


def test_polars_and_arrays():
    import polars as pl

    numbers = X.drop(columns="region")
    rules = BoxSet([[-np.inf, 0.9, 5]], [[np.inf, np.inf, 5]])
    by_place = SparseBoxesClassifier(revise=rules, pos_label=True).fit(numbers.to_numpy(), y.to_numpy())
    named = BoxSet.from_text("age >= 0.9 and hour = 5", ["amount", "age", "hour"])
    by_name = SparseBoxesClassifier(revise=named, pos_label=True).fit(pl.from_pandas(numbers), y.to_numpy())
    assert np.array_equal(by_place.boxes_.lower, by_name.boxes_.lower)


def test_sets_of_numbers_are_intervals_where_columns_are_numbers():
    rules = BoxSet.from_sql("hour IN (4, 5, 6, 9) AND age IN (0.25, 0.5)", X.columns, {"region": ["x"]})
    rows = X.assign(age=(X.age * 4).round() / 4)
    model = SparseBoxesClassifier(revise=rules, max_changes=1).fit(rows, y)
    assert model.revisions_[0].boxes.to_text().splitlines() == [
        "Box 1: age = 0.25 and 4 ≤ hour ≤ 6",
        "Box 2: age = 0.25 and hour = 9",
        "Box 3: age = 0.5 and 4 ≤ hour ≤ 6",
        "Box 4: age = 0.5 and hour = 9",
    ]
    assert np.array_equal(model.revisions_[0].boxes.contains(rows), rules.contains(rows))


def test_ordered_categories_are_sets():
    sizes = pd.Categorical(X.region.map({"x": "S", "y": "M", "z": "L"}), categories=["S", "M", "L"], ordered=True)
    rows, rules = X.assign(region=sizes), BoxSet.from_sql("amount >= 1.5 AND region IN ('S', 'M')")
    model = SparseBoxesClassifier(revise=rules, max_changes=2).fit(rows, y)
    assert np.array_equal(model.revisions_[0].boxes.contains(rows), rules.contains(rows))
    assert "box 1: region in {M, S} → region = S" in model.revisions_[-1].changes
    found = compare(rules, model.boxes_, rows, y)
    assert found.figures[1].new > found.figures[1].old
    assert monitor(model, (rows[:1500], y[:1500]), [(rows[1500:], y[1500:])]).ok
