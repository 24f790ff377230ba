"""Output that is complete or not there."""

import os
import stat
from pathlib import Path

import pytest

from boxdraw.cli.errors import Failure
from boxdraw.cli.output import Output


def test_a_file_is_written(folder):
    Output("größe.txt").write("né\n")
    Output("bytes").write(b"\x00\xff")
    assert Path("größe.txt").read_bytes() == "né\n".encode()
    assert Path("bytes").read_bytes() == b"\x00\xff"
    assert sorted(os.listdir()) == ["bytes", "größe.txt"]


def test_an_existing_file_needs_force():
    Path("out").write_text("old")
    with pytest.raises(Failure, match="out exists; add --force to replace it"):
        Output("out")
    Output("out", force=True).write("new")
    assert Path("out").read_text() == "new"


def test_a_file_that_came_in_the_meantime_is_kept():
    output = Output("out")
    Path("out").write_text("of another run")
    with pytest.raises(Failure, match="out exists"):
        output.write("mine")
    assert Path("out").read_text() == "of another run"
    assert os.listdir() == ["out"]


def test_places_that_cannot_be_written_to():
    Path("folder").mkdir()
    with pytest.raises(Failure, match="it is a folder"):
        Output("folder", force=True)
    with pytest.raises(Failure, match=r"the folder .*nowhere does not exist; make it first"):
        Output("nowhere/out")
    if os.name == "posix":
        os.mkfifo("fifo")
        with pytest.raises(Failure, match="not a regular file; use - for standard output"):
            Output("fifo", force=True)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_is_not_ours():
    Path("theirs").mkdir(mode=0o500)
    with pytest.raises(Failure, match="no permission"):
        Output("theirs/out")


def test_a_result_does_not_replace_what_it_is_made_from():
    Path("data.csv").write_text("a\n")
    Path("link.csv").symlink_to("data.csv")
    for name in ("data.csv", "./data.csv", "link.csv"):
        with pytest.raises(Failure, match="is one of the files that are read"):
            Output(name, force=True, inputs=("-", "data.csv"))


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(monkeypatch, broken):
    Path("out").write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="disk full"):
        Output("out", force=True).write("new")
    assert Path("out").read_text() == "old"
    assert os.listdir() == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links():
    Path("plain").write_text("")
    Path("link").symlink_to("target")
    Output("link").write("new")
    assert Path("link").is_symlink()
    assert Path("target").read_text() == "new"
    assert stat.S_IMODE(Path("target").stat().st_mode) == stat.S_IMODE(Path("plain").stat().st_mode)


def test_standard_output(capsysbinary):
    Output("-").write("né")
    assert capsysbinary.readouterr().out == "né".encode()
