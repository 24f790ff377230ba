"""Dask frames: the model of the same rows in memory, whatever the partitions and whoever dies."""

import os
import pickle

import numpy as np
import pandas as pd
import pytest

from boxdraw import FastBoxesClassifier
from boxdraw.tables import dask as module
from boxdraw.tables.dask import ClusterFiles

from . import test_sampled as sampled
from .same import all_large, assert_same_model, make_frame, write_parquet

dask = pytest.importorskip("dask", reason="needs dask")
dd = pytest.importorskip("dask.dataframe", reason="needs dask.dataframe")
pytest.importorskip("distributed", reason="needs distributed")

FEATURES = ["amount", "age", "town", "known"]


def fit_frame(frame, weighted=False):
    weight = frame["weight"] if weighted else None
    return FastBoxesClassifier(n_boxes=2).fit(frame[FEATURES], frame["label"].to_numpy(), weight)


def fit_dask(frame, weighted=False, **options):
    with all_large():
        return FastBoxesClassifier(n_boxes=2).fit_table(
            frame, target="label", features=FEATURES, weight="weight" if weighted else None, **options
        )


def in_partitions(frame, cuts):
    """A Dask frame of these pieces of a frame, each of which may be empty."""
    rows = np.split(np.arange(len(frame)), cuts)
    parts = [dask.delayed(frame.iloc[some]) for some in rows]
    return dd.from_delayed(parts, meta=frame.iloc[:0], verify_meta=False)


PARTITIONS = {
    "one": [],
    "some": [50, 120, 121, 260],
    "empty ones": [0, 0, 100, 100, 100, 400, 400],
    "single rows": [1, 2, 3, 399],
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cuts", PARTITIONS.values(), ids=PARTITIONS)
def test_partitions(client, cuts, weighted):
    frame = make_frame()
    shuffled = frame.sample(frac=1, random_state=1)
    assert_same_model(fit_frame(frame, weighted), fit_dask(in_partitions(shuffled, cuts), weighted), frame[FEATURES])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cuts", PARTITIONS.values(), ids=PARTITIONS)
def test_without_a_cluster(cuts, weighted):
    assert module._current_client() is None
    frame = make_frame(1)
    expected = fit_frame(frame, weighted)
    for scheduler in ("threads", "sync"):
        with dask.config.set(scheduler=scheduler):
            assert_same_model(expected, fit_dask(in_partitions(frame, cuts), weighted), frame[FEATURES])
    small = FastBoxesClassifier(n_boxes=2).fit_table(
        in_partitions(frame, cuts), target="label", features=FEATURES, weight="weight" if weighted else None
    )
    assert_same_model(expected, small, frame[FEATURES])


# Types of columns


def as_known(frame):
    return frame.astype({"town": "category"})


def as_unknown(frame):
    frame = frame.astype({"town": "category", "label": "category"})
    return frame.assign(town=frame["town"].cat.as_unknown(), label=frame["label"].cat.as_unknown())


def as_strings(frame):
    return frame.astype({"town": "string[pyarrow]", "label": "string[pyarrow]"})


def as_nullable(frame):
    return frame.astype({"age": "Int64", "known": "boolean", "amount": "Float64"})


def as_arrow_types(frame):
    return frame.astype({"age": "int16[pyarrow]", "known": "bool[pyarrow]", "town": "string[pyarrow]"})


@pytest.mark.parametrize("change", [as_known, as_unknown, as_strings, as_nullable, as_arrow_types])
def test_types(client, change):
    frame = make_frame(2)
    changed = change(in_partitions(frame, [90, 90, 200]))
    assert_same_model(fit_frame(frame), fit_dask(changed), frame[FEATURES])


@pytest.mark.parametrize("convert", [False, True])
def test_text_as_dask_reads_it(tmp_path, convert):
    frame = make_frame(3)
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=70)
    with dask.config.set({"dataframe.convert-string": convert}):
        stored = dd.read_parquet(tmp_path, split_row_groups=True)
        assert stored.npartitions > 1
        assert_same_model(fit_frame(frame), fit_dask(stored), frame[FEATURES])


def test_columns_of_dates():
    frame = make_frame().assign(town=pd.Timestamp("2020-01-01"))
    with pytest.raises(ValueError, match="'town' holds dates"):
        fit_dask(in_partitions(frame, [100]))


def test_columns_without_names():
    frame = pd.DataFrame({0: [1.0, 2.0], "label": [0, 1]})
    with pytest.raises(TypeError, match="names of text; got 0"):
        FastBoxesClassifier().fit_table(in_partitions(frame, [1]), target="label")


@pytest.mark.parametrize("column", [[1.5, "a"] * 200, [["a"], ["b"]] * 200])
def test_columns_of_objects_that_are_no_text(column):
    frame = make_frame().assign(town=pd.Series(column, dtype=object))
    with (
        dask.config.set({"dataframe.convert-string": False}),  # of anything
        pytest.raises(ValueError, match="something else than string in 'town'"),
    ):
        fit_dask(in_partitions(frame, [100]))


def test_objects():
    frame = make_frame(3)
    with dask.config.set({"dataframe.convert-string": False}):
        parts = in_partitions(frame, [100, 200])
        assert parts.dtypes["town"].kind == "O"
        assert_same_model(fit_frame(frame), fit_dask(parts), frame[FEATURES])


# What goes wrong on a cluster


