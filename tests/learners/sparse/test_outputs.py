"""What a rule of Sparse Boxes is written as says what `predict` does."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import boxdraw
from boxdraw import BoxSet

from .tables import fit, payments

TABLES = {
    "payments": {},
    "two boxes": {"limit_cost": 0.5, "max_boxes": 2},
    "one limit each": {"max_limits": 1, "limit_cost": 0.2, "max_boxes": 4},
    "the other class": {"pos_label": 0},
    "not rounded": {"round_limits": False},
}


@pytest.fixture(scope="module", params=TABLES)
def fitted(request):
    """A model, and rows that it has not seen."""
    X, y = payments()
    X["noise"] = X["noise"].where(y == 0, np.nan)  # so that missing values matter
    model = fit(X, y, **TABLES[request.param])
    assert len(model.boxes_)
    rows = pd.concat([X, payments(1)[0]], ignore_index=True)
    return model, rows, model.predict(rows) == model.pos_label_


def test_json(fitted, tmp_path):
    model, rows, _ = fitted
    assert BoxSet.from_json(model.boxes_.to_json()) == model.boxes_
    model.save(tmp_path / "model.json")
    loaded = boxdraw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["fit"]["learner"] == type(model).__name__


def test_python(fitted):
    model, rows, flagged = fitted
    space = {}
    exec(model.boxes_.to_python(), space)
    function = next(value for name, value in space.items() if callable(value) and not name.startswith("_"))
    records = rows.astype(object).where(rows.notna(), None).to_dict("records")
    np.testing.assert_array_equal([bool(function(row)) for row in records], flagged)


def test_sql(fitted):
    model, rows, flagged = fitted
    with closing(sqlite3.connect(":memory:")) as base:
        rows.to_sql("payments", base, index=False)
        found = base.execute(f"SELECT {model.boxes_.to_sql()} FROM payments").fetchall()
    np.testing.assert_array_equal([bool(value) for (value,) in found], flagged)


def test_explanations(fitted):
    model, rows, flagged = fitted
    told = model.explain(rows)
    assert len(told) == len(rows)
    np.testing.assert_array_equal(model.transform(rows).any(axis=1), flagged)


def test_box_table_counts(fitted):
    model, rows, _ = fitted
    truth = np.where(np.arange(len(rows)) % 3 == 0, model.pos_label_, 1 - model.pos_label_)
    table = model.box_table(rows, truth)
    member = model.boxes_.membership(rows)
    np.testing.assert_array_equal(table["support"], member.sum(axis=0))
    np.testing.assert_array_equal(table["true_positives"], member[truth == model.pos_label_].sum(axis=0))
