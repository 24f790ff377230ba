"""Working through cells: what is done stays done, whatever happens."""

import dataclasses
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from paper import grid
from paper.cells import Store
from paper.grid import Estimate, do_tasks, make_tasks

from .small import broken, method, nothing, threshold, toy


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")


def counted(counts, run=threshold):
    def work(split, seed):
        counts["runs"] += 1
        return run(split, seed)

    return work


def tasks_of(*methods, n_splits=3):
    return make_tasks([toy()], methods, "splits", 0, n_splits)


def test_what_is_done_is_not_done_again(store):
    counts = Counter()
    tasks = tasks_of(method("cart", counted(counts)), n_splits=2)
    first = do_tasks(tasks, store, jobs=1)
    assert counts["runs"] == 2
    more = tasks_of(method("cart", counted(counts)), n_splits=5)
    again = do_tasks(more, store, jobs=1)
    assert counts["runs"] == 5
    assert again[:2] == first


def test_a_failing_cell_stops_nothing_and_is_tried_again_next_time(store):
    methods = method("hddt", broken), method("cart")
    records = do_tasks(tasks_of(*methods), store, jobs=1)
    assert [record.outcome is None for record in records] == [True, False] * 3
    assert records[0].error == "RuntimeError: this method is broken"
    assert store.read(records[0].cell) == records[0]
    counts = Counter()
    mended = do_tasks(tasks_of(method("hddt", counted(counts)), method("cart")), store, jobs=1)
    assert counts["runs"] == 3
    assert all(record.outcome is not None for record in mended)


def test_a_failing_cell_is_tried_once_in_a_run(store):
    counts, tried = Counter(), {}
    for _ in range(2):
        records = do_tasks(tasks_of(method("hddt", counted(counts, broken))), store, jobs=1, tried=tried)
        assert all(record.error for record in records)
    assert counts["runs"] == len(tried) == 3


def test_a_damaged_cell_is_done_again(store):
    tasks = tasks_of(method("cart"))
    before = do_tasks(tasks, store, jobs=1)
    path = store.path(tasks[1].cell)
    path.write_bytes(path.read_bytes()[:50])
    after = do_tasks(tasks, store, jobs=1)
    assert [record.outcome.fpr for record in after] == [record.outcome.fpr for record in before]
    assert json.loads(path.read_bytes())["outcome"] is not None


def test_processes_give_the_same_results(tmp_path):
    from paper.methods import all_methods

    tasks = tasks_of(all_methods()["cart"], n_splits=2)
    results = [do_tasks(tasks, Store(tmp_path / str(jobs)), jobs=jobs) for jobs in (1, 2)]
    first, second = ([(r.cell, r.outcome.fpr, r.outcome.tpr) for r in records] for records in results)
    assert first == second


def test_ctrl_c_keeps_what_is_finished(store):
    def stops(split, seed):
        raise KeyboardInterrupt

    tasks = tasks_of(method("cart"), method("svm", stops))
    with pytest.raises(KeyboardInterrupt):
        do_tasks(tasks, store, jobs=1)
    assert store.read(tasks[0].cell) is not None
    assert store.read(tasks[1].cell) is None


def test_progress_counts_up_and_the_time_left_down(store, monkeypatch):
    monkeypatch.setattr(grid, "_TELL_SECONDS", 0.0)
    told = []

    def measured(split, seed):
        return dataclasses.replace(threshold(split, seed), seconds=0.25)

    do_tasks(tasks_of(method("cart", measured, seconds=60.0)), store, 1, lambda *numbers: told.append(numbers))
    assert [(done, total) for done, total, _ in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [left for _, _, left in told] == [180, 0.5, 0.25, 0]  # after the first it is known how long one takes
    told.clear()
    do_tasks(tasks_of(method("cart")), store, 1, lambda *numbers: told.append(numbers))
    assert told == []  # nothing to do


def test_progress_is_told_at_the_start_and_at_the_end_at_least(store, monkeypatch):
    monkeypatch.setattr(grid, "_TELL_SECONDS", 3600.0)
    told = []
    do_tasks(tasks_of(method("cart")), store, 1, lambda *numbers: told.append(numbers))
    assert [done for done, _, _ in told] == [0, 3]


def test_the_estimate_goes_from_the_same_cells_to_the_same_method_to_a_guess(store):
    methods = [method("cart"), method("prim", nothing, seconds=5.0)]
    tasks = make_tasks([toy(name) for name in "abc"], methods, "splits", 0, 1)
    records = [
        dataclasses.replace(record, outcome=dataclasses.replace(record.outcome, seconds=seconds))
        for record, seconds in zip(do_tasks([tasks[0], tasks[2]], store, jobs=1), (1.0, 3.0), strict=True)
    ]
    estimate = Estimate(records)
    seconds = {(task.data.name, task.method.key): estimate.seconds(task) for task in tasks}
    assert (seconds["a", "cart"], seconds["b", "cart"]) == (1.0, 3.0)
    assert seconds["c", "cart"] == 2.0
    assert seconds["a", "prim"] == 5.0


SCRIPT = """
import sys, time
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from small import method, threshold, toy
from paper.cells import Store
from paper.grid import do_tasks, make_tasks

calls = []

def slow(split, seed):
    calls.append(seed)
    if len(calls) == 10:
        time.sleep(3600)  # until it is killed
    return threshold(split, seed)

tasks = make_tasks([toy(str(k)) for k in range(20)], [method("cart", slow)], "splits", 0, 10)
do_tasks(tasks, Store(Path(sys.argv[1])), jobs=1)
"""


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path):
    store = Store(tmp_path / "cells")
    arguments = [sys.executable, "-c", SCRIPT, str(store.folder), str(Path(__file__).parent)]
    process = subprocess.Popen(arguments)
    try:
        while len(list(store.folder.glob("*/*/*.json"))) < 5:
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    done = len(list(store.folder.glob("*/*/*.json")))
    assert 5 <= done < 10
    counts = Counter()
    tasks = make_tasks([toy(str(k)) for k in range(20)], [method("cart", counted(counts))], "splits", 0, 10)
    records = do_tasks(tasks, store, jobs=1)
    assert counts["runs"] == 200 - done
    whole = do_tasks(tasks, Store(tmp_path / "in one go"), jobs=1)
    assert [(r.cell, r.outcome.fpr, r.outcome.tpr) for r in records] == [
        (r.cell, r.outcome.fpr, r.outcome.tpr) for r in whole
    ]
