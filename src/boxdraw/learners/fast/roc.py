"""The training ROC of a table that is read in chunks: rows counted by critical weight, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.path import TrainingRoc, critical_weights
from boxdraw.tables.chunks import Chunk
from boxdraw.tables.order import Order

_Int64Array = npt.NDArray[np.int64]

_DROPPED = 44  # of a float64's 52 binary digits; the exponent comes first, so keys are in the order of the numbers
_HALF_BITS = 26
_POWER_BITS = 12
_LEAST_POWER = -1100


@dataclass(frozen=True, slots=True)
class RocCounts:
    """Weights of the classes by critical weight, rounded down to 8 binary digits, to be merged in any order."""

    # ``key`` is sorted: first the critical weight, then the power of two in the rows' weights. ``mass``, of shape
    # (2, 2, n_keys), has the sums of the other digits, of positives and of negatives, high and low ones apart. So the
    # rates are exact at costs of 8 binary digits, and elsewhere those of a cost less than 0.4% above.

    key: _Int64Array
    mass: _Int64Array

    @classmethod
    def of(cls, critical: FloatArray, positive: BoolArray, weight: FloatArray | None) -> RocCounts:
        """Count rows."""
        digits, power = np.frexp(np.ones(1) if weight is None else weight)
        whole = (digits * 2.0**53).astype(np.int64)
        key = (critical.view(np.int64) >> _DROPPED << _POWER_BITS) + (power - _LEAST_POWER)
        halves = np.stack([whole >> _HALF_BITS, whole & (2**_HALF_BITS - 1)])
        return cls(*_added_up(key, np.stack([halves * positive, halves * ~positive])))

    def merge(self, other: RocCounts) -> RocCounts:
        """Return the counts of the rows of both."""
        key, mass = np.concatenate([self.key, other.key]), np.concatenate([self.mass, other.mass], axis=2)
        return RocCounts(*_added_up(key, mass))

    def to_roc(self) -> TrainingRoc:
        """Return the ROC, each sum rounded once."""
        critical = (self.key >> _POWER_BITS << _DROPPED).view(np.float64)[::-1]
        last = np.append(critical[1:] != critical[:-1], True)  # of the keys of a critical weight
        true, false = (self._running_totals(halves) for halves in self.mass)
        return TrainingRoc(critical[last], true[last], false[last])

    def _running_totals(self, halves: _Int64Array) -> FloatArray:
        """Add up weights from the highest key down."""
        power = (self.key & (2**_POWER_BITS - 1)).tolist()
        least = min(power)
        unit = 2 ** (53 - _LEAST_POWER - least)  # of the whole numbers below, per 1
        totals, sum_so_far = [], 0
        for high, low, shift in zip(*halves[:, ::-1].tolist(), power[::-1], strict=True):
            sum_so_far += (high << _HALF_BITS) + low << shift - least
            totals.append(sum_so_far / unit)
        return np.array(totals)


@dataclass(frozen=True, slots=True)
class CountWeights:
    """The part of a chunk, its categories in order already, in the training ROC of some edges."""

    edges: Edges
    expansion: float
    growth: Growth

    def __call__(self, chunk: Chunk) -> RocCounts:
        """Count the rows of a chunk."""
        edges = replace(self.edges, order=Order({}))
        critical = critical_weights(edges, chunk.X, [self.expansion], self.growth, None)[0]
        return RocCounts.of(critical, chunk.positive, chunk.weight)


def _added_up(key: _Int64Array, mass: _Int64Array) -> tuple[_Int64Array, _Int64Array]:
    """Return the sorted distinct keys and the sums of their masses."""
    order = np.argsort(key, kind="stable")
    key = key[order]
    start = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    return key[start], np.add.reduceat(mass[..., order], start, axis=-1) if len(key) else mass
