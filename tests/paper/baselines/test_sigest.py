"""The width of the SVM's kernel, by the rule's description."""

import math

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from paper.baselines import SigestSVC
from paper.baselines.sigest import sigest


def quantile(values, share):
    """Return a quantile as R's default has it: linear between the order statistics."""
    values = sorted(values)
    place = (len(values) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def test_widths_by_hand():
    X = np.random.default_rng(0).normal(size=(41, 3)).round(0)  # rounded, so that some pairs are equal
    pairs = np.random.RandomState(5).randint(41, size=(2, 20)).T  # half of 41 rows, rounded down
    distances = [sum((a - b) ** 2 for a, b in zip(X[i].tolist(), X[j].tolist(), strict=True)) for i, j in pairs]
    assert 0 in distances
    distances = [one for one in distances if one]
    expected = [1 / quantile(distances, share) for share in (0.9, 0.5, 0.1)]
    np.testing.assert_allclose(sigest(X, random_state=5), expected)


def test_widths_in_theory():
    # Of two normal numbers the squared difference is 2 χ²(1), of quantiles .0158, .4549 and 2.7055 (times 2).
    X = np.random.default_rng(0).normal(size=(400_000, 1))
    np.testing.assert_allclose(sigest(X, random_state=0), [1 / 5.411, 1 / 0.9099, 1 / 0.03158], rtol=0.02)


def test_equal_rows_have_a_width():
    np.testing.assert_array_equal(sigest(np.ones((6, 4)), random_state=0), [0.25] * 3)


def test_the_machine_is_scikit_learns_with_that_width():
    X, y = make_classification(120, 4, flip_y=0.1, random_state=0)
    model = SigestSVC(class_weight={0: 0.4, 1: 1.0}, random_state=3).fit(X, y)
    low, _, high = sigest(X, random_state=3)
    assert model.gamma_ == pytest.approx((low + high) / 2)
    same = SVC(gamma=model.gamma_, class_weight={0: 0.4, 1: 1.0}).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), same.predict(X))


def test_check_estimator():
    check_estimator(SigestSVC(random_state=0), on_skip=None)
