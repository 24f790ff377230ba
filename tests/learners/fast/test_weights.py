"""Critical weights of many rows: compiled and plain code agree to the last bit, and with the boxes of large tables."""

import math
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import FastBoxesClassifier
from boxdraw.learners.fast import fast_boxes, path, weights
from boxdraw.learners.fast.divide import EdgeSums
from boxdraw.learners.fast.growth import GROWTHS
from boxdraw.learners.fast.path import critical_weights, training_weights
from boxdraw.learners.fast.roc import CountWeights, RocCounts
from boxdraw.learners.fast.sources import training_roc
from boxdraw.learners.fast.weights import compiled_weights
from boxdraw.tables.chunks import Chunk
from boxdraw.tables.order import ordered
from boxdraw.tables.training import read_training_rows

from . import reference as ref
from .test_path_property import probes, telling_costs

pytestmark = pytest.mark.filterwarnings("ignore:Categories that were not seen:UserWarning")

either = st.booleans()


@st.composite
def models(draw, large=either):
    """A model, of a table with or without categories and missing values, and what it was fitted to."""
    X, y = draw(ref.tables(max_rows=40, max_features=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    categorical = draw(st.sampled_from([None, [0]]))
    if categorical:
        X[:, 0] = rng.integers(0, 6, len(X))
    if draw(st.booleans()):
        X[:, 1:][rng.random(X[:, 1:].shape) < 0.2] = np.nan
    known = np.nan_to_num(X[y == 1], nan=99.0)
    model = FastBoxesClassifier(
        n_boxes=draw(st.integers(1, min(3, len(np.unique(known, axis=0))))),
        expansion=draw(ref.expansions),
        growth=draw(ref.growths),
        negative_weight=draw(ref.costs),
        feature_range=draw(st.sampled_from([(-1, 1), (-9, 9), (0, 0.5)])),
        categorical_features=categorical,
        pos_label=1,
    )
    weight = ref.make_weight(draw(ref.weight_kinds), len(X), len(X))
    with pytest.MonkeyPatch.context() as patch:
        if draw(large):
            patch.setattr(fast_boxes, "LARGE", 0)
        model.fit(X, y, sample_weight=weight)
    return model, X, y, weight, rng


def rows_to_score(model, X, rng):
    """Rows as in `probes`, with categories that were never seen and values that are missing."""
    known = np.where(np.isnan(X), rng.normal(size=X.shape), X)
    rows = probes(model, known, rng)
    rows[np.isinf(rows)] = 0  # on the limits of a box that has missing values only
    if model.categorical_features:
        rows[:, 0] = rng.integers(0, 8, len(rows))
    rows[rng.random(rows.shape) < 0.05] = np.nan
    return rows


@given(models(), st.sampled_from([0, 20, 240, 290]), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_forces_of_any_size_and_equal_ones_have_the_bits_of_the_plain_ones(case, most, seed):
    model, X, *_ = case
    rng, edges = np.random.default_rng(seed), model._edges
    forces = [10.0 ** rng.integers(-most, min(most, 200) + 1, edges.tight.shape) for _ in range(2)]
    forces[1][rng.random(edges.tight.shape) < 0.1] = 0
    edges = replace(edges, sums=EdgeSums(*forces))
    matrix, pushes = model._encoded(rows_to_score(model, X, rng)), [0.0, 1.0, 1e200]
    with np.errstate(all="ignore"):
        plain = critical_weights(edges, matrix, pushes, GROWTHS[model.growth], None)
    np.testing.assert_array_equal(compiled_weights(edges, matrix, pushes, GROWTHS[model.growth], None), plain)


@given(models(), st.sampled_from([np.float64, np.float32]), st.sampled_from([None, 2]))
@settings(max_examples=100, deadline=None)
def test_compiled_weights_have_the_bits_of_the_plain_ones(case, dtype, n_jobs):
    model, X, _, _, rng = case
    with np.errstate(over="ignore"):
        matrix = model._encoded(rows_to_score(model, X, rng)).astype(dtype)
    matrix[rng.random(matrix.shape) < 0.05] = rng.choice([np.nan, np.inf, -np.inf])
    pushes = [model.expansion, 0.0, 7.0]
    plain = critical_weights(model._edges, matrix, pushes, GROWTHS[model.growth], None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "_CELLS", 50)
        compiled = compiled_weights(model._edges, matrix, pushes, GROWTHS[model.growth], n_jobs)
        columns_first = compiled_weights(model._edges, np.asfortranarray(matrix), pushes, GROWTHS[model.growth], n_jobs)
    np.testing.assert_array_equal(compiled, plain)
    np.testing.assert_array_equal(columns_first, plain)


@given(models())
@settings(max_examples=50, deadline=None)
def test_training_weights_of_many_rows(case):
    """A training negative is its own first stop, also where only the gaps beside the limits are known."""
    model, X, y, weight, _ = case
    data = read_training_rows(model, X, y, weight)
    few = training_weights(model._edges, data, model.expansion, GROWTHS[model.growth], None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path, "_MANY_CELLS", 0)
        many = training_weights(model._edges, data, model.expansion, GROWTHS[model.growth], None)
    np.testing.assert_array_equal(many, few)
    np.testing.assert_array_equal(few, model.critical_weight(X))


@given(models(large=st.just(True)))
@settings(max_examples=60, deadline=None)
def test_weights_and_boxes_of_large_tables_agree(case):
    model, X, y, weight, rng = case
    rows = rows_to_score(model, X, rng)
    critical = model.critical_weight(rows)
    np.testing.assert_array_equal(model.decision_function(rows) >= 0, model.predict(rows) == 1)
    costs = np.unique([*telling_costs(critical, rng, 4), model.negative_weight, *10 ** rng.uniform(-9, 9, 3)])[::-1]
    found = model.path(costs)
    for point in found:
        np.testing.assert_array_equal(point.boxes.contains(rows), critical >= point.negative_weight)
        flagged = point.boxes.contains(X)
        mass = np.ones(len(X)) if weight is None else weight
        rates = [mass[flagged & (y == label)].sum() / mass[y == label].sum() for label in (0, 1)]
        assert [point.fpr, point.tpr] == pytest.approx(rates, rel=1e-12)
    for tighter, wider in pairwise(found):  # by falling cost
        if len(tighter.boxes) == len(wider.boxes):
            assert (tighter.boxes.lower >= wider.boxes.lower).all()
            assert (tighter.boxes.upper <= wider.boxes.upper).all()


@given(models(large=st.just(False)))
@settings(max_examples=60, deadline=None)
def test_a_large_table_gives_the_boxes_of_a_small_one(case):
    small, X, y, weight, _ = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_boxes, "LARGE", 0)
        large = FastBoxesClassifier(**small.get_params()).fit(X, y, sample_weight=weight)
    assert large.boxes_ == small.boxes_
    np.testing.assert_array_equal(large.predict(X), small.predict(X))


def random_chunks(chunk, rng):
    """A table cut anywhere, the pieces in any order."""
    cuts = [0, *np.sort(rng.integers(0, len(chunk.X) + 1, 3)).tolist(), len(chunk.X)]
    pieces = [
        Chunk(chunk.X[a:b], chunk.positive[a:b], None if chunk.weight is None else chunk.weight[a:b])
        for a, b in pairwise(cuts)
        if a < b
    ]
    return [pieces[i] for i in rng.permutation(len(pieces))]


@given(models())
@settings(max_examples=60, deadline=None)
def test_counts_of_chunks(case):
    model, X, y, weight, rng = case
    data = read_training_rows(model, X, y, weight)
    rows = ordered(data, model._edges.order)
    count = CountWeights(model._edges, model.expansion, GROWTHS[model.growth])
    whole = count(Chunk(rows.X, rows.positive, rows.weight))
    first, *others = map(count, random_chunks(Chunk(rows.X, rows.positive, rows.weight), rng))
    for other in others:
        first = first.merge(other)
    np.testing.assert_array_equal(first.key, whole.key)
    np.testing.assert_array_equal(first.mass, whole.mass)
    exact = training_roc(data, model._edges, model.expansion, GROWTHS[model.growth], None)
    found = whole.to_roc()
    assert (np.diff(found.critical) < 0).all()
    on_grid = np.append(found.critical, np.ldexp(rng.integers(256, 512, 20), rng.integers(-40, 10, 20)))
    exactly = weight is None or (weight == np.rint(weight)).all()
    tolerance = 0 if exactly else 1e-12
    np.testing.assert_allclose(found.rates(on_grid), exact.rates(on_grid), rtol=tolerance)
    costs = 10 ** rng.uniform(-9, 9, 20)
    higher, here, same = (np.array(roc.rates(c)) for roc, c in ((exact, costs * 1.004), (found, costs), (exact, costs)))
    assert (higher <= here + 1e-12).all()
    assert (here <= same + 1e-12).all()


@pytest.mark.parametrize("unit", [1e-180, 2.0**-40, 1.0, 1e6, 1e180])
def test_counts_are_rounded_once(unit):
    rng = np.random.default_rng(0)
    critical = np.append(np.exp(rng.normal(size=500)).round(1), [0.0, 0.0, np.inf])
    positive = rng.random(503) < 0.3
    weight = np.ldexp(rng.integers(1, 2**50, 503) * 1.0, rng.integers(-60, 0, 503)) * unit
    roc = RocCounts.of(critical, positive, weight).to_roc()
    for c, true, false in zip(roc.critical, roc.true_positives, roc.false_positives, strict=True):
        assert true == math.fsum(weight[positive & (critical >= c)])
        assert false == math.fsum(weight[~positive & (critical >= c)])
    assert roc.critical[[0, -1]].tolist() == [np.inf, 0]


def test_few_rows_need_no_compiler():
    code = """
import sys
import numpy as np
from boxdraw import FastBoxesClassifier
X = np.arange(4000.0).reshape(400, 10) % 97
model = FastBoxesClassifier(n_boxes=2).fit(X, X[:, 0] > 80)
model.critical_weight(X), model.path()
assert "numba" not in sys.modules
model.critical_weight(np.tile(X, (40, 1)))
assert "numba" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
