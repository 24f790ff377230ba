"""Rows of a pass as keys, which depend on no other row, and back: in rows, categories are places in an order."""

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
