"""What must not change a model, and what must change it in a known way."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from boxdraw import BoxSet, FastBoxesClassifier

from . import reference as ref


@st.composite
def problems(draw, kinds=("continuous", "integers", "duplicates"), max_boxes=3, weights=ref.weight_kinds):
    """A model that is not fitted, X, y, weights and a generator."""
    X, y = draw(ref.tables(kinds=kinds, max_rows=30, max_features=4))
    model = FastBoxesClassifier(
        n_boxes=draw(st.integers(1, min(max_boxes, len(np.unique(X[y == 1], axis=0))))),
        expansion=draw(st.sampled_from([0.0, 1e-3, 0.3, 5.0])),
        growth=draw(ref.growths),
        negative_weight=draw(st.floats(-2, 2).map(lambda exponent: 10.0**exponent)),
        pos_label=1,
    )
    seed = draw(st.integers(0, 2**32 - 1))
    return model, X, y, ref.make_weight(draw(weights), len(X), seed), np.random.default_rng(seed)


def fit(model, X, y, weight=None, **parameters):
    return type(model)(**(model.get_params() | parameters)).fit(X, y, sample_weight=weight)


def take(weight, rows):
    return None if weight is None else weight[rows]


def rows_like(X, rng):
    return np.concatenate([X, X + rng.normal(scale=0.3, size=X.shape), rng.normal(scale=3, size=(20, X.shape[1]))])


def assert_identical(first, second, X):
    assert first.boxes_ == second.boxes_
    np.testing.assert_array_equal(first.critical_weight(X), second.critical_weight(X))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


def in_order(boxes):
    """The boxes as rows of limits, sorted: a set of boxes has no order."""
    limits = np.hstack([boxes.lower, boxes.upper])
    return limits[np.lexsort(limits.T)]


@given(problems())
@settings(max_examples=50, deadline=None)
def test_order_of_rows(problem):
    model, X, y, weight, rng = problem
    order = rng.permutation(len(X))
    assert_identical(fit(model, X, y, weight), fit(model, X[order], y[order], take(weight, order)), rows_like(X, rng))


def test_order_of_repeated_positives_with_fractional_weights():
    # .1 + .2 + .3 > .6 = .3 + .2 + .1 in floats, which must not decide which box comes first
    X = np.array([[10.0], [10], [10], [0], [5], [5]])
    y = np.array([1, 1, 1, 1, 0, 0])
    weight = np.array([0.1, 0.2, 0.3, 0.6, 1, 1])
    model = FastBoxesClassifier(n_boxes=2, pos_label=1)
    order = np.array([2, 1, 0, 3, 4, 5])
    assert_identical(fit(model, X, y, weight), fit(model, X[order], y[order], weight[order]), X)


@given(problems(max_boxes=1))
@settings(max_examples=40, deadline=None)
def test_order_of_columns(problem):
    model, X, y, weight, rng = problem
    order = rng.permutation(X.shape[1])
    first, second = fit(model, X, y, weight), fit(model, X[:, order], y, weight)
    np.testing.assert_array_equal(first.boxes_.lower[:, order], second.boxes_.lower)
    np.testing.assert_array_equal(first.boxes_.upper[:, order], second.boxes_.upper)
    rows = rows_like(X, rng)
    np.testing.assert_array_equal(first.critical_weight(rows), second.critical_weight(rows[:, order]))


@given(problems(kinds=["continuous"]))
@settings(max_examples=40, deadline=None)
def test_order_of_columns_with_clusters(problem):
    """The same boxes; those of equal weight may come in another order, as their first rows do."""
    model, X, y, weight, rng = problem
    order = rng.permutation(X.shape[1])
    first, second = fit(model, X, y, weight), fit(model, X[:, order], y, weight)
    permuted = BoxSet(first.boxes_.lower[:, order], first.boxes_.upper[:, order])
    np.testing.assert_array_equal(in_order(permuted), in_order(second.boxes_))
    rows = rows_like(X, rng)
    np.testing.assert_array_equal(first.critical_weight(rows), second.critical_weight(rows[:, order]))


def far_from_all_negatives():
    """Overflows above 2**9, where sums of scaled values are rounded."""
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(65, 300)), (np.arange(65) == 0).astype(int)
    return FastBoxesClassifier(n_boxes=1, feature_range=(-3, 3)), X, y, rng


@pytest.mark.filterwarnings("ignore:A box has no limits:UserWarning")
def test_order_of_rows_far_from_all_negatives(monkeypatch):
    monkeypatch.setattr("boxdraw._core.tiles._CELLS", 1)  # tiles of 64 rows
    model, X, y, _ = far_from_all_negatives()
    expected = fit(model, X, y).critical_weight(X)
    for i in range(1, 65):  # each in turn is the last row, alone in its tile
        order = np.arange(65)
        order[[i, 64]] = 64, i
        np.testing.assert_array_equal(fit(model, X[order], y[order]).critical_weight(X), expected)


@pytest.mark.filterwarnings("ignore:A box has no limits:UserWarning")
def test_order_of_columns_far_from_all_negatives():
    model, X, y, rng = far_from_all_negatives()
    order = rng.permutation(300)
    expected = fit(model, X, y).critical_weight(X)
    np.testing.assert_array_equal(fit(model, X[:, order], y).critical_weight(X[:, order]), expected)


@given(problems(), st.lists(st.integers(-40, 40), min_size=4, max_size=4))
@settings(max_examples=40, deadline=None)
def test_units_that_are_powers_of_two(problem, exponents):
    model, X, y, weight, rng = problem
    unit = 2.0 ** np.array(exponents[: X.shape[1]])
    X = np.where(X == 0, 0.5, X)  # the float next to 0 does not scale
    first, second = (fit(model, rows, y, weight, round_limits=False) for rows in (X, X * unit))
    np.testing.assert_array_equal(first.boxes_.lower * unit, second.boxes_.lower)
    np.testing.assert_array_equal(first.boxes_.upper * unit, second.boxes_.upper)
    rows = rows_like(X, rng)
    np.testing.assert_array_equal(first.critical_weight(rows), second.critical_weight(rows * unit))


def assert_close_models(first, second, X, to_second, to_first):
    """Equal but for rounding: limits, critical weights of the training rows, predictions off the limits."""
    span = np.ptp(X, axis=0)
    span[span == 0] = 1
    boxes = to_first(second.boxes_)
    np.testing.assert_allclose(boxes.lower / span, first.boxes_.lower / span, rtol=0, atol=1e-8)
    np.testing.assert_allclose(boxes.upper / span, first.boxes_.upper / span, rtol=0, atol=1e-8)
    one, other = first.critical_weight(X), second.critical_weight(to_second(X))
    np.testing.assert_allclose(other, one, rtol=1e-8)
    away = ~np.isclose(one, first.negative_weight_, rtol=1e-7)
    np.testing.assert_array_equal(first.predict(X[away]), second.predict(to_second(X[away])))


def check_other_units(problem, factors, shifts):
    model, X, y, weight, _ = problem
    n_features = X.shape[1]
    factor, shift = np.array(factors[:n_features]), np.array(shifts[:n_features])
    first, second = (fit(model, rows, y, weight, round_limits=False) for rows in (X, X * factor + shift))
    assert_close_models(
        first,
        second,
        X,
        lambda rows: rows * factor + shift,
        lambda boxes: BoxSet((boxes.lower - shift) / factor, (boxes.upper - shift) / factor),
    )


factors = st.lists(st.floats(0.01, 100), min_size=4, max_size=4)
shifts = st.lists(st.floats(-10, 10), min_size=4, max_size=4)


@given(problems(kinds=["continuous"]), factors, shifts)
@settings(max_examples=50, deadline=None)
def test_other_units(problem, factors, shifts):
    check_other_units(problem, factors, shifts)


@given(
    problems(kinds=["integers"], max_boxes=1),
    st.lists(st.sampled_from([1, 3, 5, 10]), min_size=4, max_size=4),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
)
@settings(max_examples=50, deadline=None)
def test_other_units_of_whole_numbers(problem, factors, shifts):
    """Ties stay ties: rows on a face, and rows in the middle of a box."""
    check_other_units(problem, factors, shifts)


@given(problems(max_boxes=1), st.lists(st.sampled_from([-1, 1]), min_size=4, max_size=4))
@settings(max_examples=50, deadline=None)
def test_flipped_features(problem, signs):
    model, X, y, weight, _ = problem
    sign = np.array(signs[: X.shape[1]])

    def mirrored(boxes):
        lower, upper = boxes.lower, boxes.upper
        return BoxSet(np.where(sign > 0, lower, -upper), np.where(sign > 0, upper, -lower))

    assert_close_models(
        fit(model, X, y, weight), fit(model, X * sign, y, weight), X, lambda rows: rows * sign, mirrored
    )


@given(problems(weights=st.just(None)))
@settings(max_examples=50, deadline=None)
def test_whole_weights_are_copies(problem):
    model, X, y, _, rng = problem
    weight = rng.integers(0, 5, len(X))
    assume(weight[y == 1].any() and weight[y == 0].any())
    kept = np.unique(X[(y == 1) & (weight > 0)], axis=0)
    assume(len(kept) >= model.n_boxes)
    copies = rng.permutation(np.repeat(np.arange(len(X)), weight))
    first, second = fit(model, X, y, weight), fit(model, X[copies], y[copies])
    assert_identical(first, second, rows_like(X, rng))
    costs = [0.1, 1.0, 3.0]
    np.testing.assert_array_equal(first.path(costs).fpr, second.path(costs).fpr)
    np.testing.assert_array_equal(first.path(costs).tpr, second.path(costs).tpr)


@given(problems(weights=st.just("any")))
@settings(max_examples=50, deadline=None)
def test_whole_weights_are_copies_among_others(problem):
    model, X, y, weight, rng = problem
    whole = rng.random(len(X)) < 0.5
    weight = np.where(whole, rng.integers(1, 9, len(X)), weight)
    times = np.where(whole, weight, 1).astype(int)
    copies = rng.permutation(np.repeat(np.arange(len(X)), times))
    first, second = fit(model, X, y, weight), fit(model, X[copies], y[copies], (weight / times)[copies])
    assert_identical(first, second, rows_like(X, rng))


def with_ghosts(X, y, weight, rng):
    """The same rows, labels and weights in another order, and five rows of no weight among them."""
    mass = np.ones(len(X)) if weight is None else weight
    ghosts = rng.normal(scale=100, size=(5, X.shape[1]))
    order = rng.permutation(len(X) + 5)
    return (
        np.concatenate([X, ghosts])[order],
        np.append(y, [0, 1, 0, 1, 1])[order],
        np.append(mass, np.zeros(5))[order],
    )


@given(problems())
@settings(max_examples=40, deadline=None)
def test_rows_without_weight(problem):
    model, X, y, weight, rng = problem
    padded = with_ghosts(X, y, weight, rng)
    assert_identical(fit(model, X, y, weight), fit(model, *padded), rows_like(X, rng))


@given(problems(kinds=["continuous"]))
@settings(max_examples=40, deadline=None)
def test_units_of_weight(problem):
    model, X, y, weight, _ = problem
    mass = np.ones(len(X)) if weight is None else weight
    first, second = fit(model, X, y, mass), fit(model, X, y, 2 * mass, expansion=2 * model.expansion)
    assert_close_models(first, second, X, lambda rows: rows, lambda boxes: boxes)
    balanced = [fit(model, X, y, w, negative_weight="balanced").negative_weight_ for w in (mass, 2 * mass)]
    assert balanced[0] == balanced[1]


@pytest.mark.parametrize("growth", ref.GROWTHS)
def test_threads(growth):
    X, y = ref.make_table(3, "continuous", 1500, 8, 60)
    X, weight = np.round(X, 1), ref.make_weight("any", 1500, 3)
    models = [
        FastBoxesClassifier(n_boxes=3, growth=growth, expansion=5.0, n_jobs=n_jobs).fit(X, y, weight)
        for n_jobs in (None, 1, 2, -1)
    ]
    for other in models[1:]:
        assert_identical(models[0], other, X)
        np.testing.assert_array_equal(models[0].path().fpr, other.path().fpr)


def test_random_state_is_not_needed_for_few_positives():
    X, y = ref.make_table(1, "continuous", 200, 3, 60)
    models = [FastBoxesClassifier(n_boxes=4, random_state=seed).fit(X, y) for seed in (0, 1, None)]
    assert models[0].boxes_ == models[1].boxes_ == models[2].boxes_
