"""Rows of a large table to try settings on: trying a grid on all of them would take hours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.tables.chunks import Chunk, Table
from boxdraw.tables.keys import Keys
from boxdraw.tables.sample import Sample
from boxdraw.tables.training import Training

_TILE = 2**14  # rows that are hashed at once
_FEWEST = 100  # rows, however many columns there are


@dataclass(frozen=True, slots=True)
class ClassSamples:
    """A sample of each class; of chunks, to be merged."""

    positive: Sample
    negative: Sample

    def merge(self, other: ClassSamples) -> ClassSamples:
        """Return the samples of the rows of both."""
        return ClassSamples(self.positive.merge(other.positive), self.negative.merge(other.negative))


@dataclass(frozen=True, slots=True)
class SampleClasses:
    """The work on a chunk."""

    keys: Keys
    limit: int

    def __call__(self, chunk: Chunk) -> ClassSamples:
        """Sample the classes of a chunk."""
        return ClassSamples(self._sample(chunk, chunk.positive), self._sample(chunk, ~chunk.positive))

    def _sample(self, chunk: Chunk, where: BoolArray) -> Sample:
        members = np.flatnonzero(where)
        result = self._part(chunk, members[:_TILE])
        for start in range(_TILE, len(members), _TILE):
            result = result.merge(self._part(chunk, members[start : start + _TILE]))
        return result

    def _part(self, chunk: Chunk, rows: IntArray) -> Sample:
        weight = None if chunk.weight is None else chunk.weight[rows]
        return Sample.of(self.keys.of(chunk.X[rows]), weight, self.limit)


def trial_rows(table: Table, keys: Keys, n_cells: int, positive_weight: float, negative_weight: float) -> Training:
    """Return rows of a table, in one pass, that have about ``n_cells`` cells: at most half of them positives.

    ``keys`` are those of the table's chunks. Which rows they are depends on their values alone. Their weights are such
    that each class has its full weight, which is given. As in training rows from memory, categories are codes.
    """
    limit = max(_FEWEST, n_cells // max(1, len(keys.encoding.n_codes)))
    both = table.reduce(SampleClasses(keys, limit), "sample")
    # Another rule than in learners/sample.py, which ranks rows in memory; this one has to do with one pass.
    positive, positive_weights, ups = _rows_of(both.positive, limit // 2, positive_weight)
    negative, negative_weights, downs = _rows_of(both.negative, limit - len(positive), negative_weight)
    return Training(
        X=keys.encoding.from_keys(np.concatenate([positive, negative])),
        positive=np.arange(len(positive) + len(negative)) < len(positive),
        weight=np.concatenate([positive_weights, negative_weights]),
        n_codes=keys.encoding.n_codes,
        stand_for=(ups, downs),
    )


def _rows_of(sample: Sample, limit: int, full_weight: float) -> tuple[FloatArray, FloatArray, float]:
    """Return the keys and weights of at most ``limit`` rows of one class, and how many each stands for."""
    sample = sample.first(limit)
    times = count = sample.count.astype(np.intp)
    if count.sum() > limit:  # equal rows, as far as there is room: folds need several
        times = np.minimum(count, limit // len(count))
    own = np.repeat(np.ones(len(times)) if sample.weight is None else sample.weight, times)
    weight = own * np.repeat(count / times, times)
    each = full_weight / math.fsum(own)
    return np.repeat(sample.keys, times, axis=0), weight * (full_weight / math.fsum(weight)), each
