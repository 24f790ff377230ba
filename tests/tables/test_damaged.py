"""Files that are damaged, and types that a format has not: each is one clear error, and never a crash."""

import struct

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from boxdraw import BoxSet, BoxSetClassifier, FastBoxesClassifier

INF = float("inf")


def classifier(**allowed):
    return BoxSetClassifier(BoxSet([[-INF]], [[INF]], feature_names=["a"], allowed=allowed))


def changed(path, old, new):
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


def arrow_file(tmp_path, table):
    path = tmp_path / "data.arrow"
    pa.feather.write_feather(table, path, compression="uncompressed")
    return path


def test_offsets_beyond_the_end_of_an_arrow_file(tmp_path):
    path = arrow_file(tmp_path, pa.table({"a": ["red", "sea"], "y": ["no", "yes"]}))
    changed(path, struct.pack("<3i", 0, 3, 6), struct.pack("<3i", 0, 3, 2**30))
    for read in (
        lambda: classifier(a=[{"red"}]).predict_table(path, tmp_path / "out.parquet"),
        lambda: FastBoxesClassifier().fit_table(path, target="y"),
    ):
        with pytest.raises(ValueError, match="The table can't be read: "):
            read()
    assert not (tmp_path / "out.parquet").exists()


def test_names_that_are_not_in_utf8(tmp_path):
    path = changed(arrow_file(tmp_path, pa.table({"a": [1.0], "other": [1]})), b"other", b"oth\xff\xff")
    with pytest.raises(ValueError, match="is no ipc file, or a damaged one"):
        classifier().predict_table(path, tmp_path / "out.parquet")


def test_packed_pages_that_are_damaged(tmp_path):
    path = tmp_path / "data.parquet"
    pa.parquet.write_table(pa.table({"a": [float(k) for k in range(500)]}), path, compression="gzip")
    content = bytearray(path.read_bytes())
    content[40:60] = bytes(20)
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match="The table can't be read: "):
        classifier().predict_table(path, tmp_path / "out.parquet")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**62], pa.timestamp("s")),
        pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([1.0])),
    ],
    ids=["late", "runs"],
)
def test_columns_that_parquet_cannot_hold(tmp_path, column):
    table = pa.table({"a": [1.0], "other": column})
    with pytest.raises(ValueError, match=r"The rows can't be written to .*columns="):
        classifier().predict_table(table, tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []
    assert classifier().predict_table(table, tmp_path / "out.parquet", columns=["a"]).rows == 1


@pytest.mark.parametrize("step", ["boxdraw.tables.arrow.batches_of", "boxdraw.tables.predict._Predict.__call__"])
def test_too_little_memory_is_no_fault_of_the_table(tmp_path, monkeypatch, step):
    """Reading and writing: Arrow's error of it is one of a table as well."""

    def fail(*_):
        raise pa.ArrowMemoryError("malloc of size 123 failed")

    monkeypatch.setattr(step, fail)
    with pytest.raises(MemoryError, match="malloc of size 123 failed"):
        classifier().predict_table(pa.table({"a": [1.0]}), tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())
