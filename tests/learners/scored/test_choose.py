"""The choice on inner folds, against plain loops, and the sample of a large table."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from boxdraw._core.sums import on_grid
from boxdraw.learners import sample as sampling
from boxdraw.learners.folds import auc, chance_level, n_repeats, ranking
from boxdraw.learners.sample import draw_sample
from boxdraw.learners.scored.choose import FoldCards, clearly_best, few_enough, learn_folds
from boxdraw.learners.scored.learn import card_of, draw, make_ready
from boxdraw.learners.scored.settings import Setting, Shape, usual
from boxdraw.tables.training import Training

from . import reference as ref

SETTINGS = [Setting(1, 4.0), Setting(2, 4.0), Setting(2, 12.0)]
SHAPE = Shape(4, 8, None)


def training(seed, n_rows=120, weights=None, kind="continuous"):
    X, y = ref.make_table(seed, n_rows, 3, kind)
    rng = np.random.default_rng(seed)
    weight = {None: None, "whole": rng.integers(1, 5, n_rows).astype(float), "any": rng.random(n_rows) + 0.1}[weights]
    return Training(X, y == 1, weight)


def splits_of(seed, n_rows, n_folds=3):
    number = np.random.default_rng(seed).integers(0, n_folds, n_rows)
    return [(np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(n_folds)]


def learn(ready, setting, shape):
    """Learn a card by itself."""
    drawn = draw(ready, setting, shape)
    return card_of(ready, drawn, len(drawn))


def choose(data, splits, settings, shape, **options):
    """Learn the folds and choose a setting."""
    scores = np.array([fold.auc() for fold in learn_folds(data, splits, settings, shape, **options)])
    return settings[
        clearly_best(scores, usual(settings), len(splits) / n_repeats([test for _, test in splits]), 2)
    ], scores


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
        held_out, ready = data.take(test), make_ready(data.take(train), Shape(4, None, cost))
        for score, given in zip(row, SETTINGS, strict=True):
            graded = learn(ready, given, Shape(4, None, cost)).graded(held_out.X)
            expected = roc_auc_score(held_out.positive, graded, sample_weight=held_out.weight)
            assert score == pytest.approx(expected, abs=1e-12)
    assert setting == SETTINGS[plainly_best(scores.tolist(), SETTINGS.index(Setting(2, 4.0)), 3.0)]


def plainly_best(scores, usual, n_folds, errors=2):
    best, place = 0.0, usual
    for k in range(len(scores[0])):
        rise = [row[k] - row[usual] for row in scores]
        surplus = statistics.mean(rise) - errors * statistics.stdev(rise) / math.sqrt(n_folds)
        if surplus > best + 1e-12:
            best, place = surplus, k
    return place


@pytest.mark.parametrize("seed", range(20))
def test_the_usual_setting_unless_another_is_clearly_better(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(rng.normal(0, rng.choice([0.1, 3]), 4), 1, (12, 4))
    place = int(rng.integers(4))
    for errors in (1, 2):
        assert clearly_best(scores, place, 3.0, errors) == plainly_best(scores.tolist(), place, 3.0, errors)


def test_one_fold_has_no_standard_error():
    assert clearly_best(np.array([[0.1, 0.3, 0.2]]), 0, 1.0, 2) == 1


def test_a_setting_that_is_better_in_each_fold_is_taken():
    assert clearly_best(np.array([[0.6, 0.7, 0.6], [0.5, 0.61, 0.9]]), 0, 2.0, 2) == 1
    assert clearly_best(np.array([[0.6, 0.6], [0.5, 0.5]]), 1, 2.0, 2) == 1


def fold_cards(auc, average_precision):
    none = np.arange(0)
    return [FoldCards(none, none, None, [], *scores) for scores in zip(auc, average_precision, strict=True)]


def plainly_few_enough(auc, average_precision, n_folds):
    """The first size that loses at most a thousandth of either, at one standard error."""
    for k in range(auc.shape[1]):
        losses = [(scores[:, -1] - scores[:, k]).tolist() for scores in (auc, average_precision)]
        if all(statistics.mean(x) + statistics.stdev(x) / math.sqrt(n_folds) <= 0.001 for x in losses):
            return k
    raise AssertionError


@pytest.mark.parametrize("seed", range(20))
def test_fewer_boxes_only_if_they_lose_nothing(seed):
    rng = np.random.default_rng(seed)
    rise = np.minimum(np.arange(6) / rng.integers(1, 6), 1) * 0.1
    scores = [0.8 + rise + rng.normal(0, 0.003, (12, 6)) for _ in range(2)]
    assert few_enough(fold_cards(*scores), 3.0) == plainly_few_enough(*scores, 3.0)


def test_both_measures_count():
    same, less = np.full((4, 2), 0.7), np.tile([0.6, 0.7], (4, 1))
    assert few_enough(fold_cards(same, same), 2.0) == 0
    assert few_enough(fold_cards(same, less), 2.0) == 1
    assert few_enough(fold_cards(less, same), 2.0) == 1
    assert few_enough(fold_cards(same[:1], same[:1]), 1.0) == 0


@pytest.mark.parametrize("weights", [None, "whole", "any"])
@pytest.mark.parametrize("seed", range(6))
def test_average_precision_is_that_of_scikit_learn(seed, weights):
    data = training(seed, weights=weights)
    score = np.round(data.X[:, 0], seed % 3)
    expected = average_precision_score(data.positive, score, sample_weight=data.weights)
    assert ranking(data.positive, score, data.weights)[1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_sizes_of_one_run_are_runs_of_their_own(seed, signed):
    """The first boxes of a run, with points of their own, are the card of a run that ends there."""
    data, setting = training(seed, 200, "any", "integers"), Setting(2, 1.0, signed)
    (fold,) = learn_folds(data, splits_of(seed, 200)[:1], [setting], Shape(8, None, None))
    cards = fold.cards(0, list(range(1, 9)))
    train, test = data.take(cards.train), data.take(cards.test)
    for n, card in enumerate(cards.cards, start=1):
        shape = Shape(n, None, None)
        alone = learn(make_ready(train, shape), setting, shape)
        for field in ("lower", "upper", "points", "threshold"):
            np.testing.assert_array_equal(getattr(card, field), getattr(alone, field))
        scores = ranking(test.positive, alone.graded(test.X), on_grid(test.weights))
        assert (cards.auc[n - 1], cards.average_precision[n - 1]) == scores


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
