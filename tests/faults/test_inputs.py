"""Files that cannot be read, are gone or cut short: one error that names them, and nothing changed."""

import random
import shutil

import pytest

from boxdraw._core.files import replacing

from .inject import OLD, TASKS, Task, inject_cut


def one_error(outcome, name):
    assert outcome.code == 1
    assert outcome.said.startswith("boxdraw: error: ")
    assert outcome.said.count("\n") == 1
    assert name in outcome.said


@pytest.mark.parametrize(("name", "source"), [("predict, CSV", "model.json"), ("predict, Parquet", "rows.parquet")])
def test_cut_short(bench, name, source):
    length = (bench.fresh(name) / source).stat().st_size
    for at in [0, *random.Random(name).sample(range(1, length - 1), 2)]:
        outcome = inject_cut(bench, name, source, at)
        one_error(outcome, source)
        assert outcome.wrong == []


@pytest.mark.parametrize("source", ["model.json", "data.csv"])
@pytest.mark.parametrize("how", ["gone", "a folder", "a loop of links", "not ours"])
def test_not_to_be_read(bench, source, how):
    folder = bench.fresh("report")
    path = folder / source
    if how == "not ours":
        path.chmod(0)
    else:
        path.unlink()
        if how == "a folder":
            path.mkdir()
        elif how == "a loop of links":
            path.symlink_to(source)
    one_error(bench.run(TASKS["report"], folder, "rights"), source)
    assert (folder / "report.html").read_bytes() == OLD


def test_a_folder_that_is_not_to_be_written_to(bench):
    folder = bench.fresh("report")
    folder.chmod(0o500)
    try:
        one_error(bench.run(TASKS["report"], folder, "rights"), "no permission to write in the folder")
    finally:
        folder.chmod(0o700)
    assert (folder / "report.html").read_bytes() == OLD


def test_a_model_that_is_no_model(bench):
    folder = bench.fresh("BoxSet.to_json")
    (folder / "model.json").write_bytes((folder / "rows.parquet").read_bytes())
    outcome = bench.run(TASKS["BoxSet.to_json"], folder)
    assert outcome.said.splitlines()[-1].startswith("ValueError: ")
    assert (folder / "saved.json").read_bytes() == OLD


def write_and_lose(target):
    with replacing(target) as file:
        file.write(b"new")
        shutil.rmtree(target.parent)


def test_a_folder_that_vanishes_while_it_is_written_to(bench, tmp_path):
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "model.json"
    with pytest.raises(FileNotFoundError) as error:
        write_and_lose(target)
    assert error.value.filename == str(target)
    task = Task((), f"export model.json --to sql -o {target}")
    one_error(bench.run(task, bench.fresh("fit")), "does not exist; make it first")
