"""R+ and R- of every edge against the literal sums."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import FastBoxesClassifier
from boxdraw._core.sums import moderate_unit
from boxdraw.learners.fast.cluster import tight_boxes
from boxdraw.learners.fast.divide import ClusteredRows, Divide, share_of_sum
from boxdraw.learners.scaling import GRID, fit_scaling

from . import reference as ref

LEAST_PULL = 1e-300  # what is less counts as the paper's "close to zero"


def library_sums(X, weight, label, width=2.0, compiled=False):
    """Scaled rows and the library's R+ and R-, for given clusters."""
    X, label = np.asarray(X, dtype=float), np.asarray(label)
    scaling = fit_scaling(X, width)
    rows = scaling.columns(X).T
    lower, upper = tight_boxes(rows[label >= 0], label[label >= 0])
    unit = 1.0 if weight is None else moderate_unit(math.fsum(weight))
    divide = Divide(scaling, lower, upper, unit, compiled)
    sums = divide.edge_sums(divide(ClusteredRows(X, weight, label)))
    return rows, sums.positive, sums.negative


def assert_equal_to_the_loop(rows, weight, label, positive, negative, edges=None, tol=1e-12):
    weight = np.ones(len(rows)) if weight is None else weight
    label = np.asarray(label).tolist()
    for side, k, j in edges or np.ndindex(positive.shape):
        log_plus, log_minus = ref.log_sums(rows, weight, label, k, j, side)
        assert positive[side, k, j] == pytest.approx(math.exp(log_plus), rel=tol, abs=0), (side, k, j)
        minus = math.exp(log_minus)
        if minus > LEAST_PULL and any(row[j] != rows[0][j] for row in rows):  # a constant feature is left out
            assert negative[side, k, j] == pytest.approx(minus, rel=tol, abs=0), (side, k, j)
        else:
            assert negative[side, k, j] == 0, (side, k, j)


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
@settings(max_examples=80, deadline=None)
def test_sums_of_scaled_rows(table, width):
    X, weight, label = table
    rows, *sums = library_sums(X, weight, label, width)
    # The unit of the terms is exp(width / 2) * 2**-53 at most, and a term may be as small as exp(-8).
    assert_equal_to_the_loop(rows.tolist(), weight, label, *sums, tol=1e-11)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), ref.weight_kinds)
@settings(max_examples=60, deadline=None)
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
    assert_equal_to_the_loop(rows.tolist(), weight, label, *sums)


