"""Stage 2, cluster: groups of positives, and the tight box around each group."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import check_random_state

from boxdraw._core.arrays import FloatArray, IntArray, Matrix
from boxdraw._core.sums import on_grid
from boxdraw._core.warn import warn

_MAX_ITERATIONS = 100
_PAIRS = 2_000_000  # distances held at once while seeding; more positives get fewer candidates
_BLOCK = 512
_HEAVY = 2.0**300
_CELLS = 2**16  # of a work array that stays in the cache


def cluster_positives(
    positives: FloatArray,
    weight: FloatArray | None,
    n_boxes: int,
    clusterer: Any,
    random_state: Any,
    count: FloatArray | None = None,
) -> IntArray:
    """Label each positive with its cluster, the heaviest first, -1 for none; ``count`` equal rows each."""
    # Only the distinct positives are clustered, each with its total weight and in sorted order: a repeated row
    # is then the same as a weighted one, and the order of the rows does not matter.
    distinct, inverse = distinct_rows(positives)
    mass = _mass(inverse, weight, count)
    if n_boxes > len(distinct) and (clusterer is None or _number_of_clusters(clusterer)):
        warn(f"Boxes: {len(distinct)} instead of {n_boxes}, as there are no more distinct positive rows.")
        n_boxes = len(distinct)
    if len(distinct) == 1 or (clusterer is None and n_boxes == 1):
        labels = np.zeros(len(distinct), dtype=np.intp)
    elif clusterer is not None:
        labels = _labels_of(clusterer, distinct, mass, n_boxes)
    else:
        # Squares of distances go up to 1e200, and so do weights.
        light = np.maximum(mass * (_HEAVY / mass.max()), np.finfo(np.float64).tiny) if mass.max() > _HEAVY else mass
        labels = k_means(_standardise(distinct, light), light, n_boxes, random_state)
    return _heaviest_first(labels, mass)[inverse]


def filled(positives: FloatArray, mass: FloatArray | None = None) -> FloatArray:
    """Put the median of its feature in the place of each missing value, for the distances of clustering alone."""
    missing = np.isnan(positives)
    if not missing.any():
        return positives
    result = positives.copy()
    some = np.flatnonzero(missing.any(axis=0))
    for j, median in zip(some, medians(positives[:, some].T, mass).tolist(), strict=True):
        result[missing[:, j], j] = median
    return result


def medians(columns: FloatArray, mass: FloatArray | None) -> FloatArray:
    """Return the median of the known values of each column, in half of the ``mass``; 0 where all are missing."""
    if (mass is None or (mass == 1).all()) and not np.isnan(columns).any():  # without sorting
        middle = [(columns.shape[1] - 1) // 2, columns.shape[1] // 2]
        return np.asarray(np.partition(columns, middle, axis=1)[:, middle].sum(axis=1) / 2)
    result = np.zeros(len(columns))
    for j, column in enumerate(columns):
        order = np.argsort(column)[: np.count_nonzero(~np.isnan(column))]  # missing values last
        if len(order):
            # all values may be of rows that weigh nothing beside the others: then each counts the same
            below = np.arange(1, len(order) + 1) if mass is None or not mass[order].any() else np.cumsum(mass[order])
            # both are the middle value, unless half of the mass is up to one value and half from the next on
            low, high = below.searchsorted(below[-1] / 2, "left"), below.searchsorted(below[-1] / 2, "right")
            result[j] = (column[order[low]] + column[order[high]]) / 2
    return result


def masses(weight: FloatArray | None, count: FloatArray | None) -> FloatArray | None:
    """Return what ``count`` equal rows of some weight weigh together, with exact sums; None where all weigh 1."""
    if weight is None:
        return count
    exact = on_grid(weight, count)
    return exact if count is None else exact * count


def distinct_rows(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], IntArray]:
    """Return the distinct rows, sorted, and the place of each row among them."""
    order = np.argsort(rows[:, 0], kind="stable")
    first = rows[order, 0]
    if (first[1:] == first[:-1]).any():  # only then do the other columns matter
        order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), dtype=bool)
    np.any(ordered[1:] != ordered[:-1], axis=1, out=is_new[1:])
    inverse = np.empty(len(rows), dtype=np.intp)
    inverse[order] = np.cumsum(is_new) - 1
    return ordered[is_new], inverse


def _mass(place: IntArray, weight: FloatArray | None, count: FloatArray | None) -> FloatArray:
    """Return the weight at each place, the same whatever the order of the rows and however equal ones are counted."""
    if weight is None:
        return np.bincount(place, weights=count).astype(np.float64)
    order = np.lexsort((weight, place))
    place, weight = place[order], weight[order]
    is_new = np.append(True, (place[1:] != place[:-1]) | (weight[1:] != weight[:-1]))
    times = np.bincount(np.cumsum(is_new) - 1, weights=None if count is None else count[order])
    return np.bincount(place[is_new], weights=weight[is_new] * times).astype(np.float64)


def k_means(points: FloatArray, mass: FloatArray, n_clusters: int, random_state: Any) -> IntArray:
    """Weighted k-means from a greedy start, which is random only where there are too many points to try them all."""
    centres = _greedy_start(points, mass, n_clusters, random_state)
    labels = np.full(len(points), -1, dtype=np.intp)
    half_norms = np.einsum("ij,ij->i", points, points) / 2
    blocks = _blocks(len(points))
    gap = np.empty((len(points), n_clusters))
    for _ in range(_MAX_ITERATIONS):
        # half the squared distance, less the half norm of the point, which is the same for all centres
        half_centres = np.einsum("ij,ij->i", centres, centres) / 2
        for rows in blocks:
            np.subtract(half_centres, points[rows] @ centres.T, out=gap[rows])
        new = gap.argmin(axis=1)
        size = np.bincount(new, weights=mass, minlength=n_clusters)
        if not size.all():
            _refill(new, gap.min(axis=1) + half_norms, size, mass)
        if np.array_equal(new, labels):
            break
        labels = new
        centres = _means(points, mass, labels, n_clusters, blocks)
    return labels


def _blocks(n: int) -> list[slice]:
    """Cut very many points into blocks, whose products are too small for threads of BLAS that wait for each other."""
    step = n if n * n <= _PAIRS else _BLOCK
    return [slice(start, start + step) for start in range(0, n, step)]


def _means(points: FloatArray, mass: FloatArray, labels: IntArray, n_clusters: int, blocks: list[slice]) -> FloatArray:
    sums, size = np.zeros((n_clusters, points.shape[1])), np.zeros((n_clusters, 1))
    for rows in blocks:
        member = (labels[rows] == np.arange(n_clusters)[:, None]) * mass[rows]
        sums += member @ points[rows]
        size += member.sum(axis=1, keepdims=True)
    return sums / size


def _greedy_start(points: FloatArray, mass: FloatArray, n_clusters: int, random_state: Any) -> FloatArray:
    n = len(points)
    n_candidates = max(32, _PAIRS // n)
    if n <= n_candidates:
        distance = _squared_distances(points, points)
        return points[_greedy(distance, lambda: distance @ mass, n_clusters)]
    rng = check_random_state(0 if random_state is None else random_state)  # the same table, the same model
    share = mass / mass.sum()
    candidates = np.sort(rng.choice(n, n_candidates, replace=False, p=share))
    # Where only some can be tried, the best of them need not be found to the last digit: half the memory and time.
    few_digits, few_shares = points.astype(np.float32), share.astype(np.float32)
    distance = _squared_distances(few_digits[candidates], few_digits)
    chosen = _greedy(distance, lambda: np.einsum("ij,j->i", distance, few_shares), n_clusters)
    return points[candidates[chosen]]


def _squared_distances(some: Matrix, points: Matrix) -> Matrix:
    """Return the distances of some points from all, a row each."""
    distance = some @ points.T
    distance *= 2
    norms = np.einsum("ij,ij->i", points, points)
    some_norms = np.einsum("ij,ij->i", some, some)[:, None]
    step = max(1, _CELLS // len(points))
    for start in range(0, len(some), step):
        rows = slice(start, start + step)
        np.subtract(some_norms[rows] + norms, distance[rows], out=distance[rows])
    return distance


def _greedy(distance: Matrix, sums: Callable[[], Matrix], n_chosen: int) -> list[int]:
    """Choose points, one at a time, that leave the least sum of distances to the nearest of them; changes them."""
    chosen = [int(sums().argmin())]
    for _ in range(1, n_chosen):
        np.minimum(distance, distance[chosen[-1]].copy(), out=distance)
        chosen.append(int(sums().argmin()))
    return chosen


def _refill(labels: IntArray, distance: FloatArray, size: npt.NDArray[Any], mass: FloatArray) -> None:
    """Give each empty cluster the worst-placed point of a cluster that can spare one."""
    for empty in np.flatnonzero(size == 0):
        counts = np.bincount(labels, minlength=len(size))
        spare = counts[labels] > 1
        worst = np.where(spare, distance * mass, -np.inf).argmax()
        labels[worst] = empty
        distance[worst] = 0


def _standardise(points: FloatArray, mass: FloatArray) -> FloatArray:
    centred = points - mass @ points / mass.sum()
    deviation = np.sqrt(mass @ centred**2 / mass.sum())
    deviation[deviation == 0] = 1
    # A row of next to no weight may be so many deviations away that its distance is no float.
    deviation = np.maximum(deviation, np.abs(centred).max(axis=0, initial=0) * 1e-100)
    result: FloatArray = centred / deviation
    return result


def _number_of_clusters(clusterer: Any) -> list[str]:
    """Return the parameter that sets the number of clusters, if there is one."""
    parameters = clusterer.get_params() if hasattr(clusterer, "get_params") else {}
    return [name for name in ("n_clusters", "n_components") if name in parameters]


def _labels_of(clusterer: Any, points: FloatArray, mass: FloatArray, n_boxes: int) -> IntArray:
    """Run the user's clusterer on the distinct positives."""
    clusterer = clone(clusterer)
    for name in _number_of_clusters(clusterer):
        clusterer.set_params(**{name: n_boxes})
    fit_params = {}
    if "sample_weight" in inspect.signature(clusterer.fit_predict).parameters:
        fit_params["sample_weight"] = mass
    labels = np.asarray(clusterer.fit_predict(points, **fit_params))
    if labels.shape != (len(points),):
        raise ValueError(
            f"clusterer.fit_predict returned an array of shape {labels.shape}; expected {(len(points),)}, "
            "one label per distinct positive row."
        )
    if not (labels >= 0).any():
        raise ValueError(
            f"{clusterer!r} called every positive row noise, so there is nothing to draw a box around. "
            "Loosen its parameters (for DBSCAN: a larger eps or a smaller min_samples)."
        )
    return labels.astype(np.intp)


def _heaviest_first(labels: IntArray, mass: FloatArray) -> IntArray:
    """Renumber the clusters by falling weight; equal ones in the order of their first (sorted) row."""
    kept = labels >= 0
    ids, first, inverse = np.unique(labels[kept], return_index=True, return_inverse=True)
    size = np.bincount(inverse, weights=mass[kept], minlength=len(ids))
    order = np.lexsort((first, -size))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(ids))
    result = np.full(len(labels), -1, dtype=np.intp)
    result[kept] = rank[inverse]
    return result


def tight_boxes(positives: FloatArray, labels: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest box around each cluster: lower and upper, a row per box; NaN where all is missing."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 1))
    ordered = positives[order]
    return np.fmin.reduceat(ordered, starts), np.fmax.reduceat(ordered, starts)
