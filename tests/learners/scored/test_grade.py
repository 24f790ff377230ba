"""Graded membership, against plain loops."""

import math

import numpy as np
import pytest

from boxdraw.learners.grade import depths, grades

INF, NAN = math.inf, math.nan


def plain_depth(row, lower, upper, spread):
    """The least margin of the limited features, in standard deviations; unseen values are infinite, and outside."""
    result = INF
    for x, a, b, s in zip(row, lower, upper, spread, strict=True):
        if math.isnan(x) or (a == -INF and b == INF):
            continue
        result = min(result, -INF if x == INF else min(x - a, b - x) / s)
    return result


def plain_grade(depth):
    return sum(1 / (1 + math.exp(-max(min(depth / t, 700), -700))) for t in (0.1, 0.4, 1.2)) / 3


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    lower, upper = rng.normal(-1, 1, (6, 4)), rng.normal(1, 1, (6, 4))
    lower[rng.random(lower.shape) < 0.5] = -INF
    upper[rng.random(upper.shape) < 0.5] = INF
    lower[0], upper[0] = -INF, INF
    X = rng.normal(size=(500, 4))
    X[rng.random(X.shape) < 0.1] = NAN
    X[rng.random(X.shape) < 0.1] = INF
    return X, lower, upper, rng.exponential(size=4)


def test_depths_are_the_worst_margins(problem):
    X, lower, upper, spread = problem
    found = depths(*problem)
    expected = [[plain_depth(row, a, b, spread) for a, b in zip(lower, upper, strict=True)] for row in X]
    np.testing.assert_array_equal(found, expected)
    assert (found[:, 0] == INF).all()


def test_a_depth_from_0_on_is_membership(problem):
    X, lower, upper, _ = problem
    limited = (lower > -INF) | (upper < INF)
    within = np.isnan(X)[:, None] | ((X[:, None] >= lower) & (X[:, None] <= upper) & (X[:, None] < INF)) | ~limited
    np.testing.assert_array_equal(depths(*problem) >= 0, within.all(axis=2))


def test_tiles_and_threads_change_nothing(problem, monkeypatch):
    expected = depths(*problem)
    monkeypatch.setattr("boxdraw._core.tiles._CELLS", 1)
    for n_jobs in (None, 2):
        np.testing.assert_array_equal(depths(*problem, n_jobs=n_jobs), expected)


def test_float32_rows_are_compared_as_float64():
    X = np.array([[0.1], [0.7]], dtype=np.float32)
    found = depths(X, np.array([[0.1]]), np.array([[0.7]]), np.ones(1))
    np.testing.assert_array_equal(found[:, 0], [float(np.float32(0.1)) - 0.1, 0.7 - float(np.float32(0.7))])


def test_no_boxes():
    assert depths(np.zeros((3, 2)), np.empty((0, 2)), np.empty((0, 2)), np.ones(2)).shape == (3, 0)


def test_huge_and_tiny_numbers():
    X = np.array([[-1.7e308], [0.0], [1.7e308], [5e-324]])
    found = depths(X, np.array([[1e308], [5e-324]]), np.array([[INF], [INF]]), np.array([5e-324]))
    assert (found[:, 0] >= 0).tolist() == [False, False, True, False]
    assert (found[:, 1] >= 0).tolist() == [False, False, True, True]


def test_grades():
    depth = np.array([[-INF, -800, -3, -0.5, -1e-9, 0, 1e-9, 0.5, 3, 800, INF]])
    found = grades(depth)
    np.testing.assert_allclose(found[0], [plain_grade(value) for value in depth[0]], rtol=1e-14)
    assert found[0, 5] == 0.5
    assert (np.diff(found[0]) >= 0).all()
    assert (np.diff(found[0, 1:-1]) > 0).all()
    assert found[0, -1] == pytest.approx(1)
    assert 0 <= found[0, 0] < 1e-100
    np.testing.assert_allclose(grades(-depth), 1 - found, atol=1e-15)
