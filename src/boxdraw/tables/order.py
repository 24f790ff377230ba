"""Categories on an axis: in the order of their share of positives, so that an interval is a set of categories.

For one cut of two sides that order is the best there is (Fisher 1958; Breiman et al. 1984, section 4.2); a box cuts on
both sides of its own place on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw._core.sums import total

if TYPE_CHECKING:
    from boxdraw.tables.training import Training


@dataclass(frozen=True, slots=True)
class Order:
    """The place of each code of each column of categories; infinite, which no limit admits, for codes never seen."""

    places: dict[int, FloatArray]

    def apply(self, X: Matrix) -> Matrix:
        """Replace codes by places."""
        if not self.places:
            return X
        result = np.array(X, dtype=np.float64)
        for j, place in self.places.items():
            known = np.isfinite(result[:, j])
            result[known, j] = place[result[known, j].astype(np.intp)]
        return result

    def undo(self, X: Matrix) -> Matrix:
        """Replace places of training rows by codes."""
        if not self.places:
            return X
        result = np.array(X, dtype=np.float64)
        for j, place in self.places.items():
            result[:, j] = np.argsort(place)[result[:, j].astype(np.intp)]
        return result

    def inside(self, j: int, lower: float, upper: float) -> tuple[list[int], bool]:
        """Return the codes between two limits, and whether the limits keep any out."""
        place = self.places[j]
        within = (lower <= place) & (place <= upper)
        return np.flatnonzero(within).tolist(), bool((np.isfinite(place) & ~within).any())


def fit_order(data: Training) -> Order:
    """Order the codes of each column of categories by their share of positives in the training rows."""
    return Order({j: _places(data, j, n) for j, n in enumerate(data.n_codes) if n})


def ordered(data: Training, order: Order) -> Training:
    """Return the training rows with places for codes."""
    return replace(data, X=order.apply(data.X)) if order.places else data


def _places(data: Training, j: int, n_codes: int) -> FloatArray:
    code = data.X[:, j].astype(np.intp)
    positive = np.array([total(data.weight, (code == k) & data.positive) for k in range(n_codes)])
    return places_by_share(
        positive, np.array([total(data.weight, (code == k) & ~data.positive) for k in range(n_codes)])
    )


def places_by_share(positive: FloatArray, negative: FloatArray) -> FloatArray:
    """Return the places of codes from the weights that the classes have in each of them."""
    weight = positive + negative
    seen = np.flatnonzero(weight > 0)
    share = positive[seen] / weight[seen]
    base = positive.sum() / weight.sum()
    # Of equal shares the one of more weight is the farther from the mean: what a little smoothing would do.
    tie = (base - share) / weight[seen]
    places = np.full(len(weight), np.inf)
    places[seen[np.lexsort((seen, tie, share))]] = np.arange(len(seen))
    return places
