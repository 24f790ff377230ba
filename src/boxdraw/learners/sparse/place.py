"""Place: move every limit of a drawing to its best place on all rows, and choose every set of categories anew."""

from __future__ import annotations

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix

WINDOW = 4  # cuts to either side within which a limit may move

Masks = dict[int, BoolArray]  # by column: which rows are within the limits of a box


class Placing:
    """Boxes on the learners' matrix whose limits are moved one by one."""

    def __init__(self, X: Matrix, weight: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        used = np.flatnonzero(((lower > -np.inf) | (upper < np.inf)).any(axis=0)).tolist()
        self._columns = {j: np.ascontiguousarray(X[:, j], dtype=np.float64) for j in used}
        self._weight, self.lower, self.upper = weight, lower, upper
        self._masks: list[Masks] = [
            {j: self._within(k, j) for j in used if lower[k, j] > -np.inf or upper[k, j] < np.inf}
            for k in range(len(lower))
        ]

    def _within(self, k: int, j: int) -> BoolArray:
        column = self._columns[j]
        return np.asarray(~((column < self.lower[k, j]) | (column > self.upper[k, j])))  # missing values are within

    def _rest(self, k: int, j: int) -> BoolArray:
        """Return a mask of the rows that the other limits of a box hold and no other box does."""
        rest = self._inside({column: mask for column, mask in self._masks[k].items() if column != j})
        for other, masks in enumerate(self._masks):
            if other != k:
                rest &= ~self._inside(masks)
        return rest

    def move_limits(self, cuts: dict[int, FloatArray], softness: float = 0.0) -> None:
        """Move each limit on numbers to its best place.

        With a ``softness`` above 0, in weights, it goes to the mean place of all borders, weighted by the exponential
        of their gain over the softness: steadier than the best border.
        """
        for k, masks in enumerate(self._masks):
            for j in [j for j in cuts if j in masks]:  # in the order of the levels, whatever that of the columns
                rows = np.flatnonzero(self._rest(k, j))
                values, weight = self._columns[j][rows], self._weight[rows]
                low, high = self.lower[k, j], self.upper[k, j]
                if np.isfinite(low):
                    low = _moved(values, weight, low, high, cuts[j], softness)
                if np.isfinite(high):  # a lower limit of the mirror image
                    high = -_moved(-values, weight, -high, -low, -cuts[j][::-1], softness)
                self.lower[k, j], self.upper[k, j] = low, high
                masks[j] = self._within(k, j)

    def choose_sets(
        self, places: dict[int, FloatArray], codes: Matrix, price: float
    ) -> dict[tuple[int, int], IntArray]:
        """Return the codes in each set, by box and column, where taking some in or leaving some out pays the price.

        The order of the categories is the same for all boxes; which of them belong in a box depends on its other
        limits.
        """
        chosen = {}
        for k, masks in enumerate(self._masks):
            for j in [j for j in places if j in masks]:
                rest = self._rest(k, j)
                code = np.asarray(codes[:, j])[rest].astype(np.intp)
                gain = np.bincount(code, weights=self._weight[rest], minlength=len(places[j]))
                inside = (self.lower[k, j] <= places[j]) & (places[j] <= self.upper[k, j])
                moved = np.where(inside, gain > -price, gain > price)
                if moved.any() and (moved != inside).any():
                    chosen[k, j] = np.flatnonzero(moved)
                    masks[j] = moved[np.asarray(codes[:, j]).astype(np.intp)]
        return chosen

    def leave_out_missing(self, columns: list[int], X: Matrix) -> None:
        """Let limited numbers be missing only where rows of the box are; the column after them says which are."""
        for k, masks in enumerate(self._masks):
            inside = self._inside(masks)
            for j in [j for j in columns if j in masks and j + 1 not in masks]:
                if not np.any(X[inside, j + 1]):
                    self.upper[k, j + 1] = 0.0

    def kept_out(self, columns: BoolArray) -> BoolArray:
        """Return which rows the limits and sets on some columns exclude: (rows, boxes)."""
        inside = [self._inside({j: mask for j, mask in masks.items() if columns[j]}) for masks in self._masks]
        return ~np.column_stack(inside)

    def inside(self) -> BoolArray:
        """Return which rows each box holds: (rows, boxes)."""
        return np.column_stack([self._inside(masks) for masks in self._masks])

    def _inside(self, masks: Masks) -> BoolArray:
        """Return a mask of the rows in a box."""
        inside = np.ones(len(self._weight), dtype=np.bool_)
        for mask in masks.values():
            inside &= mask
        return inside


def _moved(
    values: FloatArray, weight: FloatArray, limit: float, other: float, cuts: FloatArray, softness: float
) -> float:
    """Return the best place of a lower limit, given the rows that only it can keep out and the limit above it."""
    at = int(np.searchsorted(cuts, limit, side="right")) - 1  # an upper limit is just beyond its cut
    low = cuts[at - WINDOW] if at >= WINDOW and not softness else -np.inf
    high = min(cuts[at + WINDOW] if at + WINDOW < len(cuts) and not softness else np.inf, other)
    rows = np.flatnonzero((values >= low) & (values <= high))
    order = rows[np.argsort(values[rows], kind="stable")]
    value = values[order]
    border = np.flatnonzero(value[1:] > value[:-1])
    if not len(border):
        return limit
    gain = -np.cumsum(weight[order])[border]  # of leaving out what is below the border
    middle = value[border] / 2 + value[border + 1] / 2
    middle = np.where(middle > value[border], middle, value[border + 1])
    if not softness:
        return float(middle[gain.argmax()])
    share = np.exp((gain - gain.max()) / softness)
    place = (share * np.arange(len(border))).sum() / share.sum()
    return float(np.interp(place, np.arange(len(border)), middle))
