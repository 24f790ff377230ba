"""Exact Boxes finds the optimum of brute force, proves no less, and says no more of its boxes than is true."""

import math

import numpy as np
import pytest

from . import reference as ref
from .fitted import fit

CHUNK = 40  # problems in a test
N_CHUNKS = {1: 12, 2: 8, 3: 6}


def assert_true(problem, model):
    """What the model says of its boxes is so, whatever they are."""
    boxes, certificate = model.boxes_, model.certificate_
    assert model.objective_ == float(ref.value(problem, boxes.lower.tolist(), boxes.upper.tolist()))
    assert model.bound_ >= model.objective_
    assert len(boxes) <= problem.max_boxes
    assert (certificate.objective, certificate.bound, certificate.gap) == (model.objective_, model.bound_, model.gap_)
    assert certificate.boxes == boxes
    assert certificate.status == model.status_
    assert certificate.verify(problem.X, problem.y, problem.weight) is True
    if problem.margin == 0:
        inside = [
            any(
                all(a <= x <= b for x, a, b in zip(row, low, high, strict=True))
                for low, high in zip(boxes.lower, boxes.upper, strict=True)
            )
            for row in problem.X
        ]
        np.testing.assert_array_equal(model.predict(problem.X), np.array(inside, dtype=int))


def assert_optimal(problem, model, optimum=ref.optimum):
    assert_true(problem, model)
    best = float(optimum(problem))
    assert model.status_ == "optimal"
    assert model.bound_ >= best
    # What was rounded is stated, and is next to nothing; the bound and the choice of boxes may each be off by it.
    room = 2 * model.certificate_.rounding_error
    assert room <= 1e-9 * best
    if room:
        assert abs(model.objective_ - best) <= room + 4 * math.ulp(best)
        assert model.bound_ - best <= 2 * room + 4 * math.ulp(best)
    else:
        assert model.objective_ == model.bound_ == best


def problems(max_boxes, chunk, size=CHUNK, **kind):
    rng = np.random.default_rng([max_boxes, chunk])
    return [ref.random_problem(rng, max_boxes, **kind) for _ in range(size)]


def chunks():
    """The problems, in parts; two of each number of boxes are for `make test`."""
    for max_boxes, count in N_CHUNKS.items():
        for chunk in range(count):
            yield pytest.param(max_boxes, chunk, marks=[pytest.mark.thorough] if chunk >= 2 else [])


@pytest.mark.parametrize(("max_boxes", "chunk"), list(chunks()))
def test_the_optimum_is_found_and_proven(max_boxes, chunk):
    for problem in problems(max_boxes, chunk):
        assert_optimal(problem, fit(problem, edges=["tight", "midway"][chunk % 2]))


@pytest.mark.thorough
@pytest.mark.parametrize("max_boxes", [1, 2, 3])
def test_with_real_weights_up_to_their_rounding(max_boxes):
    for problem in problems(max_boxes, 100, weights="real"):
        assert_optimal(problem, fit(problem))


@pytest.mark.parametrize("max_boxes", [1, 2, 3])
def test_with_two_threads(max_boxes):
    for problem in problems(max_boxes, 200, size=20):
        assert_optimal(problem, fit(problem, n_jobs=2))


@pytest.mark.thorough
@pytest.mark.parametrize("max_boxes", [1, 2])
def test_with_distances_that_floats_round(max_boxes):
    """Limits are floats, but a row is held or missed by the margin exactly."""
    rng = np.random.default_rng(max_boxes)
    for problem in problems(max_boxes, 300, size=20):
        tenths = ref.in_tenths(problem, rng)
        assert_optimal(tenths, fit(tenths, edges="tight"))
        assert_optimal(tenths, fit(tenths, edges="midway"))


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(4))
def test_two_boxes_in_larger_tables(chunk):
    rng = np.random.default_rng(chunk)
    for _ in range(5):
        problem = ref.larger_problem(rng)
        assert_optimal(problem, fit(problem), optimum=ref.optimum_of_two)


@pytest.mark.parametrize("gap", [0.01, 0.1, 1.0])
def test_a_gap_is_kept(gap):
    for max_boxes in (1, 2, 3):
        for problem in problems(max_boxes, 500, size=5):
            model = fit(problem, gap=gap)
            assert_true(problem, model)
            best = float(ref.optimum(problem))
            assert model.objective_ <= best <= model.bound_ <= (1 + gap) * model.objective_
            assert model.status_ == ("optimal" if model.objective_ == model.bound_ else "gap_reached")


@pytest.mark.parametrize("seconds", [0, 1e-3, 1e-2])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_without_time_the_bound_still_holds(seconds, n_jobs):
    for max_boxes in (1, 2, 3):
        for problem in problems(max_boxes, 400, size=5):
            model = fit(problem, time_limit=seconds, n_jobs=n_jobs)
            assert_true(problem, model)
            best = float(ref.optimum(problem))
            assert model.objective_ <= best <= model.bound_
            assert model.status_ == ("optimal" if model.objective_ == model.bound_ else "time_limit")
