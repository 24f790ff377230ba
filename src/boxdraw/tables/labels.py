"""Labels and weights of rows: read, checked, and the positive class chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.sums import total
from boxdraw.model.rule import is_missing


def labels_of(y: Any, n_rows: int, classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Check labels against the rows and the classes that the model knows."""
    labels = np.asarray(y).reshape(-1)
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


def check_binary(
    y: npt.NDArray[Any], pos_label: Any, weight: FloatArray | None = None
) -> tuple[npt.NDArray[Any], Any, BoolArray]:
    """Return the two classes, the positive one and which rows have it.

    The positive class is the one of less weight unless told otherwise; of two equal ones the second.
    """
    if y.dtype.kind not in "biu":  # whole numbers are labels; the check is slow
        _check_labels(y)
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
    chosen = 0 if total(weight, ~is_second) < total(weight, is_second) else 1
    if pos_label is not None:
        # As Python compares them: NumPy has no answer for lists and for numbers that it has no type for.
        matches = [k for k, label in enumerate(classes.tolist()) if np.ndim(pos_label) == 0 and label == pos_label]
        if len(matches) != 1:
            raise ValueError(f"pos_label={pos_label!r} is not a class of y; expected one of {classes.tolist()}.")
        chosen = matches[0]
    return classes, classes[chosen], is_second if chosen else ~is_second


def _check_labels(y: npt.NDArray[Any]) -> None:
    """Refuse what are no labels, as scikit-learn does, and say what it does not."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity: each row needs a label.")
    if y.dtype.kind == "O" and set(map(type, y)) != {str}:  # to look at each of a million texts takes longer than a fit
        gone = [row for row, label in enumerate(y.tolist()) if is_missing(label)]
        if gone:
            raise ValueError(f"Input y contains NaN, the first in row {gone[0]} of {len(y)}: each row needs a label.")
    try:
        check_classification_targets(y)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y.tolist()})
        if len(kinds) == 1:  # what is wrong with those scikit-learn says itself
            raise
        raise TypeError(f"y must have labels of one type; got {', '.join(kinds)}.") from None


def _two_classes(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], BoolArray]:
    """Return the classes in order, and which rows have the second one; sorting is for labels that are no numbers."""
    if y.dtype.kind in "biuf" and len(y):
        least, most = y.min(), y.max()
        is_second = np.asarray(y == most)
        if (is_second | (y == least)).all():
            return np.unique(np.array([least, most], dtype=y.dtype)), is_second
    classes = np.unique(y)
    return classes, np.asarray(y == classes[-1])


def check_weight(sample_weight: Any, X: Any) -> FloatArray:
    """Check the weights of rows as scikit-learn does."""
    try:
        weight: FloatArray = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"sample_weight must be numbers of at least 0, one for each row: {error}") from None
    return weight
