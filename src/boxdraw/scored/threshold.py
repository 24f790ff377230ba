"""From how many points on to flag: where the expected cost is least if rows were a little off their place.

The best threshold for the very rows that the limits were placed by is too good to be true. Rows near a limit
fell on their side of it by chance, so each row counts as inside a box with a probability that is 1/2 on the edge.
"""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw.arrays import FloatArray
from boxdraw.compiled import entry
from boxdraw.scored.logistic import rounded, rounder_of

BLUR = 0.1  # in standard deviations of a feature


def chances(depth: FloatArray) -> FloatArray:
    """Return the probability that a row is inside a box, by how deep inside it is."""
    return 1 / (1 + np.exp(np.clip(-depth / BLUR, -700, 700)))


@entry
def expected_costs(chance, points, positive, weight, cost):
    """Return the expected cost of each threshold, from the lowest possible sum of points to one above the highest.

    The cost is the weight of the misses plus ``cost`` times that of the false alarms.
    """
    lowest = np.minimum(points, 0).sum()
    n_sums = np.maximum(points, 0).sum() - lowest + 1
    costs = np.zeros(n_sums + 1)
    rounder = rounder_of(weight.sum() * max(cost, 1.0))
    share, new = np.empty(n_sums), np.empty(n_sums)
    for i in range(len(chance)):
        share[:] = 0.0
        share[-lowest] = 1.0
        for k in range(len(points)):
            p = chance[i, k]
            for s in range(n_sums):
                before = s - points[k]
                new[s] = (1 - p) * share[s] + (p * share[before] if 0 <= before < n_sums else 0.0)
            share, new = new, share
        below = 0.0  # probability of fewer points than the threshold
        for t in range(n_sums + 1):
            loss = below if positive[i] else cost * (1 - below)
            costs[t] += rounded(max(loss, 0.0), weight[i], rounder)
            if t < n_sums:
                below += share[t]
    return costs
