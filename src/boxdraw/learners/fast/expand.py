"""Stage 4, expand: from the sums to the limits, for any cost c, any expansion and any growth rule.

An edge's loss, with the paper's slips E1, E2 and E6 corrected, has its minimum (Prop. 1 and 2, in mirrored
coordinates y, where every edge is a lower edge with tight limit s) at

    y_r = s - 1 + log(2 c R- / (expansion + sqrt(expansion**2 + 4 c R+ R-)))

which rises with c. So it can be read the other way round: a value y is inside the limit exactly when

    c <= t (R+ t + expansion) / R-,   t = exp(y - s + 1).

This second form, the critical weight of y, is the definition here; limits are found from it. As computed, it never
falls as y rises (`scale.GRID` says why), so "inside the box drawn for c" and "critical weight >= c" agree in every
case, rows on the limit included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.fast.divide import EdgeSums
from boxdraw.learners.fast.exponential import exp
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.stops import LOWER, UPPER, Stops, just_above
from boxdraw.learners.scaling import GRID, Scaling
from boxdraw.tables.order import Order


@dataclass(frozen=True, slots=True)
class Edges:
    """What the data say about every edge; arrays of shape (2, n_boxes, n_features), lower edges then upper ones."""

    scaling: Scaling
    tight: FloatArray  # scaled and mirrored
    sums: EdgeSums
    stops: Stops | None
    order: Order

    def only(self, boxes: IntArray, kept: BoolArray) -> Edges:
        """Return some of the boxes; edges that are not kept are open at any cost."""
        negative = np.where(kept, self.sums.negative[:, boxes], 0.0)
        sums = EdgeSums(self.sums.positive[:, boxes], negative)
        return replace(self, tight=self.tight[:, boxes], sums=sums)

    def targets(self, c: float, expansion: float, growth: Growth) -> FloatArray:
        """Return the least scaled, mirrored value inside each edge at cost c."""
        low, high = self.scaled_range()
        start = minimiser(self.tight, self.sums, c, expansion)
        ticks = np.clip(np.ceil(start / GRID), low / GRID, high / GRID + 1)

        def inside(ticks: FloatArray) -> BoolArray:
            t = exp(ticks * GRID - self.tight + 1)
            return critical_weight(t, self.sums.positive, self.sums.negative, expansion) >= c

        # The closed form is a step or two off at most; settle on the very value where the score turns.
        while True:
            here, below = inside(np.stack([ticks, ticks - 1]))
            rising, falling = ~here & (ticks * GRID <= high), below & (ticks * GRID > low)
            if not (rising | falling).any():
                break
            ticks += rising
            ticks -= falling
        target = ticks * GRID
        return target if growth.may_shrink else np.minimum(target, self.tight)

    def ceiling(self, expansion: float, growth: Growth) -> float:
        """Return a number above any finite critical weight."""
        highest = self.scaled_range()[1] if growth.may_shrink else self.tight
        t = exp(highest - self.tight + 1)
        weight = critical_weight(t, self.sums.positive, self.sums.negative, expansion)
        return min(math.e * float(weight.max(initial=1, where=np.isfinite(weight))), float(np.finfo(np.float64).max))

    def limits(self, c: float, expansion: float, growth: Growth) -> tuple[FloatArray, FloatArray]:
        """Return the raw lower and upper limits of every box at cost c; a box without room has lower > upper."""
        target = self.targets(c, expansion, growth)
        if growth.stops_at_negatives:
            assert self.stops is not None
            return self.stops.limits(target[LOWER], -target[UPPER], lambda: self._raw_limits(target))
        return self._raw_limits(target)

    def cuts(self, c: float, expansion: float, growth: Growth) -> FloatArray:
        """Return the raw limits at cost c before any negative stops the edges, upper ones moved up by one number."""
        lower, upper = self._raw_limits(self.targets(c, expansion, growth))
        return np.concatenate([lower, just_above(upper)])

    def _raw_limits(self, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        limit = self._first_raw_value(target)
        return limit[LOWER], -limit[UPPER]

    def scaled_range(self) -> tuple[FloatArray, FloatArray]:
        """Return the scaled ends of the training data on the mirrored axes, shaped to go with the edges."""
        first = self.scaling.coordinate(self.scaling.low, np.s_[:])
        last = self.scaling.coordinate(self.scaling.high, np.s_[:])
        return np.stack([first, -last])[:, None], np.stack([last, -first])[:, None]

    def _first_raw_value(self, target: FloatArray) -> FloatArray:
        """Return the least mirrored raw number whose scaled value reaches the target; +-inf past the data."""
        low, high = self.scaled_range()
        sign = np.array([1.0, -1.0])[:, None, None]
        ends = (np.stack([self.scaling.low, -self.scaling.high]), np.stack([self.scaling.high, -self.scaling.low]))
        outside = np.broadcast_to(_ordinal(ends[0])[:, None], target.shape)
        within = np.broadcast_to(_ordinal(ends[1])[:, None], target.shape)

        def reached(place: npt.NDArray[np.int64]) -> BoolArray:
            scaled = sign * self.scaling.coordinate(sign * _from_ordinal(place), np.s_[None, None])
            return np.asarray(scaled >= target)

        # It should be half a step of the grid below, but for rounding; most often it is between a little to each side.
        for side in (-1, 1):
            steps = -0.5 + side / 64
            near = sign * self.scaling.raw(sign * (target + steps * GRID), np.s_[None, None])
            place = np.clip(_ordinal(near) + 2 * side, outside, within)
            inside = reached(place)
            within, outside = np.where(inside, place, within), np.where(inside, outside, place)
        while (within - 1 > outside).any():  # their difference may be too large a number
            middle = (outside >> 1) + (within >> 1) + (outside & within & 1)
            inside = reached(middle)
            within, outside = np.where(inside, middle, within), np.where(inside, outside, middle)
        value = _from_ordinal(within)
        return np.where(target <= low, -np.inf, np.where(target > high, np.inf, value))


def critical_weight(t: FloatArray, positive: FloatArray, negative: FloatArray, expansion: float) -> FloatArray:
    """Return the largest c that leaves a value inside, from t = exp(y - s + 1) and the edge's R+ and R-."""
    with np.errstate(divide="ignore", over="ignore"):  # nothing on the other side: inside at any cost
        weight = positive * t
        weight += expansion
        weight *= t
        weight /= negative
    return weight


def minimiser(tight: FloatArray, sums: EdgeSums, c: float, expansion: float) -> FloatArray:
    """Return where each edge's loss is least (Prop. 1 in logs, mirrored coordinates); -inf where R- = 0."""
    with np.errstate(divide="ignore"):
        log_pull = math.log(c) + np.log(sums.negative)
    log_expansion = math.log(expansion) if expansion > 0 else -math.inf
    log_root = np.logaddexp(2 * log_expansion, math.log(4) + np.log(sums.positive) + log_pull) / 2
    with np.errstate(invalid="ignore"):
        result = tight - 1 + math.log(2) + log_pull - np.logaddexp(log_expansion, log_root)
    return np.where(sums.negative > 0, result, -np.inf)


def _ordinal(value: FloatArray) -> npt.NDArray[np.int64]:
    """Return the place of each float in their order, so that they can be bisected."""
    bits = value.view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _from_ordinal(ordinal: npt.NDArray[np.int64]) -> FloatArray:
    bits = np.where(ordinal < 0, np.int64(-(2**63)) - ordinal, ordinal)
    return bits.view(np.float64)
