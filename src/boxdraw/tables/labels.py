"""Labels and weights of rows: read, checked, and the positive class chosen."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.model.rule import is_missing

Labels = npt.NDArray[Any]


def rarer_label(n_rows: Mapping[Any, int]) -> Any:
    """Return the label with the fewest rows, of equally frequent ones the last; sample weights play no part in it."""
    return min(reversed(list(n_rows)), key=lambda label: n_rows[label])


def positive_label(n_rows: Mapping[Any, int], pos_label: Any, of: str = "a class of y") -> Any:
    """Return the positive class: the named one, or else the rarer of the labels, given with their numbers of rows."""
    if pos_label is None:
        return rarer_label(n_rows)
    # As Python compares them: NumPy has no answer for lists and for numbers that it has no type for.
    matches = [label for label in n_rows if np.ndim(pos_label) == 0 and label == pos_label]
    if len(matches) != 1:
        raise ValueError(f"pos_label={pos_label!r} is not {of}; expected one of {list(n_rows)}.")
    return matches[0]


def as_labels(y: Any) -> Labels:
    """Return labels as an array; those that it would change stay Python objects: texts with NULs at the end, say."""
    labels = np.asarray(y)
    if not isinstance(y, list | tuple) or labels.ndim != 1:
        return labels
    rounded = labels.dtype.kind == "f" and all(isinstance(label, int) for label in y)  # of more than 64 bits
    if rounded or (labels.dtype.kind == "U" and labels.tolist() != list(y)):
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
    return labels


def has_label(labels: Labels, label: Any) -> BoolArray:
    """Return a mask of the rows with a label, compared as Python objects where the labels are such."""
    if labels.dtype.kind == "O":  # as a scalar, NumPy would take a text without the NULs at its end
        return np.asarray(labels == np.array([label], dtype=object), dtype=np.bool_)
    return np.asarray(labels == label)


def read_labels(y: Any) -> Labels:
    """Check that y has one label for each row, and return the labels; y=None is left to scikit-learn's checks."""
    try:
        labels: Labels = column_or_1d(as_labels(y) if isinstance(y, list | tuple) else y, warn=True)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"y must have one label for each row: {error}") from None
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("Input y contains NaN or infinity: each row needs a label.")
    return _read_objects(labels) if labels.dtype.kind == "O" else labels


def _read_objects(labels: Labels) -> Labels:
    """Reject missing, mixed and plain enum labels; return whole numbers as an array of such."""
    kinds = set(map(type, labels))
    if kinds <= {str}:  # to look at each of a million texts takes longer than a fit
        return labels
    values = labels.tolist()
    if gone := [row for row, label in enumerate(values) if is_missing(label)]:
        raise ValueError(f"Input y contains NaN, the first in row {gone[0]} of {len(values)}: each row needs a label.")
    if all(issubclass(kind, int | np.integer) for kind in kinds):  # members of an IntEnum among them
        whole = [int(label) for label in values]
        _check_size(whole)
        kind = np.uint64 if max(whole) >= 2**63 else np.int64
        return np.array(whole, dtype=kind) if kinds != {bool} else labels.astype(np.bool_)
    _check_size([label for label in values if isinstance(label, int)])
    if enums := [kind.__name__ for kind in kinds if issubclass(kind, Enum) and not issubclass(kind, str)]:
        raise TypeError(
            f"y holds members of the enum {enums[0]}, which have no order; expected texts or numbers. Use their names "
            "or values, for example [label.name for label in y]."
        )
    if len({issubclass(kind, str) for kind in kinds}) == 2:
        raise TypeError(f"y must have labels of one type; got {', '.join(sorted(kind.__name__ for kind in kinds))}.")
    return labels


def _check_size(labels: list[int]) -> None:
    """Reject whole numbers that NumPy has no type for, or none that has all of them."""
    least, most = min(labels, default=0), max(labels, default=0)
    if least < -(2**63) or most >= 2 ** (63 if least < 0 else 64):
        raise ValueError(
            "y has whole numbers that no one integer type of 64 bits holds; expected labels that fit into one. Use "
            "texts, for example [str(label) for label in y]."
        )


