"""The paper's simulated data sets: uniform points, and the region of the rare class.

The authors' samples of corner and diamond3D still exist, and every row agrees with the law here. For the other eight
only the names and the counts in the paper's table are left. They are reconstructions: regions of the same kind, with
expected counts close to the paper's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from boxdraw._core.arrays import BoolArray, FloatArray

Region = Callable[[FloatArray], BoolArray]


@dataclass(frozen=True, slots=True)
class Law:
    """The distribution of a simulated data set."""

    text: str  # where positives are
    region: Region  # of the positives
    low: int = -50
    high: int = 50
    coin: bool = False  # a point of the region is positive with probability 1/2
    gap: Region | None = None  # without any points
    exact: bool = False  # the authors' law, not a reconstruction


def _balls(order: float, radius: float) -> Region:
    """Two balls around (25, ..., 25) and its mirror image, in the norm of that order."""

    def region(X: FloatArray) -> BoolArray:
        distance = [np.linalg.norm(X - centre, ord=order, axis=1) for centre in (25.0, -25.0)]
        return np.asarray(np.minimum(*distance) < radius)

    return region


def _within(order: float, radius: float) -> Region:
    return lambda X: np.linalg.norm(X, ord=order, axis=1) < radius


def _corner(sum_above: float) -> Region:
    return lambda X: X.sum(axis=1) > sum_above


_INF = float("inf")

#: The law of every simulated data set, by name.
LAWS = {
    "castle": Law(
        "positive within 11 of the origin, a moat without points to 23, negative beyond",
        _within(2, 11),
        gap=_within(2, 23),
    ),
    "corner": Law("positive where x1 + x2 > 180 and a fair coin says so", _corner(180), 0, 100, coin=True, exact=True),
    "diamond": Law("positive where the L1 distance to (25, 25) or (-25, -25) is below 10", _balls(1, 10)),
    "square": Law(
        "positive where the largest distance in a feature to (25, 25) or (-25, -25) is below 10", _balls(_INF, 10)
    ),
    "flooded": Law("positive within 10 of (25, 25) or (-25, -25) where a fair coin says so", _balls(2, 10), coin=True),
    "castle3D": Law(
        "positive in the cube [-20, 20]³, a moat without points to [-40, 40]³, negative beyond",
        _within(_INF, 20),
        gap=_within(_INF, 40),
    ),
    "corner3D": Law("positive where x1 + x2 + x3 > 225 and a fair coin says so", _corner(225), 0, 100, coin=True),
    "diamond3D": Law(
        "positive where the L1 distance to (25, 25, 25) or (-25, -25, -25) is below 20", _balls(1, 20), exact=True
    ),
    "square3D": Law(
        "positive where the largest distance in a feature to (25, 25, 25) or (-25, -25, -25) is below 20",
        _balls(_INF, 20),
    ),
    "flooded3D": Law(
        "positive within 20 of (25, 25, 25) or (-25, -25, -25) where a fair coin says so", _balls(2, 20), coin=True
    ),
}


def simulate(
    law: Law, n_features: int, n_positives: int, n_negatives: int, random_state: Any = 0
) -> tuple[FloatArray, BoolArray]:
    """Draw points until each class has enough; drop those of a class that is complete."""
    rng = check_random_state(random_state)
    wanted = {True: n_positives, False: n_negatives}
    kept: dict[bool, FloatArray] = {label: np.empty((0, n_features)) for label in wanted}
    while any(len(kept[label]) < wanted[label] for label in wanted):
        X, positive = _draw(law, n_positives + n_negatives, n_features, rng)
        for label, most in wanted.items():
            kept[label] = np.concatenate([kept[label], X[positive == label]])[:most]
    order = rng.permutation(n_positives + n_negatives)
    return np.concatenate([kept[True], kept[False]])[order], (np.arange(len(order)) < n_positives)[order]


def _draw(law: Law, n_rows: int, n_features: int, rng: Any) -> tuple[FloatArray, BoolArray]:
    """Draw points and their labels; fewer than ``n_rows`` if some fall into the gap."""
    X = rng.uniform(law.low, law.high, size=(n_rows, n_features))
    positive = law.region(X)
    if law.coin:
        positive &= rng.random_sample(n_rows) < 0.5
    if law.gap is not None:
        there = positive | ~law.gap(X)
        X, positive = X[there], positive[there]
    return X, positive
