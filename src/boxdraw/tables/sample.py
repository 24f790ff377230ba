"""A sample of rows that depends on their values alone, neither on their order nor on the chunks they come in.

Each row is hashed, and those of the least hashes are kept. That is as good as drawing them at random, and a row among
the least of all is among the least of its own chunk, so the samples of chunks can be merged into that of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray, IntArray

Hashes = npt.NDArray[np.uint64]

_MOST_PARTS = 64
_TILE = 2**18  # row numbers that are hashed at once


def hash_rows(keys: FloatArray, weight: FloatArray | None) -> Hashes:
    """Return a hash of each row and its weight, which depends on nothing but the values; NaN is NaN.

    Without weights all are 1; that is mixed in too, so that weights of 1 give the same sample. In the keys, which must
    be in rows, -0.0 becomes 0.0 and any NaN the usual one: equal keys then have equal bits.
    """
    from boxdraw.tables.hashes import pair_hashes

    hashes = np.empty(len(keys), dtype=np.uint64)
    pair_hashes(keys, np.empty(0) if weight is None else weight, hashes)
    return hashes


@dataclass(frozen=True, slots=True)
class _HashedRows:
    """Distinct pairs of a row and its weight, by hash and then by their bits; ``count`` says how often each occurs."""

    hashes: Hashes
    keys: FloatArray
    weight: FloatArray | None
    count: FloatArray
    complete: bool

    @classmethod
    def of(cls, keys: FloatArray, weight: FloatArray | None) -> _HashedRows:
        """Hash rows, which may still repeat and are in no order."""
        keys = np.array(keys, dtype=np.float64, order="C")
        weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        return cls(hash_rows(keys, weight), keys, weight, np.ones(len(keys)), True)

    def least(self, limit: int) -> _HashedRows:
        """Put the rows in order, count equal ones together, and keep the first."""
        order = np.argsort(self.hashes, kind="stable")
        ties = self._ties(order)
        again = self._same(order, ties)
        if not again.all():  # different rows of the same hash
            order = np.lexsort([*self._columns()[::-1], self.hashes])
            ties = self._ties(order)
            again = self._same(order, ties)
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[ties[again] + 1] = False
        start = np.flatnonzero(is_new)
        first = order[start[:limit]]
        count = np.add.reduceat(self.count[order], start)[:limit] if len(start) else self.count
        weight = None if self.weight is None else self.weight[first]
        return _HashedRows(self.hashes[first], self.keys[first], weight, count, self.complete and len(start) <= limit)

    def up_to(self, last: np.uint64) -> _HashedRows:
        """Return the rows of hashes up to this one; these are in order."""
        n = int(self.hashes.searchsorted(last, side="right"))
        return self if n == len(self.hashes) else self.first(n)

    def first(self, n: int) -> _HashedRows:
        """Return the first rows, in memory of their own: those of all would stay for the sake of a few."""
        weight = None if self.weight is None else self.weight[:n].copy()
        complete = self.complete and n >= len(self.keys)
        return _HashedRows(self.hashes[:n].copy(), self.keys[:n].copy(), weight, self.count[:n].copy(), complete)

    def _ties(self, order: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the places of rows that have the same hash as the next one."""
        ordered = self.hashes[order]
        return np.flatnonzero(ordered[1:] == ordered[:-1])

    def _same(self, order: npt.NDArray[np.intp], ties: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows at these places that are the same as the next one."""
        one, next_one = order[ties], order[ties + 1]
        same = np.ones(len(ties), dtype=np.bool_)
        for column in self._columns():
            same &= column[one] == column[next_one]
        return same

    def _columns(self) -> list[Hashes]:
        """Return the bits of the keys and of the weight, a column each."""
        columns = list(self.keys.view(np.uint64).T)
        return columns if self.weight is None else [*columns, self.weight.view(np.uint64)]


def _joined(parts: tuple[_HashedRows, ...]) -> _HashedRows:
    weight = (
        None if parts[0].weight is None else np.concatenate([part.weight for part in parts if part.weight is not None])
    )
    return _HashedRows(
        np.concatenate([part.hashes for part in parts]),
        np.concatenate([part.keys for part in parts]),
        weight,
        np.concatenate([part.count for part in parts]),
        all(part.complete for part in parts),
    )


class Sample:
    """Distinct pairs of a row and its weight, at most ``limit``: those of the least hashes.

    Samples of chunks of rows can be merged, in any order and however the rows were cut, with the same result to the
    last bit: the rows are in the order of their hashes.

    Rows are given as keys, one number per feature: the number itself, NaN where it is missing, and for a category its
    `boxdraw.tables.encoding.category_key`. `boxdraw.tables.encoding` has both directions.
    """

    def __init__(self, parts: tuple[_HashedRows, ...], limit: int) -> None:
        self._parts, self.limit = parts, limit

    @classmethod
    def of(cls, keys: FloatArray, weight: FloatArray | None, limit: int) -> Sample:
        """Take the sample of some rows."""
        return cls((_HashedRows.of(keys, weight).least(limit),), limit)

    def merge(self, other: Sample) -> Sample:
        """Return the sample of the rows of both."""
        parts = self._parts + other._parts
        full = [part.hashes[-1] for part in parts if len(part.hashes) == self.limit]
        if full:  # what is beyond the last row of any of them is beyond the sample of all
            parts = tuple(part.up_to(min(full)) for part in parts)
        result = Sample(parts, self.limit)
        # Parts are gathered until they are as many rows as a sample holds: merging one by one would take far longer.
        if len(parts) > _MOST_PARTS or sum(len(part.keys) for part in parts[1:]) > self.limit:
            result._one()
        return result

    def first(self, limit: int) -> Sample:
        """Return the sample that a lower limit would have given."""
        return Sample((self._one().first(limit),), limit)

    def _one(self) -> _HashedRows:
        """Make one of all parts, once."""
        parts = self._parts
        if len(parts) > 1:
            self._parts = parts = (_joined(parts).least(self.limit),)
        return parts[0]

    def __len__(self) -> int:
        return len(self._one().keys)

    @property
    def keys(self) -> FloatArray:
        """The rows."""
        return self._one().keys

    @property
    def weight(self) -> FloatArray | None:
        """Their weights, where they have any."""
        return self._one().weight

    @property
    def count(self) -> FloatArray:
        """How often each pair occurs in the table."""
        return self._one().count

    @property
    def complete(self) -> bool:
        """Whether these are all that there are."""
        return self._one().complete


def sampled_numbers(n_rows: int, limit: int, seed: int) -> IntArray:
    """Draw the numbers of ``limit`` of so many rows, in their order: unlike values, numbers tell equal rows apart."""
    tiles = (np.arange(first, min(first + _TILE, n_rows), dtype=np.float64) for first in range(0, n_rows, _TILE))
    keys = (np.column_stack([np.full(len(tile), float(seed % 2**32)), tile]) for tile in tiles)
    sample = reduce(Sample.merge, (Sample.of(each, None, limit) for each in keys))
    return np.sort(sample.keys[:, 1]).astype(np.intp)
