"""The model: boxes worth points. It knows nothing of how the boxes and the points were learned."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import BoolArray
from boxdraw.model.boxes import BoxSet

if TYPE_CHECKING:
    from boxdraw.model.risk import RiskTable

__all__ = ["MAX_POINTS", "Scorecard", "boxes_of"]

#: The most points that a row can have; SQL adds whole numbers up to here.
MAX_POINTS = 2**31 - 1


class Scorecard:
    """A few boxes, each worth a whole number of points; a row with enough points is flagged.

    The points of a row are the sum over the boxes that hold it. If all points are positive, the flagged rows are a
    union of boxes, which `union` writes down; with negative points they are not. A scorecard never changes; two are
    equal if they say the same of the same features.

    Parameters
    ----------
    boxes : BoxSet
        The boxes. There may be none at all, and then nothing is flagged.
    points : sequence of int
        What each box is worth: whole numbers other than 0.
    threshold : int
        The points from which a row is flagged; at least 1 unless some points are negative. If it is more than all
        boxes together are worth, nothing is ever flagged.

    Attributes
    ----------
    boxes : BoxSet
    points : tuple of int
    threshold : int

    Examples
    --------
    >>> from boxdraw import BoxSet, Scorecard
    >>> inf = float("inf")
    >>> boxes = BoxSet([[250, -inf], [-inf, 22]], [[inf, inf], [inf, 24]], feature_names=["amount", "hour"])
    >>> card = Scorecard(boxes, [3, 2], threshold=4)
    >>> card
    Scorecard with 2 boxes on 2 features
    3 points: amount ≥ 250
    2 points: 22 ≤ hour ≤ 24
    Alarm from 4 points.
    >>> card.score([[300, 23], [300, 5], [10, 5]])
    array([5, 3, 0])
    >>> card.contains([[300, 23], [300, 5], [10, 5]])
    array([ True, False, False])
    """

    __slots__ = ("_union", "boxes", "points", "threshold")
    boxes: BoxSet
    points: tuple[int, ...]
    threshold: int
    _union: BoxSet | None  # once someone has asked for it

    def __init__(self, boxes: BoxSet, points: Sequence[int], threshold: int) -> None:
        if not isinstance(boxes, BoxSet):
            raise TypeError(f"boxes must be a BoxSet, got {type(boxes).__name__}")
        values = _checked_points(points, len(boxes))
        needed = _whole(threshold, "threshold")
        if abs(needed) > MAX_POINTS:
            raise ValueError(f"threshold must be at most {MAX_POINTS} in size")
        if needed < 1 and all(value > 0 for value in values):
            raise ValueError(f"threshold must be at least 1, got {needed}: without negative points all rows have that")
        for name, value in (("boxes", boxes), ("points", values), ("threshold", needed), ("_union", None)):
            object.__setattr__(self, name, value)

    @property
    def signed(self) -> bool:
        """Whether any points are negative."""
        return any(value < 0 for value in self.points)

    @property
    def n_limits(self) -> int:
        """How many limits a person reads on the card: `BoxSet.n_limits` of its boxes.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> Scorecard(BoxSet([[0], [2]], [[3], [9]]), [1, 2], 3).n_limits
        4
        """
        return self.boxes.n_limits

    def score(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Add up the points of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Rows, as `BoxSet.membership` takes them.
        n_jobs : int or None, default=None
            Threads; they help with large tables.

        Returns
        -------
        ndarray of int64 of shape (n_samples,)
            The points.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> Scorecard(BoxSet([[0], [2]], [[3], [9]]), [1, 2], 3).score([[1], [3], [5], [10]])
        array([1, 3, 2, 0])
        """
        inside = self.boxes.membership(X, n_jobs=n_jobs)
        if len(inside) < len(self.points):
            return np.asarray(inside @ np.array(self.points, dtype=np.int64))
        score = np.zeros(len(inside), dtype=np.int64)
        for k, value in enumerate(self.points):
            score[inside[:, k]] += value
        return score

    def contains(self, X: Any, *, n_jobs: int | None = None) -> BoolArray:
        """Return which rows have enough points.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Rows, as `BoxSet.membership` takes them.
        n_jobs : int or None, default=None
            Threads; they help with large tables.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Whether each row is flagged.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> Scorecard(BoxSet([[0], [2]], [[3], [9]]), [1, 2], 3).contains([[1], [3], [5], [10]])
        array([False,  True, False, False])
        """
        return np.asarray(self.score(X, n_jobs=n_jobs) >= self.threshold)

    def explain(self, X: Any) -> Any:
        """Return the points of each row, and where they come from.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        frame
            Of the same kind as X, pandas for arrays, with a row per row of X and the columns

            - ``flagged``, whether it has enough points;
            - ``points``, how many it has;
            - ``boxes``, the numbers of the boxes that hold it, from 1, those with most points first: ``"2, 1"``;
            - ``why``, the points with the limits of these boxes and the values of the row; for a row that is not
              flagged also what keeps it out of the nearest box that would be enough, if there is one.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> card = Scorecard(BoxSet([[0], [2]], [[3], [9]], feature_names=["dose"]), [1, 2], 2)
        >>> for why in card.explain([[2.5], [1]])["why"]:
        ...     print(why)
        3 points, alarm from 2: 2 for 2 ≤ dose ≤ 9 (has 2.5); 1 for 0 ≤ dose ≤ 3 (has 2.5)
        1 point, alarm from 2: 1 for 0 ≤ dose ≤ 3 (has 1); for 2 more it needs dose ≥ 2, has 1
        """
        from boxdraw.model.explain import explain_frame

        return explain_frame(self, X)

    def union(self) -> BoxSet:
        """Write the flagged rows as a union of boxes.

        Returns
        -------
        BoxSet
            Boxes that hold exactly the rows that this card flags, whatever the rows. A ValueError with negative points,
            because these rows are no union of boxes in general.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> boxes = BoxSet([[0], [2], [-9]], [[3], [9], [1]], feature_names=["dose"])
        >>> print(Scorecard(boxes, [2, 2, 3], 4).union().to_text())
        Box 1: 0 ≤ dose ≤ 1
        Box 2: 2 ≤ dose ≤ 3
        """
        from boxdraw.model.union import union_of

        union = union_of(self.boxes, self.points, self.threshold) if self._union is None else self._union
        object.__setattr__(self, "_union", union)
        return union

    def to_text(self, risk: RiskTable | None = None) -> str:
        """Write a line per box, and one that says from how many points a row is flagged.

        Parameters
        ----------
        risk : RiskTable, optional
            The risk by points: a line per region more, such as "5 or more points: 42% (31–54%)".

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> print(Scorecard(BoxSet([[0], [2]], [[3], [9]], feature_names=["dose"]), [1, -2], 1).to_text())
        1 point: 0 ≤ dose ≤ 3
        −2 points: 2 ≤ dose ≤ 9
        Alarm from 1 point.
        """
        from boxdraw.model.export.scorecard import to_text

        return to_text(self, risk)

    def to_frame(self, like: Any = None) -> Any:
        """Return the boxes as a frame with the columns ``rule`` and ``points``.

        Parameters
        ----------
        like : frame, optional
            A frame of pandas, polars or pyarrow; the result is one of the same kind. By default it is one of pandas.

        Returns
        -------
        frame
            A row per box.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> Scorecard(BoxSet([[0]], [[3]], feature_names=["dose"]), [2], 2).to_frame()
                   rule  points
        0  0 ≤ dose ≤ 3       2
        """
        from boxdraw._core.frames import frame_like
        from boxdraw.model.export.scorecard import to_columns

        return frame_like(like, to_columns(self))

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the card as JSON; `boxdraw.model.export.scorecard` documents the layout.

        Parameters
        ----------
        path : str or path-like, optional
            A file to write as well. It is replaced in one step, or left as it was if that fails.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> Scorecard.from_json(Scorecard(BoxSet([[1]], [[2]]), [3], 2).to_json()).points
        (3,)
        """
        from boxdraw._core.files import write_text
        from boxdraw.model.export.scorecard import to_json

        text = to_json(self)
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> Scorecard:
        """Read a card that `to_json` wrote.

        Parameters
        ----------
        source : str, bytes or path-like
            JSON text (bytes, or a str that starts with ``{``) or the path of a file.

        Returns
        -------
        Scorecard
            The card. Anything but a valid file gives a ValueError that says what is wrong and where.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> card = Scorecard(BoxSet([[1]], [[2]]), [3], 2)
        >>> Scorecard.from_json(card.to_json()) == card
        True
        """
        from boxdraw._core.files import read_source
        from boxdraw.model.export.scorecard import from_json

        return from_json(read_source(source))

    def to_sql(self, table: str | Sequence[str] | None = None, *, dialect: str = "sqlite", **options: Any) -> str:
        """Write the card as SQL that gives the same points and flags the same rows.

        Parameters
        ----------
        table : str or sequence of str, optional
            The table to select from, its parts one by one if it is in a schema. Without it, only an expression is
            written.
        dialect : str
            One of sqlite, duckdb, postgres, spark, bigquery, snowflake, mssql and mysql.
        **options
            ``column`` ("flagged") and ``points_column`` ("points"), the names of the columns with the labels and the
            points, which must not be those of features; either can be None, to be left out. ``positive`` (1) and
            ``negative`` (0), the labels, as in `BoxSet.to_sql`. ``risk``, a RiskTable, adds the risk of each row in the
            column ``risk_column`` ("risk"); ``reasons=True`` the numbers of the boxes that hold it, those with most
            points first, as the text ``2 1``, in the column ``reasons_column`` ("reasons").

        Returns
        -------
        str
            The statement or the expression: of the label, of the points if ``column`` is None, or of the risk if
            ``points_column`` is None too. What `BoxSet.to_sql` promises holds here too.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> print(Scorecard(BoxSet([[1]], [[2]], feature_names=["dose"]), [3], 2).to_sql(column=None))
        (
          CASE
            WHEN `dose` BETWEEN 1.0 AND 2.0
            THEN 3
            ELSE 0
          END
        )
        """
        from boxdraw.model.export.sql import to_sql

        return to_sql(self, table, dialect=dialect, **options)

    def to_python(self, name: str = "score", risk: RiskTable | None = None) -> str:
        """Write the card as a Python function that needs nothing but Python.

        Parameters
        ----------
        name : str
            The name of the function.
        risk : RiskTable, optional
            What rows risk.

        Returns
        -------
        str
            The source. The function takes a row as a mapping of names to values, and returns a dict: the ``flag``,
            the ``points``, the ``risk`` if there is one, and the ``reasons``, the numbers of the boxes that hold the
            row, from 1 in the order of the card, those with most points first.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> card = Scorecard(BoxSet([[0], [2]], [[3], [9]], feature_names=["dose"]), [1, 2], 3)
        >>> names = {}
        >>> exec(card.to_python(), names)
        >>> names["score"]({"dose": 2.5})
        {'flag': True, 'points': 3, 'reasons': [2, 1]}
        """
        from boxdraw.model.export.python import to_python

        return to_python(self, name, risk)

    def to_onnx(self, risk: RiskTable | None = None) -> Any:
        """Write the card as an ONNX model (needs ``boxdraw[onnx]``).

        Parameters
        ----------
        risk : RiskTable, optional
            What rows risk, to be an output too; `onnx_inputs` then takes it as well.

        Returns
        -------
        onnx.ModelProto
            The model, with the points, the label and the reasons of each row; `boxdraw.model.export.onnx` documents
            its inputs and outputs. A ValueError for the same boxes as in `BoxSet.to_onnx`.

        Examples
        --------
        >>> import onnxruntime
        >>> from boxdraw import BoxSet, Scorecard, onnx_inputs
        >>> card = Scorecard(BoxSet([[0], [2]], [[3], [9]]), [1, 2], 3)
        >>> session = onnxruntime.InferenceSession(card.to_onnx().SerializeToString())
        >>> points, reasons = session.run(["points", "reasons"], onnx_inputs(card, [[1], [3], [10]]))
        >>> points.tolist(), reasons.tolist()
        ([1, 3, 0], [[1, 0], [2, 1], [0, 0]])
        """
        from boxdraw.model.export.onnx import to_onnx

        return to_onnx(self, risk)

    def to_pmml(self, risk: RiskTable | None = None, *, positive: Any = 1, negative: Any = 0) -> str:
        """Write the card as a scorecard in PMML 4.4, with reason codes.

        Parameters
        ----------
        risk : RiskTable, optional
            What rows risk, to be an output too.
        positive, negative : label
            The labels of rows that are flagged and of others, of one type.

        Returns
        -------
        str
            The XML, with the outputs ``points``, ``flag``, the label, and ``reason1``, ``reason2`` and so on, the
            numbers of boxes; `boxdraw.model.export.pmml` documents it. A ValueError for names and categories that PMML
            cannot hold.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> card = Scorecard(BoxSet([[1]], [[2]], feature_names=["dose"]), [3], 2)
        >>> [line.strip() for line in card.to_pmml().splitlines() if "partialScore" in line]
        ['<Attribute partialScore="3">', '<Attribute partialScore="0" reasonCode="0">']
        """
        from boxdraw.model.export.pmml import to_pmml

        return to_pmml(self, risk, positive=positive, negative=negative)

    def to_markdown(self, risk: RiskTable | None = None) -> str:
        """Write the card as a table in Markdown, and the risk by points as another.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> print(Scorecard(BoxSet([[1]], [[2]], feature_names=["dose"]), [3], 2).to_markdown())
        | Points | Rule |
        | ---: | :--- |
        | 3 | 1 ≤ dose ≤ 2 |
        <BLANKLINE>
        Alarm from 2 points.
        """
        from boxdraw.model.export.scorecard import to_markdown

        return to_markdown(self, risk)

    def to_html(self, risk: RiskTable | None = None) -> str:
        """Write the card as a table in HTML, as notebooks show it, and the risk by points as another.

        Examples
        --------
        >>> from boxdraw import BoxSet, Scorecard
        >>> Scorecard(BoxSet([[1]], [[2]]), [3], 2).to_html().splitlines()[0]
        '<table>'
        """
        from boxdraw.model.export.scorecard import to_html

        return to_html(self, risk)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        from boxdraw.model.export.scorecard import to_repr

        return to_repr(self)

    def __len__(self) -> int:
        return len(self.boxes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scorecard):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[BoxSet, tuple[int, ...], int]:
        return self.boxes, self.points, self.threshold

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot set {name!r}: a Scorecard does not change; make a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: a Scorecard does not change; make a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._key()


def boxes_of(drawing: BoxSet | Scorecard) -> BoxSet:
    """Return the boxes that people read: those worth points, if the model is a scorecard."""
    return drawing.boxes if isinstance(drawing, Scorecard) else drawing


def _checked_points(points: Sequence[int], n_boxes: int) -> tuple[int, ...]:
    """Return the points of the boxes; raise if they are not valid."""
    if isinstance(points, str | bytes | Set | Mapping) or not hasattr(points, "__iter__"):
        raise TypeError(f"points must be a sequence of whole numbers, got {points!r}")
    values = tuple(_whole(value, f"points[{k}]") for k, value in enumerate(points))
    if len(values) != n_boxes:
        raise ValueError(f"points must have a number for each of the {n_boxes} boxes, got {len(values)}")
    if 0 in values:
        raise ValueError(f"points[{values.index(0)}] must not be 0: leave out a box that is worth nothing")
    if sum(map(abs, values)) > MAX_POINTS:
        raise ValueError(f"points must add up to at most {MAX_POINTS} in size")
    return values


def _whole(value: Any, what: str) -> int:
    """Return a whole number as Python has it."""
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{what} must be a whole number, got {value!r}")
