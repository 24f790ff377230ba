"""A run that is killed, at any point: every name holds the old file or the new one, and the next run works."""

import os
import random
import signal
import stat

import numpy as np
import pyarrow.parquet
import pytest

from boxdraw import BoxSet
from boxdraw._core.files import write_text

from .inject import TASKS, Task

FEW = [name for name in TASKS if name not in ("BoxSet.to_json", "paper", "demo")]


def test_saving_a_model_killed_before_each_line(bench):
    n_lines = bench.n_lines("BoxSet.to_json")
    outcomes = [bench.inject("BoxSet.to_json", "line kill", line, again=line % 4 == 0) for line in range(n_lines + 1)]
    assert [outcome.wrong for outcome in outcomes] == [[]] * (n_lines + 1)
    assert [outcome.code for outcome in outcomes] == [-signal.SIGKILL] * n_lines + [0]
    assert {outcome.temporary for outcome in outcomes} == {0, 1}  # some were killed while they wrote


@pytest.mark.parametrize("name", [*FEW, "paper"])
def test_killed_before_a_line_of_the_code_that_writes(bench, name):
    n_lines, rng = bench.n_lines(name), random.Random(name)
    chosen = [rng.randrange(n_lines), rng.randrange(n_lines - 18, n_lines - 6)]  # somewhere, and while it writes
    for line in chosen:
        outcome = bench.inject(name, "line kill", line)
        assert outcome.code == -signal.SIGKILL
        assert outcome.wrong == []
    assert outcome.temporary == 1


@pytest.mark.parametrize("name", FEW)
def test_killed_in_the_middle_of_a_file(bench, name):
    outcome = bench.inject(name, "byte", random.Random(name).randrange(bench.n_bytes(name)))
    assert outcome.code == -signal.SIGXFSZ
    assert outcome.wrong == []
    assert outcome.temporary == 1


@pytest.mark.parametrize("name", FEW)
def test_killed_at_some_time(bench, name):
    outcome = bench.inject(name, "kill", random.Random(name).random() * bench.seconds(name))
    assert outcome.code in (-signal.SIGKILL, 0)  # it may have been faster
    assert outcome.wrong == []


def test_a_half_file_would_be_found(bench):
    """The checks of these tests can fail."""
    folder = bench.fresh("fit")
    (folder / "fitted.json").write_bytes(bench.reference("fit")["fitted.json"][:-20])
    (folder / "data.csv").write_text("")
    (folder / "more").write_text("")
    outcome = bench.run(Task(()), folder)
    bench.check("fit", folder, outcome)
    words = " ".join(outcome.wrong)
    assert all(word in words for word in ("fitted.json is neither", "the input data.csv", "more is no file"))


def test_what_comes_through_is_a_model(bench):
    """The new file, which every check compares with, loads and flags rows."""
    table = pyarrow.parquet.read_table(bench.fresh("fit") / "rows.parquet")
    flagged = BoxSet.from_json(bench.reference("fit")["fitted.json"]).contains(table.select(["amount", "hour"]))
    assert np.mean(flagged == (np.array(table["fraud"]) == "yes")) > 0.95


def test_the_bytes_are_on_the_disk_before_the_file_has_its_name(tmp_path, monkeypatch):
    """So that a power cut leaves no empty file under the name: the order is all that a test can see of that."""
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: done.append(("fsync", os.fstat(file).st_size)) or fsync(file))
    monkeypatch.setattr(
        os, "replace", lambda *names: done.append(("replace", os.stat(names[0]).st_size)) or replace(*names)
    )
    write_text(tmp_path / "a", "text")
    assert done == [("fsync", 5), ("replace", 5)]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_private_file_stays_private(tmp_path, mode):
    """A report that only its owner may read must not become readable when it is made anew."""
    path = tmp_path / "report.html"
    path.write_text("rows")
    path.chmod(mode)
    write_text(path, "new rows")
    assert path.read_text() == "new rows\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def other_group():
    """Return a group that this process may give files to, beside its own."""
    known = range(1, 2) if os.geteuid() == 0 else os.getgroups()
    return next((group for group in known if group != os.getegid()), None)


@pytest.mark.skipif(other_group() is None, reason="needs to be in two groups")
@pytest.mark.parametrize("may", [True, False])
def test_a_file_for_one_group_is_not_for_another(tmp_path, monkeypatch, may):
    path = tmp_path / "report.html"
    path.write_text("rows")
    os.chown(path, -1, other_group())
    path.chmod(0o640)
    if not may:

        def refuse(*_):
            raise PermissionError

        monkeypatch.setattr(os, "fchown", refuse)
    write_text(path, "new rows")
    found = path.stat()
    assert (found.st_gid == other_group(), stat.S_IMODE(found.st_mode)) == (may, 0o640 if may else 0o600)
