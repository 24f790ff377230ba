"""Ridge logistic regression, against a general solver and finite differences, and bit for bit against itself."""

import numpy as np
import pytest
from scipy.optimize import brentq

from boxdraw.learners.scored.logistic import curvature_of, fit_logistic, rounder_of

from . import reference as ref

FEATURES = ("graded", "boxes", "alike", "none", "equal", "empty")
WEIGHTS = ("ones", "whole", "any")


def problem(seed, kind="graded", weights="ones", n_rows=40):
    """Features, classes, weights, class weights and a ridge as the learner would have it."""
    rng = np.random.default_rng(seed)
    n = 0 if kind == "none" else int(rng.integers(1, 7))
    if kind == "boxes":
        F = (rng.random((n_rows, n)) < rng.random(n)).astype(np.float64)
    elif kind == "alike":
        F = 0.9 * rng.random((n_rows, 1)) + 0.1 * rng.random((n_rows, n))
    else:
        F = rng.random((n_rows, n))
    if kind == "equal":
        F = F[:, :1].repeat(n, axis=1)
    if kind == "empty":
        F[:, 0] = 0.0
    positive = rng.random(n_rows) < ref.sigmoid(rng.normal(size=n) @ F.T - 1)
    positive[:2] = True, False
    weight = {
        "ones": np.ones(n_rows),
        "whole": rng.integers(1, 9, n_rows).astype(np.float64),
        "any": 10 ** rng.uniform(-3, 3, n_rows),
        "tiny": np.full(n_rows, 1e-100),
        "huge": np.full(n_rows, 1e12),
    }[weights]
    class_weight = np.array([1.0, rng.choice([1.0, 10.0, 0.1])])
    return F, positive, weight, class_weight, float(class_weight[1] * rng.choice([0.5, 0.05, 5.0]))


def fit(task, nonnegative, start=None):
    return fit_logistic(*task, nonnegative, np.zeros(task[0].shape[1] + 1) if start is None else start, 1e-8)


def check_optimum(task, nonnegative):
    """The loss is convex, so it is the least where its slope is 0, or up from 0 where coefficients may not be less."""
    b = fit(task, nonnegative)
    assert np.isfinite(b).all()
    assert not nonnegative or (b[:-1] >= 0).all()
    scale = task[2] @ np.where(task[1], *task[3][::-1])
    slope = ref.slope(b, *task)
    free = np.append(b[:-1] > 0, True) if nonnegative else np.ones(len(b), dtype=bool)
    assert np.abs(slope[free]).max() < 1e-7 * scale
    assert (slope[~free] > -1e-7 * scale).all()


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("kind", FEATURES)
def test_a_general_solver_finds_the_same(kind, nonnegative):
    task = problem(7, kind, "whole")
    b = fit(task, nonnegative)
    loss, other = ref.least_loss(task, nonnegative)
    assert ref.log_loss(b, *task) <= loss * (1 + 1e-9)
    np.testing.assert_allclose(
        ref.sigmoid(task[0] @ b[:-1] + b[-1]), ref.sigmoid(task[0] @ other[:-1] + other[-1]), atol=1e-4
    )


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_least_loss(seed, kind, weights, nonnegative):
    check_optimum(problem(seed, kind, weights), nonnegative)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_least_loss_where_columns_are_much_alike(seed, nonnegative):
    check_optimum(problem(100 + seed, "alike", "whole", n_rows=25), nonnegative)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("weight", [1.0, 1000.0])
def test_separable_classes(nonnegative, weight):
    x = np.linspace(0, 1, 30)
    F = np.column_stack([x > 0.5, x <= 0.5, x]).astype(np.float64)
    check_optimum((F, x > 0.5, np.full(30, weight), np.array([1.0, 1.0]), 0.5), nonnegative)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize(("weights", "factor"), [("tiny", 1e-100), ("huge", 1e12)])
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_any_size(seed, weights, factor, nonnegative):
    """With weights and ridge times a factor the answer is the same."""
    F, positive, weight, class_weight, ridge = problem(seed, "graded", weights)
    plain = fit((F, positive, np.ones(len(F)), class_weight, ridge), nonnegative)
    np.testing.assert_allclose(
        fit((F, positive, weight, class_weight, ridge * factor), nonnegative), plain, rtol=1e-6, atol=1e-6
    )


