"""The roundest number in an interval: the one of fewest significant decimal digits."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray

# Literals, because 10.0**i is not correctly rounded everywhere.
_SMALLEST_EXPONENT = -323
_POWERS = np.array([float(f"1e{i}") for i in range(_SMALLEST_EXPONENT, 309)])
# Up to 10**22 a power of ten is a float exactly, and up to 15 digits so is every whole number: one division
# or multiplication of the two is then the correctly rounded decimal.
_MAX_EXACT_SHIFT = 22
_MAX_FAST_DIGITS = 15
_UP = np.maximum(_POWERS[-_SMALLEST_EXPONENT - _MAX_EXACT_SHIFT :][: 2 * _MAX_EXACT_SHIFT + 1], 1)
_DOWN = _UP[::-1].copy()
# A call costs more than a few numbers more, so several digits are tried at once.
_BATCHES = np.arange(1, _MAX_FAST_DIGITS + 1).reshape(-1, 5, 1)
# Scaling rounds, so the two decimals around the true value are among the three around the scaled one.
_NEIGHBOURS = np.array([0.0, -1.0, 1.0]).reshape(3, 1, 1)
# 17 digits tell any two floats apart.
_CONTEXTS = tuple(
    (
        Context(prec=digits, rounding=ROUND_FLOOR, traps=[]),
        Context(prec=digits, rounding=ROUND_CEILING, traps=[]),
    )
    for digits in range(1, 18)
)


def shortest_between(value: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> FloatArray:
    """Find the numbers with the fewest significant decimal digits in closed intervals."""
    result = np.array(value, dtype=np.float64, order="C")
    below, above = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if not result.shape == below.shape == above.shape:
        shapes = f"{result.shape}, {below.shape} and {above.shape}"
        raise ValueError(f"value, low and high must have the same shape, got {shapes}")
    if not (np.isinf(result) | ((below <= result) & (result <= above))).all():
        raise ValueError("value must lie between low and high")
    numbers, below, above = result.reshape(-1), below.reshape(-1), above.reshape(-1)
    todo = np.flatnonzero(np.isfinite(numbers) & (below < above) & (numbers != 0))
    exponent = np.searchsorted(_POWERS, np.abs(numbers[todo]), side="right") - 1 + _SMALLEST_EXPONENT
    fast = (exponent >= _MAX_FAST_DIGITS - 1 - _MAX_EXACT_SHIFT) & (exponent <= _MAX_EXACT_SHIFT)
    slow = todo[~fast]
    todo, exponent = todo[fast], exponent[fast]
    for digits in _BATCHES:
        if not todo.size:
            break
        nearest, found = _nearest(numbers[todo], below[todo], above[todo], digits - 1 - exponent)
        numbers[todo[found]] = nearest[found]
        todo, exponent = todo[~found], exponent[~found]
    for i in (*slow, *todo):
        numbers[i] = _shortest_one(float(numbers[i]), float(below[i]), float(above[i]))
    return result


def _nearest(
    value: FloatArray, low: FloatArray, high: FloatArray, shifts: npt.NDArray[np.intp]
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Find in each interval the multiple of ``10**-shift`` nearest to the value, and say where there is one.

    ``shifts`` has a row per attempt, of which the first that succeeds counts. Only the two multiples around
    the value can be the nearest, so nothing else is tried.
    """
    up, down = _UP[shifts + _MAX_EXACT_SHIFT], _DOWN[shifts + _MAX_EXACT_SHIFT]
    # One of the two powers is 1, so each line below rounds once.
    candidates = (np.rint(value * up / down) + _NEIGHBOURS) * down / up
    distance = np.abs(candidates - value)
    distance[(candidates < low) | (candidates > high)] = np.inf
    columns = np.arange(len(value))
    first = (distance.min(axis=0) < np.inf).argmax(axis=0)
    distance = distance[:, first, columns]
    best = distance.argmin(axis=0)
    return candidates[best, first, columns], distance[best, columns] < np.inf


def _shortest_one(value: float, low: float, high: float) -> float:
    """Find one such number in exact decimals, where floats do not hold the powers of ten."""
    exact = Decimal(value)
    for contexts in _CONTEXTS:
        candidates = [float(context.create_decimal(exact)) for context in contexts]
        inside = [number for number in candidates if low <= number <= high and np.isfinite(number)]
        if inside:
            return min(inside, key=lambda number: abs(number - value))
    return value
