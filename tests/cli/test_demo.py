"""The demo: its text, its files, and that it needs neither pandas nor matplotlib."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from boxdraw import BoxSet
from boxdraw.cli.demo import load_halves
from boxdraw.cli.main import main


def test_demo_writes_its_files_and_text(tmp_path, capsys):
    out = tmp_path / "new" / "directory"
    assert main(["demo", "--force", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["boxes.png", "model.json"]
    assert (out / "boxes.png").read_bytes().startswith(b"\x89PNG")
    assert (out / "boxes.png").stat().st_size < 150_000
    for words in (
        "THE DATA",
        "  Box 1: ",
        "precision (95% interval)",
        "area under the ROC curve",
        "WHAT TO TRY NEXT",
    ):
        assert words in text
    assert (out / "model.json").as_posix() in text
    longest = max((line for line in text.splitlines() if str(out.as_posix()) not in line.replace("\\", "/")), key=len)
    assert len(longest) <= 100


def test_a_file_in_the_way(run, fails):
    assert run("demo", "--out", "tour").code == 0
    fails("demo", "--out", "tour", words="exists; add --force")
    Path("taken").write_text("mine")
    fails("demo", "--out", "taken", words="taken is not a folder")
    assert Path("taken").read_text() == "mine"


def test_saved_boxes_are_those_of_the_text(tmp_path, capsys):
    main(["demo", "--force", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    boxes = BoxSet.from_json(tmp_path / "model.json")
    assert boxes == BoxSet.from_json(boxes.to_json())
    rules = text.split("THE RULES")[1].split("\n", 1)[1].split("\n\n")[0]
    assert re.sub(r"\s+", " ", rules).strip() == boxes.to_text().replace("\n", " ")
    _, test = load_halves()
    flagged = boxes.contains(test.X)
    counts = [(flagged & test.positive).sum(), (~flagged & test.positive).sum()]
    row = re.search(r"^  malignant +(\d+) +(\d+)$", text, re.M)
    assert row is not None
    assert [int(count) for count in row.groups()] == counts


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
def test_demo_repeats_itself_in_another_process_without_pandas(tmp_path, capsys):
    main(["demo", "--force", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    command = [sys.executable, "-X", "utf8", "-c", _WITHOUT_PANDAS, "demo", "--force", "--out", str(tmp_path)]
    assert subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout == text
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files


def test_demo_without_matplotlib_says_what_is_missing(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["demo", "--force", "--out", str(tmp_path)]) == 0
    assert "boxes.png needs matplotlib (pip install 'boxdraw[plot]')" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_demo_prints_on_a_terminal_without_the_signs(tmp_path, monkeypatch):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    main(["demo", "--force", "--out", str(tmp_path)])
    stdout.seek(0)
    assert "radius >= " in stdout.read()


def test_halves_are_stratified():
    train, test = load_halves()
    assert len(train.y) + len(test.y) == 569
    assert abs(train.positive.mean() - test.positive.mean()) < 0.01
    assert set(np.unique(train.y)) == {"benign", "malignant"}
