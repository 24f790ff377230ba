"""The rows that a scorecard flags, as a union of boxes.

With positive points a row reaches the threshold exactly if it is in all boxes of some set whose points do. The
smallest of these sets are enough: those that fall short without any one of their boxes. Each gives one box, the
intersection of its members.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.membership import admitted
from boxdraw.model.rule import Category

__all__ = ["MAX_SETS", "count_sets", "minimal_sets", "union_of"]

#: The most sets of boxes that are looked at; 15 boxes never have more.
MAX_SETS = 10_000

_SIGNED = "with negative points the flagged rows are no union of boxes; fit with signed_points=False to get one"


def minimal_sets(points: tuple[int, ...], threshold: int) -> list[tuple[int, ...]]:
    """Find the sets of boxes that reach a threshold, and fall short of it without any one of their boxes.

    Sets with the boxes of most points come first; more than `MAX_SETS` sets are a ValueError.

    >>> minimal_sets((1, 3, 2, 2), 4)
    [(1, 2), (1, 3), (0, 1), (2, 3)]
    """
    order = _by_points(points)
    branches = list(islice(_branches(points, threshold), MAX_SETS + 1))
    if len(branches) > MAX_SETS:
        raise ValueError(
            f"more than {MAX_SETS} sets of boxes reach {threshold} points: too many to write as a union of boxes; "
            "use fewer boxes"
        )
    return [tuple(sorted(order[i] for i in _places(branch))) for branch in branches]


def count_sets(points: tuple[int, ...], threshold: int) -> int:
    """Count the minimal sets, up to one more than `MAX_SETS`, without listing their boxes."""
    return sum(1 for _ in islice(_branches(points, threshold), MAX_SETS + 1))


def _by_points(points: tuple[int, ...]) -> list[int]:
    return sorted(range(len(points)), key=lambda k: -points[k])


# A set of boxes as runs of places in their order by points: the last run, from one place to before another, and the
# runs before it. Sets share the runs that they begin with.
_Runs = tuple[Any, int, int] | None


def _places(runs: _Runs) -> Iterator[int]:
    while runs is not None:
        runs, start, stop = runs
        yield from range(start, stop)


def _branches(points: tuple[int, ...], threshold: int) -> Iterator[_Runs]:
    """Find the sets one by one, each in a time that does not depend on the number of boxes.

    Boxes are taken or skipped in the order of their points. The last box of a set has then the fewest points, and the
    set is complete as soon as it reaches the threshold: if it falls short without its last box, it does so all the more
    without another one. The slack is what the boxes that were not skipped have beyond the threshold. A box with more
    points than the slack has to be taken, so only smaller ones are branched on, and every branch ends in a set.
    """
    if any(value < 0 for value in points):
        raise ValueError(_SIGNED)
    values = [-points[k] for k in _by_points(points)]  # ascending, as bisect needs them
    rest = [*accumulate(reversed(values), initial=0)][::-1]  # minus the points of the boxes from a place on
    if threshold <= 0:
        yield None
        return
    waiting: list[tuple[_Runs, int, int]] = [(None, 0, -rest[0] - threshold)] if -rest[0] >= threshold else []
    while waiting:
        runs, start, slack = waiting.pop()
        last = bisect_left(rest, -slack, start + 1) - 1  # with the box there the threshold is reached
        free = bisect_left(values, -slack, start)  # the first box that may be skipped
        if last < free:
            yield runs, start, last + 1
            continue
        waiting.append(((runs, start, free), free + 1, slack + values[free]))
        if last == free:
            yield runs, start, free + 1
        else:
            waiting.append(((runs, start, free + 1), free + 1, slack))


def union_of(boxes: BoxSet, points: Sequence[int], threshold: int) -> BoxSet:
    """Write the rows whose boxes are worth enough points as a union of boxes.

    The boxes hold exactly the rows with so many points, whatever the rows: one for each of the `minimal_sets`, in their
    order, without those that no row can be in and those inside another one.

    >>> inf = float("inf")
    >>> boxes = BoxSet([[250, -inf], [-inf, 22], [900, -inf]], [[inf] * 2] * 3, feature_names=["amount", "hour"])
    >>> print(union_of(boxes, [2, 2, 3], 4).to_text())
    Box 1: amount ≥ 900
    Box 2: amount ≥ 250 and hour ≥ 22
    """
    if len(points) != len(boxes):
        raise ValueError(f"points must have a number for each of the {len(boxes)} boxes, got {len(points)}")
    sets = minimal_sets(tuple(points), threshold)
    member = np.zeros((len(sets), len(boxes)), dtype=np.bool_)
    for row, numbers in enumerate(sets):
        member[row, list(numbers)] = True
    return _intersections(boxes, member)


def _intersections(boxes: BoxSet, member: BoolArray) -> BoxSet:
    """Intersect sets of boxes, a row of ``member`` each; leave out what is empty or inside another."""
    used = np.flatnonzero(boxes.limited.any(axis=0))
    lower, upper = _largest(boxes.lower[:, used], member), -_largest(-boxes.upper[:, used], member)
    no_number = lower > upper
    lower[no_number], upper[no_number] = np.inf, -np.inf  # only missing values are inside, if those are
    flags = [_flags(boxes, member, j) for j in used.tolist()]
    possible = np.ones(len(member), dtype=np.bool_)
    for place, j in enumerate(used.tolist()):
        numbers = ~no_number[:, place] if boxes.categories[j] is None else False
        possible &= flags[place].any(axis=1) | numbers
    kept = np.flatnonzero(possible)
    kept = kept[_outermost(lower[kept], upper[kept], [matrix[kept] for matrix in flags])]
    return _build(boxes, used, lower[kept], upper[kept], [matrix[kept] for matrix in flags])


def _build(boxes: BoxSet, used: IntArray, lower: FloatArray, upper: FloatArray, flags: list[BoolArray]) -> BoxSet:
    """Make boxes on all features from what they ask of those that are used."""
    missing = np.ones((len(lower), boxes.n_features), dtype=np.bool_)
    allowed: dict[str, list[frozenset[Category] | None]] = {}
    for j, matrix in zip(used.tolist(), flags, strict=True):
        known = boxes.categories[j]
        missing[:, j] = matrix[:, 0 if known is None else -2]
        if known is not None:
            allowed[boxes.feature_names[j]] = [_allowed(row, known) for row in matrix]
    named = zip(boxes.feature_names, boxes.categories, strict=True)
    return BoxSet(
        _wide(lower, boxes, used, -np.inf),
        _wide(upper, boxes, used, np.inf),
        feature_names=boxes.feature_names,
        categories={name: values for name, values in named if values is not None},
        allowed=allowed,
        missing=missing,
    )


def _largest(limits: FloatArray, member: BoolArray) -> FloatArray:
    """Return for each set and feature the largest limit of its members."""
    largest = np.full((len(member), limits.shape[1]), -np.inf)
    for k, row in enumerate(limits):
        np.maximum(largest, row, out=largest, where=member[:, k, None])
    return largest


def _flags(boxes: BoxSet, member: BoolArray, j: int) -> BoolArray:
    """Return for each set which categories of a feature all members admit, and, as in `admitted`, missing values."""
    if boxes.categories[j] is None:
        inside = boxes.missing[:, [j]]
    else:
        inside = np.array([admitted(boxes, k, j) for k in range(len(boxes))])
    # The number of members that do not admit it; floats because NumPy multiplies them fast.
    with np.errstate(invalid="ignore"):  # some libraries multiply what is behind the end of an array, too
        refusing: Any = member.astype(np.float32) @ (~inside).astype(np.float32)
    return np.asarray(refusing == 0)


def _outermost(lower: FloatArray, upper: FloatArray, flags: list[BoolArray]) -> IntArray:
    """Return the boxes that are inside no other; of equal ones the first."""
    # One box is inside another exactly if it has as much or more in each of these cells.
    cells = np.hstack([lower, -upper, *(~matrix for matrix in flags)])
    if not cells.size:
        return np.arange(min(len(cells), 1))
    first = np.sort(np.unique(cells, axis=0, return_index=True)[1])
    # In bits, because there may be thousands of boxes: in row k those of the boxes that box k is inside.
    inside = np.full((len(first), -(-len(first) // 8)), 255, dtype=np.uint8)
    for column in cells[first].T:
        values, place = np.unique(column, return_inverse=True)
        inside &= np.packbits(column <= values[:, None], axis=1)[place]
    own = np.arange(len(first))
    inside[own, own // 8] ^= (128 >> own % 8).astype(np.uint8)  # every box is inside itself
    return first[~inside.any(axis=1)]


def _wide(values: FloatArray, boxes: BoxSet, used: IntArray, none: float) -> FloatArray:
    """Put columns of the used features among those of all features."""
    wide = np.full((len(values), boxes.n_features), none)
    wide[:, used] = values
    return wide


def _allowed(row: BoolArray, known: tuple[Category, ...]) -> frozenset[Category] | None:
    """Return the categories of a row of flags; None where unseen ones are inside too."""
    return None if row[-1] else frozenset(known[i] for i in np.flatnonzero(row[:-2]).tolist())
