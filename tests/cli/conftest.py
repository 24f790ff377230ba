"""Small tables, models and a way to run commands."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from boxdraw import BoxSet
from boxdraw.cli.main import main
from boxdraw.model.file import Model, model_to_json

INF = float("inf")


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys):
    """Run a command in this process."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def fails(run):
    """Run a command that must fail with one line that has certain words; return the line."""

    def call(*arguments, code=1, words=()):
        result = run(*arguments)
        assert result.code == code, result
        assert result.out == ""
        line, *rest = result.err.splitlines()
        assert rest == []
        assert line.startswith("boxdraw: error: ")
        for word in [words] if isinstance(words, str) else words:
            assert word in line
        return line

    return call


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def small_table(n_rows=120, seed=0):
    """Return rows with an amount and an hour; of those with a large amount at night most are fraud."""
    rng = np.random.default_rng(seed)
    amount, hour = rng.integers(1, 400, n_rows), rng.integers(0, 24, n_rows)
    fraud = (amount > 250) & (hour < 8)
    fraud[:3] = True
    return pa.table({"amount": amount, "hour": hour, "fraud": np.where(fraud, "yes", "no")})


@pytest.fixture
def data(folder):
    """Write the table as CSV; return its name."""
    pyarrow.csv.write_csv(small_table(), "data.csv")
    return "data.csv"


def small_model():
    boxes = BoxSet([[250, -INF], [-INF, 20]], [[INF, 8], [10, INF]], feature_names=["amount", "hour"])
    return Model(boxes, "fraud", ("no", "yes"))


@pytest.fixture
def model(folder):
    """Write a model with two boxes; return its name."""
    Path("model.json").write_text(model_to_json(small_model()), encoding="utf-8")
    return "model.json"
