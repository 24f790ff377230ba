from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score

from boxdraw.metrics import _upper_hull, auh_from_points, auh_score, auh_scorer, roc_hull

# ------------------------------------------------------------------ slow and simple versions to compare with


def brute_hull(points):
    """Return all points strictly above every chord of two others, by trying all triples; exact."""
    points = sorted({*points, (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))})
    chords = list(combinations(points, 2))
    return [p for p in points if not any(is_under(p, a, b) for a, b in chords if p not in (a, b))]


def is_under(p, a, b):
    if a[0] == b[0]:  # a vertical chord covers what is below its top, but the hull starts at (0, 0)
        return p[0] == a[0] and p[1] < b[1] and p != (0, 0)
    if not a[0] <= p[0] <= b[0] or p == (0, 0):
        return False
    return (p[1] - a[1]) * (b[0] - a[0]) <= (b[1] - a[1]) * (p[0] - a[0])


def brute_area(points):
    hull = brute_hull(points)
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(hull))


def brute_roc(positive, score, weight):
    """Return all ROC points as fractions, by trying every threshold."""
    rows = list(zip(positive, score, map(Fraction, weight), strict=True))
    n_pos, n_neg = sum(w for p, _, w in rows if p), sum(w for p, _, w in rows if not p)
    return [
        (
            sum((w for p, s, w in rows if not p and s >= threshold), Fraction(0)) / n_neg,
            sum((w for p, s, w in rows if p and s >= threshold), Fraction(0)) / n_pos,
        )
        for threshold in {s for _, s, _ in rows}
    ]


def scipy_area(fpr, tpr):
    """Return the area of the hull's part above the diagonal, plus that below the diagonal."""
    above = [(x, y) for x, y in zip(fpr, tpr, strict=True) if y > x]
    if not above:
        return 0.5
    return 0.5 + ConvexHull([(0, 0), (1, 1), *above]).volume


@st.composite
def labelled_scores(draw, values=None):
    """Both classes, and scores with many ties."""
    values = st.integers(-3, 3) if values is None else values
    rows = draw(st.lists(st.tuples(st.booleans(), values), min_size=0, max_size=12))
    rows += [(True, draw(values)), (False, draw(values))]
    rows = draw(st.permutations(rows))
    return np.array([p for p, _ in rows]), np.array([s for _, s in rows])


grid_points = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, n), st.integers(0, n)).map(lambda p: (p, n)), max_size=9)
)
any_rates = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30)
any_score = st.floats(allow_nan=False, allow_infinity=True)

# ------------------------------------------------------------------ roc_hull and auh_from_points


@settings(deadline=None)
@given(grid_points)
def test_hull_of_rational_points_is_exact(points):
    """Collinear points go even where the rates, such as 1/10 and 3/10, are rounded."""
    exact = [(Fraction(x, n), Fraction(y, n)) for (x, y), n in points]
    fpr, tpr = roc_hull([x / n for (x, _), n in points], [y / n for (_, y), n in points])
    assert list(zip(fpr, tpr, strict=True)) == [(float(x), float(y)) for x, y in brute_hull(exact)]


@settings(deadline=None)
@given(any_rates)
def test_hull_of_any_points(points):
    x, y = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    fpr, tpr = roc_hull(x, y)
    assert fpr.dtype == tpr.dtype == np.float64
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    given_points = {(0.0, 0.0), (1.0, 1.0), *points}
    assert given_points.issuperset(zip(fpr.tolist(), tpr.tolist(), strict=True))
    turns = np.diff(fpr)[1:] * np.diff(tpr)[:-1] - np.diff(fpr)[:-1] * np.diff(tpr)[1:]
    assert (turns > 0).all()
    assert (y <= np.interp(x + 1e-12, fpr, tpr) + 1e-12).all()


@settings(deadline=None)
@given(any_rates)
def test_area_of_any_points(points):
    fpr, tpr = [p[0] for p in points], [p[1] for p in points]
    exact = brute_area([(Fraction(x), Fraction(y)) for x, y in points[:8]])
    assert auh_from_points(fpr[:8], tpr[:8]) == pytest.approx(float(exact), abs=1e-12)
    assert 0.5 <= auh_from_points(fpr, tpr) <= 1


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300))
def test_area_against_scipy(seed, n_points):
    rng = np.random.default_rng(seed)
    fpr, tpr = rng.random(n_points), rng.random(n_points)
    assert auh_from_points(fpr, tpr) == pytest.approx(scipy_area(fpr, tpr), abs=1e-12)


