"""Of very many positives a sample is clustered, and the others go to the nearest cluster."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import FastBoxesClassifier
from boxdraw._core import ranges
from boxdraw.learners.fast import fast_boxes, stages
from boxdraw.learners.fast.assign import Assignment
from boxdraw.learners.fast.cluster import filled, medians
from boxdraw.learners.fast.divide import ClusteredRows, Divide
from boxdraw.learners.scaling import fit_scaling
from boxdraw.tables import survey


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(fast_boxes, "LARGE", 0)
    monkeypatch.setattr(survey, "LIMIT", 60)
    return monkeypatch


def clustered_table(n=900, seed=0):
    """Three clusters of positives among negatives; a category and some missing values."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(0, 3, n)
    positive = rng.random(n) < 0.4
    X = np.where(
        positive[:, None], centre[:, None] * 4 + rng.normal(scale=0.4, size=(n, 3)), rng.uniform(-4, 12, (n, 3))
    )
    X[rng.random(n) < 0.05, 1] = np.nan
    table = X.astype(object)
    table[:, 2] = np.array(["a", "b", "c", "d"])[np.where(positive, centre, rng.integers(0, 4, n))]
    return table, positive.astype(int)


def state_of(model):
    edges = model._edges
    return [
        model.boxes_.lower,
        model.boxes_.upper,
        model.boxes_.missing,
        edges.tight,
        edges.sums.positive,
        edges.sums.negative,
    ]


def assert_same_model(one, other):
    assert one.boxes_ == other.boxes_
    assert one.boxes_.to_text() == other.boxes_.to_text()
    for a, b in zip(state_of(one), state_of(other), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("weighted", [False, True])
def test_neither_chunks_nor_order_nor_threads_matter(small_limits, weighted):
    X, y = clustered_table()
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, len(y)) / 2 if weighted else None
    first = FastBoxesClassifier(n_boxes=3).fit(X, y, weight)
    for rows, n_jobs in ((7, None), (100, 2), (333, 4)):
        small_limits.setattr(ranges, "_ROWS", rows)
        order = rng.permutation(len(y))
        shuffled = None if weight is None else weight[order]
        assert_same_model(FastBoxesClassifier(n_boxes=3, n_jobs=n_jobs).fit(X[order], y[order], shuffled), first)


def test_boxes_of_a_sample_are_as_good(small_limits):
    X, y = clustered_table()
    model = FastBoxesClassifier(n_boxes=3).fit(X, y)
    small_limits.setattr(survey, "LIMIT", 10_000)
    full = FastBoxesClassifier(n_boxes=3).fit(X, y)
    assert model.boxes_ != full.boxes_
    flagged, by_all = model.predict(X), full.predict(X)
    assert flagged[y == 1].mean() > 0.9
    assert abs(flagged[y == 0].mean() - by_all[y == 0].mean()) < 0.03


def test_every_positive_pulls_on_the_box_of_its_cluster(small_limits):
    X, y = clustered_table(300)
    X = np.nan_to_num(X[:, :2].astype(float))
    seen = {}

    class Seen(Assignment):
        @classmethod
        def of(cls, *arguments):
            seen["nearest"] = Assignment.of(*arguments)
            return seen["nearest"]

    small_limits.setattr(stages, "Assignment", Seen)
    model = FastBoxesClassifier(n_boxes=3).fit(X, y)
    edges, matrix = model._edges, model._encoding.encode(X)
    label = np.full(len(y), -1)
    label[y == 1] = labels_in_numpy(seen["nearest"], matrix[y == 1])
    divide = Divide(edges.scaling, edges.tight[0], -edges.tight[1], 1.0, compiled=False)
    sums = divide.edge_sums(divide(ClusteredRows(matrix, None, label)))
    np.testing.assert_array_equal(edges.sums.positive, sums.positive)
    np.testing.assert_array_equal(edges.sums.negative, sums.negative)


def test_many_equal_positives_are_no_sample(small_limits):
    """Fewer distinct positives than the limit are all there, with their counts; the model is that of all rows."""
    X, y = clustered_table(200)
    X, y = np.tile(X, (3, 1)), np.tile(y, 3)
    small_limits.setattr(survey, "LIMIT", int(y.sum()) - 1)
    counted = FastBoxesClassifier(n_boxes=3).fit(X, y)
    small_limits.setattr(survey, "LIMIT", int(y.sum()))
    assert_same_model(counted, FastBoxesClassifier(n_boxes=3).fit(X, y))


