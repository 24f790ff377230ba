"""What the user asked for, and its cells."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from boxdraw._core.arrays import FloatArray
from paper.cells import Cell, Record, Store
from paper.data import DataSet, NotHereError, all_names, load_those_here
from paper.grid import Tell, do_tasks, make_tasks
from paper.methods import DEFAULT, Method, all_methods
from paper.protocol import N_SPLITS, Outcome

__all__ = ["QUICK_DATASETS", "Plan", "Results", "known"]

#: Small tables of several kinds, most of which need no further package.
QUICK_DATASETS = ("castle3D", "corner3D", "diamond3D", "square3D", "flooded3D", "iris0", "glass2", "haberman", "ecoli4")
_QUICK_SPLITS = 2


@dataclass(frozen=True)
class Results:
    """The records of a table, by data set and method."""

    sets: list[DataSet]
    methods: list[Method]
    records: list[Record]

    def outcomes(self, name: str, key: str) -> dict[int, Outcome]:
        """Return the outcomes of a data set and method by split, without failures."""
        return {
            record.cell.split: record.outcome
            for record in self.records
            if record.outcome is not None and (record.cell.dataset, record.cell.method) == (name, key)
        }

    def paired(self, name: str, keys: Iterable[str]) -> dict[str, FloatArray]:
        """Return the AUH of methods on the splits that all of them finished, without methods that never did."""
        outcomes = {key: self.outcomes(name, key) for key in keys}
        outcomes = {key: found for key, found in outcomes.items() if found}
        common = sorted(set.intersection(*map(set, outcomes.values()))) if outcomes else []
        if not common:
            return {}
        return {key: np.array([found[split].auh for split in common]) for key, found in outcomes.items()}

    @property
    def failures(self) -> list[str]:
        """A line for each cell that failed."""
        return [record.failure for record in self.records if record.outcome is None]


@dataclass(frozen=True)
class Plan:
    """What to run, and where the results go."""

    out: Path  # finished cells are in its folder ``cells``
    datasets: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    protocol: str = "splits"
    seed: int = 0
    jobs: int = 1
    quick: bool = False
    seconds: float = 2.0  # for each fit of Exact Boxes
    note: Callable[[str], None] = print  # gets a line for everything that is skipped or has failed
    tell: Tell | None = None  # gets the progress
    failed: dict[Cell, Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known("data set", self.datasets or (), all_names())
        known("method", self.methods or (), list(all_methods()))

    @property
    def n_splits(self) -> int:
        """The number of splits to run."""
        return _QUICK_SPLITS if self.quick else N_SPLITS

    @property
    def store(self) -> Store:
        """The finished cells."""
        return Store(self.out / "cells")

    def chosen_sets(self, among: Sequence[str] | None = None) -> list[DataSet]:
        """Load the data sets of a table."""
        possible = list(all_names() if among is None else among)
        wanted = self.datasets or (QUICK_DATASETS if self.quick and among is None else possible)
        found, missing = load_those_here(name for name in possible if name in wanted)
        if missing and self.datasets:
            raise NotHereError(next(iter(missing.values())))
        reasons: dict[str, list[str]] = {}
        for name, reason in missing.items():
            reasons.setdefault(reason.replace(name, "..."), []).append(name)
        for names in reasons.values():
            self.note(f"left out, not here: {', '.join(names)} ({missing[names[0]]})")
        if not found:
            raise NotHereError(f"none of these data sets is here: {', '.join(wanted)}")
        return found

    def wanted_methods(self) -> list[Method]:
        """Return the named methods, or all of the table, even if they cannot run here."""
        methods = all_methods()
        return [methods[key] for key in self.methods or DEFAULT]

    def chosen_methods(self) -> list[Method]:
        """Return the named methods, or all of the table, without those that are not installed."""
        chosen = self.wanted_methods()
        for method in chosen:
            if method.missing is not None:
                self.note(f"{method.title} is left out: {method.missing}")
        found = [method for method in chosen if method.missing is None]
        if not found:
            raise NotHereError(f"none of these methods can run here: {', '.join(method.title for method in chosen)}")
        return found

    def results(self, sets: list[DataSet], methods: list[Method]) -> Results:
        """Compute the cells of a table, and report failures."""
        tasks = make_tasks(sets, methods, self.protocol, self.seed, self.n_splits)
        results = Results(sets, methods, do_tasks(tasks, self.store, self.jobs, self.tell, self.failed))
        for line in results.failures:
            self.note(f"failed: {line}")
        return results

    @property
    def described(self) -> str:
        """The protocol, for the foot of a table."""
        all_folds = f"{N_SPLITS} stratified folds"
        some_folds = all_folds if self.n_splits == N_SPLITS else f"{self.n_splits} of {all_folds}"
        splits = f"{self.n_splits} stratified random halves" if self.protocol == "splits" else some_folds
        return f"{splits}, seed {self.seed}"


def known(what: str, names: Sequence[str], there: Sequence[str] | Mapping[str, object]) -> None:
    """Raise if a name is unknown, and suggest a similar one."""
    for name in names:
        if name not in there:
            close = difflib.get_close_matches(name, list(there), n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(f"there is no {what} {name!r}; {hint}There are {', '.join(there)}")
