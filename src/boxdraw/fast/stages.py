"""The stages in a row: training rows in, what the data say about every edge out."""

from __future__ import annotations

from typing import Any

import numpy as np

from boxdraw.fast.cluster import cluster_positives, filled, tight_boxes
from boxdraw.fast.divide import Rows, edge_sums
from boxdraw.fast.expand import Edges
from boxdraw.fast.order import fit_order, ordered
from boxdraw.fast.scale import fit_scaling
from boxdraw.fast.stops import find_stops
from boxdraw.progress import Progress
from boxdraw.training import Training


def draw_edges(
    data: Training,
    n_boxes: int,
    width: float,
    clusterer: Any,
    random_state: Any,
    n_jobs: int | None,
    stops_for: str | None,
    verbose: int = 0,
) -> Edges:
    """Run order, scale, cluster and divide: the one pass that serves every cost, expansion and growth rule.

    ``stops_for`` is the growth rule that limits will be drawn with, if any: it says which stops have to be kept.
    """
    progress = Progress("Fast Boxes", verbose)
    order = fit_order(data)
    data = ordered(data, order)
    scaling = fit_scaling(data.X, width)
    progress.step(f"scale: {scaling.active.sum()} of {data.X.shape[1]} features vary")
    members = np.flatnonzero(data.positive)
    positives = np.ascontiguousarray(scaling.columns(data.X[members]).T)
    mass = None if data.weight is None else data.weight[members]
    clusters = cluster_positives(filled(positives), mass, n_boxes, clusterer, random_state)
    lower, upper = tight_boxes(positives, clusters)
    nothing_known = np.isnan(lower)
    lower = np.where(nothing_known, scaling.coordinate(scaling.low, np.s_[:]), lower)
    upper = np.where(nothing_known, scaling.coordinate(scaling.high, np.s_[:]), upper)
    progress.step(f"cluster: {len(members)} positives in {len(lower)} clusters")
    label = np.full(len(data.X), -1, dtype=np.intp)
    label[members] = clusters
    rows = Rows(data.X, data.weight, label, data.positive_weight + data.negative_weight)
    sums = edge_sums(rows, scaling, lower, upper, n_jobs)
    sums.negative[:, nothing_known] = 0  # nothing to draw an edge around: no limit
    progress.step(f"divide: forces of {len(data.X)} rows on {sums.negative.size} edges")
    stops = None
    if stops_for is not None:
        stops = find_stops(data.X, data.positive, scaling, lower.max(axis=0), upper.min(axis=0), stops_for == "free")
        progress.step("expand: nearest negatives sorted")
    return Edges(scaling=scaling, tight=np.stack([lower, -upper]), sums=sums, stops=stops, order=order)