def labels_of_all(nearest, X):
    """Return the labels of all rows."""
    label = np.full(len(X), -1, dtype=np.intp)
    nearest.fill(label, X, np.arange(len(X)))
    return label


def labels_in_numpy(nearest, X):
    """Return the labels of all rows, without compiled code; the distances are added up in the same order."""
    columns = nearest.scaling.columns(X)
    columns = np.where(np.isnan(columns), nearest.medians[:, None], columns) / nearest.deviation[:, None]
    distances = []
    for centre in nearest.centres / nearest.deviation:
        distance = np.zeros(len(X))
        for column, at in zip(columns, centre, strict=True):
            distance += (column - at) ** 2
        distances.append(distance)
    return np.argmin(distances, axis=0)


def test_nearest_centre_by_hand():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 1.0], [np.nan, 1.0]])
    scaling = fit_scaling(X, 2.0)
    nearest = Assignment.of(X, None, np.array([1.0, 1.0, 2.0, 1.0]), np.array([0, 0, 1, -1]), scaling)
    np.testing.assert_allclose(nearest.centres, [[-0.9, -1.0], [1.0, 1.0]])
    np.testing.assert_allclose(nearest.medians, [(10 + 1) / 2 / 5 - 1, 1.0])
    # column 0 as nearest.medians, so the other one decides
    rows = np.array([[1.0, 0.0], [9.0, 1.0], [np.nan, 0.0], [np.nan, 1.0], [-50.0, np.nan]])
    assert labels_of_all(nearest, rows).tolist() == [0, 1, 0, 1, 0]


@given(st.integers(0, 2**32 - 1))
def test_labels_do_not_depend_on_the_rows_beside(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5))
    X[rng.random(X.shape) < 0.1] = np.nan
    labels = rng.integers(-1, 3, 60)
    labels[:3] = 0, 1, 2
    nearest = Assignment.of(X, rng.random(60), None, labels, fit_scaling(X, 2.0))
    whole = labels_of_all(nearest, X)
    parts = np.split(np.arange(60), np.sort(rng.integers(0, 60, 4)))
    np.testing.assert_array_equal(np.concatenate([labels_of_all(nearest, X[rows]) for rows in parts]), whole)
    order = rng.permutation(60)
    np.testing.assert_array_equal(labels_of_all(nearest, X[order]), whole[order])


@given(st.integers(0, 2**32 - 1), st.integers(1, 700), st.integers(1, 6), st.booleans(), st.sampled_from("df"))
@settings(deadline=None)
def test_compiled_labels_are_the_same(seed, n, n_features, few_values, dtype):
    """Ties between centres, missing values, constant features and values beyond the training range included."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, n_features)).astype(float) if few_values else rng.normal(size=(n, n_features))
    X[:, 0] *= 10.0 ** rng.integers(-30, 30)
    training = X * 0.8
    X[rng.random(X.shape) < 0.1] = np.nan
    labels = np.unique(rng.integers(0, 4, n), return_inverse=True)[1]
    nearest = Assignment.of(training, None, None, labels, fit_scaling(training, 2.0))
    X = X.astype(dtype)
    members = np.flatnonzero(rng.random(n) < 0.7)
    found = np.full(n, -1, dtype=np.intp)
    nearest.fill(found, X, members)
    np.testing.assert_array_equal(found[members], labels_in_numpy(nearest, X[members]))
    assert (np.delete(found, members) == -1).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.booleans())
def test_medians_without_sorting(seed, n, missing):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(3, n))
    columns[0] = rng.integers(0, 3, n)
    if missing:
        columns[rng.random((3, n)) < 0.2] = np.nan
    expected = [np.median(known) if len(known := c[~np.isnan(c)]) else 0.0 for c in columns]
    for count in (None, np.ones(n)):
        np.testing.assert_array_equal(medians(columns, count), expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_medians_of_counted_rows(seed, n):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 5, (n, 3)) / 7
    rows[rng.random((n, 3)) < 0.3] = np.nan
    rows[:, 2] = np.nan
    count = rng.integers(1, 5, n).astype(float)
    repeated = np.repeat(rows, count.astype(int), axis=0)
    expected = [np.median(known) if len(known := c[~np.isnan(c)]) else 0.0 for c in repeated.T]
    np.testing.assert_array_equal(medians(rows.T, count), expected)
    np.testing.assert_array_equal(medians(repeated.T, None), expected)
    np.testing.assert_array_equal(filled(repeated), np.repeat(filled(rows, count), count.astype(int), axis=0))
