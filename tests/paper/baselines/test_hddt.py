"""HDDT against worked cases and against every split there is."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from paper.baselines import HellingerTreeClassifier
from paper.baselines.hddt import best_split, hellinger_distance


def distance_by_hand(left, right):
    """Return the distance from lists of labels, by the printed formula."""
    positives, negatives = sum(left) + sum(right), len(left) + len(right) - sum(left) - sum(right)
    terms = [
        (math.sqrt(sum(side) / positives) - math.sqrt((len(side) - sum(side)) / negatives)) ** 2
        for side in (left, right)
    ]
    return math.sqrt(sum(terms))


def best_of_all(X, y, min_samples_leaf):
    """Return the best (distance, feature, rows on the left) of every split."""
    found = []
    for j in range(X.shape[1]):
        for below, above in pairwise(sorted(set(X[:, j].tolist()))):
            left = X[:, j] <= (below + above) / 2
            if min(left.sum(), (~left).sum()) >= min_samples_leaf:
                found.append((distance_by_hand(y[left].tolist(), y[~left].tolist()), j, left))
    return max(found, key=lambda split: split[0]) if found else None


def test_distance_of_a_worked_case():
    # 3 of 4 positives and 1 of 9 negatives go left: (√.75 − 1/3)² + (½ − √(8/9))² = .28377… + .19607…
    assert hellinger_distance(3 / 4, 1 / 9) == pytest.approx(math.sqrt(0.2837607 + 0.1960801), abs=1e-6)
    assert hellinger_distance(1.0, 0.0) == pytest.approx(math.sqrt(2))
    assert hellinger_distance(2 / 6, 3 / 9) == 0


TABLES = st.integers(2, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
        st.integers(1, 3),
    )
)


@given(TABLES)
def test_the_best_split_is_the_best_of_all(table):
    X, y, min_samples_leaf = np.array(table[0], dtype=float), np.array(table[1]), table[2]
    split = best_split(X, y, min_samples_leaf)
    best = best_of_all(X, y, min_samples_leaf) if 0 < y.sum() < len(y) else None
    if best is None or best[0] < 1e-12:
        assert split is None
        return
    assert split.distance == pytest.approx(best[0])
    left = X[:, split.feature] <= split.threshold
    assert distance_by_hand(y[left].tolist(), y[~left].tolist()) == pytest.approx(best[0])
    assert min(left.sum(), (~left).sum()) >= min_samples_leaf


def test_of_equal_splits_the_first_feature_and_the_lowest_threshold():
    X = np.array([[0.0, 5.0], [1.0, 6.0], [2.0, 7.0]])
    split = best_split(X, np.array([True, False, True]))
    assert (split.feature, split.threshold) == (0, 0.5)


def test_a_threshold_between_neighbouring_floats_keeps_them_apart():
    above = np.nextafter(1.0, 2.0)
    split = best_split(np.array([[1.0], [above]]), np.array([False, True]))
    assert 1.0 <= split.threshold < above


def test_a_worked_tree():
    #  x0:  1  2  3  4  5  6      The root parts at 3.5 (all positives right, 3 of 4 negatives left); on the right
    #   y:  0  0  0  1  0  1      4 against 5 and 6 is tied with 4 and 5 against 6: the lower one goes, then 5.5.
    X, y = np.arange(1.0, 7.0)[:, None], np.array([0, 0, 0, 1, 0, 1])
    model = HellingerTreeClassifier(pos_label=1).fit(X, y)
    inner = model.tree_.feature >= 0
    assert model.tree_.threshold[inner].tolist() == [3.5, 4.5, 5.5]
    assert model.tree_.n_leaves == 4
    assert model.counts_[0].tolist() == [4, 2]
    assert model.predict(X).tolist() == y.tolist()
    assert HellingerTreeClassifier(pos_label=1, max_depth=1).fit(X, y).tree_.n_leaves == 2


def test_the_weight_decides_in_leaves():
    X, y = np.zeros((8, 1)), np.array([1, 1, 0, 0, 0, 0, 0, 0])  # one leaf of 2 and 6: 3 exceeds 7 c below 3/7
    for weight, label in ((3 / 7 - 1e-9, 1), (3 / 7 + 1e-9, 0), (1.0, 0)):
        model = HellingerTreeClassifier(weight, pos_label=1).fit(X, y)
        assert model.predict([[0.0]]).tolist() == [label]
        assert model.predict_proba([[0.0]])[0, 1] == pytest.approx(3 / (3 + weight * 7))


def test_the_number_of_negatives_changes_no_split():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 1).astype(int)
    often = np.where(y == 1, 1, 7)
    one = HellingerTreeClassifier(pos_label=1, max_depth=4).fit(X, y)
    many = HellingerTreeClassifier(pos_label=1, max_depth=4).fit(X.repeat(often, axis=0), y.repeat(often))
    np.testing.assert_array_equal(one.tree_.feature, many.tree_.feature)
    np.testing.assert_allclose(one.tree_.threshold, many.tree_.threshold)


def test_an_unpruned_tree_fits_rows_that_differ():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), rng.random(200) < 0.3
    assert (HellingerTreeClassifier().fit(X, y).predict(X) == y).mean() > 0.95  # but for ties of one to one


@pytest.mark.parametrize("model", [HellingerTreeClassifier(), HellingerTreeClassifier(0.3, min_samples_leaf=2)])
def test_check_estimator(model):
    check_estimator(model, on_skip=None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"negative_weight": 0}, "negative_weight must be a finite number above 0; got 0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf == 0"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        HellingerTreeClassifier(**settings).fit([[0.0], [1.0]], [0, 1])
