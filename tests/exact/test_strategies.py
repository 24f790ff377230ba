"""The paper's shortcuts and its program, against brute force."""

from dataclasses import replace

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


@pytest.mark.parametrize("max_boxes", [1, 2])
def test_the_papers_program_has_the_same_optimum(max_boxes):
    for problem in tiny(7, max_boxes, n=10):
        if problem.margin:  # the program's own tolerances are about coordinates: no rows right at a limit
            problem = replace(problem, margin=0.0)
        fitted = fit(problem, solver="mip")
        assert fitted.status_ == "optimal"
        assert fitted.objective_ == fitted.bound_ == float(ref.optimum(problem))
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)
