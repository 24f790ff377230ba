"""A generalisation bound that holds for all unions of boxes on a grid at once.

The paper's guarantee with its count and its direction corrected; "A bound that holds for all drawings" in the
documentation derives it.

Examples
--------
>>> from boxdraw.theory import generalization_bound, log_class_size

Two features, limits at 0, 1, ..., 100, at most three boxes:

>>> round(log_class_size(3, [101, 101]), 2)
49.72
>>> round(generalization_bound(3, [101, 101], n_samples=20_000, delta=0.05), 4)
0.0363
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from itertools import accumulate

import numpy as np

__all__ = ["generalization_bound", "log_class_size"]

_MOST_BOXES = 100_000  # the sum over sizes is computed term by term


def generalization_bound(
    n_boxes: int,
    grid_sizes: Iterable[int],
    n_samples: int,
    delta: float,
    *,
    negative_weight: float = 1.0,
) -> float:
    """Bound the excess of the training gain over the expected gain, for all unions of boxes on a grid at once.

    The gain of a row is 1 for a positive inside a box, ``negative_weight`` for a negative outside all boxes and 0
    otherwise. With probability at least ``1 - delta`` over the training rows, every union of at most ``n_boxes`` boxes
    whose limits are on the grids has ::

        expected gain of a new row >= mean gain of the training rows - generalization_bound(...)

    Parameters
    ----------
    n_boxes : int
        The maximum number of boxes, from 1 to 100,000. If the number is chosen with the help of the rows, the largest
        that could have been chosen.
    grid_sizes : iterable of int
        For each feature, the number of values that a limit may have. "No limit" is always possible and does not count,
        so 0 means a feature without limits. Include all features that could have been used, not only those in boxes.
    n_samples : int
        The number of training rows, at least 1.
    delta : float
        The probability, between 0 and 1, that the statement fails.
    negative_weight : float, default=1.0
        The gain of a negative outside all boxes, at least 0.

    Returns
    -------
    float
        The bound. It is vacuous unless it is below ``max(1, negative_weight)``, the largest gain of a row.

    See Also
    --------
    log_class_size : The size of the class that it holds for.

    Notes
    -----
    The rows must be independent and from the distribution of the new rows, and grids, ``n_boxes`` and ``delta`` must be
    fixed before the rows are seen. How the boxes are found does not matter. With the number of positives (negatives) as
    ``n_samples``, it bounds the share of the positives inside (of the negatives outside).

    Examples
    --------
    >>> from boxdraw.theory import generalization_bound
    >>> round(generalization_bound(2, [101, 101], n_samples=10_000, delta=0.05), 4)
    0.0428

    Five boxes on eight features at the same precision are too many drawings for 150 rows to say anything:

    >>> round(generalization_bound(5, [101] * 8, n_samples=150, delta=0.05), 4)
    1.0671
    """
    n_samples = _integer(n_samples, "n_samples", at_least=1)
    if not 0 < delta < 1:
        raise ValueError(f"delta must be above 0 and below 1, a probability such as 0.05; got {delta!r}.")
    if not 0 <= negative_weight < math.inf:
        raise ValueError(f"negative_weight must be finite and at least 0; got {negative_weight!r}.")
    largest_gain = max(1.0, float(negative_weight))
    return largest_gain * math.sqrt((log_class_size(n_boxes, grid_sizes) - math.log(delta)) / (2 * n_samples))


def log_class_size(n_boxes: int, grid_sizes: Iterable[int]) -> float:
    """Natural logarithm of the number of sets of at most ``n_boxes`` boxes with limits on the grids.

    This is at least the number of distinct unions, including the empty one.

    Parameters
    ----------
    n_boxes : int
        The maximum number of boxes, from 1 to 100,000.
    grid_sizes : iterable of int
        For each feature, the number of values that a limit may have; "no limit" is always possible and does not count.

    Returns
    -------
    float
        The logarithm.

    See Also
    --------
    generalization_bound : The bound that uses it.

    Notes
    -----
    On a grid of m numbers there are m (m + 5) / 2 + 1 closed intervals: m (m + 1) / 2 with two limits, which may be the
    same number, 2 m with one and 1 with none. The product over the features is the number N of boxes, and there are
    C(N, 0) + ... + C(N, K) sets of at most K of them.

    Examples
    --------
    One feature with the numbers 1 and 2 for limits has 8 intervals, so there are 1 + 8 + 28 sets of at most two:

    >>> import math
    >>> from boxdraw.theory import log_class_size
    >>> round(math.exp(log_class_size(2, [2])))
    37

    >>> round(log_class_size(50, [10**6] * 30), 1)
    40258.3
    """
    n_boxes = _integer(n_boxes, "n_boxes", at_least=1)
    n_possible = math.prod(size * (size + 5) // 2 + 1 for size in _checked_sizes(grid_sizes))
    if min(n_boxes, n_possible) > _MOST_BOXES:
        raise ValueError(f"n_boxes must be at most {_MOST_BOXES:,}, more than anybody reads; got {n_boxes:,}.")
    # C(N, k + 1) = C(N, k) (N - k) / (k + 1). N may be beyond any float, but math.log takes integers of any size.
    steps = (math.log(n_possible - k) - math.log(k + 1) for k in range(min(n_boxes, n_possible)))
    return float(np.logaddexp.reduce(list(accumulate(steps, initial=0.0))))


def _checked_sizes(grid_sizes: Iterable[int]) -> list[int]:
    """Return the sizes of the grids, or raise."""
    if isinstance(grid_sizes, str) or not isinstance(grid_sizes, Iterable):
        raise TypeError(f"grid_sizes must have a number for each feature, such as [101, 101]; got {grid_sizes!r}.")
    sizes = [_integer(size, f"grid_sizes[{j}]", at_least=0) for j, size in enumerate(grid_sizes)]
    if not sizes:
        raise ValueError("grid_sizes must have a number for each feature, such as [101, 101]; got none.")
    return sizes


def _integer(value: int, name: str, *, at_least: int) -> int:
    """Return the value as an int, or raise."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer; got {value!r}.") from None
    if number < at_least:
        raise ValueError(f"{name} must be at least {at_least}; got {number}.")
    return number
