"""Exact Boxes with constraints: the optimum of brute force among the boxes that keep them, and no box breaks one."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from boxdraw import CautionWarning, ExactBoxesClassifier
from boxdraw.learners.constraints import PARAMETERS
from boxdraw.learners.exact.certificate import Certificate, CertificateError

from . import limit_reference as ref
from .fitted import HANG
from .test_limits import fit

CHUNK = 40  # tables in a test
N_CHUNKS = {1: 20, 2: 12, 3: 4}


def tables(max_boxes, chunk, size=CHUNK):
    rng = np.random.default_rng([11, max_boxes, chunk])
    return [ref.random_constraints(rng, ref.random_table(rng, max_boxes)) for _ in range(size)]


def breaches(table, boxes):
    asked = {name: table.params[name] for name in (*PARAMETERS, "max_limits", "max_boxes") if name in table.params}
    return boxes.check(X=table.frame, y=table.y, sample_weight=table.weight, pos_label=1, **asked)


def chunks():
    """The tables, in parts; two of each number of boxes are for `make test`."""
    for max_boxes, count in N_CHUNKS.items():
        for chunk in range(count):
            yield pytest.param(max_boxes, chunk, marks=[pytest.mark.thorough] if chunk > 1 else [])


@pytest.mark.parametrize(("max_boxes", "chunk"), list(chunks()))
def test_the_optimum_is_found_and_proven(max_boxes, chunk):
    for table in tables(max_boxes, chunk):
        n_jobs = 1 + (chunk % 3 == 2)
        model = fit(table, edges=["tight", "midway"][chunk % 2], round_limits=chunk % 4 < 2, n_jobs=n_jobs)
        best = float(ref.optimum(table))
        assert model.objective_ == best == model.bound_, table
        assert model.status_ == "optimal"
        assert not breaches(table, model.boxes_)
        certificate = Certificate.from_json(model.certificate_.to_json())
        assert certificate == model.certificate_
        assert certificate.verify(table.frame, table.y, table.weight)


@pytest.mark.parametrize(
    "params",
    [
        *({"time_limit": seconds} for seconds in (0, 1e-3, 1e-2)),
        *({"strategy": strategy} for strategy in ("neighbourhood", "per_cluster")),
        {"gap": 0.2},
    ],
)
def test_whatever_ends_the_search_nothing_untrue_is_said(params):
    for max_boxes in (1, 2, 3):
        for table in tables(max_boxes, 400, size=8):
            model = fit(table, **params)
            assert model.objective_ <= float(ref.optimum(table)) <= model.bound_, table
            assert not breaches(table, model.boxes_)
            assert model.certificate_.verify(table.frame, table.y, table.weight)


@pytest.mark.filterwarnings("ignore:This problem is too large|No box was found")
@pytest.mark.parametrize("seed", range(5))
def test_floors_are_kept_where_negatives_are_sampled(monkeypatch, seed):
    monkeypatch.setattr("boxdraw.learners.exact.strategies.sample_step", lambda *_: 5)
    rng, asked = np.random.default_rng(seed), {"min_box_precision": 0.6, "min_box_rows": 12}
    X = rng.random((60, 2)).round(2)
    y = (rng.random(60) < np.where(X[:, 0] > 0.5, 0.1, 0.4)).astype(int)
    model = ExactBoxesClassifier(max_boxes=2, negative_weight=0.3, pos_label=1, time_limit=0.3, **asked).fit(X, y)
    assert model.boxes_.check(X=X, y=y, pos_label=1, **asked) == []
    assert model.certificate_.verify(X, y)


def test_constraints_that_no_box_keeps_are_named():
    X, y = two_blocks(40)
    with pytest.warns(
        CautionWarning, match=r"No box was found that is worth its cost.* The constraints may be too str"
    ):
        ExactBoxesClassifier(max_boxes=1, time_limit=HANG, min_box_rows=1000).fit(X, y)


def two_blocks(n=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((n, 3)).round(2), columns=["a", "b", "c"])
    X["town"] = rng.choice([f"t{k:02}" for k in range(40)], n)
    y = ((X["a"] < 0.3) & (X["b"] < 0.5)) | ((X["a"] > 0.7) & (X["b"] > 0.6))
    return X, (y ^ (rng.random(n) < 0.03)).astype(int).to_numpy()


def test_inner_folds_and_many_categories_keep_them():
    X, y = two_blocks()
    asked = {
        "monotonic_cst": {"a": 1},
        "allowed_values": {"b": [0.25, 0.5, 0.75], "c": []},
        "interaction_cst": {"not_together": [["a", "town"]]},
        "min_box_rows": 20,
    }
    model = ExactBoxesClassifier(max_boxes="auto", pos_label=1, gap=0.5, time_limit=HANG, **asked).fit(X, y)
    assert len(model.boxes_)
    assert model.boxes_.check(X=X, y=y, pos_label=1, **asked) == []
    assert model.certificate_.verify(X, y)


def test_features_are_found_by_name_or_position():
    X, y = two_blocks()
    by_name, by_place = (
        ExactBoxesClassifier(max_boxes=1, time_limit=HANG, monotonic_cst={a: -1}, allowed_values={b: [0.6]}).fit(X, y)
        for a, b in (("a", "b"), (0, 1))
    )
    assert by_name.boxes_ == by_place.boxes_
    assert by_name.certificate_.constraints == by_place.certificate_.constraints
    assert by_name.certificate_.constraints == {"monotonic_cst": {"a": -1}, "allowed_values": {"b": [0.6]}}
    nothing_asked = ExactBoxesClassifier(max_boxes=1, time_limit=HANG, monotonic_cst=[0] * 4).fit(X, y)
    assert nothing_asked.certificate_.constraints is None


def test_boxes_that_break_a_constraint_are_found_out():
    X, y = two_blocks()
    asked = {"allowed_values": {"a": [0.3]}, "interaction_cst": "pairwise", "min_box_rows": 10.0}
    model = ExactBoxesClassifier(max_boxes=1, time_limit=HANG, **asked).fit(X, y)
    stored = json.loads(model.certificate_.to_json())
    assert (stored["version"], stored["constraints"]) == (3, asked)
    for other, words in (
        ({"allowed_values": {"a": [0.4]}}, "box 1: a ≤ 0.3 is not at one of the allowed values of a"),
        ({"min_box_rows": 290}, "box 1 holds .* rows, but needs 290"),
        ({"min_box_weight": 1}, "min_box_weight"),
        ({"monotonic_cst": {"d": 1}}, "which is not there"),
    ):
        with pytest.raises(CertificateError, match=words):
            replace(model.certificate_, constraints=other, checksum="").verify(X, y)
    with pytest.raises(CertificateError, match="constraints: expected dict"):
        Certificate.from_json(json.dumps(stored | {"constraints": [1]}))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"solver": "mip", "monotonic_cst": {"a": 1}}, "solver='mip' knows no monotonic_cst; use solver='auto'"),
        ({"margin": 0.1, "min_box_rows": 5}, "min_box_rows is about rows in a box and goes with margin=0; got margin="),
        ({"interaction_cst": "all"}, "interaction_cst must be None"),
        ({"monotonic_cst": {"town": 1}}, "it has categories"),
    ],
)
def test_what_cannot_be_is_refused_by_name(params, words):
    with pytest.raises(ValueError, match=words):
        ExactBoxesClassifier(**params).fit(*two_blocks(20))
