"""Cells are there completely or not at all, and are taken only for what they are of."""

import dataclasses
import json
import os
import time

import pytest

from paper import cells
from paper.cells import Cell, Record, Store
from paper.protocol import Outcome

from .small import method, toy

CELL = Cell("toy", "cart", "splits", 0, 3, "abc")
DONE = Record(CELL, Outcome((0.1, 1 / 3), (0.5, 2 / 3), 1, 0.25, {"gap": 0.1}))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")


def test_what_is_written_is_read(store):
    assert store.read(CELL) is None
    store.write(DONE)
    assert store.read(CELL) == DONE
    failed = Record(CELL, None, "ValueError: no")
    store.write(failed)
    assert store.read(CELL) == failed
    assert failed.failure == "cart on toy, split 4: ValueError: no"


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"[]", b'{"cell": {}}', b"\xff\xfe"])
def test_damaged_files_count_as_not_there(store, content):
    store.write(DONE)
    store.path(CELL).write_bytes(content)
    assert store.read(CELL) is None


def test_every_cut_of_a_file_counts_as_not_there(store):
    store.write(DONE)
    whole = store.path(CELL).read_bytes()
    for length in range(len(whole)):
        store.path(CELL).write_bytes(whole[:length])
        assert store.read(CELL) is None


def test_a_file_of_another_cell_is_not_taken(store):
    store.write(DONE)
    other = dataclasses.replace(CELL, split=4)
    os.replace(store.path(CELL), store.path(other))
    assert store.read(other) is None


def test_nothing_is_left_behind_when_writing_fails(store):
    store.write(DONE)
    with pytest.raises(TypeError):
        store.write(Record(CELL, Outcome((0.0,), (0.0,), 0, 0.0, {"x": object()})))
    assert store.read(CELL) == DONE
    assert [path.name for path in store.path(CELL).parent.iterdir()] == [store.path(CELL).name]


def test_only_old_temporary_files_are_removed(store):
    store.write(DONE)
    old, new = (store.path(CELL).with_name(f".boxdraw-{word}.tmp") for word in ("old", "new"))
    for path in (old, new):
        path.write_text("{")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    store.clean()
    assert not old.exists()
    assert new.exists()
    assert store.read(CELL) == DONE


def test_the_fingerprint_is_of_all_that_matters(monkeypatch):
    base = Cell.of(toy(), method("cart"), "splits", 0, 1)
    assert Cell.of(toy(), method("cart"), "splits", 0, 1) == base
    moved = toy()
    moved.X[0, 0] += 1e-12
    assert Cell.of(moved, method("cart"), "splits", 0, 1) != base
    assert Cell.of(toy(), method("cart", settings="2"), "splits", 0, 1) != base
    monkeypatch.setattr(cells, "__version__", "9.9")
    assert Cell.of(toy(), method("cart"), "splits", 0, 1) != base


def test_cells_have_files_of_their_own(store):
    changes = [
        {"dataset": "a"},
        {"method": "b"},
        {"protocol": "folds"},
        {"seed": 1},
        {"split": 0},
        {"fingerprint": "d"},
    ]
    paths = {store.path(dataclasses.replace(CELL, **change)) for change in [{}, *changes]}
    assert len(paths) == 7


def test_files_are_small_and_plain(store):
    store.write(DONE)
    content = json.loads(store.path(CELL).read_text())
    assert content["cell"]["dataset"] == "toy"
    assert content["outcome"]["tpr"] == [0.5, 2 / 3]
