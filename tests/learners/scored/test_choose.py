"""The choice on inner folds, against plain loops, and the sample of a large table."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from boxdraw.learners import sample as sampling
from boxdraw.learners.folds import auc, chance_level
from boxdraw.learners.sample import draw_sample
from boxdraw.learners.scored.choose import choose as choose_among
from boxdraw.learners.scored.choose import clearly_best, learn_folds
from boxdraw.learners.scored.learn import learn, make_ready
from boxdraw.learners.scored.settings import Setting, Shape
from boxdraw.tables.training import Training

from . import reference as ref

SETTINGS = [Setting(1, 4.0), Setting(2, 4.0), Setting(2, 12.0)]
SHAPE = Shape(4, 8, False, None)


def training(seed, n_rows=120, weights=None, kind="continuous"):
    X, y = ref.make_table(seed, n_rows, 3, kind)
    rng = np.random.default_rng(seed)
    weight = {None: None, "whole": rng.integers(1, 5, n_rows).astype(float), "any": rng.random(n_rows) + 0.1}[weights]
    return Training(X, y == 1, weight)


def splits_of(seed, n_rows, n_folds=3):
    number = np.random.default_rng(seed).integers(0, n_folds, n_rows)
    return [(np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(n_folds)]


def choose(data, splits, settings, shape, **options):
    """Learn the folds and choose a setting."""
    number, scores = choose_among(learn_folds(data, splits, settings, shape, **options), settings)
    return settings[number], scores


@pytest.mark.parametrize("weights", [None, "whole", "any"])
@pytest.mark.parametrize("seed", range(6))
def test_auc_is_that_of_scikit_learn(seed, weights):
    data = training(seed, weights=weights)
    score = np.round(data.X[:, 0], seed % 3)  # some ties, or many
    expected = roc_auc_score(data.positive, score, sample_weight=data.weights)
    assert auc(data.positive, score, data.weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weights", [None, "whole"])
@pytest.mark.parametrize("cost", [None, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_held_out_rows(seed, cost, weights):
    data = training(seed, weights=weights, kind="integers")
    splits = splits_of(seed, len(data.X))
    setting, scores = choose(data, splits, SETTINGS, replace(SHAPE, false_alarm_cost=cost))
    assert scores.shape == (len(splits), len(SETTINGS))
    assert np.ptp(scores) > 0
    for row, (train, test) in zip(scores, splits, strict=True):
        held_out, ready = data.take(test), make_ready(data.take(train), cost)
        for score, given in zip(row, SETTINGS, strict=True):
            graded = learn(ready, given, Shape(4, None, False, cost)).graded(held_out.X)
            expected = roc_auc_score(held_out.positive, graded, sample_weight=held_out.weight)
            assert score == pytest.approx(expected, abs=1e-12)
    assert setting == SETTINGS[plainly_best(scores.tolist(), SETTINGS.index(Setting(2, 4.0)), 3.0)]


def plainly_best(scores, usual, n_folds):
    best, place = 0.0, usual
    for k in range(len(scores[0])):
        rise = [row[k] - row[usual] for row in scores]
        surplus = statistics.mean(rise) - 2 * statistics.stdev(rise) / math.sqrt(n_folds)
        if surplus > best + 1e-12:
            best, place = surplus, k
    return place


@pytest.mark.parametrize("seed", range(20))
def test_the_usual_setting_unless_another_is_clearly_better(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(rng.normal(0, rng.choice([0.1, 3]), 4), 1, (12, 4))
    usual = int(rng.integers(4))
    assert clearly_best(scores, usual, 3.0) == plainly_best(scores.tolist(), usual, 3.0)


def test_one_fold_has_no_standard_error():
    assert clearly_best(np.array([[0.1, 0.3, 0.2]]), 0, 1.0) == 1


def test_a_setting_that_is_better_in_each_fold_is_taken():
    assert clearly_best(np.array([[0.6, 0.7, 0.6], [0.5, 0.61, 0.9]]), 0, 2.0) == 1
    assert clearly_best(np.array([[0.6, 0.6], [0.5, 0.5]]), 1, 2.0) == 1


def test_repeated_folds_are_no_new_rows(monkeypatch):
    data, told = training(5), []
    splits = splits_of(5, len(data.X)) + splits_of(6, len(data.X))
    monkeypatch.setattr(
        "boxdraw.learners.scored.choose.clearly_best", lambda scores, usual, n_folds: told.append(n_folds) or 0
    )
    assert choose(data, splits, SETTINGS, SHAPE)[0] == SETTINGS[0]
    assert told == [3.0]


def test_ranking_by_chance_stays_below_its_level():
    """In about 39 of 40 tables; repeats of the folds do not lower it."""
    rng = np.random.default_rng(0)
    positive, tests = np.arange(90) < 12, [np.arange(k, 90, 3) for k in range(3)]
    level = chance_level(positive, tests)
    assert chance_level(positive, tests * 4) == pytest.approx(level)
    means = [
        statistics.mean(auc(positive[test], rng.random(len(test)), np.ones(len(test))) for test in tests)
        for _ in range(2000)
    ]
    assert 0.01 < np.mean(np.array(means) > level) < 0.04
    assert chance_level(np.arange(6) % 2 == 0, [np.arange(2 * k, 2 * k + 2) for k in range(3)]) == 1


def test_threads_and_the_order_of_rows_change_nothing():
    data = training(5)
    splits = splits_of(5, len(data.X))
    plain, threads = choose(data, splits, SETTINGS, SHAPE), choose(data, splits, SETTINGS, SHAPE, n_jobs=2)
    order = np.random.default_rng(0).permutation(len(data.X))
    place = np.argsort(order)
    moved = choose(data.take(order), [(place[a], place[b]) for a, b in splits], SETTINGS, SHAPE)
    for setting, scores in (threads, moved):
        assert setting == plain[0]
        np.testing.assert_array_equal(scores, plain[1])


def test_progress_is_told(capsys):
    data = training(1)
    choose(data, splits_of(1, len(data.X)), SETTINGS[:1], SHAPE, verbose=1)
    assert "Scored Boxes" in capsys.readouterr().out


# The sample


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(sampling, "MOST", {True: 30, False: 100})


@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_a_sample_has_few_rows_and_about_all_the_weight(small, weights):
    data = training(0, 2000, weights)
    few = draw_sample(data)
    assert 15 < few.positive.sum() <= 30
    assert 50 < (~few.positive).sum() <= 100
    assert few.positive_weight == pytest.approx(data.positive_weight, rel=0.25)
    assert few.negative_weight == pytest.approx(data.negative_weight, rel=0.25)
    rows = {tuple(row): i for i, row in enumerate(data.X.tolist())}
    for row, positive, weight in zip(few.X.tolist(), few.positive, few.weights, strict=True):
        i = rows[tuple(row)]
        assert positive == data.positive[i]
        assert weight == data.weights[i] * -(-np.sum(data.positive == positive) // (30 if positive else 100))


def test_only_the_class_with_too_many_rows_is_sampled(small):
    X, y = np.random.default_rng(0).normal(size=(1000, 2)), np.arange(1000) < 20
    few = draw_sample(Training(X, y, None))
    np.testing.assert_array_equal(few.X[few.positive], X[:20])
    assert (few.weights[few.positive] == 1).all()
    assert (few.weights[~few.positive] == 10).all()
    assert (~few.positive).sum() == 98


def test_a_small_table_is_its_own_sample():
    data = training(0, 200)
    assert draw_sample(data) is data


@pytest.mark.parametrize("weights", [None, "any"])
@pytest.mark.parametrize("kind", ["continuous", "integers"])
def test_a_sample_does_not_depend_on_the_order_of_rows(small, weights, kind):
    data = training(3, 1500, weights, kind)
    order = np.random.default_rng(1).permutation(1500)

    def sorted_rows(sample):
        table = np.column_stack([sample.X, sample.positive, sample.weights])
        return table[np.lexsort(table.T)]

    np.testing.assert_array_equal(sorted_rows(draw_sample(data)), sorted_rows(draw_sample(data.take(order))))
