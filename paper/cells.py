"""A folder of finished results, one small file per cell, so that an interrupted run can continue.

A file is renamed when it is complete, so the temporary files of a killed run are never read. A damaged file, or one of
another cell, counts as missing.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sklearn

from boxdraw._core.files import replacing
from boxdraw._core.version import __version__
from paper.data import DataSet
from paper.methods import Method
from paper.protocol import Outcome

__all__ = ["Cell", "Record", "Store"]

_FORMAT = 1
_STALE = 3600.0  # seconds after which a temporary file must be from a killed run


@dataclass(frozen=True, slots=True)
class Cell:
    """One split of one data set by one method."""

    dataset: str
    method: str
    protocol: str
    seed: int
    split: int
    fingerprint: str

    @classmethod
    def of(cls, data: DataSet, method: Method, protocol: str, seed: int, split: int) -> Cell:
        """Name a cell; its fingerprint changes with the rows, the settings and the versions."""
        parts = [_FORMAT, __version__, sklearn.__version__, data.digest, method.settings]
        fingerprint = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
        return cls(data.name, method.key, protocol, seed, split, fingerprint)


@dataclass(frozen=True, slots=True)
class Record:
    """The result of a cell: an outcome or an error message."""

    cell: Cell
    outcome: Outcome | None
    error: str | None = None

    @property
    def failure(self) -> str:
        """The failure in one line."""
        return f"{self.cell.method} on {self.cell.dataset}, split {self.cell.split + 1}: {self.error}"


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of cells."""

    folder: Path

    def path(self, cell: Cell) -> Path:
        """Return the file of a cell."""
        name = f"{cell.method}-{cell.split}-{cell.fingerprint}.json"
        return self.folder / f"{cell.protocol}-{cell.seed}" / cell.dataset / name

    def write(self, record: Record) -> None:
        """Write a cell atomically."""
        path = self.path(record.cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps(asdict(record)).encode())

    def read(self, cell: Cell) -> Record | None:
        """Return the record of a cell; None if it is missing or damaged."""
        try:
            content = json.loads(self.path(cell).read_bytes())
            record = _record(content)
        except (FileNotFoundError, ValueError, TypeError, KeyError):  # missing or damaged
            return None
        return record if record.cell == cell else None

    def clean(self) -> None:
        """Remove the temporary files of killed runs."""
        for path in self.folder.glob("*/*/.boxdraw-*.tmp"):
            with suppress(OSError):  # another run may have been faster
                if time.time() - path.stat().st_mtime > _STALE:
                    path.unlink()


def _record(content: dict[str, Any]) -> Record:
    outcome = content["outcome"]
    if outcome is not None:
        outcome = Outcome(**outcome | {"fpr": tuple(outcome["fpr"]), "tpr": tuple(outcome["tpr"])})
    return Record(Cell(**content["cell"]), outcome, content["error"])
