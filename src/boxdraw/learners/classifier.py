"""BoxSetClassifier: a classifier made from boxes or a scorecard, wherever they came from."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from boxdraw._core.arrays import FloatArray
from boxdraw._core.files import read_source
from boxdraw.learners.base import NO_RISK, BaseBoxClassifier, unchanged_on_error
from boxdraw.model.boxes import BoxSet
from boxdraw.model.file import Model, label_array, model_from_json
from boxdraw.model.rows import default_names
from boxdraw.model.scorecard import Scorecard
from boxdraw.model.simplify import Change
from boxdraw.tables.few import read_few
from boxdraw.tables.labels import check_binary
from boxdraw.tables.order import fit_order
from boxdraw.tables.schema import CheckedRows, as_table, check_table, is_frame, read_training, warn_of_unseen
from boxdraw.tables.training import Training


def load(path: str | bytes | os.PathLike[str]) -> BoxSetClassifier:
    """Load the classifier that a file describes, fitted and with its labels.

    Parameters
    ----------
    path : str, bytes or path-like
        A file that the ``save`` of a classifier, ``boxdraw fit``, the report page, `BoxSet.to_json` or
        `Scorecard.to_json` wrote; or such JSON text itself, as bytes or as a str that starts with ``{``.

    Returns
    -------
    BoxSetClassifier
        It predicts what the saved classifier did, with labels of the same types; 0 and 1 if the file has none. It ranks
        by `BoxSet.margin`, or by the points of its ``scorecard_``. Anything but a valid file gives a ValueError that
        says what is wrong and where.

    Examples
    --------
    >>> import tempfile
    >>> import boxdraw
    >>> boxes = boxdraw.BoxSet([[200]], [[float("inf")]], feature_names=["amount"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     boxdraw.BoxSetClassifier(boxes, classes=("ok", "fraud")).save(f"{folder}/model.json", target="state")
    ...     model = boxdraw.load(f"{folder}/model.json")
    >>> model.predict([[250], [10]]).tolist()
    ['fraud', 'ok']
    """
    is_file = not isinstance(path, bytes) and not (isinstance(path, str) and path.lstrip("\ufeff \t\r\n")[:1] == "{")
    model = classifier_of(model_from_json(read_source(path), os.fsdecode(path) if is_file else "this JSON"))
    boxes = model._shown_boxes()
    if boxes.feature_names != default_names(boxes.n_features):
        model.feature_names_in_ = np.array(boxes.feature_names, dtype=object)
    return model


def classifier_of(found: Model) -> BoxSetClassifier:
    """Return a fitted classifier that keeps what else a model has: its target, its origin and its edits."""
    model = BoxSetClassifier(found.drawing, classes=found.classes)
    model._loaded = found
    model._set_risk(found.risk)
    return model


class BoxSetClassifier(BaseBoxClassifier):
    """A classifier made from a `BoxSet` or a `Scorecard`: loaded from a file, written by hand or edited.

    It is fitted as soon as it has boxes. `fit` is there for scikit-learn's tools: it checks that the boxes go with
    the table, takes the labels from y, and never changes the given boxes. Without boxes it draws the tightest
    box around the positive class.

    Parameters
    ----------
    boxes : BoxSet, Scorecard or None
        The model: rows in any box are flagged, or rows with enough points.
    classes : pair of labels, default=(0, 1)
        The negative and the positive label, in this order; `fit` replaces them by those of y.
    pos_label : label, default=None
        The positive class in `fit`; the one with fewer rows if None.

    Attributes
    ----------
    boxes_ : BoxSet
        The boxes; those of the union if the model is a scorecard.
    scorecard_ : Scorecard
        The scorecard; an AttributeError if the model is none.
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    pos_label_ : label
        The positive class.
    risk_table_ : RiskTable
        The risk in each region, counted on the rows of `fit`; only after that, and if the boxes were given.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when the file or the table of `fit` has them.
    changes_ : list of Change
        What ``simplify`` did, if the classifier comes from there.

    Examples
    --------
    >>> from boxdraw import BoxSet, BoxSetClassifier
    >>> boxes = BoxSet([[200.0, 0.0]], [[float("inf"), 6.0]], feature_names=["amount", "hour"])
    >>> model = BoxSetClassifier(boxes, classes=("ok", "fraud"))
    >>> model.predict([[250.0, 3.0], [250.0, 12.0]]).tolist()
    ['fraud', 'ok']
    """

    changes_: list[Change]
    _loaded: Model  # what else the file, or the classifier that this one is a simpler version of, had

    def __init__(
        self, boxes: BoxSet | Scorecard | None = None, *, classes: Any = (0, 1), pos_label: Any = None
    ) -> None:
        self.boxes = boxes
        self.classes = classes
        self.pos_label = pos_label

    @unchanged_on_error
    def fit(self, X: Any, y: Any) -> BoxSetClassifier:
        """Check the boxes against a table, take over its labels and count the risk; draw a box if there are none.

        The risk is counted on all rows, so pass rows that the boxes were not learned from. A box that is drawn here,
        the tightest one around the positives, has no risk.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.

        Returns
        -------
        BoxSetClassifier
            The fitted estimator.
        """
        drawing = self.boxes
        if drawing is not None:
            check_table(X)
            _check_drawing(drawing).contains(X)  # raises if the table does not go with the boxes
        matrix, y, encoding = read_training(self, X, y, learns=drawing is None)
        self.classes_, self.pos_label_, positive = check_binary(y, self.pos_label)
        if drawing is None:
            data = Training(matrix, positive, None, n_codes=encoding.n_codes)
            order = fit_order(data)
            rows = order.apply(matrix[positive]).astype(np.float64)
            lower, upper = np.fmin.reduce(rows), np.fmax.reduce(rows)
            drawing = encoding.boxes(
                np.where(np.isnan(lower), -np.inf, lower)[None], np.where(np.isnan(upper), np.inf, upper)[None], order
            )
        self._fitted = drawing
        for name in ("_loaded", "changes_", "risk_table_"):
            self.__dict__.pop(name, None)
        if self.boxes is not None:
            self._set_risk(self.risk_table(X, y))
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return how far inside the boxes each row is, in the features' own units, or its points above the threshold.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            `BoxSet.margin`, or the points of the scorecard less its threshold; finite, its sign that of ``predict``.
            It ranks towards ``classes_[1]``.
        """
        check_is_fitted(self)
        rows, drawing = self._validated(X), self._decider()
        if isinstance(drawing, Scorecard):
            above = (drawing.score(rows) - drawing.threshold).astype(np.float64)
        else:
            above = drawing.margin(rows)
        return self._towards_second_class(above, above >= 0)

    def set_params(self, **params: Any) -> BoxSetClassifier:
        """Set parameters, as every estimator does; the risk in a file is that of its boxes, not of others."""
        super().set_params(**params)
        if "_loaded" in self.__dict__ and self._loaded.drawing != self.boxes:
            self._set_risk(None)
        return self

    def _as_model(self) -> Model:
        made = super()._as_model()
        if "_loaded" not in self.__dict__:
            return made
        choices = self._loaded.choices.beside(made.drawing)
        return replace(self._loaded, drawing=made.drawing, classes=made.classes, risk=made.risk, choices=choices)

    def _validated(self, X: Any) -> Any:
        """Check X against the table of fit; without one, the boxes find their columns by themselves."""
        if self._knows_table() or isinstance(X, CheckedRows):
            return super()._validated(X)
        boxes = self._shown_boxes()
        few = read_few(X, boxes.feature_names, boxes)
        if few is not None:
            return few
        check_table(X)
        table = X if is_frame(X) or all(values is None for values in boxes.categories) else as_table(X)
        warn_of_unseen(table, boxes)
        return table

    def _knows_table(self) -> bool:
        return "_fitted" in self.__dict__

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__ or self.boxes is not None

    def __getattr__(self, name: str) -> Any:
        """Answer from the parameters what `fit` would have set: with boxes, the classifier is fitted from the start."""
        drawing = self.__dict__.get("_fitted", self.__dict__.get("boxes"))
        if name in ("predict_proba", "risk_table_"):
            raise AttributeError(NO_RISK)
        if name not in _FITTED or drawing is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        drawing = _check_drawing(drawing)
        card = drawing if isinstance(drawing, Scorecard) else None
        if name == "scorecard_":
            if card is None:
                raise AttributeError("There is no scorecard_: the model is a BoxSet.")
            return card
        if name == "boxes_":
            return drawing if card is None else _union(card)
        if name == "n_features_in_":
            return self._shown_boxes().n_features
        classes = self._given_classes()
        return classes if name == "classes_" else classes[int(classes[1] == self.classes[1])]

    def _given_classes(self) -> Any:
        """Return the labels of the parameters, sorted."""
        given = tuple(label.item() if isinstance(label, np.generic) else label for label in self.classes)
        try:
            classes = np.sort(label_array(given))
        except TypeError:  # of two types that have no order
            classes = np.empty(0)
        if classes.shape != (2,) or classes[0] == classes[1]:
            raise ValueError(
                f"classes must be two different labels of one type, (negative, positive); got {self.classes!r}."
            )
        if self.pos_label is not None and self.pos_label != self.classes[1]:
            raise ValueError(
                f"pos_label={self.pos_label!r}, but classes={self.classes!r} has the positive label second."
            )
        return classes


_FITTED = ("boxes_", "classes_", "n_features_in_", "pos_label_", "scorecard_")


def _check_drawing(drawing: Any) -> BoxSet | Scorecard:
    if not isinstance(drawing, BoxSet | Scorecard):
        got = type(drawing).__name__
        raise TypeError(f"boxes must be a BoxSet or a Scorecard; got {got}. boxdraw.load reads a model from a file.")
    return drawing


def _union(card: Scorecard) -> BoxSet:
    try:
        return card.union()
    except ValueError as error:
        raise AttributeError(f"There is no boxes_: {error}.") from None
