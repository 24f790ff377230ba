"""Limits that cost something, or of which a box may have only so many: how boxes on levels pay for them.

The lowest level of lower limits, and the highest of upper ones, then stand for no limit at all. A limit is counted as
`BoxSet.n_limits` does: an interval has two, an equality one, a set of categories one. But an equality among fractions,
such as the one row of a few that has just this number, is an interval. A feature with missing values has a second
column, 1 where they are: a limit on that, "is known" or "is missing", is one, but none beside others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.exact.objective import Objective, Points, PointWeights
from boxdraw.learners.exact.ranks import Box, Levels, Ranks, Scale, find_ranks, open_scale, ranks_at, tight_scale

NUMBERS, SINGLES, CATEGORIES, FLAG = range(4)  # kinds of columns: SINGLES are numbers of which an equality may pay
EACH, EQUAL, ANY = range(3)  # what counts in a group of sides: each end; each, but an equality once; any ends once
LOWER, UPPER, KNOWN, MISSING, KIND, SUM = range(6)  # columns of a group; the sum is that of the reaches of an equality


@dataclass(frozen=True, slots=True)
class Limits:
    """What limits cost, and what those on levels are in the columns of the matrix."""

    points: int
    most: int  # of a box
    columns: IntArray  # of the matrix, those that matter
    kinds: IntArray  # of each
    base: IntArray  # by how much the level of a value as a lower limit is above that as an upper one, of SINGLES
    values: Sequence[tuple[FloatArray, FloatArray]]  # per column, the lower and upper limit at each level

    @property
    def ends(self) -> IntArray:
        """What an interval with two ends counts, and one of a single value, per column."""
        of_kind = np.array([[2, 2], [2, 1], [1, 1], [1, 1]])
        return np.asarray(of_kind[self.kinds])

    def count(self, box: Box) -> int:
        """Count the limits of a box."""
        low, high = self.limited(box)
        ends = low.astype(np.intp) + high
        ends[(self.kinds >= CATEGORIES) & (ends > 1)] = 1
        ends[(self.kinds == SINGLES) & (ends == 2) & (box[0] - self.base == box[1])] = 1
        flags = np.flatnonzero(self.kinds == FLAG)
        beside = flags[np.isin(self.columns[flags] - 1, self.columns)] - 1  # the values of the same features
        count = int(ends.sum())
        for j in beside.tolist():
            both = int(ends[j] + ends[j + 1])
            count += (1 if low[j + 1] else max(int(ends[j]), int(ends[j + 1]))) - both
        return count

    def groups(self, n_low: Levels, place: IntArray) -> IntArray:
        """Return, for each feature, the places of its sides, what counts, and the sum of the reaches of an equality.

        ``place`` has those of lower sides, of upper sides and of a side that there is not. A side reaches as many steps
        out as it is levels from the innermost one.
        """
        d, groups = len(n_low), []
        for j, kind in enumerate(self.kinds.tolist()):
            flag = [-1, -1]
            if kind == FLAG and j > 0 and self.columns[j - 1] == self.columns[j] - 1:
                continue  # with its values
            if j + 1 < d and self.kinds[j + 1] == FLAG and self.columns[j + 1] == self.columns[j] + 1:
                flag = [d + j + 1, j + 1]
            counts = EQUAL if kind == SINGLES else ANY if kind >= CATEGORIES else EACH
            groups.append([*place[[j, d + j, *flag]], counts, n_low[j] - 1 - self.base[j]])
        return np.array(groups, dtype=np.int64)

    def limited(self, box: Box) -> tuple[BoolArray, BoolArray]:
        """Return which sides of a box are limited."""
        tops = np.array([len(upper) for _, upper in self.values]) - 1
        return np.asarray(box[0] > 0), np.asarray(box[1] < tops)

    def on_matrix(self, box: Box, n_columns: int) -> tuple[FloatArray, FloatArray]:
        """Return the values that a box has for limits on the matrix."""
        lower, upper = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
        lower[self.columns] = [low[level] for (low, _), level in zip(self.values, box[0], strict=True)]
        upper[self.columns] = [high[level] for (_, high), level in zip(self.values, box[1], strict=True)]
        return lower, upper

    def on_levels(self, lower: FloatArray, upper: FloatArray) -> Box:
        """Return the box of limits on the matrix, which are values of positives."""
        ends = list(zip(self.values, self.columns, strict=True))
        lo = [np.searchsorted(low, lower[j], "right") - 1 for (low, _), j in ends]
        hi = [np.searchsorted(high, upper[j], "left") for (_, high), j in ends]
        return np.array(lo, dtype=np.int32), np.array(hi, dtype=np.int32)


def kinds_of_columns(objective: Objective) -> IntArray:
    """Return the kinds of the columns of the matrix, as far as they do not depend on the values."""
    kinds = np.full(objective.X.shape[1], NUMBERS)
    if objective.counts_limits and not objective.margin:
        kinds[[objective.is_whole(j) for j in range(len(kinds))]] = SINGLES
    for column, n_codes, has_flag in objective.layout or []:
        if n_codes:
            kinds[column] = CATEGORIES
        elif has_flag:
            kinds[column + 1] = FLAG
    return kinds


def pays_alone(ranks: Ranks, points: Points, price: int) -> bool:
    """Return True if an equality may pay: it can hold the positives of one value, and those without any."""
    most = np.bincount(ranks.lowest[ranks.known], points[ranks.known], len(ranks.values)).max(initial=0)
    return bool(most + points[~ranks.known].sum() > price)


def scale_of(
    objective: Objective,
    weights: PointWeights,
    column: int,
    kind: int,
    positives: FloatArray,
    negatives: FloatArray,
    points: Points,
) -> tuple[int, Scale]:
    """Return the kind of a column, as its values and the constraints have it, and its levels, given its values."""
    constraints, sides = objective.constraints, (True, True)
    if constraints is None or not (column in constraints.cuts or constraints.asked.min_box_rows):
        ranks = find_ranks(positives, negatives, objective.margin)
        if kind == SINGLES and not pays_alone(ranks, points, weights.box_points + weights.limit_points):
            kind = NUMBERS
    else:  # a box that lacks rows may reach for negatives
        values = constraints.cuts[column][::2] if column in constraints.cuts else np.concatenate([positives, negatives])
        values = np.unique(values[~np.isnan(values)])
        ranks = ranks_at(values, positives, negatives, objective.margin)
    if constraints is not None:
        sides = constraints.sides(column)
        kind = NUMBERS if kind == SINGLES and not all(sides) else kind
    return kind, open_scale(ranks, kind != SINGLES, sides) if objective.counts_limits else tight_scale(ranks)
