"""Checks of parameters that several learners share, and the growth rules."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from boxdraw import (
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners.fast.growth import GROWTHS, growth_named
from boxdraw.learners.parameters import check_bool, check_choice, check_cost, check_not_negative

NO_NUMBERS = [True, "1", None, math.inf, math.nan, [1.0], 10**400]


@pytest.mark.parametrize("value", [0, -1.0, *NO_NUMBERS])
def test_a_cost_is_positive_and_finite(value):
    with pytest.raises(ValueError, match="c must be 'balanced' or a finite number above 0; got"):
        check_cost(value, "c", "balanced")


def test_all_keywords_are_named():
    with pytest.raises(ValueError, match="c must be None, 'balanced' or a finite number above 0; got 'auto'"):
        check_cost("auto", "c", None, "balanced")


def test_costs_and_keywords_pass():
    for value, keyword in ((1, None), (0.5, "balanced"), ("balanced", "balanced"), (None, None)):
        check_cost(value, "c", keyword)


@pytest.mark.parametrize("value", [-1e-9, *NO_NUMBERS])
def test_numbers_that_are_not_negative(value):
    check_not_negative(0, "gap")
    with pytest.raises(ValueError, match="gap must be a finite number of at least 0; got"):
        check_not_negative(value, "gap")


def test_choices():
    check_choice("a", "letter", ("a", "b"))
    with pytest.raises(ValueError, match=r"letter must be one of 'a', 'b'; got \['a'\]\."):
        check_choice(["a"], "letter", ("a", "b"))


FLAGS = [
    (SparseBoxesClassifier, "round_limits"),
    (ScoredBoxesClassifier, "round_limits"),
    (ScoredBoxesClassifier, "signed_points"),
    (ExactBoxesClassifier, "round_limits"),
    (FastBoxesClassifier, "round_limits"),
    (FastBoxesClassifierCV, "round_limits"),
    (FastBoxesClassifierCV, "relative_expansion"),
    (FastBoxesClassifierCV, "simplified"),
]


@pytest.mark.parametrize(("learner", "name"), FLAGS, ids=[f"{learner.__name__}-{name}" for learner, name in FLAGS])
@pytest.mark.parametrize("value", ["no", "False", 0, None])
def test_flags_are_true_or_false(learner, name, value):
    """Text is true and None is false to Python; neither is what its writer meant."""
    model = learner(**{name: value})
    with pytest.raises(TypeError, match=f"{name} must be True or False; got {value!r}"):
        model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert not hasattr(model, "classes_")


def test_flags_of_numpy_pass():
    for value in (True, False, np.True_, np.False_):
        check_bool(value, "round_limits")


def test_growth_rules_are_named_and_frozen():
    for name in ("nearest_negative", "edge", "free"):
        assert growth_named(name) is GROWTHS[name]
        assert growth_named(name).name == name
    with pytest.raises(FrozenInstanceError):
        GROWTHS["edge"].may_shrink = True
    with pytest.raises(ValueError, match="growth must be one of 'nearest_negative', 'edge', 'free'; got 'wild'"):
        growth_named("wild")
