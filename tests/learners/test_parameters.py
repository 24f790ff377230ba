"""Checks of parameters that several learners share, and the growth rules."""

import math
from dataclasses import FrozenInstanceError

import pytest

from boxdraw.learners.fast.growth import GROWTHS, growth_named
from boxdraw.learners.parameters import check_choice, check_cost, check_not_negative

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


def test_growth_rules_are_named_and_frozen():
    for name in ("nearest_negative", "edge", "free"):
        assert growth_named(name) is GROWTHS[name]
        assert growth_named(name).name == name
    with pytest.raises(FrozenInstanceError):
        GROWTHS["edge"].may_shrink = True
    with pytest.raises(ValueError, match="growth must be one of 'nearest_negative', 'edge', 'free'; got 'wild'"):
        growth_named("wild")
