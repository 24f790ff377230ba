"""Inputs are checked before outputs, and some are no use: devices, pipes, columns of names and dates."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from boxdraw import BoxSet, Limit, Rule
from boxdraw.model.file import Model, model_to_json

posix = pytest.mark.skipif(os.name != "posix", reason="signals, devices and pipes of POSIX")


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "nothing.csv", "--target", "fraud", "-o", "out.csv"),
        ("evaluate", "nothing.csv", "--target", "fraud", "-o", "out.csv"),
        ("predict", "model.json", "nothing.csv", "-o", "out.csv"),
        ("rules", "model.json", "--data", "nothing.csv", "-o", "out.csv"),
        ("report", "model.json", "nothing.csv", "-o", "out.csv"),
        ("revise", "model.json", "nothing.csv", "-o", "out.csv"),
        ("monitor", "model.json", "nothing.csv", "--reference", "data.csv", "-o", "out.csv"),
        ("compare", "model.json", "nothing.csv", "-o", "out.csv"),
        ("export", "nothing.csv", "--to", "sql", "-o", "out.csv"),
    ],
)
def test_the_input_is_checked_before_the_output(fails, data, model, command):
    Path("out.csv").write_text("old")
    fails(*command, words="nothing.csv: No such file or directory")
    there = model if command[0] in ("compare", "export") else data
    Path("nothing.csv").write_bytes(Path(there).read_bytes())
    fails(*command, words="out.csv exists; add --force")
    assert Path("out.csv").read_text() == "old"


@posix
@pytest.mark.parametrize("source", ["/dev/zero", "pipe"])
def test_what_has_no_end_is_one_line(fails, model, data, source):
    os.mkfifo("pipe")
    words = f"{source} is a device or a named pipe, which may have no end: give a file"
    fails("rules", source, words=words)
    fails("rules", model, "--data", source, words=words)
    fails("fit", source, "--target", "fraud", words=words)
    fails("fit", data, "--target", "fraud", "--existing", source, words=words)


@posix
def test_a_pipe_that_is_open_is_read(model):
    ours, theirs = os.pipe()
    os.write(theirs, Path(model).read_bytes())
    os.close(theirs)
    command = [sys.executable, "-m", "boxdraw.cli", "rules", f"/dev/fd/{ours}"]
    result = subprocess.run(command, pass_fds=[ours], capture_output=True, encoding="utf-8", check=False)
    os.close(ours)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Box 1: amount" in result.stdout


# Ctrl-C while a module is imported: one of the command line's, or one that a command needs.
PRESSED = """
import os, runpy, signal, sys

class Pressed:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Pressed())
sys.argv = ["boxdraw", "rules", "model.json"]
runpy.run_module("boxdraw.cli", run_name="__main__")
"""


@posix
@pytest.mark.parametrize(
    "module", ["argparse", "boxdraw.cli.errors", "boxdraw.cli.rules", "boxdraw.model.boxes", "numpy.random"]
)
def test_ctrl_c_at_the_start(model, module):
    command = [sys.executable, "-c", PRESSED.format(module=module)]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "boxdraw: stopped\n")


@posix
def test_little_is_imported_before_ctrl_c_is_minded():
    """What Python prints before that is a traceback, which nobody can prevent."""
    code = "import sys; before = set(sys.modules); import boxdraw.cli; print(*set(sys.modules) - before)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert not {"typing", "importlib", "argparse", "numpy", "re"} & set(result.stdout.split())


@posix
def test_a_reader_of_one_line(model):
    theirs, ours = os.pipe()
    os.close(theirs)
    command = [sys.executable, "-m", "boxdraw.cli", "rules", model]
    result = subprocess.run(command, stdout=ours, stderr=subprocess.PIPE, check=False)
    os.close(ours)
    assert (result.returncode, result.stderr) == (0, b"")


def table(n_rows=120, **columns):
    amount = np.arange(n_rows) * 7 % 400
    return pa.table({"amount": amount, "fraud": np.where(amount > 300, "yes", "no"), **columns})


def test_only_names_are_nothing_to_learn_from(fails, folder):
    names = table(name=[f"n{i}" for i in range(120)]).drop_columns(["amount"])
    pyarrow.csv.write_csv(names, "names.csv")
    command = ("fit", "names.csv", "--target", "fraud", "--quiet")
    fails(*command, words="names.csv has no other column to learn from: --categorical 'name' takes one")


def test_a_column_of_too_many_texts_is_left_out(run, folder, monkeypatch):
    monkeypatch.setattr("boxdraw.tables.labelled._MANY", 30)
    pyarrow.csv.write_csv(table(word=[f"w{i % 50}" for i in range(120)]), "data.csv")
    result = run("fit", "data.csv", "--target", "fraud", "--max-boxes", 1)
    assert 'column "word" is left out, as it has too many different texts' in result.err


def test_dates_that_are_read_as_text_are_pointed_out(run, folder):
    pyarrow.csv.write_csv(table(day=[f"{i % 28 + 1:02}.{i % 12 + 1:02}.2026" for i in range(120)]), "data.csv")
    result = run("fit", "data.csv", "--target", "fraud", "--max-boxes", 1)
    assert 'column "day" is taken as text, but it looks like dates: leave it out with --drop' in result.err


@pytest.mark.parametrize("command", ["rules", "predict", "report"])
def test_new_categories_are_told_of_limited_columns_alone(run, folder, command):
    rule = Rule((Limit("amount", lower=300), Limit("kind", categories=frozenset("a"))))
    categories = {"kind": ["a", "b"], "colour": ["red"]}
    boxes = BoxSet.from_rules([rule], ["amount", "kind", "colour"], categories)
    Path("model.json").write_text(model_to_json(Model(boxes, "fraud", ("no", "yes"))), encoding="utf-8")
    pyarrow.csv.write_csv(table(kind=["a", "b", "c"] * 40, colour=["red", "new"] * 60), "new.csv")
    rows = ["--data", "new.csv"] if command == "rules" else ["new.csv", "-o", "out.csv"]
    said = run(command, "model.json", *rows).err
    assert "kind" in said
    assert "colour" not in said


@posix
def test_names_of_files_where_letters_are_ascii(model):
    """In the C locale without Python's help: files are found, and errors name them."""
    Path("mödel.json").write_bytes(Path(model).read_bytes())
    environment = os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "boxdraw.cli", "rules"]
    found = subprocess.run([*command, "mödel.json"], env=environment, capture_output=True, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"Box 1: amount >= 250 and hour <= 8" in found.stdout
    gone = subprocess.run(
        [*command, "nö.json", "--data", "dätä.csv"], env=environment, capture_output=True, check=False
    )
    assert (gone.returncode, gone.stderr) == (1, b"boxdraw: error: n\\xf6.json: No such file or directory\n")
