"""The stages in a row: training rows in, what the data say about every edge out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.progress import Progress
from boxdraw._core.sums import moderate_unit
from boxdraw.learners.fast.assign import Assignment
from boxdraw.learners.fast.cluster import cluster_positives, filled, masses, tight_boxes
from boxdraw.learners.fast.divide import ABSENT, ClusteredRows, Divide, Pulls, share_of_sum
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.stops import Gaps, Stops, find_stops, known_values, sorted_negatives
from boxdraw.learners.scaling import Scaling, known_ranges, make_scaling
from boxdraw.tables.chunks import Chunk, Table
from boxdraw.tables.order import Order, fit_order, ordered
from boxdraw.tables.training import Training


@dataclass(frozen=True, slots=True)
class Plan:
    """How boxes are drawn, whatever the costs."""

    n_boxes: int
    width: float
    clusterer: Any
    random_state: Any
    distance: str = "sum"
    verbose: int = 0


class Stages:
    """The stages on a small table. What plans of one clusterer share is done once, with ``many`` cells compiled."""

    def __init__(self, data: Training, many: bool = False) -> None:
        self.order = fit_order(data)
        self.data, self._many = ordered(data, self.order), many
        self._members = np.flatnonzero(data.positive)
        self._ranges = cache(lambda: known_ranges(self.data.X))
        self.scaling = cache(lambda width: make_scaling(*self._ranges(), width))
        self._labels: dict[tuple[int, float], IntArray] = {}
        self._negatives = cache(lambda: sorted_negatives(self.data.X, self.data.positive))
        self.stops = cache(lambda width: self._find_stops(self.scaling(width), ()))

    def edges(self, plan: Plan, growth: Growth | None, shared: bool = False) -> Edges:
        """Return what the rows say about every edge; the growth rule of the limits says which stops to keep.

        ``shared`` stops are all values, and the same for all plans.
        """
        progress, data, scaling = Progress("Fast Boxes", plan.verbose), self.data, self.scaling(plan.width)
        progress.step(f"scale: {scaling.active.sum()} of {data.X.shape[1]} features vary")
        clusters = self._clusters(plan)
        lower, upper, nothing_known = _tight(data.X[self._members], clusters, scaling)
        progress.step(f"cluster: {len(self._members)} positives in {len(lower)} clusters")
        label = np.full(len(data.X), -1, dtype=np.intp)
        label[self._members] = clusters
        unit = 1.0 if data.weight is None else moderate_unit(data.positive_weight + data.negative_weight)
        divide = Divide(scaling, lower, upper, unit, self._many, share_of_sum(plan.distance, scaling))
        sums = divide.edge_sums(divide(ClusteredRows(data.X, data.weight, label)))
        sums.negative[:, nothing_known] = 0  # nothing to draw an edge around: no limit
        progress.step(f"divide: forces of {len(data.X)} rows on {sums.negative.size} edges")
        stops = None
        if growth is not None:
            within = () if growth.may_shrink else (lower.max(axis=0), upper.min(axis=0))
            stops = self.stops(plan.width) if shared else self._find_stops(scaling, within)
            progress.step("expand: nearest negatives sorted")
        return Edges(scaling=scaling, tight=np.stack([lower, -upper]), sums=sums, stops=stops, order=self.order)

    def _clusters(self, plan: Plan) -> IntArray:
        key = plan.n_boxes, cluster_width(plan)
        if key not in self._labels:
            mass = None if self.data.weight is None else self.data.weight[self._members]
            self._labels[key] = _clusters(self.data.X[self._members], mass, None, self.scaling(key[1]), plan)
        return self._labels[key]

    def _find_stops(self, scaling: Scaling, within: tuple[FloatArray, ...]) -> Stops:
        return find_stops(self.data.X, self.data.positive, self._negatives(), scaling, within)


def cluster_width(plan: Plan) -> float:
    """Return the width of the features for clusters: k-means standardises them, so that any will do."""
    return plan.width if plan.clusterer is not None else 2.0


def draw_edges_in_passes(table: Table, order: Order, plan: Plan, c: float, expansion: float, growth: Growth) -> Edges:
    """Run all stages on a large table, pass by pass; the stops are those at one cost."""
    edges = _find_sums(table, order, plan)
    gaps = table.reduce(_Neighbours(Gaps.none(edges.cuts(c, expansion, growth))), "expand")
    positives = known_values(table.survey.positives.X, edges.scaling)
    return replace(edges, stops=gaps.stops(edges.scaling, positives, table.survey.whole))


def _find_sums(table: Table, order: Order, plan: Plan) -> Edges:
    """Scale, cluster and divide; of very many positives a sample is clustered, and others join the nearest centre."""
    survey = table.survey
    positives = survey.positives
    scaling = make_scaling(survey.low, survey.high, plan.width)
    mass = positives.weight, positives.count
    wide = make_scaling(survey.low, survey.high, cluster_width(plan))
    clusters = _clusters(positives.X, *mass, wide, plan)
    lower, upper, nothing_known = _tight(positives.X, clusters, scaling)
    unit = moderate_unit(survey.positive_weight + survey.negative_weight) if survey.weighted else 1.0
    divide = Divide(scaling, lower, upper, unit, True, share_of_sum(plan.distance, scaling))
    if positives.complete:
        own = ClusteredRows(positives.X, positives.weight, clusters, positives.count)
        pulls = table.reduce(_NegativePulls(divide), "divide", beside=lambda: divide(own))
    else:
        nearest = Assignment.of(positives.X, positives.weight, positives.count, clusters, scaling)
        pulls = table.reduce(_AllPulls(divide, nearest), "divide")
    sums = divide.edge_sums(pulls)
    sums.negative[:, nothing_known] = 0
    return Edges(scaling=scaling, tight=np.stack([lower, -upper]), sums=sums, stops=None, order=order)


# The work on a chunk is an object, not a closure, so that it can be sent to the workers of a cluster.
@dataclass(frozen=True, slots=True)
class _NegativePulls:
    """The part of a chunk's negatives in the sums."""

    divide: Divide

    def __call__(self, chunk: Chunk) -> Pulls:
        label = np.where(chunk.positive, np.int32(ABSENT), np.int32(-1))
        return self.divide(ClusteredRows(chunk.X, chunk.weight, label))


