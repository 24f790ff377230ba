"""exp(x), the same to the last bit wherever it is computed.

NumPy's and the compiler's exp differ in the last bit, from each other and from one processor to the next. A model must
not depend on that, so Fast Boxes computes its own: x = k log 2 + r with whole k, then the series of exp(r), of which 13
terms are enough for |r| <= log(2) / 2, all in the plain operations that IEEE 754 fixes. ``fast/kernels.py`` has the
same steps. The result is within one unit in the last place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boxdraw._core.arrays import FloatArray

PER_LOG_2 = 1 / math.log(2)
# log 2 in two parts, the first with so few digits that a whole number times it is exact.
LOG_2_HIGH = math.floor(math.log(2) * 2**32) / 2**32
LOG_2_LOW = 1.9082149292705877e-10  # log 2 - LOG_2_HIGH
SERIES = tuple(1 / math.factorial(k) for k in range(14))
LEAST, MOST = -1000.0, 1000.0  # below the one exp is 0, above the other infinite

_NORMAL = 1000  # powers of two that multiply without rounding, which is faster than ldexp
_POWERS = np.ldexp(1.0, np.arange(-_NORMAL, _NORMAL + 1))


def exp(x: Any) -> FloatArray:
    """Return exp(x) of numbers or infinities."""
    x = np.clip(np.asarray(x, dtype=np.float64), LEAST, MOST)
    power = np.rint(x * PER_LOG_2)
    rest = x - power * LOG_2_HIGH
    rest -= power * LOG_2_LOW
    result = np.full_like(rest, SERIES[-1])
    for factor in SERIES[-2::-1]:
        result *= rest
        result += factor
    if np.abs(power).max(initial=0) <= _NORMAL:
        return result * _POWERS[power.astype(np.intp) + _NORMAL]
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number stays none
        return np.ldexp(result, power.astype(np.int32))
