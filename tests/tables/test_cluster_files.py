"""Files that the workers of a cluster read: the model of ``fit_table`` on the files, and what goes wrong is said."""

import os
import signal
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.fs
import pyarrow.parquet as pq
import pytest

from boxdraw import FastBoxesClassifier, FastBoxesClassifierCV
from boxdraw.tables.dask import ClusterFiles, _pieces_of

from .same import all_large, assert_same_model, make_frame

pytest.importorskip("distributed", reason="needs distributed")

FEATURES = ["amount", "size", "age", "town", "known", "same"]


def fit(source, weighted=False, large=True, model=None, **options):
    model = FastBoxesClassifier(n_boxes=2) if model is None else model
    options |= {"target": "label", "features": FEATURES, "weight": "weight" if weighted else None}
    if not large:
        return model.fit_table(source, **options)
    with all_large():
        return model.fit_table(source, **options)


def table_of(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def write(frame, path, group=None):
    pq.write_table(table_of(frame), path, row_group_size=group)
    return path


def in_files(frame, folder, cuts, group=50):
    """Write these pieces of a frame, each of which may be empty."""
    folder.mkdir()
    rows = np.split(np.arange(len(frame)), cuts)
    return [write(frame.iloc[some], folder / f"{i}.parquet", group) for i, some in enumerate(rows)]


# The same model


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("group", "rows"), [(7, 20), (150, 1), (10_000, 2**20)])
def test_row_groups(client, tmp_path, weighted, group, rows):
    path = write(make_frame(), tmp_path / "a.parquet", group)
    expected = fit(path, weighted)
    assert_same_model(expected, fit(ClusterFiles(path, rows), weighted), make_frame()[FEATURES])
    assert_same_model(expected, fit(ClusterFiles(path, rows), weighted, large=False))


@pytest.mark.parametrize("cuts", [[50, 120, 121, 260], [0, 0, 100, 100, 400, 400]], ids=["some", "empty ones"])
def test_several_files(client, tmp_path, cuts):
    frame = make_frame(1)
    files = in_files(frame, tmp_path / "files", cuts)
    expected = fit(write(frame, tmp_path / "whole.parquet"))
    dataset = ds.dataset(files, schema=table_of(frame).schema)
    for source in (tmp_path / "files", str(tmp_path / "files"), files[::-1], dataset):
        assert_same_model(expected, fit(ClusterFiles(source, rows_per_task=100)), frame[FEATURES])


def test_files_that_differ_in_types(client, tmp_path):
    frame = make_frame(2)
    write(frame[:100].astype({"age": "int8", "amount": "float32"}), tmp_path / "a.parquet")
    write(frame[100:].astype({"age": float}).drop(columns="size"), tmp_path / "b.parquet")
    assert_same_model(fit(tmp_path), fit(ClusterFiles(tmp_path)), frame[FEATURES])


def test_other_formats(client, tmp_path):
    frame = make_frame(3)
    for suffix, put in [("arrow", pa.feather.write_feather), ("csv", pa.csv.write_csv)]:
        folder = tmp_path / suffix
        folder.mkdir()
        for i, part in enumerate([frame[:150], frame[150:]]):
            put(table_of(part), folder / f"{i}.{suffix}")
        expected = fit(folder)
        assert_same_model(expected, fit(ClusterFiles(folder)), frame[FEATURES])
        assert_same_model(expected, fit(ClusterFiles(folder), large=False), frame[FEATURES])


def test_columns_in_the_names_of_folders(client, tmp_path):
    frame = make_frame(4)
    ds.write_dataset(table_of(frame), tmp_path, partitioning=["age"], partitioning_flavor="hive", format="parquet")
    source = ds.dataset(tmp_path, partitioning="hive")
    assert len(source.files) > 50
    assert_same_model(fit(table_of(frame)), fit(ClusterFiles(source, rows_per_task=100)), frame[FEATURES])


