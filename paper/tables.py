"""Read the tables of the experiments."""

from __future__ import annotations

import os
from pathlib import Path

from boxdraw.datasets import list_datasets, load_dataset
from boxdraw.datasets.files import read_csv
from paper.data import DataSet
from paper.reported import AUH

DATA_HELP = "folder with one name.csv.gz per data set; default: $BOXDRAW_DATA, else what load_dataset finds by itself"
PACKAGES = "what load_dataset finds by itself"

# Simulated data sets of the paper of which there are no files.
NO_FILES = ("castle", "diamond", "square", "flooded", "castle3D", "corner3D", "square3D", "flooded3D")

# Mean AUH of Fast Boxes in the paper's last table.
PAPER_FAST_BOXES = {name: row["Fast Boxes"].mean for name, row in AUH.items() if name not in NO_FILES}


def data_folder(given: str | None = None) -> Path | None:
    """Return the folder with files ``name.csv.gz``: given, or from BOXDRAW_DATA; None without either."""
    folder = given or os.environ.get("BOXDRAW_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise SystemExit(f"{folder} is not a folder.")
    return Path(folder)


def available(folder: Path | None) -> list[str]:
    """Return the names of the data sets in the folder or, without one, of those that can be loaded."""
    here = list_datasets(available=True) if folder is None else []
    return [name for name in PAPER_FAST_BOXES if name in here or (folder and (folder / f"{name}.csv.gz").exists())]


def read_table(folder: Path | None, name: str) -> DataSet:
    """Read a file of the folder or, without one, load the data set by name."""
    if folder is not None:
        names, X, y = read_csv(folder / f"{name}.csv.gz")
        return DataSet(name, X, y, names)
    data, target = load_dataset(name, return_X_y=True)
    return DataSet(name, data.to_numpy(), target.to_numpy(), tuple(data.columns))
