"""The demo: its text, its files, and that it needs neither pandas nor matplotlib."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import boxdraw
from boxdraw import BoxSet, BoxSetClassifier, Limit, Rule
from boxdraw.cli.demo import Half, load_halves, next_section, rules_section, unseen_section
from boxdraw.cli.main import main
from boxdraw.datasets import load_dataset
from boxdraw.datasets.shipped import read_shipped


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """Run the demo once; return its folder and its words."""
    out, printed = tmp_path_factory.mktemp("demo") / "new" / "folder", io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["demo", "--out", str(out)]) == 0
    return out, printed.getvalue()


@pytest.fixture
def no_fit(monkeypatch):
    """Let the demo have a rule without learning it."""
    columns, _ = read_shipped("hypothyroid")
    texts = {name: sorted({*values} - {None}) for name, values in columns.items() if {*values} & {"f", "y", "M"}}
    boxes = BoxSet.from_rules([Rule((Limit("TSH", lower=6),))], list(columns), texts)
    model = BoxSetClassifier(boxes, classes=("negative", "hypothyroid"))
    monkeypatch.setattr("boxdraw.cli.demo.fitted", lambda train: model)


def test_demo_writes_its_files_and_text(tour):
    out, text = tour
    assert {path.name for path in out.iterdir()} == {"boxes.png", "model.json", "report.html", "test.csv", "train.csv"}
    assert (out / "boxes.png").read_bytes().startswith(b"\x89PNG")
    assert (out / "boxes.png").stat().st_size < 150_000
    assert "Who is hypothyroid?" in (out / "report.html").read_text(encoding="utf-8")
    for words in ("THE DATA", "CC BY 4.0", "THE RULE", "  Box 1: ", "NOT SEEN", "WHAT TO TRY NEXT"):
        assert words in text
    assert (out / "model.json").as_posix() in text
    longest = max((line for line in text.splitlines() if str(out.as_posix()) not in line.replace("\\", "/")), key=len)
    assert len(longest) <= 100


def test_what_it_suggests_works_as_written(tour, run):
    out, text = tour
    suggestions = text.split("WHAT TO TRY NEXT\n")[1]
    commands = [
        shlex.split(found) for found in re.findall(r"(?<=boxdraw )(?:fit|rules|evaluate|export) .*", suggestions)
    ]
    assert [words[0] for words in commands] == ["fit", "rules", "evaluate", "export"]
    said = {words[0]: run(*words, *(["--models", "tree"] if words[0] == "evaluate" else [])) for words in commands}
    assert {result.code for result in said.values()} == {0}
    learned, model = boxdraw.load("model.json"), boxdraw.load(out / "model.json")
    assert learned.boxes_ == model.boxes_
    assert learned.classes_.tolist() == model.classes_.tolist()
    caught = re.search(r"It finds (\d+) of", text)[1]
    false = re.search(r"It flags (\d+) of", text)[1]
    assert re.search(rf"^any +\d+ +{caught} +{false} ", said["rules"].out, re.MULTILINE)
    first, *lines = suggestions.split("In Python:")[1].splitlines()
    *before, last = [line.strip() for line in (first, *lines) if line.strip()]
    names = {}
    exec("\n".join(before), names)
    flagged = eval(last, names) == "hypothyroid"
    assert (flagged & (names["rows"]["diagnosis"] == "hypothyroid")).sum() == int(caught)


def test_a_hint_where_no_table_can_be_read(monkeypatch):
    assert "pyarrow" not in next_section(Path("my demo"))
    monkeypatch.setattr("boxdraw.cli.demo.find_spec", lambda name: None)
    text = next_section(Path("my demo"))
    assert "Commands that read tables need pyarrow: pip install 'boxdraw[cli]'" in text
    assert "boxdraw rules 'my demo/model.json' --data 'my demo/test.csv'\n" in text


def test_a_file_in_the_way(run, fails, no_fit):
    assert run("demo", "--out", "tour").code == 0
    fails("demo", "--out", "tour", words="exists; add --force")
    Path("taken").write_text("mine")
    fails("demo", "--out", "taken", words="taken is not a folder")
    assert Path("taken").read_text() == "mine"


def test_saved_boxes_are_those_of_the_text(tour):
    """And the figures are those of the saved model on the other half, read by pandas from the data set itself."""
    out, text = tour
    model = boxdraw.load(out / "model.json")
    rules = text.split("THE RULE")[1].split("\n", 1)[1].split("\n(")[0]
    assert re.sub(r"\s+", " ", rules).strip() == model.boxes_.to_text().replace("\n", " ")
    X, y = load_dataset("hypothyroid", return_X_y=True)
    _, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
    flagged, sick = model.predict(X.iloc[test]) == "hypothyroid", y.iloc[test].to_numpy() == 1
    assert f"It finds {(flagged & sick).sum()} of the {sick.sum()} hypothyroid patients" in text
    assert f"It flags {(flagged & ~sick).sum()} of the {(~sick).sum()} others" in text
    assert f"So {(flagged & sick).sum()} of {flagged.sum()} alarms are right" in text


def test_the_rule_is_short_and_better_than_chance(tour):
    model = boxdraw.load(tour[0] / "model.json")
    assert len(model.boxes_) <= 2
    assert sum(len(rule.limits) for rule in model.boxes_.rules()) <= 5
    _, test = load_halves()
    flagged = model.predict(test.X) == "hypothyroid"
    assert flagged[test.positive].mean() > 0.8
    assert flagged[~test.positive].mean() < 0.1


def test_several_boxes_have_figures_each():
    boxes = BoxSet([[1.0], [5.0]], [[2.0], [6.0]], feature_names=["TSH"])
    test = Half(np.array([[1.5], [5.5], [5.6], [9.0]], dtype=object), np.array(["hypothyroid", "negative"] * 2))
    assert rules_section(boxes).splitlines()[0] == "THE RULES: a patient in any of these boxes is flagged"
    text = unseen_section(BoxSetClassifier(boxes, classes=("negative", "hypothyroid")), test)
    assert "It finds 2 of the 2 hypothyroid patients (100%)." in text
    lines = text.splitlines()
    assert [line.split()[:4] for line in lines[-2:]] == [["1", "1", "1", "0"], ["2", "2", "1", "1"]]


# scikit-learn looks pandas up in sys.modules, so None there would not do as it does for other modules.
_WITHOUT_PANDAS = """
import sys
from importlib.abc import MetaPathFinder

