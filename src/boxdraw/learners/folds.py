"""Inner folds and samples by hashes of the rows' values: the order of rows and columns changes nothing."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_random_state, check_scalar

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.ranges import LARGE, Ranges
from boxdraw._core.tiles import tiles
from boxdraw._core.warn import warn
from boxdraw.learners.scaling import fit_scaling, make_scaling
from boxdraw.tables.training import Training

_FEW = 20  # rows of a class in each fold, up to which chance is counted exactly
_STEPS = 1_000  # of an AUC
Hashes = npt.NDArray[np.uint64]
Split = tuple[IntArray, IntArray]


def fold_numbers(data: Training, n_folds: int, random_state: Any) -> IntArray:
    """Deal the rows of each class to the folds by a hash of their values: neither order nor units matter."""
    return hash_ranks(data, random_state) % n_folds


def hash_ranks(data: Training, random_state: Any) -> IntArray:
    """Return the rank of each row within its class, by a hash of its values."""
    hasher = _Hasher(data.X, random_state, data.ranges)
    first = hasher.of_rows(np.zeros_like(hasher.places))
    hashes: list[Hashes | FloatArray] = [first]
    order = np.argsort(first)
    if not np.diff(first[order]).all():
        # Rows of 0 and 1 with as many ones have the same hash. What else is in the columns tells those apart.
        keys = hasher.of_columns(first + data.positive)
        hashes += [hasher.of_rows(keys), hasher.of_rows(keys ^ hasher.places)]
        hashes += _rank_hashes(data.X, hashes, random_state)
        if data.weight is not None:
            hashes.append(data.weight)
        order = np.lexsort(hashes[::-1])
    ranks = np.empty(len(data.X), dtype=np.intp)
    positive = data.positive[order]
    for rows in (order[positive], order[~positive]):
        ranks[rows] = np.arange(len(rows))
    return ranks


def _rank_hashes(X: Matrix, hashes: list[Hashes | FloatArray], random_state: Any) -> list[Hashes]:
    """Return hashes of ranks, for rows whose values differ by too little for the scaled ones to differ."""
    order = np.lexsort(hashes[::-1])
    same = np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in hashes])
    pairs = X[order[1:][same]], X[order[:-1][same]]
    if np.array_equal(*pairs, equal_nan=True):
        return []
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T]).astype(np.float64)
    hasher = _Hasher(ranks, random_state)
    keys = np.stack([np.zeros_like(hasher.places), hasher.places])
    return [hasher.of_rows(keys[0]), hasher.of_rows(keys[1])]


class _Hasher:
    """Hashes of the rows and columns of a matrix, whatever its units; `places` are random numbers for the columns."""

    def __init__(self, X: Matrix, random_state: Any, ranges: Ranges | None = None) -> None:
        seed = 0 if random_state is None else check_random_state(random_state).randint(2**31)
        rng = np.random.default_rng(seed)
        self._scaling = fit_scaling(X, 2.0) if ranges is None else make_scaling(ranges.low, ranges.high, 2.0)
        self._X, self._tiles = X, tiles(*X.shape)
        self._factors = rng.integers(2**63, size=2, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        self.places = rng.integers(2**63, size=X.shape[1], dtype=np.uint64)

    def of_rows(self, keys: Hashes) -> Hashes:
        """Hash each row, with a key per column; columns of one value change nothing."""
        result = np.zeros(len(self._X), dtype=np.uint64)
        if self._X.size > LARGE:
            from boxdraw.learners.fold_kernel import add_hashes

            scaling = self._scaling
            add_hashes(self._X, scaling.prescale, scaling.middle, scaling.steps, self._factors, keys, result)
        else:
            for tile in self._tiles:
                result[tile] = self._mixed(self._bits(tile) ^ keys[:, None]).sum(axis=0, dtype=np.uint64)
        return result - self._mixed(keys).sum(dtype=np.uint64)

    def of_columns(self, keys: Hashes) -> Hashes:
        """Hash each column, with a key per row."""
        parts = [self._mixed(self._bits(tile) ^ keys[tile]).sum(axis=1, dtype=np.uint64) for tile in self._tiles]
        return np.sum(parts, axis=0, dtype=np.uint64)

    def _bits(self, tile: slice) -> Hashes:
        return (self._scaling.columns(self._X[tile]) + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0

    def _mixed(self, bits: Hashes) -> Hashes:
        once = (bits ^ (bits >> np.uint64(32))) * self._factors[0]
        return (once ^ (once >> np.uint64(29))) * self._factors[1]


def inner_splits(
    data: Training, labels: npt.NDArray[Any], cv: Any, random_state: Any, repeats: int = 1
) -> list[tuple[IntArray, IntArray]]:
    """Return training and test rows of the inner folds of ``cv``; useless folds are left out with a warning."""
    if isinstance(cv, Integral):
        splits = _dealt(data, int(cv), random_state, repeats)
    elif not (splits := [(train, np.unique(test)) for train, test in _given(data, labels, cv)]):  # each row once
        raise ValueError(f"cv gives no folds; got {cv!r}.")
    useless = [number for number, sides in enumerate(splits) if not all(map(_both, (data.positive[s] for s in sides)))]
    if useless:
        warn(
            f"Inner folds {reprlib.repr(useless)} lack positives or negatives on one side and are left out. Use fewer "
            "folds or a stratified splitter."
        )
        if len(useless) == len(splits):
            raise ValueError("No inner fold has both classes in its training and in its test rows.")
    return [sides for number, sides in enumerate(splits) if number not in useless]


def chance_level(positive: BoolArray, tests: list[IntArray], errors: float = 2) -> float:
    """Return the mean AUC that ranking by chance exceeds as rarely as a normal variable so many standard errors.

    Of few rows of a class this is exact: chance alone hardly ever ranks a single positive of each fold first.
    """
    ups = np.array([np.count_nonzero(positive[test]) for test in tests])
    downs = np.array([len(test) for test in tests]) - ups
    if min(ups.max(), downs.max()) <= _FEW:
        n_folds, by_chance = max(1, round(len(tests) / n_repeats(tests))), np.ones(1)  # of one deal
        for sizes in list(zip(ups.tolist(), downs.tolist(), strict=True))[:n_folds]:
            by_chance = np.convolve(by_chance, _auc_by_chance(*sizes))
        as_good = np.cumsum(by_chance[::-1])[::-1]
        return float(np.flatnonzero(as_good > ndtr(-errors))[-1] / (n_folds * _STEPS))
    variance = (ups + downs + 1) / (12 * ups * downs)
    return min(1.0, float(0.5 + errors * np.sqrt(n_repeats(tests) * variance.sum()) / len(tests)))


def _auc_by_chance(ups: int, downs: int) -> FloatArray:
    """Return how likely each AUC is if rows are ranked by chance, in steps that are rounded up."""
    few, others = min(ups, downs), min(max(ups, downs), _STEPS)  # of more others, steps are finer than those here
    count = np.zeros(few * others + 1)  # of orders, by how many pairs are in the right one: a Gaussian binomial
    count[0] = 1.0
    for i in range(1, few + 1):
        count[others + i :] -= count[: len(count) - others - i].copy()
        padded = np.append(count, np.zeros(-len(count) % i))
        count = padded.reshape(-1, i).cumsum(axis=0).reshape(-1)[: len(count)]
    places = np.ceil(np.arange(len(count)) * (_STEPS / (few * others)) - 1e-9).astype(np.intp)
    return np.bincount(places, count.clip(min=0) / count.clip(min=0).sum(), _STEPS + 1).astype(np.float64)


def n_repeats(tests: list[IntArray]) -> float:
    """Return how often a row is tested, of those that are, given the test rows of each fold."""
    rows = np.concatenate(tests)
    return len(rows) / len(np.unique(rows))


def auc(positive: BoolArray, score: FloatArray, weight: FloatArray) -> float:
    """Return the area under the ROC curve, without scikit-learn's checks, which take longer than a fit."""
    return ranking(positive, score, weight)[0]


