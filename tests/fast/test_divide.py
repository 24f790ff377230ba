"""R+ and R- of every edge against the literal sums."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import FastBoxesClassifier
from boxdraw.fast.cluster import tight_boxes
from boxdraw.fast.divide import Rows, edge_sums
from boxdraw.fast.scale import GRID, fit_scaling

from . import reference as ref


def library_sums(X, weight, label, width=2.0, n_jobs=None):
    """Scaled rows and the library's log R+ and log R-, for given clusters."""
    X, label = np.asarray(X, dtype=float), np.asarray(label)
    scaling = fit_scaling(X, width)
    rows = scaling.columns(X).T
    lower, upper = tight_boxes(rows[label >= 0], label[label >= 0])
    total = float(len(X)) if weight is None else math.fsum(weight)
    sums = edge_sums(Rows(X, weight, label, total), scaling, lower, upper, n_jobs)
    return rows, sums.log_positive, sums.log_negative


def assert_equal_to_the_loop(rows, weight, label, log_positive, log_negative, edges=None, tol=1e-12):
    weight = np.ones(len(rows)) if weight is None else weight
    rows, label = np.asarray(rows).tolist(), np.asarray(label).tolist()
    for side, k, j in edges or np.ndindex(log_positive.shape):
        plus, minus = ref.log_sums(rows, weight, label, k, j, side)
        assert log_positive[side, k, j] == pytest.approx(plus, rel=0, abs=tol), (side, k, j)
        if minus == -math.inf:
            assert log_negative[side, k, j] == -math.inf, (side, k, j)
        else:
            assert log_negative[side, k, j] == pytest.approx(minus, rel=1e-15, abs=tol), (side, k, j)


@st.composite
def clustered(draw, **options):
    """A table, weights, and a random cluster for each positive; some are in none, but no cluster is empty."""
    X, y = draw(ref.tables(**options))
    positives = np.flatnonzero(y)
    n_boxes = draw(st.integers(1, min(3, len(positives))))
    deal = draw(st.lists(st.integers(-1, n_boxes - 1), min_size=len(positives), max_size=len(positives)))
    label = np.full(len(X), -1)
    label[positives] = deal
    label[positives[:n_boxes]] = np.arange(n_boxes)
    return X, ref.make_weight(draw(ref.weight_kinds), len(X), draw(st.integers(0, 99))), label


@given(clustered(kinds=["continuous", "duplicates"]), st.sampled_from([0.5, 2.0, 6.0]))
@settings(max_examples=150, deadline=None)
def test_sums_of_scaled_rows(table, width):
    X, weight, label = table
    rows, *sums = library_sums(X, weight, label, width)
    assert_equal_to_the_loop(rows, weight, label, *sums)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), ref.weight_kinds)
@settings(max_examples=100, deadline=None)
def test_sums_on_faces_and_in_the_middle(seed, n_features, weight_kind):
    rng = np.random.default_rng(seed)
    # quarters from -1 to 1 survive scaling as they are, so rows meet faces and middles exactly
    X = rng.integers(-4, 5, (25, n_features)) / 4
    X[0], X[1] = -1, 1
    label = np.full(25, -1)
    label[2:10] = rng.integers(0, 2, 8)
    label[2], label[3] = 0, 1
    weight = ref.make_weight(weight_kind, 25, seed)
    rows, *sums = library_sums(X, weight, label)
    np.testing.assert_array_equal(rows, X)
    assert_equal_to_the_loop(rows, weight, label, *sums)