def labels_of(y: Any, n_rows: int, classes: Labels) -> Labels:
    """Check labels against the rows and the classes that the model knows."""
    labels = as_labels(y).reshape(-1)
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} labels, but X has {n_rows} rows.")
    # What stands for no label has no place in an order.
    found = dict.fromkeys(labels.tolist()) if labels.dtype.kind == "O" else np.unique(labels).tolist()
    unknown = [label for label in found if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"y holds labels {unknown} that the model does not know; it knows {classes.tolist()}.")
    return labels


def weights_of(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> FloatArray | None:
    """Check the weights of rows, if there are some."""
    if sample_weight is None:
        return None
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from None
    if weight.shape != (n_rows,):
        raise ValueError(f"{name} has shape {weight.shape}; expected {(n_rows,)}.")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise ValueError(f"{name} must be finite and not negative.")
    return weight


def check_binary(y: Labels, pos_label: Any, weight: FloatArray | None = None) -> tuple[Labels, Any, BoolArray]:
    """Return the two classes, the positive one and a mask of its rows; rows without weight do not count."""
    if y.dtype.kind not in "biu":  # whole numbers are labels; the check is slow
        y = read_labels(y)
        with np.errstate(over="ignore", invalid="ignore"):  # of labels that no whole number of 64 bits has
            check_classification_targets(y)
    classes, is_second = _two_classes(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}. Wrap the classifier in sklearn.multiclass.OneVsRestClassifier for more classes."
        )
    if len(classes) < 2:
        raise ValueError(
            "Classifier can't train when only one class is present: boxes are drawn around one class and against "
            f"the other, and every label with weight is {classes.tolist()[0]!r}."
        )
    counted = np.ones(len(y), dtype=np.bool_) if weight is None else weight > 0
    n_second, n_rows = int(np.count_nonzero(is_second & counted)), int(np.count_nonzero(counted))
    first, second = classes.tolist()
    chosen = int(positive_label({first: n_rows - n_second, second: n_second}, pos_label) == second)
    return classes, classes[chosen], is_second if chosen else ~is_second


def _two_classes(y: Labels) -> tuple[Labels, BoolArray]:
    """Return the sorted classes and a mask of the last one; each label of two classes must equal its class."""
    if y.dtype.kind in "biuf" and len(y):
        least, most = y.min(), y.max()
        is_second = np.asarray(y == most)
        if (is_second | (y == least)).all():
            return np.unique(np.array([least, most], dtype=y.dtype)), is_second
    classes = np.array(sorted(set(y.tolist())), dtype=object) if y.dtype.kind == "O" else np.unique(y)
    is_second = has_label(y, classes[-1])
    if len(classes) == 2 and (is_second == has_label(y, classes[0])).any():
        raise ValueError(f"The labels of y do not equal the classes {classes.tolist()} found in them.")
    return classes, is_second


def check_groups(groups: Any, n_rows: int, estimator: Any) -> IntArray | None:
    """Return the number of the group of each row; None without groups."""
    if groups is None:
        return None
    if getattr(estimator, "cv", 3) is None:  # Exact Boxes have folds of their own
        raise ValueError("groups are for inner folds, and with cv=None there are none.")
    values = as_labels(groups)
    if values.shape != (n_rows,):
        raise ValueError(f"groups must have a value for each row of X: shape ({n_rows},), got {values.shape}.")
    if any(map(is_missing, values.tolist())):
        raise ValueError("groups has missing values: give each such row a group of its own.")
    try:
        return np.unique(values, return_inverse=True)[1].astype(np.intp)
    except TypeError:
        raise ValueError("groups must be of one kind: numbers or texts.") from None


def check_weight(sample_weight: Any, X: Any) -> FloatArray:
    """Check the weights of rows as scikit-learn does."""
    try:
        weight: FloatArray = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"sample_weight must be numbers of at least 0, one for each row: {error}") from None
    return weight
