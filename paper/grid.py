"""Compute many cells in several processes, and estimate the remaining time."""

from __future__ import annotations

import math
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from paper.cells import Cell, Record, Store
from paper.data import DataSet
from paper.methods import Method
from paper.protocol import Split, split_rows
from paper.workers import KILLED, call_each

__all__ = ["Estimate", "Task", "do_tasks", "make_tasks"]

_TELL_SECONDS = 1.0  # between two estimates

#: Gets the number of cells done and in all, and the estimated seconds left.
Tell = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class Task:
    """A cell, and what is needed to compute it."""

    cell: Cell
    data: DataSet
    method: Method


def make_tasks(
    sets: Sequence[DataSet], methods: Sequence[Method], protocol: str, seed: int, n_splits: int
) -> list[Task]:
    """List all cells, the first split of everything first, so that the remaining time is soon known."""
    return [
        Task(Cell.of(data, method, protocol, seed, split), data, method)
        for split in range(n_splits)
        for data in sets
        for method in methods
    ]


def do_tasks(
    tasks: Sequence[Task],
    store: Store,
    jobs: int,
    tell: Tell | None = None,
    tried: dict[Cell, Record] | None = None,
) -> list[Record]:
    """Compute the missing cells; return all records."""
    store.clean()
    tried = {} if tried is None else tried
    found = (tried.get(task.cell) or store.read(task.cell) for task in tasks)
    known = {one.cell: one for one in found if one is not None and (one.outcome is not None or one.cell in tried)}
    to_do = [task for task in tasks if task.cell not in known]
    estimate = Estimate(known.values())

    told = -math.inf

    def show() -> None:
        nonlocal told
        if tell is not None and to_do and (time.monotonic() - told >= _TELL_SECONDS or len(known) == len(tasks)):
            told = time.monotonic()
            left = [task for task in to_do if task.cell not in known]
            tell(len(known), len(tasks), sum(map(estimate.seconds, left)) / min(jobs, max(len(left), 1)))

    show()
    for place, record in call_each(partial(_do, store), to_do, jobs):
        if record is None:
            record = Record(to_do[place].cell, None, KILLED)
            store.write(record)
        known[record.cell] = record
        if record.outcome is None:
            tried[record.cell] = record
        estimate.add(record)
        show()
    return [known[task.cell] for task in tasks]


def _do(store: Store, task: Task) -> Record:
    """Compute a cell; an error is recorded."""
    cell, data = task.cell, task.data
    try:
        train, test = split_rows(data.y, cell.protocol, cell.seed)[cell.split]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # thousands of warnings of other packages
            outcome = task.method.run(Split(data.X[train], data.y[train], data.X[test], data.y[test]), cell.seed)
        record = Record(cell, outcome)
    except Exception as error:  # whatever it is, continue with the others
        record = Record(cell, None, f"{type(error).__name__}: {' '.join(str(error).split())}")
    store.write(record)
    return record


class Estimate:
    """The expected time of cells, from those that are done."""

    def __init__(self, done: Iterable[Record]) -> None:
        self._same: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._method: dict[str, list[float]] = defaultdict(list)
        for record in done:
            self.add(record)

    def add(self, record: Record) -> None:
        """Take a finished cell into account."""
        if record.outcome is not None:
            self._same[record.cell.dataset, record.cell.method].append(record.outcome.seconds)
            self._method[record.cell.method].append(record.outcome.seconds)

    def seconds(self, task: Task) -> float:
        """Return the mean of the same data set and method, else of the method, else the method's own estimate."""
        known = self._same.get((task.cell.dataset, task.cell.method)) or self._method.get(task.cell.method)
        return float(np.mean(known)) if known else task.method.seconds