class NoPandas(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoPandas())
from boxdraw.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.thorough
def test_demo_repeats_itself_in_another_process_without_pandas(tour):
    out, text = tour
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    command = [sys.executable, "-X", "utf8", "-c", _WITHOUT_PANDAS, "demo", "--force", "--out", str(out)]
    environment = dict(os.environ)  # without what readline adds to it unseen: COLUMNS
    again = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=environment)
    assert again.stdout == text
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files


def test_demo_without_matplotlib_says_what_is_missing(tmp_path, capsys, monkeypatch, no_fit):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["demo", "--force", "--out", str(tmp_path)]) == 0
    assert "boxes.png needs matplotlib (pip install 'boxdraw[plot]')" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"model.json", "report.html", "test.csv", "train.csv"}


def test_demo_prints_on_a_terminal_without_the_signs(tmp_path, monkeypatch, no_fit):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    main(["demo", "--force", "--out", str(tmp_path)])
    stdout.seek(0)
    assert "TSH >= " in stdout.read()


def test_halves_are_stratified():
    train, test = load_halves()
    assert len(train.y) + len(test.y) == 3163
    assert train.positive.sum() + test.positive.sum() == 151
    assert abs(train.positive.mean() - test.positive.mean()) < 0.01
    assert set(np.unique(train.y)) == {"hypothyroid", "negative"}
