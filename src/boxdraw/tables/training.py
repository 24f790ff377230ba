"""Training rows as every learner takes them: checked, encoded, and without rows of no weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray, Matrix
from boxdraw._core.ranges import LARGE, Ranges
from boxdraw._core.sums import total
from boxdraw.tables.encoding import is_finite
from boxdraw.tables.labels import check_binary, check_groups, check_weight
from boxdraw.tables.schema import read_training

LEAST_BALANCE = 1e-12  # of the classes' weights, for learners that add both up: less is lost in the digits of the sum


@dataclass(frozen=True, slots=True)
class Training:
    """Rows of positive weight and which of them are positive."""

    X: Matrix
    positive: BoolArray
    weight: FloatArray | None
    kept: BoolArray | None = None  # which of the caller's rows these are, where some had no weight
    n_codes: tuple[int, ...] = ()  # how many codes a column of categories has; 0, or nothing at all, for numbers
    ranges: Ranges | None = None  # of the columns, where they are known already
    stand_for: tuple[float, float] = (1.0, 1.0)  # rows per positive and per negative, where these are a sample
    groups: IntArray | None = None  # the number of the group of each row, which inner folds keep whole

    @property
    def weights(self) -> FloatArray:
        """The weight of each row."""
        return np.ones(len(self.X)) if self.weight is None else self.weight

    @property
    def positive_weight(self) -> float:
        """Total weight of the positives."""
        return total(self.weight, self.positive)

    @property
    def negative_weight(self) -> float:
        """Total weight of the negatives."""
        return total(self.weight, ~self.positive)

    @property
    def balance(self) -> float:
        """Weight of the positives over that of the negatives: the cost at which the classes count the same."""
        return self.positive_weight / self.negative_weight

    def copy(self) -> Training:
        """Return the same rows in memory of their own."""
        weight = None if self.weight is None else self.weight.copy()
        return replace(self, X=self.X.copy(), weight=weight, kept=None, ranges=None)

    def take(self, rows: IntArray) -> Training:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        options: dict[str, Any] = {"n_codes": self.n_codes, "stand_for": self.stand_for, "groups": groups}
        return Training(self.X[rows], self.positive[rows], weight, **options)


def read_training_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    look: Callable[[Matrix], Ranges] | None = None,
    groups: Any = None,
) -> Training:
    """Check the data, find the classes, leave rows of no weight out; set what scikit-learn wants on the estimator.

    ``look`` finds the ranges of a matrix of numbers, which also says whether all of them are finite. An estimator that
    has been given a sample of rows read before, as ``_sample``, learns from that.
    """
    given: Training | None = vars(estimator).pop("_sample", None)
    if given is not None:
        return given
    ranges: Ranges | None = None

    def all_finite(X: Matrix) -> bool:
        nonlocal ranges
        if look is None or X.size <= LARGE:
            return is_finite(X)
        ranges = look(X)
        return ranges.are_finite()

    X, y, weight, kept = _with_weight(X, y, sample_weight)
    X, y, estimator._encoding = read_training(estimator, X, y, estimator.categorical_features, all_finite=all_finite)
    if not estimator._encoding.plain:
        ranges = None  # the matrix is another one
    numbers = check_groups(groups, len(y) if kept is None else len(kept), estimator)
    if kept is not None and numbers is not None:
        numbers = numbers[kept]
    if sample_weight is not None:
        weight = check_weight(sample_weight if weight is None else weight, X)
        with np.errstate(over="ignore"):
            in_all = float(weight.sum())
        if not 1e-200 < in_all < 1e200:
            raise ValueError(f"sample_weight adds up to {in_all:.3g}; scale it to between 1e-200 and 1e200.")
    estimator.classes_, estimator.pos_label_, positive = check_binary(y, estimator.pos_label)
    data = Training(X, positive, weight, kept, estimator._encoding.n_codes, ranges, groups=numbers)
    check_balance(data, 1e-200)
    return data


def _with_weight(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, FloatArray | None, BoolArray | None]:
    """Leave out rows without weight, before anything is learned of their values; say which rows stay.

    If all have weight, or what is given is no table of rows with labels and weights, it is returned as it is.
    """
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
        n_rows = {_num_samples(X), _num_samples(y)}
    except (TypeError, ValueError, OverflowError):
        return X, y, None, None
    if weight.ndim != 1 or n_rows != {len(weight)} or weight.all():
        return X, y, None, None
    kept = weight != 0
    if not kept.any():
        raise ValueError("All sample weights are zero; at least one row of each class needs some weight.")
    return _taken(X, kept), _taken(y, kept), weight[kept], kept


def _taken(data: Any, rows: BoolArray) -> Any:
    native = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native.filter(rows.tolist()).to_native()
    return _safe_indexing(data, rows)


def check_balance(data: Training, least: float) -> None:
    """Reject weights so uneven that float64 loses one class beside the other."""
    if data.weight is None:
        return
    totals = sorted([data.positive_weight, data.negative_weight])
    if totals[0] < least * totals[1]:
        raise ValueError(
            f"sample_weight adds up to {totals[0]:.3g} in one class and to {totals[1]:.3g} in the other; expected at "
            f"least {least:.1g} of the larger sum in either class. Scale the weights of one class."
        )
