import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boxdraw._core.shortest import shortest_between

INF = math.inf
MAX = sys.float_info.max
finite = st.floats(allow_nan=False, allow_infinity=False)
everyday = st.floats(-1e6, 1e6)


def shortest(value, low, high):
    return shortest_between([value], [low], [high]).item()


def digits_of(number):
    """Significant digits of the shortest decimal that reads back to the number; zero has one."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


def decimals_around(value, digits):
    """The decimals with so many digits next to a value, with fractions: nothing shared with the code."""
    exponent = Decimal(value).adjusted() - digits + 1
    whole = math.floor(Fraction(value) / Fraction(10) ** exponent)
    return [float(f"{n}e{exponent}") for n in range(whole - 2, whole + 4)]


def check_shortest(value, low, high):
    result = shortest(value, low, high)
    assert low <= result <= high
    if value == 0 or low == high:
        assert result == value
        return
    digits = digits_of(result)
    for fewer in range(1, digits):
        assert not [number for number in decimals_around(value, fewer) if low <= number <= high]
    # Neighbouring decimals that read as the same distance are equally good.
    rivals = [
        number for number in decimals_around(value, digits) if low <= number <= high and digits_of(number) <= digits
    ]
    assert abs(result - value) <= min(abs(number - value) for number in rivals)


@given(st.lists(everyday, min_size=3, max_size=3).map(sorted))
@example([0.95, 2.2, 11.0])
@example([850.0, 999.9999999999999, 999.9999999999999])
@example([1000.0000001, 1000.1, 2500.0])
@example([-1.0, 3.3, 5.0])
@example([0.1, 0.1, 0.1])
@example([0.0, 1e-5, 1e-5])
def test_shortest_in_an_interval(numbers):
    low, value, high = numbers
    check_shortest(value, low, high)


@given(finite, st.integers(0, 40), st.integers(0, 40))
@example(MAX, 0, 3)
@example(-MAX, 3, 0)
@example(5e-324, 0, 1)
@example(5e-324, 1, 0)
@example(sys.float_info.min, 2, 2)
@example(9007199254740993.0, 1, 1)
@example(1e23, 1, 1)
def test_shortest_a_few_floats_around(value, below, above):
    low, high = value, value
    for _ in range(below):
        low = max(math.nextafter(low, -INF), -MAX)
    for _ in range(above):
        high = min(math.nextafter(high, INF), MAX)
    check_shortest(value, low, high)


@given(finite, st.floats(0, 1), st.floats(0, 1))
def test_shortest_with_relative_room(value, below, above):
    reach = abs(value)
    low, high = max(value - reach * below, -MAX), min(value + reach * above, MAX)
    check_shortest(value, low, high)


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (16.8317, 16.79, 16.84, 16.8),
        (0.1 + 0.2, 0.3, 0.30000000000000010, 0.3),
        (2.2, 0.95, 11.0, 2.0),
        (1234.5, 1200.0, 1300.0, 1200.0),
        (1234.5, 1230.5, 1239.5, 1234.0),
        (-1234.5, -1239.5, -1233.0, -1234.0),
        (5e-324, 5e-324, 5e-324, 5e-324),
        (MAX, 1.7e308, MAX, 1.7e308),
        (MAX, 1.7e308, INF, 1.7e308),
        (3.7, -INF, INF, 4.0),
        (1.2345e-30, 1.2e-30, 1.24e-30, 1.2e-30),
        (INF, 3.0, INF, INF),
        (-INF, -INF, -INF, -INF),
        (INF, math.nan, math.nan, INF),
        (0.0, -1.0, 1.0, 0.0),
    ],
)
def test_shortest_examples(value, low, high, expected):
    assert shortest(value, low, high) == expected


def test_shortest_keeps_shape_and_input():
    value = np.array([[1.26, -INF], [3.14159, 1e-200]])
    before = value.copy()
    result = shortest_between(value, value - 0.1, value + 0.1)
    assert result.shape == (2, 2)
    np.testing.assert_array_equal(value, before)
    assert shortest_between(np.asfortranarray(value), value - 0.1, value + 0.1).tolist() == result.tolist()
    assert shortest_between(1.26, 1.2, 1.3).item() == 1.3
    assert shortest_between([], [], []).size == 0


def test_shortest_refuses_nonsense():
    with pytest.raises(ValueError, match="must lie between"):
        shortest_between([1.0], [2.0], [3.0])
    with pytest.raises(ValueError, match="must lie between"):
        shortest_between([math.nan], [0.0], [1.0])
    with pytest.raises(ValueError, match="same shape"):
        shortest_between([1.0], [0.0, 0.0], [3.0])
