"""Processes that are killed: what they did is done once more, and the rest goes on."""

import os

import pytest

from paper import sweep as sweep_module
from paper.cells import Store
from paper.data import NotHereError
from paper.grid import do_tasks, make_tasks
from paper.plan import Plan
from paper.protocol import Outcome
from paper.workers import KILLED, call_each

from .small import method, toy


def test_calls_whose_process_was_killed_are_made_once_more(tmp_path):
    def square(number):
        mark = tmp_path / str(number)
        if number == 17 or (number == 3 and not mark.exists()):
            mark.touch()
            os._exit(1)
        return number**2

    found = list(call_each(square, range(20), jobs=2))
    assert len(found) == 20
    assert dict(found) == {number: None if number == 17 else number**2 for number in range(20)}


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_of_the_function_are_not_hidden(jobs):
    def fails(number):
        raise RuntimeError("out of order")

    with pytest.raises(RuntimeError, match="out of order"):
        list(call_each(fails, range(3), jobs))


def test_a_cell_whose_process_is_killed_is_recorded_as_failed(tmp_path):
    def fine(split, seed):  # local, since processes cannot import the modules of the tests
        return Outcome((0.5,), (0.5,), 0, 0.0)

    def deadly(split, seed):
        os._exit(1)

    store, tried = Store(tmp_path), {}
    tasks = make_tasks([toy()], [method("cart", fine), method("hddt", deadly)], "splits", 0, 3)
    records = do_tasks(tasks, store, jobs=2, tried=tried)
    assert [record.error for record in records] == [None, KILLED] * 3
    assert all(record.outcome is not None for record in records[::2])
    assert [store.read(task.cell) for task in tasks] == records
    assert set(tried) == {task.cell for task in tasks[1::2]}


def test_a_figure_without_some_of_its_fits_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_module, "call_each", lambda function, items, jobs: enumerate([(1.0, 1.0), None]))
    with pytest.raises(NotHereError, match="a fit on toy has failed: its process was killed, also when"):
        sweep_module.sweep(Plan(tmp_path, quick=True), toy(), [1], lambda value: None)
