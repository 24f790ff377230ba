"""Fuzzing of the estimators: small arrays and frames of every type, with odd labels, weights and parameters."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from _fuzz_judge import attempt, expect
from _fuzz_plain import flagged, parsed
from _fuzz_values import category, finite, name, names, number

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

DTYPES = (
    "float64", "float64", "float64", "float64", "float32", "float32", "float16", "int32", "int16", "int8", "int64",
    "uint64", "bool", "object", "U5", "S5", "datetime64[ns]", "timedelta64[s]", "complex128",
)  # fmt: skip
FRAME = (
    "float64",
    "float64",
    "Int64",
    "Float32",
    "boolean",
    "bool",
    "string",
    "object",
    "category",
    "int8",
    "uint16",
    "float32",
)
ODD: tuple[Any, ...] = (
    None,
    0,
    -1,
    1,
    2,
    3,
    10**9,
    2**63,
    0.5,
    1e-300,
    1e300,
    float("nan"),
    float("inf"),
    "a",
    "",
    True,
    [],
    [1],
    (1, 2),
)


def cells(rng: random.Random, count: int) -> list[Any]:
    """Draw the numbers of a column."""
    draw = rng.random()
    if draw < 0.5:
        return [rng.choice((rng.randint(0, 5), rng.uniform(-3, 3))) for _ in range(count)]
    if draw < 0.6:
        return [rng.choice((1.0, 2.0))] * count
    if draw < 0.8:
        return [float("nan") if rng.random() < 0.3 else rng.uniform(0, 9) for _ in range(count)]
    return [finite(rng) if rng.random() < 0.8 else rng.choice((float("inf"), float("nan"), 0.0)) for _ in range(count)]


def objects(rng: random.Random, count: int) -> list[Any]:
    """Draw the values of a column of anything."""
    pool = [
        category(rng),
        category(rng),
        None,
        number(rng),
        rng.choice((pd.NA, pd.NaT, b"x", (1,), 1j, object, 10**400, np.float32(1))),
    ]
    pool = pool[: rng.randint(1, len(pool))]
    return [rng.choice(pool) for _ in range(count)]


def array(rng: random.Random, rows: int, columns: int) -> Any:
    """Draw an array, or lists."""
    kind = rng.choice(DTYPES)
    if kind == "object":
        found = np.empty((rows, columns), dtype=object)
        for j in range(columns):
            found[:, j] = (
                np.array([*objects(rng, rows), None], dtype=object)[:-1] if rng.random() < 0.6 else cells(rng, rows)
            )
        return found if rng.random() < 0.7 else found.tolist()
    values = np.array([cells(rng, rows) for _ in range(columns)]).reshape(columns, rows).T
    with np.errstate(all="ignore"):
        try:
            found = np.clip(values, -99, 99).astype(kind) if kind.startswith(("int", "uint")) else values.astype(kind)
        except (ValueError, OverflowError, TypeError):
            found = values
    shape = rng.random()
    return found if shape < 0.9 else found.ravel() if shape < 0.95 else found[None]


def frame(rng: random.Random, rows: int, columns: int) -> Any:
    """Draw a frame of pandas or polars."""
    called = [key.encode("utf-8", "replace").decode() for key in names(rng, columns)]
    found: dict[str, Any] = {}
    for key in called:
        kind = rng.choice(FRAME)
        values = (
            [name(rng).encode("utf-8", "replace").decode() for _ in range(rows)]
            if kind == "string"
            else objects(rng, rows)
            if kind == "object"
            else cells(rng, rows)
        )
        if kind in ("Int64", "int8", "uint16", "bool", "boolean", "category"):
            values = [rng.randint(0, 1 if kind.startswith("bool") else 3) for _ in range(rows)]
        values = [str(value) for value in values] if kind == "category" and rng.random() < 0.5 else values
        if kind in ("Float32", "float32"):
            values = [min(max(value, -1e30), 1e30) for value in values]
        if rng.random() < 0.02:
            kind, values = "datetime64[ns]", [0] * rows
        column = pd.Series(values, dtype=object).astype(kind) if kind != "object" else pd.Series(values, dtype=object)
        if kind[0] in "IFbs" and kind not in ("bool",) and rows and rng.random() < 0.4 and kind != "float64":
            column.iloc[rng.randrange(rows)] = pd.NA
        found[key] = column
    table = pd.DataFrame(found)
    if rng.random() < 0.3:
        try:
            return pl.from_pandas(table)
        except Exception:  # what polars has no type for
            return table
    return table


def labels(rng: random.Random, rows: int) -> Any:
    """Draw labels, mostly two of them."""
    if rng.random() < 0.85:
        pool = rng.choice(([0, 1], ["no", "yes"], [False, True], [0.0, 1.0], [-1, 1]))
        kind = rng.choice((list, pd.Series, np.array))
    else:
        pool = rng.choice(
            ([0, 1, 2], [1], [0.5, 1.5], ["a", 1], [None, "x"], [float("nan"), 1.0], [float("inf"), 1.0], [b"a", b"b"])
        )
        kind = rng.choice((list, pd.Series, np.array, lambda values: np.array([*values, None], dtype=object)[:-1]))
    return kind([rng.choice(pool) for _ in range(rows + (rng.random() < 0.03))])


def estimator(rng: random.Random) -> Any:
    """Draw an estimator, mostly a quick one with ordinary parameters."""
    draw = rng.random()
    odd = rng.random() < 0.15
    if draw < 0.2:
        return _sparse(rng, odd)
    if draw < 0.8:
        made: dict[str, Any] = {"n_boxes": rng.randint(1, 3), "negative_weight": rng.choice((0.1, 0.5, 1.0))}
        if odd:
            made[
                rng.choice(
                    (
                        "n_boxes",
                        "negative_weight",
                        "expansion",
                        "growth",
                        "clusterer",
                        "feature_range",
                        "pos_label",
                        "n_jobs",
                    )
                )
            ] = rng.choice(ODD)
        if rng.random() < 0.1:
            made["categorical_features"] = rng.choice(([0], ["age"], [5], "age", [], [True], [0, 1]))
        return FastBoxesClassifier(
            **{key: value for key, value in made.items() if key in FastBoxesClassifier().get_params()}
        )
    if draw < 0.88:
        return (
            FastBoxesClassifierCV(n_boxes=(1, 2), cv=2)
            if not odd
            else FastBoxesClassifierCV(n_boxes=rng.choice(ODD), cv=2)
        )
    if draw < 0.94:
        return (
            ScoredBoxesClassifier(max_boxes=2, max_limits=1)
            if not odd
            else ScoredBoxesClassifier(max_boxes=rng.choice(ODD), max_limits=1)
        )
    return (
        ExactBoxesClassifier(max_boxes=1, time_limit=0.2, random_state=0)
        if not odd
        else ExactBoxesClassifier(max_boxes=1, time_limit=rng.choice(ODD))
    )


def _sparse(rng: random.Random, odd: bool) -> Any:
    """Draw a learner of Sparse Boxes."""
    made: dict[str, Any] = {"cv": rng.choice((None, 2, 3))}
    if odd:
        named = "max_boxes", "limit_cost", "box_cost", "max_limits", "false_alarm_cost", "cv", "categorical_features"
        made[rng.choice(named)] = rng.choice(ODD)
    return SparseBoxesClassifier(**made)


def warm() -> None:
    """Compile what the estimators need, which takes longer than any case may."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _fit_all()


