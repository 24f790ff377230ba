"""Exact Boxes with constraints: the optimum of brute force among the boxes that keep them, and no box breaks one."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from boxdraw import ExactBoxesClassifier
from boxdraw.learners.constraints import PARAMETERS
from boxdraw.learners.exact.certificate import Certificate, CertificateError

from . import limit_reference as ref
from .fitted import HANG, small
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
