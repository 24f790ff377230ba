"""Files of the user's."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from boxdraw.datasets import list_datasets, load_dataset

DATA = Path(os.environ.get("BOXDRAW_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "fourclass.csv.gz").exists(), reason="the paper's data sets are not here")


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.delenv("BOXDRAW_DATA", raising=False)


def tissue_rows():
    """Return rows with the counts of the six tissues."""
    counts = {"car": 21, "fad": 15, "mas": 18, "gla": 16, "con": 14, "adi": 22}
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    return [[i + 1, kind, *(i + j / 10 for j in range(9))] for i, kind in enumerate(kinds)]


def as_csv(header, rows):
    return "\n".join([",".join(header), *(",".join(map(str, row)) for row in rows)]) + "\n"


TISSUE_HEADER = ["Case #", "Class", "I0", "PA500", "HFS", "DA", "Area", "A/DA", "Max IP", "DR", "P"]


def libsvm(rows):
    """Write rows as LIBSVM does, which leaves out zeros."""
    lines = []
    for *values, label in rows:
        cells = [f"{j}:{value}" for j, value in enumerate(values, start=1) if value]
        lines.append(" ".join(["+1" if label else "-1", *cells]))
    return "\n".join(lines) + "\n"


def test_fourclass_in_every_format(tmp_path, monkeypatch):
    rows = [(i, 3 * i % 7, int(i >= 555)) for i in range(862)]
    text = as_csv(["x1", "x2", "target"], rows)
    contents = [
        ("fourclass.csv.gz", gzip.compress(text.encode())),
        ("fourclass.csv", b"\xef\xbb\xbf" + text.encode()),
        ("fourclass.csv", text.replace("\n", "\r").encode()),
        ("fourclass", libsvm(rows).encode()),
        ("fourclass.txt", libsvm(rows).encode()),
    ]
    for name, content in contents:
        path = tmp_path / name
        path.write_bytes(content)
        for home in (tmp_path, str(path)):
            loaded = load_dataset("fourclass", data_home=home)
            np.testing.assert_array_equal(np.column_stack([loaded.data, loaded.target]), rows)
            assert loaded.feature_names == ["x1", "x2"]
            assert loaded.source.endswith(str(path))
        monkeypatch.setenv("BOXDRAW_DATA", str(tmp_path))
        assert load_dataset("fourclass").target.sum() == 307
        assert "fourclass" in list_datasets(available=True)
        path.unlink()
    assert "fourclass" not in list_datasets(available=True)


def test_breast_tissue_as_uci_has_it(tmp_path):
    rows = tissue_rows()
    (tmp_path / "BreastTissue.csv").write_text(as_csv(TISSUE_HEADER, rows))
    loaded = load_dataset("breast_tissue", data_home=tmp_path)
    assert loaded.feature_names == TISSUE_HEADER[2:]
    np.testing.assert_array_equal(loaded.data, [row[2:] for row in rows])
    assert loaded.target.tolist() == [int(row[1] == "adi") for row in rows]


@needs_data
def test_any_data_set_can_be_read_from_a_file():
    for name in ("iris0", "abalone918", "breast"):
        loaded = load_dataset(name, data_home=DATA, from_file=True)
        assert str(DATA / f"{name}.csv.gz") in loaded.source
        assert loaded.DESCR.splitlines()[0].endswith("(file)")


def test_nobody_said_where(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"data_home.*BOXDRAW_DATA.*fourclass\.txt.*csie\.ntu\.edu\.tw"):
        load_dataset("fourclass")
    with pytest.raises(FileNotFoundError, match=r"contain breast_tissue as one of .*BreastTissue\.csv.*archive\.ics"):
        load_dataset("breast_tissue", data_home=tmp_path)
    with pytest.raises(FileNotFoundError, match=r"does not contain corner as one of corner\.csv\.gz, corner\.csv\.$"):
        load_dataset("corner", data_home=tmp_path, from_file=True)
    with pytest.raises(FileNotFoundError, match="does not exist; data_home names a folder, or the file"):
        load_dataset("fourclass", data_home=tmp_path / "no")
    monkeypatch.setenv("BOXDRAW_DATA", str(tmp_path / "no"))
    with pytest.raises(FileNotFoundError, match="does not exist; the environment variable BOXDRAW_DATA names a"):
        load_dataset("fourclass")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"x1,x2\n1,2\n", "expected a column target; the columns are x1, x2"),
        (b"x1,x2,target\n1,2\n", "every line must have 3 fields"),
        (b"x1,x2,target\n1,a,0\n", "could not convert"),
        (b"x1,x2,target\n1,1,2\n", "0 and 1 only"),
        (b"\x1f\x8bnonsense", "damaged"),
        (b"\xd0\xcf\x11\xe0", "decode"),
        (b"1 1:2 2:3\n1 1:4 2:5\n", "two distinct labels"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, message):
    path = tmp_path / "fourclass"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"fourclass cannot be read as fourclass: .*{message}"):
        load_dataset("fourclass", data_home=path)


def test_a_field_that_the_reader_refuses(tmp_path):
    path = tmp_path / "fourclass"
    path.write_bytes(b"x1,x2,target\n1,1," + b"0" * 2000)
    usual = csv.field_size_limit(1000)  # of the process; other libraries set it, too
    try:
        with pytest.raises(ValueError, match=r"fourclass cannot be read as fourclass: .*not a CSV file: field larger"):
            load_dataset("fourclass", data_home=path)
    finally:
        csv.field_size_limit(usual)


def test_files_with_other_rows_are_refused(tmp_path):
    path = tmp_path / "fourclass.csv"
    path.write_text("x1,x2,target\n1,2,0\n3,4,0\n5,6,1\n")
    with pytest.raises(ValueError, match=r"862 rows, 2 features and 1\.8078 .* got 3 rows, 2 features and 2\.0 .*read"):
        load_dataset("fourclass", data_home=tmp_path)
    assert "fourclass" not in list_datasets(available=True, data_home=tmp_path)
