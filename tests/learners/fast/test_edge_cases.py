"""Data and parameters at the edges of what can be asked."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from boxdraw import FastBoxesClassifier

from . import reference as ref

LINE = np.array([[0.0], [1], [2], [3], [5], [9]]), np.array([0, 0, 1, 1, 0, 0])
COSTS = [1e-9, 1e-3, 0.5, 1.0, 7.0, 1e3, 1e9]
EXPANSIONS = [0.0, 1e-9, 1.0, 1e6, 1e12]


def check(X, y, weight=None, costs=COSTS, expansions=EXPANSIONS, **parameters):
    """Fit with every growth rule; scores and boxes must be sound and agree. Warnings are errors."""
    X, y = np.asarray(X), np.asarray(y)
    parameters = {"n_boxes": 1, "pos_label": 1} | parameters
    for growth in ref.GROWTHS:
        for expansion in expansions:
            model = FastBoxesClassifier(growth=growth, expansion=expansion, **parameters).fit(X, y, weight)
            critical = model.critical_weight(X)
            assert (critical >= 0).all()  # so not NaN
            if growth != "free":
                assert (model.predict(X[y == 1]) == 1).all()
            assert np.isfinite(model.decision_function(X)).all()
            assert model.boxes_.to_text()
            for c, point in zip(costs, model.path(costs), strict=True):
                np.testing.assert_array_equal(point.boxes.contains(X), critical >= c)
            assert 0.5 <= model.path().auh <= 1
    return model


def test_one_feature():
    check(*LINE)


def test_one_positive():
    X, y = ref.make_table(0, "continuous", 20, 3, 1)
    check(X, y)


def test_one_row_of_each_class():
    check([[0.0, 1.0], [1.0, 1.0]], [0, 1])


def test_all_positives_equal():
    X, y = ref.make_table(1, "continuous", 20, 2, 6)
    X[y == 1] = X[y == 1][0]
    check(X, y)


def test_all_rows_equal():
    model = check(np.ones((5, 2)), [1, 0, 0, 1, 0])
    assert model.boxes_.to_text() == "Box 1: every row"


def test_constant_features_have_no_limits():
    X, y = ref.make_table(2, "integers", 30, 3, 5)
    X[:, 1] = 7
    boxes = check(X, y).boxes_
    assert np.isinf(boxes.lower[:, 1]).all()
    assert np.isinf(boxes.upper[:, 1]).all()


def test_features_constant_on_the_positives():
    X, y = ref.make_table(3, "continuous", 30, 3, 8)
    X[y == 1, 1] = 0.1
    check(X, y, n_boxes=3)


@pytest.mark.parametrize("growth", ref.GROWTHS)
def test_nothing_limits_a_positive_beyond_all_negatives(growth):
    X, y = np.array([[0.0, 0], [1, 1], [2, 2], [9, 9]]), np.array([0, 0, 0, 1])
    boxes = FastBoxesClassifier(n_boxes=1, growth=growth).fit(X, y).boxes_
    assert np.isinf(boxes.upper).all()
    assert boxes.contains([[1e300, 10]]).all()


def test_both_classes_on_the_same_points():
    X, y = ref.make_table(4, "duplicates", 30, 2, 10)
    X, y = np.concatenate([X, X]), np.concatenate([y, 1 - y])
    check(X, y, n_boxes=2)


@pytest.mark.filterwarnings("ignore:A box has no limits:UserWarning")
@pytest.mark.parametrize("n_positives", [1, 3, 20])
def test_many_features(n_positives):
    X, y = ref.make_table(5, "continuous", 40, 2000, n_positives)
    check(X, y, costs=[1e-9, 1, 1e9], expansions=[1.0])


@pytest.mark.parametrize("convert", [np.float32, np.int64, np.int8, np.uint8, np.float16])
def test_types_of_numbers(convert):
    X, y = ref.make_table(6, "integers", 40, 3, 8)
    X = (X + 9).astype(convert)
    same = FastBoxesClassifier().fit(X.astype(np.float64), y)
    model = FastBoxesClassifier().fit(X, y)
    assert model.boxes_ == same.boxes_
    np.testing.assert_array_equal(model.critical_weight(X), same.critical_weight(X.astype(np.float64)))
    check(X, y)


def test_float32_is_not_rounded_further():
    X, y = ref.make_table(7, "continuous", 200, 3, 30)
    X = X.astype(np.float32)
    model = FastBoxesClassifier(growth="edge").fit(X, y)
    assert model.boxes_ == FastBoxesClassifier(growth="edge").fit(X.astype(np.float64), y).boxes_
    check(X, y, n_boxes=3, expansions=[0.0, 3.0])


def test_boolean_features():
    rng = np.random.default_rng(8)
    X = rng.random((50, 4)) < 0.5
    check(X, (X[:, 0] & X[:, 2]).astype(int))


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=0)[::2], lambda X: X[::-1][::-1]])
def test_layouts(layout):
    X, y = ref.make_table(9, "continuous", 40, 3, 8)
    assert FastBoxesClassifier().fit(layout(X), y).boxes_ == FastBoxesClassifier().fit(X, y).boxes_


def test_arrays_are_only_read():
    X, y = ref.make_table(10, "continuous", 40, 3, 8)
    weight = np.ones(40)
    copies = X.copy(), y.copy()
    for array in (X, y, weight):
        array.flags.writeable = False
    check(X, y, weight)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])


@pytest.mark.parametrize(
    "values",
    [
        [1.7e308, -1.7e308, 1, 0, 1e300, -1e290, 1e150, 7],
        [1.7e308, 1.6e308, 1.1e308, 0, 1e308, 1.4e308, 1.5e308, 1e307],
        [5e-324, 0, 1e-323, 1e-310, -5e-324, 2e-308, -1e-310, 1.5e-323],
        [1e308, 5e-324, -1e308, 0, 1e-300, 1, -1e-308, 1e150],
        [1, 1 + 2**-52, 1 - 2**-53, 1 + 2**-51, 1, 1 - 2**-52, 1 + 2**-50, 1],
        [1e16, 1e16 + 2, 1e16 + 4, 1e16 - 2, 1e16 + 8, 1e16, 1e16 + 6, 1e16],
        [0, 1e151, 2e151, -1e151, 3e151, 1e140, 1, 5e150],
        [0, 1e-151, 2e-151, -1e-151, 3e-151, 1e-160, 5e-151, 4e-152],
    ],
)
@pytest.mark.parametrize("positives", [(0,), (1, 2), (3, 4, 6)])
def test_ends_of_the_float_range(values, positives):
    rng = np.random.default_rng(11)
    X = np.column_stack([values, rng.permutation(values), rng.normal(size=8)])
    y = np.zeros(8, dtype=int)
    y[list(positives)] = 1
    model = check(X, y)
    beyond = np.array([[1.79e308, -1.79e308, 0], [-1.79e308, 5e-324, 1], [5e-324, 1.79e308, -1]])
    flagged = model.predict(beyond) == 1
    np.testing.assert_array_equal(model.critical_weight(beyond) >= model.negative_weight_, flagged)


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_weights_that_no_sum_can_hold_are_refused(unit):
    X, y = ref.make_table(12, "continuous", 30, 2, 6)
    with pytest.raises(ValueError, match="sample_weight adds up to"):
        FastBoxesClassifier().fit(X, y, np.full(30, unit))


@pytest.mark.parametrize("unit", [1e-190, 1e-12, 1e12, 1e190])
def test_weights_of_any_size(unit):
    X, y = ref.make_table(12, "continuous", 30, 2, 6)
    expected = FastBoxesClassifier().fit(X, y).critical_weight(X)
    found = FastBoxesClassifier().fit(X, y, np.full(30, unit)).critical_weight(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
def test_weights_of_very_different_sizes(sign):
    """All that holds one edge from within has next to no weight."""
    X, y = np.array([[0.0], [1], [2], [5], [9], [10]]), np.array([0, 1, 1, 1, 0, 0])
    check(sign * X, y, np.array([1, 1e-35, 1e-35, 1, 1, 1]))


def test_the_largest_expansion():
    check(*LINE, expansions=[1e300, 1.7e308])


@pytest.mark.parametrize("n_boxes", [3, 50])
def test_more_boxes_than_distinct_positives(n_boxes):
    X, y = np.array([[0.0], [1], [1], [2], [5], [9], [10], [11]]), np.array([0, 1, 1, 0, 1, 0, 0, 0])
    with pytest.warns(UserWarning, match=f"Boxes: 2 instead of {n_boxes}, as there are no more") as caught:
        model = FastBoxesClassifier(n_boxes=n_boxes).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert len(model.boxes_) == 2
    assert model.boxes_ == FastBoxesClassifier(n_boxes=2).fit(X, y).boxes_


@pytest.mark.parametrize(
    "clusterer",
    [KMeans(random_state=0, n_init=3), AgglomerativeClustering(), GaussianMixture(random_state=0, n_init=5)],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_clusterers_that_take_a_number(clusterer):
    rng = np.random.default_rng(13)
    blobs = np.concatenate([rng.normal(centre, 0.3, size=(15, 2)) for centre in (-4, 0, 4)])
    X = np.concatenate([blobs, rng.uniform(-8, 8, (200, 2))])
    y = np.repeat([1, 0], [45, 200])
    model = FastBoxesClassifier(n_boxes=3, clusterer=clusterer).fit(X, y)
    assert len(model.boxes_) == 3
    assert sorted(map(tuple, model.transform(X[:45]).astype(int).tolist())) == sorted(
        [(1, 0, 0)] * 15 + [(0, 1, 0)] * 15 + [(0, 0, 1)] * 15
    )
    assert clusterer.get_params() == type(clusterer)(**clusterer.get_params()).get_params()
    check(X, y, n_boxes=3, clusterer=clusterer, expansions=[0.0])


def test_noise_is_in_no_cluster():
    rng = np.random.default_rng(14)
    positives = np.concatenate([rng.normal(-4, 0.2, (15, 2)), rng.normal(4, 0.2, (10, 2)), [[-4.0, 4.0]]])
    X = np.concatenate([positives, rng.uniform(-8, 8, (200, 2))])
    y = np.repeat([1, 0], [26, 200])
    model = FastBoxesClassifier(n_boxes=1, clusterer=DBSCAN(eps=0.5, min_samples=3)).fit(X, y)
    assert len(model.boxes_) == 2
    member = model.transform(X[:26])
    assert member[:15, 0].all()
    assert member[15:25, 1].all()
    assert not member[25].any()


def test_all_noise_is_an_error():
    X, y = ref.make_table(15, "continuous", 30, 2, 4)
    with pytest.raises(ValueError, match="every positive row noise"):
        FastBoxesClassifier(n_boxes=1, clusterer=DBSCAN(eps=1e-6, min_samples=3)).fit(X, y)


@pytest.mark.parametrize("clusterer", [DBSCAN(min_samples=1), KMeans(random_state=0)])
def test_one_distinct_positive_with_a_clusterer(clusterer):
    X, y = LINE[0][[0, 2, 2, 4, 5]], np.array([0, 1, 1, 0, 0])
    model = FastBoxesClassifier(n_boxes=1, clusterer=clusterer).fit(X, y)
    assert model.boxes_ == FastBoxesClassifier(n_boxes=1).fit(X, y).boxes_


class Wrong:
    def fit_predict(self, X):
        return np.zeros(3)

    def get_params(self, deep=True):
        return {}


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_boxes": 0}, ValueError, "n_boxes"),
        ({"n_boxes": 2.0}, TypeError, "n_boxes"),
        ({"negative_weight": 0}, ValueError, "negative_weight"),
        ({"negative_weight": -1.0}, ValueError, "negative_weight"),
        ({"negative_weight": np.inf}, ValueError, "negative_weight"),
        ({"negative_weight": np.nan}, ValueError, "negative_weight"),
        ({"negative_weight": "cheap"}, ValueError, "negative_weight"),
        ({"negative_weight": None}, ValueError, "negative_weight"),
        ({"negative_weight": True}, ValueError, "negative_weight"),
        ({"expansion": -1e-9}, ValueError, "expansion"),
        ({"expansion": np.nan}, ValueError, "expansion"),
        ({"expansion": np.inf}, ValueError, "expansion"),
        ({"expansion": "large"}, ValueError, "expansion"),
        ({"growth": "sideways"}, ValueError, "growth"),
        ({"growth": None}, ValueError, "growth"),
        ({"feature_range": (1, 1)}, ValueError, "feature_range"),
        ({"feature_range": (1, -1)}, ValueError, "feature_range"),
        ({"feature_range": (0, 1e6)}, ValueError, "feature_range"),
        ({"feature_range": (0, np.nan)}, ValueError, "feature_range"),
        ({"feature_range": (0, 1, 2)}, ValueError, "feature_range"),
        ({"feature_range": 2}, ValueError, "feature_range"),
        ({"clusterer": "kmeans"}, TypeError, "clusterer"),
        ({"pos_label": 2}, ValueError, "pos_label"),
        ({"pos_label": "1"}, ValueError, "pos_label"),
        ({"clusterer": Wrong()}, ValueError, "one label per distinct positive"),
    ],
)
def test_bad_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        FastBoxesClassifier(**({"n_boxes": 1} | parameters)).fit(*LINE)


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        ([0, 0, 0, 0, 0, 0], None, "one class"),
        ([0, 1, 2, 0, 0, 0], None, "Only binary"),
        ([0, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 1], "one class"),
        ([0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0], "zero"),
        ([0, 0, 1, 1, 0, 0], [1, 1, 1, 1, 1, -1], "[Nn]egative"),
        ([0, 0, 1, 1, 0, 0], [1, 1, 1], "sample_weight"),
        ([0, 0, 1, 1, 0, 0], [1, 1, 1, 1, 1, np.nan], "NaN"),
    ],
)
def test_bad_labels_and_weights(y, weight, message):
    with pytest.raises(ValueError, match=message):
        FastBoxesClassifier(n_boxes=1).fit(LINE[0], y, sample_weight=weight)


def test_known_values_that_weigh_next_to_nothing():
    X = np.array([[np.nan, 0.0], [np.nan, 1.0], [2.0, 2.0], [3.0, 5.0], [4.0, 6.0]])
    weight = [1e26, 1e26, 1e-14, 1.0, 1.0]
    model = FastBoxesClassifier(n_boxes=2, pos_label=1).fit(X, [1, 1, 1, 0, 0], sample_weight=weight)
    assert model.predict(X[:3]).tolist() == [1, 1, 1]