def test_pieces_of_row_groups(client, tmp_path):
    """A memory limit makes the batches of a task small, so that a worker merges results as well."""
    frame = make_frame(5, 5000)
    path = write(frame, tmp_path / "a.parquet", 2500)
    told = []
    model = fit(ClusterFiles(path, 2500), memory_limit="1 MiB", progress=lambda *step: told.append(step))
    assert_same_model(fit(path), model, frame[FEATURES])
    assert [done for what, done, of in told if (what, of) == ("divide", 5000)] == [2500, 5000]
    assert len(told) == 2 * 5


def test_relative_paths(client, tmp_path, monkeypatch):
    path = write(make_frame(), tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)  # the workers stay where they are
    assert_same_model(fit(path), fit(ClusterFiles("a.parquet")))
    assert_same_model(fit(path), fit(ClusterFiles(["a.parquet"])))


def test_path_and_cross_validation(client, tmp_path):
    path = write(make_frame(6), tmp_path / "a.parquet", 100)
    here, there = fit(path), fit(ClusterFiles(path, 100))
    for mine, theirs in zip(here.path().hull(), there.path().hull(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    search = [fit(source, model=FastBoxesClassifierCV(n_boxes=[1, 2], cv=2)) for source in (path, ClusterFiles(path))]
    assert search[0].best_params_ == search[1].best_params_
    assert_same_model(*search)


# How files are cut


def test_tasks_have_about_so_many_rows(client, tmp_path):
    files = in_files(make_frame(), tmp_path / "files", [10, 20, 20, 30, 180], group=40)
    pieces = _pieces_of(ds.dataset(files), 100)
    parts = [[(file.path[-9:], groups) for file, groups in piece.parts] for piece in pieces]
    small = [("0.parquet", [0]), ("1.parquet", [0]), ("3.parquet", [0])]  # the third has no rows
    assert parts[0] == small
    assert parts[1:3] == [[("4.parquet", [0, 1])], [("4.parquet", [2, 3])]]
    assert parts[3:] == [[("5.parquet", [0, 1])], [("5.parquet", [2, 3])], [("5.parquet", [4, 5])]]
    assert [piece.dataset().to_table().num_rows for piece in pieces] == [30, 80, 70, 80, 80, 60]


# What goes wrong


def test_without_a_cluster(tmp_path):
    path = write(make_frame(), tmp_path / "a.parquet")
    with pytest.raises(RuntimeError, match=r"ClusterFiles needs a cluster: make a distributed.Client first"):
        fit(ClusterFiles(path))


def test_a_page_when_the_cluster_is_gone(client, tmp_path, monkeypatch):
    frame = make_frame()
    model = fit(ClusterFiles(write(frame, tmp_path / "a.parquet")))
    monkeypatch.setattr("boxdraw.tables.dask._current_client", lambda: None)
    assert "can't be read any more (ClusterFiles needs a cluster" in model.report(frame[FEATURES], frame["label"]).html


def test_what_is_no_file(client, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.parquet"):
        fit(ClusterFiles(tmp_path / "none.parquet"))
    with pytest.raises(TypeError, match=r"source must be a path .*; got DataFrame"):
        fit(ClusterFiles(make_frame()))
    with pytest.raises(ValueError, match=r"ClusterFiles needs files, or .*; got InMemoryDataset\. Give anything else"):
        fit(ClusterFiles(table_of(make_frame())))
    filtered = ds.dataset(write(make_frame(), tmp_path / "a.parquet")).filter(ds.field("age") > 30)
    with pytest.raises(ValueError, match="a pyarrow dataset of files without a filter"):
        fit(ClusterFiles(filtered))


@pytest.mark.parametrize("rows", [0, -1, 2.5, True, "many"])
def test_bad_numbers_of_rows(rows):
    with pytest.raises(ValueError, match="rows_per_task must be a whole number of at least 1; got"):
        ClusterFiles("a.parquet", rows)


def test_files_that_workers_do_not_see(client, tmp_path):
    path = str(tmp_path / "gone.parquet")
    schema = table_of(make_frame()).schema
    unseen = ds.FileSystemDataset.from_paths([path], schema, ds.ParquetFileFormat(), pyarrow.fs.LocalFileSystem())
    with pytest.raises(RuntimeError, match=r"gone\.parquet.* All workers must see the files in the same place"):
        fit(ClusterFiles(unseen))


def test_damaged_files(client, tmp_path):
    path = write(make_frame(), tmp_path / "a.parquet", 50)
    content = bytearray(path.read_bytes())
    content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)
    path.write_bytes(content)
    with pytest.raises((ValueError, RuntimeError), match=r"can't be read|could not be worked on"):
        fit(ClusterFiles(path))


def test_what_is_wrong_in_one_row_is_said(client, tmp_path):
    frame = make_frame(4)
    frame.loc[250, "weight"] = -1.0
    with pytest.raises(ValueError, match="'weight' must be finite and at least 0; got -1"):
        fit(ClusterFiles(write(frame, tmp_path / "a.parquet", 100), 100), weighted=True)
    frame.loc[250, "label"] = None
    with pytest.raises(ValueError, match="1 rows without a label"):
        fit(ClusterFiles(write(frame, tmp_path / "b.parquet", 100), 100))


def failing_files(frame, folder, fail, at=None, cuts=(100, 200, 300)):
    """Files of which the opening of this number, or every one, fails in the workers; and where openings are counted."""
    import fsspec

    log = str(folder / "openings")
    open(log, "w").close()

    def is_first():
        """Say so once, to one process: if all workers died at the same time there would be none to go on."""
        try:
            os.close(os.open(f"{log}.failed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    class Failing(pyarrow.fs.FSSpecHandler):  # local, so that it is sent to the workers as it is
        def open_input_file(self, path):
            with open(log, "a") as file:
                file.write(".")
            if at is None or (0 < at <= os.path.getsize(log) and is_first()):
                fail()
            return super().open_input_file(path)

    files = list(map(str, in_files(frame, folder / "files", cuts)))
    system = pyarrow.fs.PyFileSystem(Failing(fsspec.filesystem("file")))
    dataset = ds.FileSystemDataset.from_paths(files, table_of(frame).schema, ds.ParquetFileFormat(), system)
    return ClusterFiles(dataset, rows_per_task=100), log


def die():
    os._exit(1)


def test_a_worker_that_dies(client, tmp_path):
    frame = make_frame(4)
    whole = write(frame, tmp_path / "whole.parquet")
    (tmp_path / "count").mkdir()
    source, log = failing_files(frame, tmp_path / "count", die, at=-1)
    fit(source)
    openings = os.path.getsize(log)
    for share in (0.1, 0.7):  # while it looks for row groups, and in passes
        folder = tmp_path / str(share)
        folder.mkdir()
        source, log = failing_files(frame, folder, die, at=round(share * openings))
        assert_same_model(fit(whole), fit(source), frame[FEATURES])
        assert os.path.getsize(log) > openings  # it did die, and its files were read again


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_worker_that_is_killed(client, tmp_path):
    frame = make_frame(4)
    path = write(frame, tmp_path / "a.parquet", 20)
    killed = []

    def kill(what, done, of):
        if what == "divide" and not killed:
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    model = fit(ClusterFiles(path, 20), progress=kill)
    assert_same_model(fit(path), model, frame[FEATURES])
    assert len(killed) == 1


def test_workers_that_always_die(client, tmp_path):
    frame = make_frame(4)
    source, _ = failing_files(frame, tmp_path, die, cuts=())
    with pytest.raises(RuntimeError, match=r"could not be worked on \(finding row groups\): KilledWorker"):
        fit(source)
    path = write(frame, tmp_path / "a.parquet")
    assert_same_model(fit(path), fit(ClusterFiles(path)))  # the cluster still works


def test_a_task_that_fails(client, tmp_path):
    frame = make_frame(4)
    model = fit(write(frame, tmp_path / "a.parquet"))
    before = dict(vars(model))

    def fail():
        raise OSError("the disk is gone")

    for at, step in [(None, "finding row groups"), (5, "labels")]:
        folder = tmp_path / step
        folder.mkdir()
        source, _ = failing_files(frame, folder, fail, at)
        with pytest.raises(RuntimeError, match=rf"could not be worked on \({step}\): OSError: the disk is gone"):
            fit(source, model=model)
        assert vars(model) == before
