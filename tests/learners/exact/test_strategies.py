"""The paper's shortcuts and its program, against brute force."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from . import reference as ref
from .fitted import fit

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")


def tiny(seed, max_boxes, n=20):
    rng = np.random.default_rng([seed, max_boxes])
    for _ in range(n):
        yield ref.random_problem(rng, max_boxes, most_rows=10, most_positives=6)


@pytest.mark.parametrize("max_boxes", [1, 2, 3])
def test_from_the_neighbourhood_the_optimum_is_found_too(max_boxes):
    for problem in tiny(5, max_boxes):
        fitted = fit(problem, strategy="neighbourhood")
        assert fitted.status_ == "optimal"
        assert fitted.objective_ == fitted.bound_ == float(ref.optimum(problem))
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)


@pytest.mark.parametrize("max_boxes", [1, 2, 3])
def test_boxes_per_cluster_have_a_bound_that_holds(max_boxes):
    for problem in tiny(6, max_boxes):
        fitted = fit(problem, strategy="per_cluster")
        best = float(ref.optimum(problem))
        boxes = fitted.boxes_.lower.tolist(), fitted.boxes_.upper.tolist()
        assert fitted.objective_ == float(ref.value(problem, *boxes))
        assert fitted.objective_ <= best <= fitted.bound_
        assert fitted.objective_ >= float(ref.value(problem, [], []))
        assert fitted.status_ == ("optimal" if fitted.objective_ == fitted.bound_ else "heuristic")
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)


@pytest.mark.thorough
@pytest.mark.parametrize("max_boxes", [1, 2])
def test_the_papers_program_has_the_same_optimum(max_boxes):
    for problem in tiny(7, max_boxes, n=10):
        if problem.margin:  # the program's own tolerances are about coordinates: no rows right at a limit
            problem = replace(problem, margin=0.0)
        fitted = fit(problem, solver="mip")
        assert fitted.status_ == "optimal"
        assert fitted.objective_ == fitted.bound_ == float(ref.optimum(problem))
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)


@pytest.mark.thorough
def test_missing_values_against_brute_force():
    """A missing value is inside wherever the box says so; all boxes that say anything of it are tried."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        problem = ref.random_problem(rng, 1, most_rows=8, most_positives=5)
        X = np.array(problem.X)
        X[rng.random(X.shape) < 0.25] = np.nan
        if np.isnan(X).all(axis=0).any():
            continue
        problem = replace(problem, X=X.tolist(), margin=0.0)
        assert fit(problem).objective_ == float(best_with_missing(problem))


def best_with_missing(problem):
    """Return the best objective of one box or none: for each feature an interval or nothing, and missing or not."""
    X, y = np.array(problem.X), np.array(problem.y)
    worth, box_cost = problem.costs()
    sides = []
    for column in X.T:
        values = sorted({*column[~np.isnan(column)].tolist()})
        intervals = [(a, b) for a in values for b in values if a <= b] + [(1.0, 0.0)]
        sides.append([(interval, missing) for interval in intervals for missing in (False, True)])
    best = sum(w for w, label in zip(worth, y, strict=True) if not label)
    for box in product(*sides):
        inside = np.ones(len(y), dtype=bool)
        for column, ((low, high), missing) in zip(X.T, box, strict=True):
            inside &= np.where(np.isnan(column), missing, (low <= column) & (column <= high))
        value = sum(w for w, right in zip(worth, inside == (y == 1), strict=True) if right) - box_cost
        best = max(best, value)
    return best
