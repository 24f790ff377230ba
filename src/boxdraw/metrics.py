"""Area under the convex hull of the ROC curve (AUH), and a sign test for matched pairs.

The hull of a ROC curve is what can be reached by a threshold, or by a coin toss between two thresholds. Its area is at
least the area under the curve itself, and at least one half. A hull over all thresholds of a score has more points to
choose from than a hull over a few classifiers, so never compare an :func:`auh_score` with an :func:`auh_from_points`
of, say, ten classifiers.

Examples
--------
>>> from boxdraw.metrics import auh_from_points, auh_score, auh_scorer, roc_hull
>>> auh_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
0.875
>>> auh_from_points([0.0, 0.5], [0.5, 1.0])
0.875

``auh_scorer`` is a scikit-learn scorer:

>>> import numpy as np
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.model_selection import cross_val_score
>>> X = np.linspace(-1, 1, 30)[:, None]
>>> y = np.where(X[:, 0] > 0.5, "rare", "common")
>>> cross_val_score(LogisticRegression(), X, y, cv=3, scoring=auh_scorer)
array([1., 1., 1.])
"""

from __future__ import annotations

from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import make_scorer

__all__ = ["auh_from_points", "auh_score", "auh_scorer", "roc_hull", "sign_test"]

# Rates are rounded fractions: a point this close to a line cannot be told from a point on it.
_COLLINEAR = 4 * float(np.finfo(np.float64).eps)


def roc_hull(fpr: ArrayLike, tpr: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Upper convex hull of ROC points, together with (0, 0) and (1, 1).

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_points,)
        False and true positive rates in [0, 1], in any order, with duplicates or not.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_vertices,)
        The vertices from (0, 0) to (1, 1), sorted by ``fpr`` and then by ``tpr``, without points on the line between
        two others.

    See Also
    --------
    auh_from_points : The area under this hull.

    Examples
    --------
    >>> from boxdraw.metrics import roc_hull
    >>> fpr, tpr = roc_hull([0.75, 0.25, 0.5], [1.0, 0.75, 0.25])
    >>> fpr
    array([0.  , 0.25, 0.75, 1.  ])
    >>> tpr
    array([0.  , 0.75, 1.  , 1.  ])
    """
    x, y = _check_rates(fpr, "fpr"), _check_rates(tpr, "tpr")
    if len(x) != len(y):
        raise ValueError(f"fpr and tpr must have the same length, got {len(x)} and {len(y)}.")
    order = np.lexsort((-y, x))
    x, y = np.concatenate(([0.0], x[order], [1.0])), np.concatenate(([0.0], y[order], [1.0]))
    rises = np.append(True, y[1:] > np.maximum.accumulate(y)[:-1])  # the others are right of a point as high
    rises[-1] = True
    x, y = x[rises], y[rises]
    xs, ys = _upper_hull(x, y, tol=_COLLINEAR)
    return np.array(xs), np.array(ys)


def auh_from_points(fpr: ArrayLike, tpr: ArrayLike) -> float:
    """Area under the convex hull of a few ROC points, with (0, 0) and (1, 1).

    This is the AUH of Goh and Rudin: each point is the classifier at one weight of the negatives.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_points,)
        False and true positive rates in [0, 1], in any order, with duplicates or not.

    Returns
    -------
    float
        The area, from .5 (no point above the diagonal) to 1.

    See Also
    --------
    auh_score : The same over all thresholds of a score; not comparable with a hull of a few points.

    Examples
    --------
    >>> from boxdraw.metrics import auh_from_points
    >>> auh_from_points([0.25], [0.75])
    0.75
    >>> auh_from_points([], [])
    0.5
    """
    x, y = roc_hull(fpr, tpr)
    return _area(x.tolist(), y.tolist())


def auh_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: int | float | bool | str | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the convex hull of the ROC curve of a score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, exactly two of them.
    y_score : array-like of shape (n_samples,)
        Scores, larger for the positive class. ``-inf`` and ``inf`` are allowed, and each ties with itself.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes the larger one, as scikit-learn does.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. An integer weight means the same as repeating the row.

    Returns
    -------
    float
        The area, from .5 (no better than chance at any threshold) to 1 (perfect). It is never below the area
        under the ROC curve.

    See Also
    --------
    auh_from_points : The same for given ROC points.
    auh_scorer : This score as a scikit-learn scorer.

    Notes
    -----
    Only a threshold at the score of a positive can be a vertex of the hull, so the work beyond sorting grows
    with the positives, not with the rows. Without weights all comparisons are made in integers: the result is
    the exact area, rounded once.

    Examples
    --------
    >>> from boxdraw.metrics import auh_score
    >>> auh_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.875
    >>> auh_score(["b", "b", "a", "a"], [0.1, 0.4, 0.35, 0.8], pos_label="a")
    0.875
    """
    labels, score = np.asarray(y_true), np.asarray(y_score)
    for name, array in (("y_true", labels), ("y_score", score)):
        if array.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    if len(labels) != len(score):
        raise ValueError(f"y_true and y_score must have the same length, got {len(labels)} and {len(score)}.")
    positive = _positives(labels, pos_label)
    score = _check_score(score)
    if sample_weight is None:
        return _area(*_upper_hull(*_corners(score.compress(positive), score.compress(~positive))))
    return _area(*_upper_hull(*_weighted_points(positive, score, sample_weight)))