def counted(path, at, fail):
    """Partitions as they are, until a call of this number, or every one from 0 on, fails."""

    def work(part):
        with open(path, "a") as file:
            file.write(".")
        if at is None or os.path.getsize(path) == at:
            fail()
        return part

    return work


def failing(error):
    def fail():
        raise error

    return fail


# Of four partitions, which are read for the labels, the ranges, the sums and the gaps.
@pytest.mark.parametrize("at", [7, 11])
def test_a_worker_that_dies(client, tmp_path, at):
    frame = make_frame(4)
    parts = in_partitions(frame, [70, 140, 210])

    def die():
        os._exit(1)

    dying = parts.map_partitions(counted(str(tmp_path / "calls"), at, die), meta=frame.iloc[:0])
    assert_same_model(fit_frame(frame), fit_dask(dying), frame[FEATURES])
    assert (tmp_path / "calls").stat().st_size > at  # it did die, and was worked on again


@pytest.mark.filterwarnings("ignore::boxdraw.CautionWarning")
@pytest.mark.parametrize("method", sampled.LEARNERS)
def test_learners_from_a_sample_on_a_cluster(client, tmp_path, method):
    """The model of memory, from a frame whose worker dies and from files; a task that fails changes no model."""
    frame = make_frame(4, 1500)
    parameters = sampled.SETTINGS[method][1]
    expected = sampled.fit_frame(method, frame, **parameters)
    shuffled = frame.sample(frac=1, random_state=2)
    parts = in_partitions(shuffled, [300, 300, 1000])

    def die():
        os._exit(1)

    dying = parts.map_partitions(counted(str(tmp_path / "calls"), 11, die), meta=frame.iloc[:0])
    sampled.assert_same(expected, sampled.fit_source(method, dying, **parameters), frame[sampled.FEATURES])
    assert (tmp_path / "calls").stat().st_size > 11
    files = ClusterFiles(write_parquet(shuffled, tmp_path / "a.parquet", 170), rows_per_task=400)
    sampled.assert_same(expected, sampled.fit_source(method, files, **parameters), frame[sampled.FEATURES])
    before = dict(vars(expected))
    broken = parts.map_partitions(counted(str(tmp_path / "more"), 9, failing(OSError("gone"))), meta=frame.iloc[:0])
    with sampled.in_passes(), pytest.raises(RuntimeError, match=r"could not be worked on \(.*\): OSError: gone"):
        expected.fit_table(broken, target="label", features=sampled.FEATURES)
    assert vars(expected) == before


def test_workers_that_always_die(client, tmp_path):
    frame = make_frame(4)

    def die():
        os._exit(1)

    dying = in_partitions(frame, [150]).map_partitions(counted(str(tmp_path / "calls"), None, die), meta=frame.iloc[:0])
    with pytest.raises(RuntimeError, match=r"partition of the table could not be worked on \(labels\): KilledWorker"):
        fit_dask(dying)
    assert_same_model(fit_frame(frame), fit_dask(in_partitions(frame, [150])))  # the cluster still works


@pytest.mark.parametrize("place", [pytest.param("cluster", marks=pytest.mark.thorough), "here"])
@pytest.mark.parametrize(
    ("error", "expected", "message"),
    [
        (OSError("the disk is gone"), RuntimeError, r"could not be worked on \(labels\): OSError: the disk is gone"),
        (KeyError("x"), RuntimeError, r"could not be worked on \(labels\): KeyError: 'x'"),
        (ValueError("a number is odd"), ValueError, "^a number is odd$"),
    ],
)
def test_partitions_that_fail(request, tmp_path, place, error, expected, message):
    if place == "cluster":
        request.getfixturevalue("client")
    frame = make_frame(4)
    model = fit_frame(frame)
    before = dict(vars(model))
    parts = in_partitions(frame, [150])
    broken = parts.map_partitions(counted(str(tmp_path / "calls"), None, failing(error)), meta=frame.iloc[:0])
    with all_large(), pytest.raises(expected, match=message):
        model.fit_table(broken, target="label", features=FEATURES)
    assert vars(model) == before


def test_what_is_wrong_in_one_partition_is_said(client):
    frame = make_frame(4)
    frame.loc[250, "weight"] = -1.0
    with pytest.raises(ValueError, match="'weight' must be finite and at least 0; got -1"):
        fit_dask(in_partitions(frame, [100, 200]), weighted=True)
    frame.loc[250, "label"] = None
    with pytest.raises(ValueError, match="1 rows without a label"):
        fit_dask(in_partitions(frame, [100, 200]))


def test_little_of_a_table_comes_to_the_client(client, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40_000, 10)), columns=[f"x{j}" for j in range(10)])
    frame["label"] = (np.arange(40_000) % 200 == 0).astype(int)
    sizes = []

    def measured(tasks, what):
        for result in results(tasks, what):
            sizes.append(len(pickle.dumps(result)))
            yield result

    results = module._results
    monkeypatch.setattr(module, "_results", measured)
    told = []
    with all_large():
        model = FastBoxesClassifier(n_boxes=1).fit_table(
            in_partitions(frame, [10_000, 20_000, 30_000]), target="label", progress=lambda *step: told.append(step)
        )
    assert len(sizes) == len(told) == 20  # five passes over four partitions
    assert [done for what, done, _ in told if what == "divide"] == [10_000, 20_000, 30_000, 40_000]
    assert sum(sizes) < 0.05 * frame.to_numpy().nbytes
    assert_same_model(FastBoxesClassifier(n_boxes=1).fit(frame.drop(columns="label"), frame["label"]), model)