@settings(deadline=None)
@given(any_rates, st.randoms())
def test_order_and_repetition_do_not_matter(points, random):
    shuffled = points + points[: len(points) // 2]
    random.shuffle(shuffled)
    first = roc_hull([p[0] for p in points], [p[1] for p in points])
    again = roc_hull([p[0] for p in shuffled], [p[1] for p in shuffled])
    np.testing.assert_array_equal(first, again)


def test_hull_of_hull_is_hull():
    rng = np.random.default_rng(0)
    hull = roc_hull(rng.random(500), rng.random(500))
    np.testing.assert_array_equal(roc_hull(*hull), hull)


def test_smooth_curve_keeps_its_points():
    """A fine concave curve has no point to drop, however small each turn is."""
    fpr = np.linspace(0, 1, 20_001)
    hull = roc_hull(fpr, fpr * (2 - fpr))
    assert len(hull[0]) > 19_000
    assert auh_from_points(fpr, fpr * (2 - fpr)) == pytest.approx(2 / 3, abs=1e-9)


def test_curve_that_drops_one_point_a_round():
    """An arc under a late high point: the fast rounds pay nothing and the scan takes over."""
    fpr = np.linspace(0, 0.5, 2001)
    tpr = 0.5 * np.sqrt(fpr)
    exact = scipy_area(np.append(fpr, 0.6), np.append(tpr, 0.99))
    assert auh_from_points(np.append(fpr, 0.6), np.append(tpr, 0.99)) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("n", [3, 7, 10, 49, 60, 1000])
def test_rounding_makes_no_vertices(n):
    """Rates such as 1/10, 2/10 and 3/10 are collinear for people, if not for float64."""
    k = np.arange(n + 1)
    fpr, tpr = roc_hull(
        np.append(k / (3 * n), (n + 2 * k) / (3 * n)), np.append(k * 0.7 / n, (7 * n + 3 * k) / (10 * n))
    )
    np.testing.assert_allclose(fpr, [0, 1 / 3, 1], atol=1e-15)
    np.testing.assert_allclose(tpr, [0, 0.7, 1], atol=1e-15)


def test_small_bumps_are_vertices():
    assert len(roc_hull([0.5], [0.5 + 1e-14])[0]) == 3
    assert len(roc_hull([1e-9], [3e-9])[0]) == 3


def test_points_at_the_left_edge():
    fpr, tpr = roc_hull([0, 0, 0.5], [0.25, 0.5, 1])
    np.testing.assert_array_equal(fpr, [0, 0, 0.5, 1])
    np.testing.assert_array_equal(tpr, [0, 0.5, 1, 1])


def test_points_under_the_diagonal_and_none_at_all():
    for points in (([0.5, 1], [0.25, 0.5]), ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), ([], [])):
        np.testing.assert_array_equal(roc_hull(*points), [[0, 1], [0, 1]])
        assert auh_from_points(*points) == 0.5


@pytest.mark.parametrize(
    ("fpr", "tpr", "message"),
    [
        ([0.1], [0.1, 0.2], "same length"),
        ([-0.1], [0.1], r"fpr must lie in \[0, 1\]"),
        ([0.1], [1.1], r"tpr must lie in \[0, 1\]"),
        ([np.nan], [0.1], "fpr contains NaN"),
        ([0.1], [np.inf], "tpr contains NaN or infinity"),
        ([[0.1]], [0.1], "one-dimensional"),
    ],
)
def test_bad_points(fpr, tpr, message):
    for function in (roc_hull, auh_from_points):
        with pytest.raises(ValueError, match=message):
            function(fpr, tpr)


# ------------------------------------------------------------------ auh_score


@settings(deadline=None)
@given(labelled_scores())
def test_score_against_brute_force(data):
    y, score = data
    assert auh_score(y, score) == float(brute_area(brute_roc(y, score, [1] * len(y))))


@settings(deadline=None)
@given(labelled_scores(any_score))
def test_any_score_with_infinities(data):
    y, score = data
    assert auh_score(y, score) == float(brute_area(brute_roc(y, score, [1] * len(y))))


@settings(deadline=None)
@given(labelled_scores(), st.data())
def test_weighted_score_against_brute_force(data, more):
    y, score = data
    weight = more.draw(st.lists(st.sampled_from([0, 1, 2, 0.375]), min_size=len(y), max_size=len(y)))
    if not (np.sum(np.array(weight)[y]) > 0 and np.sum(np.array(weight)[~y]) > 0):
        with pytest.raises(ValueError, match="in each class"):
            auh_score(y, score, sample_weight=weight)
    else:
        exact = float(brute_area(brute_roc(y, score, weight)))
        assert auh_score(y, score, sample_weight=weight) == pytest.approx(exact, abs=1e-14)


