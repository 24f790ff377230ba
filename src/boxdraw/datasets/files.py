"""Data sets in files of the user's.

A file is a CSV with the features and a column ``target``, 1 for the rare class, packed with gzip or not. Of fourclass
LIBSVM's own format is read as well, of breast_tissue UCI's sheet saved as CSV.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_svmlight_file

from boxdraw._core.arrays import FloatArray
from boxdraw.datasets.catalogue import DatasetInfo
from boxdraw.datasets.keel import rarer

__all__ = ["find_file", "read_csv", "read_file"]

_OTHER_NAMES = {"fourclass": ("fourclass", "fourclass.txt"), "breast_tissue": ("BreastTissue.csv",)}

Rows = tuple[tuple[str, ...], FloatArray, npt.NDArray[np.int64]]


def find_file(info: DatasetInfo, data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the file with a data set.

    Parameters
    ----------
    info : DatasetInfo
        The data set.
    data_home : path, optional
        The file, or the folder that it is in; by default what the environment variable BOXDRAW_DATA says.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileNotFoundError
        If it is not there; the message says where to get it.

    Examples
    --------
    >>> from boxdraw.datasets import describe_dataset
    >>> find_file(describe_dataset("fourclass"), "nowhere")
    Traceback (most recent call last):
    FileNotFoundError: nowhere does not exist; data_home names a folder, or the file with fourclass itself
    """
    names = (f"{info.name}.csv.gz", f"{info.name}.csv", *_OTHER_NAMES.get(info.name, ()))
    given = data_home or os.environ.get("BOXDRAW_DATA")
    wanted = f"{info.name} as one of {', '.join(names)}"
    origin = f" Source: {info.source}." if info.kind == "file" else ""
    if not given:
        raise FileNotFoundError(
            f"Nobody has said where {info.name} is: give data_home (boxdraw datasets: --folder), or set the variable "
            f"BOXDRAW_DATA of the environment, to a folder that has {wanted}.{origin}"
        )
    place = Path(given)
    if not place.exists():
        who = "data_home" if data_home else "the variable BOXDRAW_DATA of the environment"
        raise FileNotFoundError(f"{given} does not exist; {who} names a folder, or the file with {info.name} itself")
    if place.is_file():
        return place
    for name in names:
        if (place / name).is_file():
            return place / name
    raise FileNotFoundError(f"The folder {given} has not {wanted}.{origin}")


def read_file(info: DatasetInfo, path: Path) -> Rows:
    r"""Read a data set from a file, in whichever of the formats it is.

    Parameters
    ----------
    info : DatasetInfo
        The data set.
    path : Path
        The file.

    Returns
    -------
    names : tuple of str
        The features.
    X : ndarray
        Their values.
    y : ndarray of int
        1 for the rare class.

    Examples
    --------
    >>> import tempfile
    >>> from boxdraw.datasets import describe_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fourclass")
    ...     _ = path.write_text("+1 1:100 2:96\n-1 1:97 2:42\n-1 1:90 2:40\n")
    ...     read_file(describe_dataset("fourclass"), path)[2]
    array([1, 0, 0])
    """
    try:
        text = _text(path)
        if info.name == "fourclass" and ":" in text:
            return _from_libsvm(text, info.n_features)
        if info.name == "breast_tissue" and "Class" in _columns(text):
            return _from_uci(text)
        return _from_csv(text)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as {info.name}: {error}") from None


def read_csv(path: Path) -> Rows:
    r"""Read a CSV of features and a column ``target``.

    Parameters
    ----------
    path : Path
        The file, packed with gzip or not.

    Returns
    -------
    names : tuple of str
        The features.
    X : ndarray
        Their values.
    y : ndarray of int
        The targets.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pima.csv")
    ...     _ = path.write_text("a,b,target\n1,2,0\n3,4,1\n")
    ...     read_csv(path)[0]
    ('a', 'b')
    """
    return _from_csv(_text(path))


def _text(path: Path) -> str:
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"it is packed with gzip and damaged: {error}") from None
    return content.decode("utf-8-sig")


def _columns(text: str) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a CSV as text, by their names."""
    try:
        lines = [[field.strip() for field in row] for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        raise ValueError(f"it is no CSV: {error}") from None
    if not lines:
        raise ValueError("it is empty")
    header, *rows = lines
    if any(len(row) != len(header) for row in rows):
        raise ValueError(f"every line must have {len(header)} fields, as the first one has")
    return dict(zip(header, np.array(rows, dtype=str).reshape(-1, len(header)).T, strict=True))


def _from_csv(text: str) -> Rows:
    columns = _columns(text)
    if "target" not in columns:
        raise ValueError(f"expected a column target; the columns are {', '.join(columns)}")
    target = columns.pop("target").astype(np.float64)
    if not np.isin(target, (0, 1)).all():
        raise ValueError("the column target must have 0 and 1 only")
    return tuple(columns), _numbers(columns), target.astype(np.int64)


def _from_uci(text: str) -> Rows:
    """Read UCI's Breast Tissue, with a column of names of classes and one of numbers of cases."""
    columns = _columns(text)
    target = (columns.pop("Class") == "adi").astype(np.int64)
    columns.pop("Case #", None)
    return tuple(columns), _numbers(columns), target


def _from_libsvm(text: str, n_features: int) -> Rows:
    X, labels = load_svmlight_file(io.BytesIO(text.encode()), n_features=n_features, zero_based=False)
    return tuple(f"x{j + 1}" for j in range(n_features)), X.toarray(), rarer(labels)


def _numbers(columns: dict[str, npt.NDArray[Any]]) -> FloatArray:
    return np.column_stack(list(columns.values())).astype(np.float64)
