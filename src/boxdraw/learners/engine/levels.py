"""Levels: a table as whole numbers, about 255 per feature at most, in an order of its own.

Rows that are equal on levels are one row with their weights added up. Rows and columns are put in an order that follows
from what is in them, so the search comes to the same drawing whatever order they were given in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.sums import on_grid
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.training import Training

MOST_LEVELS = 255
NUMBERS = 32  # levels of numbers that are not whole
FEW_CATEGORIES = 16  # so many are looked at one by one, whatever chance there is in their shares
_PRIOR = 5.0  # rows of the mean share that each category is given before its own are counted
_CHANCE = 0.05  # that any of many categories without meaning gets a level of its own

Codes = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Column:
    """A feature on levels: cuts between numbers, or one level per category."""

    column: int  # in the learners' matrix
    cuts: FloatArray  # of numbers
    n_codes: int  # of categories; 0 for numbers
    has_missing: bool  # of numbers: there is a code more for them
    whole: bool  # numbers that are all whole, or whose limits are: an interval of one level is one number

    @property
    def n_levels(self) -> int:
        """How many codes there are, that of missing numbers included."""
        return self.n_codes or len(self.cuts) + 1 + self.has_missing


@dataclass(frozen=True, slots=True)
class LevelTable:
    """Distinct rows on levels, in an order of their own, with the weight of each class."""

    columns: list[Column]  # in an order of their own too
    codes: Codes  # (columns, rows)
    ups: FloatArray  # weight of the positives
    downs: FloatArray  # and of the negatives
    keys: Hashes  # per row
    of: IntArray  # which row each of the training rows is
    stand_for: tuple[float, float] = (1.0, 1.0)  # rows per positive and per negative, where they are a sample

    def take(self, rows: IntArray, ups: FloatArray | None = None, downs: FloatArray | None = None) -> LevelTable:
        """Return some of the rows, with other weights if they are given."""
        ups, downs = (self.ups, self.downs) if ups is None or downs is None else (ups, downs)
        some = self.codes[:, rows], ups[rows], downs[rows], self.keys[rows], self.of[:0]
        return LevelTable(self.columns, *some, self.stand_for)

    def of_rows(self, data: Training, rows: IntArray) -> tuple[LevelTable, IntArray]:
        """Return some of the training rows, and which of the rows they are."""
        weight, n_rows = on_grid(data.weights)[rows], len(self.ups)
        ups, downs = (add_by(self.of[rows], weight * side[rows], n_rows) for side in (data.positive, ~data.positive))
        there = np.flatnonzero(ups + downs > 0)
        return self.take(there, ups, downs), there

    def folds(self, n_folds: int, seed: int) -> IntArray:
        """Deal the rows to folds, those with positives and the others apart."""
        order = np.argsort(_mixed(self.keys + np.uint64(seed)))
        number = np.empty(len(order), dtype=np.intp)
        for some in (order[self.ups[order] > 0], order[self.ups[order] == 0]):
            number[some] = np.arange(len(some)) % n_folds
        return number

    def parts(self, n_parts: int) -> list[LevelTable]:
        """Return the rows without each of so many parts, as far as both classes are left."""
        number = self.folds(n_parts, 0)
        rest = [self.take(np.flatnonzero(number != part)) for part in range(n_parts)]
        return [table for table in rest if table.ups.any() and table.downs.any()]


def put_on_levels(
    data: Training, encoding: Encoding, numbers: int = NUMBERS, given: Mapping[int, FloatArray] | None = None
) -> LevelTable:
    """Put training rows on levels, at most so many of numbers that are not whole; some cuts may be given."""
    given = given or {}
    weight = on_grid(data.weights)
    columns, codes = [], []
    for column, n_codes, has_missing in encoding.layout():
        values = np.asarray(data.X[:, column], dtype=np.float64)
        if n_codes:
            columns.append(Column(column, np.empty(0), n_codes, False, False))
            codes.append(values.astype(np.int32))
            continue
        known = values[~np.isnan(values)]
        cuts = given[column] if column in given else _cuts(values, data.positive, weight, numbers)
        code = np.searchsorted(cuts, values, side="right").astype(np.int32)
        code[np.isnan(values)] = len(cuts) + 1
        columns.append(Column(column, cuts, 0, has_missing, column in given or _are_whole(known)))
        codes.append(code)
    return replace(_merged(columns, np.array(codes), data.positive, weight), stand_for=data.stand_for)


def _cuts(values: FloatArray, positive: BoolArray, weight: FloatArray, numbers: int) -> FloatArray:
    """Return where to cut between distinct values, or between quantiles in which both classes weigh the same."""
    distinct, place = np.unique(values[~np.isnan(values)], return_inverse=True)
    ends = np.arange(len(distinct) - 1)
    most = MOST_LEVELS if _are_whole(distinct) else numbers
    if len(distinct) > most:
        known = ~np.isnan(values)
        mass = np.zeros(len(distinct))
        for side in (positive, ~positive):
            part = add_by(place, (weight * side)[known], len(distinct))
            mass += part / max(part.sum(), 1e-300)
        below = np.cumsum(mass)[:-1] / mass.sum()
        wanted = np.arange(1, most) / most
        ends = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
        spikes = np.flatnonzero(mass[1:] > mass.sum() / most)  # each gets a level of its own
        ends = np.union1d(ends, spikes)
    middle = distinct[ends] / 2 + distinct[ends + 1] / 2
    return np.where(middle > distinct[ends], middle, distinct[ends + 1])


def _are_whole(values: FloatArray) -> bool:
    """Return True for whole numbers; beyond 2**53 every float is one, which says nothing."""
    return bool(((values == np.rint(values)) & (np.abs(values) <= 2.0**53)).all())


def _merged(columns: list[Column], codes: Codes, positive: BoolArray, weight: FloatArray) -> LevelTable:
    """Merge equal rows, and bring rows and columns into an order of their own."""
    # Mixed twice because codes are mixed once: else code 1 in column 2 would hash as code 2 in column 1.
    places = _mixed(_mixed(np.arange(1, len(codes) + 1, dtype=np.uint64)))
    _, first, row = np.unique(_row_keys(codes, places), return_index=True, return_inverse=True)
    ups, downs = (add_by(row.reshape(-1), weight * side, len(first)) for side in (positive, ~positive))
    codes = codes[:, first]
    columns_keys = _columns_keys(codes, ups, downs)
    order, keys = np.argsort(columns_keys, kind="stable"), _row_keys(codes, columns_keys)
    rows = np.argsort(keys)
    place = np.empty_like(rows)
    place[rows] = np.arange(len(rows))
    codes = np.ascontiguousarray(codes[np.ix_(order, rows)])
    return LevelTable([columns[j] for j in order], codes, ups[rows], downs[rows], keys[rows], place[row.reshape(-1)])


def add_by(code: IntArray | Codes, weight: FloatArray, n_codes: int) -> FloatArray:
    """Add up weights by code."""
    return np.asarray(np.bincount(code, weights=weight, minlength=n_codes), dtype=np.float64)


def _mixed(bits: Hashes) -> Hashes:
    """Mix bits (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _row_keys(codes: Codes, keys: Hashes) -> Hashes:
    """Hash each row, with a key per column whose order does not matter."""
    result = np.zeros(codes.shape[1], dtype=np.uint64)
    for code, key in zip(codes, keys, strict=True):
        result += _mixed(_mixed(code.astype(np.uint64) + np.uint64(1)) ^ key)
    return result


def _columns_keys(codes: Codes, ups: FloatArray, downs: FloatArray) -> Hashes:
    """Hash each column by the rows that its values are in; only equal columns have the same key."""
    sums = (b"".join(add_by(code, mass, 0).tobytes() for mass in (ups, downs)) for code in codes)
    digests = (hashlib.blake2b(some, digest_size=8).digest() for some in sums)
    keys = np.array([int.from_bytes(digest, "big") for digest in digests], dtype=np.uint64)
    classes = _mixed(ups.view(np.uint64)) ^ _mixed(~downs.view(np.uint64))
    n_before = 0
    while True:
        rows_keys = _row_keys(codes, keys) ^ classes
        keys += _mixed(_mixed(codes.astype(np.uint64)) ^ rows_keys).sum(axis=1, dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        alike = [j for i, j in pairwise(order) if keys[i] == keys[j] and (codes[i] != codes[j]).any()]
        if not alike:
            return keys
        n_keys = len(np.unique(keys))
        if n_keys == n_before:  # they mirror each other: whichever of two is the first, it tells the others apart
            keys[alike[0]] += np.uint64(1)
        n_before = n_keys


@dataclass(frozen=True)
class Axis:
    """What a box can limit: a column with missing numbers below or above the others, or sets of categories."""

    of: int  # number of the column
    level: npt.NDArray[np.uint16]  # of each code
    n_levels: int
    ends: tuple[int, int]  # what an interval with two ends counts, and one of a single level
    missing_first: bool = False

    @cached_property
    def places(self) -> FloatArray:
        """Place of each category; infinite for those that were not there."""
        return np.where(self.level == UNSEEN, np.inf, self.level.astype(np.float64))


UNSEEN = np.iinfo(np.uint16).max


def make_axes(table: LevelTable) -> list[Axis]:
    """Return what boxes can limit, with the categories in the order of their shares in these rows."""
    axes = []
    for j, column in enumerate(table.columns):
        if column.n_codes:
            level = category_levels(table.codes[j], column.n_codes, table.ups, table.downs, table.stand_for)
            n_levels = int(level[level != UNSEEN].max()) + 1
            axes.append(Axis(j, level, n_levels, (1, 1)))
            continue
        ends = (2, 1 if column.whole else 2)
        level, n_levels = np.arange(column.n_levels, dtype=np.uint16), column.n_levels
        axes.append(Axis(j, level, n_levels, ends))
        if column.has_missing:
            axes.append(Axis(j, ((level + 1) % n_levels).astype(np.uint16), n_levels, ends, missing_first=True))
    return axes


def category_levels(
    code: Codes, n_codes: int, ups: FloatArray, downs: FloatArray, each: tuple[float, float] = (1.0, 1.0)
) -> npt.NDArray[np.uint16]:
    """Return the level of each category by its share of positives; of many, those that chance explains share one."""
    # A row of a sample tells no more for standing for others; a weight that the user gave is so many rows.
    up, down = add_by(code, ups, n_codes) / each[0], add_by(code, downs, n_codes) / each[1]
    count = up + down
    seen = np.flatnonzero(count > 0)
    group = np.arange(n_codes)
    if len(seen) > FEW_CATEGORIES:
        chance = _chances(up[seen], count[seen])
        own = np.argsort(chance, kind="stable")[: MOST_LEVELS - 1]
        rest = np.ones(len(seen), dtype=np.bool_)
        rest[own[chance[own] < _CHANCE / len(seen)]] = False
        group[seen[rest]] = seen[rest][0] if rest.any() else 0
    up, count = (add_by(group, mass, n_codes) for mass in (up, count))
    rate = up.sum() / count.sum()
    share = (up + _PRIOR * rate) / (count + _PRIOR)
    groups = np.unique(group[seen])
    rank = np.full(n_codes, UNSEEN, dtype=np.uint16)
    rank[groups[np.lexsort((groups, count[groups], share[groups]))]] = np.arange(len(groups))
    level = np.full(n_codes, UNSEEN, dtype=np.uint16)
    level[seen] = rank[group[seen]]
    return level


def _chances(up: FloatArray, count: FloatArray) -> FloatArray:
    """Return how likely chance alone takes the share of each category so far from the mean, on either side."""
    rate = up.sum() / count.sum()
    more = np.where(up > 0, betainc(np.maximum(up, 1e-300), count - up + 1, rate), 1.0)
    fewer = np.where(up < count, 1 - betainc(up + 1, np.maximum(count - up, 1e-300), rate), 1.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(more, fewer)))
