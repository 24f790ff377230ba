"""Data sets in the user's own files.

A file is a CSV, optionally gzipped, with the features and a column ``target``, 1 for the rare class. fourclass may also
be in LIBSVM's format, and breast_tissue UCI's sheet saved as CSV.
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

_OTHER_NAMES = {"fourclass": ("fourclass", "fourclass.txt"), "breast_tissue": ("BreastTissue.csv",)}

Rows = tuple[tuple[str, ...], FloatArray, npt.NDArray[np.int64]]


def find_file(info: DatasetInfo, data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the file with a data set."""
    names = (f"{info.name}.csv.gz", f"{info.name}.csv", *_OTHER_NAMES.get(info.name, ()))
    given = data_home or os.environ.get("BOXDRAW_DATA")
    wanted = f"{info.name} as one of {', '.join(names)}"
    origin = f" Source: {info.source}." if info.kind == "file" else ""
    if not given:
        raise FileNotFoundError(
            f"{info.name} needs a file: give data_home (boxdraw datasets: --folder), or set the "
            f"environment variable BOXDRAW_DATA, to a folder that has {wanted}.{origin}"
        )
    place = Path(given)
    if not place.exists():
        who = "data_home" if data_home else "the environment variable BOXDRAW_DATA"
        raise FileNotFoundError(f"{given} does not exist; {who} names a folder, or the file with {info.name} itself")
    if place.is_file():
        return place
    for name in names:
        if (place / name).is_file():
            return place / name
    raise FileNotFoundError(f"The folder {given} does not contain {wanted}.{origin}")


def read_file(info: DatasetInfo, path: Path) -> Rows:
    """Read a data set from a file, whatever its format."""
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
    """Read a CSV of features and a column ``target``."""
    return _from_csv(_text(path))


def _text(path: Path) -> str:
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"the gzip file is damaged: {error}") from None
    return content.decode("utf-8-sig")


def _columns(text: str) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a CSV as strings, by name."""
    try:
        lines = [[field.strip() for field in row] for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        raise ValueError(f"it is not a CSV file: {error}") from None
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
    """Read UCI's Breast Tissue, which has columns for the class and the case number."""
    columns = _columns(text)
    target = (columns.pop("Class") == "adi").astype(np.int64)
    columns.pop("Case #", None)
    return tuple(columns), _numbers(columns), target


def _from_libsvm(text: str, n_features: int) -> Rows:
    X, labels = load_svmlight_file(io.BytesIO(text.encode()), n_features=n_features, zero_based=False)
    return tuple(f"x{j + 1}" for j in range(n_features)), X.toarray(), rarer(labels)


def _numbers(columns: dict[str, npt.NDArray[Any]]) -> FloatArray:
    return np.column_stack(list(columns.values())).astype(np.float64)
