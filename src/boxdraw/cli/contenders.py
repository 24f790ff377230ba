"""The models that ``boxdraw evaluate`` compares: boxdraw's learners, and peers of scikit-learn on the same rows."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.cli.errors import extra
from boxdraw.cli.learning import learn
from boxdraw.model.export.text import rule_texts
from boxdraw.model.scorecard import boxes_of
from boxdraw.tables.labelled import Piece

#: boxdraw's learners, by their ``--method``.
BOXES = {"sparse": "Sparse Boxes", "scored": "Scored Boxes", "fast": "Fast Boxes, CV", "exact": "Exact Boxes"}
#: Classifiers to compare with.
PEERS = {"logistic": "logistic", "tree": "tree, 8 leaves", "forest": "forest"}


@dataclass(frozen=True, slots=True)
class Tested:
    """What a model says of held-out rows, and its size: NaN where there is nothing to read."""

    score: FloatArray  # ranks towards the positive label
    flagged: BoolArray
    boxes: float
    limits: float
    seconds: float  # of the fit
    inside: dict[str, BoolArray] = field(default_factory=dict)  # by rule: the rows in the box, where they are asked for


Contender = Callable[[IntArray, IntArray], Tested]  # of training and of test rows


def contenders(args: argparse.Namespace, rows: Piece, groups: IntArray | None = None) -> dict[str, Contender]:
    """Return the models that the options name, in their order; inner folds keep the groups of rows whole."""
    peers = _peers(args, rows) if set(args.models) & set(PEERS) else {}
    return {name: peers[name] if name in PEERS else _learner(args, name, rows, groups) for name in args.models}


def _learner(args: argparse.Namespace, method: str, rows: Piece, groups: IntArray | None) -> Contender:
    X, positive, weight = rows
    options = argparse.Namespace(**(vars(args) | {"method": method}))

    def test(train: IntArray, test: IntArray) -> Tested:
        start = time.perf_counter()
        own = None if groups is None else groups[train]
        weights = None if weight is None else weight[train]
        model = learn(options, X.take(train), positive[train], weights, quiet=True, groups=own)
        seconds = time.perf_counter() - start
        boxes = boxes_of(model._decider())
        unseen = X.take(test)
        flagged = np.asarray(model.predict(unseen), dtype=np.bool_)
        inside = {}
        if args.protected is not None:
            inside = dict(zip(rule_texts(boxes), boxes.membership(unseen).T, strict=True))
        return Tested(model.decision_function(unseen), flagged, len(boxes), boxes.n_limits, seconds, inside)

    return test


def _peers(args: argparse.Namespace, rows: Piece) -> dict[str, Contender]:
    """Return the classifiers of scikit-learn; a false alarm costs them what it costs the boxes."""
    X, positive, weight = rows
    matrix, categorical = _matrix(X)
    cost = args.false_alarm_cost
    priced: dict[str, Any] = {"class_weight": "balanced" if cost in (None, "balanced") else {False: cost, True: 1.0}}
    # With pure leaves the votes of a forest hardly depend on the weights of the classes, and few rows get half of them.
    forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=args.seed, n_jobs=args.jobs, **priced)
    classifiers = {
        "logistic": LogisticRegression(max_iter=5000, **priced),
        "tree": DecisionTreeClassifier(max_leaf_nodes=8, random_state=args.seed, **priced),
        "forest": forest,
    }

    def peer(classifier: Any) -> Contender:
        def test(train: IntArray, test: IntArray) -> Tested:
            model = Pipeline([("encode", _encoder(categorical)), ("classify", classifier)])
            weights = {} if weight is None else {"classify__sample_weight": weight[train]}
            start = time.perf_counter()
            model.fit(matrix[train], positive[train], **weights)
            seconds = time.perf_counter() - start
            is_tree = isinstance(classifier, DecisionTreeClassifier)
            boxes, limits = size_of_tree(classifier) if is_tree else (np.nan, np.nan)
            score, flagged = model.predict_proba(matrix[test])[:, 1], model.predict(matrix[test])
            return Tested(score, flagged, boxes, limits, seconds)

        return test

    return {name: peer(classifier) for name, classifier in classifiers.items()}


def _matrix(X: Any) -> tuple[FloatArray, BoolArray]:
    """Return numbers as they are and categories as codes, NaN where values are missing."""
    types, compute = extra("pyarrow").types, extra("pyarrow.compute")
    matrix = np.empty((X.num_rows, X.num_columns))
    categorical = np.zeros(X.num_columns, dtype=np.bool_)
    for j, column in enumerate(X.columns):
        if types.is_string(column.type) or types.is_large_string(column.type):
            categorical[j] = True
            column = compute.index_in(column, value_set=compute.drop_null(compute.unique(column)))
        matrix[:, j] = column.cast("float64").to_numpy()
    return matrix, categorical


def _encoder(categorical: BoolArray) -> ColumnTransformer:
    """Return the step that fills gaps with the median, marks them in other columns, and encodes categories one-hot."""
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    numbers = make_pipeline(imputer, StandardScaler())
    return ColumnTransformer(
        [("numbers", numbers, np.flatnonzero(~categorical)), ("categories", categories, np.flatnonzero(categorical))]
    )


def size_of_tree(model: DecisionTreeClassifier) -> tuple[int, int]:
    """Return the number of parts that a tree flags, and of the limits on the way to them.

    Leaves with a common parent and label are one part. A limit is an end of a feature, however often it is moved.
    """
    tree, sizes = model.tree_, list[int]()

    def label_below(node: int, limits: frozenset[tuple[int, bool]]) -> bool | None:
        """Return the label of all leaves below a node, None if they differ; then the flagged side is a part."""
        sides = tree.children_left[node], tree.children_right[node]
        if sides[0] == sides[1]:
            return bool(model.classes_[tree.value[node, 0].argmax()])
        ways = [limits | {(int(tree.feature[node]), upper)} for upper in (True, False)]
        labels = [label_below(side, way) for side, way in zip(sides, ways, strict=True)]
        if labels[0] == labels[1]:
            return labels[0]
        sizes.extend(len(way) for label, way in zip(labels, ways, strict=True) if label)
        return None

    if label_below(0, frozenset()):
        sizes.append(0)
    return len(sizes), sum(sizes)
