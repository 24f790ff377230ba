"""What every box classifier shares: it reads ``boxes_`` and knows nothing of how they were learned."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import BoolArray, FloatArray, Matrix
from boxdraw._core.files import write_text
from boxdraw._core.frames import frame_like
from boxdraw._core.version import __version__
from boxdraw.learners.history import with_history
from boxdraw.model.boxes import BoxSet
from boxdraw.model.choices import Choices
from boxdraw.model.export.text import rule_texts
from boxdraw.model.file import Model, model_to_json
from boxdraw.model.membership import find_any
from boxdraw.model.risk import RiskTable, check_base_rate
from boxdraw.model.scorecard import Scorecard, boxes_of
from boxdraw.model.settings import learned_with
from boxdraw.model.statistics import box_statistics, counted_statistics
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.labels import has_label, labels_of, read_labels, weights_of
from boxdraw.tables.schema import read_rows

if TYPE_CHECKING:
    from boxdraw._core.progress import ProgressCallback
    from boxdraw.learners.classifier import BoxSetClassifier
    from boxdraw.model.stability import Stability
    from boxdraw.report.report import Report
    from boxdraw.tables.predict import PredictedTable

_Fit = TypeVar("_Fit", bound=Callable[..., Any])

NO_RISK = (
    "There is no risk_table_ and so no predict_proba: no rows were held out for these boxes. Count the risk on "
    "labelled rows that had no part in the fit with risk_table(X, y), or with "
    "BoxSetClassifier(model.boxes_).fit(X, y), which has both; of a scorecard with that of model.scorecard_."
)


class BaseBoxClassifier(TransformerMixin, ClassifierMixin, BaseEstimator):
    """Predict, transform and tabulate from ``boxes_``, ``classes_`` and ``pos_label_``."""

    boxes_: BoxSet
    classes_: npt.NDArray[Any]
    pos_label_: Any
    risk_table_: RiskTable
    n_jobs: int | None = None  # of those that have no such parameter
    _target: str | None  # the name of y, where fit knows it
    _encoding: Encoding

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row: positive inside a box or with enough points, negative otherwise.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of ``classes_``.
        """
        check_is_fitted(self)
        decider = self._decider()
        if isinstance(decider, Scorecard) or not self._knows_table():
            return self._labels(decider.contains(self._validated(X), n_jobs=self.n_jobs))
        return self._labels(find_any(read_rows(self, X, decider, leave=True), decider, self.n_jobs, finite=True))

    @available_if(lambda self: self._has_risk())  # type: ignore[untyped-decorator]  # scikit-learn's
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the risk of each row: that of its region in ``risk_table_``.

        It is there only after a fit that held rows out, see ``risk_table_``. A row may be flagged at a risk below one
        half: ``predict`` goes by what a false alarm costs, or by a goal.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The probabilities of ``classes_``, in this order.
        """
        risk = self.risk_table_.risks(self._validated(X), self._decider(), n_jobs=self.n_jobs)
        pair = (1 - risk, risk) if self.pos_label_ == self.classes_[1] else (risk, 1 - risk)
        return np.column_stack(pair)

    def _has_risk(self) -> bool:
        """Return True if there is a risk, or raise: scikit-learn shows what is wrong."""
        check_is_fitted(self)
        if "risk_table_" not in self.__dict__:
            raise AttributeError(NO_RISK)
        return True

    def _set_risk(self, table: RiskTable | None) -> None:
        """Keep the risk that a fit found; one without held-out rows finds none."""
        self.__dict__.pop("risk_table_", None)
        if table is not None:
            self.risk_table_ = table

    def risk_table(self, X: Any, y: Any, sample_weight: Any = None, *, base_rate: float | None = None) -> RiskTable:
        """Count the risk anew on labelled rows, which should have had no part in the fit.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; 2 counts as two rows.
        base_rate : float, optional
            The share of positives where the model is used, if it is another than among these rows.

        Returns
        -------
        RiskTable
            The regions are those of ``risk_table_``; without one, the points of the scorecard, or inside the boxes and
            outside. Those whose order the rows do not bear out are put together.

        Examples
        --------
        >>> from boxdraw import BoxSet, BoxSetClassifier
        >>> model = BoxSetClassifier(BoxSet([[3]], [[9]], feature_names=["dose"]))
        >>> table = model.risk_table([[1], [2], [4], [5], [6], [0]], [0, 0, 1, 1, 0, 0])
        >>> table[0].n_rows, table[0].n_positives
        (3.0, 2.0)
        """
        from boxdraw.learners.risk import counted_anew, regions_of

        check_is_fitted(self)
        check_base_rate(base_rate)
        positive = self._is_positive(X, y)
        weight = weights_of(sample_weight, len(positive))
        rows, drawing = self._validated(X), self._decider()
        regions: RiskTable | None = self.__dict__.get("risk_table_")
        if regions is None:
            points = drawing.score(rows, n_jobs=self.n_jobs) if isinstance(drawing, Scorecard) else None
            regions = regions_of(drawing, points)
        return counted_anew(regions, regions.places(rows, drawing, self.n_jobs), positive, weight, base_rate)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose prediction equals their label.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        float
            The accuracy.
        """
        return float(super().score(X, read_labels(y), sample_weight))

    def transform(self, X: Any) -> BoolArray:
        """Return which boxes hold each row, of a scorecard those worth points.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_boxes)
            True where the row lies in the box; a frame after ``set_output``.
        """
        check_is_fitted(self)
        return self._shown_boxes().membership(self._validated(X), n_jobs=self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns of ``transform``: box1, box2, ...

        Parameters
        ----------
        input_features : array-like of str, optional
            Checked against the names seen in fit; not used otherwise.

        Returns
        -------
        ndarray of str
            One name per box.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None and names is not None and not np.array_equal(names, input_features):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array([f"box{k + 1}" for k in range(len(self._shown_boxes()))], dtype=object)

    def _shown_boxes(self) -> BoxSet:
        """Return the boxes that people read, of a scorecard those worth points."""
        return boxes_of(self._decider())

    def _decider(self) -> BoxSet | Scorecard:
        """Return what decides: the scorecard if there is one, or else the boxes."""
        card: Scorecard | None = getattr(self, "scorecard_", None)
        return self.boxes_ if card is None else card

    def predict_table(
        self,
        source: Any,
        output: str | os.PathLike[str],
        *,
        columns: Sequence[str] | None = None,
        memory_limit: int | str | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> PredictedTable:
        """Predict the rows of a stored table, which may be larger than memory, and write a table of them.

        The table is read batch by batch, and written in the order of its rows with the columns ``prediction``, a
        label out of ``classes_``; ``score``, what ``decision_function`` gives, if there is one; ``points`` of a
        scorecard; ``risk``, if there is a ``risk_table_``; and ``box``, the number of the first box that holds the row,
        from 1, null if none does, or of a scorecard ``reasons``, the numbers of all boxes that hold it, those with most
        points first, as the text ``2 1``. A file that exists is replaced at the end; an error leaves it as it is.

        Parameters
        ----------
        source : path, list of paths, pyarrow.dataset.Dataset or pyarrow.Table
            Parquet, Arrow or CSV files, or a directory of them. It needs a column for each feature, in any order, and
            may have others. A model that was fitted without names takes a table of exactly its features by place.
        output : path
            The file to write, which ends in .parquet, .arrow, .feather or .csv.
        columns : sequence of str, optional
            The columns of the table to write in front of the predictions; all of them by default, none for ``[]``.
        memory_limit : int or str, optional
            About how much memory to use, in bytes or like "500 MB"; a gigabyte by default.
        progress : bool or callable, optional
            Whether to show how it gets on. A function is called with what is being done, the rows that are done, and
            their number in all, or None where that is not known.

        Returns
        -------
        PredictedTable
            ``output``, ``rows`` and ``flagged``, the number of rows that are predicted positive.

        Examples
        --------
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import pyarrow.csv
        >>> from boxdraw import BoxSet, BoxSetClassifier
        >>> model = BoxSetClassifier(BoxSet([[30.0]], [[40.0]], feature_names=["age"]), classes=("no", "yes"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     done = model.predict_table(pa.table({"id": [7, 8], "age": [35, 50]}), f"{folder}/out.csv")
        ...     pyarrow.csv.read_csv(done.output).to_pydict()
        {'id': [7, 8], 'age': [35, 50], 'prediction': ['yes', 'no'], 'score': [5, -10], 'box': [1, None]}
        >>> done.rows, done.flagged
        (2, 1)
        """
        from boxdraw.tables.predict import predict_table

        check_is_fitted(self)
        return predict_table(self, source, output, columns, memory_limit, progress)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        target: str | None = None,
        note: str | None = None,
        who: str | None = None,
    ) -> None:
        """Write the model to a JSON file that `boxdraw.load` and the command line read.

        The file has the boxes or the scorecard, the labels, the target, the parameters, and the rules of ``frontier_``
        and ``path_`` for the report page to offer; `boxdraw.model.file` documents its layout. It has no training data.
        What needs these is therefore not there after loading: the critical weights by which Fast Boxes ranks, the
        graded points of Scored Boxes, and the certificate of Exact Boxes, which has a file of its own. Loaded boxes
        rank by `BoxSet.margin` and loaded scorecards by their points; ``predict`` is the same.

        Parameters
        ----------
        path : path
            The file. It is replaced in one step, or left as it was if that fails.
        target : str, optional
            The name of what is predicted; by default that of y in fit, if it had one.
        note, who : str, optional
            Why the rules are as they are, and whose decision it was, for the history of the file. A model file that is
            replaced always has its history carried on, with an entry per change: what differs, the time, and the hash
            of that file. So has the file that the classifier was loaded from. In a new file, either of the two or
            ``revisions_`` begin a history.
            ``boxdraw rules model.json --history`` prints them.

        Examples
        --------
        >>> import tempfile
        >>> import boxdraw
        >>> model = boxdraw.FastBoxesClassifier(n_boxes=1).fit([[1.0], [2.0], [3.0]], ["ok", "bad", "ok"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.json")
        ...     boxdraw.load(f"{folder}/model.json").predict([[2.0], [9.0]]).tolist()
        ['bad', 'ok']
        """
        check_is_fitted(self)
        model = self._as_model()
        if target is not None:
            model = replace(model, target=target)
        model = with_history(self, model, path, note, who)
        write_text(path, model_to_json(model).removesuffix("\n"))

    def _as_model(self) -> Model:
        """Return what the file of the model has."""
        negative = self.classes_[0] if self.pos_label_ == self.classes_[1] else self.classes_[1]
        fit = {"boxdraw": __version__, "learner": type(self).__name__, **learned_with(self)}
        if (goal := self.__dict__.get("goal_")) is not None:
            fit["goal"] = goal.as_dict()
        labels, risk, drawing = (negative, self.pos_label_), self.__dict__.get("risk_table_"), self._decider()
        choices = Choices.of(self).beside(drawing)
        return Model(drawing, getattr(self, "_target", None), labels, fit, risk=risk, choices=choices)

    def explain(self, X: Any) -> Any:
        """Return which box holds each row, or what it would take to be in the nearest one; of a scorecard, the points.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        frame
            The columns of `BoxSet.explain`, of a scorecard those of `Scorecard.explain`, in a frame of the same kind as
            X, pandas for arrays.
        """
        check_is_fitted(self)
        self._validated(X)
        return self._decider().explain(X)

    def box_table(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Count, for each box, what it catches and at what price, on any labelled rows.

        Parameters
        ----------
        X : array-like, frame of shape (n_samples, n_features) or stored table
            The rows, seen in training or not. A path, a list of paths or a pyarrow dataset is counted in parts.
        y : array-like of shape (n_samples,) or str
            Their labels; of a stored table, the name of the column with them.
        sample_weight : array-like of shape (n_samples,) or str, optional
            Weights of the rows, or the name of their column.

        Returns
        -------
        frame
            One row per box, of the same kind as X (pandas, polars, pyarrow; pandas for arrays): ``rule``;
            ``support``, the weight of the rows inside; ``true_positives``, ``false_positives``; ``precision``
            with its Wilson 95% interval ``precision_low`` to ``precision_high``; ``recall``; ``unique_recall``,
            the part that no other box catches; ``lift``, the precision relative to the base rate; ``overlap``,
            the part of the support that other boxes hold too. A figure with nothing to divide by is NaN. Of a
            scorecard, ``points`` come first.
        """
        check_is_fitted(self)
        drawing = self._decider()
        points = {"points": np.array(drawing.points, np.int64)} if isinstance(drawing, Scorecard) else {}
        return frame_like(X, points | self._statistics(boxes_of(drawing), X, y, sample_weight))

    def simplify(
        self,
        X: Any,
        y: Any,
        *,
        max_loss: float = 0.0,
        negative_weight: float | None = None,
        sample_weight: Any = None,
    ) -> BoxSetClassifier:
        """Return a classifier with fewer limits and boxes that does as well on given rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows on which the loss is measured, as a rule those that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        max_loss : float, default=0.0
            By how much the objective may fall in all: the weight of the flagged positives, less ``negative_weight``
            times the weight of the flagged negatives. So 3 allows three more misses, or the false alarms that they are
            worth.
        negative_weight : float, optional
            What a false alarm costs in misses. By default what the model was learned for: its ``false_alarm_cost``, or
            ``negative_weight_`` where it has no such parameter; otherwise the weight of the positive rows over that of
            the negative ones.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        BoxSetClassifier
            A new, fitted classifier with the same labels and feature names, and ``changes_``, a list of `Change`.
            It ranks by `BoxSet.margin`. Of a scorecard the union is simplified, and the points are gone; without a
            union this is a ValueError. ``at`` of `ScoredBoxesClassifier` takes a shorter card.

        See Also
        --------
        BoxSet.simplify : The same for boxes alone, and how it works.

        Examples
        --------
        >>> from boxdraw import BoxSet, BoxSetClassifier
        >>> boxes = BoxSet([[1, 0]], [[2, 9]], feature_names=["dose", "age"])
        >>> model = BoxSetClassifier(boxes, classes=("no", "yes"))
        >>> simpler = model.simplify([[1, 5], [2, 5], [5, 5], [6, 5], [7, 5]], ["yes", "yes", "no", "no", "no"])
        >>> print(simpler.boxes_.to_text())
        Box 1: dose ≤ 2
        >>> [change.text for change in simpler.changes_]
        ['drop 0 ≤ age ≤ 9 from box 1', 'drop dose ≥ 1 from box 1']
        """
        from boxdraw.learners.classifier import classifier_of

        check_is_fitted(self)
        cost = own_cost(self) if negative_weight is None else negative_weight
        labels = labels_of(y, len(_rows(X)), self.classes_)
        options = {"negative_weight": cost, "sample_weight": sample_weight, "pos_label": self.pos_label_}
        made = self._as_model()
        try:
            drawn = made.boxes
        except ValueError as error:
            reason = str(error).split(";")[0]
            raise ValueError(
                f"simplify draws boxes without points: {reason}. ScoredBoxesClassifier.at takes a shorter card."
            ) from None
        boxes, changes = drawn.simplify(self._validated(X), labels, max_loss=max_loss, **options)
        origin = made.fit | {"simplified": [change.text for change in changes]}
        choices = made.choices.beside(boxes)
        simpler = classifier_of(replace(made, drawing=boxes, fit=origin, risk=None, choices=choices))
        if hasattr(self, "feature_names_in_"):
            simpler.feature_names_in_ = self.feature_names_in_
        simpler.changes_ = changes
        return simpler

    def report(
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str] | None = None,
        *,
        X_test: Any = None,
        y_test: Any = None,
        sample_weight: Any = None,
        sample_weight_test: Any = None,
        title: str | None = None,
        false_alarm_cost: float | None = None,
        max_rows: int = 50_000,
        stability: Stability | None = None,
        counts_only: bool = False,
        noun: str | None = None,
        days: float | None = None,
    ) -> Report:
        """Make a page that shows the model on labelled rows, and lets people move its limits.

        The page is one file that needs no server and no network. It holds the rows: give it only to people who may
        see them.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows, as a rule those that the model was learned from. The index of a pandas frame names them.
        y : array-like of shape (n_samples,)
            Their labels. The name of a series is that of what is predicted.
        path : path, optional
            The file to write; what was there is replaced in one step. Without it the page is shown in a notebook.
        X_test, y_test : optional
            Rows that the model has not seen, shown beside the others everywhere.
        sample_weight, sample_weight_test : array-like of shape (n_samples,), optional
            Weights of the rows.
        title : str, optional
            The title; by default it says what is predicted.
        false_alarm_cost : float, optional
            What a false alarm costs, in misses, when the page opens. By default what the model was learned for: its
            ``false_alarm_cost``, or ``negative_weight_`` where it has no such parameter; otherwise the weight of the
            positive rows over that of the negative ones.
        max_rows : int, default=50_000
            Of a table with more rows the page has a sample of so many, the same each time, and says so. Up to half of
            them are positive, and weights make each class count what it does in the whole table.
        stability : Stability, optional
            What ``stability(X, y)`` of a learner returned: the page then has the intervals of limits and points.
        counts_only : bool, default=False
            Hold no rows: only how many of each class lie between the same limits.
        noun : str, optional
            What the rows are, in the plural, for the sentences of the page: "payments".
        days : float, optional
            How many days the rows cover, those of ``X_test`` if there are any: the page then says how many false alarms
            there are a day.

        Returns
        -------
        Report
            The page, with ``html``, ``path`` and ``save``.

        Examples
        --------
        >>> import tempfile
        >>> from boxdraw import BoxSet, BoxSetClassifier
        >>> model = BoxSetClassifier(BoxSet([[30]], [[40]], feature_names=["age"]), classes=("no", "yes"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report = model.report([[35], [50]], ["yes", "no"], f"{folder}/report.html", title="Age")
        >>> report.path.name
        'report.html'
        """
        from boxdraw.report.report import make_report

        check_is_fitted(self)
        return make_report(
            self,
            X,
            y,
            path,
            X_test=X_test,
            y_test=y_test,
            sample_weight=sample_weight,
            sample_weight_test=sample_weight_test,
            title=title,
            false_alarm_cost=false_alarm_cost,
            max_rows=max_rows,
            stability=stability,
            counts_only=counts_only,
            noun=noun,
            days=days,
        )

    def _repr_html_inner(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show a fitted model as its rules, another one as scikit-learn does; both only if it shows diagrams."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle and _is_fitted(self):
            from boxdraw.model.export.html import classifier_card

            bundle["text/html"] = classifier_card(self)
        return bundle

    def _statistics(self, boxes: BoxSet, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
        """Return the columns of ``box_table`` but points."""
        if isinstance(y, str):
            from boxdraw.tables.predict import count_table

            return counted_statistics(rule_texts(boxes), count_table(self, boxes, X, y, sample_weight))
        positive = self._is_positive(X, y)
        member = boxes.membership(self._validated(X), n_jobs=self.n_jobs)
        return box_statistics(boxes, member, positive, weights_of(sample_weight, len(positive)))

    def _is_positive(self, X: Any, y: Any) -> BoolArray:
        """Return which labels, one per row, are the positive one."""
        return has_label(labels_of(y, len(_rows(X)), self.classes_), self.pos_label_)

    def _validated(self, X: Any) -> Any:
        """Check X against what fit saw; return rows that the boxes can read."""
        return read_rows(self, X, self._shown_boxes())

    def _knows_table(self) -> bool:
        """Return True if X is checked against what fit saw."""
        return True

    def _encoded(self, X: Any) -> Matrix:
        """Check X against what fit saw; return the learner's matrix."""
        return self._encoding.encode(self._validated(X))

    def _labels(self, flagged: BoolArray) -> npt.NDArray[Any]:
        """Turn flags into labels; ``classes_`` has two of them."""
        classes = self.classes_
        is_second = flagged if self.pos_label_ == classes[1] else ~flagged
        labels: npt.NDArray[Any] = classes[is_second.astype(np.intp)]
        return labels

    def _towards_second_class(self, score: FloatArray, flagged: BoolArray) -> FloatArray:
        """Make a score of the positive class a finite decision function, its sign that of predict.

        scikit-learn's scorers, calibrators and threshold tuners take a decision function to rank towards
        ``classes_[1]``, so the score changes its sign where the positive class is ``classes_[0]``.
        """
        tiny, huge = np.finfo(np.float64).tiny, np.finfo(np.float64).max
        score = np.clip(score, -huge, huge)
        if self.pos_label_ == self.classes_[1]:
            return np.where(flagged, np.maximum(score, tiny), np.minimum(score, -tiny))
        return np.where(flagged, np.minimum(-score, -tiny), np.maximum(-score, tiny))


def unchanged_on_error(fit: _Fit) -> _Fit:
    """Let a fit that fails leave the estimator as it was before."""

    @wraps(fit)
    def fitted(self: Any, *args: Any, **options: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **options)
        except BaseException as error:
            vars(self).clear()
            vars(self).update(before)
            if isinstance(error, MemoryError) and fit.__name__ == "fit" and hasattr(self, "fit_table"):
                hint = "fit_table learns from a file that is larger than memory"
                raise MemoryError(f"{error}; {hint}" if str(error) else hint) from error
            raise

    return cast(_Fit, fitted)


def own_cost(estimator: Any) -> float | None:
    """Return the cost of a false alarm that a classifier was fitted for; None for the balanced one."""
    for name in ("false_alarm_cost_", "false_alarm_cost", "negative_weight_"):  # what fit chose comes first
        if hasattr(estimator, name):
            cost = getattr(estimator, name)
            return None if cost is None or isinstance(cost, str) else float(cost)
    return None


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def _rows(X: Any) -> Any:
    return X if hasattr(X, "__len__") else np.asarray(X)
