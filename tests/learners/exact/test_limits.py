"""Exact Boxes with prices for limits: the optimum of brute force, and nothing is said that is not true."""

import warnings

import numpy as np
import pytest

from boxdraw import ExactBoxesClassifier

from . import limit_reference as ref
from .fitted import HANG

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
            assert all(box.n_limits <= table.params["max_limits"] for box in model.boxes_)
        if table.params["margin"] == 0:
            inside = model.boxes_.contains(table.frame)
            assert model.objective_ == float(ref.value(table, inside, [box.n_limits for box in model.boxes_]))


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
