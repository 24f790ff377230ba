"""Splits and what one of them gives."""

import numpy as np
import pytest

from boxdraw.metrics import auh_from_points
from paper.data import DataSet
from paper.fast_boxes import halves, paper_model, ten_point_scorer
from paper.methods import all_methods
from paper.protocol import COSTS, Outcome, Split, measure, split_rows

rng = np.random.default_rng(5)
X = rng.normal(size=(120, 2))
y = (np.abs(X).max(axis=1) < 0.6).astype(np.int64)


def half(index=0):
    train, test = split_rows(y, "splits", 3)[index]
    return Split(X[train], y[train], X[test], y[test])


def test_the_halves_are_those_of_the_other_experiments():
    ours = split_rows(y, "splits", 3)
    theirs = list(halves(DataSet("t", X, y, ("a", "b")), 10, 3))
    assert len(ours) == len(theirs) == 10
    for (train, test), (X_train, y_train, X_test, y_test) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(X[train], X_train)
        np.testing.assert_array_equal(y[train], y_train)
        np.testing.assert_array_equal(X[test], X_test)
        np.testing.assert_array_equal(y[test], y_test)


def test_every_row_is_in_the_test_part_of_one_fold():
    tests = [test for _, test in split_rows(y, "folds", 0)]
    assert sorted(np.concatenate(tests).tolist()) == list(range(len(y)))
    assert all(abs(y[test].sum() - y.sum() / 10) < 1 for test in tests)


def test_the_seed_makes_a_difference():
    for protocol in ("splits", "folds"):
        first, second = (split_rows(y, protocol, seed)[0][1].tolist() for seed in (0, 1))
        assert first != second
    with pytest.raises(ValueError, match="protocol must be one of splits, folds; got 'halves'"):
        split_rows(y, "halves", 0)


def test_a_model_is_trivial_only_if_it_is_on_both_parts():
    split = Split(np.zeros((2, 1)), np.array([0, 1]), np.ones((2, 1)), np.array([0, 1]))
    flags = {0.0: [False, True, False, True], 1.0: [False, True, True, False]}  # by the value, for four models
    outcome = measure(lambda split: lambda rows: np.repeat(np.array(flags[rows[0, 0]])[:, None], 2, axis=1), split)
    assert outcome.trivial == 2
    assert outcome.fpr == outcome.tpr == (0.0, 1.0, 1.0, 0.0)


def test_the_area_is_that_of_the_points():
    outcome = Outcome((0.1, 0.4), (0.5, 0.8), 0, 1.0)
    assert outcome.auh == auh_from_points([0.1, 0.4], [0.5, 0.8])
    assert outcome.n_models == 2


def test_fast_boxes_is_that_of_the_other_experiment():
    split = half()
    outcome = all_methods()["fast_boxes"].run(split, 0)
    model = paper_model().fit(split.X_train, split.y_train)
    assert outcome.auh == ten_point_scorer(model, split.X_test, split.y_test)
    assert outcome.n_models == 10


def test_a_baseline_is_fitted_once_for_each_weight():
    split = half()
    outcome = all_methods()["cart"].run(split, 0)
    from paper.baselines import BASELINES

    models = [BASELINES["cart"].make(float(c), 0).fit(split.X_train, split.y_train) for c in COSTS]
    flagged = [model.predict(split.X_test) == 1 for model in models]
    assert outcome.tpr == tuple(np.mean(flags[split.y_test == 1]) for flags in flagged)
    assert outcome.fpr == tuple(np.mean(flags[split.y_test == 0]) for flags in flagged)


def test_settings_are_the_same_in_every_process_and_tell_methods_apart():
    first, second = all_methods(), all_methods()
    assert [m.settings for m in first.values()] == [m.settings for m in second.values()]
    here = [m.settings for m in first.values() if m.missing is None]
    assert len(set(here)) == len(here)
    assert not any("0x" in settings for settings in here)
