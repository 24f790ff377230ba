"""The input of the displays: boxes or a scorecard, and labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, IntArray
from boxdraw.model.boxes import BoxSet
from boxdraw.model.membership import meets
from boxdraw.model.rows import MISSING, Columns, read_columns
from boxdraw.model.scorecard import Scorecard
from boxdraw.plotting._matplotlib import literal
from boxdraw.tables.labels import as_labels, has_label, labels_of, rarer_label
from boxdraw.tables.schema import check_table

#: Characters of a name that fit.
NAME_WIDTH = 28


@dataclass(frozen=True, slots=True)
class Rules:
    """Boxes, and their scorecard if they have one."""

    boxes: BoxSet
    card: Scorecard | None = None

    @classmethod
    def of(cls, given: Any) -> Rules:
        """Accept a BoxSet or a Scorecard."""
        if isinstance(given, Scorecard):
            return cls(given.boxes, given)
        if isinstance(given, BoxSet):
            return cls(given)
        kind = type(given).__name__
        raise TypeError(f"boxes must be a BoxSet or a Scorecard, got {kind}; from_estimator takes a fitted classifier")

    def contains(self, X: Any) -> BoolArray:
        """Return a mask of the flagged rows."""
        return self.boxes.contains(X) if self.card is None else self.card.contains(X)

    def tag(self, k: int) -> str:
        """Return the name of a box, with its points if there are any."""
        return f"Box {k + 1}" if self.card is None else f"Box {k + 1}: {signed(self.card.points[k])}"

    def flagged_texts(self) -> tuple[str, str]:
        """Return the legend of solid and hollow markers."""
        if self.card is None:
            return "in a box", "in no box"
        return f"flagged, from {self.card.threshold} points on", "not flagged"


def boxes_of(estimator: Any) -> Any:
    """Return the boxes of a fitted classifier, or its scorecard."""
    check_is_fitted(estimator)
    found = getattr(estimator, "scorecard_" if hasattr(estimator, "scorecard_") else "boxes_", None)
    if found is None or not hasattr(estimator, "classes_"):
        raise TypeError(
            f"estimator must be a classifier with boxes_, got {type(estimator).__name__}; of a pipeline or search "
            "pass the box classifier itself, and rows as it gets them"
        )
    return found


def signed(points: int) -> str:
    """Format points with their sign."""
    return f"+{points}" if points > 0 else f"−{-points}"


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Columns of rows, and the classes of the rows."""

    columns: Columns
    labels: npt.NDArray[Any]
    pos_label: Any
    classes: tuple[tuple[Any, int], ...]  # the positive class and the other one, if any, with their numbers of rows

    @classmethod
    def read(cls, X: Any, y: Any, boxes: BoxSet, pos_label: Any, features: Sequence[int] | None = None) -> LabelledRows:
        """Check rows and labels; read the given columns, or all that the boxes limit."""
        check_table(X)
        n_rows, columns = read_columns(X, boxes, features)
        labels = as_labels(y)
        if labels.shape != (n_rows,):
            raise ValueError(f"labels must be one per row: expected shape ({n_rows},), got {labels.shape}")
        sizes = _sizes(labels)
        if pos_label is None and sizes:
            pos_label = rarer_label(sizes)
        return cls(columns, labels, pos_label, _two(sizes, pos_label))

    @property
    def positive(self) -> BoolArray:
        """Mask of the positive rows."""
        return has_label(self.labels, self.pos_label)

    def class_texts(self, drawn: BoolArray | None = None) -> list[str]:
        """Return a legend text per class, with the numbers of rows in all and drawn."""
        counts = [size for _, size in self.classes]
        if drawn is not None:
            counts = [int((self.positive == want)[drawn].sum()) for want in (True, False)]
        return [_class_text(name, count, size) for (name, size), count in zip(self.classes, counts, strict=False)]


def labels_for(estimator: Any, y: Any) -> npt.NDArray[Any]:
    """Check labels against the classes of an estimator."""
    given = as_labels(y)
    return labels_of(given, given.size, estimator.classes_)


def _sizes(labels: npt.NDArray[Any]) -> dict[Any, int]:
    try:
        classes, counts = np.unique(labels, return_counts=True)
    except TypeError:
        raise ValueError("labels must be all numbers or all strings, without missing values; got a mixture") from None
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def _two(sizes: dict[Any, int], pos_label: Any) -> tuple[tuple[Any, int], ...]:
    """Return the label and the number of rows of the positive and of the other class."""
    others = {label: size for label, size in sizes.items() if label != pos_label}
    if len(others) > 1:
        few = f"{list(sizes)[:5]}{f' and {len(sizes) - 5} more' if len(sizes) > 5 else ''}"
        raise ValueError(f"labels must be pos_label={pos_label!r} and at most one other, got {few}")
    return ((pos_label, sizes.get(pos_label, 0)), *others.items())


def _class_text(name: Any, count: int, total: int) -> str:
    # matplotlib omits legend entries that start with an underscore.
    plain = isinstance(name, str) and not name.startswith("_")
    label = literal(name if plain else f"class {name}", NAME_WIDTH)
    return f"{label}: {total} rows" if count == total else f"{label}: {count} of {total} rows, sampled"


def failures(columns: Columns, boxes: BoxSet) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows that each feature alone excludes, of shape (n_boxes, n_features, n_rows)."""
    n_rows = len(next(iter(columns.values()), ()))
    failed = np.zeros((len(boxes), boxes.n_features, n_rows), dtype=np.bool_)
    for k, j in np.argwhere(boxes.limited).tolist():
        failed[k, j] = ~np.asarray(meets(columns[j], boxes, k, j))
    return failed


def kept_out(columns: Columns, boxes: BoxSet) -> IntArray:
    """Count the rows that each feature alone excludes, summed over the boxes."""
    counts = np.zeros(boxes.n_features, dtype=np.intp)
    for k, j in np.argwhere(boxes.limited).tolist():
        counts[j] += np.count_nonzero(~np.asarray(meets(columns[j], boxes, k, j)))
    return counts


def is_absent(column: npt.NDArray[Any], categorical: bool) -> BoolArray:
    """Return a mask of the missing values of a column."""
    return np.asarray(column == MISSING) if categorical else np.isnan(column.astype(np.float64, copy=False))


def positions_of(boxes: BoxSet, features: Any) -> tuple[int, ...]:
    """Return the indices of features given by name or index."""
    names = boxes.feature_names
    if isinstance(features, str) or not isinstance(features, Sequence | np.ndarray):
        raise ValueError(f"features must be a list of names or positions, got {features!r}")
    for feature in features:
        if feature not in (names if isinstance(feature, str) else range(len(names))):
            raise ValueError(f"{feature!r} is not a feature of the boxes; they have {list(names)}")
    positions = tuple(names.index(f) if isinstance(f, str) else int(f) for f in features)
    if len(set(positions)) < len(positions):
        raise ValueError(f"features must be different ones, got {features!r}")
    return positions
