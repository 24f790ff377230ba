"""What boxes can be written, read and drawn as. Each method only calls the function of the file that knows how."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet
    from boxdraw.model.risk import RiskTable
    from boxdraw.model.rule import Category
    from boxdraw.plotting import BoxesDisplay


class Exports:
    """The part of `BoxSet` that writes and draws boxes."""

    __slots__ = ()

    def _boxes(self) -> BoxSet:
        return cast("BoxSet", self)

    def to_text(self) -> str:
        """Write one sentence per box, a line each.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> print(BoxSet([[16.8, 14.2]], [[float("inf"), 30]], feature_names=["radius", "texture"]).to_text())
        Box 1: radius ≥ 16.8 and 14.2 ≤ texture ≤ 30
        """
        from boxdraw.model.export.text import to_text

        return to_text(self._boxes())

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the boxes as JSON; `boxdraw.model.export.json` documents the layout.

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
        >>> from boxdraw import BoxSet
        >>> BoxSet.from_json(BoxSet([[1]], [[2]]).to_json()).to_text()
        'Box 1: 1 ≤ x0 ≤ 2'
        """
        from boxdraw._core.files import write_text
        from boxdraw.model.export.json import to_json

        text = to_json(self._boxes())
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> BoxSet:
        """Read boxes that `to_json` wrote.

        Parameters
        ----------
        source : str, bytes or path-like
            JSON text (bytes, or a str that starts with ``{``) or the path of a file.

        Returns
        -------
        BoxSet
            The boxes. Anything but a valid file gives a ValueError that says what is wrong and where.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet.from_json(BoxSet([[1]], [[2]]).to_json()) == BoxSet([[1]], [[2]])
        True
        """
        from boxdraw._core.files import read_source
        from boxdraw.model.export.json import from_json

        return from_json(read_source(source))

    @classmethod
    def from_text(
        cls,
        text: str,
        feature_names: Iterable[str] | None = None,
        categories: Mapping[str, Iterable[Category]] | None = None,
    ) -> BoxSet:
        """Read sentences as `to_text` writes them, one box a line, perhaps changed by hand.

        Parameters
        ----------
        text : str
            The sentences; ``<=`` and ``>=`` are read, too.
        feature_names : iterable of str, optional
            All features, in the order of the columns; by default those in the text, in their first order. Names
            that look like a part of a sentence can only be told from it if they are given.
        categories : mapping of str to iterable, optional
            The known categories of the features that have some; those in the text are added.

        Returns
        -------
        BoxSet
            The boxes. Anything else gives a ValueError with the number of the line.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet.from_text("amount >= 900 and country in {BR, NG}")
        BoxSet with 1 box on 2 features
        Box 1: amount ≥ 900 and country in {BR, NG}
        """
        from boxdraw.model.export.read_text import from_text

        return from_text(text, feature_names, categories)

    @classmethod
    def from_sql(
        cls,
        expression: str,
        feature_names: Iterable[str] | None = None,
        categories: Mapping[str, Iterable[Category]] | None = None,
        *,
        dialect: str = "sqlite",
    ) -> BoxSet:
        """Read a condition in SQL, a ``CASE``, or a query with one or a ``WHERE`` (needs ``boxdraw[sql]``).

        Parameters
        ----------
        expression : str
            What `to_sql` writes, or comparisons, ``BETWEEN``, ``IN`` and ``IS [NOT] NULL``, joined by ``AND`` and
            ``OR``. As in SQL, a missing value meets ``IS NULL`` only. ``>`` and ``<`` leave out their number: the
            limit is the float64 beside it.
        feature_names, categories
            As in `from_text`; a column that is compared with texts, or by ``IN``, has categories.
        dialect : str
            As in `to_sql`.

        Returns
        -------
        BoxSet
            The boxes, as many as it takes: each OR within an AND multiplies them. Anything else gives a ValueError
            with its place.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet.from_sql("amount >= 900 AND (country IN ('BR', 'NG') OR country IS NULL)")
        BoxSet with 1 box on 2 features
        Box 1: amount ≥ 900 and country in {BR, NG} (or missing)
        """
        from boxdraw.model.export.read_sql import from_sql

        return from_sql(expression, feature_names, categories, dialect=dialect)

    def to_sql(self, table: str | Sequence[str] | None = None, *, dialect: str = "sqlite", **options: Any) -> str:
        """Write the boxes as SQL that gives the same answers.

        Parameters
        ----------
        table : str or sequence of str, optional
            The table to select from, its parts one by one if it is in a schema. Without it, only the ``CASE``
            expression is written.
        dialect : str
            One of sqlite, duckdb, postgres, spark, bigquery, snowflake, mssql and mysql.
        **options
            ``column`` ("flagged"), the name of the column with the labels, which must not be that of a feature;
            ``positive`` (1) and ``negative`` (0), the labels of rows in any box and in none: both text, both numbers,
            or both true and false. ``risk``, a RiskTable, adds the risk of each row in the column ``risk_column``
            ("risk"); ``column`` can then be None, to be left out.

        Returns
        -------
        str
            The statement or the expression, without a semicolon: of the label, or of the risk or the reasons if
            ``column`` is None.
            `boxdraw.model.export.sql` documents what it promises.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> print(BoxSet([[1]], [[2]], feature_names=["dose"]).to_sql())
        CASE
          WHEN `dose` BETWEEN 1.0 AND 2.0
          THEN 1
          ELSE 0
        END
        """
        from boxdraw.model.export.sql import to_sql

        return to_sql(self._boxes(), table, dialect=dialect, **options)

    def to_python(self, name: str = "flag", risk: RiskTable | None = None, *, reasons: bool = False) -> str:
        """Write the boxes as a Python function that needs nothing but Python.

        Parameters
        ----------
        name : str
            The name of the function.
        risk : RiskTable, optional
            What rows risk; a second function, ``flag_risk``, gives the number.
        reasons : bool, default=False
            Whether the function returns a dict of the ``flag``, the ``risk`` if there is one, and the ``reasons``: the
            numbers, from 1, of the boxes that hold the row.

        Returns
        -------
        str
            The source. The function takes a row as a mapping of names to values, and returns True or False.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> names = {}
        >>> exec(BoxSet([[1]], [[2]], feature_names=["dose"]).to_python(), names)
        >>> names["flag"]({"dose": 1.5})
        True
        """
        from boxdraw.model.export.python import to_python

        return to_python(self._boxes(), name, risk, reasons)

    def to_onnx(self, risk: RiskTable | None = None) -> Any:
        """Write the boxes as an ONNX model (needs ``boxdraw[onnx]``).

        Parameters
        ----------
        risk : RiskTable, optional
            What rows risk, to be an output too; `onnx_inputs` then takes it as well.

        Returns
        -------
        onnx.ModelProto
            The model, which labels every row as the boxes do; ``onnx.save`` writes it to a file, and
            `boxdraw.model.export.onnx` documents its inputs and outputs. A ValueError if a feature has both text and
            numbers as categories, or a category that no tensor can hold.

        Examples
        --------
        >>> import onnxruntime
        >>> from boxdraw import BoxSet, onnx_inputs
        >>> boxes = BoxSet([[0], [2]], [[3], [9]], feature_names=["age"])
        >>> session = onnxruntime.InferenceSession(boxes.to_onnx().SerializeToString())
        >>> session.run(["label"], onnx_inputs(boxes, [[1], [3], [10]]))[0].tolist()
        [1, 1, 0]
        """
        from boxdraw.model.export.onnx import to_onnx

        return to_onnx(self._boxes(), risk)

    def to_pmml(self, risk: RiskTable | None = None, *, positive: Any = 1, negative: Any = 0) -> str:
        """Write the boxes as a rule set in PMML 4.4.

        Parameters
        ----------
        risk : RiskTable, optional
            What rows risk, to be an output too.
        positive, negative : label
            The labels of rows in any box and in none, of one type.

        Returns
        -------
        str
            The XML, with the outputs ``flag``, the label, and ``box``, the number of the first box that holds the row;
            `boxdraw.model.export.pmml` documents it. A ValueError for names and categories that PMML cannot hold.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> lines = BoxSet([[1]], [[2]], feature_names=["dose"]).to_pmml().splitlines()
        >>> [line.strip() for line in lines if "SimpleRule" in line]
        ['<SimpleRule id="1" score="1">', '</SimpleRule>']
        """
        from boxdraw.model.export.pmml import to_pmml

        return to_pmml(self._boxes(), risk, positive=positive, negative=negative)

    def to_markdown(self) -> str:
        """Write the boxes as a table in Markdown.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> print(BoxSet([[1]], [[2]], feature_names=["dose"]).to_markdown())
        | Box | Rule |
        | ---: | :--- |
        | 1 | 1 ≤ dose ≤ 2 |
        """
        from boxdraw.model.export.markdown import to_markdown

        return to_markdown(self._boxes())

    def to_html(self) -> str:
        """Write the boxes as a table in HTML.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet([[1]], [[2]]).to_html().splitlines()[0]
        '<table>'
        """
        from boxdraw.model.export.html import to_html

        return to_html(self._boxes())

    def plot(self, X: Any, y: Any, *, features: Any = None, pos_label: Any = None, ax: Any = None) -> BoxesDisplay:
        """Draw the boxes over labelled rows (needs ``boxdraw[plot]``).

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels, of at most two classes.
        features : sequence of str or int, or "used", optional
            Two features to show, three to eight for a grid of pairs, or all that the boxes limit; by default the two
            that matter most.
        pos_label : label, optional
            The positive class; the one with fewer rows by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BoxesDisplay
            The picture, with ``ax_`` and ``figure_``; `boxdraw.plotting` has others.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> boxes = BoxSet([[30, 1]], [[float("inf"), 2]], feature_names=["age", "dose"])
        >>> display = boxes.plot([[20, 1], [40, 1.5], [50, 3]], ["well", "ill", "well"])
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('age', 'dose')
        """
        from boxdraw.plotting import BoxesDisplay

        return BoxesDisplay.from_predictions(self._boxes(), X, y, features=features, pos_label=pos_label, ax=ax)

    def __repr__(self) -> str:
        from boxdraw.model.export.text import to_repr

        return to_repr(self._boxes())

    def _repr_html_(self) -> str:
        from boxdraw.model.export.html import boxes_card

        return boxes_card(self._boxes())