@settings(deadline=None)
@given(labelled_scores(), st.data())
def test_weights_are_repetitions(data, more):
    y, score = data
    weight = more.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y)))
    repeated = auh_score(np.repeat(y, weight), np.repeat(score, weight))
    assert auh_score(y, score, sample_weight=weight) == pytest.approx(repeated, abs=1e-14)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([30, 300, 3000]), st.sampled_from([0.03, 0.5, 0.9]))
def test_large_inputs(seed, n_rows, share):
    """Beyond the sizes of brute force: the area under the curve, scipy's hull, and unit weights."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.random(n_rows) < share, [True, False])
    score = np.round(rng.normal(size=len(y)) + y, rng.integers(0, 4))
    area = auh_score(y, score)
    assert area >= roc_auc_score(y, score) - 1e-12
    thresholds = np.unique(score)
    rates = [1 - np.searchsorted(np.sort(score[rows]), thresholds) / rows.sum() for rows in (~y, y)]
    assert area == pytest.approx(scipy_area(*rates), abs=1e-12)
    assert area == pytest.approx(auh_from_points(*rates), abs=1e-12)
    assert auh_score(y, score, sample_weight=np.full(len(y), 0.1)) == pytest.approx(area, abs=1e-12)


@settings(deadline=None)
@given(labelled_scores(any_score))
def test_at_least_the_area_under_the_curve_and_one_half(data):
    y, score = data
    finite = np.unique(score, return_inverse=True)[1]  # roc_auc_score refuses infinities
    assert auh_score(y, score) >= max(0.5, roc_auc_score(y, finite) - 1e-12)


@settings(deadline=None)
@given(labelled_scores(any_score))
def test_only_the_order_of_the_scores_matters(data):
    y, score = data
    area = auh_score(y, score)
    ranks = np.unique(score, return_inverse=True)[1]
    for same_order in (ranks, ranks.astype(np.uint8), np.exp(ranks / 4), ranks - 1e6, np.sinh(ranks - 3.0)):
        assert auh_score(y, same_order) == area


@settings(deadline=None)
@given(labelled_scores(any_score))
def test_swapping_classes_and_sign_changes_nothing(data):
    y, score = data
    assert auh_score(~y, -score) == auh_score(y, score)
    assert auh_score(y, -score, pos_label=False) == auh_score(y, score)


def test_anchors():
    y = [0, 0, 0, 1, 1]
    assert auh_score(y, [1, 2, 3, 4, 5]) == 1
    assert auh_score(y, [5, 4, 3, 2, 1]) == 0.5
    assert auh_score(y, np.zeros(5)) == 0.5
    assert auh_score(y, [-np.inf, -np.inf, -np.inf, np.inf, np.inf]) == 1
    assert auh_score(y, [-np.inf, np.inf, 0, np.inf, np.inf]) == pytest.approx(5 / 6)
    assert isinstance(auh_score(y, y), float)


def test_hull_of_a_dented_curve():
    """A coin toss between two thresholds beats the thresholds between them."""
    y, score = [1, 1, 0, 0, 0, 0, 1, 1], [8, 7, 6, 5, 4, 3, 2, 1]
    assert roc_auc_score(y, score) == 0.5
    assert auh_score(y, score) == 0.75


def test_integers_beyond_float_precision_are_not_tied():
    assert auh_score([0, 1], [2**60, 2**60 + 1]) == 1


def test_counts_beyond_float_precision():
    """A turn that float64 cannot see: the products of counts differ in the 61st bit."""
    n = 2**30
    x, y = np.array([0, n - 1, 2 * n - 1]), np.array([0, n, 2 * n])
    assert len(_upper_hull(x, y)[0]) == 3
    assert len(_upper_hull(x, np.array([0, n - 1, 2 * n - 1]))[0]) == 2


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (np.array(["no", "yes"]), None),
        (np.array(["no", "yes"], dtype=object), "yes"),
        (np.array([-1, 1]), None),
        (np.array([1, 2]), 2),
        (np.array([False, True]), None),
        (np.array([0.5, 2.5]), None),
        (np.array(["common", "a_rare"]), "a_rare"),
        (np.array([7, 3]), 3),
    ],
)
def test_labels(labels, pos_label):
    y, score = np.array([0, 0, 1, 1]), [0.1, 0.4, 0.35, 0.8]
    assert auh_score(labels[y], score, pos_label=pos_label) == 0.875
    assert auh_score(labels[y].tolist(), score, pos_label=pos_label) == 0.875


def test_larger_label_is_positive():
    score = [1, 2, 3, 4, 5]
    assert auh_score(["a", "a", "a", "b", "b"], score) == 1
    assert auh_score(["b", "b", "b", "a", "a"], score) == 0.5


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_series(library):
    series = pytest.importorskip(library).Series
    y, score, weight = ["a", "a", "b", "b"], [0.1, 0.4, 0.35, 0.8], [1.0, 1.0, 1.0, 1.0]
    assert auh_score(series(y), series(score), sample_weight=series(weight)) == 0.875


@pytest.mark.parametrize(
    ("y", "score", "options", "message"),
    [
        ([0, 1], [0.1, np.nan], {}, "y_score contains NaN"),
        ([0, 1], [0.1, None], {}, "y_score contains NaN"),
        ([0, 1], ["0.1", "0.2"], {}, "numeric"),
        ([0, 1], [1j, 2], {}, "numeric"),
        ([0, 1], [0.1], {}, "same length"),
        ([0, 1], [[0.1], [0.2]], {}, "one-dimensional"),
        ([[0], [1]], [0.1, 0.2], {}, "one-dimensional"),
        ([1, 1], [0.1, 0.2], {}, "both classes"),
        (["a", "a"], [0.1, 0.2], {}, "both classes"),
        ([], [], {}, "both classes"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, "more than two"),
        (["a", "b", "c"], [0.1, 0.2, 0.3], {}, "more than two"),
        ([0, np.nan], [0.1, 0.2], {}, "y_true contains NaN"),
        (np.array([0, "a"], dtype=object), [0.1, 0.2], {}, "cannot be compared"),
        ([0, 1], [0.1, 0.2], {"pos_label": 2}, "pos_label=2 is not a label of y_true, which has 0 and 1"),
        ([0, 1], [0.1, 0.2], {"pos_label": "1"}, "pos_label='1' is not a label"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1]}, "sample_weight must have shape"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, -1]}, "non-negative"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, np.nan]}, "finite"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, 0]}, "in each class"),
        ([0, 1, 1], [0.1, 0.2, 0.3], {"sample_weight": [1, 1e308, 1e308]}, "finite sum"),
    ],
)
def test_bad_scores(y, score, options, message):
    with pytest.raises(ValueError, match=message):
        auh_score(y, score, **options)


# ------------------------------------------------------------------ auh_scorer


@pytest.fixture(scope="module")
def table():
    return make_classification(300, 4, weights=[0.8], flip_y=0.1, random_state=0)


@pytest.mark.parametrize("labels", [(0, 1), ("common", "rare"), ("rare", "usual"), (1, -1)])
def test_scorer(table, labels):
    """Which class is rare, and how it sorts, does not matter."""
    X, y = table
    names = np.array(labels)[y]
    model = LogisticRegression()
    found = cross_val_score(model, X, names, cv=3, scoring=auh_scorer)
    np.testing.assert_allclose(found, cross_val_score(model, X, y, cv=3, scoring=auh_scorer), atol=1e-12)
    assert (found > 0.8).all()
    assert (found >= cross_val_score(model, X, names, cv=3, scoring="roc_auc") - 1e-12).all()
    fitted = model.fit(X, names)
    direct = auh_score(names, fitted.decision_function(X), pos_label=fitted.classes_[1])
    assert auh_scorer(fitted, X, names) == direct


def test_scorer_with_pos_label(table):
    X, y = table
    names = np.array(["common", "rare"])[y]
    model = LogisticRegression().fit(X, names)
    for label in model.classes_:
        scorer = make_scorer(auh_score, response_method="decision_function", pos_label=label)
        assert scorer(model, X, names) == pytest.approx(auh_scorer(model, X, names))


class Fixed(ClassifierMixin, BaseEstimator):
    """A classifier with its only feature as decision function, towards classes_[1] as scikit-learn has it."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.parametrize("labels", [("neg", "pos"), ("a_rare", "b_common")])
def test_scorer_looks_the_right_way(labels):
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array(labels)[[0, 0, 1, 1]]
    assert auh_scorer(Fixed().fit(X, y), X, y) == 1
    assert auh_scorer(Fixed().fit(X, y), -X, y) == 0.5


def test_scorer_without_decision_function_and_with_weights(table):
    X, y = table
    forest = RandomForestClassifier(5, random_state=0).fit(X[:150], y[:150])
    X, y = X[150:], y[150:]
    weight = np.arange(len(y)) % 3
    score = forest.predict_proba(X)[:, 1]
    assert auh_scorer(forest, X, y) == auh_score(y, score)
    weighted = auh_score(y, score, sample_weight=weight)
    assert auh_scorer(forest, X, y, sample_weight=weight) == weighted != auh_score(y, score)


def test_scorer_in_a_search(table):
    X, y = table
    search = GridSearchCV(LogisticRegression(), {"C": [1e-6, 1.0]}, scoring=auh_scorer, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
