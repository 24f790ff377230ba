"""Data sets that come with boxdraw: compressed CSV files beside this module, each with a note on origin and licence."""

from __future__ import annotations

import csv
import gzip
from importlib.resources import files
from typing import Any


def read_shipped(name: str) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the columns, numbers or texts with None where a value is missing, and the labels, which come last."""
    content = files("boxdraw.datasets").joinpath(f"{name}.csv.gz").read_bytes()
    names, *rows = csv.reader(gzip.decompress(content).decode("utf-8").splitlines())
    columns = {column: list(values) for column, values in zip(names, zip(*rows, strict=True), strict=True)}
    labels = columns.pop(names[-1])
    return {column: _typed(values) for column, values in columns.items()}, labels


def _typed(values: list[str]) -> list[Any]:
    """Return a column as numbers if all its values are."""
    try:
        return [float(value) if value else None for value in values]
    except ValueError:
        return [value or None for value in values]