def ranking(positive: BoolArray, score: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Return the area under the ROC curve, and that under the curve of precision by recall."""
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])  # by a power of two, so that no product of sums overflows
    _, place = np.unique(score, return_inverse=True)
    ups, downs = (np.bincount(place, weights=weight * side) for side in (positive, ~positive))
    below = np.cumsum(downs) - downs / 2
    pairs = ups.sum() * downs.sum()
    if not pairs > 0:
        return 0.5, float(ups.sum() > 0)
    above, other = np.cumsum(ups[::-1]), np.cumsum(downs[::-1])
    precision = np.divide(above, above + other, out=np.zeros_like(above), where=above > 0)
    return float((ups @ below) / pairs), float(ups[::-1] @ precision / ups.sum())


def usable_folds(n_folds: int, fewest: int, rows: str = "Rows") -> int:
    """Return how many folds so few rows of the smaller class allow, 0 for none; fewer than wanted give a warning."""
    if fewest < n_folds:
        what = f"only {fewest} folds are used" if fewest > 1 else "no parameter can be chosen by cross-validation"
        warn(f"{rows} of the smaller class: {fewest}, for {n_folds} inner folds: {what}.")
    return min(n_folds, fewest) if fewest > 1 else 0


def _both(positive: BoolArray) -> bool:
    return bool(positive.any() and not positive.all())


def _deal_groups(data: Training, groups: IntArray, n_folds: int, seeds: list[Any]) -> list[tuple[IntArray, IntArray]]:
    """Deal whole groups to the folds, so that each gets as equal a share of either class as that allows."""
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ValueError("groups has a single group, which no inner fold can hold out: leave groups out.")
    if n_groups < n_folds:
        warn(f"There are {n_groups} groups for {n_folds} inner folds: only {n_groups} folds are used.")
        n_folds = n_groups
    splitters = [StratifiedGroupKFold(n_folds, shuffle=seed is not None, random_state=seed) for seed in seeds]
    return [sides for splitter in splitters for sides in splitter.split(data.X, data.positive, groups)]


def _dealt(data: Training, n_folds: int, random_state: Any, repeats: int) -> list[tuple[IntArray, IntArray]]:
    check_scalar(n_folds, "cv", int, min_val=2)
    n_folds = usable_folds(n_folds, int(min(data.positive.sum(), (~data.positive).sum())))
    if not n_folds:
        return []
    seeds = [random_state]
    if repeats > 1:
        seeds = check_random_state(0 if random_state is None else random_state).randint(2**31, size=repeats).tolist()
    if data.groups is not None:
        return _deal_groups(data, data.groups, n_folds, seeds)
    numbers = [fold_numbers(data, n_folds, seed) for seed in seeds]
    return [
        (np.flatnonzero(number != k), np.flatnonzero(number == k))
        for number in numbers
        for k in range(number.max() + 1)
    ]


def _given(data: Training, labels: npt.NDArray[Any], cv: Any) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the folds of a splitter, or of given row numbers."""
    if cv is None:
        raise ValueError("cv must be a number of folds, a splitter or pairs (train, test); got None.")
    splitter = check_cv(cv, labels, classifier=True)
    if hasattr(cv, "split"):
        yield from splitter.split(data.X, labels, *(() if data.groups is None else (data.groups,)))
        return
    if data.groups is not None:
        raise ValueError("groups go with a number of folds or a splitter as cv; pairs (train, test) say it all.")
    kept = np.ones(len(labels), dtype=bool) if data.kept is None else data.kept
    place = np.cumsum(kept) - 1  # the given numbers count the rows without weight, which are gone
    try:
        folds = [(_row_numbers(train, len(kept)), _row_numbers(test, len(kept))) for train, test in splitter.split()]
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv must give pairs (train, test) of row numbers or masks, for {len(kept)} rows: {error}."
        ) from None
    for train, test in folds:
        yield place[train[kept[train]]], place[test[kept[test]]]


def _row_numbers(rows: Any, n_rows: int) -> IntArray:
    """Return row numbers, given as such or as a mask."""
    return np.arange(n_rows)[np.asarray(rows)] if len(rows) else np.empty(0, dtype=np.intp)
