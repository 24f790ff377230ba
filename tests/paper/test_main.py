"""The command ``python -m paper``."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from paper import __main__ as command
from paper import plan as plan_module
from paper.methods import Method


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder; return its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = command.main([str(argument) for argument in arguments])
        return SimpleNamespace(code=code, **capsys.readouterr()._asdict())

    return call


@pytest.fixture
def fails(run):
    """Run a command that must fail with one line that has certain words."""

    def call(*arguments, code=1, words=()):
        result = run(*arguments)
        (line,) = result.err.splitlines()
        assert (result.code, result.out) == (code, "")
        assert line.startswith("boxdraw: error: ")
        assert all(word in line for word in ([words] if isinstance(words, str) else words))

    return call


def test_a_table(run):
    result = run("table-auh", "--datasets", "castle3D", "--methods", "cart,fast_boxes", "--quick")
    assert result.code == 0
    names = ["table-auh.csv", "table-auh.md"]
    assert result.out.splitlines() == [f"wrote {Path('boxdraw-paper', name)}" for name in names]
    assert re.fullmatch(r"boxdraw: 0 of 4 cells done, about \d+ s left\n", result.err)
    assert len(list(Path("boxdraw-paper/cells").glob("*/*/*.json"))) == 4
    again = run("table-auh", "--datasets", "castle3D", "--methods", "cart,fast_boxes", "--quick")
    assert (again.code, again.out, again.err) == (0, result.out, "")


def test_quiet_and_another_folder(run):
    result = run("bound", "--datasets", "castle", "--out", "here/there", "--quiet")
    assert (result.code, result.err) == (0, "")
    assert Path("here/there/bound.md").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["table"], "invalid choice: 'table'"),
        (["table-auh", "--datasets", "iris"], ["there is no data set 'iris'", "did you mean 'iris0'"]),
        (["table-auh", "--methods", "fastboxes"], ["there is no method 'fastboxes'", "did you mean 'fast_boxes'"]),
        (["table-auh", "--datasets", ","], "expected names with commas"),
        (["table-auh", "--protocol", "loo"], "invalid choice: 'loo'"),
        (["table-auh", "--jobs", "0"], "expected a whole number from 1 on"),
        (["table-auh", "--seed", "-1"], "expected a whole number from 0"),
        (["table-exact", "--seconds", "0"], "expected a number above 0"),
    ],
)
def test_a_command_that_is_written_wrongly(fails, arguments, words):
    fails(*arguments, code=2, words=words)
    assert not Path("boxdraw-paper").exists()


def test_a_figure_of_other_data(fails):
    fails("figure-clusters", "--datasets", "castle", words="figure-clusters has no castle: it is of diamond3D")


def test_a_file_in_the_way(fails):
    Path("file").write_text("")
    fails("bound", "--out", "file", words="file is not a folder")
    fails("bound", "--out", "file/there", words="choose another folder with --out")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_folder_without_permission_is_refused_before_any_work(fails):
    Path("closed").mkdir(mode=0o500)
    words = ["cannot write in closed/there: Permission denied", "choose another folder with --out"]
    fails("table-auh", "--quick", "--out", "closed/there", words=words)


def test_a_folder_that_cannot_be_written_in_is_refused_before_any_work(fails, monkeypatch):
    def refuse(**options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(command, "tempfile", SimpleNamespace(TemporaryFile=refuse))  # numba needs the real one
    monkeypatch.setattr(command, "_make", lambda *_: pytest.fail("it has begun"))
    fails("table-auh", "--out", "here", words="cannot write in here: Permission denied; choose another folder")


def broken(split, seed):
    raise RuntimeError("out of order")


def test_cells_that_fail(run, monkeypatch):
    methods = {"cart": Method("cart", "CART", "", "", broken), "svm": Method("svm", "SVM", "", "", broken, "needs x")}
    monkeypatch.setattr(plan_module, "all_methods", lambda: methods)
    result = run("table-auh", "--datasets", "castle3D", "--methods", "cart,svm", "--quick")
    assert result.code == 1
    assert "wrote boxdraw-paper/table-auh.csv" in result.out.replace("\\", "/")
    lines = result.err.splitlines()
    assert lines[0] == "boxdraw: note: SVM is left out: needs x"
    assert lines[2:4] == [
        f"boxdraw: note: failed: cart on castle3D, split {k}: RuntimeError: out of order" for k in (1, 2)
    ]
    assert lines[4].startswith("boxdraw: error: 2 cells failed, and the tables are without them; run the same command")


def test_ctrl_c_says_that_nothing_is_lost(run, monkeypatch):
    def stop(split, seed):
        raise KeyboardInterrupt

    monkeypatch.setattr(plan_module, "all_methods", lambda: {"cart": Method("cart", "CART", "", "", stop)})
    result = run("table-auh", "--datasets", "castle3D", "--methods", "cart", "--quick")
    assert result.code == 130
    kept = f"what is finished is kept in {Path('boxdraw-paper/cells')}; the same command goes on from there"
    assert result.err.splitlines()[1:] == [f"boxdraw: note: {kept}", "boxdraw: stopped"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5 s"), (89, "89 s"), (600, "10 min"), (5400, "1 h 30 min"), (7300, "2 h 2 min")]
)
def test_durations(seconds, text):
    assert command._duration(seconds) == text
