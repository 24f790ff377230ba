"""boxdraw datasets and boxdraw demo."""

import gzip
import json
from pathlib import Path

import pytest

from boxdraw import BoxSet


@pytest.fixture
def tables(folder):
    Path("tables").mkdir()
    text = "a,b,target\n1,2,0\n3,4,0\n5,6,1\n"
    for name in ("iris0", "pima", "other"):
        Path("tables", f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return "tables"


def test_what_there_is(run, tables, monkeypatch):
    expected = (
        "name   rows  features  positives  negatives per positive\n"
        "pima      3         2          1                     2.0\n"
        "iris0     3         2          1                     2.0\n"
    )
    assert run("datasets", "--folder", tables) == (0, expected, "")
    monkeypatch.setenv("BOXDRAW_DATA", tables)
    assert run("datasets").out == expected


def test_what_there_is_for_machines(run, tables):
    found = json.loads(run("datasets", "--folder", tables, "--json").out)
    assert [entry["name"] for entry in found] == ["pima", "iris0"]
    assert found[0]["rows"] == 3
    assert Path(found[0]["file"]).exists()


def test_nothing_there(fails, monkeypatch):
    monkeypatch.delenv("BOXDRAW_DATA", raising=False)
    fails("datasets", words=["BOXDRAW_DATA", "--folder"])
    fails("datasets", "--folder", "nowhere", words="nowhere is not a folder")
    fails("datasets", "--folder", ".", words="none of the data sets")


def test_the_tour(run, fails):
    result = run("demo", "--out", "tour")
    assert (result.code, result.err) == (0, "")
    assert "THE RULES" in result.out
    boxes = BoxSet.from_json(Path("tour/model.json"))
    fails("demo", "--out", "tour", words="exists; add --force")
    assert run("demo", "--out", "tour", "--force").code == 0
    assert BoxSet.from_json(Path("tour/model.json")) == boxes
    Path("file").write_text("")
    fails("demo", "--out", "file", words="file is not a folder")
