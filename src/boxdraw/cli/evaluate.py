"""``boxdraw evaluate``: how good boxes are on rows that they have not seen, beside other classifiers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.cli.errors import Failure, UsageError, extra
from boxdraw.cli.labelled import read_labelled
from boxdraw.cli.learning import add_learning, check_learning, learn
from boxdraw.cli.options import add_common, add_csv, add_labelled, positive_integer, shares
from boxdraw.cli.show import percent, progress, rows_progress, say, say_json, text_table
from boxdraw.metrics import auh_score
from boxdraw.model.export.text import format_number, printable
from boxdraw.tables.labelled import Piece, TrainingFile, label_text

__all__ = ["EXAMPLES", "SUMMARY", "add_arguments", "recall_at", "run"]

SUMMARY = "Compare boxes with logistic regression, a small tree and a random forest by cross-validation."
EXAMPLES = """\
  boxdraw evaluate data.csv --target fraud
  boxdraw evaluate data.csv --target fraud --drop id --folds 10 --repeats 3 --false-alarm-rates 0.001,0.01
  boxdraw evaluate data.csv --target fraud --method scored
  boxdraw evaluate data.csv --target fraud --json > figures.json"""

# A model takes training rows, labels, weights and test rows, and returns a score that ranks towards the positive label.
Scorer = Callable[[IntArray, IntArray], FloatArray]

_NAMES = {"fast": "boxes", "exact": "exact boxes", "scored": "scorecard"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file, or - for standard input")
    group = parser.add_argument_group("comparison")
    group.add_argument("--folds", type=positive_integer, default=5, metavar="N", help="parts of the rows (%(default)s)")
    group.add_argument(
        "--repeats", type=positive_integer, default=1, metavar="N", help="how often the rows are split (%(default)s)"
    )
    group.add_argument(
        "--false-alarm-rates",
        type=shares,
        default=[0.01, 0.05],
        metavar="A,B",
        help="shares of the negative rows that may be flagged, to say what is caught then (0.01,0.05)",
    )
    add_learning(parser)
    add_labelled(parser)
    add_csv(parser)
    add_common(parser, json="the figures")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.folds < 2:
        raise UsageError("--folds must be at least 2")
    check_learning(args)
    with rows_progress(args.quiet) as tell:
        data = read_labelled(args, tell)
    fewest = min(data.n_positive, data.n_rows - data.n_positive)
    if fewest < args.folds:
        raise Failure(
            f"only {fewest} rows have the rarer label, too few for {args.folds} folds: use --folds {fewest}"
            if fewest > 1
            else "only one row has the rarer label: nothing can be learned and tested with it"
        )
    figures = _cross_validate(args, data.read())
    if args.json:
        say_json(_as_json(args, data, figures))
    else:
        say(_as_text(args, data, figures))


def _cross_validate(args: argparse.Namespace, rows: Piece) -> dict[str, list[dict[str, float]]]:
    """Return for each model the figures of each fold."""
    _, positive, weight = rows
    models = {_NAMES[args.method]: _boxes(args, rows), **_others(args, rows)}
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in models}
    splitter = RepeatedStratifiedKFold(n_splits=args.folds, n_repeats=args.repeats, random_state=args.seed)
    n_fits = args.folds * args.repeats * len(models)
    with progress("evaluating", n_fits, args.quiet) as step:
        done = 0
        for fold, (train, test) in enumerate(splitter.split(np.zeros(len(positive)), positive), start=1):
            for name, scorer in models.items():
                step(done, f"{name}, fold {fold} of {args.folds * args.repeats}")
                score = scorer(train, test)
                test_weight = None if weight is None else weight[test]
                figures[name].append(_figures(positive[test], score, test_weight, args.false_alarm_rates))
                done += 1
    return figures


def _boxes(args: argparse.Namespace, rows: Piece) -> Scorer:
    X, positive, weight = rows

    def score(train: IntArray, test: IntArray) -> FloatArray:
        train_weight = None if weight is None else weight[train]
        model = learn(args, X.take(train), positive[train], train_weight, quiet=True)
        ranking: FloatArray = model.decision_function(X.take(test))
        return ranking

    return score


def _others(args: argparse.Namespace, rows: Piece) -> dict[str, Scorer]:
    """Return the classifiers to compare with, on numbers and codes of categories."""
    X, positive, weight = rows
    matrix, categorical = _matrix(X)
    balanced = {"class_weight": "balanced"}
    forest = RandomForestClassifier(n_estimators=200, random_state=args.seed, n_jobs=args.jobs, **balanced)
    classifiers = {
        "logistic regression": LogisticRegression(max_iter=1000, **balanced),
        "CART, 8 leaves": DecisionTreeClassifier(max_leaf_nodes=8, random_state=args.seed, **balanced),
        "random forest": forest,
    }

    def scorer(classifier: Any) -> Scorer:
        def score(train: IntArray, test: IntArray) -> FloatArray:
            pipeline = Pipeline([("encode", _encoder(categorical)), ("classify", classifier)])
            weights = {} if weight is None else {"classify__sample_weight": weight[train]}
            pipeline.fit(matrix[train], positive[train], **weights)
            probability: FloatArray = pipeline.predict_proba(matrix[test])[:, 1]
            return probability

        return score

    return {name: scorer(classifier) for name, classifier in classifiers.items()}


def _matrix(X: Any) -> tuple[FloatArray, BoolArray]:
    """Return numbers as they are and categories as numbers, NaN where values are missing."""
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
    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer(
        [("numbers", numbers, np.flatnonzero(~categorical)), ("categories", categories, np.flatnonzero(categorical))]
    )


def _figures(
    positive: BoolArray, score: FloatArray, weight: FloatArray | None, rates: Sequence[float]
) -> dict[str, float]:
    return {
        "auc": float(roc_auc_score(positive, score, sample_weight=weight)),
        "auh": float(auh_score(positive, score, sample_weight=weight)),
        "average_precision": float(average_precision_score(positive, score, sample_weight=weight)),
        **{f"recall_at_{format_number(rate)}": recall_at(positive, score, rate, weight) for rate in rates},
    }


def recall_at(positive: BoolArray, score: FloatArray, rate: float, weight: FloatArray | None = None) -> float:
    """Return the largest recall of a threshold that flags at most a share of the negatives."""
    false_alarms, caught, _ = roc_curve(positive, score, sample_weight=weight, drop_intermediate=False)
    # A share such as 0.1 of ten rows must not be lost to rounding in the sums of weights.
    return float(caught[false_alarms <= rate + 1e-12].max())


def _summaries(folds: Sequence[dict[str, float]]) -> Iterator[tuple[str, float, float]]:
    """Return the mean of each figure and its standard deviation over the folds."""
    for name in folds[0]:
        values = np.array([fold[name] for fold in folds])
        yield name, float(values.mean()), float(values.std())


def _as_json(
    args: argparse.Namespace, data: TrainingFile, figures: dict[str, list[dict[str, float]]]
) -> dict[str, Any]:
    return {
        "data": data.rows.file.name,
        "target": data.rows.target,
        "positive": data.positive,
        "rows": data.n_rows,
        "positives": data.n_positive,
        "method": args.method,
        "folds": args.folds,
        "repeats": args.repeats,
        "seed": args.seed,
        "models": {
            model: {name: {"mean": mean, "std": spread} for name, mean, spread in _summaries(folds)}
            for model, folds in figures.items()
        },
    }


def _as_text(args: argparse.Namespace, data: TrainingFile, figures: dict[str, list[dict[str, float]]]) -> str:
    label = f"{printable(data.rows.target)} = {printable(label_text(data.positive))}"
    share = percent(data.n_positive / data.n_rows, 1)
    times = "" if args.repeats == 1 else f", {args.repeats} times"
    rates = [f"recall at {format_number(100 * rate)}%" for rate in args.false_alarm_rates]
    rows = [
        [model, *(f"{mean:.3f} ± {spread:.3f}" for _, mean, spread in _summaries(folds))]
        for model, folds in figures.items()
    ]
    return "\n".join(
        [
            f"{data.rows.file.name}: {data.n_rows} rows, {data.n_positive} ({share}) with {label}",
            f"Mean and standard deviation over {args.folds} folds{times}; recall at a share of false alarms",
            "",
            text_table(["model", "AUC", "AUH", "average precision", *rates], rows),
        ]
    )