def test_sums_of_single_point_boxes_and_duplicates_of_both_classes():
    X = np.array([[0.0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [-1, 1], [1, -1], [0, 1]])
    label = np.array([0, 0, -1, 1, -1, -1, -1, -1])
    rows, *sums = library_sums(X, None, label)
    assert_equal_to_the_loop(rows.tolist(), None, label, *sums)
    assert (sums[1] > 0).all()


def test_nothing_on_the_other_side_gives_zero():
    X = np.array([[0.0, 1], [1, 0], [1, 1], [2, 3]])
    label = np.array([0, 0, -1, -1])
    rows, *sums = library_sums(X, None, label)
    assert sums[1][0].tolist() == [[0, 0]]
    assert_equal_to_the_loop(rows.tolist(), None, label, *sums)


@given(ref.tables(kinds=["continuous"]), st.sampled_from([0.5, 2.0, 6.0]))
@settings(max_examples=50, deadline=None)
def test_scaling_is_the_plain_formula_to_a_grid_step(table, width):
    X, _ = table
    plain = np.array(ref.scaled(X, width), dtype=float)
    assert np.abs(fit_scaling(X, width).columns(X).T - plain).max() <= GRID


@given(clustered(kinds=["integers"], max_rows=20))
@settings(max_examples=60, deadline=None)
def test_sums_from_raw_rows(table):
    """In exact arithmetic from the raw values on, so that ties in the user's units are ties."""
    X, weight, label = table
    sums = library_sums(X, weight, label)[1:]
    assert_equal_to_the_loop(ref.scaled(X), weight, label, *sums, tol=1e-11)


def test_a_row_in_the_raw_middle_is_in_both_halves():
    X = np.arange(6.0)[:, None]  # fifths of the range are not on the grid
    label = np.array([-1, 0, 0, 0, -1, -1])
    sums = library_sums(X, None, label)[1:]
    assert_equal_to_the_loop(ref.scaled(X), None, label, *sums, tol=1e-11)


@pytest.mark.parametrize(("n_features", "n_positives"), [(60, 1), (300, 1), (900, 1), (2000, 1), (2000, 2), (2000, 12)])
def test_rows_far_away_in_many_features(n_features, n_positives):
    """Down to the least float that has all its digits, however many terms it is the sum of."""
    rng = np.random.default_rng(n_features)
    X = rng.uniform(size=(24, n_features))
    label = np.full(24, -1)
    label[:n_positives] = 0
    rows, *sums = library_sums(X, None, label)
    edges = [(side, 0, int(j)) for side in (0, 1) for j in rng.choice(n_features, 4)]
    assert_equal_to_the_loop(rows.tolist(), None, label, *sums, edges=edges, tol=1e-10)


def test_near_and_far_rows_in_many_features():
    """A row beside the box sets the unit: what is next to nothing beside its pull may be rounded."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(30, 300))
    X[1] = X[0] + 1e-3
    label = np.full(30, -1)
    label[0] = 0
    rows, _, negative = library_sums(X, None, label)
    rows = rows.tolist()
    _, nearest = ref.log_sums(rows, np.ones(30), label.tolist(), 0, 0, 1)
    for j in range(0, 300, 30):
        for side in (0, 1):
            _, minus = ref.log_sums(rows, np.ones(30), label.tolist(), 0, j, side)
            difference = abs(negative[side, 0, j] - math.exp(minus))
            assert difference <= 1e-12 * math.exp(minus) + 1e-24 * math.exp(nearest)


@pytest.mark.parametrize(("width", "copies"), [(6, 1), (6, 1e5), (6, 1e12), (20, 1), (20, 1e5), (20, 1e12)])
def test_wide_ranges(width, copies):
    """Every width that the estimator takes gives right sums, for wide boxes and heavy rows too."""
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(size=(200, 1)), axis=0)
    y = np.zeros(200, dtype=int)
    y[[1, 50, 100, 198]] = 1
    weight = np.full(200, copies)
    model = FastBoxesClassifier(n_boxes=1, feature_range=(0, width), pos_label=1).fit(X, y, weight)
    rows, sums = model._edges.scaling.columns(X).T.tolist(), model._edges.sums
    label = np.where(y == 1, 0, -1)
    assert_equal_to_the_loop(rows, weight, label, sums.positive, sums.negative, tol=1e-8)


@given(clustered(max_rows=30), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_compiled_sums_of_rows_in_any_order_are_the_same(table, seed):
    X, weight, label = table
    _, *sums = library_sums(X, weight, label)
    order = np.random.default_rng(seed).permutation(len(X))
    _, *permuted = library_sums(X[order], None if weight is None else weight[order], label[order], compiled=True)
    np.testing.assert_array_equal(sums, permuted)


@pytest.mark.parametrize("n_features", [255, 260, 2000], ids="{} features".format)
def test_compiled_sums_over_many_features(n_features):
    """Scaled to a width of 2, distances in more than 256 features may be too large to be added up plainly."""
    X = np.random.default_rng(n_features).uniform(size=(24, n_features))
    X[3, 5] = np.nan
    label = np.full(24, -1)
    label[:2] = 0
    _, *sums = library_sums(X, None, label)
    _, *compiled = library_sums(X[::-1], None, label[::-1], compiled=True)
    np.testing.assert_array_equal(sums, compiled)


def test_compiled_sums_of_rows_that_come_nearer():
    """Each tile of rows has one that is nearer to the box than all before, by less than what can be told apart."""
    distance = np.linspace(0.1, 1, 1000)
    X = np.append(0, distance)[:, None] * np.ones(60)
    label = np.where(X[:, 0] == 0, 0, -1)
    _, *sums = library_sums(X, None, label)
    _, *compiled = library_sums(X[::-1], None, label[::-1], compiled=True)
    np.testing.assert_array_equal(sums, compiled)


@pytest.mark.parametrize("compiled", [False, True])
def test_mean_distances_in_many_features(compiled):
    """Of 15 features that vary, six times the mean overflow stands for the sum; inside a box nothing changes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 16))
    X[:, 15] = 3.0
    label = np.where(np.arange(60) < 20, np.arange(60) % 2, -1)
    X[20] = X[:20:2].mean(axis=0)  # a negative in the first box
    scaling = fit_scaling(X, 2.0)
    rows = scaling.columns(X).T
    lower, upper = tight_boxes(rows[:20], label[:20])
    assert share_of_sum("sum", scaling) == 1.0
    assert share_of_sum("mean", scaling) == 6 / 15
    assert share_of_sum("mean", fit_scaling(X[:, :6], 2.0)) == 1.0
    divide = Divide(scaling, lower, upper, 1.0, compiled, share_of_sum("mean", scaling))
    sums = divide.edge_sums(divide(ClusteredRows(X, None, label)))
    for k, j in np.ndindex(2, 15):
        total = 0.0
        for i in np.flatnonzero(label != k):
            overflow = np.maximum(np.maximum(rows[i] - upper[k], lower[k] - rows[i]), 0)
            if overflow.any():
                pull = math.exp(1 - 6 * overflow[:15].mean()) if rows[i, j] <= lower[k, j] else 0.0
            else:
                near = rows[i, j] - lower[k, j] <= upper[k, j] - rows[i, j]
                pull = math.exp(rows[i, j] - lower[k, j] + 1) if near else 0.0
            total += pull
        assert sums.negative[0, k, j] == pytest.approx(total, rel=1e-12)


def test_many_features_do_not_free_the_edges():
    """Five compact clusters in 30 features: with summed distances no negative holds an edge, and all is flagged."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (2000, 30)), np.arange(2000) < 100
    X[y] = rng.uniform(-0.8, 0.8, (5, 30))[np.arange(100) % 5] + 0.05 * rng.normal(size=(100, 30))
    assert FastBoxesClassifier(n_boxes=5).fit(X, y).score(X, y) > 0.99
    with pytest.warns(UserWarning, match="A box has no limits, .* distance='mean'"):
        summed = FastBoxesClassifier(n_boxes=5, distance="sum").fit(X, y)
    assert summed.predict(X).all()
