"""From how many points on to flag: where the expected cost is least if rows were a little off their place.

The best threshold for the very rows that the limits were placed by is too good to be true. Rows near a limit
fell on their side of it by chance, so each row counts as inside a box with a probability: how far it is inside the
blurred limits, 1/2 on the edge.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.compiled import entry
from boxdraw.learners.scored.logistic import copies, rounded, rounder_of


def expected_costs(
    chance: FloatArray, points: IntArray, positive: BoolArray, weight: FloatArray, cost: float
) -> FloatArray:
    """Return the expected misses + ``cost`` x false alarms at each threshold, from the lowest sum of points on."""
    costs = np.zeros(np.abs(points).sum() + 2)
    _add_costs(chance, points, positive, weight, cost, rounder_of(weight.sum() * max(cost, 1.0)), costs)
    return costs


@entry
def _add_costs(chance, points, positive, weight, cost, rounder, costs):
    n_sums = len(costs) - 1
    share = np.empty(n_sums)  # probability of each sum, from the lowest on
    for i in range(len(chance)):
        for s in range(n_sums):
            share[s] = 1.0 if s == 0 else 0.0
        highest = 0
        for k in range(len(points)):
            # A box of negative points takes them away inside: from the lowest sum on, it gives them outside.
            stay, up = 1 - chance[i, k], chance[i, k]
            if points[k] < 0:
                stay, up = up, stay
            rise = abs(points[k])
            highest += rise
            if up == 0.0:  # nothing would change
                continue
            for s in range(highest, rise - 1, -1):
                share[s] = stay * share[s] + up * share[s - rise]
            for s in range(rise):
                share[s] *= stay
        whole, part = copies(weight[i])
        below = 0.0  # probability of fewer points than the threshold
        for t in range(n_sums + 1):
            loss = below if positive[i] else cost * (1 - below)
            costs[t] += rounded(max(loss, 0.0), whole, part, rounder)
            if t < n_sums:
                below += share[t]
