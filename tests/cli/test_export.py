"""boxdraw export."""

import importlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from boxdraw import BoxSet, Scorecard, load
from boxdraw.model.file import Model, model_to_json

from .conftest import small_model, small_table


@pytest.mark.parametrize("language", ["text", "json", "html", "markdown"])
def test_the_library_and_the_command_write_the_same(run, model, language):
    module = importlib.import_module(f"boxdraw.model.export.{language}")
    expected = getattr(module, f"to_{language}")(small_model().boxes)
    assert run("export", model, "--to", language) == (0, f"{expected}\n", "")
    assert run("export", model, "--to", language, "-o", "out") == (0, "", "")
    assert Path("out").read_text(encoding="utf-8") == f"{expected}\n"


def test_json_is_read_back(run, model):
    run("export", model, "--to", "json", "-o", "boxes.json")
    assert BoxSet.from_json(Path("boxes.json")) == small_model().boxes


def test_sql_runs(run, model):
    query = run("export", model, "--to", "sql", "--table", "main.payments").out
    table = small_table()
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE payments (amount REAL, hour REAL)")
        rows = zip(table["amount"].to_pylist(), table["hour"].to_pylist(), strict=True)
        database.executemany("INSERT INTO payments VALUES (?, ?)", rows)
        cursor = database.execute(query)
        assert cursor.description[-1][0] == "fraud_predicted"
        labels = [row[-1] for row in cursor]
    database.close()
    assert labels == load(model_to_json(small_model())).predict(table.select(["amount", "hour"])).tolist()


def test_dialects(run, fails, model):
    assert '"amount" >=' in run("export", model, "--to", "sql", "--dialect", "postgres").out
    fails("export", model, "--to", "sql", "--dialect", "klingon", words="klingon")


def test_python_runs(run, model):
    run("export", model, "--to", "python", "--name", "is_fraud", "-o", "flag.py")
    names = {}
    exec(Path("flag.py").read_text(encoding="utf-8"), names)
    rows = small_table().to_pylist()
    assert [names["is_fraud"](row) for row in rows] == small_model().boxes.contains(small_table()).tolist()


def test_a_card_in_every_language(run):
    card = Scorecard(small_model().boxes, range(1, len(small_model().boxes) + 1), 1)
    Path("card.json").write_text(model_to_json(Model(card, "fraud", ("no", "yes"))), encoding="utf-8")
    options = ("export", "card.json", "--scorecard", "--to")
    names = {}
    exec(run(*options, "python", "--reasons", "--name", "points_of").out, names)
    found = [names["points_of"](row) for row in small_table().to_pylist()]
    assert [row["points"] for row in found] == card.score(small_table()).tolist()
    assert "AS `reasons`" in run(*options, "sql", "--reasons", "--table", "t").out
    assert f"{card.to_sql(column=None, points_column=None, reasons=True)}\n" == run(*options, "sql", "--reasons").out
    assert run(*options, "pmml").out == card.to_pmml(positive="yes", negative="no")
    assert run(*options, "onnx", "-o", "card.onnx").code == 0
    exec(run("export", "card.json", "--to", "python", "--reasons").out, names)
    assert [names["flag"](row)["flag"] for row in small_table().to_pylist()] == card.contains(small_table()).tolist()


def test_onnx_is_written_as_bytes(run, model, fails):
    onnx = pytest.importorskip("onnx")
    assert run("export", model, "--to", "onnx", "-o", "model.onnx") == (0, "", "")
    onnx.checker.check_model(onnx.load("model.onnx"))
    fails("export", model, "--to", "onnx", "-o", "model.onnx", words="exists")


def test_a_wrong_command(fails, model):
    fails("export", model, "--to", "sql", "--risk", "--reasons", code=2, words="several columns: add --table")
    fails("export", model, "--to", "onnx", code=2, words="give it a file, for example -o model.onnx")
    fails("export", model, "--to", "text", "--table", "t", code=2, words="--table goes with --to sql")
    fails("export", model, "--to", "sql", "--name", "f", code=2, words="--name goes with --to python")
    fails("export", model, "--to", "python", "--scorecard", words="boxdraw fit --method scored")
    fails("export", model, "--to", "onnx", "--reasons", "-o", "m", code=2, words="--reasons goes with --to sql, python")
    fails("export", model, "--to", "sql", "--scorecard", words="boxdraw fit --method scored")
    fails("export", model, "--to", "fortran", code=2, words="invalid choice: 'fortran'")
    fails("export", model, code=2, words="--to")


def test_output_is_checked_before_the_work(fails, model, monkeypatch):
    def no_work(*_):
        raise AssertionError("the work began")

    monkeypatch.setattr("boxdraw.cli.export.exported", no_work)
    Path("out").write_text("old")
    fails("export", model, "--to", "text", "-o", "out", words="out exists")
    fails("export", model, "--to", "json", "-o", model, "--force", words="one of the files that are read")


def test_names_in_other_scripts(run):
    model = Model(BoxSet([[1]], [[2]], feature_names=["größe"]))
    Path("model.json").write_text(model_to_json(model), encoding="utf-8")
    assert run("export", "model.json", "--to", "text").out == "Box 1: 1 ≤ größe ≤ 2\n"