def test_one_row_of_much_weight():
    F, positive, weight, class_weight, ridge = problem(0, "boxes")
    weight[0] = 1e9
    check_optimum((F, positive, weight, class_weight, ridge), False)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_where_it_starts_does_not_matter(seed, nonnegative):
    task = problem(seed, "graded", "whole")
    start = np.abs(np.random.default_rng(seed).normal(scale=3, size=task[0].shape[1] + 1))
    np.testing.assert_allclose(fit(task, nonnegative, start), fit(task, nonnegative), atol=1e-6)
    kept = start.copy()
    fit(task, nonnegative, start)
    np.testing.assert_array_equal(start, kept)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_does_not_matter_to_the_last_bit(seed, weights, nonnegative):
    F, positive, weight, class_weight, ridge = problem(seed, "graded", weights)
    order = np.random.default_rng(seed).permutation(len(F))
    first = fit((F, positive, weight, class_weight, ridge), nonnegative)
    second = fit((F[order], positive[order], weight[order], class_weight, ridge), nonnegative)
    np.testing.assert_array_equal(first, second)
    one = curvature_of(F, positive, weight, class_weight, ridge, first)
    other = curvature_of(F[order], positive[order], weight[order], class_weight, ridge, first)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_whole_weights_are_copies_to_the_last_bit(seed, nonnegative):
    F, positive, weight, class_weight, ridge = problem(seed, "graded", "whole")
    copies = np.repeat(np.arange(len(F)), weight.astype(int))
    first = fit((F, positive, weight, class_weight, ridge), nonnegative)
    second = fit((F[copies], positive[copies], np.ones(len(copies)), class_weight, ridge), nonnegative)
    np.testing.assert_array_equal(first, second)
    one = curvature_of(F, positive, weight, class_weight, ridge, first)
    other = curvature_of(F[copies], positive[copies], np.ones(len(copies)), class_weight, ridge, first)
    np.testing.assert_array_equal(one, other)


def test_whole_parts_of_weights_are_copies():
    F, positive, weight, class_weight, ridge = problem(0, "graded", "whole")
    part = np.where(np.arange(len(F)) % 2, 0.0, 0.375)
    copies = np.concatenate([np.repeat(np.arange(len(F)), weight.astype(int)), np.flatnonzero(part)])
    each = np.concatenate([np.ones(int(weight.sum())), part[part > 0]])
    first = fit((F, positive, weight + part, class_weight, ridge), True)
    second = fit((F[copies], positive[copies], each, class_weight, ridge), True)
    np.testing.assert_array_equal(first, second)


def profiled_slope(coefficients, task):
    """The gradient by the coefficients alone, at the best intercept for them."""

    def by_intercept(intercept):
        return ref.slope(np.append(coefficients, intercept), *task)[-1]

    intercept = brentq(by_intercept, -60, 60, xtol=1e-14, rtol=1e-15)
    return ref.slope(np.append(coefficients, intercept), *task)[:-1], intercept


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", ["graded", "boxes", "alike"])
@pytest.mark.parametrize("seed", range(3))
def test_curvature_is_the_second_derivative_at_the_best_intercept(seed, kind, weights):
    task = problem(seed, kind, weights)
    n = task[0].shape[1]
    coefficients = np.random.default_rng(seed).normal(size=n)
    _, intercept = profiled_slope(coefficients, task)
    found = curvature_of(*task, np.append(coefficients, intercept))
    step = 1e-4
    for k in range(n):
        ahead, behind = coefficients.copy(), coefficients.copy()
        ahead[k] += step
        behind[k] -= step
        expected = (profiled_slope(ahead, task)[0] - profiled_slope(behind, task)[0]) / (2 * step)
        np.testing.assert_allclose(found[k], expected, rtol=1e-4, atol=1e-6 * task[2].sum() * task[3].max())
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("total", [1e-200, 0.3, 1.0, 1.5, 1024.0, 1e6, 1e200])
def test_rounded_terms_add_up_exactly(total):
    rounder = rounder_of(total)
    terms = np.random.default_rng(0).dirichlet(np.ones(50)) * total
    rounded = (terms + rounder) - rounder
    assert np.abs(rounded - terms).max() <= total * 2.0**-49
    sums = {float(np.sum(rounded[order])) for order in map(np.random.default_rng(1).permutation, [50] * 20)}
    running = {float(np.cumsum(rounded[order])[-1]) for order in map(np.random.default_rng(2).permutation, [50] * 20)}
    assert len(sums | running) == 1
