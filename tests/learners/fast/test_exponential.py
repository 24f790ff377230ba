"""Our exp against exact arithmetic, against itself compiled, and in the order of its arguments."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from boxdraw.learners.fast import exponential
from boxdraw.learners.fast.kernels import exp as kernels_exp
from boxdraw.learners.scaling import GRID

numbers = st.floats(-700, 700, allow_nan=False)


def test_log_2_in_two_parts():
    with localcontext() as context:
        context.prec = 60
        rest = Decimal(2).ln() - Decimal(exponential.LOG_2_HIGH)
    assert float(rest) == exponential.LOG_2_LOW
    assert Fraction(exponential.LOG_2_HIGH * 1100) == Fraction(exponential.LOG_2_HIGH) * 1100


@given(st.floats(-700, 700, allow_nan=False))
@settings(max_examples=300, deadline=None)
def test_within_one_unit_of_the_last_place(x):
    with localcontext() as context:
        context.prec = 60
        exact = float(Decimal(x).exp())
    assert abs(float(exponential.exp(x)) - exact) <= math.ulp(exact)


@given(st.lists(numbers, min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_compiled_code_has_the_same_bits(values):
    plain = exponential.exp(np.array(values))
    assert [compiled(x) for x in values] == plain.tolist()


@njit
def compiled(x):
    return kernels_exp(x)


@given(st.integers(-(2**48), 2**48))
@settings(max_examples=200, deadline=None)
def test_rises_from_one_step_of_the_grid_to_the_next(ticks):
    below, above = exponential.exp(np.array([ticks, ticks + 1]) * GRID)
    assert below < above


def test_ends():
    values = np.array([-np.inf, -2000.0, -745.2, 0.0, 709.0, 720.0, np.inf, np.nan])
    result = exponential.exp(values)
    assert result[:2].tolist() == [0, 0]
    assert result[3] == 1
    assert result[4] == pytest.approx(math.exp(709), rel=1e-15)
    assert result[5:7].tolist() == [np.inf, np.inf]
    assert np.isnan(result[7])
