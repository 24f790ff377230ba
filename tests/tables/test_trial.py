"""Parameters for large tables are chosen on a sample, and the boxes are drawn on all rows."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from boxdraw import FastBoxesClassifier, FastBoxesClassifierCV
from boxdraw._core import ranges
from boxdraw.learners.fast import fast_boxes, sources
from boxdraw.tables import trial
from boxdraw.tables.chunks import InMemory
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.keys import Keys
from boxdraw.tables.order import Order, fit_order, ordered
from boxdraw.tables.training import Training
from boxdraw.tables.trial import trial_rows

GRID = {"n_boxes": (1, 2, 3), "feature_range": (-1, 1), "expansion": (0.0, 0.01)}


@pytest.fixture
def small_limits(monkeypatch):
    for module in (fast_boxes, sources):
        monkeypatch.setattr(module, "LARGE", 1200)
    return monkeypatch


def table_of(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.1
    centre = rng.integers(0, 2, n)
    X = np.where(
        positive[:, None], centre[:, None] * 4 + rng.normal(scale=0.5, size=(n, 2)), rng.uniform(-4, 8, (n, 2))
    )
    X[rng.random(n) < 0.05, 1] = np.nan
    table = np.empty((n, 3), dtype=object)
    table[:, :2] = X
    table[:, 2] = np.array(["a", "b", "c", None])[np.where(positive, centre, rng.integers(0, 4, n))]
    return table, positive


def training_of(table, positive, weight=None):
    encoding = Encoding(None, (None, None, ("a", "b", "c")), (False, True, True))
    return Training(encoding.encode(table), positive, weight, n_codes=encoding.n_codes), encoding


def rows_of(training):
    return [training.X, training.positive, training.weight]


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_do_not_depend_on_chunks_order_or_threads(monkeypatch, weighted):
    table, positive = table_of()
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, len(positive)) / 2 if weighted else None
    data, encoding = training_of(table, positive, weight)
    keys = Keys(encoding, Order({}))
    totals = data.positive_weight, data.negative_weight
    first = trial_rows(InMemory(data, keys, None), keys, 1200, *totals)
    assert len(first.X) == 300  # 4 columns
    assert first.positive.sum() == min(150, positive.sum())
    assert (first.positive_weight, first.negative_weight) == pytest.approx(totals)
    order = fit_order(data)
    for rows, tile, n_jobs in ((50, 7, None), (400, 64, 2)):
        monkeypatch.setattr(ranges, "_ROWS", rows)
        monkeypatch.setattr(trial, "_TILE", tile)
        shuffled = data.take(rng.permutation(len(positive)))
        assert_same(rows_of(trial_rows(InMemory(shuffled, keys, n_jobs), keys, 1200, *totals)), rows_of(first))
        places = Keys(encoding, order)  # as chunks of a stored table have them
        stored = InMemory(ordered(shuffled, order), places, n_jobs)
        assert_same(rows_of(trial_rows(stored, places, 1200, *totals)), rows_of(first))


def test_a_class_that_fits_is_there_as_it_is():
    table, positive = table_of()
    data, encoding = training_of(table, positive)
    keys = Keys(encoding, Order({}))
    rows = trial_rows(InMemory(data, keys, None), keys, 4000, data.positive_weight, data.negative_weight)
    assert (rows.weight[rows.positive] == 1).all()
    assert_same(*(X[np.lexsort(X.T)] for X in (rows.X[rows.positive], data.X[positive])))
    negatives = rows.X[~rows.positive]
    assert len(negatives) == 1000 - positive.sum()
    assert {tuple(row) for row in np.nan_to_num(negatives).tolist()} <= {
        tuple(row) for row in np.nan_to_num(data.X[~positive]).tolist()
    }


def test_rows_say_how_many_they_stand_for():
    data, encoding = training_of(*table_of())
    keys = Keys(encoding, Order({}))
    rows = trial_rows(InMemory(data, keys, None), keys, 1200, data.positive_weight, data.negative_weight)
    for side, each in zip((rows.positive, ~rows.positive), rows.stand_for, strict=True):
        assert rows.weights[side].sum() / each == pytest.approx(np.count_nonzero(side))
    assert max(rows.stand_for) > 1


def test_few_distinct_rows_count_for_all():
    X = np.repeat([[0.0], [1.0], [2.0]], [1000, 10, 990], axis=0)
    positive = X[:, 0] == 2
    encoding = Encoding.of_numbers(None, X, True)
    keys = Keys(encoding, Order({}))
    data = Training(X, positive, None, n_codes=encoding.n_codes)
    rows = trial_rows(InMemory(data, keys, None), keys, 200, 990.0, 1010.0)
    assert len(rows.X) <= 200
    for value, weight in ((0, 1000), (1, 10), (2, 990)):
        chosen = rows.X[:, 0] == value
        assert chosen.sum() > 3
        assert rows.weight[chosen].sum() == pytest.approx(weight)


def test_the_model_does_not_depend_on_the_order_of_rows(small_limits):
    X, y = table_of()
    first = FastBoxesClassifierCV(**GRID).fit(X, y)
    small_limits.setattr(ranges, "_ROWS", 100)
    order = np.random.default_rng(2).permutation(len(y))
    second = FastBoxesClassifierCV(**GRID, n_jobs=2).fit(X[order], y[order])
    assert second.boxes_ == first.boxes_
    assert second.negative_weight_ == first.negative_weight_
    np.testing.assert_array_equal(second.cv_results_["mean_test_score"], first.cv_results_["mean_test_score"])


def test_boxes_are_drawn_on_all_rows(small_limits):
    X, y = table_of()
    model = FastBoxesClassifierCV(**GRID, simplified=False).fit(X, y)
    chosen = {name: model.best_params_[name] for name in ("n_boxes", "growth", "feature_range", "distance")}
    push = model.best_params_["expansion"] * np.count_nonzero(~y)
    assert model.expansion_ == push
    same = FastBoxesClassifier(**chosen, expansion=push, negative_weight=model.negative_weight_).fit(X, y)
    assert same.boxes_ == model.boxes_


def test_the_choice_is_as_good_as_on_all_rows(small_limits):
    X, y = table_of(3000)
    sampled = FastBoxesClassifierCV(**GRID).fit(X, y)
    small_limits.setattr(sources, "LARGE", 10**9)
    full = FastBoxesClassifierCV(**GRID).fit(X, y)
    assert not np.array_equal(sampled.cv_results_["mean_test_score"], full.cv_results_["mean_test_score"])
    assert sampled.best_score_ == pytest.approx(full.best_score_, abs=0.03)
    assert 0.2 < sampled.negative_weight_ / full.negative_weight_ < 5
    new, labels = table_of(3000, seed=5)

    def balanced_accuracy(model):
        flagged = model.predict(new)
        return (flagged[labels].mean() + (~flagged)[~labels].mean()) / 2

    assert balanced_accuracy(sampled) > balanced_accuracy(full) - 0.02


def test_balanced_is_that_of_all_rows(small_limits):
    X, y = table_of()
    for given in ("balanced", ["balanced"]):
        model = FastBoxesClassifierCV(**GRID, negative_weight=given).fit(X, y)
        assert model.negative_weight_ == np.count_nonzero(y) / np.count_nonzero(~y)


def test_given_folds_are_of_all_rows(small_limits):
    def refuse(*_):
        raise AssertionError("a sample")

    X, y = table_of()
    small_limits.setattr(sources, "trial_rows", refuse)
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    by_splitter = FastBoxesClassifierCV(**GRID, simplified=False, cv=splitter).fit(X, y)
    by_rows = FastBoxesClassifierCV(**GRID, simplified=False, cv=list(splitter.split(X, y))).fit(X, y)
    assert by_rows.boxes_ == by_splitter.boxes_
    with pytest.raises(AssertionError, match="a sample"):
        FastBoxesClassifierCV(**GRID, cv=3).fit(X, y)
