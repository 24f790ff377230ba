"""The grid of FastBoxesClassifierCV: the values to try, what to try next, and the table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import check_scalar

from boxdraw._core.arrays import FloatArray
from boxdraw.learners.fast.fast_boxes import DISTANCES, range_width
from boxdraw.learners.fast.growth import growth_named
from boxdraw.learners.parameters import check_choice, check_not_negative

Setting = dict[str, Any]
Grid = dict[str, list[Any]]
Task = tuple[Any, str, int]  # feature range, distance and number of boxes: what takes a pass over the data

_COUNTS = 1, 2, 3, 4, 5, 6, 8, 10  # numbers of boxes


def read_grid(model: Any) -> Grid:
    """Check the parameters that make the grid and return the values to try."""
    grid = {
        "feature_range": _pairs(model.feature_range),
        "distance": values_of(model.distance),
        "n_boxes": list(_COUNTS) if model.n_boxes == "auto" else values_of(model.n_boxes),
        "growth": values_of(model.growth),
        "expansion": values_of(model.expansion),
    }
    for name, values in grid.items():
        if not values:
            raise ValueError(f"{name} has no value to try.")
    for pair in grid["feature_range"]:
        range_width(pair)
    for n_boxes in grid["n_boxes"]:
        check_scalar(n_boxes, "n_boxes", Integral, min_val=1)
    for distance in grid["distance"]:
        check_choice(distance, "distance", DISTANCES)
    for growth in grid["growth"]:
        growth_named(growth)
    for expansion in grid["expansion"]:
        check_not_negative(expansion, "expansion")
    return grid


def next_tasks(grid: Grid, auto: bool, best: Setting | None, tried: set[int]) -> list[Task]:
    """Return what to try next: all at once, or with ``n_boxes="auto"`` a few numbers, then those next to the best.

    The distance is chosen with the first of them.
    """
    counts, distances = grid["n_boxes"], grid["distance"]
    if not auto:
        wanted = set() if best else set(counts)
    elif best is None:
        wanted = {counts[min(2, len(counts) - 1)]}
    elif len(tried) == 1:
        wanted = {counts[0], counts[min(5, len(counts) - 1)]}
    else:
        place = counts.index(best["n_boxes"])
        wanted = set(counts[max(0, place - 1) : place + 2])
    if best and auto:
        distances = [best["distance"]]
    if wanted and wanted <= tried and len(tried) == 1:  # few positives: on to the neighbours
        return next_tasks(grid, auto, best, tried | {0})
    return list(product(grid["feature_range"], distances, [n for n in counts if n in wanted - tried]))


def results_of(settings: Sequence[Setting], scores: FloatArray) -> dict[str, Any]:
    """Arrange settings and scores, a row per setting and a column per fold, as GridSearchCV does."""
    mean = scores.mean(axis=1)
    results: dict[str, Any] = {"params": list(settings)}
    for name in settings[0]:
        column = np.empty(len(settings), dtype=object)
        column[:] = [setting[name] for setting in settings]
        results[f"param_{name}"] = column
    for number, split in enumerate(scores.T):
        results[f"split{number}_test_score"] = split
    results["mean_test_score"] = mean
    results["std_test_score"] = scores.std(axis=1)
    results["rank_test_score"] = rankdata(np.where(np.isnan(mean), np.inf, -mean), method="min").astype(np.int32)
    return results


def values_of(given: Any) -> list[Any]:
    """Return one value or a sequence of values as a list."""
    return [given] if given is None or isinstance(given, str | Real) else list(given)


def _pairs(given: Any) -> list[Any]:
    """Return one (min, max) or a sequence of them as a list."""
    try:
        given = list(given)
    except TypeError:
        return [given]  # range_width says what is wrong with it
    return [tuple(given)] if all(isinstance(value, Real) for value in given) else [tuple(pair) for pair in given]
