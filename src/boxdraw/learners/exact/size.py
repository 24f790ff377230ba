"""How large a problem can be proven, or searched at all, in the time that there is.

Everything here follows from the table and the time limit, never from the clock, so that the same call does the same.
"""

from __future__ import annotations

import math

from boxdraw.learners.exact.problem import Problem

# Each per second of the time limit:
_CELLS = 400_000  # rows within reach x features that are read, which takes a quarter of the time
_WORDS = 10**9  # that branch and bound looks at before it branches
_NEGATIVES = 20_000  # of the linear program, which is built one by one
_FAST_CELLS = 700_000  # rows x features x boxes of two Fast Boxes fits, which take a quarter of the time
# At any time:
_MOST_BYTES = 4 * 2**30  # of the sets of branch and bound
_MOST_PAIRS = 20_000_000  # of a positive and a negative, each of which has a price in the linear program


def sample_step(cells: int, seconds: float) -> int:
    """Return n if the time is enough for every n-th of the negatives within reach, of so many cells; mostly 1."""
    return _step(cells, _CELLS * max(seconds, 1.0))


def fast_step(cells: int, seconds: float) -> int:
    """Return n if Fast Boxes has the time for every n-th row, with cells counted once per box; mostly 1."""
    return _step(cells, _FAST_CELLS * max(seconds, 3.0))


def _step(cells: int, most: float) -> int:
    return max(1, math.ceil(cells / most))


def provable(problem: Problem, seconds: float) -> bool:
    """Return True if all first bounds of branch and bound fit in the memory and the time."""
    n_positives, n_features = problem.positives.low.shape
    n_negatives, seconds = len(problem.negatives.points), max(seconds, 1.0)
    words = (n_positives + 127) // 64 + (n_negatives + 127) // 64
    levels = int(problem.n_low.max()) + int(problem.n_high.max())
    size = 8 * words * (n_features * levels + 4 * n_positives)
    if size > _MOST_BYTES or n_positives**2 * n_features * words > _WORDS * seconds:
        return False
    one_box = problem.max_boxes == 1
    return one_box or (n_positives * n_negatives <= _MOST_PAIRS and n_negatives <= _NEGATIVES * seconds)


def too_large(problem: Problem, n_reached: int, step: int, seconds: float) -> str:
    """Write what was not done, and what to do about it."""
    where = f" on one in {step} of these negatives" if step > 1 else ""
    n_positives = len(problem.positives.points)
    return (
        f"This problem is too large for a proof in {seconds:.3g} seconds: {n_positives} distinct positives with "
        f"{n_reached} negatives within their reach. The boxes come from a search without proof{where}, and the bound "
        "only counts rows. More time or fewer rows help, and FastBoxesClassifier takes a table of any size. Another "
        "way is strategy='per_cluster', which makes the problems smaller."
    )
