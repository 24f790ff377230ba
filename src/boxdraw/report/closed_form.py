"""The closed form of Fast Boxes as data: all that a page needs to draw the boxes at any cost, as Python does.

The sums of the edges are few, but the values that stop edges and round limits lie between can be as many as the rows.
Of many, only those next to the limits at a series of costs are kept, and only these costs are offered. `js/path.js`
reads the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.fast_boxes import BaseFastBoxes
from boxdraw.learners.fast.growth import GROWTHS, Growth
from boxdraw.learners.fast.path import TrainingRoc
from boxdraw.learners.fast.stops import LOWER, UPPER, Stops
from boxdraw.report.payload import array
from boxdraw.tables.encoding import Encoding

__all__ = ["NoClosedForm", "closed_form"]

_MOST = float(np.finfo(np.float64).max)

# The sorted spans of negatives in a column, without those at infinity, and the distinct values of the positives.
_Column = tuple[FloatArray, FloatArray, FloatArray]


class NoClosedForm(ValueError):
    """The closed form cannot be written; the message is a sentence that says why."""


def closed_form(estimator: Any, n_costs: int = 400, most: int = 200_000) -> dict[str, Any] | None:
    """Describe a fitted Fast Boxes model so that its boxes can be drawn at other costs."""
    if not isinstance(estimator, BaseFastBoxes):
        return None
    check_is_fitted(estimator)
    edges, c, expansion, growth = (
        estimator._edges,
        estimator.negative_weight_,
        estimator.expansion_,
        GROWTHS[estimator.growth_],
    )
    assert edges.stops is not None
    roc = _training_roc(estimator)
    ends = _cost_range(roc, c)
    costs, columns = None, [_column(edges.stops, p) for p in range(len(edges.stops.first))]
    if sum(len(first) + len(positives) for first, _, positives in columns) > most:
        costs = _offered_costs(roc, c, ends, n_costs)
        columns = _kept_columns(edges, expansion, growth, costs)
    return {
        "negative_weight": c,
        "expansion": expansion,
        "growth": growth.name,
        "costs": None if costs is None else array(costs),
        "range": list(ends),
        "shape": list(edges.tight.shape),
        "tight": array(edges.tight),
        "positive": array(edges.sums.positive),
        "negative": array(edges.sums.negative),
        "columns": _described(edges, estimator._encoding, columns),
    }


def _training_roc(estimator: BaseFastBoxes) -> TrainingRoc:
    try:
        return estimator._training_roc()
    except (OSError, RuntimeError, ValueError) as error:  # reading a stored table, or from its cluster
        raise NoClosedForm(
            "There is no slider for the cost of a false alarm, because the training table that its range is found in "
            f"can't be read any more ({error})."
        ) from error


def _cost_range(roc: TrainingRoc, current: float) -> tuple[float, float]:
    """Return the range of costs at which training rows change sides, widened to the model's own."""
    finite = roc.critical[np.isfinite(roc.critical) & (roc.critical > 0)]
    if not finite.size:
        return current / 2, min(2 * current, _MOST)
    return min(current, float(finite.min())), max(current, min(2 * float(finite.max()), _MOST))


def _offered_costs(roc: TrainingRoc, current: float, ends: tuple[float, float], n_costs: int) -> FloatArray:
    """Return costs over the whole range, including the model's own and those on the ROC hull."""
    spaced = np.clip(np.geomspace(ends[0], ends[1], n_costs), ends[0], ends[1])
    return np.unique(np.concatenate([spaced, ends, [current], roc.corners()]))


def _column(stops: Stops, p: int, spans: Any = np.s_[:], positives: Any = np.s_[:]) -> _Column:
    """Return some of the spans and of the positives' values of a column, each once."""
    first, last = stops.first[p][spans], stops.last[p][spans]
    finite = np.isfinite(first)
    first, last = first[finite], last[finite]
    new = np.append(True, (first[1:] != first[:-1]) | (last[1:] != last[:-1]))[: len(first)]
    return first[new], last[new], np.unique(stops.positives[p])[positives]


def _kept_columns(edges: Edges, expansion: float, growth: Growth, costs: FloatArray) -> list[_Column]:
    """Return the values that searches for the nearest value can find at some costs; the others can be left out."""
    stops = edges.stops
    assert stops is not None
    # All costs at once: many calls on a few numbers are slow.
    target = np.stack([edges.targets(c, expansion, growth) for c in costs.tolist()])
    limits = np.stack([edges.limits(c, expansion, growth) for c in costs.tolist()])
    columns = []
    for p, known in enumerate(map(np.unique, stops.positives)):
        first, last = stops.first[p], stops.last[p]
        spans, positives = np.zeros(len(first), dtype=np.bool_), np.zeros(len(known), dtype=np.bool_)
        spans[stops.scaled_first[p].searchsorted(target[:, LOWER, :, p], side="left") - 1] = True
        spans[stops.scaled_last[p].searchsorted(-target[:, UPPER, :, p], side="right")] = True
        lower, upper = limits[:, LOWER, :, p], limits[:, UPPER, :, p]
        _mark_both_sides(spans, last.searchsorted(lower, side="left"))
        _mark_both_sides(spans, first.searchsorted(upper, side="right"))
        _mark_both_sides(positives, known.searchsorted(lower, side="left"))
        _mark_both_sides(positives, known.searchsorted(upper, side="right"))
        columns.append(_column(stops, p, spans, positives))
    return columns


def _mark_both_sides(marks: BoolArray, place: IntArray) -> None:
    """Mark the values next to the insertion points of numbers."""
    marks[np.clip(place - 1, 0, len(marks) - 1)] = True
    marks[np.clip(place, 0, len(marks) - 1)] = True


def _described(edges: Edges, encoding: Encoding, columns: list[_Column]) -> list[dict[str, Any]]:
    """Return the columns of the learner's matrix: meaning, scaling and values."""
    assert edges.stops is not None
    scaling = edges.scaling
    described = []
    for p, (meaning, (first, last, positives)) in enumerate(zip(_meanings(encoding), columns, strict=True)):
        places = edges.order.places.get(p)
        described.append(
            {
                **meaning,
                "low": float(scaling.low[p]),
                "high": float(scaling.high[p]),
                "prescale": float(scaling.prescale[p]),
                "middle": float(scaling.middle[p]),
                "steps": float(scaling.steps[p]),
                "places": None if places is None else array(places),
                "whole": bool(edges.stops.whole[p]),
                "first": array(first),
                "last": None if np.array_equal(first, last) else array(last),
                "positives": array(positives),
            }
        )
    return described


def _meanings(encoding: Encoding) -> list[dict[str, Any]]:
    """Return the meaning of each column of the learner's matrix."""
    result: list[dict[str, Any]] = []
    for j, (categories, had_missing) in enumerate(zip(encoding.categories, encoding.missing, strict=True)):
        result.append({"feature": j, "what": "values" if categories is None else "codes"})
        if categories is None and had_missing:
            result.append({"feature": j, "what": "missing"})
    return result
