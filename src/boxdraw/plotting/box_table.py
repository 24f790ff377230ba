"""BoxTableDisplay: precision, recall and support of each box, as bars."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from boxdraw.model.statistics import box_statistics
from boxdraw.plotting._matplotlib import BLACK, BLUE, GREY, LEGEND, VERMILLION, Display, check_axes, literal
from boxdraw.plotting._rows import LabelledRows, Rules, boxes_of, labels_for, signed
from boxdraw.tables.labels import weights_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEEDED = (
    "rule",
    "support",
    "true_positives",
    "false_positives",
    "precision",
    "precision_low",
    "precision_high",
    "recall",
    "unique_recall",
    "lift",
)
_MOST_BOXES, _MOST_LINES = 20, 3
# Heights in points: titles, a line of text, a bar, and the space around it.
_TITLES, _LINE, _BAR, _FREE = 16.0, 11.0, 9.0, 15.0
# Start of the three columns of bars; each is 1 wide, with its figures to the right.
_PRECISION, _RECALL, _SUPPORT = 0.0, 1.62, 3.24
_WIDTH = 4.85
# Points per character of a rule, a little more than most fonts need.
_CHARACTER = 5.5
_SMALL: dict[str, Any] = {"fontsize": 8, "va": "center"}


class BoxTableDisplay(Display):
    """The table of the boxes as a picture: rule, precision, recall and support of each box.

    Precision comes with its 95% interval, over a dotted line at the share of positives among all rows. The dark part
    of the recall is what no other box catches. Support is divided into positives, dark, and false alarms.

    Parameters
    ----------
    table : frame or mapping of str to sequence
        The result of ``box_table`` of a classifier or ``scorecard_table`` of a `ScoredBoxesClassifier`. Of more than 20
        boxes, the 20 with the highest recall are shown, and the picture says so.

    Attributes
    ----------
    table : dict of str to list
        The columns, of the boxes shown.
    ax_ : matplotlib Axes
        What `plot` drew on.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    LimitsDisplay : The limits of the boxes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from boxdraw import FastBoxesClassifier
    >>> from boxdraw.plotting import BoxTableDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = FastBoxesClassifier(n_boxes=2).fit(X.iloc[:, :2], y)
    >>> display = BoxTableDisplay(model.box_table(X.iloc[:, :2], y)).plot()
    >>> len(display.table["rule"])
    2
    """

    table: dict[str, list[Any]]

    def __init__(self, table: Any) -> None:
        columns = _columns_of(table)
        if missing := [name for name in _NEEDED if name not in columns]:
            raise ValueError(f"table must have the columns of box_table, but it lacks {missing}")
        sizes = {name: len(column) for name, column in columns.items()}
        if len(set(sizes.values())) > 1:
            raise ValueError(f"the columns of table must be equally long, got {sizes}")
        self._n_boxes = sizes["rule"]
        recall = np.nan_to_num(np.array(columns["recall"], dtype=np.float64))
        self._shown = sorted(np.argsort(-recall, kind="stable")[:_MOST_BOXES].tolist())
        self.table = {name: [column[k] for k in self._shown] for name, column in columns.items()}

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Axes | None = None
    ) -> BoxTableDisplay:
        """Draw the table of a fitted classifier.

        Parameters
        ----------
        estimator : fitted box classifier
            Anything with ``boxes_``, ``classes_`` and ``pos_label_``, or a `ScoredBoxesClassifier`, whose boxes
            with points are shown.
        X : array-like or frame of shape (n_samples, n_features)
            Rows, seen in training or not.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BoxTableDisplay
            The display, drawn.

        Examples
        --------
        >>> from boxdraw import FastBoxesClassifier
        >>> from boxdraw.plotting import BoxTableDisplay
        >>> X, y = [[1], [2], [3], [4], [5]], [0, 1, 1, 0, 0]
        >>> model = FastBoxesClassifier(n_boxes=1).fit(X, y)
        >>> BoxTableDisplay.from_estimator(model, X, y).table["recall"]
        [1.0]
        """
        boxes, labels = boxes_of(estimator), labels_for(estimator, y)
        return cls.from_predictions(
            boxes, X, labels, sample_weight=sample_weight, pos_label=estimator.pos_label_, ax=ax
        )

    @classmethod
    def from_predictions(
        cls,
        boxes: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        ax: Axes | None = None,
    ) -> BoxTableDisplay:
        """Draw the table of boxes without a classifier, for example from a file.

        Parameters
        ----------
        boxes : BoxSet or Scorecard
            The boxes.
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.
        pos_label : label, optional
            The positive class; the one with fewer rows by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BoxTableDisplay
            The display, drawn.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> from boxdraw.plotting import BoxTableDisplay
        >>> BoxTableDisplay.from_predictions(BoxSet([[3]], [[9]]), [[1], [4], [5]], [0, 1, 0]).table["precision"]
        [0.5]
        """
        rules = Rules.of(boxes)
        rows = LabelledRows.read(X, y, rules.boxes, pos_label, ())
        weight = weights_of(sample_weight, len(rows.labels))
        table = box_statistics(rules.boxes, rules.boxes.membership(X), rows.positive, weight)
        points = {} if rules.card is None else {"points": list(rules.card.points)}
        return cls({**points, **table}).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> BoxTableDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure, as high as needed, by default. Rules that do not fit are cut.

        Returns
        -------
        BoxTableDisplay
            This display, with ``ax_`` and ``figure_``.
        """
        texts = self._rule_texts(ax)
        heights = [_LINE * len(lines) + _BAR + _FREE for lines in texts]
        total = _TITLES + max(sum(heights), 20)
        ax = self._start(ax, 9.6, total / 72 + 0.6)
        ax.set(xlim=(-0.02, _WIDTH), ylim=(total, 0), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        titles = ((_PRECISION, "Precision, 95% interval"), (_RECALL, "Recall"), (_SUPPORT, "Rows inside"))
        for x, title in titles:
            ax.text(x, _TITLES / 2, title, fontweight="bold", **_SMALL)
        top = _TITLES
        for i, (lines, height) in enumerate(zip(texts, heights, strict=True)):
            ax.plot([0, _WIDTH], [top, top], color=GREY, lw=0.4)
            for n, line in enumerate(lines):
                ax.text(0, top + 3 + _LINE * (n + 0.5), line, in_layout=False, **_SMALL)
            self._draw_box(ax, i, top + 5 + _LINE * len(lines) + _BAR / 2)
            top += height
        self._draw_legend(ax)
        return self

    def _rule_texts(self, ax: Axes | None) -> list[list[str]]:
        """Return the lines of each rule, cut to the available space."""
        width, most = 9.4 * 72, _MOST_LINES
        if ax is not None:
            check_axes(ax)
            figure: Any = ax.figure
            size = ax.get_window_extent().size / figure.dpi * 72
            width = float(size[0])
            room = (float(size[1]) - _TITLES) / max(len(self._shown), 1) - _BAR - _FREE
            most = int(np.clip(room // _LINE, 1, _MOST_LINES))
        return [self._lines(i, max(int(width / _CHARACTER), 20), most) for i in range(len(self._shown))]

    def _lines(self, i: int, width: int, most: int) -> list[str]:
        points = f", {signed(int(self.table['points'][i]))} points" if "points" in self.table else ""
        text = f"Box {self._shown[i] + 1}{points}: {self.table['rule'][i]}"
        whole = text.replace(" ", "\xa0").replace("\xa0and\xa0", " and\xa0")  # keep a limit on one line
        lines = textwrap.wrap(whole, width, max_lines=most, placeholder=" …", break_on_hyphens=False)
        return [literal(line.replace("\xa0", " ")) for line in lines]

    def _draw_box(self, ax: Axes, i: int, y: float) -> None:
        row = {name: column[i] for name, column in self.table.items()}
        bar: dict[str, Any] = {"height": _BAR, "lw": 0.8}
        for start in (_PRECISION, _RECALL, _SUPPORT):
            ax.barh(y, 1, left=start, color="#F1F1F1", height=_BAR, lw=0)
        if not row["support"] > 0:
            ax.text(_PRECISION, y, " no row inside", color=GREY, **_SMALL)
            return
        ax.barh(y, row["precision"], left=_PRECISION, color=BLUE, alpha=0.45, **bar)
        self._draw_interval(ax, row, y)
        _write(
            ax, _PRECISION, y, f"{row['precision']:.0%} ({100 * row['precision_low']:.0f}–{row['precision_high']:.0%})"
        )
        shared: dict[str, Any] = {"facecolor": "white", "hatch": "/////", **bar}
        if np.isfinite(row["recall"]):
            rest = row["recall"] - row["unique_recall"]
            ax.barh(y, row["unique_recall"], left=_RECALL, color=VERMILLION, ec=BLACK, **bar)
            ax.barh(y, rest, left=_RECALL + row["unique_recall"], edgecolor=VERMILLION, **shared)
            _write(ax, _RECALL, y, f"{row['recall']:.0%}, {row['unique_recall']:.0%} alone")
        most = max(float(value) for value in self.table["support"])
        hits, alarms = row["true_positives"] / most, row["false_positives"] / most
        ax.barh(y, hits, left=_SUPPORT, color=GREY, ec=BLACK, **bar)
        ax.barh(y, alarms, left=_SUPPORT + hits, facecolor="white", ec=BLACK, **bar)
        _write(ax, _SUPPORT, y, f"{row['true_positives']:.6g} + {row['false_positives']:.6g}")

    def _draw_interval(self, ax: Axes, row: dict[str, Any], y: float) -> None:
        low, high, half = row["precision_low"], row["precision_high"], 0.3 * _BAR
        ax.plot([low, high], [y, y], color=BLACK, lw=1.2, solid_capstyle="butt")
        for x in (low, high):
            ax.plot([x, x], [y - half, y + half], color=BLACK, lw=1.2)
        if row["lift"] > 0:
            base = row["precision"] / row["lift"]
            ax.plot([base, base], [y - 0.75 * _BAR, y + 0.75 * _BAR], color=BLACK, lw=1, ls=(0, (1, 1)))

    def _draw_legend(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles: list[Any] = [
            Line2D([], [], color=BLACK, lw=1, ls=(0, (1, 1)), label="share of positives in all rows"),
            Patch(facecolor=VERMILLION, edgecolor=BLACK, lw=0.8, label="caught by this box alone"),
            Patch(facecolor="white", edgecolor=VERMILLION, lw=0.8, hatch="/////", label="by other boxes too"),
            Patch(facecolor=GREY, edgecolor=BLACK, lw=0.8, label="positives"),
            Patch(facecolor="white", edgecolor=BLACK, lw=0.8, label="+ false alarms"),
        ]
        note = "No boxes: no row is flagged" if not self._n_boxes else ""
        if self._n_boxes > len(self._shown):
            note = f"Of {self._n_boxes} boxes the {len(self._shown)} of highest recall"
        options = LEGEND | {"columnspacing": 1.2}
        ax.legend(handles=handles, title=note or None, ncols=5, **options).get_title().set_fontstyle("italic")


def _columns_of(table: Any) -> dict[str, list[Any]]:
    """Return the columns of a frame or a mapping as lists."""
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return {str(name): frame.get_column(name).to_list() for name in frame.columns}
    if not hasattr(table, "items"):
        raise TypeError(f"table must be what box_table returns, got {type(table).__name__}")
    return {name: list(np.asarray(column, dtype=object).tolist()) for name, column in table.items()}


def _write(ax: Axes, start: float, y: float, text: str) -> None:
    """Write the figures of a bar to its right."""
    ax.text(start + 1.03, y, text, **_SMALL)
