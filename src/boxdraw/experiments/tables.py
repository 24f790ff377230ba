"""Reading the experiments' tables, and what the paper reports of them."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

# Mean AUH of Fast Boxes in the paper's last table. Its pima row repeats vehicle1's, so pima is left out of
# comparisons.
PAPER_FAST_BOXES = {
    "pima": 0.7298,
    "corner": 0.9891,
    "fourclass": 0.9546,
    "diamond3D": 0.9516,
    "breast": 0.8888,
    "abalone19": 0.6882,
    "yeast6": 0.8609,
    "yeast5": 0.9767,
    "yeast1289": 0.5932,
    "yeast4": 0.8794,
    "yeast28": 0.7366,
    "yeast1458": 0.6090,
    "abalone918": 0.7171,
    "pageblocks134": 0.9500,
    "ecoli4": 0.9202,
    "yeast17": 0.7033,
    "shuttle04": 0.9967,
    "glass2": 0.7334,
    "vehicle3": 0.7003,
    "vehicle1": 0.7298,
    "vehicle2": 0.9191,
    "haberman": 0.5290,
    "yeast1": 0.5903,
    "glass0": 0.7937,
    "iris0": 1.0,
    "wisconsin": 0.8054,
    "ecoli01": 0.9433,
    "glass1": 0.6654,
    "breast_tissue": 0.9953,
}


@dataclass(frozen=True, slots=True)
class Table:
    """A binary data set; 1 in y is the rare class."""

    name: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    feature_names: tuple[str, ...]

    @property
    def imbalance(self) -> float:
        """Negatives per positive."""
        return float((self.y == 0).sum() / (self.y == 1).sum())


def data_folder(given: str | None = None) -> Path:
    """Return the folder with the paper's data sets, one ``name.csv.gz`` each: given, or in BOXDRAW_DATA."""
    folder = given or os.environ.get("BOXDRAW_DATA")
    if not folder:
        raise SystemExit("Say where the data sets are: --data FOLDER, or the environment variable BOXDRAW_DATA.")
    if not Path(folder).is_dir():
        raise SystemExit(f"{folder} is not a folder.")
    return Path(folder)


def available(folder: Path) -> list[str]:
    """Return the names of the paper's data sets that are in the folder."""
    return [name for name in PAPER_FAST_BOXES if (folder / f"{name}.csv.gz").exists()]


def read_table(folder: Path, name: str) -> Table:
    """Read feature columns and a last column ``target``."""
    with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    values = np.array(rows, dtype=np.float64)
    return Table(name, values[:, :-1], values[:, -1].astype(np.int64), tuple(header[:-1]))
