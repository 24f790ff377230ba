"""The sign test against SciPy, and the words for what is met and what is not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from boxdraw.metrics import sign_test
from paper.statistics import Summary, best_of, compare, in_bold, summary

scores = st.sampled_from([0.5, 0.6, 0.7, 0.8])


@given(st.lists(st.tuples(scores, scores), min_size=0, max_size=25))
def test_the_sign_test_is_a_binomial_test_without_ties(pairs):
    first, second = np.array(pairs).reshape(-1, 2).T
    up, down = (first > second).sum(), (first < second).sum()
    expected = binomtest(up, up + down).pvalue if up + down else 1.0
    assert sign_test(first, second) == pytest.approx(expected, rel=1e-12)
    assert sign_test(second, first) == sign_test(first, second)


def test_pairs_that_are_none():
    with pytest.raises(ValueError, match="of the same length"):
        sign_test([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        sign_test([np.nan], [1.0])


def test_the_best_has_the_highest_mean_and_then_the_smallest_deviation():
    high, wide, low = np.array([0.75, 0.75]), np.array([0.5, 1.0]), np.array([0.5, 0.5])
    assert best_of({"wide": wide, "low": low, "high": high}) == "high"
    assert best_of({"wide": wide, "low": low}) == "wide"


def test_bold_is_against_the_best():
    rng = np.random.default_rng(0)
    best = rng.uniform(0.8, 0.9, 10)
    close = best + np.where(np.arange(10) < 7, -0.01, 0.001)
    far = best - 0.1
    p = in_bold({"far": far, "best": best, "close": close})
    assert p["best"] == 1.0
    assert p["close"] == pytest.approx(binomtest(3, 10).pvalue)
    assert p["close"] >= 0.05 > p["far"] == pytest.approx(binomtest(0, 10).pvalue)
    assert in_bold({}) == {}


def test_the_verdict_is_by_two_standard_errors_of_the_difference():
    error = math.sqrt(0.03**2 / 10 + 0.04**2 / 10)
    for steps, verdict in ((1.99, "reproduced"), (2.1, "higher"), (-1.99, "reproduced"), (-2.1, "lower")):
        compared = compare(Summary(0.8 + steps * error, 0.03, 10), 0.8, 0.04)
        assert compared.verdict == verdict
        assert compared.error == pytest.approx(error)
        assert compared.difference == pytest.approx(steps * error)


def test_fewer_splits_have_larger_errors():
    assert compare(Summary(0.83, 0.03, 10), 0.8, 0.03).verdict == "higher"
    assert compare(Summary(0.83, 0.03, 5), 0.8, 0.03).verdict == "reproduced"
    assert compare(Summary(0.83, 0.03, 4), 0.8, 0.03).verdict == "too few splits"
    assert compare(Summary(0.83, math.nan, 1), 0.8, 0.03).verdict == "too few splits"
    assert compare(Summary(math.nan, math.nan, 0), 0.8, 0.03).verdict == "too few splits"


def test_the_papers_rounding_is_no_difference():
    assert compare(Summary(0.99996, 0.0, 10), 1.0, 0.0).verdict == "reproduced"
    assert compare(Summary(0.9998, 0.0, 10), 1.0, 0.0).verdict == "lower"


def test_ours_stands_for_a_deviation_that_is_a_slip():
    assert compare(Summary(0.81, 0.02, 10), 0.8, math.nan) == compare(Summary(0.81, 0.02, 10), 0.8, 0.02)


def test_a_summary_has_the_deviation_of_a_sample():
    values = np.array([0.5, 0.6, 0.9])
    assert summary(values).sd == pytest.approx(np.sqrt(((values - values.mean()) ** 2).sum() / 2))
    assert math.isnan(summary(values[:1]).sd)
    assert math.isnan(summary(values[:0]).mean)