def test_sums_of_single_point_boxes_and_duplicates_of_both_classes():
    X = np.array([[0.0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [-1, 1], [1, -1], [0, 1]])
    label = np.array([0, 0, -1, 1, -1, -1, -1, -1])
    rows, *sums = library_sums(X, None, label)
    assert_equal_to_the_loop(rows, None, label, *sums)
    assert np.isfinite(sums[1]).all()


def test_nothing_on_the_other_side_gives_zero():
    X = np.array([[0.0, 1], [1, 0], [1, 1], [2, 3]])
    label = np.array([0, 0, -1, -1])
    rows, *sums = library_sums(X, None, label)
    assert sums[1][0].tolist() == [[-math.inf, -math.inf]]
    assert_equal_to_the_loop(rows, None, label, *sums)


@given(ref.tables(kinds=["continuous"]), st.sampled_from([0.5, 2.0, 6.0]))
@settings(max_examples=50, deadline=None)
def test_scaling_is_the_plain_formula_to_a_grid_step(table, width):
    X, _ = table
    plain = np.array(ref.scaled(X, width), dtype=float)
    assert np.abs(fit_scaling(X, width).columns(X).T - plain).max() <= GRID


@given(clustered(kinds=["integers"], max_rows=20))
@settings(max_examples=100, deadline=None)
def test_sums_from_raw_rows(table):
    """In exact arithmetic from the raw values on, so that ties in the user's units are ties."""
    X, weight, label = table
    sums = library_sums(X, weight, label)[1:]
    assert_equal_to_the_loop_of_fractions(X, weight, label, *sums)


def assert_equal_to_the_loop_of_fractions(X, weight, label, log_positive, log_negative):
    rows = ref.scaled(X)
    weight = np.ones(len(rows)) if weight is None else weight
    for side, k, j in np.ndindex(log_positive.shape):
        plus, minus = ref.log_sums(rows, weight, label.tolist(), k, j, side)
        assert log_positive[side, k, j] == pytest.approx(plus, rel=0, abs=1e-11), (side, k, j)
        if minus > -math.inf:
            assert log_negative[side, k, j] == pytest.approx(minus, rel=0, abs=1e-11), (side, k, j)


def test_a_row_in_the_raw_middle_is_in_both_halves():
    X = np.arange(6.0)[:, None]  # sixths of the range are not on the grid
    label = np.array([-1, 0, 0, 0, -1, -1])
    sums = library_sums(X, None, label)[1:]
    assert_equal_to_the_loop_of_fractions(X, None, label, *sums)


@pytest.mark.parametrize("n_positives", [1, 2, 12])
def test_many_features_do_not_underflow(n_positives):
    rng = np.random.default_rng(n_positives)
    X = rng.uniform(size=(24, 2000))
    label = np.full(24, -1)
    label[:n_positives] = 0
    rows, *sums = library_sums(X, None, label)
    edges = [(side, 0, int(j)) for side in (0, 1) for j in rng.choice(2000, 4)]
    assert_equal_to_the_loop(rows, None, label, *sums, edges=edges, tol=1e-10)
    # the linear sum would be 0 for every edge that some row is beyond
    finite = np.isfinite(sums[1])
    assert finite.any()
    if n_positives == 1:
        assert sums[1][finite].max() < -746


def test_near_and_far_rows_in_many_features():
    """A row beside the box sets the unit; what is e**-40 of it or less counts as the paper's "close to zero"."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(30, 300))
    X[1] = X[0] + 1e-3
    label = np.full(30, -1)
    label[0] = 0
    rows, *sums = library_sums(X, None, label)
    _, nearest = ref.log_sums(rows.tolist(), np.ones(30), label.tolist(), 0, 0, 1)
    for j in range(0, 300, 30):
        for side in (0, 1):
            _, minus = ref.log_sums(rows.tolist(), np.ones(30), label.tolist(), 0, j, side)
            difference = abs(math.exp(sums[1][side, 0, j]) - math.exp(minus))
            assert difference <= 1e-12 * math.exp(minus) + 1e-24 * math.exp(nearest)


@pytest.mark.parametrize(("width", "copies"), [(20, 1), (20, 1e5), (60, 1e5), (100, 1e5), (200, 1)])
def test_wide_ranges(width, copies):
    """Every width that the estimator takes gives right sums, for wide boxes and many rows too."""
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(size=(200, 1)), axis=0)
    y = np.zeros(200, dtype=int)
    y[[1, 50, 100, 198]] = 1
    weight = np.full(200, copies)
    model = FastBoxesClassifier(n_boxes=1, feature_range=(0, width), pos_label=1).fit(X, y, weight)
    rows = model._edges.scaling.columns(X).T
    sums = model._edges.sums
    label = np.where(y == 1, 0, -1)
    assert_equal_to_the_loop(rows, weight, label, sums.log_positive, sums.log_negative, tol=1e-10)


@given(clustered(max_rows=30), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_sums_do_not_depend_on_order_or_threads(table, seed):
    X, weight, label = table
    _, *sums = library_sums(X, weight, label)
    order = np.random.default_rng(seed).permutation(len(X))
    _, *permuted = library_sums(X[order], None if weight is None else weight[order], label[order], n_jobs=2)
    np.testing.assert_array_equal(sums, permuted)