def _fit_all() -> None:
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 3 == 0
    for made in (
        FastBoxesClassifier(),
        FastBoxesClassifierCV(n_boxes=(1, 2), cv=2),
        ScoredBoxesClassifier(max_boxes=2, max_limits=1),
        SparseBoxesClassifier(cv=2),
    ):
        made.fit(X, y).predict(X)
        made.fit(X.astype(np.float32), y, sample_weight=y + 1.0).predict(X)
    ExactBoxesClassifier(max_boxes=1, time_limit=0.2, random_state=0).fit(X, y)


def run(rng: random.Random, folder: Path) -> bool:
    """Run a case; return whether something was learned."""
    rows, columns = rng.choice((0, 1, 4, 12, 12, 20, 20, 30)), rng.choice((1, 2, 3))
    X = array(rng, rows, columns) if rng.random() < 0.6 else frame(rng, rows, columns)
    y = labels(rng, rows)
    model = estimator(rng)
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        pool = (1.0, 2.0, 0.0) if rng.random() < 0.6 else (1.0, -1.0, float("nan"), 1e300, "a", 5e-324, 0.0)
        options["sample_weight"] = [rng.choice(pool) for _ in range(rows)]
    done, _ = attempt(model.fit, X, y, **options)
    if not done:
        return False
    _check(model, X)
    return True


def _check(model: Any, X: Any) -> None:
    """Compare the predictions of a fitted model with those of its boxes, row by row, and of its file."""
    done, predicted = attempt(model.predict, X)
    if not done:  # n_jobs, for example, is only looked at where there is work for threads
        return
    predicted = np.asarray(predicted) == model.pos_label_
    able, text = attempt(model.boxes_.to_json)
    if not able:
        return
    document = parsed(text)
    cells_of = X.tolist() if isinstance(X, np.ndarray) else X if isinstance(X, list) else _rows_of(X)
    right = [
        flagged(document, dict(zip(model.boxes_.feature_names, map(_plain, row), strict=True))) for row in cells_of
    ]
    expect(predicted.tolist() == right, "predict differs from the plain implementation")
    again = BoxSetClassifier(BoxSet.from_json(text), classes=tuple(model.classes_.tolist()))
    done, same = attempt(again.predict, X)
    if done and model.pos_label_ == model.classes_[1]:
        expect(same.tolist() == model.predict(X).tolist(), "the boxes of the file predict something else")


def _rows_of(X: Any) -> list[list[Any]]:
    columns = [X[key].to_list() for key in X.columns]
    return [list(row) for row in zip(*columns, strict=True)] if columns else []


def _plain(value: Any) -> Any:
    """Return what Python's own operators understand."""
    if value is pd.NA or value is pd.NaT:
        return None
    return value.item() if isinstance(value, np.generic) else value
