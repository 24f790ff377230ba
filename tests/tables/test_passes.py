"""Large tables are learned from in passes over chunks, by compiled code; the model is that of the plain code."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

from boxdraw import FastBoxesClassifier
from boxdraw._core.sums import moderate_unit
from boxdraw.learners.fast import growth as growths
from boxdraw.learners.fast.cluster import tight_boxes
from boxdraw.learners.fast.divide import ABSENT, LEVEL, ClusteredRows, Divide, Pulls
from boxdraw.learners.fast.path import draw
from boxdraw.learners.fast.stages import Plan, _Neighbours, draw_edges_in_passes
from boxdraw.learners.fast.stops import Gaps, known_values
from boxdraw.learners.rounding import round_on_table
from boxdraw.learners.scaling import EXACT, fit_scaling
from boxdraw.tables.chunks import Chunk
from boxdraw.tables.keys import Keys
from boxdraw.tables.order import Order
from boxdraw.tables.survey import survey_of
from boxdraw.tables.training import read_training_rows

from .same import all_large, assert_same_edges, assert_same_model, assert_sides_agree

GROWTHS = ("nearest_negative", "edge", "free")
WEIGHTS = (None, "ones", "whole", "fractions", "tiny", "huge", "uneven", "zeros")


def make_weight(kind, y, rng):
    """Weights of the rows; those of no weight leave a row of each class."""
    n = len(y)
    if kind is None:
        return None
    weight = {
        "ones": np.ones(n),
        "whole": rng.integers(1, 5, n).astype(float),
        "fractions": rng.exponential(size=n) + 1e-3,
        "tiny": rng.uniform(1, 2, n) * 1e-180,
        "huge": rng.uniform(1, 2, n) * 1e180,
        "uneven": 10.0 ** rng.uniform(-30, 30, n),
        "zeros": rng.integers(0, 2, n) * rng.exponential(size=n),
    }[kind]
    for label in (0, 1):
        first = np.flatnonzero(y == label)[0]
        weight[first] = weight[first] or 1.5
    return weight


def make_rows(rng, kind, n_rows, n_features):
    """Rows of numbers with ties of many kinds."""
    X = rng.normal(size=(n_rows, n_features))
    if kind == "integers":
        X = np.rint(2 * X)
    elif kind == "duplicates":
        X = X[rng.integers(0, max(2, n_rows // 2), n_rows)]
    elif kind == "neighbours":  # next to each other in the number format, and nearer than the grid of the scale
        X = np.rint(X)
        X = np.where(rng.integers(0, 2, X.shape), np.nextafter(X, np.inf), X)
    elif kind == "tenths":  # the middle of two of them is a third one, but for rounding
        X = rng.integers(0, 7, X.shape) / 10
    elif kind == "zeros":
        X = rng.choice([0.0, -0.0, 5e-324, -5e-324, 1.0], X.shape)
    elif kind == "extreme":
        X = X * 10.0 ** rng.choice([-300, 0, 300], n_features)
    elif kind == "constant":
        X[:, 0] = 3.7
    return X


KINDS = ("continuous", "integers", "duplicates", "tenths", "neighbours", "zeros", "extreme", "constant")


@st.composite
def problems(draw, kinds=KINDS, max_rows=60):
    """A model that is not fitted, X, y, weights, and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(2, max_rows))
    X = make_rows(rng, draw(st.sampled_from(kinds)), n_rows, draw(st.integers(1, 4)))
    y = np.zeros(n_rows, dtype=int)
    y[rng.choice(n_rows, draw(st.integers(1, max(1, n_rows // 2))), replace=False)] = 1
    model = FastBoxesClassifier(
        n_boxes=draw(st.integers(1, 3)),
        expansion=draw(st.sampled_from([0.0, 1e-3, 0.3, 5.0])),
        growth=draw(st.sampled_from(GROWTHS)),
        negative_weight=draw(st.one_of(st.just("balanced"), st.floats(-9, 9).map(lambda power: 10.0**power))),
        feature_range=(0, draw(st.sampled_from([0.5, 2, 20]))),
        pos_label=1,
    )
    return model, X, y, make_weight(draw(st.sampled_from(WEIGHTS)), y, rng), rng


def fit(model, *data, n_jobs=None):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Boxes: ")  # fewer positives than boxes are no matter here
        return clone(model).set_params(n_jobs=n_jobs).fit(*data)


def fit_in_passes(model, *data, rows, n_jobs=None):
    with all_large(rows):
        return fit(model, *data, n_jobs=n_jobs)


def rows_like(X, rng):
    """Training rows, some beside them, and some far off."""
    return np.concatenate(
        [X, X * (1 + rng.normal(scale=0.1, size=X.shape)), rng.normal(scale=3, size=(20, X.shape[1]))]
    )


@given(problems(), st.integers(1, 70), st.sampled_from([None, 2, 3]))
@settings(max_examples=300, deadline=None)
def test_the_same_model(problem, rows, n_jobs):
    model, X, y, weight, rng = problem
    plain = fit(model, X, y, weight)
    passes = fit_in_passes(model, X, y, weight, rows=rows, n_jobs=n_jobs)
    others = rows_like(X, rng)
    assert_same_model(plain, passes, others)
    assert_sides_agree(passes, others)
    assert_sides_agree(fit_in_passes(clone(model).set_params(round_limits=False), X, y, weight, rows=rows), others)
    if model.growth != "nearest_negative":  # which does not know of the negatives at other costs
        np.testing.assert_array_equal(plain.critical_weight(others), passes.critical_weight(others))


class Pieces:
    """A table cut anywhere, in any order, some pieces empty; neighbours are merged in any order."""

    def __init__(self, data, encoding, rng):
        self._data, self._rng = data, rng
        self.survey = survey_of(data, Keys(encoding, Order({})), [slice(0, len(data.X))], None)

    def reduce(self, work, what, beside=None, columns=None):
        rng, data = self._rng, self._data
        X = data.X if columns is None else data.X[:, columns]
        order = rng.permutation(len(data.X))
        cuts = np.sort(rng.integers(0, len(order) + 1, rng.integers(0, 9)))
        parts = [] if beside is None else [beside()]
        for rows in np.split(order, cuts):
            weight = None if data.weight is None else data.weight[rows]
            parts.append(work(Chunk(X[rows], data.positive[rows], weight)))
        while len(parts) > 1:
            at = rng.integers(len(parts) - 1)
            one, other = parts.pop(at), parts.pop(at)
            parts.insert(at, one.merge(other) if rng.integers(2) else other.merge(one))
        return parts[0]


@given(problems())
@settings(max_examples=150, deadline=None)
def test_pieces_of_a_table_in_any_order(problem):
    model, X, y, weight, rng = problem
    plain = fit(model, X, y, weight)
    data = read_training_rows(clone(model), X, y, weight)
    plan = Plan(model.n_boxes, model.feature_range[1], None, None)
    setting = plain.negative_weight_, model.expansion, growths.GROWTHS[model.growth]
    table = Pieces(data, plain._encoding, rng)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Boxes: ")
        edges = draw_edges_in_passes(table, Order({}), plan, *setting)
    assert_same_edges(plain._edges, edges)
    exact = fit(clone(model).set_params(round_limits=False), X, y, weight)
    assert draw(edges, *setting, plain._encoding) == exact.boxes_
    limits = round_on_table(table, *edges.limits(*setting), plain._encoding.steps)
    assert plain._encoding.boxes(*limits, edges.order) == plain.boxes_


# Many features, so that rows are far from the boxes


def far_rows(seed, n_rows=90, n_features=250, n_positives=4):
    """Rows at very different distances from the positives, hundreds of units on the scale of (-3, 3)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, n_features))
    y = np.zeros(n_rows, dtype=int)
    y[rng.choice(n_rows, n_positives, replace=False)] = 1
    X[y == 1] = 0.5 + 0.01 * X[y == 1]
    X[y == 0] = 0.5 + (X[y == 0] - 0.5) * rng.uniform(0.2, 1, (n_rows - n_positives, 1))
    return X, y, rng


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("kind", [None, "whole", "fractions"])
@pytest.mark.parametrize("rows", [1, 7, 90])
def test_far_from_all_negatives(growth, kind, rows):
    X, y, rng = far_rows(1)
    weight = make_weight(kind, y, rng)
    model = FastBoxesClassifier(n_boxes=2, feature_range=(-3, 3), growth=growth)
    assert_same_model(fit(model, X, y, weight), fit_in_passes(model, X, y, weight, rows=rows), rows_like(X, rng))


def divided(X, y, weight, width, compiled):
    """The work of dividing, and a function that does it on some rows."""
    scaling = fit_scaling(X, width)
    positives = scaling.columns(X[y == 1]).T
    labels = np.arange(len(positives)) % 2
    unit = 1.0 if weight is None else moderate_unit(weight.sum())
    divide = Divide(scaling, *tight_boxes(positives, labels), unit, compiled)
    label = np.full(len(X), -1)
    label[y == 1] = labels

    def on(rows):
        return divide(ClusteredRows(X[rows], None if weight is None else weight[rows], label[rows]))

    return divide, on


def value_of(divide, pulls):
    sums = divide.edge_sums(pulls)
    return np.stack([sums.positive, sums.negative])


@pytest.mark.parametrize("kind", [None, "whole", "fractions"])
@pytest.mark.parametrize(("n_features", "width"), [(12, 20.0), (250, 6.0)])
def test_levels_of_chunks(kind, n_features, width):
    X, y, rng = far_rows(2, n_rows=600, n_features=n_features)
    weight = make_weight(kind, y, rng)
    divide, on = divided(X, y, weight, width, compiled=True)
    farthest = np.argsort(np.abs(X - 0.5).sum(axis=1))[::-1]  # each chunk has a nearer row than all before it
    parts = [on(rows) for rows in np.split(farthest, 20)]
    levels = np.array([part.level for part in parts])
    assert (np.diff(levels[:-1], axis=0) <= 0).all()
    assert len(np.unique(levels[:-1, 0])) > 3  # more than one shift is needed, or this shows nothing
    merged = reversed_ = Pulls.none(*divide.lower.shape)
    for part in parts:
        merged = merged.merge(part)
    for part in parts[::-1]:
        reversed_ = part.merge(reversed_)
    whole = divided(X, y, weight, width, compiled=False)[1](slice(None))
    np.testing.assert_array_equal(merged.level, whole.level)
    for other in (merged, reversed_, on(farthest), on(farthest[::-1])):
        np.testing.assert_array_equal(value_of(divide, other), value_of(divide, whole))


@pytest.mark.parametrize("kind", [None, "fractions"])
def test_distances_so_large_that_their_sums_are_rounded(kind):
    rng = np.random.default_rng(5)
    y = (np.arange(300) == 100).astype(int)
    X = np.where(y[:, None] == 1, rng.uniform(0, 0.01, (300, 114)), rng.uniform(0.4, 0.6, (300, 114)))
    weight = make_weight(kind, y, rng)
    divide, on = divided(X, y, weight, 6.0, compiled=True)
    plain = divided(X, y, weight, 6.0, compiled=False)[1](slice(None))
    assert (plain.level * LEVEL >= EXACT).all()
    assert value_of(divide, plain)[1].any()
    np.testing.assert_array_equal(plain.level, on(slice(None)).level)
    np.testing.assert_array_equal(value_of(divide, plain), value_of(divide, on(slice(None))))
    columns = rng.permutation(114)
    permuted = divided(X[:, columns], y, weight, 6.0, compiled=True)[1](slice(None))
    np.testing.assert_array_equal(value_of(divide, plain)[..., columns], value_of(divide, permuted))


@given(problems(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_compiled_pulls_and_plain_ones(problem, absent):
    model, X, y, weight, rng = problem
    scaling = fit_scaling(X, model.feature_range[1])
    label = np.where(y == 1, rng.integers(0, 2, len(y)), ABSENT if absent else -1)
    label[np.flatnonzero(y)[0]] = 0
    label[y == 1] = np.unique(label[y == 1], return_inverse=True)[1]
    box = tight_boxes(scaling.columns(X[y == 1]).T, label[y == 1])
    kept = np.ones(len(X), dtype=bool) if weight is None else weight > 0
    rows = ClusteredRows(X[kept], None if weight is None else weight[kept], label[kept])
    unit = 1.0 if weight is None else moderate_unit(weight.sum())
    plain, compiled = (Divide(scaling, *box, unit, compiled)(rows) for compiled in (False, True))
    np.testing.assert_array_equal(plain.level, compiled.level)
    divide = Divide(scaling, *box, unit, False)
    np.testing.assert_array_equal(value_of(divide, plain), value_of(divide, compiled))


# The negatives next to a number


@given(problems(), st.data())
@settings(max_examples=150, deadline=None)
def test_neighbours(problem, data):
    _, X, y, _, rng = problem
    X = np.where(rng.uniform(size=X.shape) < 0.1, np.nan, X)
    candidates = np.concatenate([X[~np.isnan(X)], rng.normal(size=5), [-np.inf, np.inf, 0.0, 1e-310, 1e300]])
    cut = rng.choice(candidates, (4, X.shape[1]))  # of lower and upper edges, so an even number
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    X = np.clip(X, np.finfo(dtype).min, np.finfo(dtype).max).astype(dtype)
    work, middle = _Neighbours(Gaps.none(cut)), rng.integers(0, len(X) + 1)  # the second chunk knows the first
    gaps = Gaps.merge(*(work(Chunk(X[rows], y[rows] == 1, None)) for rows in (np.s_[:middle], np.s_[middle:])))
    for k, j in np.ndindex(*cut.shape):
        column = X[y == 0, j].astype(np.float64)
        assert gaps.before[k, j] == column[column < cut[k, j]].max(initial=-np.inf)
        assert gaps.after[k, j] == column[column >= cut[k, j]].min(initial=np.inf)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(deadline=None)
def test_spans_are_what_gaps_leave(seed, n):
    """A value between the ends of the data is in a span exactly where it is in no gap."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (12, 3)).astype(float)
    X[:, 2] = 4.0
    cut = np.round(rng.uniform(-7, 7, (n, 3)), 1)
    with_ends = np.concatenate([X, np.full((1, 3), -np.inf), np.full((1, 3), np.inf)])
    below = np.where(with_ends[:, None] < cut, with_ends[:, None], -np.inf).max(axis=0)
    above = np.where(with_ends[:, None] >= cut, with_ends[:, None], np.inf).min(axis=0)
    scaling = fit_scaling(X, 2.0)
    stops = Gaps(cut, below, above).stops(scaling, X.T, np.ones(3, dtype=bool))
    for j in range(3):
        first, last = stops.first[j], stops.last[j]
        assert (first[:-1] <= last[:-1]).all()
        assert (last[:-1] < first[1:]).all()
        assert first[0] == last[0] == -np.inf
        assert first[-1] == last[-1] == np.inf
        for value in np.arange(scaling.low[j], scaling.high[j] + 0.25, 0.25):
            in_gap = ((below[:, j] < value) & (value < above[:, j])).any()
            assert ((first <= value) & (value <= last)).any() != in_gap
        for values, scaled in ((first, stops.scaled_first[j]), (last, stops.scaled_last[j])):
            np.testing.assert_array_equal(scaled[[0, -1]], [-np.inf, np.inf])
            np.testing.assert_array_equal(scaled[1:-1], scaling.coordinate(values[1:-1], j))


def test_missing_positives_are_one_of_the_others():
    X = np.array([[3.0, np.nan, 1.0], [np.nan, np.nan, 2.0], [2.0, np.nan, np.nan]], dtype=np.float32)
    scaling = fit_scaling(np.array([[0.0, 5.0, 0.0], [9.0, 6.0, 9.0]]), 2.0)
    np.testing.assert_array_equal(known_values(X, scaling), [[3, 2, 2], [5, 5, 5], [1, 2, 1]])
    assert np.isnan(X[1, 0])


def test_no_rows_have_no_neighbours():
    cut = np.array([[1.0, 2.0], [3.0, 4.0]])
    gaps = _Neighbours(Gaps.none(cut))(Chunk(np.empty((0, 2)), np.empty(0, dtype=bool), None))
    assert_same_gaps(gaps, Gaps.none(cut))


def assert_same_gaps(one, other):
    for name in ("cut", "before", "after"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# What else a table may hold


def mixed_frame(rng, n_rows=120):
    """Numbers with missing ones, whole numbers, categories, true and false, a constant and an empty column."""
    amount = rng.normal(size=n_rows)
    amount[rng.uniform(size=n_rows) < 0.2] = np.nan
    town = rng.choice(np.array(["north", "south", "east", "west"], dtype=object), n_rows)
    town[rng.uniform(size=n_rows) < 0.1] = None
    X = pd.DataFrame(
        {
            "amount": amount,
            "age": rng.integers(18, 80, n_rows),
            "town": pd.Series(town, dtype=object),
            "known": rng.integers(0, 2, n_rows).astype(bool),
            "same": np.full(n_rows, 2.5),
            "empty": np.full(n_rows, np.nan),
        }
    )
    y = np.where((rng.uniform(size=n_rows) < 0.2) | (town == "east") & (rng.uniform(size=n_rows) < 0.5), "yes", "no")
    return X, y


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("kind", [None, "fractions", "zeros"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_missing_values_and_categories(growth, kind, n_jobs):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = mixed_frame(rng)
        weight = make_weight(kind, (y == "yes").astype(int), rng)
        model = FastBoxesClassifier(n_boxes=2, growth=growth, pos_label="yes", categorical_features=["age"])
        for model in (model, model.set_params(categorical_features=None)):  # noqa: B020
            plain = fit(model, X, y, weight)
            passes = fit_in_passes(model, X, y, weight, rows=int(rng.integers(1, 60)), n_jobs=n_jobs)
            assert_same_model(plain, passes, X)
            assert_sides_agree(passes, X)


@given(problems(kinds=("continuous", "integers", "neighbours", "zeros")), st.integers(1, 30))
@settings(max_examples=80, deadline=None)
def test_missing_numbers(problem, rows):
    model, X, y, weight, rng = problem
    X = np.where(rng.uniform(size=X.shape) < rng.uniform(0, 1), np.nan, X)
    plain = fit(model, X, y, weight)
    passes = fit_in_passes(model, X, y, weight, rows=rows)
    assert_same_model(plain, passes, X)
    assert_sides_agree(passes, X)


@pytest.mark.parametrize(("dtype", "order"), [(np.float32, "C"), (np.float64, "C"), (np.float64, "F"), (np.int16, "C")])
def test_types_and_layouts(dtype, order):
    rng = np.random.default_rng(0)
    X = np.asarray(10 * rng.normal(size=(500, 5)), dtype=dtype, order=order)
    y = (rng.uniform(size=500) < 0.1).astype(int)
    plain = fit(FastBoxesClassifier(), X, y)
    for rows, n_jobs in ((1, None), (33, 2), (500, None)):
        assert_same_model(plain, fit_in_passes(FastBoxesClassifier(), X, y, rows=rows, n_jobs=n_jobs), X)


def test_neither_rows_nor_columns_beside_each_other_in_memory():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 5)), (rng.uniform(size=500) < 0.1).astype(int)
    spread = np.repeat(X, 2, axis=1)[:, ::2]
    assert not spread.flags.forc
    assert_same_model(fit(FastBoxesClassifier(), X, y), fit_in_passes(FastBoxesClassifier(), spread, y, rows=77), X)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize(
    "clusterer",
    [DBSCAN(eps=0.25, min_samples=3), AgglomerativeClustering(), KMeans(random_state=0, n_init=1)],
    ids=["noise", "without weights", "with weights"],
)
def test_clusterers(growth, clusterer):
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(1, 0.1, size=(30, 2)), [[-2, 2], [3, -3]]])
    y = np.append(np.zeros(200, dtype=int), np.ones(32, dtype=int))
    for weight in (None, rng.exponential(size=len(y))):
        model = FastBoxesClassifier(n_boxes=2, clusterer=clusterer, growth=growth)
        plain = fit(model, X, y, weight)
        assert_same_model(plain, fit_in_passes(model, X, y, weight, rows=50), X)


def test_the_common_class_as_the_positive_one():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 3)), np.where(rng.uniform(size=300) < 0.8, "a", "b")
    for pos_label in (None, "a", "b"):
        model = FastBoxesClassifier(pos_label=pos_label, growth="free")
        passes = fit_in_passes(model, X, y, rows=37)
        assert passes.pos_label_ == (pos_label or "b")
        assert_same_model(fit(model, X, y), passes, X)
        assert_sides_agree(passes, X)


def test_refitting_a_small_table_after_a_large_one():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(100, 2)), (rng.uniform(size=100) < 0.2).astype(int)
    model = FastBoxesClassifier()
    with all_large(10):
        model.fit(X, y)
    assert_same_model(model.fit(X[:50], y[:50]), FastBoxesClassifier().fit(X[:50], y[:50]), X)
    np.testing.assert_array_equal(
        model.critical_weight(X), FastBoxesClassifier().fit(X[:50], y[:50]).critical_weight(X)
    )
