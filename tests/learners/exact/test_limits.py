"""Exact Boxes with prices for limits: the optimum of brute force, and nothing is said that is not true."""

import json
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from boxdraw import ExactBoxesClassifier
from boxdraw.learners.exact.certificate import Certificate, CertificateError

from . import limit_reference as ref
from .fitted import HANG, small

CHUNK = 40  # tables in a test
N_CHUNKS = {1: 26, 2: 20, 3: 6}


def fit(table, **params):
    model = ExactBoxesClassifier(
        pos_label=1, **{"random_state": 0, "n_jobs": 1, "time_limit": HANG} | table.params | params
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No box was found|builtin type .* has no __module__ attribute")
        return model.fit(table.frame, table.y, table.weight)


def tables(max_boxes, chunk, size=CHUNK):
    rng = np.random.default_rng([7, max_boxes, chunk])
    return [ref.random_table(rng, max_boxes) for _ in range(size)]


def chunks():
    """The tables, in parts; one of each number of boxes is for `make test`."""
    for max_boxes, count in N_CHUNKS.items():
        for chunk in range(count):
            yield pytest.param(max_boxes, chunk, marks=[pytest.mark.thorough] if chunk else [])


@pytest.mark.parametrize(("max_boxes", "chunk"), list(chunks()))
def test_the_optimum_is_found_and_proven(max_boxes, chunk):
    for table in tables(max_boxes, chunk):
        model = fit(table, edges=["tight", "midway"][chunk % 2], round_limits=chunk % 4 < 2)
        best = float(ref.optimum(table))
        assert model.objective_ == best == model.bound_, table
        assert model.status_ == "optimal"
        assert model.certificate_.verify(table.frame, table.y, table.weight)
        if table.params["max_limits"] is not None:
            assert all(ref.n_limits(table, box) <= table.params["max_limits"] for box in model.boxes_)
        if table.params["margin"] == 0:
            inside = model.boxes_.contains(table.frame)
            assert model.objective_ == float(
                ref.value(table, inside, [ref.n_limits(table, box) for box in model.boxes_])
            )


@pytest.mark.parametrize("seconds", [0, 1e-3, 1e-2])
def test_without_time_the_bound_still_holds(seconds):
    for max_boxes in (1, 2, 3):
        for table in tables(max_boxes, 400, size=5):
            model = fit(table, time_limit=seconds)
            assert model.objective_ <= float(ref.optimum(table)) <= model.bound_
            assert model.certificate_.verify(table.frame, table.y, table.weight)


@pytest.mark.parametrize("chunk", [0, *(pytest.param(chunk, marks=pytest.mark.thorough) for chunk in range(1, 5))])
def test_the_program_of_the_paper_pays_for_limits_too(chunk):
    for table in tables(1 + chunk % 2, 600 + chunk, size=12):
        if table.frame.select_dtypes("number").isna().any(axis=None):
            continue
        model, best = fit(table, solver="mip"), float(ref.optimum(table))
        assert model.objective_ == best
        assert best <= model.bound_ <= best + 1e-6
        assert model.status_ == "optimal"
        assert model.certificate_.verify(table.frame, table.y, table.weight)


@pytest.mark.parametrize("strategy", ["neighbourhood", "per_cluster"])
def test_other_strategies_say_nothing_untrue(strategy):
    for table in tables(2, 700, size=20):
        model = fit(table, strategy=strategy)
        assert model.objective_ <= float(ref.optimum(table)) <= model.bound_
        assert model.certificate_.verify(table.frame, table.y, table.weight)


def test_inner_folds_choose_the_number_of_boxes():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    one = (X[:, 0] < 0.3) & (X[:, 1] < 0.5)
    two = one | ((X[:, 0] > 0.7) & (X[:, 1] > 0.6))
    for y, n_boxes in ((one, 1), (two, 2)):
        y = (y ^ (rng.random(300) < 0.03)).astype(int)
        model = ExactBoxesClassifier(max_boxes="auto", pos_label=1, gap=0.5, time_limit=HANG).fit(X, y)
        assert (model.max_boxes_, len(model.boxes_), model.certificate_.max_boxes) == (n_boxes,) * 3
        assert model.certificate_.verify(X, y)


def test_of_many_categories_those_that_chance_explains_are_one():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 60, 600)
    y = (np.isin(codes, [3, 7]) ^ (rng.random(600) < 0.05)).astype(int)
    frame = pd.DataFrame({"town": pd.Categorical.from_codes(codes, [f"t{k:02}" for k in range(60)])})
    model = ExactBoxesClassifier(max_boxes=1, time_limit=HANG).fit(frame, y)
    assert model.boxes_.to_text() == "Box 1: town in {t03, t07}"
    assert (model.status_, model.boxes_.n_limits) == ("optimal", 1)


def test_an_equality_is_one_limit_among_whole_numbers_only():
    X = np.arange(60.0)[:, None]
    y = (X[:, 0] == 30).astype(int)
    equal, between = (ExactBoxesClassifier(max_boxes=1, time_limit=HANG).fit(X / n, y) for n in (1, 7))
    assert equal.boxes_.to_text() == "Box 1: x0 = 30"
    assert between.boxes_.lower < 30 / 7 < between.boxes_.upper
    assert equal.objective_ - between.objective_ == pytest.approx(equal.limit_cost_)
    tight = ExactBoxesClassifier(max_boxes=1, edges="tight", round_limits=False, time_limit=HANG).fit(X / 7, y)
    assert tight.objective_ == between.objective_
    assert tight.certificate_.verify(X / 7, y)


def test_with_the_costs_of_the_paper_limits_do_not_count():
    X, y = small()
    costs = {"max_boxes": 2, "box_cost": 1, "negative_weight": 0.5, "time_limit": HANG, "random_state": 0}
    free, dear = (ExactBoxesClassifier(limit_cost=cost, **costs).fit(X, y) for cost in (0, 1))
    assert free.certificate_.limit_cost == 0
    assert json.loads(free.certificate_.to_json())["version"] == 1
    text = dear.certificate_.to_json()
    assert (json.loads(text)["limit_cost"], json.loads(text)["max_limits"]) == ("1", None)
    assert Certificate.from_json(text) == dear.certificate_
    assert dear.boxes_.n_limits < free.boxes_.n_limits
    assert dear.objective_ < free.objective_


def test_boxes_with_too_many_limits_are_found_out():
    X, y = small()
    model = ExactBoxesClassifier(max_boxes=1, limit_cost=0, max_limits=2, time_limit=HANG).fit(X, y)
    with pytest.raises(CertificateError, match="boxes: one has 2 limits, more than max_limits=1"):
        replace(model.certificate_, max_limits=1, checksum="").verify(X, y)
    with pytest.raises(CertificateError, match="limit_cost: -1 is not finite and at least 0"):
        replace(model.certificate_, limit_cost=Fraction(-1), checksum="").verify(X, y)
    with pytest.raises(CertificateError, match="objective: it says"):
        replace(model.certificate_, limit_cost=Fraction(1, 100), checksum="").verify(X, y)