auh_scorer: Any = make_scorer(auh_score, response_method=("decision_function", "predict_proba"))
"""`auh_score` as a scikit-learn scorer, for ``scoring=auh_scorer``.

The score is ``decision_function`` or, for a classifier without one, ``predict_proba``; the positive class is
the larger label, as in scikit-learn's own ``"roc_auc"``. Swapping the two classes and the sign of the score
does not change the AUH, so it does not matter which class is positive, as long as a larger ``decision_function``
means ``classes_[1]``, as scikit-learn requires.
"""


def sign_test(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided sign test of matched pairs.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        The scores of two methods on the same splits.

    Returns
    -------
    float
        The p-value: the probability that fair coins are at least as lopsided as the signs of the differences. Ties are
        left out; if all pairs are ties, it is 1.

    Notes
    -----
    With fewer than six pairs the result is never below .05, whatever the scores.

    Examples
    --------
    >>> from boxdraw.metrics import sign_test
    >>> sign_test([0.9, 0.8, 0.9, 0.7, 0.9, 0.8], [0.8, 0.7, 0.8, 0.6, 0.8, 0.7])
    0.03125
    >>> sign_test([0.9, 0.8], [0.9, 0.8])
    1.0
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"first and second must be one-dimensional and of the same length, got {a.shape}, {b.shape}.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("first and second must be finite numbers.")
    up, down = int((a > b).sum()), int((a < b).sum())
    tail = sum(comb(up + down, k) for k in range(min(up, down) + 1))
    return min(1.0, 2 * tail / 2 ** (up + down))


def _check_rates(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return rates as a float array, or raise."""
    rates = np.asarray(values, dtype=np.float64)
    if rates.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {rates.shape}.")
    if not np.isfinite(rates).all():
        raise ValueError(f"{name} contains NaN or infinity.")
    if not ((rates >= 0) & (rates <= 1)).all():
        raise ValueError(f"{name} must lie in [0, 1], got values from {rates.min()} to {rates.max()}.")
    return rates


def _check_score(score: NDArray[Any]) -> NDArray[Any]:
    """Return scores as a sortable numeric array without NaN."""
    if score.dtype.kind == "O":
        score = score.astype(np.float64)
    elif score.dtype.kind not in "biuf":
        raise ValueError(f"y_score must be numeric, got dtype {score.dtype}.")
    if score.dtype.kind == "f" and np.isnan(score).any():
        raise ValueError("y_score contains NaN.")
    return score


def _positives(labels: NDArray[Any], pos_label: Any) -> NDArray[np.bool_]:
    """Return a mask of the positive rows; raise unless there are exactly two classes."""
    if labels.dtype.kind in "biuf" and len(labels):  # two passes are faster than a sort
        low, high = labels.min().item(), labels.max().item()
        if low != low:
            raise ValueError("y_true contains NaN.")
        positive: NDArray[np.bool_] = labels == high
        n_classes = 1 if low == high else 2 if (positive | (labels == low)).all() else 3
    else:
        try:
            classes = np.unique(labels).tolist()
        except TypeError as error:
            raise ValueError("y_true mixes labels that cannot be compared with each other.") from error
        n_classes = len(classes)
        low, high = (classes[0], classes[-1]) if n_classes else (None, None)
        positive = labels == high
    if n_classes < 2:
        raise ValueError("A ROC curve needs both classes, but y_true has fewer than two distinct labels.")
    if n_classes > 2:
        raise ValueError("auh_score is for two classes, but y_true has more than two distinct labels.")
    if pos_label is None or pos_label == high:
        return positive
    if pos_label == low:
        return ~positive
    raise ValueError(f"pos_label={pos_label!r} is not a label of y_true, which has {low!r} and {high!r}.")


def _corners(positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count false and true positives at the corners of the ROC curve, where it turns right, and at its ends."""
    positives, negatives = np.sort(positives), np.sort(negatives)
    n_pos, n_neg = len(positives), len(negatives)
    # With the threshold at the i-th smallest positive, below[i] negatives are spared. Of all i with the same
    # below[i] the first has the most true positives; it is also the first of its ties, so it counts them all.
    below = np.searchsorted(negatives, positives, side="left")
    first = np.flatnonzero(below[1:] != below[:-1])[::-1] + 1
    x = np.empty(len(first) + 3, dtype=np.int64)
    y = np.empty(len(first) + 3, dtype=np.int64)
    x[0], x[1:-2], x[-2], x[-1] = 0, n_neg - below[first], n_neg - below[0], n_neg
    y[0], y[1:-2], y[-2], y[-1] = 0, n_pos - first, n_pos, n_pos
    return x, y


def _weighted_points(
    positive: NDArray[np.bool_], score: NDArray[Any], sample_weight: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the weighted rates at the ROC points that are the highest at their false positive rate."""
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != score.shape:
        raise ValueError(f"sample_weight must have shape {score.shape}, got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and non-negative.")
    order = np.argsort(score)[::-1]
    score, weight, positive = score[order], weight[order], positive[order]
    last = np.append(score[1:] != score[:-1], True)  # of a run of tied scores
    rates = []
    for mask in (~positive, positive):
        with np.errstate(over="ignore"):
            total = np.cumsum(np.where(mask, weight, 0.0))[last]
        if not 0 < total[-1] < np.inf:
            raise ValueError("sample_weight must have a positive, finite sum in each class.")
        rates.append(np.append(0.0, total / total[-1]))
    x, y = rates
    highest = np.append(x[1:] != x[:-1], True)  # of each false positive rate
    return x[highest], y[highest]


def _upper_hull(x: NDArray[Any], y: NDArray[Any], tol: float = 0.0) -> tuple[list[Any], list[Any]]:
    """Return the vertices of the upper hull, with both ends, of points sorted by x and then by y."""
    # A vertex is never on or under a line between two other points, so all points that are on or under the
    # line between their neighbours go at once. When a round drops few, the scan is cheaper than more rounds.
    while (n := len(x)) > 64:
        dx, dy = x[1:] - x[:-1], y[1:] - y[:-1]
        inner = np.flatnonzero(dy[:-1] * dx[1:] > dy[1:] * dx[:-1]) + 1
        keep = np.empty(len(inner) + 2, dtype=np.intp)
        keep[0], keep[1:-1], keep[-1] = 0, inner, n - 1
        x, y = x.take(keep), y.take(keep)
        if len(x) > n - n // 8:
            break
    hull_x: list[Any] = []
    hull_y: list[Any] = []
    for x2, y2 in zip(x.tolist(), y.tolist(), strict=True):
        while len(hull_x) > 1:
            x1, y1 = hull_x[-1], hull_y[-1]
            x0, y0 = hull_x[-2], hull_y[-2]
            slack = tol * (x2 - x0 + abs(y1 - y0) + abs(y2 - y1)) if tol else 0
            if (y1 - y0) * (x2 - x1) - (y2 - y1) * (x1 - x0) > slack:
                break
            hull_x.pop()
            hull_y.pop()
        hull_x.append(x2)
        hull_y.append(y2)
    return hull_x, hull_y


def _area(x: list[Any], y: list[Any]) -> float:
    """Return the area under a line from (0, 0), as a share of the rectangle up to its last point."""
    twice = sum((x1 - x0) * (y0 + y1) for (x0, x1), (y0, y1) in zip(pairwise(x), pairwise(y), strict=True))
    return float(twice / (2 * x[-1] * y[-1]))
