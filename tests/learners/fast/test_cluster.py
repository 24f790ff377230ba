"""k-means of the positives: the plain formulas, and what is done otherwise for very many."""

import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.learners.fast import cluster


def plain_start(points, mass, n_clusters):
    """The greedy start with all points as candidates, as the formulas have it."""
    norms = np.einsum("ij,ij->i", points, points)
    distance = norms[:, None] + norms - 2 * (points @ points.T)
    chosen = [int((distance @ mass).argmin())]
    closest = distance[chosen[0]]
    for _ in range(1, n_clusters):
        closer = np.minimum(distance, closest)
        chosen.append(int((closer @ mass).argmin()))
        closest = closer[chosen[-1]]
    return points[chosen]


def plain_k_means(points, mass, n_clusters):
    """Lloyd's iterations from the greedy start, for points of which no cluster is left empty."""
    centres, labels = plain_start(points, mass, n_clusters), None
    for _ in range(100):
        new = (np.einsum("ij,ij->i", centres, centres) / 2 - points @ centres.T).argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        member = (labels == np.arange(n_clusters)[:, None]) * mass
        centres = member @ points / member.sum(axis=1, keepdims=True)
    return labels


@given(st.integers(0, 2**32 - 1), st.integers(10, 1414), st.integers(1, 12), st.integers(1, 5), st.booleans())
@settings(max_examples=30)
def test_the_plain_formulas_bit_for_bit(seed, n, n_features, n_clusters, weighted):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, n_features))
    mass = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    start = cluster._greedy_start(points, mass, n_clusters, None)
    np.testing.assert_array_equal(start, plain_start(points, mass, n_clusters))
    expected = plain_k_means(points, mass, n_clusters)
    if len(np.unique(expected)) == n_clusters:
        np.testing.assert_array_equal(cluster.k_means(points, mass, n_clusters, None), expected)


def separated(n, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return rng.normal(scale=0.3, size=(n, 30)) + 3 * rng.normal(size=(4, 30))[truth], truth, rng.uniform(0.5, 2, n)


def test_very_many_points():
    """In blocks, and with fewer candidates, separate clusters are still found."""
    points, truth, mass = separated(3000)
    labels = cluster.k_means(points, mass, 4, random_state=0)
    assert len(set(zip(labels.tolist(), truth.tolist(), strict=True))) == 4
    np.testing.assert_array_equal(cluster.k_means(points, mass, 4, random_state=0), labels)


def test_blocks_are_as_good_as_one(monkeypatch):
    points, _, mass = separated(1200)
    points += np.random.default_rng(1).normal(size=points.shape)
    whole = cluster.k_means(points, mass, 6, 0)
    monkeypatch.setattr(cluster, "_blocks", lambda n: [slice(start, start + 100) for start in range(0, n, 100)])
    blocked = cluster.k_means(points, mass, 6, 0)
    assert np.mean(blocked == whole) > 0.99


def test_memory_of_very_many_points():
    """Half of the distances' former 32 MB would be too much beside a table of a million rows."""
    points, _, mass = separated(10_000)
    tracemalloc.start()
    try:
        cluster.k_means(points, mass, 5, random_state=0)
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()
