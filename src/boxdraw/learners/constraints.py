"""Constraints on the columns of the learners' matrix: masks of the search, and what rounding has to leave alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.constraints import ROUNDING, Constraints
from boxdraw.model.rows import default_names
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.training import Training

if TYPE_CHECKING:
    from boxdraw.learners.engine.climb import Masks
    from boxdraw.learners.engine.levels import Axis, LevelTable

MOST_RATIO = 1e9  # costs of a false alarm in balances beyond which nothing changes any more, but digits are lost
#: The parameters that constrain boxes, in the learners that have them.
PARAMETERS = ("monotonic_cst", "interaction_cst", "allowed_values", "min_box_rows", "min_box_precision")


class Span(NamedTuple):
    """What a box can limit: levels of a feature."""

    feature: int
    n_levels: int
    direction: int = 0
    at_cuts: bool = False  # lower limits only at odd levels, below the allowed values, and upper ones only above them
    missing: int = -1  # level of the missing values

    def ends(self, never: bool) -> npt.NDArray[np.uint8]:
        """Return at which levels an interval may start (1) and end (2); ``never``: only at the first and the last."""
        ends = np.zeros(self.n_levels, dtype=np.uint8)
        first, last, level = int(self.missing == 0), self.n_levels - 1 - (self.missing > 0), np.arange(self.n_levels)
        if not never:
            there = (level - first) % 2 == 1 if self.at_cuts else level >= 0
            ends[there] = 1 * (self.direction >= 0) + 2 * (self.direction <= 0)
            ends[first] |= 1  # no limits, but with or without missing values
            ends[last] |= 2
            ends[level == self.missing] = 3  # nothing but these
        ends[0] |= 1
        ends[-1] |= 2
        return ends


@dataclass(frozen=True, slots=True)
class ColumnConstraints:
    """Constraints of boxes on the learners' matrix."""

    asked: Constraints
    feature: IntArray  # per column of the matrix
    numbers: BoolArray  # columns of numbers, not of codes, and not of which values are missing
    cuts: dict[int, FloatArray]  # by column of numbers: below and just above each of the only values for limits

    @classmethod
    def of(cls, encoding: Encoding, estimator: Any, max_limits: int | None = None) -> ColumnConstraints:
        """Read the parameters of an estimator, given the features of its table."""
        names = encoding.names or default_names(len(encoding.categories))
        given = {name: getattr(estimator, name) for name in PARAMETERS} | {"max_limits": max_limits}
        asked = Constraints.of(names, [values is not None for values in encoding.categories], **given)
        layout = encoding.layout()
        feature = np.repeat(np.arange(len(layout)), [1 + missing for _, _, missing in layout])
        cuts = {layout[j][0]: _around(values) for j, values in asked.cuts.items() if values}
        return cls(asked, feature, ~encoding.steps, cuts)

    @property
    def fixed(self) -> BoolArray:
        """Columns whose limits are not rounded."""
        return ~self.numbers | np.isin(np.arange(len(self.numbers)), list(self.cuts))

    @property
    def two_sided(self) -> BoolArray:
        """Columns that may have an equality."""
        return np.asarray(np.array(self.asked.directions)[self.feature] == 0)

    def sides(self, column: int) -> tuple[bool, bool]:
        """Return whether a column may have lower limits, and upper ones."""
        j = int(self.feature[column])
        direction = self.asked.directions[j] if self.numbers[column] else 0
        return j not in self.asked.never and direction >= 0, j not in self.asked.never and direction <= 0

    def _span(self, column: int, n_levels: int, missing: int = -1, sign: int = 1) -> Span:
        j = int(self.feature[column])
        if not self.numbers[column]:
            return Span(j, n_levels)
        return Span(j, n_levels, sign * self.asked.directions[j], column in self.cuts, missing)

    def of_table(self, table: LevelTable, axes: Sequence[Axis], share: float | None) -> Masks | None:
        """Return the masks of axes, if any. A box must hold a share of the rows; None: nothing is asked of its rows."""
        of_rows = share is not None and self.asked.of_rows
        if not (self.asked.of_shape or of_rows):
            return None
        spans = []
        for axis in axes:
            column = table.columns[axis.of]
            missing = (0 if axis.missing_first else axis.n_levels - 1) if column.has_missing else -1
            spans.append(self._span(column.column, axis.n_levels, missing))
        masks = self._masks(spans, max(span.n_levels for span in spans))
        if share is None or not of_rows:
            return masks
        least = share * (table.ups.sum() + table.downs.sum()), self.asked.min_box_precision or 0.0
        mass = np.column_stack([np.stack([table.ups, table.downs]), np.array(least) * (1 - ROUNDING)])
        return masks._replace(mass=np.ascontiguousarray(mass))

    def of_columns(self, n_cuts: IntArray, top: int, sign: int) -> Masks:
        """Return the masks of columns of so many cuts; ``top`` is no upper limit, and ``sign`` that of the points."""
        masks = self._masks([self._span(j, n + 1, sign=sign) for j, n in enumerate(n_cuts.tolist())], top + 1)
        masks.ends[:, top] |= 2
        return masks

    def _masks(self, spans: Sequence[Span], n_levels: int) -> Masks:
        from boxdraw.learners.engine.climb import no_masks  # numba is not imported before it is needed

        if not self.asked.of_shape:
            return no_masks(len(spans), n_levels)
        asked, none = self.asked, no_masks(len(spans), n_levels)
        for ends, span in zip(none.ends, spans, strict=True):
            ends[:] = 0
            ends[: span.n_levels] = span.ends(span.feature in asked.never)
        return none._replace(together=self.together([span.feature for span in spans]))

    def together(self, features: Sequence[int]) -> IntArray:
        """Return which of some axes may be limited together, given the feature of each: see `engine.climb.Masks`."""
        asked, feature = self.asked, np.array(features)
        twins = [next((k for k in np.flatnonzero(feature == own) if k != j), j) for j, own in enumerate(feature)]
        sets = [(group, 0) for group in asked.groups] + [(apart, 1) for apart in asked.apart]
        if asked.max_features is not None:
            sets.append((frozenset(feature.tolist()), asked.max_features))
        rows = [[*twins, len(asked.groups)], *([*np.isin(feature, list(some)), cap] for some, cap in sets)]
        return np.array(rows, dtype=np.int64)

    def least_ratio(self, data: Training) -> float:
        """Return the least cost of a false alarm relative to the balance; no more than all positives are worth."""
        least = self.asked.least_cost()
        if not least:
            return 0.0
        with np.errstate(over="ignore"):
            most = data.positive_weight / data.weights[~data.positive].min()
            return float(min(min(least, most) / data.balance, MOST_RATIO))

    def least_share(self, data: Training) -> float:
        """Return which share of the weight of all rows a box must hold."""
        return (self.asked.min_box_rows or 0.0) / (data.positive_weight + data.negative_weight)

    def scaled(self, share: float) -> ColumnConstraints:
        """Return the constraints for a share of the rows."""
        return replace(self, asked=self.asked.scaled(share))

    def kept(self, boxes: BoxSet, held: FloatArray) -> list[int]:
        """Return the places of the boxes that keep all constraints, given the weight of all rows and of positives."""
        broken = {breach.box for breach in self.asked.breaches(boxes)}
        return [k for k, enough in enumerate(self.asked.holds(*held.T).tolist()) if enough and k + 1 not in broken]


def _around(values: Sequence[float]) -> FloatArray:
    """Return the cuts of which a lower limit can be at one of the values, and an upper limit, too."""
    below = np.array(values)
    return np.column_stack([below, np.nextafter(below, np.inf)]).ravel()