@dataclass(frozen=True, slots=True)
class _AllPulls:
    """The part of all rows of a chunk in the sums, where only a sample of the positives has been clustered."""

    divide: Divide
    nearest: Assignment

    def __call__(self, chunk: Chunk) -> Pulls:
        label = np.full(len(chunk.X), -1, dtype=np.int32)
        self.nearest.fill(label, chunk.X, np.flatnonzero(chunk.positive))
        return self.divide(ClusteredRows(chunk.X, chunk.weight, label))


@dataclass(slots=True)
class _Neighbours:
    """The negatives of a chunk, and of some earlier ones, next to some numbers: merging them twice changes nothing."""

    known: Gaps

    def __call__(self, chunk: Chunk) -> Gaps:
        from boxdraw.learners.fast.kernels import neighbours

        cut, before, after = self.known.cut, self.known.before.copy(), self.known.after.copy()
        neighbours(chunk.X, chunk.positive, cut, before, after)
        self.known = gaps = Gaps(cut, before, after)
        return gaps


def _clusters(X: Matrix, weight: FloatArray | None, count: FloatArray | None, scaling: Scaling, plan: Plan) -> IntArray:
    """Return the cluster of each positive."""
    known = filled(np.ascontiguousarray(scaling.columns(X).T), masses(weight, count))
    return cluster_positives(known, weight, plan.n_boxes, plan.clusterer, plan.random_state, count)


def _tight(positives: Matrix, labels: IntArray, scaling: Scaling) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the tight boxes around clusters, and where a box has no known value."""
    lower, upper = tight_boxes(np.ascontiguousarray(scaling.columns(positives).T), labels)
    nothing_known = np.isnan(lower)
    lower = np.where(nothing_known, scaling.coordinate(scaling.low, np.s_[:]), lower)
    upper = np.where(nothing_known, scaling.coordinate(scaling.high, np.s_[:]), upper)
    return lower, upper, nothing_known
