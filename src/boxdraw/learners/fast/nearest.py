"""The nearest centre of very many rows, compiled."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry, inner
from boxdraw.learners.scaling import GRID

_TILE = 256  # rows


@entry
def nearest(X, members, low, high, prescale, middle, steps, medians, deviation, centres, label):
    """Label some rows of X with the nearest centre; ``centres`` are standardised, as the rows are here."""
    n_features = X.shape[1]
    values = np.empty((n_features, _TILE))
    distance, least, found = np.empty(_TILE), np.empty(_TILE), np.empty(_TILE, np.int64)
    for start in range(0, len(members), _TILE):
        rows = members[start : start + _TILE]
        for i in range(len(rows)):
            for j in range(n_features):
                x = np.float64(X[rows[i], j])
                x = low[j] if x < low[j] else x
                x = high[j] if x > high[j] else x
                x = np.rint((x * prescale[j] - middle[j]) * steps[j]) * GRID
                values[j, i] = (medians[j] if np.isnan(x) else x) / deviation[j]
        least[:] = np.inf
        found[:] = 0
        for k in range(len(centres)):
            _distances(values, centres[k], distance)
            for i in range(len(rows)):
                nearer = distance[i] < least[i]
                least[i] = distance[i] if nearer else least[i]
                found[i] = k if nearer else found[i]
        for i in range(len(rows)):
            label[rows[i]] = found[i]


@inner
def _distances(values, centre, distance):
    distance[:] = 0
    for j in range(len(centre)):
        at = centre[j]
        for i in range(len(distance)):
            distance[i] += (values[j, i] - at) * (values[j, i] - at)
