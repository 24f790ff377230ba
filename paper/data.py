"""The data sets as the experiments need them: numbers, and labels 0 and 1."""

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
    """What a table needs and is not here: a data set, package, method or memory; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set; 1 in y is the rare class.

    Examples
    --------
    >>> data = DataSet("toy", np.zeros((4, 1)), np.array([0, 0, 0, 1]), ("a",))
    >>> data.imbalance
    3.0
    """

    name: str
    X: FloatArray
    y: IntArray
    feature_names: tuple[str, ...]
    papers_rows: bool = True  # whether the paper had these very rows, and not others of the same or a guessed law

    @property
    def imbalance(self) -> float:
        """Negatives per positive."""
        return float((self.y == 0).sum() / (self.y == 1).sum())

    @property
    def frame(self) -> Any:
        """The rows with the names of the features, so that rules have them."""
        import pandas as pd  # load_dataset has needed it already

        return pd.DataFrame(self.X, columns=list(self.feature_names))

    @property
    def digest(self) -> str:
        """A few digits that change with any value: results of other rows are not results of these."""
        content = np.ascontiguousarray(self.X).tobytes() + np.ascontiguousarray(self.y).tobytes()
        return hashlib.sha256(str(self.X.shape).encode() + content).hexdigest()[:16]


def all_names() -> list[str]:
    """Return the names of the paper's data sets.

    Returns
    -------
    list of str
        In the paper's order.

    Examples
    --------
    >>> "glass2" in all_names()
    True
    """
    from boxdraw.datasets import list_datasets

    return list(list_datasets())


@cache
def load(name: str) -> DataSet:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of `all_names`.

    Returns
    -------
    DataSet
        The rows; of simulated ones the authors' sample if its file is here, else those of the generators' own seeds.

    Examples
    --------
    >>> load("iris0").X.shape
    (150, 4)
    """
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
    """Load data sets, and say which ones are not here.

    Parameters
    ----------
    names : iterable of str
        Names.

    Returns
    -------
    list of DataSet, dict
        Those that could be loaded; why not, for the others.

    Examples
    --------
    >>> found, missing = load_those_here(["iris0"])
    >>> found[0].name, missing
    ('iris0', {})
    """
    found, missing = [], {}
    for name in names:
        try:
            found.append(load(name))
        except NotHereError as error:
            missing[name] = str(error)
    return found, missing
