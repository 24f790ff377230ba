"""The model: a union of axis-parallel boxes. It knows nothing of how the boxes were learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.model.export.methods import Exports
from boxdraw.model.limits import (
    Allowed,
    check_limits,
    checked_categories,
    checked_matrix,
    checked_missing,
    checked_names,
    limited_features,
)
from boxdraw.model.membership import find_any, find_depth, find_each
from boxdraw.model.rule import Category, Limit, Rule

if TYPE_CHECKING:
    from boxdraw.model.constraints import Breach
    from boxdraw.model.simplify import Change


class BoxSet(Exports):
    """A union of axis-parallel boxes in the units of the user's data.

    A row is in a box if it meets all limits of the box, and it is flagged if it is in any box. A feature has either
    numbers, limited by an interval, or categories, limited by a set of them; for either, a box also says whether a
    missing value is inside. A box set never changes; two are equal if they have the same limits on the same features.

    Parameters
    ----------
    lower, upper : array-like of shape (n_boxes, n_features)
        The limits, which belong to the box. ``-inf`` and ``inf`` mean no limit, as for every feature with
        categories; ``inf`` below and ``-inf`` above that only missing values are inside. There may be no boxes at all.
    feature_names : iterable of str, optional
        The names of the columns, all different. By default ``x0``, ``x1``, ...
    categories : mapping of str to iterable, optional
        The features that have categories instead of numbers, by name, with all categories that are known.
    allowed : mapping of str to sequence, optional
        For features with categories, those inside each box: a set, or None for all of them, known or not.
    missing : array-like of bool of shape (n_boxes, n_features), optional
        Whether a missing value is inside. By default it is where the box has no other limit on the feature.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_boxes, n_features), read-only
    missing : ndarray of bool of shape (n_boxes, n_features), read-only
    categories : tuple with a tuple of categories per feature, or None for a feature of numbers
    allowed : tuple with a tuple per box, of a frozenset of categories per feature or None for no such limit
    limited : ndarray of bool of shape (n_boxes, n_features), read-only
        Which features each box limits.
    feature_names : tuple of str
    n_boxes, n_features : int

    Notes
    -----
    The methods that take ``X`` accept an array-like of shape (n_samples, n_features) or a pandas, polars or
    pyarrow frame. The columns of a frame are found by name, in any order and among others; by position only
    if the names are the default ones and the frame has none of them. Numbers are compared as float64. NaN, None and
    NA are missing. A category that is not known is outside every box that limits the feature's categories.

    Examples
    --------
    >>> from boxdraw import BoxSet
    >>> inf = float("inf")
    >>> boxes = BoxSet([[30, -inf], [-inf, 5]], [[inf, 2], [20, inf]], feature_names=["age", "dose"])
    >>> boxes
    BoxSet with 2 boxes on 2 features
    Box 1: age ≥ 30 and dose ≤ 2
    Box 2: age ≤ 20 and dose ≥ 5
    >>> boxes.contains([[40, 1], [40, 7], [10, 7]])
    array([ True, False,  True])
    >>> BoxSet([[30, -inf]], [[inf, inf]], feature_names=["age", "region"], allowed={"region": [{"north", "east"}]})
    BoxSet with 1 box on 2 features
    Box 1: age ≥ 30 and region in {east, north}
    """

    __slots__ = (
        "allowed",
        "categories",
        "feature_names",
        "limited",
        "lower",
        "missing",
        "n_boxes",
        "n_features",
        "upper",
    )
    feature_names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    missing: BoolArray
    categories: tuple[tuple[Category, ...] | None, ...]
    allowed: Allowed
    limited: BoolArray
    n_boxes: int
    n_features: int

    def __init__(
        self,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        *,
        feature_names: Iterable[str] | None = None,
        categories: Mapping[str, Iterable[Category]] | None = None,
        allowed: Mapping[str, Sequence[Iterable[Category] | None]] | None = None,
        missing: npt.ArrayLike | None = None,
    ) -> None:
        low, high = checked_matrix(lower, "lower"), checked_matrix(upper, "upper")
        if low.shape != high.shape:
            raise ValueError(f"lower and upper must have the same shape, got {low.shape} and {high.shape}")
        names = checked_names(feature_names, low.shape[1])
        known, admitted = checked_categories(categories, allowed, names, len(low))
        categorical = np.array([values is not None for values in known])
        limited = limited_features(low, high, categorical, admitted)
        missing_inside = checked_missing(missing, limited)
        check_limits(low, high, missing_inside, categorical, admitted, names)
        limited |= ~missing_inside
        limited.flags.writeable = False
        values: dict[str, Any] = {"lower": low, "upper": high, "feature_names": names, "missing": missing_inside}
        values |= {"categories": known, "allowed": admitted, "limited": limited}
        values |= {"n_boxes": low.shape[0], "n_features": low.shape[1]}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[Rule],
        feature_names: Iterable[str],
        categories: Mapping[str, Iterable[Category]] | None = None,
    ) -> Self:
        """Make boxes from rules; the inverse of `rules`.

        Parameters
        ----------
        rules : iterable of Rule
            One per box.
        feature_names : iterable of str
            All features, in the order of the columns.
        categories : mapping of str to iterable, optional
            The known categories of the features that have some; those in the rules are added.

        Returns
        -------
        BoxSet
            The boxes.

        Examples
        --------
        >>> from boxdraw import BoxSet, Limit, Rule
        >>> BoxSet.from_rules([Rule((Limit("age", upper=20, missing=True),))], ["age"]).to_text()
        'Box 1: age ≤ 20 (or missing)'
        """
        from boxdraw.model.editing import from_rules

        return from_rules(cls, rules, feature_names, categories)

    def rules(self) -> list[Rule]:
        """Return the boxes as data: a rule per box, a limit per feature that it limits.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[30]], [[float("inf")]], feature_names=["age"]).rules()[0].limits
        (Limit(feature='age', lower=30.0, upper=inf, categories=None, missing=False),)
        """
        return [
            Rule(tuple(self._limit(k, j) for j in np.flatnonzero(row).tolist())) for k, row in enumerate(self.limited)
        ]

    def _limit(self, k: int, j: int) -> Limit:
        numbers = float(self.lower[k, j]), float(self.upper[k, j])
        return Limit(self.feature_names[j], *numbers, self.allowed[k][j], bool(self.missing[k, j]))

    @property
    def n_limits(self) -> int:
        """How many limits a person reads, over all boxes.

        Each end of an interval is one. An equality is one, as are a set of categories, "is missing" and "is known"; an
        "or missing" beside another limit is none.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[30, 1]], [[40, 1]], feature_names=["age", "smoker"]).n_limits
        3
        """
        ends = np.isfinite(self.lower).astype(np.intp) + np.isfinite(self.upper) - (self.lower == self.upper)
        return int(np.maximum(ends, 1)[self.limited].sum())

    def membership(self, X: Any, *, n_jobs: int | None = None) -> BoolArray:
        """Return which boxes hold each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        n_jobs : int or None, default=None
            Threads, as in scikit-learn; they help with large tables.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_boxes)
            A column per box.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[0], [2]], [[3], [9]]).membership([[1]])
        array([[ True, False]])
        """
        return find_each(X, self, n_jobs)

    def contains(self, X: Any, *, n_jobs: int | None = None) -> BoolArray:
        """Return which rows are in any box.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        n_jobs : int or None, default=None
            Threads, as in scikit-learn; they help with large tables.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Whether each row is flagged.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[0], [2]], [[3], [9]]).contains([[1], [3], [10]])
        array([ True,  True, False])
        """
        return find_any(X, self, n_jobs)

    def margin(self, X: Any) -> FloatArray:
        """Measure how far inside or outside each row is, in the units of the limit that decides.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float of shape (n_samples,)
            The largest over boxes of the smallest ``x - lower`` and ``upper - x`` over limits: at least 0
            exactly where `contains` is True. An equality that is met, as ``hour = 5``, has no distance and counts as
            ``inf``, as categories do; so does a box without limits. Without boxes, or when missing values or categories
            keep a row out of all of them, it is ``-inf``.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[0], [2]], [[3], [9]]).margin([[1], [5], [9], [11]])
        array([ 1.,  3.,  0., -2.])
        """
        return find_depth(X, self)

    def replace(self, box: int, feature: str, **limits: Any) -> Self:
        """Change the limits of a box on a feature.

        Parameters
        ----------
        box : int
            The number of the box, from 0.
        feature : str
            The name of the feature.
        **limits
            Any of ``lower``, ``upper``, ``categories`` and ``missing``, as in `boxdraw.Limit`; what is not given
            stays as it is.

        Returns
        -------
        BoxSet
            New boxes.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[30]], [[40]], feature_names=["age"]).replace(0, "age", upper=45).to_text()
        'Box 1: 30 ≤ age ≤ 45'
        """
        from boxdraw.model.editing import replace

        return replace(self, box, feature, limits)

    def drop_limit(self, box: int, feature: str) -> Self:
        """Drop the limits of a box, numbered from 0, on a feature.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[30, 1]], [[40, 2]], feature_names=["age", "dose"]).drop_limit(0, "age").to_text()
        'Box 1: 1 ≤ dose ≤ 2'
        """
        from boxdraw.model.editing import drop_limit

        return drop_limit(self, box, feature)

    def drop_box(self, box: int) -> Self:
        """Drop a box, numbered from 0.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[1], [5]], [[2], [6]]).drop_box(0).to_text()
        'Box 1: 5 ≤ x0 ≤ 6'
        """
        from boxdraw.model.editing import drop_box

        return drop_box(self, box)

    def add_box(self, limits: Rule | Iterable[Limit] | Mapping[str, Any]) -> Self:
        """Add a box at the end.

        Parameters
        ----------
        limits : Rule, iterable of Limit, or mapping of feature names
            As a mapping, to ``(lower, upper)`` or to a set of categories.

        Returns
        -------
        BoxSet
            New boxes.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> print(BoxSet([[1]], [[2]]).add_box({"x0": (5, float("inf"))}).to_text())
        Box 1: 1 ≤ x0 ≤ 2
        Box 2: x0 ≥ 5
        """
        from boxdraw.model.editing import add_box

        return add_box(self, limits)

    def simplify(self, X: Any, y: Any, *, max_loss: float = 0.0, **options: Any) -> tuple[Self, list[Change]]:
        """Drop limits and boxes, and merge boxes, as long as that costs little on given rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows on which the cost is measured.
        y : array-like of shape (n_samples,)
            Their labels.
        max_loss : float, default=0.0
            By how much the objective may fall in all: the weight of the flagged positives, less ``negative_weight``
            times the weight of the flagged negatives.
        **options
            ``negative_weight``, the cost of a flagged negative relative to the worth of a flagged positive, by default
            the balance: the weight of the positives over that of the negatives; ``sample_weight``; ``pos_label``, the
            positive class, by default the one with fewer rows; and ``merge=False`` to leave boxes apart.

        Returns
        -------
        BoxSet
            New boxes.
        list of Change
            What was done, step by step. The losses add up to at most ``max_loss``.

        Notes
        -----
        A step drops a box, drops a limit or one of its two numbers, or replaces two boxes by the smallest box around
        both. Boxes whose rows are all in other boxes go first. Then the step with the least loss per box and limit that
        it saves is taken again and again, an interval counting as two limits. Another order of steps may end in still
        simpler boxes.

        At the balance the objective is the weight of the positives times recall less false-alarm rate. Boxes that are
        better than chance are worth more than none, so without ``max_loss`` some of them stay. With a weight of 1,
        boxes whose precision is below a half are worth less than nothing, and all of them are dropped.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> boxes = BoxSet([[1, 0]], [[2, 9]], feature_names=["dose", "age"])
        >>> fewer, changes = boxes.simplify([[1, 5], [2, 5], [5, 5], [6, 5], [7, 5]], [1, 1, 0, 0, 0])
        >>> fewer.to_text()
        'Box 1: dose ≤ 2'
        """
        from boxdraw.model.simplify import simplify

        return simplify(self, X, y, max_loss=max_loss, **options)

    def round(self, X: Any, y: Any = None, *, digits: int | None = None, **options: Any) -> tuple[Self, list[Change]]:
        """Move limits to the roundest numbers that leave given rows where they are.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows that are not to change sides.
        y : array-like of shape (n_samples,), optional
            Their labels. With ``digits`` they decide which of two roundings costs less.
        digits : int, optional
            The most significant digits that a number may have, even if rows change sides.
        **options
            ``negative_weight``, ``sample_weight`` and ``pos_label`` of the cost, as in `simplify`; used only with y.

        Returns
        -------
        BoxSet
            New boxes.
        list of Change
            A change for each limit that moved, with the rows that it flagged and freed.

        Notes
        -----
        Each limit becomes the number of fewest significant digits, and of those the nearest, between the rows in its
        box and those that the limit excludes: no row enters or leaves a box. Whole-number features get whole limits,
        and where a feature has two whole values, a box that admits one of them has it as both limits. The learners do
        the same with their training rows unless ``round_limits=False``.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[2.0137]], [[6.4992]]).round([[1.9], [3.2], [5.8], [8.1]])[0].to_text()
        'Box 1: 2 ≤ x0 ≤ 6'
        """
        from boxdraw.model.rounding import round_boxes

        return round_boxes(self, X, y, digits=digits, **options)

    def check(
        self,
        *,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        allowed_values: Any = None,
        max_limits: int | None = None,
        max_boxes: int | None = None,
        min_box_rows: float | None = None,
        min_box_precision: float | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
    ) -> list[Breach]:
        """Say which limits and boxes break constraints.

        Parameters
        ----------
        monotonic_cst, interaction_cst, allowed_values, max_limits, max_boxes, min_box_rows, min_box_precision
            The constraints, as in `SparseBoxesClassifier`.
        X, y, sample_weight, pos_label
            Rows, their labels, their weights and the positive class, as in `simplify`. Only ``min_box_rows`` and
            ``min_box_precision`` need rows and labels.

        Returns
        -------
        list of Breach
            What is broken; empty if all is well.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> boxes = BoxSet([[30, 1]], [[40, 2]], feature_names=["age", "dose"])
        >>> for breach in boxes.check(monotonic_cst={"age": 1}, interaction_cst="no_interactions"):
        ...     print(breach.text)
        box 1: age ≤ 40 is an upper limit, but age may only have lower ones
        box 1 limits age, dose, but at most 1 of the features may stand together
        """
        from boxdraw.model.constraints import check_boxes

        rows = X, y, sample_weight, pos_label
        return check_boxes(
            self,
            *rows,
            monotonic_cst=monotonic_cst,
            interaction_cst=interaction_cst,
            allowed_values=allowed_values,
            max_limits=max_limits,
            max_boxes=max_boxes,
            min_box_rows=min_box_rows,
            min_box_precision=min_box_precision,
        )

    def explain(self, X: Any) -> Any:
        """Return which box holds each row, or what it would take to be in the nearest one.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        frame
            Of the same kind as X, pandas for arrays, with a row per row of X and the columns

            - ``flagged``, whether any box holds the row;
            - ``box``, the number, from 1 as in `to_text`, of the first box that holds the row, or else of the nearest
              one; None without boxes;
            - ``boxes``, the numbers of all boxes that hold the row, as text: ``"1, 3"``;
            - ``n_violations``, how many features keep the row out of ``box``;
            - ``distance``, how far the row is from ``box``: the sum over the limits that it does not meet of the
              distance to the limit, divided by the interquartile range of the feature in X; 1 for a category or a
              missing value; ``inf`` without boxes;
            - ``why``, the limits of ``box`` and the values of the row; for a row that is not flagged only the limits
              that it does not meet.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[0]], [[250]], feature_names=["amount"]).explain([[300]])["why"][0]
        'needs amount ≤ 250, has 300'
        """
        from boxdraw.model.explain import explain_frame

        return explain_frame(self, X)

    def __add__(self, other: object) -> Self:
        """Put the boxes of two sets on the same features together."""
        from boxdraw.model.editing import union

        return union(self, other) if isinstance(other, BoxSet) else NotImplemented

    def __len__(self) -> int:
        return self.n_boxes

    def __getitem__(self, index: SupportsIndex | slice | Sequence[int] | npt.NDArray[Any]) -> Self:
        return self._with(index if isinstance(index, slice) else self._places(index))

    def _places(self, index: Any) -> npt.NDArray[np.intp]:
        """Return the places of boxes that are chosen by one number, by several, or by a mask."""
        chosen = np.asarray(index)
        kinds = "iub" if chosen.ndim else "iu"
        if chosen.ndim > 1 or (chosen.size and chosen.dtype.kind not in kinds):
            raise TypeError(f"boxes are chosen by a number from 0 on, a slice, or a list of numbers; got {index!r}")
        return np.array(np.arange(self.n_boxes)[chosen if chosen.size else np.s_[:0]], ndmin=1)

    def _with(self, rows: Any) -> Self:
        """Return some of the boxes."""
        options = self._options()
        if options["allowed"]:
            chosen = np.arange(self.n_boxes)[rows].tolist()
            options["allowed"] = {name: [sets[k] for k in chosen] for name, sets in options["allowed"].items()}
        options["missing"] = self.missing[rows]
        return type(self)(self.lower[rows], self.upper[rows], **options)

    def _options(self) -> dict[str, Any]:
        """Return what the constructor takes beside the limits."""
        named = {name: j for j, name in enumerate(self.feature_names) if self.categories[j] is not None}
        return {
            "feature_names": self.feature_names,
            "categories": {name: self.categories[j] for name, j in named.items()},
            "allowed": {name: [sets[j] for sets in self.allowed] for name, j in named.items()},
            "missing": self.missing,
        }

    def __iter__(self) -> Iterator[Self]:
        return (self[k] for k in range(self.n_boxes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoxSet):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        limits = self.lower.tobytes(), self.upper.tobytes(), self.missing.tobytes()
        return self.feature_names, self.lower.shape, limits, self.categories, self.allowed

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot set {name!r}: a BoxSet does not change; make a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: a BoxSet does not change; make a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._options()), (self.lower, self.upper)
