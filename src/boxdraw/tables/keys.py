"""Between the rows of a pass, in which categories have their places, and keys, which need to know of no other row."""

from __future__ import annotations

from dataclasses import dataclass

from boxdraw._core.arrays import FloatArray, Matrix
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.order import Order


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of rows (`boxdraw.tables.sample`) and the rows of keys."""

    encoding: Encoding
    order: Order

    def of(self, X: Matrix) -> FloatArray:
        """Return the keys of rows."""
        return self.encoding.keys(self.order.undo(X))

    def rows(self, keys: FloatArray) -> Matrix:
        """Return the rows of keys."""
        return self.order.apply(self.encoding.from_keys(keys))
