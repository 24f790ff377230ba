"""The boxes that are shown: without those that hold no positive, and without limits that cost nothing to drop."""

from __future__ import annotations

import numpy as np

from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import Growth
from boxdraw.model.simplify import needed_limits
from boxdraw.tables.training import Training

MOST_PRICE = 1e100  # of a false alarm: more changes nothing, and times a weight it may be no number


def needed_edges(edges: Edges, rows: Training, c: float, expansion: float, growth: Growth, price: float) -> Edges:
    """Return the edges that are needed at cost c, where a false alarm costs ``price``; all, if none would be left.

    An edge that goes is open at every cost, so that critical weights, the path and the page are those of the boxes that
    are left. Boxes with an interval that has shrunk to nothing would hold rows by a missing value alone: they go.
    """
    lower, upper = edges.limits(c, expansion, growth)
    room = np.flatnonzero(((lower <= upper) & (lower < np.inf) & (upper > -np.inf)).all(axis=1))
    if not len(room):
        return edges
    X = edges.order.apply(rows.X)
    places, kept = needed_limits(lower[room], upper[room], X, rows.positive, rows.weight, min(price, MOST_PRICE))
    return edges.only(room[places], kept) if places else edges
