"""The data sets as numbers with labels 0 and 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray

__all__ = ["DataSet", "NotHereError", "all_names", "load", "load_those_here"]


class NotHereError(ValueError):
    """A data set, package, method or memory is missing; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set; 1 in y is the rare class."""

    name: str
    X: FloatArray
    y: IntArray
    feature_names: tuple[str, ...]
    papers_rows: bool = True  # False for simulated rows, which differ from the paper's

    @property
    def imbalance(self) -> float:
        """Negatives per positive."""
        return float((self.y == 0).sum() / (self.y == 1).sum())

    @property
    def frame(self) -> Any:
        """The rows as a frame, so that rules have feature names."""
        import pandas as pd  # required by load_dataset already

        return pd.DataFrame(self.X, columns=list(self.feature_names))

    @property
    def digest(self) -> str:
        """A digest of the rows, to tell results on other rows apart."""
        content = np.ascontiguousarray(self.X).tobytes() + np.ascontiguousarray(self.y).tobytes()
        return hashlib.sha256(str(self.X.shape).encode() + content).hexdigest()[:16]


def all_names() -> list[str]:
    """Return the names of the paper's data sets."""
    from boxdraw.datasets import describe_dataset, list_datasets

    return [name for name in list_datasets() if describe_dataset(name).kind != "shipped"]


@cache
def load(name: str) -> DataSet:
    """Load a data set."""
    from boxdraw.datasets import describe_dataset, load_dataset

    info = describe_dataset(name)
    papers_rows = info.kind != "simulated"
    try:
        try:
            bunch = load_dataset(name, from_file=not papers_rows)
            papers_rows = not info.reconstruction
        except FileNotFoundError:
            bunch = load_dataset(name)
    except (ImportError, OSError) as error:
        raise NotHereError(str(error)) from error
    X = np.ascontiguousarray(bunch.data.to_numpy(dtype=np.float64))
    names = tuple(map(str, bunch.data.columns))
    return DataSet(name, X, np.asarray(bunch.target, dtype=np.int64), names, papers_rows)


def load_those_here(names: Iterable[str]) -> tuple[list[DataSet], dict[str, str]]:
    """Load the data sets that are available, and name those that are not."""
    found, missing = [], {}
    for name in names:
        try:
            found.append(load(name))
        except NotHereError as error:
            missing[name] = str(error)
    return found, missing
